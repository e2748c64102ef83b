"""A device model of another distribution: a wheel beside ours deals, verifies and replays."""

import json
import os
import site
import subprocess
import sys
import tty
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from operator import xor
from pathlib import Path

import pytest

from controller.outlets.control.client import ControlClient, ControlError
from controller.record.snapshot import Health, Snapshot
from drivers.events import Stage
from hil.dealing.actions import Draw, DrawCutCard, NewShoe, PressResult
from hil.dealing.dealer import Dealer, DealerSettings
from hil.rig.device_programs import wait_until

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "second_shoe"
RANKS = "A23456789TJQK"
TABLE = """\
table = {{ name = "M-12" }}
rules = {{ observed = ["result_button"] }}
shoe = {{ port = "{port}", model = "lumen-1" }}
metrics = {{ enabled = false }}
"""


class Installed:
    """An environment with the program, into which wheels of others are installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        venv.create(folder, with_pip=False)
        (packages,) = folder.glob("lib/python*/site-packages")
        # The program and what it needs, as they are installed for this test.
        (packages / "program.pth").write_text("\n".join([*site.getsitepackages(), str(ROOT)]))

    def python(self, *words: str, **options) -> subprocess.CompletedProcess[str]:
        command = [str(self.folder / "bin" / "python"), *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, **options)

    def smartshoe(self, *words: str) -> subprocess.CompletedProcess[str]:
        return self.python("-m", "controller.cli.main", *words, cwd=self.folder.parent)

    def pip(self, *words: str) -> None:
        python = str(self.folder / "bin" / "python")
        command = [sys.executable, "-m", "pip", "-q", "--python", python, *words]
        subprocess.run(command, check=True)


@pytest.fixture
def wheel(fast_dir: Path) -> Path:
    build = [sys.executable, "-m", "pip", "-q", "wheel", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "--wheel-dir", str(fast_dir), str(EXAMPLE)], check=True, stdout=-3)
    (built,) = fast_dir.glob("lumen_shoe-1.0-*.whl")
    return built


def lines() -> list[bytes]:
    """What the shoe reports while a dealer deals it to its end."""
    found = []
    for action in Dealer(DealerSettings(seed=7)).actions():
        match action:
            case NewShoe():
                found.append("BOOT")
            case Draw(card):
                found.append(f"CARD {RANKS[card.rank - 1]}{card.suit}")
            case DrawCutCard():
                found.append("CUT")
            case PressResult(winner):
                found.append(f"KEY {winner.value[0].upper()}")
    bodies = [f"{number % 1000:03} {what}".encode() for number, what in enumerate(found)]
    return [b":%b*%02X\n" % (body, reduce(xor, body)) for body in bodies]


@contextmanager
def running(env: Installed, socket: Path) -> Iterator[ControlClient]:
    """The table, started in that environment; it ends in order."""
    command = [str(env.folder / "bin" / "python"), "-P", "-m", "controller.cli.main"]
    log = env.folder / "program.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*command, "run", "--as-root", "table.toml"],
            cwd=env.folder.parent,
            stdout=out,
            stderr=out,
        )
        try:
            wait_until(lambda: socket.exists() or process.poll() is not None)
            assert process.poll() is None, log.read_text()
            yield ControlClient(socket)
        finally:
            process.terminate()
            assert process.wait() == 0, log.read_text()


def snapshot(client: ControlClient) -> Snapshot | None:
    """What people see; nothing while the table starts."""
    try:
        return client.request({"request": "status"}).snapshot
    except ControlError:
        return None


def is_opened(shown: Snapshot | None) -> bool:
    return shown is not None and shown.device.stage is Stage.OPENED


def is_over(shown: Snapshot | None, coups: int) -> bool:
    return bool(shown and shown.last_coup and shown.last_coup.number == coups)


def test_a_wheel_beside_the_program_deals_a_shoe(fast_dir: Path, wheel: Path) -> None:
    env = Installed(fast_dir / "env")
    env.pip("install", "--no-deps", "--no-index", str(wheel))
    master, slave = os.openpty()
    tty.setraw(slave)
    (fast_dir / "table.toml").write_text(TABLE.format(port=os.ttyname(slave)))
    checked = json.loads(env.smartshoe("check-config", "table.toml", "--json").stdout)
    assert checked["shoe_model"] == "lumen-1 (lumen-shoe==1.0)"

    reports = lines()
    coups = sum(b"KEY" in one for one in reports)
    with running(env, fast_dir / "control.sock") as client:
        wait_until(lambda: is_opened(snapshot(client)))
        for one in reports:
            os.write(master, one)
        wait_until(lambda: is_over(snapshot(client), coups))
        shown = snapshot(client)
    assert shown is not None
    assert shown.irregularities == ()

    assert env.smartshoe("verify", "journal").returncode == 0
    replayed = env.smartshoe("replay", "journal", "--json")
    assert (replayed.returncode, json.loads(replayed.stdout)["coups"]) == (0, coups)

    env.pip("uninstall", "-y", "lumen-shoe")
    replayed = env.smartshoe("replay", "journal")
    assert replayed.returncode == 2
    assert "shoe.model: 'lumen-1' is of lumen-shoe==1.0, which is not installed" in replayed.stderr
    assert "Remedy: install lumen-shoe==1.0" in replayed.stderr
    assert env.smartshoe("verify", "journal").returncode == 0
    coup = env.smartshoe("evidence", "1/6", "--journal", "journal", "--out", "coup.zip")
    assert coup.returncode == 0, coup.stderr
    assert "'lumen-1' is not allowed" in env.smartshoe("check-config", "table.toml").stderr

    other = TABLE.replace("lumen-1", "angel-eye-ii-ex")
    (fast_dir / "table.toml").write_text(other.format(port=os.ttyname(slave)))
    with running(env, fast_dir / "control.sock") as client:
        wait_until(lambda: is_opened(snapshot(client)))
        shown = snapshot(client)
    assert shown is not None
    assert shown.health is Health.RUNNING


def test_the_example_is_short_and_its_own_tests_pass() -> None:
    files = sorted(EXAMPLE.glob("*.py"))
    written = [line for one in files for line in one.read_text().splitlines() if line.strip()]
    command = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "-p", "no:cacheprovider"]
    path = os.pathsep.join([str(EXAMPLE), str(ROOT)])

    done = subprocess.run(
        [*command, "--rootdir", str(EXAMPLE), str(EXAMPLE)],
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout
    assert len(written) < 150
