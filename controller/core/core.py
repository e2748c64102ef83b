"""The program minus input and output: one input gives the next state, entries and writes.

Responsible for: sending each input to the device's driver, the intake, the procedure and custody in
turn, and for the lock that the table wants from the shoe.
Not responsible for: storing, writing, threads, clock and files (loop, table); judging (procedure).
Source: package README, "The core".
"""

from hashlib import sha256
from typing import assert_never

from controller.core import card_tracking as core_cards
from controller.core import device_commands as core_orders
from controller.core import host_state
from controller.core import manifest_binding as binding
from controller.core.card_tracking import Followed
from controller.core.device_commands import may_lock, wants_lock
from controller.core.device_identity import identity_after
from controller.core.device_intake import domain_event, shuffler_gone, shuffler_told
from controller.core.devices import Devices, Heard
from controller.core.gaming_day import GamingCalendar
from controller.core.operator_intake import event_of
from controller.core.settings import Settings
from controller.core.state import STATES, CoreState, Growing
from controller.custody.state import check
from controller.procedure.effects import Refused
from controller.procedure.events import (
    CustodyFound,
    DomainEvent,
    GamingDayTurned,
    ProgramReplaced,
    ShoeDeviceStarted,
)
from controller.procedure.people.setting_changes import effective
from controller.procedure.phases import Phase
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.step import step
from controller.tape.actions import (
    Action,
    BindBatch,
    ClearShoeError,
    DeviceAction,
    LockShoe,
    OrderTheShuffler,
    SetCardApart,
    UnlockShoe,
)
from controller.tape.entries import (
    CommandGiven,
    CoreOutput,
    DeviceNoted,
    Judged,
    ManifestWanted,
    RunBegan,
    StateDigest,
)
from controller.tape.inputs import (
    DevicePlugged,
    DeviceUnplugged,
    DiskSpace,
    Input,
    ManifestGiven,
    OperatorAction,
    Started,
    Tick,
    WriteFailed,
)
from drivers.commands import DeviceCommand, LockExit, UnlockExit, Watch
from drivers.events import BarCodeRead, CardPassed, DeviceEvent, LockChanged, TagSeen
from drivers.faults import DeviceFault
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from firmware_bridge.values import dataclass, replace

# While one of these is due no card is being drawn, and a reader may be asked less often.
_NO_CARDS_DUE = (Phase.CLOSED, Phase.OPENING, Phase.SHOE_OVER)


