"""Every error that a command reports as a sentence states a remedy where it is written."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from compile_catalogues import FOLDER, read_source

from controller.cli.main import main
from controller.system.command_line.errors import KNOWN_ERRORS, parse_reports

ROOT = Path(__file__).parents[3]
TEXTS = {one.id: one.string for one in read_source(FOLDER / "en.po")}
ROOMS = (
    "controller",
    "office",
    "drivers",
    "firmware_bridge",
    "hil/demo",
    "hil/serve",
    "hil/emulator/lines",
    "hil/cli.py",
)
NAMES = {
    "CommandError",
    "LineUnavailable",
    "CannotStart",
    "SignFailed",
    "MetricsUnavailable",
    "ControlUnavailable",
    *(name.rpartition(".")[2] for name in KNOWN_ERRORS),
}
# These take the remedy as an argument of its own, or become a part of a sentence with a remedy.
COMPLETED = {"ProfileError", "ClauseError", "EncodingError", "CannotRead"}
# Without a word of its own it passes on another error.
WORDS = re.compile(r"[a-z]{2,}")


def sources() -> Iterator[tuple[str, ast.Call]]:
    for room in ROOMS:
        path = ROOT / room
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            name, tree = str(file.relative_to(ROOT)), ast.parse(file.read_text("utf-8"))
            yield from ((name, node) for node in ast.walk(tree) if isinstance(node, ast.Call))


def literal(call: ast.Call) -> str:
    """The words written in the call; a value in braces counts as its name."""
    parts = []
    for argument in call.args:
        for node in ast.walk(argument):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                # The id of a message stands for its text.
                parts.append(TEXTS.get(node.value, node.value))
            elif isinstance(node, ast.Name):
                parts.append(f"<{node.id}>")
    return "".join(parts)


def has_remedy(call: ast.Call) -> bool:
    if any(one.arg == "remedy" for one in call.keywords):
        return True
    words = literal(call)
    passed_on = {"<error>", "<why>", "<problems>", "<lines>", "<problem>", "<batch>"}
    # A constant of the module, such as READABLE, ends a sentence with its remedy.
    constant = re.search(r"<_?[A-Z_]{3,}>", words)
    return "Remedy: " in words or bool(constant) or any(one in words for one in passed_on)


def test_every_error_is_written_with_its_remedy() -> None:
    found = 0
    for name, call in sources():
        called = call.func.id if isinstance(call.func, ast.Name) else ""
        written = re.sub("<[^>]*>", "", literal(call))
        if called not in NAMES - COMPLETED or not WORDS.search(written):
            continue
        found += 1
        assert has_remedy(call), f"{name}:{call.lineno}: {literal(call)}"
    assert found > 100


@pytest.mark.parametrize(
    "line",
    [
        "act foo",
        "act no-more-bets --config none.toml --by",
        "act resolve",
        "audit none",
        "batch show ../x",
        "check-config none.toml",
        "clauses --document zz",
        "close-shoe table.toml",
        "devices monitor http://x",
        "devices monitor /dev/null --model zz",
        "firmware approve --sha256 zz --version 1 --counter 1",
        "identity pair usb://zz --out new.json --person A",
        "journal hold none 2025-11-21/1 --by A --reason B",
        "keys make /proc/x/y",
        "odds --decks 0",
        "replay none",
        "rules clause zz",
        "rules show zz",
        "run none --zz",
        "settle --profile zz --void",
        "status --socket none",
        "try foo",
        "verify none",
        "zz",
    ],
)
def test_an_error_has_place_problem_and_remedy(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main(line.split()) > 0
    for report in parse_reports(capsys.readouterr().err.removeprefix("smartshoe: ").rstrip("\n")):
        assert report.place, report
        assert report.problem, report
        assert report.remedy, report
