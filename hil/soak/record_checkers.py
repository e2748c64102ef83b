"""Checkers of what has to be on record: mistakes, warnings, lost reports, and nothing else."""

from typing import Final

from controller.core.state import CoreState
from controller.core.tape.entries import CoreOutput, EventVerdicts
from controller.core.tape.inputs import Input
from controller.procedure.effects import Refusal, ShoeEnded, WarningClosed, WarningOpened
from controller.procedure.events import CardDrawn, ShoeDeviceStarted
from controller.procedure.irregularities import IrregularityCode as Code
from controller.rules.actions.actions import OperatorAction, RecordAct
from controller.rules.actions.choices import ActKind
from controller.rules.actions.declaration import Role
from hil.dealing.mistakes import ONLY_REMARKED, Mistake
from hil.emulator.angel_eye.device import AngelEye
from hil.rig.shoe_models import NEEDS_KEYS
from hil.scenario.language import statements as said
from hil.soak.checkers import Checker, irregularities_in
from hil.soak.world import SHOE_PORT, SoakWorld

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
