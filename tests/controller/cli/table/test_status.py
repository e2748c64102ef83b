"""`smartshoe status`: once, and with --watch: layout in given sizes, and on a pseudo-terminal."""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from shown_tables import shown

from controller.archive.replay.recovery import recover
from controller.cli.main import main
from controller.cli.table.status_tasks import CommandHints
from controller.cli.table.status_text import watch_block
from controller.journal.store import open_read_only
from controller.record.build import build_snapshot
from controller.record.snapshot import Snapshot
from controller.rules.profiles.load import load_clauses
from controller.system.command_line.errors import ExitCode

Capture = pytest.CaptureFixture[str]
SIGNED = ("--by", "A. Floor", "--reason", "seen by me")
HINTS = CommandHints(("--config", "table.toml"), as_template=True)
DECISIONS = [
    {"decision": "burn-card", "when": "the card was seen"},
    {"decision": "state-outcome", "when": "everybody saw it"},
]
OPEN = {
    "irregularities": [{"number": 1, "code": "OVERDRAW", "title": "a card", "coup": 4}],
    "remedy": {"decisions": DECISIONS},
    "suspension": {"resume_to": "result", "cards": 1},
}
SIZES = [(200, 60), (80, 24), (60, 12), (40, 5), (20, 1), (12, 8)]


def shown_of(folder: Path) -> Snapshot:
    """What a table shows that goes on from this journal."""
    with open_read_only(folder) as journal:
        recovered = recover(journal, load_clauses())
    assert recovered.run is not None
    assert recovered.state is not None
    return build_snapshot(recovered.run.core, recovered.state)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_block_never_exceeds_the_terminal(suspended: Path, width: int, height: int) -> None:
    lines = watch_block(shown_of(suspended), HINTS, width, height)

    assert 1 <= len(lines) <= height
    assert max(map(len, lines)) <= width


def test_what_is_open_comes_before_everything_else(suspended: Path) -> None:
    labels = [line[:11].strip() for line in watch_block(shown_of(suspended), HINTS, 80, 60)]

    assert labels[:5] == ["table", "due", "dealt on", "OPEN", "decide"]
    assert labels.index("when") < labels.index("last coup") < labels.index("clauses")


def test_what_suspends_the_table_comes_first_and_alike_irregularities_share_a_line() -> None:
    calls = [
        {"number": number, "code": "CARD_BEFORE_NO_MORE_BETS", "title": "a card", "coup": number}
        for number in (1, 2, 3, 5)
    ]
    overdraw = {"number": 6, "code": "OVERDRAW", "title": "one", "coup": 5, "suspends": True}
    table = {
        **OPEN,
        "due": "a decision",
        "suspension": {"resume_to": "result", "cards": 9, "coups": 2},
        "irregularities": [*calls, overdraw],
    }

    assert watch_block(shown(**table), HINTS, 100, 60)[1:5] == [
        "due        a decision",
        " dealt on  9 cards in 2 coups while suspended: take them over, or void them",
        "OPEN       6 OVERDRAW, coup 5: one",
        "OPEN       1 to 3, 5 CARD_BEFORE_NO_MORE_BETS, coups 1 to 3, 5: a card",
    ]
    for width, height in ((80, 24), (60, 15)):
        text = " ".join(" ".join(watch_block(shown(**table), HINTS, width, height)).split())
        assert "6 OVERDRAW" in text
        assert "--provisional take-over|void" in text


def test_in_a_low_window_the_last_line_counts_what_is_left_out(three_coups: Path) -> None:
    whole = watch_block(shown_of(three_coups), HINTS, 100, 60)
    low = watch_block(shown_of(three_coups), HINTS, 100, 4)

    assert low[:3] == whole[:3]
    assert low[3] == f"... {len(whole) - 3} more lines; make the window higher"


def test_a_block_that_fits_exactly_is_whole(three_coups: Path) -> None:
    whole = watch_block(shown_of(three_coups), HINTS, 100, 60)

    assert watch_block(shown_of(three_coups), HINTS, 100, len(whole)) == whole


def test_a_long_line_is_wrapped_and_loses_no_word(three_coups: Path) -> None:
    wide = watch_block(shown_of(three_coups), HINTS, 200, 60)
    narrow = watch_block(shown_of(three_coups), HINTS, 40, 200)

    assert " ".join(" ".join(wide).split()) == " ".join(" ".join(narrow).split())


def test_decisions_share_one_command(suspended: Path) -> None:
    text = "\n".join(watch_block(shown_of(suspended), HINTS, 200, 60))

    assert text.count("smartshoe resolve --config table.toml") == 1
    assert "--by NAME --reason WHY --decision carry-card|" in text
    assert " when      carry-card: nobody saw the card" in text


def test_the_template_names_outcome_and_provisional_cards_where_they_are_needed() -> None:
    text = "\n".join(watch_block(shown(**OPEN), HINTS, 200, 60))

    template = "--decision burn-card|state-outcome [--outcome player|banker|tie] --provisional"
    assert f"{template} take-over|void" in text


def test_warnings_share_one_command() -> None:
    warnings = [
        {"number": number, "kind": "door", "text": "it was opened", "active": False}
        for number in (1, 2)
    ]
    text = "\n".join(watch_block(shown(shuffler={"warnings": warnings}), HINTS, 120, 60))

    assert text.count("smartshoe act clear-warning number=N") == 1
    assert text.count("WARNING") == 2


