"""`smartshoe check-config`: what a table will go by, or every problem of its configuration.

Responsible for: showing a checked configuration in words, and the commented example.
Not responsible for: reading and checking it (config), devices and batches (cli_settings_devices).
Source: package README, "Settings have one home".
"""
# ruff: noqa: PLC0415 - the configuration's library is loaded only when one is read.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli.errors import Exit, Unable
from controller.cli.output import remark, say, say_json

_INDENT = 21
# Lists of which each has a line of its own.
_LINE_EACH = ("remarks", "shoe_firmware", "shuffler_firmware")

if TYPE_CHECKING:
    from controller.config.load import TableConfig
    from controller.profiles.profile import Profile


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
    from controller.config.load import ConfigError, example_text, load_config

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
    _tell(_plain(config))


def _tell(plain: dict[str, object]) -> None:
    """One line for each setting; what has a sentence of its own has a line of its own."""
    from controller.cli.table.check_config_devices import (
        batch_words,
        device_words,
        key_words,
        order_words,
    )

    words_of = {
        "readers": device_words,
        "scanners": device_words,
        "shuffler": device_words,
        "shuffler_orders": order_words,
        "batch_keys": key_words,
    }
    for name, value in plain.items():
        lines = [str(value)]
        if name in words_of:
            lines = list(map(words_of[name], value if isinstance(value, list) else [value]))
        elif name == "bound_batches" and isinstance(value, list):
            keys = plain["batch_keys"]
            lines = [batch_words(one, keys if isinstance(keys, list) else []) for one in value]
        elif isinstance(value, list):
            lines = list(map(str, value)) if name in _LINE_EACH else [", ".join(map(str, value))]
        for number, line in enumerate(lines or [""]):
            say(f"{'' if number else name.replace('_', ' '):<{_INDENT}}{line or 'none'}")


def _plain(config: "TableConfig") -> dict[str, object]:
    """What the table will go by, in the order of the file."""
    from controller.cli.table.check_config_devices import device_remarks, devices_plain, trust_plain
    from drivers.catalogue import SHOE_MODELS

    settings, shoe = config.settings, config.settings.shoe
    profile = _profile(config.profile_text)
    batches, remarks = _batches(config, profile)
    seals, unsigned = _seals(config)
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
        "shoe_commands": "allowed" if shoe.allow_commands else "none: it is only listened to",
        **(trust_plain("shoe", shoe.trust) if SHOE_MODELS[shoe.model].identity else {}),
        **_shoe_reader(config),
        "wire_log": config.log_level_wire,
        **devices_plain(config),
        **batches,
        "journal": str(config.journal_folder),
        "seals": seals,
        "control_socket": str(config.control_socket),
        "metrics": metrics if config.metrics_enabled else "off",
        "values_assumed": list(profile.assumed),
        "values_of_the_house": list(profile.house),
        "remarks": [*config.remarks, *device_remarks(config), *remarks, *unsigned],
    }


def _seals(config: "TableConfig") -> tuple[str, tuple[str, ...]]:
    """Who signs the seals of finished shoes, and why nobody does where somebody should."""
    from controller.archive.signer import NoSigner, open_signer

    signing = config.signing
    if signing.sign and not signing.program and signing.make and not signing.key.exists():
        return f"signed by {signing.key}, which the first start makes", ()
    signer = open_signer(signing)
    if not isinstance(signer, NoSigner):
        return f"signed by {signer.words}", ()
    if not signer.wanted:
        return f"NOT SIGNED: {signer.words}", ()
    return "NOT SIGNED", (f"evidence: seals would not be signed: {signer.words}",)


def _shoe_reader(config: "TableConfig") -> dict[str, object]:
    """What matters of a shoe that reads tags; of another one what matters of its reports."""
    from drivers.catalogue import SHOE_MODELS

    shoe = config.settings.shoe
    model = SHOE_MODELS[shoe.model]
    if model.identity:
        return {}
    if model.claims:
        return {"shoe_numbering": shoe.seq_cycle, "shoe_sum": shoe.bcc_reading}
    gate = f"input {shoe.gate_input}" if shoe.gate_input else "none: a card without a tag is missed"
    return {"shoe_reader": f"{shoe.reader}, {shoe.delivery}", "shoe_gate": gate}


def _batches(
    config: "TableConfig", profile: "Profile"
) -> tuple[dict[str, object], tuple[str, ...]]:
    """Folder, keys and bound batches where the table has any, and what is to be done about them."""
    from controller.cli.table.check_config_devices import (
        batch_remarks,
        batches_plain,
        has_batches,
        keys_plain,
    )

    if not has_batches(config):
        return {}, ()
    keys, bound = keys_plain(config), list(batches_plain(config, profile))
    folder = str(config.batches_folder)
    shown: dict[str, object] = {
        "batches_folder": folder,
        "batch_keys": keys,
        "bound_batches": bound,
    }
    return shown, tuple(batch_remarks(config, keys, bound))


def _profile(text: str) -> "Profile":
    from controller.profiles.load import load_clauses
    from controller.profiles.profile import parse_profile

    return parse_profile(text, load_clauses())
