"""The end of a coup and of a shoe: the declared result against the cards', and the records.

Responsible for: judging a declared result, closing a coup into its record and the tally, what
follows the coup (between coups, the last hand, the shoe over), and stating a shoe's end.
Not responsible for: the cards themselves (drawing) and for a floorperson's decision (suspension).
Source: S42 (j)(1), (h)(5), (k)(4); NY (i)(1); D-3, D-6, D-7, D-15, D-23.
"""

from typing import Final

from controller.custody.batch_life.facts import ShoeOver
from controller.procedure.acts.discard_rack import coup_discarded
from controller.procedure.calls.prompts import last_hand
from controller.procedure.dealing.remedy_burn import burn_due, burn_put_off
from controller.procedure.effects import (
    Call,
    CoupClosed,
    CoupFate,
    CoupRecord,
    RecordedCard,
    ShoeEnded,
)
from controller.procedure.events import ResultDeclared
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Phase, Trigger
from controller.procedure.places import PLAYER_PLACES, ruling_points
from controller.procedure.rulebook import Fact, RuleBook
from controller.procedure.shuffler.batch_life import lived
from controller.procedure.state import CoupState, Declared, ShoeState, ShoeTally
from controller.procedure.states.remedy import NOTHING_TO_REMEDY, LastDrawn
from controller.procedure.step_result import Step, accept, irregular, prompt
from controller.procedure.wagering.wagers import coup_paid
from controller.profiles.rule_points import RulePoint
from controller.rules.cards import Card, point_value
from controller.rules.coup import FIRST_FOUR_PLACES, is_complete
from controller.rules.hands import point_count
from controller.rules.outcome import CoupResult, Outcome, result_of
from controller.state_table import NoEdge
from firmware_bridge.values import replace

# The place of the result after the six cards a coup can have, counted from 0.
RESULT_INDEX = 6


def result_declared(book: RuleBook, step: Step, event: ResultDeclared) -> Step:
    """Compare what the dealer declared with what the cards say."""
    shoe = step.state.shoe
    if shoe is None or shoe.coup is None:
        return _without_coup(book, step)
    declared = Declared(event.outcome, event.player_pair, event.banker_pair)
    coup = replace(shoe.coup, declared=declared)
    step = step.with_coup(coup)
    if coup.partial:
        return _result_of_partial_coup(book, step, declared)
    if isinstance(book.next(step.phase, Trigger.RESULT_DECLARED), NoEdge):
        step = step.with_coup(replace(coup, abandoned=True))
        detail = f"{event.outcome.value} was declared; due was {step.phase.value}"
        points = ruling_points(coup.faces())
        return irregular(book, step, IrregularityCode.MISSING_CARD, detail, *points)
    computed = result_of(coup.faces())
    if not _agrees(declared, computed):
        detail = f"declared {_words(declared)}; the cards say {_words_of(computed)}"
        return irregular(book, step, IrregularityCode.RESULT_MISMATCH, detail)
    points = (RulePoint.RESULT_CALLED, RulePoint.WINNER_DECLARED)
    if computed.outcome is Outcome.TIE:
        points = (*points, RulePoint.TIE_CALLED)
    step = accept(step, f"result {event.outcome.value}", book.clauses(*points))
    return close_coup(book, step, CoupFate.COUNTED)


def _result_of_partial_coup(book: RuleBook, step: Step, declared: Declared) -> Step:
    """Nothing is judged; a result out of this coup's reach is that of one that was never seen."""
    coup = step.coup
    step = accept(step, f"{declared.outcome.value} declared for a partial coup, not judged")
    if coup.may_go_on_at(RESULT_INDEX):
        return close_coup(book, step, CoupFate.PARTIAL)
    step = close_coup(book, step.with_coup(replace(coup, declared=None)), CoupFate.PARTIAL)
    if step.phase is not Phase.BETWEEN_COUPS:
        return step
    number = step.shoe.coups_begun + 1
    unseen = CoupState(number, declared=declared, partial=True)
    step = step.with_shoe(replace(step.shoe, coups_begun=number, coup=unseen))
    step = step.moved(book, Trigger.COUP_BEGINS).moved(book, Trigger.COUP_PARTIAL)
    return close_coup(book, step, CoupFate.PARTIAL)


