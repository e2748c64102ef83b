"""The rules a shoe was dealt by: profile and number of decks of the run that opened it.

Not: settings changed at the table during play; those are in the state, and a replay applies them.
"""

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final

from msgspec import Struct

from controller.core.stored_settings import read_settings
from controller.core.tape.inputs import Started
from controller.core.tape.records import read_input
from controller.journal.card_row_format import RowRole
from controller.journal.encoding import EncodingError
from controller.rules.cards import Card, Rank, Suit, burn_owed
from controller.rules.profiles.clauses import Clause
from controller.rules.profiles.load import load_clauses
from controller.rules.profiles.profile import Profile, ProfileError, parse_profile
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.setting_values import BurnMode, ShuffleMode

CARDS_OF_A_DECK: Final = 52
FACES: Final = tuple(Card(rank, suit) for suit in Suit for rank in Rank)
"""The card behind each number of a row, less one."""


class ShoeRules(Struct, frozen=True):
    """The profile and decks of a shoe, and what the audit derives from them.

    `burns` are the roles of a burn by the number of its first card, empty where none is due.
    `alternation` are the clauses by which two batches alternate, None where they do not.
    """

    profile: Profile
    decks: int
    burns: tuple[bytes, ...]
    alternation: tuple[str, ...] | None

    @staticmethod
    def of(profile: Profile, decks: int) -> "ShoeRules":
        """The rules that follow from a profile and a number of decks."""
        two = profile.rules.shuffle_mode is ShuffleMode.DUAL_BATCH
        alternation = profile.citations_for(RulePoint.BATCH_ALTERNATES) if two else None
        return ShoeRules(profile, decks, _burns(profile), alternation)

    @property
    def cards(self) -> int:
        """The number of cards in a full shoe."""
        return self.decks * CARDS_OF_A_DECK

    @property
    def continuous(self) -> bool:
        """Whether a continuous shuffler returns cards: then faces and cards cannot be counted."""
        return self.profile.rules.shuffle_mode is ShuffleMode.CONTINUOUS

    def clauses(self, *points: RulePoint) -> tuple[str, ...]:
        """The clauses that the profile cites at these points, each once."""
        cited = (clause for point in points for clause in self.profile.citations_for(point))
        return tuple(dict.fromkeys(cited))


def _burns(profile: Profile) -> tuple[bytes, ...]:
    rules = profile.rules
    if rules.burn_mode is BurnMode.NONE or rules.shuffle_mode is ShuffleMode.CONTINUOUS:
        return ()
    rest = bytes((RowRole.BURN,))
    owed = (burn_owed(face, rules.burn_mode, rules.burn_fixed_count) for face in FACES)
    return tuple(bytes((RowRole.BURN_FIRST,)) + rest * count for count in owed)


class RulesUnreadable(Exception):
    """The settings of a run cannot be read by this version; the message says why."""


def rules_of_run(record: bytes) -> ShoeRules:
    """The rules of the run that this record, a `Started`, begins. Raises RulesUnreadable."""
    try:
        started = read_input(record)
        if not isinstance(started, Started):
            raise RulesUnreadable("the record that should begin its run is another")
        return _parse_rules(started.configuration, started.profile)
    except (EncodingError, ProfileError, ValueError) as error:
        raise RulesUnreadable(f"the settings of its run cannot be read: {error}") from error


@lru_cache(maxsize=64)
def _parse_rules(configuration: bytes, profile: bytes) -> ShoeRules:
    settings = read_settings(configuration)
    return ShoeRules.of(parse_profile(profile.decode(), clauses()), settings.decks)


@cache
def clauses() -> Mapping[str, Clause]:
    """All clauses by id, read once."""
    return load_clauses()
