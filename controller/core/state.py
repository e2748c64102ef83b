"""The core's state with host and devices, the transition of an input, what is stored with it."""

from itertools import repeat
from typing import Any, ClassVar, Final, Generic, Protocol, TypeAlias, TypeVar

from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.structs import replace

from controller.core.gaming_day import GamingDay
from controller.core.tape.entries import ClockStepped, DiskLevelRecorded, Entry
from controller.core.tape.inputs import ClockEvidence, ClockSync, DiskLevel, DiskSpace, Input
from controller.custody.state import CustodyState
from controller.journal.encoding import GENESIS, Codec, EncodingError
from controller.journal.values import Base, Head, SavedState
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from drivers.events import DeviceEvent, Stage, StageChanged
from drivers.interface import DriverOutput, DriverState
from drivers.shuffler_events import IdentityProven, IdentityRefused
from firmware_bridge.transport.port import Chunk
from foundation.message import Message
from foundation.recorded_text import ForeignText, Identifier
from foundation.timestamp import Timestamp

_NS_PER_S: Final = 1_000_000_000
# NTP disciplines both clocks alike; a larger difference means that UTC was set, or sleep.
STEP_NS_MIN: Final = 2 * _NS_PER_S
# The newest timestamp is updated at most this often, so that not every input changes the state.
UTC_UPDATE_NS: Final = _NS_PER_S


class HostState(Struct, frozen=True):
    """`ahead_ns` is how far UTC is ahead of the monotonic clock, None before the first input.

    `last_utc_ns` is the newest timestamp, less than UTC_UPDATE_NS too early. `steps` counts the
    clock steps since the table first ran. `disk` is the newest change of level in this run, `sync`
    whether the clock is synchronised, left out of stored states before the kernel said so.
    """

    ahead_ns: int | None = None
    last_utc_ns: int = 0
    steps: int = 0
    last_step: ClockStepped | None = None
    disk: DiskLevelRecorded | None = None
    sync: ClockSync | UnsetType = UNSET


UNKNOWN_HOST: Final = HostState()


def after_clock_reading(known: HostState, at: Timestamp) -> HostState:
    """The state after a timestamp of the same boot; the same object if nothing changed."""
    if known.ahead_ns is None:
        return _with_clock(known, at)
    by_ns = at.utc_ns - at.monotonic_ns - known.ahead_ns
    if -STEP_NS_MIN <= by_ns <= STEP_NS_MIN:
        if at.utc_ns - known.last_utc_ns < UTC_UPDATE_NS:
            return known
        return replace(known, last_utc_ns=at.utc_ns)
    return _with_step(known, at, by_ns, ClockEvidence.SAME_BOOT)


def after_start(known: HostState, at: Timestamp, *, same_boot: bool) -> HostState:
    """The state after the first input of a run, which clears the disk level and `sync`."""
    known = replace(known, disk=None, sync=UNSET)
    if known.ahead_ns is None or same_boot:
        return after_clock_reading(known, at)
    by_ns = at.utc_ns - known.last_utc_ns
    if by_ns < 0:
        return _with_step(known, at, by_ns, ClockEvidence.OTHER_BOOT)
    return _with_clock(known, at)


def sync_state(known: HostState) -> ClockSync:
    """Whether the clock is synchronised, as far as this run knows."""
    return ClockSync.UNKNOWN if known.sync is UNSET else known.sync


def with_disk_space(known: HostState, item: DiskSpace) -> HostState:
    """The state after a change of the disk level."""
    return replace(known, disk=disk_entry(item))


def disk_entry(item: DiskSpace) -> DiskLevelRecorded:
    """The entry for a disk level; its limit is the stop limit at STOP, else the warning limit."""
    stop = item.level is DiskLevel.STOP
    return DiskLevelRecorded(
        item.level, item.free_bytes, item.stop_bytes if stop else item.warn_bytes
    )


def _with_clock(known: HostState, at: Timestamp) -> HostState:
    return replace(known, ahead_ns=at.utc_ns - at.monotonic_ns, last_utc_ns=at.utc_ns)


def _with_step(known: HostState, at: Timestamp, by_ns: int, evidence: ClockEvidence) -> HostState:
    step = ClockStepped(by_ns, at.utc_ns, evidence)
    return replace(_with_clock(known, at), steps=known.steps + 1, last_step=step)


class DeviceIdentity(Struct, frozen=True):
    """Who a device has proven to be.

    `trusted`: it is the paired device. `bare`: it proves no identity, and the configuration accepts
    it anyway. `refused`: why all its reports are rejected, None if they are not.
    """

    device: Identifier = ""
    version: ForeignText = ""
    bare: bool = False
    trusted: bool = False
    refused: Message | None = None


NOT_PROVEN: Final = DeviceIdentity()


