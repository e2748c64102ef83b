"""Signed reports: what is changed is refused, and however a run ends its report is there."""

import json
import os
import resource
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from acceptance_hands import SHORT_S, Act, Hands, order_of, outcomes, run, shoe_acts, step

from controller.system.keys import load_key, make_key
from firmware_bridge.transport.port import PortGone
from foundation.message import message
from hil.acceptance.people import NobodyAnswers
from hil.acceptance.report.results import WalkOutcome
from hil.acceptance.report.signed_report import BadReport, signed
from hil.acceptance.run import Ended
from hil.acceptance.wire.tape_check import verify_report
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.angel_eye.wire import report_frame
from hil.emulator.lines.line import LineServer
from hil.emulator.lines.serve import PtyServer, TcpServer
from hil.rig.small_disk import fill, small_disk

DISK_BYTES = 4 << 20
MANY_REPORTS = 1500


def some_run(folder: Path, **acts: Act) -> Ended:
    """A short run at an Angel Eye; what is not named is skipped."""
    with TcpServer(AngelEye()) as server:
        usual = {name: shoe_acts(server)[name] for name in ("first-bytes", "card-1", "power-on")}
        return run(order_of("angel-eye-ii-ex", server.url), Hands({**usual, **acts}), folder)


@pytest.fixture
def report(fast_dir: Path) -> Path:
    some_run(fast_dir)
    return fast_dir / "report.json"


def rewrite(report: Path, change: Callable[[dict[str, Any]], object], *, sign: bool) -> None:
    """Change a report; `sign`: as its maker could, with the same key."""
    document = json.loads(report.read_text(encoding="utf-8"))
    change(document)
    if sign:
        document = signed(document, load_key(report.with_name("acceptance.key")))
    report.write_text(json.dumps(document), encoding="utf-8")


def test_a_report_holds_with_its_own_key_alone(report: Path, tmp_path: Path) -> None:
    own = load_key(report.with_name("acceptance.key")).public

    assert verify_report(report, own).key == own
    with pytest.raises(BadReport, match="signed with another key"):
        verify_report(report, make_key(tmp_path / "other.key").public)


