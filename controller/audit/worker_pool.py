"""Audits pieces in several processes and returns the results in the order of the pieces.

Source: controller/audit/README.md, "Audit"; Python documentation, multiprocessing.
"""

import gc
import multiprocessing
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Final

from msgspec import Struct, field

from controller.audit.discovery import Piece
from controller.audit.findings import PieceReport
from controller.audit.piece import PieceAudit
from controller.audit.shoe import AuditSettings

# Two pieces per worker, so that none waits for the next; more waiting results in all, so that a
# slow worker does not hold up the others.
_PIECES_EACH: Final = 2
_WAITING_EACH: Final = 16
_ENDING_S: Final = 5.0

PieceResult = tuple[Piece, PieceReport]


class WorkerLost(Exception):
    """A process of the audit ended unexpectedly; the message names the piece it worked on."""


@contextmanager
def worker_pool(jobs: int, settings: AuditSettings) -> Iterator["WorkerPool"]:
    """Workers for the duration of the block. With one job this process does the work itself."""
    # Objects loaded by now stay in use: the garbage collector need not scan them again and again.
    gc.freeze()
    with _without_interrupts():
        workers = _start_workers(jobs, settings) if jobs > 1 else []
    whole = False
    try:
        yield WorkerPool(workers, PieceAudit(settings))
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


class _Worker(Struct):
    process: BaseProcess
    line: Connection
    pieces: deque[tuple[int, Piece]] = field(default_factory=deque)

    def give(self, number: int, piece: Piece) -> None:
        self.pieces.append((number, piece))
        self.line.send(piece)

    def take(self) -> tuple[int, PieceResult]:
        """Raises WorkerLost."""
        number, piece = self.pieces.popleft()
        try:
            return number, (piece, self.line.recv())
        except (EOFError, OSError) as error:
            raise WorkerLost(
                f"{piece.path}: the process that audited this ended unexpectedly; the lines above"
                " may be its output. Remedy: audit this path alone with --jobs 1"
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


def _start_workers(jobs: int, settings: AuditSettings) -> list[_Worker]:
    """Fork the workers, so that modules are loaded only once."""
    context = multiprocessing.get_context("fork")
    workers: list[_Worker] = []
    for number in range(jobs):
        own_end, worker_end = context.Pipe()
        others = [worker.line for worker in workers]
        process = context.Process(
            target=_work,
            args=(worker_end, (*others, own_end), settings),
            name=f"audit-{number}",
            daemon=True,
        )
        process.start()
        worker_end.close()
        workers.append(_Worker(process, own_end))
    return workers


def _work(line: Connection, inherited: tuple[Connection, ...], settings: AuditSettings) -> None:
    """The main function of a worker process."""
    for other in inherited:
        other.close()
    audit = PieceAudit(settings)
    with suppress(EOFError, OSError):  # the parent process is gone
        while (piece := line.recv()) is not None:
            line.send(audit.audit(piece))


class WorkerPool(Struct):
    """The workers; without any, this process audits by itself."""

    workers: list[_Worker]
    alone: PieceAudit

    def reports(self, pieces: Iterable[Piece]) -> Iterator[PieceResult]:
        """Each piece with its report, in the order of the pieces. Raises WorkerLost."""
        if not self.workers:
            for piece in pieces:
                yield piece, self.alone.audit(piece)
            return
        coming = enumerate(pieces)
        waiting: dict[int, PieceResult] = {}
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

    def _ready_workers(self, *, blocking: bool) -> list[_Worker]:
        """The workers that have a result to receive."""
        busy = {worker.line: worker for worker in self.workers if worker.pieces}
        ready = wait(list(busy), timeout=None if blocking else 0) if busy else []
        return [worker for line, worker in busy.items() if line in ready]
