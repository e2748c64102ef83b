"""The reference firmware through power cuts and random input, under sanitizers.

The host in these programs stores everything; they abort if an event is missing or repeated with
other content, or if a request is executed or answered twice.
"""

import subprocess
import tomllib
from pathlib import Path

import pytest

from hil.reference_firmware.build import Build, FirmwareRole, build_firmware

RING = 40
RUNS = 300
RUNS_LONG = 20_000
VECTORS = Path(__file__).parents[2] / "vectors" / "tablelink.toml"


def run(*command: object) -> str:
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout + done.stderr


@pytest.mark.needs("gcc")
@pytest.mark.parametrize("role", FirmwareRole)
def test_power_may_fail_after_any_stored_byte(role: FirmwareRole) -> None:
    cuts_after_each(role, 5)


@pytest.mark.full
@pytest.mark.needs("gcc")
@pytest.mark.parametrize("role", FirmwareRole)
def test_power_may_fail_after_each_stored_byte(role: FirmwareRole) -> None:
    cuts_after_each(role, 1)


def cuts_after_each(role: FirmwareRole, bytes_between: int) -> None:
    output = run(build_firmware(Build.HOST, role, RING).folder / f"{role}-powercut", bytes_between)

    assert int(output.removesuffix(" cuts\n")) * bytes_between > 4000


def seeds(folder: Path) -> Path:
    """Each stream of the golden bytes, and a session with all good frames of a host in it."""
    vectors = tomllib.loads(VECTORS.read_text(encoding="utf-8"))
    corpus = folder / "corpus"
    corpus.mkdir()
    wires = [
        each["wire"] for kind in ("frame", "refused", "bound", "stream") for each in vectors[kind]
    ]
    for number, wire in enumerate(wires):
        (corpus / f"seed-{number}").write_bytes(bytes.fromhex(wire))
    whole = "".join(each["wire"] for each in vectors["frame"] if each["direction"] == "host")
    (corpus / "session").write_bytes(bytes.fromhex(whole))
    return corpus


def fuzz(role: FirmwareRole, what: str, runs: int, corpus: Path) -> None:
    """What was found to fail is left beside the corpus, which new inputs are added to."""
    program = build_firmware(Build.FUZZ, role, RING).folder / f"{role}-fuzz-{what}"
    settings = ("-seed=1", "-max_len=600", "-len_control=0", f"-artifact_prefix={corpus.parent}/")
    output = run(program, f"-runs={runs}", *settings, corpus)

    assert f"Done {runs} runs" in output


@pytest.mark.needs("clang")
def test_any_bytes_on_the_line(tmp_path: Path) -> None:
    fuzz(FirmwareRole.SHUFFLER, "bytes", RUNS, seeds(tmp_path))


@pytest.mark.needs("clang")
def test_random_operation_of_a_shuffler(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    fuzz(FirmwareRole.SHUFFLER, "life", RUNS, corpus)


@pytest.mark.full
@pytest.mark.needs("clang")
@pytest.mark.parametrize("what", ["bytes", "life"])
@pytest.mark.parametrize("role", FirmwareRole)
def test_long_random_operation(tmp_path: Path, role: FirmwareRole, what: str) -> None:
    fuzz(role, what, RUNS_LONG, seeds(tmp_path))
