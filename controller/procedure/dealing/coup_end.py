"""The end of a coup and of a shoe: the declared result compared with the cards, and the records.

Source: S42 (j)(1), (h)(5), (k)(4); NY (i)(1); D-3, D-6, D-7, D-15, D-23, D-39.
"""

from typing import Final

from msgspec.structs import replace

from controller.custody.batch_life.facts import ShoeOver
from controller.procedure.acts.discard_rack import prompt_coup_discard
from controller.procedure.calls.prompts import prompt_last_hand
from controller.procedure.dealing.error_cards import holds_whole_hand, keep_result
from controller.procedure.dealing.remedy_burn import begin_due_burn, postpone_burn
from controller.procedure.dealing.shoe_count import count_after_coup
from controller.procedure.effects import (
    CoupClosed,
    CoupFate,
    CoupPayment,
    CoupRecord,
    PromptKind,
    RecordedCard,
    ShoeEnded,
)
from controller.procedure.events import ResultDeclared
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import (
    ABANDONED_PHASES,
    BEFORE_A_COUP,
    DUE_WORDS,
    HANDS_COMPLETE,
    Phase,
    Trigger,
    resume_trigger,
)
from controller.procedure.places import PLAYER_PLACES, phase_by_cards, ruling_points
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.shuffler.batch_life import apply_fact
from controller.procedure.state import CoupState, ShoeState, ShoeTally
from controller.procedure.states.finished_coups import (
    FINISHED_COUPS_MAX,
    FinishedCoup,
    PaymentRules,
)
from controller.procedure.states.remedy import NOTHING_TO_REMEDY, LastDrawn, ResultDeclaration
from controller.procedure.step_result import Step, accept, prompt, raise_irregularity
from controller.procedure.wagering.wagers import pay_coup
from controller.profiles.rule_points import RulePoint
from controller.rules.cards import Card, point_value
from controller.rules.coup import is_complete
from controller.rules.hands import point_count
from controller.rules.outcome import CoupResult, Outcome, coup_result
from controller.settlement.payout_difference import SettledWager
from controller.state_table import NoEdge

# The place of the result after the six cards a coup can have, counted from 0.
RESULT_INDEX = 6


def result_declared(book: RuleBook, step: Step, event: ResultDeclared) -> Step:
    """Compare what the dealer declared with what the cards say."""
    declared = ResultDeclaration(event.outcome, event.player_pair, event.banker_pair)
    shoe = step.state.shoe
    if shoe is None or shoe.coup is None:
        if holds_whole_hand(step):
            return keep_result(book, step, declared)
        return _result_without_coup(book, step)
    if shoe.coup.partial:
        step = step.with_coup(replace(shoe.coup, declared=declared))
        return _result_of_partial_coup(book, step, declared)
    return judge_result(book, step, declared)


def judge_result(book: RuleBook, step: Step, declared: ResultDeclaration) -> Step:
    """Judge the result declared for a coup whose cards are known."""
    coup = replace(step.coup, declared=declared)
    step = step.with_coup(coup)
    if isinstance(book.next(step.phase, Trigger.RESULT_DECLARED), NoEdge):
        detail = f"{declared.outcome.value} was declared; {DUE_WORDS[step.state.due_phase]} was due"
        points = ruling_points(coup.faces())
        step = abandon_coup(book, step)
        return raise_irregularity(book, step, IrregularityCode.MISSING_CARD, detail, *points)
    step = step.advance(book, Trigger.RESULT_DECLARED)
    computed = coup_result(coup.faces())
    step = _remark_on_pairs(step, declared, computed)
    if declared.outcome is not computed.outcome:
        counts = f"{computed.player_count} to {computed.banker_count}"
        cards = f"{computed.outcome.value.capitalize()} ({counts})"
        detail = f"declared {declared.outcome.value.capitalize()}; the cards say {cards}"
        return raise_irregularity(book, step, IrregularityCode.RESULT_MISMATCH, detail)
    points = (RulePoint.RESULT_CALLED, RulePoint.WINNER_DECLARED)
    if computed.outcome is Outcome.TIE:
        points = (*points, RulePoint.TIE_CALLED)
    step = accept(step, f"result {declared.outcome.value}", book.clauses(*points))
    return close_coup(book, step, CoupFate.COUNTED)


