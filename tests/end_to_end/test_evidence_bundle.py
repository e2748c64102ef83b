"""Evidence bundles of coups that a table dealt, verified by bare Python."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from hil.dealing.cards import RANK_NAMES
from hil.dealing.truth import read_json_lines

pytestmark = pytest.mark.full

COUPS = (1, 4, 40)


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One shoe of a demo, with an overdraw in its fourth coup."""
    folder = tmp_path_factory.mktemp("demo") / "journal"
    words = ("--speed", "max", "--seed", "7", "--mistake", "overdraw_after_natural@4", "--json")
    done = ran("hil.cli", "demo", *words, "--journal", str(folder))
    assert done.returncode == 0, done.stderr
    return folder


def ran(module: str, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", module, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )


def bundled(journal: Path, coup: int, out: Path) -> Path:
    """The bundle of a coup, unpacked."""
    packed = out / f"coup-{coup}.zip"
    words = (f"1/{coup}", "--journal", str(journal), "--out", str(packed))
    done = ran("controller.cli.main", "evidence", *words)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(out / str(coup))
    return out / str(coup)


def checked(folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-S", "-I", "-B", "verify.py", "."],
        cwd=folder,
        env={},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def bundles(journal: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    out = tmp_path_factory.mktemp("bundles")
    return {coup: bundled(journal, coup, out) for coup in COUPS}


@pytest.mark.parametrize("coup", COUPS)
def test_a_bundle_of_the_demo_is_verified_by_bare_python(
    bundles: dict[int, Path], coup: int
) -> None:
    done = checked(bundles[coup])

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("coup", COUPS)
def test_the_cards_of_a_bundle_are_those_dealt(
    bundles: dict[int, Path], journal: Path, coup: int
) -> None:
    evidence = json.loads((bundles[coup] / "coup.json").read_text())
    cards = evidence["closed"]["says"]["record"]["cards"]
    lines = (journal / "truth.jsonl").read_text().splitlines()
    dealt = next(one for one in read_json_lines(lines).coups if one.coup == coup)

    # A card too many lies at no hand, whatever the dealer did with it.
    recorded = [as_text(one["card"]) for one in cards]
    assert recorded == [str(placed.card) for placed in dealt.cards][: len(recorded)]
    assert len(recorded) == len(dealt.cards) or evidence["irregularities"]


def test_the_page_shows_the_overdraw_and_its_decision(bundles: dict[int, Path]) -> None:
    page = (bundles[4] / "index.html").read_text()

    assert "OVERDRAW" in page
    assert "scripted floorperson" in page


def as_text(card: dict[str, object]) -> str:
    """A recorded card in the bench's notation."""
    return RANK_NAMES[int(str(card["rank"])) - 1] + str(card["suit"])
