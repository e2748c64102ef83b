"""Memory that cannot be had ends in a sentence: at the store, at a reader, at the verifier.

It is the C library that refuses: SQLite's own limit of its heap, and the limit of a process's
addresses. Not once is evidence called damaged because of it.
Source: sqlite.org, "PRAGMA hard_heap_limit"; setrlimit(2), RLIMIT_AS.
"""

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from controller.journal.store import Journal

# Each limit is that of a child that was made with all its modules.
CHILDREN = """
import json, os, sys
from pathlib import Path

def in_child(work, limit):
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(writing, 1)
        os.dup2(writing, 2)
        os._exit(work(limit))
    os.close(writing)
    with os.fdopen(reading) as said:
        text = said.read()
    return limit, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), text

def show(work, limits):
    print(json.dumps([in_child(work, limit) for limit in limits]))
"""
STORE = """
import sqlite3
from contextlib import closing
from controller.journal.store import Journal, JournalError, SavedState, open_read_only

def store(limit):
    stored = 0
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(f"PRAGMA hard_heap_limit={limit}")
    try:
        with Journal.open(Path(sys.argv[1], str(limit))) as journal:
            for number in range(20):
                state = SavedState.of(journal.head.seq + 3, 1, "1.0", bytes(20_000))
                journal.append([bytes(2000)] * 3, state)
                stored = journal.head.seq
        with open_read_only(Path(sys.argv[1], str(limit))) as reader:
            sum(1 for _ in reader.records())
    except JournalError as error:
        os.write(1, json.dumps([stored, str(error)]).encode())
        return 1
    os.write(1, json.dumps([stored, ""]).encode())
    return 0

show(store, map(int, sys.argv[2:]))
"""
# From what SQLite cannot open the file with to what it never asks for.
HEAPS = [kib * 1024 for kib in range(40, 640, 60)]


def outcomes(script: str, *words: object) -> list[tuple[int, int, str]]:
    """Limit, exit code and words of each child."""
    done = subprocess.run(
        [sys.executable, "-c", CHILDREN + script, *map(str, words)],
        check=True,
        capture_output=True,
        text=True,
    )
    found: list[tuple[int, int, str]] = json.loads(done.stdout)
    return found


def test_a_store_without_memory_acknowledges_nothing_more_and_says_why(fast_dir: Path) -> None:
    for heap in HEAPS:
        with Journal.open(fast_dir / str(heap)) as journal:
            journal.append([b"before"])
    sentences = set()
    for heap, code, text in outcomes(STORE, fast_dir, *HEAPS):
        stored, said = json.loads(text)
        assert code == 0 or ("there is not enough memory" in said and "Remedy: " in said), heap
        sentences.add(said.partition(": ")[2].partition(" (")[0])
        with Journal.open(fast_dir / str(heap)) as journal:
            assert journal.head.seq >= stored
            assert journal.verify_all() is None
    # It was refused at different calls, and at some size nothing was refused any more.
    assert {"", "cannot store: there is not enough memory"} <= sentences


VERIFY = """
import resource
import cryptography.hazmat.primitives.asymmetric.ec
import cryptography.hazmat.primitives.asymmetric.ed25519
import cryptography.hazmat.primitives.hashes
from controller.journal import verify
size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()

def check(room):
    resource.setrlimit(resource.RLIMIT_AS, (size + room, size + room))
    sys.argv = ["verify.py", sys.argv[1]]
    return verify.main()

show(check, [0, *(1 << power for power in range(18, 28))])
"""


@pytest.fixture
def shoes(sealed_journal) -> Path:
    """Intact evidence: sealed shoes, a log, a live part."""
    folder: Path = sealed_journal(2)
    return folder


def test_a_verifier_without_memory_calls_nothing_damaged(shoes: Path) -> None:
    found = outcomes(VERIFY, shoes)
    # What `cryptography` is written in ends a process without a byte left, with words of its own.
    ended = [(code, text) for _, code, text in found if "memory allocation of" not in text]
    for code, text in ended:
        assert (code, text.partition(":")[0]) in ((0, "intact"), (2, "cannot read")), text
        # Its own words, or the system's for a thread or a file that it needs.
        said = ("there is not enough memory", os.strerror(errno.ENOMEM))
        assert code == 0 or any(one in text for one in said), text
    assert {code for code, _ in ended} == {0, 2}, "with less it says so, with enough it is intact"
    assert {code for _, code, _ in found} <= {0, 2, -signal.SIGABRT}, found
