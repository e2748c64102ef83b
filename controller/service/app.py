"""`smartshoe run`: the composition root, which runs a configuration's tables until a signal."""
# ruff: noqa: PLC0415 - what reads files of configurations is loaded for those alone it reads.

import logging
import pwd
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from controller.archive.replay.recovery import RecoveryError
from controller.core.tape.inputs import PowerSign
from controller.journal.values import JournalError
from controller.service.config.document import ConfigError
from controller.service.config.table_config import TableConfig
from controller.service.install.open_shoes import shoe_is_open
from controller.service.install.table_account import ACCOUNT, has_account
from controller.service.table_log import LinesBehind
from controller.service.table_program import StartRefused
from controller.service.tables import TABLE, Tables
from controller.system.fault_text import describe_fault, traceback_text
from controller.system.process import make_undumpable, runs_as_root, share_heap
from foundation.context_thread import ContextThread

if TYPE_CHECKING:
    from controller.service.config.collisions import CheckedTable

LOG = logging.getLogger("smartshoe")
# A table that computes gives another the interpreter's lock after so long; 5 ms by default.
SWITCH_S: Final = 0.001
STOP_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGPWR)


def run_configured(
    path: Path,
    *,
    close_coup_as_partial: bool,
    as_root: bool,
    devices: bool = True,
    read: Callable[[], TableConfig] | None = None,
) -> None:
    """Run the table of a file, or the tables of a folder, until a signal stops them.

    `devices` False: no port of theirs is opened. `read` gives the configuration of a file whose
    reading has begun.

    Raises ConfigError for an unreadable configuration, StartRefused and TableFailed.
    """
    if not __debug__:
        raise StartRefused(
            "python: -O removes the assertions the program needs. Remedy: start it without -O"
        )
    several = path.is_dir()
    signals = (*STOP_SIGNALS, signal.SIGHUP) if several else STOP_SIGNALS
    # Blocked before any other thread starts, so that only the waiting thread gets the signals.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    share_heap()
    lines = _log_to_stderr(several=several)
    try:
        configs = usable_tables(path)[0] if several else (_config_of_file(path, read),)
        if not devices:
            configs = tuple(replace(one, lines=()) for one in configs)
        if runs_as_root() and not as_root:
            require_account_of_tables()
        make_undumpable()
        if several:
            sys.setswitchinterval(SWITCH_S)
        tables = Tables(several=several)
        wait = partial(_put_signals, tables, signals, path)
        ContextThread(target=wait, name="signals", daemon=True).start()
        tables.serve(configs, close_coup_as_partial=close_coup_as_partial)
    except (ConfigError, StartRefused):
        signal.pthread_sigmask(signal.SIG_SETMASK, before)  # no thread waits for them
        raise
    finally:
        logging.getLogger().removeHandler(lines)
        lines.close()


def _config_of_file(file: Path, read: Callable[[], TableConfig] | None) -> TableConfig:
    try:
        return _load(file) if read is None else read()
    except ConfigError as error:
        if error.unreadable:
            raise
        raise StartRefused(str(error)) from error


def usable_tables(
    folder: Path, first: tuple[Path, ...] = ()
) -> tuple[tuple[TableConfig, ...], tuple[Path, ...]]:
    """The tables of a folder that may run, and the files that cannot be used, which are logged.

    Of two files that claim the same the later is not used; those of `first` come first.
    Raises ConfigError if the folder has no table.
    """
    from controller.service.config.collisions import checked_tables
    from controller.service.config.table_files import table_files

    # As a configuration names its file, so that the two compare.
    files = sorted(table_files(folder.absolute()), key=lambda one: one not in first)
    tables = checked_tables(files, _loaded)
    unusable = tuple(one for one in tables if one.problems or _may_not_join_pit(one))
    problems = [str(ConfigError(one.file, one.problems or one.pit_problems)) for one in unusable]
    for problem in problems:
        LOG.error("%s", problem)
    usable = tuple(one.config for one in tables if one.config is not None and one not in unusable)
    if not usable:
        raise StartRefused("\n".join(problems))
    return usable, tuple(one.file for one in unusable)


