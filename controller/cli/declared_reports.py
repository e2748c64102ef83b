"""Declares the commands that write printed reports.

Source: controller.cli.declaration joins all commands.
"""

from typing import Final

from controller.system.command_line.command import Command, HelpSection, example
from controller.system.command_line.errors import ExitCode

_CODES: Final = {
    ExitCode.DONE: "written",
    ExitCode.UNUSABLE: "wrong usage, no such shoe or day, or something cannot be read or written",
    ExitCode.INTERRUPTED: "interrupted by Ctrl-C; nothing half written is left",
}

REPORTS: Final = (
    Command(
        "report shoe",
        HelpSection.EVIDENCE,
        "Write the report of one shoe, to be printed.",
        "controller.cli.evidence.report:shoe",
        (
            example(
                "smartshoe report shoe 2025-11-21/1 journal --out shoe-1.html",
                "shoe-1.html: shoe 2025-11-21/1, 3 coups",
            ),
            example(
                "smartshoe report shoe 1 --journal archive \\\n    --out first.html --csv",
                "first.html: shoe 2025-11-22/1, ... coups",
                "  first-shoes.csv",
                "  first-coups.csv",
                "...",
            ),
        ),
        _CODES,
        (
            "One HTML file without scripts, for any browser and A4 paper. It shows no card that"
            " nobody has seen. An open shoe has no report before its end."
        ),
    ),
    Command(
        "report day",
        HelpSection.EVIDENCE,
        "Write the report of a gaming day with its shoes.",
        "controller.cli.evidence.report:day",
        (
            example(
                "smartshoe report day 2025-11-21 journal --out day-21",
                "day-21: ... files; begin with day-21/day.html",
            ),
            example(
                "smartshoe report day newest --journal archive \\\n    --out newest --bundles",
                "newest: ... files; begin with newest/day.html",
            ),
        ),
        _CODES,
        (
            "day.html leads to each shoe, from there to each coup, its clauses and its evidence;"
            " without --bundles to the command that writes it. The same is there as CSV."
        ),
    ),
)
