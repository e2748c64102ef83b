"""Every clause that a controller can check is exercised by a script of hil/scenarios/clauses.

A script names in its comments the clauses that it shows. It is played by `smartshoe try`, and what
is answered must cite them. Its answers are kept beside it, and the page of docs says which file
shows which clause. As a script with --write this writes both.

Source: controller/rules/profiles/data/clauses.csv, `observable`.
"""

import json
from collections.abc import Iterator
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from controller.cli.main import main
from controller.cli.rules.changed_verdicts import read_scripts
from controller.rules.profiles.clauses import Clause, Observable
from controller.rules.profiles.load import load_clauses

ROOT = Path(__file__).resolve().parents[4]
FOLDER = ROOT / "hil" / "scenarios" / "clauses"
PAGE = ROOT / "docs" / "clause-coverage.md"
BEGIN, END = "<!-- coverage:begin -->\n", "<!-- coverage:end -->\n"
NAMES = "# Clauses: "
REMEDY = "run: make generate"

# An effect in the answers.
WORDS = {
    "refusal": "refused [{clauses}]",
    "prompt": "due {prompt}",
    "act-record": "on record {what} [{clauses}]",
    "setting-changed": "{setting} {old} > {new}",
    "coup-corrected": "coup {coup} corrected {before} > {outcome}",
    "resolution-recorded": "{decision} closes {closed}",
    "burn-done": "burned {removed}",
    "shoe-opened": "shoe {shoe} opened",
    "shoe-ended": "shoe {shoe} ended after {coups} coups",
    "batch-moved": "{batch} {before} > {after}",
    "shuffle-recorded": "shuffle of {batch}, refused {refused}",
    "warning-opened": "warning {number} [{clauses}]",
}

Plain = dict[str, Any]


class ClauseScript(NamedTuple):
    """A script: its file's name, its first line there, what it shows, the clauses it names."""

    file: str
    line: int
    options: tuple[str, ...]
    title: str
    names: tuple[str, ...]
    text: str


def head_of(text: str) -> Iterator[str]:
    """The comment lines that a script begins with."""
    for line in text.splitlines():
        if not line.startswith("#"):
            return
        yield line


def scripts_of(path: Path) -> list[ClauseScript]:
    """The scripts of a file."""
    found = []
    for one in read_scripts(path):
        head = list(head_of(one.text))
        title = " ".join(line[2:] for line in head if not line.startswith(NAMES))
        names = [name for line in head if line.startswith(NAMES) for name in line.split()[2:]]
        found.append(
            ClauseScript(path.stem, one.line - 1, one.options, title, tuple(names), one.text)
        )
    return found


FILES = sorted(FOLDER.glob("*.scripts"))
SCRIPTS = [one for path in FILES for one in scripts_of(path)]


@cache
def answered(script: ClauseScript) -> list[Plain]:
    """What `smartshoe try` answers to each statement."""
    shown = StringIO()
    with redirect_stdout(shown):
        assert main(["try", script.text, "--json", *script.options]) == 0, script
    statements: list[Plain] = json.loads(shown.getvalue())["statements"]
    return statements


def cited_in(value: object) -> Iterator[str]:
    """Every clause that is cited anywhere in an answer."""
    match value:
        case dict():
            for key, inner in value.items():
                yield from inner if key in ("clauses", "charged_by") else cited_in(inner)
        case list():
            for inner in value:
                yield from cited_in(inner)


# --- the answers that are kept --------------------------------------------------------------------


def answers_text(scripts: list[ClauseScript]) -> str:
    """The scripts of a file, each statement with its answer: codes, clauses, numbers, what is next.

    Sentences are left out: words may be improved.
    """
    blocks = []
    for script in scripts:
        lines = [f"table {' '.join(script.options)}", f"# {script.title}"]
        lines += [statement_line(one) for one in answered(script)]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def statement_line(one: Plain) -> str:
    found = [*map(verdict_words, one["verdicts"]), *map(effect_words, one["effects"])]
    said = "; ".join([*filter(None, found), f"next {one['phase']}"])
    return f"{one['statement']:<16} -> {said}"


def verdict_words(verdict: Plain) -> str:
    if verdict["kind"] == "accepted":
        return ""
    coup = f" in coup {verdict['coup']}" if verdict["coup"] else ""
    goes_on = "" if verdict["suspends"] else " play goes on"
    decisions = ", ".join(verdict["decisions"])
    head = f"{verdict['code']} {verdict['number']}{coup}{goes_on}"
    return f"{head} [{', '.join(verdict['clauses'])}] ({decisions})"


