"""Changes a setting in play: when its clause allows it, with the notice it requires.

Also decides which differences of a new file may not be applied at a start.
Source: NY-c-5-notice, NY-c-6-notice, NY-c-7-change; S42-c-5-notice, S42-e-2-ii-B, S42-j-3-ii; D-27.
"""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.procedure.dealing.coup_end import close_complete_coup
from controller.procedure.effects import ActRecord, PromptKind, Refusal, SettingChanged
from controller.procedure.people.change_moments import MOMENTS, ChangeMoment
from controller.procedure.people.effective_rules import (
    DECKS,
    changed_book,
    changed_profile,
    setting_text,
)
from controller.procedure.people.notices import (
    Audience,
    is_posted_without_vigorish,
    missing_notice,
    required_notices,
)
from controller.procedure.people.pit_values import (
    differences_from_pit,
    is_bound,
    pit_in_force,
    refuse_pit_value,
    with_pit_value,
)
from controller.procedure.phases import BURNS_BEFORE_COUP, BURNS_BEFORE_PLAY, Phase
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.states.wagering import ChangedSetting, NoticeGiven
from controller.procedure.step_result import Step, accept, ends_unreported, prompt
from controller.rules.actions.actions import ChangeSetting, GiveNotice, OperatorAction
from controller.rules.actions.declaration import name_of
from controller.rules.profiles.profile import Profile, ProfileError
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.profiles.setting_definitions import SHAPES
from controller.rules.profiles.setting_types import describe_value
from controller.rules.settlement.pit import pit_differences
from controller.rules.settlement.terms import Terms
from foundation.message import Message, message

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
# No coup is on the table or about to begin, and play waits for no decision.
_NO_COUP: Final = (
    *_SHOE_AWAY,
    *(Phase.OPENING, *BURNS_BEFORE_PLAY, *BURNS_BEFORE_COUP, Phase.BETWEEN_COUPS),
)


def effective_book(book: RuleBook, state: TableState) -> RuleBook:
    """The rule book with the settings that were changed at this table."""
    return changed_book(book, state.settings) if state.settings else book


# --- the requested change -------------------------------------------------------------------------


class _RequestedChange(Struct, frozen=True):
    """A change that the clauses permit: all changed settings, the old and new value, the profile
    with it.
    """

    settings: tuple[ChangedSetting, ...]
    setting: str
    old: str
    new: str
    profile: Profile


def _check_change(
    book: RuleBook, state: TableState, what: str, change: ChangedSetting
) -> _RequestedChange | Refusal:
    """Check whether the table may have this value; `change.file_value` is not read."""
    setting = change.setting
    if setting not in SHAPES:
        why = message("no_such_setting", typed=setting)
        return Refusal(what, why)
    if MOMENTS[setting] is ChangeMoment.NEVER:
        clauses = book.profile.value(setting).basis
        return Refusal(
            what, message("does_not_change_in_play_rule_fixes", setting=setting), clauses
        )
    earlier = {one.setting: one for one in state.settings}
    old = setting_text(book, setting)
    if setting in earlier:
        earlier[setting] = replace(change, file_value=earlier[setting].file_value)
    else:
        earlier[setting] = replace(change, file_value=old)
    try:
        changed = changed_profile(book.unchanged, earlier.values())
    except ProfileError as error:
        return Refusal(what, error.why, error.clauses)
    new = describe_value(changed.value(setting).value)
    if new == old:
        return Refusal(what, message("setting_already_old", setting=setting, configured=old))
    # A setting with the file's value again is no longer a changed one.
    settings = tuple(
        replace(one, value=new) if one.setting == setting else one
        for one in earlier.values()
        if one.setting != setting or new != one.file_value or setting == DECKS
    )
    return _RequestedChange(settings, setting, old, new, changed)


def notice_recorded(book: RuleBook, state: TableState, act: OperatorAction[GiveNotice]) -> Step:
    """Record notice of a coming change."""
    change = ChangedSetting(act.action.setting, act.action.value, "", "notice")
    requested = _check_change(book, state, name_of(act.action), change)
    if isinstance(requested, Refusal):
        return Step(state).with_effect(requested)
    to = act.action.to
    if to not in tuple(Audience):
        why = message("notice_goes_to", allowed=tuple(one.value for one in Audience))
        return Step(state).with_effect(Refusal(name_of(act.action), why))
    given = NoticeGiven(requested.setting, requested.new, to, act.person, act.at.utc_ns)
    step = accept(
        Step(state),
        message("notice_of_setting_to", setting=requested.setting, configured=requested.new, to=to),
    )
    needed = required_notices(book.profile, requested.setting, requested.old, requested.new)
    clauses = tuple(clause for one in needed if to in one.to for clause in one.clauses)
    detail = message(
        "setting_notice_given",
        setting=requested.setting,
        configured_old=requested.old,
        configured_new=requested.new,
        to=to,
    )
    reference = act.action.reference
    if reference:
        detail = message("what_with_reference", what=detail, typed=reference)
    notices = (*state.notices, given)[-NOTICES_MAX:]
    recorded = ActRecord(name_of(act.action), act.person, detail, clauses)
    step = step.with_state(replace(state, notices=notices)).with_effect(recorded)
    posted = is_posted_without_vigorish(requested.setting, requested.new) and to == Audience.PLAYERS
    if posted and not reference and book.clauses(RulePoint.NO_VIGORISH_NOTICE_APPROVED):
        text = message("write_down_approval_of_posting")
        step = prompt(book, step, PromptKind.NOTICE, text, RulePoint.NO_VIGORISH_NOTICE_APPROVED)
    return step


