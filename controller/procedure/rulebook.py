"""What the procedure looks up: the profile's values and citations, and what the table observes."""

from collections.abc import Mapping
from enum import StrEnum
from itertools import chain
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from controller.rules.profiles.profile import Profile
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.profiles.rule_values import RuleValues
from controller.rules.setting_values import CardHandling, ShuffleMode
from controller.rules.settlement.pit import NO_PIT_SETTINGS, PitSettings

# Back colours of the two batches, where table.toml names no others.
DEFAULT_BACKS: Final = ("red", "blue")


class ObservableFact(StrEnum):
    """What a table may be able to observe; everything else is prompted and never judged."""

    NO_MORE_BETS = "no_more_bets"
    TURNED = "turned"
    DISCARD_COUNT = "discard_count"
    BATCH_LOADED = "batch_loaded"
    SHOE_OPENED = "shoe_opened"
    CUT_DEPTH = "cut_depth"
    WAGERS = "wagers"
    RESULT_BUTTON = "result_button"


class RuleBook(Struct, frozen=True, eq=False):
    """The rules in force at one table from one start to the next.

    `unchanged` is the profile without the settings that were changed at this table. `shuffler`: the
    table has a shuffler that reports, `by_contacts`: by contacts alone, and people enter what goes
    in, how many cards, and its release. `pit` is the name of the table's pit, `shared` what all
    tables of the pit have. Books are compared by identity.
    """

    profile: Profile
    unchanged: Profile
    decks: int
    observed: tuple[ObservableFact, ...]
    citations: Mapping[RulePoint, tuple[str, ...]]
    seats: tuple[int, ...] = ()
    backs: tuple[str, str] = DEFAULT_BACKS
    shuffler: bool = False
    by_contacts: bool = False
    pit: str = ""
    shared: PitSettings = NO_PIT_SETTINGS

    @classmethod
    def of(
        cls,
        profile: Profile,
        decks: int,
        observed: tuple[ObservableFact, ...],
        seats: tuple[int, ...] = (),
        backs: tuple[str, str] = DEFAULT_BACKS,
        *,
        shuffler: bool = False,
        by_contacts: bool = False,
        pit: str = "",
        shared: PitSettings = NO_PIT_SETTINGS,
    ) -> "RuleBook":
        """Bind a profile to a table; `seats` are the layout's, empty where they are unknown."""
        citations = {point: profile.citations_for(point) for point in RulePoint}
        return cls(
            profile=profile,
            unchanged=profile,
            decks=decks,
            observed=observed,
            citations=MappingProxyType(citations),
            seats=seats,
            backs=backs,
            shuffler=shuffler,
            by_contacts=by_contacts,
            pit=pit,
            shared=shared,
        )

    @property
    def values(self) -> RuleValues:
        return self.profile.rules

    @property
    def continuous(self) -> bool:
        """Whether a continuous shuffler replaces shuffle, cut and burn (S42-l-1-use)."""
        return self.values.shuffle_mode is ShuffleMode.CONTINUOUS

    @property
    def shoe_passes(self) -> bool:
        """Whether the shoe passes from patron to patron, who deal (HG-bac-shoe)."""
        return self.values.players_may_handle_cards is CardHandling.SHOE_PASSES

    @property
    def tracks_batches(self) -> bool:
        """Whether a shuffler reports the life of two batches."""
        return self.shuffler and self.values.shuffle_mode is ShuffleMode.DUAL_BATCH

    def clauses(self, *points: RulePoint) -> tuple[str, ...]:
        """The clause ids of these points, in order, each once."""
        if len(points) == 1:
            return self.citations[points[0]]
        cited = map(self.citations.__getitem__, points)
        return tuple(dict.fromkeys(chain.from_iterable(cited)))

    @property
    def document(self) -> str:
        """The rule document of the profile; a clause of any other one is borrowed."""
        return self.profile.own_clauses

    def observes(self, fact: ObservableFact) -> bool:
        return fact in self.observed
