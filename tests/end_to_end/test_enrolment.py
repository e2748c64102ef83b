"""Batches enrolled and counted at an emulated reader over TCP by the commands."""

import io
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.system.command_line.errors import ExitCode
from hil.dealing.cards import PhysicalCard
from hil.dealing.tags import PhysicalBatch, batch
from hil.emulator.feig.table_reader import TableReader
from hil.emulator.lines.serve import PtyServer, TcpServer

Capture = pytest.CaptureFixture[str]
Reader = TcpServer[TableReader]
WHO = ("--maker", "Acme", "--operator", "Ann Lee")


@pytest.fixture
def reader() -> Iterator[Reader]:
    with TcpServer(TableReader()) as server:
        yield server


@pytest.fixture
def red() -> PhysicalBatch:
    return batch("RED-0001", "red", 2)


@pytest.fixture
def place(fast_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Path:
    monkeypatch.chdir(fast_dir)
    assert main(["keys", "make"]) == ExitCode.DONE
    capsys.readouterr()
    return fast_dir


def deck(cards: PhysicalBatch, number: int) -> tuple[PhysicalCard, ...]:
    return tuple(one for one in cards.cards if one.deck == number)


def lay(reader: Reader, cards: tuple[PhysicalCard, ...]) -> None:
    reader.perform(lambda device: device.lay_pile(cards))


class Person:
    """Replaces the keyboard: lays the next pile before each Enter; None is Ctrl-C."""

    def __init__(self, reader: Reader, *piles: tuple[PhysicalCard, ...] | None) -> None:
        self._reader = reader
        self._piles = list(piles)

    def readline(self, _size: int = -1) -> str:
        pile = self._piles.pop(0)
        if pile is None:
            raise KeyboardInterrupt
        lay(self._reader, pile)
        return "\n"

    def isatty(self) -> bool:
        return False


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch, reader: Reader) -> Callable[..., None]:
    def sits_down(*piles: tuple[PhysicalCard, ...] | None) -> None:
        monkeypatch.setattr(sys, "stdin", Person(reader, *piles))

    return sits_down


def enrol(reader: Reader, *more: str, decks: int = 2) -> int:
    words = ["batch", "enrol", "RED-0001", "--back", "red", "--decks", str(decks)]
    return main([*words, "--reader", reader.url, *WHO, *more])


def test_a_batch_is_enrolled_deck_by_deck_and_its_cut_cards(
    place: Path,
    reader: Reader,
    red: PhysicalBatch,
    person: Callable[..., None],
    capsys: Capture,
) -> None:
    person(deck(red, 1), deck(red, 2), red.cut_cards)

    assert enrol(reader, "--cut-cards", "3") == ExitCode.DONE

    output = capsys.readouterr()
    assert output.out == (
        "batch RED-0001 is complete: 2 decks, 104 cards and 3 cut cards\n"
        "cards     batches/RED-0001.csv\n"
        "receipt   batches/RED-0001.receipt.json\n"
    )
    assert "Lay deck 2 of 2 on the reader, then press Enter" in output.err
    assert (place / "batches/RED-0001.csv").read_text() == red.csv()
    receipt = json.loads((place / "batches/RED-0001.receipt.json").read_text())
    assert (receipt["result"], receipt["count"]) == ("read", 107)
    assert sorted(one.name for one in (place / "batches").iterdir()) == [
        "RED-0001.csv",
        "RED-0001.receipt.json",
    ]


def test_a_bad_deck_is_named_and_a_later_run_continues(
    place: Path,
    reader: Reader,
    red: PhysicalBatch,
    person: Callable[..., None],
    capsys: Capture,
) -> None:
    bad = (*deck(red, 2)[1:], red.cut_cards[0])
    missing = str(deck(red, 2)[0].card)
    person(deck(red, 1), bad)

    assert enrol(reader, "--wait", "1") == ExitCode.NO
    output = capsys.readouterr().err
    assert f"deck 2: {missing[:-1]}{missing[-1].lower()} is missing" in output
    assert f"tag {red.cut_cards[0].tag} is a cut card: take it out of deck 2" in output
    assert "continue with --resume" in output
    assert not (place / "batches/RED-0001.csv").exists()

    assert enrol(reader) == ExitCode.UNUSABLE
    assert "continue with --resume, or start again with --replace" in capsys.readouterr().err

    lay(reader, deck(red, 2))
    assert enrol(reader, "--resume", "--yes", "--json") == ExitCode.DONE
    assert json.loads(capsys.readouterr().out)["cards"] == 104
    assert not (place / "batches/RED-0001.partial").exists()


