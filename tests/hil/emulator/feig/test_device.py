"""Tests the emulated FEIG reader: published bytes, buffer, and kinds of delivery."""

import pytest

from hil.emulator.feig.device import Delivery, FeigReader, FeigSettings
from hil.emulator.feig.field import Transponder
from hil.emulator.feig.wire import (
    BufferRecord,
    RequestFinder,
    crc16,
    encode_data_sets,
    encode_record,
)
from hil.emulator.lines.transmission import transmission_of

SECOND = 1_000_000_000
MS = 1_000_000
ISO15693 = 0x03
TAG = bytes.fromhex("E00401500A1B2C3D")
OTHER = bytes.fromhex("E00401500A1B2C3E")

CLEAR = bytes.fromhex("02 00 07 FF 32 54 47")
CLEARED = bytes.fromhex("02 00 08 00 32 00 EC 60")
INIT = bytes.fromhex("02 00 07 FF 33 DD 56")
INFO = bytes.fromhex("02 00 07 FF 31 CF 75")
READ_255 = bytes.fromhex("02 00 09 FF 22 00 FF 79 69")
READ_1 = bytes.fromhex("02 00 09 FF 22 00 01 88 77")
VERSION = bytes.fromhex("02 00 07 FF 65 6E 61")
VERSION_STANDARD = bytes.fromhex("05 FF 65 E5 CB")
INVENTORY = bytes.fromhex("02 00 09 FF B0 01 00 18 43")
INVENTORY_MORE = bytes.fromhex("02 00 09 FF B0 01 80 10 C7")
READ_BLOCKS = bytes.fromhex("02 00 13 FF B0 23 01 E0 04 01 50 A0 5F 02 B7 00 02 95 84")
KEEP_ALIVE = bytes.fromhex("02 00 0A 00 6E 00 00 00 4B 69")


def polled(**more: object) -> FeigReader:
    return FeigReader(FeigSettings(delivery=Delivery.POLLED, **more))


def data_of(answer: bytes) -> tuple[int, bytes]:
    """Status and data of an answer in an advanced frame whose length and CRC are correct."""
    assert answer[0] == 2
    assert int.from_bytes(answer[1:3], "big") == len(answer)
    assert crc16(answer[:-2]) == answer[-2:]
    return answer[5], answer[6:-2]


def read(reader: FeigReader, at_ns: int = 0) -> tuple[int, bytes]:
    return data_of(reader.receive(READ_255, at_ns))


def pushed(reader: FeigReader, at_ns: int = 0) -> int:
    """How many records the notification due now holds; 0 where none is due."""
    frames = reader.tick(at_ns)
    return int.from_bytes(data_of(frames)[1][2:4], "big") if frames else 0


def see(reader: FeigReader, count: int, at_ns: int = 0) -> None:
    for number in range(count):
        reader.tag_read(number.to_bytes(8, "big"), ISO15693, 1, at_ns)


def delivered(reader: FeigReader) -> list[bool]:
    return [report.delivered for report in reader.log.take()]


# --- frames --------------------------------------------------------------------------------------


def test_the_crc_is_the_published_one() -> None:
    assert crc16(b"123456789") == bytes.fromhex("91 6F")


def test_the_version_is_answered_as_published_in_the_form_of_the_request() -> None:
    reader = FeigReader()

    assert reader.receive(VERSION_STANDARD, 0).hex(" ") == "0d 00 65 00 03 03 00 44 53 0d 30 33 09"
    answer = "02 00 0f 00 65 00 03 03 00 44 53 0d 30 74 69"
    assert reader.receive(VERSION, 0).hex(" ") == answer


def test_a_record_is_encoded_as_published() -> None:
    # The published record has a MAC address and no antenna: this reader writes a part of it.
    identity = bytes.fromhex("34000874000000000000001328")
    moment = BufferRecord(identity, 0x84, 0, 19 * 60_000 + 57_205, 0, 0)

    assert encode_record(moment, 0x0021).hex() == (
        "0016" + "84000d" + "34000874000000000000001328" + "0013df75"
    )


