"""The rows of a finished shoe: every card it dealt, put to burn or coup, and whether they tell all.

Responsible for: following the entries of one shoe card by card, giving each card its row as soon as
burn or coup is closed, and noticing whatever rows cannot tell.
Not responsible for: the layout of a row (card_rows), which records are one shoe's (sealing), and
for judging anything: roles and results are the ones the table recorded.
Source: controller/journal/README.md, "Shoe file".
"""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from types import MappingProxyType
from typing import Final

from controller.journal.card_row_format import (
    CHAIN_BYTES,
    NOT_READ,
    TAG_BYTES,
    CardRow,
    RowEnd,
    RowFlag,
    RowRole,
    row_bytes,
)
from controller.journal.values import StoredRecord
from controller.procedure.effects import (
    BurnDone,
    CoupClosed,
    CoupFate,
    CoupRecord,
    RecordedCard,
    Refused,
    ResolutionRecorded,
    SettingChanged,
    ShoeEnded,
    ShoeOpened,
)
from controller.procedure.events import (
    CardDrawn,
    CoupForcedOut,
    CustodyFound,
    CutCardDrawn,
    FoundFaceUp,
    GhostHandAsked,
    IrregularityResolved,
    ProgramReplaced,
    ReportsMissing,
    SettingChangeAsked,
    ShoeClosedByPerson,
)
from controller.procedure.verdicts import Irregularity
from controller.rules.cards import Card, Suit
from controller.rules.coup import Place
from controller.rules.outcome import Outcome
from controller.tape.entries import DeviceNoted, Entry, Judged
from drivers.events import CardPassed

RANKS: Final = 13
_SUITS: Final = MappingProxyType({suit: number for number, suit in enumerate(Suit)})
_ROLES: Final = MappingProxyType(
    {
        Place.BURN_FIRST: RowRole.BURN_FIRST,
        Place.BURN: RowRole.BURN,
        Place.BURN_EXTRA: RowRole.BURN,
        Place.PLAYER_1: RowRole.PLAYER_1,
        Place.BANKER_1: RowRole.BANKER_1,
        Place.PLAYER_2: RowRole.PLAYER_2,
        Place.BANKER_2: RowRole.BANKER_2,
        Place.PLAYER_3: RowRole.PLAYER_3,
        Place.BANKER_3: RowRole.BANKER_3,
    }
)
_OUTCOMES: Final = MappingProxyType(
    {Outcome.PLAYER: RowEnd.PLAYER, Outcome.BANKER: RowEnd.BANKER, Outcome.TIE: RowEnd.TIE}
)
_FATES: Final = MappingProxyType(
    {
        CoupFate.VOID: RowEnd.VOID,
        CoupFate.PARTIAL: RowEnd.PARTIAL,
        CoupFate.FLOOR_DECIDED: RowEnd.FLOOR_DECIDED,
    }
)
# The orders in which the cards of a whole coup are drawn.
_FIRST_FOUR: Final = (RowRole.PLAYER_1, RowRole.BANKER_1, RowRole.PLAYER_2, RowRole.BANKER_2)
_WHOLE_COUPS: Final = (
    _FIRST_FOUR,
    (*_FIRST_FOUR, RowRole.PLAYER_3),
    (*_FIRST_FOUR, RowRole.BANKER_3),
    (*_FIRST_FOUR, RowRole.PLAYER_3, RowRole.BANKER_3),
)
# What a shoe in order has none of, beside verdicts: its records tell more than rows can.
_TELLS_MORE: Final = (
    CoupForcedOut,
    CustodyFound,
    FoundFaceUp,
    GhostHandAsked,
    IrregularityResolved,
    ProgramReplaced,
    ReportsMissing,
    SettingChangeAsked,
    ShoeClosedByPerson,
)


