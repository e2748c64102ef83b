"""`act change-setting --pit`: every table of the pit is told, and answers for itself."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.system.command_line.errors import ExitCode

Capture = pytest.CaptureFixture[str]
Serve = Callable[..., Path]

SAID = ("setting=vig_rate", "value=4", "--by", "Bo Ray", "--reason", "agreed with the house")


@pytest.fixture
def pit(serve: Serve, three_coups: Path, fast_dir: Path) -> Callable[..., Path]:
    """The folder of M7, between coups, of K9, without a shoe, and of others that do not run."""
    folder = fast_dir / "tables"
    folder.mkdir()
    sockets = {"M7": serve(three_coups), "K9": serve(fast_dir / "other" / "journal", "K9")}

    def with_others(**pits: str) -> Path:
        for name, pit in {"M7": "3", "K9": "3", **pits}.items():
            socket = sockets.get(name, fast_dir / f"{name}.sock")
            text = f'[table]\nname = "{name}"\npit = "{pit}"\n[control]\nsocket = "{socket}"\n'
            (folder / f"{name}.toml").write_text(text)
        return folder

    return with_others


def change(folder: Path, *more: str, pit: str = "3") -> int:
    words = ["act", "change-setting", "--pit", pit, "--config", str(folder)]
    return main([*words, *SAID, *more])


def test_each_table_of_the_pit_changes(pit: Callable[..., Path], capsys: Capture) -> None:
    folder = pit(Q1="4")

    assert change(folder) == ExitCode.DONE

    assert capsys.readouterr().out.splitlines() == [
        "K9  done and on record",
        "      vig_rate is 4, was 5",
        "      on record: change-setting",
        "M7  done and on record",
        "      vig_rate is 4, was 5",
        "      on record: change-setting",
    ]


def test_one_that_does_not_follow_is_named_and_the_others_change(
    pit: Callable[..., Path], capsys: Capture
) -> None:
    folder = pit(Q1="3")
    assert main(["act", "change-setting", "--config", str(folder / "K9.toml"), *SAID]) == 0
    capsys.readouterr()

    assert change(folder, "--json") == ExitCode.NO

    shown = json.loads(capsys.readouterr().out)
    assert shown["ok"] is False
    assert [(one["table"], one["ok"]) for one in shown["tables"]] == [
        ("K9", True),
        ("M7", True),
        ("Q1", False),
    ]
    assert shown["tables"][2]["problem"].startswith("it does not run; write the new value")


def test_a_table_that_refuses_differs_from_its_pit_until_it_follows(
    serve: Serve, suspended: Path, fast_dir: Path, capsys: Capture
) -> None:
    socket = serve(suspended)
    file = fast_dir / "M7.toml"
    file.write_text(f'[table]\nname = "M7"\npit = "3"\n[control]\nsocket = "{socket}"\n')

    assert change(fast_dir) == ExitCode.NO
    assert capsys.readouterr().out.startswith("M7  not changed: ")

    assert main(["status", str(file)]) == ExitCode.DONE
    assert "PIT        vig_rate is 5, its pit has 4" in capsys.readouterr().out
    assert main(["status", str(fast_dir)]) == ExitCode.DONE
    assert capsys.readouterr().out.endswith("suspended, differs from its pit\n")


def test_a_pit_without_a_table_is_refused_with_those_that_there_are(
    pit: Callable[..., Path], capsys: Capture
) -> None:
    assert change(pit(), pit="7") == ExitCode.UNUSABLE
    assert "is of pit 7. Allowed: 3" in capsys.readouterr().err


def test_no_other_act_goes_to_a_pit(pit: Callable[..., Path], capsys: Capture) -> None:
    words = ["act", "close-shoe", "--pit", "3", "--config", str(pit())]
    assert main([*words, "--by", "Bo Ray"]) == ExitCode.UNUSABLE
    words[1] = "no-more-bets"
    assert main([*words, "--by", "Bo Ray"]) == ExitCode.UNUSABLE
    assert "no-more-bets is an act of one table" in capsys.readouterr().err
