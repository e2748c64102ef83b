"""The program at a bench: an emulated shoe on a pty stands for the real one, a script for hands."""

import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec import structs

from hil.dealing.cards import card_named
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.serve import PtyServer
from hil.rig.shoe_models import ShoeKind, line_settings
from hil.scenario.language.reading import parse_scenario
from hil.scenario.play.bench import RigBroken
from hil.scenario.play.run import ScenarioRun, StepOutcome
from hil.scenario.rigs.bench_program import BenchSide, person_bench
from hil.scenario.rigs.person_bench import AskedPerson
from hil.scenario.rigs.rig_file import CommissionedTable, RigFile, parse_rig

OVERDRAW = """\
burn 2c + 2
P 9h; B Kc; P Qd; B Jh
P 3c
expect irregularity OVERDRAW by card 8
wait 200ms
measure step at most 5s
expect link shoe up
"""


def rig(port: Path) -> RigFile:
    text = (
        'name = "own"\ntitle = "t"\nkind = "bench"\n[shoe]\nmodels = ["angel-eye"]\n'
        f'line = "{port}"\n[feeder]\n'
    )
    return parse_rig(text, "own.toml")


class Person(io.StringIO):
    """Reads what is asked, and does it at the emulated shoe before Enter."""

    def __init__(self, asked: io.StringIO, do: Callable[[str], None]) -> None:
        super().__init__()
        self._asked = asked
        self._do = do

    def readline(self, size: int = -1, /) -> str:
        self._do(self._asked.getvalue().rsplit("DO: ", 1)[1])
        return "\n"


@pytest.fixture
def shoe(fast_dir: Path) -> "Iterator[PtyServer[AngelEye]]":
    settings = line_settings(ShoeKind.ANGEL_EYE, speed=1)
    with PtyServer(AngelEye(), settings, link=fast_dir / "shoe") as server:
        yield server


def acts_at(server: "PtyServer[AngelEye]") -> Callable[[str], None]:
    def do(asked: str) -> None:
        def act(device: AngelEye) -> tuple[()]:
            if card := re.match(r"draw (\w+) of the", asked):
                device.draw(card_named(card[1].upper()))
            elif asked.startswith("make the red batch ready"):
                device.power_on()
            else:
                raise AssertionError(asked)
            return ()

        server.perform(act)

    return do


def test_a_scenario_is_played_at_a_port_with_a_persons_hands(
    shoe: "PtyServer[AngelEye]", fast_dir: Path
) -> None:
    scenario = parse_scenario(OVERDRAW)
    asked = io.StringIO()
    person = AskedPerson(Person(asked, acts_at(shoe)), asked)
    with person_bench(rig(fast_dir / "shoe"), scenario, fast_dir / "one", person) as bench:
        assert isinstance(bench.table, BenchSide)
        result = ScenarioRun(scenario, bench, "own").run()

    assert [(one.text, one.why) for one in result.steps if one.why] == []
    assert result.outcome is StepOutcome.PASS
    assert asked.getvalue().count("draw ") == 8


def test_the_folder_of_a_commissioned_table_goes_into_its_configuration(
    shoe: "PtyServer[AngelEye]", fast_dir: Path
) -> None:
    given = fast_dir / "given"
    given.mkdir()
    (given / "sections.toml").write_text("[pit]\nwrong = 1\n")
    described = structs.replace(rig(fast_dir / "shoe"), table=CommissionedTable(str(given)))
    bench = person_bench(described, parse_scenario("wait 1s"), fast_dir / "one")

    with pytest.raises(RigBroken, match="wrong"), bench:
        raise AssertionError("it has started")
