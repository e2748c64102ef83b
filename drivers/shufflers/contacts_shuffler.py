"""Driver of a shuffler without a data port: its lid, running lamp, done lamp and jam as contacts.

It says what contacts show and nothing else. What they cannot show (which batch, how many cards,
when it is taken out) people enter at the table. A run counts only where the done lamp came on
during it, and it took as long as a shuffle takes: a lamp that is switched by hand, or was on
before, shows no shuffle.
"""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from drivers.commands import DeviceCommand, SetPolling
from drivers.events import CommandAnswered, DeviceEvent, LossReason, ReportsLost, Stage
from drivers.faults import DeviceFault
from drivers.interface import DriverOutput
from drivers.shell import LinkDriver, LinkedState, StageStep, refused
from drivers.shuffler_events import (
    AbortReason,
    DoorMoved,
    IdentityProven,
    IdentityRefused,
    JamReported,
    ShuffleAborted,
    ShuffleShown,
    ShuffleStarted,
)
from firmware_bridge.contacts.link import ContactReading, ContactsLink, ContactsResult
from firmware_bridge.link import LinkFault, LinkFaultKind, Unframed
from firmware_bridge.transport.port import Chunk, PortEvent, PortOpened
from foundation.message import Message, message
from foundation.timestamp import Timestamp

# The shuffler as a whole: contacts know no compartments.
COMPARTMENT: Final = 1
NS_PER_MS: Final = 1_000_000


class RunLimits(Struct, frozen=True):
    """How long a shuffle takes, and how far its end and its done lamp may be apart; nanoseconds."""

    shuffle_ns_min: int
    shuffle_ns_max: int
    done_ns_max: int


class LampRun(Struct, frozen=True):
    """A run under way, all times monotonic in nanoseconds.

    `dark`: the done lamp was seen off during it. `done_ns`: when that lamp came on, `stopped_ns`:
    when the running lamp went off; None before.
    """

    cycle: int
    began_ns: int
    dark: bool
    done_ns: int | None = None
    stopped_ns: int | None = None

    def deadline_ns(self, limits: RunLimits) -> int:
        """When this run is taken to be broken off."""
        ends = [one for one in (self.done_ns, self.stopped_ns) if one is not None]
        if ends:
            return min(ends) + limits.done_ns_max
        return self.began_ns + limits.shuffle_ns_max


def next_run(run: LampRun, *, running: bool, done: bool, at_ns: int) -> LampRun:
    """The run after one more reading of its lamps, which was true at that time at the latest."""
    if not running and run.stopped_ns is None:
        run = replace(run, stopped_ns=at_ns)
    if not done and not run.dark:
        run = replace(run, dark=True)
    if done and run.dark and run.done_ns is None:
        run = replace(run, done_ns=at_ns)
    return run