def _may_not_join_pit(table: "CheckedTable") -> bool:
    """Whether a table differs from others of its pit; one with an open shoe goes on."""
    if not table.pit_problems or table.config is None:
        return False
    try:
        goes_on = shoe_is_open(table.config)
    except (JournalError, RecoveryError, OSError):
        # Whoever starts the table says what is wrong with its journal.
        goes_on = True
    if goes_on:
        LOG.warning("%s", ConfigError(table.file, table.pit_problems))
    return not goes_on


def _load(file: Path) -> TableConfig:
    from controller.service.config.load import load_config

    return load_config(file)


def _loaded(file: Path) -> TableConfig:
    """One table's configuration; an internal error is a problem of that file alone."""
    try:
        return _load(file)
    except ConfigError:
        raise
    except Exception as error:
        trace = traceback_text(error.__traceback__)
        raise ConfigError(file, (f"{describe_fault(error)}\n{trace}",)) from error


def require_account_of_tables(lookup: Callable[[str], object] = pwd.getpwnam) -> None:
    """Root runs no table where an account is there for it; for a trial elsewhere it is warned.

    Raises StartRefused.
    """
    if has_account(lookup):
        raise StartRefused(
            f"account: root may do more than a table needs. Allowed: the account {ACCOUNT}, which"
            " this machine has. Remedy: `systemctl start smartshoe@M-12` for a table M-12 of"
            f" /etc/smartshoe, for another `sudo -u {ACCOUNT} smartshoe run`, or on a bench"
            " --as-root"
        )
    LOG.warning(
        "the table runs as root, which may do more than a table needs: for a trial. A table's"
        " machine has the account %s for it, which the Debian package makes",
        ACCOUNT,
    )


def _put_signals(tables: Tables, signals: tuple[signal.Signals, ...], folder: Path) -> None:
    """Pass signals on: a handler could run while a queue holds its lock."""
    while True:
        match signal.sigwait(signals):
            case signal.SIGHUP:
                tables.put(lambda: _read_again(tables, folder))
            case signal.SIGPWR:
                tables.put(lambda: tables.stop(PowerSign.SIGNAL))
            case _:
                # Behind a flood many threads are busy: none keeps the end waiting for long.
                sys.setswitchinterval(SWITCH_S)
                tables.put(tables.stop)


def _read_again(tables: Tables, folder: Path) -> None:
    """Run what the folder holds by now; one that cannot be read changes nothing."""
    LOG.info("%s is read again", folder)
    try:
        configs, unusable = usable_tables(folder, tables.files)
    except (ConfigError, StartRefused) as error:
        LOG.error("nothing is changed: %s", error)  # noqa: TRY400 - the sentence says all
        return
    tables.apply(configs, unusable)


def _log_to_stderr(*, several: bool) -> LinesBehind:
    """Log to the standard error stream; nobody waits for it."""
    lines = logging.StreamHandler(sys.stderr)
    table = "%(table)s" if several else ""
    lines.setFormatter(logging.Formatter(f"%(asctime)s %(levelname)s {table}%(name)s: %(message)s"))
    behind = LinesBehind(lines)
    # On the thread that logs: it alone knows its table.
    behind.addFilter(_name_table)
    logging.basicConfig(level=logging.WARNING, handlers=[behind])
    # Only this program logs at INFO; the state table's library would log which hand draws.
    LOG.setLevel(logging.INFO)
    threading.excepthook = _log_thread_error
    return behind


def _name_table(record: logging.LogRecord) -> bool:
    name = TABLE.get()
    record.table = f"{name} " if name else ""
    return True


def _log_thread_error(hook: threading.ExceptHookArgs) -> None:
    """Log the unexpected end of a thread, without the error's message, which may name a card."""
    thread = hook.thread.name if hook.thread is not None else "a thread"
    if hook.exc_value is not None:
        fault, trace = describe_fault(hook.exc_value), traceback_text(hook.exc_traceback)
        LOG.error("%s: %s\n%s", thread, fault, trace)