@dataclass(frozen=True, slots=True)
class Core:
    """The rules, devices and calendar of one run. Immutable; the state is passed in and out."""

    settings: Settings
    book: RuleBook
    devices: Devices
    calendar: GamingCalendar

    def initial(self) -> CoreState:
        """The state of a table that has never run."""
        shoe, beside = self.devices.shoe.initial(), self.devices.initial()
        return CoreState("", None, TableState(), shoe, beside=beside)

    def handle(self, state: CoreState, item: Input) -> tuple[CoreState, CoreOutput]:
        """Take one input. Total: no input raises."""
        growing = self._paced(self._taken(Growing(state), item), state, item)
        growing = _clocked(growing, state.boot_id, item)
        # What was sound and is the very same still is; what a start found on the disk is looked at.
        if growing.state.custody is not state.custody or isinstance(item, Started):
            unsound = check(growing.state.custody)
            assert not unsound, f"custody does not add up: {unsound[0]}"
        checkpoint = b""
        if _coup_ended(state.table, growing.state.table):
            checkpoint = STATES.encode(growing.state)
            growing = growing.noting(StateDigest(sha256(checkpoint).digest()))
        output = CoreOutput(growing.entries, growing.writes, checkpoint, growing.at_once)
        return growing.state, output

    def next_deadline_ns(self, state: CoreState) -> int | None:
        """Monotonic time at which a Tick is due, or None."""
        return self.devices.next_deadline_ns(state)

    def _taken(self, growing: Growing, item: Input) -> Growing:
        match item:
            case Started():
                return self._started(growing, item)
            case PortOpened() | Chunk() | PortLost():
                return self._from_port(growing, item)
            case Tick():
                return self._ticked(growing, item.at)
            case OperatorAction():
                return self._acted(growing, item)
            case WriteFailed():
                fault = DeviceFault(LinkFaultKind.COMMAND_TIMEOUT, item.detail)
                return growing.noting(DeviceNoted(item.port, fault))
            case ManifestGiven():
                book = effective(self.book, growing.state.table)
                kept, entry = binding.bound(growing.state.custody, book, item)
                return growing.with_custody(kept).noting(entry)
            case DevicePlugged() | DeviceUnplugged():
                return growing.noting(binding.host_noted(item))
            case DiskSpace():
                host = host_state.disk_told(growing.state.host, item)
                growing = replace(growing, state=replace(growing.state, host=host))
                return growing.noting(host_state.disk_noted(item))
            case _:
                assert_never(item)

    # --- devices ---------------------------------------------------------------------------------

    def _from_port(self, growing: Growing, item: PortOpened | Chunk | PortLost) -> Growing:
        heard = self.devices.received(growing, item)
        growing = self._heard(heard, item.port, item.at)
        gone = shuffler_gone(item) if item.port == self._shuffler_port else None
        if gone is not None:
            growing = self._judged(growing, gone, item.at)
        opened = isinstance(item, PortOpened) and item.port == self.devices.shoe_port
        return self._locked_again(growing, item.at) if opened else growing

    def _ticked(self, growing: Growing, at: Timestamp) -> Growing:
        for port in self.devices.ports:
            growing = self._heard(self.devices.ticked(growing, port, at), port, at)
        return growing

    def _paced(self, growing: Growing, before: CoreState, item: Input) -> Growing:
        """Readers that have to be asked are asked closely while cards are being drawn."""
        closely = growing.state.table.phase not in _NO_CARDS_DUE
        if closely == (before.table.phase not in _NO_CARDS_DUE) and not isinstance(item, Started):
            return growing
        for port in self.devices.ports:
            heard = self.devices.commanded(growing, port, Watch(closely), item.at)
            growing = self._heard(heard, port, item.at)
        return growing

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
        state = self.devices.of_this_run(replace(growing.state, boot_id=item.boot_id))
        state = replace(state, lock_wanted=self._lock_wanted_anew(state))
        growing = self._port_not_open(replace(growing, state=state).noting(began), item.at)
        if item.replaced:
            growing = self._judged(growing, ProgramReplaced(item.software), item.at)
        return growing

    def _lock_wanted_anew(self, state: CoreState) -> bool | None:
        """A lock is wanted again. A release is a decision of its moment: it is asked for anew."""
        if not may_lock(self.settings):
            return None
        return True if state.lock_wanted or wants_lock(self.book, state.table) else None

    def _port_not_open(self, growing: Growing, at: Timestamp) -> Growing:
        """A run begins with no port open: what still waited for an answer is not sent again.

        The table hears nothing of it: whether anything was missed meanwhile the links will prove.
        """
        for port in self.devices.ports:
            if self.devices.is_open(growing.state, port):
                lost = PortLost(port, at, "the program was started anew")
                growing = self._heard(self.devices.received(growing, lost), port, at)
        return growing

    def _heard(self, heard: Heard, port: str, at: Timestamp) -> Growing:
        growing, events = heard
        for event in events:
            growing = self._device_event(growing, port, event, at)
        return growing

    def _device_event(
        self, growing: Growing, port: str, event: DeviceEvent, at: Timestamp
    ) -> Growing:
        if port == self._shuffler_port:
            return self._shuffler_event(growing, port, event, at)
        if port == self.devices.shoe_port:
            known = identity_after(growing.state.shoe_identity, event)
            if known is not growing.state.shoe_identity:
                growing = replace(growing, state=replace(growing.state, shoe_identity=known))
        match event:
            case CardPassed():
                return self._card_passed(growing.noting(DeviceNoted(port, event)), event, at)
            case TagSeen():
                return self._tag_seen(growing.noting(DeviceNoted(port, event)), event, at)
            case BarCodeRead(text=text):
                wanted = ManifestWanted(text, f"the scanner at {port}")
                return growing.noting(DeviceNoted(port, event), wanted)
            case _:
                happening = domain_event(event)
        if happening is None:
            growing = growing.noting(DeviceNoted(port, event))
            unlocked = isinstance(event, LockChanged) and not event.locked
            of_shoe = port == self.devices.shoe_port
            return self._locked_again(growing, at) if unlocked and of_shoe else growing
        if isinstance(happening, ShoeDeviceStarted) and growing.state.lock_wanted:
            # A shoe that is switched on is not locked.
            return self._locked_again(self._judged(growing, happening, at), at)
        return self._judged(growing, happening, at)

    def _locked_again(self, growing: Growing, at: Timestamp) -> Growing:
        if not growing.state.lock_wanted:
            return growing
        return self._command(growing, LockExit(), "still wanted", at)

    def _shuffler_event(
        self, growing: Growing, port: str, event: DeviceEvent, at: Timestamp
    ) -> Growing:
        happening = shuffler_told(event, at)
        if happening is None:
            return growing.noting(DeviceNoted(port, event))
        return self._judged(growing, happening, at)

    @property
    def _shuffler_port(self) -> str | None:
        return self.settings.shuffler.port if self.settings.shuffler is not None else None

    # --- cards with an identity ------------------------------------------------------------------

    def _card_passed(self, growing: Growing, event: CardPassed, at: Timestamp) -> Growing:
        """The card is judged by the order of drawing; then custody follows it, then it is heard."""
        before = growing.state.table
        growing = self._judged(growing, core_cards.drawn(growing.state.custody, event), at)
        after, custody = growing.state.table, growing.state.custody
        return self._found(growing, core_cards.passed(custody, event, before, after), at)

    def _tag_seen(self, growing: Growing, event: TagSeen, at: Timestamp) -> Growing:
        state = growing.state
        return self._found(growing, core_cards.seen(state.custody, event, state.table), at)

    def _found(self, growing: Growing, followed: Followed, at: Timestamp) -> Growing:
        kept, findings = followed
        growing = growing.with_custody(kept)
        for finding in findings:
            growing = self._judged(growing, CustodyFound(finding), at)
        return growing

    def _judged(self, growing: Growing, event: DomainEvent, at: Timestamp) -> Growing:
        growing = self._day_turned(growing, at)
        before = growing.state.table
        judged = step(self.book, before, event)
        growing = replace(
            growing,
            state=replace(growing.state, table=judged.state),
            entries=(*growing.entries, Judged(event, judged.verdicts), *judged.effects),
        )
        growing = self._lock_follows(growing, before, judged.state, at)
        followed = core_cards.followed(
            effective(self.book, growing.state.table),
            growing.state.custody,
            event,
            before,
            growing.state.table,
            rack_read=self._rack_read,
        )
        return self._found(growing, followed, at)

    @property
    def _rack_read(self) -> bool:
        return any(one.seat == "discard_rack" for one in self.settings.readers)

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
        """A suspended table, or one with a warning of the shuffler, wants its shoe locked."""
        if not may_lock(self.settings):
            return growing
        was, is_now = (wants_lock(self.book, table) for table in (before, after))
        if was == is_now:
            return growing
        growing = replace(growing, state=replace(growing.state, lock_wanted=is_now))
        suspended = before.phase is Phase.SUSPENDED, after.phase is Phase.SUSPENDED
        if is_now:
            why = "the table is suspended" if suspended[1] else "a warning of the shuffler is open"
            return self._command(growing, LockExit(), why, at)
        why = "a floorperson has resolved" if suspended[0] else "the warnings are cleared"
        return self._command(growing, UnlockExit(), why, at)

    def _command(
        self, growing: Growing, command: DeviceCommand, why: str, at: Timestamp, port: str = ""
    ) -> Growing:
        port = port or self.devices.shoe_port
        growing = growing.noting(CommandGiven(port, core_orders.command_words(command), why))
        return self._heard(self.devices.commanded(growing, port, command, at), port, at)

    # --- people ----------------------------------------------------------------------------------

    def _acted(self, growing: Growing, item: OperatorAction) -> Growing:
        action: Action = item.action
        match action:
            case LockShoe() | UnlockShoe() | ClearShoeError() | OrderTheShuffler():
                return self._asked(growing, item, action)
            case BindBatch(batch=batch):
                return growing.noting(ManifestWanted(batch, f"{item.role.value} {item.person}"))
            case SetCardApart():
                book = effective(self.book, growing.state.table)
                kept, entry = binding.set_apart(growing.state.custody, book, item, action)
                return growing.with_custody(kept).noting(entry)
            case _:
                return self._judged(growing, event_of(item, action), item.at)

    def _asked(self, growing: Growing, item: OperatorAction, action: DeviceAction) -> Growing:
        """A person asks for a command."""
        table = growing.state.table
        book = effective(self.book, table)
        asked = core_orders.asked(self.settings, book, table, item.role, action)
        if isinstance(asked, Refused):
            return growing.noting(asked)
        if asked.lock_wanted is not None:
            growing = replace(growing, state=replace(growing.state, lock_wanted=asked.lock_wanted))
        why = f"{item.role.value} {item.person}: {item.reason}"
        return self._command(growing, asked.command, why, item.at, asked.port)


def _clocked(growing: Growing, boot_id: str, item: Input) -> Growing:
    """What the stamp of an input says of the machine's clock; as a rule nothing new."""
    known = growing.state.host
    if isinstance(item, Started):
        host = host_state.begun(known, item.at, same_boot=boot_id == item.boot_id)
    else:
        host = host_state.clock_read(known, item.at)
    if host is known:
        return growing
    growing = replace(growing, state=replace(growing.state, host=host))
    stepped = host.stepped if host.steps != known.steps else None
    return growing if stepped is None else growing.noting(stepped)


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
