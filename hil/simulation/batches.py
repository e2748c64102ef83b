"""Two batches of real pieces of plastic at a simulated table with a shuffler, and its people.

Responsible for: where every card lies, which order a whole shuffle left behind, dealing from what
is in the shoe, and the attendant who brings a batch round whatever went wrong.
Not responsible for: what the program makes of it, power of its computer (simulated_power) and the
devices (hil.emulator).
Source: package README, "The simulated table", "The exchange"; NY (a)(4)(iv), S42 (a)(4).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from controller.core.manifest_binding import MANIFESTS
from controller.core.settings import Settings, ShoeDeviceSettings, ShufflerDeviceSettings
from controller.custody.batch_life.permissions import clear_refused, hindrances
from controller.custody.batch_life.stages import READY, BatchStage
from controller.custody.batch_life.state import BatchLife, Lineage
from controller.custody.manifest_csv import read_manifest
from controller.procedure.decisions import Decision, Provisional, Resolution
from controller.procedure.people.suspension import permitted_decisions
from controller.procedure.verdicts import Irregularity
from controller.rules.outcome import Outcome
from controller.tape.actions import ClearWarning, CloseShoe, DeclareResult, Resolve, Role
from controller.tape.entries import Judged
from controller.tape.inputs import ManifestGiven
from firmware_bridge.attestation import ApprovedImage, Pin, Trust
from hil.dealing.cards import PhysicalCard
from hil.dealing.tableau import is_pair, next_hand, winner
from hil.dealing.tags import BACKS, usual_batches
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.feig.rfid_shoe import RfidShoe
from hil.emulator.tablelink.compartment import Holding, Operation, Standing
from hil.emulator.tablelink.mechanism import ShufflerSettings
from hil.emulator.tablelink.order_rules import FROM
from hil.emulator.tablelink.shuffler import Shuffler
from hil.emulator.tablelink.wire import Ask
from hil.rig.batch_exchange import compartment_of, playing_cards
from hil.simulation.power import PoweredTable

SHOE: Final = "/dev/shoe"
SHUFFLER: Final = "/dev/shuffler"
MS: Final = 1_000_000
S: Final = 1_000_000_000
CARD_NS: Final = 300 * MS
SLOW: Final = ShufflerSettings(
    load_card_ns=5 * MS, count_card_ns=5 * MS, shuffle_ns=20 * S, store_ns=S, release_ns=S
)
# How long each takes at most, and a second.
PATIENCE_NS: Final = 25 * S
ROUNDS_MAX: Final = 40
NEXT: Final = MappingProxyType(
    {
        Holding.LOADING: "count",
        Holding.HELD: "count",
        Holding.COUNTED: "shuffle",
        Holding.SHUFFLED: "store",
    }
)
WHOLE: Final[Mapping[str, tuple[PhysicalCard, ...]]] = MappingProxyType(
    {batch.back: playing_cards(batch) for batch in usual_batches()}
)
Order = tuple[PhysicalCard, ...]


class WitnessedShuffler(Shuffler):
    """`orders` are those that whole shuffles left behind, as a witness inside would see them."""

    def __init__(self, settings: ShufflerSettings) -> None:
        super().__init__(settings)
        self.orders: list[Order] = []

    def _shuffled(self, number: int, before: Standing, operation: Operation) -> None:
        try:
            super()._shuffled(number, before, operation)
        finally:
            self.orders.append(tuple(self.bays[number].pieces))


@dataclass(frozen=True, slots=True)
class FirstCard:
    """The first card of a shoe: of which back, what was wrong with the shoe in truth (empty:

    nothing), and how many entries there were before it.
    """

    back: str
    wrong: str
    entries: int


def trust_in(shuffler: Shuffler) -> Trust:
    """As if it was paired and its firmware approved."""
    pins = shuffler.pins
    image = ApprovedImage(bytes.fromhex(pins.image), pins.version, pins.security_counter)
    return Trust(Pin(bytes.fromhex(pins.device), bytes.fromhex(pins.key), "bench", 1), (image,))


class BatchTable(PoweredTable):
    """`tags`: its shoe reads them; else it is an Angel Eye. `at` hands are whole or broken batches

    by their back, `row` is what lies in the shoe, `gone` what left it.
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
        shoe = ShoeDeviceSettings(
            *(SHOE, model, locks, "0-9A-F", "stx_counted", 250), gate_input=1 if tags else 0
        )
        paired = trust or trust_in(self.shuffler)
        beside = ShufflerDeviceSettings(SHUFFLER, "tablelink", trust=paired)
        settings = Settings("SIM-1", "bench", 8, 6 * 3600, (), shoe, shuffler=beside)
        self.hands: dict[str, list[PhysicalCard]] = {back: list(WHOLE[back]) for back in BACKS}
        self.row: list[PhysicalCard] = []
        self.gone: list[PhysicalCard] = []
        self.used: list[Order] = []
        self.played_before = ""
        self.coups = 0
        self.firsts: list[FirstCard] = []
        self.declared: DeclareResult | None = None
        self._player: list[PhysicalCard] = []
        self._banker: list[PhysicalCard] = []
        super().__init__(settings, profile, {SHOE: self.shoe, SHUFFLER: self.shuffler})
        self.later(S)
        for batch in usual_batches() if tags else ():
            content = MANIFESTS.encode(read_manifest(batch.csv()))
            self.take(ManifestGiven(self.at, batch.name, "the bench", content))

    # What the program knows.

    @property
    def lineage(self) -> Lineage:
        return self.state.table.lineage

    def life(self, back: str) -> BatchLife:
        """What is known of that batch."""
        life = self.lineage.life(back)
        return BatchLife(back) if life is None else life

    def irregular(self, since: int = 0) -> list[Irregularity]:
        """What was raised, from that entry on."""
        judged = [one for one in self.entries[since:] if isinstance(one, Judged)]
        return [v for one in judged for v in one.verdicts if isinstance(v, Irregularity)]

    # Hands at the shuffler.

    def press(self, button: str, back: str, wait_ns: int = PATIENCE_NS) -> None:
        """Press, and wait until that is over, at most so long."""
        self.shuffler.press(button, compartment_of(back))
        self.later(100 * MS)
        if wait_ns:
            self.settle(lambda: not self.shuffler.busy, wait_ns)
            self.later(100 * MS)

    def lay_in(self, back: str) -> None:
        """Its cards go into the tray."""
        self.shuffler.put_in(self.hands[back])
        self.hands[back].clear()

    def put_away(self, back: str) -> None:
        """A batch goes in, is counted, shuffled and stored."""
        self.lay_in(back)
        for button in ("load", "count", "shuffle", "store"):
            self.press(button, back)

    def take_out(self, back: str) -> None:
        """What is released of it comes into people's hands."""
        self.hands[back].extend(self.shuffler.take(compartment_of(back)))
        self.later(100 * MS)

    def bring_out(self, back: str) -> None:
        """A stored batch is released and taken out."""
        self.press("release", back)
        self.take_out(back)

    def reach_for(self, back: str) -> None:
        """All cards of a compartment are taken out by its door, and what lies in the tray."""
        number = compartment_of(back)
        self.shuffler.clear_jam(number)
        self.shuffler.open_door(number)
        self.later(100 * MS)
        count = len(self.shuffler.bays[number].pieces)
        self.hands[back].extend(self.shuffler.reach_in(number, out=count))
        self.later(100 * MS)
        self.shuffler.close_door(number)
        self.hands[back].extend(self.shuffler.tray)
        self.shuffler.tray.clear()
        self.later(100 * MS)

    # Dealing.

    def fill_shoe(self, back: str) -> None:
        """The batch in people's hands goes into the shoe; a shoe with keys is switched on."""
        assert not self.row, "cards lie in the shoe"
        self.row, self.gone = list(self.hands[back]), []
        self.hands[back].clear()
        self._player, self._banker = [], []
        if isinstance(self.shoe, AngelEye):
            self.shoe.power_on()
        self.later(CARD_NS)

    def draw(self) -> PhysicalCard:
        """One card leaves the shoe."""
        if not self.gone:
            first = self.row[0]
            self.firsts.append(FirstCard(first.back, self._wrong(), len(self.entries)))
            self.used.append(tuple(self.row))
            self.coups = 0
        piece = self.row.pop(0)
        self.gone.append(piece)
        assert piece.card is not None
        if isinstance(self.shoe, RfidShoe):
            self.shoe.draw_piece(piece)
        else:
            self.shoe.draw(piece.card)
        self.later(CARD_NS)
        return piece

    def burn(self) -> None:
        """The first card, and as many as it says."""
        first = self.draw()
        assert first.card is not None
        for _ in range(first.card.burn_value):
            self.draw()
        self.stand_by()

    def stand_by(self) -> None:
        """The burn or the coup is over."""
        if isinstance(self.shoe, AngelEye):
            self.shoe.stand_by()
        self.later(CARD_NS)

    def coup_card(self) -> bool:
        """The card that is due in the coup; whether one was."""
        player, banker = _values(self._player), _values(self._banker)
        hand = next_hand(player, banker)
        if hand is None:
            return False
        (self._player if hand.value == "player" else self._banker).append(self.draw())
        return True

    def result(self) -> None:
        """The coup is over: its result is pressed, or declared where there are no keys."""
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
        self.later(CARD_NS)
        self.stand_by()
        self._player, self._banker = [], []
        self.coups += 1

    @property
    def coup_open(self) -> bool:
        """Whether a coup was begun and has no result."""
        return bool(self._player)

    def coup(self) -> None:
        """A whole coup."""
        while self.coup_card():
            pass
        self.result()

    def close(self) -> None:
        """A floorperson ends the shoe."""
        self.act(CloseShoe(), Role.FLOORPERSON)
        self.later(CARD_NS)

    def gather(self) -> None:
        """All cards that were in the shoe, drawn or not, come into people's hands."""
        if isinstance(self.shoe, AngelEye) and self.gone:
            self.shoe.draw_cut_card()  # else it takes what comes next for the same shoe
            self.later(CARD_NS)
        if self.gone:
            # A shoe from which no coup was dealt leaves the turn open.
            self.played_before = self.gone[0].back if self.coups else ""
        for piece in (*self.gone, *self.row):
            self.hands[piece.back].append(piece)
        self.row, self.gone = [], []

    def deal_shoe(self, back: str) -> None:
        """A shoe of one coup."""
        self.fill_shoe(back)
        self.burn()
        self.coup()
        self.close()
        self.gather()

    def _wrong(self) -> str:
        """What is in truth wrong with the shoe whose first card is about to leave."""
        row, back = tuple(self.row), self.row[0].back
        if sorted(map(str, row)) != sorted(map(str, WHOLE[back])):
            return "not whole"
        if row not in self.shuffler.orders:
            return "not shuffled"
        if row in self.used:
            return "dealt before in this order"
        return "the same batch again" if back == self.played_before else ""

    # Setting right.

    def resolve(self, decision: Decision) -> None:
        """A floorperson decides so, where that is permitted."""
        if decision in permitted_decisions(self.state.table, Provisional.TAKE_OVER):
            resolution = Resolution(decision, Provisional.TAKE_OVER)
            self.act(Resolve(resolution), Role.FLOORPERSON)

    def clear_all(self) -> None:
        """A floorperson clears what can be cleared, and decides what is open."""
        for one in self.lineage.warnings:
            if not clear_refused(self.lineage, one.number):
                self.act(ClearWarning(one.number), Role.FLOORPERSON, "looked into")
        for _ in range(ROUNDS_MAX):
            if not self.state.table.open_irregularities:
                return
            self.resolve_anyhow()

    def attend(self, back: str, done: Callable[[], bool]) -> bool:
        """The attendant brings a batch round until `done`, by what shuffler and program tell."""
        for _ in range(ROUNDS_MAX):
            self.clear_all()
            if done():
                return True
            self._one_more(back)
        return done()

    def store_anyhow(self, back: str) -> bool:
        """It lies shuffled in the shuffler, and the program knows."""
        return self.attend(back, lambda: self.life(back).stage is BatchStage.STORED)

    def ready_anyhow(self, back: str) -> bool:
        """It is in people's hands and may be dealt from, as the program knows."""

        def ready() -> bool:
            fit = self.life(back).stage in READY and not hindrances(self.lineage, back)
            return fit and len(self.hands[back]) == len(WHOLE[back])

        return self.attend(back, ready)

    def _one_more(self, back: str) -> None:
        """The next thing to do with a batch that is not where it should be."""
        number = compartment_of(back)
        holding = self.shuffler.standing(number).holding
        stage = self.life(back).stage
        if self.shuffler.busy:
            self.later(PATIENCE_NS)
        elif self.shuffler.tray or holding is Holding.EMPTY:
            for piece in self.shuffler.tray:
                self.hands[piece.back].append(piece)
            self.shuffler.tray.clear()
            if holding in FROM[Ask.LOAD]:
                self.lay_in(back)
                self.press("load", back)
        elif holding is Holding.STORED:
            self.press("release", back)
        elif holding is Holding.RELEASED:
            self.take_out(back)
        elif holding is Holding.SHUFFLED and stage is not BatchStage.SHUFFLED:
            self.reach_for(back)
        else:
            self.press(NEXT[holding], back)


def _values(hand: list[PhysicalCard]) -> tuple[int, ...]:
    return tuple(one.card.value for one in hand if one.card is not None)