@pytest.mark.parametrize(
    "change",
    [
        lambda one: one.update(person="Bob Lee"),
        lambda one: one.update(verdict="ACCEPTED: all steps passed"),
        lambda one: one["steps"][0].update(outcome="PASS", reason="x"),
        lambda one: one["device"]["label"].update(firmware="9"),
        lambda one: one["tape"].update(bytes=1),
        lambda one: one["events"].clear(),
        lambda one: one.update(signature="00" * 64),
    ],
    ids=["person", "verdict", "step", "label", "tape", "events", "signature"],
)
def test_a_changed_report_is_refused(
    report: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    rewrite(report, change, sign=False)

    with pytest.raises(BadReport, match="signature does not hold"):
        verify_report(report, None)


def test_a_report_in_another_spelling_still_holds(report: Path) -> None:
    rewrite(report, lambda _: None, sign=False)

    assert verify_report(report, None).events > 0


@pytest.mark.parametrize("place", [100, -30])
def test_a_changed_tape_is_refused(report: Path, place: int) -> None:
    tape = report.with_suffix(".pcapng")
    data = bytearray(tape.read_bytes())
    data[place] ^= 1
    tape.write_bytes(data)

    with pytest.raises(BadReport, match="was changed: its SHA-256 differs"):
        verify_report(report, None)


def test_a_tape_that_is_longer_shorter_or_gone_is_refused(report: Path) -> None:
    tape = report.with_suffix(".pcapng")
    data = tape.read_bytes()
    for other in (data + b"\0", data[:-1]):
        tape.write_bytes(other)
        with pytest.raises(BadReport, match=f"has {len(other)} bytes, and not {len(data)}"):
            verify_report(report, None)
    tape.unlink()
    with pytest.raises(BadReport, match="cannot be read"):
        verify_report(report, None)


def test_events_that_the_tape_does_not_give_are_refused_though_they_are_signed(
    report: Path,
) -> None:
    rewrite(report, lambda one: one["events"][-1].update(event="CutCardSeen"), sign=True)

    with pytest.raises(BadReport, match=r"its tape gives other events: event .* was CutCardSeen"):
        verify_report(report, None)


@pytest.mark.parametrize("text", ["", "[]", '{"form": "x"}', '{"form": "smartshoe-acceptance-1"}'])
def test_what_is_no_report_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(BadReport):
        verify_report(path, None)


# --- however it ends ------------------------------------------------------------------------------


def interrupt() -> None:
    raise KeyboardInterrupt


def leave() -> None:
    raise NobodyAnswers("standard input has ended")


@pytest.mark.parametrize(
    ("act", "words"),
    [(interrupt, "ended by Ctrl-C"), (leave, "nobody answers: standard input has ended")],
)
def test_a_run_that_ends_early_keeps_what_was_done(act: Act, words: str, fast_dir: Path) -> None:
    ended = some_run(fast_dir, **{"card-2": act})

    assert ended.document["verdict"].startswith(f"INCOMPLETE, {words}: ")
    assert isinstance(ended.stopped_by, KeyboardInterrupt) is (act is interrupt)
    assert outcomes(ended)["card-1"] == WalkOutcome.PASS
    assert outcomes(ended)["cut-card"] == WalkOutcome.NOT_DONE
    assert step(ended, "cut-card")["reason"] == f"not reached: {words}"
    assert outcomes(ended)["replay"] == WalkOutcome.PASS
    verify_report(fast_dir / "report.json", None)
    assert not (fast_dir / ".report.json.reserve").exists()


def test_while_it_is_under_way_the_report_of_what_was_done_is_there(fast_dir: Path) -> None:
    seen: list[Any] = []

    def look() -> None:
        path = fast_dir / "report.json"
        seen.append(json.loads(path.read_text(encoding="utf-8")))
        verify_report(path, None)

    some_run(fast_dir, **{"card-2": look})

    assert seen[0]["verdict"].startswith("INCOMPLETE, it is under way, or was killed: ")
    assert [one["name"] for one in seen[0]["steps"]][-1] == "card-1"


def test_a_port_that_stays_away_fails_its_steps_and_nothing_else(fast_dir: Path) -> None:
    with PtyServer(AngelEye(), link=fast_dir / "shoe") as server:
        acts = {**shoe_acts(server), "unplug": server.unplug, "replug": lambda: None}
        acts = {name: acts[name] for name in ("first-bytes", "unplug", "replug")}
        order = order_of("angel-eye-ii-ex", server.path, wait_s=SHORT_S)

        ended = run(order, Hands(acts, again=("unplug",)), fast_dir)

    assert outcomes(ended)["port"] == WalkOutcome.PASS
    assert outcomes(ended)["unplug"] == WalkOutcome.FAIL
    assert "did not come back under this name" in step(ended, "unplug")["reason"]
    assert outcomes(ended)["line"] == WalkOutcome.FAIL
    assert outcomes(ended)["replay"] == WalkOutcome.PASS
    verify_report(fast_dir / "report.json", None)


def test_a_port_that_is_not_there_fails_and_the_report_is_written(fast_dir: Path) -> None:
    order = order_of("angel-eye-ii-ex", str(fast_dir / "none"), wait_s=SHORT_S)

    ended = run(order, Hands({}), fast_dir)

    assert outcomes(ended)["port"] == WalkOutcome.FAIL
    assert str(fast_dir / "none") in step(ended, "port")["reason"]
    assert outcomes(ended)["understood"] == WalkOutcome.FAIL
    assert outcomes(ended)["replay"] == WalkOutcome.PASS
    verify_report(fast_dir / "report.json", None)


class SharedPort:
    """A port that locks nobody out."""

    def __init__(self, path: str) -> None:
        self._path, self._opened = path, -1
        self._closing, self._once = threading.Event(), threading.Lock()

    def open(self) -> None:
        self._opened = os.open(self._path, os.O_RDWR | os.O_NOCTTY)

    def read(self) -> bytes:
        with self._once:
            if self._closing.is_set():
                raise PortGone(message("port_was_closed", port=self._path))
            ready, _, _ = select.select([self._opened], [], [], 0.01)
            return os.read(self._opened, 4096) if ready else b""

    def write(self, data: bytes) -> None:
        os.write(self._opened, data)

    def close(self) -> None:
        self._closing.set()
        with self._once:
            if self._opened >= 0:
                os.close(self._opened)
            self._opened = -1


def test_a_port_that_a_second_program_can_open_has_failed(fast_dir: Path) -> None:
    with PtyServer(AngelEye(), link=fast_dir / "shoe") as server:
        acts = {"first-bytes": shoe_acts(server)["first-bytes"]}
        order = order_of("angel-eye-ii-ex", server.path)
        ended = run(order, Hands(acts), fast_dir, lambda url, _: SharedPort(url))

    assert outcomes(ended)["port"] == WalkOutcome.FAIL
    assert "a second program can open it" in step(ended, "port")["reason"]
    assert outcomes(ended)["line"] == WalkOutcome.PASS


def many_reports(server: LineServer[AngelEye]) -> None:
    for number in range(MANY_REPORTS):
        server.send(report_frame("%X" % (number % 16), b"P"))


@pytest.fixture
def disk(fast_dir: Path) -> Iterator[Path]:
    """A small file system of its own."""
    with small_disk(fast_dir / "disk", DISK_BYTES) as place:
        yield place


@pytest.mark.needs("mount")
def test_a_full_disk_ends_the_tape_and_the_report_says_so(disk: Path) -> None:
    with TcpServer(AngelEye()) as server:

        def full() -> None:
            fill(disk)
            many_reports(server)

        usual = {name: shoe_acts(server)[name] for name in ("first-bytes", "card-1")}
        order = order_of("angel-eye-ii-ex", server.url)
        ended = run(order, Hands({**usual, "cut-card": full}), disk)

    assert ended.document["verdict"].startswith("INCOMPLETE, the tape ended: ")
    assert "No space left on device" in ended.document["incomplete"]
    assert ended.unwritten == ""
    assert outcomes(ended)["card-1"] == WalkOutcome.PASS
    assert outcomes(ended)["cut-card"] == WalkOutcome.NOT_DONE
    assert outcomes(ended)["replay"] == WalkOutcome.PASS
    verify_report(disk / "report.json", None)


def test_a_report_that_cannot_be_written_is_handed_back(fast_dir: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with TcpServer(AngelEye()) as server:

        def limit() -> None:
            size = (fast_dir / "report.pcapng").stat().st_size
            resource.setrlimit(resource.RLIMIT_FSIZE, (size + 200, hard))
            many_reports(server)

        usual = {name: shoe_acts(server)[name] for name in ("first-bytes", "card-1")}
        order = order_of("angel-eye-ii-ex", server.url)
        try:
            ended = run(order, Hands({**usual, "cut-card": limit}), fast_dir)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert "cannot be written" in ended.unwritten
    assert ended.document["verdict"].startswith("INCOMPLETE, the tape ended: ")
    path = fast_dir / "report.json"
    path.write_text(json.dumps(ended.document), encoding="utf-8")
    verify_report(path, None)


# --- the command ----------------------------------------------------------------------------------


def hil(*words: str, cwd: Path, stdin: int = subprocess.DEVNULL) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "hil.cli", "accept", *words],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
    )