def effect_words(effect: Plain) -> str:
    """An effect by its numbers and clauses; a prompt by its kind."""
    match effect["kind"]:
        case "coup-closed":
            return coup_words(effect)
        case "coup-payment":
            steps = (*effect["settlement"]["steps"], *effect["returned"])
            return ", ".join(
                f"seat {one['seat']} {one['act']} {one['wager']} {one['cents'] / 100:.2f}"
                for one in steps
            )
        case kind:
            clauses = ", ".join(effect.get("clauses", ()))
            return WORDS[kind].format_map({**effect, "clauses": clauses})


def coup_words(effect: Plain) -> str:
    record = effect["record"]
    counts = record["result"]
    points = f" {counts['player_count']}-{counts['banker_count']}" if counts else ""
    wagers = ", ".join(
        " ".join(filter(None, (one["wager"], one["verdict"], one["odds"])))
        for one in effect["wagers"]
    )
    outcome = f" {record['outcome']}" if record["outcome"] else ""
    return f"coup {record['coup']} {record['fate']}{outcome}{points} ({wagers})"


def kept(path: Path) -> Path:
    return path.with_suffix(".answers")


# --- the page -------------------------------------------------------------------------------------


def observable() -> dict[str, Clause]:
    """The clauses that are checked from the cards and the table's own events."""
    return {
        name: clause
        for name, clause in load_clauses().items()
        if clause.observable is Observable.YES
    }


def coverage() -> str:
    """The scripts; for each rule document its clauses: place in it, what it asks, scripts."""
    parts = [f"Scripts: {script_links()}.", ""]
    for document in dict.fromkeys(clause.rule for clause in observable().values()):
        listed = [clause for clause in observable().values() if clause.rule == document]
        head = common_words([one.source for one in listed])
        rows = [
            f"| `{one.id}` | {one.source[len(head) :]} | {one.text} | {shown_in(one)} |"
            for one in listed
        ]
        parts += [
            f"## {document}: {head.strip()}, {len(listed)} clauses",
            "",
            "| clause | place | it asks | script |",
        ]
        parts += ["| --- | --- | --- | --- |", *rows, ""]
    return "\n".join(parts)


def shown_in(clause: Clause) -> str:
    """The files with a script that names a clause."""
    return ", ".join(dict.fromkeys(one.file for one in SCRIPTS if clause.id in one.names))


def script_links() -> str:
    """A link to each file of scripts."""
    folder = FOLDER.relative_to(ROOT).as_posix()
    return ", ".join(f"[{path.stem}](../{folder}/{path.name})" for path in FILES)


def common_words(sources: list[str]) -> str:
    """The words that all sources of a document begin with, which name the document."""
    words = [one.split(" ") for one in sources]
    shared = takewhile(lambda same: len(set(same)) == 1, zip(*words, strict=False))
    return "".join(f"{same[0]} " for same in shared)


def parts_of(page: str) -> tuple[str, str, str]:
    """The page before the tables, the tables, and the page after them."""
    before, rest = page.split(BEGIN)
    tables, after = rest.split(END)
    return before, tables, after


# --- tests ----------------------------------------------------------------------------------------


def test_every_clause_that_can_be_checked_is_named_by_a_script() -> None:
    named = {name for script in SCRIPTS for name in script.names}

    assert len(observable()) > 300
    assert sorted(set(observable()) - named) == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda one: f"{one.file}:{one.line}")
def test_a_script_says_what_it_shows_and_is_answered_with_the_clauses_it_names(
    script: ClauseScript,
) -> None:
    cited = set(cited_in(answered(script)))

    assert script.title
    assert sorted(set(script.names) - cited) == [], "it names them, and nothing cites them"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_answers_are_those_that_are_kept(path: Path) -> None:
    assert answers_text(scripts_of(path)) == kept(path).read_text("utf-8"), REMEDY


def test_no_answers_are_kept_of_a_file_that_is_gone() -> None:
    assert sorted(FOLDER.glob("*.answers")) == sorted(map(kept, FILES))


def test_the_page_says_which_script_shows_a_clause() -> None:
    assert parts_of(PAGE.read_text("utf-8"))[1] == coverage(), REMEDY


def write_generated() -> None:
    for path in FILES:
        kept(path).write_text(answers_text(scripts_of(path)), "utf-8")
    before, _, after = parts_of(PAGE.read_text("utf-8"))
    PAGE.write_text(f"{before}{BEGIN}{coverage()}{END}{after}", "utf-8")
