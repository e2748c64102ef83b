"""One table with all that runs around it: ports, monitors, control socket, metrics, lines."""
# ruff: noqa: PLC0415 - approval, overlay and lines are loaded only where a table has them.

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import Struct

from controller.archive.sealer import Sealer
from controller.core.stored_settings import SETTINGS
from controller.core.tape.inputs import AdvisoryGiven, PowerSign, Started
from controller.journal.folder import narrow_modes
from controller.journal.people import PeopleFile
from controller.journal.values import JournalError
from controller.outlets.console.sites import WebPlace, WebServers, WebUnavailable
from controller.outlets.console.table_parts import ConsolePart
from controller.outlets.control.server import ControlServer
from controller.outlets.control.table_requests import TableRequests
from controller.outlets.metrics.table_metrics import TableMetrics, device_labels
from controller.record.build import build_snapshot
from controller.record.snapshot import Health, RunFacts, Snapshot
from controller.rules.profiles.load import load_clauses
from controller.service.awaited_ports import AwaitedPorts, PutPort
from controller.service.config.table_config import TableConfig
from controller.service.coup_history import CoupHistory
from controller.service.feeds import Feeds, FeedWake, feeds_of, stop_feeds
from controller.service.manifest_lookup import ManifestLookup
from controller.service.noise_limit import NoiseLimit, noise_limit_of, stored_chunks
from controller.service.power_fail import PowerFail, PowerLines
from controller.service.shoe_monitors import PauseWatch, ShoeMonitors
from controller.service.table_log import (
    TableLog,
    WireLogger,
    counting_port,
    device_role,
    logging_port,
    logging_refusals,
)
from controller.service.usb_hotplug import UsbHotplug
from controller.system.systemd import Notifier
from controller.table.disk_space import DiskMonitor
from controller.table.monitor import ClockSyncMonitor
from controller.table.serial_servers import SerialServersFile
from controller.table.stored_until import StoredUntil, note_file
from controller.table.table import RunSpec, Table
from controller.version import software_identifier
from drivers.events import Stage
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.open_port import ListeningPort, open_port
from firmware_bridge.transport.port import Chunk, LineSettings
from firmware_bridge.transport.pump import PortPump
from firmware_bridge.transport.usb_sysfs import DeviceWatch

if TYPE_CHECKING:
    from controller.outlets.overlay.overlay import Overlay
    from controller.service.signal_lines import SignalLines

LOG = logging.getLogger("smartshoe")
BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
PORT_WAIT_S: Final = 1.0
NOT_OPEN: Final = (Stage.CLOSED, Stage.LOST)
IDLE_WAIT_S: Final = 3600.0
PUMP_END_S: Final = 0.2
_AFTER_FAILURE: Final = "start it again: what is stored is kept; please report the log"

# What puts inputs: ports, monitors. They end before the table.
InputSource: TypeAlias = ClockSyncMonitor | PortPump | DeviceWatch | DiskMonitor | PauseWatch


class StartRefused(Exception):
    """The table may not start; the message says why and what to do."""


class TableFailed(Exception):
    """The table started and ended by an error; the message says which."""


class NoDiskSpace(TableFailed):
    """The journal's disk is full: until somebody makes room, each start is refused, too."""


class SharedParts(Struct, frozen=True):
    """What the tables of one process share: web servers and watched power lines.

    `several`: there may be more than one. `waits` is called with a table's name and the held
    ports that it waits for, in words: when it serves people, and at each change until they are
    free. From any thread.
    """

    several: bool
    web: WebServers
    power_lines: PowerLines
    waits: Callable[[str, str], object] = lambda _table, _words: None


