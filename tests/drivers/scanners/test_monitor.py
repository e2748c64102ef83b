"""Tests the scanner monitor: three levels, and no text of a code while masked."""

import pytest

from controller.system.messages.catalogue import to_words
from drivers.catalogue import find_model, model_names
from drivers.model import BadDeviceSettings, DeviceKind
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened
from foundation.message import message
from foundation.timestamp import Timestamp

UNPLUGGED = message("usb_unplugged")

AT = Timestamp(1, 1)
OPENED = PortOpened("scanner", AT, bytes(32))
PACK_SSI = bytes.fromhex("0E F3 00 00 03 50 41 43 4B 2D 30 30 30 31 FC EF")
PACK_HID = bytes.fromhex("02095d43305041434b2d30303031").ljust(61, b"\x00") + b"\x6a\x00\x00"
NOISE = b"PACK-0001"


def lines(model: str, *events: PortEvent, masked: bool = True) -> list[str]:
    monitor = find_model(DeviceKind.SCANNER, model).build_monitor(to_words, masked=masked)
    state, found = monitor.initial(), []
    for event in events:
        state, some = monitor.watch(state, event)
        found.extend(some)
    return found


def chunk(data: bytes) -> Chunk:
    return Chunk("scanner", AT, data)


@pytest.mark.parametrize(
    ("model", "data", "frame"),
    [
        ("hid-pos", PACK_HID, "frame  report ]C0 .. .. .. .. .. .. .. .. .."),
        ("zebra-ssi", PACK_SSI, "frame  packet F3 status 00 .. .. .. .. .. .. .. .. .. .."),
    ],
)
def test_a_scan_shows_at_three_levels_without_its_text(model: str, data: bytes, frame: str) -> None:
    found = lines(model, OPENED, chunk(data))

    assert found[1] == "bytes  " + " ".join([".."] * len(data))
    assert found[2] == frame
    assert found[-1] == "event  bar code of 9 characters, code-128"


@pytest.mark.parametrize(("model", "data"), [("hid-pos", PACK_HID), ("zebra-ssi", PACK_SSI)])
def test_unmasked_the_text_is_shown(model: str, data: bytes) -> None:
    found = lines(model, OPENED, chunk(data), masked=False)

    assert "50 41 43 4B 2D 30 30 30 31" in found[1]
    assert "50 41 43 4B 2D 30 30 30 31" in found[2]
    assert found[-1] == "event  BarCodeRead text=PACK-0001 symbology=code-128"


@pytest.mark.parametrize("model", model_names(DeviceKind.SCANNER))
@pytest.mark.parametrize("data", [PACK_HID, PACK_SSI, NOISE, PACK_SSI[:-1] + b"\x00", b"\x02" * 64])
def test_masked_no_line_holds_a_text(model: str, data: bytes) -> None:
    found = " ".join(lines(model, OPENED, chunk(data), chunk(data[:9])))

    assert "PACK" not in found
    assert "50 41" not in found


def test_faults_show_at_the_frame_level() -> None:
    assert "frame  bad_checksum: the sum does not match the packet" in lines(
        "zebra-ssi", OPENED, chunk(PACK_SSI[:-1] + b"\x00")
    )
    assert (
        "frame  malformed: a malformed report of the scanner: it has no symbology identifier"
        in lines("hid-pos", OPENED, chunk(b"\x02\x01" + bytes(62)))
    )


def test_an_incomplete_frame_is_dropped_when_the_port_is_lost() -> None:
    lost = PortLost("scanner", AT, UNPLUGGED)
    found = lines("zebra-ssi", OPENED, chunk(PACK_SSI[:5]), lost, OPENED, chunk(PACK_SSI))

    assert found[-1] == "event  bar code of 9 characters, code-128"


@pytest.mark.parametrize(("model", "data"), [("zebra-ssi", PACK_SSI), ("hid-pos", PACK_HID)])
@pytest.mark.parametrize("between", [OPENED, PortLost("scanner", AT, UNPLUGGED)])
def test_half_a_frame_does_not_live_over_a_reopening(
    model: str, data: bytes, between: PortEvent
) -> None:
    begun = lines(model, OPENED, chunk(data[:5]), between, chunk(data))
    whole = lines(model, OPENED, chunk(data))

    assert [one for one in begun if one.startswith("frame")] == [
        one for one in whole if one.startswith("frame")
    ]


def test_an_unknown_model_is_an_error_that_names_it() -> None:
    with pytest.raises(BadDeviceSettings, match=r"'keyboard' is not allowed\. Allowed: hid-pos, "):
        find_model(DeviceKind.SCANNER, "keyboard").build_monitor(to_words)
