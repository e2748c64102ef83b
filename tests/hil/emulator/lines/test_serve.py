"""The link to an emulated line replaces and removes nothing but its own."""

import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.line import LineUnavailable
from hil.emulator.lines.serve import PtyServer, TcpServer

CONTENT = "somebody else's"
SERVES = """
import sys
from pathlib import Path
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.serve import PtyServer

with PtyServer(AngelEye(), link=Path(sys.argv[1])) as server:
    print(server._name, flush=True)
    input()
"""


def regular_file(path: Path) -> None:
    path.write_text(CONTENT)


def folder(path: Path) -> None:
    path.mkdir()
    (path / "inside").write_text(CONTENT)


def link_to_a_file(path: Path) -> None:
    path.with_name("other").write_text(CONTENT)
    path.symlink_to(path.with_name("other"))


def dangling_link(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


def link_to_a_missing_device(path: Path) -> None:
    path.symlink_to("/dev/ttyNONE9")


def link_to_a_terminal_that_is_gone(path: Path) -> None:
    path.symlink_to("/dev/pts/99999")


FOREIGN = (
    regular_file,
    folder,
    link_to_a_file,
    dangling_link,
    link_to_a_missing_device,
    link_to_a_terminal_that_is_gone,
)


def picture(path: Path) -> list[tuple[str, bool, str]]:
    """Everything in the link's folder: names, whether links, targets or contents."""
    found = []
    for one in sorted(path.parent.rglob("*")):
        text = str(one.readlink()) if one.is_symlink() else one.read_text() if one.is_file() else ""
        found.append((one.name, one.is_symlink(), text))
    return found


def descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.mark.parametrize("make", FOREIGN)
def test_what_somebody_else_made_is_refused_and_left(
    make: Callable[[Path], None], fast_dir: Path
) -> None:
    path = fast_dir / "shoe"
    make(path)
    before, opened = picture(path), descriptors()
    server = PtyServer(AngelEye(), link=path)
    with pytest.raises(LineUnavailable, match=r"shoe: .* exists.*Remedy: name another, or remove"):
        server.__enter__()

    assert picture(path) == before
    assert descriptors() == opened


@pytest.mark.parametrize("make", FOREIGN)
def test_what_took_the_place_of_the_link_meanwhile_is_left(
    make: Callable[[Path], None], fast_dir: Path
) -> None:
    path = fast_dir / "shoe"
    with PtyServer(AngelEye(), link=path):
        path.unlink()
        make(path)
        before = picture(path)

    assert picture(path) == before


def test_an_equal_link_that_somebody_else_made_meanwhile_is_left(fast_dir: Path) -> None:
    path = fast_dir / "shoe"
    with PtyServer(AngelEye(), link=path) as server:
        target = path.readlink()
        path.unlink()
        path.symlink_to(target)
        assert server.plugged

    assert path.readlink() == target


def test_a_link_that_a_killed_run_left_is_refused_and_named_so(fast_dir: Path) -> None:
    path = fast_dir / "shoe"
    path.symlink_to("/dev/pts/99999")
    with pytest.raises(LineUnavailable, match=r"a terminal that is gone. Allowed: a new path"):
        PtyServer(AngelEye(), link=path).__enter__()

    assert str(path.readlink()) == "/dev/pts/99999"


def test_the_link_of_a_run_that_still_serves_is_refused(fast_dir: Path) -> None:
    path = fast_dir / "shoe"
    with PtyServer(AngelEye(), link=path):
        before = path.readlink()
        with pytest.raises(LineUnavailable, match=r"a terminal in use. Allowed: a new path"):
            PtyServer(AngelEye(), link=path).__enter__()

        assert path.readlink() == before


def test_a_missing_folder_is_refused(fast_dir: Path) -> None:
    with pytest.raises(
        LineUnavailable, match=r"No such file or directory. Allowed: a path in a folder"
    ):
        PtyServer(AngelEye(), link=fast_dir / "none" / "shoe").__enter__()


def test_a_folder_that_has_gone_takes_the_link_with_it(fast_dir: Path) -> None:
    path = fast_dir / "bench" / "shoe"
    path.parent.mkdir()
    with PtyServer(AngelEye(), link=path):
        path.unlink()
        path.parent.rmdir()

    assert not path.parent.exists()


def test_a_line_cannot_be_plugged_in_where_a_file_took_its_name(fast_dir: Path) -> None:
    path = fast_dir / "shoe"
    with PtyServer(AngelEye(), link=path) as server:
        server.unplug()
        path.write_text(CONTENT)
        with pytest.raises(LineUnavailable, match="a file with this name exists"):
            server.replug()
        path.unlink()
        server.replug()
        assert path.exists()

    assert not path.is_symlink()


def test_a_port_in_use_is_refused_in_a_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port, opened = taken.getsockname()[1], descriptors()
        with pytest.raises(LineUnavailable, match=f"127.0.0.1:{port}: .*in use. Allowed: a"):
            TcpServer(AngelEye(), port=port).__enter__()

        assert descriptors() == opened


def test_a_port_that_does_not_exist_is_refused_in_a_sentence() -> None:
    with pytest.raises(LineUnavailable, match=r":70000: .* from 1024 to 65535"):
        TcpServer(AngelEye(), port=70000).__enter__()


def test_a_program_that_a_killed_run_left_does_not_find_the_shoe_of_the_next_run(
    fast_dir: Path,
) -> None:
    left = fast_dir / "left"
    command = [sys.executable, "-c", SERVES, str(left)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as killed:
        assert killed.stdout is not None
        number = killed.stdout.readline().decode().strip()
        killed.kill()
    with PtyServer(AngelEye(), link=fast_dir / "next") as server:
        assert server._name == number, "the kernel gives the number to the next terminal"
        assert left.is_symlink()
        with pytest.raises(FileNotFoundError):
            left.open("rb", buffering=0)
