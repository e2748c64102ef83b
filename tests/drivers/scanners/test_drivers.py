"""Tests both scanner drivers: life cycle, bar codes read, refusals, storable state."""

import tomllib
from pathlib import Path
from typing import Any, TypeAlias, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.journal.encoding import Codec
from drivers.catalogue import find_model, model_names
from drivers.commands import LockExit
from drivers.events import BarCodeRead, CommandAnswered, DeviceEvent, Stage, StageChanged
from drivers.faults import DeviceFault
from drivers.interface import Driver, DriverOutput
from drivers.model import DeviceKind
from drivers.scanners.hid_pos import HidPosScannerState
from drivers.scanners.ssi import SsiScannerState
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened
from foundation.message import message
from foundation.timestamp import Timestamp

UNPLUGGED = message("usb_unplugged")

FOLDER = Path(__file__).parents[2] / "vectors"
HID = tomllib.loads((FOLDER / "hid_pos.toml").read_text(encoding="utf-8"))
SSI = tomllib.loads((FOLDER / "ssi.toml").read_text(encoding="utf-8"))
WIRE = {packet["name"]: bytes.fromhex(packet["hex"]) for packet in SSI["packet"]}
SCANNER_ACK = WIRE["ACK of the scanner"]
PACK_SSI = bytes.fromhex(SSI["scan"][0]["packets"][0])
STATES: Codec[Any] = Codec(HidPosScannerState | SsiScannerState)
MS = 1_000_000

AnyDriver: TypeAlias = Driver[Any]


def driver_of(model: str) -> AnyDriver:
    return cast("AnyDriver", find_model(DeviceKind.SCANNER, model).build())


def at(ms: int = 0) -> Timestamp:
    return Timestamp(1_000_000_000 + ms * MS, 1_700_000_000_000_000_000 + ms * MS)


def opened(ms: int = 0) -> PortOpened:
    return PortOpened("scanner", at(ms), bytes(32))


def chunk(data: bytes, ms: int = 0) -> Chunk:
    return Chunk("scanner", at(ms), data)


LOST = PortLost("scanner", at(), UNPLUGGED)


def reports_of(scan: dict[str, Any]) -> bytes:
    found = b""
    for report in scan["reports"]:
        data, tail = bytes.fromhex(report["hex"]), bytes.fromhex(report.get("tail", ""))
        found += data.ljust(64 - len(tail), b"\x00") + tail
    return found


PACK_HID = reports_of(HID["scan"][2])


def run_driver(model: str, *port_events: PortEvent) -> tuple[Any, list[DriverOutput]]:
    driver = driver_of(model)
    state, outputs = driver.initial(), []
    for event in port_events:
        state, output = driver.receive(state, event)
        outputs.append(output)
        state, output = driver.tick(state, at(50))
        outputs.append(output)
        assert STATES.decode(STATES.encode(state)) == state
    return state, outputs


def events_of(outputs: list[DriverOutput]) -> list[DeviceEvent]:
    return [event for output in outputs for event in output.events]


def stages(outputs: list[DriverOutput]) -> list[Stage]:
    return [one.stage for one in events_of(outputs) if isinstance(one, StageChanged)]


def codes(outputs: list[DriverOutput]) -> list[DeviceEvent]:
    return [one for one in events_of(outputs) if isinstance(one, BarCodeRead | DeviceFault)]


# --- HID POS --------------------------------------------------------------------------------------


def test_life_cycle_of_a_hid_pos_scanner() -> None:
    scan = reports_of(HID["scan"][4])
    _state, outputs = run_driver(
        "hid-pos", opened(), chunk(scan[:64]), chunk(scan[64:]), LOST, opened()
    )

    assert stages(outputs) == [
        Stage.OPENED,
        Stage.IDENTIFIED,
        Stage.ONLINE,
        Stage.LOST,
        Stage.OPENED,
    ]


def test_a_hid_pos_scan_gives_bar_code_read() -> None:
    _state, outputs = run_driver("hid-pos", opened(), chunk(PACK_HID))

    assert codes(outputs) == [BarCodeRead("PACK-0001", "code-128")]