def test_the_field_mask_precedes_the_records() -> None:
    moment = BufferRecord(TAG, ISO15693, 2, 3_600_000 + 2 * 60_000 + 0x0304, 1, 1)
    one = encode_record(moment, 0x01B1)

    assert one.hex() == "0014" + "030008" + TAG.hex() + "01020304" + "02" + "0101"
    assert encode_data_sets((one, one), 0x01B1) == bytes.fromhex("B1 01 00 02") + one + one


@pytest.mark.parametrize("size", range(1, 16))
def test_requests_are_found_in_any_fragmentation(size: int) -> None:
    stream = VERSION + CLEAR + VERSION_STANDARD
    finder = RequestFinder()
    pieces = [stream[at : at + size] for at in range(0, len(stream), size)]
    found = [request for piece in pieces for request in finder.receive(piece)]

    assert [request.command for request in found] == [0x65, 0x32, 0x65]
    assert not finder.unfinished


@pytest.mark.parametrize("noise", ["FF FF", "00", "02", "02 02 00", "30 31", "02 FF FF 00"])
def test_noise_around_a_request_is_skipped(noise: str) -> None:
    garbage = bytes.fromhex(noise)
    reader = FeigReader()

    assert data_of(reader.receive(garbage + VERSION + garbage, 0))[0] == 0


@pytest.mark.parametrize("at", range(len(VERSION)))
def test_a_broken_request_is_not_answered(at: int) -> None:
    broken = VERSION[:at] + bytes((VERSION[at] ^ 0x40,)) + VERSION[at + 1 :]

    assert FeigReader().receive(broken, 0) == b""


def test_a_request_that_pauses_too_long_is_dropped() -> None:
    reader = FeigReader()
    reader.receive(VERSION[:3], 0)

    assert reader.next_due_ns == 12 * MS
    assert reader.receive(VERSION[3:], 12 * MS) == b""
    reader.tick(24 * MS)
    assert data_of(reader.receive(VERSION, 25 * MS))[0] == 0


def test_a_request_to_another_reader_is_not_answered() -> None:
    request = bytes.fromhex("02 00 08 12 80 07 A0 2D")

    assert FeigReader().receive(request, 0) == b""
    assert FeigReader(FeigSettings(address=0x12)).receive(request, 0)[3:6] == b"\x12\x80\x00"


def test_an_unknown_request_is_refused() -> None:
    unknown = bytes.fromhex("02 00 07 FF 44")

    assert data_of(FeigReader().receive(unknown + crc16(unknown), 0)) == (0x80, b"")


# --- the buffer, read on request -----------------------------------------------------------------


def test_an_empty_buffer_has_no_valid_data() -> None:
    assert read(polled()) == (0x92, b"")


def test_records_stay_until_they_are_cleared() -> None:
    reader = polled()
    see(reader, 2)
    first = read(reader)

    assert read(reader) == first
    assert data_of(reader.receive(CLEAR, 0)) == (0, b"")
    assert read(reader) == (0x92, b"")
    assert delivered(reader) == [True, True]


def test_clearing_removes_only_the_records_read() -> None:
    reader = polled()
    see(reader, 2)
    assert data_of(reader.receive(READ_1, 0))[0] == 0x94
    see(reader, 1)
    reader.receive(CLEAR, 0)

    assert reader.stored_records == 2
    reader.receive(CLEAR, 0)
    assert reader.stored_records == 2


def test_a_full_buffer_reports_overflow_until_it_is_cleared() -> None:
    reader = polled(buffer_records=2)
    see(reader, 3)

    assert delivered(reader) == [False]
    assert [read(reader)[0], read(reader)[0]] == [0x93, 0x93]
    reader.receive(CLEAR, 0)
    assert read(reader) == (0x92, b"")


def test_a_second_loss_before_clearing_is_reported_too() -> None:
    reader = polled(buffer_records=2)
    see(reader, 3)
    read(reader)
    see(reader, 1)
    reader.receive(CLEAR, 0)

    assert read(reader)[0] == 0x93


def test_the_fill_level_of_the_buffer_is_reported() -> None:
    reader = polled(buffer_records=300)
    see(reader, 2)

    assert data_of(reader.receive(INFO, 0)) == (0, bytes.fromhex("01 2C 00 00 00 02"))


