"""`smartshoe run` with TableLink devices, or with an RFID shoe, its console and its journal."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from controller.core.tape.entries import DeviceEventRecorded, Entry, EventVerdicts
from controller.core.tape.inputs import Input
from controller.core.tape.records import inputs_in, read_entry, read_input
from controller.custody.batch_life.facts import StageChange
from controller.journal.store import open_read_only
from controller.outlets.control.answer_schema import Answer
from controller.outlets.control.client import ControlError
from controller.procedure.events import ShufflerReported
from controller.procedure.verdicts import Irregularity
from controller.record.snapshot import Snapshot
from controller.record.snapshot_devices import ShufflerBatchView, ShufflerView
from hil.dealing.tags import NAMES
from hil.emulator.feig.rfid_shoe import GATE_INPUT, RfidShoe
from hil.emulator.lines.line import LineServer
from hil.progress import NOT_SO, poll_until
from hil.rig.console import ConsoleDealer
from hil.rig.program import Program

FLOORPERSON = {"by": "A. Floor", "role": "floorperson", "reason": "seen by me"}
# What an emulated shoe reports is missed by nobody, however long the program is down or starved:
# no silence of a busy machine counts as reports that were lost.
REPORT_INTERVAL_MS = 60_000

TABLE = """\
[table]
name = "BENCH-1"

[rules]
profile = "s42-mini"
decks = 8
observed = ["result_button"]

[metrics]
enabled = false

"""
ANGEL_EYE = """\
[shoe]
port = {port}
allow_commands = true
report_interval_ms_min = {interval}
reports_s_max = 0

"""
TABLELINK_SHOE = """\
[shoe]
port = {port}
model = "tablelink"
allow_commands = true
bare = true

"""
SHUFFLER = """\
[shuffler]
port = {port}
allow_commands = true
bare = true

"""

Kind = TypeVar("Kind")


def angel_eye(port: str) -> str:
    """The [shoe] section for an Angel Eye."""
    return ANGEL_EYE.format(port=json.dumps(port), interval=REPORT_INTERVAL_MS)


def tablelink_shoe(url: str) -> str:
    """The [shoe] section for a bare TableLink shoe."""
    return TABLELINK_SHOE.format(port=json.dumps(url))


def shuffler(url: str) -> str:
    """The [shuffler] section for a bare shuffler."""
    return SHUFFLER.format(port=json.dumps(url))


class ShufflerTable:
    """A table and its floorperson. Use `program` as a context manager."""

    def __init__(self, folder: Path, *sections: str) -> None:
        config = folder / "table.toml"
        config.write_text(TABLE + "".join(sections), encoding="utf-8")
        self.journal = folder / "journal"
        self.program = Program(config, folder / "program.log")

    # People.

    def act(self, action: str, **values: object) -> Answer:
        """Act as a floorperson; the answer. Raises ControlError."""
        request = {"request": "act", "action": action, **FLOORPERSON, **values}
        return self.program.ask(request)

    def act_ok(self, action: str, **values: object) -> None:
        """Act, and check that the table accepts it."""
        answer = self.act(action, **values)
        assert answer.ok, answer.error

    def order_shuffler(self, order: str, compartment: int) -> None:
        """Order the shuffler through the table."""
        self.act_ok("order-shuffler", order=order, compartment=compartment)

    def clear_warnings(self) -> None:
        """Wait until the causes of all open warnings are over, then clear them."""
        wait_until(lambda: not any(one.active for one in self.shuffler.warnings))
        for one in self.shuffler.warnings:
            self.act_ok("clear-warning", number=one.number)

    # The snapshot. Raises ControlError while no program answers.

    @property
    def snapshot(self) -> Snapshot:
        return self.program.snapshot()

    @property
    def shuffler(self) -> ShufflerView:
        shuffler = self.snapshot.shuffler
        assert shuffler is not None, "this table has one"
        return shuffler

    def batch(self, back: str) -> ShufflerBatchView | None:
        return next((one for one in self.shuffler.batches if one.back == back), None)

    def stage(self, back: str) -> str:
        batch = self.batch(back)
        return batch.stage if batch is not None else ""

    def wait_for_stage(self, back: str, stage: str) -> None:
        wait_until(lambda: self.stage(back) == stage)

    # What is stored.

    def entries(self) -> list[Entry]:
        with open_read_only(self.journal) as journal:
            read = [read_entry(stored.record) for stored in journal.records()]
        return [entry for entry in read if entry is not None]

    def stored(self, kind: type[Kind]) -> list[Kind]:
        """Entries of that kind."""
        return [one for one in self.entries() if isinstance(one, kind)]

    def reports_of(self, kind: type[Kind]) -> list[Kind]:
        """The shuffler's reports of that kind."""
        return shuffler_reports(self.entries(), kind)

    def device_events(self, kind: type[Kind]) -> list[Kind]:
        """Device events of that kind."""
        events = [one.event for one in self.stored(DeviceEventRecorded)]
        return [one for one in events if isinstance(one, kind)]

    def irregularities(self) -> list[str]:
        judged = self.stored(EventVerdicts)
        return [v.code.value for one in judged for v in one.verdicts if isinstance(v, Irregularity)]

    def stages(self, back: str) -> list[str]:
        """The stages of a batch, in order."""
        return [one.after for one in self.stored(StageChange) if one.batch == back]


