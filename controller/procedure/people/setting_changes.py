"""Changes a setting in play: when its clause allows it, with the notice it requires.

Also decides which differences of a new file may not be applied at a start.
Source: NY-c-5-notice, NY-c-6-notice, NY-c-7-change; S42-c-5-notice, S42-e-2-ii-B, S42-j-3-ii; D-27.
"""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.procedure.dealing.coup_end import close_complete_coup
from controller.procedure.effects import ActRecord, Refusal, SettingChanged
from controller.procedure.events import NoticeRecorded, SettingChangeRequested
from controller.procedure.people.change_moments import MOMENTS, ChangeMoment
from controller.procedure.people.effective_rules import (
    DECKS,
    changed_book,
    changed_profile,
    setting_text,
)
from controller.procedure.people.notices import Audience, missing_notice, required_notices
from controller.procedure.phases import COUP_PHASES, HANDS_COMPLETE, Phase
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import TableState
from controller.procedure.states.wagering import ChangedSetting, NoticeGiven
from controller.procedure.step_result import Step, accept
from controller.profiles.profile import Profile, ProfileError
from controller.profiles.rule_points import RulePoint
from controller.profiles.setting_definitions import SHAPES
from controller.profiles.setting_types import describe_value

# Points cited with a change, beside the clauses of the setting itself.
_POINTS: Final = {
    "vig_mode": (RulePoint.VIGORISH_UNIFORM,),
    "vig_rate": (RulePoint.VIGORISH_UNIFORM,),
    "vig_collection": (RulePoint.VIGORISH_WHEN,),
    "pay_procedure": (RulePoint.PAY_ELECT,),
    "dragon_bonus_table": (RulePoint.BONUS_TABLE_CHANGE,),
    "reshuffle_after_lace": (RulePoint.RESHUFFLE_AFTER_LACE,),
}
# Notices wait for their change; beyond this number the oldest are dropped.
NOTICES_MAX: Final = 64
_SHOE_AWAY: Final = (Phase.CLOSED, Phase.SHOE_OVER)
# A coup is on the table or about to begin, or play waits for a decision.
_COUP_BEGUN: Final = (Phase.BETTING_CLOSED, Phase.COUP_BURN, *COUP_PHASES, Phase.SUSPENDED)


def effective_book(book: RuleBook, state: TableState) -> RuleBook:
    """The rule book with the settings that were changed at this table."""
    return changed_book(book, state.settings) if state.settings else book


# --- the requested change -------------------------------------------------------------------------


class _RequestedChange(Struct, frozen=True):
    """A change that the clauses permit: all changed settings, and the old and new value."""

    settings: tuple[ChangedSetting, ...]
    setting: str
    old: str
    new: str


def _check_change(
    book: RuleBook, state: TableState, what: str, change: ChangedSetting
) -> _RequestedChange | Refusal:
    """Check whether the table may have this value; `change.file_value` is not read."""
    setting = change.setting
    if setting not in SHAPES:
        why = f"there is no setting {setting!r}; `smartshoe rules show` lists all of them"
        return Refusal(what, why)
    if MOMENTS[setting] is ChangeMoment.NEVER:
        clauses = book.profile.value(setting).basis
        return Refusal(what, f"{setting} does not change in play: the rule fixes it", clauses)
    earlier = {one.setting: one for one in state.settings}
    old = setting_text(book, setting)
    if setting in earlier:
        earlier[setting] = replace(change, file_value=earlier[setting].file_value)
    else:
        earlier[setting] = replace(change, file_value=old)
    try:
        changed = changed_profile(book.unchanged, earlier.values())
    except ProfileError as error:
        return Refusal(what, str(error), error.clauses)
    new = describe_value(changed.value(setting).value)
    if new == old:
        return Refusal(what, f"{setting} is already {old}")
    # A setting with the file's value again is no longer a changed one.
    settings = tuple(
        replace(one, value=new) if one.setting == setting else one
        for one in earlier.values()
        if one.setting != setting or new != one.file_value or setting == DECKS
    )
    return _RequestedChange(settings, setting, old, new)


def notice_recorded(book: RuleBook, state: TableState, event: NoticeRecorded) -> Step:
    """Record notice of a coming change."""
    change = ChangedSetting(event.setting, event.value, "", "notice")
    requested = _check_change(book, state, "notice", change)
    if isinstance(requested, Refusal):
        return Step(state).with_effect(requested)
    if event.to not in tuple(Audience):
        allowed = ", ".join(Audience)
        return Step(state).with_effect(Refusal("notice", f"notice goes to {allowed}"))
    given = NoticeGiven(requested.setting, requested.new, event.to, event.person, event.at_ns)
    step = accept(Step(state), f"notice of {requested.setting} {requested.new} to {event.to}")
    needed = required_notices(book.profile, requested.setting, requested.old, requested.new)
    clauses = tuple(clause for one in needed if event.to in one.to for clause in one.clauses)
    detail = (
        f"{requested.setting} from {requested.old} to {requested.new}: notice given to {event.to}"
    )
    notices = (*state.notices, given)[-NOTICES_MAX:]
    recorded = ActRecord("notice", event.person, detail, clauses)
    return step.with_state(replace(state, notices=notices)).with_effect(recorded)


