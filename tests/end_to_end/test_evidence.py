"""The evidence of a whole shoe: replayed byte for byte, and every changed bit found."""

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from controller.journal.verify import verify
from hil.dealing.dealer import DealerSettings, OverdrawRemedy
from hil.dealing.mistakes import Mistake, PlannedMistake

BURNED = OverdrawRemedy.BURN_AMOUNT
MISTAKES = (
    PlannedMistake(Mistake.EXTRA_CARD, 3),
    PlannedMistake(Mistake.BURN_LONG),
    PlannedMistake(Mistake.WRONG_RESULT, 15),
)
BITS_CHANGED = 60


@pytest.fixture
def journal(bench, fast_dir: Path) -> Path:
    """The journal of one shoe with three mistakes and their resolutions."""
    played = bench.play(DealerSettings(seed=4, mistakes=MISTAKES, overdraw_remedy=BURNED))
    assert len(played.codes) == len(MISTAKES)
    return fast_dir / "journal-1"


def replayed(journal: Path, hash_seed: str) -> dict[str, object]:
    command = [str(Path(sys.executable).parent / "smartshoe"), "replay", str(journal), "--json"]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    report = json.loads(done.stdout)
    assert isinstance(report, dict)
    return report


def test_replay_gives_the_same_entries_under_two_hash_seeds(journal: Path) -> None:
    first, second = replayed(journal, "0"), replayed(journal, "4242")
    keys = ("records", "inputs", "entries", "coups", "shoes")
    assert {key: first[key] for key in keys} == {key: second[key] for key in keys}
    found = verify(journal)
    assert first["entries"] == found.records - found.inputs


def test_every_changed_bit_of_inputs_and_entries_is_found(journal: Path, fast_dir: Path) -> None:
    source = journal / "live.db"
    records = verify(journal).records
    chance = random.Random(7)
    for number in range(BITS_CHANGED):
        seq = chance.randint(1, records)
        damaged = fast_dir / f"damaged-{number}.db"
        shutil.copy(source, damaged)
        change_one_bit(damaged, seq, chance)
        problems = verify(damaged).problems
        assert problems, f"a changed bit in record {seq} is not found"
        assert problems[0].seq == seq
        damaged.unlink()


def change_one_bit(database: Path, seq: int, chance: random.Random) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        row = connection.execute("SELECT record FROM records WHERE seq = ?", (seq,)).fetchone()
        record = bytearray(row[0])
        record[chance.randrange(len(record))] ^= 1 << chance.randrange(8)
        connection.execute("UPDATE records SET record = ? WHERE seq = ?", (bytes(record), seq))
