"""The end of a coup and of a shoe: the declared result compared with the cards, and the records.

Source: S42 (j)(1), (h)(5), (k)(4); NY (i)(1); D-3, D-6, D-7, D-15, D-23, D-39.
"""

from types import MappingProxyType
from typing import Final, TypeAlias

from msgspec.structs import replace

from controller.custody.batch_life.facts import ShoeOver
from controller.custody.card_states import CardPlace
from controller.custody.moves import CardPlaced, HandsCleared
from controller.procedure.acts.discard_rack import prompt_coup_discard
from controller.procedure.calls.prompts import prompt_last_hand
from controller.procedure.dealing.burn import begin_due_burn, postpone_burn
from controller.procedure.dealing.shoe_count import count_after_coup
from controller.procedure.effects import (
    CoupClosed,
    CoupPayment,
    CoupRecord,
    PromptKind,
    RecordedCard,
    ShoeEnded,
)
from controller.procedure.events import CardDrawn, CoupForcedOut, ResultDeclared, ShoeStandsBy
from controller.procedure.finished_coups import (
    FINISHED_COUPS_MAX,
    FinishedCoup,
    PaymentRules,
    packed_wagers,
)
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Phase, Trigger, due_words
from controller.procedure.places import OUTCOME_NAMES, PLAYER_PLACES, phase_by_cards, ruling_points
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.shuffler.batch_life import apply_fact
from controller.procedure.state import (
    NOTHING_TO_REMEDY,
    CoupState,
    LastDrawn,
    ResultDeclaration,
    ShoeState,
    ShoeTally,
)
from controller.procedure.step_result import Step, accept, ask, prompt, raise_irregularity, takes
from controller.procedure.wagering.wagers import pay_coup
from controller.rules.actions.actions import DeclareResult
from controller.rules.cards import Card, point_value
from controller.rules.coup import is_complete
from controller.rules.hands import point_count
from controller.rules.outcome import CoupFate, CoupResult, Outcome, coup_result
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.settlement.payout import SettledWager
from foundation.message import Message, message

# The place of the result after the six cards a coup can have, counted from 0.
RESULT_INDEX = 6

_ENDS: Final = MappingProxyType(
    {
        CoupFate.COUNTED: Trigger.COUP_DONE,
        CoupFate.PARTIAL: Trigger.PARTIAL_COUP_DONE,
        CoupFate.FLOOR_DECIDED: Trigger.PARTIAL_COUP_DONE,
        CoupFate.VOID: Trigger.COUP_VOIDED,
    }
)
# By the shoe's buttons, or in words.
Declaration: TypeAlias = ResultDeclared | DeclareResult


def judge_result(book: RuleBook, step: Step, declared: ResultDeclaration) -> Step:
    """Judge the result declared for a coup whose cards are known: the table is asked."""
    return ask(book, step, Trigger.RESULT_DECLARED, declared)


def declare(book: RuleBook, step: Step, event: Declaration) -> Step:
    """Note what the dealer declared."""
    return step.with_coup(replace(step.coup, declared=_declaration(event)))


def _declaration(event: Declaration) -> ResultDeclaration:
    return ResultDeclaration(event.outcome, event.player_pair, event.banker_pair)


def declare_early(book: RuleBook, step: Step, event: Declaration, code: IrregularityCode) -> Step:
    """A result was declared while a card is due: the coup was left."""
    step = declare(book, step, event)
    detail = message(
        "outcome_declared_while_card_due",
        outcome=event.outcome.value,
        due=due_words(step.state.due_phase),
    )
    points = ruling_points(step.coup.faces())
    step = abandon_coup(book, step)
    return raise_irregularity(book, step, code, detail, *points)


