"""`smartshoe run` at a table with TableLink devices, in a folder of its own, and its floorperson.

Responsible for: the table.toml it is started with, orders and decisions over the control socket,
also of people who ask again where it ended meanwhile, and reading what it shows and has stored.
Not responsible for: starting and ending it (hil.rig.program), the devices at its ports.
Source: controller/README.md, "Configuration", "Control socket", "The shuffler at the table".
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from controller.control.client import ControlError
from controller.journal.store import open_read_only
from controller.procedure.effects import BatchMoved
from controller.procedure.events import ShufflerTold
from controller.procedure.verdicts import Irregularity
from controller.tape.entries import DeviceNoted, Entry, Judged
from controller.tape.records import read_entry
from controller.views.snapshot_reader import Shown
from hil.rig.program import Program
from hil.rig.rfid_programs import until

FLOORPERSON = {"by": "A. Floor", "role": "floorperson", "reason": "seen by me"}
NOBODY_THERE = Shown({})
# A report of the shoe is never missed on a pty, however long the program is away.
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
    """The section of a table whose shoe is an Angel Eye."""
    return ANGEL_EYE.format(port=json.dumps(port), interval=REPORT_INTERVAL_MS)


def tablelink_shoe(url: str) -> str:
    """The section of a table whose shoe is a bare TableLink device."""
    return TABLELINK_SHOE.format(port=json.dumps(url))


def shuffler(url: str) -> str:
    """The section of a table with a bare shuffler."""
    return SHUFFLER.format(port=json.dumps(url))


class ShufflerTable:
    """A table and who works at it. `program` is to be used as a context manager."""

    def __init__(self, folder: Path, *sections: str) -> None:
        config = folder / "table.toml"
        config.write_text(TABLE + "".join(sections), encoding="utf-8")
        self.journal = folder / "journal"
        self.program = Program(config, folder / "program.log")

    # People.

    def act(self, action: str, **values: object) -> Shown:
        """A floorperson takes an action; the answer. Raises ControlError."""
        asked = {"request": "act", "action": action, **FLOORPERSON, **values}
        return Shown(self.program.ask(asked))

    def does(self, action: str, **values: object) -> None:
        """An action that the table takes."""
        answer = self.act(action, **values)
        assert answer.yes("ok"), answer.text("error")

    def orders(self, order: str, compartment: int) -> None:
        """An order to the shuffler that the table passes on."""
        self.does("order-shuffler", order=order, compartment=compartment)

    def clears_warnings(self) -> None:
        """Once the causes of all open warnings are over."""
        until(lambda: not any(one.yes("active") for one in self.warnings))
        for one in self.warnings:
            self.does("clear-warning", number=one.number("number"))

    # What is shown; nothing where no program answers.

    @property
    def shown(self) -> Shown:
        try:
            return Shown(self.program.snapshot())
        except ControlError:
            return NOBODY_THERE

    @property
    def shuffler(self) -> Shown:
        return self.shown.part("shuffler") or NOBODY_THERE

    @property
    def warnings(self) -> tuple[Shown, ...]:
        return self.shuffler.parts("warnings")

    def batch(self, back: str) -> Shown:
        batches = self.shuffler.parts("batches")
        return next((one for one in batches if one.text("back") == back), NOBODY_THERE)

    def stage(self, back: str) -> str:
        return self.batch(back).text("stage")

    def until_stage(self, back: str, stage: str) -> None:
        until(lambda: self.stage(back) == stage)

    # What is stored.

    def entries(self) -> list[Entry]:
        with open_read_only(self.journal) as journal:
            read = [read_entry(stored.record) for stored in journal.records()]
        return [entry for entry in read if entry is not None]

    def stored(self, kind: type[Kind]) -> list[Kind]:
        """Entries of that kind."""
        return [one for one in self.entries() if isinstance(one, kind)]

    def told(self, kind: type[Kind]) -> list[Kind]:
        """What the shuffler told of that kind."""
        return told_by_shuffler(self.entries(), kind)

    def noted(self, kind: type[Kind]) -> list[Kind]:
        """What was noted of devices of that kind."""
        events = [one.event for one in self.stored(DeviceNoted)]
        return [one for one in events if isinstance(one, kind)]

    def irregularities(self) -> list[str]:
        judged = self.stored(Judged)
        return [v.code.value for one in judged for v in one.verdicts if isinstance(v, Irregularity)]

    def life(self, back: str) -> list[str]:
        """The stages a batch has gone through."""
        return [one.after for one in self.stored(BatchMoved) if one.batch == back]


def told_by_shuffler(entries: Sequence[Entry], kind: type[Kind]) -> list[Kind]:
    """What the shuffler told of that kind, in order."""
    judged = [one.event for one in entries if isinstance(one, Judged)]
    events = [one.event for one in judged if isinstance(one, ShufflerTold)]
    return [one for one in events if isinstance(one, kind)]
