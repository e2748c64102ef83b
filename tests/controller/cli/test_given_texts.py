"""Text files that other programs write: with a byte order mark, or not in UTF-8."""

import io
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.cli.table.commands import parse_values
from controller.cli.table.pins import read_pin
from controller.rules.actions.actions import ACTIONS
from controller.system.atomic_file import SmallFileError, read_text
from controller.system.command_line.errors import CommandError, ExitCode
from hil.acceptance.people import _read_answers
from hil.scenario.language.reading import read_scenario
from hil.scenario.rigs.rig_file import RigFileError, read_rig

WAGERS = "5,banker,25.00\n"
SETTLE = ("settle", "--profile", "s42-mini", "--cards", "P 2h; B 9c; P Ks; B Kd", "--wagers")
RIG = (files("hil") / "rigs" / "simulated.toml").read_text("utf-8")
SCENARIO = "hand-shuffle red\n"
Read = Callable[[Path], object]


def wagers_of_act(path: Path) -> object:
    return parse_values(ACTIONS["wagers"], [f"wagers=@{path}"])


READERS: dict[str, tuple[str, Read]] = {
    "wagers of an act": (WAGERS, wagers_of_act),
    "a PIN": ("481516\n", lambda path: read_pin("Ann Lee", path)),
    "passwords, or any small file": (WAGERS, read_text),
    "a scenario": (SCENARIO, read_scenario),
    "a rig": (RIG, lambda path: read_rig(str(path))),
    "answers of people": ('card-1 = "done"\n', lambda path: _read_answers(path, {"card-1"})),
}


@pytest.mark.parametrize(("text", "read"), READERS.values(), ids=READERS)
def test_a_byte_order_mark_is_no_part_of_the_text(text: str, read: Read, tmp_path: Path) -> None:
    file = tmp_path / "one.toml"
    file.write_text(text, "utf-8")
    plain = read(file)
    file.write_text(text, "utf-8-sig")

    assert read(file) == plain


@pytest.mark.parametrize("coding", ["utf-16", "utf-16-le", "latin-1"])
@pytest.mark.parametrize(("text", "read"), READERS.values(), ids=READERS)
def test_other_text_is_refused_with_its_line_in_one_sentence(
    text: str, read: Read, coding: str, tmp_path: Path
) -> None:
    file = tmp_path / "one.toml"
    file.write_bytes(f"\u00e9 {text}".encode(coding))

    with pytest.raises((SmallFileError, CommandError, RigFileError)) as refused:
        read(file)

    assert str(refused.value) == (f"{file}, line 1: not UTF-8 text. Remedy: save the file as UTF-8")


@pytest.mark.parametrize("command", ["settle", "try"])
@pytest.mark.parametrize("stdin", [False, True])
def test_commands_take_the_mark_and_refuse_other_text(
    command: str,
    stdin: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words, text = ((*SETTLE,), WAGERS) if command == "settle" else (("try",), "burn 2c + 2\n")
    file = tmp_path / "one"
    results = []
    for coding in ("utf-8", "utf-8-sig", "utf-16"):
        data = text.encode(coding)
        file.write_bytes(data)
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), "utf-8"))
        code = main([*words, "-" if stdin else str(file)])
        results.append((code, capsys.readouterr()))
    plain, marked, other = results

    assert plain[0] == ExitCode.DONE
    assert marked == plain
    place = "standard input" if stdin else str(file)
    assert other[0] == ExitCode.UNUSABLE
    assert other[1].err == (
        f"smartshoe: {place}, line 1: not UTF-8 text. Remedy: save the file as UTF-8\n"
    )
