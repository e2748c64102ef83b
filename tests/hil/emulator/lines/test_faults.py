"""Tests the fault plan: it damages, but leaves one whole copy of each report by default."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil.emulator.lines.faults import Envelope, FaultPlan, is_whole, split_frames

START = bytes.fromhex("05 30 53 03 36 30")
CARD = bytes.fromhex("05 36 44 81 B1 03 34 31")
LOCKED = bytes.fromhex("05 32 4C 81 03 46 43")
ROUGH = {"drop_repeat": 0.6, "extra_repeat": 0.3, "bad_bcc": 0.8, "noise": 0.7}
# An independent search for whole reports in a stream: from each ENQ, no ENQ or ETX inside.
ENVELOPE = re.compile(rb"\x05([^\x05\x03]{2,127}\x03)([0-9A-F]{2})", re.DOTALL)


def whole_reports(stream: bytes) -> list[bytes]:
    found = []
    for match in ENVELOPE.finditer(stream):
        check = 0
        for value in match[1]:
            check ^= value
        if f"{check:02X}".encode() == match[2]:
            found.append(match[0])
    return found


def rough(seed: int) -> FaultPlan:
    return FaultPlan(seed=seed, **ROUGH)


@pytest.mark.parametrize("joined", [False, True])
@pytest.mark.parametrize("fragment", [0, 1, 3])
def test_no_report_loses_all_its_copies(joined: bool, fragment: int) -> None:
    for seed in range(300):
        plan = FaultPlan(seed=seed, joined=joined, fragment_bytes_max=fragment, **ROUGH)
        for frames in (START * 3 + CARD * 3, LOCKED, CARD * 2):
            arrived = whole_reports(plan.outcome(frames, seed).data)
            assert set(arrived) == set(whole_reports(frames)), (seed, frames)


def test_nothing_that_was_not_sent_arrives_whole() -> None:
    for seed in range(1000):
        plan = FaultPlan(seed=seed, noise=1.0, bad_bcc=1.0, noise_answers=True)
        assert set(whole_reports(plan.outcome(LOCKED * 3, 0).data)) == {LOCKED}


def test_copies_are_damaged_and_dropped() -> None:
    outcomes = [rough(seed).outcome(LOCKED * 3, 0).data for seed in range(100)]

    assert any(data.count(LOCKED) == 1 for data in outcomes)
    assert any(LOCKED[:-2] + b"fc" in data for data in outcomes), "lower-case digits occur"
    assert any(data.count(LOCKED) > 3 for data in outcomes), "extra copies occur"


def test_noise_may_hold_the_start_of_a_report_and_too_much_without_an_end() -> None:
    outcomes = [FaultPlan(seed=seed, noise=1.0).outcome(CARD, 0).data for seed in range(200)]

    assert any(data.count(b"\x05") > 1 for data in outcomes)
    assert any(data.find(CARD) > 128 for data in outcomes)
    assert not any(b"\x15" in data or b"\x06" in data for data in outcomes)


def test_whole_reports_are_lost_only_if_configured_and_then_listed() -> None:
    outcome = FaultPlan(seed=1, lose_report=1.0).outcome(START * 3 + CARD * 3, 0)

    assert outcome.data == b""
    assert outcome.lost == (START, CARD)


def test_a_plan_without_faults_changes_nothing() -> None:
    assert FaultPlan().apply(START + CARD, 0) == ((START, 0), (CARD, 0))


def test_joined_frames_arrive_in_one_piece() -> None:
    assert FaultPlan(joined=True).apply(START * 3, 0) == ((START * 3, 0),)


@given(st.binary(max_size=40), st.integers(1, 5), st.integers(0, 2**32))
def test_joined_fragments_are_the_bytes_sent(data: bytes, size: int, seed: int) -> None:
    plan = FaultPlan(seed=seed, fragment_bytes_max=size, delay_ns_max=10)
    pieces = plan.apply(data, 0)

    assert b"".join(piece for piece, _ in pieces) == data
    assert all(1 <= len(piece) <= size and 0 <= delay <= 10 for piece, delay in pieces)


def test_the_same_time_gives_the_same_faults_and_another_does_not() -> None:
    plan = rough(9)
    outcomes = [plan.outcome(CARD * 3, at_ns) for at_ns in (1, 1, 2)]

    assert outcomes[0] == outcomes[1]
    assert outcomes[0] != outcomes[2]


def test_frames_are_separated_from_bytes_between_them() -> None:
    stream = b"\x06" + START + b"\x05x" + CARD + b"\x05"

    assert split_frames(stream) == (b"\x06", START, b"\x05x", CARD, b"\x05")


@pytest.mark.parametrize(
    "wrong", ["05 30 53 03 36 31", "05 32 4C 81 03 66 63", "05 30 53 03 36", "05 30 05 53 03 36 30"]
)
def test_a_damaged_report_is_not_whole(wrong: str) -> None:
    assert not is_whole(bytes.fromhex(wrong))


# The version answer of a FEIG reader in both frame forms.
ANSWERS = (
    bytes.fromhex("0D 00 65 00 03 03 00 44 53 0D 30 33 09"),
    bytes.fromhex("02 00 0F 00 65 00 03 03 00 44 53 0D 30 74 69"),
)


def feig(seed: int, **more: float) -> bytes:
    plan = FaultPlan(seed=seed, envelope=Envelope.FEIG, **more)
    return plan.outcome(b"".join(ANSWERS), 0).data


def test_feig_frames_arrive_unchanged_without_faults() -> None:
    assert feig(1) == b"".join(ANSWERS)


def test_any_feig_frame_may_be_lost() -> None:
    assert {feig(seed, drop_repeat=0.5) for seed in range(50)} == {b"".join(ANSWERS), *ANSWERS, b""}


def test_a_damaged_feig_frame_is_not_a_frame() -> None:
    for seed in range(300):
        data = feig(seed, bad_bcc=1.0)
        assert not any(answer in data for answer in ANSWERS)


def test_a_feig_frame_may_arrive_twice() -> None:
    assert feig(1, extra_repeat=1.0) == ANSWERS[0] * 2 + ANSWERS[1] * 2
