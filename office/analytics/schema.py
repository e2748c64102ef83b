"""The tables for analysts as data: columns with type, meaning and source.

Not: rows (piece_rows, card_table), and how they are stored (parquet_folder).
"""

from enum import StrEnum
from typing import Final

from msgspec import Struct

SCHEMA_VERSION: Final = 1
"""Goes up when a column changes its name, type or meaning; a new column alone leaves it."""


class ColumnType(StrEnum):
    """The type of a column, as docs/analytics.md names it."""

    TEXT = "text"
    TEXTS = "texts"
    NUMBER = "number"  # 64 bits
    SMALL = "small"  # 32 bits
    NUMBERS = "numbers"
    YES_NO = "yes/no"
    TIME = "time"  # UTC, microseconds


class Column(Struct, frozen=True):
    """One column: what it says, with its unit, and what of the record it comes from."""

    name: str
    kind: ColumnType
    says: str
    source: str


class TableName(StrEnum):
    """The tables, each a folder of that name."""

    CARDS = "cards"
    COUPS = "coups"
    IRREGULARITIES = "irregularities"
    DECISIONS = "decisions"
    CORRECTIONS = "corrections"
    SHUFFLES = "shuffles"
    DEVICES = "devices"
    SHOES = "shoes"


_C, _T = Column, ColumnType
_SHOE: Final = _C("shoe", _T.SMALL, "number of the shoe on its gaming day; 0: before any", "shoe")
_RECORD: Final = _C("record", _T.NUMBER, "number of the record in the journal", "journal")
_AT: Final = _C("at_utc", _T.TIME, "when it was received", "input")
_EVERY: Final = (_SHOE, _RECORD, _AT)
_COUP: Final = _C("coup", _T.SMALL, "number of the coup in the shoe; 0: in none", "coup")
_DEALERS: Final = _C(
    "dealers",
    _T.TEXTS,
    "ids of who had signed on as dealer; empty where unknown",
    "dealer-on, -off",
)
_CLAUSES: Final = _C(
    "clauses", _T.TEXTS, "ids of the clauses cited, as far as disclosed", "verdict"
)
_PERSON: Final = _C("person", _T.TEXT, "id of who did it", "action")
_SECOND: Final = _C("second", _T.TEXT, "id of the second person", "action")
_PROOF: Final = _C("proof", _T.TEXT, "how it is known who that was", "action")
_SECOND_PROOF: Final = _C("second_proof", _T.TEXT, "the same of the second person", "action")
_DEVICE: Final = _C("device", _T.TEXT, "model of the dealing shoe", "settings")
_BACK: Final = _C("back", _T.TEXT, "back colour of the batch in the shoe", "shoe's heading")
_BATCH: Final = _C("batch", _T.TEXT, "number of that batch, where its cards are known", "heading")
_SHUFFLER: Final = _C(
    "shuffler", _T.TEXT, "id of the device that shuffled the batch last", "shuffle's receipt"
)
_CYCLE: Final = _C("shuffle_cycle", _T.NUMBER, "number of that shuffle at the device", "receipt")
_PROFILE: Final = _C("profile", _T.TEXT, "rule profile of the run", "settings")

