"""`smartshoe keys`: the table's key is made once, and its public half is shown.

Responsible for: the commands' options and what they print.
Not responsible for: key files (keys).
Source: package README, "The table's key".
"""
# ruff: noqa: PLC0415 - the library of keys is loaded only when a key is asked for.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from controller.cli.output import say, say_json

if TYPE_CHECKING:
    from controller.system.keys import PublicKey

DEFAULT_KEY: Final = Path("table.key")

_File = Annotated[Path, typer.Argument(metavar="[FILE]", help="The key file.")]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


def add_to(app: typer.Typer) -> None:
    """Add these commands."""
    keys = typer.Typer(
        help="The table's key, which signs receipts of batches: make it, show its public half.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    keys.command(
        epilog="\b\nexample:\n  smartshoe keys make /var/lib/smartshoe/table-1/table.key\n\n"
        "Run it once, as the account that runs the table. No file is ever overwritten."
    )(make)
    keys.command(
        epilog="\b\nexamples:\n  smartshoe keys show /var/lib/smartshoe/table-1/table.key\n"
        "  smartshoe keys show table.key --json\n\n"
        "The private half is never shown."
    )(show)
    app.add_typer(keys, name="keys")


def make(file: _File = DEFAULT_KEY, json: _Json = False) -> None:
    """Make the table's key in a new file of mode 0600, and its public key beside it."""
    from controller.system.keys import make_key, public_path

    key = make_key(file)
    _tell(file, public_path(file), key.public, json=json)


def show(file: _File = DEFAULT_KEY, json: _Json = False) -> None:
    """Show the public key and its fingerprint; write the public key beside the key if missing."""
    from controller.system.keys import export_public, load_key

    key = load_key(file)
    _tell(file, export_public(file, key.public), key.public, json=json)


def _tell(file: Path, beside: Path, public: "PublicKey", *, json: bool) -> None:
    from controller.system.keys import fingerprint_text

    if json:
        say_json(
            {
                "key_file": str(file),
                "public_key_file": str(beside),
                "public_key": public.pem(),
                "fingerprint": public.fingerprint.hex(),
            }
        )
        return
    say(f"key file      {file}")
    say(f"public key    {beside}")
    say(f"fingerprint   {fingerprint_text(public.fingerprint)}")
    say(public.pem().rstrip("\n"))
