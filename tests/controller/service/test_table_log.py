"""The lines of a running table's log; they disclose no unseen card, and events are passed on."""

import logging
from collections.abc import Sequence
from typing import cast

import pytest
from msgspec.structs import replace

from controller.core.core import account_record
from controller.core.script.parser import parse
from controller.core.script.player import PlayedStatement, play
from controller.core.settings import (
    DeviceSettings,
    ReaderDeviceSettings,
    Settings,
    ShufflerDeviceSettings,
)
from controller.core.state import Conclusion, CoreState, Stored
from controller.core.tape.entries import BatchBound, DeviceEventRecorded, Entry, EventVerdicts
from controller.core.tape.inputs import (
    AccountChange,
    AccountChanged,
    DevicePlugged,
    DeviceUnplugged,
    ManifestGiven,
    Tick,
)
from controller.custody.batch_life.state import WarningKind
from controller.procedure.effects import Refusal, WarningClosed, WarningOpened
from controller.procedure.events import ShufflerReported
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import TableState
from controller.rules.actions.actions import CallNoMoreBets, OperatorAction
from controller.rules.actions.declaration import Proof, Role
from controller.rules.profiles.load import load_profile
from controller.service.manifest_lookup import BY_CONFIGURATION
from controller.service.table_log import (
    IrregularityLog,
    device_role,
    log_batches,
    log_faults,
    log_identities,
    log_warnings,
    logging_port,
    logging_refusals,
)
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


AT = Timestamp(1, 2)
SUSPENDED = (
    "the table is suspended: no further card until a floorperson decides; `smartshoe resolve`"
    " lists what is open"
)
PLAYING = "the table is no longer suspended"
BURN = "burn Ac + 1; "
# A natural against seven, then a card that no hand is due.
OVERDRAW = "P 9h; B 2d; P Kc; B 5s; P 3c"
MISPLACED = "P 9h; B 7c; P Kd; P3 Kh"
TIE = "P1 7h; B 7c; P Kd; B Kh; result tie"


@pytest.fixture(autouse=True)
def _capture(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "smartshoe")


def book_of(profile: str, *observed: ObservableFact) -> RuleBook:
    return RuleBook.of(load_profile(profile), 8, (ObservableFact.RESULT_BUTTON, *observed))


def transaction(book: RuleBook, played: Sequence[PlayedStatement], role: Role) -> Stored:
    """These statements as one durable transaction; its actions are of a person with this role."""
    item = OperatorAction(AT, "Ann Lee", role, "test", CallNoMoreBets(), "the 7h lay open")
    conclusions = tuple(
        Conclusion(item, (EventVerdicts(one.events[-1], one.verdicts), *one.effects))
        for one in played
    )
    driver = ANGEL_EYE_II_EX.build().initial()
    return Stored(conclusions, (), AT, CoreState("", None, played[-1].state, driver), book)


def logged(
    caplog: pytest.LogCaptureFixture,
    script: str,
    book: RuleBook,
    role: Role = Role.FLOORPERSON,
    begun_at: int = 0,
) -> list[str]:
    """The lines of a script stored statement by statement; the first `begun_at` are one start."""
    caplog.clear()
    log, played = IrregularityLog(), play(book, parse(script))
    parts = [played[:begun_at], *([one] for one in played[begun_at:])]
    for part in filter(None, parts):
        log.stored(transaction(book, part, role))
    assert {(one.levelname, one.name) for one in caplog.records} <= {
        ("WARNING", "smartshoe.irregularities")
    }
    return [one.getMessage() for one in caplog.records]


def test_a_clean_coup_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert logged(caplog, f"{BURN}{TIE}; {TIE}", book_of("s42-mini")) == []


def test_an_irregularity_its_suspension_and_the_decision_are_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    script = f"{BURN}{MISPLACED}; result player; resolve continue"

    assert logged(caplog, script, book_of("s42-mini")) == [
        (
            "irregularity 1 CLAIM_DIFFERS, coup 1: the shoe reports another place for the card than"
            " the order of drawing gives; clauses S42-g-3-player, S42-g-3-banker; suspends the"
            " table"
        ),
        SUSPENDED,
        (
            "continue decided by Ann Lee (floorperson, not proved), closes irregularity 1; no"
            " card dealt while suspended"
        ),
        PLAYING,
    ]


def test_cards_dealt_while_suspended_are_counted_in_the_line_of_the_decision(
    caplog: pytest.LogCaptureFixture,
) -> None:
    script = f"{BURN}{MISPLACED}; result player; {TIE}; P1 7h; B 7c; resolve continue take-over"

    assert logged(caplog, script, book_of("s42-mini"), Role.PIT_MANAGER)[2:] == [
        (
            "irregularity 2 DEALT_WHILE_SUSPENDED, coup 2: cards were dealt while the table was"
            " suspended; clauses S42-f-1-shoe; raised while the table is suspended"
        ),
        (
            "continue decided by Ann Lee (pit manager, not proved), closes irregularities 1 to"
            " 2; take-over: 6 cards in 2 coups dealt while suspended"
        ),
        PLAYING,
    ]


def test_the_stated_outcome_of_a_partial_coup_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    script = f"{BURN}P 7h; lost 1; resolve state-outcome banker"

    assert logged(caplog, script, book_of("s42-mini"))[2:] == [
        (
            "state-outcome banker decided by Ann Lee (floorperson, not proved), closes"
            " irregularity 1; no card dealt while suspended"
        ),
        PLAYING,
    ]


