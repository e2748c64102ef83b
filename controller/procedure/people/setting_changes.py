"""Changing a setting in play: when its clause allows it, with the notice it asks for.

Responsible for: notices, changes of settings at the moment they may be made, and which of a new
file's differences may not be taken over at a start.
Not responsible for: what a setting may hold (controller.rules), the rule book with the changes
(settings_changed), and table.toml (config).
Source: NY-c-5-notice, NY-c-6-notice, NY-c-7-change; S42-c-5-notice, S42-e-2-ii-B, S42-j-3-ii; D-27.
"""

from typing import Final

from controller.procedure.dealing.coup_end import ended_by_what_follows, is_over
from controller.procedure.effects import Recorded, Refused, SettingChanged
from controller.procedure.events import NoticeRecorded, SettingChangeAsked
from controller.procedure.people.change_moments import MOMENTS, Moment
from controller.procedure.people.effective_rules import (
    DECKS,
    changed_book,
    changed_profile,
    words_of,
)
from controller.procedure.people.notices import Audience, demands, unmet
from controller.procedure.phases import COUP_PHASES, Phase
from controller.procedure.rulebook import Fact, RuleBook
from controller.procedure.state import TableState
from controller.procedure.states.wagering import ChangedSetting, NoticeGiven
from controller.procedure.step_result import Step, accept
from controller.profiles.profile import Profile, ProfileError
from controller.profiles.rule_points import RulePoint
from controller.profiles.setting_definitions import SHAPES
from controller.profiles.setting_types import in_words
from firmware_bridge.values import dataclass, replace

# What else speaks to a change, beside the clauses that the setting rests on.
_POINTS: Final = {
    "vig_mode": (RulePoint.VIGORISH_UNIFORM,),
    "vig_rate": (RulePoint.VIGORISH_UNIFORM,),
    "vig_collection": (RulePoint.VIGORISH_WHEN,),
    "pay_procedure": (RulePoint.PAY_ELECT,),
    "dragon_bonus_table": (RulePoint.BONUS_TABLE_CHANGE,),
    "reshuffle_after_lace": (RulePoint.RESHUFFLE_AFTER_LACE,),
}
# Notices wait for their change; the oldest go when people announce more than they ever change.
NOTICES_MAX: Final = 64
_SHOE_AWAY: Final = (Phase.CLOSED, Phase.SHOE_OVER)


def effective(book: RuleBook, state: TableState) -> RuleBook:
    """The rule book with the settings that were changed at this table."""
    return changed_book(book, state.settings) if state.settings else book


# --- what was asked for -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Asked:
    """A change that the clauses allow as such: all changes with it, and its words old and new."""

    settings: tuple[ChangedSetting, ...]
    setting: str
    old: str
    new: str


def _asked(
    book: RuleBook, state: TableState, what: str, change: ChangedSetting
) -> _Asked | Refused:
    """Whether the table may ever hold this value; `change.file_value` is not read."""
    setting = change.setting
    if setting not in SHAPES:
        why = f"there is no setting {setting!r}; `smartshoe rules show` lists all of them"
        return Refused(what, why)
    if MOMENTS[setting] is Moment.NEVER:
        clauses = book.profile.value(setting).basis
        return Refused(what, f"{setting} does not change in play: the rule fixes it", clauses)
    earlier = {one.setting: one for one in state.settings}
    old = words_of(book, setting)
    if setting in earlier:
        earlier[setting] = replace(change, file_value=earlier[setting].file_value)
    else:
        earlier[setting] = replace(change, file_value=old)
    try:
        changed = changed_profile(book.unchanged, earlier.values())
    except ProfileError as error:
        return Refused(what, str(error), error.clauses)
    new = in_words(changed.value(setting).value)
    if new == old:
        return Refused(what, f"{setting} is {old} already")
    # Put back to what the file says, it is changed no more.
    settings = tuple(
        replace(one, value=new) if one.setting == setting else one
        for one in earlier.values()
        if one.setting != setting or new != one.file_value or setting == DECKS
    )
    return _Asked(settings, setting, old, new)


def notice_recorded(book: RuleBook, state: TableState, event: NoticeRecorded) -> Step:
    """Notice of a coming change goes into the record."""
    change = ChangedSetting(event.setting, event.value, "", "notice")
    asked = _asked(book, state, "notice", change)
    if isinstance(asked, Refused):
        return Step(state).with_effect(asked)
    if event.to not in tuple(Audience):
        allowed = ", ".join(Audience)
        return Step(state).with_effect(Refused("notice", f"notice goes to {allowed}"))
    given = NoticeGiven(asked.setting, asked.new, event.to, event.person, event.at_ns)
    step = accept(Step(state), f"notice of {asked.setting} {asked.new} to {event.to}")
    needed = demands(book.profile, asked.setting, asked.old, asked.new)
    clauses = tuple(clause for one in needed if event.to in one.to for clause in one.clauses)
    detail = f"{asked.setting} from {asked.old} to {asked.new}: told {event.to}"
    notices = (*state.notices, given)[-NOTICES_MAX:]
    recorded = Recorded("notice", event.person, detail, clauses)
    return step.on(replace(state, notices=notices)).with_effect(recorded)


