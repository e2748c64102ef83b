"""The tables of this process, each on a thread of its own: what one does ends no other."""

import gc
import logging
import threading
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from pathlib import Path
from queue import SimpleQueue
from typing import Final, TypeAlias

from controller.core.tape.inputs import PowerSign
from controller.outlets.console.sites import WebServers
from controller.service.config.table_config import TableConfig
from controller.service.power_fail import PowerLines
from controller.service.table_program import (
    NoDiskSpace,
    SharedParts,
    StartRefused,
    TableFailed,
    TableProgram,
)
from controller.system.fault_text import describe_fault, traceback_text
from controller.system.systemd import Notifier
from firmware_bridge.attestation import NO_TRUST
from firmware_bridge.transport.clock import now
from foundation.context_thread import ContextThread

LOG = logging.getLogger("smartshoe")
# The table for which a thread runs; empty for the process. Every line of the log names it.
TABLE: Final[ContextVar[str]] = ContextVar("table", default="")

# One that failed is started again, as its unit would be (deploy/smartshoe@.service).
RESTART_S: Final = 1.0
RESTARTS_MAX: Final = 5
RESTARTS_WITHIN_NS: Final = 600 * 1_000_000_000

# What happened, as a call that the thread of `serve` makes.
Event: TypeAlias = Callable[[], None]


class TableRun:
    """One table on its thread, from its start to its end. `stop` returns at once."""

    def __init__(
        self,
        config: TableConfig,
        shared: SharedParts,
        tables: "Tables",
        *,
        close_coup_as_partial: bool,
        wait_s: float = 0.0,
    ) -> None:
        self.config = config
        self.name = config.settings.table
        self.running = False
        self.error: StartRefused | TableFailed | None = None
        self._shared = shared
        self._tables = tables
        self._close_coup_as_partial = close_coup_as_partial
        self._wait_s = wait_s
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._program: TableProgram | None = None
        ContextThread(target=self._run, name=f"run {self.name}").start()

    @property
    def stopping(self) -> bool:
        """Whether it was asked to end."""
        return self._stopping.is_set()

    def stop(self, sign: PowerSign | None = None) -> None:
        """Store what waits, and end; `sign` is that of a power failure."""
        with self._lock:
            self._stopping.set()
            program = self._program
        if program is None:
            return
        if sign is not None:
            program.power_fails(sign)
        program.stop()

    def _run(self) -> None:
        TABLE.set(self.name)
        try:
            self._stopping.wait(self._wait_s)
            self._run_program()
        except (StartRefused, TableFailed) as error:
            self.error = error
        except Exception as error:  # noqa: BLE001  # where internal errors of one table surface
            # Not LOG.exception: the error's own message may name a card.
            fault, trace = describe_fault(error), traceback_text(error.__traceback__)
            LOG.error("table %s: %s\n%s", self.name, fault, trace)  # noqa: TRY400
            self.error = TableFailed(fault)
        finally:
            self._tables.put(lambda: self._tables.ended(self))

    def _run_program(self) -> None:
        program = TableProgram(
            self.config, self._shared, close_coup_as_partial=self._close_coup_as_partial
        )
        with self._lock:
            if self.stopping:
                return
            self._program = program
        program.run(lambda: self._tables.put(lambda: self._tables.runs(self)))


