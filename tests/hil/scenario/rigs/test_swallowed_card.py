"""A relay that swallows one card, on each rig: the shoe has sent it, and nothing is green."""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hil.dealing.cards import PhysicalCard, card_named
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.faults import Envelope, split_frames
from hil.emulator.lines.serve import PtyServer, TcpServer
from hil.rig.shoe_models import ShoeKind, line_settings
from hil.scenario.benches import emulated_bench as emulated
from hil.scenario.benches.firmware_shuffler import firmware_shuffler
from hil.scenario.benches.simulated_bench import PORTS, SimulatedBench
from hil.scenario.language.reading import Scenario, parse_scenario
from hil.scenario.language.statements import TablePart
from hil.scenario.play.bench import Bench, RigBroken
from hil.scenario.play.run import ScenarioResult, ScenarioRun, StepOutcome
from hil.scenario.rigs.bench_program import person_bench
from hil.scenario.rigs.person_bench import AskedPerson
from hil.scenario.rigs.rig_file import parse_rig
from hil.simulation.faulty_line import FaultyLine

STILL_S = 0.3
CARD, RESULT = b"D", b"G"
FIRST_CARD = parse_scenario("burn 2c + 2")
COUP = parse_scenario("load red\ndeal burn\ndeal coup")
# It pulls the cable in the middle of the burn: a card of it may be lost.
PULLED = parse_scenario("burn 2c + 2\nunplug shoe\nplug shoe\nexpect link shoe up\nP 9h")
CARD_2C = PhysicalCard(card_named("2C"), "red", "E00401")
NO_VERDICT = "1 card was delivered and 0 have a verdict"


class Relay:
    """Passes frames of an Angel Eye on, but the first report with that code: each copy of it."""

    def __init__(self, code: bytes, after: int = 0) -> None:
        self._code = code
        self._after = after
        self._seen: list[bytes] = []

    def passes(self, frame: bytes) -> bool:
        if frame[2:3] != self._code:
            return True
        if frame not in self._seen[-1:]:
            self._seen.append(frame)
        return len(self._seen) != self._after + 1


class SwallowingLine(FaultyLine):
    def __init__(self, relay: Relay) -> None:
        super().__init__(Envelope.ANGEL_EYE, "relay")
        self._relay = relay

    def send(self, frames: bytes, at_ns: int) -> None:
        super().send(b"".join(filter(self._relay.passes, split_frames(frames))), at_ns)


class SwallowingPty(PtyServer[AngelEye]):
    relay = Relay(CARD)

    def _put_output(self, data: bytes) -> int:
        return super()._put_output(data) if self.relay.passes(data) else len(data)


class SwallowingTcp(TcpServer[AngelEye]):
    relay = Relay(CARD)

    def _put_output(self, data: bytes) -> int:
        return super()._put_output(data) if self.relay.passes(data) else len(data)


def played(bench: Bench, scenario: Scenario) -> ScenarioResult:
    return ScenarioRun(scenario, bench, "test", 7).run()


def simulated(scenario: Scenario, relay: Relay) -> ScenarioResult:
    bench = SimulatedBench(scenario)
    bench.simulated.lines[PORTS[TablePart.SHOE]] = SwallowingLine(relay)
    return played(bench, scenario)


