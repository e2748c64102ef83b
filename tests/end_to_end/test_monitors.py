"""A program says of a shoe that was never shuffled that it is in order; of a fair one nothing."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias
from urllib.request import urlopen

from controller.cli.main import main
from controller.record.snapshot_devices import AdvisoryView
from controller.rules.advisory import AdvisoryKind
from hil.dealing.dealer import Dealer, DealerSettings
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.serve import PtyServer
from hil.rig.program import Program
from hil.rig.shoe_runner import ShoeRunner

Table: TypeAlias = tuple[PtyServer[AngelEye], Program]

# In its cards chance doubles a bet of the monitors: a shoe that is near an advisory, and has none.
FAIR_SEED = 36
FAIR_COUPS = 30


def deal(server: PtyServer[AngelEye], program: Program, coups: int, **settings: object) -> None:
    """Deal so many coups, and wait until the table has counted them."""
    dealer = Dealer(DealerSettings(seed=FAIR_SEED, **settings))  # type: ignore[arg-type]
    ShoeRunner(dealer, server, coups_max=coups).run()
    for shown in program.client.subscribe():
        if shown.last_coup is not None and shown.last_coup.number == coups:
            return


def logged(program: Program) -> list[str]:
    lines = program.log_text().splitlines()
    return [one[24:] for one in lines if "smartshoe.monitors" in one]


def status(capsys, program: Program) -> list[str]:
    main(("status", "--config", str(program.config)))
    lines = str(capsys.readouterr().out).splitlines()
    return [line for line in lines if line.startswith("advisory ")]


@contextmanager
def table(folder: Path, program_on: Callable[..., Program]) -> Iterator[Table]:
    """A shoe, and the program beside it with its metrics; started."""
    with (
        PtyServer(AngelEye(), link=folder / "shoe") as server,
        program_on(folder, server.path, report_interval_ms_min=1) as program,
    ):
        text = program.config.read_text()
        program.config.write_text(text.replace("enabled = false", "port = 0"))
        program.start()
        yield server, program


def await_advisory(program: Program) -> AdvisoryView:
    """The only advisory, once there is one."""
    shown = next(one for one in program.client.subscribe() if one.advisories)
    (advisory,) = shown.advisories
    return advisory


def counts(program: Program) -> dict[str, float]:
    """The advisories in the metrics, by kind, without those that were not said."""
    url = program.await_log(r"metrics (http://[\d.:]+)/metrics")
    with urlopen(f"{url[1]}/metrics") as answer:
        text = answer.read().decode()
    found = re.findall(r'smartshoe_advisories_total{kind="(.+?)",.*} (.+)', text)
    assert {kind for kind, _ in found} == set(AdvisoryKind)
    return {kind: float(count) for kind, count in found if float(count)}


def test_a_shoe_that_was_not_shuffled_is_said_to_be_in_order_once(
    fast_dir: Path, program_on: Callable[..., Program], capsys
) -> None:
    with table(fast_dir, program_on) as (server, program):
        deal(server, program, 2, unshuffled=True)
        advisory = await_advisory(program)
        assert (advisory.kind, advisory.shoe) == (AdvisoryKind.ORDER, 1)
        (line,) = status(capsys, program)
        assert line.startswith("advisory   order: ")
        assert counts(program) == {"order": 1}
        program.stop()
        program.start()
        assert await_advisory(program) == advisory
        program.stop()

    (said,) = logged(program)
    assert said.startswith("WARNING smartshoe.monitors: order: ")
    assert said.endswith("an advisory, no verdict")


def test_of_a_fair_shoe_nothing_is_said(
    fast_dir: Path, program_on: Callable[..., Program], capsys
) -> None:
    with table(fast_dir, program_on) as (server, program):
        deal(server, program, FAIR_COUPS)
        assert (status(capsys, program), counts(program)) == ([], {})
        program.stop()  # which takes in what waits

    assert logged(program) == []


HOUSE = """\
name = "stopping"
base = "s42-mini"
[values]
advisories_suspend = ["order"]
"""


def test_a_house_that_stops_for_an_order_has_its_table_suspended_until_a_person_decides(
    fast_dir: Path, program_on: Callable[..., Program]
) -> None:
    house = fast_dir / "rules" / "stopping.toml"
    house.parent.mkdir()
    house.write_text(HOUSE)
    with (
        PtyServer(AngelEye(), link=fast_dir / "shoe") as server,
        program_on(fast_dir, server.path, report_interval_ms_min=1) as program,
    ):
        text = program.config.read_text()
        program.config.write_text(
            text.replace('profile = "s42-mini"', 'profile = "rules/stopping.toml"')
        )
        program.start()
        dealer = Dealer(DealerSettings(seed=FAIR_SEED, unshuffled=True))
        ShoeRunner(dealer, server, coups_max=1).run()
        suspended = next(one for one in program.client.subscribe() if one.irregularities)
        (found,) = suspended.irregularities
        assert (found.code, found.suspends) == ("ADVISORY_GIVEN", True)
        assert suspended.phase.value == "suspended"
        decided = ("resolve", "--config", str(program.config), "--by", "Ann Lee")
        assert main((*decided, "--reason", "looked at the cards", "--decision", "continue")) == 0
        program.stop()
    assert main(("replay", str(fast_dir / "journal"))) == 0
