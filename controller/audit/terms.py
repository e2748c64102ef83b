"""What a shoe was dealt by: the profile and the number of decks of the run that opened it.

Responsible for: reading them from the first input of a run, once for each that is different, and
the figures a screen compares with.
Not responsible for: comparing (screen), and for settings that were changed at the table in play:
those stand in the state, and a replay tells them.
Source: package README, "Audit"; controller/profiles/README.md, "Profiles".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from controller.core.settings import Settings
from controller.journal.card_row_format import RowRole
from controller.journal.encoding.codec import CanonicalError, Codec
from controller.profiles.clauses import Clause
from controller.profiles.load import load_clauses
from controller.profiles.profile import Profile, ProfileError, parse_profile
from controller.profiles.rule_points import RulePoint
from controller.rules.burn import burn_owed
from controller.rules.cards import Card, Rank, Suit
from controller.rules.setting_values import BurnMode, ShuffleMode
from controller.tape.inputs import Started
from controller.tape.records import read_older_input

CARDS_OF_A_DECK: Final = 52
FACES: Final = tuple(Card(rank, suit) for suit in Suit for rank in Rank)
"""The card behind each number of a row, less one."""
_SETTINGS: Final[Codec[Settings]] = Codec(Settings)


@dataclass(frozen=True, slots=True)
class Terms:
    """`burns` are the roles of a burn by the number of its first card, empty where none is due.

    `turns` are the clauses by which two batches take turns, None where they do not.
    """

    profile: Profile
    decks: int
    burns: tuple[bytes, ...]
    turns: tuple[str, ...] | None

    @staticmethod
    def of(profile: Profile, decks: int) -> "Terms":
        """What follows from a profile and a number of decks."""
        two = profile.rules.shuffle_mode is ShuffleMode.DUAL_BATCH
        turns = profile.citations_for(RulePoint.BATCH_ALTERNATES) if two else None
        return Terms(profile, decks, _burns(profile), turns)

    @property
    def cards(self) -> int:
        """How many cards the shoe holds."""
        return self.decks * CARDS_OF_A_DECK

    @property
    def endless(self) -> bool:
        """A continuous shuffler puts cards back: neither faces nor cards can be counted."""
        return self.profile.rules.shuffle_mode is ShuffleMode.CONTINUOUS

    def clauses(self, *points: RulePoint) -> tuple[str, ...]:
        """What the profile cites at these points, each once."""
        found = (clause for point in points for clause in self.profile.citations_for(point))
        return tuple(dict.fromkeys(found))


def _burns(profile: Profile) -> tuple[bytes, ...]:
    rules = profile.rules
    if rules.burn_mode is BurnMode.NONE or rules.shuffle_mode is ShuffleMode.CONTINUOUS:
        return ()
    rest = bytes((RowRole.BURN,))
    owed = (burn_owed(face, rules.burn_mode, rules.burn_fixed_count) for face in FACES)
    return tuple(bytes((RowRole.BURN_FIRST,)) + rest * count for count in owed)


class TermsUnread(Exception):
    """The settings of a run cannot be read by this version; the message says why."""


def terms_of(record: bytes) -> Terms:
    """The terms of the run that this record, a `Started`, begins. Raises TermsUnread."""
    try:
        started = read_older_input(record)
        if not isinstance(started, Started):
            raise TermsUnread("the record that should begin its run is another")
        return _terms(started.configuration, started.profile)
    except (CanonicalError, ProfileError, ValueError) as error:
        raise TermsUnread(f"the settings of its run cannot be read: {error}") from error


@lru_cache(maxsize=64)
def _terms(configuration: bytes, profile: bytes) -> Terms:
    settings = _SETTINGS.decode(configuration)
    return Terms.of(parse_profile(profile.decode(), clauses()), settings.decks)


@cache
def clauses() -> Mapping[str, Clause]:
    """All clauses by id, read once."""
    return load_clauses()
