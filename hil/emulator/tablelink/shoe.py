"""A dealing shoe that speaks TableLink: a row of cards, an eye or a reader at its exit, a lock.

Responsible for: what is told of a card that leaves, done well or badly, and when none may leave.
Not responsible for: the line (tablelink_talk), power (tablelink_device) and what the dealer does
with the card.
Source: wire document of TableLink/1; package README, "TableLink devices".
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from hil.dealing.cards import Card, PhysicalCard, Suit
from hil.dealing.shoe import Slot
from hil.dealing.tags import PhysicalBatch
from hil.emulator.lines.reports import Report
from hil.emulator.tablelink.cbor import Map
from hil.emulator.tablelink.compartment import Mode
from hil.emulator.tablelink.device import SHOE, TableLinkDevice, TableLinkSettings
from hil.emulator.tablelink.session import Judged, refused
from hil.emulator.tablelink.wire import Answer, Ask, Kind

SUIT_NUMBERS = {suit: number for number, suit in enumerate(Suit, 1)}
LOCKED, MODE_SET = "locked", "mode set"


class Eye(StrEnum):
    """What the shoe knows of a card that leaves."""

    TAGS = "tags"
    FACES = "faces"
    BOTH = "both"


class CardFault(StrEnum):
    """What may go wrong with one card at the exit."""

    READ_FAIL = "read_fail"
    DOUBLE_FEED = "double_feed"
    RETRACTED = "retracted"


@dataclass(frozen=True, slots=True)
class TableLinkShoeSettings(TableLinkSettings):
    """`tells_pack`: the name of the batch is told when it is loaded."""

    eye: Eye = Eye.FACES
    tells_pack: bool = False


class TableLinkShoe(TableLinkDevice):
    """`held_back` counts the cards somebody tried to draw while none could be drawn.

    A card knows whether it may leave when its time has come, not when it is asked for.
    """

    role = SHOE

    def __init__(self, settings: TableLinkShoeSettings | None = None) -> None:
        self.settings = settings or TableLinkShoeSettings()
        super().__init__(self.settings)
        self.held_back = 0
        self._batch: PhysicalBatch | None = None
        self._row: list[PhysicalCard] = []
        self._drawer: list[PhysicalCard] = []
        self._faults: list[CardFault] = []

    # What people do.

    def load(self, batch: PhysicalBatch, slots: Sequence[Slot]) -> tuple[Report, ...]:
        """Put the cards of a batch in, front first; the cut cards among them as they come."""
        cut_cards = list(batch.cut_cards)
        piece_of = {piece.card: piece for piece in batch.cards}
        row = [piece_of[slot] if isinstance(slot, Card) else cut_cards.pop(0) for slot in slots]
        self._batch, self._drawer = batch, cut_cards
        return self.load_pieces(row, batch.name)

    def load_pieces(self, row: Sequence[PhysicalCard], pack: str = "") -> tuple[Report, ...]:
        """Put these in, front first."""
        told = pack if self.settings.tells_pack else ""
        return self._do(lambda: self._loaded(tuple(row), told))

    def order(self, fault: CardFault) -> tuple[Report, ...]:
        """The next card drawn has this fault, after those ordered before."""
        self._faults.append(fault)
        return ()

    def draw(self, card: Card) -> tuple[Report, ...]:
        """The card with that face from that deck leaves the shoe."""
        assert self._batch is not None, "no batch is loaded"
        return self.draw_piece(self._batch.of(card))

    def draw_next(self) -> tuple[Report, ...]:
        """The card in front leaves."""
        return self._do(self._draw_next)

    def draw_cut_card(self) -> tuple[Report, ...]:
        """The cut card that lies in front leaves; else one of the drawer, else one from behind."""
        in_front = [piece for piece in self._row[:1] if piece.card is None]
        behind = [piece for piece in self._row if piece.card is None]
        piece = (*in_front, *self._drawer, *behind)[0]
        if piece in self._drawer:
            self._drawer.remove(piece)
        return self.draw_piece(piece)

    def draw_piece(self, piece: PhysicalCard) -> tuple[Report, ...]:
        """Any piece of plastic leaves by the exit, loaded or not."""
        return self._do(lambda: self._draw(piece))

    def open_lid(self) -> tuple[Report, ...]:
        """Open the housing."""
        return self._do(lambda: self._note_lid(is_open=True))

    def close_lid(self) -> tuple[Report, ...]:
        """Close it."""
        return self._do(lambda: self._note_lid(is_open=False))

    @property
    def locked(self) -> bool:
        """Whether the host has locked the exit; the lock holds without power, too."""
        return bool(self.memory.facts.get(LOCKED, False))

    @property
    def row(self) -> tuple[PhysicalCard, ...]:
        """What is in it, front first."""
        return tuple(self._row)

    # When its time has come.

    def _loaded(self, row: tuple[PhysicalCard, ...], pack: str) -> None:
        self._row = list(row)
        self._note(Kind.SHOE_LOADED, {1: pack})

    def _note_lid(self, *, is_open: bool) -> None:
        self._note(Kind.LID, {1: is_open, 2: 0})

    def _draw_next(self) -> None:
        if self._row:
            self._draw(self._row[0])

    def _draw(self, piece: PhysicalCard) -> None:
        if self.locked or not self.may_feed:
            self.held_back += 1
            return
        fault = self._faults.pop(0) if self._faults and piece.card is not None else None
        if fault is CardFault.RETRACTED:
            self._note(Kind.CARD_RETRACTED, self._tag(piece))
        loaded = piece in self._row
        if loaded:
            self._row.remove(piece)
        if fault is CardFault.DOUBLE_FEED:
            beside = self._row[:1]
            del self._row[:1]
            self._note(Kind.DOUBLE_FEED, {1: 1 + len(beside)})
        elif fault is CardFault.READ_FAIL:
            self._note(Kind.READ_FAIL, {})
        elif piece.card is None:
            self._note(Kind.CUT_CARD, {})
        else:
            self._note(Kind.CARD_OUT, self._tag(piece) | self._face(piece.card))
        if loaded and not self._row:
            self._note(Kind.SHOE_EMPTY, {})

    def _tag(self, piece: PhysicalCard) -> Map:
        return {} if self.settings.eye is Eye.FACES else {1: bytes.fromhex(piece.tag)}

    def _face(self, card: Card) -> Map:
        if self.settings.eye is Eye.TAGS:
            return {}
        return {2: card.rank * 256 + SUIT_NUMBERS[card.suit]}

    # What a device does.

    def _judge(self, ask: Ask, argument: int) -> Judged:
        match ask:
            case Ask.LOCK | Ask.UNLOCK:
                return Judged(act=self._putting(LOCKED, value=ask is Ask.LOCK))
            case Ask.STATUS:
                return Judged(told=self._status())
            case Ask.SELF_TEST:
                return Judged(act=self._tested)
            case Ask.MODE if argument not in tuple(Mode):
                return refused("no such mode")
            case Ask.MODE:
                return Judged(act=self._putting(MODE_SET, value=argument))
            case _:
                return Judged(Answer.UNKNOWN, "a shoe has no such request")

    def _putting(self, name: str, *, value: int) -> Callable[[], None]:
        return lambda: self.memory.put(name, value)

    def _tested(self) -> None:
        self._note(Kind.SELFTEST, {1: True, 2: "ok"})

    def _status(self) -> Map:
        mode = self.memory.facts.get(MODE_SET, 0)
        closed = self.memory.gate_closed or self.locked
        return {1: mode, 2: False, 3: (), 4: 0, 5: (), 6: closed, 7: self.memory.last_number}

    def _work(self) -> None:
        mode = self.memory.facts.get(MODE_SET, 0)
        if self.memory.facts.get("mode", 0) != mode and self.memory.has_room:
            self._note(Kind.MODE, {1: mode}, ("mode", mode))

    @property
    def _work_due_ns(self) -> int | None:
        return None

    def _woken(self) -> None:
        """Nothing of it is under way when power fails."""

    def _off(self) -> None:
        """Nothing of it is under way when power fails."""
