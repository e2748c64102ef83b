"""Cards drawn in error: what a floorperson may make of them, and carrying that out.

Responsible for: holding such a card until the decision, which remedies are open for it, and where
it goes: held as a first card of the next coup, burned with its amount, or to the discard rack.
Not responsible for: the burn itself (remedy_burn) and for a coup that begins with held cards
(coup_cards).
Source: S42 (k)(1), (k)(2); D-7, D-9, D-10, D-11.

Decisions. What people saw of the card decides; where the table cannot tell, the floorperson's
decision is the statement. Where it can, each card goes its own way, whichever of the two words was
said. There is nothing to carry to after the last hand: an unseen card goes to the discard rack.
With any other decision (a void coup, a closed shoe) the card goes with its coup or shoe (D-7).
"""

from typing import TypeAlias

from controller.procedure.dealing.remedy_burn import asked_later, burn_due
from controller.procedure.decisions import Decision
from controller.procedure.effects import Call, CoupRecord, RecordedCard
from controller.procedure.events import CardDrawn, TurnedCards
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.rulebook import Fact, RuleBook
from controller.procedure.state import DealtCard, ShoeState
from controller.procedure.states.remedy import ErrorCard, LastDrawn
from controller.procedure.step_result import Step, accept, prompt
from controller.profiles.rule_points import RulePoint
from controller.rules.coup import Place
from controller.rules.setting_values import IrregularityRules
from firmware_bridge.values import replace

Held: TypeAlias = tuple[CoupRecord, ...]
_IN_DOUBT = (
    IrregularityCode.REPORTS_LOST,
    IrregularityCode.CONTINUITY_UNPROVEN,
    IrregularityCode.SHOE_JOINED,
    IrregularityCode.COUP_JOINED,
    IrregularityCode.SHOE_RESTARTED,
    IrregularityCode.PROGRAM_REPLACED,
)
_GOES_ON = (Decision.CONTINUE, Decision.CARRY, Decision.BURN)


def drawn_in_error(book: RuleBook, step: Step, event: CardDrawn, *, third: bool = False) -> Step:
    """Keep a card that no hand is due until a floorperson has decided what becomes of it."""
    shoe = step.shoe
    error = ErrorCard(
        card=event.card,
        claimed=event.claimed,
        coup=shoe.coup.number if shoe.coup is not None else 0,
        third=third,
        sensed=book.observes(Fact.TURNED),
        free=_is_free(book, step),
    )
    remedy = replace(shoe.remedy, waiting=(*shoe.remedy.waiting, error))
    return step.with_shoe(replace(shoe, remedy=remedy, drawn_last=LastDrawn.ERROR))


def _is_free(book: RuleBook, step: Step) -> bool:
    """Whether the floorperson may also simply go on: by the profile, or because of doubt.

    While it is open whether reports of the shoe are missing, the card may be in order after all.
    """
    if book.values.irregularity_rules is IrregularityRules.FLOORPERSON_DECIDES:
        return True
    return any(one.code in _IN_DOUBT for one in step.state.open_irregularities)


def choices(shoe: ShoeState, error: ErrorCard) -> tuple[Decision, ...]:
    """What a floorperson may make of this card, if play goes on."""
    unseen = Decision.CONTINUE if shoe.is_last(shoe.coups_begun) else Decision.CARRY
    if error.free:
        return tuple(dict.fromkeys((Decision.CONTINUE, unseen, Decision.BURN)))
    if error.sensed:
        return (Decision.BURN,) if error.turned else (unseen,)
    return (unseen, Decision.BURN)


def errors_permit(shoe: ShoeState, decision: Decision) -> bool:
    """Whether the cards that wait leave this way of going on open."""
    offered = [choices(shoe, error) for error in shoe.remedy.waiting]
    if decision is Decision.CONTINUE:
        return all(decision in each for each in offered)
    return any(decision in each for each in offered)


def _fate(shoe: ShoeState, error: ErrorCard, decision: Decision) -> Decision:
    if decision not in _GOES_ON:
        return Decision.CONTINUE
    offered = choices(shoe, error)
    return decision if decision in offered else offered[0]


