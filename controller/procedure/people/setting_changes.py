"""Changes a setting in play: when its clause allows it, after which notice, and what holds then.

Also decides which differences of a new file may not be applied at a start.
Source: NY-c-5-notice, NY-c-6-notice, NY-c-7-change, NY-i-3-elect; S42-c-5-notice, S42-c-6-notice,
S42-e-2-ii-B, S42-j-3-ii; NJ-3.3-e-notice, NJ-7.3-f-notice; X-32; D-27.

Decisions. A notice is required where a clause of the profile's own rule asks for it; a clause that
is borrowed from another rule requires none. Where the rule does not name who gets notice of a
change of vigorish, New York's audience is used: players and commission. A change holds until
table.toml or its profile has another value than when the change was made: the file has the last
word. Where the file was changed so that the settings contradict each other, none of the changes
holds.
"""

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.procedure.dealing.coup_end import close_complete_coup
from controller.procedure.effects import ActRecord, PromptKind, Refusal, SettingChanged
from controller.procedure.people.pit_values import (
    differences_from_pit,
    is_bound,
    pit_in_force,
    refuse_pit_value,
    with_pit_value,
)
from controller.procedure.phases import BURNS_BEFORE_COUP, BURNS_BEFORE_PLAY, Phase
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import ChangedSetting, NoticeGiven, TableState
from controller.procedure.step_result import Step, accept, ends_unreported, prompt
from controller.rules.actions.actions import ChangeSetting, GiveNotice, OperatorAction
from controller.rules.actions.declaration import name_of
from controller.rules.profiles.house_profile import Change, House, apply_house
from controller.rules.profiles.profile import Profile, ProfileError, ProfileValue
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.profiles.setting_definitions import CONSTANTS, SHAPES
from controller.rules.profiles.setting_types import (
    KeyedTexts,
    Text,
    Tokens,
    WholeNumber,
    WholeNumbers,
    YesNo,
    describe_value,
)
from controller.rules.setting_values import PitUniform, VigorishMode
from controller.rules.settlement.pit import pit_differences
from controller.rules.settlement.terms import Terms
from foundation.message import Message, message

DECKS: Final = "decks_per_shoe"
CACHED_BOOKS_MAX: Final = 16


# Called for every event; equal settings give an equal book, so the cache is not observable.
@lru_cache(maxsize=CACHED_BOOKS_MAX)
def changed_book(book: RuleBook, settings: tuple[ChangedSetting, ...]) -> RuleBook:
    """The book with these changes; `book` is the one without any."""
    holding = changes_in_force(book, settings)
    if not holding:
        return book
    try:
        profile = changed_profile(book.profile, holding, stored=True)
    except ProfileError:
        return book
    by_table = any(one.setting == DECKS for one in holding)
    decks = profile.rules.decks_per_shoe if by_table else book.decks
    changed = RuleBook.of(profile, decks, book.observed)
    return replace(
        book,
        profile=profile,
        unchanged=book.profile,
        decks=decks,
        citations=changed.citations,
    )


def changes_in_force(
    book: RuleBook, settings: tuple[ChangedSetting, ...]
) -> tuple[ChangedSetting, ...]:
    """The changes whose file value is unchanged; `book` is the one without changes."""
    return tuple(one for one in settings if one.file_value == setting_text(book, one.setting))


def setting_text(book: RuleBook, setting: str) -> str:
    """The value of a setting at the table, as text; the number of decks is the table's."""
    return (
        str(book.decks) if setting == DECKS else describe_value(book.profile.value(setting).value)
    )


def changed_profile(
    profile: Profile, settings: Iterable[ChangedSetting], *, stored: bool = False
) -> Profile:
    """The profile with these settings. Raises ProfileError where its clauses refuse one.

    `stored`: the table has them already.
    """
    changes = tuple(
        Change(one.setting, parse_value(one.setting, one.value), one.reason) for one in settings
    )
    # What a house has chosen for itself it may choose again.
    opened = replace(profile, values=tuple(_unfixed(value) for value in profile.values))
    house = House(profile.name, profile.name, profile.title, profile.source, changes)
    changed = apply_house(house, opened, stored=stored)
    values = zip(profile.values, opened.values, changed.values, strict=True)
    merged = tuple(own if now is before else now for own, before, now in values)
    return replace(changed, values=merged, base=profile.base)


def _unfixed(value: ProfileValue) -> ProfileValue:
    return replace(value, assumed=True) if value.house else value


NOTHING: Final = "nothing"
_DIGITS_MAX: Final = 9
_NEXT_KEY: Final = re.compile(r", *(?=\w+:)")


class ChangeMoment(StrEnum):
    """When a setting may change: a coup is dealt and paid by the settings it began with."""

    BETWEEN_COUPS = "between_coups"
    BETWEEN_SHOES = "between_shoes"
    NEVER = "never"


# Settings that decide what may be bet on and what is paid.
_BETWEEN_COUPS: Final = (
    *("verbal_cash_wagers", "dragon_bonus_table", "total_cards_require_base"),
    *("seat_may_bet_player_and_banker", "bonus_requires_base"),
    *("odds_player", "odds_banker", "odds_tie", "none_six_odds", "tie_result_player_banker"),
    *("odds_dragon7", "odds_panda8", "odds_total_4", "odds_total_5", "odds_total_6"),
    *("vig_mode", "vig_rate", "vig_rounding", "vig_collection", "pay_procedure"),
    *("pay_control_reference", "ghost_hands_control_reference"),
)
# Settings that bind the persons who could change them.
_OF_PEOPLE: Final = (
    *("dealer_decides_own_irregularity", "decisions_alone_max", "advisories_suspend"),
)
# Settings that the clauses fix; so are the lists of permitted values ("*_allowed").
_NEVER: Final = (
    *("decks_min", "decks_max", "wagers_base", "ez_dragon7", "feed_direction"),
    *_OF_PEOPLE,
    *CONSTANTS,
)