class Tables:
    """Starts, stops and restarts tables. `put` may be called from any thread, the rest by `serve`.

    `several`: more than one may be there; each is then named where people look.
    """

    def __init__(self, *, several: bool) -> None:
        self._several = several
        self._events: SimpleQueue[Event] = SimpleQueue()
        self._shared = SharedParts(
            several,
            WebServers(by_name=several),
            PowerLines(),
            lambda name, ports: self.put(lambda: self.waits(name, ports)),
        )
        self._runs: dict[str, TableRun] = {}
        # These start as soon as the run of the same name has ended.
        self._next: dict[str, TableConfig] = {}
        self._failures: dict[str, list[int]] = {}
        # The ports that these tables wait for, in words.
        self._waiting: dict[str, str] = {}
        self._ended: dict[str, StartRefused | TableFailed] = {}
        self._stopping = False
        self._notifier = Notifier()
        self._ready = False
        self._settled = False

    def put(self, event: Event) -> None:
        """Have this called on the thread of `serve`."""
        self._events.put(event)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files of the tables that have not ended."""
        return tuple(run.config.file for run in self._runs.values())

    def serve(self, configs: Sequence[TableConfig], *, close_coup_as_partial: bool) -> None:
        """Run these tables until all have ended. Raises StartRefused and TableFailed.

        `close_coup_as_partial` is for the first start of each alone.
        """
        for config in configs:
            self._start(config, close_coup_as_partial=close_coup_as_partial)
        while self._runs:
            self._events.get()()
            self._tell_systemd()
        if self._ended and not (self._several and self._stopping):
            raise self._failure()

    def stop(self, sign: PowerSign | None = None) -> None:
        """Stop every table."""
        self._stopping = True
        self._next.clear()
        self._notifier.stopping()
        for run in self._runs.values():
            run.stop(sign)

    def apply(self, configs: Sequence[TableConfig], kept: Sequence[Path]) -> None:
        """Run these tables from now on: start, restart and stop what differs, and nothing else.

        A table that runs from a file of `kept` runs on: the file cannot be used.
        """
        if self._stopping:
            return
        self._settled = False
        self._notifier.reloading(now())
        self._next.clear()
        self._failures.clear()
        wanted = {config.settings.table: config for config in configs}
        for run in self._runs.values():
            if run.name in wanted:
                config = wanted.pop(run.name)
                if config == run.config and not run.stopping:
                    continue
                LOG.info("table %s is started again: its configuration has changed", run.name)
                self._next[run.name] = config
            elif run.config.file in kept:
                LOG.warning("table %s runs on as it was: its file cannot be used", run.name)
                continue
            else:
                LOG.info("table %s is stopped: the folder has it no more", run.name)
            run.stop()
        for config in wanted.values():
            LOG.info("table %s is started", config.settings.table)
            self._start(config)

    def runs(self, run: TableRun) -> None:
        """A table serves people."""
        run.running = True
        self._ended.pop(run.name, None)

    def waits(self, name: str, ports: str) -> None:
        """A table waits for these ports; for none where `ports` is empty."""
        self._waiting.pop(name, None)
        if ports and name in self._runs:
            self._waiting[name] = ports

    def ended(self, run: TableRun) -> None:
        """A table has ended: it is started again, or it is said that it is not."""
        del self._runs[run.name]
        self._waiting.pop(run.name, None)
        self._ended.pop(run.name, None)
        if run.error is not None:
            self._ended[run.name] = run.error
        if run.name in self._next:
            self._start(self._next.pop(run.name))
        elif run.error is not None and not self._stopping and self._several:
            self._after_failure(run, run.error)

    def _start(
        self, config: TableConfig, wait_s: float = 0.0, *, close_coup_as_partial: bool = False
    ) -> None:
        name = config.settings.table
        self._runs[name] = TableRun(
            config,
            self._shared,
            self,
            close_coup_as_partial=close_coup_as_partial,
            wait_s=wait_s,
        )

    def _after_failure(self, run: TableRun, error: StartRefused | TableFailed) -> None:
        if isinstance(error, TableFailed) and self._runs and self._may_restart(run.name):
            LOG.error("table %s failed: %s; it is started again", run.name, error)
            self._start(run.config, RESTART_S)
            return
        what = "may not start" if isinstance(error, StartRefused) else "failed"
        LOG.error(
            "table %s %s: %s. It stays stopped until the folder is read again (SIGHUP)",
            *(run.name, what, str(error).rstrip(".")),
        )

    def _may_restart(self, name: str) -> bool:
        now_ns = now().monotonic_ns
        before = self._failures.get(name, [])
        recent = [at for at in before if now_ns - at < RESTARTS_WITHIN_NS]
        self._failures[name] = [*recent, now_ns]
        return len(recent) < RESTARTS_MAX

    def _failure(self) -> StartRefused | TableFailed:
        """Why nothing runs any more."""
        if not self._several:
            return next(iter(self._ended.values()))
        lines = "\n".join(f"table {name}: {error}" for name, error in self._ended.items())
        kinds = (StartRefused, NoDiskSpace)
        refused = all(isinstance(error, kinds) for error in self._ended.values())
        return StartRefused(lines) if refused else TableFailed(lines)

    def _tell_systemd(self) -> None:
        """Report readiness once every table runs or has ended, and what changes later."""
        if self._stopping or not self._runs:
            return
        settled = all(run.running and not run.stopping for run in self._runs.values())
        if settled and not self._settled:
            self._settled = True
            if not self._ready:
                self._ready = True
                gc.freeze()
                gc.enable()
            self._notifier.ready(self._status())
            self._shared.web.program_is_ready()
        elif self._ready or self._several:
            self._notifier.status(self._status())

    def _status(self) -> str:
        running = [run for run in self._runs.values() if run.running]
        bare = {run.name: devices for run in running if (devices := _bare_devices(run.config))}
        if not self._several:
            (run,) = self._runs.values()
            named = f"; BARE devices accepted: {bare[run.name]}" if bare else ""
            ports = self._waiting.get(run.name)
            return f"table {run.name} {f'waits for {ports}' if ports else 'is running'}{named}"
        known = {*self._runs, *self._ended}
        open_ones = sum(run.name not in self._waiting for run in running)
        parts = [f"{open_ones} of {len(known)} tables run"]
        parts += [f"{name} waits for {ports}" for name, ports in self._waiting.items()]
        parts += [f"{name}: {error}" for name, error in self._ended.items()]
        parts += [f"BARE devices accepted at {name}: {devices}" for name, devices in bare.items()]
        return "; ".join(parts)


def _bare_devices(config: TableConfig) -> str:
    """Names of the devices that the configuration accepts without a proven identity."""
    shoe, shuffler = config.settings.shoe, config.settings.shuffler
    devices = (("shoe", shoe.trust), ("shuffler", shuffler.trust if shuffler else NO_TRUST))
    return ", ".join(name for name, trust in devices if trust.bare)
