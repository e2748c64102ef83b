"""Standard output that states its own failure, and standard error that has none.

A full disk, a closed pipe, a closed descriptor: on standard output an error with its exit code; on
standard error nothing can be reported, and the exit code stays that of the command.
"""

import io
import os
import sys
from typing import Final

_STDOUT: Final = 1
_STDERR: Final = 2


class OutputFailed(Exception):
    """Standard output cannot be written. Not an OSError: libraries keep those to themselves."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"standard output: {error.strerror or error}")
        self.pipe_closed = isinstance(error, BrokenPipeError)


class _Descriptor(io.FileIO):
    """A descriptor that fails once, with OutputFailed, and discards what is written after that."""

    _failed = False

    def write(self, data: object, /) -> int:
        size = memoryview(data).nbytes  # type: ignore[arg-type]
        if self._failed:
            return size
        try:
            return super().write(data)  # type: ignore[arg-type]
        except OSError as error:
            self._failed = True
            raise OutputFailed(error) from error


class _LossyDescriptor(io.FileIO):
    """A descriptor that discards what cannot be written."""

    def write(self, data: object, /) -> int:
        try:
            return super().write(data)  # type: ignore[arg-type]
        except OSError:
            return memoryview(data).nbytes  # type: ignore[arg-type]


def install_standard_streams() -> None:
    """Replace sys.stdout by one that raises OutputFailed, sys.stderr by one that never fails."""
    _install_standard_output()
    if sys.stderr is not None:
        sys.stderr = io.TextIOWrapper(
            io.BufferedWriter(_LossyDescriptor(_STDERR, "wb", closefd=False)),
            encoding=sys.stderr.encoding,
            errors=sys.stderr.errors,
            line_buffering=True,
        )


def _install_standard_output() -> None:
    old = sys.stdout
    if old is None:
        # Nobody passed a standard output: a descriptor that cannot be written fails at the first.
        number = os.open(os.devnull, os.O_RDONLY)
        old = io.TextIOWrapper(io.BytesIO(), "utf-8")
    else:
        number = _STDOUT
    raw = _Descriptor(number, "wb", closefd=False)
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=old.encoding,
        errors=old.errors,
        line_buffering=bool(old.line_buffering),
    )


def flush_standard_output() -> None:
    """Write what is buffered, where there is a standard output. Raises OutputFailed."""
    if sys.stdout is not None:
        sys.stdout.flush()