def compare_result(book: RuleBook, step: Step, event: Declaration) -> Step:
    """Compare what the dealer declared with what the cards say."""
    declared, computed = _declaration(event), coup_result(step.coup.faces())
    step = _remark_on_pairs(step, declared, computed)
    if declared.outcome is not computed.outcome:
        detail = message(
            "declared_otherwise_than_cards",
            declared=OUTCOME_NAMES[declared.outcome],
            computed=OUTCOME_NAMES[computed.outcome],
            player=computed.player_count,
            banker=computed.banker_count,
        )
        return raise_irregularity(book, step, IrregularityCode.RESULT_MISMATCH, detail)
    points: tuple[RulePoint, ...] = DeclareResult.points
    if computed.outcome is Outcome.TIE:
        points = (*points, RulePoint.TIE_CALLED)
    what = message("result_declared_as_dealt", outcome=declared.outcome.value)
    step = accept(step, what, book.clauses(*points))
    return close_coup(book, step, CoupFate.COUNTED)


def _remark_on_pairs(step: Step, declared: ResultDeclaration, computed: CoupResult) -> Step:
    """Remark pair signals that differ from the cards: no rule knows pairs as a result (D-39)."""
    signalled = _name_pairs(declared.player_pair, declared.banker_pair)
    dealt = _name_pairs(computed.player_pair, computed.banker_pair)
    if signalled == dealt:
        return step
    return accept(step, message("remark_pairs_differ", signalled=signalled, dealt=dealt))


def _name_pairs(player: bool, banker: bool) -> Message:
    if player:
        return message("player_and_banker_pair") if banker else message("player_pair")
    return message("banker_pair") if banker else message("no_pair")


def end_partial_coup(book: RuleBook, step: Step, event: Declaration) -> Step:
    """Close a partial coup unjudged; a result that cannot be its own belongs to an unseen coup."""
    declared = _declaration(event)
    step = step.with_coup(replace(step.coup, declared=declared))
    coup = step.coup
    what = message("declared_for_partial_coup_not_judged", outcome=declared.outcome.value)
    step = accept(step, what)
    if coup.can_continue_at(RESULT_INDEX):
        return close_coup(book, step, CoupFate.PARTIAL)
    step = close_coup(book, step.with_coup(replace(coup, declared=None)), CoupFate.PARTIAL)
    if not takes(step.phase, Trigger.COUP_BEGINS):
        return step
    number = step.shoe.coups_begun + 1
    unseen = CoupState(number, declared=declared, partial=True)
    step = step.with_shoe(replace(step.shoe, coups_begun=number, coup=unseen))
    step = step.advance(book, Trigger.COUP_BEGINS).advance(book, Trigger.COUP_PARTIAL)
    return close_coup(book, step, CoupFate.PARTIAL)


def raise_result_without_coup(
    book: RuleBook, step: Step, event: Declaration, code: IrregularityCode
) -> Step:
    """A result with no coup on the table."""
    begun = step.shoe.coups_begun
    after = message("after_coup", begun=begun) if begun else message("before_first_coup")
    return raise_irregularity(book, step, code, after)


def coup_forced_out(
    book: RuleBook, step: Step, event: CoupForcedOut, code: IrregularityCode
) -> Step:
    """A forced exit leaves the coup to a floorperson; what follows is not part of it."""
    detail = message("cards_dealt_count", count=len(step.coup.cards))
    step = abandon_coup(book, step)
    return raise_irregularity(book, step, code, detail)


def restart_shoe_count(book: RuleBook, step: Step, event: CoupForcedOut) -> Step:
    """The shoe counts a card that is in no hand: by the forced exit its count begins again."""
    if step.shoe.coup is None:
        step = step.with_shoe(replace(step.shoe, shoe_count=()))
        return accept(step, message("forced_exit_shoe_counted_cards"))
    step = step.with_coup(replace(step.coup, shoe_cards=()))
    return accept(step, message("forced_exit_shoe_count_off_by_card"))


