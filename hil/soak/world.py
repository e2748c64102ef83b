"""The truth of a simulated table while a scenario is played: what was dealt, what went wrong."""

from dataclasses import dataclass, field
from random import Random
from typing import Final

from hil.dealing.actions import (
    DealerAction,
    Draw,
    MistakeMade,
    Place,
    PressForcedExit,
    PressResult,
)
from hil.dealing.cards import Card, PhysicalCard
from hil.dealing.mistakes import Mistake
from hil.dealing.tableau import next_hand, winner
from hil.emulator.tablelink.shuffler import Shuffler
from hil.scenario.benches.simulated_bench import PORTS, SimulatedBench
from hil.scenario.language import statements as said
from hil.scenario.language.reading import Scenario
from hil.scenario.play.performing import Performer
from hil.simulation.batches import WitnessedShuffler

SHUFFLER_PORT: Final = PORTS[said.TablePart.SHUFFLER]
SHOE_PORT: Final = PORTS[said.TablePart.SHOE]
# Faults of the shoe's line that lose nothing and tell the program nothing wrong.
_HARMLESS_WIRE: Final = (said.WireFault.DUPLICATE, said.WireFault.SPLIT, said.WireFault.NONE)
# Faults of a card that leave its face, its place and the count of cards known.
_HARMLESS_CARD: Final = (
    said.CardFault.DOUBLE_READ,
    said.CardFault.SLOW_CARD,
    said.CardFault.PULLED_BACK,
    said.CardFault.OTHER_TRANSPONDER,
    said.CardFault.REPORTED_TWICE,
)

# Coups that a dealer leaves for void, whatever a floorperson decides.
_LEFT: Final = (
    Mistake.FORCED_EXIT,
    Mistake.MISSING_PLAYER_THIRD,
    Mistake.MISSING_BANKER_THIRD,
    Mistake.CUT_CARD_DURING_BURN,
    Mistake.SHOE_CHANGED_EARLY,
)

_DEALING: Final = (said.DealBurn, said.DealCoups, said.DrawNext)
# What people do to a batch in their hands, and what befalls batches in the shuffler.
_BY_HAND: Final = (
    said.RemoveCards,
    said.SwapCard,
    said.SwapAll,
    said.PutInOrder,
    said.HandShuffle,
)
_AT_SHUFFLER: Final = (
    said.Disturb,
    said.MovePlug,
    said.SwitchPower,
    said.StickSensor,
    said.JamMechanism,
    said.MoveDoor,
    said.LeaveCards,
    said.ReachIn,
    said.Lamp,
    said.TurnModeKey,
    said.Interfere,
)


