"""The end of a coup: the declared result against the cards', and the coup's record.

Responsible for: judging a declared result, closing a coup into its record, and what follows the
coup (between coups, the last hand, the shoe over).
Not responsible for: the cards themselves (drawing) and for a floorperson's decision (suspension).
Source: S42 (j)(1), (h)(5); NY (i)(1); D-3, D-6, D-23.
"""

from dataclasses import replace

from controller.machine import NoEdge
from controller.procedure.catalogue import IrregularityCode
from controller.procedure.effects import (
    Call,
    CoupClosed,
    CoupFate,
    CoupRecord,
    RecordedCard,
    ShoeEnded,
)
from controller.procedure.events import CoupForcedOut, ResultDeclared
from controller.procedure.phases import Phase, Trigger
from controller.procedure.rulebook import Fact, RuleBook
from controller.procedure.state import CoupState, Declared, ShoeState, ShoeTally
from controller.procedure.steps import Step, accept, irregular, prompt
from controller.rules.coup import is_complete
from controller.rules.outcome import CoupResult, Outcome, result_of
from controller.rules.profile import RulePoint


def result_declared(book: RuleBook, step: Step, event: ResultDeclared) -> Step:
    """Compare what the dealer declared with what the cards say."""
    phase = step.state.phase
    shoe = step.state.shoe
    if shoe is None or phase is Phase.SHOE_OVER or shoe.coup is None:
        return _without_coup(book, step)
    declared = Declared(event.outcome, event.player_pair, event.banker_pair)
    coup = replace(shoe.coup, declared=declared)
    step = step.with_coup(coup)
    if coup.partial:
        step = accept(step, f"{event.outcome.value} declared for a partial coup, not judged")
        return close_coup(book, step, CoupFate.PARTIAL)
    if isinstance(book.next(phase, Trigger.RESULT_DECLARED), NoEdge):
        step = step.with_coup(replace(coup, abandoned=True))
        detail = f"{event.outcome.value} was declared; due was {phase.value}"
        return irregular(book, step, IrregularityCode.MISSING_CARD, detail)
    computed = result_of(coup.faces())
    if not _agrees(declared, computed):
        detail = f"declared {_words(declared)}; the cards say {_words_of(computed)}"
        return irregular(book, step, IrregularityCode.RESULT_MISMATCH, detail)
    points = [RulePoint.RESULT_CALLED, RulePoint.WINNER_DECLARED]
    if computed.outcome is Outcome.TIE:
        points.append(RulePoint.TIE_CALLED)
    step = accept(step, f"result {event.outcome.value}", book.clauses(*points))
    return close_coup(book, step, CoupFate.COUNTED)


def forced_out(book: RuleBook, step: Step, _event: CoupForcedOut) -> Step:
    """The forced exit leaves the coup void pending a floorperson."""
    shoe = step.state.shoe
    if shoe is None or shoe.coup is None:
        return accept(step, "forced exit with no coup on the table: nothing to leave")
    coup = replace(shoe.coup, abandoned=True)
    detail = f"{len(coup.cards)} cards were dealt"
    return irregular(book, step.with_coup(coup), IrregularityCode.FORCED_EXIT, detail)


def stands_by(book: RuleBook, step: Step) -> Step:
    """Stand-by ends a coup only where nothing reports results; it never begins one."""
    shoe = step.state.shoe
    if shoe is not None and shoe.coup is not None and step.state.phase is Phase.RESULT:
        if shoe.coup.partial:
            step = accept(step, "the shoe stands by: the partial coup is over")
            return close_coup(book, step, CoupFate.PARTIAL)
        if not book.observes(Fact.RESULT_BUTTON) and shoe.coup.declared is None:
            step = accept(step, "the shoe stands by: the result was not observed")
            return close_coup(book, step, CoupFate.COUNTED)
    return accept(step, "the shoe stands by")


