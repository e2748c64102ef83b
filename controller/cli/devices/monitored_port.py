"""Finds the model, line settings and monitor of a port; holds the journal during maintenance.

Source: firmware_bridge/README.md, "Three levels"; D-8 (a scan is not disclosure).
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from controller.archive.replay.recovery import recover
from controller.core.settings import DeviceSettings, installation
from controller.journal.store import Journal, JournalError
from controller.rules.profiles.load import load_clauses
from controller.service.config.load import TableConfig, load_config
from controller.system.command_line.errors import CommandError, ExitCode
from controller.system.messages.catalogue import to_words
from drivers.catalogue import (
    DEFAULT_MODELS,
    AnyModel,
    find_by_option,
    find_model,
    option_name,
)
from drivers.model import LISTENING, BadDeviceSettings, DeviceKind
from drivers.monitor import Monitor
from firmware_bridge.transport.allow_list import AllowList
from firmware_bridge.transport.port import LineSettings, Parity


class MonitorOptions(Struct, frozen=True):
    """The options of the command; empty or 0 means by the configuration or the model.

    `values`: settings of the model, as key and value.
    """

    port: str
    model: str = ""
    baud: int = 0
    values: tuple[tuple[str, str], ...] = ()


class MonitoredPort(Struct, frozen=True):
    """One port: how to open it, and its monitor. `remark` is a hint for the user, or empty."""

    model: str
    line: LineSettings
    allowed: AllowList | None
    monitor: Monitor[Any]
    remark: str = ""


def find_monitored_port(
    options: MonitorOptions, config: Path | None, *, masked: bool
) -> MonitoredPort:
    """The port to monitor. Raises CommandError; BadDeviceSettings for a model or setting."""
    line, allowed, installed, stored = None, None, LISTENING, b""
    kind, name = DeviceKind.SHOE, DEFAULT_MODELS[DeviceKind.SHOE]
    if config is not None:
        table = load_config(config)
        kind, device = _device_at(table, options, config)
        name, stored, installed = device.model, device.driver, installation(device)
        line, allowed = dict(table.lines)[device.port], table.allowed
    model = find_model(kind, name)
    if options.model and options.model != option_name(model):
        model, line, stored = find_by_option(options.model), None, b""
    line = line or LineSettings(model.baud, Parity(model.parity or Parity.NONE))
    line = replace(line, baud=options.baud or line.baud)
    values = _values_of(model, dict(options.values))
    stored = model.to_store(replace(model.read_settings(stored), **values))
    monitor = model.build_monitor(to_words, stored, installed, masked=masked)
    remark = to_words(model.monitor_remark) if model.monitor_remark is not None else ""
    return MonitoredPort(option_name(model), line, allowed, monitor, remark)


def same_port(configured: str, port: str) -> bool:
    """Whether two names are the same port; links such as /dev/serial/by-id are followed."""
    if configured == port:
        return True
    return "://" not in configured and os.path.realpath(configured) == os.path.realpath(port)


def _values_of(model: AnyModel, values: dict[str, str]) -> dict[str, Any]:
    """The settings of the command as the model has them. Raises CommandError."""
    try:
        settings = model.with_values(values)
    except BadDeviceSettings as error:
        raise CommandError(f"--set {error}") from error
    return {name: getattr(settings, name) for name in values}


def _device_at(
    table: TableConfig, options: MonitorOptions, config: Path
) -> tuple[DeviceKind, DeviceSettings]:
    """The device at this port in the configuration. Raises CommandError."""
    for kind, device in table.settings.devices:
        if same_port(device.port, options.port):
            return kind, device
    raise CommandError(
        f"{options.port} is not a port of {config}",
        place="PORT",
        allowed=", ".join(port for port, _ in table.lines),
        remedy="use one of them, or leave --config out",
    )


@contextmanager
def maintenance_lock(config_file: Path, *ports: str) -> Iterator[None]:
    """Keep the table of this configuration from starting while the block runs.

    Raises CommandError: a port is another table's, the table runs, or a shoe is open.
    """
    config = load_config(config_file)
    for port in ports:
        if any(same_port(configured, port) for configured, _ in config.lines):
            continue
        raise CommandError(
            f"it is about {config.settings.shoe.port}, not about {port}",
            place=str(config_file),
            remedy="give the configuration of the table at this port",
        )
    with ExitStack() as held:
        if config.journal_folder.exists():
            held.enter_context(_table_closed(config.journal_folder))
        yield


@contextmanager
def _table_closed(folder: Path) -> Iterator[None]:
    """Hold the journal's lock, so that no table starts on it, after checking for an open shoe."""
    try:
        journal = Journal.open(folder, create=False)
    except JournalError as error:
        raise CommandError(f"no maintenance now: {error}", ExitCode.NO) from error
    with journal:
        if recover(journal, load_clauses()).shoe_open:
            raise CommandError(
                "no maintenance now: a shoe is open at this table",
                ExitCode.NO,
                place=str(folder),
                remedy="finish it, or close it with `smartshoe close-shoe`; then stop the table",
            )
        yield
