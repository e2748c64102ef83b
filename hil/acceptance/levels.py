"""The levels part: do bytes arrive at the model's line settings, and are they frames.

Source: firmware_bridge/README.md, "Three levels".
"""

from typing import Final

from controller.service.commissioning.pairing_file import key_fingerprint
from controller.system.keys import fingerprint_text
from controller.system.messages.catalogue import to_words
from drivers.pairing import PairingProgress, PresentedDevice, UnfitDevice
from firmware_bridge.transport.port import LineSettings
from firmware_bridge.transport.port_url import DevicePath, UsbUrl, parse_port_url
from hil.acceptance.bench import DeviceBench
from hil.acceptance.people import PersonQuestion
from hil.acceptance.report.results import Departure, Figure, WalkOutcome, WalkStep
from hil.acceptance.wire.account import FrameHeard
from hil.acceptance.wire.conversation import Conversation
from hil.acceptance.wire.documents import line_text, usual_lines
from hil.progress import PLAY_STILL_S

PART: Final = "levels"
QUESTIONS: Final = ("first-bytes", "other-lines")
_TITLE: Final = "Bytes and frames at the model's line settings"
_IDENTITY: Final = "The device proves its identity"
# So many bytes without a frame show that the line settings are wrong.
_BYTES_WITHOUT_FRAME: Final = 32
_TRY_S_MAX: Final = 5.0

_Figures = tuple[tuple[str, Figure], ...]


def check_levels(bench: DeviceBench) -> WalkStep:
    """Bytes arrive and are frames; else which other line settings give frames.

    Raises NobodyAnswers, TapeEnded.
    """
    session = bench.session
    if not session.is_open:
        return _result(WalkOutcome.FAIL, reason="the port is not open")
    stated: _Figures = (("line", line_text(bench.line)),)
    act = "Make the device send something: switch it on, draw a card, scan a label."
    answer = ""
    if not _frames(bench):
        said = bench.answerer.ask(PersonQuestion("first-bytes", act))
        if said.skipped:
            return _result(WalkOutcome.NOT_DONE, stated, reason=said.skipped)
        answer = said.text
        while not session.wait_for(lambda: _heard_enough(bench), bench.wait_s):
            if not bench.answerer.ask_again("first-bytes", "no frame came"):
                break
    figures = (*stated, *_counts(bench))
    if _frames(bench):
        return _result(WalkOutcome.PASS, figures, answer=answer)
    if not _bytes(bench):
        reason = "no bytes: look at power, cable and port"
        return _result(WalkOutcome.FAIL, figures, reason=reason, answer=answer)
    return _other_lines(bench, figures, answer)


def _other_lines(bench: DeviceBench, figures: _Figures, answer: str) -> WalkStep:
    """Bytes and no frames: try the other usual line settings. Raises as `check_levels`."""
    session = bench.session
    reason = "bytes arrive, and none of them is a frame"
    if not _has_line(session.url):
        reason += "; the serial server's own line settings count"
        return _result(WalkOutcome.FAIL, figures, reason=reason, answer=answer)
    ask = PersonQuestion(
        "other-lines",
        "No frame. Other line settings are tried in turn: make the device send again and again.",
    )
    said = bench.answerer.ask(ask)
    if said.skipped:
        return _result(WalkOutcome.FAIL, figures, reason=f"{reason}; {said.skipped}", answer=answer)
    tried: list[str] = []
    for line in usual_lines(bench.line):
        tried.append(line_text(line))
        bench.answerer.say(f"trying {tried[-1]}")
        before, opened = _bytes(bench), len(session.opened)
        session.reopen(line)

        def enough(before: int = before, opened: int = opened) -> bool:
            came = _bytes(bench) - before
            frames = _frames(bench)
            return len(session.opened) > opened and bool(frames or came >= _BYTES_WITHOUT_FRAME)

        session.wait_for(enough, min(bench.wait_s, _TRY_S_MAX))
        if _frames(bench):
            return _found_line(bench, line, (*figures, ("tried", tuple(tried))), answer)
    session.reopen(bench.line)
    session.wait_for(lambda: session.is_open, min(bench.wait_s, PLAY_STILL_S))
    figures += (("tried", tuple(tried)),)
    return _result(
        WalkOutcome.FAIL, figures, reason=f"{reason} at any usual setting", answer=answer
    )


