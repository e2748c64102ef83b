"""Emulates a TableLink dealing shoe: a row of cards, a card sensor at the exit, a lock.

Source: wire document of TableLink/1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from hil.dealing.cards import Card, PhysicalCard, Suit
from hil.dealing.shoe import Slot
from hil.dealing.tags import PhysicalBatch
from hil.emulator.lines.reports import Report
from hil.emulator.tablelink.cbor import Map
from hil.emulator.tablelink.compartment import DeviceMode
from hil.emulator.tablelink.device import SHOE, TableLinkDevice, TableLinkSettings
from hil.emulator.tablelink.session import RequestDecision, refuse
from hil.emulator.tablelink.wire import EventKind, RequestStatus, RequestType

SUIT_NUMBERS = {suit: number for number, suit in enumerate(Suit, 1)}
LOCKED, MODE_SET = "locked", "mode set"


class CardSensor(StrEnum):
    """What the shoe reads of a card that leaves."""

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
    """`reports_batch_name`: the name of the batch is reported when it is loaded."""

    sensor: CardSensor = CardSensor.FACES
    reports_batch_name: bool = False


class TableLinkShoe(TableLinkDevice):
    """`blocked_draws` counts the cards somebody tried to draw while none could be drawn.

    Whether a card may leave is decided when its time has come, not when `draw` is called.
    """

    role = SHOE

    def __init__(self, settings: TableLinkShoeSettings | None = None) -> None:
        self.settings = settings or TableLinkShoeSettings()
        super().__init__(self.settings)
        self.blocked_draws = 0
        self._batch: PhysicalBatch | None = None
        self._row: list[PhysicalCard] = []
        self._drawer: list[PhysicalCard] = []
        self._faults: list[CardFault] = []

    # People's acts.

    def load(self, batch: PhysicalBatch, slots: Sequence[Slot]) -> tuple[Report, ...]:
        """Load the cards of a batch, front first, with cut cards in their slots."""
        cut_cards = list(batch.cut_cards)
        piece_of = {piece.card: piece for piece in batch.cards}
        row = [piece_of[slot] if isinstance(slot, Card) else cut_cards.pop(0) for slot in slots]
        self._batch, self._drawer = batch, cut_cards
        return self.load_pieces(row, batch.name)

    def load_pieces(self, row: Sequence[PhysicalCard], pack: str = "") -> tuple[Report, ...]:
        """Load these cards, front first."""
        name = pack if self.settings.reports_batch_name else ""
        return self._queue(lambda: self._load_row(tuple(row), name))

    def order(self, fault: CardFault) -> tuple[Report, ...]:
        """Plan this fault for the next playing card drawn, after faults planned before."""
        self._faults.append(fault)
        return ()

    def draw(self, card: Card) -> tuple[Report, ...]:
        """Draw the card with that face from that deck."""
        assert self._batch is not None, "no batch is loaded"
        return self.draw_piece(self._batch.of(card))

    def draw_next(self) -> tuple[Report, ...]:
        """Draw the card in front."""
        return self._queue(self._draw_next)

    def draw_cut_card(self) -> tuple[Report, ...]:
        """Draw the cut card in front; else one from the drawer, else one further behind."""
        in_front = [piece for piece in self._row[:1] if piece.card is None]
        behind = [piece for piece in self._row if piece.card is None]
        piece = (*in_front, *self._drawer, *behind)[0]
        if piece in self._drawer:
            self._drawer.remove(piece)
        return self.draw_piece(piece)

    def draw_piece(self, piece: PhysicalCard) -> tuple[Report, ...]:
        """Draw any physical card through the exit, loaded or not."""
        return self._queue(lambda: self._draw(piece))

    def open_lid(self) -> tuple[Report, ...]:
        """Open the lid."""
        return self._queue(lambda: self._record_lid(is_open=True))

    def close_lid(self) -> tuple[Report, ...]:
        """Close the lid."""
        return self._queue(lambda: self._record_lid(is_open=False))

    @property
    def locked(self) -> bool:
        """Whether the host has locked the exit; the lock survives loss of power."""
        return bool(self.memory.facts.get(LOCKED, False))

    @property
    def row(self) -> tuple[PhysicalCard, ...]:
        """The cards in it, front first."""
        return tuple(self._row)

    # Executing the acts.

    def _load_row(self, row: tuple[PhysicalCard, ...], pack: str) -> None:
        self._row = list(row)
        self._record(EventKind.SHOE_LOADED, {1: pack})

    def _record_lid(self, *, is_open: bool) -> None:
        self._record(EventKind.LID, {1: is_open, 2: 0})

    def _draw_next(self) -> None:
        if self._row:
            self._draw(self._row[0])

    def _draw(self, piece: PhysicalCard) -> None:
        if self.locked or not self.may_feed:
            self.blocked_draws += 1
            return
        fault = self._faults.pop(0) if self._faults and piece.card is not None else None
        if fault is CardFault.RETRACTED:
            self._record(EventKind.CARD_RETRACTED, self._tag(piece))
        loaded = piece in self._row
        if loaded:
            self._row.remove(piece)
        if fault is CardFault.DOUBLE_FEED:
            second = self._row[:1]
            del self._row[:1]
            self._record(EventKind.DOUBLE_FEED, {1: 1 + len(second)})
        elif fault is CardFault.READ_FAIL:
            self._record(EventKind.READ_FAIL, {})
        elif piece.card is None:
            self._record(EventKind.CUT_CARD, {})
        else:
            self._record(EventKind.CARD_OUT, self._tag(piece) | self._face(piece.card))
        if loaded and not self._row:
            self._record(EventKind.SHOE_EMPTY, {})

    def _tag(self, piece: PhysicalCard) -> Map:
        return {} if self.settings.sensor is CardSensor.FACES else {1: bytes.fromhex(piece.tag)}

    def _face(self, card: Card) -> Map:
        if self.settings.sensor is CardSensor.TAGS:
            return {}
        return {2: card.rank * 256 + SUIT_NUMBERS[card.suit]}

    # The device's behaviour.

    def _decide(self, request: RequestType, argument: int) -> RequestDecision:
        match request:
            case RequestType.LOCK | RequestType.UNLOCK:
                return RequestDecision(
                    act=self._store_fact(LOCKED, value=request is RequestType.LOCK)
                )
            case RequestType.STATUS:
                return RequestDecision(result=self._status())
            case RequestType.SELF_TEST:
                return RequestDecision(act=self._self_test)
            case RequestType.MODE if argument not in tuple(DeviceMode):
                return refuse("no such mode")
            case RequestType.MODE:
                return RequestDecision(act=self._store_fact(MODE_SET, value=argument))
            case _:
                return RequestDecision(RequestStatus.UNKNOWN, "a shoe has no such request")

    def _store_fact(self, name: str, *, value: int) -> Callable[[], None]:
        return lambda: self.memory.put(name, value)

    def _self_test(self) -> None:
        self._record(EventKind.SELFTEST, {1: True, 2: "ok"})

    def _status(self) -> Map:
        mode = self.memory.facts.get(MODE_SET, 0)
        closed = self.memory.gate_closed or self.locked
        return {1: mode, 2: False, 3: (), 4: 0, 5: (), 6: closed, 7: self.memory.last_number}

    def _work(self) -> None:
        mode = self.memory.facts.get(MODE_SET, 0)
        if self.memory.facts.get("mode", 0) != mode and self.memory.has_room:
            self._record(EventKind.MODE, {1: mode}, ("mode", mode))

    @property
    def _work_due_ns(self) -> int | None:
        return None

    def _after_boot(self) -> None:
        """Nothing is under way when power fails."""

    def _after_power_loss(self) -> None:
        """Nothing is under way when power fails."""
