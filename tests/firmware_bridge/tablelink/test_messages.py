"""Messages of TableLink: golden payloads in both directions, and malformed ones.

Source: firmware_bridge README, "TableLink/1", link messages, events, requests.
"""

import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from in_words import raises_in_words

from controller.system.messages.catalogue import to_words
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.tablelink import bodies, messages
from firmware_bridge.tablelink.event_bodies import parse_body
from firmware_bridge.tablelink.fields import FieldMismatch, Fields
from firmware_bridge.tablelink.frames import (
    FrameChannel,
    TableLinkFrame,
    TableLinkUnframed,
    encode,
    feed,
)
from firmware_bridge.tablelink.items import RequestStatus, RequestType
from firmware_bridge.tablelink.messages import EventMessage, HostMessage

VECTORS = tomllib.loads(
    (Path(__file__).parents[2] / "vectors" / "tablelink.toml").read_text(encoding="utf-8")
)
BY_NAME = {vector["name"]: vector for vector in VECTORS["frame"]}
KEY = bytes.fromhex(VECTORS["key"][0]["public"])
DEVICE = bytes.fromhex("5eed0000c0ffee01")
IMAGE = bytes.fromhex(VECTORS["attestation"][0]["image"])
SEALED = bytes.fromhex(VECTORS["attestation"][0]["sealed"])
NONCE = bytes.fromhex(VECTORS["attestation"][0]["nonce"])
TAG = bytes.fromhex("e0040150a05f02b7")
SESSION = 0x0BADCAFE
FACES = b"\x08" * 52

HELLO = messages.Hello(
    DEVICE, 0x5EED0001, 40, 43, 4096, "1.0.0", SESSION, 17, 2, boot_count=5, debug=False
)
SIGNED = bodies.ShuffleReceipt(
    device=DEVICE,
    boot_id=0x5EED0001,
    boot_count=5,
    cycle=7,
    compartment=1,
    count=416,
    result=bodies.ShuffleCheckResult.GOOD,
    back="red",
    faces=FACES,
    began_us=80_000_000,
    ended_us=300_000_000,
    image=IMAGE,
    version="1.0.0",
)
BARE = bodies.ShuffleReceipt(
    device=DEVICE,
    boot_id=0x5EED0001,
    boot_count=5,
    cycle=8,
    compartment=2,
    count=416,
    result=bodies.ShuffleCheckResult.UNVERIFIED,
    back="",
    faces=b"",
    began_us=80_000_000,
    ended_us=300_000_000,
    image=IMAGE,
    version="1.0.0",
)
STATUS = bodies.DeviceStatus(
    mode=bodies.DeviceMode.PLAY,
    door_open=False,
    compartments=(
        bodies.CompartmentStatus(1, bodies.CompartmentPhase.STORED, 416, "red", 7),
        bodies.CompartmentStatus(2, bodies.CompartmentPhase.EMPTY, None, "", 0),
    ),
    residual=0,
    warnings=(7,),
    gate_closed=False,
    recorded=42,
)

