"""P5: whole reports a second through `feed`, and how noise and false start bytes scale.

Measured in processor time, so that other work does not count.

Source: goal P5.
"""

import time
from binascii import crc_hqx
from random import Random
from statistics import median

from firmware_bridge.angel_eye.frames import ReportFrame, feed
from firmware_bridge.link import Unframed
from hil.bench.measure.fixtures import Plan, deal_reports, one_processor
from hil.measure.checks import Bound, Check, check_goal, report_figure
from hil.measure.figures import NS_PER_S, Unit

# The minimum and five times pymodbus' RTU framer (94 k/s on the reference machine, README).
FRAMES_PER_S_MUST = 200_000
FRAMES_PER_S_STRETCH = 470_000
# 1 Mbaud with ten bits a byte.
BYTES_PER_S_FAST_LINE = 100_000
READ_BYTES = 64
NOISE_BYTES = 1_000_000


def measure_decoder(plan: Plan) -> tuple[Check, ...]:
    """P5."""
    frames = tuple(report.frame for report in deal_reports(seed=2))
    times = plan.count(40, 4)
    speeds: list[float] = []
    joined: list[float] = []
    bare: list[float] = []
    with one_processor():
        for _ in range(plan.repeats):
            speeds.append(_speed(frames, times))
            joined.append(_speed((b"".join(frames[:256]),), times * 2))
            bare.append(_bare_speed(frames, times))
        ours = median(speeds)
        beside = f"{ours / median(bare):.3f} of a bare C checksum over each frame"
        return (
            check_goal(
                "P5",
                "reports a second, one a read",
                ours,
                Unit.PER_S,
                Bound(FRAMES_PER_S_MUST, FRAMES_PER_S_STRETCH, at_least=True),
                beside,
            ),
            report_figure("P5", "reports a second, many a read", median(joined), Unit.PER_S),
            *_noise(plan, "noise", Random(5).randbytes(NOISE_BYTES)),  # noqa: S311 - reproducible
            *_noise(plan, "false start bytes ENQ", b"\x05" * NOISE_BYTES),
            *_noise(plan, "false start bytes STX", b"\x02" * NOISE_BYTES),
        )


def _speed(chunks: tuple[bytes, ...], times: int) -> float:
    unframed, reports = Unframed(), 0
    began_ns = time.thread_time_ns()
    for _ in range(times):
        for chunk in chunks:
            unframed, found = feed(unframed, chunk)
            reports += len(found)
    elapsed_ns = time.thread_time_ns() - began_ns
    assert isinstance(feed(Unframed(), chunks[0])[1][0], ReportFrame)
    return reports * NS_PER_S / elapsed_ns


def _bare_speed(frames: tuple[bytes, ...], times: int) -> float:
    began_ns = time.thread_time_ns()
    for _ in range(times):
        for frame in frames:
            crc_hqx(frame[1:-2], 0)
    return len(frames) * times * NS_PER_S / (time.thread_time_ns() - began_ns)


def _noise(plan: Plan, name: str, noise: bytes) -> tuple[Check, ...]:
    """All of it and half of it: twice the bytes may take little more than twice the time."""
    whole: list[float] = []
    half: list[float] = []
    for _ in range(plan.count(5, 1)):
        whole.append(_seconds(noise))
        half.append(_seconds(noise[: len(noise) // 2]))
    seconds = median(whole)
    growth = seconds / median(half)
    beside = f"{growth:.2f}x the time of half of it"
    return (
        check_goal("P5", f"1 MB of {name}", seconds * 1_000, Unit.MS, Bound(1_000, 300), beside),
        check_goal("P5", f"  twice the {name}", growth, Unit.RATIO, Bound(2.5)),
        check_goal(
            "P5",
            "  bytes a second against 1 Mbaud",
            len(noise) / seconds / BYTES_PER_S_FAST_LINE,
            Unit.RATIO,
            Bound(1, at_least=True),
        ),
    )


def _seconds(noise: bytes) -> float:
    unframed = Unframed()
    began_ns = time.thread_time_ns()
    for at in range(0, len(noise), READ_BYTES):
        unframed, _found = feed(unframed, noise[at : at + READ_BYTES])
    return (time.thread_time_ns() - began_ns) / NS_PER_S
