"""Everything the procedure looks up: the profile's values and citations, and the state table.

Responsible for: one frozen object that the judging functions share.
Not responsible for: state (TableState) and for reading files (controller.config.load).
Source: package README, "Profiles".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from types import MappingProxyType
from typing import Final

from controller.custody.batch_life.stages import EDGES as LIFE_EDGES
from controller.custody.batch_life.stages import BatchStage, BatchTrigger
from controller.procedure.phases import EDGES, Phase, Trigger
from controller.profiles.profile import Profile
from controller.profiles.rule_points import RulePoint
from controller.profiles.rule_values import RuleValues
from controller.rules.setting_values import ShuffleMode
from controller.state_table import NoEdge, StateTable

# Back colours of the two batches, where table.toml names no others.
DEFAULT_BACKS: Final = ("red", "blue")


class Fact(StrEnum):
    """What a table may be able to sense or to be told; the rest is prompted and never judged."""

    NO_MORE_BETS = "no_more_bets"
    TURNED = "turned"
    DISCARD_COUNT = "discard_count"
    BATCH_LOADED = "batch_loaded"
    SHOE_OPENED = "shoe_opened"
    CUT_DEPTH = "cut_depth"
    WAGERS = "wagers"
    RESULT_BUTTON = "result_button"


@dataclass(frozen=True, slots=True, eq=False)
class RuleBook:
    """The rules as they stand at one table from one start to the next.

    `unchanged` is the profile without the settings that were changed at this table. `shuffler`: one
    is connected that tells what it does; `lives` is the way of its batches. Compared as an object:
    two books are the same only if they are one.
    """

    profile: Profile
    unchanged: Profile
    decks: int
    observed: tuple[Fact, ...]
    machine: StateTable[Phase, Trigger]
    citations: Mapping[RulePoint, tuple[str, ...]]
    lives: StateTable[BatchStage, BatchTrigger]
    seats: tuple[int, ...] = ()
    backs: tuple[str, str] = DEFAULT_BACKS
    shuffler: bool = False

    @classmethod
    def of(
        cls,
        profile: Profile,
        decks: int,
        observed: tuple[Fact, ...],
        seats: tuple[int, ...] = (),
        backs: tuple[str, str] = DEFAULT_BACKS,
        *,
        shuffler: bool = False,
    ) -> "RuleBook":
        """Bind a profile to a table; `seats` are the layout's, none where they are not told."""
        citations = {point: profile.citations_for(point) for point in RulePoint}
        return cls(
            profile=profile,
            unchanged=profile,
            decks=decks,
            observed=observed,
            machine=StateTable(EDGES),
            citations=MappingProxyType(citations),
            lives=StateTable(LIFE_EDGES),
            seats=seats,
            backs=backs,
            shuffler=shuffler,
        )

    @property
    def values(self) -> RuleValues:
        return self.profile.rules

    @property
    def continuous(self) -> bool:
        """Whether a continuous shuffler takes the place of shuffle, cut and burn (S42-l-1-use)."""
        return self.values.shuffle_mode is ShuffleMode.CONTINUOUS

    @property
    def tells_batches(self) -> bool:
        """Whether a shuffler tells the lives of two batches."""
        return self.shuffler and self.values.shuffle_mode is ShuffleMode.DUAL_BATCH

    def clauses(self, *points: RulePoint) -> tuple[str, ...]:
        """The clause ids of these points, in order, each once."""
        if len(points) == 1:
            return self.citations[points[0]]
        cited = map(self.citations.__getitem__, points)
        return tuple(dict.fromkeys(chain.from_iterable(cited)))

    def next(self, phase: Phase, trigger: Trigger) -> Phase | NoEdge[Phase, Trigger]:
        """Whether this may come now, and what is due after it."""
        return self.machine.next(phase, trigger)

    def move(self, phase: Phase, trigger: Trigger) -> Phase:
        """As `next`, where only a mistake in this program could make the edge missing."""
        after = self.machine.next(phase, trigger)
        assert not isinstance(after, NoEdge), f"no edge {phase} -{trigger}->"
        return after

    def observes(self, fact: Fact) -> bool:
        return fact in self.observed