def setting_change_asked(book: RuleBook, state: TableState, event: SettingChangeAsked) -> Step:
    """Change a setting, or say why not and when."""
    change = ChangedSetting(event.setting, event.value, "", event.reason)
    asked = _asked(book, state, "change-setting", change)
    if isinstance(asked, Refused):
        return Step(state).with_effect(asked)
    refused = _wrong_moment(book, state, asked) or _without_notice(
        book.profile, state.notices, asked.setting, asked.old, asked.new, event.at_ns
    )
    if refused is not None:
        return Step(state).with_effect(refused)
    # A coup that waits only for a result nobody reports is over.
    step = ended_by_what_follows(book, Step(state))
    clauses = _clauses(book.profile, asked.setting, asked.old, asked.new)
    what = f"{asked.setting} is now {asked.new}, said {event.person}"
    points = _POINTS.get(asked.setting, ())
    step = accept(step, what, book.clauses(*points) if points else ())
    left = tuple(
        notice
        for notice in state.notices
        if (notice.setting, notice.value) != (asked.setting, asked.new)
    )
    step = step.on(replace(step.state, settings=asked.settings, notices=left))
    return step.with_effect(
        SettingChanged(asked.setting, asked.old, asked.new, event.person, event.reason, clauses)
    )


def _clauses(profile: Profile, setting: str, old: str, new: str) -> tuple[str, ...]:
    """What the setting rests on, what speaks to its change, and what asked for notice of it."""
    value = profile.value(setting)
    found = [*value.basis, *value.borrowed]
    found += [c for point in _POINTS.get(setting, ()) for c in profile.citations_for(point)]
    needed = demands(profile, setting, old, new)
    found += [clause for demand in needed for clause in demand.clauses]
    return tuple(dict.fromkeys(found))


# --- when ---------------------------------------------------------------------------------------


def _wrong_moment(book: RuleBook, state: TableState, asked: _Asked) -> Refused | None:
    if state.suspension is not None:
        return Refused("change-setting", "the table is suspended: resolve first, then change it")
    over = _only_result_unsaid(book, state)
    phase = Phase.BETWEEN_COUPS if over else state.phase
    why = _too_early(MOMENTS[asked.setting], phase)
    if not why:
        return None
    clauses = _clauses(book.profile, asked.setting, asked.old, asked.new)
    return Refused("change-setting", f"{asked.setting} changes {why}", clauses)


def _too_early(moment: Moment, phase: Phase) -> str:
    """When the change may be made instead of now; empty where it may be made now."""
    if moment is not Moment.BETWEEN_COUPS:
        away = phase in _SHOE_AWAY
        return "" if away else "between shoes only: finish or close this shoe, then change it"
    dealt = phase in (*COUP_PHASES, Phase.SUSPENDED)
    return "between coups only: let this coup end, then change it" if dealt else ""


def _only_result_unsaid(book: RuleBook, state: TableState) -> bool:
    coup = state.shoe.coup if state.shoe is not None else None
    return is_over(coup) and not book.observes(Fact.RESULT_BUTTON)


def _without_notice(
    profile: Profile,
    notices: tuple[NoticeGiven, ...],
    setting: str,
    old: str,
    new: str,
    at_ns: int,
) -> Refused | None:
    for demand in demands(profile, setting, old, new):
        left = unmet(demand, notices, setting, new, at_ns)
        if left:
            why = f"{setting} to {new} needs notice before it: {left}"
            return Refused("change-setting", why, demand.clauses)
    return None


# --- at a start ---------------------------------------------------------------------------------


def refused_at_start(
    old: Profile,
    new: Profile,
    notices: tuple[NoticeGiven, ...],
    at_ns: int,
    phase: Phase,
) -> tuple[Refused, ...]:
    """Which differences between the profile that was running and the file's may not be taken now.

    Another rule document is another game: it comes between shoes and is no change of this one.
    """
    if old.source != new.source:
        why = _too_early(Moment.BETWEEN_SHOES, phase)
        return (Refused("start", f"the profile changes {why}"),) if why else ()
    found = (
        _refused_at_start(old, new, setting, notices, at_ns, phase)
        for setting in SHAPES
        if old.value(setting).value != new.value(setting).value
    )
    return tuple(refused for refused in found if refused is not None)


def _refused_at_start(
    old: Profile,
    new: Profile,
    setting: str,
    notices: tuple[NoticeGiven, ...],
    at_ns: int,
    phase: Phase,
) -> Refused | None:
    before, now = (in_words(each.value(setting).value) for each in (old, new))
    back = f"Start with {setting} {before} until then"
    why = _too_early(MOMENTS[setting], phase)
    if why:
        clauses = _clauses(old, setting, before, now)
        return Refused("start", f"{setting} from {before} to {now} changes {why}. {back}", clauses)
    refused = _without_notice(old, notices, setting, before, now, at_ns)
    if refused is None:
        return None
    return Refused("start", f"{refused.why}. {back}", refused.clauses)
