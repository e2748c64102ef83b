"""Devices that are not as their document says: each difference is named, with its section."""

from pathlib import Path
from typing import Any

from acceptance_hands import SHORT_S, Act, Hands, order_of, outcomes, run, shoe_acts, step

from drivers.model import Installation
from firmware_bridge.transport.open_port import open_port
from firmware_bridge.transport.port import Chunk, LineSettings, Parity, Port, PortOpened
from foundation.timestamp import Timestamp
from hil.acceptance.arrived import check_times, check_understood
from hil.acceptance.report.results import WalkOutcome
from hil.acceptance.wire.conversation import Conversation, Turn
from hil.acceptance.wire.documents import ANGEL_EYE, DOCUMENTS
from hil.dealing.cards import card_named
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.angel_eye.wire import report_frame
from hil.emulator.feig.rfid_shoe import RfidShoe
from hil.emulator.lines.line import LineServerSettings
from hil.emulator.lines.serve import PtyServer, TcpServer
from hil.emulator.tablelink.mechanism import ShufflerSettings
from hil.emulator.tablelink.shuffler import Shuffler

ROOT = Path(__file__).parents[3]
S = 1_000_000_000
MS = 1_000_000


def accepted_shoe(
    folder: Path, url: str, acts: dict[str, Act], answers: dict[str, str] | None = None
) -> Any:
    return run(order_of("angel-eye-ii-ex", url), Hands(acts, answers), folder)


def test_a_wrong_checksum_is_listed_with_its_bytes_and_section(fast_dir: Path) -> None:
    good = report_frame("0", b"P")
    bad = good[:-1] + (b"1" if good[-1:] != b"1" else b"2")
    with TcpServer(AngelEye()) as server:
        acts = shoe_acts(server)

        def act() -> None:
            server.send(bad)
            server.perform(lambda one: one.power_on())

        ended = accepted_shoe(fast_dir, server.url, {**acts, "power-on": act})

    assert outcomes(ended)["understood"] == WalkOutcome.DIFFERS
    (found,) = step(ended, "understood")["differences"]
    assert found["section"] == "Angel Eye II-EX, Framing"
    assert found["data"] == bad.hex(" ").upper()
    assert "bad_checksum" in found["found"]
    assert "1 differs from the wire document (understood)" in ended.document["verdict"]


def test_an_unknown_report_is_listed_with_its_bytes_and_section(fast_dir: Path) -> None:
    unknown = report_frame("0", b"Z123")
    with TcpServer(AngelEye()) as server:
        acts = {**shoe_acts(server), "first-bytes": lambda: server.send(unknown)}

        ended = accepted_shoe(fast_dir, server.url, acts)

    found = step(ended, "understood")["differences"][0]
    assert found["section"] == "Angel Eye II-EX, Codes"
    assert found["data"] == unknown.hex(" ").upper()
    assert "unknown_code" in found["found"]


class SendingPort:
    """A port whose device sends after each opening, as one does whose key is pressed on and on."""

    def __init__(self, port: Port, act: Act) -> None:
        self._port, self._act = port, act
        self.read, self.write, self.close = port.read, port.write, port.close

    def open(self) -> None:
        self._port.open()
        self._act()


def test_a_wrong_baud_rate_is_found_and_named(fast_dir: Path) -> None:
    settings = LineServerSettings(baud=9600)
    with PtyServer(AngelEye(), settings, garble_at_wrong_baud=True) as server:

        def send() -> None:
            for _ in range(4):
                server.perform(lambda one: one.stand_by())
            assert server.settle()

        def make_port(url: str, line: LineSettings) -> Port:
            return SendingPort(open_port(url, line), send)

        acts = {**shoe_acts(server), "other-lines": lambda: None}
        order = order_of("angel-eye-ii-ex", server.path)
        ended = run(order, Hands(acts), fast_dir, make_port)

    found = step(ended, "line")
    assert found["outcome"] == WalkOutcome.DIFFERS
    assert found["figures"]["frames_at"] == "9600 8N1"
    (difference,) = found["differences"]
    assert difference["stated"] == "line settings 4800 8N1"
    assert difference["found"] == "frames at 9600 8N1"
    assert ended.document["line"] == "9600 8N1"
    assert outcomes(ended)["card-1"] == WalkOutcome.PASS
    assert outcomes(ended)["replay"] == WalkOutcome.PASS


def test_a_key_that_reports_another_result_differs(fast_dir: Path) -> None:
    with TcpServer(AngelEye()) as server:
        acts = shoe_acts(server)

        ended = accepted_shoe(fast_dir, server.url, {**acts, "key-player": acts["key-banker"]})

    (found,) = step(ended, "key-player")["differences"]
    assert (found["stated"], found["found"]) == ("winner player", "winner banker")
    assert step(ended, "key-player")["outcome"] == WalkOutcome.DIFFERS


def test_a_card_that_is_not_the_printed_one_differs(fast_dir: Path) -> None:
    with TcpServer(AngelEye()) as server:
        printed = {"card-1-printed": "8d", "card-2-printed": "10S"}
        ended = accepted_shoe(fast_dir, server.url, shoe_acts(server), printed)

    (found,) = step(ended, "card-1")["differences"]
    assert (found["stated"], found["found"]) == ("printed 8d", "reported 7d")
    assert outcomes(ended)["card-2"] == WalkOutcome.PASS


