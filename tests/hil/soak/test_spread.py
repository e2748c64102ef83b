"""Seeds on a real dask scheduler with two workers, and what is refused."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from hil.cli import main
from hil.soak.generate import scenario_of
from hil.soak.soak import play_seed
from hil.soak.spread import CannotDistribute, TlsFiles, is_loopback, played_by_workers

SEEDS = tuple(range(20))
# Scheduler, then workers, each a process as on a machine of its own.
SCHEDULER = """
import asyncio, sys
from distributed import Scheduler

async def run():
    async with Scheduler(host="127.0.0.1", port=0, dashboard=False, dashboard_address=None) as one:
        print(one.address, flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)

asyncio.run(run())
"""
WORKER = """
import asyncio, sys
from distributed import Worker

async def run():
    async with Worker(sys.argv[1], nthreads=1, dashboard=False, dashboard_address=None):
        print("ready", flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)

asyncio.run(run())
"""

Start = Callable[..., tuple[subprocess.Popen[str], str]]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts a process and gives its first line; ended by the end of its input."""
    started: list[subprocess.Popen[str]] = []

    def begin(code: str, *words: str) -> tuple[subprocess.Popen[str], str]:
        process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", code, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        started.append(process)
        assert process.stdout is not None
        return process, process.stdout.readline().strip()

    yield begin
    for process in reversed(started):
        process.communicate()


@pytest.mark.full
@pytest.mark.needs("distributed")
@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_and_two_workers_play_what_one_process_plays(
    start: Start, capsys: pytest.CaptureFixture[str]
) -> None:
    _, address = start(SCHEDULER)
    for _ in range(2):
        assert start(WORKER, address)[1] == "ready"
    words = ["--seeds", str(len(SEEDS)), "--scheduler", address, "--json"]

    assert main(["soak", *words]) == 0
    figures = json.loads(capsys.readouterr().out)
    here = [play_seed(seed) for seed in SEEDS]
    assert figures["seeds"] == len(SEEDS)
    assert figures["shoes"] == sum(one.shoes for one in here)
    assert figures["cards"] == sum(one.cards for one in here)


@pytest.mark.parametrize(
    ("address", "here"),
    [
        ("tcp://127.0.0.1:8786", True),
        ("127.0.0.1:8786", True),
        ("tls://localhost:8786", True),
        ("tcp://[::1]:8786", True),
        ("tcp://10.0.0.7:8786", False),
        ("tcp://127.0.0.1.example.org:8786", False),
        ("bench:8786", False),
    ],
)
def test_loopback_is_known_by_its_address(address: str, here: bool) -> None:
    assert is_loopback(address) is here


def test_another_machine_needs_certificates() -> None:
    with pytest.raises(CannotDistribute, match="runs any code") as refused:
        list(played_by_workers(SEEDS, "tcp://10.0.0.7:8786", None))

    assert "Remedy: give --tls-ca, --tls-cert and --tls-key" in str(refused.value)


def test_the_command_refuses_it_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["soak", "--scheduler", "tcp://10.0.0.7:8786"]) == 2
    assert "without certificates" in capsys.readouterr().err


def test_certificates_come_together(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["soak", "--scheduler", "tls://10.0.0.7:8786", "--tls-ca", str(tmp_path / "ca.pem")]

    assert main(words) == 2
    assert "not all three files of TLS" in capsys.readouterr().err


@pytest.mark.full
@pytest.mark.needs("distributed")
def test_a_scheduler_that_does_not_answer_is_said() -> None:
    """In a process of its own: the client leaves a thread behind that waits for it."""
    words = ["-W", "ignore", "-m", "hil.cli", "soak", "--scheduler", "tcp://127.0.0.1:1"]
    ended = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)

    assert ended.returncode == 2
    assert "does not answer" in ended.stderr


@pytest.mark.needs("distributed")
def test_a_key_that_is_not_there_is_said(tmp_path) -> None:
    files = TlsFiles(*(tmp_path / name for name in ("ca.pem", "cert.pem", "key.pem")))
    with pytest.raises(CannotDistribute, match=r"ca\.pem cannot be read"):
        list(played_by_workers((1,), "tls://127.0.0.1:1", files))


def test_the_scenario_of_a_seed_needs_no_file() -> None:
    assert scenario_of(1).startswith("scenario soak-1 ")
