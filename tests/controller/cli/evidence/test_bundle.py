"""`smartshoe evidence`: from a coup's name to a file, or to a sentence that says what there is."""

import json
from pathlib import Path

import pytest

from controller.cli.errors import Exit
from controller.cli.main import main

OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
WHOLE_SHOE = (*OPENING, *COUP, *COUP[:2], "43", *COUP[2:], *COUP)
Capture = pytest.CaptureFixture[str]


def asked(coup: str, journal: Path, out: Path, *more: str) -> int:
    return main(["evidence", coup, "--journal", str(journal), "--out", str(out), *more])


@pytest.mark.parametrize("coup", ["2025-11-20/1/2", "1/2", " 1/2 "])
def test_a_coup_is_named_with_its_gaming_day_or_without(
    disputed: Path, tmp_path: Path, capsys: Capture, coup: str
) -> None:
    assert asked(coup, disputed, tmp_path / "coup.zip") == Exit.DONE
    said = capsys.readouterr().out
    assert "coup 2025-11-20/1/2, 9 files" in said
    assert "python3 verify.py ." in said
    assert (tmp_path / "coup.zip").stat().st_size > 10_000


def test_the_live_file_may_stand_for_the_journal(disputed: Path, tmp_path: Path) -> None:
    assert asked("1/2", disputed / "live.db", tmp_path / "coup.zip") == Exit.DONE


def test_json_says_what_was_written(disputed: Path, tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "coup.zip"

    assert asked("1/2", disputed, path, "--json") == Exit.DONE
    said = json.loads(capsys.readouterr().out)
    assert (said["path"], said["coup"], said["provisional"]) == (str(path), "2025-11-20/1/2", False)
    assert said["bytes"] == path.stat().st_size
    assert "verify.py" in said["files"]


@pytest.mark.parametrize(
    ("coup", "words"),
    [
        ("seven", "names no coup. Allowed: 2026-11-21/7/34"),
        ("1/2/3/4", "names no coup"),
        ("1/7", "no coup 7 in that shoe: 2025-11-20/1 has coups 1 to 6"),
        ("1/0", "has coups 1 to 6"),
        ("9/1", "no shoe 9 is here. Sealed are 2025-11-20/1"),
        ("2025-11-21/1/1", "no shoe 1 of 2025-11-21 is here. Sealed are 2025-11-20/1"),
    ],
)
def test_a_coup_that_is_not_there_is_answered_with_what_is(
    disputed: Path, tmp_path: Path, capsys: Capture, coup: str, words: str
) -> None:
    assert asked(coup, disputed, tmp_path / "coup.zip") == Exit.UNUSABLE
    assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_shoe_that_is_not_over_is_refused_until_it_is(
    three_coups: Path, tmp_path: Path, capsys: Capture
) -> None:
    assert asked("1/2", three_coups, tmp_path / "coup.zip") == Exit.UNUSABLE
    said = capsys.readouterr().err
    assert "shoe 2025-11-21/1 is not sealed" in said
    assert "wait for the shoe's end" in said
    assert list(tmp_path.iterdir()) == []


def test_a_shoe_that_is_over_and_not_sealed_says_so(
    script, record, tmp_path: Path, capsys: Capture
) -> None:
    journal = record(script().begun().reported(*WHOLE_SHOE))

    assert asked("1/2", journal, tmp_path / "coup.zip") == Exit.UNUSABLE
    said = capsys.readouterr().err
    assert "shoe 2025-11-21/1 is over and not sealed yet" in said
    assert "seals what is over when it starts" in said


def test_a_folder_that_is_none_is_named(tmp_path: Path, capsys: Capture) -> None:
    assert asked("1/2", tmp_path / "nowhere", tmp_path / "coup.zip") == Exit.UNUSABLE
    assert "no such folder" in capsys.readouterr().err


def test_a_folder_without_a_sealed_shoe_is_named(tmp_path: Path, capsys: Capture) -> None:
    assert asked("1/2", tmp_path, tmp_path / "coup.zip") == Exit.UNUSABLE
    assert "no sealed shoe is here" in capsys.readouterr().err


def test_a_damaged_shoe_is_named_and_nothing_is_written(
    disputed: Path, tmp_path: Path, capsys: Capture
) -> None:
    shoe = tmp_path / "journal" / "shoes" / "2025-11-20" / "0001.shoe"
    shoe.parent.mkdir(parents=True)
    data = bytearray((disputed / "shoes" / "2025-11-20" / "0001.shoe").read_bytes())
    data[len(data) // 2] ^= 1
    shoe.write_bytes(data)

    assert asked("1/2", tmp_path / "journal", tmp_path / "coup.zip") == Exit.UNUSABLE
    assert f"{shoe}: its bytes and its digest do not belong together" in capsys.readouterr().err
    assert not (tmp_path / "coup.zip").exists()


def test_a_file_that_is_there_stays(disputed: Path, tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "coup.zip"
    path.write_bytes(b"another")

    assert asked("1/2", disputed, path) == Exit.UNUSABLE
    assert "it is not overwritten" in capsys.readouterr().err
    assert path.read_bytes() == b"another"
