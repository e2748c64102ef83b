"""docs/state-table.md shows both tables of the running program; with --write it writes them."""

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from generated_parts import with_parts

from controller.messages.catalogue import to_words
from controller.procedure.card_rows import Observed
from controller.procedure.cells import Breach, Cell, Grid, Lawful, Nothing
from controller.procedure.grid import grid_of
from controller.procedure.phases import (
    BEFORE_A_COUP,
    BURN_PHASES,
    DUE_PHASES,
    EDGES,
    Phase,
    Trigger,
)
from controller.state_table import StateTable
from drivers.lifecycle import FOLLOWERS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "state-table.md"
EVERYTHING = Observed(results=True, no_more_bets=True, continuous=False)
OTHER_BOOKS = {
    "No result is reported": Observed(results=False, no_more_bets=True, continuous=False),
    '"No more bets" is not observed': Observed(results=True, no_more_bets=False, continuous=False),
    "Neither is observed": Observed(results=False, no_more_bets=False, continuous=False),
    "A continuous shuffler feeds the shoe": Observed(
        results=True, no_more_bets=True, continuous=True
    ),
}
COLUMNS = {
    "No shoe, and burns": (Phase.CLOSED, *BURN_PHASES),
    "Before a coup, and while a card is due": (*BEFORE_A_COUP, *DUE_PHASES),
    "The end of a coup and of the shoe": (
        Phase.RESULT,
        Phase.DECLARED,
        Phase.ABANDONED,
        Phase.ABANDONED_COMPLETE,
        Phase.PARTIAL,
        Phase.SHOE_OVER,
    ),
}


def words(cell: Cell) -> str:
    """The cell in a few words; a star where another cell may answer instead."""
    star = "\\*" if cell.unless else ""
    if isinstance(cell, Nothing):
        return f"nothing{star}"
    then = cell.then.name.lower().replace("_", " ") + (", again" if cell.again else "")
    return f"{then}{star}" if isinstance(cell, Lawful) else f"{cell.code.value}: {then}{star}"


def rows(lines: Iterable[Iterable[str]]) -> list[str]:
    return [f"| {' | '.join(line)} |" for line in lines]


def table(head: Iterable[str], lines: Iterable[Iterable[str]]) -> list[str]:
    names = list(head)
    return rows([names, ["---"] * len(names), *lines])


def drawn_grid(grid: Grid) -> str:
    """The grid in three parts; a trigger that a part never asks has no row there."""
    parts: list[str] = []
    for title, phases in COLUMNS.items():
        lines = [
            [
                f"`{one}`",
                *(words(grid[phase, one]) if (phase, one) in grid else "" for phase in phases),
            ]
            for one in Trigger
            if any((phase, one) in grid for phase in phases)
        ]
        parts += [f"**{title}**", "", *table(["", *(f"`{one}`" for one in phases)], lines), ""]
    return "\n".join(parts)


def grouped(pairs: Iterable[tuple[str, Phase]]) -> dict[str, list[Phase]]:
    found: dict[str, list[Phase]] = {}
    for text, phase in pairs:
        found.setdefault(text, []).append(phase)
    return found


def phase_names(phases: Iterable[Phase]) -> str:
    return ", ".join(f"`{one}`" for one in phases)


def drawn_conditions(grid: Grid) -> str:
    """Where another cell of the row answers, by trigger, condition and phases."""
    lines: list[list[str]] = []
    for trigger in Trigger:
        pairs = [
            (f"`{one.name.lower()}` | `{instead}`", phase)
            for (phase, asked), cell in grid.items()
            if asked is trigger
            for one, instead in cell.unless
        ]
        lines += [
            [f"`{trigger}`", text, phase_names(phases)] for text, phases in grouped(pairs).items()
        ]
    return "\n".join(table(["asked", "if", "then", "in"], lines)) + "\n"


def drawn_nothing(grid: Grid) -> str:
    """The cells without effect, by trigger and reason."""
    lines: list[list[str]] = []
    for trigger in Trigger:
        pairs = [
            (to_words(cell.reason), phase)
            for (phase, asked), cell in grid.items()
            if asked is trigger and isinstance(cell, Nothing)
        ]
        lines += [
            [f"`{trigger}`", text, phase_names(phases)] for text, phases in grouped(pairs).items()
        ]
    return "\n".join(table(["trigger", "why it has no effect", "in"], lines)) + "\n"


def drawn_differences(books: Mapping[str, Observed]) -> str:
    """The cells of the other rule books that differ from the grid above."""
    usual, lines = grid_of(EVERYTHING), []
    for title, observed in books.items():
        other = grid_of(observed)
        pairs = [
            (f"`{trigger}` | {words(cell)}", phase)
            for (phase, trigger), cell in other.items()
            if cell != usual.get((phase, trigger))
        ]
        lines += [[title, text, phase_names(phases)] for text, phases in grouped(pairs).items()]
    return "\n".join(table(["rule book", "trigger", "cell", "in"], lines)) + "\n"


def drawn_parts() -> dict[str, str]:
    """Every part of the page that the program draws, by its name on the page."""
    grid = grid_of(EVERYTHING)
    return {
        "moves": f"```mermaid\n{StateTable(EDGES).mermaid()}```\n",
        "counts": counted(grid),
        "grid": drawn_grid(grid),
        "conditions": drawn_conditions(grid),
        "nothing": drawn_nothing(grid),
        "differences": drawn_differences(OTHER_BOOKS),
        "device": drawn_device(),
    }


def drawn_device() -> str:
    """The stages of a device and which may follow which; any other change is no event."""
    moves = [f"    {stage} --> {to}" for stage, after in FOLLOWERS.items() for to in after]
    return "\n".join(["```mermaid", "stateDiagram-v2", "    [*] --> closed", *moves, "```\n"])


def counted(grid: Grid) -> str:
    kinds = {
        kind: sum(isinstance(one, kind) for one in grid.values())
        for kind in (Lawful, Breach, Nothing)
    }
    return (
        f"{len(grid)} cells: {kinds[Lawful]} edges, {kinds[Breach]} breaches, "
        f"{kinds[Nothing]} without effect.\n"
    )


def test_the_page_shows_the_tables_of_the_program() -> None:
    text = PAGE.read_text(encoding="utf-8")
    command = f".venv/bin/python {Path(__file__).relative_to(ROOT)} --write"
    assert text == with_parts(text, drawn_parts()), f"run: {command}"


def test_every_phase_of_the_grid_has_a_column() -> None:
    shown = [phase for phases in COLUMNS.values() for phase in phases]
    assert sorted(shown) == sorted({phase for phase, _ in grid_of(EVERYTHING)})


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: test_state_table_page.py --write")
    PAGE.write_text(with_parts(PAGE.read_text(encoding="utf-8"), drawn_parts()), encoding="utf-8")
    print(PAGE.relative_to(ROOT))
