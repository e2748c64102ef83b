"""`smartshoe firmware`: the signed list of firmware that may run on the table's devices."""
# ruff: noqa: PLC0415 - the library of keys is loaded only when a list is asked for.

import hashlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from controller.cli.batches.keys import DEFAULT_KEY
from controller.system.command_line.errors import CommandError, ExitCode
from controller.system.command_line.output import echo, echo_json, echo_table
from controller.system.command_line.path_parameters import ListFile

if TYPE_CHECKING:
    from controller.service.commissioning.firmware_list import ApprovedList
    from controller.system.keys import PublicKey

DEFAULT_LIST: Final = Path("approved.json")
_DIGEST: Final = re.compile(r"[0-9a-fA-F]{64}", re.ASCII)

_Key = Annotated[Path, typer.Option("--key", metavar="FILE", help="The key that signs the list.")]
_Trust = Annotated[
    list[Path] | None,
    typer.Option(
        "--trust",
        metavar="PUB",
        help="A public key whose list may be extended; may be repeated.",
    ),
]
_Digest = Annotated[
    str | None, typer.Option("--sha256", metavar="HEX", help="SHA-256 of the image.")
]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


def list_firmware(file: ListFile = DEFAULT_LIST, json: _Json = False) -> None:
    """Show the firmware on a list."""
    from controller.service.commissioning.firmware_list import load_list

    _print_list(file, load_list(file), json=json)


def approve(
    version: Annotated[str, typer.Option(metavar="V", help="The version the device states.")],
    counter: Annotated[
        int, typer.Option(metavar="N", min=0, max=2**32 - 1, help="Its security counter.")
    ],
    image: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The image as it is installed in the device."),
    ] = None,
    sha256: _Digest = None,
    note: Annotated[str, typer.Option(metavar="TEXT", help="Why it was approved.")] = "",
    key: _Key = DEFAULT_KEY,
    file: ListFile = DEFAULT_LIST,
    trust: _Trust = None,
    json: _Json = False,
) -> None:
    """Add an image to the list and sign the list again. An image already on it gets the version."""
    from controller.service.commissioning.firmware_list import (
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
        version=_checked_line("--version", version, VERSION_MAX, least=1),
        security_counter=counter,
        note=_checked_line("--note", note, NOTE_MAX, least=0),
    )
    signer = load_key(key)
    before = _verified_list(file, signer.public, trust).statement if file.exists() else None
    images, before_ns = ((), 0) if before is None else (before.images, before.at_utc_ns)
    signed = sign((*images, entry), signer, now(), before_ns)
    store_list(file, signed)
    _print_list(file, signed, json=json)


def withdraw(
    sha256: Annotated[str, typer.Option(metavar="HEX", help="SHA-256 of the image.")],
    key: _Key = DEFAULT_KEY,
    file: ListFile = DEFAULT_LIST,
    trust: _Trust = None,
    json: _Json = False,
) -> None:
    """Remove an image from the list and sign the list again. A table reads it at its next start."""
    from controller.service.commissioning.firmware_list import sign, store_list
    from controller.system.keys import load_key
    from firmware_bridge.transport.clock import now

    digest = _digest(None, sha256)
    signer = load_key(key)
    before = _verified_list(file, signer.public, trust).statement
    left = tuple(one for one in before.images if one.sha256 != digest)
    if len(left) == len(before.images):
        raise CommandError(
            f"{file}: image {digest.hex()} is not on it. Remedy: `smartshoe firmware list {file}`"
            " shows what is",
            ExitCode.NO,
        )
    if not left:
        raise CommandError(
            f"{file}: the list would be empty, and an empty list is not valid. Remedy:"
            " approve other firmware first, or remove the device from table.toml",
            ExitCode.NO,
        )
    signed = sign(left, signer, now(), before.at_utc_ns)
    store_list(file, signed)
    _print_list(file, signed, json=json)


def verify(
    key: Annotated[
        list[Path],
        typer.Option(metavar="PUB", help="A public key that may approve; may be repeated."),
    ],
    file: ListFile = DEFAULT_LIST,
    json: _Json = False,
) -> None:
    """Check that one of these keys signed the list."""
    from controller.service.commissioning.firmware_list import list_fields, load_list, trust_problem
    from controller.system.keys import load_public

    found = load_list(file)
    why = trust_problem(found, tuple(load_public(path) for path in key))
    if json:
        echo_json({"file": str(file), "signed": not why, "problem": why, **list_fields(found)})
    elif why:
        echo(f"NOT TRUSTED: {file}: {why}")
    else:
        _print_list(file, found, json=False)
        echo("signed by one of these keys")
    raise typer.Exit(ExitCode.NO if why else ExitCode.DONE)


def _verified_list(file: Path, own: "PublicKey", trust: list[Path] | None) -> "ApprovedList":
    """The list, if a trusted key signed it: signing a changed list would make it valid."""
    from controller.service.commissioning.firmware_list import load_list, trust_problem
    from controller.system.keys import load_public

    found = load_list(file)
    why = trust_problem(found, (own, *(load_public(path) for path in trust or ())))
    if why:
        raise CommandError(
            why,
            ExitCode.NO,
            place=str(file),
            remedy="to extend the list of another key, name that public key with --trust",
        )
    return found


def _digest(image: Path | None, text: str | None) -> bytes:
    """The digest of an image, from the file or as it was given. Raises CommandError."""
    if (image is None) == (text is None):
        raise CommandError(
            "give the image",
            place="--image",
            allowed="either --image FILE or --sha256 HEX",
            remedy="give one of them",
        )
    if image is not None:
        return _image_digest(image)
    if text is None or not _DIGEST.fullmatch(text):
        raise CommandError(
            f"--sha256: {str(text)[:80]!r}. Allowed: 64 hex digits. Remedy: copy them from the"
            " maker's document, or from `sha256sum FIRMWARE`"
        )
    return bytes.fromhex(text)


def _image_digest(image: Path) -> bytes:
    from controller.system.named_file import IMAGE_BYTES_MAX, open_file, too_long

    try:
        with open_file(image) as file:
            if os.fstat(file.fileno()).st_size > IMAGE_BYTES_MAX:
                raise too_long(image, IMAGE_BYTES_MAX)
            return hashlib.file_digest(file, hashlib.sha256).digest()
    except OSError as error:
        absent = isinstance(error, FileNotFoundError)
        raise CommandError(
            "no such file" if absent else f"cannot be read: {error.strerror}",
            place=str(image),
            allowed="an image of the firmware",
            remedy="name the file that the maker gives, or its digest with --sha256",
        ) from error


def _checked_line(option: str, text: str, most: int, *, least: int) -> str:
    line = text.strip()
    if least <= len(line.encode()) <= most and (line.isprintable() or not line):
        return line
    raise CommandError(
        f"{option}: {line[:80]!r}. Allowed: one line of {least} to {most} bytes. Remedy: shorten it"
        " to one line"
    )


def _print_list(file: Path, found: "ApprovedList", *, json: bool) -> None:
    from controller.service.commissioning.firmware_list import list_fields
    from controller.system.json_document import time_text
    from controller.system.keys import fingerprint_text

    if json:
        echo_json({"file": str(file), **list_fields(found)})
        return
    statement = found.statement
    echo_table(
        ("version", "counter", "SHA-256 of the image", "note"),
        [
            (one.version, str(one.security_counter), one.sha256.hex(), one.note)
            for one in statement.images
        ],
    )
    echo(f"list      {file}")
    echo(f"signed    {time_text(statement.at_utc_ns)}")
    echo(f"by key    {fingerprint_text(statement.key_fingerprint)}")
