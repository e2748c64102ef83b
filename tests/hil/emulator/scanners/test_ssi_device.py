"""Tests the emulated SSI scanner against the golden bytes that the driver is tested with."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil.emulator.scanners.ssi import SsiDevice, SsiSettings, packet

VECTORS = tomllib.loads(
    (Path(__file__).parents[3] / "vectors" / "ssi.toml").read_text(encoding="utf-8")
)
WIRE = {vector["name"]: bytes.fromhex(vector["hex"]) for vector in VECTORS["packet"]}
PACK = bytes.fromhex(VECTORS["scan"][0]["packets"][0])
PACK_AGAIN = WIRE["Code 128, sent again"]
ACK, RESEND = WIRE["published: ACK of the host"], WIRE["NAK of the host, resend"]
SCANNER_ACK = WIRE["ACK of the scanner"]
S = 1_000_000_000


def ready(**settings: Any) -> SsiDevice:
    device = SsiDevice(SsiSettings(packets=True, **settings))
    device.receive(WIRE["enable"], 0)
    return device


@pytest.mark.parametrize("vector", VECTORS["packet"], ids=lambda vector: vector["name"])
def test_a_packet_is_encoded_as_in_the_vector(vector: dict[str, Any]) -> None:
    data, source = bytes.fromhex(vector["data_hex"]), 0 if vector["by"] == "scanner" else 4
    written = packet(vector["opcode"], data, status=vector["status"], source=source)

    assert written == bytes.fromhex(vector["hex"])


@pytest.mark.parametrize(
    ("request_name", "answer"),
    [
        ("enable", SCANNER_ACK),
        ("published: enable, status 08", SCANNER_ACK),
        ("decoded data in packets, acknowledged, no beep", SCANNER_ACK),
        ("published: start session", WIRE["NAK of the scanner, denied"]),
    ],
)
def test_a_request_is_answered(request_name: str, answer: bytes) -> None:
    assert SsiDevice().receive(b"\x00" + WIRE[request_name], 0) == answer


def test_the_revision_is_reported() -> None:
    device = SsiDevice(SsiSettings(revision=b"CAAABS00-001-R03"))

    assert device.receive(WIRE["revision wanted"], 0) == WIRE["revision"]


def test_a_damaged_request_is_answered_with_nak_resend() -> None:
    device = SsiDevice()

    assert (
        device.receive(bytes.fromhex("04 E9 04 00 FF 10"), 0) == WIRE["NAK of the scanner, resend"]
    )
    assert not device.enabled


def test_a_request_comes_in_any_fragmentation() -> None:
    device = SsiDevice()
    answers = [device.receive(bytes((byte,)), 0) for byte in WIRE["enable"]]

    assert answers == [b""] * 5 + [SCANNER_ACK]


def test_a_session_is_started_where_the_host_triggers() -> None:
    device = ready(host_trigger=True)

    assert device.receive(WIRE["published: start session"], 0) == SCANNER_ACK
    assert device.in_session


def test_a_scan_is_sent_once_until_it_is_answered() -> None:
    device = ready()
    device.scan(b"PACK-0001")

    assert device.tick(0) == PACK
    assert device.tick(1) == b""
    device.receive(ACK, 2)
    assert device.tick(10 * S) == b""
    assert device.acknowledged == [b"\x03PACK-0001"]


def test_a_scan_without_an_answer_is_sent_again_and_marked() -> None:
    device = ready()
    device.scan(b"PACK-0001")
    device.tick(0)

    assert device.tick(2 * S - 1) == b""
    assert device.tick(2 * S) == PACK_AGAIN


def test_a_scan_refused_is_sent_again_at_once() -> None:
    device = ready()
    device.scan(b"PACK-0001")
    device.tick(0)
    device.receive(RESEND, 5)

    assert device.tick(5) == PACK_AGAIN


def test_after_two_resends_a_scan_is_given_up() -> None:
    device = ready()
    device.scan(b"PACK-0001")
    sent = [device.tick(second * S) for second in (0, 2, 4, 6, 8)]

    assert sent == [PACK, PACK_AGAIN, PACK_AGAIN, b"", b""]
    assert device.given_up == [b"\x03PACK-0001"]
    assert device.next_due_ns is None


def test_without_a_limit_a_scan_is_sent_until_it_is_answered() -> None:
    device = ready(resends_max=None)
    device.scan(b"PACK-0001")

    assert [device.tick(2 * second * S) for second in range(9)] == [PACK] + 8 * [PACK_AGAIN]


def test_the_next_scan_waits_for_the_answer_to_the_one_before() -> None:
    device = ready()
    device.scan(b"PACK-0001")
    device.scan(b"PACK-0002")
    device.tick(0)
    device.receive(ACK, 1)

    assert device.tick(1)[5:14] == b"PACK-0002"


def test_a_long_text_is_sent_in_parts() -> None:
    device = ready()
    device.scan(b"x" * 251, "qr-code")
    first = device.tick(0)
    device.receive(ACK, 0)
    second = device.tick(0)

    assert (first[0], first[3], second[3:6]) == (255, 0x02, b"\x00\x1cx")


@pytest.mark.parametrize("type_in_each_part", [True, False])
def test_giving_up_one_part_drops_the_whole_message(type_in_each_part: bool) -> None:
    device = ready(type_in_each_part=type_in_each_part, resends_max=0)
    device.scan(b"x" * 600, "qr-code")
    device.tick(0)

    assert device.tick(2 * S) == b""
    assert len(device.given_up) == 3


def test_from_the_factory_it_sends_bare_text() -> None:
    device = SsiDevice()
    device.receive(WIRE["enable"], 0)
    device.scan(b"PACK-0001")

    assert device.tick(0) == b"PACK-0001\r\n"


def test_a_disabled_scanner_accepts_no_scan() -> None:
    assert not SsiDevice().scan(b"PACK-0001")


def test_a_restart_loses_settings_and_may_be_reported() -> None:
    device = ready()
    device.scan(b"PACK-0001")
    device.power_on(reports_boot=True)

    assert not device.enabled
    assert device.tick(0) == WIRE["event 03, started"]


@given(st.lists(st.binary(max_size=80), max_size=6))
def test_no_bytes_of_the_host_raise(chunks: list[bytes]) -> None:
    device = ready()
    device.scan(b"PACK-0001")
    for at_ns, chunk in enumerate(chunks):
        device.receive(chunk, at_ns)
        device.tick(at_ns)