def why(result: ScenarioResult) -> str:
    """Of a run that ended in an ERROR."""
    assert result.outcome is StepOutcome.ERROR, [(one.text, one.why) for one in result.steps]
    return next(one.why for one in result.steps if one.why)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Lines with the relay; nobody waits for a minute once the rig is open."""
    SwallowingPty.relay = SwallowingTcp.relay = Relay(CARD)
    monkeypatch.setattr(emulated, "PtyServer", SwallowingPty)
    monkeypatch.setattr(emulated, "TcpServer", SwallowingTcp)
    return monkeypatch


def test_under_the_simulated_clock() -> None:
    result = simulated(FIRST_CARD, Relay(CARD))

    assert why(result).startswith("1 card was delivered and 0 have a verdict")


def test_a_later_card_under_the_simulated_clock() -> None:
    result = simulated(COUP, Relay(CARD, after=6))

    assert why(result).startswith("7 cards were delivered and 6 have a verdict")


@pytest.mark.parametrize("line", ["pty", "tcp"])
def test_with_the_program_as_a_process(
    impatient: pytest.MonkeyPatch, line: str, fast_dir: Path
) -> None:
    with emulated.emulated_bench(FIRST_CARD, fast_dir / "one", line=line) as bench:
        impatient.setattr("hil.progress.PLAY_STILL_S", STILL_S)
        result = played(bench, FIRST_CARD)

    assert why(result).startswith(NO_VERDICT)
    assert result.rig_broke


@pytest.mark.needs("qemu-system-arm")
@pytest.mark.needs("gcc-arm-none-eabi")
def test_beside_the_firmware_on_its_board(impatient: pytest.MonkeyPatch, fast_dir: Path) -> None:
    scenario = parse_scenario("device shuffler tablelink\nburn 2c + 2")
    with emulated.emulated_bench(scenario, fast_dir / "one", shuffler=firmware_shuffler) as bench:
        impatient.setattr("hil.progress.PLAY_STILL_S", STILL_S)
        result = played(bench, scenario)

    assert why(result).startswith(NO_VERDICT)


class Feeder(io.StringIO):
    """A person who draws the burn's first card at the shoe, and says that it is done."""

    def __init__(self, server: PtyServer[AngelEye]) -> None:
        super().__init__()
        self._server = server

    def readline(self, size: int = -1, /) -> str:
        self._server.perform(lambda shoe: shoe.draw(card_named("2C")))
        return "\n"


@contextmanager
def at_a_bench(folder: Path, server: PtyServer[AngelEye]) -> Iterator[Bench]:
    text = 'name = "own"\ntitle = "t"\nkind = "bench"\n[shoe]\nmodels = ["angel-eye"]\n'
    rig = parse_rig(f'{text}line = "{server.path}"\n[feeder]\n', "own.toml")
    person = AskedPerson(Feeder(server), io.StringIO())
    with person_bench(rig, FIRST_CARD, folder, person) as bench:
        yield bench


def test_at_a_bench_of_people(impatient: pytest.MonkeyPatch, fast_dir: Path) -> None:
    settings = line_settings(ShoeKind.ANGEL_EYE, speed=0)
    with (
        SwallowingPty(AngelEye(), settings, link=fast_dir / "shoe") as server,
        at_a_bench(fast_dir / "one", server) as bench,
    ):
        impatient.setattr("hil.progress.PLAY_STILL_S", STILL_S)
        bench.shoe.draw(CARD_2C)
        with pytest.raises(RigBroken, match=NO_VERDICT):
            bench.table.catch_up()


def test_a_swallowed_result_is_no_coup() -> None:
    result = simulated(COUP, Relay(RESULT))
    dealt = result.steps[2]

    assert result.outcome is StepOutcome.FAIL
    assert dealt.stopped.startswith("stopped after 0 of 1 coups concluded, the table is in phase")


def test_a_shoe_that_is_over_before_is_an_error() -> None:
    scenario = parse_scenario("load red\ndeal burn\ndeal 100 coups")
    result = played(SimulatedBench(scenario), scenario)

    assert re.match(r"\d\d of 100 coups concluded, the shoe is over: ", why(result))


def test_dealing_that_stops_at_a_mistake_says_at_which_state() -> None:
    text = "load red\ndeal burn\nerr extra_card\ndeal 5 coups\nexpect irregularity OVERDRAW"
    scenario = parse_scenario(text)
    stopped = played(SimulatedBench(scenario), scenario).steps[3].stopped

    assert re.match(r"stopped after \d of 5 coups concluded, the table is in phase \w+: ", stopped)
    assert stopped.endswith("the dealer made the mistake extra_card")


def test_what_the_scenario_has_disturbed_may_be_lost() -> None:
    result = simulated(PULLED, Relay(CARD, after=3))

    assert "have a verdict" not in " ".join(one.why for one in result.steps)
