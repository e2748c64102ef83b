"""The log lines of a running table's devices; events are passed on unchanged."""

import logging
from typing import cast

import pytest

from controller.core.settings import (
    DeviceSettings,
    ReaderDeviceSettings,
    Settings,
    ShufflerDeviceSettings,
)
from controller.core.state import Conclusion, CoreState, Stored
from controller.core.tape.entries import BatchBound, DeviceEventRecorded, Entry, EventVerdicts
from controller.core.tape.inputs import DevicePlugged, DeviceUnplugged, ManifestGiven, Tick
from controller.custody.batch_life.state import WarningKind
from controller.procedure.effects import Refusal, WarningClosed, WarningOpened
from controller.procedure.events import ShufflerReported
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.service.device_log import (
    device_role,
    log_batches,
    log_faults,
    log_identities,
    log_warnings,
    logging_port,
    logging_refusals,
)
from controller.service.manifest_lookup import BY_CONFIGURATION
from controller.system.messages.catalogue import to_words
from drivers.faults import DeviceFault
from drivers.model import ReaderSeat
from drivers.shoes.angel_eye_model import ANGEL_EYE_II_EX
from drivers.shuffler_events import DoorMoved, IdentityProven, IdentityRefused
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened
from foundation.message import Message, message
from foundation.timestamp import Timestamp

UNPLUGGED = message("usb_unplugged")

AT = Timestamp(1, 2)
# Nothing here asks it.
BOOK = cast("RuleBook", None)
ABSENT = message("usb_not_plugged_in", port="usbhid://0c2e:0b81/S1")
KEYBOARD = message("usb_keyboard_refused")
SCANNER = message("the_scanner_at", port="/dev/scanner")
DEALER = message("role_person", role="dealer", person="D. Dealer")
SHOE = DeviceSettings("/dev/shoe", "feig-rfid")
SETTINGS = Settings(
    "M7",
    "",
    8,
    0,
    (),
    SHOE,
    readers=(ReaderDeviceSettings("/dev/rack", "feig-reader", seat=ReaderSeat.DISCARD_RACK),),
    scanners=(DeviceSettings("/dev/scanner", "zebra-ssi"),),
    shuffler=ShufflerDeviceSettings("/dev/shuffler", "tablelink"),
)


@pytest.fixture(name="log")
def log_fixture(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, "smartshoe")
    return caplog


def lines(log: pytest.LogCaptureFixture) -> list[str]:
    return [f"{one.levelname} {one.getMessage()}" for one in log.records]


@pytest.mark.parametrize(
    ("port", "role"),
    [
        ("/dev/shoe", "shoe"),
        ("/dev/rack", "reader at the discard rack"),
        ("/dev/scanner", "scanner"),
        ("/dev/shuffler", "shuffler"),
    ],
)
def test_each_device_is_named_by_its_role(port: str, role: str) -> None:
    assert device_role(SETTINGS, port) == role


def test_an_opened_device_is_one_line(log: pytest.LogCaptureFixture) -> None:
    logging_port("shoe", lambda _: None)(PortOpened("/dev/shoe", AT, bytes(32)))

    assert lines(log) == ["INFO shoe: /dev/shoe is open"]


def test_an_absent_device_is_one_line_with_its_reason(
    log: pytest.LogCaptureFixture,
) -> None:
    logging_port("scanner", lambda _: None)(PortLost("usbhid://0c2e:0b81/S1", AT, ABSENT))

    assert lines(log) == [f"WARNING scanner: {to_words(ABSENT)}"]


def test_bytes_are_not_logged(log: pytest.LogCaptureFixture) -> None:
    logging_port("shoe", lambda _: None)(Chunk("/dev/shoe", AT, b"\x02"))

    assert lines(log) == []


def test_every_event_of_a_port_is_passed_on() -> None:
    events: list[PortEvent] = [
        PortOpened("/dev/shoe", AT, bytes(32)),
        Chunk("/dev/shoe", AT, b"\x02"),
        PortLost("/dev/shoe", AT, UNPLUGGED),
    ]
    passed: list[PortEvent] = []
    put = logging_port("shoe", passed.append)
    for event in events:
        put(event)

    assert passed == events


def test_a_refused_device_is_one_line(log: pytest.LogCaptureFixture) -> None:
    passed: list[DevicePlugged | DeviceUnplugged] = []
    put = logging_refusals(passed.append)
    put(DevicePlugged(AT, 0x046D, 0xC31C, "", "1-2", message("as_typed", typed=KEYBOARD)))
    put(DevicePlugged(AT, 0x0C2E, 0x0B81, "S1", "1-3"))
    put(DeviceUnplugged(AT, "1-2"))

    assert lines(log) == [f"WARNING {to_words(KEYBOARD)}"]
    assert len(passed) == 3


def answered(entry: Entry, named_by: Message) -> Stored:
    shoe = ANGEL_EYE_II_EX.build().initial()
    given = ManifestGiven(AT, "RED-1", named_by, b"")
    state = CoreState("", None, TableState(), shoe)
    return Stored((Conclusion(given, (entry,)),), (), AT, state, BOOK)