def shuffler_reports(entries: Sequence[Entry], kind: type[Kind]) -> list[Kind]:
    """The shuffler's reports of that kind, in order."""
    judged = [one.event for one in entries if isinstance(one, EventVerdicts)]
    events = [one.event for one in judged if isinstance(one, ShufflerReported)]
    return [one for one in events if isinstance(one, kind)]


CONFIG = """\
[table]
name = "BENCH-1"

[rules]
profile = "s42-mini"
decks = 8
observed = ["result_button"]

[shoe]
port = {port}
model = "feig-rfid"
gate_input = {gate}

[batches]
bound = {bound}

[metrics]
enabled = false
{more}"""


def wait_until(ready: Callable[[], object], what: str = NOT_SO) -> None:
    """Poll until `ready` is true; while no program answers it is not. Raises StoodStill."""

    def answers() -> object:
        with suppress(ControlError):
            return ready()
        return False

    poll_until(answers, what)


@dataclass(frozen=True, slots=True)
class RfidPrograms:
    """Programs in one folder, one after the other; batches and keys are there already."""

    folder: Path

    def program(
        self,
        port: str,
        more: str = "",
        *,
        bound: Sequence[str] = NAMES,
        environment: Mapping[str, str] | None = None,
    ) -> Program:
        """A program with its shoe at that port. `more` are further sections of table.toml."""
        config = self.folder / "table.toml"
        # A JSON string is a TOML string.
        named = {"port": json.dumps(port), "bound": json.dumps(list(bound))}
        config.write_text(CONFIG.format(gate=GATE_INPUT, more=more, **named), encoding="utf-8")
        words = [f"{name}={value}" for name, value in (environment or {}).items()]
        return Program(config, self.folder / "program.log", ("env", *words))

    @property
    def journal(self) -> Path:
        return self.folder / "journal"

    def entries(self) -> list[Entry]:
        """All stored entries."""
        with open_read_only(self.journal) as journal:
            read = [read_entry(stored.record) for stored in journal.records()]
        return [entry for entry in read if entry is not None]

    def inputs(self) -> list[Input]:
        """All stored inputs."""
        with open_read_only(self.journal) as journal:
            read = [read_input(stored.record) for stored in journal.records()]
        return [one for item in read if item is not None for one in inputs_in(item)]


def console_dealer(program: Program, line: LineServer[RfidShoe]) -> ConsoleDealer:
    """The dealer at the program's console, who retries if the program ended meanwhile."""

    def wait_all_delivered() -> None:
        taken = line.wait_for(lambda shoe: shoe.all_delivered)
        assert taken, program.with_log_tail("cards were not read")

    def declare(declaration: Mapping[str, object]) -> None:
        wait_until(lambda: _declared(program, declaration), "the result is not declared")

    return ConsoleDealer(wait_all_delivered, declare)


def _declared(program: Program, declaration: Mapping[str, object]) -> bool:
    """Whether the result is declared, now or before the program ended."""
    if program.snapshot().coup is None:
        return True
    answer = program.ask({"request": "act", **declaration})
    assert answer.ok, answer.error
    return True
