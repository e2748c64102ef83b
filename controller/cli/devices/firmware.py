"""`smartshoe firmware`: which firmware may run on the table's devices.

Responsible for: the commands' options and what they print.
Not responsible for: the list and its signature (approved_firmware), keys (keys), and for putting
firmware into a device (its maker's tools).
Source: package README, "Approved firmware".
"""
# ruff: noqa: PLC0415 - the library of keys is loaded only when a list is asked for.

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from controller.cli.batches.keys import DEFAULT_KEY
from controller.cli.errors import Exit, Unable
from controller.cli.output import say, say_json, say_table

if TYPE_CHECKING:
    from controller.commissioning.firmware_list import ApprovedList
    from controller.system.keys import PublicKey

DEFAULT_LIST: Final = Path("approved.json")
_DIGEST: Final = re.compile(r"[0-9a-fA-F]{64}", re.ASCII)

_File = Annotated[Path, typer.Argument(metavar="[FILE]", help="The list of approved firmware.")]
_List = Annotated[Path, typer.Option("--list", metavar="FILE", help="The list.")]
_Key = Annotated[Path, typer.Option("--key", metavar="FILE", help="The key that signs the list.")]
_Trust = Annotated[
    list[Path] | None,
    typer.Option(
        "--trust",
        metavar="PUB",
        help="A public key whose list may be taken over. May be given several times.",
    ),
]
_Digest = Annotated[
    str | None, typer.Option("--sha256", metavar="HEX", help="SHA-256 of the image.")
]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


def add_to(app: typer.Typer) -> None:
    """Add these commands."""
    firmware = typer.Typer(
        help="The signed list of firmware that may run on devices with an identity.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    firmware.command(
        "list",
        epilog="\b\nexample:\n  smartshoe firmware list approved.json\n\n"
        "The signature is not looked at; `smartshoe firmware verify` does that.",
    )(list_firmware)
    firmware.command(
        epilog="\b\nexamples:\n"
        "  smartshoe firmware approve --image shuffler.bin --version 1.2.0 --counter 3 \\\n"
        "    --key table.key --list approved.json\n"
        f"  smartshoe firmware approve --sha256 {'0b' * 4}... --version 1.2.0 --counter 3\n\n"
        "What stands on the list must have been signed with the same key, or with one of --trust."
    )(approve)
    firmware.command(
        epilog="\b\nexample:\n"
        f"  smartshoe firmware withdraw --sha256 {'0b' * 4}... --key table.key --list approved.json"
    )(withdraw)
    firmware.command(
        epilog="\b\nexample:\n  smartshoe firmware verify approved.json --key table.key.pub\n\n"
        "Exit codes: 0 signed as it stands by one of the keys, 1 not, 2 cannot be read."
    )(verify)
    app.add_typer(firmware, name="firmware")


def list_firmware(file: _File = DEFAULT_LIST, json: _Json = False) -> None:
    """Show the firmware of a list."""
    from controller.commissioning.firmware_list import load_list

    _tell(file, load_list(file), json=json)


def approve(
    version: Annotated[str, typer.Option(metavar="V", help="The version the device states.")],
    counter: Annotated[
        int, typer.Option(metavar="N", min=0, max=2**32 - 1, help="Its security counter.")
    ],
    image: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The image as it is put into the device.")
    ] = None,
    sha256: _Digest = None,
    note: Annotated[str, typer.Option(metavar="TEXT", help="Why it was approved.")] = "",
    key: _Key = DEFAULT_KEY,
    file: _List = DEFAULT_LIST,
    trust: _Trust = None,
    json: _Json = False,
) -> None:
    """Add an image to the list, and sign it anew. An image that is on it gets the new version."""
    from controller.commissioning.firmware_list import (
        NOTE_MAX,
        VERSION_MAX,
        ApprovedEntry,
        sign,
        store_list,
    )
    from controller.system.keys import load_key
    from firmware_bridge.transport.clock import now

    entry = ApprovedEntry(
        sha256=_digest(image, sha256),
        version=_line("--version", version, VERSION_MAX, least=1),
        security_counter=counter,
        note=_line("--note", note, NOTE_MAX, least=0),
    )
    signer = load_key(key)
    before = _standing(file, signer.public, trust).statement.images if file.exists() else ()
    signed = sign((*before, entry), signer, now())
    store_list(file, signed)
    _tell(file, signed, json=json)