class TableProgram:
    """One run of a table. `stop` and `power_fails` may be called from any thread, at any time.

    `metrics` are for a collector, in this program's own page or in that of another.
    """

    def __init__(
        self, config: TableConfig, shared: SharedParts, *, close_coup_as_partial: bool
    ) -> None:
        self._config = config
        self._shared = shared
        self._disk = DiskMonitor(config.journal_folder, config.disk_limits, now)
        spec = RunSpec(
            journal=config.journal_folder,
            clauses=load_clauses(),
            start=_start_function(config),
            close_coup_as_partial=close_coup_as_partial,
            disk_refusal=self._disk.refusal,
            shares=shared.several,
            stored_until=StoredUntil(note_file(config.control_socket)),
            sealer=Sealer(
                config.settings.table, config.signing, now, Notifier().starting, config.witnesses
            ),
        )
        self._table = Table(config.settings.table, spec, now)
        self.metrics = TableMetrics(
            self._table,
            config.settings.pit,
            devices=device_labels(config.settings),
            journal=config.journal_folder,
            consumers=lambda: tuple(one.status for one in self._feeds),
        )
        self._power = PowerFail(self._table)
        self._people = PeopleFile(config.journal_folder)
        self._requests = TableRequests(
            self._table, self._snapshot, self._people, unix=config.unix_people
        )
        self._batches = ManifestLookup(
            config.batches_folder,
            config.batch_keys,
            now,
            self._people.id_of,
            self._table.put,
            self._table.announce,
        )

        self._overlay = overlay_of(config)
        self._monitors = ShoeMonitors(
            config.journal_folder,
            self.metrics.count_advisory,
            self._table.announce,
            lambda advisory: self._table.put(AdvisoryGiven(now(), advisory)),
        )

        self._coups = CoupHistory(config.journal_folder, self._table.announce)
        self._feeds: Feeds = feeds_of(config, self._table)
        self._web_places = ""
        self._awaited = AwaitedPorts(
            {url: device_role(config.settings, url) for url, _line in config.lines},
            self._say_waiting,
        )

    def stop(self) -> None:
        """Store what waits, and end; returns at once."""
        self._awaited.end()
        self._table.stop()

    def power_fails(self, sign: PowerSign) -> None:
        """The power fails: stop at once."""
        self._power.fails(sign)

    def run(self, running: Callable[[], None]) -> None:
        """Run until a stop or a failure; calls `running` once the table serves people.

        Raises StartRefused and TableFailed.
        """
        config, table = self._config, self._table
        _require_approval(config)
        _narrow_journal(config.journal_folder)
        signal_lines = self._take_lines()
        # Who follows what is stored, none in a card's path.
        log = TableLog(config.settings)
        table.subscribe(self.metrics, log, self._monitors, self._coups)
        table.subscribe_apart(self._batches)
        if signal_lines is not None:
            table.subscribe_apart(signal_lines)
        if self._overlay is not None:
            table.subscribe_apart(self._overlay)
        if self._feeds:
            table.subscribe_apart(FeedWake(self._feeds))
        try:
            self._start_overlay()
            self._run(running)
        finally:
            self._shared.power_lines.leave(self._power)
            if signal_lines is not None:
                signal_lines.close()
            if self._overlay is not None:
                self._overlay.close()
        LOG.info("table %s stopped; everything is stored", table.name)

    def _start_overlay(self) -> None:
        """Listen for video recorders, and connect to them. Raises StartRefused."""
        if self._overlay is None:
            return
        from controller.system.line_output import LinesUnavailable

        try:
            where = self._overlay.start()
        except LinesUnavailable as error:
            raise StartRefused(f"{self._config.file}: {error}") from error
        LOG.info("table %s: overlay %s", self._table.name, where or "connects to recorders")

    def _take_lines(self) -> "SignalLines | None":
        """Take the machine's lines that the configuration names. Raises StartRefused."""
        machine = self._config.machine
        if machine.outputs is None and machine.power is None:
            return None
        from controller.service.signal_lines import signal_lines_of
        from firmware_bridge.gpio.chip import GpioUnavailable

        signal_lines: SignalLines | None = None
        try:
            signal_lines = signal_lines_of(machine.outputs, self._table.name)
            if machine.power is not None:
                self._shared.power_lines.watch(machine.power, self._power)
        except GpioUnavailable as error:
            if signal_lines is not None:
                signal_lines.close()
            raise StartRefused(str(error)) from error
        return signal_lines

    def _run(self, running: Callable[[], None]) -> None:
        """Start the table, serve it until it ends, and end what runs around it."""
        table = self._table
        table.start()
        if table.health is not Health.RUNNING:
            table.join()
            _raise_failure(table)
        control = self._control_server()
        try:
            control.start()
            self._web_places = self._serve_web()
        except (WebUnavailable, OSError) as error:
            control.stop()
            self._shared.web.withdraw(table.name)
            table.stop()
            table.join()
            raise StartRefused(str(error)) from error
        sources: tuple[InputSource, ...] = ()
        try:
            sources = self._start_sources()
            self._wait_for_ports()
            running()
            for feed in self._feeds:
                feed.start()
            self._await_end()
        finally:
            _shut_down(table, sources)
            self.metrics.save()
            stop_feeds(self._feeds)
            # They answer until after the table has ended.
            control.stop()
            self._shared.web.withdraw(table.name)
        _raise_failure(table)

    def _wait_for_ports(self) -> None:
        """Wait briefly for the ports to open, and say what is awaited.

        The table is ready without them, too.
        """
        deadline_ns = now().monotonic_ns + int(PORT_WAIT_S * 1e9)
        if self._config.lines:
            _wait_for_shoe(self._table, deadline_ns)
        self._awaited.begin(max(0, deadline_ns - now().monotonic_ns) / 1e9)

    def _say_waiting(self, ports: str) -> None:
        """Log that the table waits for these ports, or that it is running."""
        config, name = self._config, self._table.name
        LOG.info(
            *("table %s %s; journal %s, control %s%s", name),
            f"waits for {ports}" if ports else "is running",
            *(config.journal_folder, config.control_socket, self._web_places),
        )
        self._shared.waits(name, ports)

    def _control_server(self) -> ControlServer:
        return ControlServer(
            self._config.control_socket, self._requests, group=self._config.control_group
        )

    def _snapshot(self) -> Snapshot:
        """What people may see of the table now."""
        published = self._table.published
        assert published is not None, "a running table has published its first state"
        sealing = self._table.sealing_status
        facts = RunFacts(
            health=self._table.health,
            failure=self._table.failure,
            batches_named=self._batches.answered,
            seals=sealing.view() if sealing is not None else None,
            accounts=self._people.account_count(),
            advisories=self._monitors.advisories,
            coups=self._coups.coups,
            metrics_read_s=self.metrics.read_s,
            trial=self._config.trial,
            software=software_identifier(),
            pause=self._monitors.pause,
        )
        return build_snapshot(*published, facts)

    def _serve_web(self) -> str:
        """Serve metrics, page and API; where, in words. Raises WebUnavailable."""
        config, web, where = self._config, self._shared.web, ""
        if config.metrics_enabled:
            place = WebPlace(config.metrics_address, config.metrics_port, config.metrics_tls)
            passwords = config.metrics_passwords
            where += f", metrics {web.serve_metrics(place, self._table, self.metrics, passwords)}"
        console = config.console
        if console is not None:
            part = ConsolePart(
                self._requests,
                config.control_socket,
                console.language,
                console.sign_on_minutes,
                console.hosts,
            )
            place = WebPlace(console.address, console.port, console.tls)
            where += f", page {web.serve_console(place, part)}"
        return where

    def _start_sources(self) -> tuple[InputSource, ...]:
        """Start ports and monitors, and bind the batches of the configuration."""
        config, table = self._config, self._table
        since_ns = now().utc_ns - NoiseLimit.WINDOW_NS
        stored = stored_chunks(config.journal_folder, since_ns, LOG.warning)
        count = self.metrics.count_bytes
        servers = SerialServersFile(config.journal_folder)
        watch = self._awaited.watching
        pumps = tuple(
            _pump(config, table, watch, servers, *one, stored, count) for one in config.lines
        )
        # Before the ports: stored at once, so that the records of a start have one order.
        clock_sync = ClockSyncMonitor(now)
        clock_sync.start(table.act)
        # Bind the batches before the shoe's port opens and the first card can be read.
        self._batches.bind(config.bound_batches)
        for pump in pumps:
            pump.start()
        hotplug = UsbHotplug(config.allowed, pumps, logging_refusals(table.put))
        devices = DeviceWatch(hotplug.on_device_event)
        devices.start()
        self._disk.start(table.put)
        pauses = PauseWatch(now)
        pauses.start(self._monitors.time_passes)
        return (devices, self._disk, clock_sync, pauses, *pumps)

    def _await_end(self) -> None:
        """Wait until the table has ended; as long as it responds, feed systemd's watchdog.

        Of several tables any one feeds it: a table that hangs ends no other.
        """
        notifier = Notifier()
        interval_s = notifier.watchdog_interval_s or IDLE_WAIT_S
        while not self._table.join(interval_s):
            if notifier.watchdog_interval_s and self._table.responds(interval_s):
                notifier.alive()


