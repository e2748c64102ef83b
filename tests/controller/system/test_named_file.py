"""Files that people name: regular and bounded; no pipe or device keeps a command waiting."""

import os
import socket
import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.system import named_file
from controller.system.named_file import (
    IMAGE_BYTES_MAX,
    SECRET_BYTES_MAX,
    open_file,
    read_file,
    read_secret,
    require_regular,
    sqlite_files,
)


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


def refusal(read: Callable[[Path], object], path: Path) -> str:
    with pytest.raises(OSError) as caught:
        read(path)
    return str(caught.value.strerror)


@pytest.mark.parametrize("read", [open_file, read_file, require_regular])
def test_a_pipe_is_refused_and_nobody_waits_for_its_other_end(read, pipe: Path) -> None:
    assert refusal(read, pipe) == "it is a pipe, and only a regular file is read"


def test_a_device_a_socket_and_a_folder_are_refused(tmp_path: Path) -> None:
    assert refusal(read_file, Path("/dev/zero")).startswith("it is a device")
    assert refusal(read_file, tmp_path) == "Is a directory"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        assert refusal(read_file, tmp_path / "s").startswith("it is a socket")


def test_a_link_to_a_pipe_is_a_pipe(pipe: Path) -> None:
    link = pipe.with_name("link")
    link.symlink_to(pipe)
    assert refusal(read_file, link).startswith("it is a pipe")


def test_a_file_that_becomes_a_pipe_before_it_is_opened_is_refused(pipe: Path, monkeypatch) -> None:
    file = pipe.with_name("file")
    file.touch()
    regular = file.stat()
    monkeypatch.setattr(Path, "stat", lambda _path, **_others: regular)
    with pytest.raises(OSError, match="it is a pipe"):
        read_file(pipe)


def test_a_file_is_read_up_to_its_bound(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"abc")
    assert read_file(file, 3) == b"abc"
    assert refusal(lambda path: read_file(path, 2), file) == "it is longer than 2 bytes"


def test_what_is_not_there_may_be_made(tmp_path: Path) -> None:
    require_regular(*sqlite_files(tmp_path / "live.db"))


@pytest.mark.parametrize("beside", ["live.db", "live.db-wal", "live.db-shm", "live.db-journal"])
def test_every_file_that_sqlite_opens_is_looked_at(tmp_path: Path, beside: str) -> None:
    os.mkfifo(tmp_path / beside)
    with pytest.raises(OSError, match="it is a pipe"):
        require_regular(*sqlite_files(tmp_path / "live.db"))


# --- secrets --------------------------------------------------------------------------------------


def written(pipe: Path, data: bytes) -> threading.Thread:
    writer = threading.Thread(target=pipe.write_bytes, args=(data,))
    writer.start()
    return writer


def test_a_secret_may_come_through_a_pipe(pipe: Path) -> None:
    writer = written(pipe, b"270918\n")
    assert read_secret(pipe) == b"270918\n"
    writer.join()


def test_a_secret_that_nobody_writes_is_not_awaited_for_long(pipe: Path, monkeypatch) -> None:
    monkeypatch.setattr(named_file, "SECRET_S", 0.05)
    assert refusal(read_secret, pipe).startswith("it is a pipe, and nobody wrote it to its end")


def test_a_pipe_that_is_held_open_is_not_awaited_for_long(pipe: Path, monkeypatch) -> None:
    monkeypatch.setattr(named_file, "SECRET_S", 0.05)
    holder = os.open(pipe, os.O_RDWR)
    try:
        os.write(holder, b"2709")
        assert refusal(read_secret, pipe).startswith("it is a pipe, and nobody wrote it to its end")
    finally:
        os.close(holder)


def test_a_secret_is_bounded(pipe: Path, tmp_path: Path) -> None:
    long = b"1" * (SECRET_BYTES_MAX + 1)
    (tmp_path / "long").write_bytes(long)
    assert refusal(read_secret, tmp_path / "long") == "it is longer than 4096 bytes"
    writer = written(pipe, long)
    assert refusal(read_secret, pipe) == "it is longer than 4096 bytes"
    writer.join()


def test_a_short_file_takes_no_room_for_the_longest(tmp_path: Path) -> None:
    path = tmp_path / "shoe"
    path.write_bytes(b"a sealed shoe")
    tracemalloc.start()
    try:
        assert read_file(path, IMAGE_BYTES_MAX) == b"a sealed shoe"
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < IMAGE_BYTES_MAX // 16
