"""The package's scripts, at places of the test: what keeps a version, what a purge deletes."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

DEBIAN = Path(__file__).resolve().parents[2] / "deploy" / "debian"
OPEN = 'echo "a shoe is open at M-12"; exit 1'
BETWEEN = 'echo "no shoe is open"; exit 0'
BROKEN = 'echo "Traceback (most recent call last):" >&2; exit 1'
# systemctl: one table runs; what it is told is written down.
SYSTEMCTL = """\
if [ "$1" = list-units ]; then echo "smartshoe@M-12.service loaded active running"
else echo "$*" >>{log}; fi
"""
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def _program(path: Path, body: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """What systemctl was told."""
    file = tmp_path / "systemctl.log"
    file.touch()
    return file


@pytest.fixture
def run_script(tmp_path: Path, log: Path) -> Run:
    """Run a script of the package whose folders are below the test's own; systemd runs there."""
    _program(tmp_path / "bin/systemctl", SYSTEMCTL.format(log=log))
    _program(tmp_path / "bin/systemd-sysusers", "")
    _program(tmp_path / "bin/systemd-tmpfiles", "")
    (tmp_path / "run/systemd/system").mkdir(parents=True)

    def run(name: str, *words: str, program: str = BETWEEN) -> "subprocess.CompletedProcess[str]":
        _program(tmp_path / "usr/lib/smartshoe/bin/smartshoe", program)
        text = (DEBIAN / name).read_text()
        for place in ("/usr/lib", "/run/", "/etc/", "/var/lib/"):
            text = text.replace(place, f"{tmp_path}{place}")
        script = tmp_path / name
        script.write_text(text)
        return subprocess.run(
            ["sh", str(script), *words],
            env={"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_an_open_shoe_keeps_its_version_and_its_table_is_named(run_script: Run, log: Path) -> None:
    ended = run_script("preinst", "upgrade", "0.8.0", program=OPEN)

    assert ended.returncode == 1
    assert "a shoe is open at M-12" in ended.stderr
    assert log.read_text() == ""


def test_between_shoes_the_running_tables_stop_and_start_again(run_script: Run, log: Path) -> None:
    assert run_script("preinst", "upgrade", "0.8.0").returncode == 0
    assert log.read_text() == "stop smartshoe@M-12.service\n"

    assert run_script("postinst", "configure", "0.8.0").returncode == 0
    assert log.read_text().splitlines()[-1] == "start smartshoe@M-12.service"


def test_a_broken_program_is_replaced_and_removed(run_script: Run) -> None:
    assert run_script("preinst", "upgrade", "0.8.0", program=BROKEN).returncode == 0
    assert run_script("prerm", "remove", program=BROKEN).returncode == 0


def test_a_shoe_that_is_open_at_a_running_table_keeps_the_package(
    run_script: Run, log: Path
) -> None:
    ended = run_script("prerm", "remove", program=OPEN)

    assert ended.returncode == 1
    assert "a shoe is open at M-12" in ended.stderr
    assert log.read_text() == ""


def test_a_removal_deletes_nothing(run_script: Run, tmp_path: Path) -> None:
    journal = tmp_path / "var/lib/smartshoe/M-12/journal/live.db"
    journal.parent.mkdir(parents=True)
    journal.touch()

    ended = run_script("postrm", "remove")

    assert ended.returncode == 0
    assert "Kept:" in ended.stdout
    assert journal.exists()


def test_a_purge_says_how_many_files_it_deletes(run_script: Run, tmp_path: Path) -> None:
    journal = tmp_path / "var/lib/smartshoe/M-12/journal"
    journal.mkdir(parents=True)
    (journal / "live.db").touch()
    (journal / "table.key").touch()

    ended = run_script("postrm", "purge")

    assert ended.returncode == 0
    assert f"deleting {tmp_path}/var/lib/smartshoe, 2 files" in ended.stdout
    assert not (tmp_path / "var/lib/smartshoe").exists()


def test_a_purge_follows_a_folder_that_was_moved_to_another_disk(
    run_script: Run, tmp_path: Path
) -> None:
    disk = tmp_path / "disk"
    (disk / "M-12").mkdir(parents=True)
    (disk / "M-12/live.db").touch()
    (tmp_path / "var/lib").mkdir(parents=True)
    (tmp_path / "var/lib/smartshoe").symlink_to(disk)

    ended = run_script("postrm", "purge")

    assert "1 files" in ended.stdout
    assert not list(disk.rglob("live.db"))
    assert not (tmp_path / "var/lib/smartshoe").is_symlink()
