"""`smartshoe identity`: pairs a device that has a key, and shows the file of a paired device."""
# ruff: noqa: PLC0415 - devices are loaded only by the command that opens a port.

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from controller.system.command_line.errors import CommandError, ExitCode
from controller.system.command_line.output import echo, echo_json, echo_stderr
from controller.system.command_line.usage import checked_line

if TYPE_CHECKING:
    from controller.service.commissioning.pairing_file import PairedDevice
    from drivers.pairing import PresentedDevice

DEFAULT_BAUD: Final = 1_000_000
_WAIT_S_MAX: Final = 600
_FINGERPRINT_BYTES: Final = 32
_PAIRING_BYTES: Final = 8

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


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
        int, typer.Option(min=300, max=4_000_000, help="Bits per second of a serial line.")
    ] = DEFAULT_BAUD,
    wait: Annotated[
        int, typer.Option(metavar="S", min=1, max=_WAIT_S_MAX, help="How long to wait for it.")
    ] = 10,
    json: _Json = False,
) -> None:
    """Pair a device: read its public key, verify that it has the private key, write the file."""
    from controller.service.commissioning.pairing import await_device
    from controller.service.commissioning.pairing_file import store_pairing
    from controller.system.atomic_file import require_new
    from firmware_bridge.transport.open_port import open_port
    from firmware_bridge.transport.port import LineSettings

    name = checked_line("--person", person)
    expected = _fingerprint(fingerprint)
    require_new(out)
    try:
        opened = open_port(port, LineSettings(baud))
    except ValueError as error:
        raise CommandError(f"{port}: {error}") from error
    device = await_device(port, opened, wait)
    paired = _paired_device(device, name)
    if expected and paired.fingerprint != expected:
        _print_device(paired, echo_stderr)
        raise CommandError(
            "the fingerprint differs from the one given: nothing was written. Remedy: check which"
            " device is connected and the fingerprint on its paper; if both are right, have the"
            " device examined",
            ExitCode.NO,
        )
    store_pairing(out, paired)
    if json:
        _print_json(paired, out)
        return
    echo(f"paired: {out}")
    _print_device(paired, echo)
    if not device.stated.chained:
        echo("it keeps no chain of its events: nothing shows a forged one on the line")
    if not expected:
        echo("compare device and fingerprint with the device's paper before the table trusts it")


def show(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file of a paired device.")],
    json: _Json = False,
) -> None:
    """Show the paired device, who paired it, and its firmware."""
    from controller.service.commissioning.pairing_file import load_pairing

    paired = load_pairing(file)
    if json:
        _print_json(paired, file)
        return
    _print_device(paired, echo)


def _fingerprint(text: str) -> bytes:
    """The fingerprint on the paper, however it is grouped. Raises CommandError."""
    digits = "".join(text.split()).replace(":", "")
    try:
        found = bytes.fromhex(digits)
    except ValueError:
        found = b"?"
    if len(found) not in (0, _FINGERPRINT_BYTES):
        raise CommandError(
            f"--fingerprint: {text[:80]!r}. Allowed: {2 * _FINGERPRINT_BYTES} hex digits. Remedy:"
            " copy all of it from the device's paper, in quotes where it has blanks"
        )
    return found


def _paired_device(device: "PresentedDevice", person: str) -> "PairedDevice":
    from controller.service.commissioning.pairing_file import PairedDevice, PairedRole
    from firmware_bridge.attestation import ApprovedImage, Pin
    from firmware_bridge.transport.clock import now

    stated = device.stated
    return PairedDevice(
        role=PairedRole(device.kind.value),
        pin=Pin(
            device=stated.device,
            key=device.key,
            pairing=device.proof[:_PAIRING_BYTES].hex(),
            first_event=device.first_event,
        ),
        firmware=ApprovedImage(stated.image, stated.version, stated.security_counter),
        boot_count=stated.boot_count,
        person=person,
        at_utc_ns=now().utc_ns,
    )


def _print_json(paired: "PairedDevice", file: Path) -> None:
    from controller.service.commissioning.pairing_file import pairing_fields

    echo_json({"file": str(file), **pairing_fields(paired)})


def _print_device(paired: "PairedDevice", write: Callable[[str], None]) -> None:
    from controller.system.json_document import time_text
    from controller.system.keys import fingerprint_text

    firmware = paired.firmware
    write(f"device        {paired.pin.device.hex()}, a {paired.role.value}")
    write(f"fingerprint   {fingerprint_text(paired.fingerprint)}")
    write(f"firmware      {firmware.version}, security counter {firmware.security_counter}")
    write(f"image         {firmware.image.hex()}")
    write(f"starts        {paired.boot_count}")
    write(f"first event   {paired.pin.first_event}")
    write(f"pairing       {paired.pin.pairing}")
    write(f"paired by     {paired.person}, {time_text(paired.at_utc_ns)}")
