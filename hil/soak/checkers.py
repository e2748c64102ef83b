"""Checkers of a soak run: each states one thing that must hold, and says where it does not."""

from collections import Counter
from typing import ClassVar, Final

from controller.core.state import CoreState
from controller.core.tape.entries import CommandGiven, CoreOutput, Entry, EventVerdicts
from controller.core.tape.inputs import Input
from controller.custody.batch_life.stages import BatchStage
from controller.custody.card_states import CardPlace
from controller.custody.state import batch_counts, check_consistent
from controller.procedure.effects import (
    CoupClosed,
    CoupFate,
    CoupRecord,
    ShoeEnded,
    ShoeOpened,
)
from controller.procedure.irregularities import IrregularityCode as Code
from controller.procedure.phases import Phase
from controller.procedure.shuffler.interlock import is_interlocked
from controller.procedure.verdicts import Irregularity
from controller.rules.actions.actions import OperatorAction
from hil.emulator.angel_eye.device import AngelEye
from hil.scenario.language import statements as said
from hil.soak.world import SHOE_PORT, SoakWorld, TrueShoe, pieces_in

CARDS_OF_A_BATCH: Final = 8 * 52


class Violated(Exception):
    """Something that must hold does not. `checker` is its name."""

    def __init__(self, checker: str, what: str) -> None:
        super().__init__(f"{checker}: {what}")
        self.checker = checker
        self.what = what


class Checker:
    """One thing that must hold. Each hook is called at its moment and raises Violated."""

    name: ClassVar[str] = ""

    def __init__(self, world: SoakWorld) -> None:
        self.world = world

    def concluded(self, before: CoreState, item: Input, output: CoreOutput) -> None:
        """The program has taken in one input; nothing was written to a device yet."""

    def done(self, body: said.ScenarioBody) -> None:
        """A statement was done, or was not possible."""

    def violated(self, what: str) -> Violated:
        return Violated(self.name, what)


def irregularities_in(entries: tuple[Entry, ...] | list[Entry]) -> list[Irregularity]:
    """The irregularities raised in these entries."""
    judged = [one for one in entries if isinstance(one, EventVerdicts)]
    return [v for one in judged for v in one.verdicts if isinstance(v, Irregularity)]


class CardsConserved(Checker):
    """Every physical card is in one place, and the program's counts of a batch add up to it."""

    name = "cards are conserved"

    def concluded(self, before: CoreState, item: Input, output: CoreOutput) -> None:
        state = self.world.table.state
        if state.custody is before.custody:
            return
        check_consistent(state.custody)
        for batch in batch_counts(state.custody):
            cards = sum(number for _, number in batch.places)
            if cards != CARDS_OF_A_BATCH:
                raise self.violated(f"batch {batch.batch} has {cards} cards by its places")

    def done(self, body: said.ScenarioBody) -> None:
        world, piles = self.world, self.world.piles
        found = [*piles.drawn, *(one for one in piles.shoe if one.card is not None)]
        found += [one for cards in piles.held.values() for one in cards]
        found += [*pieces_in(world.shuffler), *world.removed]
        twice = [tag for tag, count in Counter(one.tag for one in found).items() if count > 1]
        if twice and not world.people_faults:
            raise self.violated(f"{len(twice)} cards are in two places")
        known = {one.tag for one in found}
        for batch in piles.batches.values():
            gone = [one for one in batch.cards if one.card is not None and one.tag not in known]
            if gone:
                raise self.violated(f"{len(gone)} cards of {batch.back} are nowhere")
        self._check_drawn()

    def _check_drawn(self) -> None:
        """Where nothing was hidden, the program has counted every card that left the shoe."""
        world, shoe = self.world, self.world.table.state.table.shoe
        if not world.clean or shoe is None or shoe.joined or world.shoe is None:
            return
        if world.shoe.cards and not shoe.ended and shoe.cards_drawn != world.shoe.cards:
            raise self.violated(
                f"{world.shoe.cards} cards left the shoe, the program counts {shoe.cards_drawn}"
            )
        custody = world.table.state.custody
        if custody.shoe is None or not custody.shoe.in_play or shoe.ended:
            return
        for batch in batch_counts(custody):
            inside = dict(batch.places)[CardPlace.SHOE]
            left = CARDS_OF_A_BATCH - world.shoe.cards
            if batch.batch == custody.shoe.in_play and inside != left:
                raise self.violated(f"{left} cards are in the shoe, {inside} by custody")