TOLD = {
    "HELLO of a shuffler, answering": HELLO,
    "ATTEST_RSP, signed": messages.AttestationResponse(SEALED),
    "ATTEST_RSP of a bare device": messages.AttestationResponse(b""),
    "BYE of the device": messages.Bye("rebooting"),
    "ERROR": messages.ErrorMessage(513, "ring memory"),
    "PING of the device": messages.Ping(5_000_000, 3, gate_closed=False),
    "PING of the device, gate closed": messages.Ping(6_000_000, 3687, gate_closed=True),
    "PONG of the device": messages.Pong(),
    "TIME_RSP": messages.TimeResponse(987654321, 60_000_000, 60_000_250),
    "SHUFFLE begun": messages.AnswerMessage(18, 3, RequestStatus.DONE, "", None),
    "RELEASE refused": messages.AnswerMessage(
        19, 5, RequestStatus.REFUSED, "the compartment is empty", None
    ),
    "STATUS answered": messages.AnswerMessage(20, 6, RequestStatus.DONE, "", STATUS),
    "request unknown": messages.AnswerMessage(
        21, 9, RequestStatus.UNKNOWN, "no such request", None
    ),
}
EVENTS = {
    "event 42, CARD_OUT": bodies.CardOut(TAG, 9, 1),
    "event 43, LID open": bodies.Lid(open=True, compartment=0),
    "event 44, JAM in compartment 2": bodies.Jam(2, cleared=False),
    "event 45, BATCH_STARTED": bodies.BatchStarted(1, 7),
    "event 48, BATCH_ABORTED by power": bodies.BatchAborted(1, 9, bodies.AbortCode.POWER),
    "event 49, COMPARTMENT stored": bodies.CompartmentReport(
        1, bodies.CompartmentPhase.STORED, 416, "red", FACES
    ),
    "event 50, COMPARTMENT empty, nothing known": bodies.CompartmentReport(
        2, bodies.CompartmentPhase.EMPTY, None, "", b""
    ),
    "event 51, WARNING on": bodies.WarningReport(7, "cover not closed", active=True),
    "event 52, RESIDUAL": bodies.Residual(0, 2),
    "event 53, MODE service": bodies.ModeReport(bodies.DeviceMode.SERVICE),
    "event 54, POWER_UP in a shuffle": bodies.PowerUp(6, (2,)),
    "event 55, SELFTEST": bodies.SelfTest(passed=True, detail="ok"),
    "event 56, TAMPER": bodies.Tamper("cover"),
    "event 57, OVERFLOW": bodies.Overflow(),
    "event 58, CONFIG_CHANGED": bodies.ConfigChanged("decks 8"),
    "event 59, FW_CHANGED": bodies.FirmwareChanged(IMAGE, "1.0.0"),
    "event 60, CARD_RETRACTED": bodies.CardRetracted(TAG),
    "event 61, READ_FAIL": bodies.ReadFail(),
    "event 62, DOUBLE_FEED": bodies.DoubleFeed(2),
    "event 63, CUT_CARD": bodies.CutCardOut(),
    "event 64, SHOE_LOADED": bodies.ShoeLoaded("red-7"),
    "event 65, SHOE_EMPTY": bodies.ShoeEmpty(),
    "event 66, CARD_OUT, nothing read": bodies.CardOut(b"", 0, 0),
    "event 2^32 + 2": bodies.CutCardOut(),
}
SAID = {
    "HELLO of the host": messages.hello(SESSION),
    "HELLO_ACK, nothing stored": messages.hello_ack(SESSION, 0),
    "HELLO_ACK 41": messages.hello_ack(SESSION, 41),
    "HELLO_ACK above 32 bits": messages.hello_ack(SESSION, 0x100000001),
    "ATTEST_REQ": messages.attest_request(NONCE),
    "PING with counter 7": messages.ping(1234567),
    "PONG of the host": messages.pong(5_000_000),
    "TIME_REQ": messages.time_request(987654321),
    "NAK 43": messages.nak(43),
    "ACK 42": messages.ack(42),
    "ACK of a number above 32 bits, low half": messages.ack(0x100000002),
    "SHUFFLE of compartment 1, id 18": messages.request(RequestType.SHUFFLE, 18, 1, resent=False),
    "the same, said before": messages.request(RequestType.SHUFFLE, 18, 1, resent=True),
    "STATUS": messages.request(RequestType.STATUS, 20, None, resent=False),
    "MODE service": messages.request(RequestType.MODE, 21, 1, resent=False),
    "LOCK of a shoe": messages.request(RequestType.LOCK, 22, None, resent=False),
}


def frame_of(name: str) -> TableLinkFrame:
    _unframed, (frame,) = feed(TableLinkUnframed(), bytes.fromhex(BY_NAME[name]["wire"]))
    assert isinstance(frame, TableLinkFrame)
    return frame


