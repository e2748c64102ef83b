"""Cards drawn in error: holding them, the remedies a floorperson may choose, and carrying one out.

Source: S42 (k)(1), (k)(2); D-7, D-9, D-10, D-11.

Decisions. Whether people saw the card decides the remedy; where the table cannot sense that, the
floorperson's decision states it. Where it can, each card gets the remedy that fits it, whichever of
the two decisions was made. After the last hand there is no hand to carry to: an unseen card goes to
the discard rack. With any other decision (a void coup, a closed shoe) the card goes with its coup
or shoe (D-7).
"""

from typing import TypeAlias

from msgspec.structs import replace

from controller.procedure.dealing.remedy_burn import begin_due_burn, owe_burn_later
from controller.procedure.decisions import FloorDecision
from controller.procedure.effects import CoupRecord, PromptKind, RecordedCard
from controller.procedure.events import CardDrawn, LayoutPart
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import DealtCard, ShoeState
from controller.procedure.states.remedy import ErrorCard, LastDrawn
from controller.procedure.step_result import Step, accept, prompt
from controller.profiles.rule_points import RulePoint
from controller.rules.cards import burn_value
from controller.rules.coup import Place
from controller.rules.setting_values import IrregularityRules

HeldRecords: TypeAlias = tuple[CoupRecord, ...]
# While one of these is open, reports of the shoe may be missing.
IN_DOUBT = (
    IrregularityCode.REPORTS_LOST,
    IrregularityCode.CONTINUITY_UNPROVEN,
    IrregularityCode.SHOE_JOINED,
    IrregularityCode.COUP_JOINED,
    IrregularityCode.SHOE_RESTARTED,
    IrregularityCode.PROGRAM_REPLACED,
)
_GOES_ON = (FloorDecision.CONTINUE, FloorDecision.CARRY, FloorDecision.BURN)


def hold_error_card(book: RuleBook, step: Step, event: CardDrawn, *, third: bool = False) -> Step:
    """Hold a card that no hand is due until a floorperson decides on it."""
    shoe = step.shoe
    error = ErrorCard(
        card=event.card,
        claimed=event.claimed,
        coup=shoe.coup.number if shoe.coup is not None else 0,
        third=third,
        sensed=book.observes(ObservableFact.TURNED),
        free=_is_free(book, step),
    )
    remedy = replace(shoe.remedy, waiting=(*shoe.remedy.waiting, error))
    return step.with_shoe(replace(shoe, remedy=remedy, drawn_last=LastDrawn.ERROR))


def _is_free(book: RuleBook, step: Step) -> bool:
    """Whether the floorperson may also simply continue: by the profile, or because of doubt.

    While reports of the shoe may be missing, the card may be in order after all.
    """
    if book.values.irregularity_rules is IrregularityRules.FLOORPERSON_DECIDES:
        return True
    return any(one.code in IN_DOUBT for one in step.state.open_irregularities)


def permitted_remedies(shoe: ShoeState, error: ErrorCard) -> tuple[FloorDecision, ...]:
    """The decisions a floorperson may make on this card, if play continues."""
    unseen = FloorDecision.CONTINUE if shoe.is_last(shoe.coups_begun) else FloorDecision.CARRY
    if error.free:
        return tuple(dict.fromkeys((FloorDecision.CONTINUE, unseen, FloorDecision.BURN)))
    if error.sensed:
        return (FloorDecision.BURN,) if error.turned else (unseen,)
    return (unseen, FloorDecision.BURN)


def error_cards_permit(shoe: ShoeState, decision: FloorDecision) -> bool:
    """Whether the waiting cards permit this decision."""
    offered = [permitted_remedies(shoe, error) for error in shoe.remedy.waiting]
    if decision is FloorDecision.CONTINUE:
        return all(decision in each for each in offered)
    return any(decision in each for each in offered)


def _remedy_for(shoe: ShoeState, error: ErrorCard, decision: FloorDecision) -> FloorDecision:
    if decision not in _GOES_ON:
        return FloorDecision.CONTINUE
    offered = permitted_remedies(shoe, error)
    return decision if decision in offered else offered[0]


