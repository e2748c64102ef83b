"""The drop-in for several tables of one process: as many as it names stay within its limits.

Source: deploy/smartshoe-tables.conf; systemd.resource-control(5), MemoryMax, TasksMax; proc(5).
"""

import contextlib
import re
import socket
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.outlets.control.server import CONNECTIONS_MAX
from hil.gate.machine import DEPLOY
from hil.progress import poll_until
from hil.rig.program import Program
from hil.rig.shoe_runner import Pace
from hil.rig.tables.table_folder import TableFolder
from hil.rig.tables.table_shoe import TableShoe

DROP_IN = (DEPLOY / "smartshoe-tables.conf").read_text(encoding="utf-8")
MIB = 1 << 20
# A streamed page, the display for patrons, and a page that is loaded meanwhile: a server has at
# most 64 connections.
STREAMS = ("events", "patrons/events")
COUPS = 2
# Screens that follow a table by its socket: each costs a snapshot at each change.
FOLLOWERS = 2
# Two cards a second at each table.
PACE = Pace.uniform(500_000_000)


def number(pattern: str) -> int:
    found = re.search(pattern, DROP_IN)
    assert found is not None, pattern
    return int(found[1])


TABLES = number(r"For at most (\d+) tables")
TASKS_MAX, MEMORY_MAX = number(r"TasksMax=(\d+)"), number(r"MemoryMax=(\d+)M") * MIB
PROGRAM_TASKS = number(r"up to (\d+) tasks and")
PROGRAM_MEMORY = number(r"tasks and (\d+)M, each") * MIB
TABLE_TASKS, TABLE_MEMORY = number(r"each table (\d+) \("), number(r"socket\) and (\d+)M") * MIB


class Tables:
    """Tables of one process with page, metrics and a feed whose broker is away."""

    def __init__(self, root: Path, ports: dict[str, str]) -> None:
        self.folder = TableFolder(root)
        with socket.create_server(("127.0.0.1", 0)) as found:
            self.page: int = found.getsockname()[1]
        for name, port in ports.items():
            self.folder.add(name, port, more=self._more(name))
        self.program = Program(self.folder.configs, self.folder.log)
        self._stack = contextlib.ExitStack()

    def _more(self, name: str) -> str:
        return (
            f"[console]\nport = {self.page}\n"
            f'[[feed]]\nname = "office"\nhost = "127.0.0.1"\nport = 1\ntopic = "{name}"\n'
            "tls = false\n"
        )

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        with self.program, self._stack:
            self.program.start()
            yield
            self._stack.close()
            self.program.stop()

    def status(self, name: str) -> int:
        """A number of the kernel's about the program: `Threads`, or `VmHWM` in KiB."""
        text = Path(f"/proc/{self.program.pid}/status").read_text(encoding="utf-8")
        found = re.search(rf"{name}:\s+(\d+)", text)
        assert found is not None
        return int(found[1])

    def hold(self, name: str, connections: int, streams: tuple[str, ...] = STREAMS) -> None:
        """Follow a table by its socket and its page, from addresses of its own; all is read."""
        for _ in range(connections):
            follower = socket.socket(socket.AF_UNIX)
            follower.connect(str(self.folder.folder_of(name) / "control.sock"))
            self._read(follower, b'{"request": "subscribe"}\n')
        for stream in streams:
            host = f"127.0.0.1:{self.page}"
            browser = socket.create_connection(
                ("127.0.0.1", self.page), source_address=(f"127.1.0.{self._address(name)}", 0)
            )
            self._read(
                browser, f"GET /tables/{name}/{stream} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
            )

    def _read(self, connection: socket.socket, request: bytes) -> None:
        connection.sendall(request)
        assert connection.recv(1)

        def read() -> None:
            with contextlib.suppress(OSError):
                while connection.recv(65536):
                    pass

        thread = threading.Thread(target=read)
        thread.start()
        self._stack.callback(connection.close)
        self._stack.callback(thread.join)
        self._stack.callback(connection.shutdown, socket.SHUT_RDWR)

    def look(self, name: str) -> None:
        """Load page and metrics once."""
        page = f"http://127.0.0.1:{self.page}/tables/{name}/"
        for url in (page, f"{self.folder.metrics_url}/metrics/{name}"):
            with urllib.request.urlopen(url) as answer:
                assert answer.read()

    @staticmethod
    def _address(name: str) -> int:
        return int(name[1:])


def test_the_drop_in_has_the_largest_number_that_its_limits_hold() -> None:
    tasks = (TASKS_MAX - PROGRAM_TASKS) // TABLE_TASKS
    memory = (MEMORY_MAX - PROGRAM_MEMORY) // TABLE_MEMORY
    assert min(tasks, memory) >= TABLES >= 16
    assert TABLES in (tasks, memory)


def test_a_further_table_and_a_connection_take_no_more_than_the_drop_in_says(
    fast_dir: Path,
) -> None:
    tables = Tables(fast_dir, {"T1": "socket://127.0.0.1:1", "T2": "socket://127.0.0.1:2"})
    second = tables.folder.configs / "T2.toml"
    text = second.read_text(encoding="utf-8")
    second.unlink()
    with tables.running():
        one = tables.status("Threads")
        second.write_text(text, encoding="utf-8")
        tables.program.read_folder_again()
        log = tables.folder.log
        poll_until(lambda: "table T2 is running" in log.read_text(), "the second table runs")
        poll_until(lambda: "feed office" in log.read_text(), "its feed has begun")
        table = tables.status("Threads") - one
        before = tables.status("Threads")
        tables.hold("T1", 3, streams=())
        connection = (tables.status("Threads") - before) // 3
        memory = tables.status("VmHWM") * 1024
    assert connection == 1
    # Of a feed that is connected, and of a page that is followed, there is one more each.
    assert table + 2 + CONNECTIONS_MAX * connection <= TABLE_TASKS
    assert memory <= PROGRAM_MEMORY + 2 * TABLE_MEMORY


@pytest.mark.full
@pytest.mark.parametrize("count", sorted({16, TABLES}))
def test_tables_that_deal_with_page_and_streams_stay_within_the_limits(
    fast_dir: Path, count: int
) -> None:
    names = [f"T{number}" for number in range(1, count + 1)]
    with contextlib.ExitStack() as stack:
        shoes = {
            name: stack.enter_context(TableShoe(seed, PACE)) for seed, name in enumerate(names)
        }
        tables = Tables(fast_dir, {name: shoe.url for name, shoe in shoes.items()})
        with tables.running():
            for name, shoe in shoes.items():
                tables.hold(name, FOLLOWERS)
                shoe.begin()
            for name, shoe in shoes.items():
                shoe.wait_for_coups(COUPS)
                tables.look(name)
            tasks, memory = tables.status("Threads"), tables.status("VmHWM") * 1024
            for shoe in shoes.values():
                shoe.leave_after_coup()
            for shoe in shoes.values():
                shoe.finish()
    # Each of the other connections takes one task, as the test above says.
    left = count * (CONNECTIONS_MAX - FOLLOWERS)
    print(f"{count} tables: {tasks} tasks, with {left} connections more; {memory // MIB} MiB")
    assert tasks + left <= TASKS_MAX
    assert memory <= MEMORY_MAX
