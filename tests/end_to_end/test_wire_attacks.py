"""Somebody on the line between the program and a TableLink shoe: refused, or found and said.

The program's own link and port threads on TCP, the emulated shoe, and an attacker between them who
has no key. The table of all attacks: docs/wire-attacks.md, "Attacks on the wire".
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.procedure.effects import CoupClosed
from controller.record.snapshot_devices import IdentityView
from controller.system.command_line.errors import ExitCode
from controller.system.messages.catalogue import to_words
from drivers.shuffler_events import IdentityRefused
from firmware_bridge.attestation import ApprovedImage, Pin, Trust
from firmware_bridge.link import LinkFault
from firmware_bridge.tablelink.items import (
    DeviceNotAdmitted,
    EventsMissing,
    RequestAnswer,
    RequestType,
    TableLinkEvent,
    TableLinkRequest,
)
from firmware_bridge.tablelink.settings import DeviceRole
from firmware_bridge.transport.open_port import open_port
from firmware_bridge.transport.port import LineSettings
from hil.emulator.lines.line import LineServerSettings
from hil.emulator.lines.serve import TcpServer
from hil.emulator.tablelink.cbor import decode_map, encode
from hil.emulator.tablelink.shoe import TableLinkShoe, TableLinkShoeSettings
from hil.emulator.tablelink.wire import (
    EventKind,
    Flag,
    Frame,
    FrameChannel,
    LinkType,
    encode_frame,
)
from hil.emulator.tablelink.wire import RequestType as DeviceRequest
from hil.rig.attacker import Attacker, chain_of, is_event, pass_on, with_content
from hil.rig.program import ProgramFailed
from hil.rig.rfid_programs import wait_until
from hil.rig.tablelink_programs import ShufflerTable
from hil.tablelink.port_link import PortLink

CHAINED = TableLinkShoeSettings(chained=True)
SAME_IDS = replace(CHAINED, seed=b"the key of the attacker")
# Event 1 is the power-up of the shoe.
POWER_UP = 1
CHECKPOINT, SECOND_CHECKPOINT = 65, 129


class Line:
    """A shoe, the program's link, and the attacker between them."""

    def __init__(self, server: TcpServer[TableLinkShoe], attacker: Attacker, link: PortLink):
        self.server, self.attacker, self.link = server, attacker, link

    def lid_moves(self, times: int = 1) -> None:
        """Each is an event: opened, closed, opened, ..."""
        for _ in range(times):
            number = self.server.emulator.memory.next_number
            opens = number % 2 == 0
            self.server.perform(lambda shoe: shoe.open_lid() if opens else shoe.close_lid())  # noqa: B023
            assert self.server.wait_for(lambda shoe: shoe.memory.next_number > number)  # noqa: B023

    def receives(self, last: int) -> None:
        """Wait until the program has stored event `last`."""
        assert self.link.until(lambda: bool(self.numbers) and self.numbers[-1] >= last)

    @property
    def numbers(self) -> list[int]:
        return [one.number for one in self.link.events]

    @property
    def faults(self) -> list[str]:
        found = [one for one in self.link.journal if isinstance(one, LinkFault)]
        return [to_words(one.detail) for one in found]

    @property
    def missing(self) -> list[int]:
        """Numbers of events reported as missing; each suspends the table. 0: unknown."""
        return [one.count for one in self.link.journal if isinstance(one, EventsMissing)]

    @property
    def events_before_missing(self) -> int:
        """How many events were taken before the first was reported as missing."""
        items = self.link.journal
        first = next(at for at, one in enumerate(items) if isinstance(one, EventsMissing))
        return sum(isinstance(one, TableLinkEvent) for one in items[:first])

    @property
    def refusals(self) -> list[str]:
        found = [one for one in self.link.journal if isinstance(one, DeviceNotAdmitted)]
        return [to_words(one.reason) for one in found]

    @property
    def event(self) -> Frame:
        """The newest event of the shoe that passed."""
        return next(one for one in reversed(self.attacker.seen) if is_event(one))


def trust_in(shoe: TableLinkShoe) -> Trust:
    """What pairing with this shoe gives."""
    identity = shoe.identity
    firmware = identity.firmware
    image = ApprovedImage(firmware.image, firmware.version, firmware.security_counter)
    return Trust(Pin(identity.device, identity.public_key, "pairing", 1), (image,))