def setting_change_requested(
    book: RuleBook, state: TableState, act: OperatorAction[ChangeSetting]
) -> Step:
    """Change a setting of this table alone, or follow a new value of its pit."""
    if not act.action.pit:
        return _change_setting(book, state, act)
    refused = refuse_pit_value(book, act.action)
    if refused is not None:
        return Step(state).with_effect(refused)
    setting, value = act.action.setting, act.action.value.strip()
    what = message("pit_has_from_now_on", configured=book.pit, setting=setting, value=value)
    recorded = ActRecord(name_of(act.action), act.person, what, ())
    if not is_bound(book, setting):
        return accept(Step(state), message("pit_does_not_bind_table", setting=setting))
    state = with_pit_value(book, state, act.action)
    if setting_text(book, setting) == value:
        return accept(Step(state), what).with_effect(recorded)
    return _change_setting(book, state, act).with_effect(recorded)


def _change_setting(book: RuleBook, state: TableState, act: OperatorAction[ChangeSetting]) -> Step:
    """Change a setting, or refuse with the reason and when it can be changed."""
    change = ChangedSetting(act.action.setting, act.action.value, "", act.reason)
    requested = _check_change(book, state, name_of(act.action), change)
    if isinstance(requested, Refusal):
        return Step(state).with_effect(requested)
    refused = (
        _refuse_apart_from_pit(book, state, requested)
        or _refuse_moment(book, state, requested)
        or _refuse_without_notice(
            book.profile,
            state.notices,
            requested.setting,
            requested.old,
            requested.new,
            act.at.utc_ns,
        )
    )
    if refused is not None:
        return Step(state).with_effect(refused)
    # A coup that waits only for a result that is not observed is over.
    step = close_complete_coup(book, Step(state))
    clauses = _clauses(book.profile, requested.setting, requested.old, requested.new)
    what = message(
        "setting_changed_by",
        setting=requested.setting,
        configured=requested.new,
        person=act.person,
    )
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
            requested.setting, requested.old, requested.new, act.person, act.reason, clauses
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


def _refuse_apart_from_pit(
    book: RuleBook, state: TableState, requested: _RequestedChange
) -> Refusal | None:
    """Refuse what would make the table differ from its pit."""
    before = differences_from_pit(book, state)
    for one in pit_differences(Terms.of(requested.profile), pit_in_force(book, state)):
        if one in before:
            continue
        why = message(
            "setting_is_of_the_pit",
            setting=one.setting,
            value=one.of_pit,
            own=one.own,
            configured=book.pit,
        )
        return Refusal(name_of(ChangeSetting), why, one.clauses)
    return None


def _refuse_moment(
    book: RuleBook, state: TableState, requested: _RequestedChange
) -> Refusal | None:
    if state.suspension is not None:
        return Refusal(name_of(ChangeSetting), message("table_suspended_resolve_first_then_change"))
    moment, phase = MOMENTS[requested.setting], state.phase_after_burn
    over = moment is ChangeMoment.BETWEEN_COUPS and ends_unreported(book, phase)
    when = None if over else _when_allowed(moment, phase)
    if when is None:
        return None
    clauses = _clauses(book.profile, requested.setting, requested.old, requested.new)
    why = message("setting_changes_when", setting=requested.setting, when=when)
    return Refusal(name_of(ChangeSetting), why, clauses)


def _when_allowed(moment: ChangeMoment, phase: Phase) -> Message | None:
    """When the change may be made instead of now; None where it may be made now."""
    coups = moment is ChangeMoment.BETWEEN_COUPS
    if phase in (_NO_COUP if coups else _SHOE_AWAY):
        return None
    return message("between_coups_only") if coups else message("between_shoes_only")


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
        if left is not None:
            why = message("to_needs_prior_notice", setting=setting, configured=new, left=left)
            return Refusal(name_of(ChangeSetting), why, requirement.clauses)
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
        when = _when_allowed(ChangeMoment.BETWEEN_SHOES, phase)
        if when is None:
            return ()
        return (
            Refusal("start", message("profile_changes_when", when=when, configured=old.source)),
        )
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
    back = message("start_with_setting_until_then", setting=setting, configured=before)
    when = _when_allowed(MOMENTS[setting], phase)
    if when is not None:
        clauses = _clauses(old, setting, before, now)
        why = message(
            "setting_changes_at_start",
            setting=setting,
            configured_before=before,
            configured_now=now,
            when=when,
            remedy=back,
        )
        return Refusal("start", why, clauses)
    refused = _refuse_without_notice(old, notices, setting, before, now, at_ns)
    if refused is None:
        return None
    why = message("why_and_remedy", why=refused.why, remedy=back)
    return Refusal("start", why, refused.clauses)
