"""`smartshoe devices` and `smartshoe devices monitor`: options, checks and confirmation.

Source: D-8 (a scan is not disclosure).
"""
# ruff: noqa: PLC0415 - device libraries are loaded only when a device is asked for.

from enum import StrEnum
from typing import Annotated, TypeAlias

import typer

from controller.system.command_line.errors import CommandError, ExitCode
from controller.system.command_line.output import echo_stderr
from controller.system.command_line.path_parameters import ConfigFile

SettingOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="A setting of the model, as in the configuration; may be repeated.",
    ),
]


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
            help="The device's model, as in the configuration; with --config that of the port."
            " A name that is not known is answered with the list.",
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
    values: SettingOption = None,
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

    options = MonitorOptions(port, model, baud, tuple(map(_key_and_value, values or ())))
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

    confirm_disclosure(f"{port} will be shown unmasked", "shown", sure=yes, place="--maintenance")
    with maintenance_lock(config, port):
        run_monitor(watch, monitored.monitor)


def _key_and_value(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise CommandError(
            f"{text!r} is not allowed",
            place="--set",
            allowed="KEY=VALUE",
            remedy="write the key, an equals sign and the value",
        )
    return key, value


def confirm_disclosure(warning: str, done: str, *, sure: bool, place: str = "--yes") -> None:
    """Warn that cards will be disclosed, and ask unless `sure`. Raises CommandError: not confirmed.

    `done` is the past participle of what would be done, such as "shown".
    """
    echo_stderr(f"WARNING: {warning}, every card included.")
    if sure:
        return
    if not typer.confirm("Is the table closed, and may everyone here see the cards?", err=True):
        raise CommandError(
            f"not confirmed: nothing was {done}",
            ExitCode.NO,
            place=place,
            allowed="yes",
            remedy="answer yes, or give --yes",
        )
