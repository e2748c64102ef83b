"""The reference firmware on its emulated board at the end of a bad line: each event and order once.

Responsible for: seeded runs of the program's own link over pyserial and a line that drops, doubles,
damages, delays and breaks, while the program is killed at a store, and the board hangs, loses its
power and records what people do.
Not responsible for: a good line (test_firmware_link), the emulated devices (tests/simulation).
Source: firmware_bridge README, "TableLink/1".
"""

from random import Random

import pytest

from firmware_bridge.attestation import Trust
from firmware_bridge.tablelink.bodies import PowerUp, SelfTest, Tamper
from firmware_bridge.tablelink.items import (
    EventsMissing,
    NotAdmitted,
    Order,
    Request,
    RequestStatus,
)
from firmware_bridge.tablelink.settings import DeviceRole
from firmware_bridge.transport.open_port import open_port
from firmware_bridge.transport.port import LineSettings
from hil.emulator.lines.faults import Envelope, FaultPlan
from hil.reference_firmware.build import Role
from hil.reference_firmware.qemu import EmulatedBoard
from hil.rig.tcp_relay import BadLine
from hil.tablelink.at_port import TableLinkAtPort
from hil.tablelink.store import Crash

pytestmark = [
    pytest.mark.debian("qemu-system-arm", program="qemu-system-arm"),
    pytest.mark.debian("gcc-arm-none-eabi", program="arm-none-eabi-gcc"),
]

MS = 1_000_000
BYTES_BETWEEN_CUTS = (1000, 4000)
# The firmware keeps 128 events.
KEPT_MAX = 60
MOMENT_S = 0.15
# Through cuts, losses and pauses before the port is opened anew.
LONG_S = 60.0


class Storm:
    """One run. `written`: what people did, in order; `asked`: how often a self-test was."""

    def __init__(
        self, seed: int, board: EmulatedBoard, line: BadLine, program: TableLinkAtPort
    ) -> None:
        self.board, self.line, self.program = board, line, program
        self.random = Random(seed)
        self.written: list[str] = []
        self.asked = 0
        self.power_ups = 1

    def play(self, steps: int) -> None:
        """The first of each step for certain, then as chance has it."""
        each = (self.write, self.ask, self.crash, self.hang, self.power_cycle)
        weights = (5, 4, 3, 1, 1)
        chosen = self.random.choices(each, weights, k=max(steps - len(each), 0))
        for step in (*each, *chosen):
            step()
            self.moment()
        while not self.line.cuts:
            self.write()
            self.moment()
        self.line.mend()
        self.write()
        assert self.program.until(self.over, LONG_S), self.program.journal[-10:]

    @property
    def kept(self) -> int:
        """How much of what was written has not come."""
        told = [one for one in self.program.happened if isinstance(one.body, Tamper)]
        return len(self.written) - len(told)

    @property
    def done(self) -> int:
        """How many orders the board said to have carried out."""
        return sum(one.status is RequestStatus.DONE for one in self.program.answered)

    @property
    def tested(self) -> int:
        """Of how many self-tests it told; an answer can overtake what is told."""
        return sum(isinstance(one.body, SelfTest) for one in self.program.happened)

    def over(self) -> bool:
        answered = len(self.program.answered) >= self.asked
        return answered and not self.kept and self.tested >= self.done

    def moment(self) -> None:
        self.program.until(lambda: False, self.random.uniform(0, MOMENT_S))

    # The steps.

    def write(self, count: int = 0) -> None:
        """A device whose memory is full would lose it, and say so: people wait before that."""
        assert self.program.until(lambda: self.kept < KEPT_MAX, LONG_S)
        for _ in range(count or self.random.choice((1, 3, 12))):
            self.written.append(f"N{len(self.written)}")
            assert self.board.stimulus(f"tamper {self.written[-1]}") == "ok"

    def ask(self) -> None:
        """While the board is heard, and of no program that may be killed before it stores it."""
        self.write(1)
        assert self.program.until(lambda: self.program.crash is None and not self.kept, LONG_S)
        self.asked += 1
        self.program.ask(Request(Order.SELF_TEST))

    def crash(self) -> None:
        self.program.crash = self.random.choice(tuple(Crash))

    def hang(self) -> None:
        self.board.hang()
        self.moment()
        self.board.resume()

    def power_cycle(self) -> None:
        self.board.power_cycle()
        self.power_ups += 1


def check(seed: int, steps: int) -> None:
    """Run that seed, and see that all came once."""
    plan = FaultPlan(
        seed=seed,
        envelope=Envelope.TABLELINK,
        fragment_bytes_max=Random(seed).choice((0, 7, 64)),
        drop_repeat=0.05,
        extra_repeat=0.1,
        bad_bcc=0.05,
        noise=0.05,
        noise_answers=True,
        overtake=0.05,
        delay_ns_max=2 * MS,
    )
    with (
        EmulatedBoard(Role.SHUFFLER) as board,
        BadLine(board.port, plan, seed, BYTES_BETWEEN_CUTS) as line,
        TableLinkAtPort(
            lambda: open_port(line.url, LineSettings(1_000_000)),
            DeviceRole.SHUFFLER,
            Trust(bare=True),
        ) as program,
    ):
        storm = Storm(seed, board, line, program)
        storm.play(steps)
    happened, answered = program.happened, program.answered
    print(
        f"seed {seed}: {len(happened)} events, {storm.done} of {storm.asked} orders,"
        f" {line.cuts} cuts"
    )

    assert [one.number for one in happened] == list(range(1, len(happened) + 1))
    told = [one.body for one in happened]
    assert [one.what for one in told if isinstance(one, Tamper)] == storm.written
    assert sum(isinstance(one, PowerUp) for one in told) == storm.power_ups
    assert not [one for one in program.journal if isinstance(one, EventsMissing | NotAdmitted)]
    assert len(answered) == storm.asked
    # Of one that was not answered in time nobody knows whether it was carried out.
    unknown = sum(one.status is None for one in answered)
    assert storm.done <= storm.tested <= storm.done + unknown


@pytest.mark.parametrize("seed", range(3))
def test_each_event_and_order_comes_through_a_bad_line_once(seed: int) -> None:
    check(seed, steps=10)


@pytest.mark.full
@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", range(100, 120))
def test_each_event_and_order_comes_through_a_long_bad_line_once(seed: int) -> None:
    check(seed, steps=40)
