"""Emulates an RFID dealing shoe: a row of cards, a reader at the exit, a gate beyond it."""

from collections.abc import Sequence
from enum import StrEnum

from hil.dealing.cards import Card, PhysicalCard
from hil.dealing.shoe import Slot
from hil.dealing.tags import FOREIGN_TAG, PhysicalBatch
from hil.emulator.feig.device import FeigSettings
from hil.emulator.feig.reader import GateChange, Movement, Movements, ReaderDevice, TagArrival
from hil.emulator.feig.wire import TrType
from hil.emulator.lines.reports import Report

GATE_INPUT = 1
# From the tag to the gate, and through the gate, by hand; all in milliseconds.
REACH_MS, THROUGH_MS = 80, 120
# Two records never have the same time.
AT_ONCE_MS = 1
# Fixed durations of faults, however fast cards are drawn.
PULLED_BACK_MS, SLOW_MS, BESIDE_MS, NO_TAG_MS = 2000, 2500, 5, 50
CHIP_CARD = bytes.fromhex("04A1B2C3D4E580")


class ExitFault(StrEnum):
    """What may go wrong with one card at the exit."""

    DOUBLE_READ = "double_read"
    TWO_TAGS = "two_tags"
    PULLED_BACK = "pulled_back"
    NO_TAG = "no_tag"
    SLOW_CARD = "slow_card"
    FOREIGN_TAG = "foreign_tag"
    OTHER_TRANSPONDER = "other_transponder"


FAULT_WORDS = {
    ExitFault.DOUBLE_READ: "its tag is read a second time while it leaves",
    ExitFault.TWO_TAGS: "the tag of the card behind it is read with it",
    ExitFault.PULLED_BACK: "it is drawn half out, pulled back, and drawn two seconds later",
    ExitFault.NO_TAG: "its chip is damaged and does not answer",
    ExitFault.SLOW_CARD: "it stays in the exit for two and a half seconds",
    ExitFault.FOREIGN_TAG: "its chip answers with an identity of no known batch",
    ExitFault.OTHER_TRANSPONDER: "a chip card of another kind is held to the exit before it",
}


class RfidShoe(ReaderDevice):
    """The shoe. `order` plans a fault for the next playing card drawn.

    `gate_stuck`: its light barrier no longer changes.
    `by_hand`: a card takes realistic time; else it passes as fast as its records stay distinct.
    """

    def __init__(self, settings: FeigSettings | None = None, *, by_hand: bool = False) -> None:
        super().__init__(settings)
        self._reach_ms = REACH_MS if by_hand else AT_ONCE_MS
        self._through_ms = THROUGH_MS if by_hand else AT_ONCE_MS
        self._batch: PhysicalBatch | None = None
        self._row: list[PhysicalCard] = []
        self._drawer: list[PhysicalCard] = []
        self._faults: list[ExitFault] = []
        self.gate_stuck = False

    def load(self, batch: PhysicalBatch, slots: Sequence[Slot]) -> tuple[Report, ...]:
        """Load the cards of a batch, front first, with cut cards in their slots."""
        cut_cards = list(batch.cut_cards)
        piece_of = {piece.card: piece for piece in batch.cards}
        self._batch = batch
        self._row = [
            piece_of[slot] if isinstance(slot, Card) else cut_cards.pop(0) for slot in slots
        ]
        self._drawer = cut_cards
        return ()

    def order(self, fault: ExitFault) -> tuple[Report, ...]:
        """Plan this fault for the next playing card drawn, after faults planned before."""
        self._faults.append(fault)
        return ()

    def draw(self, card: Card) -> tuple[Report, ...]:
        """Draw the card with that face from that deck."""
        assert self._batch is not None, "no batch is loaded"
        return self.draw_piece(self._batch.of(card))

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
        if piece in self._row:
            self._row.remove(piece)
        fault = self._faults.pop(0) if self._faults and piece.card is not None else None
        passage = self._passage(piece, fault)
        if self.gate_stuck:
            passage = tuple(one for one in passage if not isinstance(one.event, GateChange))
        return self.move(passage)

    def _passage(self, piece: PhysicalCard, fault: ExitFault | None) -> Movements:
        """The movements at the reader while a card leaves."""
        tag = _tag(FOREIGN_TAG if fault is ExitFault.FOREIGN_TAG else piece.tag)
        comes = Movement(AT_ONCE_MS, tag)
        up = Movement(self._reach_ms, GateChange(GATE_INPUT, high=True))
        through_ms = SLOW_MS if fault is ExitFault.SLOW_CARD else self._through_ms
        down = Movement(through_ms, GateChange(GATE_INPUT, high=False))
        match fault:
            case ExitFault.DOUBLE_READ:
                return comes, up, Movement(AT_ONCE_MS, tag), down
            case ExitFault.TWO_TAGS:
                second = tuple(Movement(BESIDE_MS, _tag(next_.tag)) for next_ in self._row[:1])
                return comes, *second, up, down
            case ExitFault.PULLED_BACK:
                return comes, Movement(PULLED_BACK_MS, tag), up, down
            case ExitFault.NO_TAG:
                # No other tag comes near while a late tag could be assigned to this card.
                return Movement(NO_TAG_MS, up.event), Movement(NO_TAG_MS, down.event)
            case ExitFault.OTHER_TRANSPONDER:
                other = TagArrival(CHIP_CARD, kind=TrType.ISO14443A)
                return Movement(AT_ONCE_MS, other), comes, up, down
            case _:
                return comes, up, down


def _tag(digits: str) -> TagArrival:
    return TagArrival(bytes.fromhex(digits))
