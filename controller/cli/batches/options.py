"""Options that several commands of `smartshoe batch` take, and what they mean.

Responsible for: the options' words, and checking them.
Not responsible for: the commands (cli_batch, cli_enrol, cli_recount).
Source: package README, "Enrolling a batch".
"""
# ruff: noqa: PLC0415 - devices and the library of keys are loaded only when they are used.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from controller.cli.errors import Unable

if TYPE_CHECKING:
    from controller.commissioning.pile_reader import PileReader
    from controller.custody.manifest import Manifest
    from controller.system.keys import PublicKey

NameArgument = Annotated[str, typer.Argument(metavar="BATCH", help="The batch's name.")]
FolderOption = Annotated[Path, typer.Option(metavar="FOLDER", help="The folder of batches.")]
KeyOption = Annotated[Path, typer.Option(metavar="FILE", help="The table's key file.")]
TrustOption = Annotated[
    list[Path] | None,
    typer.Option(metavar="FILE.pub", help="Another table's public key; may be repeated."),
]
MakerOption = Annotated[str, typer.Option(metavar="NAME", help="Who made the cards.")]
OperatorOption = Annotated[str, typer.Option(metavar="NAME", help="Who does this; signed.")]
ReplaceOption = Annotated[
    bool, typer.Option("--replace", help="Replace a batch of this name that is no more.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
ReaderOption: TypeAlias = Annotated[
    str,
    typer.Option("--reader", metavar="PORT", help="A device path or URL, as in the configuration."),
]
ModelOption = Annotated[
    str,
    typer.Option("--model", metavar="LAYOUT", help="The reader's model, as in the configuration."),
]
ChipOption = Annotated[
    str, typer.Option(metavar="LAYOUT", help="How the chips say which card they are in.")
]
WaitOption = Annotated[
    int,
    typer.Option(min=0, metavar="N", help="Give up when nothing changed for N s; 0: at Ctrl-C."),
]

_LINE_MAX = 64


def right_name(name: str) -> str:
    """A batch's name. Raises Unable."""
    return _right("batch", name)


def right_back(back: str) -> str:
    """A back colour. Raises Unable."""
    return _right("back", back)


def right_chip(name: str) -> str:
    """The name of a chip layout. Raises Unable."""
    from controller.custody.chip_layout import LAYOUTS

    if name not in LAYOUTS:
        allowed = ", ".join(LAYOUTS)
        raise Unable(f"--chip: {name!r} is no layout. Allowed: {allowed}. Remedy: take one of them")
    return name


def one_line(option: str, text: str) -> str:
    """A name of a person or firm. Raises Unable."""
    line = text.strip()
    if not line or not line.isprintable() or len(line) > _LINE_MAX:
        raise Unable(
            f"{option}: {text[:_LINE_MAX]!r}. Allowed: one line of 1 to {_LINE_MAX} characters."
            " Remedy: write the name"
        )
    return line


def trusted_keys(key: Path, trust: list[Path] | None) -> "tuple[PublicKey, ...]":
    """Keys whose receipts count. With others given the table's own may be absent.

    Public halves suffice: whoever checks a batch need not be able to sign for one. Raises
    KeyFileError.
    """
    from controller.system.keys import load_public, public_path

    others = tuple(load_public(path) for path in trust or ())
    own = public_path(key)
    if others and not own.exists():
        return others
    return (load_public(own), *others)


def other_batches(folder: Path, name: str) -> "tuple[Manifest, ...]":
    """Cards of all other batches of the folder, signed for or not."""
    from controller.commissioning.batch_folder import load_batches

    if not folder.exists():
        return ()
    found = load_batches(folder, ())
    return tuple(one.manifest for one in found if one.manifest is not None and one.name != name)


def pile_reader(port: str, model: str) -> "PileReader[Any]":
    """The reader at a port. Raises Unable, BadShoeSettings."""
    from controller.commissioning.pile_reader import PileReader
    from drivers.catalogue import READER_BAUD, READER_PARITY, build_inventory_reader
    from firmware_bridge.transport.open_port import open_port
    from firmware_bridge.transport.port import LineSettings, Parity

    driver = build_inventory_reader(model)
    try:
        opened = open_port(port, LineSettings(READER_BAUD, Parity(READER_PARITY)))
    except ValueError as error:
        raise Unable(f"--reader: {error}") from error
    return PileReader(port, opened, driver)


def _right(name: str, value: str) -> str:
    from controller.custody.manifest_csv import heading_problem

    problem = heading_problem(name, value)
    if problem:
        raise Unable(f"{name}: {problem}")
    return value
