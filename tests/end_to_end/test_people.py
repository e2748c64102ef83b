"""Persons at the running program: proved by PIN, in no evidence by hash; one account's reach."""

import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.journal.people import PEOPLE_NAME, PeopleFile
from controller.system.command_line.errors import ExitCode
from hil.dealing.cards import card_named
from hil.dealing.tableau import Winner
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.serve import PtyServer
from hil.rig.program import Program

PIN, WRONG_PIN = "270918", "300475"
BURN = ("AD", "2C")
NATURAL = ("9H", "2D", "KC", "5S")
BY_ANN = ("--by", "Ann Lee", "--reason", "seen on the layout")


@pytest.fixture
def mistaken(fast_dir: Path, program_on: Callable[..., Program]) -> Iterator[Program]:
    """A running table that waits for a decision on a wrong result."""
    with (
        PtyServer(AngelEye(), link=fast_dir / "shoe") as server,
        program_on(fast_dir, server.path, report_interval_ms_min=1) as program,
    ):
        program.start()
        server.perform(lambda shoe: shoe.power_on())
        for name in (*BURN, *NATURAL):
            card = card_named(name)
            server.perform(lambda shoe, card=card: shoe.draw(card))
        server.perform(lambda shoe: shoe.press_result(Winner.BANKER, False, False))
        for shown in program.client.subscribe():
            if shown.irregularities:
                break
        yield program


@pytest.fixture
def pin_files(fast_dir: Path) -> dict[str, str]:
    for pin in (PIN, WRONG_PIN):
        (fast_dir / pin).write_text(pin)
    return {pin: str(fast_dir / pin) for pin in (PIN, WRONG_PIN)}


def run(program: Program, *words: str) -> ExitCode:
    return ExitCode(main([*words, "--config", str(program.config)]))


def add_ann(program: Program, pin_files: dict[str, str]) -> None:
    role = ("--role", "floorperson", "--new-pin-file", pin_files[PIN])
    assert run(program, "people", "add", "Ann Lee", *role) == ExitCode.DONE


def test_without_accounts_the_running_table_says_so_and_records_it(
    mistaken: Program, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(mistaken, "status") == ExitCode.DONE
    assert run(mistaken, "check-config") == ExitCode.DONE
    assert capsys.readouterr().out.count("no accounts are set up: who acts is not proved") == 2

    assert run(mistaken, "resolve", *BY_ANN, "--decision", "continue") == ExitCode.DONE

    mistaken.await_log(r"\(floorperson, not proved\)")


def test_a_decision_is_the_person_whose_pin_was_given(
    mistaken: Program, pin_files: dict[str, str]
) -> None:
    add_ann(mistaken, pin_files)
    decide = ("resolve", *BY_ANN, "--decision", "continue")

    assert run(mistaken, *decide) == ExitCode.NO
    assert run(mistaken, *decide, "--pin-file", pin_files[WRONG_PIN]) == ExitCode.NO
    assert run(mistaken, *decide, "--pin-file", pin_files[PIN]) == ExitCode.DONE
    mistaken.stop()

    assert "(floorperson, proved by PIN)" in mistaken.log_text()


def test_a_start_takes_a_journal_from_other_accounts_and_says_so(
    fast_dir: Path, mistaken: Program
) -> None:
    journal = fast_dir / "journal"
    mistaken.stop()
    journal.chmod(0o750)
    (journal / "live.db").chmod(0o640)

    mistaken.start()

    assert (journal.stat().st_mode & 0o777, (journal / "live.db").stat().st_mode & 0o777) == (
        0o700,
        0o600,
    )
    mistaken.await_log("other accounts could read it; from now on this one alone may")


def secrets(journal: Path) -> list[bytes]:
    """PINs and hashes as texts that must be nowhere."""
    (account,) = [one for one in PeopleFile(journal).accounts() if one.person]
    salt, hashed = account.pin_hash.rsplit("$", 2)[1:]
    return [one.encode() for one in (PIN, WRONG_PIN, salt, hashed)]


def contents(path: Path) -> bytes:
    if path.suffix != ".zip":
        return path.read_bytes()
    with zipfile.ZipFile(path) as packed:
        return b"".join(packed.read(one) for one in packed.namelist())


def test_no_pin_and_no_hash_is_in_what_the_program_gives_away(
    fast_dir: Path, mistaken: Program, pin_files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    add_ann(mistaken, pin_files)
    decide = ("resolve", *BY_ANN, "--decision", "continue")
    run(mistaken, *decide, "--pin-file", pin_files[WRONG_PIN])
    run(mistaken, *decide, "--pin-file", pin_files[PIN])
    assert run(mistaken, "close-shoe", *BY_ANN, "--pin-file", pin_files[PIN]) == ExitCode.DONE
    run(mistaken, "status", "--json")
    mistaken.stop()
    mistaken.start()
    mistaken.stop()
    journal, given = fast_dir / "journal", fast_dir / "given"
    given.mkdir()
    day = next((journal / "shoes").glob("2*")).name
    for words in (
        ("journal", "export", str(journal), "--tape", str(given / "all.tape")),
        ("journal", "export", str(journal), "--json"),
        ("journal", "archive", str(journal), "--to", str(given / "archive")),
        ("evidence", f"{day}/1/1", "--journal", str(journal), "--out", str(given / "coup.zip")),
        ("people", "list", str(journal)),
    ):
        assert main(list(words)) == ExitCode.DONE, words
    printed = capsys.readouterr()
    files = [one for folder in (journal, given) for one in folder.rglob("*") if one.is_file()]
    others = [one for one in files if not one.name.startswith(PEOPLE_NAME)]

    assert {"live.db", "all.tape", "coup.zip", "0001.shoe"} <= {one.name for one in others}
    said = b"".join([printed.out.encode(), printed.err.encode(), mistaken.log_text().encode()])
    everything = said + b"".join(map(contents, others))
    assert [one for one in secrets(journal) if one in everything] == []
    assert b"proved by PIN" in everything
    assert secrets(journal)[-1] in (journal / PEOPLE_NAME).read_bytes(), "the test finds it"
