"""A shuffler of the firmware rig: the reference firmware, ARM code on a board that QEMU emulates.

The board counts cards and reads no faces: the bench keeps the pieces, and shuffles them itself.
"""

import json
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Final

from hil.dealing.cards import PhysicalCard
from hil.reference_firmware.build import FirmwareRole, FirmwareUnable
from hil.reference_firmware.qemu import EmulatedBoard
from hil.scenario.benches.program_side import ProgramSide
from hil.scenario.language.statements import Interference
from hil.scenario.play.bench import NotPossible, RigBroken, ShufflerHands

# A shuffle of the board, in ms of its own time, and one that does not end meanwhile.
PACE_MS: Final = 50
POLL_S: Final = 0.02
# The stage at which the program knows that the work of a button is over.
_STAGES: Final = MappingProxyType(
    {"count": "counted", "shuffle": "shuffled", "store": "stored", "release": "released"}
)
_HELD: Final = "held"
# Of a board that has heard no program for four seconds.
_UNHEARD: Final = "the host is silent"


class BoardHands:
    """Hands at the board. `table` is the program's, once it is there."""

    def __init__(self, board: EmulatedBoard) -> None:
        self._board = board
        self.table: ProgramSide | None = None
        self._tray: list[PhysicalCard] = []
        self._inside: dict[int, list[PhysicalCard]] = {1: [], 2: []}
        self._left: list[PhysicalCard] = []
        self._shuffles = 0
        self._do(f"pace {PACE_MS}")

    def put_in(self, cards: Sequence[PhysicalCard]) -> None:
        """Lay them into the tray: they go into the compartment that is loaded next."""
        self._tray.extend(cards)

    def press(self, button: str, compartment: int, *, at_once: bool = False) -> None:
        self._do(f"press {button} {compartment}")
        if button == "load":
            self._feed(compartment)
        elif button == "shuffle":
            self._shuffles += 1
            Random(f"board:{self._shuffles}").shuffle(self._inside[compartment])  # noqa: S311
        if not at_once and button in _STAGES:
            self._await_stage(compartment, _STAGES[button])

    def take_out(self, compartment: int) -> tuple[PhysicalCard, ...]:
        self._do(f"take {compartment}")
        return self._emptied(compartment)

    def reach_in(self, compartment: int) -> tuple[PhysicalCard, ...]:
        self.move_door(compartment, is_open=True)
        self._do(f"take {compartment}")
        self.move_door(compartment, is_open=False)
        return self._emptied(compartment)

    def move_door(self, compartment: int, *, is_open: bool) -> None:
        self._do(f"door {'open' if is_open else 'close'} {compartment}")

    def stick_door(self, compartment: int, *, stuck: bool) -> None:
        """Raises NotPossible."""
        raise NotPossible("no sensor of the board gets stuck")

    def jam(self, compartment: int, *, jammed: bool) -> None:
        self._do(f"jam {compartment}" if jammed else f"unjam {compartment}")

    def leave_cards(self, count: int, compartment: int) -> None:
        pieces = self._inside[compartment]
        self._left, self._inside[compartment] = pieces[:count], pieces[count:]
        self._do(f"residual {compartment} {count}")

    def take_left_cards(self) -> tuple[PhysicalCard, ...]:
        taken, self._left = tuple(self._left), []
        for compartment in self._inside:
            self._do(f"residual {compartment} 0")
        return taken

    def turn_mode_key(self, mode: str) -> None:
        """Raises NotPossible."""
        raise NotPossible("the board of the reference firmware has no mode key")

    def light(self, code: int, text: str, *, on: bool) -> None:
        self._do(f"warn {code} {text}" if on else f"unwarn {code}")

    def interfere(self, how: Interference) -> None:
        """Open it. Raises NotPossible for what a board cannot have done to it."""
        if how is not Interference.OPENED:
            raise NotPossible(f"the board of the reference firmware cannot be {how.value}")
        self._do("tamper the port was opened")

    def power(self, *, on: bool) -> None:
        """Stop the board, its time included; start it again with what its memory kept."""
        if on:
            self._board.resume()
            self._board.power_cycle()
            self._do(f"pace {PACE_MS}")
        else:
            self._board.hang()

    def _feed(self, compartment: int) -> None:
        """The tray's cards go in, one back after the other."""
        for back in dict.fromkeys(one.back for one in self._tray):
            count = sum(one.back == back for one in self._tray)
            self._do(f"put {compartment} {count} {back}")
        self._inside[compartment].extend(self._tray)
        self._tray.clear()

    def _emptied(self, compartment: int) -> tuple[PhysicalCard, ...]:
        pieces, self._inside[compartment] = self._inside[compartment], []
        return tuple(pieces)

    def _do(self, stimulus: str) -> None:
        """Do something to the board. Raises NotPossible with its answer, RigBroken."""
        patience = self.table.patience() if self.table is not None else None
        while (answer := self._answer(stimulus)) != "ok":
            # A program that starts, or that a busy machine starves, is heard again.
            if not answer.endswith(_UNHEARD) or patience is None or patience.is_over:
                raise NotPossible(f"the board answers to `{stimulus}`: {answer}")
            time.sleep(POLL_S)

    def _answer(self, stimulus: str) -> str:
        try:
            return self._board.stimulus(stimulus)
        except FirmwareUnable as error:
            raise RigBroken(str(error)) from error

    def _await_stage(self, compartment: int, stage: str) -> None:
        """Wait until the program knows the end of the work, which the board reports to it alone."""
        backs = {one.back for one in self._inside[compartment]}
        assert self.table is not None, "no button is pressed before the program is there"
        patience = self.table.patience()
        while True:
            shown = self.table.snapshot().shuffler
            batches = shown.batches if shown is not None else ()
            stages = {str(one.stage) for one in batches if one.back in backs}
            if stages & {stage, _HELD}:
                return
            if patience.is_over:
                raise RigBroken(f"the batch was not {stage}: {patience.account()}")
            time.sleep(POLL_S)


class FirmwareShuffler:
    """The board on its TCP port; it is a bare device, and nothing pairs it."""

    def __init__(self, board: EmulatedBoard) -> None:
        self._url = board.url
        self._hands = BoardHands(board)

    @property
    def hands(self) -> ShufflerHands:
        return self._hands

    def attach(self, table: ProgramSide) -> None:
        """The program that has this shuffler."""
        self._hands.table = table

    def section(self, folder: Path) -> str:
        """Its section of table.toml."""
        return f"[shuffler]\nport = {json.dumps(self._url)}\nbare = true\n\n"

    def move_plug(self, *, plugged: bool) -> None:
        """Raises NotPossible."""
        raise NotPossible("the board's line cannot be pulled without ending it")


def firmware_shuffler(stack: ExitStack) -> FirmwareShuffler:
    """Build the firmware and run it in QEMU. Raises RigBroken, which says what is missing."""
    try:
        return FirmwareShuffler(stack.enter_context(EmulatedBoard(FirmwareRole.SHUFFLER)))
    except FirmwareUnable as error:
        raise RigBroken(str(error)) from error
