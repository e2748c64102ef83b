"""Checkers of a soak run: each states one thing that must hold, and says where it does not.

Source: hil/soak/README.md, "Checkers".
"""

from collections import Counter
from typing import ClassVar, Final

from controller.actions.actions import OperatorAction, RecordAct
from controller.actions.choices import ActKind
from controller.actions.declaration import Role
from controller.core.state import CoreState
from controller.custody.batch_life.stages import BatchStage
from controller.custody.state import batch_counts, check_consistent
from controller.procedure.effects import (
    CoupClosed,
    CoupFate,
    CoupRecord,
    Refusal,
    ShoeEnded,
    ShoeOpened,
    WarningClosed,
    WarningOpened,
)
from controller.procedure.events import CardDrawn
from controller.procedure.irregularities import IrregularityCode as Code
from controller.procedure.phases import Phase
from controller.procedure.shuffler.interlock import is_interlocked
from controller.procedure.verdicts import Irregularity
from controller.tape.entries import CommandGiven, CoreOutput, Entry, EventVerdicts
from controller.tape.inputs import Input
from hil.dealing.mistakes import ONLY_REMARKED, Mistake
from hil.emulator.angel_eye.device import AngelEye
from hil.rig.shoe_models import NEEDS_KEYS
from hil.scenario.language import statements as said
from hil.soak.world import SHOE_PORT, DealtShoe, SoakWorld, pieces_in

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
        if shoe is None or not isinstance(body, said.DealBurn) or not shoe.cards:
            return
        if world.shuffler is None or not shoe.defect or world.line_faults:
            return
        # What people do with cards in their hands, and what a machine lies about, nobody sees.
        if world.people_faults or world.shuffler.lies or world.shuffler.bays[1].miscounts:
            return
        if not irregularities_in(world.table.entries[shoe.entries :]):
            raise self.violated(f"the shoe is {shoe.defect}, and nothing is on record")


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

    def concluded(self, before: CoreState, item: Input, output: CoreOutput) -> None:
        for entry in output.entries:
            if isinstance(entry, ShoeOpened):
                self._number = 0
            elif isinstance(entry, CoupClosed):
                self._check_number(entry.record)
                if entry.record.fate is CoupFate.COUNTED:
                    self._check(entry.record)

    def _check_number(self, record: CoupRecord) -> None:
        if record.coup <= self._number:
            raise self.violated(f"coup {record.coup} follows coup {self._number}")
        if self.world.clean and record.coup != self._number + 1:
            raise self.violated(f"coup {record.coup} follows coup {self._number}")
        self._number = record.coup

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

    def _check_hidden(self, record: CoupRecord, shoe: DealtShoe, faces: object) -> None:
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
        self._closed += sum(isinstance(one, CoupClosed) for one in output.entries)

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


# The irregularity that a mistake of the dealer is. A second cut card that comes too early, cards
# that run out, come after the cut card lay wrongly, which shows first.
CODE_OF: Final = {
    Mistake.BURN_SHORT: Code.BURN_SHORT,
    Mistake.BURN_LONG: Code.BURN_OVER,
    Mistake.BURN_SKIPPED: Code.BURN_SKIPPED,
    Mistake.OVERDRAW_AFTER_NATURAL: Code.OVERDRAW,
    Mistake.PLAYER_THIRD_WHEN_STANDING: Code.OVERDRAW,
    Mistake.EXTRA_CARD: Code.OVERDRAW,
    Mistake.MISSING_PLAYER_THIRD: Code.MISSING_CARD,
    Mistake.MISSING_BANKER_THIRD: Code.MISSING_CARD,
    Mistake.WRONG_RESULT: Code.RESULT_MISMATCH,
    Mistake.CARD_AFTER_LAST_HAND: Code.CARD_AFTER_LAST_COUP,
    Mistake.CUT_CARD_DURING_BURN: Code.CUT_CARD_IN_BURN,
    Mistake.CUT_CARD_NEAR_BACK: Code.CUT_CARD_PLACEMENT,
    Mistake.THIRD_CUT_CARD: Code.CUT_CARD_EXTRA,
    Mistake.SHOE_CHANGED_EARLY: Code.SHOE_CHANGED_EARLY,
    Mistake.FORCED_EXIT: Code.FORCED_EXIT,
    Mistake.INSUFFICIENT_CARDS: Code.INSUFFICIENT_CARDS,
    Mistake.CARD_IN_SETTING_MODE: Code.CARD_OUTSIDE_PLAY,
}


class MistakesOnRecord(Checker):
    """Each mistake of the dealer gives its irregularity."""

    name = "every mistake is on record"

    def __init__(self, world: SoakWorld) -> None:
        super().__init__(world)
        self._known = 0
        self._raised = 0
        self._undecided = False

    def concluded(self, before: CoreState, item: Input, output: CoreOutput) -> None:
        # A table that waits for a decision follows the dealer, who does what nobody decided.
        self._undecided |= before.table.suspension is not None

    def done(self, body: said.ScenarioBody) -> None:
        world = self.world
        entries = world.table.entries
        since, self._raised = self._raised, len(entries)
        made, self._known = world.made[self._known :], len(world.made)
        undecided, self._undecided = self._undecided, False
        if not world.clean or undecided or not world.table.is_on:
            return
        raised = [one.code for one in irregularities_in(entries[since:])]
        for mistake in made:
            if self._is_known(mistake) and CODE_OF[mistake] not in raised:
                raise self.violated(f"{mistake.value}, and on record: {raised or 'nothing'}")

    def _is_known(self, mistake: Mistake) -> bool:
        if mistake in ONLY_REMARKED or (self.world.rfid and mistake in NEEDS_KEYS):
            return False
        return mistake not in _LATER


