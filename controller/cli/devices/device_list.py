"""`smartshoe devices`: the list of what is plugged in, for people and as JSON.

Responsible for: the tables of serial ports, USB devices and the devices of a configured table.
Not responsible for: what stands in them (plugged_in), watching a port (cli_devices).
Source: package README, "Devices of a table", "Command line".
"""
# ruff: noqa: PLC0415 - device libraries are loaded only when devices are asked for.

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli.output import remark, say, say_json, say_table

if TYPE_CHECKING:
    from controller.cli.devices.attached_devices import PartShown, SerialShown, UsbShown
    from controller.config.load import TableConfig


def list_devices(
    context: typer.Context,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A table.toml: judge by its list, find its devices."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """List serial ports and USB devices with what to write into table.toml for each."""
    if context.invoked_subcommand is not None:
        return
    from controller.cli.devices.attached_devices import is_hub, parts_shown, serial_shown, usb_shown
    from firmware_bridge.transport.serial_port import list_serial_ports
    from firmware_bridge.transport.usb_sysfs import attached_devices

    table = _table(config)
    ports = list_serial_ports()
    attached = tuple(one for one in attached_devices() if not is_hub(one.identity))
    usb = usb_shown(attached, ports, _products(), table.allowed if table is not None else None)
    serial = serial_shown(ports, attached)
    parts = parts_shown(table) if table is not None else ()
    if json:
        say_json(
            {
                "serial": [asdict(one) for one in serial],
                "usb": [asdict(one) for one in usb],
                "table": [asdict(one) for one in parts],
            }
        )
        return
    _tell_serial(serial)
    _tell_usb(usb)
    if table is not None:
        _tell_parts(table, parts)


def _table(config: Path | None) -> "TableConfig | None":
    if config is None:
        return None
    from controller.config.load import load_config

    return load_config(config)


def _products() -> dict[tuple[int, int], str]:
    """What each device calls itself, by bus and address; nothing where libusb is missing."""
    from firmware_bridge.transport.usb_devices import UsbUnavailable, list_usb_devices

    try:
        return {(one.bus, one.address): one.product for one in list_usb_devices()}
    except UsbUnavailable as error:
        remark(f"smartshoe: usb:// and usbhid:// cannot be opened on this machine: {error}")
        return {}


def _tell_serial(ports: tuple["SerialShown", ...]) -> None:
    if not ports:
        say("no serial ports")
        return
    say("Serial ports. Write the stable name, or the URL of its USB device, into table.toml.")
    say_table(
        ("stable name", "URL", "device", "place", "description"),
        [(one.stable_name, one.url, one.device, one.place, one.description) for one in ports],
    )


def _tell_usb(devices: tuple["UsbShown", ...]) -> None:
    if not devices:
        say("no USB devices")
        return
    say("USB devices. Write the URL into table.toml.")
    say_table(
        ("URL", "USB id", "place", "product", "may be opened"),
        [
            (
                one.url,
                one.usb_id,
                one.place,
                one.product,
                f"{'yes' if one.may_be_opened else 'NO'}: {one.why}",
            )
            for one in devices
        ],
    )


def _tell_parts(table: "TableConfig", parts: tuple["PartShown", ...]) -> None:
    say(f"Devices of table {table.settings.table}.")
    say_table(
        ("part", "port", "how it stands"), [(one.part, one.port, one.standing) for one in parts]
    )
