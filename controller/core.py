"""The program minus input and output: one input gives the next state, entries and writes.

Responsible for: sending each input to the driver, the intake and the procedure in turn, and for
the lock that the table wants from the shoe.
Not responsible for: storing, writing, threads, clock and files (loop, table); judging (procedure).
Source: package README, "The core".
"""

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import assert_never

from controller.acted import event_of
from controller.actions import Action, ClearShoeError, LockShoe, UnlockShoe
from controller.entries import (
    CommandGiven,
    CoreOutput,
    DeviceNoted,
    Entry,
    Judged,
    RunBegan,
    StateDigest,
)
from controller.gaming_day import GamingCalendar, GamingDay
from controller.inputs import Input, OperatorAction, Started, Tick, WriteFailed
from controller.intake import domain_event
from controller.journal.canonical import Codec
from controller.procedure.effects import Refused
from controller.procedure.events import DomainEvent, GamingDayTurned, ProgramReplaced
from controller.procedure.phases import Phase
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.step import step
from controller.settings import Settings
from drivers.catalogue import Shoe, ShoeState
from drivers.commands import ClearError, DeviceCommand, LockExit, UnlockExit
from drivers.events import DeviceEvent, Stage
from drivers.faults import DeviceFault
from drivers.interface import DriverOutput
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened


@dataclass(frozen=True, slots=True)
class CoreState:
    """All that the core knows. `lock_wanted` is None while the table asks for neither."""

    boot_id: str
    day: GamingDay | None
    table: TableState
    shoe_driver: ShoeState
    lock_wanted: bool | None = None


STATES: Codec[CoreState] = Codec(CoreState)


@dataclass(frozen=True, slots=True)
class Growing:
    """State and output while one input is worked through."""

    state: CoreState
    entries: tuple[Entry, ...] = ()
    writes: tuple[tuple[str, bytes], ...] = ()

    def noting(self, *entries: Entry) -> "Growing":
        return replace(self, entries=(*self.entries, *entries))