def _without_coup(book: RuleBook, step: Step) -> Step:
    if step.phase in (Phase.BETWEEN_COUPS, Phase.PLAYER_1):
        begun = step.shoe.coups_begun
        after = f"after coup {begun}" if begun else "before the first coup"
        return irregular(book, step, IrregularityCode.RESULT_WITHOUT_COUP, after)
    return accept(step, "a result that belongs to no coup of this shoe: set aside")


def forced_out(book: RuleBook, step: Step) -> Step:
    """The forced exit leaves a coup to a floorperson; what comes next is not of this coup."""
    shoe = step.state.shoe
    if shoe is None or shoe.coup is None:
        return accept(step, "forced exit with no coup on the table: nothing to leave")
    coup = replace(shoe.coup, abandoned=True)
    detail = f"{len(coup.cards)} cards were dealt"
    return irregular(book, step.with_coup(coup), IrregularityCode.FORCED_EXIT, detail)


def stands_by(book: RuleBook, step: Step) -> Step:
    """Stand-by ends a coup only where nothing reports results; it never begins one."""
    shoe = step.state.shoe
    coup = shoe.coup if shoe is not None else None
    if coup is not None and coup.partial:
        step = accept(step, "the shoe stands by: the partial coup is over")
        return close_coup(book, step, CoupFate.PARTIAL)
    if is_over(coup) and not book.observes(Fact.RESULT_BUTTON):
        step = accept(step, "the shoe stands by: the coup is over, its result was not reported")
        return close_coup(book, step, CoupFate.COUNTED)
    return accept(step, "the shoe stands by")


def is_over(coup: CoupState | None) -> bool:
    """Whether there is a coup that is whole, needs no more cards and was not abandoned."""
    if coup is None or coup.partial or coup.abandoned:
        return False
    return len(coup.cards) >= len(FIRST_FOUR_PLACES) and is_complete(coup.faces())


def ended_by_what_follows(book: RuleBook, step: Step) -> Step:
    """Something that only follows a coup has come: a coup that needs no more cards is over.

    It counts by its cards. That its result was not declared is an irregularity only where the
    table reports results.
    """
    shoe = step.state.shoe
    if shoe is None or not is_over(shoe.coup):
        return step
    if book.observes(Fact.RESULT_BUTTON) and step.coup.declared is None:
        detail = f"coup {step.coup.number}"
        step = irregular(book, step, IrregularityCode.RESULT_NOT_DECLARED, detail)
    return close_coup(book, step, CoupFate.COUNTED)


def close_coup(book: RuleBook, step: Step, fate: CoupFate, stated: Outcome | None = None) -> Step:
    """Close the open coup into its record and say what is due next.

    `stated` is the outcome a floorperson stated. While the table is suspended the record is held:
    a floorperson decides whether it counts.
    """
    step = burn_put_off(book, step)
    shoe, coup = step.shoe, step.coup
    record = record_of(shoe, coup, fate, stated)
    step = _taken_off_the_table(step)
    held = (*step.held, record)
    step = replace(step, held=held) if step.provisional else count(book, step, record)
    last = shoe.is_last(coup.number)
    # A burn that is owed comes before the shoe is over (D-7); what no card is left for does not.
    over = last and not (shoe.remedy.owes_burn and not shoe.is_empty())
    if fate is CoupFate.VOID:
        step = step.moved(book, Trigger.COUP_VOIDED, *((Trigger.SHOE_CLOSED,) if over else ()))
    else:
        before = (Trigger.COUP_PARTIAL,) if fate is CoupFate.PARTIAL else ()
        step = step.moved(
            book, *before, Trigger.LAST_COUP_DONE if over else Trigger.RESULT_DECLARED
        )
    if not last and shoe.cut.last_coup == coup.number + 1:
        step = last_hand(book, step)
    return burn_due(book, coup_discarded(book, step))


def _taken_off_the_table(step: Step) -> Step:
    """Its cards can no longer be found to have lain face up."""
    shoe = step.with_coup(None).shoe
    if shoe.drawn_last is LastDrawn.HAND:
        shoe = replace(shoe, drawn_last=LastDrawn.NOTHING)
    return step.with_shoe(shoe)


def count(book: RuleBook, step: Step, record: CoupRecord) -> Step:
    """Publish the record of a coup, count it in its shoe, and pay what was bet on it."""
    tally = _counted(step.shoe.tally, record.outcome)
    step = step.with_shoe(replace(step.shoe, tally=tally, last_coup=record))
    step = step.with_effect(CoupClosed(record, book.clauses(*record_points(record))))
    if record.fate is CoupFate.VOID:
        text = (
            f"coup {record.coup} is void: return every wager in full, charge no vigorish, "
            "put its cards into the discard rack"
        )
        step = prompt(book, step, Call.REMEDY, text, RulePoint.VOID_RETURNED)
    return coup_paid(book, step, record)


