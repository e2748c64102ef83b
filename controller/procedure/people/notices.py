"""Notice of a coming change: to whom, and how long before.

Responsible for: which notice a change of a setting needs at a table, and whether it was given.
Not responsible for: when a change may be made apart from that (change_moments) and for the value.
Source: NY-c-5-notice, NY-c-6-notice, NY-c-7-change; NJ-3.3-e-notice, NJ-7.3-f-notice;
S42-c-5-notice, S42-c-6-notice, S42-e-2-ii-B, S42-j-3-ii; X-32.

Decisions. A notice is demanded where a clause of the profile's own rule asks for it; one that is
only taken over from another rule demands none. Where the rule does not say who is told of a change
of vigorish, it is who New York tells: players and commission.
"""

from enum import StrEnum
from typing import Final

from controller.procedure.states.wagering import NoticeGiven
from controller.profiles.profile import Profile
from controller.profiles.rule_points import RulePoint
from controller.rules.setting_values import VigorishMode
from firmware_bridge.values import dataclass

NS_PER_MINUTE: Final = 60 * 10**9
# Written notice to surveillance comes half an hour before.
SURVEILLANCE_MINUTES: Final = 30


class Audience(StrEnum):
    """Who is told of a coming change."""

    PLAYERS = "players"
    COMMISSION = "commission"
    SURVEILLANCE = "surveillance"


@dataclass(frozen=True, slots=True)
class Demand:
    """A notice that a change needs: by which clauses, to whom, how many minutes before."""

    clauses: tuple[str, ...]
    to: tuple[Audience, ...]
    minutes: int


_ALL: Final = (Audience.PLAYERS, Audience.COMMISSION)
_WITHOUT_VIGORISH: Final = (
    VigorishMode.NONE_SIX,
    VigorishMode.NONE_TOTAL_CARDS,
    VigorishMode.NONE,
)


def demands(profile: Profile, setting: str, old: str, new: str) -> tuple[Demand, ...]:
    """The notices that this change, in words, needs under this profile."""
    asked = (
        Demand(_own_clauses(profile, point), to, minutes)
        for point, to, minutes in _points(setting, old, new)
    )
    return tuple(demand for demand in asked if demand.clauses)


def _points(
    setting: str, old: str, new: str
) -> tuple[tuple[RulePoint, tuple[Audience, ...], int], ...]:
    match setting:
        case "vig_mode":
            posted = (RulePoint.NO_VIGORISH_NOTICE, (Audience.PLAYERS,), 0)
            changed = (RulePoint.VIGORISH_NOTICE, _ALL, 0)
            return (changed, posted) if new in _WITHOUT_VIGORISH else (changed,)
        case "vig_rate" if int(new) > int(old):
            return ((RulePoint.VIGORISH_NOTICE, _ALL, 0),)
        case "dragon_bonus_table":
            return ((RulePoint.BONUS_TABLE_CHANGE, (Audience.COMMISSION,), 0),)
        case "pay_procedure":
            to = (Audience.SURVEILLANCE,)
            return ((RulePoint.PAY_PROCEDURE_NOTICE, to, SURVEILLANCE_MINUTES),)
        case "reshuffle_after_lace":
            to = (Audience.SURVEILLANCE,)
            return ((RulePoint.RESHUFFLE_NOTICE, to, SURVEILLANCE_MINUTES),)
        case _:
            return ()


def _own_clauses(profile: Profile, point: RulePoint) -> tuple[str, ...]:
    citation = profile.citation(point)
    return citation.grounds.basis if citation is not None else ()


def unmet(
    demand: Demand, notices: tuple[NoticeGiven, ...], setting: str, value: str, at_ns: int
) -> str:
    """What is still to be done for this notice, in words; empty where it was given in time."""
    for to in demand.to:
        times = [
            notice.at_ns
            for notice in notices
            if (notice.setting, notice.value, notice.to) == (setting, value, to.value)
        ]
        if not times:
            wait = f" and wait {demand.minutes} minutes" if demand.minutes else ""
            return f"record notice of it to {to.value} first{wait}"
        left_ns = min(times) + demand.minutes * NS_PER_MINUTE - at_ns
        if left_ns > 0:
            return (
                f"notice to {to.value} is given; wait {-(-left_ns // NS_PER_MINUTE)} more minutes"
            )
    return ""