def event_of(name: str) -> EventMessage:
    message = messages.decode(frame_of(name))
    assert isinstance(message, EventMessage)
    return message


@pytest.mark.parametrize("name", TOLD)
def test_messages_of_the_device_are_parsed(name: str) -> None:
    assert messages.decode(frame_of(name)) == TOLD[name]


@pytest.mark.parametrize("name", EVENTS)
def test_the_body_of_an_event_is_parsed(name: str) -> None:
    message = event_of(name)

    assert parse_body(message.kind, message.body, KEY) == EVENTS[name]


@pytest.mark.parametrize("name", SAID)
def test_messages_of_the_host_are_encoded(name: str) -> None:
    vector, content = BY_NAME[name], SAID[name]

    assert encode(content.frame(vector["ctr"])).hex() == vector["wire"]


def test_every_frame_of_a_device_is_parsed() -> None:
    silent = [
        name
        for name, vector in BY_NAME.items()
        if vector["direction"] == "device"
        and isinstance(messages.decode(frame_of(name)), LinkFault)
    ]
    assert not silent


def test_numbers_beyond_32_bits_are_not_truncated() -> None:
    assert event_of("event 2^32 + 2").number == 0x100000002


@pytest.mark.parametrize(("name", "key", "expected"), [("pinned", KEY, True), ("none", b"", False)])
def test_a_signed_receipt_is_genuine_under_its_key(name: str, key: bytes, expected: bool) -> None:
    message = event_of("event 46, BATCH_DONE, signed")

    body = parse_body(message.kind, message.body, key)

    sealed = bytes.fromhex(VECTORS["receipt"][0]["sealed"])
    assert body == bodies.BatchDone(SIGNED, sealed, signed=True, genuine=expected)


def test_a_receipt_with_another_key_is_not_genuine() -> None:
    message = event_of("event 46, BATCH_DONE, signed")

    body = parse_body(message.kind, message.body, bytes(31) + b"\x01")

    assert isinstance(body, bodies.BatchDone)
    assert not body.genuine


def test_a_bare_receipt_is_read_and_never_genuine() -> None:
    message = event_of("event 47, BATCH_DONE, bare")

    body = parse_body(message.kind, message.body, KEY)

    sealed = bytes.fromhex(VECTORS["receipt"][1]["sealed"])
    assert body == bodies.BatchDone(BARE, sealed, signed=False, genuine=False)


def test_an_unknown_kind_is_malformed() -> None:
    message = event_of("event 67, of a kind nobody knows")

    with raises_in_words(FieldMismatch, "kind 200"):
        parse_body(message.kind, message.body, KEY)


@pytest.mark.parametrize(
    "vector",
    [
        pytest.param(vector, id=vector["name"])
        for vector in VECTORS["refused"]
        if vector["level"] == "payload"
    ],
)
def test_a_payload_in_another_form_is_refused(vector: Any) -> None:
    _unframed, (frame,) = feed(TableLinkUnframed(), bytes.fromhex(vector["wire"]))
    assert isinstance(frame, TableLinkFrame)

    message = messages.decode(frame)

    assert isinstance(message, LinkFault)
    assert "deterministic" in to_words(message.detail)


@pytest.mark.parametrize("vector", VECTORS["bound"], ids=lambda vector: vector["name"])
def test_a_payload_at_the_bounds_is_well_formed(vector: Any) -> None:
    frame = TableLinkFrame(FrameChannel.RPC, 3, 1, 1, payload=bytes.fromhex(vector["payload"]))

    message = messages.decode(frame)

    assert not isinstance(message, LinkFault) or "deterministic" not in to_words(message.detail)


def test_unknown_keys_are_skipped() -> None:
    payload = bytes.fromhex("a401190201026474657874190100f5192000a0")

    message = messages.decode(TableLinkFrame(FrameChannel.LINK, 13, 1, payload=payload))

    assert message == messages.ErrorMessage(513, "text")