@dataclass(frozen=True, slots=True)
class Core:
    """The rules, devices and calendar of one run. Immutable; the state is passed in and out."""

    settings: Settings
    book: RuleBook
    driver: Shoe
    calendar: GamingCalendar

    def initial(self) -> CoreState:
        """The state of a table that has never run."""
        return CoreState("", None, TableState(), self.driver.initial())

    def handle(self, state: CoreState, item: Input) -> tuple[CoreState, CoreOutput]:
        """Take one input. Total: no input raises."""
        growing = self._taken(Growing(state), item)
        checkpoint = b""
        if _coup_ended(state.table, growing.state.table):
            checkpoint = STATES.encode(growing.state)
            growing = growing.noting(StateDigest(sha256(checkpoint).digest()))
        return growing.state, CoreOutput(growing.entries, growing.writes, checkpoint)

    def next_deadline_ns(self, state: CoreState) -> int | None:
        """Monotonic time at which a Tick is due, or None."""
        return self.driver.next_deadline_ns(state.shoe_driver)

    def _taken(self, growing: Growing, item: Input) -> Growing:
        match item:
            case Started():
                return self._started(growing, item)
            case PortOpened() | Chunk() | PortLost():
                after, output = self.driver.receive(growing.state.shoe_driver, item)
                growing = self._driven(growing, after, output, item.at)
                if isinstance(item, PortOpened) and growing.state.lock_wanted:
                    growing = self._command(growing, LockExit(), "still wanted", item.at)
                return growing
            case Tick():
                after, output = self.driver.tick(growing.state.shoe_driver, item.at)
                return self._driven(growing, after, output, item.at)
            case OperatorAction():
                return self._acted(growing, item)
            case WriteFailed():
                fault = DeviceFault(LinkFaultKind.COMMAND_TIMEOUT, item.detail)
                return growing.noting(DeviceNoted(item.port, fault))
            case _:
                assert_never(item)

    def _started(self, growing: Growing, item: Started) -> Growing:
        profile = self.book.profile
        began = RunBegan(
            table=self.settings.table,
            software=item.software,
            profile=profile.name,
            decks=self.settings.decks,
            observed=tuple(fact.value for fact in self.settings.observed),
            assumed=profile.assumed,
            same_boot=growing.state.boot_id == item.boot_id,
            house=profile.house,
        )
        state = replace(growing.state, boot_id=item.boot_id)
        state = replace(state, lock_wanted=self._lock_wanted_anew(state))
        growing = self._port_not_open(replace(growing, state=state).noting(began), item.at)
        if item.replaced:
            growing = self._judged(growing, ProgramReplaced(item.software), item.at)
        return growing

    def _lock_wanted_anew(self, state: CoreState) -> bool | None:
        """A lock is wanted again. A release is a decision of its moment: it is asked for anew."""
        if not self.settings.shoe.allow_commands:
            return None
        return True if state.lock_wanted or state.table.phase is Phase.SUSPENDED else None

    def _port_not_open(self, growing: Growing, at: Timestamp) -> Growing:
        """A run begins with no port open: what still waited for an answer is not sent again."""
        before = growing.state.shoe_driver
        if before.stage in (Stage.CLOSED, Stage.LOST):
            return growing
        lost = PortLost(self.settings.shoe.port, at, "the program was started anew")
        after, output = self.driver.receive(before, lost)
        return self._driven(growing, after, output, at)

    def _driven(
        self, growing: Growing, after: ShoeState, output: DriverOutput, at: Timestamp
    ) -> Growing:
        port = self.settings.shoe.port
        writes = tuple((port, data) for data in output.to_write)
        growing = replace(
            growing,
            state=replace(growing.state, shoe_driver=after),
            writes=(*growing.writes, *writes),
        )
        for event in output.events:
            growing = self._device_event(growing, event, at)
        return growing

    def _device_event(self, growing: Growing, event: DeviceEvent, at: Timestamp) -> Growing:
        happening = domain_event(event)
        if happening is None:
            return growing.noting(DeviceNoted(self.settings.shoe.port, event))
        return self._judged(growing, happening, at)

    def _judged(self, growing: Growing, event: DomainEvent, at: Timestamp) -> Growing:
        growing = self._day_turned(growing, at)
        before = growing.state.table
        judged = step(self.book, before, event)
        growing = replace(growing, state=replace(growing.state, table=judged.state))
        growing = growing.noting(Judged(event, judged.verdicts), *judged.effects)
        return self._lock_follows(growing, before, judged.state, at)

    def _day_turned(self, growing: Growing, at: Timestamp) -> Growing:
        """Begin the next gaming day where the last one is over.

        A clock that is set back brings no earlier day again: its numbers are given out.
        """
        state = growing.state
        if state.day is not None and not state.day.is_over(at.utc_ns):
            return growing
        day = self.calendar.day_of(at.utc_ns)
        turned = GamingDayTurned(max(day.name, state.table.today, state.table.shoe_day))
        judged = step(self.book, state.table, turned)
        state = replace(state, day=day, table=judged.state)
        growing = replace(growing, state=state)
        return growing.noting(Judged(turned, judged.verdicts), *judged.effects)

    def _lock_follows(
        self, growing: Growing, before: TableState, after: TableState, at: Timestamp
    ) -> Growing:
        """A suspended table wants its shoe locked; a resolution releases it."""
        was, is_now = before.phase is Phase.SUSPENDED, after.phase is Phase.SUSPENDED
        if was == is_now or not self.settings.shoe.allow_commands:
            return growing
        growing = replace(growing, state=replace(growing.state, lock_wanted=is_now))
        if is_now:
            return self._command(growing, LockExit(), "the table is suspended", at)
        return self._command(growing, UnlockExit(), "a floorperson has resolved", at)

    def _command(
        self, growing: Growing, command: DeviceCommand, why: str, at: Timestamp
    ) -> Growing:
        given = CommandGiven(self.settings.shoe.port, type(command).__name__, why)
        after, output = self.driver.command(growing.state.shoe_driver, command, at)
        return self._driven(growing.noting(given), after, output, at)

    def _acted(self, growing: Growing, item: OperatorAction) -> Growing:
        why = f"{item.role.value} {item.person}: {item.reason}"
        action: Action = item.action
        match action:
            case LockShoe():
                return self._asked(growing, LockExit(), why, item.at, lock_wanted=True)
            case UnlockShoe():
                return self._unlock(growing, why, item.at)
            case ClearShoeError():
                return self._asked(growing, ClearError(action.code), why, item.at)
            case _:
                return self._judged(growing, event_of(item, action), item.at)

    def _unlock(self, growing: Growing, why: str, at: Timestamp) -> Growing:
        if growing.state.table.phase is Phase.SUSPENDED:
            refusal = "the table is suspended: resolve the irregularity first"
            return growing.noting(Refused("unlock-shoe", refusal))
        return self._asked(growing, UnlockExit(), why, at, lock_wanted=False)

    def _asked(
        self,
        growing: Growing,
        command: DeviceCommand,
        why: str,
        at: Timestamp,
        *,
        lock_wanted: bool | None = None,
    ) -> Growing:
        """A person asks for a command; `lock_wanted` where it is about the lock."""
        if not self.settings.shoe.allow_commands:
            refusal = "this table only listens to its shoe: set allow_commands = true to change it"
            return growing.noting(Refused(type(command).__name__, refusal))
        if lock_wanted is not None:
            growing = replace(growing, state=replace(growing.state, lock_wanted=lock_wanted))
        return self._command(growing, command, why, at)


def _coup_ended(before: TableState, after: TableState) -> bool:
    """Whether a coup or a shoe came to an end, counted or held: the moment for a checkpoint."""
    ended_before = before.shoe.ended if before.shoe is not None else False
    ended_after = after.shoe.ended if after.shoe is not None else False
    if ended_after and not ended_before:
        return True
    if before.shoe is None or before.shoe.coup is None:
        return False
    coup = after.shoe.coup if after.shoe is not None else None
    return coup is None or coup.number != before.shoe.coup.number
