"""Batches enrolled and counted again at an emulated reader over TCP, by the commands."""

import io
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.cli.errors import Exit
from controller.cli.main import main
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
    assert main(["keys", "make"]) == Exit.DONE
    capsys.readouterr()
    return fast_dir


def deck(cards: PhysicalBatch, number: int) -> tuple[PhysicalCard, ...]:
    return tuple(one for one in cards.cards if one.deck == number)


def lay(reader: Reader, cards: tuple[PhysicalCard, ...]) -> None:
    reader.perform(lambda device: device.lay_pile(cards))


class Person:
    """Stands in for the keyboard: lays the next pile before each Enter; None is Ctrl-C."""

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

    assert enrol(reader, "--cut-cards", "3") == Exit.DONE

    said = capsys.readouterr()
    assert said.out == (
        "batch RED-0001 is whole: 2 decks, 104 cards and 3 cut cards\n"
        "cards     batches/RED-0001.csv\n"
        "receipt   batches/RED-0001.receipt.json\n"
    )
    assert "Lay deck 2 of 2 on the reader, then press Enter" in said.err
    assert (place / "batches/RED-0001.csv").read_text() == red.csv()
    receipt = json.loads((place / "batches/RED-0001.receipt.json").read_text())
    assert (receipt["result"], receipt["count"]) == ("read", 107)
    assert sorted(one.name for one in (place / "batches").iterdir()) == [
        "RED-0001.csv",
        "RED-0001.receipt.json",
    ]


def test_a_bad_deck_is_named_and_a_later_run_goes_on(
    place: Path,
    reader: Reader,
    red: PhysicalBatch,
    person: Callable[..., None],
    capsys: Capture,
) -> None:
    bad = (*deck(red, 2)[1:], red.cut_cards[0])
    missing = str(deck(red, 2)[0].card)
    person(deck(red, 1), bad)

    assert enrol(reader, "--wait", "1") == Exit.NO
    said = capsys.readouterr().err
    assert f"deck 2: {missing[:-1]}{missing[-1].lower()} is missing" in said
    assert f"tag {red.cut_cards[0].tag} is a cut card: take it out of deck 2" in said
    assert "go on with --resume" in said
    assert not (place / "batches/RED-0001.csv").exists()

    assert enrol(reader) == Exit.UNUSABLE
    assert "go on with --resume, or begin anew with --replace" in capsys.readouterr().err

    lay(reader, deck(red, 2))
    assert enrol(reader, "--resume", "--yes", "--json") == Exit.DONE
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

    assert enrol(reader) == Exit.INTERRUPTED
    assert "what is complete is kept in batches/RED-0001.partial" in capsys.readouterr().err
    assert len((place / "batches/RED-0001.partial").read_text().splitlines()) == 4 + 52


def test_the_deck_before_must_be_taken_off(
    place: Path, reader: Reader, red: PhysicalBatch, capsys: Capture
) -> None:
    lay(reader, deck(red, 1))

    assert enrol(reader, "--yes", "--wait", "1") == Exit.NO
    assert "these cards are read; take them off the reader" in capsys.readouterr().err


def test_a_batch_is_enrolled_over_a_serial_line(
    place: Path, red: PhysicalBatch, capsys: Capture
) -> None:
    words = ["batch", "enrol", "RED-0001", "--back", "red", "--decks", "1", "--yes", *WHO]
    with PtyServer(TableReader()) as line:
        line.perform(lambda device: device.lay_pile(deck(red, 1)))

        assert main([*words, "--reader", line.path]) == Exit.DONE
    assert "batch RED-0001 is whole: 1 decks, 52 cards" in capsys.readouterr().out


def test_a_cable_that_is_pulled_costs_nothing(
    place: Path, reader: Reader, red: PhysicalBatch, capsys: Capture
) -> None:
    lay(reader, deck(red, 1))
    reader.cut_after(700)

    assert enrol(reader, "--yes", decks=1) == Exit.DONE
    assert reader.connections == 2


@pytest.mark.usefixtures("place")
def test_a_reader_that_is_not_there_is_told(reader: Reader, capsys: Capture) -> None:
    words = ["batch", "enrol", "RED-0001", "--back", "red", *WHO, "--reader"]

    assert main([*words, "/dev/no-such-reader"]) == Exit.UNUSABLE
    assert "/dev/no-such-reader" in capsys.readouterr().err
    assert main([*words, "reader"]) == Exit.UNUSABLE
    assert "--reader: 'reader' is no whole path" in capsys.readouterr().err


@pytest.mark.usefixtures("place")
def test_where_nobody_answers_it_is_told_how_to_ask_nobody(
    reader: Reader, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))

    assert enrol(reader) == Exit.UNUSABLE
    assert "with --yes each deck is taken as it appears" in capsys.readouterr().err


# --- counted again -------------------------------------------------------------------------------


@pytest.fixture
def enrolled(place: Path, red: PhysicalBatch, capsys: Capture) -> Path:
    (place / "maker.csv").write_text(red.csv())
    assert main(["batch", "import", "maker.csv", *WHO]) == Exit.DONE
    capsys.readouterr()
    return place


@pytest.mark.usefixtures("enrolled")
def test_a_batch_counted_again_is_the_same_cards(
    reader: Reader, red: PhysicalBatch, capsys: Capture
) -> None:
    lay(reader, red.cards)

    assert main(["batch", "verify", "RED-0001", "--reader", reader.url]) == Exit.DONE
    assert capsys.readouterr().out == "batch RED-0001: 107 of 107 cards are there\n"


@pytest.mark.usefixtures("enrolled")
def test_a_batch_with_a_foreign_card_for_one_of_its_own_is_not(
    reader: Reader, red: PhysicalBatch, capsys: Capture
) -> None:
    foreign = batch("BLUE-0001", "blue", 1).cards[0]
    lay(reader, (*red.cards[1:], foreign))

    words = ["batch", "verify", "RED-0001", "--reader", reader.url, "--wait", "1"]
    assert main(words) == Exit.NO
    said = capsys.readouterr().out
    assert "batch RED-0001: 106 of 107 cards are there\n" in said
    assert f"tag {red.cards[0].tag}\n" in said
    assert f"tag {foreign.tag} is foreign" in said
