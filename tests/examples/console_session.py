"""Types the examples of one page into one bash, in a fresh folder, and compares what they print."""

import difflib
import os
import re
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

from console_page import Example, ExampleError, statements
from program_path import link_programs
from shell import Shell, ShellEnded, ShellStalled

from hil.progress import wait_while_moving
from hil.run_guard import MARK, memory_folder

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ("smartshoe", "smartshoe-hil")
NOT_LINKED = frozenset({"journal", "build", "dist", "table.toml"})
# The folder of a page as a page shows it: that of a clone.
SHOWN_FOLDER = "/srv/smartshoe"
# Nothing moved for so long: no line, no processor time.
LIMIT_S = 100.0
END_S = 10.0
# Of a job for which the page itself has waited.
REAPED = 127
EXIT = re.compile(r"\[exit \d+\]")
# Bash's own remark on a job that has ended.
JOB_ENDED = re.compile(r"(bash: line \d+: +\d+|\[\d+\][+-]?) +(Terminated|Killed|Done|Exit) .*")
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
    """Whether the shown lines stand for the lines; a line `...` stands for any but exit codes."""
    expected, printed = split_at_exits(shown), split_at_exits(got)
    return len(expected) == len(printed) and all(
        code == other and lines_match(part, lines)
        for (part, code), (lines, other) in zip(expected, printed, strict=True)
    )


def split_at_exits(lines: Sequence[str]) -> list[tuple[list[str], str]]:
    """The lines up to each exit code, with it; those after the last with none."""
    parts: list[tuple[list[str], str]] = [([], "")]
    for line in lines:
        if EXIT.fullmatch(line):
            parts[-1] = (parts[-1][0], line)
            parts.append(([], ""))
        else:
            parts[-1][0].append(line)
    return parts


def lines_match(shown: Sequence[str], got: Sequence[str]) -> bool:
    """Whether lines without exit codes stand for others."""
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


