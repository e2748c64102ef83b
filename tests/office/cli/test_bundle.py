"""`smartshoe evidence`: writes the bundle of a coup, or reports why it cannot."""

import json
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.rules.actions.actions import CorrectCoup
from controller.rules.outcome import Outcome
from controller.system.command_line.errors import ExitCode

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
    assert "coup 2025-11-20/1/2, 12 files" in output
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


# --- a coup by its time ---------------------------------------------------------------------------


def at_time(time: str, journal: Path, out: Path, *more: str) -> int:
    return main(["evidence", "--at", time, str(journal), "--out", str(out), *more])


def test_a_time_finds_the_coup_and_the_output_lists_those_beside_it(
    disputed: Path, tmp_path: Path, capsys: Capture
) -> None:
    assert at_time("04:00:04", disputed, tmp_path / "coup.zip") == ExitCode.DONE

    output = capsys.readouterr().out
    assert output.startswith("2025-11-21 04:00:04 -05:00\n")
    assert [line.split("  ")[1:] for line in output.split("\n")[1:4]] == [
        ["2025-11-20/1/1", "04:00:01 to 04:00:02 -05:00", "Player wins"],
        ["2025-11-20/1/2", "04:00:03 to 04:00:05 -05:00", "Banker wins; seats 1, 3", "<- chosen"],
        ["2025-11-20/1/3", "04:00:05 to 04:00:06 -05:00", "Tie"],
    ]
    assert f"{tmp_path / 'coup.zip'}: coup 2025-11-20/1/2, 12 files" in output


def test_the_list_shows_no_card_and_a_void_coup_no_outcome(
    disputed: Path, tmp_path: Path, capsys: Capture
) -> None:
    assert at_time("04:00:07", disputed, tmp_path / "coup.zip", "--json") == ExitCode.DONE

    shown = json.loads(capsys.readouterr().out)
    assert shown["moments"] == ["2025-11-21T09:00:07.000000000Z"]
    void = next(one for one in shown["candidates"] if one["coup"] == "2025-11-20/1/4")
    assert (void["chosen"], void["outcome"], void["seats"]) == (True, None, [])
    assert {name for one in shown["candidates"] for name in one} == {
        *("coup", "chosen", "sealed", "from", "until", "local", "outcome", "seats")
    }


def test_a_clock_that_was_set_back_is_said(
    script, stored_and_sealed, fast_dir: Path, capsys: Capture
) -> None:
    before_ns = 1_762_061_400 * 10**9  # 2025-11-02 05:30 UTC, 01:30 in New York for the first time
    table = script(utc_ns=before_ns, zone="America/New_York").begun().reported(*WHOLE_SHOE)
    stored_and_sealed(fast_dir / "journal", table, fast_dir / "table.key")

    assert at_time("01:30", fast_dir / "journal", fast_dir / "coup.zip") == ExitCode.DONE
    assert capsys.readouterr().out.startswith(
        "the clock was set back and showed it twice: 2025-11-02 01:30:00 -04:00 and 2025-11-02"
        " 01:30:00 -05:00; the nearer coup is chosen\n"
    )


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (("1/2", "--at", "04:00"), "--at: a coup is named, too"),
        (("1/2", "--seat", "3"), "--seat: no time is given"),
        (("--at", "4 pm"), "--at: '4 pm' does not name a time"),
        (("--at", "12:00"), "--at: no coup was dealt within 15 minutes of 12:00"),
        ((), "COUP: it is missing"),
    ],
)
def test_a_coup_is_named_by_itself_or_by_a_time(
    disputed: Path, tmp_path: Path, capsys: Capture, words: tuple[str, ...], place: str
) -> None:
    named = ["evidence", *words, "--journal", str(disputed), "--out", str(tmp_path / "coup.zip")]

    assert main(named) == ExitCode.UNUSABLE
    error = capsys.readouterr().err
    assert error.startswith(f"smartshoe: {place}")
    assert "Remedy: " in error
    assert list(tmp_path.iterdir()) == []