_AGAIN: Final = "the same batch again"


class OneBatchInPlay(Checker):
    """Two batches are never in play, and a batch in play is whole, shuffled and the other one."""

    name = "one batch in play"

    def concluded(self, before: CoreState, item: Input, output: CoreOutput) -> None:
        lineage = self.world.table.state.table.lineage
        in_play = [one.back for one in lineage.lives if one.stage is BatchStage.IN_PLAY]
        if len(in_play) > 1:
            raise self.violated(f"in play are {' and '.join(in_play)}")

    def done(self, body: said.ScenarioBody) -> None:
        """A batch that is truly wrong gives an irregularity at its first cards."""
        world, shoe = self.world, self.world.shoe
        if isinstance(body, said.EmptyShoe):
            self._check_repeated()
        if shoe is None or not isinstance(body, said.DealBurn) or not shoe.cards:
            return
        if not shoe.defect or world.line_faults or world.handled:
            return  # what people do with cards in their hands nobody sees
        shuffler = world.shuffler
        if shuffler is None:
            if not (world.rfid and shoe.defect == _AGAIN):
                return
        elif shuffler.lies or shuffler.bays[1].miscounts:
            return  # nor what an approved machine lies about
        entries = world.table.entries[shoe.entries :]
        # Of a shoe that was emptied before its end an RFID shoe sees nothing.
        if shoe.defect == _AGAIN and not any(isinstance(one, ShoeOpened) for one in entries):
            return
        if not irregularities_in(entries):
            raise self.violated(f"the shoe is {shoe.defect}, and nothing is on record")

    def _check_repeated(self) -> None:
        """A shoe of tagged cards of the batch of the shoe before does not count unremarked."""
        world, shoe = self.world, self.world.shoe
        if shoe is None or shoe.defect != _AGAIN or not world.rfid:
            return
        if world.handled or world.line_faults or world.shuffler is not None:
            return
        entries = world.table.entries[shoe.entries :]
        # Of a shoe that was joined in play nobody knows which batch was dealt before.
        opened = any(isinstance(one, ShoeOpened) and not one.joined for one in entries)
        raised = {one.code for one in irregularities_in(entries)}
        if opened and Code.BATCH_REPEATED not in raised:
            raise self.violated("the same batch was dealt again, and that is not on record")


class NoEffectWithoutEntry(Checker):
    """A command goes to a shoe only with an entry that says so."""

    name = "no effect without entry"

    def __init__(self, world: SoakWorld) -> None:
        super().__init__(world)
        self._owed = 0
        self._last = b""

    def concluded(self, before: CoreState, item: Input, output: CoreOutput) -> None:
        if not isinstance(self.world.table.devices[SHOE_PORT], AngelEye):
            return
        written = [data for port, data in output.writes if port == SHOE_PORT and data]
        given = [one for one in output.entries if isinstance(one, CommandGiven)]
        # A command may wait for the answer to the one before; one without an answer is repeated.
        self._owed += len(given)
        for data in written:
            self._owed -= data != self._last or bool(given)
            self._last = data
            if self._owed < 0:
                raise self.violated(f"{data!r} was written, and no command is on record")


class LockedWhileSuspended(Checker):
    """Where the program may lock the exit, it is locked while the table is suspended."""

    name = "locked while suspended"

    def done(self, body: said.ScenarioBody) -> None:
        world = self.world
        device = world.table.devices[SHOE_PORT]
        if world.line_faults or not world.table.core.locks or not isinstance(device, AngelEye):
            return
        table, book = world.table.state.table, world.table.core.book
        wanted = table.phase is Phase.SUSPENDED or is_interlocked(book, table)
        if device.locked is not wanted and not isinstance(body, said.LoadShoe | OperatorAction):
            raise self.violated(
                f"the exit is {'locked' if device.locked else 'free'}, and the table is"
                f" {table.phase.value}"
            )


