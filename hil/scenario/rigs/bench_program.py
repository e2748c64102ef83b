"""The program at a bench: `smartshoe run` on the ports of real devices, whose time is real.

Not run with real devices yet.
"""

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controller.service.config.document import ConfigError
from hil.dealing.tags import DECKS
from hil.rig.commissioning import KEY, make_key
from hil.rig.program import Program, ProgramFailed
from hil.scenario.benches.altered_program import MovedClock
from hil.scenario.benches.emulated_bench import CONFIG
from hil.scenario.benches.program_side import ProgramSide
from hil.scenario.language.reading import Scenario
from hil.scenario.play.bench import Bench, NotPossible, RigBroken
from hil.scenario.rigs.person_bench import AskedPerson, PersonBench
from hil.scenario.rigs.rig_file import RigFile

SECTIONS: Final = "sections.toml"
_MODELS: Final = {"angel-eye": "angel-eye-ii-ex", "rfid": "feig-rfid"}


@dataclass(slots=True)
class BenchSide(ProgramSide):
    """The program at real devices: nobody can move their time."""

    def wait(self, ns: int) -> None:
        """Sleep."""
        time.sleep(ns / 1e9)

    def scan_to_verdict_ns(self) -> int:
        """Raises NotPossible: a bench does not see when the last byte of a card came."""
        raise NotPossible("a bench does not see when the last byte of a card came")


@contextmanager
def person_bench(
    rig: RigFile, scenario: Scenario, folder: Path, person: AskedPerson | None = None
) -> Iterator[Bench]:
    """The program on the rig's ports, and a person at its devices. Raises RigBroken.

    `person` None: whoever is at the terminal.
    """
    _require_ports(rig)
    with ExitStack() as stack:
        try:
            side = _program(stack, rig, scenario, folder)
            side.start()
            side.await_online()
        except (ProgramFailed, ConfigError, OSError) as error:
            raise RigBroken(str(error)) from error
        asked = person or AskedPerson(sys.stdin, sys.stderr)
        yield PersonBench(rig, scenario.shoe, side, asked, side.card_left)


def _program(stack: ExitStack, rig: RigFile, scenario: Scenario, folder: Path) -> BenchSide:
    """The program on its configuration, not yet started."""
    folder.mkdir(parents=True)
    sections = ""
    if rig.table is not None:
        shutil.copytree(rig.table.folder, folder, dirs_exist_ok=True)
        own = folder / SECTIONS
        sections = own.read_text(encoding="utf-8") if own.exists() else ""
    if not (folder / KEY).exists():
        make_key(folder)
    # The path of a Unix socket has to be short.
    sockets = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="rig-")))
    values = {
        "profile": scenario.profile,
        "observed": [one.value for one in scenario.observed],
        "port": rig.shoe.line,
        "journal": str(folder / "journal"),
        "control": str(sockets / "control.sock"),
        "shoe": _MODELS[scenario.shoe],
    }
    # A JSON string is a TOML string.
    quoted = {key: json.dumps(value) for key, value in values.items()}
    quoted["shoe"] = f"model = {quoted['shoe']}\n"
    config = folder / "table.toml"
    text = CONFIG.format(decks=DECKS, sections=sections, **quoted)
    config.write_text(text, encoding="utf-8")
    program = stack.enter_context(Program(config, folder / "program.log"))
    return BenchSide(program, folder / "journal", MovedClock(folder / "clock"))


def _require_ports(rig: RigFile) -> None:
    """Raises RigBroken where a device of a bench is not there."""
    devices = [("shoe", rig.shoe.line)]
    if rig.shuffler is not None:
        devices.append(("shuffler", rig.shuffler.device))
    for device, port in devices:
        if "://" not in port and not Path(port).exists():
            raise RigBroken(
                f"the port of the {device} is not there: {port}. Remedy: plug it in, or correct"
                " the rig's file; `smartshoe-hil check` checks all of it"
            )
