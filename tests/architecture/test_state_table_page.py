"""docs/state-table.md shows the table of play of the running program."""

from pathlib import Path

from drawn_machine import drawn_machine
from generated_parts import with_parts

from controller.cli.rules.table_text import HEAD, irregularities, row_text
from controller.procedure.irregularities import CATALOGUE
from controller.procedure.phases import Phase, Trigger
from controller.procedure.rulebook import RuleBook
from controller.procedure.table.book_table import table_at
from controller.procedure.table.table import ROWS
from controller.rules.profiles.load import load_profile
from drivers.shell import FOLLOWERS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "state-table.md"
BOOKS = {name: RuleBook.of(load_profile(name), 8, ()) for name in ("ny-mini", "s42-mini")}


def table(head: tuple[str, ...], lines: list[tuple[str, ...]]) -> str:
    every = (head, ("---",) * len(head), *lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in every)


def merged(lines: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The rows; those that go back to where play was, one for each phase, as one."""
    shown: list[tuple[str, ...]] = []
    for line in lines:
        what, phase, when, *rest, then = line
        if when == f"back to {then.strip('`').replace('_', ' ')}":
            line = (what, phase, "back to it", *rest, then)
            if shown and shown[-1][:-1] == line[:-1]:
                line = (*line[:-1], f"{shown.pop()[-1]}, {then}")
        shown.append(line)
    return shown


def clauses() -> str:
    """The clauses of each irregularity of the table, by rule document."""
    lines = [
        (
            f"`{code}`",
            *(", ".join(book.clauses(*CATALOGUE[code].points)) for book in BOOKS.values()),
        )
        for code in irregularities(ROWS)
    ]
    return table(("irregularity", *BOOKS), lines)


def drawn_parts() -> dict[str, str]:
    """Every part of the page that the program draws, by its name on the page."""
    moves = {
        (trigger, source, one.to)
        for one in ROWS
        if one.to is not None and Trigger.RESUME not in one.on and (not one.when or one.unless)
        for trigger in one.on
        for source in one.at
        if trigger is not Trigger.SUSPEND
    }
    order = {one: place for place, one in enumerate((*Phase, *Trigger))}
    moves = sorted(moves, key=lambda move: [order[one] for one in move])
    return {
        "moves": f"```mermaid\n{drawn_machine('play', Phase, moves)}```\n",
        "rows": table(HEAD, merged([row_text(one) for one in table_at(None).rows])),
        "clauses": clauses(),
        "device": drawn_device(),
    }


def drawn_device() -> str:
    """The stages of a device and which may follow which; any other change is no event."""
    moves = [f"    {stage} --> {to}" for stage, after in FOLLOWERS.items() for to in after]
    return "\n".join(["```mermaid", "stateDiagram-v2", "    [*] --> closed", *moves, "```\n"])


def test_the_page_shows_the_tables_of_the_program() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text == with_parts(text, drawn_parts()), "run: make generate"


def write_generated() -> None:
    PAGE.write_text(with_parts(PAGE.read_text(encoding="utf-8"), drawn_parts()), encoding="utf-8")
