"""The first card of a shoe: what had to be done before it, and what was not.

Responsible for: telling people what is due when a shoe opens, judging at its first card what this
table is told of, and using up the acts that belong to it.
Not responsible for: taking acts (opening) and the burn (burning).
Source: NY (d), (a)(4)(iv); S42 (d), (e), (l); D-21, D-34, D-35; X-30.

Decisions. What a table is not told of is prompted once a shoe, in groups, and never judged. What
was refused and dealt all the same is an irregularity of its own kind; every other act that is
missing is one irregularity together.
"""

from typing import Final

from controller.procedure.act_kinds import ActKind
from controller.procedure.acts.duties import (
    CALL_OF,
    USED_UP,
    Duty,
    Group,
    When,
    due,
    in_words,
    missing,
)
from controller.procedure.acts.recording import next_batch, other_batch, two_batches, with_opening
from controller.procedure.effects import Call, Prompted
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.rulebook import Fact, RuleBook
from controller.procedure.shuffler.readiness import (
    batch_dealt,
    batch_judged,
    idle_judged,
    set_right,
    told_unready,
)
from controller.procedure.states.opening import NOBODY, Fault
from controller.procedure.step_result import Step, accept, irregular, prompt
from controller.profiles.rule_points import RulePoint
from controller.rules.setting_values import ShuffleMode
from firmware_bridge.values import replace

_FACT_OF_FAULT: Final = {
    ActKind.CUT: Fact.CUT_DEPTH,
    ActKind.CUT_CARDS_PLACED: Fact.CUT_DEPTH,
    ActKind.LOADED: Fact.BATCH_LOADED,
}
_DOCUMENTED: Final = (
    ("shuffle_control_reference", "shuffle", RulePoint.SHUFFLE_DOCUMENTED),
    ("burn_control_reference", "burn", RulePoint.BURN_DOCUMENTED),
    ("calls_control_reference", "calls", RulePoint.CALLS_DOCUMENTED),
)


def told_at_opening(book: RuleBook, step: Step) -> Step:
    """Tell what is due before the first card: all that nobody reports, else what is missing."""
    state = step.state
    opening = state.opening
    first_of_day = state.shoe_number == 1
    left = missing(book, opening, next_batch(book, opening), state.today)
    step = _documented_told(book, step) if first_of_day else step
    if book.clauses(RulePoint.SHOE_PASSES):
        text = "record which seat receives the shoe, and every time it passes"
        step = prompt(book, step, Call.BEFORE_DEAL, text, RulePoint.SHOE_PASSES)
    for group in Group:
        for observed in (False, True):
            duties = tuple(
                duty
                for duty in (left if observed else due(book, opening))
                if duty.group is group
                and book.observes(duty.fact) is observed
                and (observed or first_of_day or duty.when is When.EVERY_SHOE)
            )
            if duties:
                step = step.with_effect(_prompt(book, group, duties, observed=observed))
    return told_unready(book, step)


def _prompt(book: RuleBook, group: Group, duties: tuple[Duty, ...], *, observed: bool) -> Prompted:
    text = f"{group.value}: {'; '.join(in_words(book, duty) for duty in duties)}"
    return Prompted(CALL_OF[group], text, book.clauses(*_points(duties)), observed)


def _points(duties: tuple[Duty, ...]) -> tuple[RulePoint, ...]:
    return tuple(dict.fromkeys(point for duty in duties for point in duty.points))


def _documented_told(book: RuleBook, step: Step) -> Step:
    """Procedures that the house's internal controls have to describe, and where they do."""
    device = book.clauses(RulePoint.CONTINUOUS_SHUFFLER)
    continuous = book.values.shuffle_mode is ShuffleMode.CONTINUOUS
    if continuous:
        what = "a continuous shuffler takes the place of shuffle, cut, burn and loading"
        step = accept(step, what, device)
    for setting, name, point in _DOCUMENTED:
        own = tuple(one for one in book.clauses(point) if continuous or one not in device)
        if own:
            reference = book.profile.value(setting).value or "no reference is set in the profile"
            step = accept(step, f"{name} as in the internal controls: {reference}", own)
    return step