@pytest.mark.parametrize(("model", "written"), [("hid-pos", (b"\xfe\x01",)), ("hid-pos-plain", ())])
def test_pos_mode_is_requested_on_opening(model: str, written: tuple[bytes, ...]) -> None:
    _state, outputs = run_driver(model, opened())

    assert outputs[0].at_once == written
    assert outputs[0].to_write == ()


def test_answers_of_a_real_scanner_to_requests_are_not_bar_codes() -> None:
    identity, done = HID["scan"][0], HID["scan"][1]
    _state, outputs = run_driver(
        "hid-pos", opened(), chunk(reports_of(identity) + reports_of(done))
    )

    assert [str(one.kind) for one in codes(outputs) if isinstance(one, DeviceFault)] == [
        "malformed",
        "malformed",
    ]
    assert not [one for one in codes(outputs) if isinstance(one, BarCodeRead)]
    assert "Voyager" not in str(outputs)
    assert "REVINF" not in str(outputs)


# --- SSI ------------------------------------------------------------------------------------------


def test_life_cycle_of_an_ssi_scanner() -> None:
    answers = (WIRE["revision"], SCANNER_ACK, SCANNER_ACK)
    _state, outputs = run_driver("zebra-ssi", opened(), *map(chunk, answers), LOST, opened())

    assert stages(outputs) == [
        Stage.OPENED,
        Stage.IDENTIFIED,
        Stage.ONLINE,
        Stage.LOST,
        Stage.OPENED,
    ]


def test_an_ssi_scan_is_acknowledged_after_it_is_stored() -> None:
    _state, outputs = run_driver("zebra-ssi", opened(), chunk(PACK_SSI), chunk(PACK_SSI[:1]))

    assert codes(outputs) == [BarCodeRead("PACK-0001", "code-128")]
    scanned = outputs[2]
    assert scanned.to_write == (WIRE["published: ACK of the host"],)
    assert scanned.at_once == ()


def test_items_about_the_scanner_itself_give_no_event() -> None:
    _state, outputs = run_driver("zebra-ssi", opened(), chunk(WIRE["published: event 20"]))

    assert all(isinstance(one, StageChanged) for one in events_of(outputs))


def test_a_scanner_that_does_not_answer_gives_a_fault() -> None:
    driver = driver_of("zebra-ssi")
    state, output = driver.receive(driver.initial(), opened())
    outputs = [output]
    for _ in range(6):
        due_ns = driver.next_deadline_ns(state)
        assert due_ns is not None
        state, output = driver.tick(state, Timestamp(due_ns, due_ns))
        outputs.append(output)

    (fault,) = codes(outputs)
    assert isinstance(fault, DeviceFault)
    assert fault.kind == "no_answer"


# --- both -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", model_names(DeviceKind.SCANNER))
def test_a_scanner_takes_no_commands(model: str) -> None:
    driver = driver_of(model)
    state, output = driver.command(driver.initial(), LockExit(), at())

    assert state == driver.initial()
    assert [type(event) for event in output.events] == [CommandAnswered]


@pytest.mark.parametrize("model", model_names(DeviceKind.SCANNER))
def test_nothing_is_due_before_the_port_was_opened(model: str) -> None:
    driver = driver_of(model)

    assert driver.next_deadline_ns(driver.initial()) is None


@pytest.mark.parametrize("model", model_names(DeviceKind.SCANNER))
@given(
    st.lists(
        st.one_of(
            st.sampled_from([opened(), LOST, chunk(PACK_HID), chunk(PACK_SSI)]),
            st.binary(max_size=80).map(chunk),
        ),
        max_size=12,
    )
)
def test_no_port_event_raises_and_every_state_can_be_stored(
    model: str, port_events: list[PortEvent]
) -> None:
    _state, outputs = run_driver(model, *port_events)

    for event in codes(outputs):
        assert not isinstance(event, BarCodeRead) or 1 <= len(event.text) <= 64
