"""`smartshoe run`: the composition root of the long-running program.

Responsible for: putting one table together from its configuration (ports, journal, metrics,
control socket, service notification), and taking it apart on SIGTERM and Ctrl-C.
Not responsible for: any rule or protocol. It loads neither typer nor rich.
Source: package README, "Running a table".
"""

import argparse
import gc
import logging
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from controller.archive.sealer import SealDesk
from controller.config.load import ConfigError, TableConfig, load_config
from controller.control.server import ControlServer
from controller.core.build import SETTINGS
from controller.metrics.collector import TableMetrics
from controller.metrics.server import MetricsServer, MetricsUnavailable
from controller.profiles.load import load_clauses
from controller.service.device_log import (
    WireWatch,
    part_of,
    tell_batches,
    tell_host,
    tell_identities,
    tell_warnings,
    telling_port,
    telling_refused,
)
from controller.service.manifest_lookup import BatchDesk
from controller.service.usb_hotplug import DeviceDesk
from controller.system.systemd import Notifier
from controller.table.disk_space import DiskWatch
from controller.table.fault_text import fault_words, way_there
from controller.table.loop import Stored
from controller.table.table import Beginning, Health, Table
from controller.tape.inputs import Started
from controller.version import VERSION
from controller.views.snapshot import Plain, snapshot
from drivers.events import Stage
from firmware_bridge.attestation import NO_TRUST
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.hotplug import DeviceWatch
from firmware_bridge.transport.open_port import open_port
from firmware_bridge.transport.port import LineSettings
from firmware_bridge.transport.pump import PortPump

LOG = logging.getLogger("smartshoe")
BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
PORT_WAIT_S: Final = 1.0
NOT_OPEN: Final = (Stage.CLOSED, Stage.LOST)
IDLE_WAIT_S: Final = 3600.0

EXIT_DONE: Final = 0
EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2
EXIT_REFUSED: Final = 4

EPILOG: Final = """\
examples:
  smartshoe check-config --example > table.toml    write a commented configuration
  smartshoe check-config table.toml                say what is wrong with one
  smartshoe run --config table.toml                run the table until SIGTERM or Ctrl-C
  smartshoe status --config table.toml             ask the running table how it stands

exit codes:
  0  stopped when told to
  1  evidence could not be stored, or the program failed: nothing moves, nothing is lost
  2  the configuration or the command line is wrong
  4  the journal or an open shoe does not allow this start
"""


def main(argv: Sequence[str]) -> int:
    """Run one table; returns the exit code."""
    options = _parser().parse_args(argv)
    if not __debug__:
        return _say("smartshoe does not run under -O: its assertions are part of it", EXIT_USAGE)
    if options.config is None:
        example = "smartshoe check-config --example > table.toml"
        return _say(f"which table? Give --config FILE; `{example}` writes one to start from", 2)
    logging.basicConfig(
        level=logging.WARNING,
        stream=sys.stderr,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    # Libraries log what they do; the state table's library would tell which hand draws.
    LOG.setLevel(logging.INFO)
    threading.excepthook = _thread_fault
    try:
        config = load_config(options.config)
    except ConfigError as error:
        return _say(str(error), EXIT_USAGE)
    return run_table(config, close_coup_as_partial=options.close_coup_as_partial)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="smartshoe run",
        description="Run one table: listen to its shoe, judge every card, keep the evidence.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help="the table's table.toml")
    parser.add_argument(
        "--close-coup-as-partial",
        action="store_true",
        help="go on with a shoe that another version began; its coup is held for a floorperson",
    )
    return parser


def _say(message: str, code: int) -> int:
    print(f"smartshoe: {message}", file=sys.stderr)
    return code


def _thread_fault(hook: threading.ExceptHookArgs) -> None:
    """A thread at the rim ended by a fault of ours, in words that name no card."""
    thread = hook.thread.name if hook.thread is not None else "a thread"
    if hook.exc_value is not None:
        fault, way = fault_words(hook.exc_value), way_there(hook.exc_traceback)
        LOG.error("%s: %s\n%s", thread, fault, way)


@dataclass(frozen=True, slots=True)
class Parts:
    """What a running table consists of."""

    table: Table
    pumps: tuple[PortPump, ...]
    batches: BatchDesk
    devices: DeviceWatch
    disk: DiskWatch
    control: ControlServer
    metrics: MetricsServer | None


def run_table(config: TableConfig, *, close_coup_as_partial: bool) -> int:
    """Run until a signal; returns the exit code."""
    shuffler = config.settings.shuffler is not None
    metrics = TableMetrics(config.settings.table, shuffler=shuffler)
    disk = DiskWatch(config.journal_folder, config.disk_limits, now)
    beginning = Beginning(
        journal=config.journal_folder,
        clauses=load_clauses(),
        start=_starter(config),
        close_coup_as_partial=close_coup_as_partial,
        no_room=disk.refusal,
        seals=SealDesk(config.settings.table, config.signing, now, Notifier().starting),
    )
    batches = BatchDesk(config.batches_folder, config.batch_keys, now)

    def on_stored(stored: Stored) -> None:
        metrics.observe(stored)
        batches.stored(stored)
        tell_batches(stored)
        tell_identities(config.settings, stored)
        tell_warnings(stored)
        tell_host(stored)

    table = Table(config.settings.table, beginning, now, on_stored)
    _stop_on_signal(table)
    table.start()
    if table.health is not Health.RUNNING:
        table.join()
        return _say(table.failure, _exit_code(table.health))
    try:
        parts = _assemble(config, table, metrics, batches, disk)
    except (MetricsUnavailable, OSError) as error:
        table.stop()
        table.join()
        return _say(str(error), EXIT_USAGE)
    try:
        _serve(config, parts)
    finally:
        _take_apart(parts)
    return _ended(table)


def _stop_on_signal(table: Table) -> None:
    """A thread waits for the signals: a handler would run amid the queue's own locks."""
    numbers = (signal.SIGTERM, signal.SIGINT)
    # Before any other thread starts: all of them leave these signals to the one that waits.
    signal.pthread_sigmask(signal.SIG_BLOCK, numbers)

    def wait() -> None:
        signal.sigwait(numbers)
        table.stop()

    threading.Thread(target=wait, name="signals", daemon=True).start()


def _starter(config: TableConfig) -> Callable[[str], Started]:
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
    config: TableConfig, table: Table, metrics: TableMetrics, batches: BatchDesk, disk: DiskWatch
) -> Parts:
    def shown() -> Plain:
        published = table.published
        assert published is not None, "a running table has published its first state"
        named = [asdict(one) for one in batches.named]
        seals = table.seals
        return {
            **snapshot(*published, table.health.value, table.failure),
            "batches_named": named,
            "seals": seals.shown() if seals is not None else None,
        }

    control = ControlServer(config.control_socket, table, shown)
    control.start()
    server = None
    if config.metrics_enabled:
        server = MetricsServer(config.metrics_address, config.metrics_port, ((table, metrics),))
        try:
            server.start()
        except BaseException:
            control.stop()
            raise
    pumps = tuple(_pump(config, table, url, line) for url, line in config.lines)
    # The cards are known before the first of them can be read.
    batches.start(table.put, config.bound_batches)
    for pump in pumps:
        pump.start()
    desk = DeviceDesk(config.allowed, pumps, telling_refused(table.put))
    devices = DeviceWatch(desk.tell)
    devices.start()
    disk.start(table.put)
    return Parts(table, pumps, batches, devices, disk, control, server)


