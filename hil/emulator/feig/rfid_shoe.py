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
from hil.emulator.feig.device import FeigSettings
from hil.emulator.feig.reader import GateChanges, Movement, Movements, ReaderDevice, TagComes
from hil.emulator.feig.wire import TrType
from hil.emulator.lines.reports import Report

GATE_INPUT = 1
# From the tag to the gate, and through the gate, by hand; all in milliseconds.
REACH_MS, THROUGH_MS = 80, 120
# Two records never have the same time.
AT_ONCE_MS = 1
# These take their time however fast cards are drawn, or they would be something else.
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
    ExitFault.NO_TAG: "its chip is damaged and answers nothing",
    ExitFault.SLOW_CARD: "it stands in the exit for two and a half seconds",
    ExitFault.FOREIGN_TAG: "its chip answers with an identity that is of no batch",
    ExitFault.OTHER_TRANSPONDER: "a chip card of another kind is held to the exit before it",
}


class RfidShoe(ReaderDevice):
    """The shoe. `order` a fault, and the next playing card drawn has it.

    `by_hand`: a card takes the time it takes; else it passes as fast as its records can be told
    apart.
    """

    def __init__(self, settings: FeigSettings | None = None, *, by_hand: bool = False) -> None:
        super().__init__(settings)
        self._reach_ms = REACH_MS if by_hand else AT_ONCE_MS
        self._through_ms = THROUGH_MS if by_hand else AT_ONCE_MS
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
        comes = Movement(AT_ONCE_MS, tag)
        up = Movement(self._reach_ms, GateChanges(GATE_INPUT, high=True))
        through_ms = SLOW_MS if fault is ExitFault.SLOW_CARD else self._through_ms
        down = Movement(through_ms, GateChanges(GATE_INPUT, high=False))
        match fault:
            case ExitFault.DOUBLE_READ:
                return comes, up, Movement(AT_ONCE_MS, tag), down
            case ExitFault.TWO_TAGS:
                beside = tuple(Movement(BESIDE_MS, _tag(next_.tag)) for next_ in self._row[:1])
                return comes, *beside, up, down
            case ExitFault.PULLED_BACK:
                return comes, Movement(PULLED_BACK_MS, tag), up, down
            case ExitFault.NO_TAG:
                # Nothing else comes near while a late tag could be taken for its own.
                alone = Movement(NO_TAG_MS, up.what)
                return alone, Movement(NO_TAG_MS, down.what)
            case ExitFault.OTHER_TRANSPONDER:
                other = TagComes(CHIP_CARD, kind=TrType.ISO14443A)
                return Movement(AT_ONCE_MS, other), comes, up, down
            case _:
                return comes, up, down


def _tag(digits: str) -> TagComes:
    return TagComes(bytes.fromhex(digits))