def test_ctrl_c_keeps_the_decks_that_are_complete(
    place: Path,
    reader: Reader,
    red: PhysicalBatch,
    person: Callable[..., None],
    capsys: Capture,
) -> None:
    person(deck(red, 1), None)

    assert enrol(reader) == ExitCode.INTERRUPTED
    assert "the complete decks are kept in batches/RED-0001.partial" in capsys.readouterr().err
    assert len((place / "batches/RED-0001.partial").read_text().splitlines()) == 4 + 52


def test_the_last_deck_must_be_removed_first(
    place: Path, reader: Reader, red: PhysicalBatch, capsys: Capture
) -> None:
    lay(reader, deck(red, 1))

    assert enrol(reader, "--yes", "--wait", "1") == ExitCode.NO
    assert "these cards have been read; take them off the reader" in capsys.readouterr().err


def test_a_batch_is_enrolled_over_a_serial_line(
    place: Path, red: PhysicalBatch, capsys: Capture
) -> None:
    words = ["batch", "enrol", "RED-0001", "--back", "red", "--decks", "1", "--yes", *WHO]
    with PtyServer(TableReader()) as line:
        line.perform(lambda device: device.lay_pile(deck(red, 1)))

        assert main([*words, "--reader", line.path]) == ExitCode.DONE
    assert "batch RED-0001 is complete: 1 deck, 52 cards" in capsys.readouterr().out


def test_an_unplugged_cable_loses_no_deck(
    place: Path, reader: Reader, red: PhysicalBatch, capsys: Capture
) -> None:
    lay(reader, deck(red, 1))
    reader.cut_after(700)

    assert enrol(reader, "--yes", decks=1) == ExitCode.DONE
    assert reader.connections == 2


@pytest.mark.usefixtures("place")
def test_a_missing_reader_is_reported(reader: Reader, capsys: Capture) -> None:
    words = ["batch", "enrol", "RED-0001", "--back", "red", *WHO, "--reader"]

    assert main([*words, "/dev/no-such-reader"]) == ExitCode.UNUSABLE
    assert "/dev/no-such-reader" in capsys.readouterr().err
    assert main([*words, "reader"]) == ExitCode.UNUSABLE
    assert "--reader: 'reader' is not an absolute path" in capsys.readouterr().err


@pytest.mark.usefixtures("place")
def test_without_a_terminal_the_noninteractive_option_is_named(
    reader: Reader, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))

    assert enrol(reader) == ExitCode.UNUSABLE
    assert "press Enter before each deck, or use --yes" in capsys.readouterr().err


# --- counted again -------------------------------------------------------------------------------


@pytest.fixture
def enrolled(place: Path, red: PhysicalBatch, capsys: Capture) -> Path:
    (place / "maker.csv").write_text(red.csv())
    assert main(["batch", "import", "maker.csv", *WHO]) == ExitCode.DONE
    capsys.readouterr()
    return place


@pytest.mark.usefixtures("enrolled")
def test_a_second_count_finds_the_same_cards(
    reader: Reader, red: PhysicalBatch, capsys: Capture
) -> None:
    lay(reader, red.cards)

    assert main(["batch", "verify", "RED-0001", "--reader", reader.url]) == ExitCode.DONE
    assert capsys.readouterr().out == "batch RED-0001: 107 of 107 cards are present\n"


@pytest.mark.usefixtures("enrolled")
def test_a_second_count_finds_a_foreign_card(
    reader: Reader, red: PhysicalBatch, capsys: Capture
) -> None:
    foreign = batch("BLUE-0001", "blue", 1).cards[0]
    lay(reader, (*red.cards[1:], foreign))

    words = ["batch", "verify", "RED-0001", "--reader", reader.url, "--wait", "1"]
    assert main(words) == ExitCode.NO
    output = capsys.readouterr().out
    assert "batch RED-0001: 106 of 107 cards are present\n" in output
    assert f"tag {red.cards[0].tag}\n" in output
    assert f"tag {foreign.tag} is foreign" in output
