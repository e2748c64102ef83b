"""`smartshoe devices`: what is plugged in, under names that stay, and the live monitor's command.

Responsible for: listing serial ports and USB devices, and the monitor's options and refusals.
Not responsible for: watching a port (cli_monitor) and for opening one (firmware_bridge).
Source: package README, "Command line"; D-8 (a scan is not disclosure).
"""
# ruff: noqa: PLC0415 - device libraries are loaded only when a device is asked for.

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli_errors import Unable
from controller.cli_output import remark, say, say_json, say_table

if TYPE_CHECKING:
    from firmware_bridge.transport.serial_port import SerialPortInfo
    from firmware_bridge.transport.usb_devices import UsbDeviceInfo

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


class Level(StrEnum):
    """What the monitor shows: from a dead cable to a dead parser."""

    BYTES = "bytes"
    FRAMES = "frames"
    EVENTS = "events"


def add_to(app: typer.Typer) -> None:
    """Add these commands."""
    devices = typer.Typer(
        help="List serial ports and USB devices; watch one.",
        epilog="\b\nexamples:\n  smartshoe devices\n  smartshoe devices --json\n"
        "  smartshoe devices monitor /dev/ttyUSB0",
        invoke_without_command=True,
        rich_markup_mode=None,
    )
    devices.callback()(list_devices)
    devices.command(
        epilog="\b\nexamples:\n  smartshoe devices monitor /dev/ttyUSB0\n"
        "  smartshoe devices monitor socket://10.0.0.7:4001 --level frames --level events\n"
        "  smartshoe devices monitor /dev/ttyUSB0 --maintenance --config table.toml\n\n"
        "It only listens. Ctrl-C ends it with a count."
    )(monitor)
    app.add_typer(devices, name="devices")


def list_devices(context: typer.Context, json: _Json = False) -> None:
    """List serial ports and USB devices with names that stay, ids and serial numbers."""
    if context.invoked_subcommand is not None:
        return
    from firmware_bridge.transport.serial_port import list_serial_ports
    from firmware_bridge.transport.usb_devices import UsbUnavailable, list_usb_devices

    ports = list_serial_ports()
    usb: tuple[UsbDeviceInfo, ...] = ()
    try:
        usb = list_usb_devices()
    except UsbUnavailable as error:
        remark(f"smartshoe: USB devices are not listed: {error}")
    if json:
        say_json({"serial": [_port_json(one) for one in ports], "usb": [_usb_json(u) for u in usb]})
        return
    _tell_ports(ports)
    _tell_usb(usb)


def _tell_ports(ports: tuple["SerialPortInfo", ...]) -> None:
    if not ports:
        say("no serial ports")
        return
    say("Serial ports. Put the stable name into the configuration.")
    say_table(
        ("stable name", "device", "place", "USB id", "serial number", "description"),
        [
            (
                one.stable_path,
                one.device,
                one.place_path,
                _usb_id(one.vendor_id, one.product_id),
                one.serial_number,
                one.description,
            )
            for one in ports
        ],
    )


def _tell_usb(devices: tuple["UsbDeviceInfo", ...]) -> None:
    if not devices:
        say("no USB devices")
        return
    say("USB devices.")
    say_table(
        ("bus", "address", "USB id", "serial number", "product"),
        [
            (
                str(one.bus),
                str(one.address),
                _usb_id(one.vendor_id, one.product_id),
                one.serial_number,
                one.product,
            )
            for one in devices
        ],
    )


def _usb_id(vendor: int, product: int) -> str:
    return f"{vendor:04x}:{product:04x}" if vendor >= 0 and product >= 0 else ""


def _port_json(one: "SerialPortInfo") -> dict[str, object]:
    return {
        "stable_name": one.stable_path,
        "device": one.device,
        "place": one.place_path,
        "usb_id": _usb_id(one.vendor_id, one.product_id),
        "serial_number": one.serial_number,
        "description": one.description,
    }


def _usb_json(one: "UsbDeviceInfo") -> dict[str, object]:
    return {
        "bus": one.bus,
        "address": one.address,
        "usb_id": _usb_id(one.vendor_id, one.product_id),
        "serial_number": one.serial_number,
        "product": one.product,
    }


def monitor(
    port: Annotated[
        str, typer.Argument(metavar="PORT", help="A device path, socket:// or rfc2217:// URL.")
    ],
    model: Annotated[
        str, typer.Option(metavar="NAME", help="The shoe's model, as in the configuration.")
    ] = "angel-eye-ii-ex",
    baud: Annotated[
        int, typer.Option(min=0, metavar="N", help="Bits a second; 0: the model's own speed.")
    ] = 0,
    level: Annotated[
        list[Level] | None, typer.Option(help="Show this level only; may be repeated.")
    ] = None,
    seconds: Annotated[
        int, typer.Option(min=0, metavar="N", help="Stop after N seconds; 0: at Ctrl-C.")
    ] = 0,
    seq_cycle: Annotated[
        str, typer.Option(metavar="WORD", help="How reports are numbered, as in the configuration.")
    ] = "",
    bcc_reading: Annotated[
        str, typer.Option(metavar="WORD", help="How sums are formed, as in the configuration.")
    ] = "",
    maintenance: Annotated[
        bool, typer.Option("--maintenance", help="Show card bytes. Needs --config; no open shoe.")
    ] = False,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The table.toml of the table at this port.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before --maintenance.")] = False,
) -> None:
    """Watch a shoe's port: bytes arrived, frame decoded, event understood.

    Whatever tells a card is masked: a card is nobody's to know before people have seen it.
    """
    from controller.cli_monitor import Watch, watch
    from drivers.catalogue import SHOE_MODELS, ShoeSettings, build_monitor

    defaults = ShoeSettings()
    settings = ShoeSettings(
        seq_cycle=seq_cycle or defaults.seq_cycle,
        bcc_reading=bcc_reading or defaults.bcc_reading,
    )
    reading = build_monitor(model, settings, masked=not maintenance)
    watched = Watch(
        port=port,
        baud=baud or SHOE_MODELS[model].baud,
        levels=tuple(one.value for one in level or Level),
        seconds=seconds,
    )
    if not maintenance:
        watch(watched, reading)
        return
    if config is None:
        raise Unable("--maintenance needs --config FILE, to be sure that no shoe is open there")
    from controller.cli_maintenance import held_for_maintenance

    _confirm(port, sure=yes)
    with held_for_maintenance(config, port):
        watch(watched, reading)


def _confirm(port: str, *, sure: bool) -> None:
    remark(f"WARNING: {port} will be shown unmasked, every card included.")
    if sure:
        return
    if not typer.confirm("Is the table closed, and may everyone here see the cards?", err=True):
        raise Unable("nothing was shown")
