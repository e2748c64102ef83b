"""What a floorperson may decide now: the decisions that `resolve` accepts, named in every verdict.

Source: D-32; D-43; S42 (k)(1)-(4).

Decisions. One decision closes every open irregularity, so the permitted decisions are the table's,
and each irregularity that an event raises names them. One that is permitted with one choice for the
cards dealt while suspended is named with it. Where a rule prescribes what follows, voiding
the coup is not permitted; a floorperson may do it all the same with a reason and a second person,
as a person's own decision (D-43).
"""

from msgspec.structs import replace

from controller.procedure.dealing.error_cards import error_cards_permit
from controller.procedure.irregularities import CATALOGUE, IrregularityCode
from controller.procedure.irregularities.codes import GENERAL_REMEDIES
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import NextShoe, Suspension, TableState
from controller.procedure.step_result import Step
from controller.procedure.verdicts import Irregularity, PermittedDecision, Verdict
from controller.rules.actions.actions import OperatorAction, Resolution
from controller.rules.actions.choices import FloorDecision, Provisional
from controller.rules.outcome import CoupFate
from controller.rules.setting_values import IrregularityRules
from foundation.message import Message, message


def name_permitted(book: RuleBook, step: Step) -> Step:
    """The step with the decisions that are permitted after it in each irregularity it raised."""
    decisions = named_decisions(book, step.state)

    def named(verdict: Verdict) -> Verdict:
        raised = isinstance(verdict, Irregularity)
        return replace(verdict, decisions=decisions) if raised else verdict

    return replace(step, verdicts=tuple(map(named, step.verdicts)))


def permitted_texts(
    code: IrregularityCode, decisions: tuple[FloorDecision, ...]
) -> tuple[Message, ...]:
    """What these decisions permit for an irregularity: its own texts, then general ones."""
    own = CATALOGUE[code].permitted
    said = {remedy.decision for remedy in own}
    general = (GENERAL_REMEDIES[one] for one in decisions if one not in said)
    listed = (one for one in own if one.decision is None or one.decision in decisions)
    if not CATALOGUE[code].suspends:
        return tuple(remedy.text for remedy in listed)
    return tuple(remedy.text for remedy in (*listed, *general))


def permitted_decisions(
    book: RuleBook, state: TableState, provisional: Provisional | None = None
) -> tuple[FloorDecision, ...]:
    """The decisions permitted now.

    `provisional` is what happens to cards dealt while suspended; without it these are the decisions
    permitted with any of its choices.
    """
    suspension = state.suspension
    if suspension is None:
        return _before_suspension(state)
    if not suspension.dealt:
        return _while_suspended(book, state, suspension, None)
    choices = tuple(Provisional) if provisional is None else (provisional,)
    permitted = [_while_suspended(book, state, suspension, choice) for choice in choices]
    return tuple(one for one in FloorDecision if any(one in each for each in permitted))


def named_decisions(book: RuleBook, state: TableState) -> tuple[PermittedDecision, ...]:
    """The permitted decisions, each with the choice for cards dealt while suspended it needs."""
    named = []
    for decision in permitted_decisions(book, state):
        choices = provisional_choices(book, state, decision)
        named.append(PermittedDecision(decision, choices[0] if len(choices) == 1 else None))
    return tuple(named)


def _before_suspension(state: TableState) -> tuple[FloorDecision, ...]:
    """What does not suspend is acknowledged; a cut card in the burn is decided at once (D-5)."""
    codes = [one.code for one in state.open_irregularities]
    in_burn = state.shoe is not None and state.shoe.cut.in_burn and not state.shoe_over
    if in_burn and IrregularityCode.CUT_CARD_IN_BURN in codes:
        return CATALOGUE[IrregularityCode.CUT_CARD_IN_BURN].decisions
    return (FloorDecision.CONTINUE,) if codes else ()


def provisional_choices(
    book: RuleBook, state: TableState, decision: FloorDecision
) -> tuple[Provisional, ...]:
    """The choices for cards dealt while suspended that permit this decision; none if not needed."""
    if state.suspension is None or not state.suspension.dealt:
        return ()
    return tuple(one for one in Provisional if decision in permitted_decisions(book, state, one))


