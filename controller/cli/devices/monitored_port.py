"""Finds the model, line settings and monitor of a port; holds the journal during maintenance.

Source: controller/config/README.md, "Devices of a table"; firmware_bridge/README.md, "Three
levels"; D-8 (a scan is not disclosure).
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from controller.cli.errors import CommandError, ExitCode
from controller.config.load import TableConfig, load_config
from controller.core.build import shoe_driver_settings
from controller.journal.store import Journal, JournalError
from controller.messages.catalogue import to_words
from controller.profiles.load import load_clauses
from controller.replay.recovery import recover
from drivers.catalogue import (
    ANGEL_EYE_II_EX,
    HID_POS,
    RFID_SHOE,
    SCANNER_MODELS,
    SHOE_MODELS,
    SHUFFLER_MODELS,
    TABLELINK,
    ShoeMonitor,
    ShoeSettings,
    build_monitor,
    build_scanner_monitor,
    build_shuffler_monitor,
)
from firmware_bridge.transport.allow_list import AllowList
from firmware_bridge.transport.port import LineSettings, Parity

# A shoe and a shuffler model may share a name; the suffix separates them here.
_AS_SHUFFLER = "-shuffler"
SHUFFLERS = MappingProxyType(
    {f"{name}{_AS_SHUFFLER}": model for name, model in SHUFFLER_MODELS.items()}
)
MODELS = (*SHOE_MODELS, *SCANNER_MODELS, *SHUFFLERS)
SILENT_SCANNER = (
    "a scanner that was plugged in again may be silent until a table has opened it: the monitor"
    " never writes"
)
UNGREETED_DEVICE = (
    "a TableLink device sends little until a table has opened a session: the monitor never writes"
)


class MonitorOptions(Struct, frozen=True):
    """The options of the command; empty or 0 means by the configuration or the model."""

    port: str
    model: str = ""
    baud: int = 0
    seq_cycle: str = ""
    bcc_reading: str = ""


class MonitoredPort(Struct, frozen=True):
    """One port: how to open it, and its monitor. `remark` is a hint for the user, or empty."""

    model: str
    line: LineSettings
    allowed: AllowList | None
    monitor: ShoeMonitor
    remark: str = ""


def find_monitored_port(
    options: MonitorOptions, config: Path | None, *, masked: bool
) -> MonitoredPort:
    """The port to monitor. Raises CommandError; BadShoeSettings for an unknown setting."""
    if config is None:
        model = options.model or ANGEL_EYE_II_EX
        return _monitored(options, model, ShoeSettings(), _line_of(model), None, masked=masked)
    table = load_config(config)
    line = _line_at(table, options, config)
    model, settings = _model_at(table, options)
    if options.model and options.model != model:
        model, line = options.model, _line_of(options.model)
    return _monitored(options, model, settings, line, table.allowed, masked=masked)


def same_port(configured: str, port: str) -> bool:
    """Whether two names are the same port; links such as /dev/serial/by-id are followed."""
    if configured == port:
        return True
    return "://" not in configured and os.path.realpath(configured) == os.path.realpath(port)


def _line_of(model: str) -> LineSettings:
    """The model's own speed and parity. Raises CommandError."""
    known = SHOE_MODELS.get(model) or SCANNER_MODELS.get(model) or SHUFFLERS.get(model)
    if known is None:
        raise CommandError(
            f"{model!r} is not known",
            place="--model",
            allowed=", ".join(MODELS),
            remedy="use one of them",
        )
    return LineSettings(known.baud, Parity(known.parity or Parity.NONE))


def _line_at(table: TableConfig, options: MonitorOptions, config: Path) -> LineSettings:
    """The line of this port in the configuration. Raises CommandError."""
    for port, line in table.lines:
        if same_port(port, options.port):
            return line
    ports = ", ".join(port for port, _ in table.lines)
    raise CommandError(
        f"{options.port} is not a port of {config}",
        place="PORT",
        allowed=ports,
        remedy="use one of them, or leave --config out",
    )


def _model_at(table: TableConfig, options: MonitorOptions) -> tuple[str, ShoeSettings]:
    """The model at this port; an auxiliary reader is monitored like the one in an RFID shoe."""
    for reader in table.settings.readers:
        if same_port(reader.port, options.port):
            return RFID_SHOE, ShoeSettings(reader=reader.reader, delivery=reader.delivery)
    for scanner in table.settings.scanners:
        if same_port(scanner.port, options.port):
            return scanner.model, ShoeSettings()
    shuffler = table.settings.shuffler
    if shuffler is not None and same_port(shuffler.port, options.port):
        return f"{shuffler.model}{_AS_SHUFFLER}", ShoeSettings()
    shoe = table.settings.shoe
    return shoe.model, shoe_driver_settings(shoe)


def _monitored(
    options: MonitorOptions,
    model: str,
    settings: ShoeSettings,
    line: LineSettings,
    allowed: AllowList | None,
    *,
    masked: bool,
) -> MonitoredPort:
    line = replace(line, baud=options.baud or line.baud)
    if model in SCANNER_MODELS:
        # A monitor receives only its own states, which the type of a union cannot express.
        monitor = cast("ShoeMonitor", build_scanner_monitor(model, to_words, masked=masked))
        remark = SILENT_SCANNER if model == HID_POS else ""
        return MonitoredPort(model, line, allowed, monitor, remark)
    if model in SHUFFLERS:
        name = SHUFFLERS[model].name
        monitor = cast("ShoeMonitor", build_shuffler_monitor(name, to_words, masked=masked))
        return MonitoredPort(model, line, allowed, monitor, UNGREETED_DEVICE)
    settings = replace(
        settings,
        seq_cycle=options.seq_cycle or settings.seq_cycle,
        bcc_reading=options.bcc_reading or settings.bcc_reading,
    )
    remark = UNGREETED_DEVICE if model == TABLELINK else ""
    return MonitoredPort(
        model, line, allowed, build_monitor(model, settings, to_words, masked=masked), remark
    )


@contextmanager
def maintenance_lock(config_file: Path, port: str) -> Iterator[None]:
    """Keep the table of this configuration from starting while the block runs.

    Raises CommandError: the port is another table's, the table runs, or a shoe is open.
    """
    config = load_config(config_file)
    if not any(same_port(configured, port) for configured, _ in config.lines):
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
