"""The devices of a running table in the log: one line each, and what is passed on is unchanged."""

import logging

import pytest

from controller.core.settings import (
    ReaderDeviceSettings,
    ScannerDeviceSettings,
    Settings,
    ShoeDeviceSettings,
    ShufflerDeviceSettings,
)
from controller.core.state import CoreState
from controller.procedure.effects import Refused, WarningClosed, WarningOpened
from controller.procedure.events import ShufflerTold
from controller.procedure.state import TableState
from controller.service.device_log import (
    part_of,
    tell_batches,
    tell_identities,
    tell_warnings,
    telling_port,
    telling_refused,
)
from controller.table.loop import Conclusion, Stored
from controller.tape.entries import BatchBound, DeviceNoted, Entry, Judged
from controller.tape.inputs import DevicePlugged, DeviceUnplugged, ManifestGiven, Tick
from drivers.catalogue import ANGEL_EYE_II_EX, ShoeSettings, build_shoe
from drivers.shuffler_events import DoorMoved, IdentityProven, IdentityRefused
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened

AT = Timestamp(1, 2)
ABSENT = "usbhid://0c2e:0b81/S1 is not plugged in; `smartshoe devices` lists what is"
KEYBOARD = "USB device 046d:c31c at 1-2 is refused: it has a keyboard interface"
SHOE = ShoeDeviceSettings("/dev/shoe", "feig-rfid", False, "0-9A-F", "stx_counted", 250)
SETTINGS = Settings(
    "M7",
    "",
    8,
    0,
    (),
    SHOE,
    readers=(ReaderDeviceSettings("/dev/rack", "discard_rack"),),
    scanners=(ScannerDeviceSettings("/dev/scanner", "zebra-ssi"),),
    shuffler=ShufflerDeviceSettings("/dev/shuffler", "tablelink"),
)


@pytest.fixture(name="said")
def said_fixture(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, "smartshoe")
    return caplog


def lines(said: pytest.LogCaptureFixture) -> list[str]:
    return [f"{one.levelname} {one.getMessage()}" for one in said.records]


@pytest.mark.parametrize(
    ("port", "part"),
    [
        ("/dev/shoe", "shoe"),
        ("/dev/rack", "reader at the discard rack"),
        ("/dev/scanner", "scanner"),
        ("/dev/shuffler", "shuffler"),
    ],
)
def test_each_device_is_named_by_its_part(port: str, part: str) -> None:
    assert part_of(SETTINGS, port) == part


def test_a_device_that_opens_is_one_line(said: pytest.LogCaptureFixture) -> None:
    telling_port("shoe", lambda _: None)(PortOpened("/dev/shoe", AT, bytes(32)))

    assert lines(said) == ["INFO shoe: /dev/shoe is open"]


def test_a_device_that_is_absent_is_one_line_with_its_reason(
    said: pytest.LogCaptureFixture,
) -> None:
    telling_port("scanner", lambda _: None)(PortLost("usbhid://0c2e:0b81/S1", AT, ABSENT))

    assert lines(said) == [f"WARNING scanner: {ABSENT}"]


def test_bytes_are_no_line(said: pytest.LogCaptureFixture) -> None:
    telling_port("shoe", lambda _: None)(Chunk("/dev/shoe", AT, b"\x02"))

    assert lines(said) == []


def test_every_event_of_a_port_is_passed_on() -> None:
    events: list[PortEvent] = [
        PortOpened("/dev/shoe", AT, bytes(32)),
        Chunk("/dev/shoe", AT, b"\x02"),
        PortLost("/dev/shoe", AT, "unplugged"),
    ]
    passed: list[PortEvent] = []
    put = telling_port("shoe", passed.append)
    for event in events:
        put(event)

    assert passed == events


def test_a_device_that_is_refused_is_one_line(said: pytest.LogCaptureFixture) -> None:
    passed: list[DevicePlugged | DeviceUnplugged] = []
    put = telling_refused(passed.append)
    put(DevicePlugged(AT, 0x046D, 0xC31C, "", "1-2", KEYBOARD))
    put(DevicePlugged(AT, 0x0C2E, 0x0B81, "S1", "1-3"))
    put(DeviceUnplugged(AT, "1-2"))

    assert lines(said) == [f"WARNING {KEYBOARD}"]
    assert len(passed) == 3


