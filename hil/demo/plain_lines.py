"""A demo in plain lines, for what is no terminal: one line a coup.

Responsible for: the words of each happening, without colour and as wide as they are.
Not responsible for: the live view (demo_view) and when lines are printed (demo_screen).
Source: package README, "The demo".
"""

from collections.abc import Mapping
from typing import assert_never

from controller.procedure.effects import (
    BurnDone,
    CoupClosed,
    CoupRecord,
    ResolutionRecorded,
    ShoeEnded,
    ShoeOpened,
)
from controller.procedure.verdicts import Irregularity
from controller.profiles.clauses import Clause
from hil.demo.follow import Happening
from hil.demo.proof import MARKS


def lines_of(happening: Happening, clauses: Mapping[str, Clause]) -> tuple[str, ...]:
    """What is said of it."""
    match happening:
        case ShoeOpened():
            return (f"shoe {happening.shoe} of {happening.gaming_day}: {happening.decks} decks",)
        case BurnDone():
            return (f"burn: {happening.removed} cards, the first was {happening.first}",)
        case CoupClosed(record):
            return (coup_line(record),)
        case Irregularity():
            return irregularity_lines(happening, clauses)
        case ResolutionRecorded():
            closed = ", ".join(map(str, happening.closed))
            words = f"  {happening.person} decides {happening.decision}: {happening.reason}"
            return (f"{words} (closes {closed})",)
        case ShoeEnded():
            return (ended_line(happening),)
        case _:
            assert_never(happening)


def ended_line(shoe: ShoeEnded) -> str:
    """A shoe in figures."""
    return (
        f"shoe {shoe.shoe} ended: {shoe.coups} coups, Player {shoe.player}, Banker {shoe.banker},"
        f" Tie {shoe.tie}, void {shoe.void}; {shoe.cards_drawn} cards,"
        f" {shoe.irregularities} irregularities"
    )


def coup_line(record: CoupRecord) -> str:
    """Hands, point counts, outcome and what people call out."""
    result = record.result
    hands = []
    for name in ("player", "banker"):
        cards = " ".join(str(one.card) for one in record.cards if one.place.value.startswith(name))
        count = ""
        if result is not None:
            count = f" ({result.player_count if name == 'player' else result.banker_count})"
        hands.append(f"{name.capitalize()} {cards + count:<14}")
    words = [MARKS[record.outcome]]
    if result is not None and record.outcome is not None:
        calls = (
            (result.natural, "natural"),
            (result.player_pair, "Player pair"),
            (result.banker_pair, "Banker pair"),
        )
        words += [call for there, call in calls if there]
    return f"coup {record.coup:>3}  {'  '.join(hands)}  {', '.join(words)}"


def irregularity_lines(one: Irregularity, clauses: Mapping[str, Clause]) -> tuple[str, ...]:
    """The irregularity, its clauses with their text, what is permitted and forbidden."""
    where = f"coup {one.coup}" if one.coup else "no coup"
    cited = (
        f"    {name}: {clauses[name].text}" if name in clauses else f"    {name}"
        for name in one.clauses
    )
    return (
        f"IRREGULARITY {one.number} {one.code.value}, {where}: {one.detail}",
        *cited,
        *(f"    permitted: {words}" for words in one.permitted),
        *(f"    forbidden: {words}" for words in one.forbidden),
    )
