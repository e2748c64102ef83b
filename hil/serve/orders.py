"""Orders on standard input, events on standard output, and the ways a serving process ends.

Source: signal(7), credentials(7).
"""

import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread
from typing import Final, TextIO

from controller.system.command_line.standard_output import OutputFailed

STOP_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
BACKGROUND_POLL_S: Final = 0.5
INPUT_ENDED: Final = "standard input has ended, so this ends; keep it open to go on"


def emit(event: str, **facts: object) -> None:
    """Print an event as one JSON line on stdout."""
    sys.stdout.write(json.dumps({"event": event, **facts}, sort_keys=True) + "\n")
    sys.stdout.flush()


def remark(words: str) -> None:
    """Print a sentence for people on stderr."""
    print(words, file=sys.stderr, flush=True)


def block_stop_signals() -> None:
    """Call before any thread starts: then only the thread that waits for signals gets them."""
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    # A shell's background job is not to be stopped because it looks for orders.
    signal.signal(signal.SIGTTIN, signal.SIG_IGN)


def start_reading(orders: TextIO | None, execute: Callable[[str], None], end: Event) -> None:
    """Execute the lines of `orders`; set `end` when they end, when one fails, or on a signal."""

    def read() -> None:
        # Nobody reads what is printed any more: so nobody gives orders.
        with suppress(BrokenPipeError, OutputFailed):
            while orders is not None and (line := _next_line(orders)):
                execute(line.strip())
            if not end.is_set():
                remark(INPUT_ENDED)
        end.set()

    def await_signal() -> None:
        signal.sigwait(STOP_SIGNALS)
        end.set()

    if orders is not None:
        Thread(target=read, name="orders", daemon=True).start()
    Thread(target=await_signal, name="signals", daemon=True).start()


def _next_line(orders: TextIO) -> str:
    """The next line; empty at the end. In a terminal's background it waits for the foreground."""
    while True:
        try:
            return orders.readline()
        except OSError:
            if not _in_background(orders):
                return ""
            Event().wait(BACKGROUND_POLL_S)


def _in_background(orders: TextIO) -> bool:
    try:
        return os.tcgetpgrp(orders.fileno()) != os.getpgrp()
    except OSError:
        return False
