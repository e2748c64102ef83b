"""`smartshoe devices record` at a serial server."""

import json
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.journal.store import Journal
from controller.system.command_line.errors import ExitCode
from hil.recording.capture import Direction, read_recording

Capture = pytest.CaptureFixture[str]

# Golden reports (tests/vectors/angel_eye.toml): stand-by, Player card 1 the ace of spades.
REPORTS = bytes.fromhex("05 31 50 03 36 32 05 36 44 81 B1 03 34 31")


@pytest.fixture
def line() -> Iterator[str]:
    """A serial server that gives two reports to whoever connects, then stays open."""
    server = socket.create_server(("127.0.0.1", 0))
    served = threading.Event()

    def serve() -> None:
        connection, _ = server.accept()
        with connection:
            connection.sendall(REPORTS)
            served.wait()

    thread = threading.Thread(target=serve)
    thread.start()
    yield f"socket://127.0.0.1:{server.getsockname()[1]}"
    served.set()
    server.close()
    thread.join()


def configuration(folder: Path, port: str) -> str:
    """A table's configuration beside its journal folder `journal`."""
    file = folder / "table.toml"
    file.write_text(f'[table]\nname = "M7"\n[shoe]\nport = "{port}"\n')
    return str(file)


def record(folder: Path, port: str, *words: str) -> int:
    config = configuration(folder, port)
    to = str(folder / "shoe.pcapng")
    options = ("--config", config, "--to", to, "--seconds", "1", "--yes")
    return main(["devices", "record", *options, *words])


def test_what_was_read_stands_in_a_private_file(line: str, fast_dir: Path) -> None:
    assert record(fast_dir, line) == ExitCode.DONE

    file = fast_dir / "shoe.pcapng"
    (wire,) = read_recording(file.read_bytes()).wires
    received = [one.data for one in wire.events if one.direction is Direction.RECEIVED]
    assert wire.name == line
    assert b"".join(received) == REPORTS
    assert wire.events[-1].direction is Direction.COMPLETE
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_totals_come_by_port(line: str, fast_dir: Path, capsys: Capture) -> None:
    assert record(fast_dir, line, line, "--json") == ExitCode.DONE

    output = capsys.readouterr()
    shown = json.loads(output.out)
    assert [(one["port"], one["bytes"]) for one in shown["ports"]] == [(line, len(REPORTS))]
    assert shown["size"] == (fast_dir / "shoe.pcapng").stat().st_size
    assert "WARNING" in output.err


def test_a_file_is_never_overwritten(line: str, fast_dir: Path, capsys: Capture) -> None:
    (fast_dir / "shoe.pcapng").write_text("mine")

    assert record(fast_dir, line) == ExitCode.UNUSABLE
    assert (fast_dir / "shoe.pcapng").read_text() == "mine"
    assert "name another" in capsys.readouterr().err
    with socket.create_connection(("127.0.0.1", int(line.rpartition(":")[2]))):
        pass  # the server waits for somebody


def test_without_a_device_no_file_is_left(fast_dir: Path, capsys: Capture) -> None:
    assert record(fast_dir, "/dev/ttyNONE9") == ExitCode.UNUSABLE
    assert not (fast_dir / "shoe.pcapng").exists()
    assert "smartshoe devices" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--config", "--to"])
def test_it_needs_configuration_and_file(option: str, fast_dir: Path, capsys: Capture) -> None:
    config = configuration(fast_dir, "/dev/ttyUSB0")
    words = {"--config": config, "--to": str(fast_dir / "shoe.pcapng")}
    del words[option]

    given = [word for pair in words.items() for word in pair]
    assert main(["devices", "record", "--yes", *given]) == ExitCode.UNUSABLE
    assert f"it needs {option} FILE" in capsys.readouterr().err


def test_a_port_of_another_table_is_refused(fast_dir: Path, capsys: Capture) -> None:
    assert record(fast_dir, "/dev/ttyUSB0", "/dev/ttyUSB1") == ExitCode.UNUSABLE
    assert "is not a port of" in capsys.readouterr().err


def test_an_open_shoe_is_not_recorded(
    deal: Callable[..., Path],
    opening_and_coups: Callable[[int], tuple[str, ...]],
    fast_dir: Path,
    capsys: Capture,
) -> None:
    deal(*opening_and_coups(1), name="journal")

    assert record(fast_dir, "/dev/ttyUSB0") == ExitCode.NO
    assert "a shoe is open" in capsys.readouterr().err


def test_a_running_table_is_not_recorded(fast_dir: Path, capsys: Capture) -> None:
    with Journal.open(fast_dir / "journal"):
        assert record(fast_dir, "/dev/ttyUSB0") == ExitCode.NO

    assert "already writes this journal" in capsys.readouterr().err
    assert not (fast_dir / "shoe.pcapng").exists()


def test_it_asks_first(fast_dir: Path) -> None:
    config = configuration(fast_dir, "/dev/ttyUSB0")
    words = ("devices", "record", "--config", config, "--to", str(fast_dir / "shoe.pcapng"))

    done = subprocess.run(
        [sys.executable, "-m", "controller.cli.main", *words],
        input="n\n",
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout.strip()) == (ExitCode.NO, "")
    assert "nothing was recorded" in done.stderr
    assert not (fast_dir / "shoe.pcapng").exists()
