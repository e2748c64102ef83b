"""Runs the commands of one page in a fresh folder under bash, and compares what they print.

Source: tests/examples/README.md.
"""

import difflib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from console_page import ConsoleCommand, ExampleError

from hil.run_guard import MARK, memory_folder

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ("smartshoe", "smartshoe-hil")
NOT_LINKED = frozenset({"journal", "build", "dist", "table.toml"})
LIMIT_S = 100.0
END_S = 10.0
# A background command without shown output is taken to be silent after this time (--write).
QUIET_S = 2.0
# A port is one after --tcp or a local address; 0 is any free one.
PORT = re.compile(r"(?<=--tcp )([1-9]\d+)\b|(?<=127\.0\.0\.1:)([1-9]\d+)\b")
MASKS = tuple(
    (re.compile(pattern), mask)
    for pattern, mask in (
        (r"\x1b\[[0-9;?]*[A-Za-z]", ""),
        (
            r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?",
            "TIME",
        ),
        (r"\b\d{4}-\d\d-\d\d\b", "DAY"),
        (r"\b\d{8}-\d{6}\b", "TIME"),
        (r"\b\d\d:\d\d(?::\d\d)?(?:\.\d+)?\b", "TIME"),
        (r"\b[0-9a-f]{8}(?: [0-9a-f]{8}){3,}\b", "DIGITS"),
        (r"\b[0-9a-fA-F]{16,}\b", "DIGITS"),
        (r"\b[A-Z2-7]{5}(?:-[A-Z2-7]{5}){3,}\b", "CODE"),
        (r"(?<![\w/+])[A-Za-z0-9+/]{43}=(?!\w)", "KEY"),
        (r"\b\d{13,}\b", "NUMBER"),
        # Without a space 9h and 10s are cards.
        (r"\b\d+(?:[.,]\d+)*(?: (?:s|h)| ?(?:ns|us|µs|ms|min)|(?<=\.\d)s)\b", "DURATION"),
        (r"\b\d+(?:[.,]\d+)* ?(?:[kKMGT]i?B|bytes?)\b", "SIZE"),
        (r"(127\.0\.0\.1|localhost|\[::1\]):\d+", r"\1:PORT"),
        (r"/dev/pts/\d+", "/dev/pts/N"),
        (r"(?<![\w.~])/(?:tmp|dev/shm)/[\w./-]+", "PATH"),
        (r"\b(pid|process) \d+", r"\1 N"),
        # Columns and rules are as wide as what was masked in them.
        (r" {2,}", "  "),
        (r"([─━═-])\1{2,}", r"\1\1"),
    )
)


def masked(line: str) -> str:
    """The line without what changes from run to run."""
    for pattern, mask in MASKS:
        line = pattern.sub(mask, line)
    return line.rstrip()


def line_matches(shown: str, got: str) -> bool:
    """Whether a shown line stands for the line; `...` in it stands for any text, also none."""
    parts = re.split(r"\s*\.\.\.\s*", masked(shown))
    pattern = ".*".join(map(re.escape, parts))
    return masked(shown) == masked(got) or re.fullmatch(pattern, masked(got)) is not None


def output_matches(shown: Sequence[str], got: Sequence[str]) -> bool:
    """Whether the shown lines stand for the lines; a line `...` stands for any lines."""
    at = row = 0
    star, star_row = -1, 0
    while row < len(got):
        if at < len(shown) and shown[at].strip() == "...":
            star, star_row = at, row
            at += 1
        elif at < len(shown) and line_matches(shown[at], got[row]):
            at, row = at + 1, row + 1
        elif star >= 0:
            star_row += 1
            at, row = star + 1, star_row
        else:
            return False
    return all(line.strip() == "..." for line in shown[at:])


def difference(shown: Sequence[str], got: Sequence[str]) -> str:
    """Shown and got lines as a diff, masked alike."""
    expected, printed = ([masked(line) for line in lines] for lines in (shown, got))
    lines = difflib.unified_diff(expected, printed, "expected", "got", lineterm="", n=2)
    return "\n".join(lines)


