"""`smartshoe check-config`: shows a checked configuration, or all of its problems."""
# ruff: noqa: PLC0415 - the configuration's library is loaded only when one is read.

from typing import Annotated

import typer

from controller.system.command_line.errors import CommandError, ExitCode
from controller.system.command_line.output import echo, echo_json
from controller.system.command_line.path_parameters import ConfigFile

_INDENT = 21
# Lists whose items each have their own line.
_LINE_EACH = ("remarks", "approval", "shoe_firmware", "shuffler_firmware", "feeds")


def check_config(
    file: ConfigFile = None,
    example: Annotated[
        bool, typer.Option("--example", help="Print a commented configuration and stop.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Check a configuration and show the settings the table will use.

    Of a folder every table is checked, alone and beside the others.
    """
    from controller.cli.table.shown_settings import plain_settings
    from controller.service.config.document import ConfigError
    from controller.service.config.example import example_text
    from controller.service.config.load import load_config
    from controller.service.config.table_files import is_folder, table_file

    if example:
        echo(example_text().removesuffix("\n"))
        return
    if file is None:
        raise CommandError(
            "it is missing",
            place="FILE",
            allowed="FILE or --config FILE",
            remedy="`smartshoe check-config --example` prints one to start from",
        )
    if is_folder(file):
        from controller.cli.table.check_folder import check_folder

        raise typer.Exit(check_folder(file, as_json=json))
    try:
        file = table_file(file)
        config = load_config(file)
    except ConfigError as error:
        if error.unreadable:
            raise
        raise CommandError(str(error), ExitCode.NO) from error
    if json:
        echo_json({"ok": True, "file": str(file), **plain_settings(config)})
        return
    _print_settings(plain_settings(config))


def _print_settings(plain: dict[str, object]) -> None:
    """Print one line for each setting, or for each item of some lists."""
    from controller.cli.table.shown_settings import (
        describe_batch,
        describe_device,
        describe_key,
        describe_orders,
        describe_settings,
    )

    words_of = {
        "readers": describe_device,
        "scanners": describe_device,
        "shuffler": describe_device,
        "shuffler_orders": describe_orders,
        "shoe_settings": describe_settings,
        "batch_keys": describe_key,
    }
    for name, value in plain.items():
        lines = [str(value)]
        if name in words_of:
            lines = list(map(words_of[name], value if isinstance(value, list) else [value]))
        elif name == "bound_batches" and isinstance(value, list):
            keys = plain["batch_keys"]
            lines = [describe_batch(one, keys if isinstance(keys, list) else []) for one in value]
        elif isinstance(value, list):
            lines = list(map(str, value)) if name in _LINE_EACH else [", ".join(map(str, value))]
        for number, line in enumerate(lines or [""]):
            echo(f"{'' if number else name.replace('_', ' '):<{_INDENT}}{line or 'none'}")
