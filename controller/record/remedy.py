"""Snapshot part: the remedy of open irregularities, step by step, for the floorperson.

No card is named, and no number reveals one: a card that is held or waits is only counted, and a
burn is owed only for a card that was seen. The phase after a burn is not shown, because it follows
from cards that may lie face down.
Source: S42 (k)(1)-(4); D-5 to D-17, D-32.
"""

from collections.abc import Iterable
from typing import Literal

from controller.procedure.irregularities import CATALOGUE, IrregularityCode
from controller.procedure.people.permitted import (
    permitted_decisions,
    permitted_texts,
    provisional_choices,
)
from controller.procedure.phases import BURNS_BEGUN
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import OpenIrregularity, ShoeState, TableState
from controller.record.snapshot import DecisionView, OwedStepView, RemedyView
from controller.rules.actions.choices import FloorDecision
from controller.rules.setting_values import IrregularityRules
from controller.system.messages.catalogue import to_words
from foundation.message import Message, message

_WHEN = {
    FloorDecision.CONTINUE: message("remedy_when_continue"),
    FloorDecision.CARRY: message("remedy_when_carry"),
    FloorDecision.BURN: message("remedy_when_burn"),
    FloorDecision.VOID_COUP: message("remedy_when_void_coup"),
    FloorDecision.STATE_OUTCOME: message("remedy_when_state_outcome"),
    FloorDecision.CLOSE_SHOE: message("remedy_when_close_shoe"),
}
_ACKNOWLEDGED = message("remedy_when_acknowledged")
_UNSEEN_AT_LAST = message("remedy_when_unseen_at_last")
_FREE = message("remedy_when_free")
_PROPOSED = message("remedy_proposed")


def remedy_view(book: RuleBook, table: TableState) -> RemedyView:
    """What the floorperson sees now; lists are empty where nothing is open or owed."""
    shoe = table.shoe
    codes = [one.code for one in _suspending_first(table)]
    decisions = permitted_decisions(book, table)
    proposed = (
        [to_words(_PROPOSED)] if shoe is not None and _floorperson_decides(book, shoe) else []
    )
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
                decision,
                to_words(_when(book, table, decision)),
                provisional_choices(book, table, decision),
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


def _when(book: RuleBook, table: TableState, decision: FloorDecision) -> Message:
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
        (found, message("done_found_card_out_of_play")),
        (unseen, message("done_set_aside", cards=_cards(unseen))),
        (seen, message("done_set_aside_seen", cards=_cards(seen))),
        (after, message("done_drawn_after_held", cards=_cards(after))),
        (len(remedy.carried), message("done_held_face_down", cards=_cards(len(remedy.carried)))),
        (remedy.burn_taken, message("done_burned", cards=_cards(remedy.burn_taken))),
    )
    return tuple(to_words(text) for applies, text in steps if applies)


def _owed(table: TableState, shoe: ShoeState) -> tuple[OwedStepView, ...]:
    """Steps still to take, in order; `count` is None where it is unknown."""
    remedy = shoe.remedy
    carried = len(remedy.carried)
    phase = table.play_phase
    burning = phase in BURNS_BEGUN
    steps: list[tuple[bool, Literal["decision", "burn", "carry"], int | None, Message]] = [
        (table.suspension is not None, "decision", 1, message("due_floorperson_decision")),
        (burning, "burn", shoe.burn_owed or None, _burn(shoe.burn_owed, message("burn_now"))),
        (
            remedy.owes_burn,
            "burn",
            None if remedy.unread_later else remedy.burn_later,
            _burn(
                0 if remedy.unread_later else remedy.burn_later, message("burn_before_next_hand")
            ),
        ),
        (carried > 0, "carry", carried, message("owed_cards_held", cards=_cards(carried))),
    ]
    return tuple(OwedStepView(step, n, to_words(text)) for due, step, n, text in steps if due)


def _burn(count: int, when: Message) -> Message:
    if not count:
        return message("owed_burn_unknown_number", when=when)
    return message("owed_burn", cards=_cards(count), when=when)


def _cards(count: int) -> Message:
    return message("number_of_cards", count=count)