def errors_decided(book: RuleBook, step: Step, decision: Decision, held: Held) -> tuple[Step, Held]:
    """Carry out the decision on every card that waits. `held` are coups waiting to be counted."""
    shoe, remedy = step.shoe, step.shoe.remedy
    if not remedy.waiting:
        return step, held
    fates = [(error, _fate(shoe, error, decision)) for error in remedy.waiting]
    carried = tuple(error for error, fate in fates if fate is Decision.CARRY)
    step = step.with_remedy(replace(remedy, waiting=(), carried=(*remedy.carried, *carried)))
    for error, fate in fates:
        if fate is not Decision.CARRY:
            seen = error.turned or fate is Decision.BURN
            step, held = _to_rack(step, replace(error, turned=seen), held)
        if fate is Decision.BURN:
            step = asked_later(book, step, error.card, burn_point(error))
    if shoe.drawn_last is LastDrawn.ERROR:
        still = LastDrawn.CARRIED if fates[-1][1] is Decision.CARRY else LastDrawn.NOTHING
        step = step.with_shoe(replace(step.shoe, drawn_last=still))
    return _carry_prompted(book, step, carried), held


def burn_point(error: ErrorCard) -> RulePoint:
    """What asks for the burn of a card that was seen."""
    return RulePoint.THIRD_BURNED if error.third else RulePoint.ERROR_BURNED


def carry_point(error: ErrorCard) -> RulePoint:
    """What asks for holding a card that nobody saw."""
    return RulePoint.THIRD_CARRIED if error.third else RulePoint.ERROR_CARRIED


def _carry_prompted(book: RuleBook, step: Step, carried: tuple[ErrorCard, ...]) -> Step:
    if not carried:
        return step
    points = tuple(dict.fromkeys(carry_point(error) for error in carried))
    many = len(carried)
    text = "hold the card face down: it is the first card of the next hand"
    if many > 1:
        text = f"hold the {many} cards face down: they are the first of the next hand, in order"
    return prompt(book, step, Call.REMEDY, text, *points)


def _to_rack(step: Step, error: ErrorCard, held: Held) -> tuple[Step, Held]:
    """Into the record of the coup it was drawn in, or of the shoe."""
    coup = step.shoe.coup
    if coup is not None and coup.number == error.coup:
        return set_aside(step, error), held
    if error.coup and any(record.coup == error.coup for record in held):
        recorded = RecordedCard(Place.OUTSIDE, error.card)
        return step, tuple(
            replace(record, aside=(*record.aside, recorded))
            if record.coup == error.coup
            else record
            for record in held
        )
    return racked(step, error), held


def set_aside(step: Step, error: ErrorCard) -> Step:
    """Into the record of the coup on the table, with whether people saw it."""
    coup, dealt = step.coup, DealtCard(Place.OUTSIDE, error.card, error.claimed)
    turned = (TurnedCards.ERROR_CARD.value,) if error.turned else ()
    reveal = replace(coup.reveal, turned=(*coup.reveal.turned, *turned))
    return step.with_coup(replace(coup, aside=(*coup.aside, dealt), reveal=reveal))


def racked(step: Step, error: ErrorCard) -> Step:
    """Into the discard rack, with no coup."""
    return step.with_shoe(replace(step.shoe, aside=(*step.shoe.aside, error.card)))


def error_card_turned(book: RuleBook, step: Step) -> Step:
    """People have seen a card drawn in error: it can no longer be carried."""
    remedy = step.state.shoe.remedy if step.state.shoe is not None else None
    if remedy is None or not (remedy.waiting or remedy.carried):
        return accept(step, "a card drawn in error: not on the table, so not turned")
    unseen = [index for index, error in enumerate(remedy.waiting) if not error.turned]
    if unseen:
        newest = unseen[-1]
        error = replace(remedy.waiting[newest], turned=True)
        waiting = (*remedy.waiting[:newest], error, *remedy.waiting[newest + 1 :])
        step = step.with_remedy(replace(remedy, waiting=waiting))
        return accept(step, "the card drawn in error was seen", book.clauses(burn_point(error)))
    if not remedy.carried:
        return accept(step, "a card drawn in error: seen already")
    error = remedy.carried[-1]
    step = racked(step.with_remedy(replace(remedy, carried=remedy.carried[:-1])), error)
    if step.shoe.drawn_last is LastDrawn.CARRIED:
        # Its amount is owed once: it cannot be found face up as well.
        step = step.with_shoe(replace(step.shoe, drawn_last=LastDrawn.NOTHING))
    step = accept(step, "the held card was seen: burned", book.clauses(burn_point(error)))
    return burn_due(book, asked_later(book, step, error.card, burn_point(error)))
