"""Reports whose payload has no bit 7, or is longer than is known, as other programs take them."""

from itertools import cycle

import pytest

from firmware_bridge.angel_eye.frames import ReportFrame, feed, split
from firmware_bridge.angel_eye.link import AngelEyeItem, AngelEyeLink, AngelEyeLinkState
from firmware_bridge.angel_eye.masking import mask_raw
from firmware_bridge.angel_eye.messages import (
    AngelEyeMessage,
    CardFace,
    CardInGame,
    CardOutside,
    CardResent,
    CardSuit,
    CardTarget,
    CutCardMessage,
    DeclaredResult,
    ErrorCleared,
    ErrorRaised,
    LockState,
    MalformedMessage,
    OutsideMode,
    Preset,
    ResultMessage,
    StandByMessage,
    StartMessage,
    parse,
)
from firmware_bridge.angel_eye.settings import AngelEyeLinkSettings, PayloadForm
from firmware_bridge.link import LinkFault, LinkFaultKind, Unframed
from foundation.message import message
from foundation.timestamp import Timestamp

SECOND = 1_000_000_000
PLAIN, LEARN, BIT_7 = PayloadForm.PLAIN, PayloadForm.LEARN, PayloadForm.BIT_7
ACE = CardFace(1, CardSuit.DIAMOND)
# A whole shoe's reports: code, payload without bit 7, and what it says.
REPORTS: tuple[tuple[bytes, AngelEyeMessage], ...] = (
    (b"D\x01\x11", CardInGame(CardTarget.PLAYER, 1, ACE)),
    # The place and the face of these look like ETX, ENQ, STX, ACK or NAK.
    (b"D\x03\x15", CardInGame(CardTarget.PLAYER, 3, CardFace(5, CardSuit.DIAMOND))),
    (b"D\x02\x11", CardInGame(CardTarget.PLAYER, 2, ACE)),
    (b"R\x05\x00", CardResent(CardTarget.PLAYER, 5, None)),
    (b"d\x10\x11", CardOutside(OutsideMode.ERROR, ACE)),
    (b"G\x40", ResultMessage(DeclaredResult.BANKER, player_pair=False, banker_pair=False)),
    (b"E\x05", ErrorRaised(5, in_error_mode=False)),
    (b"e\x03", ErrorCleared(3)),
    (b"L\x01", LockState(locked=True)),
    (b"M070123", Preset(7, 123)),
    (b"C", CutCardMessage()),
    (b"P", StandByMessage()),
)


def with_bit_7(data: bytes) -> bytes:
    return data[:1] + bytes(byte | 0x80 for byte in data[1:]) if data[:1] != b"M" else data


def report(seq: str, data: bytes) -> bytes:
    body = seq.encode() + data + b"\x03"
    check = 0
    for byte in body:
        check ^= byte
    return b"\x05" + body + f"{check:02X}".encode()


class Shoe:
    """A link that receives one report a second, numbered in order."""

    def __init__(self, payload: PayloadForm, *, longer: bool = False) -> None:
        self.link = AngelEyeLink(AngelEyeLinkSettings(payload=payload, longer_payload=longer))
        self.state: AngelEyeLinkState = self.link.initial()
        self._seqs = cycle("0123456789ABCDEF")
        self._seconds = 0
        self.open()

    def at(self) -> Timestamp:
        self._seconds += 1
        return Timestamp(self._seconds * SECOND, self._seconds * SECOND)

    def open(self) -> None:
        self.state, _ = self.link.opened(self.state, self.at())

    def receive(self, data: bytes) -> tuple[AngelEyeItem | LinkFault, ...]:
        self.state, output = self.link.receive(self.state, data, self.at())
        return output.items

    def report(self, data: bytes) -> AngelEyeItem | LinkFault:
        """The first item of a new report."""
        return self.receive(report(next(self._seqs), data))[0]


def is_not_understood(item: AngelEyeItem | LinkFault) -> bool:
    return isinstance(item, MalformedMessage)


CARDS = [b"D" + bytes((0x01 + index % 3, 0x11 + index)) for index in range(12)]
ADOPTED = LinkFault(LinkFaultKind.PAYLOAD_SETTING, message("set_payload_plain"))


# --- the setting ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("data", "said"), REPORTS, ids=[str(one[0]) for one in REPORTS])
def test_a_payload_of_the_set_form_says_the_same_in_both(
    data: bytes, said: AngelEyeMessage
) -> None:
    assert Shoe(PLAIN).report(data) == said
    assert Shoe(BIT_7).report(with_bit_7(data)) == said


def test_a_payload_of_the_other_form_is_not_understood() -> None:
    assert Shoe(BIT_7).report(b"L\x01") == MalformedMessage(
        "L", message("payload_byte_lacks_bit_7")
    )
    assert Shoe(PLAIN).report(b"L\x81") == MalformedMessage("L", message("payload_byte_has_bit_7"))


