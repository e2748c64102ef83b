"""`smartshoe run`: the composition root, which builds one table's program and stops it on a signal.

Source: controller/table/README.md, "Running a table".
"""

import gc
import logging
import signal
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from controller.archive.sealer import Sealer
from controller.config.document import ConfigError
from controller.config.load import TableConfig, load_config
from controller.control.server import ControlServer
from controller.core.stored_settings import SETTINGS
from controller.install.approval import approval_of, missing_parts
from controller.journal.folder_lock import narrow_modes
from controller.journal.people import PeopleFile
from controller.journal.values import JournalError
from controller.metrics.collector import TableMetrics
from controller.metrics.server import MetricsServer, MetricsUnavailable
from controller.profiles.load import load_clauses
from controller.service.device_log import (
    WireLogger,
    device_role,
    logging_port,
    logging_refusals,
)
from controller.service.manifest_lookup import ManifestLookup
from controller.service.noise_limit import NoiseLimit, noise_limit_of
from controller.service.power_fail import PowerFail
from controller.service.signal_lines import signal_lines_of
from controller.service.stored_chunks import stored_chunks
from controller.service.table_log import LinesBehind, TableLog
from controller.service.usb_hotplug import UsbHotplug
from controller.system.process import make_undumpable, runs_as_root
from controller.system.systemd import Notifier
from controller.table.clock_sync import ClockSyncMonitor
from controller.table.disk_space import DiskMonitor
from controller.table.fault_text import describe_fault, traceback_text
from controller.table.table import RunSpec, Table
from controller.tape.inputs import PowerSign, Started
from controller.version import VERSION
from controller.views.build import build_snapshot
from controller.views.snapshot import Health, RunFacts, Snapshot
from drivers.events import Stage
from firmware_bridge.attestation import NO_TRUST
from firmware_bridge.gpio.chip import GpioUnavailable
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.hotplug import DeviceWatch
from firmware_bridge.transport.open_port import open_port
from firmware_bridge.transport.port import Chunk, LineSettings, PortEvent
from firmware_bridge.transport.pump import PortPump

LOG = logging.getLogger("smartshoe")
BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
PORT_WAIT_S: Final = 1.0
NOT_OPEN: Final = (Stage.CLOSED, Stage.LOST)
IDLE_WAIT_S: Final = 3600.0
STOP_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGPWR)
_AFTER_FAILURE: Final = "start it again: what is stored is kept; please report the log"


class StartRefused(Exception):
    """The table may not start; the message says why and what to do."""


class TableFailed(Exception):
    """The table started and ended by an error; the message says which."""


def run_configured(file: Path, *, close_coup_as_partial: bool, as_root: bool) -> None:
    """Run the table of this configuration until a signal stops it.

    Raises ConfigError for an unreadable configuration, StartRefused and TableFailed.
    """
    if not __debug__:
        raise StartRefused(
            "python: -O removes the assertions the program needs. Remedy: start it without -O"
        )
    # Blocked before any other thread starts, so that only the waiting thread gets the signals.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    lines = _log_to_stderr()
    try:
        _run_approved(file, close_coup_as_partial=close_coup_as_partial, as_root=as_root)
    except (ConfigError, StartRefused):
        signal.pthread_sigmask(signal.SIG_SETMASK, before)  # no thread waits for them
        raise
    finally:
        logging.getLogger().removeHandler(lines)
        lines.close()


def _log_to_stderr() -> LinesBehind:
    """Log to the standard error stream; nobody waits for it."""
    lines = logging.StreamHandler(sys.stderr)
    lines.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    behind = LinesBehind(lines)
    logging.basicConfig(level=logging.WARNING, handlers=[behind])
    # Only this program logs at INFO; the state table's library would log which hand draws.
    LOG.setLevel(logging.INFO)
    threading.excepthook = _log_thread_error
    return behind


def _run_approved(file: Path, *, close_coup_as_partial: bool, as_root: bool) -> None:
    try:
        config = load_config(file)
    except ConfigError as error:
        if error.unreadable:
            raise
        raise StartRefused(str(error)) from error
    if runs_as_root() and not as_root:
        raise StartRefused(
            "account: root may do more than a table needs. Allowed: an account of the table's own."
            " Remedy: start it as that account (`systemctl start smartshoe@TABLE`, `runuser -u"
            " smartshoe`), or on a bench with --as-root"
        )
    make_undumpable()
    _require_approval(config)
    run_table(config, close_coup_as_partial=close_coup_as_partial)


