"""`smartshoe devices` and `smartshoe devices monitor`: options, checks and confirmation.

Source: controller/cli/README.md, "Command line"; D-8 (a scan is not disclosure).
"""
# ruff: noqa: PLC0415 - device libraries are loaded only when a device is asked for.

from enum import StrEnum
from typing import Annotated

import typer

from controller.cli.errors import CommandError, ExitCode
from controller.cli.output import echo_stderr
from controller.cli.path_parameters import ConfigFile


class Level(StrEnum):
    """What the monitor shows: bytes arrived, frame decoded, event understood."""

    BYTES = "bytes"
    FRAMES = "frames"
    EVENTS = "events"


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
        int,
        typer.Option(
            min=0, max=4_000_000, metavar="N", help="Bits per second; 0: the model's own speed."
        ),
    ] = 0,
    level: Annotated[
        list[Level] | None, typer.Option(help="Show this level only; may be repeated.")
    ] = None,
    seconds: Annotated[
        int,
        typer.Option(min=0, max=604_800, metavar="N", help="Stop after N seconds; 0: at Ctrl-C."),
    ] = 0,
    seq_cycle: Annotated[
        str, typer.Option(metavar="WORD", help="How reports are numbered, as in the configuration.")
    ] = "",
    bcc_reading: Annotated[
        str, typer.Option(metavar="WORD", help="How checksums are formed, as in the configuration.")
    ] = "",
    maintenance: Annotated[
        bool,
        typer.Option("--maintenance", help="Show card bytes. Needs --config and no open shoe."),
    ] = False,
    config: ConfigFile = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before --maintenance.")] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object a line, the totals last.")
    ] = False,
) -> None:
    """Watch a device's port: bytes arrived, frame decoded, event understood.

    Card bytes are masked: nobody may learn a card before people have seen it.
    """
    from controller.cli.devices.monitor import MonitorWatch, run_monitor
    from controller.cli.devices.monitored_port import MonitorOptions, find_monitored_port

    options = MonitorOptions(port, model, baud, seq_cycle, bcc_reading)
    monitored = find_monitored_port(options, config, masked=not maintenance)
    levels = tuple(one.value for one in level or Level)
    watch = MonitorWatch(port, monitored.line, monitored.allowed, levels, seconds, json)
    if monitored.remark:
        echo_stderr(f"smartshoe: {monitored.remark}")
    if not maintenance:
        run_monitor(watch, monitored.monitor)
        return
    if config is None:
        raise CommandError(
            "it needs --config FILE, to check that no shoe is open there",
            place="--maintenance",
            allowed="--maintenance --config FILE",
            remedy="name the configuration of the table at this port",
        )
    from controller.cli.devices.monitored_port import maintenance_lock

    _confirm(port, sure=yes)
    with maintenance_lock(config, port):
        run_monitor(watch, monitored.monitor)


def _confirm(port: str, *, sure: bool) -> None:
    echo_stderr(f"WARNING: {port} will be shown unmasked, every card included.")
    if sure:
        return
    if not typer.confirm("Is the table closed, and may everyone here see the cards?", err=True):
        raise CommandError(
            "not confirmed: nothing was shown",
            ExitCode.NO,
            place="--maintenance",
            allowed="yes",
            remedy="answer yes, or give --yes",
        )