def overlay_of(config: TableConfig) -> "Overlay | None":
    """The lines for video recorders, None without any."""
    wanted = config.overlay
    if wanted is None:
        return None
    from controller.outlets.overlay.line_text import LineForm
    from controller.outlets.overlay.overlay import Overlay

    form = LineForm(wanted.width, wanted.encoding, wanted.crlf)
    return Overlay(config.settings.table, wanted.output, form)


def _require_approval(config: TableConfig) -> None:
    """Say what of the configuration is approved. Raises StartRefused if a required part is not."""
    if config.approval is None:
        return
    from controller.service.install.approval import approval_of, missing_parts

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


def _narrow_journal(folder: Path) -> None:
    """Take the rights of others from a journal of an earlier version, and say so."""
    try:
        if narrow_modes(folder):
            LOG.warning("%s: other accounts could read it; from now on this one alone may", folder)
    except JournalError as error:
        raise StartRefused(str(error)) from error


def _start_function(config: TableConfig) -> Callable[[str], Started]:
    configuration = SETTINGS.encode(config.settings)
    boot_id = BOOT_ID.read_text().strip()

    def start(replaced: str) -> Started:
        return Started(
            at=now(),
            boot_id=boot_id,
            software=software_identifier(),
            configuration=configuration,
            profile=config.profile_text.encode(),
            zone=config.zone_data,
            replaced=replaced,
        )

    return start


