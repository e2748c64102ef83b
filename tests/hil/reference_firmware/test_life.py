"""The reference firmware through power cuts and whatever chance brings, under sanitizers.

The host within these programs forgets nothing; they abort where an event is missing or comes twice
with other words, or a request is done twice or gets two answers.
"""

import subprocess
import tomllib
from pathlib import Path

import pytest

from hil.reference_firmware.build import Build, Role, built

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


@pytest.mark.debian("gcc", program="gcc")
@pytest.mark.parametrize("role", Role)
def test_power_may_fail_after_any_byte_that_is_stored(role: Role) -> None:
    cuts_after_each(role, 5)


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.debian("gcc", program="gcc")
@pytest.mark.parametrize("role", Role)
def test_power_may_fail_after_each_byte_that_is_stored(role: Role) -> None:
    cuts_after_each(role, 1)


def cuts_after_each(role: Role, bytes_between: int) -> None:
    said = run(built(Build.HOST, role, RING).folder / f"{role}-powercut", bytes_between)

    assert int(said.removesuffix(" cuts\n")) * bytes_between > 4000


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


def fuzz(role: Role, what: str, runs: int, corpus: Path) -> None:
    """What was found to fail is left beside the corpus, which new inputs are added to."""
    program = built(Build.FUZZ, role, RING).folder / f"{role}-fuzz-{what}"
    settings = ("-seed=1", "-max_len=600", "-len_control=0", f"-artifact_prefix={corpus.parent}/")
    said = run(program, f"-runs={runs}", *settings, corpus)

    assert f"Done {runs} runs" in said


@pytest.mark.debian("clang", program="clang")
def test_any_bytes_on_the_line(tmp_path: Path) -> None:
    fuzz(Role.SHUFFLER, "bytes", RUNS, seeds(tmp_path))


@pytest.mark.debian("clang", program="clang")
def test_any_life_of_a_shuffler(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    fuzz(Role.SHUFFLER, "life", RUNS, corpus)


@pytest.mark.full
@pytest.mark.timeout(1200)
@pytest.mark.debian("clang", program="clang")
@pytest.mark.parametrize("what", ["bytes", "life"])
@pytest.mark.parametrize("role", Role)
def test_a_long_life(tmp_path: Path, role: Role, what: str) -> None:
    fuzz(role, what, RUNS_LONG, seeds(tmp_path))
