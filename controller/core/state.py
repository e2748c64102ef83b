"""The core's state, and the transition that one input makes: the new state and its output.

Source: controller/core/README.md, "The core".
"""

from itertools import repeat
from typing import Final, TypeAlias

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from controller.core.device_identity import NOT_PROVEN, DeviceIdentity
from controller.core.gaming_day import GamingDay
from controller.core.host_state import UNKNOWN_HOST, HostState
from controller.custody.state import CustodyState
from controller.journal.encoding import Codec
from controller.procedure.state import TableState
from controller.tape.entries import Entry
from drivers.catalogue import ReaderState, ScannerState, ShoeDriverState, ShufflerState
from drivers.interface import Driver, DriverOutput

EMPTY_CUSTODY: Final = CustodyState()

AuxiliaryDriverState: TypeAlias = ReaderState | ScannerState | ShufflerState


class AuxiliaryDevice(Struct, frozen=True):
    """A device other than the shoe: a reader at the rack or layout, a scanner, the shuffler."""

    port: str
    driver: Driver[AuxiliaryDriverState]


class AuxiliaryState(Struct, frozen=True):
    """The driver's state of an auxiliary device, by its port."""

    port: str
    state: AuxiliaryDriverState


class CoreState(Struct, frozen=True):
    """The complete state of the core.

    `lock_wanted`: whether the shoe is to be locked; None while nothing is requested. `auxiliary`:
    the states of the other devices, in the order of the settings. `shoe_identity`: who the shoe
    has proven to be, if its model has an identity. `host`: clock and disk of the machine.
    `approved_at`: when the newest list of approved firmware was signed that was seen for a device,
    by the device's section; left out of stored states where there was none.
    """

    boot_id: str
    day: GamingDay | None
    table: TableState
    shoe_driver: ShoeDriverState
    lock_wanted: bool | None = None
    custody: CustodyState = EMPTY_CUSTODY
    auxiliary: tuple[AuxiliaryState, ...] = ()
    shoe_identity: DeviceIdentity = NOT_PROVEN
    host: HostState = UNKNOWN_HOST
    approved_at: tuple[tuple[str, int], ...] | UnsetType = UNSET


STATES: Codec[CoreState] = Codec(CoreState)


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
