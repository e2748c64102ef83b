"""Snapshot part: the remedy of open irregularities, step by step, for the floorperson.

No card is named, and no number reveals one: a card that is held or waits is only counted, and a
burn is owed only for a card that was seen. The phase after a burn is not shown, because it follows
from cards that may lie face down.
Source: S42 (k)(1)-(4); D-5 to D-17, D-32; controller/procedure/README.md, "Suspension".
"""

from collections.abc import Iterable
from typing import Literal

from controller.actions.choices import FloorDecision
from controller.messages.catalogue import to_words
from controller.procedure.irregularities import CATALOGUE, IrregularityCode
from controller.procedure.people.permitted import (
    permitted_decisions,
    permitted_texts,
    provisional_choices,
)
from controller.procedure.phases import BURNS_BEGUN
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import OpenIrregularity, ShoeState, TableState
from controller.rules.setting_values import IrregularityRules
from controller.views.snapshot import DecisionView, OwedStepView, RemedyView

_WHEN = {
    FloorDecision.CONTINUE: "play continues by the rules from the present point",
    FloorDecision.CARRY: "nobody saw the card: it is held face down as the next hand's first card",
    FloorDecision.BURN: "the card was seen: it is burned, and as many more as its amount with it",
    FloorDecision.VOID_COUP: "the coup is invalid: it is void, every wager is returned in full",
    FloorDecision.STATE_OUTCOME: "the cards on the layout are complete: state the coup's outcome",
    FloorDecision.CLOSE_SHOE: "the shoe cannot continue: it ends, an open coup is void, reshuffle",
}
_ACKNOWLEDGED = "you have seen it: it stays in the record and play continues"
_UNSEEN_AT_LAST = "nobody saw the card: it goes to the discard rack, there is no next hand"
_FREE = "the card goes to the discard rack and nothing is burned"
_PROPOSED = "proposed: hold the card if nobody saw it, burn its amount if it was seen"


def remedy_view(book: RuleBook, table: TableState) -> RemedyView:
    """What the floorperson sees now; lists are empty where nothing is open or owed."""
    shoe = table.shoe
    codes = [one.code for one in _suspending_first(table)]
    decisions = permitted_decisions(book, table)
    proposed = [_PROPOSED] if shoe is not None and _floorperson_decides(book, shoe) else []
    permitted = (to_words(text) for code in codes for text in permitted_texts(code, decisions))
    forbidden = (to_words(text) for code in codes for text in CATALOGUE[code].forbidden)
    return RemedyView(
        irregularities=tuple(one.number for one in _suspending_first(table)),
        permitted=_without_repeats((*proposed, *permitted)),
        forbidden=_without_repeats(forbidden),
        done=_done(table, shoe) if shoe is not None else (),
        owed=_owed(table, shoe) if shoe is not None else (),
        waiting=len(shoe.remedy.waiting) if shoe is not None else 0,
        carried=len(shoe.remedy.carried) if shoe is not None else 0,
        decisions=tuple(
            DecisionView(
                decision, _when(book, table, decision), provisional_choices(book, table, decision)
            )
            for decision in decisions
        ),
    )


def _suspending_first(table: TableState) -> list[OpenIrregularity]:
    return sorted(table.open_irregularities, key=lambda one: not one.suspends)


def _without_repeats(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def _floorperson_decides(book: RuleBook, shoe: ShoeState) -> bool:
    """Whether cards wait for a remedy that the profile leaves to the floorperson."""
    rules = book.values.irregularity_rules
    return bool(shoe.remedy.waiting) and rules is IrregularityRules.FLOORPERSON_DECIDES


def _when(book: RuleBook, table: TableState, decision: FloorDecision) -> str:
    """One sentence: the condition for this decision."""
    shoe = table.shoe
    if shoe is None or (table.suspension is None and decision is FloorDecision.CONTINUE):
        return _ACKNOWLEDGED
    if decision is not FloorDecision.CONTINUE or not shoe.remedy.waiting:
        return _WHEN[decision]
    return _FREE if _floorperson_decides(book, shoe) else _UNSEEN_AT_LAST


def _done(table: TableState, shoe: ShoeState) -> tuple[str, ...]:
    """Steps already taken."""
    remedy = shoe.remedy
    after = len(remedy.drawn_after)
    seen = sum(error.turned for error in remedy.waiting)
    unseen = len(remedy.waiting) - after - seen
    found = any(one.code is IrregularityCode.FOUND_FACE_UP for one in table.open_irregularities)
    steps = (
        (found, "the card found face up is out of play"),
        (unseen, f"{_cards(unseen)} drawn in error set aside"),
        (seen, f"{_cards(seen)} drawn in error set aside, seen by people"),
        (after, f"{_cards(after)} drawn after it, held with it"),
        (len(remedy.carried), f"{_cards(len(remedy.carried))} held face down"),
        (remedy.burn_taken, f"{_cards(remedy.burn_taken)} burned for the irregularity"),
    )
    return tuple(text for applies, text in steps if applies)


def _owed(table: TableState, shoe: ShoeState) -> tuple[OwedStepView, ...]:
    """Steps still to take, in order; `count` is None where it is unknown."""
    remedy = shoe.remedy
    carried = len(remedy.carried)
    phase = table.play_phase
    burning = phase in BURNS_BEGUN
    steps: list[tuple[bool, Literal["decision", "burn", "carry"], int | None, str]] = [
        (table.suspension is not None, "decision", 1, "a floorperson's decision"),
        (burning, "burn", shoe.burn_owed or None, _burn(shoe.burn_owed, "now")),
        (
            remedy.owes_burn,
            "burn",
            None if remedy.unread_later else remedy.burn_later,
            _burn(0 if remedy.unread_later else remedy.burn_later, "before the next hand"),
        ),
        (carried > 0, "carry", carried, f"{_cards(carried)} held: the first of the next hand"),
    ]
    return tuple(OwedStepView(step, n, text) for due, step, n, text in steps if due)


def _burn(count: int, when: str) -> str:
    if not count:
        return f"burn cards {when}; how many more is not known"
    return f"burn {_cards(count)}, face up, {when}"


def _cards(count: int) -> str:
    return "1 card" if count == 1 else f"{count} cards"
