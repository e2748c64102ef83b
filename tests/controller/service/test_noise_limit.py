"""Noise of a port: the first is stored, the rest is counted and sampled; no frame is lost to it."""

from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from controller.core.settings import (
    DeviceSettings,
    ReaderDeviceSettings,
    ShufflerDeviceSettings,
)
from controller.core.tape.inputs import NoiseDropped, ReportsExceeded
from controller.core.tape.records import inputs_in, read_input
from controller.journal.folder import sealed_files
from controller.journal.store import open_read_only
from controller.service.noise_limit import NoiseLimit, ReportLimit, noise_limit_of, stored_chunks
from drivers import framing
from drivers.model import ReaderSeat
from drivers.shoes.models import ANGEL_EYE_II_EX, FEIG_RFID, AngelEyeSettings
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened, PortShut
from foundation.message import message
from foundation.timestamp import Timestamp
from hil.emulator.angel_eye.wire import report_frame
from hil.rig.flood_peer import Flood, flood_block

PORT = "socket://shoe:4001"
S = 1_000_000_000
CARD = bytes((0x44, 0x81, 0xC9))
MORE_THAN_ENOUGH = 4 * NoiseLimit.BYTES_MAX


class Limited:
    """A limit, what it passed on, its pauses, and a clock."""

    def __init__(self, of: framing.Framing = framing.ANGEL_EYE) -> None:
        self.passed: list[PortEvent | NoiseDropped] = []
        self.pauses: list[float] = []
        self.closed = False
        self.limit = NoiseLimit(of, self.put, self.pauses.append)
        self.at = Timestamp(S, S)

    def put(self, item: PortEvent | NoiseDropped) -> bool:
        """Queue it as the table does: after the end nothing."""
        if not self.closed:
            self.passed.append(item)
        return not self.closed

    def end(self) -> None:
        """The table ends: its queue is closed, then the last statement is stored."""
        self.closed = True
        self.passed.extend(self.limit.last_statement(self.at))

    def restarted(self, boot_ns: int = 0) -> "Limited":
        """The limit of the next run, with what this one stored; `boot_ns` after another boot."""
        after = Limited()
        after.at = Timestamp(boot_ns or self.at.monotonic_ns, self.at.utc_ns)
        after.limit.resume([one for one in self.passed if isinstance(one, Chunk)], after.at)
        return after

    def later(self, ns: int) -> None:
        self.at = Timestamp(self.at.monotonic_ns + ns, self.at.utc_ns + ns)

    def read(self, data: bytes, after_ns: int = 1_000_000) -> None:
        self.later(after_ns)
        self.limit.put(Chunk(PORT, self.at, data))

    def flood(self, block: bytes, count: int = MORE_THAN_ENOUGH) -> None:
        for at in range(0, count, 4096):
            start = at % (len(block) - 4096)
            self.read(block[start : start + 4096])

    @property
    def bytes_passed(self) -> int:
        return len(self.stream)

    @property
    def stream(self) -> bytes:
        return b"".join(one.data for one in self.passed if isinstance(one, Chunk))

    @property
    def dropped(self) -> list[int]:
        return [one.count for one in self.passed if isinstance(one, NoiseDropped)]


def unqueued(_item: object) -> bool:
    return False


def reports(numbers: Iterable[int]) -> list[bytes]:
    return [report_frame(f"{number % 16:X}", CARD) for number in numbers]


