"""Checkers of a soak run: each states one thing that must hold, and says where it does not."""

import re
from collections import Counter
from typing import ClassVar, Final

from msgspec.json import encode

from controller.core.build import build_core
from controller.core.core import Core
from controller.core.state import CoreState, encode_state
from controller.core.tape.entries import CommandGiven, CoreOutput, Entry, EventVerdicts
from controller.core.tape.inputs import Input, Started
from controller.custody.batch_life.stages import BatchStage
from controller.custody.card_states import CardPlace
from controller.custody.state import batch_counts, check_consistent
from controller.procedure.effects import (
    CoupClosed,
    CoupRecord,
    Refusal,
    ShoeEnded,
    ShoeOpened,
    WarningClosed,
    WarningOpened,
)
from controller.procedure.events import CardDrawn, ShoeDeviceStarted
from controller.procedure.irregularities import IrregularityCode as Code
from controller.procedure.people.setting_changes import effective_book
from controller.procedure.phases import Phase
from controller.procedure.shuffler.interlock import is_interlocked
from controller.procedure.verdicts import Irregularity
from controller.record.coup import open_coup_view
from controller.rules.actions.actions import OperatorAction, RecordAct
from controller.rules.actions.choices import ActKind
from controller.rules.actions.declaration import Role
from controller.rules.outcome import CoupFate
from controller.rules.profiles.load import load_clauses
from hil.dealing.mistakes import ONLY_REMARKED, Mistake
from hil.emulator.angel_eye.device import AngelEye
from hil.rig.shoe_models import NEEDS_KEYS
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


# The identities of the bench's cards.
_TAG: Final = re.compile(rb"E00401[0-9A-F]{10}")
# Profiles whose hands lie face down until they are turned or the result is declared.
FACE_DOWN: Final = ("ny-midi",)
# A whole snapshot takes long: it is read at every so many cards.
SNAPSHOT_EVERY: Final = 4


class NothingUndealtShown(Checker):
    """No output names a card in the shoe, or one that lies face down."""

    name = "nothing undealt is shown"

    def __init__(self, world: SoakWorld) -> None:
        super().__init__(world)
        self._cards = 0

    def concluded(self, before: CoreState, item: Input, output: CoreOutput) -> None:
        drawn = any(
            isinstance(one, EventVerdicts) and isinstance(one.event, CardDrawn)
            for one in output.entries
        )
        if not drawn:
            return
        self._cards += 1
        if self.world.scenario.profile in FACE_DOWN:
            self._check_face_down()
        if self.world.rfid and self._cards % SNAPSHOT_EVERY == 0:
            self._check_tags()

    def _check_tags(self) -> None:
        tags = {one.decode() for one in _TAG.findall(encode(self.world.bench.table.snapshot()))}
        inside = {one.tag for one in self.world.piles.shoe}
        if tags & inside:
            raise self.violated(f"the snapshot names {len(tags & inside)} cards in the shoe")

    def _check_face_down(self) -> None:
        table = self.world.table
        shoe = table.state.table.shoe
        if shoe is None or shoe.coup is None or shoe.coup.declared is not None:
            return
        shown = open_coup_view(effective_book(table.core.book, table.state.table), shoe, shoe.coup)
        cards = (*shown.player.cards, *shown.banker.cards, *shown.third)
        seen = [one.value for one in cards if one.value is not None]
        if seen or shown.player.count.value is not None:
            raise self.violated(f"the coup's view shows {seen or 'a count'} of hands face down")