def _moment(setting: str) -> ChangeMoment:
    if setting in _NEVER or setting.endswith("_allowed"):
        return ChangeMoment.NEVER
    return ChangeMoment.BETWEEN_COUPS if setting in _BETWEEN_COUPS else ChangeMoment.BETWEEN_SHOES


MOMENTS: Final = MappingProxyType({setting: _moment(setting) for setting in SHAPES})


def parse_value(setting: str, text: str) -> object:
    """Parse a value from text, as a profile's file has it; it is validated later."""
    text = text.strip()
    match SHAPES[setting]:
        case WholeNumber():
            return _parse_number(text)
        case WholeNumbers():
            return [_parse_number(one.strip()) for one in text.split(",")]
        case YesNo() if text in ("true", "false"):
            return text == "true"
        case KeyedTexts():
            return [] if text == NOTHING else _NEXT_KEY.split(text)
        case Tokens():
            return [] if text == NOTHING else [one.strip() for one in text.split(",")]
        case Text() if text == NOTHING:
            return ""
        case _:
            return text


def _parse_number(text: str) -> int | str:
    plain = text.isascii() and text.isdecimal() and len(text) <= _DIGITS_MAX
    return int(text) if plain else text


NS_PER_MINUTE: Final = 60 * 10**9
# Written notice to surveillance comes half an hour before.
SURVEILLANCE_MINUTES: Final = 30


class Audience(StrEnum):
    """Who gets notice of a coming change."""

    PLAYERS = "players"
    COMMISSION = "commission"
    SURVEILLANCE = "surveillance"


class NoticeRequirement(Struct, frozen=True):
    """A notice that a change requires: clauses, audience, and minutes before the change."""

    clauses: tuple[str, ...]
    to: tuple[Audience, ...]
    minutes: int


_ALL: Final = (Audience.PLAYERS, Audience.COMMISSION)
_WITHOUT_VIGORISH: Final = (
    VigorishMode.NONE_SIX,
    VigorishMode.NONE_TOTAL_CARDS,
    VigorishMode.NONE,
)


def is_posted_without_vigorish(setting: str, new: str) -> bool:
    """Whether this value is a variant without vigorish, of which notice is posted."""
    return setting == "vig_mode" and new in _WITHOUT_VIGORISH


def required_notices(
    profile: Profile, setting: str, old: str, new: str
) -> tuple[NoticeRequirement, ...]:
    """The notices that this change of a value (as text) requires under this profile."""
    if setting == "pay_procedure":
        return _notice_of_pay_procedure(profile)
    required = (
        NoticeRequirement(_own_clauses(profile, point), to, minutes)
        for point, to, minutes in _notice_points(setting, old, new)
    )
    return tuple(requirement for requirement in required if requirement.clauses)


def _notice_of_pay_procedure(profile: Profile) -> tuple[NoticeRequirement, ...]:
    """By `pay_procedure_pit_uniform`: a house may ask for it where its rule does not."""
    if profile.rules.pay_pit_uniform is not PitUniform.ENFORCE_30_MINUTES_NOTICE:
        return ()
    clauses = profile.citations_for(RulePoint.PAY_PROCEDURE_NOTICE)
    return (NoticeRequirement(clauses, (Audience.SURVEILLANCE,), SURVEILLANCE_MINUTES),)


def _notice_points(
    setting: str, old: str, new: str
) -> tuple[tuple[RulePoint, tuple[Audience, ...], int], ...]:
    match setting:
        case "vig_mode":
            posted = (RulePoint.NO_VIGORISH_NOTICE, (Audience.PLAYERS,), 0)
            changed = (RulePoint.VIGORISH_NOTICE, _ALL, 0)
            return (changed, posted) if is_posted_without_vigorish(setting, new) else (changed,)
        case "vig_rate" if int(new) > int(old):
            return ((RulePoint.VIGORISH_NOTICE, _ALL, 0),)
        case "dragon_bonus_table":
            return ((RulePoint.BONUS_TABLE_CHANGE, (Audience.COMMISSION,), 0),)
        case "reshuffle_after_lace":
            to = (Audience.SURVEILLANCE,)
            return ((RulePoint.RESHUFFLE_NOTICE, to, SURVEILLANCE_MINUTES),)
        case _:
            return ()


def _own_clauses(profile: Profile, point: RulePoint) -> tuple[str, ...]:
    citation = profile.citation(point)
    return citation.grounds.basis if citation is not None else ()


def missing_notice(
    requirement: NoticeRequirement,
    notices: tuple[NoticeGiven, ...],
    setting: str,
    value: str,
    at_ns: int,
) -> Message | None:
    """What is still to be done for this notice; None where it was given in time."""
    for to in requirement.to:
        times = [
            notice.at_ns
            for notice in notices
            if (notice.setting, notice.value, notice.to) == (setting, value, to.value)
        ]
        if not times:
            if not requirement.minutes:
                return message("record_notice_first", to=to.value)
            return message("record_notice_and_wait", to=to.value, minutes=requirement.minutes)
        left_ns = min(times) + requirement.minutes * NS_PER_MINUTE - at_ns
        if left_ns > 0:
            minutes = -(-left_ns // NS_PER_MINUTE)
            return message("notice_given_wait", to=to.value, count=minutes)
    return None


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