@pytest.mark.parametrize("flood", [Flood.GARBAGE, Flood.ZEROS, Flood.ONE_REPORT])
def test_noise_beyond_the_limit_is_counted_and_not_stored(flood: Flood) -> None:
    limited = Limited()
    limited.flood(flood_block(flood))
    limited.limit.put(PortLost(PORT, limited.at, message("port_is_closed", port=PORT)))

    assert limited.bytes_passed <= NoiseLimit.BYTES_MAX + 4096
    lost = sum(limited.dropped)
    assert limited.bytes_passed + lost == -(-MORE_THAN_ENOUGH // 4096) * 4096
    assert isinstance(limited.passed[-1], PortLost)


def test_the_first_noise_dropped_is_reported_at_once_then_every_ten_seconds() -> None:
    limited = Limited()
    limited.flood(flood_block(Flood.ZEROS))
    assert len(limited.dropped) == 1
    limited.read(bytes(4096))
    assert len(limited.dropped) == 1

    limited.read(bytes(4096), NoiseLimit.REPORT_NS)

    assert len(limited.dropped) == 2
    statement = limited.passed[-1]
    assert isinstance(statement, NoiseDropped)
    assert (statement.port, statement.at) == (PORT, limited.at)
    assert (statement.limit, statement.sample) == (NoiseLimit.BYTES_MAX, bytes(64))


def test_an_hour_later_noise_is_stored_again() -> None:
    limited = Limited()
    limited.flood(flood_block(Flood.ZEROS))
    before = limited.bytes_passed

    limited.read(bytes(4096), NoiseLimit.WINDOW_NS)

    assert limited.bytes_passed == before + 4096


def test_noise_is_stored_again_an_hour_after_the_last_and_not_before() -> None:
    limited = Limited()
    limited.flood(flood_block(Flood.ZEROS), NoiseLimit.BYTES_MAX - 4096)
    limited.flood(flood_block(Flood.ZEROS), 4096)
    limited.later(NoiseLimit.WINDOW_NS - S)
    limited.flood(flood_block(Flood.ZEROS), 8192)
    before = limited.bytes_passed
    limited.read(bytes(64))
    assert limited.bytes_passed == before

    limited.later(NoiseLimit.WINDOW_NS)
    limited.read(bytes(64))

    assert limited.bytes_passed == before + 64


def test_no_hour_stores_more_noise_than_the_limit() -> None:
    limited, chance = Limited(), Random(20)
    for _ in range(3000):
        limited.read(bytes(chance.randrange(1, 4096)), chance.randrange(20 * S))

    stored = [one for one in limited.passed if isinstance(one, Chunk)]
    for first in stored:
        until = first.at.monotonic_ns + NoiseLimit.WINDOW_NS
        hour = (one for one in stored if first.at.monotonic_ns <= one.at.monotonic_ns < until)
        assert sum(len(one.data) for one in hour) <= NoiseLimit.BYTES_MAX + 4096


def test_the_rest_is_stated_at_the_end() -> None:
    limited = Limited()
    limited.flood(flood_block(Flood.ZEROS), 2 * NoiseLimit.BYTES_MAX)
    limited.read(report_frame("4", CARD)[:4])
    limited.end()

    sent = -(-2 * NoiseLimit.BYTES_MAX // 4096) * 4096 + 4
    assert limited.bytes_passed + sum(limited.dropped) == sent
    assert isinstance(limited.passed[-1], NoiseDropped)


def test_a_statement_that_the_end_refused_is_made_at_the_end() -> None:
    limited = Limited()
    limited.flood(flood_block(Flood.ZEROS), 2 * NoiseLimit.BYTES_MAX)
    stated = sum(limited.dropped)
    limited.closed = True
    limited.read(bytes(4096), NoiseLimit.REPORT_NS)
    limited.end()

    sent = (-(-2 * NoiseLimit.BYTES_MAX // 4096) + 1) * 4096
    assert sum(limited.dropped) > stated
    assert limited.bytes_passed + sum(limited.dropped) == sent


def test_nothing_is_stated_at_the_end_where_nothing_was_dropped() -> None:
    limited = Limited()
    limited.read(report_frame("4", CARD))
    limited.end()

    assert limited.dropped == []


@pytest.mark.parametrize("boot_ns", [0, S])
def test_a_restart_gives_no_new_allowance(boot_ns: int) -> None:
    limited = Limited()
    limited.flood(flood_block(Flood.GARBAGE), 2 * NoiseLimit.BYTES_MAX)
    after = limited.restarted(boot_ns)
    after.flood(flood_block(Flood.ZEROS), 8192)
    assert after.bytes_passed == 0
    after.end()
    assert sum(after.dropped) == 8192

    later = limited.restarted(boot_ns)
    later.later(NoiseLimit.WINDOW_NS)
    later.read(bytes(64))

    assert later.bytes_passed == 64


def test_a_clock_set_back_gives_no_new_allowance() -> None:
    limited = Limited()
    limited.later(NoiseLimit.WINDOW_NS)
    limited.flood(flood_block(Flood.ZEROS), 2 * NoiseLimit.BYTES_MAX)
    limited.at = Timestamp(limited.at.monotonic_ns, S)
    after = limited.restarted()
    after.read(bytes(64))

    assert after.bytes_passed == 0


@pytest.mark.parametrize("size", [1, 3, 64, 4096])
def test_no_report_is_lost_in_noise_beyond_the_limit(size: int) -> None:
    limited = Limited()
    limited.flood(flood_block(Flood.ZEROS))
    before = limited.bytes_passed
    noise = Random(7)
    sent = reports(range(40))
    stream = b"".join(bytes(noise.choices(range(0x20, 0x30), k=200)) + one for one in sent)
    for at in range(0, len(stream), size):
        limited.read(stream[at : at + size])

    stored = limited.stream[before:]
    assert all(stored.count(one) == sent.count(one) for one in sent)
    assert len(stored) <= len(sent) * (len(sent[0]) + 2 * NoiseLimit.PIECE_BYTES)


@pytest.mark.parametrize("payload", ["44 03 01", "44 05 0D", "44 01 05", "65 03"])
def test_a_report_without_bit_7_is_no_noise(payload: str) -> None:
    """Bytes of such a payload may look like ETX and ENQ."""
    limited = Limited()
    limited.flood(flood_block(Flood.ZEROS))
    noise = b"\x20" * 200
    sent = [report_frame(f"{number % 10}", bytes.fromhex(payload)) for number in range(10)]
    for one in sent:
        limited.read(noise + one)

    assert all(limited.stream.count(one) == 1 for one in sent)


def test_a_sound_line_is_passed_on_as_it_is_read() -> None:
    limited = Limited()
    chunks = [one[at : at + 4] for one in reports(range(64)) for at in (0, 4)] * 3
    for data in chunks:
        limited.read(data)

    assert [one.data for one in limited.passed if isinstance(one, Chunk)] == chunks
    assert limited.pauses == []


def test_reports_sent_three_times_are_no_noise() -> None:
    limited = Limited()
    for _ in range(200):
        for one in reports(range(16)):
            for _ in range(3):
                limited.read(one)
    limited.flood(flood_block(Flood.CARDS))

    assert limited.dropped == []


def test_a_port_that_is_noise_alone_is_read_slowly() -> None:
    limited = Limited()
    limited.flood(flood_block(Flood.ZEROS), 2 * NoiseLimit.BYTES_MAX)

    reads = -(-2 * NoiseLimit.BYTES_MAX // 4096)
    stored = len([one for one in limited.passed if isinstance(one, Chunk)])
    assert limited.pauses == [NoiseLimit.PAUSE_S] * (reads - stored)


def test_half_a_frame_is_given_up_after_a_silence() -> None:
    limited = Limited()
    limited.flood(flood_block(Flood.ZEROS))
    limited.later(NoiseLimit.REPORT_NS)
    before = limited.bytes_passed
    whole = report_frame("4", CARD)
    limited.read(whole[:4])
    limited.read(whole[4:], NoiseLimit.SILENCE_NS)

    assert limited.bytes_passed == before


def test_half_a_frame_is_given_up_when_the_port_is_opened_again() -> None:
    limited = Limited()
    limited.flood(flood_block(Flood.ZEROS))
    before = limited.bytes_passed
    whole = report_frame("4", CARD)
    limited.read(whole[:4])
    limited.limit.put(PortOpened(PORT, limited.at, bytes(32)))
    limited.read(whole)

    assert limited.bytes_passed == before + len(whole)


@pytest.mark.parametrize("of", [framing.FEIG, framing.SSI, framing.TABLELINK])
def test_every_protocol_has_its_noise_limited(of: framing.Framing) -> None:
    limited = Limited(of)
    limited.flood(bytes((0xFF, 0)) * 4096)

    assert limited.bytes_passed <= NoiseLimit.BYTES_MAX + 4096


def test_the_device_at_a_port_decides_what_is_noise(script) -> None:
    settings = replace(
        script().core.settings,
        readers=(ReaderDeviceSettings("/dev/rack", "feig-reader", seat=ReaderSeat.DISCARD_RACK),),
        scanners=(
            DeviceSettings("/dev/hid", "hid-pos"),
            DeviceSettings("/dev/ssi", "zebra-ssi"),
        ),
        shuffler=ShufflerDeviceSettings("/dev/shuffler", "tablelink"),
    )
    found = {}
    for port in (settings.shoe.port, "/dev/rack", "/dev/ssi", "/dev/shuffler"):
        limit = noise_limit_of(settings, port, unqueued)
        assert limit is not None
        found[port] = limit._framing
    assert list(found.values()) == [
        framing.ANGEL_EYE, framing.FEIG, framing.SSI, framing.TABLELINK
    ]  # fmt: skip
    assert noise_limit_of(settings, "/dev/hid", unqueued) is None


def chunks_of(journal: Path, *, live_only: bool = False) -> list[Chunk]:
    with open_read_only(journal) as reader:
        after = reader.base.seq if live_only else 0
        read = [read_input(one.record) for one in reader.records(after)]
    inputs = [item for one in read if one is not None for item in inputs_in(one)]
    return [item for item in inputs if isinstance(item, Chunk)]


def found_since(journal: Path, since_utc_ns: int) -> list[Chunk]:
    return [
        one
        for found in stored_chunks(journal, since_utc_ns, lambda *_: None).values()
        for one in found
    ]


def test_the_live_part_and_the_shoes_that_ended_since_are_read(sealed_journal) -> None:
    journal = sealed_journal(2)
    whole = chunks_of(journal)

    assert found_since(journal, whole[0].at.utc_ns) == whole
    later = whole[len(whole) // 2 :]
    assert found_since(journal, later[0].at.utc_ns) == later
    assert found_since(journal, whole[-1].at.utc_ns + 1) == []


def test_a_shoe_that_is_not_here_ends_the_search(sealed_journal) -> None:
    journal = sealed_journal(2)
    whole = chunks_of(journal)
    live = chunks_of(journal, live_only=True)
    sealed_files(journal)[-1].unlink()

    assert found_since(journal, whole[0].at.utc_ns) == live
    assert 0 < len(live) < len(whole)


def test_a_damaged_sealed_shoe_ends_the_search_and_no_start(sealed_journal) -> None:
    journal = sealed_journal(2)
    since_ns = chunks_of(journal)[0].at.utc_ns
    newest = sealed_files(journal)[-1]
    newest.chmod(0o600)
    newest.write_bytes(b"no sealed shoe")

    assert found_since(journal, since_ns) == chunks_of(journal, live_only=True)


def test_an_empty_journal_stored_nothing(sealed_journal) -> None:
    assert found_since(sealed_journal(0, then=()), 0) == []


LIMIT = 10


class Port:
    """A port with a limit, what it passed on, and a clock."""

    def __init__(self, limit: int = LIMIT) -> None:
        self.passed: list[PortEvent | NoiseDropped | ReportsExceeded] = []
        self.limit = NoiseLimit(framing.ANGEL_EYE, self.put, reports=ReportLimit(limit))
        self.at_ns = S
        self.number = 0

    def put(self, item: PortEvent | NoiseDropped | ReportsExceeded) -> bool:
        self.passed.append(item)
        return True

    def read(self, new: int, copies: int = 3) -> None:
        """So many new reports, each with its copies, in one read."""
        frames = []
        for _ in range(new):
            self.number += 1
            frames += [report_frame(f"{self.number % 16:X}", CARD)] * copies
        self.limit.put(Chunk(PORT, Timestamp(self.at_ns, self.at_ns), b"".join(frames)))

    def deal(self, per_s: float, seconds: float) -> None:
        for _ in range(round(per_s * seconds)):
            self.at_ns += round(S / per_s)
            self.read(1)

    @property
    def exceeded(self) -> list[ReportsExceeded]:
        return [one for one in self.passed if isinstance(one, ReportsExceeded)]


def shut(port: Port, per_s: float = 1_000) -> PortShut:
    """What closed the port that is flooded; it is opened again after its pause."""
    with pytest.raises(PortShut) as caught:
        port.deal(per_s, 20)
    port.at_ns += int(caught.value.pause_s * S)
    return caught.value


@pytest.mark.parametrize("per_s", [0.3, 3, 10])
def test_what_is_not_beyond_the_limit_goes_on_for_ever(per_s: float) -> None:
    port = Port()
    port.deal(per_s, 600)
    assert not port.exceeded


@pytest.mark.parametrize("per_s", [12, 100, 400])
def test_beyond_it_for_ten_seconds_a_fault_is_recorded_and_the_port_closed(per_s: float) -> None:
    port = Port()
    closed = shut(port, per_s)

    assert closed.pause_s == 60.0
    assert closed.why == message("port_shut_for_reports", limit=LIMIT, seconds=60)
    (exceeded,) = port.exceeded
    assert port.passed[-1] is exceeded
    assert (exceeded.port, exceeded.seconds, exceeded.limit) == (PORT, 10, LIMIT)
    assert exceeded.count >= 10 * per_s - 10
    # What was read is stored: nothing that came before the fault is lost.
    assert len([one for one in port.passed if isinstance(one, Chunk)]) >= exceeded.count


def test_a_flood_at_tcp_speed_is_ended_before_it_costs_memory() -> None:
    port = Port()
    shut(port, 2_800)

    (exceeded,) = port.exceeded
    assert exceeded.count == ReportLimit.AHEAD_MAX
    assert exceeded.seconds == 1


def test_copies_are_no_new_reports() -> None:
    port = Port()
    for _ in range(1_200):
        port.at_ns += S // 10
        port.read(1, copies=8)
    assert not port.exceeded


def test_what_waited_for_a_stopped_host_comes_at_once_and_is_no_flood() -> None:
    port = Port()
    port.deal(1, 30)
    port.read(400)
    port.deal(1, 60)
    assert not port.exceeded


def test_the_pause_doubles_up_to_ten_minutes_and_begins_again_after_ten_sound_ones() -> None:
    port = Port()
    assert [shut(port).pause_s for _ in range(6)] == [60, 120, 240, 480, 600, 600]

    port.deal(1, 601)
    assert shut(port).pause_s == 60


def test_an_ended_table_closes_no_port() -> None:
    port = Port()
    port.put = lambda _item: False  # type: ignore[method-assign]
    port.limit = NoiseLimit(framing.ANGEL_EYE, port.put, reports=ReportLimit(LIMIT))
    port.deal(100, 20)


def test_the_limit_is_a_setting_of_models_that_report_card_by_card() -> None:
    none = ANGEL_EYE_II_EX.to_store(AngelEyeSettings(reports_s_max=0))
    assert ANGEL_EYE_II_EX.reports_s_of(b"") == LIMIT
    assert ANGEL_EYE_II_EX.reports_s_of(none) == 0
    assert FEIG_RFID.reports_s_of(b"") is None


@pytest.mark.parametrize(("most", "closes"), [(10, True), (0, False)])
def test_zero_is_no_limit(script, most: int, closes: bool) -> None:
    port = Port()
    stored = ANGEL_EYE_II_EX.to_store(AngelEyeSettings(reports_s_max=most))
    shoe = DeviceSettings(PORT, ANGEL_EYE_II_EX.name, stored)
    found = noise_limit_of(replace(script().core.settings, shoe=shoe), PORT, port.put)
    assert found is not None
    port.limit = found
    if closes:
        shut(port, 100)
    else:
        port.deal(100, 30)
    assert bool(port.exceeded) is closes
