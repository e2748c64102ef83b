"""Declares `smartshoe run`, apart: a running table loads the declaration of no other command."""

from typing import Final

from controller.system.command_line.command import CTRL_C, Command, HelpSection, example
from controller.system.command_line.errors import ExitCode

_TABLES: Final = "tables in that folder"
DONE, NO = ExitCode.DONE, ExitCode.NO

RUN_TABLE: Final = Command(
    "run",
    HelpSection.RUN,
    "Run a table, or those of a folder, until they are stopped.",
    "controller.cli.table.run:main",
    (
        example(
            "smartshoe run table.toml",
            "...",
            "... INFO smartshoe.devices: shoe: socket://127.0.0.1:4001 is open",
            "...",
            "... INFO smartshoe: table M-12 is running; journal ...",
            "...",
            needs=CTRL_C,
        ),
        example(
            "smartshoe run pit-3",
            "...",
            "... INFO M-12 smartshoe: table M-12 is running; journal ...",
            "...",
            needs=CTRL_C,
        ),
        example(
            "smartshoe run --config table.toml --close-coup-as-partial",
            "...",
            "... INFO smartshoe: table M-12 is running; journal ...",
            "...",
            needs=CTRL_C,
        ),
    ),
    {
        DONE: "stopped on request",
        NO: "evidence could not be stored, or the program failed; what is stored is kept",
        ExitCode.NO_TABLE: "the table may not start: settings, journal, or address in use",
    },
    plain=True,
)