def decide_error_cards(
    book: RuleBook, step: Step, decision: FloorDecision, held: HeldRecords
) -> tuple[Step, HeldRecords]:
    """Carry out the decision on every waiting card. `held` are coups waiting to be counted."""
    shoe, remedy = step.shoe, step.shoe.remedy
    if not remedy.waiting:
        return step, held
    fates = [(error, _remedy_for(shoe, error, decision)) for error in remedy.waiting]
    carried = tuple(error for error, fate in fates if fate is FloorDecision.CARRY)
    step = step.with_remedy(replace(remedy, waiting=(), carried=(*remedy.carried, *carried)))
    for error, fate in fates:
        if fate is not FloorDecision.CARRY:
            seen = error.turned or fate is FloorDecision.BURN
            step, held = _add_to_record(step, replace(error, turned=seen), held)
        if fate is FloorDecision.BURN:
            step = owe_burn_later(book, step, _amount(error), burn_point(error))
    if shoe.drawn_last is LastDrawn.ERROR:
        still = LastDrawn.CARRIED if fates[-1][1] is FloorDecision.CARRY else LastDrawn.NOTHING
        step = step.with_shoe(replace(step.shoe, drawn_last=still))
    return _prompt_carry(book, step, carried), held


def _amount(error: ErrorCard) -> int | None:
    return burn_value(error.card) if error.card is not None else None


def burn_point(error: ErrorCard) -> RulePoint:
    """The point that requires the burn of a card that was seen."""
    return RulePoint.THIRD_BURNED if error.third else RulePoint.ERROR_BURNED


def carry_point(error: ErrorCard) -> RulePoint:
    """The point that requires holding a card that nobody saw."""
    return RulePoint.THIRD_CARRIED if error.third else RulePoint.ERROR_CARRIED


def _prompt_carry(book: RuleBook, step: Step, carried: tuple[ErrorCard, ...]) -> Step:
    if not carried:
        return step
    points = tuple(dict.fromkeys(carry_point(error) for error in carried))
    many = len(carried)
    text = "hold the card face down: it is the first card of the next hand"
    if many > 1:
        text = f"hold the {many} cards face down: they are the first of the next hand, in order"
    return prompt(book, step, PromptKind.REMEDY, text, *points)


def _add_to_record(step: Step, error: ErrorCard, held: HeldRecords) -> tuple[Step, HeldRecords]:
    """Add the card to the record of the coup it was drawn in, or of the shoe."""
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
    return move_to_rack(step, error), held


def set_aside(step: Step, error: ErrorCard) -> Step:
    """Add the card to the coup on the table, and whether people saw it."""
    coup, dealt = step.coup, DealtCard(Place.OUTSIDE, error.card, error.claimed)
    turned = (LayoutPart.ERROR_CARD.value,) if error.turned else ()
    reveal = replace(coup.reveal, turned=(*coup.reveal.turned, *turned))
    return step.with_coup(replace(coup, aside=(*coup.aside, dealt), reveal=reveal))


def move_to_rack(step: Step, error: ErrorCard) -> Step:
    """Move the card to the discard rack, in no coup."""
    return step.with_shoe(replace(step.shoe, aside=(*step.shoe.aside, error.card)))


def error_card_turned(book: RuleBook, step: Step) -> Step:
    """People have seen a card drawn in error: it can no longer be carried."""
    remedy = step.state.shoe.remedy if step.state.shoe is not None else None
    if remedy is None or not (remedy.waiting or remedy.carried):
        return accept(step, "no card drawn in error is on the table: nothing to turn")
    unseen = [index for index, error in enumerate(remedy.waiting) if not error.turned]
    if unseen:
        newest = unseen[-1]
        error = replace(remedy.waiting[newest], turned=True)
        waiting = (*remedy.waiting[:newest], error, *remedy.waiting[newest + 1 :])
        step = step.with_remedy(replace(remedy, waiting=waiting))
        return accept(step, "the card drawn in error was seen", book.clauses(burn_point(error)))
    if not remedy.carried:
        return accept(step, "the card drawn in error was already seen")
    error = remedy.carried[-1]
    step = move_to_rack(step.with_remedy(replace(remedy, carried=remedy.carried[:-1])), error)
    if step.shoe.drawn_last is LastDrawn.CARRIED:
        # Its amount is owed once: it cannot be reported as boxed as well.
        step = step.with_shoe(replace(step.shoe, drawn_last=LastDrawn.NOTHING))
    step = accept(step, "the held card was seen and is burned", book.clauses(burn_point(error)))
    return begin_due_burn(book, owe_burn_later(book, step, _amount(error), burn_point(error)))