def setting_change_requested(
    book: RuleBook, state: TableState, event: SettingChangeRequested
) -> Step:
    """Change a setting, or refuse with the reason and when it can be changed."""
    change = ChangedSetting(event.setting, event.value, "", event.reason)
    requested = _check_change(book, state, "change-setting", change)
    if isinstance(requested, Refusal):
        return Step(state).with_effect(requested)
    refused = _refuse_moment(book, state, requested) or _refuse_without_notice(
        book.profile, state.notices, requested.setting, requested.old, requested.new, event.at_ns
    )
    if refused is not None:
        return Step(state).with_effect(refused)
    # A coup that waits only for a result that is not observed is over.
    step = close_complete_coup(book, Step(state))
    clauses = _clauses(book.profile, requested.setting, requested.old, requested.new)
    what = f"{requested.setting} is now {requested.new}, set by {event.person}"
    points = _POINTS.get(requested.setting, ())
    step = accept(step, what, book.clauses(*points) if points else ())
    left = tuple(
        notice
        for notice in state.notices
        if (notice.setting, notice.value) != (requested.setting, requested.new)
    )
    step = step.with_state(replace(step.state, settings=requested.settings, notices=left))
    return step.with_effect(
        SettingChanged(
            requested.setting, requested.old, requested.new, event.person, event.reason, clauses
        )
    )


def _clauses(profile: Profile, setting: str, old: str, new: str) -> tuple[str, ...]:
    """The clauses of the setting, of its change, and of the notice it requires."""
    value = profile.value(setting)
    found = [*value.basis, *value.borrowed]
    found += [c for point in _POINTS.get(setting, ()) for c in profile.citations_for(point)]
    needed = required_notices(profile, setting, old, new)
    found += [clause for requirement in needed for clause in requirement.clauses]
    return tuple(dict.fromkeys(found))


# --- when ---------------------------------------------------------------------------------------


def _refuse_moment(
    book: RuleBook, state: TableState, requested: _RequestedChange
) -> Refusal | None:
    if state.suspension is not None:
        return Refusal("change-setting", "the table is suspended: resolve first, then change it")
    over = _awaits_unreported_result(book, state)
    phase = Phase.BETWEEN_COUPS if over else state.phase
    why = _when_allowed(MOMENTS[requested.setting], phase)
    if not why:
        return None
    clauses = _clauses(book.profile, requested.setting, requested.old, requested.new)
    return Refusal("change-setting", f"{requested.setting} changes {why}", clauses)


def _when_allowed(moment: ChangeMoment, phase: Phase) -> str:
    """When the change may be made instead of now; empty where it may be made now."""
    if moment is not ChangeMoment.BETWEEN_COUPS:
        away = phase in _SHOE_AWAY
        return "" if away else "between shoes only: finish or close this shoe, then change it"
    begun = phase in _COUP_BEGUN
    return "between coups only: let this coup end, then change it" if begun else ""


def _awaits_unreported_result(book: RuleBook, state: TableState) -> bool:
    return state.phase in HANDS_COMPLETE and not book.observes(ObservableFact.RESULT_BUTTON)


def _refuse_without_notice(
    profile: Profile,
    notices: tuple[NoticeGiven, ...],
    setting: str,
    old: str,
    new: str,
    at_ns: int,
) -> Refusal | None:
    for requirement in required_notices(profile, setting, old, new):
        left = missing_notice(requirement, notices, setting, new, at_ns)
        if left:
            why = f"{setting} to {new} needs prior notice: {left}"
            return Refusal("change-setting", why, requirement.clauses)
    return None


# --- at a start ---------------------------------------------------------------------------------


def refusals_at_start(
    old: Profile,
    new: Profile,
    notices: tuple[NoticeGiven, ...],
    at_ns: int,
    phase: Phase,
) -> tuple[Refusal, ...]:
    """The differences between the running profile and the file's that may not be applied now.

    Another rule document is another game: it is applied between shoes, as a whole.
    """
    if old.source != new.source:
        why = _when_allowed(ChangeMoment.BETWEEN_SHOES, phase)
        back = f"Remedy: start with a profile of {old.source} until then"
        return (Refusal("start", f"the profile changes {why}. {back}"),) if why else ()
    found = (
        _refusal_at_start(old, new, setting, notices, at_ns, phase)
        for setting in SHAPES
        if old.value(setting).value != new.value(setting).value
    )
    return tuple(refused for refused in found if refused is not None)


def _refusal_at_start(
    old: Profile,
    new: Profile,
    setting: str,
    notices: tuple[NoticeGiven, ...],
    at_ns: int,
    phase: Phase,
) -> Refusal | None:
    before, now = (describe_value(each.value(setting).value) for each in (old, new))
    back = f"Remedy: start with {setting} {before} until then"
    why = _when_allowed(MOMENTS[setting], phase)
    if why:
        clauses = _clauses(old, setting, before, now)
        return Refusal("start", f"{setting} from {before} to {now} changes {why}. {back}", clauses)
    refused = _refuse_without_notice(old, notices, setting, before, now, at_ns)
    if refused is None:
        return None
    return Refusal("start", f"{refused.why}. {back}", refused.clauses)