def _require_approval(config: TableConfig) -> None:
    """Say what of the configuration is approved. Raises StartRefused if a required part is not."""
    approval = approval_of(config)
    for line in approval.words() if approval is not None else ():
        LOG.info("approval: %s", line)
    missing = missing_parts(config, approval)
    if missing:
        raise StartRefused(
            f"{config.file}: approval: not approved: {', '.join(missing)}. Allowed: what a key of"
            " `keys` has signed. Remedy: have it approved (`smartshoe approve`), or put back what"
            " was; `smartshoe check-config` says why"
        )


def _log_thread_error(hook: threading.ExceptHookArgs) -> None:
    """Log the unexpected end of a thread, without the error's message, which may name a card."""
    thread = hook.thread.name if hook.thread is not None else "a thread"
    if hook.exc_value is not None:
        fault, trace = describe_fault(hook.exc_value), traceback_text(hook.exc_traceback)
        LOG.error("%s: %s\n%s", thread, fault, trace)


class ProgramParts(Struct, frozen=True):
    """What runs around the table: sources of inputs end before it, servers answer until after."""

    sources: tuple[ClockSyncMonitor | PortPump | DeviceWatch | DiskMonitor, ...]
    servers: tuple[ControlServer | MetricsServer, ...]
    where: str


def run_table(config: TableConfig, *, close_coup_as_partial: bool) -> None:
    """Run until a signal. Raises StartRefused and TableFailed."""
    _narrow_journal(config.journal_folder)
    shuffler = config.settings.shuffler is not None
    metrics = TableMetrics(config.settings.table, shuffler=shuffler)
    disk = DiskMonitor(config.journal_folder, config.disk_limits, now)
    spec = RunSpec(
        journal=config.journal_folder,
        clauses=load_clauses(),
        start=_start_function(config),
        close_coup_as_partial=close_coup_as_partial,
        disk_refusal=disk.refusal,
        sealer=Sealer(
            config.settings.table, config.signing, now, Notifier().starting, config.witnesses
        ),
    )
    table = Table(config.settings.table, spec, now)
    batches = ManifestLookup(
        config.batches_folder,
        config.batch_keys,
        now,
        PeopleFile(config.journal_folder).id_of,
        table.put,
        table.announce,
    )
    # Who follows what is stored: in this order, after sealing, none in a card's path.
    table.subscribe((metrics, batches, TableLog(config.settings)))
    try:
        signal_lines = signal_lines_of(config.machine.outputs, table.name)
        power = PowerFail(table, config.machine.power)
    except GpioUnavailable as error:
        raise StartRefused(str(error)) from error
    if signal_lines is not None:
        table.subscribe((signal_lines,))
    _stop_on_signal(table, power)
    power.start()
    try:
        _run(config, table, metrics, batches, disk)
    finally:
        power.stop()
        if signal_lines is not None:
            signal_lines.close()
    LOG.info("table %s stopped; everything is stored", table.name)


def _run(
    config: TableConfig,
    table: Table,
    metrics: TableMetrics,
    batches: ManifestLookup,
    disk: DiskMonitor,
) -> None:
    """Start the table, serve it until it ends, and end the rest of the program."""
    table.start()
    if table.health is not Health.RUNNING:
        table.join()
        _raise_failure(table)
    try:
        parts = _assemble(config, table, metrics, batches, disk)
    except (MetricsUnavailable, OSError) as error:
        table.stop()
        table.join()
        raise StartRefused(str(error)) from error
    try:
        _serve(config, table, parts)
    finally:
        _shut_down(table, parts)
    _raise_failure(table)


def _narrow_journal(folder: Path) -> None:
    """Take the rights of others from a journal of an earlier version, and say so."""
    try:
        if narrow_modes(folder):
            LOG.warning("%s: other accounts could read it; from now on this one alone may", folder)
    except JournalError as error:
        raise StartRefused(str(error)) from error


def _stop_on_signal(table: Table, power: PowerFail) -> None:
    """Stop the table from a thread: a signal handler could run while the queue holds its lock."""

    def wait() -> None:
        if signal.sigwait(STOP_SIGNALS) == signal.SIGPWR:
            power.fails(PowerSign.SIGNAL)
        table.stop()

    threading.Thread(target=wait, name="signals", daemon=True).start()


def _start_function(config: TableConfig) -> Callable[[str], Started]:
    configuration = SETTINGS.encode(config.settings)
    boot_id = BOOT_ID.read_text().strip()

    def start(replaced: str) -> Started:
        return Started(
            at=now(),
            boot_id=boot_id,
            software=VERSION,
            configuration=configuration,
            profile=config.profile_text.encode(),
            zone=config.zone_data,
            replaced=replaced,
        )

    return start


