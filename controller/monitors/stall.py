"""Pauses after the cut card: put in and no coup begun, or come out and no last coup begun.

Not a statistical test: the times allowed are the house's policy, and no share of the alarm budget
is theirs. In 2011 a filmed cut was followed by a stall of half an hour and then by large bets; the
default is half of that.
"""

from typing import Final

from msgspec import Struct

from controller.rules.advisory import AdvisoryKind, StallEvidence

STALL_MINUTES: Final = 15
_NS_PER_MINUTE: Final = 60 * 1_000_000_000


class StallLimits(Struct, frozen=True):
    """How long a coup may be awaited, in nanoseconds, after the cut card was put in or came out."""

    put_in_ns_max: int = STALL_MINUTES * _NS_PER_MINUTE
    came_out_ns_max: int = STALL_MINUTES * _NS_PER_MINUTE

    @staticmethod
    def of_minutes(minutes: int) -> "StallLimits":
        """The same for both pauses, as `[monitors] stall_minutes` has it."""
        return StallLimits(minutes * _NS_PER_MINUTE, minutes * _NS_PER_MINUTE)


class CoupPause(Struct, frozen=True):
    """A coup is awaited since a time; `said`: that it takes too long."""

    kind: AdvisoryKind
    since_ns: int
    said: bool = False


def allowed_ns(limits: StallLimits, kind: AdvisoryKind) -> int:
    """How long this pause may be."""
    put_in = kind is AdvisoryKind.STALL_CUT
    return limits.put_in_ns_max if put_in else limits.came_out_ns_max


def allowed_minutes(limits: StallLimits, kind: AdvisoryKind) -> int:
    """The same in minutes."""
    return allowed_ns(limits, kind) // _NS_PER_MINUTE


def stall(limits: StallLimits, pause: CoupPause, at_ns: int) -> StallEvidence | None:
    """What is to be said of a pause that lasts until now, or ended now; None if nothing."""
    lasted, allowed = at_ns - pause.since_ns, allowed_ns(limits, pause.kind)
    if pause.said or lasted < allowed:
        return None
    return StallEvidence(lasted, allowed)