@dataclass(slots=True)
class TrueCoup:
    """A coup as it was physically dealt, both hands in their order."""

    player: list[Card] = field(default_factory=list)
    banker: list[Card] = field(default_factory=list)
    pressed: bool = False

    @property
    def faces(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return tuple(map(str, self.player)), tuple(map(str, self.banker))

    @property
    def complete(self) -> bool:
        values = self._values
        return len(self.player) + len(self.banker) >= 4 and next_hand(*values) is None

    @property
    def winner(self) -> str:
        return winner(*self._values).value

    @property
    def _values(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return tuple(one.value for one in self.player), tuple(one.value for one in self.banker)

    def __str__(self) -> str:
        player, banker = self.faces
        return f"Player {' '.join(player)}, Banker {' '.join(banker)}"


@dataclass(slots=True)
class TrueShoe:
    """A loading of the shoe as it was physically dealt.

    `order` are its cards as they were loaded. `hidden` says why what the program saw may differ
    from what was dealt, empty if it cannot. `entries` were made before it was loaded.
    """

    back: str
    order: tuple[PhysicalCard, ...]
    entries: int
    defect: str = ""
    hidden: str = ""
    cards: int = 0
    coups: list[TrueCoup] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)


class SoakWorld:
    """A table on the simulated bench, with the truth of what is done at it.

    `line_faults` names what happened to the shoe, its line and the program's computer so far,
    `batch_faults` what happened to batches and the shuffler, `people_faults` what people did wrong:
    each empty while nothing did. `planned` are the mistakes that the dealer was ordered to make,
    `made` those that were made; `handled`: people did something to a batch in their hands.
    """

    def __init__(self, scenario: Scenario, seed: int) -> None:
        chance = Random(f"locks:{seed}")  # noqa: S311 - reproducible
        self.scenario = scenario
        self.bench = SimulatedBench(scenario, locks=chance.random() < 0.5, patient=False)
        self.table = self.bench.simulated
        self.performer = Performer(scenario, self.bench, seed)
        self.piles = self.performer.piles
        self.performer.dealer.watch = self._watch
        self.shoes: list[TrueShoe] = []
        self.made: list[Mistake] = []
        self.planned: list[Mistake] = []
        self.line_faults: list[str] = []
        self.batch_faults: list[str] = []
        self.people_faults: list[str] = []
        self.removed: list[PhysicalCard] = []
        self.handled = False
        self._orders: list[tuple[PhysicalCard, ...]] = []
        self._last_back = ""
        self._unfollowed = False

    @property
    def shoe(self) -> TrueShoe | None:
        """The shoe that was loaded last."""
        return self.shoes[-1] if self.shoes else None

    @property
    def shuffler(self) -> WitnessedShuffler | None:
        device = self.table.devices.get(SHUFFLER_PORT)
        return device if isinstance(device, WitnessedShuffler) else None

    @property
    def clean(self) -> bool:
        """Whether nothing has gone wrong yet but mistakes of the dealer."""
        return not (self.line_faults or self.batch_faults or self.people_faults)

    @property
    def last_fault(self) -> str:
        """What went wrong last with the shoe, else with what is around it."""
        hidden = self.shoe.hidden if self.shoe is not None else ""
        return hidden or [*self.people_faults, *self.batch_faults, *self.line_faults][-1]

    @property
    def rfid(self) -> bool:
        return self.scenario.shoe == "rfid"

    @property
    def reports_lost(self) -> int:
        """Reports of the shoe that its line has lost."""
        return self.bench.lines[said.TablePart.SHOE].lost

    def perform(self, body: said.ScenarioBody) -> None:
        """Do one statement. Raises NotPossible, RigBroken."""
        lost = self.reports_lost
        if self._unfollowed:
            self._unfollowed = False
            self.people_faults.append("the dealer did not do what the floorperson decided")
            self.hide(self.people_faults[-1])
        if self.table.state.table.suspension is not None and isinstance(body, _DEALING):
            self.people_faults.append("the dealer deals while the table is suspended")
        self._note(body)
        unloaded = self.piles.in_shoe if isinstance(body, said.EmptyShoe) else ""
        held = tuple(self.piles.held.get(getattr(body, "back", ""), ()))
        self.performer.perform(body)
        if isinstance(body, said.LoadShoe):
            self._loaded(body.back, held)
        if isinstance(body, said.RemoveCards | said.SwapCard | said.SwapAll):
            now = set(map(id, self.piles.held[body.back]))
            self.removed += [one for one in held if id(one) not in now]
        if unloaded and self.shoe is not None and self.shoe.coups:
            self._last_back = unloaded
        if self.reports_lost > lost:
            self.hide("reports of the shoe were lost on the line")

    def hide(self, why: str) -> None:
        """What the program sees of this shoe may differ from what is dealt."""
        if self.shoe is not None and not self.shoe.hidden:
            self.shoe.hidden = why

    # --- what is dealt --------------------------------------------------------------------------

    def _loaded(self, back: str, order: tuple[PhysicalCard, ...]) -> None:
        shoe = TrueShoe(back, order, len(self.table.entries), self._defect(back, order))
        self.shoes.append(shoe)
        self._orders.append(order)
        if shoe.defect:
            self.people_faults.append(f"the batch is {shoe.defect}")
        if self.line_faults:
            self.hide(self.line_faults[-1])

    def _defect(self, back: str, order: tuple[PhysicalCard, ...]) -> str:
        """What is truly wrong with a batch that goes into the shoe; empty if nothing."""
        whole = [one for one in self.piles.batches[back].cards if one.card is not None]
        if sorted(map(repr, order)) != sorted(map(repr, whole)):
            return "not whole"
        if self.shuffler is not None and order not in self.shuffler.orders:
            return "not shuffled"
        if order in self._orders:
            return "dealt before in this order"
        return "the same batch again" if back == self._last_back else ""

    def _watch(self, action: DealerAction) -> None:
        shoe = self.shoe
        if shoe is None:
            return
        match action:
            case Draw(card, Place.PLAYER | Place.BANKER as place, False):
                shoe.cards += 1
                if not shoe.coups or shoe.coups[-1].pressed:
                    shoe.coups.append(TrueCoup())
                coup = shoe.coups[-1]
                (coup.player if place is Place.PLAYER else coup.banker).append(card)
                self._see_draw()
            case Draw():
                shoe.cards += 1
                self._see_draw()
            case PressResult() | PressForcedExit():
                if shoe.coups:
                    shoe.coups[-1].pressed = True
            case MistakeMade(mistake):
                shoe.mistakes.append(mistake)
                self.made.append(mistake)
                self._unfollowed |= mistake in _LEFT
                if mistake in (Mistake.BURN_SHORT, Mistake.BURN_SKIPPED):
                    shoe.coups.clear()  # that card was a burn card after all
            case _:
                pass

    def _see_draw(self) -> None:
        """A card that nobody can report is hidden."""
        if not self.table.is_on:
            self.hide("a card left the shoe while the program did not run")
        elif not self.table.is_plugged(SHOE_PORT):
            self.hide("a card left the shoe while it was unplugged")

    # --- what goes wrong ------------------------------------------------------------------------

    def _note(self, body: said.ScenarioBody) -> None:
        """Note what this statement does to what the program can know."""
        name = type(body).__name__
        match body:
            case said.EmptyShoe():
                self._note_emptied()
            case said.Err(mistake=mistake):
                self.planned.append(mistake)
            case said.NextCardDoes(fault=fault):
                self.line_faults.append(f"the next card: {fault}")
                if fault not in _HARMLESS_CARD:
                    self.hide(f"a card: {fault}")
            case said.Disturb(part=said.TablePart.SHOE, fault=fault):
                self.line_faults.append(f"the line of the shoe: {fault}")
            case said.MovePlug(part=said.TablePart.SHOE) | said.Befall():
                self.line_faults.append(name)
            case said.SwitchPower(part=said.TablePart.SHOE | said.TablePart.TABLE):
                self.line_faults.append(name)
                self.hide("power was cut")
            case said.StickSensor(compartment=None):
                self.line_faults.append(name)
                self.hide("the gate was stuck")
            case _ if isinstance(body, _BY_HAND):
                # Without a shuffler a batch is shuffled by hand.
                if self.shuffler is not None or not isinstance(body, said.HandShuffle):
                    self.people_faults.append(name)
                    self.handled = True
            case _ if isinstance(body, _AT_SHUFFLER):
                self.batch_faults.append(name)
            case _:
                pass

    def _note_emptied(self) -> None:
        program = self.table.state.table
        over = program.shoe is not None and program.shoe.ended
        if self.shoe is not None and (program.suspension is not None or not over):
            self.people_faults.append("the shoe was emptied before it was over")


def pieces_in(shuffler: Shuffler | None) -> list[PhysicalCard]:
    """All cards in a shuffler: in its compartments, left behind in them, and in its tray."""
    if shuffler is None:
        return []
    found = list(shuffler.tray)
    for bay in shuffler.bays.values():
        found += [*bay.pieces, *bay.stuck]
    return found
