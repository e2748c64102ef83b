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

from msgspec import Struct, to_builtins

from controller.archive.sealer import Sealer
from controller.config.load import ConfigError, TableConfig, load_config
from controller.control.server import ControlServer
from controller.core.build import SETTINGS
from controller.install.approval import approval_of, missing_parts
from controller.journal.folder_lock import narrow_modes
from controller.journal.people import PeopleFile
from controller.journal.values import JournalError
from controller.metrics.collector import TableMetrics
from controller.metrics.server import MetricsServer, MetricsUnavailable
from controller.profiles.load import load_clauses
from controller.service.device_log import (
    HostLog,
    WireLogger,
    device_role,
    log_batches,
    log_identities,
    log_warnings,
    logging_port,
    logging_refusals,
)
from controller.service.irregularity_log import IrregularityLog
from controller.service.manifest_lookup import ManifestLookup
from controller.service.noise_limit import NoiseLimit, noise_limit_of
from controller.service.stored_chunks import stored_chunks
from controller.service.usb_hotplug import UsbHotplug
from controller.system.process import make_undumpable, runs_as_root
from controller.system.systemd import Notifier
from controller.table.clock_sync import ClockSyncMonitor
from controller.table.disk_space import DiskMonitor
from controller.table.fault_text import describe_fault, traceback_text
from controller.table.loop import StoredTransaction
from controller.table.table import Health, RunSpec, Table
from controller.tape.inputs import Started
from controller.version import VERSION
from controller.views.people import people_view
from controller.views.snapshot import Plain, snapshot
from drivers.events import Stage
from firmware_bridge.attestation import NO_TRUST
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
    logging.basicConfig(
        level=logging.WARNING,
        stream=sys.stderr,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    # Only this program logs at INFO; the state table's library would log which hand draws.
    LOG.setLevel(logging.INFO)
    threading.excepthook = _log_thread_error
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
    """The parts of the running program."""

    table: Table
    pumps: tuple[PortPump, ...]
    batches: ManifestLookup
    devices: DeviceWatch
    disk: DiskMonitor
    clock_sync: ClockSyncMonitor
    control: ControlServer
    metrics: MetricsServer | None


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
    people = PeopleFile(config.journal_folder)
    batches = ManifestLookup(config.batches_folder, config.batch_keys, now, people.id_of)

    irregularities, host_log = IrregularityLog(), HostLog()

    def on_stored(stored: StoredTransaction) -> None:
        metrics.observe(stored)
        batches.on_stored(stored)
        log_batches(stored)
        log_identities(config.settings, stored)
        log_warnings(stored)
        host_log.on_stored(stored)
        assert table.core is not None, "what is stored was concluded by a core"
        irregularities.on_stored(table.core.book, stored)

    table = Table(config.settings.table, spec, now, on_stored)
    _stop_on_signal(table)
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
        _serve(config, parts)
    finally:
        _shut_down(parts)
    _raise_failure(table)
    LOG.info("table %s stopped; everything is stored", table.name)


def _narrow_journal(folder: Path) -> None:
    """Take the rights of others from a journal of an earlier version, and say so."""
    try:
        if narrow_modes(folder):
            LOG.warning("%s: other accounts could read it; from now on this one alone may", folder)
    except JournalError as error:
        raise StartRefused(str(error)) from error


def _stop_on_signal(table: Table) -> None:
    """Stop the table from a thread: a signal handler could run while the queue holds its lock."""
    numbers = (signal.SIGTERM, signal.SIGINT)
    # Blocked before any other thread starts, so that only the waiting thread gets the signals.
    signal.pthread_sigmask(signal.SIG_BLOCK, numbers)

    def wait() -> None:
        signal.sigwait(numbers)
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

    def snapshot_of_table() -> Plain:
        published = table.published
        assert published is not None, "a running table has published its first state"
        answered = [to_builtins(one) for one in batches.answered]
        sealing = table.sealing_status
        return {
            **snapshot(*published, table.health.value, table.failure),
            "batches_named": answered,
            "seals": sealing.snapshot_fields() if sealing is not None else None,
            "people": people_view(published[1].table.staff, people.account_count()),
        }

    control = ControlServer(
        config.control_socket,
        table,
        snapshot_of_table,
        people,
        unix=config.unix_people,
        group=config.control_group,
    )
    control.start()
    server = None
    if config.metrics_enabled:
        server = MetricsServer(config.metrics_address, config.metrics_port, ((table, metrics),))
        try:
            server.start()
        except BaseException:
            control.stop()
            raise
    since_ns = now().utc_ns - NoiseLimit.WINDOW_NS
    stored = stored_chunks(config.journal_folder, since_ns)
    pumps = tuple(_pump(config, table, url, line, stored) for url, line in config.lines)
    # Before the ports: stored at once, so that the records of a start have one order.
    clock_sync = ClockSyncMonitor(now)
    clock_sync.start(table.act)
    # Bind the batches before the shoe's port opens and the first card can be read.
    batches.start(table.put, config.bound_batches)
    for pump in pumps:
        pump.start()
    hotplug = UsbHotplug(config.allowed, pumps, logging_refusals(table.put))
    devices = DeviceWatch(hotplug.on_device_event)
    devices.start()
    disk.start(table.put)
    return ProgramParts(table, pumps, batches, devices, disk, clock_sync, control, server)


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


def _serve(config: TableConfig, parts: ProgramParts) -> None:
    """Notify systemd that the table is ready, then wait for its end."""
    table = parts.table
    notifier = Notifier()
    _wait_for_port(table)
    gc.freeze()
    gc.enable()
    where = f"control {config.control_socket}"
    if parts.metrics is not None:
        where += f", metrics {parts.metrics.url}"
    LOG.info("table %s is running; journal %s, %s", table.name, config.journal_folder, where)
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


def _shut_down(parts: ProgramParts) -> None:
    parts.devices.stop()
    parts.disk.stop()
    parts.clock_sync.stop()
    for pump in parts.pumps:
        pump.stop()
    parts.batches.stop()
    parts.table.stop()
    parts.table.join()
    for pump in parts.pumps:
        pump.join()
    parts.batches.join()
    parts.devices.join()
    parts.disk.join()
    parts.clock_sync.join()
    parts.control.stop()
    if parts.metrics is not None:
        parts.metrics.stop()


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
