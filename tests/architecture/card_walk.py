"""Prints what one card passes in the running program: files, functions, threads.

A card is read by a table on a line, several times over: the same card of a coup each time, so that
nothing is loaded for it. What runs for each of them counts, and so does what runs at any time. Two
runs print the same.

usage: .venv/bin/python tests/architecture/card_walk.py
"""

import json
import mmap
import os
import re
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Final, NoReturn

ROOT: Final = Path(__file__).resolve().parents[2]
PROGRAM: Final = tuple(f"{ROOT}/{one}/" for one in ("controller", "drivers", "firmware_bridge"))
COUPS: Final = 6
# Long enough for what runs once a second by itself, and for those that follow the table.
WATCHED_S: Final = 2.5
BETWEEN_S: Final = 0.2
WATCHED, RESULT = "watched", "walks.json"
CONFIG: Final = """\
[table]
name = "BENCH-1"

[rules]
decks = 8

[shoe]
port = "{port}"
reports_s_max = 0

[journal]
folder = "{folder}/journal"

[metrics]
port = 0

[console]
port = 0

[control]
socket = "{folder}/control.sock"
"""


# --- in the program -----------------------------------------------------------------------------


def run_watched(folder: Path, words: list[str]) -> int:
    """Run the program's command, and note what runs while the number in the file is not 0."""
    with (folder / WATCHED).open("r+b") as file:
        number = mmap.mmap(file.fileno(), 1)
    seen: set[tuple[int, str, CodeType]] = set()

    def note(frame: FrameType, event: str, _value: object) -> None:
        if number[0] and event == "call":
            seen.add((number[0], threading.current_thread().name, frame.f_code))

    threading.setprofile(note)
    sys.setprofile(note)
    leave = os._exit  # the program ends by it, past the handlers of atexit

    def write_and_leave(code: int) -> NoReturn:
        write_walks(folder / RESULT, seen)
        leave(code)

    os._exit = write_and_leave
    from controller.cli.main import main as run  # noqa: PLC0415 - all that it starts is watched

    sys.argv[1:] = words
    return run()


def write_walks(file: Path, seen: set[tuple[int, str, CodeType]]) -> None:
    threading.setprofile(None)
    sys.setprofile(None)
    rows = [
        (number, re.sub(r"\d+", "N", thread), code.co_filename, code.co_qualname)
        for number, thread, code in seen
        if code.co_filename.startswith(PROGRAM) and "<" not in code.co_qualname
    ]
    file.write_text(json.dumps(rows), encoding="utf-8")


# --- beside it ----------------------------------------------------------------------------------


def reports_of_coups() -> Iterator[tuple[bytes, bool]]:
    """The reports of a shoe, and whether each is Banker's first card of a coup."""
    # Not in the program, which loads them by itself or not at all.
    from controller.procedure.phases import Phase  # noqa: PLC0415
    from firmware_bridge.transport.clock import now  # noqa: PLC0415
    from firmware_bridge.transport.port import Chunk, PortOpened  # noqa: PLC0415
    from hil.bench.measure.fixtures import (  # noqa: PLC0415
        PORT,
        bench_core,
        deal_reports,
        started_input,
    )

    core = bench_core()
    state, _ = core.handle(core.initial(), started_input())
    state, _ = core.handle(state, PortOpened(PORT, now(), bytes(32)))
    for report in deal_reports(seed=1, coups_max=COUPS + 1):
        before = state.table.phase
        state, _ = core.handle(state, Chunk(PORT, now(), report.frame))
        yield report.frame, (before, state.table.phase) == (Phase.BANKER_1, Phase.PLAYER_2)


def walks(folder: Path) -> list[set[tuple[str, str, str]]]:
    """What ran for each of the cards: (thread, file, function)."""
    from hil.rig.program import Program  # noqa: PLC0415 - not in the program

    watched, config = folder / WATCHED, folder / "table.toml"
    watched.write_bytes(b"\0")
    command = (sys.executable, "-P", __file__, str(folder))
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = f"socket://127.0.0.1:{server.getsockname()[1]}"
        config.write_text(CONFIG.format(port=port, folder=folder), encoding="utf-8")
        with Program(config, folder / "run.log", command=command) as program:
            program.start()
            line, _ = server.accept()
            with line:
                numbers = deal(line, watched)
                program.stop()
    rows = json.loads((folder / RESULT).read_text("utf-8"))
    return [
        {(thread, file, name) for found, thread, file, name in rows if found == number}
        for number in numbers
    ]


def deal(line: socket.socket, watched: Path) -> list[int]:
    """Send the reports; the numbers of the cards that were watched, without the first."""
    count = 0
    for frame, counts in reports_of_coups():
        time.sleep(BETWEEN_S)
        count += counts
        if counts:
            write_number(watched, count)
        line.sendall(frame)
        if counts:
            time.sleep(WATCHED_S)
            write_number(watched, 0)
    return list(range(2, count + 1))


def write_number(watched: Path, number: int) -> None:
    with watched.open("r+b") as file:
        file.write(bytes((number,)))


def describe(always: set[tuple[str, str, str]]) -> str:
    """Counts, then each thread with its files and their functions."""
    files = {file for _, file, _ in always}
    functions = {(file, name) for _, file, name in always}
    threads = sorted({thread for thread, _, _ in always})
    lines = [
        f"a card enters {len(files)} files, {len(functions)} functions, {len(threads)} threads"
    ]
    for thread in threads:
        own = sorted({file for one, file, _ in always if one == thread})
        lines.append(f"{thread}: {len(own)} files")
        for file in own:
            names = sorted({name for one, place, name in always if (one, place) == (thread, file)})
            lines.append(f"  {Path(file).relative_to(ROOT)}: {' '.join(names)}")
    return "\n".join(lines)


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="smartshoe-") as folder:
        print(describe(set.intersection(*walks(Path(folder)))))
    return 0


if __name__ == "__main__":
    if sys.argv[2:3] == ["run"]:
        sys.exit(run_watched(Path(sys.argv[1]), sys.argv[2:]))
    sys.exit(main())