def _remark_on_pairs(step: Step, declared: ResultDeclaration, computed: CoupResult) -> Step:
    """Remark pair signals that differ from the cards: no rule knows pairs as a result (D-39)."""
    signalled = _name_pairs(declared.player_pair, declared.banker_pair)
    dealt = _name_pairs(computed.player_pair, computed.banker_pair)
    if signalled == dealt:
        return step
    return accept(step, f"remark: signalled {signalled}; the cards have {dealt}")


def _name_pairs(player: bool, banker: bool) -> str:
    pairs = [name for name, present in (("Player", player), ("Banker", banker)) if present]
    return f"{' and '.join(pairs)} pair" if pairs else "no pair"


def _result_of_partial_coup(book: RuleBook, step: Step, declared: ResultDeclaration) -> Step:
    """Close a partial coup unjudged; a result that cannot be its own belongs to an unseen coup."""
    coup = step.coup
    step = accept(step, f"{declared.outcome.value} declared for a partial coup, not judged")
    if coup.can_continue_at(RESULT_INDEX):
        return close_coup(book, step, CoupFate.PARTIAL)
    step = close_coup(book, step.with_coup(replace(coup, declared=None)), CoupFate.PARTIAL)
    if step.phase is not Phase.BETWEEN_COUPS:
        return step
    number = step.shoe.coups_begun + 1
    unseen = CoupState(number, declared=declared, partial=True)
    step = step.with_shoe(replace(step.shoe, coups_begun=number, coup=unseen))
    step = step.advance(book, Trigger.COUP_BEGINS).advance(book, Trigger.COUP_PARTIAL)
    return close_coup(book, step, CoupFate.PARTIAL)


def _result_without_coup(book: RuleBook, step: Step) -> Step:
    if step.phase in BEFORE_A_COUP:
        begun = step.shoe.coups_begun
        after = f"after coup {begun}" if begun else "before the first coup"
        return raise_irregularity(book, step, IrregularityCode.RESULT_WITHOUT_COUP, after)
    return accept(step, "a result that belongs to no coup of this shoe: set aside")


def coup_forced_out(book: RuleBook, step: Step) -> Step:
    """A forced exit leaves the coup to a floorperson; what follows is not part of it."""
    shoe = step.state.shoe
    if shoe is not None and shoe.coup is None and shoe.shoe_count:
        step = step.with_shoe(replace(shoe, shoe_count=()))
        return accept(step, "forced exit: the shoe counted cards that are in no hand")
    if shoe is None or shoe.coup is None:
        return accept(step, "forced exit with no coup on the table: no effect")
    if shoe.coup.shoe_cards is not None:
        # The shoe counts a card that was taken out: only its count begins again.
        step = step.with_coup(replace(shoe.coup, shoe_cards=()))
        return accept(step, "forced exit: the shoe's count was off by a card found face up")
    detail = f"cards dealt: {len(shoe.coup.cards)}"
    step = abandon_coup(book, step)
    return raise_irregularity(book, step, IrregularityCode.FORCED_EXIT, detail)


def abandon_coup(book: RuleBook, step: Step) -> Step:
    """The coup was left: the next first card begins another one, any other card goes on with it."""
    match step.phase:
        case Phase.PARTIAL:
            return step.with_coup(replace(step.coup, forced_out=True))
        case Phase.COUP_BURN:
            return step.with_remedy(replace(step.shoe.remedy, burn_return_phase=Phase.ABANDONED))
        case _:
            return step.advance(book, Trigger.COUP_ABANDONED)


def resume_coup(book: RuleBook, step: Step) -> Step:
    """Go on with a coup that was left; a result declared too early no longer holds."""
    if step.phase is Phase.COUP_BURN and step.shoe.remedy.burn_return_phase is Phase.ABANDONED:
        step = step.with_remedy(
            replace(step.shoe.remedy, burn_return_phase=phase_by_cards(step.coup.faces()))
        )
    elif step.phase in ABANDONED_PHASES:
        step = step.advance(book, resume_trigger(step.state.due_phase))
    return step.with_coup(replace(step.coup, declared=None))


