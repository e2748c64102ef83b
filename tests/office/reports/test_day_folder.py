"""A report is written whole or not at all, over nothing, and never of an open shoe."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.rules.profiles.load import load_clauses
from controller.system.atomic_file import SmallFileError
from controller.system.command_line.errors import ExitCode
from office.evidence.lookup import NoSuchCoup, ShoeReference, find_day, find_whole_shoe
from office.reports.day_folder import day_files, store_folder


def interrupted(error: BaseException) -> Iterator[tuple[str, bytes]]:
    yield "day.html", b"half"
    raise error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError("disk"), SmallFileError("full")])
def test_an_interrupted_report_leaves_nothing(tmp_path: Path, error: BaseException) -> None:
    with pytest.raises(type(error)):
        store_folder(tmp_path / "day", interrupted(error))

    assert list(tmp_path.iterdir()) == []


def test_nothing_is_there_before_the_report_is_whole(tmp_path: Path) -> None:
    def files() -> Iterator[tuple[str, bytes]]:
        yield "day.html", b"page"
        assert not (tmp_path / "day").exists()
        yield "bundles/1.zip", b"bundle"

    assert store_folder(tmp_path / "day", files()) == 2
    assert [one.name for one in tmp_path.iterdir()] == ["day"]
    assert (tmp_path / "day" / "bundles" / "1.zip").read_bytes() == b"bundle"


def test_a_folder_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "day").mkdir()

    with pytest.raises(SmallFileError, match="not overwritten"):
        store_folder(tmp_path / "day", iter([("day.html", b"page")]))

    assert list((tmp_path / "day").iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(SmallFileError, match=r"file/day: cannot be written.*Remedy"):
        store_folder(tmp_path / "file" / "day", iter([("day.html", b"page")]))


def test_an_open_shoe_has_no_report(sealed_journal) -> None:
    journal = sealed_journal(1)

    with pytest.raises(NoSuchCoup, match=r"shoe 2025-11-21/2 is not sealed.*Remedy"):
        find_whole_shoe(journal, ShoeReference("", 2))


def test_the_day_names_the_open_shoe_that_it_leaves_out(sealed_journal) -> None:
    files = dict(day_files(sealed_journal(1), "", load_clauses()))

    assert b"Not in this report:</strong> shoe 2," in files["day.html"]
    assert "shoe-2.html" not in files


def test_a_day_that_has_only_an_open_shoe_is_refused(deal, begun_log, opening_and_coups) -> None:
    journal = deal(*opening_and_coups(2))
    begun_log(journal)

    with pytest.raises(NoSuchCoup, match="is not sealed"):
        find_day(journal, "")


def test_an_unknown_day_is_answered_with_those_there_are(sealed_journal) -> None:
    with pytest.raises(NoSuchCoup, match=r"no shoe of 2024-01-01.*Gaming days: 2025-11-21"):
        find_day(sealed_journal(1), "2024-01-01")


@pytest.mark.parametrize("name", ["", "1/2/3", "x", "2025-11-21/", "-1"])
def test_what_names_no_shoe_is_refused_with_what_does(name: str) -> None:
    with pytest.raises(NoSuchCoup, match="Allowed: 2026-11-21/7"):
        ShoeReference.parse(name)


def test_the_command_writes_a_page_and_its_tables_and_overwrites_none(
    sealed_journal, tmp_path: Path, capsys
) -> None:
    journal = sealed_journal(1)
    words = ["report", "shoe", "1", str(journal), "--out", str(tmp_path / "s.html"), "--csv"]

    assert main(words) == ExitCode.DONE
    assert (tmp_path / "s-coups.csv").read_bytes().startswith(b"gaming_day,shoe,coup,")
    assert main(words) == ExitCode.UNUSABLE
    assert "not overwritten" in capsys.readouterr().err