class BackgroundJob:
    """A command that runs until its page ends; a thread reads what it prints."""

    def __init__(self, text: str, line: int, fifo: Path, neutral: Callable[[str], list[str]]):
        self.text, self.line, self.pid, self.group = text, line, 0, 0
        self._neutral, self._fifo = neutral, fifo
        self._lines: list[str] = []
        self._changed = threading.Condition()
        self._ended = False
        os.mkfifo(fifo)
        self._reader = threading.Thread(target=self._read, name="reader of a background command")
        self._reader.start()

    def _read(self) -> None:
        with self._fifo.open(encoding="utf-8", errors="replace") as printed:
            for line in printed:
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

    def await_output(self, is_shown: Callable[[list[str]], bool], limit_s: float) -> bool:
        """Wait until its lines are as wanted; False if it ends before, or stands still."""

        def is_over() -> bool:
            return self._ended or is_shown(self._lines)

        with self._changed:
            wait_while_moving(
                lambda wait_s: self._changed.wait_for(is_over, wait_s),
                limit_s,
                lambda: len(self._lines),
            )
            return is_shown(self._lines)

    def await_silence(self) -> None:
        """Wait until it prints nothing more for a while."""
        with self._changed:
            wait_while_moving(
                lambda wait_s: self._changed.wait_for(lambda: self._ended, wait_s),
                QUIET_S,
                lambda: len(self._lines),
            )

    def stop(self, shell: Shell, number: signal.Signals = signal.SIGTERM) -> int:
        """End it, its children too; returns its exit code."""
        code = -signal.SIGKILL
        for ending in (number, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.killpg(self.group, ending)
            with suppress(ShellStalled, ShellEnded):
                code = shell.run(f"wait {self.pid}", END_S)
                break
        with suppress(ProcessLookupError):
            os.killpg(self.group, signal.SIGKILL)
        self._reader.join()
        return code


class ConsoleSession:
    """One fresh folder with the repository's top-level entries as links, and one bash in it.

    `account` is put before bash, to run it as another account; `needs` are those of the page.
    """

    def __init__(
        self,
        base: Path,
        ports: Mapping[str, str],
        limit_s: float = LIMIT_S,
        account: Sequence[str] = (),
        needs: Sequence[str] = (),
    ) -> None:
        self.folder, self.limit_s = base / "page", limit_s
        self.ports = dict(ports)
        self.background: list[BackgroundJob] = []
        self._outputs = base / "outputs"
        self._count = 0
        self._outputs.mkdir()
        programs = base / "bin"
        programs.mkdir()
        self.folder.mkdir()
        for program in PROGRAMS:
            (programs / program).symlink_to(Path(sys.executable).with_name(program))
        for entry in ROOT.iterdir():
            if not entry.name.startswith(".") and entry.name not in NOT_LINKED:
                (self.folder / entry.name).symlink_to(entry)
        self._link_environment(self.folder / ".venv")
        self.environment = {
            "PATH": search_path(programs, needs),
            "HOME": str(self.folder),
            "TMPDIR": tempfile.gettempdir(),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "COLUMNS": "100",
            "PYTHONUNBUFFERED": "1",
            # A token of the reader's stands ready without a file in the page's folder.
            "SOFTHSM2_CONF": str(self._softhsm(base)),
            MARK: os.environ.get(MARK, ""),
        }
        self.shell = Shell(self.folder, self.environment, account)

    @staticmethod
    def _softhsm(base: Path) -> Path:
        (base / "tokens").mkdir()
        settings = base / "softhsm2.conf"
        settings.write_text(f"directories.tokendir = {base / 'tokens'}\n")
        return settings

    def _link_environment(self, folder: Path) -> None:
        """Link the installed environment; `make` takes it as up to date, and installs nothing."""
        folder.mkdir()
        for entry in Path(sys.prefix).iterdir():
            if not entry.name.startswith("."):
                (folder / entry.name).symlink_to(entry)
        for stamp in (".created", ".installed-run", ".installed-test", ".installed-dev"):
            (folder / stamp).touch()

    def run(self, example: Example) -> list[str]:
        """Type it; returns what it prints, with the exit code of each command that failed.

        A command in the background has begun: what it prints is in `background`.
        """
        lines: list[str] = []
        for text in statements(example.text):
            typed = self.with_free_ports(text)
            self._count += 1
            output = self._outputs / str(self._count)
            if typed.endswith(" &"):
                job = BackgroundJob(text, example.line, output, self.neutral)
                self.background.append(job)
                self.shell.run(typed, self.limit_s, output)
                job.pid = self.shell.last_job
                job.group = self.shell.group_of(job.pid)
                continue
            try:
                code = self.shell.run(typed, self.limit_s, output)
                ended = f"[exit {code}]" if code else ""
            except ShellStalled:
                ended = "[it did not end]"
            except ShellEnded:
                ended = "[the shell ended]"
            lines += self.neutral(output.read_text("utf-8", "replace") if output.exists() else "")
            lines += [ended] if ended else []
            if ended.startswith(("[it", "[the")):
                break
        return lines

    def with_free_ports(self, text: str) -> str:
        """The text with the ports of this session in the place of those it names."""
        return PORT.sub(lambda found: self.ports.get(found[0], found[0]), text)

    def neutral(self, output: str) -> list[str]:
        """The lines of an output; the session's folder is a clone's, ports are as named."""
        for named, free in self.ports.items():
            output = re.sub(rf"\b{free}\b", named, output)
        lines = output.replace(str(self.folder), SHOWN_FOLDER).rstrip().splitlines()
        return [line for line in lines if not JOB_ENDED.fullmatch(line)]

    def check(self, example: Example, place: str) -> list[str]:
        """Type an example and compare. Raises ExampleError; returns the lines.

        Of a command in the background what is shown is awaited; of a hidden one that it is ready.
        """
        before = len(self.background)
        lines = self.run(example)
        began = self.background[before:]
        shown = example.output
        if shown is None and not any(EXIT.fullmatch(line) for line in lines):
            for job in began:
                if not job.await_output(is_ready, self.limit_s):
                    printed = "\n".join(job.lines())
                    raise ExampleError(f"{place}: {job.text}\nis not ready:\n{printed}")
            return lines
        if shown is not None and not began and output_matches(shown, lines):
            return lines
        if shown is not None and began:
            return self._check_background(began[-1], lines, shown, f"{place}: {example.text}")
        raise ExampleError(f"{place}: {example.text}\n{difference(shown or (), lines)}")

    def _check_background(
        self, job: BackgroundJob, before: list[str], shown: Sequence[str], place: str
    ) -> list[str]:
        """Compare what is printed before it began, and then by it, as far as it is shown."""
        if (shown or before) and not job.await_output(
            partial(begins_as_shown, shown, before), self.limit_s
        ):
            raise ExampleError(f"{place}\n{difference(shown, [*before, *job.lines()])}")
        return [*before, *job.lines()]

    def interrupt(self) -> int:
        """Press Ctrl-C for the newest background command; returns its exit code."""
        return self.background.pop().stop(self.shell, signal.SIGINT)

    def __enter__(self) -> "ConsoleSession":
        return self

    def __exit__(self, *_error: object) -> None:
        self.end()
        self.shell.close()

    def end(self) -> list[tuple[BackgroundJob, int]]:
        """End what runs in the background; returns those that had failed before, with their code.

        One that the page itself has ended has not failed.
        """
        failed = []
        for job in reversed(self.background):
            ended = not self.shell.has(job.pid)
            code = job.stop(self.shell)
            if ended and code not in (0, REAPED, 128 + signal.SIGTERM, 128 + signal.SIGINT):
                failed.append((job, code))
        self.background.clear()
        return failed


def begins_as_shown(shown: Sequence[str], before: list[str], lines: list[str]) -> bool:
    """Whether what came before and what a job printed until now begins with what is shown."""
    return output_matches((*shown, "..."), [*before, *lines])


def is_ready(lines: list[str]) -> bool:
    """Whether a device of the bench has said that it is there."""
    return any('"ready"' in line for line in lines)


def search_path(programs: Path, needs: Sequence[str]) -> str:
    """Where the shell of a page looks for programs: ours, and those that are declared."""
    return f"{programs}:{link_programs(programs.with_name('declared'), needs)}"


@contextmanager
def console_session(
    examples: Sequence[Example] = (),
    limit_s: float = LIMIT_S,
    account: Sequence[str] = (),
    needs: Sequence[str] = (),
) -> Iterator[ConsoleSession]:
    """A session for these examples; free TCP ports stand for the ports that they name.

    `needs`: what is on its path beside what every Debian has.
    """
    named = {found[0] for one in examples if one.runs for found in PORT.finditer(one.text)}
    with (
        tempfile.TemporaryDirectory(prefix="e-", dir=memory_folder()) as base,
        ConsoleSession(Path(base), free_ports(named), limit_s, account, needs) as session,
    ):
        yield session


def free_ports(named: Iterable[str]) -> dict[str, str]:
    """A free port for each of the named ports, so that pages can run beside each other."""
    with ExitStack() as stack:
        servers = {
            port: stack.enter_context(socket.create_server(("127.0.0.1", 0))) for port in named
        }
        return {port: str(server.getsockname()[1]) for port, server in servers.items()}