def _assemble(
    config: TableConfig,
    table: Table,
    metrics: TableMetrics,
    batches: ManifestLookup,
    disk: DiskMonitor,
) -> ProgramParts:
    people = PeopleFile(config.journal_folder)

    def snapshot_of_table() -> Snapshot:
        published = table.published
        assert published is not None, "a running table has published its first state"
        sealing = table.sealing_status
        facts = RunFacts(
            health=table.health,
            failure=table.failure,
            batches_named=batches.answered,
            seals=sealing.view() if sealing is not None else None,
            accounts=people.account_count(),
        )
        return build_snapshot(*published, facts)

    control = ControlServer(
        config.control_socket,
        table,
        snapshot_of_table,
        people,
        unix=config.unix_people,
        group=config.control_group,
    )
    control.start()
    servers: tuple[ControlServer | MetricsServer, ...] = (control,)
    where = f"control {config.control_socket}"
    if config.metrics_enabled:
        server = MetricsServer(config.metrics_address, config.metrics_port, ((table, metrics),))
        try:
            server.start()
        except BaseException:
            control.stop()
            raise
        servers = (control, server)
        where += f", metrics {server.url}"
    since_ns = now().utc_ns - NoiseLimit.WINDOW_NS
    stored = stored_chunks(config.journal_folder, since_ns)
    pumps = tuple(_pump(config, table, url, line, stored) for url, line in config.lines)
    # Before the ports: stored at once, so that the records of a start have one order.
    clock_sync = ClockSyncMonitor(now)
    clock_sync.start(table.act)
    # Bind the batches before the shoe's port opens and the first card can be read.
    batches.bind(config.bound_batches)
    for pump in pumps:
        pump.start()
    hotplug = UsbHotplug(config.allowed, pumps, logging_refusals(table.put))
    devices = DeviceWatch(hotplug.on_device_event)
    devices.start()
    disk.start(table.put)
    return ProgramParts((devices, disk, clock_sync, *pumps), servers, where)


def _pump(
    config: TableConfig,
    table: Table,
    url: str,
    line: LineSettings,
    stored: Mapping[str, Sequence[Chunk]],
) -> PortPump:
    limit = noise_limit_of(config.settings, url, table.put)
    put: Callable[[PortEvent], object] = table.put
    if limit is not None:
        limit.resume(stored.get(url, ()), now())
        table.attach_last_inputs(limit.last_statement)
        put = limit.put
    put = logging_port(device_role(config.settings, url), put)
    if config.log_level_wire != "off" and url == config.settings.shoe.port:
        put = WireLogger(config.settings.shoe, config.log_level_wire, put).put
    pump = PortPump(url, open_port(url, line, config.allowed), put)
    table.attach_writer(url, pump)
    return pump


def _serve(config: TableConfig, table: Table, parts: ProgramParts) -> None:
    """Notify systemd that the table is ready, then wait for its end."""
    notifier = Notifier()
    _wait_for_port(table)
    gc.freeze()
    gc.enable()
    LOG.info("table %s is running; journal %s, %s", table.name, config.journal_folder, parts.where)
    bare = _bare_devices(config)
    bare_text = f"; BARE devices accepted: {bare}" if bare else ""
    notifier.ready(f"table {table.name} is running{bare_text}")
    interval_s = notifier.watchdog_interval_s or IDLE_WAIT_S
    while not table.join(interval_s):
        if notifier.watchdog_interval_s and table.responds(interval_s):
            notifier.alive()
    notifier.stopping()


def _bare_devices(config: TableConfig) -> str:
    """Names of the devices that the configuration accepts without a proven identity."""
    shoe, shuffler = config.settings.shoe, config.settings.shuffler
    devices = (("shoe", shoe.trust), ("shuffler", shuffler.trust if shuffler else NO_TRUST))
    return ", ".join(name for name, trust in devices if trust.bare)


def _wait_for_port(table: Table) -> None:
    """Wait briefly for the shoe's port to open; the table is ready without it, too."""
    version = 0
    deadline_ns = now().monotonic_ns + int(PORT_WAIT_S * 1e9)
    while (left_ns := deadline_ns - now().monotonic_ns) > 0:
        published = table.published
        if published is not None and published[1].shoe_driver.stage not in NOT_OPEN:
            return
        version = table.wait_for_change(version, left_ns / 1e9)


def _shut_down(table: Table, parts: ProgramParts) -> None:
    for source in parts.sources:
        source.stop()
    table.stop()
    table.join()
    for source in parts.sources:
        source.join()
    for server in parts.servers:
        server.stop()


def _raise_failure(table: Table) -> None:
    """Raise why the table does not run; nothing if it was stopped on request."""
    match table.health:
        case Health.STOPPED:
            return
        case Health.REFUSED:
            raise StartRefused(table.failure)
        case Health.FAILED:
            raise TableFailed(f"{table.failure}. Remedy: {_AFTER_FAILURE}")
        case _:
            raise TableFailed(table.failure)