# --- the first card -------------------------------------------------------------------------------


def first_card_out(book: RuleBook, step: Step, back: str = "") -> Step:
    """The first card left a shoe that was seen from its beginning: judge how it was made ready.

    `back` is its back colour where the shoe can tell.
    """
    opening = step.state.opening
    faults = tuple(
        one
        for one in opening.faults
        if book.observes(_FACT_OF_FAULT[one.act]) and not set_right(book, step.state, one)
    )
    for fault in faults:
        step = irregular(book, step, fault.code, fault.detail)
    explained = tuple(fault.act for fault in faults)
    dealt = batch_dealt(book, step.state, back)
    batch = dealt or next_batch(book, opening)
    lacking = tuple(
        duty
        for duty in missing(book, opening, batch, step.state.today)
        if book.observes(duty.fact) and not any(kind in explained for kind in duty.acts)
    )
    if lacking:
        detail = "; ".join(in_words(book, duty) for duty in lacking)
        code = IrregularityCode.OPENING_INCOMPLETE
        step = irregular(book, step, code, detail, *_points(lacking))
    if book.tells_batches:
        step = batch_judged(book, step, dealt, tuple(one.code for one in faults))
        step = idle_judged(book, step, dealt, seen=back in book.backs)
        return used_up(book, step, faults, dealt)
    return used_up(book, _idle_batch_checked(book, step), faults, back)


def joined(book: RuleBook, step: Step) -> Step:
    """The shoe was met in play: which batch it is only the shuffler may know."""
    dealt = batch_dealt(book, step.state, "")
    return used_up(book, batch_judged(book, step, dealt), back=dealt)


def _idle_batch_checked(book: RuleBook, step: Step) -> Step:
    """While one batch is in play the other is in the shuffler."""
    opening = step.state.opening
    if not (opening.loaded and two_batches(book) and book.observes(Fact.BATCH_LOADED)):
        return step
    idle = other_batch(book, opening.loaded)
    if opening.in_shuffler == idle or opening.may_repeat == opening.loaded:
        where = (
            "in the shuffler" if opening.in_shuffler == idle else "out: alternation is suspended"
        )
        what = f"{opening.loaded} is in play, {idle} {where}"
        return accept(step, what, book.clauses(RulePoint.BATCH_IDLE_IN_SHUFFLER))
    detail = f"{idle} is not recorded as being in the shuffler"
    return irregular(book, step, IrregularityCode.IDLE_BATCH_OUT, detail)


def used_up(book: RuleBook, step: Step, faults: tuple[Fault, ...] = (), back: str = "") -> Step:
    """The acts of this shoe are done with; which batch it was is kept for ever.

    Where none was loaded in order it is the one that was refused, else the one of the first card's
    `back`, and where no shoe tells that nobody knows. Where a shuffler tells, `back` is its batch.
    """
    opening = step.state.opening
    batch = opening.loaded or next((one.batch for one in faults if one.batch), back)
    if book.tells_batches:
        batch = back
    kinds = (*USED_UP, ActKind.RELEASED, ActKind.RESPREAD, ActKind.DISCARD_COUNTED)
    opening = opening.without(*kinds, batch="").without(*kinds, batch=batch)
    acts = tuple(replace(act, fresh=False) if act.batch == batch else act for act in opening.acts)
    opening = replace(
        opening,
        acts=acts,
        faults=(),
        loaded="",
        last_batch=batch,
        offered=(),
        cutter=NOBODY,
        recut_by=(),
        dead=False,
        respread_asked=False,
        rack_batch=batch,
        rack_extra=0,
        may_repeat="",
    )
    return with_opening(step, opening)
