"""One bash into which commands are typed, one after the other, as a person types them.

Not responsible for what is printed: each command's output goes where the caller names it.
Source: bash(1), "Job Control"; proc(5), /proc/PID/stat.
"""

import os
import select
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from pathlib import Path
from typing import Final

from hil.progress import wait_while_moving

# Reads where the output goes and what is typed, runs it, and answers with exit code and newest job.
# Jobs have process groups of their own, as in a shell with a terminal; `$?` is that of the command
# before. Commands do not get the two descriptors.
READER: Final = """
set -m
while IFS= read -r -d '' __output <&{asked} && IFS= read -r -d '' __typed <&{asked}; do
  exec >>"$__output" 2>&1
  (exit "${{__code:-0}}")
  eval "$__typed" {asked}<&- {answered}>&-
  __code=$?
  exec >/dev/null 2>&1
  printf '%s %s\\0' "$__code" "${{!-}}" >&{answered}
done
"""
POLL_S: Final = 0.25
_GROUP, _SESSION = 2, 3  # of /proc/PID/stat, after the name


class ShellEnded(Exception):
    """The shell is no more: a command ended it."""


class ShellStalled(Exception):
    """A command does not end, prints nothing and computes nothing."""


class Shell:
    """A running bash. `account`: the words before `bash` that make it another account's."""

    def __init__(
        self, folder: Path, environment: Mapping[str, str], account: Sequence[str] = ()
    ) -> None:
        asked, self._ask = os.pipe()
        self._answers, answered = os.pipe()
        self.last_job = 0
        # Their process groups: they are left where the command that is awaited is ended.
        self._jobs: set[int] = set()
        self._owed = 0  # answers to commands that were given up
        reader = READER.format(asked=asked, answered=answered)
        self._process = subprocess.Popen(
            [*account, "bash", "--noprofile", "--norc", "-c", reader, "bash"],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(asked, answered),
            start_new_session=True,
        )
        os.close(asked)
        os.close(answered)

    def run(self, text: str, limit_s: float, output: Path = Path(os.devnull)) -> int:
        """Type it, and wait until it has ended; returns its exit code.

        Raises ShellStalled if nothing moves for so long, ShellEnded.
        """
        try:
            os.write(self._ask, f"{output}\0{text}\0".encode())
        except BrokenPipeError:
            raise ShellEnded from None
        self._owed += 1
        while self._owed:
            code, _, job = self._answer(limit_s, output).decode().partition(" ")
            self._owed -= 1
        if int(job or 0) != self.last_job:
            self.last_job = int(job)
            self._jobs.add(self.group_of(self.last_job))
        return int(code)

    def _answer(self, limit_s: float, output: Path) -> bytes:
        answer = b""
        while not answer.endswith(b"\0"):
            self._await_answer(limit_s, output)
            got = os.read(self._answers, 1)
            if not got:
                raise ShellEnded
            answer += got
        return answer.rstrip(b"\0")

    @staticmethod
    def group_of(job: int) -> int:
        """The process group of a job, by its last process: in a pipeline it is the first's."""
        try:
            return os.getpgid(job)
        except ProcessLookupError:
            return job

    def _await_answer(self, limit_s: float, output: Path) -> None:
        def has_come(wait_s: float) -> bool:
            return bool(select.select([self._answers], [], [], wait_s)[0])

        def printed() -> int:
            return output.stat().st_size if output.is_file() else 0

        if not wait_while_moving(has_come, limit_s, printed, lambda: self._jobs):
            self._end_all(but=self._jobs | {self._process.pid})
            raise ShellStalled

    def has(self, pid: int) -> bool:
        """Whether a job of the shell runs."""
        try:
            return self.run(f"kill -0 {pid}", POLL_S * 40) == 0
        except (ShellEnded, ShellStalled):
            return True

    def _processes(self) -> Iterator[tuple[int, int]]:
        """The processes of its session, each with its group."""
        for folder in Path("/proc").iterdir():
            if not folder.name.isdigit():
                continue
            with suppress(OSError):
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                if int(fields[_SESSION]) == self._process.pid:
                    yield int(folder.name), int(fields[_GROUP])

    def _end_all(self, but: Set[int]) -> None:
        for pid, group in self._processes():
            if group not in but:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def close(self) -> None:
        """End it, and whatever it has started."""
        os.close(self._ask)
        os.close(self._answers)
        self._end_all(but=frozenset())
        self._process.wait()