TABLES: Final = {
    TableName.CARDS: (
        *_EVERY,
        _COUP,
        _C("place", _T.TEXT, "what it was used for: player_1, burn, cut_card, other ...", "row"),
        _C("card", _T.TEXT, "face, such as 9h; empty: not read, or nobody has seen it", "row"),
        _C("rank", _T.SMALL, "1 (ace) to 13 (king); empty as `card`", "row"),
        _C("suit", _T.TEXT, "c, d, h or s; empty as `card`", "row"),
        _C("points", _T.SMALL, "0 to 9; empty as `card`", "row"),
        _C("read", _T.YES_NO, "whether the device could read it; empty: the cut card", "row"),
        _C("claimed", _T.TEXT, "the place that the shoe claimed; other: none", "row"),
        _C("irregular", _T.YES_NO, "an irregularity was raised at it", "row"),
        _C("suspended", _T.YES_NO, "drawn while the table was suspended", "row"),
        _C("carried", _T.YES_NO, "drawn in error, held over or set aside", "row"),
        _DEVICE,
    ),
    TableName.COUPS: (
        *_EVERY,
        _COUP,
        _C("fate", _T.TEXT, "counted, void, partial or floor_decided", "coup"),
        _C("outcome", _T.TEXT, "the outcome that counted at its end; empty: none", "coup"),
        _C("declared", _T.TEXT, "the outcome that the dealer declared", "coup"),
        _C("player", _T.TEXT, 'cards such as "9h Kc"; ?? where nobody has seen one', "coup"),
        _C("banker", _T.TEXT, "the same of the Banker", "coup"),
        _C("player_count", _T.SMALL, "point count, 0 to 9", "coup"),
        _C("banker_count", _T.SMALL, "the same of the Banker", "coup"),
        _C("natural", _T.YES_NO, "a hand of two cards counts 8 or 9", "coup"),
        _C("player_pair", _T.YES_NO, "the first two cards are of one rank", "coup"),
        _C("banker_pair", _T.YES_NO, "the same of the Banker", "coup"),
        _C("irregularities", _T.NUMBERS, "numbers of its irregularities at the table", "coup"),
        _C("ghost", _T.YES_NO, "dealt as a ghost hand, without wagers", "coup"),
        _C("clauses", _T.TEXTS, "clauses of its counts and outcome, once disclosed", "coup"),
        _C("first_card_utc", _T.TIME, "when its first card left the shoe", "rows of the shoe"),
        _C("cards", _T.SMALL, "cards drawn in it", "rows of the shoe"),
        _C("play_ms", _T.NUMBER, "first card to end, milliseconds", "rows, input"),
        _C(
            "pause_ms", _T.NUMBER, "end of the coup before in the shoe to first card", "rows, input"
        ),
        _DEALERS,
        _BACK,
        _BATCH,
        _SHUFFLER,
        _CYCLE,
        _DEVICE,
        _PROFILE,
    ),
    TableName.IRREGULARITIES: (
        *_EVERY,
        _C("number", _T.NUMBER, "counts the irregularities of the table, never reused", "verdict"),
        _COUP,
        _C("code", _T.TEXT, "what it is, such as CARD_AFTER_NATURAL", "verdict"),
        _C("title", _T.TEXT, "the code in words", "catalogue"),
        _CLAUSES,
        _C("suspends", _T.YES_NO, "play stops until a floorperson decides", "verdict"),
        _DEALERS,
        _DEVICE,
        _PROFILE,
    ),
    TableName.DECISIONS: (
        *_EVERY,
        _PERSON,
        _SECOND,
        _C("decision", _T.TEXT, "what was decided, such as void-coup", "decision"),
        _C("outcome", _T.TEXT, "the outcome stated with it", "decision"),
        _C("closed", _T.NUMBERS, "numbers of the irregularities that it closes", "decision"),
        _PROOF,
        _SECOND_PROOF,
    ),
    TableName.CORRECTIONS: (
        *_EVERY,
        _COUP,
        _C("counted", _T.TEXT, "the outcome in the coup's record", "correction"),
        _C("before", _T.TEXT, "the one that counted until then", "correction"),
        _C("outcome", _T.TEXT, "the one that counts from then on", "correction"),
        _PERSON,
        _SECOND,
        _C("owed_seats", _T.NUMBERS, "seats whose wagers it pays otherwise", "correction"),
        _C("owed_cents", _T.NUMBERS, "what each is owed (negative: owes), in cents", "correction"),
        _PROOF,
        _SECOND_PROOF,
    ),
    TableName.SHUFFLES: (
        *_EVERY,
        _BACK,
        _C("shuffler", _T.TEXT, "id of the device", "receipt"),
        _C("version", _T.TEXT, "its firmware", "receipt"),
        _C("cycle", _T.NUMBER, "number of the shuffle at the device", "receipt"),
        _C("compartment", _T.SMALL, "1 or 2", "receipt"),
        _C("cards", _T.SMALL, "cards that the device counted", "receipt"),
        _C("result", _T.TEXT, "good, count_differs, faces_differ or unverified", "receipt"),
        _C("shuffle_ms", _T.NUMBER, "begin to end by the device, milliseconds", "receipt"),
        _C("signed", _T.YES_NO, "the device signed it", "receipt"),
        _C("genuine", _T.YES_NO, "with the key of the paired device", "receipt"),
        _C("refused", _T.TEXT, "id of why it does not count; empty: it counts", "shuffle"),
        _C("clauses", _T.TEXTS, "clauses that it rests on, or that refuse it", "shuffle"),
    ),
    TableName.DEVICES: (
        *_EVERY,
        _C("port", _T.TEXT, "where it is connected", "event"),
        _C("device", _T.TEXT, "its model", "settings"),
        _C("event", _T.TEXT, "what happened: stage-changed, device-fault ...", "event"),
        _C("what", _T.TEXT, "stage, kind of fault, reason or code", "event"),
        _C("detail", _T.TEXT, "id of the text that describes it", "event"),
        _C("identity", _T.TEXT, "id that the device proved, or was refused with", "event"),
        _C("version", _T.TEXT, "its firmware, where it says so", "event"),
        _C("count", _T.NUMBER, "reports or cards missing; milliseconds of silence", "event"),
    ),
    TableName.SHOES: (
        *_EVERY,
        _C("coups", _T.SMALL, "coups dealt", "end of the shoe"),
        _C("cards_drawn", _T.SMALL, "cards drawn", "end of the shoe"),
        _C("opened_utc", _T.TIME, "when it was opened; empty where not on record here", "opening"),
        _C("idle_ms", _T.NUMBER, "end of the shoe before to its opening", "opening, end"),
        _C("player", _T.SMALL, "coups that the Player won", "end of the shoe"),
        _C("banker", _T.SMALL, "coups that the Banker won", "end of the shoe"),
        _C("tie", _T.SMALL, "ties", "end of the shoe"),
        _C("void", _T.SMALL, "coups that do not count", "end of the shoe"),
        _C("irregularities", _T.SMALL, "irregularities raised in it", "end of the shoe"),
        _C("closed_by", _T.TEXT, "id of who closed it; empty: it ended by its cards", "end"),
        _C("clean", _T.YES_NO, "nothing irregular; empty: not sealed yet", "shoe's heading"),
        _C("decks", _T.SMALL, "decks in it", "opening"),
        _BACK,
        _BATCH,
        _SHUFFLER,
        _CYCLE,
        _DEVICE,
        _PROFILE,
        _C("software", _T.TEXT, "version of the program", "run"),
    ),
}
"""The columns of each table, beside those of its folders: `table` and `gaming_day`."""
