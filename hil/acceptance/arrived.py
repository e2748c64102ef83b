"""What arrived as a whole: bytes that the decoder did not understand, and the times on the wire.

Source: firmware_bridge/README.md, "Three levels".
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median_low
from typing import Final

from controller.system.messages.catalogue import to_words
from drivers.events import Stage, StageChanged
from drivers.faults import DeviceFault
from drivers.framing import Framing
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.transport.port import LineSettings
from hil.acceptance.report.results import Departure, Figure, WalkOutcome, WalkStep
from hil.acceptance.wire.account import FrameHeard
from hil.acceptance.wire.conversation import Turn
from hil.acceptance.wire.documents import ON_THE_WIRE, WireDocument

SHOWN_BYTES_MAX: Final = 64
_NS_PER_MS: Final = 1_000_000
_NS_PER_S: Final = 1_000_000_000
# The device's own statements, and what a cable that was pulled explains.
_NO_DEPARTURE: Final = (LinkFaultKind.DEVICE_STATUS,)

_Figures = tuple[tuple[str, Figure], ...]


def check_understood(turns: Sequence[Turn], document: WireDocument) -> WalkStep:
    """Everything that arrived and was not understood, with its bytes and its section."""
    frames = [one for turn in turns for one in turn.heard.frames]
    size = sum(len(turn.data) for turn in turns)
    # What may stand between frames counts with them.
    in_frames = size - sum(len(run.data) for turn in turns for run in turn.heard.undecoded)
    differences = (*_runs(turns, document), *_faults(turns, document))
    figures: _Figures = (
        ("bytes", size),
        ("frames", len(frames)),
        ("bytes_in_frames", in_frames),
        ("share_in_frames_per_mille", in_frames * 1000 // size if size else None),
        ("events", sum(len(turn.events) for turn in turns)),
    )
    outcome = WalkOutcome.DIFFERS if differences else WalkOutcome.PASS
    reason = ""
    if not size:
        outcome, reason = WalkOutcome.FAIL, "nothing arrived"
    title = "Everything that arrived was understood"
    return WalkStep("protocol", "understood", title, outcome, figures, differences, reason)


def _runs(turns: Sequence[Turn], document: WireDocument) -> Iterator[Departure]:
    """Bytes outside any whole frame."""
    for turn in turns:
        for run in turn.heard.undecoded:
            kind = run.faults[0]
            yield Departure(
                document.section_of(kind),
                "every byte belongs to a whole frame",
                f"{len(run.data)} bytes of none: {', '.join(run.faults)}",
                hex_of(run.data),
            )


def _faults(turns: Sequence[Turn], document: WireDocument) -> Iterator[Departure]:
    """Whole frames that say what the document does not, with the frames of that moment."""
    openings, frames = 0, 0
    accounted = {kind for turn in turns for run in turn.heard.undecoded for kind in run.faults}
    for turn in turns:
        for event in turn.events:
            if isinstance(event, StageChanged) and event.stage is Stage.OPENED:
                openings, frames = openings + 1, 0
            if not isinstance(event, DeviceFault) or event.kind in _NO_DEPARTURE:
                continue
            if event.kind in ON_THE_WIRE and event.kind in accounted:
                continue
            # After the cable was out nothing proves that no report was missed.
            if event.kind is LinkFaultKind.CONTINUITY_UNPROVEN and openings > 1 and not frames:
                continue
            yield Departure(
                document.section_of(event.kind),
                "nothing of this kind",
                f"{event.kind}: {to_words(event.detail)}",
                hex_of(b"".join(one.data for one in turn.heard.frames)),
            )
        frames += len(turn.heard.frames)


def check_times(
    turns: Sequence[Turn],
    document: WireDocument,
    framing: Framing | None,
    line: LineSettings,
) -> WalkStep:
    """Pauses, gaps between frames, copies of a report and the rate, as they were read.

    Several bytes come in one read: what is within a read has no times.
    """
    frames = [one for turn in turns for one in turn.heard.frames]
    reads = [turn.at.monotonic_ns for turn in turns if turn.data]
    differences: list[Departure] = []
    groups = copies_of(frames, framing)
    figures: _Figures = (
        ("reads", len(set(reads))),
        *_spread("read_gap", [later - one for one, later in pairwise(reads) if later > one]),
        *_pauses(frames, document, differences),
        *_spread("frame_gap", [b.ended_ns - a.ended_ns for a, b in pairwise(frames)]),
        *_copies(groups, document, differences),
        ("bits_a_second", _rate(frames, line)),
    )
    if groups:
        starts = [group[0].began_ns for group in groups]
        figures += _spread("report_gap", [later - one for one, later in pairwise(starts)])
    outcome = WalkOutcome.DIFFERS if differences else WalkOutcome.PASS
    reason = ""
    if not frames:
        outcome, reason = WalkOutcome.NOT_DONE, "no frame came"
    title = "Times on the wire"
    return WalkStep("timing", "times", title, outcome, figures, tuple(differences), reason)


def copies_of(
    frames: Sequence[FrameHeard], framing: Framing | None
) -> tuple[tuple[FrameHeard, ...], ...]:
    """The copies of each report, in order; empty where the protocol repeats nothing."""
    if framing is None or framing.repeats_max is None:
        return ()
    groups: list[list[FrameHeard]] = []
    for one in (frame for frame in frames if frame.report):
        if groups and groups[-1][-1].data == one.data:
            groups[-1].append(one)
        else:
            groups.append([one])
    return tuple(map(tuple, groups))


def _pauses(
    frames: Sequence[FrameHeard], document: WireDocument, differences: list[Departure]
) -> _Figures:
    longest = max(frames, key=lambda one: one.pause_ns, default=None)
    most_ns = 0 if longest is None else longest.pause_ns
    stated_ns = document.pause_ns_max
    if longest is not None and 0 < stated_ns < most_ns:
        differences.append(
            Departure(
                document.named(document.pause_section),
                f"a pause within a frame of at most {stated_ns // _NS_PER_MS} ms",
                f"{most_ns // _NS_PER_MS} ms",
                hex_of(longest.data),
            )
        )
    return (("pause_in_frame_ms_max", most_ns // _NS_PER_MS),)


def _copies(
    groups: Sequence[Sequence[FrameHeard]],
    document: WireDocument,
    differences: list[Departure],
) -> _Figures:
    """How often reports were repeated, and how late the last copy came."""
    if not groups:
        return ()
    for group in groups:
        late_ns = group[-1].ended_ns - group[0].ended_ns
        if 0 < document.copies_ns_max < late_ns:
            differences.append(
                Departure(
                    document.named("Sequence"),
                    f"copies within {document.copies_ns_max // _NS_PER_MS} ms of the first",
                    f"a late copy, after {late_ns // _NS_PER_MS} ms",
                    hex_of(group[0].data),
                )
            )
    gaps = [b.ended_ns - a.ended_ns for group in groups for a, b in pairwise(group)]
    counts = sorted({len(group) for group in groups})
    return (("reports", len(groups)), ("copies", tuple(counts)), *_spread("copy_gap", gaps))


def _rate(frames: Sequence[FrameHeard], line: LineSettings) -> int | None:
    """Bits a second within the frames that came over several reads; None if none did."""
    bits_of_byte = 10 if line.parity.value == "N" else 11
    measured = [one for one in frames if one.ended_ns > one.began_ns]
    if not measured:
        return None
    size = sum(len(one.data) for one in measured)
    lasted_ns = sum(one.ended_ns - one.began_ns for one in measured)
    return size * bits_of_byte * _NS_PER_S // lasted_ns


def _spread(name: str, gaps_ns: Sequence[int]) -> _Figures:
    """Least, median and greatest, in microseconds; nothing where nothing was measured."""
    if not gaps_ns:
        return ()
    found = (min(gaps_ns), median_low(gaps_ns), max(gaps_ns))
    return ((f"{name}_us_min_median_max", tuple(one // 1000 for one in found)),)


def hex_of(data: bytes) -> str:
    """Bytes in hex; of many the first."""
    more = len(data) - SHOWN_BYTES_MAX
    text = data[:SHOWN_BYTES_MAX].hex(" ").upper()
    return f"{text} and {more} more" if more > 0 else text
