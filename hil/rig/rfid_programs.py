"""`smartshoe run` at a table with an RFID shoe, its dealer's console, and its journal's content."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from controller.core.tape.entries import Entry
from controller.core.tape.inputs import Input
from controller.core.tape.records import inputs_in, read_entry, read_input
from controller.journal.store import open_read_only
from controller.outlets.control.client import ControlError
from hil.dealing.tags import NAMES
from hil.emulator.feig.rfid_shoe import GATE_INPUT, RfidShoe
from hil.emulator.lines.line import LineServer
from hil.progress import NOT_SO, poll_until
from hil.rig.console import ConsoleDealer
from hil.rig.program import Program

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
