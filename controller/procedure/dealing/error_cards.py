"""Cards drawn in error: holding them, the remedies a floorperson may choose, and carrying one out.

Source: S42 (k)(1), (k)(2); D-7, D-9, D-10, D-11, D-38.

Decisions. Whether people saw the card decides the remedy; where the table cannot sense that, the
floorperson's decision states it. Where it can, each card gets the remedy that fits it, whichever of
the two decisions was made. After the last hand there is no hand to carry to: an unseen card goes to
the discard rack. With any other decision (a void coup, a closed shoe) the card goes with its coup
or shoe (D-7). While one waits no coup begins: cards drawn meanwhile are held with it, and the
decision places them by the order of drawing: burned if a burn is owed then, else dealt after the
carried ones, in the rack if it voids them (D-11). A result declared meanwhile is kept with the
cards before it and judged after them; where these are all burned it belongs to no coup.
Where reports may be missing that order is not known, and the shoe's claims begin the next coup.
"""

from typing import TypeAlias

from msgspec.structs import replace

from controller.custody.card_states import CardPlace
from controller.custody.moves import CardPlaced
from controller.procedure.dealing.burn import begin_due_burn, owe_burn_later
from controller.procedure.dealing.shoe_count import count_in_no_hand
from controller.procedure.effects import CoupRecord, PromptKind, RecordedCard
from controller.procedure.events import CardDrawn, ResultDeclared
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Trigger, due_words
from controller.procedure.places import (
    BURN_PLACES,
    HAND_PLACES,
    PLACE_NAMES,
    banker_stood_on_7,
    ruling_points,
)
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import (
    DealtCard,
    ErrorCard,
    LastDrawn,
    RemedyState,
    ResultDeclaration,
    ShoeState,
)
from controller.procedure.step_result import Step, accept, prompt, raise_irregularity, takes
from controller.rules.actions.actions import DeclareResult, Resolution
from controller.rules.actions.choices import FloorDecision, LayoutPart, Provisional
from controller.rules.cards import burn_value
from controller.rules.coup import Place
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.setting_values import IrregularityRules
from foundation.message import Message, message

HeldRecords: TypeAlias = tuple[CoupRecord, ...]
# While one of these is open, reports of the shoe may be missing.
IN_DOUBT = (
    IrregularityCode.REPORTS_LOST,
    IrregularityCode.JUDGING_FAILED,
    IrregularityCode.CONTINUITY_UNPROVEN,
    IrregularityCode.SHOE_JOINED,
    IrregularityCode.COUP_JOINED,
    IrregularityCode.SHOE_RESTARTED,
    IrregularityCode.PROGRAM_REPLACED,
)
_BANKER_MORE = (Place.BANKER_3, Place.BANKER_MORE)
_GOES_ON = (FloorDecision.CONTINUE, FloorDecision.CARRY, FloorDecision.BURN)


def hold_card(book: RuleBook, step: Step, event: CardDrawn, code: IrregularityCode) -> Step:
    """Hold a card that no hand is due, and raise it."""
    detail, points = _name_error(step, event, code)
    third = RulePoint.PLAYER_THIRD_UNAUTHORISED in points
    step = hold_error_card(book, step, event, third=third)
    return raise_irregularity(book, step, code, detail, *points)


def _name_error(
    step: Step, event: CardDrawn, code: IrregularityCode
) -> tuple[Message, tuple[RulePoint, ...]]:
    """What is wrong with the card, and the points to cite beside those of its code."""
    shoe, claimed = step.shoe, event.claimed
    if code is IrregularityCode.BURN_OVER:
        return message("card_of_shoe", cards_drawn=shoe.cards_drawn), ()
    if code is IrregularityCode.CARD_OUTSIDE_PLAY:
        return message("while_table_waited_for", due=due_words(step.phase)), ()
    if shoe.coup is None:
        return message(
            "coup_over_shoe_reports", coups_begun=shoe.coups_begun, place=PLACE_NAMES[claimed]
        ), ()
    detail, faces = message("coup_already_every_card_due"), shoe.coup.faces()
    points = ruling_points(faces)
    if claimed is Place.OUTSIDE:
        return detail, points
    if claimed is Place.PLAYER_3 and not shoe.coup.has(Place.PLAYER_3):
        points = (*points, RulePoint.PLAYER_THIRD_UNAUTHORISED)
    elif claimed in _BANKER_MORE and banker_stood_on_7(faces):
        points = (*points, RulePoint.BANKER_7_MISPRINT)
    return message("no_card_due_shoe_reports", detail=detail, place=PLACE_NAMES[claimed]), points


