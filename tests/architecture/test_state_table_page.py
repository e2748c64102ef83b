"""docs/state-table.md shows the table of play of the running program; with --write it writes it."""

import sys
from pathlib import Path

from drawn_machine import drawn_machine
from generated_parts import with_parts

from controller.messages.catalogue import to_words
from controller.procedure.irregularities import CATALOGUE
from controller.procedure.phases import (
    ABANDONED_PHASES,
    BEFORE_A_COUP,
    BURN_PHASES,
    BURNS_BEFORE_COUP,
    BURNS_BEFORE_PLAY,
    COUP_ENDS,
    COUP_PHASES,
    DUE_PHASES,
    HANDS_COMPLETE,
    IN_PLAY,
    IN_SHOE,
    INCOMPLETE,
    NEEDS_A_CARD,
    REMEDY_BURNS,
    RESTING,
    RESUMABLE_PHASES,
    WHOLE_COUPS,
    Phase,
    Trigger,
)
from controller.procedure.rulebook import RuleBook
from controller.procedure.table.cards import (
    ANY_CARD,
    ANY_OR_UNSEEN,
    BURN_CARDS,
    COMPLETE,
    FIRST_FOUR,
    HAND_CARDS,
    IN_BURN,
    JOINING,
    LATE,
    MAY_HOLD,
    THIRD_CARDS,
)
from controller.procedure.table.row import Row
from controller.procedure.table.table import ROWS
from controller.profiles.load import load_profile
from drivers.lifecycle import FOLLOWERS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "state-table.md"
BOOKS = {name: RuleBook.of(load_profile(name), 8, ()) for name in ("ny-mini", "s42-mini")}
# Names of sets, largest first, so that a row says "any card" and not twelve claims.
SETS = {
    "any card, or of an unseen coup": ANY_OR_UNSEEN,
    "any card": ANY_CARD,
    "a card of a hand": HAND_CARDS,
    "a first-four card": FIRST_FOUR,
    "a later first-four card, or of an unseen coup": JOINING,
    "a third or further card": LATE,
    "a third card": THIRD_CARDS,
    "a burn card": BURN_CARDS,
    "a later burn card": IN_BURN,
    "any phase": RESTING,
    "in a shoe": IN_SHOE,
    "in play": IN_PLAY,
    "resumable": RESUMABLE_PHASES,
    "may hold": MAY_HOLD,
    "a coup": COUP_PHASES,
    "a whole coup": WHOLE_COUPS,
    "a burn": BURN_PHASES,
    "incomplete": INCOMPLETE,
    "needs a card": NEEDS_A_CARD,
    "a card is due": DUE_PHASES,
    "coup ends": COUP_ENDS,
    "a burn before play": BURNS_BEFORE_PLAY,
    "a burn for an irregularity": REMEDY_BURNS,
    "complete": COMPLETE,
    "a burn before a coup": BURNS_BEFORE_COUP,
    "before a coup": BEFORE_A_COUP,
    "hands complete": HANDS_COMPLETE,
    "left": ABANDONED_PHASES,
}


def named(members: tuple[Trigger | Phase, ...]) -> str:
    """The members, those of a named set as its name."""
    left, words = list(members), []
    for name, many in SETS.items():
        if set(many) <= set(left) and len(many) > 1:
            left = [one for one in left if one not in many]
            words.append(name)
    return ", ".join((*words, *(f"`{one}`" for one in left)))


def spaced(name: str) -> str:
    return name.replace("_", " ")


def cells(one: Row) -> tuple[str, ...]:
    """What happens, where, if, what it is, what is done, and then."""
    what = ", ".join(f"`{code}`" for code in one.raises)
    if one.why is not None:
        what = f"no effect: {to_words(one.why)}"
    then = [f"`{one.to}`"] if one.to is not None else []
    done = [do.__name__ for do in (one.reads, one.do, one.then) if do is not None]
    then += [spaced(one.again.__name__)] if one.again is not None else []
    return (
        named(one.on),
        named(one.at),
        " and ".join(
            (
                *(spaced(condition.__name__) for condition in one.when),
                *(f"not {spaced(condition.__name__)}" for condition in one.unless),
            )
        ),
        what,
        ", ".join(map(spaced, done)),
        ", ".join(then),
    )


HEAD = ("what happens", "phase", "if", "irregularity", "what is done", "then")


def table(head: tuple[str, ...], lines: list[tuple[str, ...]]) -> str:
    every = (head, ("---",) * len(head), *lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in every)


def clauses() -> str:
    """The clauses of each irregularity of the table, by rule document."""
    codes = dict.fromkeys(code for one in ROWS for code in one.raises)
    lines = [
        (
            f"`{code}`",
            *(", ".join(book.clauses(*CATALOGUE[code].points)) for book in BOOKS.values()),
        )
        for code in codes
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
        "rows": table(HEAD, [cells(one) for one in ROWS]),
        "clauses": clauses(),
        "device": drawn_device(),
    }


def drawn_device() -> str:
    """The stages of a device and which may follow which; any other change is no event."""
    moves = [f"    {stage} --> {to}" for stage, after in FOLLOWERS.items() for to in after]
    return "\n".join(["```mermaid", "stateDiagram-v2", "    [*] --> closed", *moves, "```\n"])


def test_the_page_shows_the_tables_of_the_program() -> None:
    text = PAGE.read_text(encoding="utf-8")
    command = f".venv/bin/python {Path(__file__).relative_to(ROOT)} --write"
    assert text == with_parts(text, drawn_parts()), f"run: {command}"


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: test_state_table_page.py --write")
    PAGE.write_text(with_parts(PAGE.read_text(encoding="utf-8"), drawn_parts()), encoding="utf-8")
    print(PAGE.relative_to(ROOT))