def answered(entry: Entry, named_by: str) -> Stored:
    shoe = build_shoe(ANGEL_EYE_II_EX, ShoeSettings()).initial()
    given = ManifestGiven(AT, "RED-1", named_by, b"")
    state = CoreState("", None, TableState(), shoe)
    return Stored((Conclusion(given, (entry,)),), (), AT, state)


def test_a_batch_that_is_bound_is_one_line(said: pytest.LogCaptureFixture) -> None:
    bound = BatchBound("RED-1", "red", 8, 416, bytes(32), "", "", "", True)
    tell_batches(answered(bound, "the scanner at /dev/scanner"))

    assert lines(said) == ["INFO batch RED-1 is bound, named by the scanner at /dev/scanner"]


@pytest.mark.parametrize(
    ("named_by", "words"),
    [
        ("the configuration", "batch RED-1 is not bound"),
        ("the scanner at /dev/scanner", "what was named as a batch is not bound"),
        ("dealer D. Dealer", "what was named as a batch is not bound"),
    ],
)
def test_what_may_be_the_code_of_a_card_is_not_in_the_log(
    named_by: str, words: str, said: pytest.LogCaptureFixture
) -> None:
    tell_batches(answered(Refused("bind-batch", "there is no such file"), named_by))

    tail = f"named by {named_by}; `smartshoe status` tells why"
    assert lines(said) == [f"WARNING {words}, {tail}"]


# --- who a device is, and what stops the next card ------------------------------------------------

PROVEN = IdentityProven("5A01", "1.4.0", bytes(32), 3, 12, bare=False)
BARE = IdentityProven("5A01", "1.4.0", bytes(32), 3, 12, bare=True)
REFUSED = IdentityRefused("5A02", "its key is not the paired one", rolled_back=False)
UNKNOWN = IdentityRefused("", "it has no identity", rolled_back=False)


def concluded(*entries: Entry) -> Stored:
    driver = build_shoe(ANGEL_EYE_II_EX, ShoeSettings()).initial()
    state = CoreState("", None, TableState(), driver)
    return Stored((Conclusion(Tick(AT), entries),), (), AT, state)


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (PROVEN, "INFO {}: device 5A01, firmware 1.4.0, is trusted"),
        (BARE, "WARNING {}: BARE: it proves nothing of itself, and the configuration lets it in"),
        (
            REFUSED,
            (
                "WARNING {}: device 5A02 is refused: its key is not the paired one; nothing it"
                " tells is taken"
            ),
        ),
        (
            UNKNOWN,
            "WARNING {}: a device is refused: it has no identity; nothing it tells is taken",
        ),
    ],
)
@pytest.mark.parametrize("part", ["shoe", "shuffler"])
def test_who_a_device_is(
    event: IdentityProven | IdentityRefused,
    line: str,
    part: str,
    said: pytest.LogCaptureFixture,
) -> None:
    of_shuffler = Judged(ShufflerTold(event, 0), ())
    entry = of_shuffler if part == "shuffler" else DeviceNoted("/dev/shoe", event)
    tell_identities(SETTINGS, concluded(entry))
    assert lines(said) == [line.format(part)]


def test_nothing_else_of_a_device_tells_who_it_is(said: pytest.LogCaptureFixture) -> None:
    door = DoorMoved(open=True, compartment=0)
    entries = (Judged(ShufflerTold(door, 0), ()), DeviceNoted("/dev/shoe", door))
    tell_identities(SETTINGS, concluded(*entries, Refused("resolve", "nothing is open")))
    assert lines(said) == []


def test_a_warning_is_told_by_what_it_is_about_and_not_in_its_words(
    said: pytest.LogCaptureFixture,
) -> None:
    opened = WarningOpened(3, "count", 0, "the 7 of hearts is missing", ())
    closed = WarningClosed(3, "count", "A. Floor", "found in the tray", 8_000_000_000)
    tell_warnings(concluded(opened, Refused("clear-warning", "still so"), closed))
    assert lines(said) == [
        "WARNING shuffler: warning 3 (count): no next card before it is cleared",
        "INFO shuffler: warning 3 (count) is cleared by A. Floor",
    ]