@pytest.mark.parametrize(
    ("number", "by", "code"), [(signal.SIGINT, "Ctrl-C", 130), (signal.SIGTERM, "SIGTERM", 143)]
)
def test_a_signal_at_a_question_leaves_a_report(
    number: int, by: str, code: int, fast_dir: Path
) -> None:
    with TcpServer(AngelEye()) as server:
        words = (server.url, "--model", "angel-eye-ii-ex", "--person", "Ann Lee")
        process = hil(*words, "--report", "r.json", cwd=fast_dir, stdin=subprocess.PIPE)
        assert process.stderr is not None
        until = iter(lambda: process.stderr.read(1), "")  # type: ignore[union-attr]
        text = ""
        for letter in until:
            text += letter
            if "[label-firmware]" in text:
                break
        process.send_signal(number)
        out, _ = process.communicate()

    assert process.returncode == code
    assert out.startswith(f"INCOMPLETE, ended by {by}: ")
    verify_report(fast_dir / "r.json", None)


def test_a_person_at_the_terminal_answers_and_skips(fast_dir: Path) -> None:
    with TcpServer(AngelEye()) as server:
        server.perform(lambda one: one.stand_by())
        words = (server.url, "--model", "angel-eye-ii-ex", "--person", "Ann Lee")
        process = hil(*words, "--json", "--report", "r.json", cwd=fast_dir, stdin=subprocess.PIPE)
        lines = ["1.02", "", *["skip there is no such key"] * 20]
        out, _ = process.communicate("\n".join(lines) + "\n")

    summary = json.loads(out)
    document = json.loads((fast_dir / "r.json").read_text(encoding="utf-8"))
    assert process.returncode == 1
    assert summary["steps"]["card-1"] == "NOT DONE"
    assert summary["verdict"] == document["verdict"]
    assert document["device"]["label"] == {"firmware": "1.02"}
    reasons = {one["reason"] for one in document["steps"] if one["name"] == "card-1"}
    assert reasons == {"there is no such key"}
    assert document["answers"] == "a person at the terminal"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "it needs --model NAME"),
        (("--model", "other"), "'other' is not known"),
        (("--model", "zebra-ssi"), "no port is named"),
        (("--model", "zebra-ssi", "x://y", "--person", "A"), "x://y"),
        (("--model", "zebra-ssi", "/dev/null", "--listen", "--allow-commands"), "both given"),
        (("--model", "zebra-ssi", "/dev/null", "--person", "A", "--report", "r.txt"), "its own"),
        (("--model", "zebra-ssi", "/dev/null", "--person", "A", "--answers", "a"), "nobody asks"),
        (("--verify", "a"), "it is not JSON"),
    ],
)
def test_a_wrong_use_is_a_sentence(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_text('card-9 = "done"\n', encoding="utf-8")
    process = hil(*words, cwd=tmp_path)
    out, errors = process.communicate()

    assert process.returncode == (1 if "--verify" in words else 2)
    assert said in errors
    assert "Remedy: " in errors
    assert out == ""
    assert not list(tmp_path.glob("*.pcapng"))
