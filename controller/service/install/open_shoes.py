"""Whether a shoe is open in a table's journal, so that no other version may go on with it."""

from controller.archive.replay.recovery import RecoveredState, recover
from controller.journal.database import FILE_NAME
from controller.journal.store import open_read_only, require_live_records
from controller.rules.profiles.load import load_clauses
from controller.service.config.table_config import TableConfig


def recovered_of(config: TableConfig) -> RecoveredState | None:
    """What the next start takes over; None without a journal.

    Raises JournalError, RecoveryError.
    """
    folder = config.journal_folder
    if not (folder / FILE_NAME).exists():
        require_live_records(folder, 0)
        return None
    with open_read_only(folder) as journal:
        require_live_records(folder, journal.head.seq)
        return recover(journal, load_clauses())


def shoe_is_open(config: TableConfig) -> bool:
    """Whether a shoe is begun and not ended. Raises JournalError, RecoveryError."""
    recovered = recovered_of(config)
    return recovered is not None and recovered.shoe_open
