"""`smartshoe devices`: its commands; the live monitor's options and refusals.

Responsible for: what the person may say to the monitor, and asking before cards are shown.
Not responsible for: listing devices (cli_device_list), what stands at a port (cli_watched) and
watching it (cli_monitor).
Source: package README, "Command line"; D-8 (a scan is not disclosure).
"""
# ruff: noqa: PLC0415 - device libraries are loaded only when a device is asked for.

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from controller.cli.devices.device_list import list_devices
from controller.cli.errors import Unable
from controller.cli.output import remark


class Level(StrEnum):
    """What the monitor shows: from a dead cable to a dead parser."""

    BYTES = "bytes"
    FRAMES = "frames"
    EVENTS = "events"


def add_to(app: typer.Typer) -> None:
    """Add these commands."""
    devices = typer.Typer(
        help="List serial ports and USB devices; watch one.",
        epilog="\b\nexamples:\n  smartshoe devices\n  smartshoe devices --config table.toml\n"
        "  smartshoe devices monitor /dev/ttyUSB0\n\n"
        "usb://, usbhid:// and usbserial:// name a device by its ids and serial number, or, where\n"
        "it has none of its own, by its place (@1-1.2). No keyboard may be opened.",
        invoke_without_command=True,
        rich_markup_mode=None,
    )
    devices.callback()(list_devices)
    devices.command(
        epilog="\b\nexamples:\n  smartshoe devices monitor /dev/ttyUSB0\n"
        "  smartshoe devices monitor socket://10.0.0.7:4001 --level frames --level events\n"
        "  smartshoe devices monitor usb://0ab1:0002/12345678 --model feig-rfid\n"
        "  smartshoe devices monitor usbhid://0c2e:0b81/S1234 --model hid-pos\n"
        "  smartshoe devices monitor /dev/ttyUSB1 --config table.toml\n"
        "  smartshoe devices monitor /dev/ttyUSB0 --maintenance --config table.toml\n\n"
        "It only listens. Ctrl-C ends it with a count."
    )(monitor)
    app.add_typer(devices, name="devices")


def monitor(
    port: Annotated[
        str, typer.Argument(metavar="PORT", help="A device path or a URL, as in table.toml.")
    ],
    model: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The device's model, such as angel-eye-ii-ex (the default), feig-rfid, tablelink,"
            " tablelink-shuffler, hid-pos or zebra-ssi; with --config that of the port.",
        ),
    ] = "",
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
        Path | None,
        typer.Option(metavar="FILE", help="The table.toml that names this port: its settings."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before --maintenance.")] = False,
) -> None:
    """Watch a device's port: bytes arrived, frame decoded, event understood.

    Whatever tells a card is masked: a card is nobody's to know before people have seen it.
    """
    from controller.cli.devices.monitor import Watch, watch
    from controller.cli.devices.monitored_port import Said, watched_port

    said = Said(port, model, baud, seq_cycle, bcc_reading)
    found = watched_port(said, config, masked=not maintenance)
    levels = tuple(one.value for one in level or Level)
    watched = Watch(port, found.line, found.allowed, levels, seconds)
    if found.remark:
        remark(f"smartshoe: {found.remark}")
    if not maintenance:
        watch(watched, found.monitor)
        return
    if config is None:
        raise Unable("--maintenance needs --config FILE, to be sure that no shoe is open there")
    from controller.cli.devices.monitored_port import held_for_maintenance

    _confirm(port, sure=yes)
    with held_for_maintenance(config, port):
        watch(watched, found.monitor)


def _confirm(port: str, *, sure: bool) -> None:
    remark(f"WARNING: {port} will be shown unmasked, every card included.")
    if sure:
        return
    if not typer.confirm("Is the table closed, and may everyone here see the cards?", err=True):
        raise Unable("nothing was shown")