def abandon_coup(book: RuleBook, step: Step) -> Step:
    """The coup was left: the next first card begins another one, any other card goes on with it.

    The shoe counts from the beginning again: by that count it claims what is drawn if play goes on.
    """
    if step.coup.partial:
        return step.with_coup(replace(step.coup, forced_out=True))
    step = step.with_coup(replace(step.coup, shoe_cards=()))
    if step.shoe.remedy.burn_return_phase is not None:
        return step.with_remedy(replace(step.shoe.remedy, burn_return_phase=Phase.ABANDONED))
    return step.advance(book, Trigger.COUP_ABANDONED)


def leave_coup(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A coup that was left ends where the next one's first card comes."""
    return close_coup(book, step, CoupFate.PARTIAL)


def resume_coup_at_card(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A coup that was left goes on with a card that is due."""
    return resume_coup(book, step)


def resume_coup(book: RuleBook, step: Step) -> Step:
    """Go on with a coup that was left; a result declared too early no longer holds."""
    remedy = step.shoe.remedy
    if remedy.burn_return_phase is not None:
        due = phase_by_cards(step.coup.faces())
        step = step.with_remedy(replace(remedy, burn_return_phase=due))
    elif step.state.coup_left:
        step = step.resume(book, step.state.due_phase)
    return step.with_coup(replace(step.coup, declared=None))


def end_partial_at_stand_by(book: RuleBook, step: Step, event: ShoeStandsBy) -> Step:
    """Stand-by ends a partial coup."""
    step = accept(step, message("shoe_stands_by_partial_coup_over"))
    return close_coup(book, step, CoupFate.PARTIAL)


def end_coup_at_stand_by(book: RuleBook, step: Step, event: ShoeStandsBy) -> Step:
    """Stand-by ends a coup where nothing reports results."""
    step = accept(step, message("shoe_stands_by_coup_over_result"))
    return close_coup(book, step, CoupFate.COUNTED)


def close_at_next(book: RuleBook, step: Step, event: object) -> Step:
    """Close a complete coup when something happens that can only follow it."""
    return close_complete_coup(book, step)


def close_complete_coup(book: RuleBook, step: Step) -> Step:
    """Close the coup on the table if its hands are complete: it counts by its cards.

    A missing declaration is an irregularity only where the table observes results.
    """
    if not takes(step.phase, Trigger.COUP_DONE):
        return step
    if book.observes(ObservableFact.RESULT_BUTTON) and step.coup.declared is None:
        detail = message("coup_number", number=step.coup.number)
        step = raise_irregularity(book, step, IrregularityCode.RESULT_NOT_DECLARED, detail)
    return close_coup(book, step, CoupFate.COUNTED)


def close_coup(
    book: RuleBook,
    step: Step,
    fate: CoupFate,
    stated: Outcome | None = None,
    *,
    own_void: bool = False,
) -> Step:
    """Close the open coup into its record and advance to what is due next.

    `stated` is the outcome a floorperson stated. While the table is suspended the record is held:
    a floorperson decides whether it counts.
    """
    step = postpone_burn(book, step)
    shoe, coup = step.shoe, step.coup
    record = replace(build_coup_record(shoe, coup, fate, stated), own_void=own_void)
    step = _clear_coup(step)
    # Its cards can still be read later: only they keep it from being whole (D-41).
    unread = coup if fate is CoupFate.PARTIAL and coup.unjudged else shoe.unread_coup
    # A coup that was left can be left again, and stays where it is.
    left = coup.forced_out or step.state.coup_left
    counted = count_after_coup(coup, left=left)
    shoe = replace(step.shoe, reports_proven=True, shoe_count=counted, unread_coup=unread)
    step = step.with_shoe(shoe)
    held = (*step.held, record)
    step = replace(step, held=held) if step.provisional else publish_coup(book, step, record)
    step = step.advance(book, _ENDS[fate])
    if not shoe.is_last(coup.number) and shoe.cut.last_coup == coup.number + 1:
        step = prompt_last_hand(book, step)
    return begin_due_burn(book, prompt_coup_discard(book, step))


def _clear_coup(step: Step) -> Step:
    """Without the coup; its cards can no longer be reported as boxed."""
    coup, shoe = step.coup, step.with_coup(None).shoe
    if coup.cards or coup.aside:
        racked = (CardPlaced(one.number, CardPlace.DISCARD_RACK) for one in coup.aside)
        step = step.with_move(HandsCleared(), *racked)
    if shoe.drawn_last is LastDrawn.HAND:
        shoe = replace(shoe, drawn_last=LastDrawn.NOTHING)
    return step.with_shoe(shoe)


def publish_coup(book: RuleBook, step: Step, record: CoupRecord) -> Step:
    """Publish the record of a coup, count it in its shoe, and pay what was bet on it."""
    tally = count_outcome(step.shoe.tally, record.outcome, 1)
    step = step.with_shoe(replace(step.shoe, tally=tally, last_coup=record))
    step = step.with_effect(CoupClosed(record, book.clauses(*record_points(record))))
    if record.fate is CoupFate.VOID:
        text = message("coup_void", coup=record.coup)
        if record.own_void:
            text = message("coup_void_by_own_decision", coup=record.coup)
        step = prompt(book, step, PromptKind.REMEDY, text, *_void_points(record))
    return _list_finished_coup(book, pay_coup(book, step, record), record)


def _list_finished_coup(book: RuleBook, step: Step, record: CoupRecord) -> Step:
    """Keep of the coup what a correction of its outcome needs (D-42)."""
    paid = step.state.wagering.last_payment
    settled: tuple[SettledWager, ...] = ()
    if paid is not None and _names_same_coup(paid, record):
        settled = tuple(
            SettledWager(line.seat, line.kind, line.stake, line.gain)
            for line in paid.settlement.lines
        )
    rules = 0
    if settled:
        step, rules = _list_payment_rules(step, PaymentRules.of(book.values))
    packed = packed_wagers(settled)
    finished = FinishedCoup(record.coup, record.outcome, settled=packed, rules=rules)
    listed = (*step.shoe.finished, finished)[-FINISHED_COUPS_MAX:]
    return step.with_shoe(replace(step.shoe, finished=listed))


def _list_payment_rules(step: Step, rules: PaymentRules) -> tuple[Step, int]:
    """Keep the rules of a payment once; their place."""
    known = step.state.payment_rules
    if rules in known:
        return step, known.index(rules)
    return step.with_state(replace(step.state, payment_rules=(*known, rules))), len(known)


def _names_same_coup(paid: CoupPayment, record: CoupRecord) -> bool:
    named = (paid.gaming_day, paid.shoe, paid.coup)
    return named == (record.gaming_day, record.shoe, record.coup)


def count_outcome(tally: ShoeTally, outcome: Outcome | None, by: int) -> ShoeTally:
    """The tally with `by` more coups of this outcome; None is a void coup."""
    match outcome:
        case Outcome.PLAYER:
            return replace(tally, player=tally.player + by)
        case Outcome.BANKER:
            return replace(tally, banker=tally.banker + by)
        case Outcome.TIE:
            return replace(tally, tie=tally.tie + by)
        case _:
            return replace(tally, void=tally.void + by)


def state_shoe_end(book: RuleBook, step: Step, person: str = "", reason: str = "") -> Step:
    """State the shoe's end, once, when it is reached.

    `person` and `reason` are of the person whose decision ended it, empty where the cards did.
    """
    shoe = step.state.shoe
    if shoe is None or shoe.ended or not step.state.shoe_over:
        return step
    tally = shoe.tally
    ended = ShoeEnded(
        gaming_day=shoe.gaming_day,
        shoe=shoe.number,
        cards_drawn=shoe.cards_drawn,
        coups=shoe.coups_begun,
        player=tally.player,
        banker=tally.banker,
        tie=tally.tie,
        void=tally.void,
        irregularities=shoe.irregularities,
        person=person,
        reason=reason,
    )
    # A card of the last burn can still be reported as boxed, unless a person ended the shoe.
    last = LastDrawn.NOTHING if person else shoe.drawn_last
    shoe = replace(shoe, ended=True, drawn_last=last)
    step = _move_held_cards_to_rack(book, step.with_shoe(shoe)).with_effect(ended)
    over = ShoeOver(shoe.joined or shoe.coups_begun > 0)
    step = apply_fact(book, step.with_move(over), over)
    text = message("shoe_over_draw_no_more_cards")
    return prompt(book, step, PromptKind.RESHUFFLE, text, RulePoint.LAST_HAND, RulePoint.RESHUFFLE)


def _move_held_cards_to_rack(book: RuleBook, step: Step) -> Step:
    """A card held for a hand that will not be dealt goes into the rack with its shoe."""
    shoe = step.shoe
    held = tuple(error.card for error in shoe.remedy.carried)
    shoe = replace(shoe, aside=(*shoe.aside, *held), remedy=NOTHING_TO_REMEDY)
    racked = (CardPlaced(one.number, CardPlace.DISCARD_RACK) for one in step.shoe.remedy.carried)
    step = step.with_move(*racked).with_shoe(shoe)
    if not held:
        return step
    text = message("rack_held_cards", count=len(held))
    return prompt(book, step, PromptKind.REMEDY, text, RulePoint.LAST_HAND)


def build_coup_record(
    shoe: ShoeState, coup: CoupState, fate: CoupFate, stated: Outcome | None
) -> CoupRecord:
    """Build the record of a coup; `result` only where its cards are complete."""
    faces = () if coup.partial else coup.faces()
    result = coup_result(faces) if is_complete(faces) else None
    by_cards = result.outcome if result is not None and fate is CoupFate.COUNTED else None
    return CoupRecord(
        gaming_day=shoe.gaming_day,
        shoe=shoe.number,
        coup=coup.number,
        cards=tuple(RecordedCard(c.place, c.card, c.carried_from) for c in coup.cards),
        aside=tuple(RecordedCard(c.place, c.card) for c in coup.aside),
        result=result,
        declared=coup.declared.outcome if coup.declared is not None else None,
        outcome=stated if stated is not None else by_cards,
        fate=fate,
        suspended_cards=coup.suspended_cards,
        irregular=coup.irregular,
        ghost=coup.ghost,
    )


_ACE: Final = 1


def record_points(record: CoupRecord) -> tuple[RulePoint, ...]:
    """The points to cite with a record."""
    racked = (RulePoint.DISCARD_ORDER,)
    if record.fate is CoupFate.VOID:
        return (*_void_points(record), *racked)
    if record.result is None:
        return racked
    faces = [(dealt.place in PLAYER_PLACES, dealt.card) for dealt in record.cards]
    player = [card for of_player, card in faces if of_player and card is not None]
    banker = [card for of_player, card in faces if not of_player and card is not None]
    tie = record.result.outcome is Outcome.TIE
    wins = RulePoint.EQUAL_IS_TIE if tie else RulePoint.HIGHER_WINS
    return (
        *_card_value_points(player + banker),
        *_point_count_points(player, banker),
        wins,
        *racked,
    )


def _void_points(record: CoupRecord) -> tuple[RulePoint, ...]:
    """What returns the wagers of a void coup; nothing where a person alone made it void (D-43)."""
    return () if record.own_void else (RulePoint.VOID_RETURNED,)


def _card_value_points(cards: list[Card]) -> tuple[RulePoint, ...]:
    values = [point_value(card) for card in cards]
    points = (
        (RulePoint.VALUE_PIPS, max(values) > _ACE),
        (RulePoint.VALUE_TENS, min(values) == 0),
        (RulePoint.VALUE_ACE, _ACE in values),
    )
    return tuple(point for point, present in points if present)


def _point_count_points(player: list[Card], banker: list[Card]) -> tuple[RulePoint, ...]:
    """The point count is the last digit of the sum."""
    digit = any(sum(map(point_value, hand)) != point_count(hand) for hand in (player, banker))
    return (RulePoint.POINT_COUNT, *((RulePoint.POINT_COUNT_DIGIT,) if digit else ()))