@pytest.fixture
def shoe() -> TableLinkShoe:
    return TableLinkShoe(CHAINED)


@pytest.fixture
def attacker(shoe: TableLinkShoe) -> Iterator[Attacker]:
    with (
        TcpServer(shoe, LineServerSettings(speed=0)) as server,
        Attacker(int(server.url.rpartition(":")[2])) as attacker,
    ):
        attacker.server = server  # type: ignore[attr-defined]
        yield attacker


@pytest.fixture
def line(attacker: Attacker) -> Iterator[Line]:
    """The program has admitted the shoe and stored its power-up."""
    port = lambda: open_port(attacker.url, LineSettings(1_000_000))  # noqa: E731
    with PortLink(port, DeviceRole.SHOE, trust_in(TableLinkShoe(CHAINED))) as link:
        line = Line(attacker.server, attacker, link)  # type: ignore[attr-defined]
        line.receives(POWER_UP)
        yield line


# --- without a new frame: doubled, cut, held back ------------------------------------------------


def test_doubled_frames_are_taken_once(line: Line) -> None:
    line.attacker.of_device = line.attacker.of_program = lambda frame: (frame, frame)
    line.lid_moves(5)
    line.receives(6)

    assert line.numbers == [1, 2, 3, 4, 5, 6]
    assert (line.faults, line.missing) == ([], [])


def test_an_event_that_was_cut_off_comes_again(line: Line) -> None:
    def cut(frame: Frame) -> Sequence[Frame | bytes]:
        line.attacker.of_device = pass_on
        return (encode_frame(frame)[:9] + b"\0",)

    line.attacker.of_device = cut
    line.lid_moves(2)
    line.receives(3)

    assert line.numbers == [1, 2, 3]
    assert line.missing == []
    assert len(line.faults) == 1


def test_events_in_another_order_are_taken_in_their_own(line: Line) -> None:
    held: list[Frame] = []

    def hold(frame: Frame) -> Sequence[Frame | bytes]:
        if is_event(frame, 2) and not held:
            held.append(frame)
            return ()
        return (frame, *held) if is_event(frame, 3) else (frame,)

    line.attacker.of_device = hold
    line.lid_moves(3)
    line.receives(4)

    assert line.numbers == [1, 2, 3, 4]
    assert (line.faults, line.missing) == ([], [])


def test_events_that_were_held_back_are_not_lost(line: Line) -> None:
    held = [frame for frame in line.attacker.seen if is_event(frame)]
    line.attacker.of_device = lambda frame: () if is_event(frame) else (frame,)
    line.lid_moves(3)
    assert line.link.until(lambda: line.event.seq == 4)
    line.attacker.of_device = pass_on
    line.receives(4)

    assert (len(held), line.numbers, line.missing) == (1, [1, 2, 3, 4], [])


# --- an earlier session --------------------------------------------------------------------------


def of_type(frames: Sequence[Frame], type_: LinkType) -> Frame:
    return next(one for one in frames if one.channel == FrameChannel.LINK and one.type == type_)


@pytest.mark.parametrize("type_", [LinkType.HELLO, LinkType.ATTEST_RSP])
def test_the_opening_of_an_earlier_session_admits_nobody(line: Line, type_: LinkType) -> None:
    recorded, replays = of_type(line.attacker.seen, type_), []

    def replay(frame: Frame) -> Sequence[Frame | bytes]:
        if (frame.channel, frame.type) != (FrameChannel.LINK, type_):
            return (frame,)
        replays.append(frame)
        return (recorded,)

    line.attacker.of_device = replay
    line.link.restart()
    assert line.link.until(lambda: len(replays) >= 3)
    assert line.link.admissions == 1
    line.attacker.of_device = pass_on

    assert line.link.until(lambda: line.link.admissions == 2)


def test_events_of_an_earlier_session_are_not_taken_again(line: Line) -> None:
    line.lid_moves(4)
    line.receives(5)
    recorded = [one for one in line.attacker.seen if is_event(one)]
    line.link.restart()
    assert line.link.until(lambda: line.link.admissions == 2)
    line.attacker.tell_program(*recorded)
    line.lid_moves()
    line.receives(6)

    assert line.numbers == [1, 2, 3, 4, 5, 6]
    assert (line.faults, line.missing) == ([], [])