def _found_line(bench: DeviceBench, line: LineSettings, figures: _Figures, answer: str) -> WalkStep:
    """Frames at another setting: the acceptance goes on with it."""
    stated, found = line_text(bench.line), line_text(line)
    bench.line = line
    section = bench.document.named(bench.document.framing)
    difference = Departure(section, f"line settings {stated}", f"frames at {found}")
    figures += (("frames_at", found),)
    return _result(WalkOutcome.DIFFERS, figures, differences=(difference,), answer=answer)


def check_identity(bench: DeviceBench, conversation: Conversation) -> WalkStep:
    """A device with a key proves that it holds it. Raises TapeEnded."""
    session = bench.session
    if bench.listen:
        reason = "nothing is written to the device (--listen)"
        return WalkStep(PART, "identity", _IDENTITY, WalkOutcome.NOT_DONE, reason=reason)
    wait_s = min(bench.wait_s, PLAY_STILL_S)
    session.wait_for(lambda: not conversation.asks_identity, wait_s)
    match conversation.stated:
        case PresentedDevice():
            figures = stated_figures(conversation)
            return WalkStep(PART, "identity", _IDENTITY, WalkOutcome.PASS, figures)
        case UnfitDevice(why=why):
            section = bench.document.named("Identity")
            differences = (Departure(section, "a device proves its key", to_words(why)),)
            reason = to_words(why)
            return WalkStep(
                PART, "identity", _IDENTITY, WalkOutcome.FAIL, (), differences, reason=reason
            )
        case _:
            reason = f"it did not answer; the question came as far as {conversation.progress}"
            if conversation.progress is PairingProgress.NOTHING:
                reason = "it did not answer: no bytes"
            return WalkStep(PART, "identity", _IDENTITY, WalkOutcome.FAIL, reason=reason)


def stated_figures(conversation: Conversation) -> _Figures:
    """What a device states about itself, as far as it proved it; empty where it has no key."""
    device = conversation.stated
    if not isinstance(device, PresentedDevice):
        return ()
    stated = device.stated
    return (
        ("device", stated.device.hex()),
        ("key_fingerprint", fingerprint_text(key_fingerprint(device.key))),
        ("firmware", stated.version),
        ("image_sha256", stated.image.hex()),
        ("security_counter", stated.security_counter),
        ("boot_count", stated.boot_count),
        ("keeps_a_chain", stated.chained),
    )


def _has_line(url: str) -> bool:
    """Whether this machine sets the line's rate and parity."""
    match parse_port_url(url):
        case DevicePath() | UsbUrl(scheme="usbserial"):
            return True
        case _:
            return url.startswith("rfc2217://")


def _frames(bench: DeviceBench) -> list[FrameHeard]:
    return [frame for turn in bench.session.turns for frame in turn.heard.frames]


def _bytes(bench: DeviceBench) -> int:
    return sum(len(turn.data) for turn in bench.session.turns)


def _heard_enough(bench: DeviceBench) -> bool:
    return bool(_frames(bench)) or _bytes(bench) >= _BYTES_WITHOUT_FRAME


def _counts(bench: DeviceBench) -> _Figures:
    frames = _frames(bench)
    return (
        ("bytes", _bytes(bench)),
        ("frames", len(frames)),
        ("bytes_in_frames", sum(len(one.data) for one in frames)),
    )


def _result(
    outcome: WalkOutcome,
    figures: _Figures = (),
    *,
    differences: tuple[Departure, ...] = (),
    reason: str = "",
    answer: str = "",
) -> WalkStep:
    return WalkStep(PART, "line", _TITLE, outcome, figures, differences, reason, answer)
