"""Every point of the crash and damage matrix, as a part of the gate that fails with its counts."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
# The columns of the matrix, as its result names them.
DEFECTS: Final = ("lost", "doubled", "undetected")
TO_DISTURB: Final = ("strace", "user-mode-linux", "e2fsprogs")


def run_crash_matrix() -> bool:
    """Whether all points hold; prints the matrix, what failed, and the counts."""
    with tempfile.TemporaryDirectory(prefix="smartshoe-gate-") as folder:
        result = Path(folder) / "crash.json"
        command = [sys.executable, "-m", "hil.crash", "--full", "--json", str(result)]
        done = subprocess.run(command, cwd=ROOT, check=False)
        counts = counts_in(result.read_text()) if result.exists() else "it ended without a result"
    print(f"gate: crash and damage: {counts}", flush=True)
    return done.returncode == 0


def counts_in(result: str) -> str:
    """Points tried, and for each defect in how many of them; the controls by what they lost."""
    rows = json.loads(result)["rows"]
    tried = sum(row["tried"] for row in rows if not row["control"])
    found = [f"{sum(row[one] for row in rows if not row['control']):,} {one}" for one in DEFECTS]
    idle = [row["what"] for row in rows if row["control"] and not row["lost"]]
    words = f"{', '.join(found)} of {tried:,} points"
    return words + "".join(f"; lost nothing, and must: {one}" for one in idle)
