"""A demo as plain lines, for anything but a terminal: one line a coup."""

from typing import assert_never

from controller.procedure.effects import (
    BurnDone,
    CoupClosed,
    CoupCorrected,
    CoupRecord,
    ResolutionRecorded,
    ShoeEnded,
    ShoeOpened,
)
from controller.procedure.verdicts import Irregularity
from controller.record.irregularity import forbidden_words, irregularity_words, permitted_words
from hil.demo.floor_view import Clauses
from hil.demo.follow import JournalEvent
from hil.demo.proof import OUTCOME_WORDS


def event_lines(event: JournalEvent, clauses: Clauses) -> tuple[str, ...]:
    """The lines of an event."""
    match event:
        case ShoeOpened():
            return (f"shoe {event.shoe} of {event.gaming_day}: {counted(event.decks, 'deck')}",)
        case BurnDone():
            return (f"burn: {counted(event.removed, 'card')}, the first was {event.first}",)
        case CoupClosed(record):
            return (coup_line(record),)
        case CoupCorrected():
            people = f"by {event.person} and {event.second}: {event.reason}"
            return (f"  coup {event.coup} corrected to {event.outcome} {people}",)
        case Irregularity():
            return irregularity_lines(event, clauses)
        case ResolutionRecorded():
            closed = ", ".join(map(str, event.closed))
            decided = f"  {event.person} decides {event.decision}: {event.reason}"
            return (f"{decided} (closes {closed})",)
        case ShoeEnded():
            return (ended_line(event),)
        case _:
            assert_never(event)


def counted(number: int, noun: str) -> str:
    """The number and the noun, which gets an s unless there is one."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def ended_line(shoe: ShoeEnded) -> str:
    """The counts of a finished shoe."""
    irregularities = "irregularity" if shoe.irregularities == 1 else "irregularities"
    return (
        f"shoe {shoe.shoe} ended: {counted(shoe.coups, 'coup')}, Player {shoe.player},"
        f" Banker {shoe.banker}, Tie {shoe.tie}, void {shoe.void};"
        f" {counted(shoe.cards_drawn, 'card')}, {shoe.irregularities} {irregularities}"
    )


def coup_line(record: CoupRecord) -> str:
    """Hands, point counts, outcome and calls."""
    result = record.result
    hands = []
    for name in ("player", "banker"):
        cards = " ".join(str(one.card) for one in record.cards if one.place.value.startswith(name))
        count = ""
        if result is not None:
            count = f" ({result.player_count if name == 'player' else result.banker_count})"
        hands.append(f"{name.capitalize()} {cards + count:<14}")
    texts = [OUTCOME_WORDS[record.outcome]]
    if result is not None and record.outcome is not None:
        calls = (
            (result.natural, "natural"),
            (result.player_pair, "Player pair"),
            (result.banker_pair, "Banker pair"),
        )
        texts += [call for there, call in calls if there]
    return f"coup {record.coup:>3}  {'  '.join(hands)}  {', '.join(texts)}"


def irregularity_lines(one: Irregularity, clauses: Clauses) -> tuple[str, ...]:
    """The irregularity, the text of its clauses, what is permitted and forbidden."""
    where = f"coup {one.coup}" if one.coup else "no coup"
    return (
        f"IRREGULARITY {one.number} {one.code.value}, {where}: {irregularity_words(one)}",
        *(f"    {clauses.get(name, name)}" for name in one.clauses),
        *(f"    permitted: {text}" for text in permitted_words(one)),
        *(f"    forbidden: {text}" for text in forbidden_words(one)),
    )