class BackgroundProcess:
    """A command that runs until its page ends; a thread reads what it prints."""

    def __init__(
        self,
        process: "subprocess.Popen[str]",
        command: ConsoleCommand,
        neutral: Callable[[str], list[str]],
    ) -> None:
        self.process, self.command, self._neutral = process, command, neutral
        self._lines: list[str] = []
        self._changed = threading.Condition()
        self._ended = False
        self._reader = threading.Thread(target=self._read, name="reader of a background command")
        self._reader.start()

    def _read(self) -> None:
        for line in self.process.stdout or ():
            with self._changed:
                self._lines += self._neutral(line) or [""]
                self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def lines(self) -> list[str]:
        """What it has printed until now."""
        with self._changed:
            return list(self._lines)

    def await_output(self, shown: Sequence[str], limit_s: float) -> bool:
        """Wait until it has printed the shown lines; False if it ends or time ends before."""
        pattern = (*shown, "...")
        with self._changed:
            self._changed.wait_for(
                lambda: self._ended or output_matches(pattern, self._lines), limit_s
            )
            return output_matches(pattern, self._lines)

    def await_silence(self) -> None:
        """Wait until it prints nothing more for a while."""
        with self._changed:
            while self._changed.wait(QUIET_S) and not self._ended:
                pass

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """End it, its children too; returns its exit code."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)
        try:
            code = self.process.wait(END_S)
        except subprocess.TimeoutExpired:
            code = -signal.SIGKILL
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._reader.join()
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


class ConsoleSession:
    """One fresh folder with the repository's top-level entries as links, and bash in it."""

    def __init__(self, base: Path, ports: Mapping[str, str], limit_s: float = LIMIT_S) -> None:
        self.folder, self.limit_s = base / "page", limit_s
        self.ports = dict(ports)
        self.background: list[BackgroundProcess] = []
        programs = base / "bin"
        programs.mkdir()
        self.folder.mkdir()
        for program in PROGRAMS:
            (programs / program).symlink_to(Path(sys.executable).with_name(program))
        for entry in ROOT.iterdir():
            if not entry.name.startswith(".") and entry.name not in NOT_LINKED:
                (self.folder / entry.name).symlink_to(entry)
        self._link_environment(self.folder / ".venv")
        system = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        self.environment = {
            "PATH": f"{programs}:{system}",
            "HOME": str(self.folder),
            "TMPDIR": tempfile.gettempdir(),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "COLUMNS": "100",
            "PYTHONUNBUFFERED": "1",
            MARK: os.environ.get(MARK, ""),
        }

    def _link_environment(self, folder: Path) -> None:
        """Link the installed environment; `make` takes it as up to date, and installs nothing."""
        folder.mkdir()
        for entry in Path(sys.prefix).iterdir():
            if not entry.name.startswith("."):
                (folder / entry.name).symlink_to(entry)
        for stamp in (".created", ".installed-run", ".installed-test", ".installed-dev"):
            (folder / stamp).touch()

    def run(self, command: ConsoleCommand) -> tuple[list[str], int]:
        """Run one command to its end, or in the background; returns its lines and exit code."""
        process = subprocess.Popen(
            ["bash", "-c", as_this_account(self.with_free_ports(command.text))],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        if command.background:
            self.background.append(BackgroundProcess(process, command, self.neutral))
            return [], 0
        try:
            output, _ = process.communicate(timeout=self.limit_s)
            code = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            return [*self.neutral(output), "[it did not end in time]"], -signal.SIGKILL
        return self.neutral(output), code

    def with_free_ports(self, text: str) -> str:
        """The text with the ports of this session in the place of those it names."""
        return PORT.sub(lambda found: self.ports.get(found[0], found[0]), text)

    def neutral(self, output: str) -> list[str]:
        """The lines of an output; the session's folder is the person's own, ports are as named."""
        for named, free in self.ports.items():
            output = re.sub(rf"\b{free}\b", named, output)
        return output.replace(str(self.folder), "~").rstrip().splitlines()

    def check(self, command: ConsoleCommand, place: str) -> list[str]:
        """Run a command and compare. Raises ExampleError; returns the lines."""
        lines, code = self.run(command)
        if command.background:
            return self._check_background(self.background[-1], place)
        shown = command.output
        got = [*lines, f"[exit {code}]"] if code else lines
        if shown is None:
            shown = (*lines, f"[exit {command.code}]") if command.code else tuple(lines)
        elif command.code:
            shown = (*shown, f"[exit {command.code}]")
        if code == command.code and (
            command.output is None or output_matches(command.output, lines)
        ):
            return lines
        raise ExampleError(f"{place}: $ {command.text}\n{difference(shown, got)}")

    def _check_background(self, started: BackgroundProcess, place: str) -> list[str]:
        shown = started.command.output
        if shown and not started.await_output(shown, self.limit_s):
            diff = difference(shown, started.lines())
            raise ExampleError(f"{place}: $ {started.command.text} &\n{diff}")
        return started.lines()

    def interrupt(self) -> int:
        """Press Ctrl-C for the newest background command; returns its exit code."""
        return self.background.pop().stop(signal.SIGINT)

    def __enter__(self) -> "ConsoleSession":
        return self

    def __exit__(self, *_error: object) -> None:
        self.end()

    def end(self) -> list[BackgroundProcess]:
        """End what runs in the background; returns those that had failed before."""
        failed = [one for one in self.background if one.process.poll() not in (None, 0)]
        for one in reversed(self.background):
            one.stop()
        self.background.clear()
        return failed


def as_this_account(text: str) -> str:
    """The command as it is for root, where a page shows it for an account of the table's own."""
    if os.geteuid():
        return text
    return re.sub(r"\bsmartshoe run (?!.*--as-root)", "smartshoe run --as-root ", text)


@contextmanager
def console_session(
    commands: Sequence[ConsoleCommand] = (), limit_s: float = LIMIT_S
) -> Iterator[ConsoleSession]:
    """A session for these commands; free TCP ports stand for the ports that they name."""
    named = {found[0] for one in commands if one.runs for found in PORT.finditer(one.text)}
    with (
        tempfile.TemporaryDirectory(prefix="e-", dir=memory_folder()) as base,
        ConsoleSession(Path(base), free_ports(named), limit_s) as session,
    ):
        yield session


def free_ports(named: Iterable[str]) -> dict[str, str]:
    """A free port for each of the named ports, so that pages can run beside each other."""
    with ExitStack() as stack:
        servers = {
            port: stack.enter_context(socket.create_server(("127.0.0.1", 0))) for port in named
        }
        return {port: str(server.getsockname()[1]) for port, server in servers.items()}
