"""Prompts what is due when a shoe opens, and checks at its first card that it was done.

Source: NY (d), (a)(4)(iv); S42 (d), (e), (l); D-21, D-34, D-35; X-30.

Decisions. What a table cannot observe is prompted once a shoe, in groups, and never judged. Dealing
after an act was refused is an irregularity with the code of the defect; all other missing acts
together are one irregularity.
"""

from typing import Final

from msgspec.structs import replace

from controller.procedure.acts.duties import (
    ACTS_PER_SHOE,
    GROUP_NAMES,
    PROMPT_KIND_OF,
    Duty,
    DutyFrequency,
    DutyGroup,
    describe_duty,
    missing_duties,
    required_duties,
)
from controller.procedure.acts.recording import (
    next_batch,
    other_batch,
    uses_two_batches,
    with_lineage,
    with_opening,
)
from controller.procedure.effects import Prompt, PromptKind
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.opening.between_shoes import note_loading, raise_kept_loss
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.shuffler.readiness import (
    check_dealt_batch,
    check_idle_batch,
    dealt_batch,
    is_defect_gone,
    prompt_obstacles,
)
from controller.procedure.state import NOBODY, SHORT_BATCH, OpeningDefect
from controller.procedure.step_result import Step, accept, prompt, raise_irregularity
from controller.rules.actions.choices import ActKind
from controller.rules.profiles.call_phrases import GROUP_OF, CallGroup
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.setting_values import ShuffleMode
from foundation.message import Message, Parameter, message

_OBSERVED_BY: Final = {
    ActKind.CUT: ObservableFact.CUT_DEPTH,
    ActKind.CUT_CARDS_PLACED: ObservableFact.CUT_DEPTH,
    ActKind.LOADED: ObservableFact.BATCH_LOADED,
}
_DOCUMENTED: Final = (
    ("shuffle_control_reference", "shuffle", RulePoint.SHUFFLE_DOCUMENTED),
    ("burn_control_reference", "burn", RulePoint.BURN_DOCUMENTED),
    ("calls_control_reference", "calls", RulePoint.CALLS_DOCUMENTED),
)

_NO_REFERENCE: Final = message("no_reference_set_in_profile")


def prompt_at_opening(book: RuleBook, step: Step) -> Step:
    """Prompt the duties before the first card: all unobserved ones, and missing observed ones."""
    state = step.state
    opening = state.opening
    first_of_day = state.shoe_number == 1
    left = missing_duties(book, state, next_batch(book, state))
    step = _accept_documented(book, step) if first_of_day else step
    if book.shoe_passes:
        text = message("record_which_seat_receives_shoe")
        step = prompt(book, step, PromptKind.BEFORE_DEAL, text, RulePoint.SHOE_PASSES)
    for group in DutyGroup:
        for observed in (False, True):
            duties = tuple(
                duty
                for duty in (left if observed else required_duties(book, opening))
                if duty.group is group
                and book.observes(duty.fact) is observed
                and (observed or first_of_day or duty.when is DutyFrequency.EVERY_SHOE)
            )
            if duties:
                step = step.with_effect(_duty_prompt(book, group, duties, observed=observed))
    return prompt_obstacles(book, step)


def _duty_prompt(
    book: RuleBook, group: DutyGroup, duties: tuple[Duty, ...], *, observed: bool
) -> Prompt:
    texts = tuple(describe_duty(book, duty) for duty in duties)
    text = message("duties_of_group", group=GROUP_NAMES[group], duties=texts)
    return Prompt(PROMPT_KIND_OF[group], text, book.clauses(*_duty_points(duties)), observed)


def _duty_points(duties: tuple[Duty, ...]) -> tuple[RulePoint, ...]:
    return tuple(dict.fromkeys(point for duty in duties for point in duty.points))


def _accept_documented(book: RuleBook, step: Step) -> Step:
    """State where the house's internal controls describe the procedures that they must."""
    device = book.clauses(RulePoint.CONTINUOUS_SHUFFLER)
    continuous = book.values.shuffle_mode is ShuffleMode.CONTINUOUS
    if continuous:
        what = message("continuous_shuffler_replaces_opening")
        step = accept(step, what, device)
    for setting, name, point in _DOCUMENTED:
        own = tuple(one for one in book.clauses(point) if continuous or one not in device)
        if own:
            stated = book.profile.value(setting).value
            reference: Parameter = str(stated) if stated else _NO_REFERENCE
            if point is RulePoint.CALLS_DOCUMENTED:
                reference = _describe_call_references(book)
            what = message("as_in_internal_controls", procedure=name, configured=reference)
            step = accept(step, what, own)
    return step