def test_a_bound_batch_is_one_line(log: pytest.LogCaptureFixture) -> None:
    bound = BatchBound("RED-1", "red", 8, 416, bytes(32), "", "", b"", True)
    log_batches(answered(bound, SCANNER))

    assert lines(log) == ["INFO batch RED-1 is bound, named by the scanner at /dev/scanner"]


@pytest.mark.parametrize(
    ("named_by", "words"),
    [
        (BY_CONFIGURATION, "batch RED-1 is not bound"),
        (SCANNER, "the name given for a batch is not bound"),
        (DEALER, "the name given for a batch is not bound"),
    ],
)
def test_a_refused_name_is_not_logged(
    named_by: Message, words: str, log: pytest.LogCaptureFixture
) -> None:
    log_batches(answered(Refusal("bind-batch", message("not_a_batch_name")), named_by))

    tail = f"named by {to_words(named_by)}; `smartshoe status` shows why"
    assert lines(log) == [f"WARNING {words}, {tail}"]


# --- who a device is, and what stops the next card ------------------------------------------------

PROVEN = IdentityProven("5A01", "1.4.0", bytes(32), 3, 12, bare=False)
BARE = IdentityProven("5A01", "1.4.0", bytes(32), 3, 12, bare=True)
REFUSED = IdentityRefused(
    "5A02", message("attestation_malformed", device="5a02"), rolled_back=False
)
UNKNOWN = IdentityRefused("", message("device_has_no_identity"), rolled_back=False)


def concluded(*entries: Entry) -> Stored:
    driver = ANGEL_EYE_II_EX.build().initial()
    state = CoreState("", None, TableState(), driver)
    return Stored((Conclusion(Tick(AT), entries),), (), AT, state, BOOK)


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (PROVEN, "INFO {}: device 5A01, firmware 1.4.0, is trusted"),
        (BARE, "WARNING {}: BARE: it proves no identity, and the configuration accepts it"),
        (
            REFUSED,
            (
                "WARNING {}: device 5A02 is refused: device 5a02 signed a statement that does not"
                " follow TableLink/1. Remedy: give it firmware that speaks TableLink/1; all its"
                " reports are rejected"
            ),
        ),
        (
            UNKNOWN,
            (
                "WARNING {}: a device is refused: the device has no identity: pair one that has;"
                " all its reports are rejected"
            ),
        ),
    ],
)
@pytest.mark.parametrize("role", ["shoe", "shuffler"])
def test_the_identity_of_a_device_is_logged(
    event: IdentityProven | IdentityRefused,
    line: str,
    role: str,
    log: pytest.LogCaptureFixture,
) -> None:
    of_shuffler = EventVerdicts(ShufflerReported(event, 0), ())
    entry = of_shuffler if role == "shuffler" else DeviceEventRecorded("/dev/shoe", event)
    log_identities(SETTINGS, concluded(entry))
    assert lines(log) == [line.format(role)]


def test_other_device_events_are_not_logged(log: pytest.LogCaptureFixture) -> None:
    door = DoorMoved(open=True, compartment=0)
    entries = (EventVerdicts(ShufflerReported(door, 0), ()), DeviceEventRecorded("/dev/shoe", door))
    log_identities(SETTINGS, concluded(*entries, Refusal("resolve", "nothing is open")))
    assert lines(log) == []


def test_a_warning_is_logged_by_its_kind_without_its_text(
    log: pytest.LogCaptureFixture,
) -> None:
    opened = WarningOpened(3, WarningKind.COUNT, 0, message("no_such_deck", deck=1, decks=1), ())
    closed = WarningClosed(3, WarningKind.COUNT, "A. Floor", "found in the tray", 8_000_000_000)
    log_warnings(concluded(opened, Refusal("clear-warning", "still so"), closed))
    assert lines(log) == [
        "WARNING shuffler: warning 3 (count): no next card before it is cleared",
        "INFO shuffler: warning 3 (count) is cleared by A. Floor",
    ]


# --- what came whole and is not understood -------------------------------------------------------


@pytest.mark.parametrize(
    "kind",
    [
        LinkFaultKind.MALFORMED,
        LinkFaultKind.UNKNOWN_CODE,
        LinkFaultKind.CONFIGURATION,
        LinkFaultKind.SEQUENCE_SETTING,
        LinkFaultKind.CHECKSUM_READING,
    ],
)
def test_what_a_device_sent_whole_and_nobody_understood_is_logged(
    kind: LinkFaultKind, log: pytest.LogCaptureFixture
) -> None:
    detail = message("reader_sends_tag_statistics")
    log_faults(SETTINGS, concluded(DeviceEventRecorded("/dev/rack", DeviceFault(kind, detail))))

    assert lines(log) == [f"WARNING reader at the discard rack: {to_words(detail)}"]


def test_noise_on_a_line_is_not_logged(log: pytest.LogCaptureFixture) -> None:
    fault = DeviceFault(LinkFaultKind.NOISE, message("line_silent_within_frame"))
    log_faults(SETTINGS, concluded(DeviceEventRecorded("/dev/shoe", fault)))

    assert lines(log) == []
