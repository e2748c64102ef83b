"""The drivers of a table by port: inputs, states, and devices that change between runs."""

import pytest

from controller.core.build import build_core
from controller.core.devices import Devices
from controller.core.settings import (
    DeviceSettings,
    ReaderDeviceSettings,
    Settings,
)
from controller.core.state import CoreState, Transition, encode_state
from controller.core.stored_settings import SETTINGS
from controller.core.tape.inputs import Started
from controller.journal.encoding import EncodingError
from controller.procedure.state import TableState
from controller.rules.profiles.load import load_clauses, profile_text
from controller.service.config.time_zone import zone_data
from drivers.commands import LockExit, SetPolling
from drivers.events import CommandAnswered, Stage, StageChanged
from drivers.model import ReaderSeat
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from foundation.message import message
from foundation.timestamp import Timestamp

UNPLUGGED = message("usb_unplugged")

AT = Timestamp(1_000_000_000, 1_795_000_000_000_000_000)
EXIT, RACK, BAR = "exit", "rack", "bar"
RFID, ANGEL_EYE = "feig-rfid", "angel-eye-ii-ex"
READER, SCANNER = (
    ReaderDeviceSettings(RACK, "feig-reader", seat=ReaderSeat.DISCARD_RACK),
    DeviceSettings(BAR, "hid-pos"),
)


def devices_of(
    model: str = RFID,
    readers: tuple[ReaderDeviceSettings, ...] = (READER,),
    scanners: tuple[DeviceSettings, ...] = (SCANNER,),
) -> Devices:
    shoe = DeviceSettings(EXIT, model)
    settings = Settings("M7", "3", 8, 0, (), shoe, readers=readers, scanners=scanners)
    profile = profile_text("s42-mini").encode()
    zone = zone_data("UTC")
    started = Started(AT, "boot", "1.0", SETTINGS.encode(settings), profile, zone, "")
    return build_core(started, load_clauses()).devices


def fresh(devices: Devices) -> Transition:
    state = CoreState(
        "", None, TableState(), devices.shoe.driver.initial(), auxiliary=devices.initial()
    )
    return Transition(state)


def opened(devices: Devices, *ports: str) -> Transition:
    growing = fresh(devices)
    for port in ports:
        growing, _ = devices.receive(growing, PortOpened(port, AT, bytes(32)))
    return growing


@pytest.fixture
def devices() -> Devices:
    return devices_of()


def test_the_shoe_comes_first_then_readers_then_scanners(devices: Devices) -> None:
    assert devices.ports == (EXIT, RACK, BAR)


@pytest.mark.parametrize("port", [EXIT, RACK, BAR])
def test_an_opened_port_opens_only_its_own_device(devices: Devices, port: str) -> None:
    growing, events = devices.receive(fresh(devices), PortOpened(port, AT, bytes(32)))
    assert [one.stage for one in events if isinstance(one, StageChanged)] == [Stage.OPENED]
    assert [devices.is_open(growing.state, each) for each in devices.ports] == [
        each == port for each in devices.ports
    ]
    assert {to for to, _ in (*growing.writes, *growing.at_once)} <= {port}


@pytest.mark.parametrize("port", [EXIT, RACK, BAR])
def test_a_lost_port_is_not_open(devices: Devices, port: str) -> None:
    growing = opened(devices, *devices.ports)
    growing, _ = devices.receive(growing, PortLost(port, AT, UNPLUGGED))
    assert not devices.is_open(growing.state, port)


def test_bytes_of_an_unknown_port_change_nothing(devices: Devices) -> None:
    growing = fresh(devices)
    assert devices.receive(growing, Chunk("elsewhere", AT, b"\x02")) == (growing, ())
    assert devices.tick(growing, "elsewhere", AT) == (growing, ())
    assert devices.command(growing, "elsewhere", SetPolling(True), AT) == (growing, ())
    assert not devices.is_open(growing.state, "elsewhere")


@pytest.mark.parametrize("port", [EXIT, RACK, BAR])
def test_a_device_without_a_lock_refuses_to_lock(devices: Devices, port: str) -> None:
    _, (answer,) = devices.command(fresh(devices), port, LockExit(), AT)
    assert isinstance(answer, CommandAnswered)


def test_the_next_deadline_is_the_earliest_of_all_devices(devices: Devices) -> None:
    assert devices.next_deadline_ns(fresh(devices).state) is None
    growing = opened(devices, RACK)
    due_ns = devices.next_deadline_ns(growing.state)
    assert due_ns is not None
    growing, _ = devices.tick(growing, RACK, Timestamp(due_ns, AT.utc_ns))
    assert devices.next_deadline_ns(growing.state) != due_ns


# --- another run ---------------------------------------------------------------------------------


def test_states_of_the_same_devices_are_kept(devices: Devices) -> None:
    state = opened(devices, *devices.ports).state
    assert devices_of().match_states(state) == state


def test_a_new_device_starts_with_its_initial_state() -> None:
    state = opened(devices_of(readers=()), EXIT, BAR).state
    now = devices_of().match_states(state)
    assert [one.port for one in now.auxiliary] == [RACK, BAR]
    assert [one.state.stage for one in now.auxiliary] == [Stage.CLOSED, Stage.OPENED]


def test_the_state_of_a_removed_device_is_dropped(devices: Devices) -> None:
    state = opened(devices, *devices.ports).state
    now = devices_of(scanners=()).match_states(state)
    assert [one.port for one in now.auxiliary] == [RACK]


def test_another_kind_of_device_at_a_port_starts_fresh(devices: Devices) -> None:
    state = opened(devices, *devices.ports).state
    swapped = devices_of(
        readers=(ReaderDeviceSettings(BAR, "feig-reader", seat=ReaderSeat.DISCARD_RACK),),
        scanners=(DeviceSettings(RACK, "hid-pos"),),
    )
    now = swapped.match_states(state)
    assert [(one.port, one.state.stage) for one in now.auxiliary] == [
        (BAR, Stage.CLOSED),
        (RACK, Stage.CLOSED),
    ]


def test_another_model_of_shoe_starts_fresh(devices: Devices) -> None:
    state = opened(devices, EXIT).state
    now = devices_of(ANGEL_EYE).match_states(state)
    assert now.shoe_driver == devices_of(ANGEL_EYE).shoe.driver.initial()


def test_a_state_of_the_same_run_must_be_its_drivers_own(devices: Devices) -> None:
    stored = encode_state(opened(devices, EXIT).state)

    assert devices.read_state(stored, same_run=True).shoe_driver.stage is Stage.OPENED
    with pytest.raises(EncodingError):
        devices_of(ANGEL_EYE).read_state(stored, same_run=True)
