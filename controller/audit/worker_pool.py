"""Pieces audited by several processes, given back in their order.

Responsible for: starting the processes, giving each the next pieces, and ending them, also where
the audit is broken off.
Not responsible for: the pieces (walk) and what is done with one (piece_audit).
Source: package README, "Audit"; Python documentation, multiprocessing.
"""

import gc
import multiprocessing
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Final

from controller.audit.discovery import Piece
from controller.audit.findings import PieceReport
from controller.audit.piece import PieceAudit
from controller.audit.shoe import AuditSettings

# Two each, so that none waits for the next; more together, so that a slow one holds up nobody.
_PIECES_EACH: Final = 2
_WAITING_EACH: Final = 16
_ENDING_S: Final = 5.0

Done = tuple[Piece, PieceReport]


class WorkerLost(Exception):
    """A process of the audit ended on its own; the message says over what."""


@contextmanager
def crew(jobs: int, settings: AuditSettings) -> Iterator["Crew"]:
    """Workers for the time of the block. With one job this process does the work itself."""
    # What is loaded by now stays: looking for what could go among it again and again costs time.
    gc.freeze()
    with _without_interrupts():
        workers = _started(jobs, settings) if jobs > 1 else []
    whole = False
    try:
        yield Crew(workers, PieceAudit(settings))
        whole = True
    finally:
        for worker in workers:
            worker.end(at_once=not whole)
        gc.unfreeze()


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Ctrl-C reaches every process of a terminal: the workers leave it to this one."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    line: Connection
    pieces: deque[tuple[int, Piece]] = field(default_factory=deque)

    def give(self, number: int, piece: Piece) -> None:
        self.pieces.append((number, piece))
        self.line.send(piece)

    def take(self) -> tuple[int, Done]:
        """Raises WorkerLost."""
        number, piece = self.pieces.popleft()
        try:
            return number, (piece, self.line.recv())
        except (EOFError, OSError) as error:
            raise WorkerLost(
                f"{piece.path}: the process that audited this ended on its own; what stands above"
                " this line may be its words. Audit it alone with --jobs 1"
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


def _started(jobs: int, settings: AuditSettings) -> list[_Worker]:
    """Forked, so that what is loaded is loaded once."""
    context = multiprocessing.get_context("fork")
    workers: list[_Worker] = []
    for number in range(jobs):
        ours, theirs = context.Pipe()
        others = [worker.line for worker in workers]
        process = context.Process(
            target=_work,
            args=(theirs, (*others, ours), settings),
            name=f"audit-{number}",
            daemon=True,
        )
        process.start()
        theirs.close()
        workers.append(_Worker(process, ours))
    return workers


def _work(line: Connection, not_ours: tuple[Connection, ...], settings: AuditSettings) -> None:
    """The life of a worker."""
    for other in not_ours:
        other.close()
    audit = PieceAudit(settings)
    with suppress(EOFError, OSError):  # whoever asked is gone
        while (piece := line.recv()) is not None:
            line.send(audit.audit(piece))


@dataclass(slots=True)
class Crew:
    """Several workers, or none and this process alone."""

    workers: list[_Worker]
    alone: PieceAudit

    def reports(self, pieces: Iterable[Piece]) -> Iterator[Done]:
        """Each piece with what it came to, in their order. Raises WorkerLost."""
        if not self.workers:
            for piece in pieces:
                yield piece, self.alone.audit(piece)
            return
        coming = enumerate(pieces)
        waiting: dict[int, Done] = {}
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
            for worker in self._heard(blocking=due not in waiting and given > due):
                number, done = worker.take()
                waiting[number] = done
            while due in waiting:
                yield waiting.pop(due)
                due += 1

    def _heard(self, *, blocking: bool) -> list[_Worker]:
        busy = {worker.line: worker for worker in self.workers if worker.pieces}
        ready = wait(list(busy), timeout=None if blocking else 0) if busy else []
        return [worker for line, worker in busy.items() if line in ready]
