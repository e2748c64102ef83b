"""Which notice a change of a setting needs, to whom, how long before, and whether it was given.

Source: NY-c-5-notice, NY-c-6-notice, NY-c-7-change; NJ-3.3-e-notice, NJ-7.3-f-notice;
S42-c-5-notice, S42-c-6-notice, S42-e-2-ii-B, S42-j-3-ii; X-32.

Decisions. A notice is required where a clause of the profile's own rule asks for it; a clause that
is borrowed from another rule requires none. Where the rule does not name who gets notice of a
change of vigorish, New York's audience is used: players and commission.
"""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from controller.procedure.states.wagering import NoticeGiven
from controller.rules.profiles.profile import Profile
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.setting_values import PitUniform, VigorishMode
from foundation.message import Message, message

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
