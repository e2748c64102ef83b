"""Maintenance of a port: its table is kept from running while card bytes are shown.

Responsible for: making sure that the port is the configured table's, that no shoe is open there,
and that no table starts on that journal meanwhile.
Not responsible for: watching the port (cli_monitor).
Source: D-8 (a scan is not disclosure); package README, "Disclosure".
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from controller.cli_errors import Exit, Unable
from controller.cli_watched import same_port
from controller.config import load_config
from controller.journal.store import Journal, JournalError
from controller.recovery import recover
from controller.rule_data import load_clauses


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