def next_identity(known: DeviceIdentity, event: DeviceEvent) -> DeviceIdentity:
    """The identity after one more event. A device whose port was reopened must prove it again."""
    match event:
        case IdentityProven(device=device, version=version, bare=bare):
            return DeviceIdentity(device, version, bare=bare, trusted=not bare)
        case IdentityRefused(device=device, why=why):
            return DeviceIdentity(device, refused=why)
        case StageChanged(stage=Stage.OPENED | Stage.LOST):
            return NOT_PROVEN
        case _:
            return known


EMPTY_CUSTODY: Final = CustodyState()

DriverStateT = TypeVar("DriverStateT")


class AuxiliaryState(Struct, Generic[DriverStateT], frozen=True):
    """The driver's state of an auxiliary device (reader, scanner, shuffler), by its port."""

    port: str
    state: DriverStateT


class StateWith(Struct, Generic[DriverStateT], frozen=True):
    """The complete state of the core, with the states of drivers as values or as stored bytes.

    `lock_wanted`: whether the shoe is to be locked; None while nothing is requested. `auxiliary`:
    the states of the other devices, in the order of the settings. `shoe_identity`: who the shoe
    has proven to be, if its model has an identity. `host`: clock and disk of the machine.
    `approved_at`: when the newest list of approved firmware was signed that was seen for a device,
    by the device's section; left out of stored states where there was none.
    """

    boot_id: str
    day: GamingDay | None
    table: TableState
    shoe_driver: DriverStateT
    lock_wanted: bool | None = None
    custody: CustodyState = EMPTY_CUSTODY
    auxiliary: tuple[AuxiliaryState[DriverStateT], ...] = ()
    shoe_identity: DeviceIdentity = NOT_PROVEN
    host: HostState = UNKNOWN_HOST
    approved_at: tuple[tuple[str, int], ...] | UnsetType = UNSET


CoreState: TypeAlias = StateWith[DriverState]
# As it is stored: whoever needs no device reads it without the drivers.
StoredState: TypeAlias = StateWith[Raw]
STORED_STATES: Codec[StoredState] = Codec(StoredState)


def encode_state(state: CoreState) -> bytes:
    """The state as it is stored, which names no driver."""
    encoded: Codec[Any] = STORED_STATES
    return encoded.encode(state)


class Transition(Struct, frozen=True):
    """The state and the output collected so far while one input is processed.

    `coup_ended`: a coup or a shoe ended after the last state digest.
    """

    state: CoreState
    entries: tuple[Entry, ...] = ()
    writes: tuple[tuple[str, bytes], ...] = ()
    at_once: tuple[tuple[str, bytes], ...] = ()
    coup_ended: bool = False

    def with_entries(self, *entries: Entry) -> "Transition":
        return replace(self, entries=(*self.entries, *entries))

    def with_writes(self, port: str, output: DriverOutput) -> "Transition":
        if not (output.to_write or output.at_once):
            return self
        writes, at_once = zip(repeat(port), output.to_write), zip(repeat(port), output.at_once)
        return replace(self, writes=(*self.writes, *writes), at_once=(*self.at_once, *at_once))

    def with_custody(self, custody: CustodyState) -> "Transition":
        if custody is self.state.custody:
            return self
        return replace(self, state=replace(self.state, custody=custody))


class Conclusion(Struct, frozen=True):
    """An input and the entries that the core concluded from it."""

    item: Input
    entries: tuple[Entry, ...]


class Stored(Struct, frozen=True):
    """One durable transaction: its conclusions, the writes it permits, its time and state.

    It holds the records after number `after_seq` up to `head`. `shoe_ended`: a shoe ended in it;
    `shoe_ends` are the saved states after such ends.
    """

    conclusions: tuple[Conclusion, ...]
    writes: tuple[tuple[str, bytes], ...]
    at: Timestamp
    state: CoreState
    book: RuleBook
    after_seq: int = 0
    head: Head = Head(0, GENESIS)
    shoe_ended: bool = False
    shoe_ends: tuple[SavedState, ...] = ()


class Subscriber(Protocol):
    """Follows what a table has stored. One thread at a time calls `stored`, in order.

    It may wait and it may raise: no card waits for it. Where it is too slow, transactions are left
    out, which `after_seq` shows.
    """

    name: ClassVar[str]

    def stored(self, stored: Stored, /) -> None: ...


def read_at(conclusion: Conclusion) -> Timestamp | None:
    """When the bytes of the input were read; None if the input is not bytes."""
    return conclusion.item.at if isinstance(conclusion.item, Chunk) else None


def state_of_base(base: Base) -> StoredState | None:
    """The state at a base as this version reads it; None where it is unknown or unreadable."""
    if not base.state_holds:
        return None
    try:
        return STORED_STATES.decode(base.state)
    except EncodingError:
        return None