def _counted(tally: ShoeTally, outcome: Outcome | None) -> ShoeTally:
    match outcome:
        case Outcome.PLAYER:
            return replace(tally, player=tally.player + 1)
        case Outcome.BANKER:
            return replace(tally, banker=tally.banker + 1)
        case Outcome.TIE:
            return replace(tally, tie=tally.tie + 1)
        case _:
            return replace(tally, void=tally.void + 1)


def end_stated(book: RuleBook, step: Step, person: str = "", reason: str = "") -> Step:
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
    step = _held_cards_racked(book, step.with_shoe(replace(shoe, ended=True))).with_effect(ended)
    step = lived(book, step, ShoeOver(shoe.joined or shoe.coups_begun > 0))
    text = "the shoe is over: no more cards from it; reshuffle"
    return prompt(book, step, Call.RESHUFFLE, text, RulePoint.LAST_HAND, RulePoint.RESHUFFLE)


def _held_cards_racked(book: RuleBook, step: Step) -> Step:
    """A card held for a hand that will not be dealt goes with its shoe, never into the next."""
    shoe = step.shoe
    held = tuple(error.card for error in shoe.remedy.carried)
    shoe = replace(shoe, aside=(*shoe.aside, *held), remedy=NOTHING_TO_REMEDY)
    step = step.with_shoe(shoe)
    if not held:
        return step
    text = f"put the {len(held)} held into the discard rack with the cards of this shoe"
    return prompt(book, step, Call.REMEDY, text, RulePoint.LAST_HAND)


def record_of(
    shoe: ShoeState, coup: CoupState, fate: CoupFate, stated: Outcome | None
) -> CoupRecord:
    """The record of a coup; `result` only where the cards are whole and complete."""
    faces = () if coup.partial else coup.faces()
    result = result_of(faces) if is_complete(faces) else None
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


def _agrees(declared: Declared, computed: CoupResult) -> bool:
    return (
        declared.outcome is computed.outcome
        and declared.player_pair == computed.player_pair
        and declared.banker_pair == computed.banker_pair
    )


def _words(declared: Declared) -> str:
    return _phrase(declared.outcome, declared.player_pair, declared.banker_pair)


def _words_of(computed: CoupResult) -> str:
    counts = f" ({computed.player_count} to {computed.banker_count})"
    return _phrase(computed.outcome, computed.player_pair, computed.banker_pair) + counts


def _phrase(outcome: Outcome, player_pair: bool, banker_pair: bool) -> str:
    pairs = [name for name, there in (("Player", player_pair), ("Banker", banker_pair)) if there]
    paired = f" with {' and '.join(pairs)} pair" if pairs else ""
    return outcome.value.capitalize() + paired


_ACE: Final = 1


def record_points(record: CoupRecord) -> tuple[RulePoint, ...]:
    """The points to cite with a record."""
    racked = (RulePoint.DISCARD_ORDER,)
    if record.fate is CoupFate.VOID:
        return (RulePoint.VOID_RETURNED, *racked)
    if record.result is None:
        return racked
    faces = [(dealt.place in PLAYER_PLACES, dealt.card) for dealt in record.cards]
    player = [card for of_player, card in faces if of_player and card is not None]
    banker = [card for of_player, card in faces if not of_player and card is not None]
    tie = record.result.outcome is Outcome.TIE
    wins = RulePoint.EQUAL_IS_TIE if tie else RulePoint.HIGHER_WINS
    return (*_values(player + banker), *_counts(player, banker), wins, *racked)


def _values(cards: list[Card]) -> tuple[RulePoint, ...]:
    values = [point_value(card) for card in cards]
    points = (
        (RulePoint.VALUE_PIPS, max(values) > _ACE),
        (RulePoint.VALUE_TENS, min(values) == 0),
        (RulePoint.VALUE_ACE, _ACE in values),
    )
    return tuple(point for point, present in points if present)


def _counts(player: list[Card], banker: list[Card]) -> tuple[RulePoint, ...]:
    """The count is the sum, and of a sum of ten or more the last digit."""
    digit = any(sum(map(point_value, hand)) != point_count(hand) for hand in (player, banker))
    return (RulePoint.POINT_COUNT, *((RulePoint.POINT_COUNT_DIGIT,) if digit else ()))