def _without_coup(book: RuleBook, step: Step) -> Step:
    if step.state.phase is Phase.BETWEEN_COUPS:
        shoe = step.shoe
        after = f"after coup {shoe.coups_begun}" if shoe.coups_begun else "before the first coup"
        return irregular(book, step, IrregularityCode.RESULT_WITHOUT_COUP, after)
    return accept(step, "a result that belongs to no coup of this shoe: set aside")


def close_coup(book: RuleBook, step: Step, fate: CoupFate) -> Step:
    """Close the open coup into its record and say what is due next."""
    shoe = step.shoe
    coup = step.coup
    outcome: Outcome | None = None
    if fate is CoupFate.COUNTED:
        outcome = result_of(coup.faces()).outcome
    step = step.with_effect(CoupClosed(record_of(shoe, coup, fate, outcome)))
    step = step.with_coup(None)
    last = is_last(shoe, coup.number)
    step = step.at(_phase_after(book, step.state.phase, fate, last=last))
    if last:
        text = "the last hand is done: no more cards from this shoe; reshuffle"
        return prompt(book, step, Call.RESHUFFLE, text, RulePoint.LAST_HAND, RulePoint.RESHUFFLE)
    if shoe.cut.last_coup == coup.number + 1:
        step = prompt(
            book, step, Call.LAST_HAND, 'announce "last hand"', RulePoint.LAST_HAND_CALLED
        )
    return step


def _phase_after(book: RuleBook, phase: Phase, fate: CoupFate, *, last: bool) -> Phase:
    if fate is not CoupFate.VOID:
        return book.move(phase, Trigger.LAST_COUP_DONE if last else Trigger.RESULT_DECLARED)
    phase = book.move(phase, Trigger.COUP_VOIDED)
    return book.move(phase, Trigger.SHOE_CLOSED) if last else phase


def settle(step: Step, person: str, reason: str) -> Step:
    """Count the coups this step closed, and state the shoe's end once it is reached.

    `person` and `reason` are of the person whose action ended it, empty where the cards did.
    """
    state = step.state
    shoe = state.shoe
    if shoe is None:
        return step
    for effect in step.effects:
        if isinstance(effect, CoupClosed):
            tally = _counted(shoe.tally, effect.record)
            shoe = replace(shoe, tally=tally, last_coup=effect.record)
    if state.phase is not Phase.SHOE_OVER or shoe.ended:
        return step.with_shoe(shoe)
    shoe = replace(shoe, ended=True)
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
    return step.with_shoe(shoe).with_effect(ended)


def _counted(tally: ShoeTally, record: CoupRecord) -> ShoeTally:
    match record.outcome:
        case Outcome.PLAYER:
            return replace(tally, player=tally.player + 1)
        case Outcome.BANKER:
            return replace(tally, banker=tally.banker + 1)
        case Outcome.TIE:
            return replace(tally, tie=tally.tie + 1)
        case None:
            return replace(tally, void=tally.void + 1)


def is_last(shoe: ShoeState, number: int) -> bool:
    """Whether no further coup may be dealt from this shoe after that one."""
    reached = shoe.cut.last_coup is not None and number >= shoe.cut.last_coup
    return reached or shoe.cut.exhausted


def record_of(
    shoe: ShoeState, coup: CoupState, fate: CoupFate, outcome: Outcome | None
) -> CoupRecord:
    """The record of a coup; `result` only where the cards are whole and complete."""
    return CoupRecord(
        gaming_day=shoe.gaming_day,
        shoe=shoe.number,
        coup=coup.number,
        cards=tuple(RecordedCard(c.place, c.card) for c in coup.cards),
        aside=tuple(RecordedCard(c.place, c.card) for c in coup.aside),
        result=_result(coup),
        declared=coup.declared.outcome if coup.declared is not None else None,
        outcome=outcome,
        fate=fate,
        suspended_cards=coup.suspended_cards,
        irregular=coup.irregular,
    )


def _result(coup: CoupState) -> CoupResult | None:
    if coup.partial:
        return None
    return complete_result(coup)


def complete_result(coup: CoupState) -> CoupResult | None:
    """The result of a coup whose cards are whole; None while a card is still due."""
    faces = coup.faces()
    return result_of(faces) if is_complete(faces) else None


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
