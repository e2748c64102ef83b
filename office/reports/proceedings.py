"""Follows irregularities to their decisions over the shoes of a report, and how long it took.

Source: D-32.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from controller.core.tape.entries import ClockStepped, EventVerdicts
from controller.procedure.effects import ResolutionRecorded
from controller.procedure.verdicts import Irregularity
from controller.system.messages.catalogue import to_words
from foundation.message import Message
from office.evidence.coup import CoupAccount
from office.evidence.sealed_shoe import ShoeEntry
from office.evidence.timeline import describe_irregularity
from office.reports.shoes import ReportedShoe


class FollowedIrregularity(Struct, frozen=True):
    """An irregularity in the file of `shoe`; `coup` is None where it is of no finished coup.

    `waited_ns` is the time to its decision; None where the records hold none.
    """

    shoe: ReportedShoe
    coup: CoupAccount | None
    at: ShoeEntry
    found: Irregularity
    decided: ShoeEntry | None = None
    waited_ns: int | None = None

    @property
    def what(self) -> str:
        """What was irregular; only its kind where people have not seen the cards."""
        if self.coup is None:
            return to_words(Message(self.found.code.value))
        return describe_irregularity(self.coup, self.found)

    @property
    def clauses(self) -> tuple[str, ...]:
        """The clauses it cites, where people have seen what they follow from."""
        return self.found.clauses if self.coup is None or self.coup.seen else ()


class FollowedDecision(Struct, frozen=True):
    """A decision. `waited_ns`: since the first irregularity it closes; None if that is unknown."""

    shoe: ReportedShoe
    at: ShoeEntry
    decided: ResolutionRecorded
    waited_ns: int | None


class Proceedings(Struct, frozen=True):
    """Irregularities and decisions in order. `suspended_ns`: how long no card might be drawn.

    `suspended_at_end`: the last suspension is not over in these records, and is not counted.
    """

    irregularities: tuple[FollowedIrregularity, ...]
    decisions: tuple[FollowedDecision, ...]
    suspensions: int
    suspended_ns: int
    suspended_at_end: bool


def proceedings_of(shoes: Sequence[ReportedShoe]) -> Proceedings:
    """What happened in these shoes, which are in order and without one left out."""
    following = _Following()
    for shoe in shoes:
        for one in shoe.shoe.entries:
            following.take(shoe, one)
    # What a later file than these holds is shown, and counted where that file is reported.
    for shoe in shoes:
        for one in shoe.shoe.later:
            if isinstance(one.entry, ResolutionRecorded):
                following.decide_later(one, one.entry)
    return following.result()


class _Following:
    """The irregularities so far; those that wait, with the times they have waited since."""

    def __init__(self) -> None:
        self._found: list[FollowedIrregularity] = []
        self._decisions: list[FollowedDecision] = []
        self._waiting: dict[int, int] = {}
        self._suspending: set[int] = set()
        self._suspended_since = 0
        self._suspensions = self._suspended_ns = 0

    def take(self, shoe: ReportedShoe, one: ShoeEntry) -> None:
        """Follow one entry of that shoe's file."""
        match one.entry:
            case ClockStepped(by_ns=by_ns):
                # Times are those of the table's clock: those that lie before its step move along.
                self._waiting = {number: at + by_ns for number, at in self._waiting.items()}
                self._suspended_since += by_ns
            case EventVerdicts(verdicts=verdicts):
                for found in verdicts:
                    if isinstance(found, Irregularity):
                        self._raise(shoe, one, found)
            case ResolutionRecorded() as decided:
                self._decide(shoe, one, decided)

    def _raise(self, shoe: ReportedShoe, one: ShoeEntry, found: Irregularity) -> None:
        coup = shoe.coup_of_irregularity.get(found.number)
        self._found.append(FollowedIrregularity(shoe, coup, one, found))
        self._waiting[found.number] = one.utc_ns
        if found.suspends:
            if not self._suspending:
                self._suspensions += 1
                self._suspended_since = one.utc_ns
            self._suspending.add(found.number)

    def _decide(self, shoe: ReportedShoe, one: ShoeEntry, decided: ResolutionRecorded) -> None:
        since = self._close(one, decided)
        waited_ns = one.utc_ns - min(since.values()) if since else None
        self._decisions.append(FollowedDecision(shoe, one, decided, waited_ns))
        if self._suspending:
            self._suspending -= set(decided.closed)
            if not self._suspending:
                self._suspended_ns += one.utc_ns - self._suspended_since

    def decide_later(self, one: ShoeEntry, decided: ResolutionRecorded) -> None:
        """Note a decision of a later file with the irregularities that it closes, if they wait."""
        self._close(one, decided)

    def _close(self, one: ShoeEntry, decided: ResolutionRecorded) -> dict[int, int]:
        """Note the decision with the irregularities that it closes; since when each waited."""
        since = {number: at for number in decided.closed if (at := self._waiting.pop(number, None))}
        self._found = [
            replace(each, decided=one, waited_ns=one.utc_ns - since[each.found.number])
            if each.found.number in since
            else each
            for each in self._found
        ]
        return since

    def result(self) -> Proceedings:
        """All that was followed."""
        return Proceedings(
            tuple(self._found),
            tuple(self._decisions),
            self._suspensions,
            self._suspended_ns,
            bool(self._suspending),
        )


def undecided(proceedings: Proceedings) -> Iterator[FollowedIrregularity]:
    """The irregularities about which the records hold no decision."""
    return (one for one in proceedings.irregularities if one.decided is None)