# --- another device ------------------------------------------------------------------------------


@pytest.mark.parametrize("shoe", [TableLinkShoe(SAME_IDS)], ids=["same ids, another key"])
def test_a_device_with_the_same_ids_and_another_key_is_refused(attacker: Attacker) -> None:
    port = lambda: open_port(attacker.url, LineSettings(1_000_000))  # noqa: E731
    with PortLink(port, DeviceRole.SHOE, trust_in(TableLinkShoe(CHAINED))) as link:
        line = Line(attacker.server, attacker, link)  # type: ignore[attr-defined]
        assert link.until(lambda: bool(line.refusals))

        assert len(line.refusals) == 1
        assert "did not sign with the key it was paired with" in line.refusals[0]
        assert (link.admissions, line.numbers) == (0, [])


# --- events that the shoe never sent -------------------------------------------------------------


def test_a_forged_event_without_a_chain_value_is_found_at_once(line: Line) -> None:
    forged = with_content(line.event, k2=2, k4=int(EventKind.CUT_CARD), k5={})
    line.attacker.tell_program(forged)
    line.receives(2)

    assert line.missing == [0]
    assert line.faults == ["event 2: its chain does not follow from the event before it"]


def test_a_forged_event_with_its_chain_value_is_found_at_the_true_one(line: Line) -> None:
    forged = with_content(line.event, chain_of(line.event), k2=2, k4=int(EventKind.CUT_CARD), k5={})
    # The shoe would take an acknowledgement of event 2 for its own.
    line.attacker.of_program = lambda frame: () if frame.ack == 2 else (frame,)
    line.attacker.tell_program(forged)
    line.receives(2)
    assert line.missing == []
    line.lid_moves()
    assert line.link.until(lambda: bool(line.missing))

    assert line.missing == [0]
    assert line.faults == [
        "event 2 came again with another chain value: one of the two is not of the device"
    ]


def test_a_forged_event_that_the_shoe_takes_as_acknowledged_is_found_at_the_next(
    line: Line,
) -> None:
    forged = with_content(line.event, chain_of(line.event), k2=2, k4=int(EventKind.CUT_CARD), k5={})
    line.attacker.of_device = lambda frame: () if is_event(frame, 2) else (frame,)
    line.attacker.tell_program(forged)
    line.receives(2)
    line.lid_moves(2)
    line.receives(3)

    assert line.missing == [0]
    assert line.faults == ["event 3: its chain does not follow from the event before it"]


def test_changed_content_is_found_at_once(line: Line) -> None:
    line.attacker.of_device = lambda frame: (
        (with_content(frame, k5={1: False, 2: 0}),) if is_event(frame, 2) else (frame,)
    )
    line.lid_moves()
    line.receives(2)

    assert line.missing == [0]


class Forger:
    """Changes event 2 and gives all that follow a chain of their own; `without` leaves out one."""

    def __init__(self, before: Frame, without: int = 0) -> None:
        self.chains = {before.seq: chain_of(before)}
        self.without = without

    def __call__(self, frame: Frame) -> Sequence[Frame | bytes]:
        if not is_event(frame):
            return (frame,)
        if frame.seq == self.without:
            return ()
        number = frame.seq - (0 < self.without < frame.seq)
        changed = {"k5": {1: False, 2: 0}} if number == 2 else {}
        forged = with_content(frame, self.chains[number - 1], k2=number, **changed)
        self.chains[number] = chain_of(forged)
        return (forged,)


def test_a_chain_of_the_attackers_own_ends_at_the_signed_checkpoint(line: Line) -> None:
    line.attacker.of_device = Forger(line.event)
    line.lid_moves(CHECKPOINT - 2)
    line.receives(CHECKPOINT)

    assert line.missing == [0]
    assert line.events_before_missing == CHECKPOINT - 1
    assert line.faults == ["checkpoint 65: its chain value is not that of the received events"]


