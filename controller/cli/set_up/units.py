"""What systemd says of a table's unit, and whether the running process is of what is installed.

Source: controller/install/README.md, "Doctor"; systemctl(1).
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from controller.config.table_files import INSTALLED
from controller.install.diagnosis import Diagnosis, good, problem, remark
from controller.install.machine_checks import unit_of
from controller.install.running import problems, running_program
from controller.install.statement import SignedStatementError

BOOTED: Final = Path("/run/systemd/system")
_ASK_S: Final = 10.0
_PROPERTIES: Final = "LoadState,UnitFileState,ActiveState,SubState,Result,MainPID"


def check_unit(file: Path) -> Iterator[Diagnosis]:
    """The unit of an installed table; nothing where no systemd runs, or for a table elsewhere."""
    if not BOOTED.is_dir() or not _is_installed(file):
        return
    unit = unit_of(file)
    facts = _facts(unit)
    if facts.get("LoadState") != "loaded":
        yield problem(
            "unit",
            f"{unit} is not there",
            "nothing starts the table with the machine",
            "install the package, or copy deploy/smartshoe@.service; then systemctl daemon-reload",
        )
        return
    if facts.get("UnitFileState") == "enabled":
        yield good("unit", f"{unit} starts with the machine")
    else:
        yield remark(
            "unit",
            f"{unit} does not start with the machine",
            "after a power cut nobody watches the table",
            f"systemctl enable {unit}",
        )
    state = facts.get("ActiveState", "")
    if state == "active":
        yield from _running_findings(unit, int(facts.get("MainPID", "0")))
    elif state == "failed":
        yield problem(
            "unit",
            f"{unit} has failed: {facts.get('Result', '')}",
            "the table does not run",
            f"journalctl -u {unit} -n 20 says why; then systemctl restart {unit}",
        )
    else:
        yield remark(
            "unit", f"{unit} is {state}", "the table does not run", f"systemctl start {unit}"
        )


def _is_installed(file: Path) -> bool:
    """Whether it is a table of the machine, or of one of its pits."""
    return INSTALLED in file.resolve().parents[:2]


def _facts(unit: str) -> dict[str, str]:
    words = ("systemctl", "show", "-p", _PROPERTIES, unit)
    done = subprocess.run(  # noqa: S603 - its name is that of a table's file
        words, capture_output=True, text=True, check=True, timeout=_ASK_S
    )
    return dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)


def _running_findings(unit: str, pid: int) -> Iterator[Diagnosis]:
    try:
        doubts = problems(running_program(pid), Path(sys.prefix))
    except SignedStatementError as error:
        yield remark("unit", f"{unit} runs; {error}", "its version is not known", "run it as root")
        return
    if not doubts:
        yield good("unit", f"{unit} runs what is installed")
        return
    yield problem(
        "unit",
        f"{unit} runs something else than what is installed: {doubts[0]}",
        "what runs and what is looked at are two versions",
        f"between two shoes: systemctl restart {unit}",
    )
