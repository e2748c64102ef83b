"""Nobody but the table's own account reads a journal: it holds cards that nobody has seen."""

import stat
import subprocess
from pathlib import Path

import pytest
from declared_needs import PYTHON_OF_ANYBODY

from controller.journal.folder import narrow_modes
from controller.journal.people import PeopleFile
from controller.journal.store import Journal
from controller.journal.values import JournalError

# An account of the machine that is in the table's group, and nothing else.
SURVEILLANCE = 54321
READ = "import sys; sys.stdout.buffer.write(open(sys.argv[1], 'rb').read(4))"


@pytest.fixture
def journal(fast_dir: Path) -> Path:
    folder = fast_dir / "journal"
    with Journal.open(folder) as opened:
        opened.append([b"record"])
    PeopleFile(folder).id_of("Ann Lee")
    return folder


def widened(folder: Path) -> Path:
    """The journal with the modes of an earlier version."""
    (folder / "shoes").mkdir(exist_ok=True)
    for one in folder.iterdir():
        one.chmod(0o750 if one.is_dir() else 0o640)
    folder.chmod(0o750)
    return folder


def modes(folder: Path) -> set[str]:
    return {oct(stat.S_IMODE(one.stat().st_mode)) for one in (folder, *folder.rglob("*"))}


def test_a_new_journal_is_for_its_account_alone(journal: Path) -> None:
    assert modes(journal) == {"0o700", "0o600"}


def test_a_wider_one_is_narrowed_once(journal: Path) -> None:
    assert narrow_modes(widened(journal))

    assert modes(journal) == {"0o700", "0o600"}
    assert not narrow_modes(journal)


def test_what_a_link_leads_to_stays_as_it_is(journal: Path, fast_dir: Path) -> None:
    outside = fast_dir / "outside"
    outside.write_bytes(b"")
    outside.chmod(0o644)
    (widened(journal) / "link").symlink_to(outside)

    narrow_modes(journal)

    assert stat.S_IMODE(outside.stat().st_mode) == 0o644


def test_there_is_nothing_to_narrow_before_the_first_start(fast_dir: Path) -> None:
    assert not narrow_modes(fast_dir / "none")


def test_a_journal_of_another_account_is_reported() -> None:
    with pytest.raises(JournalError, match="other accounts may read it, and that cannot be chang"):
        narrow_modes(Path("/proc/self/task"))


@pytest.mark.needs("another-account")
def test_surveillance_in_the_tables_group_does_not_read_live_db(journal: Path) -> None:
    for one in (journal, *journal.parents):
        if one.is_relative_to("/dev/shm") and one != Path("/dev/shm"):
            one.chmod(one.stat().st_mode | 0o011)
    narrow_modes(widened(journal))

    reader = subprocess.run(
        [PYTHON_OF_ANYBODY, "-I", "-c", READ, journal / "live.db"],
        user=SURVEILLANCE,
        group=journal.stat().st_gid,
        extra_groups=[],
        capture_output=True,
        check=False,
    )

    assert (reader.stdout, b"PermissionError" in reader.stderr) == (b"", True)
