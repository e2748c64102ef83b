"""Two batches of physical cards at a simulated table with a shuffler, and its people.

Source: NY (a)(4)(iv), S42 (a)(4).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from controller.core.manifest_binding import MANIFESTS
from controller.core.settings import DeviceSettings, Settings, ShufflerDeviceSettings
from controller.core.tape.entries import EventVerdicts
from controller.core.tape.inputs import ManifestGiven
from controller.custody.batch_life.permissions import obstacles_to_dealing
from controller.custody.batch_life.stages import READY, BatchStage
from controller.custody.batch_life.state import BatchLife, Lineage
from controller.custody.batch_life.warnings import clear_refusal
from controller.custody.manifest_csv import read_manifest
from controller.procedure.people.permitted import permitted_decisions
from controller.procedure.verdicts import Irregularity
from controller.rules.actions.actions import ClearWarning, CloseShoe, DeclareResult, Resolution
from controller.rules.actions.choices import FloorDecision, Provisional
from controller.rules.actions.declaration import Role
from controller.rules.outcome import Outcome
from drivers.shoes.rfid_model import FEIG_RFID, RfidSettings
from firmware_bridge.attestation import ApprovedImage, Pin, Trust
from foundation.message import message
from hil.dealing.cards import PhysicalCard
from hil.dealing.tableau import is_pair, next_hand, winner
from hil.dealing.tags import BACKS, usual_batches
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.feig.rfid_shoe import RfidShoe
from hil.emulator.tablelink.compartment import CompartmentPhase, CompartmentRecord, Operation
from hil.emulator.tablelink.mechanism import ShufflerSettings
from hil.emulator.tablelink.order_rules import ALLOWED_STATES
from hil.emulator.tablelink.shuffler import Shuffler
from hil.emulator.tablelink.wire import RequestType
from hil.rig.batch_exchange import compartment_of, playing_cards
from hil.simulation.power import PoweredTable

SHOE: Final = "/dev/shoe"
SHUFFLER: Final = "/dev/shuffler"
BY_BENCH: Final = message("as_typed", typed="the bench")
MS: Final = 1_000_000
S: Final = 1_000_000_000
CARD_NS: Final = 300 * MS
SLOW: Final = ShufflerSettings(
    load_card_ns=5 * MS, count_card_ns=5 * MS, shuffle_ns=20 * S, store_ns=S, release_ns=S
)
# Longer than the longest operation.
PATIENCE_NS: Final = 25 * S
ROUNDS_MAX: Final = 40
NEXT: Final = MappingProxyType(
    {
        CompartmentPhase.LOADING: "count",
        CompartmentPhase.HELD: "count",
        CompartmentPhase.COUNTED: "shuffle",
        CompartmentPhase.SHUFFLED: "store",
    }
)
WHOLE_BATCHES: Final[Mapping[str, tuple[PhysicalCard, ...]]] = MappingProxyType(
    {batch.back: playing_cards(batch) for batch in usual_batches()}
)
Order = tuple[PhysicalCard, ...]


class WitnessedShuffler(Shuffler):
    """`orders` are the card orders that complete shuffles produced, which no device reports."""

    def __init__(self, settings: ShufflerSettings) -> None:
        super().__init__(settings)
        self.orders: list[Order] = []

    def _end_shuffle(self, number: int, before: CompartmentRecord, operation: Operation) -> None:
        try:
            super()._end_shuffle(number, before, operation)
        finally:
            if not self.lies:
                self.orders.append(tuple(self.bays[number].pieces))


@dataclass(frozen=True, slots=True)
class FirstCard:
    """The first card of a shoe: its back, what was truly wrong with the shoe (empty if nothing),

    and the number of entries before it.
    """

    back: str
    defect: str
    entries: int


def trust_of(shuffler: Shuffler) -> Trust:
    """The trust of a table that has paired this shuffler and approved its firmware."""
    pins = shuffler.pins
    image = ApprovedImage(bytes.fromhex(pins.image), pins.version, pins.security_counter)
    return Trust(Pin(bytes.fromhex(pins.device), bytes.fromhex(pins.key), "bench", 1), (image,))


class BatchTable(PoweredTable):
    """A table with two batches. `tags`: its shoe is an RFID shoe, else an Angel Eye.

    `held_cards` are the cards in people's hands by their back, `shoe_cards` those in the shoe,
    `drawn_cards` those drawn from it.
    """

    def __init__(
        self,
        profile: str = "s42-mini",
        *,
        tags: bool = False,
        locks: bool = False,
        shuffler: ShufflerSettings = SLOW,
        trust: Trust | None = None,
    ) -> None:
        self.shuffler = WitnessedShuffler(shuffler)
        self.shoe: AngelEye | RfidShoe = RfidShoe() if tags else AngelEye()
        model = "feig-rfid" if tags else "angel-eye-ii-ex"
        driver = FEIG_RFID.to_store(RfidSettings(gate_input=1)) if tags else b""
        shoe = DeviceSettings(SHOE, model, driver, allow_commands=locks)
        paired = trust or trust_of(self.shuffler)
        device = ShufflerDeviceSettings(SHUFFLER, "tablelink", trust=paired)
        settings = Settings("SIM-1", "bench", 8, 6 * 3600, (), shoe, shuffler=device)
        self.held_cards: dict[str, list[PhysicalCard]] = {
            back: list(WHOLE_BATCHES[back]) for back in BACKS
        }
        self.shoe_cards: list[PhysicalCard] = []
        self.drawn_cards: list[PhysicalCard] = []
        self.dealt_orders: list[Order] = []
        self.last_back = ""
        self.coups = 0
        self.first_cards: list[FirstCard] = []
        self.declared: DeclareResult | None = None
        self._player: list[PhysicalCard] = []
        self._banker: list[PhysicalCard] = []
        super().__init__(settings, profile, {SHOE: self.shoe, SHUFFLER: self.shuffler})
        self.advance(S)
        for batch in usual_batches() if tags else ():
            content = MANIFESTS.encode(read_manifest(batch.csv()))
            self.take(ManifestGiven(self.at, batch.name, BY_BENCH, content))

    # The program's state.

    @property
    def lineage(self) -> Lineage:
        return self.state.table.lineage

    def life(self, back: str) -> BatchLife:
        """The batch's life as the program knows it."""
        life = self.lineage.life(back)
        return BatchLife(back) if life is None else life

    def irregularities(self, since: int = 0) -> list[Irregularity]:
        """The irregularities raised from that entry on."""
        judged = [one for one in self.entries[since:] if isinstance(one, EventVerdicts)]
        return [v for one in judged for v in one.verdicts if isinstance(v, Irregularity)]

    # People at the shuffler.

    def press(self, button: str, back: str, wait_ns: int = PATIENCE_NS) -> None:
        """Press a button and wait until the operation is over, at most `wait_ns`."""
        self.shuffler.press(button, compartment_of(back))
        self.advance(100 * MS)
        if wait_ns:
            self.settle(lambda: not self.shuffler.busy, wait_ns)
            self.advance(100 * MS)

    def fill_tray(self, back: str) -> None:
        """Put its cards into the tray."""
        self.shuffler.put_in(self.held_cards[back])
        self.held_cards[back].clear()

    def shuffle_and_store(self, back: str) -> None:
        """Put a batch in and have it counted, shuffled and stored."""
        self.fill_tray(back)
        for button in ("load", "count", "shuffle", "store"):
            self.press(button, back)

    def take_out(self, back: str) -> None:
        """Take out what is released of it."""
        self.held_cards[back].extend(self.shuffler.take(compartment_of(back)))
        self.advance(100 * MS)

    def release_and_take(self, back: str) -> None:
        """Release a stored batch and take it out."""
        self.press("release", back)
        self.take_out(back)

    def empty_by_door(self, back: str) -> None:
        """Take all cards of its compartment out by the door, and those in the tray."""
        number = compartment_of(back)
        self.shuffler.clear_jam(number)
        self.shuffler.open_door(number)
        self.advance(100 * MS)
        count = len(self.shuffler.bays[number].pieces)
        self.held_cards[back].extend(self.shuffler.reach_in(number, out=count))
        self.advance(100 * MS)
        self.shuffler.close_door(number)
        self.held_cards[back].extend(self.shuffler.tray)
        self.shuffler.tray.clear()
        self.advance(100 * MS)

    # Dealing.

    def fill_shoe(self, back: str) -> None:
        """Put the batch in people's hands into the shoe; switch on a shoe with keys."""
        assert not self.shoe_cards, "there are cards in the shoe"
        self.shoe_cards, self.drawn_cards = list(self.held_cards[back]), []
        self.held_cards[back].clear()
        self._player, self._banker = [], []
        if isinstance(self.shoe, AngelEye):
            self.shoe.power_on()
        self.advance(CARD_NS)

    def draw(self) -> PhysicalCard:
        """Draw one card."""
        if not self.drawn_cards:
            first = self.shoe_cards[0]
            self.first_cards.append(FirstCard(first.back, self._shoe_defect(), len(self.entries)))
            self.dealt_orders.append(tuple(self.shoe_cards))
            self.coups = 0
        piece = self.shoe_cards.pop(0)
        self.drawn_cards.append(piece)
        assert piece.card is not None
        if isinstance(self.shoe, RfidShoe):
            self.shoe.draw_piece(piece)
        else:
            self.shoe.draw(piece.card)
        self.advance(CARD_NS)
        return piece

    def burn(self) -> None:
        """Draw the first card and burn as many as its value."""
        first = self.draw()
        assert first.card is not None
        for _ in range(first.card.burn_value):
            self.draw()
        self.stand_by()

    def stand_by(self) -> None:
        """Press stand-by after the burn or the coup."""
        if isinstance(self.shoe, AngelEye):
            self.shoe.stand_by()
        self.advance(CARD_NS)

    def draw_coup_card(self) -> bool:
        """Draw the card that is due in the coup; False if none is."""
        player, banker = _values(self._player), _values(self._banker)
        hand = next_hand(player, banker)
        if hand is None:
            return False
        (self._player if hand.value == "player" else self._banker).append(self.draw())
        return True

    def end_coup(self) -> None:
        """End the coup: press its result, or declare it at a shoe without keys."""
        won = winner(_values(self._player), _values(self._banker))
        pairs = [
            is_pair(tuple(one.card for one in hand if one.card is not None))
            for hand in (self._player, self._banker)
        ]
        self.declared = DeclareResult(Outcome(won.value), *pairs)
        if isinstance(self.shoe, AngelEye):
            self.shoe.press_result(won, *pairs)
        else:
            self.act(self.declared)
        self.advance(CARD_NS)
        self.stand_by()
        self._player, self._banker = [], []
        self.coups += 1

    @property
    def coup_open(self) -> bool:
        """Whether a coup has begun and has no result."""
        return bool(self._player)

    def deal_coup(self) -> None:
        """Deal a whole coup."""
        while self.draw_coup_card():
            pass
        self.end_coup()

    def close_shoe(self) -> None:
        """Close the shoe as a floorperson."""
        self.act(CloseShoe(), Role.FLOORPERSON)
        self.advance(CARD_NS)

    def collect_cards(self) -> None:
        """Take all cards of the shoe, drawn or not, into people's hands."""
        if isinstance(self.shoe, AngelEye) and self.drawn_cards:
            self.shoe.draw_cut_card()  # otherwise it takes the next cards for the same shoe
            self.advance(CARD_NS)
        if self.drawn_cards:
            # A shoe from which no coup was dealt does not count as a turn.
            self.last_back = self.drawn_cards[0].back if self.coups else ""
        for piece in (*self.drawn_cards, *self.shoe_cards):
            self.held_cards[piece.back].append(piece)
        self.shoe_cards, self.drawn_cards = [], []

    def deal_shoe(self, back: str) -> None:
        """Deal a shoe of one coup."""
        self.fill_shoe(back)
        self.burn()
        self.deal_coup()
        self.close_shoe()
        self.collect_cards()

    def _shoe_defect(self) -> str:
        """What is truly wrong with the shoe whose first card is about to be drawn."""
        order, back = tuple(self.shoe_cards), self.shoe_cards[0].back
        if sorted(map(str, order)) != sorted(map(str, WHOLE_BATCHES[back])):
            return "not whole"
        if order not in self.shuffler.orders:
            return "not shuffled"
        if order in self.dealt_orders:
            return "dealt before in this order"
        return "the same batch again" if back == self.last_back else ""

    # Recovery.

    def resolve(self, decision: FloorDecision) -> None:
        """Take that decision as a floorperson, if it is permitted."""
        if decision in permitted_decisions(self.core.book, self.state.table, Provisional.TAKE_OVER):
            resolution = Resolution(decision, Provisional.TAKE_OVER)
            self.act(resolution, Role.FLOORPERSON)

    def clear_all(self) -> None:
        """As a floorperson clear every warning that can be cleared, and decide what is open."""
        for one in self.lineage.warnings:
            if clear_refusal(self.lineage, one.number) is None:
                self.act(ClearWarning(one.number), Role.FLOORPERSON, "looked into")
        for _ in range(ROUNDS_MAX):
            if not self.state.table.open_irregularities:
                return
            self.resolve_if_permitted()

    def attend(self, back: str, done: Callable[[], bool]) -> bool:
        """Do one step after the other with a batch until `done`; whether that was reached."""
        for _ in range(ROUNDS_MAX):
            self.clear_all()
            if done():
                return True
            self._next_step(back)
        return done()

    def bring_to_stored(self, back: str) -> bool:
        """Bring it into the shuffler, shuffled and stored; whether the program knows it there."""
        return self.attend(back, lambda: self.life(back).stage is BatchStage.STORED)

    def bring_to_ready(self, back: str) -> bool:
        """Bring it into people's hands, ready to be dealt; whether the program agrees."""

        def ready() -> bool:
            fit = self.life(back).stage in READY and not obstacles_to_dealing(self.lineage, back)
            return fit and len(self.held_cards[back]) == len(WHOLE_BATCHES[back])

        return self.attend(back, ready)

    def _next_step(self, back: str) -> None:
        """Do the next step with a batch that is not yet where it should be."""
        number = compartment_of(back)
        holding = self.shuffler.compartment_record(number).phase
        stage = self.life(back).stage
        if self.shuffler.busy:
            self.advance(PATIENCE_NS)
        elif self.shuffler.tray or holding is CompartmentPhase.EMPTY:
            for piece in self.shuffler.tray:
                self.held_cards[piece.back].append(piece)
            self.shuffler.tray.clear()
            if holding in ALLOWED_STATES[RequestType.LOAD]:
                self.fill_tray(back)
                self.press("load", back)
        elif holding is CompartmentPhase.STORED:
            self.press("release", back)
        elif holding is CompartmentPhase.RELEASED:
            self.take_out(back)
        elif holding is CompartmentPhase.SHUFFLED and stage is not BatchStage.SHUFFLED:
            self.empty_by_door(back)
        else:
            self.press(NEXT[holding], back)


def _values(hand: list[PhysicalCard]) -> tuple[int, ...]:
    return tuple(one.card.value for one in hand if one.card is not None)