def test_an_irregularity_that_does_not_suspend_says_so(caplog: pytest.LogCaptureFixture) -> None:
    script = f"{BURN}{TIE}; result tie; resolve continue"

    assert logged(caplog, script, book_of("s42-mini")) == [
        (
            "irregularity 1 RESULT_WITHOUT_COUP, between coups: a result was declared with no coup"
            " on the table; clauses S42-j-1-final; does not suspend the table"
        ),
        (
            "continue decided by Ann Lee (floorperson, not proved), closes irregularity 1; no"
            " card dealt while suspended"
        ),
    ]


def test_a_decision_that_is_refused_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    lines = logged(caplog, f"{BURN}{MISPLACED}; P 3c; resolve continue", book_of("s42-mini"))

    assert lines[1] == SUSPENDED
    assert not [one for one in lines if "decided" in one or one == PLAYING]


def test_a_table_that_the_decision_suspends_again_is_logged_as_suspended(
    caplog: pytest.LogCaptureFixture,
) -> None:
    script = f"{BURN}{TIE}; close shoe; P1 2h; start; start; P1 3c; resolve close-shoe void"

    assert logged(caplog, script, book_of("s42-mini"))[3:] == [
        (
            "close-shoe decided by Ann Lee (floorperson, not proved), closes irregularities 1 to"
            " 2; void: 1 card dealt while suspended"
        ),
        (
            "irregularity 3 SHOE_JOINED, between coups: the program joined a shoe that was already"
            " in play; clauses S42-e-6-load, S42-e-6-burn1; suspends the table"
        ),
        SUSPENDED,
    ]


def test_a_table_left_suspended_is_logged_at_the_next_start(
    caplog: pytest.LogCaptureFixture,
) -> None:
    book = book_of("s42-mini")
    played = play(book, parse(f"{BURN}{MISPLACED}; result player; P1 7h; B 7c; no more bets"))
    IrregularityLog().stored(transaction(book, played[-1:], Role.DEALER))

    assert [one.getMessage() for one in caplog.records] == [
        (
            "the table is still suspended: 2 irregularities open, 2 cards in 1 coup dealt while"
            " suspended"
        )
    ]


def test_a_start_that_suspends_the_table_is_logged_as_its_suspension(
    caplog: pytest.LogCaptureFixture,
) -> None:
    script = f"{BURN}P 9h; program 0.8.0"
    lines = logged(caplog, script, book_of("s42-mini"), begun_at=len(parse(script)))

    assert lines[-1] == SUSPENDED


def test_an_irregularity_and_its_decision_in_one_transaction_are_logged_in_their_order(
    caplog: pytest.LogCaptureFixture,
) -> None:
    script = f"{BURN}{MISPLACED}; resolve continue"
    lines = logged(caplog, script, book_of("s42-mini"), begun_at=len(parse(script)))

    assert [one.split()[0] for one in lines] == ["irregularity", "continue", "the"]
    assert lines[-1] == PLAYING


# --- disclosure -----------------------------------------------------------------------------------

NATURAL = "P 9h; B 2d; P Kc; B 5s; P 3c"
BOTH_STAND = "P 7h; B 7d; P Kc; B Ks; P 8c"


def test_hands_that_lie_face_down_have_the_same_lines(caplog: pytest.LogCaptureFixture) -> None:
    book = book_of("ny-midi")
    scripts = [f"{BURN}{cards}; resolve void-coup" for cards in (NATURAL, BOTH_STAND)]
    one, other = (logged(caplog, script, book) for script in scripts)

    assert one == other
    assert one[0].endswith(
        "clauses S42-h-4 (borrowed, X-8), NY-j, S42-k-2-carry (borrowed, X-26),"
        " S42-k-2-burn (borrowed, X-26); suspends the table"
    )


def test_the_clauses_of_cards_are_logged_once_people_have_seen_them(
    caplog: pytest.LogCaptureFixture,
) -> None:
    down = f"{BURN}P 9h; B 2d; P Kc; B 5s; "
    book = book_of("ny-midi", ObservableFact.TURNED)
    hidden = logged(caplog, f"{down}P 3c", book)[0]
    seen = logged(caplog, f"{down}turn player; turn banker; P 3c", book)[0]

    assert hidden != seen
    assert set(hidden.replace(";", ",").split(", ")) < set(seen.replace(";", ",").split(", "))


def test_no_line_has_a_reason_or_the_sentence_of_an_irregularity(
    caplog: pytest.LogCaptureFixture,
) -> None:
    script = f'{BURN}{OVERDRAW}; resolve burn-card because "the 3c lay open"'
    text = "\n".join(logged(caplog, script, book_of("s42-mini")))

    assert not [one for one in ("9h", "3c", "lay open", "Kc") if one in text]


def test_a_correction_is_logged_with_both_persons(caplog: pytest.LogCaptureFixture) -> None:
    script = f'{BURN}{TIE}; correct coup 1 to player second "Bo Ray" because "the 7h lay open"'

    assert logged(caplog, script, book_of("s42-mini")) == [
        (
            "coup 1 of shoe 1 of 2026-11-21 corrected to player by Ann Lee (floorperson, not"
            " proved) and Bo Ray (not proved), was tie"
        )
    ]


def test_a_changed_account_is_logged_without_a_name(caplog: pytest.LogCaptureFixture) -> None:
    person, book = "person-00112233aabb", book_of("s42-mini")
    locked = AccountChanged(AT, person, AccountChange.LOCKED, Role.DEALER, "", "uid-7", Proof.NONE)
    stored = transaction(book, play(book, parse(f"{BURN}{TIE}")), Role.DEALER)
    conclusion = Conclusion(locked, (account_record(locked),))
    caplog.clear()

    IrregularityLog().stored(replace(stored, conclusions=(conclusion,)))

    assert [one.getMessage() for one in caplog.records] == [
        f"account of {person}: locked, dealer, after wrong PINs from uid-7"
    ]
