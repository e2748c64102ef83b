"""`smartshoe batch` without a reader: import, export, list, show, and verify against files."""

import json
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.system.command_line.errors import ExitCode

Capture = pytest.CaptureFixture[str]
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")


def csv(name: str = "RED-1", first: int = 0) -> str:
    rows = [
        f"E004{first + place:012X},{rank},{suit},1"
        for place, (suit, rank) in enumerate((suit, rank) for suit in "DCSH" for rank in RANKS)
    ]
    return "\n".join(
        [f"# batch = {name}", "# back = red", "# decks = 1", "tag,rank,suit,deck", *rows, ""]
    )


@pytest.fixture
def place(fast_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Path:
    """A folder with a key and a maker's file."""
    monkeypatch.chdir(fast_dir)
    assert main(["keys", "make"]) == ExitCode.DONE
    (fast_dir / "maker.csv").write_text(csv())
    capsys.readouterr()
    return fast_dir


WHO = ("--maker", "Acme", "--operator", "Ann Lee")


@pytest.fixture
def imported(place: Path, capsys: Capture) -> Path:
    assert main(["batch", "import", "maker.csv", *WHO]) == ExitCode.DONE
    capsys.readouterr()
    return place


def test_a_makers_list_becomes_a_batch_with_a_receipt(place: Path, capsys: Capture) -> None:
    assert main(["batch", "import", "maker.csv", *WHO]) == ExitCode.DONE

    assert capsys.readouterr().out == (
        "batch RED-1 is complete: 1 deck, 52 cards\n"
        "cards     batches/RED-1.csv\n"
        "receipt   batches/RED-1.receipt.json\n"
    )
    receipt = json.loads((place / "batches/RED-1.receipt.json").read_text())
    assert (receipt["result"], receipt["maker"], receipt["operator"]) == (
        "imported",
        "Acme",
        "Ann Lee",
    )


def test_a_list_with_errors_writes_nothing_and_reports_all_of_them(
    place: Path, capsys: Capture
) -> None:
    (place / "maker.csv").write_text(csv().replace(",Q,D,", ",J,D,"))

    assert main(["batch", "import", "maker.csv", *WHO]) == ExitCode.UNUSABLE
    output = capsys.readouterr().err
    assert "maker.csv: deck 1: Jd is in it 2 times" in output
    assert "maker.csv: deck 1: Qd is missing" in output
    assert not (place / "batches").exists()


def test_a_batch_is_overwritten_only_with_replace(imported: Path, capsys: Capture) -> None:
    assert main(["batch", "import", "maker.csv", *WHO]) == ExitCode.UNUSABLE
    assert "is not overwritten" in capsys.readouterr().err
    assert main(["batch", "import", "maker.csv", "--replace", *WHO]) == ExitCode.DONE


def test_cards_of_another_batch_are_not_imported_again(imported: Path, capsys: Capture) -> None:
    (imported / "maker.csv").write_text(csv("RED-2", 50))

    assert main(["batch", "import", "maker.csv", *WHO]) == ExitCode.UNUSABLE
    assert "2 of its cards also belong to batch RED-1" in capsys.readouterr().err


@pytest.mark.parametrize("operator", ["", "  ", "a\tb", "x" * 65])
def test_an_operator_without_a_name_is_refused(place: Path, operator: str, capsys: Capture) -> None:
    words = ["batch", "import", "maker.csv", "--maker", "Acme", "--operator", operator]

    assert main(words) == ExitCode.UNUSABLE
    assert "--operator: " in capsys.readouterr().err


def test_without_a_key_nothing_is_imported(place: Path, capsys: Capture) -> None:
    (place / "table.key").unlink()

    assert main(["batch", "import", "maker.csv", *WHO]) == ExitCode.UNUSABLE
    assert "Remedy: make one with `smartshoe keys make table.key`" in capsys.readouterr().err


def test_an_export_is_the_canonical_text(imported: Path, capsys: Capture) -> None:
    assert main(["batch", "export", "RED-1"]) == ExitCode.DONE
    assert capsys.readouterr().out == (imported / "batches/RED-1.csv").read_text()

    assert main(["batch", "export", "RED-1", "--to", "out.csv"]) == ExitCode.DONE
    assert (imported / "out.csv").read_text() == (imported / "batches/RED-1.csv").read_text()


def test_an_export_overwrites_nothing(imported: Path, capsys: Capture) -> None:
    assert main(["batch", "export", "RED-1", "--to", "maker.csv"]) == ExitCode.UNUSABLE
    assert "is not overwritten" in capsys.readouterr().err


@pytest.mark.usefixtures("imported")
def test_batches_are_listed(capsys: Capture) -> None:
    assert main(["batch", "list"]) == ExitCode.DONE
    assert "RED-1 red 1 52 imported Acme Ann Lee 20" in " ".join(capsys.readouterr().out.split())


def test_a_batch_that_is_not_for_play_is_listed_as_such(imported: Path, capsys: Capture) -> None:
    (imported / "batches/RED-1.receipt.json").unlink()

    assert main(["batch", "list"]) == ExitCode.NO
    output = capsys.readouterr()
    assert "not for play" in output.out
    assert "RED-1: not for play: batches/RED-1.receipt.json: there is no such file" in output.err


@pytest.mark.usefixtures("imported")
def test_a_list_and_a_batch_as_json(capsys: Capture) -> None:
    assert main(["batch", "list", "--json"]) == ExitCode.DONE
    (listed,) = json.loads(capsys.readouterr().out)["batches"]
    assert main(["batch", "show", "RED-1", "--json"]) == ExitCode.DONE
    shown = json.loads(capsys.readouterr().out)

    assert listed == shown
    assert (shown["cards"], shown["cut_cards"], shown["problem"]) == (52, 0, "")


@pytest.mark.usefixtures("imported")
def test_a_batch_is_shown(capsys: Capture) -> None:
    assert main(["batch", "show", "RED-1"]) == ExitCode.DONE
    assert capsys.readouterr().out.endswith("for play          yes\n")


@pytest.mark.usefixtures("imported")
@pytest.mark.parametrize("name", ["../RED-1", "", ".", "a/b"])
def test_a_batch_name_cannot_be_a_path(name: str, capsys: Capture) -> None:
    assert main(["batch", "show", name]) == ExitCode.UNUSABLE
    assert "Allowed: 1 to 64 of the letters" in capsys.readouterr().err


def test_another_tables_receipt_counts_where_its_key_is_trusted(
    imported: Path, capsys: Capture
) -> None:
    (imported / "table.key").rename(imported / "other.key")
    (imported / "table.key.pub").rename(imported / "other.pub")
    assert main(["keys", "make"]) == ExitCode.DONE

    assert main(["batch", "show", "RED-1"]) == ExitCode.NO
    assert main(["batch", "show", "RED-1", "--trust", "other.pub"]) == ExitCode.DONE
    assert (
        main(["batch", "show", "RED-1", "--key", "none", "--trust", "other.pub"]) == ExitCode.DONE
    )


def test_the_public_half_of_the_key_suffices_to_check_a_batch(
    imported: Path, capsys: Capture
) -> None:
    (imported / "table.key").unlink()

    assert main(["batch", "show", "RED-1"]) == ExitCode.DONE


def test_without_any_public_key_nothing_can_be_checked(imported: Path, capsys: Capture) -> None:
    (imported / "table.key.pub").unlink()

    assert main(["batch", "list"]) == ExitCode.UNUSABLE
    assert "`smartshoe keys show` writes a table's public key" in capsys.readouterr().err


# --- verify --------------------------------------------------------------------------------------


@pytest.mark.usefixtures("imported")
def test_files_that_belong_together(capsys: Capture) -> None:
    assert main(["batch", "verify", "RED-1"]) == ExitCode.DONE
    assert "cards and receipt match" in capsys.readouterr().out


def test_files_that_do_not(imported: Path, capsys: Capture) -> None:
    path = imported / "batches/RED-1.receipt.json"
    path.write_text(path.read_text().replace("Ann", "Bob"))

    assert main(["batch", "verify", "RED-1"]) == ExitCode.NO
    assert "the receipt was changed after it was signed" in capsys.readouterr().err


@pytest.mark.usefixtures("imported")
def test_the_same_cards_by_another_list(capsys: Capture) -> None:
    assert main(["batch", "verify", "RED-1", "--against", "maker.csv"]) == ExitCode.DONE
    assert capsys.readouterr().out == "batch RED-1: 52 of 52 cards are present\n"


def test_other_cards_by_another_list(imported: Path, capsys: Capture) -> None:
    lines = csv().replace(f"E004{0:012X}", "E0FF").replace(",Q,D,", ",J,D,")
    (imported / "found.csv").write_text(lines)

    assert main(["batch", "verify", "RED-1", "--against", "found.csv"]) == ExitCode.NO
    assert capsys.readouterr().out == (
        "batch RED-1: 51 of 52 cards are present\n"
        "missing: Ad, deck 1, tag E004000000000000\n"
        "tag E0FF is foreign, its chip names Ad: take it out and keep it for the floorperson\n"
        "tag E00400000000000B is Qd in the batch's file, but its chip names Jd: set it apart"
        " and look at its face\n"
    )


def test_other_cards_as_json(imported: Path, capsys: Capture) -> None:
    (imported / "found.csv").write_text("".join(csv().splitlines(keepends=True)[:-1]))

    assert main(["batch", "verify", "RED-1", "--against", "found.csv", "--json"]) == ExitCode.NO
    shown = json.loads(capsys.readouterr().out)
    assert (shown["ok"], shown["counted"]) == (False, 51)
    assert shown["missing"] == [{"tag": "E004000000000033", "card": "Kh", "deck": 1}]
