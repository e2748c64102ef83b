"""The checked configuration of one table as one value; loads nothing that reads table.toml."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from controller.archive.signer import SigningSettings
from controller.archive.witness import WitnessSettings
from controller.core.settings import Settings
from controller.record.signals import Light
from controller.rules.settlement.pit import SharedSetting
from controller.system.tls import ServerTlsFiles
from controller.table.disk_space import DiskLimits
from firmware_bridge.gpio.line import GpioLine
from firmware_bridge.transport.allow_list import AllowList
from firmware_bridge.transport.port import LineSettings

if TYPE_CHECKING:
    from controller.archive.consumers import FeedSettings
    from controller.system.line_output import LineOutputSettings


class ConsoleSettings(Struct, frozen=True):
    """Where the page is served and how; `tls` None: without TLS. Port 0 is any free one."""

    address: str
    port: int
    tls: ServerTlsFiles | None
    hosts: tuple[str, ...]
    sign_on_minutes: int
    language: str


class PowerSettings(Struct, frozen=True):
    """The line whose level says that the power fails."""

    line: GpioLine
    active_low: bool


class OutputSettings(Struct, frozen=True):
    """The lines of the lamps that there are, and of the exit lock.

    A line without power is low, and so is every line while the table does not run: `closed_high`
    False is a lock that is closed then.
    """

    lamps: Mapping[Light, GpioLine]
    exit_lock: GpioLine | None
    closed_high: bool

    @property
    def lines(self) -> tuple[GpioLine, ...]:
        lock = () if self.exit_lock is None else (self.exit_lock,)
        return (*self.lamps.values(), *lock)


class MachineLines(Struct, frozen=True):
    """The lines of the machine that the table uses; None for what it has not."""

    power: PowerSettings | None = None
    outputs: OutputSettings | None = None


class OverlaySettings(Struct, frozen=True):
    """Where lines go, and how a recorder takes them: `width` characters at most."""

    output: "LineOutputSettings"
    width: int
    encoding: Literal["ascii", "latin-1"]
    crlf: bool


class ApprovalSettings(Struct, frozen=True):
    """The approval's file, the public keys that may sign it, and what a start requires of it."""

    file: Path
    keys: tuple[Path, ...]
    required: tuple[str, ...]


class TableConfig(Struct, frozen=True):
    """One table. Paths are absolute. `metrics_port` 0 means any free one.

    `lines` are the ports of all devices with their line settings, the shoe's first, then readers
    and scanners in the order of the file, then the shuffler's. `allowed` is
    None without a list of USB devices; then any device but a keyboard may be opened.
    `bound_batches` are the names of the batches bound at the start; `batch_keys` are the files of
    the public keys whose receipts are trusted.

    `metrics_tls` None: the metrics are served without TLS; `metrics_passwords` None: without names.
    `console` None: neither page nor API is served.
    `signing` says how the seals of finished shoes are signed, `witnesses` who cosigns heads,
    `approval` who approves rules and configuration. `machine`: power-fail line, stack light, lock.
    `overlay`: video recorders that take text lines, None without any.
    `feeds` are the consumers of the floor feed.

    `settings`, `profile_text` and `zone_data` (TZif) go into the first input of the run; the rest
    concerns only this machine. `trial`: no byte is written to a device. `log_level_wire` is one of
    off, bytes, frames, events. `remarks` are sentences about allowed settings that people have to
    watch. `shared_settings` are those that its pit may bind. `control_group` may use the control
    socket, empty for the group of the program; `unix_people` names the person to whom an account of
    the machine belongs.
    """

    file: Path
    settings: Settings
    profile_name: str
    profile_text: str
    zone_name: str
    zone_data: bytes
    lines: tuple[tuple[str, LineSettings], ...]
    allowed: AllowList | None
    log_level_wire: str
    batches_folder: Path
    batch_keys: tuple[Path, ...]
    bound_batches: tuple[str, ...]
    journal_folder: Path
    signing: SigningSettings
    witnesses: tuple[WitnessSettings, ...]
    disk_limits: DiskLimits
    metrics_enabled: bool
    metrics_address: str
    metrics_port: int
    control_socket: Path
    control_group: str
    unix_people: Mapping[str, str]
    feeds: "tuple[FeedSettings, ...]" = ()
    approval: ApprovalSettings | None = None
    machine: MachineLines = MachineLines()
    metrics_tls: ServerTlsFiles | None = None
    metrics_passwords: Path | None = None
    console: ConsoleSettings | None = None
    overlay: OverlaySettings | None = None
    trial: bool = False
    remarks: tuple[str, ...] = ()
    shared_settings: tuple[SharedSetting, ...] = ()
