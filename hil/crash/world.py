"""The scripted exchange of the matrix: devices and people who outlive the program's runs."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from msgspec.structs import replace

from controller.core.tape.entries import Entry
from controller.core.tape.inputs import Input, ManifestGiven, Started, Tick
from controller.rules.actions.actions import Action, DeclareResult
from controller.rules.actions.declaration import Role
from controller.rules.outcome import Outcome
from hil.crash.program import SteppedProgram, ignore_write
from hil.simulation.batches import CARD_NS, BatchTable, S

PROFILE: Final = "s42-mini"
# After a start people wait until the devices have reported what they stored.
START_WAIT_NS: Final = 8 * S
COUPS_BEFORE: Final = 1


# A port, and what the program wrote to it at once.
DeviceWrite: TypeAlias = tuple[str, bytes]


@dataclass(frozen=True, slots=True)
class EarlierRun:
    """What is stored of a run: its number of inputs, and the boot of its computer.

    `arrived` is what the devices received of it, stored or not; None where nobody knows.
    """

    inputs: int
    boot_id: str
    arrived: tuple[DeviceWrite, ...] | None = None


class World(BatchTable):
    """Two batches, an RFID shoe, a shuffler and people; the program runs live on `folder`.

    The `earlier` runs are repeated first with the program's core alone: devices and people do what
    they did then. The devices forget what a run acknowledged, also what it never stored; where
    nobody knows what arrived, what a run wrote last did not. `on_arrived` is called with each live
    write to a device, at the moment of the write.
    """

    def __init__(
        self,
        folder: Path,
        earlier: tuple[EarlierRun, ...],
        boot_id: str,
        on_arrived: Callable[[str, bytes], None] = ignore_write,
    ) -> None:
        self._folder = folder
        self._runs = [*earlier, EarlierRun(-1, boot_id)]
        self._on_arrived = on_arrived
        self._program: SteppedProgram | None = None
        self._inputs_handled = 0
        self._undelivered: Counter[DeviceWrite] = Counter()
        super().__init__(PROFILE, tags=True)

    @property
    def live(self) -> bool:
        """Whether the program itself runs."""
        return self._program is not None

    def end(self) -> None:
        """End the program. Raises TableEnded."""
        if self._program is None:
            self._start_after_all()
        assert self._program is not None
        self._program.end()

    def take(self, item: Input) -> tuple[Entry, ...]:
        if isinstance(item, ManifestGiven) and not self.is_on:
            self._restart_if_off()
        if not self.is_on:
            return ()
        if isinstance(item, Started):
            item = replace(item, boot_id=self._runs[0].boot_id)
            self._inputs_handled = 0
            self._undelivered = Counter(self._runs[0].arrived or ())
        if self._runs[0].inputs < 0:
            return self._step_live(item)
        return self._step_earlier(item)

    def act(
        self, action: Action, role: Role = Role.DEALER, reason: str = "simulated"
    ) -> tuple[Entry, ...]:
        self._restart_if_off()
        return super().act(action, role, reason)

    def plug(self, port: str) -> None:
        if self.is_on:
            super().plug(port)

    def advance(self, pause_ns: int) -> None:
        super().advance(pause_ns)
        self._restart_if_off()

    def settle(self, done: Callable[[], bool], longest_ns: int = 60 * S) -> bool:
        super().settle(done, longest_ns)
        self._restart_if_off()
        return super().settle(done, longest_ns)

    def declare_wrong_result(self) -> None:
        """A coup that is declared a tie; a floorperson decides."""
        while self.draw_coup_card():
            pass
        self.act(DeclareResult(Outcome.TIE))
        self.advance(CARD_NS)
        self.clear_all()
        self.stand_by()
        self._player, self._banker = [], []
        self.coups += 1

    def _restart_if_off(self) -> None:
        """If a run has ended, start the next one and wait until the devices have reported."""
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
        self.advance(START_WAIT_NS)

    def _start_after_all(self) -> None:
        """Start the program where the newest run holds the whole script, and its end in order."""
        assert len(self._runs) == 2, "the earlier runs hold more than the script"
        self.is_on = False
        for port in self._devices:
            self._plugged[port] = False
        self._restart_if_off()

    def _step_live(self, item: Input) -> tuple[Entry, ...]:
        self.inputs.append(item)
        if isinstance(item, Started):
            self._program = SteppedProgram(self._folder, item, self._on_arrived)
            for port in self._devices:
                self._program.serve(port)
            entries: tuple[Entry, ...] = ()
        else:
            assert self._program is not None
            entries = self._program.step(item)
        self.state = self._program.state
        self.entries.extend(entries)
        for port, data in self._program.take_writes():
            self._to_device(port, data)
        return entries

    def _step_earlier(self, item: Input) -> tuple[Entry, ...]:
        """Repeat an earlier run's input; as in the program's loop, its time may bring a tick.

        A run goes on after its last stored input until the devices have all that arrived of it.
        """
        entries, writes = self._handle(item)
        if not self._is_run_over and not isinstance(item, Started):
            due_ns = self.core.next_deadline_ns(self.state)
            if due_ns is not None and item.at.monotonic_ns >= due_ns:
                more, further = self._handle(Tick(item.at))
                entries, writes = entries + more, writes + further
        for port, data in self._arrived_of(writes):
            self._to_device(port, data)
        if self._is_run_over:
            self.is_on = False
            for port in self._devices:
                self._plugged[port] = False
        return entries

    def _handle(self, item: Input) -> tuple[tuple[Entry, ...], tuple[DeviceWrite, ...]]:
        self.inputs.append(item)
        self.state, output = self.core.handle(self.state, item)
        self.entries.extend(output.entries)
        self._inputs_handled += 1
        return output.entries, (*output.at_once, *output.writes)

    @property
    def _is_run_over(self) -> bool:
        return self._inputs_handled >= self._runs[0].inputs and not self._undelivered.total()

    def _arrived_of(self, writes: Sequence[DeviceWrite]) -> Iterator[DeviceWrite]:
        """Those of an earlier run's writes that reached the devices."""
        if self._runs[0].arrived is None:
            yield from () if self._is_run_over else writes
            return
        for write in writes:
            if self._undelivered[write]:
                self._undelivered[write] -= 1
                yield write


def play(world: World) -> None:
    """Play the script: two shoes and an exchange of batches between them."""
    for back in ("red", "blue"):
        world.shuffle_and_store(back)
    world.release_and_take("red")
    world.fill_shoe("red")
    world.burn()
    for _ in range(COUPS_BEFORE):
        world.deal_coup()
    world.declare_wrong_result()
    world.close_shoe()
    world.collect_cards()
    world.release_and_take("blue")
    world.shuffle_and_store("red")
    world.fill_shoe("blue")
    world.burn()
    world.deal_coup()
