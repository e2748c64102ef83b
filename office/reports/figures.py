"""Counts what the shoes of a report were: coups, outcomes, irregularities, decisions, times."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from controller.procedure.effects import SettingChanged, WarningClosed, WarningOpened
from controller.rules.outcome import CoupFate, Outcome
from office.reports.coup_rows import counting_outcome
from office.reports.proceedings import Proceedings
from office.reports.shoes import ReportedShoe
from office.reports.shuffler_time import shuffler_down_ns

NS_PER_S: Final = 1_000_000_000


class DecisionTimes(Struct, frozen=True):
    """How often a kind of decision was made, and how long play or a floorperson took.

    `timed` of them close an irregularity whose time is known; the others have no time.
    """

    kind: str
    count: int
    timed: int
    total_ns: int
    longest_ns: int

    @property
    def mean_s(self) -> float | None:
        """The mean time of the timed ones, in seconds; None without any."""
        return self.total_ns / self.timed / NS_PER_S if self.timed else None


class Figures(Struct, frozen=True):
    """The counts of some shoes; what is not in sealed records is in none of them.

    `outcomes` counts coups by the outcome that counts now, `at_end` by the one at the coup's end:
    they differ by corrections. Pairs and naturals are those of coups whose cards people saw.
    `shuffler_down_ns` is None where the table has no shuffler. Times in ns.
    """

    shoes: int
    coups: int
    outcomes: dict[Outcome, int]
    at_end: dict[Outcome, int]
    without_outcome: int
    fates: dict[CoupFate, int]
    ghost_hands: int
    naturals: int
    player_pairs: int
    banker_pairs: int
    irregularities: dict[str, int]
    undecided: int
    decisions: tuple[DecisionTimes, ...]
    suspensions: int
    suspended_ns: int
    warnings: int
    warnings_cleared: int
    warnings_waited_ns: int
    shuffler_down_ns: int | None
    corrections: int
    settings_changed: int


def figures_of(shoes: Sequence[ReportedShoe], proceedings: Proceedings) -> Figures:
    """The counts of these shoes, at least one, in order."""
    coups = [coup for shoe in shoes for coup in shoe.coups]
    at_end = [coup.record.outcome for coup in coups]
    now = [counting_outcome(coup) for coup in coups]
    results = [one.record.result for one in coups if one.seen and one.record.result is not None]
    cleared = [one for shoe in shoes for one in shoe.shoe.entries_of(WarningClosed)]
    return Figures(
        shoes=len(shoes),
        coups=len(coups),
        outcomes={one: now.count(one) for one in Outcome},
        at_end={one: at_end.count(one) for one in Outcome},
        without_outcome=now.count(None),
        fates={fate: sum(one.record.fate is fate for one in coups) for fate in CoupFate},
        ghost_hands=sum(one.record.ghost for one in coups),
        naturals=sum(one.natural for one in results),
        player_pairs=sum(one.player_pair for one in results),
        banker_pairs=sum(one.banker_pair for one in results),
        irregularities=dict(
            sorted(Counter(one.found.code.value for one in proceedings.irregularities).items())
        ),
        undecided=sum(one.decided is None for one in proceedings.irregularities),
        decisions=tuple(_decision_times(proceedings)),
        suspensions=proceedings.suspensions,
        suspended_ns=proceedings.suspended_ns,
        warnings=sum(1 for shoe in shoes for _ in shoe.shoe.entries_of(WarningOpened)),
        warnings_cleared=len(cleared),
        warnings_waited_ns=sum(one.waited_ns for one in cleared),
        shuffler_down_ns=shuffler_down_ns(shoes),
        corrections=sum(len(one.corrections) for one in coups),
        settings_changed=sum(1 for shoe in shoes for _ in shoe.shoe.entries_of(SettingChanged)),
    )


def _decision_times(proceedings: Proceedings) -> Iterator[DecisionTimes]:
    """By kind, in alphabetical order."""
    for kind in sorted({one.decided.decision.value for one in proceedings.decisions}):
        made = [one for one in proceedings.decisions if one.decided.decision.value == kind]
        waited = [one.waited_ns for one in made if one.waited_ns is not None]
        yield DecisionTimes(kind, len(made), len(waited), sum(waited), max(waited, default=0))