def _describe_call_references(book: RuleBook) -> Message:
    """Every call of the house by its group, with its reference (WA-an-cat, WA-an-which)."""
    groups = []
    for group in CallGroup:
        calls = (one for one in book.values.calls_required if GROUP_OF[one] is group)
        named = tuple(
            message(
                "call_with_reference",
                call=one.value,
                configured=book.values.call_references[one] or _NO_REFERENCE,
            )
            for one in calls
        )
        if named:
            groups.append(message("calls_of_group", group=group.value, calls=named))
    return message("one_after_another", texts=tuple(groups))


# --- the first card -------------------------------------------------------------------------------


def check_first_card(book: RuleBook, step: Step, back: str = "") -> Step:
    """Check at the first card how the shoe was made ready, and use up the acts.

    `back` is the card's back colour, empty where the shoe cannot report it.
    """
    step = raise_kept_loss(book, step)
    opening = step.state.opening
    defects = tuple(
        one
        for one in opening.defects
        if book.observes(_OBSERVED_BY[one.act]) and not is_defect_gone(book, step.state, one)
    )
    for defect in defects:
        step = raise_irregularity(book, step, defect.code, defect.detail)
    explained = tuple(defect.act for defect in defects)
    dealt = dealt_batch(book, step.state, back)
    batch = dealt or next_batch(book, step.state)
    explained_short = any(one.code is IrregularityCode.BATCH_SHORT for one in defects)
    known_short = step.state.lineage.short
    short = batch in known_short or (not batch and bool(known_short))
    if short and not (book.tracks_batches or explained_short):
        step = raise_irregularity(book, step, IrregularityCode.BATCH_SHORT, SHORT_BATCH)
    undone = tuple(
        duty
        for duty in missing_duties(book, step.state, batch)
        if book.observes(duty.fact) and not any(kind in explained for kind in duty.acts)
    )
    if undone:
        texts = tuple(describe_duty(book, duty) for duty in undone)
        detail = message("one_after_another", texts=texts)
        code = IrregularityCode.OPENING_INCOMPLETE
        step = raise_irregularity(book, step, code, detail, *_duty_points(undone))
    excused = step.state.lineage.may_repeat
    if book.tracks_batches:
        step = check_dealt_batch(book, step, dealt, tuple(one.code for one in defects))
        step = check_idle_batch(book, step, dealt, seen=back in book.backs, excused=excused)
        return use_up_acts(book, step, defects, dealt)
    return use_up_acts(book, _check_recorded_idle_batch(book, step), defects, back)


def use_up_joined_shoe(book: RuleBook, step: Step) -> Step:
    """Use up the acts of a shoe joined in play; only a shuffler can report its batch."""
    step = note_loading(step)  # that cards of it were missed is raised in any case
    dealt = dealt_batch(book, step.state, "")
    return use_up_acts(book, check_dealt_batch(book, step, dealt), back=dealt)


def _check_recorded_idle_batch(book: RuleBook, step: Step) -> Step:
    """Check that the record has the idle batch in the shuffler."""
    lineage = step.state.lineage
    if not (
        lineage.loaded and uses_two_batches(book) and book.observes(ObservableFact.BATCH_LOADED)
    ):
        return step
    idle = other_batch(book, lineage.loaded)
    if lineage.in_shuffler == idle or lineage.may_repeat == lineage.loaded:
        loaded, stored = lineage.loaded, lineage.in_shuffler == idle
        what = (
            message("loaded_in_play_idle_in_shuffler", loaded=loaded, idle=idle)
            if stored
            else message("in_play_out_alternation_suspended", loaded=loaded, idle=idle)
        )
        return accept(step, what, book.clauses(RulePoint.BATCH_IDLE_IN_SHUFFLER))
    detail = message("not_recorded_as_being_in_shuffler", idle=idle)
    return raise_irregularity(book, step, IrregularityCode.IDLE_BATCH_OUT, detail)


def use_up_acts(
    book: RuleBook, step: Step, defects: tuple[OpeningDefect, ...] = (), back: str = ""
) -> Step:
    """Remove the acts that this shoe used up, and note the batch it is dealt from.

    Where no batch was loaded in order it is the one that was refused, else the one of the first
    card's `back`, empty where the shoe cannot report it. Where a shuffler reports on batches,
    `back` is its batch.
    """
    opening, lineage = step.state.opening, step.state.lineage
    batch = lineage.loaded or next((one.batch for one in defects if one.batch), back)
    if book.tracks_batches:
        batch = back
    kinds = (*ACTS_PER_SHOE, ActKind.RELEASED, ActKind.RESPREAD, ActKind.DISCARD_COUNTED)
    opening = opening.without(*kinds, batch="").without(*kinds, batch=batch)
    acts = tuple(replace(act, fresh=False) if act.batch == batch else act for act in opening.acts)
    opening = replace(
        opening,
        acts=acts,
        defects=(),
        offered=(),
        cutter=NOBODY,
        recut_by=(),
        dead=False,
        respread_requested=False,
    )
    lineage = replace(
        lineage, loaded="", last_dealt=batch, may_repeat="", in_rack=batch, rack_extra=0
    )
    return with_lineage(with_opening(step, opening), lineage)
