"""Options of several `smartshoe batch` commands, and their checks."""
# ruff: noqa: PLC0415 - devices and the library of keys are loaded only when they are used.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from controller.system.command_line.errors import CommandError

if TYPE_CHECKING:
    from controller.custody.manifest import Manifest
    from controller.service.commissioning.pile_reader import PileReader
    from controller.system.keys import PublicKey

NameArgument = Annotated[str, typer.Argument(metavar="BATCH", help="The batch's name.")]
FolderOption = Annotated[Path, typer.Option(metavar="FOLDER", help="The folder of batches.")]
KeyOption = Annotated[Path, typer.Option(metavar="FILE", help="The table's key file.")]
TrustOption = Annotated[
    list[Path] | None,
    typer.Option(metavar="FILE.pub", help="Another table's public key; may be repeated."),
]
MakerOption = Annotated[str, typer.Option(metavar="NAME", help="Who made the cards.")]
OperatorOption = Annotated[
    str, typer.Option(metavar="NAME", help="Who does this; part of the receipt.")
]
ReplaceOption = Annotated[bool, typer.Option("--replace", help="Replace a batch of this name.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
ReaderOption: TypeAlias = Annotated[
    str,
    typer.Option("--reader", metavar="PORT", help="A device path or URL, as in the configuration."),
]
ModelOption = Annotated[
    str,
    typer.Option("--model", metavar="LAYOUT", help="The reader's model, as in the configuration."),
]
ChipOption = Annotated[str, typer.Option(metavar="LAYOUT", help="How the chips encode their card.")]
WaitOption = Annotated[
    int,
    typer.Option(
        min=0,
        max=86_400,
        metavar="N",
        help="Give up when nothing changed for N s; 0: at Ctrl-C.",
    ),
]


def checked_name(name: str) -> str:
    """A batch's name. Raises CommandError."""
    return _right("batch", name)


def checked_back(back: str) -> str:
    """A back colour. Raises CommandError."""
    return _right("back", back)


def checked_chip(name: str) -> str:
    """The name of a chip layout. Raises CommandError."""
    from controller.custody.chip_layout import LAYOUTS

    if name not in LAYOUTS:
        allowed = ", ".join(LAYOUTS)
        raise CommandError(
            f"--chip: {name!r} is not a chip layout. Allowed: {allowed}. Remedy: use one of them"
        )
    return name


def trusted_keys(key: Path, trust: list[Path] | None) -> "tuple[PublicKey, ...]":
    """Public keys whose receipts count; the table's own may be missing if others are given.

    Only public keys are read: checking a batch does not need the right to sign. Raises
    KeyFileError.
    """
    from controller.system.keys import load_public, public_path

    others = tuple(load_public(path) for path in trust or ())
    own = public_path(key)
    if others and not own.exists():
        return others
    return (load_public(own), *others)


def other_batches(folder: Path, name: str) -> "tuple[Manifest, ...]":
    """The manifests of all other batches of the folder, signed or not."""
    from controller.service.commissioning.batch_folder import load_batches

    if not folder.exists():
        return ()
    found = load_batches(folder, ())
    return tuple(one.manifest for one in found if one.manifest is not None and one.name != name)


def pile_reader(port: str, model: str) -> "PileReader[Any]":
    """The reader at a port. Raises CommandError, BadDeviceSettings."""
    from controller.service.commissioning.pile_reader import PileReader
    from drivers.catalogue import DEFAULT_MODELS, find_model
    from drivers.model import DeviceKind, Installation, ReaderSeat
    from firmware_bridge.transport.open_port import open_port
    from firmware_bridge.transport.port import LineSettings, Parity

    reader = find_model(DeviceKind.READER, DEFAULT_MODELS[DeviceKind.READER])
    settings = reader.with_values({"reader": model})
    driver = reader.driver(settings, Installation(seat=ReaderSeat.ENROLMENT))
    try:
        opened = open_port(port, LineSettings(reader.baud, Parity(reader.parity)))
    except ValueError as error:
        raise CommandError(f"--reader: {error}") from error
    return PileReader(port, opened, driver)


def _right(name: str, value: str) -> str:
    from controller.custody.manifest_csv import heading_problem
    from controller.system.messages.catalogue import to_words

    problem = heading_problem(name, value)
    if problem is not None:
        raise CommandError(f"{name}: {to_words(problem)}")
    return value
