"""A replay of sealed shoes reports the same as before they were sealed."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.archive.replay.report import ReplayFinding, ReplayReport, replay
from controller.cli.main import main
from controller.journal import folder
from controller.journal.folder import sealed_files
from controller.journal.shoe_file import read_shoe, shoe_bytes
from controller.journal.store import Journal
from controller.system.command_line.errors import ExitCode
from controller.version import software_identifier

OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
WHOLE_SHOE = (*OPENING, *COUP, *COUP[:2], "43", *COUP[2:], *COUP)


@pytest.fixture
def stored(fast_dir: Path, stored_and_sealed) -> Callable[..., Path]:
    """A script's inputs in a journal; optionally each shoe is sealed at its end."""

    def store(script, name: str, *, seal: bool) -> Path:
        folder = fast_dir / name
        stored_and_sealed(folder, script, folder / "table.key", seal=seal)
        return folder

    return store


@pytest.fixture
def three_shoes(script):
    """Three whole shoes and two coups of a fourth."""
    return script().begun().reported(*WHOLE_SHOE * 3, *OPENING, *COUP, *COUP)


@pytest.fixture
def sealed(stored, three_shoes) -> Path:
    return stored(three_shoes, "sealed", seal=True)


def comparable(report: ReplayReport) -> ReplayReport:
    """The fields that must not depend on where the records are stored."""
    return replace(report, path=Path(), elapsed_ns=0)


def test_sealed_shoes_and_live_part_are_replayed_as_one(stored, three_shoes, sealed: Path) -> None:
    never = stored(three_shoes, "never sealed", seal=False)
    report = replay(sealed)
    assert len(sealed_files(sealed)) == 3
    assert comparable(report) == comparable(replay(never))
    assert (report.finding, report.coups, report.shoes) == (ReplayFinding.SAME, 11, 4)


def test_progress_ends_with_all_records(sealed: Path) -> None:
    progress: list[tuple[int, int]] = []
    report = replay(sealed, lambda done, total: progress.append((done, total)))
    assert progress[-1] == (report.records, report.records)


@pytest.mark.parametrize("shoe", [0, 1, 2])
def test_a_single_shoe_is_replayed_alone(sealed: Path, fast_dir: Path, shoe: int) -> None:
    path = shutil.copy(sealed_files(sealed)[shoe], fast_dir / "taken.shoe")
    heading = read_shoe(Path(path).read_bytes()).heading
    report = replay(path)
    assert (report.finding, report.differences, report.coups) == (ReplayFinding.SAME, (), 3)
    assert report.first_seq == heading.first_seq
    assert report.records == heading.last_seq - heading.first_seq + 1


def test_an_archive_of_shoes_is_replayed(sealed: Path) -> None:
    for live in sealed.glob("live.db*"):
        live.unlink()
    report = replay(sealed)
    assert (report.finding, report.first_seq, report.coups) == (ReplayFinding.SAME, 1, 9)


def test_if_the_first_shoe_is_archived_the_rest_is_replayed(sealed: Path) -> None:
    first, second, _ = sealed_files(sealed)
    begins = read_shoe(second.read_bytes()).heading.first_seq
    first.unlink()
    report = replay(sealed)
    assert (report.finding, report.first_seq, report.coups) == (ReplayFinding.SAME, begins, 8)
    assert report.saved_state_compared


def test_live_db_alone_is_replayed_from_its_base(sealed: Path) -> None:
    (sealed / "shoes").rename(sealed / "archived")
    report = replay(sealed)
    assert (report.finding, report.coups, report.skipped) == (ReplayFinding.SAME, 2, 0)


def test_after_a_missing_shoe_the_rest_is_replayed(sealed: Path) -> None:
    sealed_files(sealed)[1].unlink()
    report = replay(sealed)
    assert (report.finding, report.coups) == (ReplayFinding.SAME, 5)
    assert report.first_seq > 1


def test_a_damaged_shoe_is_named(sealed: Path) -> None:
    path = sealed_files(sealed)[1]
    data = bytearray(path.read_bytes())
    data[-200] ^= 1
    path.write_bytes(data)
    report = replay(sealed)
    assert report.finding is ReplayFinding.DAMAGED
    assert str(path) in report.damage


def test_a_state_at_the_base_that_is_another_is_a_difference(sealed: Path) -> None:
    with Journal.open(sealed) as journal:
        base = journal.base
        other = base.of(
            base.head, base.seal, (base.started_seq, base.started), (base.software, b"\xa0")
        )
        journal._set_base(other)
    report = replay(sealed)
    assert report.finding is ReplayFinding.DIFFERENT
    assert [one.stored for one in report.differences] == ["the state at its base"]


def test_a_shoe_that_begins_with_another_versions_state_is_not_replayed(
    sealed: Path, fast_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shoe = read_shoe(sealed_files(sealed)[1].read_bytes())
    path = fast_dir / "taken.shoe"
    heading = replace(shoe.heading, state_software="0.0.9")
    path.write_bytes(shoe_bytes(heading, shoe.rows, shoe.parts()))
    report = replay(path)
    assert (report.finding, report.damage, report.coups) == (ReplayFinding.NOT_REPLAYED, "", 0)
    assert report.skipped == report.records == len(shoe.parts().records)
    assert report.inputs + report.entries == report.records
    assert main(["replay", str(path)]) == ExitCode.UNUSABLE
    comparable = capsys.readouterr().out
    assert comparable.startswith(
        f"NOT REPLAYED: {path}: it has no start state written by {software_identifier()}"
    )
    assert f"  from record {shoe.heading.first_seq} on: " in comparable


def test_each_sealed_file_is_read_once(sealed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []
    read = folder.read_file
    monkeypatch.setattr(
        folder, "read_file", lambda path, most: taken.append(path.name) or read(path, most)
    )
    replay(sealed)
    assert [name for name in taken if name.endswith(".shoe")] == [
        "0001.shoe",
        "0002.shoe",
        "0003.shoe",
    ]