def test_an_initialised_buffer_has_lost_its_records() -> None:
    reader = polled()
    see(reader, 2)
    reader.receive(INIT, 0)

    assert (reader.stored_records, delivered(reader)) == (0, [False, False])


def test_records_hold_the_readers_time_and_the_inputs() -> None:
    reader = polled()
    reader.power_on()
    reader.tick(5 * SECOND)
    reader.receive(READ_255, 5 * SECOND)
    reader.input_changed(2, 5 * SECOND + 1500 * MS, high=True)
    reader.tag_read(TAG, ISO15693, 1, 5 * SECOND + 1600 * MS)
    edge, tag = "0c", "14"

    assert read(reader)[1].hex() == (
        "b1010002"
        f"00{edge}"
        "000000"
        "000005dc"
        "00"
        "0202"
        f"00{tag}"
        "030008" + TAG.hex() + "00000640" + "01" + "0002"
    )


def test_an_unchanged_input_makes_no_record() -> None:
    reader = polled()
    reader.input_changed(1, 0, high=False)

    assert reader.records_made == 0


def test_an_older_reader_has_another_command_and_no_inputs() -> None:
    reader = FeigReader(FeigSettings(delivery=Delivery.POLLED, old_command=True))
    reader.input_changed(1, 0, high=True)
    reader.tag_read(TAG, ISO15693, 1, 0)
    request = bytes.fromhex("02 00 08 FF 21 FF")
    status, data = data_of(reader.receive(request + crc16(request), 0))

    assert (status, data.hex()) == (0, "3101" + "03" + TAG.hex() + "00000000" + "01")
    assert read(reader) == (0x80, b"")


# --- sent unasked --------------------------------------------------------------------------------


def test_a_record_is_sent_at_once_and_stored_until_cleared() -> None:
    reader = FeigReader()
    see(reader, 1)

    assert (reader.idle, reader.next_due_ns) == (False, 0)
    assert pushed(reader) == 1
    assert (reader.idle, reader.stored_records, delivered(reader)) == (True, 1, [])
    assert reader.receive(CLEAR, 0) == CLEARED
    assert (reader.stored_records, delivered(reader)) == (0, [True])


def test_uncleared_records_are_sent_again_with_new_ones() -> None:
    reader = FeigReader()
    see(reader, 1)
    pushed(reader)
    see(reader, 2)

    assert pushed(reader, SECOND - 1) == 0
    assert reader.next_due_ns == SECOND
    assert pushed(reader, SECOND) == 3


def test_a_due_notification_follows_the_answer_to_a_poll() -> None:
    reader = FeigReader()
    see(reader, 1)
    answer = reader.receive(READ_255, 0)

    assert reader.tick(0) == answer


def test_polling_postpones_the_repetition() -> None:
    reader = FeigReader()
    see(reader, 1)
    pushed(reader)
    reader.receive(READ_255, SECOND - 1)

    assert pushed(reader, SECOND) == 0
    assert reader.next_due_ns == 2 * SECOND - 1


def test_a_returning_host_gets_the_notification_at_once() -> None:
    reader = FeigReader()
    see(reader, 1)
    pushed(reader)
    reader.host_appeared(MS)

    assert pushed(reader, MS) == 1


def test_further_records_are_sent_when_the_first_frame_is_cleared() -> None:
    reader = FeigReader(FeigSettings(records_per_frame=2))
    see(reader, 3)
    first = reader.tick(0)
    reader.receive(CLEAR, 0)

    assert data_of(first)[0] == 0x94
    assert pushed(reader) == 1


@pytest.mark.parametrize("arrives", [True, False])
def test_records_sent_unacknowledged_are_removed(arrives: bool) -> None:
    reader = FeigReader(FeigSettings(delivery=Delivery.UNACKNOWLEDGED))
    see(reader, 2)
    batch = transmission_of(reader.due(0), None, 0)
    while not batch.done:
        batch.advance(1, arrived=arrives)
    reader.log.settle(batch)

    assert (reader.stored_records, delivered(reader)) == (0, [arrives, arrives])


def test_keep_alives_as_published() -> None:
    reader = FeigReader(FeigSettings(keep_alive_ns=SECOND))
    reader.tick(0)

    assert reader.next_due_ns == SECOND
    assert reader.tick(SECOND) == KEEP_ALIVE
    assert reader.tick(SECOND + 1) == b""