def test_a_checkpoint_that_was_left_out_is_found(line: Line) -> None:
    forger = Forger(line.event, without=CHECKPOINT)

    def as_program(frame: Frame) -> Sequence[Frame | bytes]:
        if frame.flags & Flag.ACK_COUNTS and frame.ack >= CHECKPOINT - 1:
            return (replace(frame, ack=frame.ack + 1),)
        return (frame,)

    line.attacker.of_device, line.attacker.of_program = forger, as_program
    line.lid_moves(CHECKPOINT)
    line.receives(CHECKPOINT)

    assert line.missing == [0]
    (fault,) = line.faults
    assert fault.startswith("event 65 is no signed checkpoint, and one is due in its place")


def test_an_earlier_checkpoint_in_the_place_of_the_next_is_found(line: Line) -> None:
    def with_the_first(frame: Frame) -> Sequence[Frame | bytes]:
        if not is_event(frame, SECOND_CHECKPOINT):
            return (frame,)
        first = next(one for one in line.attacker.seen if is_event(one, CHECKPOINT))
        before = next(one for one in line.attacker.seen if is_event(one, SECOND_CHECKPOINT - 1))
        return (with_content(first, chain_of(before), k2=SECOND_CHECKPOINT),)

    line.attacker.of_device = with_the_first
    line.lid_moves(SECOND_CHECKPOINT - 3)
    line.receives(SECOND_CHECKPOINT)

    assert line.missing == [0]
    (fault,) = line.faults
    assert fault.startswith("checkpoint 129: it does not cover every event before it")


def test_a_device_that_attested_a_chain_cannot_be_robbed_of_it(attacker: Attacker) -> None:
    def strip(frame: Frame) -> Sequence[Frame | bytes]:
        return (without_chain(frame),) if is_event(frame) else (frame,)

    attacker.of_device = strip
    port = lambda: open_port(attacker.url, LineSettings(1_000_000))  # noqa: E731
    with PortLink(port, DeviceRole.SHOE, trust_in(TableLinkShoe(CHAINED))) as link:
        line = Line(attacker.server, attacker, link)  # type: ignore[attr-defined]
        line.receives(POWER_UP)

        assert line.missing == [0]
        assert line.faults == ["event 1: it has no chain value, and the device keeps a chain"]


def without_chain(frame: Frame) -> Frame:
    content = decode_map(frame.payload)
    del content[6]
    return replace(frame, payload=encode(content))


# --- messages that the program never sent --------------------------------------------------------


def test_an_event_that_was_freed_by_a_forged_acknowledgement_is_missed(line: Line) -> None:
    line.attacker.of_device = lambda frame: () if is_event(frame, 2) else (frame,)
    line.lid_moves()
    assert line.link.until(lambda: line.event.seq == 2)
    line.attacker.tell_device(Frame(FrameChannel.LINK, LinkType.ACK, flags=Flag.ACK_COUNTS, ack=2))
    line.lid_moves()
    assert line.link.until(lambda: bool(line.missing))

    assert line.missing == [1]


def test_an_order_of_somebody_else_takes_the_number_of_ours_and_ours_is_not_done(
    line: Line,
) -> None:
    forged = Frame(FrameChannel.REQUEST, DeviceRequest.UNLOCK, seq=1)
    line.attacker.tell_device(forged)
    line.link.ask(TableLinkRequest(RequestType.LOCK))
    assert line.link.until(lambda: bool(line.link.answers))

    (answer,) = line.link.answers
    assert isinstance(answer, RequestAnswer)
    assert answer.status is None
    assert not line.server.emulator.locked


def test_a_session_that_somebody_ends_is_opened_again_and_nothing_is_lost(line: Line) -> None:
    line.attacker.tell_program(
        Frame(FrameChannel.LINK, LinkType.BYE, payload=bytes.fromhex("A10163627965"))
    )
    assert line.link.until(lambda: line.link.admissions == 2)
    line.lid_moves()
    line.receives(2)

    assert line.missing == []
    assert line.faults == ["the device ends the link: bye"]


# --- the pairing ---------------------------------------------------------------------------------


def pair(attacker: Attacker, out: Path, *words: str) -> int:
    return main(
        ("identity", "pair", attacker.url, "--out", str(out), "--person", "Ann Lee", *words)
    )


