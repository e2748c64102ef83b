"""`smartshoe evidence`: writes the bundle of a coup, or reports why it cannot."""

import json
from pathlib import Path

import pytest

from controller.actions.actions import CorrectCoup
from controller.cli.errors import ExitCode
from controller.cli.main import main
from controller.rules.outcome import Outcome

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
    assert asked(coup, disputed, tmp_path / "coup.zip") == ExitCode.DONE
    output = capsys.readouterr().out
    assert "coup 2025-11-20/1/2, 11 files" in output
    assert "python3 verify.py ." in output
    assert (tmp_path / "coup.zip").stat().st_size > 10_000


def test_live_db_names_the_journal_too(disputed: Path, tmp_path: Path) -> None:
    assert asked("1/2", disputed / "live.db", tmp_path / "coup.zip") == ExitCode.DONE


def test_json_lists_the_written_files(disputed: Path, tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "coup.zip"

    assert asked("1/2", disputed, path, "--json") == ExitCode.DONE
    output = json.loads(capsys.readouterr().out)
    assert (output["path"], output["coup"], output["provisional"]) == (
        str(path),
        "2025-11-20/1/2",
        False,
    )
    assert output["bytes"] == path.stat().st_size
    assert "verify.py" in output["files"]


def test_a_correction_that_is_not_sealed_yet_is_said(
    sealed_journal, tmp_path: Path, capsys: Capture
) -> None:
    def correct(script) -> None:
        script.acted(CorrectCoup(3, Outcome.TIE, "S. Veil"))

    journal = sealed_journal(1, then=(), end=correct)

    assert asked("1/3", journal, tmp_path / "coup.zip") == ExitCode.DONE
    assert "a correction is not sealed yet: make the evidence again" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("coup", "words"),
    [
        ("seven", "does not name a coup. Allowed: 2026-11-21/7/34"),
        ("1/2/3/4", "does not name a coup"),
        ("1/7", "no coup 7 in that shoe: 2025-11-20/1 has coups 1 to 6"),
        ("1/0", "has coups 1 to 6"),
        ("9/1", "no shoe 9. Sealed shoes: 2025-11-20/1"),
        ("2025-11-21/1/1", "no shoe 1 of 2025-11-21. Sealed shoes: 2025-11-20/1"),
    ],
)
def test_an_unknown_coup_lists_the_known_ones(
    disputed: Path, tmp_path: Path, capsys: Capture, coup: str, words: str
) -> None:
    assert asked(coup, disputed, tmp_path / "coup.zip") == ExitCode.UNUSABLE
    assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_shoe_that_is_not_over_is_refused_until_it_is(
    three_coups: Path, tmp_path: Path, capsys: Capture
) -> None:
    assert asked("1/2", three_coups, tmp_path / "coup.zip") == ExitCode.UNUSABLE
    output = capsys.readouterr().err
    assert "shoe 2025-11-21/1 is not sealed" in output
    assert "wait for the shoe's end" in output
    assert list(tmp_path.iterdir()) == []


def test_a_finished_unsealed_shoe_is_reported(
    script, record, tmp_path: Path, capsys: Capture
) -> None:
    journal = record(script().begun().reported(*WHOLE_SHOE))

    assert asked("1/2", journal, tmp_path / "coup.zip") == ExitCode.UNUSABLE
    output = capsys.readouterr().err
    assert "shoe 2025-11-21/1 has ended and is not sealed yet" in output
    assert "seals ended shoes when it starts" in output


def test_a_folder_that_is_none_is_named(tmp_path: Path, capsys: Capture) -> None:
    assert asked("1/2", tmp_path / "nowhere", tmp_path / "coup.zip") == ExitCode.UNUSABLE
    assert "no such file or folder" in capsys.readouterr().err


def test_a_folder_without_a_sealed_shoe_is_named(tmp_path: Path, capsys: Capture) -> None:
    assert asked("1/2", tmp_path, tmp_path / "coup.zip") == ExitCode.UNUSABLE
    assert "this folder holds no live.db and no shoes" in capsys.readouterr().err


def test_a_damaged_shoe_is_named_and_nothing_is_written(
    disputed: Path, tmp_path: Path, capsys: Capture
) -> None:
    shoe = tmp_path / "journal" / "shoes" / "2025-11-20" / "0001.shoe"
    shoe.parent.mkdir(parents=True)
    data = bytearray((disputed / "shoes" / "2025-11-20" / "0001.shoe").read_bytes())
    data[len(data) // 2] ^= 1
    shoe.write_bytes(data)

    assert asked("1/2", tmp_path / "journal", tmp_path / "coup.zip") == ExitCode.UNUSABLE
    assert f"{shoe}: its digest does not match its bytes" in capsys.readouterr().err
    assert not (tmp_path / "coup.zip").exists()


def test_an_existing_file_is_kept(disputed: Path, tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "coup.zip"
    path.write_bytes(b"another")

    assert asked("1/2", disputed, path) == ExitCode.UNUSABLE
    assert "is not overwritten" in capsys.readouterr().err
    assert path.read_bytes() == b"another"