@pytest.mark.parametrize(
    ("channel", "kind", "payload"),
    [
        (FrameChannel.LINK, 5, "a0"),
        (FrameChannel.LINK, 5, "a3010102200 3f4".replace(" ", "")),
        (FrameChannel.LINK, 5, "a30101020103f6"),
        (FrameChannel.LINK, 11, "a102f4"),
        (FrameChannel.LINK, 1, "a10147" + "11" * 7),
        (FrameChannel.RPC, 3, "a10104"),
        (FrameChannel.RPC, 6, "a2010003a10100"),
        (FrameChannel.EVENT, 5, "a0"),
    ],
)
def test_a_missing_or_ill_typed_key_refuses_the_message(
    channel: FrameChannel, kind: int, payload: str
) -> None:
    message = messages.decode(TableLinkFrame(channel, kind, 1, payload=bytes.fromhex(payload)))

    assert isinstance(message, LinkFault)
    assert message.kind is LinkFaultKind.MALFORMED


@pytest.mark.parametrize(("seq", "kind"), [(43, 1), (42, 2), (42 + (1 << 31), 1)])
def test_a_header_that_contradicts_its_event_refuses_it(seq: int, kind: int) -> None:
    payload = frame_of("event 42, CARD_OUT").payload

    assert isinstance(
        messages.decode(TableLinkFrame(FrameChannel.EVENT, kind, 1, seq, payload=payload)),
        LinkFault,
    )


def test_an_unknown_link_message_is_named() -> None:
    message = messages.decode(TableLinkFrame(FrameChannel.LINK, 9, 1))

    assert isinstance(message, LinkFault)
    assert message.kind is LinkFaultKind.UNKNOWN_CODE


def test_a_fault_never_reveals_a_card() -> None:
    entries = {1: TAG, 2: 0x0E01}

    with pytest.raises(FieldMismatch) as mismatch:
        parse_body(1, Fields(entries), b"")

    assert "14" not in str(mismatch.value)
    assert "3585" not in str(mismatch.value)


def test_a_text_is_made_printable() -> None:
    fields = Fields({1: "a\x1b[2Jb\u202ec é"})

    assert fields.text(1) == "a?[2Jb?c ?"


@given(st.text(max_size=200))
def test_any_text_becomes_printable_and_bounded(text: str) -> None:
    shown = Fields({1: text}).text(1)

    assert len(shown) <= 64
    assert all(" " <= one <= "~" for one in shown)


def test_frames_of_unused_channels_are_ignored() -> None:
    assert messages.decode(TableLinkFrame(FrameChannel.TRACE, 1, 1, payload=b"\xff")) is None


@given(
    st.sampled_from(FrameChannel),
    st.integers(0, 255),
    st.integers(0, 2**32 - 1),
    st.binary(max_size=472),
)
def test_no_payload_raises(channel: FrameChannel, kind: int, seq: int, payload: bytes) -> None:
    messages.decode(TableLinkFrame(channel, kind, 1, seq, payload=payload))


SMALL = (
    st.none() | st.booleans() | st.integers(0, 600) | st.binary(max_size=64) | st.text(max_size=9)
)


@given(
    st.integers(0, 30),
    st.dictionaries(st.integers(0, 6), SMALL | st.tuples(SMALL, SMALL) | st.just({1: 1})),
)
def test_a_body_raises_nothing_but_field_mismatch(kind: int, entries: dict[int, Any]) -> None:
    with suppress(FieldMismatch):
        parse_body(kind, Fields(entries), KEY)


def test_messages_of_the_host_fit_a_frame() -> None:
    content = messages.hello_ack(2**32 - 1, 2**64 - 1)

    assert isinstance(content, HostMessage)
    assert len(encode(content.frame(1))) < 64
