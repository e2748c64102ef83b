"""A test run that any signal ends leaves nothing; Ctrl-C reaches children of tests in any case."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import program_record
import pytest

from hil.progress import StoodStill, poll_until
from hil.run_guard import PREFIX

TESTS = Path(__file__).resolve().parents[1]
SETTINGS = """\
[pytest]
pythonpath = {tests}/register {tests}/needs {tests}/progress
markers =
    full: as in this repository
    clause(id): as in this repository
"""
EXAMPLE = """\
import signal, subprocess, sys

def test_that_waits(fast_dir, tmp_path):
    sleeper = [sys.executable, "-c", "import signal; signal.pause()"]
    child = subprocess.Popen(sleeper, start_new_session=True)
    print("started", child.pid, fast_dir, tmp_path, file=sys.__stderr__, flush=True)
    signal.pause()

def test_that_asks():
    ask = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True)
    assert done.stdout == "True\\n"
"""


def start(folder: Path, *options: str) -> "subprocess.Popen[str]":
    """pytest on the example with the rules of this repository, its parent ignoring Ctrl-C."""
    shutil.copy(TESTS / "conftest.py", folder / "conftest.py")
    (folder / "pytest.ini").write_text(SETTINGS.format(tests=TESTS))
    (folder / "test_example.py").write_text(EXAMPLE)
    ignoring = ("sh", "-c", 'trap "" INT; exec "$@"', "sh")
    plugins = ("-p", "xdist", "-p", "no:cacheprovider")
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    return subprocess.Popen(
        [*ignoring, sys.executable, "-m", "pytest", "-s", *plugins, *options],
        cwd=folder,
        # A run that is ended closes nothing: what its Pythons record is not of this test.
        env={
            **env,
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            program_record.VARIABLE: str(folder / "started"),
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["alone", "distributed"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_signal_leaves_no_child_and_no_folder(
    number: signal.Signals, options: tuple[str, ...], fast_dir: Path
) -> None:
    with start(fast_dir, "-k", "waits", *options) as running:
        assert running.stderr is not None
        line = running.stderr.readline()
        found = re.match(r"started (\d+) (\S+) (\S+)", line)
        assert found, line
        child, folders = int(found[1]), [Path(found[2]), Path(found[3])]
        assert lives(child)
        assert all(PREFIX in str(folder) and folder.is_dir() for folder in folders)
        running.send_signal(number)

        try:
            poll_until(lambda: not lives(child))
        except StoodStill:
            os.kill(child, signal.SIGKILL)
            # What its watcher wrote, if that failed.
            print(running.stderr.read(), file=sys.stderr)
            raise
        poll_until(lambda: not any(folder.exists() for folder in folders))
        running.wait()


@pytest.mark.parametrize("options", [(), ("-n", "1")], ids=["alone", "distributed"])
def test_children_can_be_ended_by_ctrl_c_though_the_parent_ignored_it(
    options: tuple[str, ...], fast_dir: Path
) -> None:
    with start(fast_dir, "-k", "asks", *options) as running:
        running.communicate()

    assert running.returncode == 0