# Mistakes that show with the next shoe, or in a shoe that is dealt to its last cards.
_LATER: Final = (
    Mistake.SHOE_CHANGED_EARLY,
    Mistake.CUT_CARD_NEAR_BACK,
    Mistake.INSUFFICIENT_CARDS,
    Mistake.CUT_CARD_DURING_BURN,
)


# What may follow from a mistake. A card drawn in error in the last hand is burned after it, and
# cards can only run out where the cut card lay too near the back.
_OVERDRAWN: Final = (Code.CARD_AFTER_LAST_COUP,)
_ALSO: Final = {
    Mistake.OVERDRAW_AFTER_NATURAL: _OVERDRAWN,
    Mistake.PLAYER_THIRD_WHEN_STANDING: _OVERDRAWN,
    Mistake.EXTRA_CARD: _OVERDRAWN,
    Mistake.INSUFFICIENT_CARDS: (Code.CUT_CARD_PLACEMENT,),
}


class NoFalseAlarm(Checker):
    """Where nobody and nothing went wrong, nothing is raised; and a mistake gives only its own."""

    name = "no false alarm"

    def concluded(self, before: CoreState, item: Input, output: CoreOutput) -> None:
        if not self.world.clean or self._is_wrong_batch():
            return
        caused = {CODE_OF.get(one) for one in self.world.planned}
        for one in self.world.planned:
            caused |= {Code.DEALT_WHILE_SUSPENDED, *_ALSO.get(one, ())}
        raised = [one for one in irregularities_in(output.entries) if one.code not in caused]
        warned = [one for one in output.entries if isinstance(one, WarningOpened)]
        if raised:
            raise self.violated(f"{raised[0].code.value} was raised, and nothing is wrong")
        if warned:
            raise self.violated(f"a warning of {warned[0].kind.value}, and nothing is wrong")

    def _is_wrong_batch(self) -> bool:
        return any(one.defect for one in self.world.shoes)


class WarningsInterlock(Checker):
    """A card that is drawn while a warning of the shuffler is open gives an irregularity."""

    name = "a warning interlocks"

    def __init__(self, world: SoakWorld) -> None:
        super().__init__(world)
        self._open: dict[int, int] = {}

    def concluded(self, before: CoreState, item: Input, output: CoreOutput) -> None:
        entries = self.world.table.entries
        for entry in output.entries:
            if isinstance(entry, WarningOpened):
                self._open[entry.number] = len(entries)
            elif isinstance(entry, WarningClosed):
                self._open.pop(entry.number, None)
        drawn = [
            one
            for one in output.entries
            if isinstance(one, EventVerdicts) and isinstance(one.event, CardDrawn)
        ]
        if drawn and self._open and before.table.suspension is None:
            since = max(0, min(self._open.values()) - len(output.entries))
            if not irregularities_in(entries[since:]):
                raise self.violated("a card was drawn under a warning, and nothing is on record")


class LossOnRecord(Checker):
    """Reports of the shoe that are lost for good are on record once later ones arrive."""

    name = "a gap of reports is on record"

    def __init__(self, world: SoakWorld) -> None:
        super().__init__(world)
        self._lost = 0
        self._since = 0
        self._later = 0

    def concluded(self, before: CoreState, item: Input, output: CoreOutput) -> None:
        if not isinstance(self.world.table.devices[SHOE_PORT], AngelEye):
            return
        lost = self.world.reports_lost
        if lost > self._lost:
            self._lost = lost
            self._since = len(self.world.table.entries) - len(output.entries)
            self._later = 0
        drawn = any(
            isinstance(one, EventVerdicts) and isinstance(one.event, CardDrawn)
            for one in output.entries
        )
        self._later += drawn
        if self._since and self._later > 1:
            known = self.world.table.entries[self._since :]
            if not irregularities_in(known) and "ReportsMissing" not in repr(known):
                raise self.violated("reports were lost, cards came later, and nothing is on record")
            self._since = 0


class PersonRefused(Checker):
    """Who may not decide is refused, and nothing happens."""

    name = "the wrong person is refused"

    def concluded(self, before: CoreState, item: Input, output: CoreOutput) -> None:
        match item:
            case OperatorAction(role=Role.DEALER, action=RecordAct(kind=ActKind.SHOE_EMPTY)):
                refused = any(isinstance(one, Refusal) for one in output.entries)
                ended = any(isinstance(one, ShoeEnded) for one in output.entries)
                if not refused or ended:
                    raise self.violated("a dealer stated that the shoe is empty")
            case _:
                pass