def test_what_does_not_arrive_has_failed(fast_dir: Path) -> None:
    with TcpServer(AngelEye()) as server:
        order = order_of("angel-eye-ii-ex", server.url, wait_s=SHORT_S)
        ended = run(order, Hands({"cut-card": lambda: None}), fast_dir)

    found = step(ended, "cut-card")
    assert found["outcome"] == WalkOutcome.FAIL
    assert found["differences"][0]["section"] == "Angel Eye II-EX, Codes"
    assert "cut-card" in ended.document["verdict"].partition("not done")[0]


def test_an_unread_card_differs(fast_dir: Path) -> None:
    with TcpServer(AngelEye()) as server:

        def unread() -> None:
            server.perform(lambda one: one.draw(card_named("7D"), readable=False))

        ended = accepted_shoe(fast_dir, server.url, {**shoe_acts(server), "card-1": unread})

    (found,) = step(ended, "card-1")["differences"]
    assert found["found"] == "face not read"


def test_nothing_is_written_to_a_device_that_is_only_listened_to(fast_dir: Path) -> None:
    with TcpServer(RfidShoe()) as server:
        order = order_of("feig-rfid", server.url, listen=True, wait_s=SHORT_S)

        ended = run(order, Hands({"first-bytes": lambda: None}), fast_dir)

    tape = (fast_dir / "report.pcapng").read_bytes()
    assert ended.document["allowed"] == "to listen alone: nothing is written to the device"
    assert bytes.fromhex("020008FF") not in tape
    assert outcomes(ended)["line"] == WalkOutcome.FAIL
    assert step(ended, "understood")["figures"]["bytes"] == 0


def test_a_shuffler_without_a_key_fails_and_is_still_heard(fast_dir: Path) -> None:
    with TcpServer(Shuffler(ShufflerSettings(bare=True))) as server:
        acts: dict[str, Act] = {
            "lid-open": lambda: server.perform(lambda one: one.open_door()),
        }
        ended = run(order_of("tablelink-shuffler", server.url), Hands(acts), fast_dir)

    assert outcomes(ended)["identity"] == WalkOutcome.FAIL
    assert step(ended, "identity")["differences"][0]["section"] == "TableLink/1, Identity"
    assert outcomes(ended)["lid-open"] == WalkOutcome.PASS
    assert outcomes(ended)["replay"] == WalkOutcome.PASS


# --- times, by a clock of their own --------------------------------------------------------------


def turns_of(*reads: tuple[int, bytes]) -> tuple[Turn, ...]:
    """What an Angel Eye's driver and account make of these reads."""
    order = order_of("angel-eye-ii-ex", "socket://127.0.0.1:1")
    conversation = Conversation(order.model, order.stored, Installation())
    turns = [*conversation.take(PortOpened("p", Timestamp(0, S), bytes(32)))]
    for at_ns, data in reads:
        turns += conversation.take(Chunk("p", Timestamp(at_ns, S + at_ns), data))
    return (*turns, conversation.finish(Timestamp(3600 * S, 3601 * S)))


def times_of(turns: tuple[Turn, ...]) -> Any:
    order = order_of("angel-eye-ii-ex", "socket://127.0.0.1:1")
    line = LineSettings(4800, Parity.NONE)
    return check_times(turns, ANGEL_EYE, order.model.framing, line)


def test_a_late_copy_differs() -> None:
    report = report_frame("0", b"P")
    turns = turns_of((0, report), (10 * MS, report), (5 * S, report))

    found = times_of(turns)

    (difference,) = found.differences
    assert found.outcome is WalkOutcome.DIFFERS
    assert difference.section == "Angel Eye II-EX, Sequence"
    assert difference.found == "a late copy, after 5000 ms"
    assert dict(found.figures)["copies"] == (3,)


def test_copies_in_their_time_are_figures() -> None:
    report = report_frame("0", b"P")
    turns = turns_of((0, report), (10 * MS, report), (30 * MS, report))

    found = times_of(turns)

    assert found.outcome is WalkOutcome.PASS
    assert dict(found.figures)["copy_gap_us_min_median_max"] == (10_000, 10_000, 20_000)
    assert dict(found.figures)["reports"] == 1


def test_a_pause_within_a_frame_is_compared_and_the_rate_is_measured() -> None:
    report = report_frame("0", b"P")
    slow = times_of(turns_of((0, report[:2]), (1100 * MS, report[2:])))
    usual = times_of(turns_of((0, report[:2]), (10 * MS, report[2:])))

    assert slow.outcome is WalkOutcome.DIFFERS
    assert slow.differences[0].section == "Angel Eye II-EX, Framing"
    assert usual.outcome is WalkOutcome.PASS
    assert dict(usual.figures)["bits_a_second"] == len(report) * 10 * 100


def test_bytes_around_a_report_are_accounted_for() -> None:
    report = report_frame("0", b"P")
    turns = turns_of((0, b"\xff\xfe" + report + b"\x05half"))

    found = check_understood(turns, ANGEL_EYE)
    runs = [one.data for one in found.differences]

    assert runs == ["FF FE", "05 68 61 6C 66"]
    assert dict(found.figures)["bytes_in_frames"] == len(report)


def test_every_section_of_a_wire_document_exists() -> None:
    pages = (ROOT / "firmware_bridge").rglob("README.md")
    lines = [line for page in pages for line in page.read_text("utf-8").splitlines()]
    headings = [line.lstrip("# ").rstrip() for line in lines if line.startswith("#")]

    for document in DOCUMENTS:
        named = {document.title, document.framing, document.other, *document.sections.values()}
        named |= {document.pause_section} - {""}
        missing = {one for one in named if one.casefold() not in {h.casefold() for h in headings}}
        assert not missing, document.title