def hold_error_card(book: RuleBook, step: Step, event: CardDrawn, *, third: bool = False) -> Step:
    """Hold a card that no hand is due until a floorperson decides on it."""
    shoe = step.shoe
    error = ErrorCard(
        card=event.card,
        claimed=event.claimed,
        coup=shoe.coup.number if shoe.coup is not None else 0,
        number=shoe.cards_drawn,
        third=third,
        sensed=book.observes(ObservableFact.TURNED),
        free=_is_free(book, step),
    )
    return _hold(step, error)


def hold_card_drawn_after(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """Hold a card drawn while a card drawn in error waits: the decision places both."""
    number = step.shoe.cards_drawn
    step = _hold(step, ErrorCard(event.card, event.claimed, 0, number, in_error=False))
    if event.card is None:
        detail = message("as_shoe_reports_held_with_card", place=PLACE_NAMES[event.claimed])
        return raise_irregularity(book, step, IrregularityCode.CARD_UNREADABLE, detail)
    return accept(step, message("held_with_card_drawn_in_error_decision"))


def hold_first_drawn_after(
    book: RuleBook, step: Step, event: CardDrawn, code: IrregularityCode | None = None
) -> Step:
    """Hold a card that would begin the next coup: from then on its betting is closed."""
    number = step.shoe.coups_begun + 1
    step = hold_card_drawn_after(book, step, event)
    if code is None:
        return step
    return raise_irregularity(book, step, code, message("coup_number", number=number))


def _hold(step: Step, error: ErrorCard) -> Step:
    shoe = step.shoe
    remedy = replace(shoe.remedy, waiting=(*shoe.remedy.waiting, error))
    step = step.place_drawn(CardPlace.ASIDE)
    return step.with_shoe(replace(shoe, remedy=remedy, drawn_last=LastDrawn.ERROR))


def holds_next_cards(step: Step) -> bool:
    """Whether a waiting card keeps the next coup from beginning."""
    return bool(step.shoe.remedy.waiting) and not _is_in_doubt(step)


def holds_whole_hand(step: Step) -> bool:
    """Whether a declared result can be that of cards held with one drawn in error."""
    drawn = step.state.shoe.remedy.drawn_after if step.state.shoe is not None else ()
    dealt = any(one.claimed in HAND_PLACES for one in drawn)
    return dealt and drawn[-1].declared is None and holds_next_cards(step)


def keep_result(book: RuleBook, step: Step, event: ResultDeclared | DeclareResult) -> Step:
    """Keep a result with the held cards before it: the decision applies it after them."""
    declared = ResultDeclaration(event.outcome, event.player_pair, event.banker_pair)
    remedy = step.shoe.remedy
    last = max(index for index, one in enumerate(remedy.waiting) if not one.in_error)
    ended = replace(remedy.waiting[last], declared=declared)
    waiting = (*remedy.waiting[:last], ended, *remedy.waiting[last + 1 :])
    step = step.with_remedy(replace(remedy, waiting=waiting))
    step = step.with_shoe(replace(step.shoe, drawn_last=LastDrawn.NOTHING))
    if takes(step.phase, Trigger.COUP_VOIDED):
        # Another coup follows that has to be called.
        step = step.advance(book, Trigger.COUP_VOIDED)
    what = message("result_kept_with_cards_held_decision_applies", outcome=declared.outcome.value)
    return accept(step, what, book.clauses(RulePoint.RESULT_CALLED))


def _is_free(book: RuleBook, step: Step) -> bool:
    """Whether the floorperson may also simply continue: by the profile, or because of doubt.

    While reports of the shoe may be missing, the card may be in order after all.
    """
    if book.values.irregularity_rules is IrregularityRules.FLOORPERSON_DECIDES:
        return True
    return _is_in_doubt(step)


def _is_in_doubt(step: Step) -> bool:
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
    offered = [permitted_remedies(shoe, error) for error in shoe.remedy.waiting if error.in_error]
    if decision is FloorDecision.CONTINUE:
        return all(decision in each for each in offered)
    return any(decision in each for each in offered)


def _remedy_for(shoe: ShoeState, error: ErrorCard, decision: FloorDecision) -> FloorDecision:
    if decision not in _GOES_ON:
        return FloorDecision.CONTINUE
    offered = permitted_remedies(shoe, error)
    return decision if decision in offered else offered[0]


def decide_error_cards(
    book: RuleBook, step: Step, resolution: Resolution, held: HeldRecords
) -> tuple[Step, HeldRecords]:
    """Carry out the decision on every waiting card, in the order of drawing.

    `held` are coups waiting to be counted.
    """
    shoe, remedy = step.shoe, step.shoe.remedy
    if not remedy.waiting:
        return step, held
    step = step.with_remedy(replace(remedy, waiting=()))
    for error in remedy.waiting:
        fate = _remedy_for(shoe, error, resolution.decision) if error.in_error else None
        match fate:
            case None:
                step = _place_card_drawn_after(book, step, error, resolution)
            case FloorDecision.CARRY:
                step = _carry(step, error)
            case _:
                seen = error.turned or fate is FloorDecision.BURN
                step, held = _add_to_record(step, replace(error, turned=seen), held)
        if fate is FloorDecision.BURN:
            step = owe_burn_later(book, step, _amount(error), burn_point(error))
    carried = step.shoe.remedy.carried[len(remedy.carried) :]
    if shoe.drawn_last is LastDrawn.ERROR:
        last = carried[-1:] == remedy.waiting[-1:]
        still = LastDrawn.CARRIED if last else LastDrawn.NOTHING
        step = step.with_shoe(replace(step.shoe, drawn_last=still))
    step = _reopen_betting(book, step, remedy, resolution)
    return _prompt_carry(book, step, carried, held_before=bool(remedy.carried)), held


def _carry(step: Step, error: ErrorCard) -> Step:
    remedy = step.shoe.remedy
    return step.with_remedy(replace(remedy, carried=(*remedy.carried, error)))


def _place_card_drawn_after(
    book: RuleBook, step: Step, error: ErrorCard, resolution: Resolution
) -> Step:
    """Place a card drawn while another waited: by the order of drawing, or in the rack if void."""
    remedy = step.shoe.remedy
    void = resolution.provisional is Provisional.VOID
    if void or resolution.decision is FloorDecision.CLOSE_SHOE:
        return _count_and_rack(step, error)
    if remedy.burn_later:
        left = remedy.burn_later - 1
        points = remedy.burn_points if left or remedy.unread_later else ()
        step = step.with_remedy(replace(remedy, burn_later=left, burn_points=points))
        return _pass_result_on(book, _count_and_rack(step, error), error)
    if error.claimed in BURN_PLACES and resolution.decision is not FloorDecision.CARRY:
        return _pass_result_on(book, _count_and_rack(step, error), error)
    return _carry(step, error)


def _count_and_rack(step: Step, error: ErrorCard) -> Step:
    """Move the card to the rack: the shoe counted it to a hand, where it claims that."""
    step = step.with_shoe(count_in_no_hand(step.shoe, error.card, error.claimed))
    return move_to_rack(step, error)


def _pass_result_on(book: RuleBook, step: Step, burned: ErrorCard) -> Step:
    """A result declared after a burned card is that of the held cards before it, if there are."""
    remedy = step.shoe.remedy
    if burned.declared is None:
        return step
    if remedy.carried and not remedy.carried[-1].in_error and not remedy.carried[-1].declared:
        last = replace(remedy.carried[-1], declared=burned.declared)
        return step.with_remedy(replace(remedy, carried=(*remedy.carried[:-1], last)))
    detail = message("cards_drawn_for_coup_burned")
    return raise_irregularity(book, step, IrregularityCode.RESULT_WITHOUT_COUP, detail)


def _reopen_betting(
    book: RuleBook, step: Step, before: RemedyState, resolution: Resolution
) -> Step:
    """The coup for which the void cards were drawn did not begin: betting is open again."""
    dealt = any(one.claimed not in BURN_PLACES for one in before.drawn_after)
    void = resolution.provisional is Provisional.VOID and dealt
    if not void or step.shoe.coup is not None:
        return step
    if not takes(step.phase, Trigger.COUP_VOIDED):
        return step
    return step.advance(book, Trigger.COUP_VOIDED)


def _amount(error: ErrorCard) -> int | None:
    return burn_value(error.card) if error.card is not None else None


def burn_point(error: ErrorCard) -> RulePoint:
    """The point that requires the burn of a card that was seen."""
    return RulePoint.THIRD_BURNED if error.third else RulePoint.ERROR_BURNED


def carry_point(error: ErrorCard) -> RulePoint:
    """The point that requires holding a card that nobody saw."""
    return RulePoint.THIRD_CARRIED if error.third else RulePoint.ERROR_CARRIED


def _prompt_carry(
    book: RuleBook, step: Step, carried: tuple[ErrorCard, ...], *, held_before: bool
) -> Step:
    # With cards drawn after them the coup begins at once: that prompt names all of them.
    if not carried or not all(error.in_error for error in carried):
        return step
    points = tuple(dict.fromkeys(carry_point(error) for error in carried))
    text = message("hold_cards_for_next_hand", count=len(carried))
    if held_before:
        text = message("hold_cards_after_those_held", count=len(carried))
    return prompt(book, step, PromptKind.REMEDY, text, *points)


def _add_to_record(step: Step, error: ErrorCard, held: HeldRecords) -> tuple[Step, HeldRecords]:
    """Add the card to the record of the coup it was drawn in, or of the shoe."""
    coup = step.shoe.coup
    if coup is not None and coup.number == error.coup:
        return set_aside(step, error), held
    if error.coup and any(record.coup == error.coup for record in held):
        recorded = RecordedCard(Place.OUTSIDE, error.card)
        return step.with_move(CardPlaced(error.number, CardPlace.DISCARD_RACK)), tuple(
            replace(record, aside=(*record.aside, recorded))
            if record.coup == error.coup
            else record
            for record in held
        )
    return move_to_rack(step, error), held


def set_aside(step: Step, error: ErrorCard) -> Step:
    """Add the card to the coup on the table, and whether people saw it."""
    coup = step.coup
    dealt = DealtCard(Place.OUTSIDE, error.card, error.claimed, number=error.number)
    step = step.with_move(CardPlaced(error.number, CardPlace.ASIDE))
    turned = (LayoutPart.ERROR_CARD.value,) if error.turned else ()
    reveal = replace(coup.reveal, turned=(*coup.reveal.turned, *turned))
    return step.with_coup(replace(coup, aside=(*coup.aside, dealt), reveal=reveal))


def move_to_rack(step: Step, error: ErrorCard) -> Step:
    """Move the card to the discard rack, in no coup."""
    step = step.with_move(CardPlaced(error.number, CardPlace.DISCARD_RACK))
    return step.with_shoe(replace(step.shoe, aside=(*step.shoe.aside, error.card)))


def error_card_turned(book: RuleBook, step: Step) -> Step:
    """People have seen a card drawn in error: it can no longer be carried."""
    remedy = step.state.shoe.remedy if step.state.shoe is not None else None
    if remedy is None or not (remedy.waiting or remedy.carried):
        return accept(step, message("no_card_drawn_in_error_on_table"))
    unseen = [
        index for index, error in enumerate(remedy.waiting) if error.in_error and not error.turned
    ]
    if unseen:
        newest = unseen[-1]
        error = replace(remedy.waiting[newest], turned=True)
        waiting = (*remedy.waiting[:newest], error, *remedy.waiting[newest + 1 :])
        step = step.with_remedy(replace(remedy, waiting=waiting))
        return accept(step, message("card_drawn_in_error_seen"), book.clauses(burn_point(error)))
    if not remedy.carried:
        return accept(step, message("card_drawn_in_error_already_seen"))
    error = remedy.carried[-1]
    step = move_to_rack(step.with_remedy(replace(remedy, carried=remedy.carried[:-1])), error)
    if step.shoe.drawn_last is LastDrawn.CARRIED:
        # Its amount is owed once: it cannot be reported as boxed as well.
        step = step.with_shoe(replace(step.shoe, drawn_last=LastDrawn.NOTHING))
    step = accept(step, message("held_card_seen_and_burned"), book.clauses(burn_point(error)))
    return begin_due_burn(book, owe_burn_later(book, step, _amount(error), burn_point(error)))
