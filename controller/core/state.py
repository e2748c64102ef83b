"""The state of the core, and how it grows while one input is worked through.

Responsible for: the one frozen value that holds all the core knows, its encoding, and the output
gathered beside it.
Not responsible for: what an input makes of it (core).
Source: package README, "The core".
"""

from typing import Final, TypeAlias

from controller.core.device_identity import NOT_PROVEN, DeviceIdentity
from controller.core.gaming_day import GamingDay
from controller.core.host_state import NOTHING_TOLD, HostState
from controller.custody.state import CustodyState
from controller.journal.encoding.codec import Codec
from controller.procedure.state import TableState
from controller.tape.entries import Entry
from drivers.catalogue import ReaderState, ScannerState, ShoeState, ShufflerState
from drivers.interface import Driver, DriverOutput
from firmware_bridge.values import dataclass, replace

NOTHING_KNOWN: Final = CustodyState()

BesideState: TypeAlias = ReaderState | ScannerState | ShufflerState


@dataclass(frozen=True, slots=True)
class Beside:
    """A device beside the shoe: a reader at another part of the table, a scanner, the shuffler."""

    port: str
    driver: Driver[BesideState]


@dataclass(frozen=True, slots=True)
class BesideKept:
    """What is kept of a device beside the shoe, by its port."""

    port: str
    state: BesideState


@dataclass(frozen=True, slots=True)
class CoreState:
    """All that the core knows. `lock_wanted` is None while the table asks for neither.

    `beside` are the states of the devices beside the shoe, in their order. `shoe_identity` is of a
    shoe that has one. `host` is of the machine that the program runs on.
    """

    boot_id: str
    day: GamingDay | None
    table: TableState
    shoe_driver: ShoeState
    lock_wanted: bool | None = None
    custody: CustodyState = NOTHING_KNOWN
    beside: tuple[BesideKept, ...] = ()
    shoe_identity: DeviceIdentity = NOT_PROVEN
    host: HostState = NOTHING_TOLD


STATES: Codec[CoreState] = Codec(CoreState)


@dataclass(frozen=True, slots=True)
class Growing:
    """State and output while one input is worked through."""

    state: CoreState
    entries: tuple[Entry, ...] = ()
    writes: tuple[tuple[str, bytes], ...] = ()
    at_once: tuple[tuple[str, bytes], ...] = ()

    def noting(self, *entries: Entry) -> "Growing":
        return replace(self, entries=(*self.entries, *entries))

    def writing(self, port: str, output: DriverOutput) -> "Growing":
        if not (output.to_write or output.at_once):
            return self
        writes = tuple((port, data) for data in output.to_write)
        at_once = tuple((port, data) for data in output.at_once)
        return replace(self, writes=(*self.writes, *writes), at_once=(*self.at_once, *at_once))

    def with_custody(self, kept: CustodyState) -> "Growing":
        if kept is self.state.custody:
            return self
        return replace(self, state=replace(self.state, custody=kept))