def _pump(
    config: TableConfig,
    table: Table,
    watch: Callable[[PutPort], PutPort],
    servers: SerialServersFile,
    url: str,
    line: LineSettings,
    stored: Mapping[str, Sequence[Chunk]],
    count_bytes: Callable[[str, int], object],
) -> PortPump:
    limit = noise_limit_of(config.settings, url, table.put)
    put: PutPort = table.put
    if limit is not None:
        limit.resume(stored.get(url, ()), now())
        table.attach_last_inputs(limit.last_statement)
        put = limit.put
    put = counting_port(count_bytes, put)
    # Before it is stored, so that who sees the port open is not told that the table waits for it.
    put = watch(put)
    put = logging_port(device_role(config.settings, url), put)
    if config.log_level_wire != "off" and url == config.settings.shoe.port:
        put = WireLogger(config.settings.shoe, config.log_level_wire, put).put
    port = open_port(url, line, config.allowed, servers)
    pump = PortPump(url, ListeningPort(port) if config.trial else port, put)
    table.attach_writer(url, pump)
    table.attach_reader(pump.caught_up)
    return pump


def _wait_for_shoe(table: Table, deadline_ns: int) -> None:
    """Wait until the table has the opening of the shoe's port, to the deadline at most."""
    version = 0
    while (left_ns := deadline_ns - now().monotonic_ns) > 0:
        published = table.published
        if published is not None and published[1].shoe_driver.stage not in NOT_OPEN:
            return
        version = table.wait_for_change(version, left_ns / 1e9)


def _shut_down(table: Table, sources: Sequence[InputSource]) -> None:
    for source in sources:
        source.stop()
    table.stop()
    table.join()
    for source in sources:
        if isinstance(source, PortPump):
            # A connection that nobody answers takes seconds; the thread ends by itself.
            source.join(PUMP_END_S)
        else:
            source.join()


def _raise_failure(table: Table) -> None:
    """Raise why the table does not run; nothing if it was stopped on request."""
    match table.health:
        case Health.STOPPED:
            return
        case Health.REFUSED:
            raise StartRefused(table.failure)
        case Health.STORE_FAILED if table.disk_is_full:
            raise NoDiskSpace(table.failure)
        case Health.FAILED:
            raise TableFailed(f"{table.failure}. Remedy: {_AFTER_FAILURE}")
        case _:
            raise TableFailed(table.failure)
