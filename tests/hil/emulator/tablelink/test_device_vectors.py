"""Tests the emulated TableLink device against the golden bytes that the link is tested with."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hil.emulator.tablelink.cbor import Map, Value, WrongPayload, decode_map, encode
from hil.emulator.tablelink.compartment import CompartmentPhase, CompartmentRecord, DeviceMode
from hil.emulator.tablelink.identity import Firmware, TableLinkIdentity
from hil.emulator.tablelink.memory import DeviceTime, TableLinkMemory
from hil.emulator.tablelink.order_rules import MachineState, status
from hil.emulator.tablelink.session import DeviceBoot, RequestDecision, Session
from hil.emulator.tablelink.wire import (
    EventKind,
    Frame,
    FrameChannel,
    FrameFinder,
    LinkType,
    RefusedFrame,
    RequestStatus,
    cobs_decode,
    cobs_encode,
    crc32c,
    encode_frame,
    parse_frame,
    raw_frame,
)

VECTORS: dict[str, list[dict[str, Any]]] = tomllib.loads(
    (Path(__file__).parents[3] / "vectors" / "tablelink.toml").read_text(encoding="utf-8")
)
FRAMES = {vector["name"]: vector for vector in VECTORS["frame"]}
RECEIPTS = {vector["name"]: vector for vector in VECTORS["receipt"]}
KEY, ATTESTATION = VECTORS["key"][0], VECTORS["attestation"][0]
DEVICE = bytes.fromhex(KEY["device"])
BOOT = 0x5EED0001
IMAGE = bytes.fromhex(ATTESTATION["image"])
IDENTITY = TableLinkIdentity(DEVICE, bytes.fromhex(KEY["seed"]), Firmware(IMAGE, "1.0.0", 3))
FACES = bytes([8]) * 52


def named(vector: dict[str, Any]) -> str:
    return str(vector["name"])


def whole(vector: dict[str, Any]) -> Frame:
    return Frame(
        vector["channel"],
        vector["type"],
        bytes.fromhex(vector["payload"]),
        vector["seq"],
        vector["flags"],
        vector["ack"],
        vector["ctr"],
    )


def payload_of(name: str) -> bytes:
    return bytes.fromhex(FRAMES[name]["payload"])


# --- the wire -----------------------------------------------------------------------------------


@pytest.mark.parametrize("vector", VECTORS["crc"], ids=lambda one: repr(one["text"]))
def test_checksums_match_the_file(vector: dict[str, Any]) -> None:
    assert f"{crc32c(vector['text'].encode()):08x}" == vector["value"]


@pytest.mark.parametrize("vector", VECTORS["cobs"], ids=lambda one: one["plain"][:12] or "empty")
def test_cobs_encoding_matches_the_file(vector: dict[str, Any]) -> None:
    assert cobs_encode(bytes.fromhex(vector["plain"])).hex() == vector["stuffed"]


@pytest.mark.parametrize("vector", VECTORS["cobs"], ids=lambda one: one["plain"][:12] or "empty")
def test_cobs_decoding_matches_the_file(vector: dict[str, Any]) -> None:
    assert cobs_decode(bytes.fromhex(vector["stuffed"])).hex() == vector["plain"]


def test_each_frame_is_encoded_as_in_the_file() -> None:
    for vector in VECTORS["frame"]:
        assert encode_frame(whole(vector)).hex() == vector["wire"], vector["name"]


def test_each_frame_is_decoded_as_in_the_file() -> None:
    for vector in VECTORS["frame"]:
        found = FrameFinder().receive(bytes.fromhex(vector["wire"]))

        assert found == (whole(vector),), vector["name"]


def test_each_decoded_payload_is_encoded_identically() -> None:
    for vector in (*VECTORS["frame"], *VECTORS["bound"]):
        payload = bytes.fromhex(vector["payload"])

        assert encode(decode_map(payload)) == (payload or b"\xa0"), vector["name"]


@pytest.mark.parametrize(
    "vector", [one for one in VECTORS["refused"] if one["level"] == "frame"], ids=named
)
def test_bytes_that_are_not_a_version_1_frame_are_refused(vector: dict[str, Any]) -> None:
    found = FrameFinder().receive(bytes.fromhex(vector["wire"]))

    assert all(isinstance(one, RefusedFrame) for one in found)


@pytest.mark.parametrize(
    "vector", [one for one in VECTORS["refused"] if one["level"] == "payload"], ids=named
)
def test_bytes_that_are_not_a_payload_are_refused(vector: dict[str, Any]) -> None:
    frame = parse_frame(bytes.fromhex(vector["raw"]))
    assert isinstance(frame, Frame)

    with pytest.raises(WrongPayload):
        decode_map(frame.payload)


@pytest.mark.parametrize("cut", [1, 2, 7, 1000])
@pytest.mark.parametrize("vector", VECTORS["stream"], ids=named)
def test_frames_are_found_among_any_bytes(vector: dict[str, Any], cut: int) -> None:
    finder, wire = FrameFinder(), bytes.fromhex(vector["wire"])
    parts = (wire[at : at + cut] for at in range(0, len(wire), cut))
    found = [raw_frame(one).hex() for part in parts for one in finder.receive(part)]

    assert (found, finder.bad_runs) == (vector["frames"], vector["troubles"])


def test_a_frame_that_acknowledges_nothing_says_zero() -> None:
    frame = parse_frame(raw_frame(Frame(FrameChannel.LINK, LinkType.PING)))

    assert frame == Frame(FrameChannel.LINK, LinkType.PING, b"", seq=0, flags=0, ack=0, ctr=0)


@pytest.mark.parametrize("value", ["F93C00", "F8FF", "FB3FF0000000000000", "FF"])
def test_a_float_in_a_payload_is_named(value: str) -> None:
    with pytest.raises(WrongPayload, match="a float, an indefinite length, or another simple"):
        decode_map(bytes.fromhex(f"A101{value}"))


# --- what the device sends -----------------------------------------------------------------------


def sent_payload(name: str) -> bytes:
    """The payload of the one frame that is sent in the situation of that name."""
    host, memory, at_ns, role = SITUATIONS[name]
    memory = memory()
    count = 1 if role == 1 else 5
    boot = DeviceBoot(1 if role == 1 else BOOT, count, 0)
    identity = NEW_SHOE if role == 1 else BARE if "bare" in name else IDENTITY
    session = Session(
        role, identity, memory, boot, lambda _ask, _argument: RequestDecision(), lambda _: None
    )
    if host:
        session.take()
        frame = parse_frame(bytes.fromhex(FRAMES[host]["raw"]))
        session.receive(frame, at_ns)
    (answer,) = FrameFinder().receive(session.take())
    assert isinstance(answer, Frame)
    assert answer.type == FRAMES[name]["type"]
    return answer.payload


def with_three_kept() -> TableLinkMemory:
    memory = TableLinkMemory(4096)
    memory.next_number, memory.highest_request = 40, 17
    for _ in range(3):
        memory.record(EventKind.READ_FAIL, {}, DeviceTime(BOOT, 0))
    return memory


def blank() -> TableLinkMemory:
    return TableLinkMemory(256)


BARE = TableLinkIdentity(DEVICE, b"", Firmware(IMAGE, "1.0.0", 3))
NEW_SHOE = TableLinkIdentity(bytes(range(16)), b"any", Firmware(IMAGE, "0.1", 1), debug=True)
Situation = tuple[str, Callable[[], TableLinkMemory], int, int]
SITUATIONS: dict[str, Situation] = {
    "HELLO of a shuffler, unasked after booting": ("", with_three_kept, 0, 2),
    "HELLO of a shuffler, answering": ("HELLO of the host", with_three_kept, 0, 2),
    "HELLO of a shoe that is new": ("HELLO of the host", blank, 0, 1),
    "ATTEST_RSP of a bare device": ("ATTEST_REQ", with_three_kept, 0, 2),
    "PONG of the device": ("PING with counter 7", with_three_kept, 0, 2),
    "SHUFFLE begun": ("SHUFFLE of compartment 1, id 18", with_three_kept, 0, 2),
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_device_sends_the_golden_payloads(name: str) -> None:
    assert sent_payload(name).hex() == FRAMES[name]["payload"]


def test_the_attestation_matches_the_file() -> None:
    nonce = bytes.fromhex(ATTESTATION["nonce"])
    attested = IDENTITY.attestation(nonce, BOOT, 5)

    assert attested[1] == bytes.fromhex(ATTESTATION["sealed"])


def test_the_attestation_includes_the_key_for_pairing() -> None:
    attested = IDENTITY.attestation(bytes(32), BOOT, 5)

    assert attested[3] == bytes.fromhex(ATTESTATION["public"])


# --- events ---------------------------------------------------------------------------------------


def recorded(name: str, body: Map, *, boot: int = BOOT) -> bytes:
    """The payload of one event, recorded at the number and time of the one in the file."""
    event = decode_map(payload_of(name))
    number, uptime_us, kind = event[2], event[3], event[4]
    assert isinstance(number, int)
    assert isinstance(uptime_us, int)
    assert isinstance(kind, int)
    memory = TableLinkMemory()
    memory.next_number = number
    memory.record(kind, body, DeviceTime(boot, uptime_us))
    return memory.ring[-1].payload


RECEIPT: Map = {
    1: DEVICE,
    2: BOOT,
    3: 7,
    4: 1,
    5: 416,
    6: 1,
    7: "red",
    8: FACES,
    9: 80_000_000,
    10: 300_000_000,
    11: IMAGE,
    12: "1.0.0",
    13: 5,
}
BARE_RECEIPT: Map = {key: held for key, held in RECEIPT.items() if key not in (7, 8)} | {
    3: 8,
    4: 2,
    6: 4,
}
EVENTS: dict[str, Map] = {
    "event 42, CARD_OUT": {1: bytes.fromhex("E0040150A05F02B7"), 2: 9 * 256 + 1},
    "event 43, LID open": {1: True, 2: 0},
    "event 44, JAM in compartment 2": {1: 2, 2: False},
    "event 45, BATCH_STARTED": {1: 1, 2: 7},
    "event 46, BATCH_DONE, signed": {1: IDENTITY.sign_statement(RECEIPT), 2: True},
    "event 47, BATCH_DONE, bare": {1: encode(BARE_RECEIPT), 2: False},
    "event 49, COMPARTMENT stored": CompartmentRecord(
        CompartmentPhase.STORED, 416, "red", FACES
    ).event_body(1),
    "event 50, COMPARTMENT empty, nothing known": CompartmentRecord().event_body(2),
    "event 51, WARNING on": {1: 7, 2: "cover not closed", 3: True},
    "event 57, OVERFLOW": {},
    "event 2^32 + 2": {},
}


@pytest.mark.parametrize("name", EVENTS)
def test_an_event_is_recorded_as_in_the_file(name: str) -> None:
    assert recorded(name, EVENTS[name]).hex() == FRAMES[name]["payload"]


@pytest.mark.parametrize("name", ["in event 46", "in event 47"])
def test_a_receipt_is_encoded_as_in_the_file(name: str) -> None:
    receipt = RECEIPT if name == "in event 46" else BARE_RECEIPT

    assert encode(receipt).hex() == RECEIPTS[name]["payload"]


def test_the_event_chain_matches_the_file() -> None:
    memory = TableLinkMemory(chained=True)
    memory.record(EventKind.POWER_UP, {1: 1, 2: 0}, DeviceTime(BOOT, 1000))
    memory.record(EventKind.LID, {1: True, 2: 0}, DeviceTime(BOOT, 2000))
    memory.record(EventKind.LID, {1: False, 2: 0}, DeviceTime(BOOT, 3000))
    number, chain = 3, memory.chain
    signature = IDENTITY.sign_checkpoint(number, chain)
    memory.record(EventKind.CHECKPOINT, {1: number, 2: chain, 3: signature}, DeviceTime(BOOT, 4000))
    names = [*(f"chained event {n}" for n in (1, 2, 3)), "chained event 4, CHECKPOINT of 3"]

    assert [one.payload.hex() for one in memory.ring] == [FRAMES[name]["payload"] for name in names]


# --- answers --------------------------------------------------------------------------------------


def test_a_status_is_encoded_as_in_the_file() -> None:
    records = (CompartmentRecord(CompartmentPhase.STORED, 416, "red", b"", 7), CompartmentRecord())
    machine = MachineState(
        mode=DeviceMode.PLAY,
        door_open=False,
        bays=(),
        records=records,
        tray=0,
        testing=False,
        gate_closed=False,
    )

    answer = RequestDecision(result=status(machine, (7,), recorded=42))

    assert answer.payload == payload_of("STATUS answered")


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("RELEASE refused", RequestDecision(RequestStatus.REFUSED, "the compartment is empty")),
        ("request unknown", RequestDecision(RequestStatus.UNKNOWN, "no such request")),
    ],
)
def test_a_refusal_is_encoded_as_in_the_file(name: str, answer: RequestDecision) -> None:
    assert answer.payload == payload_of(name)


@pytest.mark.parametrize("value", [None, True, False, -1, 0, 23, 24, 255, 256, 65535, 65536])
def test_every_encoded_value_is_decoded_again(value: Value) -> None:
    assert decode_map(encode({1: value})) == {1: value}