class CoupAsDealt(Checker):
    """A coup that counts was dealt so, once; its number follows the one before."""

    name = "no coup counted that was not dealt so"

    def __init__(self, world: SoakWorld) -> None:
        super().__init__(world)
        self._number = 0
        self._matched = 0
        self._outcomes: Counter[str] = Counter()

    def concluded(self, before: CoreState, item: Input, output: CoreOutput) -> None:
        for entry in output.entries:
            if isinstance(entry, ShoeOpened):
                self._number = 0
                self._outcomes.clear()
            elif isinstance(entry, ShoeEnded):
                self._check_tally(entry)
            elif isinstance(entry, CoupClosed):
                self._check_number(entry.record)
                if entry.record.fate is CoupFate.COUNTED:
                    self._check(entry.record)

    def _check_tally(self, ended: ShoeEnded) -> None:
        """The sums of the shoe are those of its coups."""
        counted = self._outcomes
        sums = {"player": ended.player, "banker": ended.banker, "tie": ended.tie}
        if self.world.clean and any(counted[name] != number for name, number in sums.items()):
            raise self.violated(f"the shoe's sums are {sums}, its coups {dict(counted)}")

    def _check_number(self, record: CoupRecord) -> None:
        if record.coup <= self._number:
            raise self.violated(f"coup {record.coup} follows coup {self._number}")
        if self.world.clean and record.coup != self._number + 1:
            raise self.violated(f"coup {record.coup} follows coup {self._number}")
        self._number = record.coup
        if record.outcome is not None:
            self._outcomes[record.outcome.value] += 1

    def _check(self, record: CoupRecord) -> None:
        shoe = self.world.shoe
        if shoe is None:
            raise self.violated(f"coup {record.coup} is counted, and no shoe was loaded")
        faces = faces_of(record)
        coups = [one for each in self.world.shoes for one in each.coups]
        for number in range(self._matched, len(coups)):
            dealt = coups[number]
            if dealt.faces == faces:
                self._matched = number + 1
                if record.outcome is None or record.outcome.value != dealt.winner:
                    raise self.violated(f"{dealt} was won by {dealt.winner}: {record.outcome}")
                if not dealt.complete:
                    raise self.violated(f"{dealt} was not complete and counts")
                return
        self._check_hidden(record, shoe, faces)

    def _check_hidden(self, record: CoupRecord, shoe: TrueShoe, faces: object) -> None:
        # What is counted now may have been dealt from the shoe before.
        since = self.world.shoes[-2].entries if len(self.world.shoes) > 1 else 0
        raised = irregularities_in(self.world.table.entries[since:])
        if not shoe.hidden and self.world.clean:
            dealt = "; ".join(map(str, shoe.coups[-2:]))
            raise self.violated(f"coup {record.coup} counts {faces}; dealt was {dealt}")
        if raised or record.irregular or self._is_misread():
            return
        raise self.violated(
            f"coup {record.coup} counts {faces} and was not dealt so"
            f" ({self.world.last_fault}), and nothing is on record"
        )

    def _is_misread(self) -> bool:
        """A face that a shoe reads wrongly, and that changes no result, nobody can know."""
        return any("misread" in one for one in self.world.line_faults)


def faces_of(record: CoupRecord) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Both hands of a record as the bench writes their cards."""
    hands = []
    for name in ("player", "banker"):
        placed = [one.card for one in record.cards if one.place.value.startswith(name)]
        hands.append(tuple(str(card).upper() for card in placed))
    return hands[0], hands[1]


class EveryCoupCounted(Checker):
    """Where nothing but the dealer went wrong, each coup that was dealt to its end is on record."""

    name = "every coup is on record"

    def __init__(self, world: SoakWorld) -> None:
        super().__init__(world)
        self._closed = 0

    def concluded(self, before: CoreState, item: Input, output: CoreOutput) -> None:
        closed = [one.record.fate for one in output.entries if isinstance(one, CoupClosed)]
        self._closed += len(closed)
        void = CoupFate.VOID in closed or CoupFate.PARTIAL in closed
        if void and self.world.clean and not self.world.planned:
            raise self.violated("a coup does not count, and nothing is wrong with it")

    def done(self, body: said.ScenarioBody) -> None:
        world = self.world
        if not world.clean or world.made or world.table.state.table.suspension is not None:
            return
        dealt = sum(one.pressed for shoe in world.shoes for one in shoe.coups)
        if self._closed != dealt:
            raise self.violated(f"{dealt} coups were dealt, {self._closed} are on record")


class ShoeOverAfterLastHand(Checker):
    """Where nothing went wrong, the shoe is over once its last hand was dealt, and not before."""

    name = "the last hand ends the shoe"

    def done(self, body: said.ScenarioBody) -> None:
        world = self.world
        if not world.clean or world.planned or not isinstance(body, said.DealCoups):
            return
        shoe = world.table.state.table.shoe
        if body.coups == 0 and world.shoe is not None and (shoe is None or not shoe.ended):
            raise self.violated("the last hand was dealt, and the shoe is not over")
