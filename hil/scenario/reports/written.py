"""Writes the reports of a run to the files that were asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from controller.system.atomic_file import store_text
from hil.scenario.reports.junit import junit_xml
from hil.scenario.reports.page import results_page
from hil.scenario.reports.played import PlayedScenario


@dataclass(frozen=True, slots=True)
class ReportsWanted:
    """The files of the reports; None: not wanted. An older report is replaced."""

    junit: Path | None
    html: Path | None

    def write(self, runs: Sequence[PlayedScenario], rig: str) -> None:
        """Write them, each whole or not at all. Raises SmallFileError."""
        if self.junit is not None:
            store_text(self.junit, junit_xml(runs, rig))
        if self.html is not None:
            store_text(self.html, results_page(runs, rig))