def withdraw(
    sha256: Annotated[str, typer.Option(metavar="HEX", help="SHA-256 of the image.")],
    key: _Key = DEFAULT_KEY,
    file: _List = DEFAULT_LIST,
    trust: _Trust = None,
    json: _Json = False,
) -> None:
    """Take an image off the list, and sign it anew. A table takes it in at its next start."""
    from controller.commissioning.firmware_list import sign, store_list
    from controller.system.keys import load_key
    from firmware_bridge.transport.clock import now

    digest = _digest(None, sha256)
    signer = load_key(key)
    before = _standing(file, signer.public, trust).statement.images
    left = tuple(one for one in before if one.sha256 != digest)
    if len(left) == len(before):
        raise Unable(
            f"{file}: image {digest.hex()} is not on it. Remedy: `smartshoe firmware list {file}`"
            " shows what is",
            Exit.NO,
        )
    if not left:
        raise Unable(
            f"{file}: it would be empty, and a list without firmware is none. Remedy: approve"
            " other firmware first, or take the device out of table.toml",
            Exit.NO,
        )
    signed = sign(left, signer, now())
    store_list(file, signed)
    _tell(file, signed, json=json)


def verify(
    key: Annotated[
        list[Path],
        typer.Option(metavar="PUB", help="Public key of who may approve. May be given again."),
    ],
    file: _File = DEFAULT_LIST,
    json: _Json = False,
) -> None:
    """Check that a list stands as one of these keys signed it."""
    from controller.commissioning.firmware_list import list_fields, load_list, why_not
    from controller.system.keys import load_public

    found = load_list(file)
    why = why_not(found, tuple(load_public(path) for path in key))
    if json:
        say_json({"file": str(file), "signed": not why, "problem": why, **list_fields(found)})
    elif why:
        say(f"NOT TO BE BELIEVED: {file}: {why}")
    else:
        _tell(file, found, json=False)
        say("signed as it stands by one of these keys")
    raise typer.Exit(Exit.NO if why else Exit.DONE)


def _standing(file: Path, own: "PublicKey", trust: list[Path] | None) -> "ApprovedList":
    """The list as it stands. Signing a list that somebody changed would make it good."""
    from controller.commissioning.firmware_list import load_list, why_not
    from controller.system.keys import load_public

    found = load_list(file)
    why = why_not(found, (own, *(load_public(path) for path in trust or ())))
    if why:
        raise Unable(
            f"{file}: {why}; to take over the list of another key, name that key's public half"
            " with --trust",
            Exit.NO,
        )
    return found


def _digest(image: Path | None, text: str | None) -> bytes:
    """The digest of an image, from the file or as it was given. Raises Unable."""
    if (image is None) == (text is None):
        raise Unable("which image? Give either --image FILE or --sha256 HEX")
    if image is not None:
        with image.open("rb") as file:
            return hashlib.file_digest(file, hashlib.sha256).digest()
    if text is None or not _DIGEST.fullmatch(text):
        raise Unable(
            f"--sha256: {str(text)[:80]!r}. Allowed: 64 hex digits. Remedy: take them from the"
            " maker's paper, or from `sha256sum FIRMWARE`"
        )
    return bytes.fromhex(text)


def _line(option: str, text: str, most: int, *, least: int) -> str:
    line = text.strip()
    if least <= len(line.encode()) <= most and (line.isprintable() or not line):
        return line
    raise Unable(
        f"{option}: {line[:80]!r}. Allowed: one line of {least} to {most} bytes. Remedy: write it"
        " shorter and without line ends"
    )


def _tell(file: Path, found: "ApprovedList", *, json: bool) -> None:
    from controller.commissioning.firmware_list import list_fields
    from controller.system.json_document import time_text
    from controller.system.keys import fingerprint_text

    if json:
        say_json({"file": str(file), **list_fields(found)})
        return
    said = found.statement
    say_table(
        ("version", "counter", "SHA-256 of the image", "note"),
        [
            (one.version, str(one.security_counter), one.sha256.hex(), one.note)
            for one in said.images
        ],
    )
    say(f"list      {file}")
    say(f"signed    {time_text(said.at_utc_ns)}")
    say(f"by key    {fingerprint_text(said.key_fingerprint)}")
