"""The devices of a table in the core: each hears its own port, and a new run has those it names.

Responsible for: which driver gets an input, its state and its bytes; devices that were added, moved
or taken away between two runs.
Not responsible for: what devices say (tests/drivers) and what follows at the table (test_core).
Source: controller/README.md, "Devices of a table".
"""

import pytest

from controller.config.time_zone import zone_data
from controller.core.build import SETTINGS, core_of
from controller.core.devices import Devices
from controller.core.settings import (
    ReaderDeviceSettings,
    ScannerDeviceSettings,
    Settings,
    ShoeDeviceSettings,
)
from controller.core.state import CoreState, Growing
from controller.procedure.state import TableState
from controller.profiles.load import load_clauses, profile_text
from controller.tape.inputs import Started
from drivers.commands import LockExit, Watch
from drivers.events import CommandAnswered, Stage, StageChanged
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened

AT = Timestamp(1_000_000_000, 1_795_000_000_000_000_000)
EXIT, RACK, BAR = "exit", "rack", "bar"
RFID, ANGEL_EYE = "feig-rfid", "angel-eye-ii-ex"
READER, SCANNER = ReaderDeviceSettings(RACK, "discard_rack"), ScannerDeviceSettings(BAR, "hid-pos")


def devices_of(
    model: str = RFID,
    readers: tuple[ReaderDeviceSettings, ...] = (READER,),
    scanners: tuple[ScannerDeviceSettings, ...] = (SCANNER,),
) -> Devices:
    shoe = ShoeDeviceSettings(EXIT, model, False, "0-9A-F", "stx_counted", 250)
    settings = Settings("M7", "3", 8, 0, (), shoe, readers=readers, scanners=scanners)
    profile = profile_text("s42-mini").encode()
    zone = zone_data("UTC")
    started = Started(AT, "boot", "1.0", SETTINGS.encode(settings), profile, zone, "")
    return core_of(started, load_clauses()).devices


def fresh(devices: Devices) -> Growing:
    state = CoreState("", None, TableState(), devices.shoe.initial(), beside=devices.initial())
    return Growing(state)


def opened(devices: Devices, *ports: str) -> Growing:
    growing = fresh(devices)
    for port in ports:
        growing, _ = devices.received(growing, PortOpened(port, AT, bytes(32)))
    return growing


@pytest.fixture
def devices() -> Devices:
    return devices_of()


def test_the_shoe_comes_first_then_readers_then_scanners(devices: Devices) -> None:
    assert devices.ports == (EXIT, RACK, BAR)


@pytest.mark.parametrize("port", [EXIT, RACK, BAR])
def test_a_port_that_opens_is_heard_by_its_own_device(devices: Devices, port: str) -> None:
    growing, events = devices.received(fresh(devices), PortOpened(port, AT, bytes(32)))
    assert [one.stage for one in events if isinstance(one, StageChanged)] == [Stage.OPENED]
    assert [devices.is_open(growing.state, each) for each in devices.ports] == [
        each == port for each in devices.ports
    ]
    assert {to for to, _ in (*growing.writes, *growing.at_once)} <= {port}


@pytest.mark.parametrize("port", [EXIT, RACK, BAR])
def test_a_port_that_is_lost_is_open_no_more(devices: Devices, port: str) -> None:
    growing = opened(devices, *devices.ports)
    growing, _ = devices.received(growing, PortLost(port, AT, "unplugged"))
    assert not devices.is_open(growing.state, port)


def test_what_comes_from_a_port_of_no_device_changes_nothing(devices: Devices) -> None:
    growing = fresh(devices)
    assert devices.received(growing, Chunk("elsewhere", AT, b"\x02")) == (growing, ())
    assert devices.ticked(growing, "elsewhere", AT) == (growing, ())
    assert devices.commanded(growing, "elsewhere", Watch(True), AT) == (growing, ())
    assert not devices.is_open(growing.state, "elsewhere")


@pytest.mark.parametrize("port", [EXIT, RACK, BAR])
def test_a_device_without_a_lock_refuses_to_lock(devices: Devices, port: str) -> None:
    _, (answer,) = devices.commanded(fresh(devices), port, LockExit(), AT)
    assert isinstance(answer, CommandAnswered)


def test_the_next_deadline_is_that_of_the_first_device_that_has_one(devices: Devices) -> None:
    assert devices.next_deadline_ns(fresh(devices).state) is None
    growing = opened(devices, RACK)
    due_ns = devices.next_deadline_ns(growing.state)
    assert due_ns is not None
    growing, _ = devices.ticked(growing, RACK, Timestamp(due_ns, AT.utc_ns))
    assert devices.next_deadline_ns(growing.state) != due_ns


# --- another run ---------------------------------------------------------------------------------


def test_what_is_known_of_the_same_devices_stays(devices: Devices) -> None:
    state = opened(devices, *devices.ports).state
    assert devices_of().of_this_run(state) == state


def test_a_device_that_is_new_begins_at_its_beginning() -> None:
    state = opened(devices_of(readers=()), EXIT, BAR).state
    now = devices_of().of_this_run(state)
    assert [one.port for one in now.beside] == [RACK, BAR]
    assert [one.state.stage for one in now.beside] == [Stage.CLOSED, Stage.OPENED]


def test_a_device_that_was_taken_away_is_forgotten(devices: Devices) -> None:
    state = opened(devices, *devices.ports).state
    now = devices_of(scanners=()).of_this_run(state)
    assert [one.port for one in now.beside] == [RACK]


def test_another_kind_of_device_at_a_port_knows_nothing(devices: Devices) -> None:
    state = opened(devices, *devices.ports).state
    swapped = devices_of(
        readers=(ReaderDeviceSettings(BAR, "discard_rack"),),
        scanners=(ScannerDeviceSettings(RACK, "hid-pos"),),
    )
    now = swapped.of_this_run(state)
    assert [(one.port, one.state.stage) for one in now.beside] == [
        (BAR, Stage.CLOSED),
        (RACK, Stage.CLOSED),
    ]


def test_another_model_of_shoe_knows_nothing(devices: Devices) -> None:
    state = opened(devices, EXIT).state
    now = devices_of(ANGEL_EYE).of_this_run(state)
    assert now.shoe_driver == devices_of(ANGEL_EYE).shoe.initial()