def end_of(run: LampRun, limits: RunLimits) -> ShuffleShown | Message | None:
    """The shuffle that this run shows, or why it shows none; None while it has not ended."""
    if run.done_ns is None or run.stopped_ns is None:
        return None
    ran_ns = max(0, min(run.done_ns, run.stopped_ns) - run.began_ns)
    if ran_ns < limits.shuffle_ns_min:
        least_ms = limits.shuffle_ns_min // NS_PER_MS
        return message("shuffle_too_short", ran_ms=ran_ns // NS_PER_MS, least_ms=least_ms)
    return ShuffleShown(COMPARTMENT, run.cycle, ran_ns // NS_PER_MS)


def overdue(run: LampRun, limits: RunLimits) -> Message:
    """Why a run whose deadline has passed shows no shuffle."""
    if run.done_ns is not None:
        return message("done_lamp_while_running")
    if run.stopped_ns is not None:
        return message("running_lamp_off_without_done_lamp")
    return message("shuffle_too_long", most_ms=limits.shuffle_ns_max // NS_PER_MS)


# The order of the lines at the port.
LID, RUNNING, DONE, JAM = range(4)
_HOUSING: Final = 0
_NAME_BYTES: Final = 4
_NOT_BARE: Final = message("contacts_have_no_identity")


class ContactsShufflerSettings(Struct, frozen=True):
    """`low`: the lines that say yes by a low level; `jam_line`: there is a contact for a jam.

    `bare`: the configuration admits a shuffler without an identity.
    """

    limits: RunLimits
    low: tuple[int, ...] = ()
    jam_line: bool = True
    bare: bool = False


class Contacts(Struct, frozen=True):
    """What the contacts say, whatever level says it."""

    lid_open: bool
    running: bool
    done: bool
    jam: bool


class ContactsShufflerState(LinkedState[Unframed], frozen=True, tag="contacts-shuffler-state"):
    """`device` is a name that this driver drew when it first saw its port, `cycle` counts runs.

    `contacts` are those of the last reading, None where the port is not open; `watched`: they were
    read before. `run` is the shuffle under way.
    """

    device: str = ""
    watched: bool = False
    contacts: Contacts | None = None
    cycle: int = 0
    run: LampRun | None = None


class ContactsShuffler(LinkDriver[ContactsShufflerState, ContactReading | LinkFault], frozen=True):
    settings: ContactsShufflerSettings

    @property
    def link(self) -> ContactsLink:
        return ContactsLink()

    def initial(self) -> ContactsShufflerState:
        """The state before the port was first opened."""
        return ContactsShufflerState(Stage.CLOSED, self.link.initial())

    def receive(
        self, state: ContactsShufflerState, event: PortEvent
    ) -> tuple[ContactsShufflerState, DriverOutput]:
        """Process one event of the port; the first opening gives the shuffler its name.

        A driver that starts afresh has another name, so no batch of before passes for watched.
        """
        if isinstance(event, PortOpened) and not state.device:
            state = replace(state, device=f"contacts-{event.entropy[:_NAME_BYTES].hex()}")
        return super().receive(state, event)

    def received(self, state: ContactsShufflerState, event: Chunk) -> ContactsResult:
        """Let the link have received bytes, and know how long they may have waited."""
        return self.link.receive(state.link, event.data, event.at, event.waited_ns)

    def request(
        self, state: ContactsShufflerState, command: DeviceCommand
    ) -> CommandAnswered | None:
        """Refuse any command: contacts take none."""
        if isinstance(command, SetPolling):
            return None
        return refused(command, message("contacts_take_no_orders"))

    def advance(
        self,
        state: ContactsShufflerState,
        link: Unframed,
        items: tuple[ContactReading | LinkFault, ...],
        at: Timestamp,
        steps: tuple[StageStep, ...],
    ) -> tuple[ContactsShufflerState, tuple[DeviceEvent, ...]]:
        """Take over the link's new state; while the port is not open nobody watches."""
        broken: tuple[DeviceEvent, ...] = ()
        if steps:
            broken = _aborted(state.run, AbortReason.FAULT)
            state = replace(state, contacts=None, run=None)
        state, changed = super().advance(state, link, items, at, steps)
        return state, (*broken, *changed)

    def reached(
        self, state: ContactsShufflerState, link: Unframed, items: tuple[object, ...]
    ) -> tuple[StageStep, ...]:
        """The stages that a reading proves; nothing of a shuffler not admitted is accepted."""
        steps = super().reached(state, link, items)
        return steps if self.settings.bare else steps[:1]

    def item(
        self, state: ContactsShufflerState, item: ContactReading | LinkFault, at: Timestamp
    ) -> tuple[ContactsShufflerState, tuple[DeviceEvent, ...]]:
        """The device events of one reading, in a fixed order: lid, jam, running and done lamp."""
        if isinstance(item, LinkFault):
            fault = DeviceFault(item.kind, item.detail)
            return state, (fault, ReportsLost(LossReason.UNREADABLE, 1))
        now, before = self._contacts(item.levels), state.contacts
        if before is None:
            return self._first(state, now)
        if not self.settings.bare or now == before:
            return state, ()
        events: tuple[DeviceEvent, ...] = ()
        if now.lid_open != before.lid_open:
            events = (DoorMoved(now.lid_open, _HOUSING),)
            if now.lid_open:
                events = (*events, *_aborted(state.run, AbortReason.DOOR))
                state = replace(state, run=None)
        if now.jam != before.jam:
            events = (*events, JamReported(_HOUSING, cleared=not now.jam))
            if now.jam:
                events = (*events, *_aborted(state.run, AbortReason.JAM))
                state = replace(state, run=None)
        state, shown = self._lamps(state, before, now, at.monotonic_ns - item.waited_ns)
        return replace(state, contacts=now), (*events, *shown)

    def tick(
        self, state: ContactsShufflerState, at: Timestamp
    ) -> tuple[ContactsShufflerState, DriverOutput]:
        """Break off a run whose end did not come."""
        due_ns = self.next_deadline_ns(state)
        if state.run is None or due_ns is None or at.monotonic_ns < due_ns:
            return state, DriverOutput()
        why = overdue(state.run, self.settings.limits)
        return replace(state, run=None), DriverOutput(_not_shuffled(state.run, why))

    def next_deadline_ns(self, state: ContactsShufflerState) -> int | None:
        """Monotonic time at which a run is taken to be broken off, or None."""
        return None if state.run is None else state.run.deadline_ns(self.settings.limits)

    def _contacts(self, levels: int) -> Contacts:
        lid, running, done, jam = (
            bool(levels >> line & 1) is not (line in self.settings.low)
            for line in (LID, RUNNING, DONE, JAM)
        )
        return Contacts(lid, running, done, jam and self.settings.jam_line)

    def _first(
        self, state: ContactsShufflerState, now: Contacts
    ) -> tuple[ContactsShufflerState, tuple[DeviceEvent, ...]]:
        """The first reading since the port was opened: what is so now, and that it is known again.

        Contacts keep no events: what happened while nobody watched is lost.
        """
        watched, state = state.watched, replace(state, contacts=now, watched=True)
        if not self.settings.bare:
            return state, (IdentityRefused(state.device, _NOT_BARE, rolled_back=False),)
        events: tuple[DeviceEvent, ...] = (
            IdentityProven(state.device, "", b"", 0, 0, bare=True),
            *((ReportsLost(LossReason.UNPROVEN, 0),) if watched else ()),
            DoorMoved(now.lid_open, _HOUSING),
            JamReported(_HOUSING, cleared=not now.jam),
        )
        began = message("shuffle_began_unwatched")
        return state, (*events, _fault(began)) if now.running else events

    def _lamps(
        self, state: ContactsShufflerState, before: Contacts, now: Contacts, at_ns: int
    ) -> tuple[ContactsShufflerState, tuple[DeviceEvent, ...]]:
        if now.running and not before.running:
            return self._begin(state, now, at_ns)
        if state.run is None:
            lit = now.done and not before.done
            return state, (_fault(message("done_lamp_without_shuffle")),) if lit else ()
        run = next_run(state.run, running=now.running, done=now.done, at_ns=at_ns)
        end = end_of(run, self.settings.limits)
        match end:
            case None:
                return replace(state, run=run), ()
            case ShuffleShown():
                return replace(state, run=None), (end,)
            case Message():
                return replace(state, run=None), _not_shuffled(run, end)

    def _begin(
        self, state: ContactsShufflerState, now: Contacts, at_ns: int
    ) -> tuple[ContactsShufflerState, tuple[DeviceEvent, ...]]:
        """A run begins; one whose end was not shown yet is broken off."""
        broken = _aborted(state.run, AbortReason.FAULT)
        run = LampRun(state.cycle + 1, at_ns, dark=not now.done)
        started = ShuffleStarted(COMPARTMENT, run.cycle)
        return replace(state, cycle=run.cycle, run=run), (*broken, started)


def _aborted(run: LampRun | None, reason: AbortReason) -> tuple[DeviceEvent, ...]:
    return () if run is None else (ShuffleAborted(COMPARTMENT, run.cycle, reason),)


def _not_shuffled(run: LampRun, why: Message) -> tuple[DeviceEvent, ...]:
    return (_fault(why), *_aborted(run, AbortReason.FAULT))


def _fault(why: Message) -> DeviceFault:
    return DeviceFault(LinkFaultKind.DEVICE_STATUS, why)