class ShoeRows:
    """Takes the entries of one shoe in order; `clean` once it has ended says what a row tells."""

    def __init__(self, *, as_profiled: bool, opened: bool = False) -> None:
        """`as_profiled`: before the first entry every setting is the profile's. `opened`: so was

        the shoe, with no card drawn; what ends a shoe may open the next one.
        """
        self._rows: list[CardRow] = []
        # Numbers of the rows that belong to no burn and no coup yet.
        self._cards: list[int] = []
        self._cut_cards: list[int] = []
        self._tag = b""
        self._coups = 0
        # Whether the event judged last was a card drawn.
        self._drew = False
        self._open = opened
        self._ended = False
        self._whole = as_profiled
        self.as_profiled = as_profiled

    @property
    def clean(self) -> bool:
        """Whether nothing irregular happened and the rows tell the whole shoe."""
        return self._whole and self._ended

    @property
    def packed(self) -> bytes:
        """All rows as they stand in the file."""
        return b"".join(map(row_bytes, self._rows))

    def __len__(self) -> int:
        return len(self._rows)

    def not_whole(self) -> None:
        """Something happened that rows cannot tell."""
        self._whole = False

    def began_run(self) -> None:
        """A run of the program began; what was lost meanwhile the records tell."""
        if self._open:
            self.not_whole()

    def take(self, stored: StoredRecord, entry: Entry, utc_ns: int) -> None:
        """One entry; `utc_ns` is when the input it was concluded from came."""
        if self._ended and not isinstance(entry, Judged | ShoeEnded):
            # It is of the next shoe, told by the input that ended this one.
            return
        match entry:
            case DeviceNoted(event=CardPassed(tag=tag, sure=sure)):
                known = tag is not None and sure
                self._tag = sha256((tag or "").encode()).digest()[:TAG_BYTES] if known else b""
            case Judged():
                self._judged(stored, entry, utc_ns)
            case ShoeOpened(joined=joined):
                # The first card may open its shoe itself.
                stray = len(self._cards) - self._drew
                if joined or self._open or stray:
                    self.not_whole()
                self._open = True
            case BurnDone():
                self._burned(entry)
            case CoupClosed(record=record):
                self._closed(record)
            case ShoeEnded():
                self._over(entry)
            case SettingChanged():
                self.as_profiled = False
                self.not_whole()
            case Refused() | ResolutionRecorded():
                self.not_whole()
            case _:
                pass

    # --- cards -----------------------------------------------------------------------------------

    def _judged(self, stored: StoredRecord, judged: Judged, utc_ns: int) -> None:
        event = judged.event
        self._drew = isinstance(event, CardDrawn)
        flags = RowFlag.NONE
        for verdict in judged.verdicts:
            if isinstance(verdict, Irregularity):
                flags |= RowFlag.IRREGULAR
            if verdict.provisional:
                flags |= RowFlag.SUSPENDED
        if flags or isinstance(event, _TELLS_MORE):
            self.not_whole()
        if isinstance(event, CutCardDrawn):
            if self._cards:
                self._cut_cards.append(len(self._rows))
            self._draw(stored, utc_ns, RowRole.CUT_CARD, None, Place.UNCLAIMED, flags)
        elif isinstance(event, CardDrawn):
            if event.card is None or event.again or self._ended:
                self.not_whole()
            self._cards.append(len(self._rows))
            self._draw(stored, utc_ns, RowRole.OTHER, event.card, event.claimed, flags)

    def _draw(
        self,
        stored: StoredRecord,
        utc_ns: int,
        role: RowRole,
        card: Card | None,
        claimed: Place,
        flags: RowFlag,
    ) -> None:
        tag, self._tag = self._tag or bytes(TAG_BYTES), b""
        self._rows.append(
            CardRow(
                seq=stored.seq,
                utc_ns=utc_ns,
                coup=0,
                role=role,
                card=card_number(card),
                claimed=_ROLES.get(claimed, RowRole.OTHER),
                flags=flags,
                ends=RowEnd.NOT_LAST,
                declared=RowEnd.NOT_LAST,
                tag=tag,
                chain=stored.chain[:CHAIN_BYTES],
            )
        )

    # --- what they belong to ---------------------------------------------------------------------

    def _burned(self, burn: BurnDone) -> None:
        mine, self._cards = self._cards[: burn.removed], self._cards[burn.removed :]
        self._cut_cards = []
        first = self._rows[mine[0]].card if mine else NOT_READ
        if not burn.proven or len(mine) != burn.removed or first != card_number(burn.first):
            self.not_whole()
        for place, number in enumerate(mine):
            role = RowRole.BURN if place else RowRole.BURN_FIRST
            self._rows[number] = replace(self._rows[number], role=role)

    def _closed(self, record: CoupRecord) -> None:
        self._coups += 1
        if record.coup != self._coups or not _in_order(record):
            self.not_whole()
        mine = self._cards_of(record)
        for number, dealt in mine:
            role = _ROLES.get(dealt.place, RowRole.OTHER)
            self._rows[number] = replace(self._rows[number], role=role, coup=record.coup)
        if tuple(self._rows[number].role for number, _ in mine) not in _WHOLE_COUPS:
            self.not_whole()
        if not mine:
            return
        for number in self._cut_cards:
            if number > mine[0][0]:
                self._rows[number] = replace(self._rows[number], coup=record.coup)
        self._cut_cards = []
        last = mine[-1][0]
        self._rows[last] = replace(
            self._rows[last],
            ends=_end_of(record),
            declared=_OUTCOMES[record.declared] if record.declared else RowEnd.NOT_LAST,
        )

    def _cards_of(self, record: CoupRecord) -> list[tuple[int, RecordedCard]]:
        """The rows of a coup's cards, in the order drawn; what lay between them stays aside.

        What came after the last of them may be the next coup's first card: at a table that reports
        no results it is what ends a coup.
        """
        dealt = [one for one in record.cards if one.carried_from is None]
        faces = [card_number(one.card) for one in dealt]
        mine = self._cards[: len(dealt)]
        if [self._rows[number].card for number in mine] != faces or record.aside:
            mine = self._found_from_behind(faces)
        last = mine[-1] if mine else -1
        beside = [number for number in self._cards if number < last and number not in mine]
        for number in beside:
            row = self._rows[number]
            coup = record.coup if number > mine[0] else row.coup
            self._rows[number] = replace(row, coup=coup, flags=row.flags | RowFlag.CARRIED)
        if beside or len(mine) != len(record.cards):
            self.not_whole()
        self._cards = [number for number in self._cards if number > last]
        return list(zip(mine, dealt[len(dealt) - len(mine) :], strict=True))

    def _found_from_behind(self, faces: Sequence[int]) -> list[int]:
        """Where something was drawn beside a coup its cards are the ones drawn last."""
        found: list[int] = []
        for number in reversed(self._cards):
            if len(found) < len(faces) and self._rows[number].card == faces[-1 - len(found)]:
                found.insert(0, number)
        return found

    def _over(self, ended: ShoeEnded) -> None:
        drawn = sum(row.role is not RowRole.CUT_CARD for row in self._rows)
        whole = (ended.coups, ended.cards_drawn) == (self._coups, drawn)
        by_itself = not (ended.person or ended.reason or ended.irregularities or ended.void)
        if not (self._open and whole and by_itself) or self._cards or self._ended:
            self.not_whole()
        self._open, self._ended = False, True


def card_number(card: Card | None) -> int:
    """A card as a row has it: 13 times the suit plus the rank, NOT_READ for none."""
    return NOT_READ if card is None else RANKS * _SUITS[card.suit] + card.rank


def _in_order(record: CoupRecord) -> bool:
    """Whether a coup was dealt and counted with nothing to tell beside it."""
    beside = record.aside or record.irregular or record.suspended_cards or record.ghost
    return record.fate is CoupFate.COUNTED and record.outcome is not None and not beside


def _end_of(record: CoupRecord) -> RowEnd:
    if record.fate is CoupFate.COUNTED:
        return _OUTCOMES[record.outcome] if record.outcome is not None else RowEnd.NOT_LAST
    return _FATES[record.fate]