def _pump(config: TableConfig, table: Table, url: str, line: LineSettings) -> PortPump:
    put = telling_port(part_of(config.settings, url), table.put)
    if config.log_level_wire != "off" and url == config.settings.shoe.port:
        put = WireWatch(config.settings.shoe, config.log_level_wire, put).put
    pump = PortPump(url, open_port(url, line, config.allowed), put)
    table.attach_writer(url, pump)
    return pump


def _serve(config: TableConfig, parts: Parts) -> None:
    """Say that the table is ready, then wait for its end."""
    table = parts.table
    notifier = Notifier()
    _wait_for_port(table)
    gc.freeze()
    gc.enable()
    where = f"control {config.control_socket}"
    if parts.metrics is not None:
        where += f", metrics {parts.metrics.url}"
    LOG.info("table %s runs; journal %s, %s", table.name, config.journal_folder, where)
    bare = _bare(config)
    notifier.ready(f"table {table.name} runs" + (f"; BARE devices let in: {bare}" if bare else ""))
    interval_s = notifier.watchdog_interval_s or IDLE_WAIT_S
    while not table.join(interval_s):
        if notifier.watchdog_interval_s and table.responds(interval_s):
            notifier.alive()
    notifier.stopping()


def _bare(config: TableConfig) -> str:
    """The devices that the configuration lets in although they prove nothing of themselves."""
    shoe, shuffler = config.settings.shoe, config.settings.shuffler
    devices = (("shoe", shoe.trust), ("shuffler", shuffler.trust if shuffler else NO_TRUST))
    return ", ".join(name for name, trust in devices if trust.bare)


def _wait_for_port(table: Table) -> None:
    """Give the port a moment to open; a table without its shoe is ready all the same."""
    version = 0
    deadline_ns = now().monotonic_ns + int(PORT_WAIT_S * 1e9)
    while (left_ns := deadline_ns - now().monotonic_ns) > 0:
        published = table.published
        if published is not None and published[1].shoe_driver.stage not in NOT_OPEN:
            return
        version = table.wait_for_change(version, left_ns / 1e9)


def _take_apart(parts: Parts) -> None:
    parts.devices.stop()
    parts.disk.stop()
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
    parts.control.stop()
    if parts.metrics is not None:
        parts.metrics.stop()


def _ended(table: Table) -> int:
    if table.health is Health.STOPPED:
        LOG.info("table %s stopped; everything is stored", table.name)
        return EXIT_DONE
    return _say(table.failure, _exit_code(table.health))


def _exit_code(health: Health) -> int:
    match health:
        case Health.STOPPED:
            return EXIT_DONE
        case Health.REFUSED:
            return EXIT_REFUSED
        case _:
            return EXIT_FAILED
