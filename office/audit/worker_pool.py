"""Works on pieces in several processes and returns the results in the order of the pieces.

Source: Python documentation, multiprocessing.
"""

import gc
import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Final, Generic, Protocol, TypeAlias, TypeVar

from msgspec import Struct, field

from controller.system.command_line.errors import CommandError

# Two pieces per worker, so that none waits for the next; more waiting results in all, so that a
# slow worker does not hold up the others.
_PIECES_EACH: Final = 2
_WAITING_EACH: Final = 16
_ENDING_S: Final = 5.0


class WorkPiece(Protocol):
    """A piece of work; an error names its path."""

    @property
    def path(self) -> Path: ...


PieceT = TypeVar("PieceT", bound=WorkPiece)
ResultT = TypeVar("ResultT")
NewWork: TypeAlias = Callable[[], Callable[[PieceT], ResultT]]
"""Called once in each process: what works on one piece after the other."""


class WorkerLost(CommandError):
    """A process ended unexpectedly; the message names the piece it worked on."""


@contextmanager
def worker_pool(
    jobs: int, new_work: NewWork[PieceT, ResultT]
) -> Iterator["WorkerPool[PieceT, ResultT]"]:
    """Workers for the duration of the block. With one job this process does the work itself."""
    # Objects loaded by now stay in use: the garbage collector need not scan them again and again.
    gc.freeze()
    with _without_interrupts():
        workers: list[_Worker[PieceT, ResultT]] = _start_workers(jobs, new_work) if jobs > 1 else []
    whole = False
    try:
        yield WorkerPool(workers, new_work())
        whole = True
    finally:
        for worker in workers:
            worker.end(at_once=not whole)
        gc.unfreeze()


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Block SIGINT: Ctrl-C reaches every process of a terminal, but only this one handles it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Worker(Struct, Generic[PieceT, ResultT]):
    process: BaseProcess
    line: Connection
    pieces: deque[tuple[int, PieceT]] = field(default_factory=deque)

    def give(self, number: int, piece: PieceT) -> None:
        self.pieces.append((number, piece))
        self.line.send(piece)

    def take(self) -> tuple[int, tuple[PieceT, ResultT]]:
        """Raises WorkerLost."""
        number, piece = self.pieces.popleft()
        try:
            return number, (piece, self.line.recv())
        except (EOFError, OSError) as error:
            raise WorkerLost(
                f"{piece.path}: the process that read this ended unexpectedly; the lines above"
                " may be its output. Remedy: name this path alone, with --jobs 1"
            ) from error

    def end(self, *, at_once: bool) -> None:
        if at_once:
            self.process.terminate()
        else:
            with suppress(OSError):
                self.line.send(None)
        self.process.join(_ENDING_S)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.line.close()


def _start_workers(jobs: int, new_work: NewWork[PieceT, ResultT]) -> list[_Worker[PieceT, ResultT]]:
    """Fork the workers, so that modules are loaded only once."""
    context = multiprocessing.get_context("fork")
    workers: list[_Worker[PieceT, ResultT]] = []
    for number in range(jobs):
        own_end, worker_end = context.Pipe()
        others = [worker.line for worker in workers]
        process = context.Process(
            target=_work,
            args=(worker_end, (*others, own_end), new_work),
            name=f"worker-{number}",
            daemon=True,
        )
        process.start()
        worker_end.close()
        workers.append(_Worker(process, own_end))
    return workers


def _work(
    line: Connection, inherited: tuple[Connection, ...], new_work: NewWork[PieceT, ResultT]
) -> None:
    """The main function of a worker process."""
    for other in inherited:
        other.close()
    work = new_work()
    with suppress(EOFError, OSError):  # the parent process is gone
        while (piece := line.recv()) is not None:
            line.send(work(piece))


class WorkerPool(Struct, Generic[PieceT, ResultT]):
    """The workers; without any, this process works by itself."""

    workers: list[_Worker[PieceT, ResultT]]
    alone: Callable[[PieceT], ResultT]

    def reports(self, pieces: Iterable[PieceT]) -> Iterator[tuple[PieceT, ResultT]]:
        """Each piece with its result, in the order of the pieces. Raises WorkerLost."""
        if not self.workers:
            for piece in pieces:
                yield piece, self.alone(piece)
            return
        coming = enumerate(pieces)
        waiting: dict[int, tuple[PieceT, ResultT]] = {}
        due, given, more = 0, 0, True
        while more or given > due:
            while more and given - due < _WAITING_EACH * len(self.workers):
                free = min(self.workers, key=lambda one: len(one.pieces))
                if len(free.pieces) >= _PIECES_EACH:
                    break
                found = next(coming, None)
                if found is None:
                    more = False
                else:
                    free.give(*found)
                    given += 1
            for worker in self._ready_workers(blocking=due not in waiting and given > due):
                number, done = worker.take()
                waiting[number] = done
            while due in waiting:
                yield waiting.pop(due)
                due += 1

    def _ready_workers(self, *, blocking: bool) -> list[_Worker[PieceT, ResultT]]:
        """The workers that have a result to receive."""
        busy = {worker.line: worker for worker in self.workers if worker.pieces}
        ready = wait(list(busy), timeout=None if blocking else 0) if busy else []
        return [worker for line, worker in busy.items() if line in ready]
