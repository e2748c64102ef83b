"""Where the parts of a report lead: from a day to its shoes and coups, and to a coup's evidence."""

import shlex
from typing import Final

from msgspec import Struct

DAY_PAGE: Final = "day.html"
BUNDLES_PAGE: Final = "bundles.html"
BUNDLES_FOLDER: Final = "bundles"
# On a page of a shoe alone.
_EVIDENCE: Final = "#evidence"


class ReportLinks(Struct, frozen=True):
    """The links of one report. `journal` is the folder as the person named it.

    `in_folder`: the report of a day, whose pages lie beside one another; `bundles`: the bundle of
    each coup lies there too.
    """

    journal: str
    in_folder: bool = False
    bundles: bool = False

    def shoe_page(self, shoe: int) -> str:
        """The report of a shoe of the day."""
        return f"shoe-{shoe}.html"

    def coup(self, shoe: int, coup: int) -> str:
        """The coup in the report of its shoe."""
        return f"{self.shoe_page(shoe)}#coup-{coup}"

    def bundle_file(self, name: str) -> str:
        """The bundle of a coup by its name, such as 2026-11-21/7/34."""
        return f"{BUNDLES_FOLDER}/{name.replace('/', '-')}.zip"

    def evidence(self, name: str) -> str:
        """Where a coup's evidence is, or how to make it."""
        if self.bundles:
            return self.bundle_file(name)
        _, shoe, coup = name.split("/")
        return f"{BUNDLES_PAGE}#coup-{shoe}-{coup}" if self.in_folder else _EVIDENCE

    def command(self, name: str) -> str:
        """The command that writes a coup's evidence into a file."""
        out = f"coup-{name.replace('/', '-')}.zip"
        return f"smartshoe evidence {name} --journal {shlex.quote(self.journal)} --out {out}"
