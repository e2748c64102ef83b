"""The core's state, the transition that one input makes, and what a table stores at once."""

from itertools import repeat
from typing import Any, ClassVar, Final, Generic, Protocol, TypeAlias, TypeVar

from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.structs import replace

from controller.core.device_identity import NOT_PROVEN, DeviceIdentity
from controller.core.gaming_day import GamingDay
from controller.core.host_state import UNKNOWN_HOST, HostState
from controller.core.tape.entries import Entry
from controller.core.tape.inputs import Input
from controller.custody.state import CustodyState
from controller.journal.encoding import Codec
from controller.journal.record import GENESIS
from controller.journal.values import Head, SavedState
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from drivers.interface import DriverOutput, DriverState
from firmware_bridge.transport.port import Chunk
from foundation.timestamp import Timestamp

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
