"""`smartshoe devices`: lists serial ports, USB devices and a table's devices, as text or JSON."""
# ruff: noqa: PLC0415 - device libraries are loaded only when devices are asked for.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec import to_builtins

from controller.system.command_line.output import echo, echo_json, echo_stderr, echo_table
from controller.system.command_line.path_parameters import ConfigFile

if TYPE_CHECKING:
    from controller.cli.devices.attached_devices import SerialListing, TablePartListing, UsbListing
    from controller.service.config.table_config import TableConfig


def list_devices(
    config: ConfigFile = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """List serial ports and USB devices with the URL to write into table.toml.

    With FILE also its devices, and whether its allow-list lets each USB device be opened.
    """
    from controller.cli.devices.attached_devices import (
        is_hub,
        list_serial,
        list_table_parts,
        list_usb,
    )
    from firmware_bridge.transport.serial_port import list_serial_ports
    from firmware_bridge.transport.usb_sysfs import attached_devices

    table = _table(config)
    ports = list_serial_ports()
    attached = tuple(one for one in attached_devices() if not is_hub(one.identity))
    usb = list_usb(attached, ports, _products(), table.allowed if table is not None else None)
    serial = list_serial(ports, attached)
    parts = list_table_parts(table) if table is not None else ()
    if json:
        echo_json(
            {
                "serial": [to_builtins(one) for one in serial],
                "usb": [to_builtins(one) for one in usb],
                "table": [to_builtins(one) for one in parts],
            }
        )
        return
    _print_serial(serial)
    _print_usb(usb)
    if table is not None:
        _print_parts(table, parts)


def _table(config: Path | None) -> "TableConfig | None":
    if config is None:
        return None
    from controller.service.config.load import load_config

    return load_config(config)


def _products() -> dict[tuple[int, int], str]:
    """The product name of each device by bus and address; empty if libusb is missing."""
    from controller.system.messages.catalogue import to_words
    from firmware_bridge.transport.usb_devices import UsbUnavailable, list_usb_devices

    try:
        return {(one.bus, one.address): one.product for one in list_usb_devices()}
    except UsbUnavailable as error:
        why = to_words(error.why)
        echo_stderr(f"smartshoe: usb:// and usbhid:// cannot be opened on this machine: {why}")
        return {}


def _print_serial(ports: tuple["SerialListing", ...]) -> None:
    if not ports:
        echo("no serial ports")
        return
    echo("Serial ports. Write the stable name, or the URL of its USB device, into table.toml.")
    echo_table(
        ("stable name", "URL", "device", "place", "description"),
        [(one.stable_name, one.url, one.device, one.place, one.description) for one in ports],
    )


def _print_usb(devices: tuple["UsbListing", ...]) -> None:
    if not devices:
        echo("no USB devices")
        return
    echo("USB devices. Write the URL into table.toml.")
    echo_table(
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


def _print_parts(table: "TableConfig", parts: tuple["TablePartListing", ...]) -> None:
    echo(f"Devices of table {table.settings.table}.")
    echo_table(("part", "port", "state"), [(one.part, one.port, one.standing) for one in parts])
