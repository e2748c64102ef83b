"""Does what a scenario says, statement by statement, with the hands of a bench."""

from functools import singledispatchmethod
from typing import Final

from controller.core.script.statements import FLOORPERSON, Burn, DueCard, HandCard
from controller.procedure.events import (
    CardDrawn,
    CoupForcedOut,
    CutCardDrawn,
    ResultDeclared,
    ShoeDeviceStarted,
    ShoeStandsBy,
)
from controller.rules.actions.actions import ClearWarning, OperatorAction
from controller.rules.actions.declaration import Role
from controller.rules.cards import Card as Face
from controller.rules.coup import Place
from hil.dealing.actions import PressResult
from hil.dealing.cards import PhysicalCard
from hil.dealing.tableau import Winner
from hil.dealing.tags import BACKS
from hil.rig.batch_exchange import compartment_of
from hil.scenario.language import statements as said
from hil.scenario.language.reading import Scenario
from hil.scenario.play.bench import Bench, NotPossible
from hil.scenario.play.dealing import ScenarioDealer, declare
from hil.scenario.play.piles import Piles

_REPORTED: Final = (
    "a device reports this, and no hand can do it. Remedy: let a device do it, with a statement of"
    " hil/scenario/README.md"
)
_BUTTONS: Final = ("load", "count", "shuffle", "store")


