"""What `smartshoe devices monitor` watches: model, line and monitor of one port.

Responsible for: finding them in a table's configuration or from a model's name, with what the
person says besides.
Not responsible for: watching (cli_monitor), options and refusals (cli_devices), maintenance
(cli_maintenance).
Source: package README, "Devices of a table", "Three levels"; D-8 (a scan is not disclosure).
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import cast

from controller.cli.errors import Exit, Unable
from controller.config.load import TableConfig, load_config
from controller.core.build import shoe_settings
from controller.journal.store import Journal, JournalError
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

# A shoe and a shuffler may be of one name in their sections; here there are no sections.
_AS_SHUFFLER = "-shuffler"
SHUFFLERS = MappingProxyType(
    {f"{name}{_AS_SHUFFLER}": model for name, model in SHUFFLER_MODELS.items()}
)
MODELS = (*SHOE_MODELS, *SCANNER_MODELS, *SHUFFLERS)
SILENT_SCANNER = (
    "a scanner that was plugged in anew may be silent until a table has opened it: the monitor only"
    " listens"
)
UNGREETED_DEVICE = (
    "a TableLink device says little until a table has greeted it: the monitor only listens"
)


@dataclass(frozen=True, slots=True)
class Said:
    """What the person says; empty or 0 where it is left to the configuration or the model."""

    port: str
    model: str = ""
    baud: int = 0
    seq_cycle: str = ""
    bcc_reading: str = ""


@dataclass(frozen=True, slots=True)
class WatchedPort:
    """One port: how to open it, and what tells its lines. `remark` for the person, or empty."""

    model: str
    line: LineSettings
    allowed: AllowList | None
    monitor: ShoeMonitor
    remark: str = ""


def watched_port(said: Said, config: Path | None, *, masked: bool) -> WatchedPort:
    """Raises Unable, and BadShoeSettings for a setting there is not."""
    if config is None:
        model = said.model or ANGEL_EYE_II_EX
        return _watched(said, model, ShoeSettings(), _line_of(model), None, masked=masked)
    table = load_config(config)
    line = _line_at(table, said, config)
    model, settings = _model_at(table, said)
    if said.model and said.model != model:
        model, line = said.model, _line_of(said.model)
    return _watched(said, model, settings, line, table.allowed, masked=masked)


def same_port(configured: str, port: str) -> bool:
    """Whether two names are one port; links such as /dev/serial/by-id are followed."""
    if configured == port:
        return True
    return "://" not in configured and os.path.realpath(configured) == os.path.realpath(port)


def _line_of(model: str) -> LineSettings:
    """The model's own speed and parity. Raises Unable."""
    known = SHOE_MODELS.get(model) or SCANNER_MODELS.get(model) or SHUFFLERS.get(model)
    if known is None:
        raise Unable(f"--model {model} is not known; allowed: {', '.join(MODELS)}")
    return LineSettings(known.baud, Parity(known.parity or Parity.NONE))


def _line_at(table: TableConfig, said: Said, config: Path) -> LineSettings:
    """The line of this port in the configuration. Raises Unable."""
    for port, line in table.lines:
        if same_port(port, said.port):
            return line
    ports = ", ".join(port for port, _ in table.lines)
    raise Unable(f"{said.port} is no port of {config}; its ports: {ports}")


def _model_at(table: TableConfig, said: Said) -> tuple[str, ShoeSettings]:
    """What stands at this port; a reader beside the shoe speaks as the one in an RFID shoe does."""
    for reader in table.settings.readers:
        if same_port(reader.port, said.port):
            return RFID_SHOE, ShoeSettings(reader=reader.reader, delivery=reader.delivery)
    for scanner in table.settings.scanners:
        if same_port(scanner.port, said.port):
            return scanner.model, ShoeSettings()
    shuffler = table.settings.shuffler
    if shuffler is not None and same_port(shuffler.port, said.port):
        return f"{shuffler.model}{_AS_SHUFFLER}", ShoeSettings()
    shoe = table.settings.shoe
    return shoe.model, shoe_settings(shoe)


def _watched(
    said: Said,
    model: str,
    settings: ShoeSettings,
    line: LineSettings,
    allowed: AllowList | None,
    *,
    masked: bool,
) -> WatchedPort:
    line = replace(line, baud=said.baud or line.baud)
    if model in SCANNER_MODELS:
        # A monitor takes only states that it gave itself, which no type can say of a union.
        monitor = cast("ShoeMonitor", build_scanner_monitor(model, masked=masked))
        remark = SILENT_SCANNER if model == HID_POS else ""
        return WatchedPort(model, line, allowed, monitor, remark)
    if model in SHUFFLERS:
        name = SHUFFLERS[model].name
        monitor = cast("ShoeMonitor", build_shuffler_monitor(name, masked=masked))
        return WatchedPort(model, line, allowed, monitor, UNGREETED_DEVICE)
    settings = replace(
        settings,
        seq_cycle=said.seq_cycle or settings.seq_cycle,
        bcc_reading=said.bcc_reading or settings.bcc_reading,
    )
    remark = UNGREETED_DEVICE if model == TABLELINK else ""
    return WatchedPort(model, line, allowed, build_monitor(model, settings, masked=masked), remark)


@contextmanager
def held_for_maintenance(config_file: Path, port: str) -> Iterator[None]:
    """Keep the table of this configuration from running, and its shoe from being open, meanwhile.

    Raises Unable: the port is another table's, the table runs, or a shoe is open.
    """
    config = load_config(config_file)
    if not any(same_port(configured, port) for configured, _ in config.lines):
        raise Unable(
            f"{config_file} is about {config.settings.shoe.port}, not about {port}: give the "
            "configuration of the table at this port"
        )
    with ExitStack() as held:
        if config.journal_folder.exists():
            held.enter_context(_closed_table(config.journal_folder))
        yield


@contextmanager
def _closed_table(folder: Path) -> Iterator[None]:
    """Hold the journal, so that no table starts on it, once it says that no shoe is open."""
    try:
        journal = Journal.open(folder, create=False)
    except JournalError as error:
        raise Unable(f"no maintenance now: {error}", Exit.NO) from error
    with journal:
        if recover(journal, load_clauses()).shoe_open:
            raise Unable(
                "no maintenance now: a shoe is open at this table. Finish it, or close it with "
                "`smartshoe close-shoe`, then stop the table",
                Exit.NO,
            )
        yield