@pytest.mark.parametrize("shoe", [TableLinkShoe(SAME_IDS)], ids=["same ids, another key"])
def test_another_device_is_not_paired_against_the_papers_fingerprint(
    attacker: Attacker, fast_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paper = sha256(TableLinkShoe(CHAINED).identity.public_key).hexdigest()

    assert pair(attacker, fast_dir / "pin", "--fingerprint", paper) == ExitCode.NO
    assert "the fingerprint differs from the one given" in capsys.readouterr().err
    assert not (fast_dir / "pin").exists()


def test_a_replayed_proof_pairs_nobody(
    attacker: Attacker, fast_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert pair(attacker, fast_dir / "first") == ExitCode.DONE
    recorded = of_type(attacker.seen, LinkType.ATTEST_RSP)
    attacker.of_device = lambda frame: (
        (recorded,) if frame.type == LinkType.ATTEST_RSP and not is_event(frame) else (frame,)
    )

    assert pair(attacker, fast_dir / "pin", "--wait", "2") == ExitCode.UNUSABLE
    assert not (fast_dir / "pin").exists()


# --- the whole program ---------------------------------------------------------------------------

PAIRED_SHOE = """\
[shoe]
port = "{url}"
model = "tablelink"
identity = "shoe.identity.json"
approved = "approved.json"
approved_keys = ["table.key.pub"]

"""


def approve(folder: Path, shoe: TableLinkShoe, version: str = "") -> None:
    """Approve the shoe's firmware, or other firmware of that version."""
    firmware = shoe.identity.firmware
    image = sha256(version.encode()).digest() if version else firmware.image
    words = ("--sha256", image.hex(), "--version", version or firmware.version, "--counter", "1")
    files = ("--list", str(folder / "approved.json"), "--key", str(folder / "table.key"))
    assert main(("firmware", "approve", *files, *words)) == ExitCode.DONE


@pytest.fixture
def table(attacker: Attacker, shoe: TableLinkShoe, fast_dir: Path) -> Iterator[ShufflerTable]:
    """A table that was paired with the true shoe; it is not started."""
    true = TableLinkShoe(CHAINED)
    assert main(("keys", "make", str(fast_dir / "table.key"))) == ExitCode.DONE
    with TcpServer(true, LineServerSettings(speed=0)) as server:
        out = ("--out", str(fast_dir / "shoe.identity.json"), "--person", "T. Tech")
        assert main(("identity", "pair", server.url, *out)) == ExitCode.DONE
    approve(fast_dir, true)
    table = ShufflerTable(fast_dir, PAIRED_SHOE.format(url=attacker.url))
    with table.program:
        yield table


def identity_shown(table: ShufflerTable) -> IdentityView:
    identity = table.snapshot.device.identity
    assert identity is not None
    return identity


def test_a_forged_card_suspends_the_table(table: ShufflerTable, attacker: Attacker) -> None:
    table.program.start()
    wait_until(lambda: identity_shown(table).trusted)
    attacker.server.perform(lambda shoe: shoe.load_pieces(()))  # type: ignore[attr-defined]
    wait_until(lambda: table.snapshot.shoe is not None)
    newest = next(one for one in reversed(attacker.seen) if is_event(one))
    card = with_content(newest, k2=newest.seq + 1, k4=int(EventKind.CARD_OUT), k5={2: 0x0102})
    attacker.tell_program(card)

    wait_until(lambda: table.snapshot.suspension is not None)
    assert "REPORTS_LOST" in table.irregularities()


@pytest.mark.parametrize("shoe", [TableLinkShoe(SAME_IDS)], ids=["same ids, another key"])
def test_another_shoe_with_the_same_ids_is_refused_by_the_table(table: ShufflerTable) -> None:
    table.program.start()
    wait_until(lambda: bool(table.device_events(IdentityRefused)))
    table.program.stop()

    (refused,) = table.device_events(IdentityRefused)
    assert "did not sign with the key it was paired with" in to_words(refused.why)
    assert "all its reports are rejected" in table.program.log_text()
    assert not table.stored(CoupClosed)


def test_an_older_list_of_firmware_stops_the_start(
    table: ShufflerTable, shoe: TableLinkShoe, fast_dir: Path
) -> None:
    older = (fast_dir / "approved.json").read_bytes()
    approve(fast_dir, shoe, "2.0.0")
    table.program.start()
    table.program.stop()
    (fast_dir / "approved.json").write_bytes(older)

    with pytest.raises(ProgramFailed, match="an older list may approve what was withdrawn since"):
        table.program.start()