def test_a_polled_reader_sends_nothing_unasked() -> None:
    reader = polled(keep_alive_ns=SECOND)
    see(reader, 1)

    assert (reader.tick(9 * SECOND), reader.next_due_ns) == (b"", None)


# --- power and time ------------------------------------------------------------------------------


def timer(reader: FeigReader, at_ns: int) -> str:
    request = bytes.fromhex("02 00 07 FF 86")
    status, data = data_of(reader.receive(request + crc16(request), at_ns))
    assert status == 0
    return data.hex(" ")


def test_power_loss_clears_the_buffer_and_restarts_the_timer() -> None:
    reader = FeigReader()
    timer(reader, 0)
    see(reader, 1, SECOND)
    reader.power_off()

    assert reader.receive(VERSION, SECOND) == b""
    assert (reader.tick(SECOND), delivered(reader)) == (b"", [False])
    reader.power_on()
    assert timer(reader, 9 * SECOND) == "00 00 00 00"
    assert timer(reader, 10 * SECOND) == "00 00 03 e8"


def test_a_reset_is_answered_and_clears_the_buffer() -> None:
    reader = FeigReader()
    timer(reader, 0)
    see(reader, 1, SECOND)

    assert data_of(reader.receive(bytes.fromhex("02 00 07 FF 63 58 04"), SECOND)) == (0, b"")
    assert (reader.stored_records, timer(reader, SECOND)) == (0, "00 00 00 00")


@pytest.mark.parametrize(
    ("after_s", "expected"),
    [(59, "00 00 e6 78"), (60, "00 01 00 00"), (86_399, "17 3b e6 78"), (86_400, "00 00 00 00")],
)
def test_the_timer_holds_hour_minute_and_milliseconds_of_a_day(after_s: int, expected: str) -> None:
    reader = FeigReader()
    timer(reader, 0)

    assert timer(reader, after_s * SECOND) == expected


# --- transponders in the field -------------------------------------------------------------------


def test_one_tag_is_listed_as_published() -> None:
    reader = FeigReader()
    reader.field.tags = (Transponder(bytes.fromhex("E0040150A05F02B7")),)
    standard = bytes.fromhex("07 FF B0 01 00 1C 56")

    assert reader.receive(standard, 0).hex(" ") == (
        "11 00 b0 00 01 03 00 e0 04 01 50 a0 5f 02 b7 d7 be"
    )


def test_a_tag_whose_identity_may_be_longer_is_listed_with_its_length() -> None:
    reader = FeigReader()
    reader.field.tags = (Transponder(bytes(12), kind=0x84),)

    assert data_of(reader.receive(INVENTORY, 0)) == (0, b"\x01\x84\x00\x0c" + bytes(12))


def test_a_pile_is_listed_part_by_part() -> None:
    reader = FeigReader()
    reader.field.tags = tuple(Transponder(bytes((n,)) * 8) for n in range(45))
    parts = [data_of(reader.receive(INVENTORY, 0))]
    while parts[-1][0] == 0x94:
        parts.append(data_of(reader.receive(INVENTORY_MORE, 0)))

    assert [data[0] for _, data in parts] == [20, 20, 5]
    assert b"".join(data[1:] for _, data in parts) == b"".join(
        b"\x03\x00" + bytes((n,)) * 8 for n in range(45)
    )


def test_an_empty_field_has_no_transponder() -> None:
    assert data_of(FeigReader().receive(INVENTORY, 0)) == (0x01, b"")


def test_blocks_of_a_tag_in_the_field_are_read() -> None:
    reader = FeigReader()
    memory = bytes.fromhex("53 01 01 53 01 02 AB CD")
    reader.field.tags = (Transponder(bytes.fromhex("E0040150A05F02B7"), memory=memory),)

    assert data_of(reader.receive(READ_BLOCKS, 0)) == (
        0,
        bytes.fromhex("02 04 00 53 01 01 53 00 01 02 AB CD"),
    )


def test_blocks_of_a_tag_outside_the_field_are_not_read() -> None:
    assert data_of(FeigReader().receive(READ_BLOCKS, 0)) == (0x01, b"")
