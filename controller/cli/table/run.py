"""`smartshoe run`: its words, help page and errors of its start; loads no typer, no rich."""
# ruff: noqa: PLC0415 - a help page and wrong words need nothing of the running program.

import argparse
from pathlib import Path
from typing import NoReturn

from controller.system.command_line.command import Command
from controller.system.command_line.errors import CommandError, ExitCode


class _Words(argparse.ArgumentParser):
    """A parser whose errors have the one form."""

    def error(self, message: str) -> NoReturn:
        raise CommandError(message, place="run", remedy=f"see `{self.prog} --help`")


def main(command: Command, words: list[str]) -> int:
    """Run the tables; returns the exit code. Raises CommandError for wrong words."""
    parser = _parser()
    options = parser.parse_args(words)
    if options.help:
        from controller.system.command_line.help_lines import code_lines_of, example_lines

        ends = [*example_lines(command.examples), "", *code_lines_of(command)]
        parser.epilog = "\n".join(ends)
        print(parser.format_help(), end="")
        return ExitCode.DONE
    named = [one for one in (options.file, options.config) if one is not None]
    if len(named) != 1:
        problem = "no table is given" if not named else "the configuration is given twice"
        raise CommandError(
            problem,
            place="run",
            allowed="FILE or --config FILE, once",
            remedy="`smartshoe check-config --example > table.toml` writes an example",
        )
    from controller.service.config.apart import begin_reading

    # First: it is read while this process loads the rest.
    read = None if named[0].is_dir() else begin_reading(named[0])
    from controller.service.app import run_configured

    run_configured(
        named[0],
        read=read,
        close_coup_as_partial=options.close_coup_as_partial,
        as_root=options.as_root,
        devices=not options.no_devices,
    )
    return ExitCode.DONE


def _parser() -> argparse.ArgumentParser:
    parser = _Words(
        prog="smartshoe run",
        description=(
            "Run a table, or every table of a folder: read the shoe, judge every card, keep the"
            " evidence."
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    parser.add_argument(
        "file",
        nargs="?",
        type=Path,
        metavar="FILE",
        help="the table.toml, its name, or a folder with one for each table",
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help="the same, as an option")
    parser.add_argument(
        "--close-coup-as-partial",
        action="store_true",
        help="continue a shoe begun by another version; its coup is held for a floorperson",
    )
    parser.add_argument(
        "--as-root",
        action="store_true",
        help="start it as root where there is an account for it: for a bench, not a table",
    )
    parser.add_argument(
        "--no-devices",
        action="store_true",
        help="open no device: for people's accounts before the first day, not for play",
    )
    parser.add_argument(
        "--json", action="store_true", help="print an error as one JSON object on stdout"
    )
    parser.add_argument("-h", "--help", action="store_true", help="show this page and stop")
    return parser