@pytest.mark.parametrize("form", [PLAIN, LEARN, BIT_7])
def test_the_same_bytes_in_any_pieces_are_the_same_reports(form: PayloadForm) -> None:
    stream = b"".join(report(str(index % 10), data) for index, (data, _) in enumerate(REPORTS))
    for size in range(1, 12):
        shoe = Shoe(form)
        pieces = [stream[at : at + size] for at in range(0, len(stream), size)]
        assert [item for piece in pieces for item in shoe.receive(piece)] == list(
            Shoe(form).receive(stream)
        )


def test_a_report_with_a_byte_like_etx_is_cut_as_one() -> None:
    first, second = report("0", b"D\x03\x15"), report("1", b"E\x05")

    assert split(Unframed(), first + second, plain=True) == (first, second)


def test_a_cut_report_does_not_swallow_the_next() -> None:
    for cut in range(1, 7):
        whole = report("1", b"D\x03\x15")
        _, found = feed(Unframed(), whole[:cut] + report("2", b"P"), plain=True)
        assert found[-1] == ReportFrame("2", b"P")


@pytest.mark.parametrize("data", [b"S\x80", b"P\x80", b"D\x81\xb1\x80", b"G\x90\x80", b"M0701230"])
def test_a_longer_payload_is_taken_where_the_setting_allows_it(data: bytes) -> None:
    assert is_not_understood(Shoe(BIT_7).report(data))
    assert Shoe(BIT_7, longer=True).report(data) == parse(data[:-1])


@pytest.mark.parametrize("data", [b"D\x81", b"G", b"M07012"])
def test_a_shorter_payload_is_never_taken(data: bytes) -> None:
    assert is_not_understood(Shoe(BIT_7, longer=True).report(data))


# --- learning ------------------------------------------------------------------------------------


def learnt(cards: list[bytes] = CARDS) -> Shoe:
    """A shoe whose first eight reports had payloads without bit 7."""
    shoe = Shoe(LEARN)
    assert all(is_not_understood(shoe.report(data)) for data in cards[:8])
    return shoe


def test_eight_reports_in_a_row_without_bit_7_are_adopted_and_said_once() -> None:
    shoe = Shoe(LEARN)
    items = [shoe.receive(report(f"{index:X}", data)) for index, data in enumerate(CARDS)]

    assert [ADOPTED in one for one in items] == [index == 7 for index in range(12)]
    assert [is_not_understood(one[0]) for one in items] == [index < 8 for index in range(12)]


@pytest.mark.parametrize("between", [b"P", b"C", b"M070123"])
def test_reports_that_show_no_form_do_not_count(between: bytes) -> None:
    shoe = Shoe(LEARN)
    for data in CARDS[:8]:
        assert is_not_understood(shoe.report(data))
        shoe.report(between)

    assert shoe.report(CARDS[8]) == parse(CARDS[8], plain=True)


@pytest.mark.parametrize(
    "other", [b"L\x81", b"D\x81\xb1", b"D\x01\x7f", b"D\x01"], ids=["L", "D", "no card", "short"]
)
def test_a_report_that_does_not_fit_without_bit_7_begins_the_row_anew(other: bytes) -> None:
    shoe = Shoe(LEARN)
    for data in (*CARDS[:7], other, CARDS[7]):
        shoe.report(data)

    assert is_not_understood(shoe.report(CARDS[8]))


def test_a_damaged_frame_begins_the_row_anew() -> None:
    shoe = Shoe(LEARN)
    for data in CARDS[:7]:
        shoe.report(data)
    shoe.receive(b"\x05\x37P\x03\x30\x30")
    shoe.report(CARDS[7])

    assert is_not_understood(shoe.report(CARDS[8]))


def test_copies_of_a_report_count_once() -> None:
    shoe = Shoe(LEARN)
    for index, data in enumerate(CARDS[:4]):
        shoe.receive(3 * report(str(index), data))

    assert is_not_understood(shoe.receive(report("4", CARDS[4]))[0])


def test_the_next_start_of_the_shoe_ends_what_was_learnt() -> None:
    shoe = learnt()
    assert shoe.report(b"S") == StartMessage()

    assert is_not_understood(shoe.report(CARDS[8]))


def test_the_next_opening_ends_what_was_learnt() -> None:
    shoe = learnt()
    shoe.open()

    assert not shoe.state.plain


# --- masked --------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [one[0] for one in REPORTS if one[0][:1] in b"DRdEeLG"])
def test_the_raw_view_shows_no_byte_of_a_payload_in_either_form(data: bytes) -> None:
    hidden = " ".join([".."] * len(data[1:]))
    expected = f"05 30 {data[0]:02X} {hidden} 03 .. .."

    assert mask_raw(report("0", data), plain=True)[0] == expected
    assert mask_raw(report("0", with_bit_7(data)), plain=True)[0] == expected
    assert mask_raw(report("0", with_bit_7(data)))[0] == expected


def test_the_raw_view_is_the_same_for_any_card() -> None:
    views = {
        mask_raw(report("0", bytes((0x44, place, card))), plain=True)[0]
        for place in (*range(1, 6), *range(0x11, 0x16))
        for card in range(0x80)
    }

    assert views == {"05 30 44 .. .. 03 .. .."}
