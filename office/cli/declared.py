"""Declares the commands of the office, each for its entry point."""

from typing import Final

from controller.system.command_line.brought import BROUGHT, Declared
from controller.system.command_line.command import Command, Family, HelpSection, example
from controller.system.command_line.errors import ExitCode

_CODES: Final = {
    ExitCode.DONE: "written",
    ExitCode.UNUSABLE: "wrong usage, no such shoe or day, or something cannot be read or written",
    ExitCode.INTERRUPTED: "interrupted by Ctrl-C; nothing half written is left",
}

_AUDIT: Final = Command(
    "audit",
    HelpSection.OFFICE,
    BROUGHT["audit"].summary,
    "office.cli.audit:audit",
    (
        example(
            "smartshoe audit journal",
            "...",
            " table   gaming day   shoes   coups   cards   clean   replayed   ...",
            "...",
            " M7      2025-11-21   2       6       28      2       0          ...",
            "...",
            "nothing found",
        ),
        example(
            "smartshoe audit archive journal --key table.key.pub",
            "...",
            "7 files of 2 journals, 84 cards, 0.2 s, ... cards per second",
            "...",
            "nothing found",
        ),
        example(
            "smartshoe audit journal --deep --json",
            "{",
            '  "whole": true,',
            '  "findings": 0,',
            "...",
        ),
    ),
    {
        ExitCode.DONE: "nothing found",
        ExitCode.NO: "findings",
        ExitCode.UNUSABLE: "wrong usage, or a path has nothing to audit",
        ExitCode.INTERRUPTED: "interrupted by Ctrl-C; the result so far is shown",
    },
)

_EVIDENCE: Final = Command(
    "evidence",
    HelpSection.OFFICE,
    BROUGHT["evidence"].summary,
    "office.cli.bundle:evidence",
    (
        example(
            "smartshoe evidence 2025-11-21/1/1 journal --out coup-1.zip",
            "coup-1.zip: coup 2025-11-21/1/1, 12 files, 196572 bytes",
            "  sha256 4327a567c7974620560b57fa928873650fe6f1de49d508c3a84fa88efe8c7dae",
            "  to check it anywhere: unpack it and run `python3 verify.py .` in its folder",
        ),
        example(
            "smartshoe evidence 1/2 --journal archive \\\n    --out coup-2.zip --json",
            "{",
            '  "path": "coup-2.zip",',
            '  "coup": "2025-11-22/1/2",',
            "...",
        ),
        example(
            "smartshoe evidence --at '2025-11-21 09:00:05' journal --out coup.zip",
            "2025-11-21 09:00:05 +00:00",
            "  2025-11-21/1/2  09:00:03 to 09:00:04 +00:00  Player wins",
            "  2025-11-21/1/3  09:00:04 to 09:00:06 +00:00  Player wins  <- chosen",
            "  2025-11-21/2/1  09:00:07 to 09:00:08 +00:00  Player wins",
            "  if another one is meant, give it in place of --at",
            "coup.zip: coup 2025-11-21/1/3, 12 files, ...",
            "...",
        ),
    ),
    {
        ExitCode.DONE: "written",
        ExitCode.UNUSABLE: "wrong usage, no such coup, or something cannot be read or written",
    },
    (
        "Whoever receives the file unpacks it, reads index.html, and checks everything with"
        " `python3 verify.py .`; this program is not needed for that. --at finds the coup that"
        " was dealt nearest to a time, at most 15 minutes away, and lists those beside it; the"
        " date is the gaming day's, also after midnight."
    ),
)

_REPORTS: Final = (
    Command(
        "report shoe",
        HelpSection.OFFICE,
        "Write the report of one shoe, to be printed.",
        "office.cli.report:shoe",
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
        HelpSection.OFFICE,
        "Write the report of a gaming day with its shoes.",
        "office.cli.report:day",
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

AUDIT: Final = Declared((_AUDIT,))
EVIDENCE: Final = Declared((_EVIDENCE,))
REPORT: Final = Declared(_REPORTS, Family("report", HelpSection.OFFICE, BROUGHT["report"].summary))