class Performer:
    """The people of a scenario: dealer, floorperson, attendant of the shuffler, intruder."""

    def __init__(self, scenario: Scenario, bench: Bench, seed: int) -> None:
        self._bench = bench
        self.piles = Piles(seed, shuffled=not scenario.shuffler)
        self.dealer = self._dealer = ScenarioDealer(seed, self.piles, bench.shoe, bench.table)
        self._loaded = False

    def perform(self, body: said.ScenarioBody) -> str:
        """Do it; where and why dealing stopped, if it did. Raises NotPossible, RigBroken."""
        self._bench.table.disturbances.note(body)
        stopped = self._do(body)
        self._bench.table.settle()
        return stopped or ""

    @singledispatchmethod
    def _do(self, body: object) -> str | None:
        raise NotPossible(_REPORTED)

    # --- the dealing language ------------------------------------------------------------------

    @_do.register
    def _(self, body: Burn) -> None:
        self._switch_on()
        self._draw(body.first)
        for face in body.further:
            if face is None:
                self._draw_next()
            else:
                self._draw(face)

    @_do.register
    def _(self, body: HandCard) -> None:
        self._draw(body.card)

    @_do.register
    def _(self, body: DueCard) -> None:
        self._draw(body.card)

    @_do.register
    def _(self, body: CardDrawn) -> None:
        outside = body.claimed is Place.OUTSIDE
        if outside:
            self._bench.shoe.turn_setting_key(on=True)
        self._draw(body.card, burn_key=body.claimed is Place.BURN_EXTRA)
        if outside:
            self._bench.shoe.turn_setting_key(on=False)

    @_do.register
    def _(self, body: CutCardDrawn) -> None:
        self._switch_on()
        self._bench.shoe.draw(self._cut_card())

    @_do.register
    def _(self, body: ResultDeclared) -> None:
        pressed = PressResult(Winner(body.outcome.value), body.player_pair, body.banker_pair)
        declare(self._bench.table, self._bench.shoe, pressed)

    @_do.register
    def _(self, body: ShoeStandsBy) -> None:
        self._bench.shoe.press_stand_by()

    @_do.register
    def _(self, body: CoupForcedOut) -> None:
        self._bench.shoe.press_forced_exit()

    @_do.register
    def _(self, body: ShoeDeviceStarted) -> None:
        self._bench.shoe.power(on=True)

    @_do.register
    def _(self, body: OperatorAction) -> None:  # type: ignore[type-arg]
        self._bench.table.act(body.action, body.role, body.person, body.reason)

    # --- cards and the dealer ------------------------------------------------------------------

    @_do.register
    def _(self, body: said.HandShuffle) -> None:
        self.piles.shuffle(body.back, body.keeping)

    @_do.register
    def _(self, body: said.PutInOrder) -> None:
        self.piles.sort(body.back)

    @_do.register
    def _(self, body: said.SwapCard) -> None:
        at = body.position or self.piles.place_of(body.back, body.old)
        self.piles.swap(body.back, at, body.face, other_batch=body.other_batch)

    @_do.register
    def _(self, body: said.SwapAll) -> None:
        self.piles.swap_all(body.back)

    @_do.register
    def _(self, body: said.RemoveCards) -> None:
        self.piles.remove(body.back, body.cards)

    @_do.register
    def _(self, body: said.CutCardAt) -> None:
        self.piles.cut_from_back = body.from_back

    @_do.register
    def _(self, body: said.LoadShoe) -> None:
        self._bench.shoe.put_cards_in(self.piles.fill_shoe(body.back))
        self._dealer.shoe_loaded()
        self._loaded = True

    @_do.register
    def _(self, body: said.EmptyShoe) -> None:
        self._bench.lay_in_rack(self.piles.drawn)
        self._bench.shoe.take_cards_out()
        self.piles.collect()
        self._dealer.shoe_emptied()

    @_do.register
    def _(self, body: said.DealBurn) -> str:
        return self._dealer.deal_burn()

    @_do.register
    def _(self, body: said.DealCoups) -> str:
        return self._dealer.deal_coups(body.coups, careless=body.careless)

    @_do.register
    def _(self, body: said.Err) -> None:
        self._dealer.err(body.mistake)

    @_do.register
    def _(self, body: said.DrawNext) -> None:
        if body.card is None:
            self._draw_next()
        else:
            self._draw(body.card)

    @_do.register
    def _(self, body: said.NextCardDoes) -> None:
        if body.fault is said.CardFault.DOUBLE_FEED:
            self._dealer.double_feeds += 1
        else:
            self._bench.shoe.plan(body.fault)

    @_do.register
    def _(self, body: said.FloorDecides) -> None:
        self._bench.table.decide()

    @_do.register
    def _(self, body: said.FloorClears) -> None:
        table = self._bench.table
        shuffler = table.snapshot().shuffler
        for one in shuffler.warnings if shuffler is not None else ():
            if not one.active:
                table.act(ClearWarning(one.number), Role.FLOORPERSON, FLOORPERSON, "put right")

    # --- the shuffler --------------------------------------------------------------------------

    @_do.register
    def _(self, body: said.PutIn) -> None:
        self._put_in(body.back)

    @_do.register
    def _(self, body: said.TakeOut) -> None:
        taken = self._bench.shuffler.take_out(compartment_of(body.back))
        self.piles.held[body.back].extend(taken)

    @_do.register
    def _(self, body: said.Press) -> None:
        self._bench.shuffler.press(body.button, body.compartment, at_once=body.at_once)

    @_do.register
    def _(self, body: said.ShuffleBatch) -> None:
        self._put_in(body.back)
        for button in _BUTTONS:
            self._bench.shuffler.press(button, compartment_of(body.back))

    @_do.register
    def _(self, body: said.BringOut) -> None:
        number = compartment_of(body.back)
        self._bench.shuffler.press("release", number)
        self.piles.held[body.back].extend(self._bench.shuffler.take_out(number))

    @_do.register
    def _(self, body: said.MoveDoor) -> None:
        self._bench.shuffler.move_door(body.compartment, is_open=body.is_open)

    @_do.register
    def _(self, body: said.JamMechanism) -> None:
        self._bench.shuffler.jam(body.compartment, jammed=body.jammed)

    @_do.register
    def _(self, body: said.StickSensor) -> None:
        if body.compartment is None:
            self._bench.shoe.stick_gate(stuck=body.stuck)
        else:
            self._bench.shuffler.stick_door(body.compartment, stuck=body.stuck)

    @_do.register
    def _(self, body: said.LeaveCards) -> None:
        if body.cards:
            self._bench.shuffler.leave_cards(body.cards, body.compartment)
            return
        for piece in self._bench.shuffler.take_left_cards():
            self.piles.held[piece.back].append(piece)

    @_do.register
    def _(self, body: said.ReachIn) -> None:
        taken = self._bench.shuffler.reach_in(compartment_of(body.back))
        self.piles.held[body.back].extend(taken)

    @_do.register
    def _(self, body: said.TurnModeKey) -> None:
        self._bench.shuffler.turn_mode_key(body.mode)

    @_do.register
    def _(self, body: said.Lamp) -> None:
        self._bench.shuffler.light(body.code, body.text, on=body.on)

    @_do.register
    def _(self, body: said.Interfere) -> None:
        self._bench.shuffler.interfere(body.how)

    # --- cables, power, time -------------------------------------------------------------------

    @_do.register
    def _(self, body: said.MovePlug) -> None:
        self._bench.move_plug(body.part, plugged=body.plugged)

    @_do.register
    def _(self, body: said.SwitchPower) -> None:
        match body.part:
            case said.TablePart.SHOE:
                self._bench.shoe.power(on=body.on)
            case said.TablePart.SHUFFLER:
                self._bench.shuffler.power(on=body.on)
            case _:
                self._bench.table.power(on=body.on)

    @_do.register
    def _(self, body: said.Befall) -> None:
        self._bench.table.befall(body.fault, body.ns)

    @_do.register
    def _(self, body: said.Disturb) -> None:
        self._bench.disturb(body)

    @_do.register
    def _(self, body: said.Wait) -> None:
        self._bench.table.wait(body.ns)

    # --- pieces ---------------------------------------------------------------------------------

    def _switch_on(self) -> None:
        """A script without a loading begins with red cards in a shoe that is switched on."""
        if not self._loaded:
            self.perform(said.LoadShoe(BACKS[0]))

    def _draw(self, face: Face | None, *, burn_key: bool = False) -> None:
        """Draw the next card with that face; None: one that the shoe cannot read."""
        self._switch_on()
        shoe = self._bench.shoe
        if face is None:
            shoe.draw(self.piles.next_piece(), burn_key=burn_key, readable=False)
        else:
            shoe.draw(self.piles.piece_with(face), burn_key=burn_key)
        self._bench.table.catch_up()

    def _draw_next(self) -> None:
        self._switch_on()
        self._bench.shoe.draw(self.piles.next_piece())
        self._bench.table.catch_up()

    def _cut_card(self) -> PhysicalCard:
        left = [one for one in self.piles.shoe if one.card is None]
        if left:
            self.piles.shoe.remove(left[0])
            return left[0]
        return self.piles.batches[self.piles.in_shoe or "red"].cut_cards[-1]

    def _put_in(self, back: str) -> None:
        cards = self.piles.held[back]
        if not cards:
            raise NotPossible(f"no card of {back} is in people's hands")
        self._bench.shuffler.put_in(tuple(cards))
        cards.clear()
