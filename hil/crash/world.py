"""The table's world during a scripted exchange: devices and people who outlive the program.

Responsible for: a script of two shoes with an exchange between them, played at emulated devices by
the program itself on a real journal; and coming back to the moment where an earlier run ended,
from what that run has stored.
Not responsible for: how the earlier run ended (kills, power) and for judging (verdict).
Source: package README, "The crash and damage matrix", "The simulated table".
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from controller.rules.outcome import Outcome
from controller.tape.actions import Action, DeclareResult, Role
from controller.tape.entries import Entry
from controller.tape.inputs import Input, ManifestGiven, Started, Tick
from hil.crash.program import Program
from hil.simulation.batches import CARD_NS, BatchTable, S

PROFILE: Final = "s42-mini"
# After a start people wait until the devices have told what they kept.
LOOK_NS: Final = 8 * S
COUPS_BEFORE: Final = 1


@dataclass(frozen=True, slots=True)
class EarlierRun:
    """What is stored of a run: how many inputs, and in which boot of its computer it was."""

    inputs: int
    boot_id: str


class World(BatchTable):
    """Two batches, an RFID shoe, a shuffler and people. After `earlier` runs the program runs live

    on `folder`. The earlier runs are gone through with the program's core alone: devices and
    people did in them what they do again here, and what a run wrote last never arrived.
    """

    def __init__(self, folder: Path, earlier: tuple[EarlierRun, ...], boot_id: str) -> None:
        self._folder = folder
        self._runs = [*earlier, EarlierRun(-1, boot_id)]
        self._program: Program | None = None
        self._taken = 0
        super().__init__(PROFILE, tags=True)

    @property
    def live(self) -> bool:
        """Whether the program itself runs."""
        return self._program is not None

    def end(self) -> None:
        """The program is told to end. Raises Ended."""
        assert self._program is not None, "the earlier runs hold more than the script"
        self._program.end()

    def take(self, item: Input) -> tuple[Entry, ...]:
        if isinstance(item, ManifestGiven) and not self.is_on:
            self._on_again()
        if not self.is_on:
            return ()
        if isinstance(item, Started):
            item = replace(item, boot_id=self._runs[0].boot_id)
            self._taken = 0
        if self._runs[0].inputs < 0:
            return self._taken_live(item)
        return self._taken_before(item)

    def act(
        self, action: Action, role: Role = Role.DEALER, reason: str = "simulated"
    ) -> tuple[Entry, ...]:
        self._on_again()
        return super().act(action, role, reason)

    def plug(self, port: str) -> None:
        if self.is_on:
            super().plug(port)

    def later(self, pause_ns: int) -> None:
        super().later(pause_ns)
        self._on_again()

    def settle(self, done: Callable[[], bool], longest_ns: int = 60 * S) -> bool:
        super().settle(done, longest_ns)
        self._on_again()
        return super().settle(done, longest_ns)

    def coup_declared_wrongly(self) -> None:
        """A coup declared as a tie, which it is not; a floorperson decides."""
        while self.coup_card():
            pass
        self.act(DeclareResult(Outcome.TIE))
        self.later(CARD_NS)
        self.clear_all()
        self.stand_by()
        self._player, self._banker = [], []
        self.coups += 1

    def _on_again(self) -> None:
        """Where a run has ended the next begins, and people wait until all is told."""
        if self.is_on:
            return
        ended = self._runs.pop(0)
        self.is_on = True
        if self._runs[0].boot_id != ended.boot_id:
            self.booted_ns = self.clock_ns - 1
        started = next(one for one in self.inputs if isinstance(one, Started))
        self.take(replace(started, at=self.at))
        for port in self._devices:
            self.plug(port)
        self.later(LOOK_NS)

    def _taken_live(self, item: Input) -> tuple[Entry, ...]:
        self.inputs.append(item)
        if isinstance(item, Started):
            self._program = Program(self._folder, item)
            for port in self._devices:
                self._program.serve(port)
            entries: tuple[Entry, ...] = ()
        else:
            assert self._program is not None
            entries = self._program.step(item)
        self.state = self._program.state
        self.entries.extend(entries)
        for port, data in self._program.taken_bytes():
            self._to_device(port, data)
        return entries

    def _taken_before(self, item: Input) -> tuple[Entry, ...]:
        """What the program concluded then; as in its loop, the input's moment may bring a tick."""
        entries, writes = self._concluded(item)
        if self.is_on and not isinstance(item, Started):
            due_ns = self.core.next_deadline_ns(self.state)
            if due_ns is not None and item.at.monotonic_ns >= due_ns:
                more, further = self._concluded(Tick(item.at))
                entries, writes = entries + more, writes + further
        for port, data in writes:
            self._to_device(port, data)
        return entries

    def _concluded(self, item: Input) -> tuple[tuple[Entry, ...], tuple[tuple[str, bytes], ...]]:
        self.inputs.append(item)
        self.state, output = self.core.handle(self.state, item)
        self.entries.extend(output.entries)
        self._taken += 1
        if self._taken == self._runs[0].inputs:
            self.is_on = False
            for port in self._devices:
                self._plugged[port] = False
            return output.entries, ()
        return output.entries, (*output.at_once, *output.writes)


def play(world: World) -> None:
    """Two shoes and an exchange, with everything that a journal has to outlive."""
    for back in ("red", "blue"):
        world.put_away(back)
    world.bring_out("red")
    world.fill_shoe("red")
    world.burn()
    for _ in range(COUPS_BEFORE):
        world.coup()
    world.coup_declared_wrongly()
    world.close()
    world.gather()
    world.bring_out("blue")
    world.put_away("red")
    world.fill_shoe("blue")
    world.burn()
    world.coup()