def shoe_stands_by(book: RuleBook, step: Step) -> Step:
    """Stand-by ends a coup only where nothing reports results; it never begins one."""
    shoe = step.state.shoe
    coup = shoe.coup if shoe is not None else None
    if coup is not None and coup.partial:
        step = accept(step, "the shoe stands by: the partial coup is over")
        return close_coup(book, step, CoupFate.PARTIAL)
    if step.phase in HANDS_COMPLETE and not book.observes(ObservableFact.RESULT_BUTTON):
        step = accept(step, "the shoe stands by: the coup is over, its result was not reported")
        return close_coup(book, step, CoupFate.COUNTED)
    return accept(step, "the shoe stands by")


def close_complete_coup(book: RuleBook, step: Step) -> Step:
    """Close a complete coup when an event arrives that can only follow it.

    It counts by its cards. A missing declaration is an irregularity only where the table observes
    results.
    """
    if step.phase not in HANDS_COMPLETE:
        return step
    if book.observes(ObservableFact.RESULT_BUTTON) and step.phase is Phase.RESULT:
        detail = f"coup {step.coup.number}"
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
    left = coup.forced_out or step.phase in ABANDONED_PHASES
    counted = count_after_coup(coup, left=left)
    shoe = replace(step.shoe, reports_proven=True, shoe_count=counted, unread_coup=unread)
    step = step.with_shoe(shoe)
    held = (*step.held, record)
    step = replace(step, held=held) if step.provisional else publish_coup(book, step, record)
    last = shoe.is_last(coup.number)
    # An owed burn comes before the shoe is over (D-7), unless no card is left for it.
    over = last and not (shoe.remedy.owes_burn and not shoe.is_empty())
    if fate is CoupFate.VOID:
        step = step.advance(book, Trigger.COUP_VOIDED, *((Trigger.SHOE_CLOSED,) if over else ()))
    else:
        before = (Trigger.COUP_PARTIAL,) if fate is CoupFate.PARTIAL else ()
        step = step.advance(book, *before, Trigger.LAST_COUP_DONE if over else Trigger.COUP_DONE)
    if not last and shoe.cut.last_coup == coup.number + 1:
        step = prompt_last_hand(book, step)
    return begin_due_burn(book, prompt_coup_discard(book, step))


def _clear_coup(step: Step) -> Step:
    """Without the coup; its cards can no longer be reported as boxed."""
    shoe = step.with_coup(None).shoe
    if shoe.drawn_last is LastDrawn.HAND:
        shoe = replace(shoe, drawn_last=LastDrawn.NOTHING)
    return step.with_shoe(shoe)


def publish_coup(book: RuleBook, step: Step, record: CoupRecord) -> Step:
    """Publish the record of a coup, count it in its shoe, and pay what was bet on it."""
    tally = count_outcome(step.shoe.tally, record.outcome, 1)
    step = step.with_shoe(replace(step.shoe, tally=tally, last_coup=record))
    step = step.with_effect(CoupClosed(record, book.clauses(*record_points(record))))
    if record.fate is CoupFate.VOID:
        by = " by a person's own decision" if record.own_void else ""
        text = (
            f"coup {record.coup} is void{by}: return every wager in full, charge no vigorish, "
            "put its cards into the discard rack"
        )
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
    finished = FinishedCoup(record.coup, record.outcome, settled=settled, rules=rules)
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
    if shoe is None or shoe.ended or step.phase is not Phase.SHOE_OVER:
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
    step = apply_fact(book, step, ShoeOver(shoe.joined or shoe.coups_begun > 0))
    text = "the shoe is over: draw no more cards from it; reshuffle"
    return prompt(book, step, PromptKind.RESHUFFLE, text, RulePoint.LAST_HAND, RulePoint.RESHUFFLE)


def _move_held_cards_to_rack(book: RuleBook, step: Step) -> Step:
    """A card held for a hand that will not be dealt goes into the rack with its shoe."""
    shoe = step.shoe
    held = tuple(error.card for error in shoe.remedy.carried)
    shoe = replace(shoe, aside=(*shoe.aside, *held), remedy=NOTHING_TO_REMEDY)
    step = step.with_shoe(shoe)
    if not held:
        return step
    cards = f"{len(held)} held cards" if len(held) > 1 else "held card"
    text = f"put the {cards} into the discard rack with the cards of this shoe"
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