class Terminal:
    """A process on a pseudo-terminal of a given size, and what it has drawn."""

    def __init__(self, width: int, height: int, *words: str) -> None:
        self.master, slave = pty.openpty()
        self._set_size(width, height)
        command = [sys.executable, "-m", "controller.cli.main", *words]
        environment = {**os.environ, "TERM": "xterm"}
        environment.pop("COLUMNS", None)
        environment.pop("LINES", None)
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
            start_new_session=True,
        )
        os.close(slave)
        self.drawn = ""

    def resize(self, width: int, height: int) -> None:
        self.drawn = ""
        self._set_size(width, height)
        self.process.send_signal(signal.SIGWINCH)

    def wait_for(self, words: str, width: int = 200) -> None:
        """Read until the last frame has these words, and no line longer than `width`."""
        while words not in "\n".join(frame_lines(self.drawn)) or (
            max(map(len, frame_lines(self.drawn))) > width
        ):
            ready, _, _ = select.select([self.master], [], [], 20)
            assert ready, self.drawn
            part = self._read()
            assert part, f"it has ended: {self.drawn}"
            self.drawn += part

    def read_to_end(self) -> str:
        while part := self._read():
            self.drawn += part
        return self.drawn

    def _read(self) -> str:
        try:
            return os.read(self.master, 65536).decode()
        except OSError:
            return ""

    def _set_size(self, width: int, height: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))


@pytest.fixture
def terminal() -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def started(*words: object) -> Terminal:
        opened.append(Terminal(*words))  # type: ignore[arg-type]
        return opened[-1]

    yield started
    for one in opened:
        one.process.kill()
        one.process.wait()
        os.close(one.master)


def frame_lines(drawn: str) -> list[str]:
    """The lines of the last frame, without escape sequences."""
    return drawn.rpartition("\x1b[H\x1b[J")[2].split("\r\n")


def test_on_a_terminal_it_redraws_and_restores(
    terminal: Callable[..., Terminal],
    serve: Callable[[Path], Path],
    three_coups: Path,
) -> None:
    socket = str(serve(three_coups))
    screen = terminal(80, 24, "status", "--socket", socket, "--watch")
    screen.wait_for("table      M7")
    assert screen.drawn.startswith("\x1b[?1049h\x1b[?25l")

    # Many at once, as when a window is dragged: none may disturb the drawing of another.
    for width in range(79, 30, -1):
        screen.resize(width, 6)
    screen.resize(30, 6)
    screen.wait_for(" more lines; make the w", 30)
    lines = frame_lines(screen.drawn)
    assert len(lines) == 6

    screen.resize(100, 40)
    closing = ("close-shoe", "--socket", socket, "--by", "A. Floor", "--reason", "dead table")
    assert main([*closing]) == ExitCode.DONE
    screen.wait_for("next shoe")
    screen.process.send_signal(signal.SIGINT)

    assert screen.read_to_end().endswith("\x1b[?25h\x1b[?1049l")
    assert screen.process.wait() == ExitCode.DONE


def test_no_frame_of_a_suspended_table_overflows_a_terminal(
    terminal: Callable[..., Terminal], serve: Callable[[Path], Path], suspended: Path
) -> None:
    screen = terminal(80, 24, "status", "--socket", str(serve(suspended)), "--watch")
    screen.wait_for("OPEN")
    for width, height, last in ((60, 15, "higher"), (120, 40, "observed"), (80, 24, "higher")):
        screen.resize(width, height)
        screen.wait_for(last, width)
        lines = frame_lines(screen.drawn)

        assert len(lines) <= height
        assert max(map(len, lines)) <= width
        assert "--decision carry-card|" in " ".join(" ".join(lines).split())


def test_sigterm_restores_the_terminal_too(
    terminal: Callable[..., Terminal], serve: Callable[[Path], Path], three_coups: Path
) -> None:
    screen = terminal(80, 24, "status", "--socket", str(serve(three_coups)), "--watch")
    screen.wait_for("table      M7")
    screen.process.send_signal(signal.SIGTERM)

    assert screen.read_to_end().endswith("\x1b[?25h\x1b[?1049l")
    assert screen.process.wait() == ExitCode.DONE


def test_status_is_one_readable_block(table: str, capsys: Capture) -> None:
    assert main(["status", "--socket", table]) == ExitCode.DONE

    output = capsys.readouterr().out
    assert output.startswith("table      M7, pit 3, running")
    assert "due        the next coup" in output


def test_status_as_json(table: str, capsys: Capture) -> None:
    assert main(["status", "--socket", table, "--json"]) == ExitCode.DONE
    assert json.loads(capsys.readouterr().out)["phase"]["value"] == "between_coups"


def test_watching_shows_changes_until_ctrl_c(table: str) -> None:
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "controller.cli.main",
            "status",
            "--socket",
            table,
            "--watch",
            "--json",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["device"]["stage"] == "lost"
    assert main(["close-shoe", "--socket", table, *SIGNED]) == ExitCode.DONE
    assert json.loads(process.stdout.readline())["phase"]["value"] == "shoe_over"
    process.send_signal(signal.SIGINT)

    # The table may publish the end of the shoe more than once before the signal arrives.
    left, errors = process.communicate()
    assert [json.loads(line)["phase"]["value"] for line in left.splitlines() if line] in (
        [],
        ["shoe_over"],
    )
    assert (errors, process.returncode) == ("", ExitCode.DONE)
