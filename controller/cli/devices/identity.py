"""`smartshoe identity`: a device is paired, and the file of a paired one is shown.

Responsible for: the commands' options and what they print.
Not responsible for: the conversation with the device (pairing) and the file (identity_files).
Source: package README, "The shuffler's identity".
"""
# ruff: noqa: PLC0415 - devices are loaded only by the command that opens a port.

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from controller.cli.batches.options import one_line
from controller.cli.errors import Exit, Unable
from controller.cli.output import remark, say, say_json

if TYPE_CHECKING:
    from controller.commissioning.pairing_file import PairedDevice
    from drivers.pairing import DevicePresented

DEFAULT_BAUD: Final = 1_000_000
_WAIT_S_MAX: Final = 600
_FINGERPRINT_BYTES: Final = 32
_PAIRING_BYTES: Final = 8

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


def add_to(app: typer.Typer) -> None:
    """Add these commands."""
    identity = typer.Typer(
        help="Devices with a key of their own: pair one with a table, show who was paired.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    identity.command(
        epilog="\b\nexamples:\n"
        "  smartshoe identity pair /dev/serial/by-id/usb-Maker_Shuffler_0001-if00 \\\n"
        '    --out shuffler.identity.json --person "Ann Lee"\n'
        "  smartshoe identity pair usb://1209:0001/S1 --out shuffler.identity.json \\\n"
        '    --person "Ann Lee" --fingerprint 21fe31dfa154a261...\n\n'
        "Compare device and fingerprint with the paper that came with the device before the file"
        " is named in table.toml. No file is ever overwritten. The table must not be running on"
        " this port."
    )(pair)
    identity.command(epilog="\b\nexample:\n  smartshoe identity show shuffler.identity.json")(show)
    app.add_typer(identity, name="identity")


def pair(
    port: Annotated[str, typer.Argument(metavar="PORT", help="The device's port.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The new file of this device.")],
    person: Annotated[str, typer.Option(metavar="NAME", help="Who pairs it.")],
    fingerprint: Annotated[
        str,
        typer.Option(
            metavar="HEX", help="The fingerprint on its paper; a device with another is refused."
        ),
    ] = "",
    baud: Annotated[
        int, typer.Option(min=300, max=4_000_000, help="Bits a second of a serial line.")
    ] = DEFAULT_BAUD,
    wait: Annotated[
        int, typer.Option(metavar="S", min=1, max=_WAIT_S_MAX, help="How long to wait for it.")
    ] = 10,
    json: _Json = False,
) -> None:
    """Pair a device: ask it for its key, have it prove that it holds it, and write that down."""
    from controller.commissioning.pairing import meet
    from controller.commissioning.pairing_file import store_pairing
    from controller.system.atomic_file import require_new
    from firmware_bridge.transport.open_port import open_port
    from firmware_bridge.transport.port import LineSettings

    name = one_line("--person", person)
    expected = _fingerprint(fingerprint)
    require_new(out)
    try:
        opened = open_port(port, LineSettings(baud))
    except ValueError as error:
        raise Unable(f"{port}: {error}") from error
    paired = _paired(meet(port, opened, wait), name)
    if expected and paired.fingerprint != expected:
        _tell(paired, remark)
        raise Unable(
            "this is not the fingerprint that was given: nothing was written. Remedy: look which"
            " device is connected, and what its paper says; if both are right, have the device"
            " looked into",
            Exit.NO,
        )
    store_pairing(out, paired)
    if json:
        _say_json(paired, out)
        return
    say(f"paired: {out}")
    _tell(paired, say)
    if not expected:
        say("compare device and fingerprint with the device's paper before the table trusts it")


def show(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file of a paired device.")],
    json: _Json = False,
) -> None:
    """Show who was paired, by whom, and with which firmware."""
    from controller.commissioning.pairing_file import load_pairing

    paired = load_pairing(file)
    if json:
        _say_json(paired, file)
        return
    _tell(paired, say)


def _fingerprint(text: str) -> bytes:
    """The fingerprint on the paper, however it is grouped. Raises Unable."""
    digits = "".join(text.split()).replace(":", "")
    try:
        found = bytes.fromhex(digits)
    except ValueError:
        found = b"?"
    if len(found) not in (0, _FINGERPRINT_BYTES):
        raise Unable(
            f"--fingerprint: {text[:80]!r}. Allowed: {2 * _FINGERPRINT_BYTES} hex digits. Remedy:"
            " copy all of it from the device's paper, in quotes where it has blanks"
        )
    return found


def _paired(presented: "DevicePresented", person: str) -> "PairedDevice":
    from controller.commissioning.pairing_file import PairedDevice, PairedRole
    from firmware_bridge.attestation import ApprovedImage, Pin
    from firmware_bridge.transport.clock import now

    stated = presented.stated
    return PairedDevice(
        role=PairedRole(presented.kind.value),
        pin=Pin(
            device=stated.device,
            key=presented.key,
            pairing=presented.proof[:_PAIRING_BYTES].hex(),
            first_event=presented.first_event,
        ),
        firmware=ApprovedImage(stated.image, stated.version, stated.security_counter),
        boot_count=stated.boot_count,
        person=person,
        at_utc_ns=now().utc_ns,
    )


def _say_json(paired: "PairedDevice", file: Path) -> None:
    from controller.commissioning.pairing_file import pairing_plain

    say_json({"file": str(file), **pairing_plain(paired)})


def _tell(paired: "PairedDevice", tell: Callable[[str], None]) -> None:
    from controller.system.json_document import time_text
    from controller.system.keys import fingerprint_text

    firmware = paired.firmware
    tell(f"device        {paired.pin.device.hex()}, a {paired.role.value}")
    tell(f"fingerprint   {fingerprint_text(paired.fingerprint)}")
    tell(f"firmware      {firmware.version}, security counter {firmware.security_counter}")
    tell(f"image         {firmware.image.hex()}")
    tell(f"starts        {paired.boot_count}")
    tell(f"first event   {paired.pin.first_event}")
    tell(f"pairing       {paired.pin.pairing}")
    tell(f"paired by     {paired.person}, {time_text(paired.at_utc_ns)}")