def _while_suspended(
    book: RuleBook, state: TableState, suspension: Suspension, provisional: Provisional | None
) -> tuple[FloorDecision, ...]:
    assert state.shoe is not None, "only play from a shoe is suspended"
    shoe = state.shoe
    if _only_closing_left(state, suspension):
        return (FloorDecision.CLOSE_SHOE,)
    partial = _partial_coups(state, suspension, provisional)
    voidable = suspension.coup > 0 and _may_void(book, state)
    permitted = {
        FloorDecision.CONTINUE: not partial and error_cards_permit(shoe, FloorDecision.CONTINUE),
        FloorDecision.CARRY: not partial and error_cards_permit(shoe, FloorDecision.CARRY),
        FloorDecision.BURN: not partial and error_cards_permit(shoe, FloorDecision.BURN),
        FloorDecision.VOID_COUP: bool(partial) or voidable,
        FloorDecision.STATE_OUTCOME: len(partial) == 1,
        FloorDecision.CLOSE_SHOE: True,
    }
    return tuple(decision for decision in FloorDecision if permitted[decision])


def _only_closing_left(state: TableState, suspension: Suspension) -> bool:
    left = suspension.next_shoe is NextShoe.BEGUN and not state.shoe_over
    only = (FloorDecision.CLOSE_SHOE,)
    kinds = (CATALOGUE[one.code] for one in state.open_irregularities if one.suspends)
    return left or any(kind.decisions == only for kind in kinds)


_NO_REASON_TO_VOID = (IrregularityCode.DEALT_WHILE_SUSPENDED, IrregularityCode.CARD_UNREADABLE)


def _may_void(book: RuleBook, state: TableState) -> bool:
    """Whether an open irregularity lets the coup be void without a person's own decision.

    That cards were dealt on, or one was not read, is no reason to void a coup whose remedy is
    prescribed; a coup that an unread card makes partial may be void for that.
    """
    free = book.values.irregularity_rules is IrregularityRules.FLOORPERSON_DECIDES
    codes = [one.code for one in state.open_irregularities if one.suspends]
    prescribed = not free and any(CATALOGUE[code].prescribed for code in codes)
    return any(
        FloorDecision.VOID_COUP in CATALOGUE[code].decisions
        and (free or not CATALOGUE[code].prescribed)
        and not (prescribed and code in _NO_REASON_TO_VOID)
        for code in codes
    )


def _partial_coups(
    state: TableState, suspension: Suspension, provisional: Provisional | None
) -> tuple[int, ...]:
    """Numbers of the held or open coups that are partial and not void."""
    coups: list[tuple[int, bool]] = [
        (record.coup, record.suspended_cards)
        for record in suspension.held
        if record.fate is CoupFate.PARTIAL
    ]
    coup = state.shoe.coup if state.shoe is not None else None
    if coup is not None and coup.partial:
        coups.append((coup.number, coup.suspended_cards))
    void = provisional is Provisional.VOID
    return tuple(number for number, dealt in coups if not (void and dealt))


# --- a void against a prescribed remedy (D-43) ---------------------------------------------------


def is_own_void(book: RuleBook, state: TableState, resolution: Resolution) -> bool:
    """Whether this voids a coup for which a rule prescribes another remedy."""
    suspension = state.suspension
    if resolution.decision is not FloorDecision.VOID_COUP or suspension is None:
        return False
    if resolution.decision in permitted_decisions(book, state, resolution.provisional):
        return False
    prescribed = any(CATALOGUE[one.code].prescribed for one in state.open_irregularities)
    return suspension.coup > 0 and prescribed and not _only_closing_left(state, suspension)


# --- refusals ------------------------------------------------------------------------------------


def refusal_to_resolve(
    book: RuleBook, state: TableState, act: OperatorAction[Resolution]
) -> Message | None:
    """Why this decision cannot be carried out now; None where it can."""
    resolution, suspension = act.action, state.suspension
    if not state.open_irregularities:
        return message("no_irregularity_open")
    if suspension is not None and suspension.dealt and resolution.provisional is None:
        return message(
            "decide_on_cards_dealt_while_suspended",
            coups=suspension.coups_dealt,
            cards=suspension.cards_dealt,
        )
    stated = resolution.decision is FloorDecision.STATE_OUTCOME
    if not stated and resolution.outcome is not None:
        return message("decision_takes_no_outcome", decision=resolution.decision.value)
    permitted = permitted_decisions(book, state, resolution.provisional)
    own = is_own_void(book, state, resolution)
    if resolution.decision not in permitted and not (own and _is_witnessed(act)):
        decision, allowed = resolution.decision.value, tuple(one.value for one in permitted)
        if own:
            return message("own_void_not_witnessed", decision=decision, allowed=allowed)
        return message("decision_not_permitted", decision=decision, allowed=allowed)
    if stated and resolution.outcome is None:
        return message("state_outcome_needs_outcome")
    return None


def _is_witnessed(act: OperatorAction[Resolution]) -> bool:
    """Whether the decision has a reason and a second person beside the one who decides."""
    second = act.action.second.strip()
    return bool(act.reason.strip() and second and second != act.person.strip())
