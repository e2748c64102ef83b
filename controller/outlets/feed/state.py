"""What the next event of the floor feed needs: place, sequence so far, rules in force."""

from datetime import UTC, datetime
from typing import Final

from msgspec import Struct

from controller.core.settings import Settings
from controller.procedure.rulebook import RuleBook

_HISTORY_BYTES: Final = 4
# RFC 3986, section 2.3.
_UNRESERVED: Final = frozenset(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
)
_NS_PER_US: Final = 1_000
_US_PER_S: Final = 1_000_000


class FeedRules(Struct, frozen=True):
    """What a run's first input says: the table's settings, and its rules if this version can."""

    settings: Settings | None = None
    book: RuleBook | None = None

    @property
    def source(self) -> str:
        """The CloudEvents source: pit and table, escaped."""
        return f"/smartshoe/{self.place}"

    @property
    def place(self) -> str:
        """Pit and table as levels of a topic."""
        if self.settings is None:
            return "-/-"
        return f"{level(self.settings.pit)}/{level(self.settings.table)}"


class FeedState(Struct, frozen=True):
    """How far the events are made: what the next one needs.

    `base` is the last record before the shoe in play, `before` the sequence of the last event up to
    there. `run` counts the runs since, `count` the events since the run or the shoe began.
    `history` tells this journal from another that was restored from the same backup: it is the
    beginning of the chain value where run or shoe began, as `mark` is of record `record`.
    """

    base: int
    record: int
    history: str
    mark: str
    before: str = ""
    previous: str = ""
    run: int = 0
    count: int = 0
    gaming_day: str = ""
    shoe: int = 0
    suspended: bool = False
    rules: FeedRules = FeedRules()

    @staticmethod
    def at(base: int, chain: bytes, before: str, rules: FeedRules) -> "FeedState":
        """After record `base`, where a shoe ended or the journal begins."""
        mark = history_of(chain)
        return FeedState(base, base, mark, mark, before, before, rules=rules)


def level(text: str) -> str:
    """A text as one level of a topic and one segment of a URI; "-" for none."""
    escaped = (chr(one) if one in _UNRESERVED else f"%{one:02X}" for one in text.encode())
    return "".join(escaped) or "-"


def history_of(chain: bytes) -> str:
    """The beginning of a chain value: no card follows from it."""
    return chain[:_HISTORY_BYTES].hex()


def time_of(utc_ns: int) -> str:
    """A time as CloudEvents has it (RFC 3339), in microseconds."""
    us = utc_ns // _NS_PER_US
    moment = datetime.fromtimestamp(us // _US_PER_S, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{us % _US_PER_S:06}Z"
