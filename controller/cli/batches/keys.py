"""`smartshoe keys make | show | sign`: the table's key in a file; a signature by one in a token."""
# ruff: noqa: PLC0415 - the library of keys is loaded only when a key is asked for.

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from controller.system.command_line.errors import CommandError
from controller.system.command_line.output import echo, echo_json
from controller.system.command_line.path_parameters import KeyFile

if TYPE_CHECKING:
    from controller.system.keys import PublicKey

DEFAULT_KEY: Final = Path("table.key")

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


def make(file: KeyFile = DEFAULT_KEY, json: _Json = False) -> None:
    """Make the table's key in a new file of mode 0600, with its public key in a file beside it."""
    from controller.system.keys import make_key, public_path

    key = make_key(file)
    _print_key(file, public_path(file), key.public, json=json)


def show(file: KeyFile = DEFAULT_KEY, json: _Json = False) -> None:
    """Show the public key and its fingerprint; write the public key beside the key if missing."""
    from controller.system.keys import export_public, load_key

    key = load_key(file)
    _print_key(file, export_public(file, key.public), key.public, json=json)


def _print_key(file: Path, beside: Path, public: "PublicKey", *, json: bool) -> None:
    from controller.system.keys import fingerprint_text

    if json:
        echo_json(
            {
                "key_file": str(file),
                "public_key_file": str(beside),
                "public_key": public.pem(),
                "fingerprint": public.fingerprint.hex(),
            }
        )
        return
    echo(f"key file      {file}")
    echo(f"public key    {beside}")
    echo(f"fingerprint   {fingerprint_text(public.fingerprint)}")
    echo(public.pem().rstrip("\n"))


def sign(
    module: Annotated[Path, typer.Option(metavar="FILE", help="The token's PKCS#11 library.")],
    token: Annotated[str, typer.Option(metavar="LABEL", help="The label of the token.")],
    key: Annotated[str, typer.Option(metavar="LABEL", help="The label of the key.")],
    pin_file: Annotated[Path, typer.Option(metavar="FILE", help="A file with the PIN, mode 0600.")],
    json: _Json = False,
) -> None:
    """Sign standard input with a key in a PKCS#11 token; print the signature's bytes."""
    try:
        from controller.system.pkcs11_key import TokenKey
    except ModuleNotFoundError as error:
        if error.name != "pkcs11":
            raise
        raise CommandError(
            "python-pkcs11 is not installed here",
            place="keys sign",
            remedy="install smartshoe[pkcs11], of the version that `smartshoe --version` prints",
        ) from error

    data = sys.stdin.buffer.read()
    signature = TokenKey(module, token, key, pin_file).sign(data)
    if json:
        echo_json({"signature": signature.hex()})
        return
    sys.stdout.buffer.write(signature)
    sys.stdout.buffer.flush()
