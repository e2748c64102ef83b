"""`smartshoe check-config`: what a table will go by, or every problem of its configuration.

Responsible for: showing a checked configuration in words, and the commented example.
Not responsible for: reading and checking it (config).
Source: package README, "Settings have one home".
"""
# ruff: noqa: PLC0415 - the configuration's library is loaded only when one is read.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli_errors import Exit, Unable
from controller.cli_output import remark, say, say_json

if TYPE_CHECKING:
    from controller.config import TableConfig
    from controller.rules.profile import Profile


def add_to(app: typer.Typer) -> None:
    """Add this command."""
    app.command(
        epilog="\b\nexamples:\n  smartshoe check-config --example > table.toml\n"
        "  smartshoe check-config table.toml\n\n"
        "Exit codes: 0 the table can start with it, 1 it has problems, 2 it cannot be read."
    )(check_config)


def check_config(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="The table's table.toml.")
    ] = None,
    example: Annotated[
        bool, typer.Option("--example", help="Print a commented configuration and stop.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Check a configuration and show what the table will go by."""
    from controller.config import ConfigError, example_text, load_config

    if example:
        print(example_text(), end="")
        return
    if file is None:
        raise Unable("which configuration? Give FILE; --example prints one to start from")
    if not file.is_file():
        raise Unable(f"{file}: no such file; `smartshoe check-config --example` prints one")
    try:
        config = load_config(file)
    except ConfigError as error:
        if json:
            say_json({"ok": False, "file": str(file), "problems": list(error.problems)})
        else:
            remark(str(error))
        raise typer.Exit(Exit.NO) from error
    if json:
        say_json({"ok": True, "file": str(file), **_plain(config)})
        return
    for name, words in _plain(config).items():
        said = ", ".join(map(str, words)) if isinstance(words, list) else str(words)
        say(f"{name.replace('_', ' '):<20}{said or 'none'}")


def _plain(config: "TableConfig") -> dict[str, object]:
    """What the table will go by, in the order of the file."""
    settings, shoe = config.settings, config.settings.shoe
    profile = _profile(config.profile_text)
    metrics = f"http://{config.metrics_address}:{config.metrics_port}/metrics"
    minutes = settings.gaming_day_start_s // 60
    return {
        "table": settings.table,
        "pit": settings.pit,
        "profile": f"{profile.name} ({profile.title})",
        "decks": settings.decks,
        "seats": list(settings.seats) or "not told: the layout is not checked",
        "backs": list(settings.backs),
        "gaming_day_starts": f"{minutes // 60:02}:{minutes % 60:02} {config.zone_name}",
        "observed": [fact.value for fact in settings.observed],
        "shoe_model": shoe.model,
        "shoe_port": shoe.port,
        "shoe_baud": config.lines[0][1].baud,
        "shoe_numbering": shoe.seq_cycle,
        "shoe_sum": shoe.bcc_reading,
        "shoe_commands": "allowed" if shoe.allow_commands else "none: it is only listened to",
        "wire_log": config.log_level_wire,
        "journal": str(config.journal_folder),
        "control_socket": str(config.control_socket),
        "metrics": metrics if config.metrics_enabled else "off",
        "values_assumed": list(profile.assumed),
        "values_of_the_house": list(profile.house),
        "remarks": list(config.remarks),
    }


def _profile(text: str) -> "Profile":
    from controller.rule_data import load_clauses
    from controller.rules.profile import parse_profile

    return parse_profile(text, load_clauses())
