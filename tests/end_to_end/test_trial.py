"""A trial beside an existing system: the program follows the shoe and writes no byte to it."""

from collections.abc import Callable
from pathlib import Path

from controller.journal.verify import verify
from hil.dealing.dealer import Dealer, DealerSettings
from hil.dealing.mistakes import Mistake, PlannedMistake
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.serve import TcpServer
from hil.rig.program import Program
from hil.rig.shoe_runner import ShoeRunner


class TappedShoe(AngelEye):
    """A shoe that keeps every byte it was sent."""

    def __init__(self) -> None:
        super().__init__()
        self.received = b""

    def receive(self, data: bytes, at_ns: int) -> bytes:
        self.received += data
        return super().receive(data, at_ns)


def test_not_one_byte_is_written_to_the_line(
    fast_dir: Path, program_on: Callable[..., Program]
) -> None:
    shoe = TappedShoe()
    with TcpServer(shoe) as server:
        plain = program_on(fast_dir, server.url)
        text = plain.config.read_text()
        plain.config.write_text(text.replace("[table]\n", "[table]\ntrial = true\n"))
        with Program(plain.config, plain.log) as program:
            program.start()
            # The table suspends: where commands are allowed, it would lock the shoe.
            mistakes = (PlannedMistake(Mistake.WRONG_RESULT, 2),)
            dealer = Dealer(DealerSettings(seed=3, mistakes=mistakes))
            truth = ShoeRunner(dealer, server, coups_max=3).run()
            suspended = next(one for one in program.client.subscribe(20) if one.irregularities)
            program.stop()
        assert server.emulator.received == b""
    assert verify(fast_dir / "journal").intact
    assert suspended.shoe is not None
    assert suspended.trial
    assert truth.coups
