"""A dealing shoe that reads tags: a row of cards, a reader at its exit, a gate outside it.

Responsible for: what the reader meets when a card is drawn, done well or badly.
Not responsible for: the reader (feig), time (reader_device) and what the dealer does with the card.
Source: package README, "The RFID shoe".
"""

from collections.abc import Sequence
from enum import StrEnum

from hil.dealing.cards import Card, PhysicalCard
from hil.dealing.shoe import Slot
from hil.dealing.tags import FOREIGN_TAG, PhysicalBatch
from hil.emulator.feig import FeigSettings
from hil.emulator.feig_wire import TrType
from hil.emulator.reader_device import GateChanges, Movement, Movements, ReaderDevice, TagComes
from hil.emulator.reports import Report

GATE_INPUT = 1
# From the card before, from the tag to the gate, and through the gate; all in milliseconds.
APPROACH_MS, REACH_MS, THROUGH_MS = 300, 80, 120
AT_ONCE_MS = 5
PULLED_BACK_MS, SLOW_MS = 2000, 2500
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
    ExitFault.NO_TAG: "its chip is damaged and answers nothing",
    ExitFault.SLOW_CARD: "it stands in the exit for two and a half seconds",
    ExitFault.FOREIGN_TAG: "its chip answers with an identity that is of no batch",
    ExitFault.OTHER_TRANSPONDER: "a chip card of another kind is held to the exit before it",
}


class RfidShoe(ReaderDevice):
    """The shoe. `order` a fault, and the next playing card drawn has it."""

    def __init__(self, settings: FeigSettings | None = None, *, real_time: bool = False) -> None:
        super().__init__(settings, real_time=real_time)
        self._batch: PhysicalBatch | None = None
        self._row: list[PhysicalCard] = []
        self._drawer: list[PhysicalCard] = []
        self._faults: list[ExitFault] = []

    def load(self, batch: PhysicalBatch, slots: Sequence[Slot]) -> tuple[Report, ...]:
        """Put the cards of a batch in, front first; the cut cards among them as they come."""
        cut_cards = list(batch.cut_cards)
        piece_of = {piece.card: piece for piece in batch.cards}
        self._batch = batch
        self._row = [
            piece_of[slot] if isinstance(slot, Card) else cut_cards.pop(0) for slot in slots
        ]
        self._drawer = cut_cards
        return ()

    def order(self, fault: ExitFault) -> tuple[Report, ...]:
        """The next playing card drawn has this fault, after those ordered before."""
        self._faults.append(fault)
        return ()

    def draw(self, card: Card) -> tuple[Report, ...]:
        """The card with that face from that deck leaves the shoe."""
        assert self._batch is not None, "no batch is loaded"
        return self.draw_piece(self._batch.of(card))

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
        if piece in self._row:
            self._row.remove(piece)
        fault = self._faults.pop(0) if self._faults and piece.card is not None else None
        return self.move(self._passage(piece, fault))

    def _passage(self, piece: PhysicalCard, fault: ExitFault | None) -> Movements:
        """What the reader meets of a card that leaves."""
        tag = _tag(FOREIGN_TAG if fault is ExitFault.FOREIGN_TAG else piece.tag)
        comes = _first(self, tag)
        up = Movement(REACH_MS, GateChanges(GATE_INPUT, high=True))
        through_ms = SLOW_MS if fault is ExitFault.SLOW_CARD else THROUGH_MS
        down = Movement(through_ms, GateChanges(GATE_INPUT, high=False))
        match fault:
            case ExitFault.DOUBLE_READ:
                return comes, up, Movement(AT_ONCE_MS, tag), down
            case ExitFault.TWO_TAGS:
                beside = tuple(Movement(AT_ONCE_MS, _tag(next_.tag)) for next_ in self._row[:1])
                return comes, *beside, up, down
            case ExitFault.PULLED_BACK:
                return comes, Movement(PULLED_BACK_MS, tag), up, down
            case ExitFault.NO_TAG:
                return Movement(comes.after_ms + REACH_MS, up.what), down
            case ExitFault.OTHER_TRANSPONDER:
                other = TagComes(CHIP_CARD, kind=TrType.ISO14443A)
                return _first(self, other), Movement(APPROACH_MS, tag), up, down
            case _:
                return comes, up, down


def _tag(digits: str) -> TagComes:
    return TagComes(bytes.fromhex(digits))


def _first(shoe: RfidShoe, tag: TagComes) -> Movement:
    """In real time the dealer's own pace lies between two cards."""
    return Movement(0 if shoe.real_time else APPROACH_MS, tag)