class ReplayIsSame(Checker):
    """The inputs of a shoe, taken in by a fresh core, give the same entries and the same state."""

    name = "the journal is its replay"

    def __init__(self, world: SoakWorld) -> None:
        super().__init__(world)
        self._core: Core | None = None
        self._state: CoreState | None = None
        self._inputs = 0
        self._entries = 0

    def done(self, body: said.ScenarioBody) -> None:
        if isinstance(body, said.EmptyShoe):
            self.replay()

    def replay(self) -> None:
        """Replay what came in since the last call."""
        table = self.world.table
        if self._core is None or self._state is None:
            started = table.inputs[0]
            assert isinstance(started, Started), "a run begins with its start"
            self._core = build_core(started, load_clauses())
            self._state = self._core.initial()
        for item in table.inputs[self._inputs :]:
            if isinstance(item, Started):
                self._state = self._core.devices.read_state(encode_state(self._state))
            self._state, output = self._core.handle(self._state, item)
            known = tuple(table.entries[self._entries : self._entries + len(output.entries)])
            if known != output.entries:
                raise self.violated(f"another conclusion from {type(item).__name__}")
            self._entries += len(output.entries)
        self._inputs = len(table.inputs)
        if encode_state(self._state) != encode_state(table.state):
            raise self.violated("the state after the replay is another one")
        if self._entries != len(table.entries):
            raise self.violated("entries are left over")


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
        for mistake in made:
            if mistake is Mistake.CUT_CARD_DURING_BURN and world.shoe is not None:
                since = world.shoe.entries  # the burn was finished first
            raised = [one.code for one in irregularities_in(entries[since:])]
            if self._is_known(mistake) and CODE_OF[mistake] not in raised:
                raise self.violated(f"{mistake.value}, and on record: {raised or 'nothing'}")

    def _is_known(self, mistake: Mistake) -> bool:
        if mistake in ONLY_REMARKED or (self.world.rfid and mistake in NEEDS_KEYS):
            return False
        return mistake not in _LATER


# Mistakes that show with the next shoe, or before they are made.
_LATER: Final = (Mistake.SHOE_CHANGED_EARLY, Mistake.INSUFFICIENT_CARDS)


# What may follow from a mistake. A card drawn in error in the last hand is burned after it, and
# cards can only run out where the cut card lay too near the back.
_OVERDRAWN: Final = (Code.CARD_AFTER_LAST_COUP,)
_ALSO: Final = {
    Mistake.OVERDRAW_AFTER_NATURAL: _OVERDRAWN,
    Mistake.PLAYER_THIRD_WHEN_STANDING: _OVERDRAWN,
    Mistake.EXTRA_CARD: _OVERDRAWN,
    Mistake.INSUFFICIENT_CARDS: (Code.CUT_CARD_PLACEMENT,),
    # The exit is locked once the burn is over.
    Mistake.CUT_CARD_DURING_BURN: (Code.CARD_OUTSIDE_PLAY,),
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


# Faults that bring bytes later than they were sent: of the host, and of the line.
_LATE: Final = ("Befall", "delay", "stall")


class LossOnRecord(Checker):
    """Reports of the shoe that are lost for good are on record once later ones arrive."""

    name = "a gap of reports is on record"

    def __init__(self, world: SoakWorld) -> None:
        super().__init__(world)
        self._lost = 0
        self._since = 0
        self._open = 0
        self._later = 0

    def concluded(self, before: CoreState, item: Input, output: CoreOutput) -> None:
        if not isinstance(self.world.table.devices[SHOE_PORT], AngelEye):
            return
        if any(one.endswith(_LATE) for one in self.world.line_faults):
            return  # what was sent before the loss may come after it
        lost = self.world.reports_lost
        if lost > self._lost:
            self._lost = lost
            self._since = len(self.world.table.entries) - len(output.entries)
            self._later = 0
            self._open = self._open_shoe(before)
        drawn = any(
            isinstance(one, EventVerdicts) and isinstance(one.event, CardDrawn)
            for one in output.entries
        )
        self._later += drawn
        if self._open != self._open_shoe(self.world.table.state):
            self._open = 0
        if self._since and not self._open and _numbers_anew(output):
            self._since = 0  # nothing of a shoe was lost, and no number can show it any more
        if self._since and self._later > 1:
            known = self.world.table.entries[self._since :]
            said = irregularities_in(known)
            # Between two shoes a gap breaks nothing off: it is an event, and no irregularity.
            if not said and (self._of_shoe() or "ReportsMissing" not in repr(known)):
                raise self.violated("reports were lost, cards came later, and nothing is on record")
            self._since = 0

    def _open_shoe(self, state: CoreState) -> int:
        """The number of the shoe in play; 0: none."""
        shoe = state.table.shoe
        return 0 if shoe is None or shoe.ended else shoe.number

    def _of_shoe(self) -> bool:
        """Whether the same shoe was in play from the loss until now."""
        return self._open != 0


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


def _numbers_anew(output: CoreOutput) -> bool:
    """Whether the shoe has started: it numbers its reports from 0."""
    return any(
        isinstance(one, EventVerdicts) and isinstance(one.event, ShoeDeviceStarted)
        for one in output.entries
    )
