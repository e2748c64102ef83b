"""`smartshoe audit`: its output, its exit codes, and the partial report after Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from controller.cli.main import main
from hil.dealing.dealer import DealerSettings
from hil.simulation.sealed_journal import DealtTable, write_sealed_journal
from office.audit import run
from office.audit.discovery import Piece, PieceKind
from office.audit.findings import PieceReport
from office.audit.piece import PieceAudit
from office.audit.shoe import AuditSettings
from office.audit.worker_pool import WorkerLost


@pytest.fixture(scope="module")
def journal(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("audited")
    write_sealed_journal(folder / "journal", DealtTable(DealerSettings(seed=8, decks=1)))
    return folder / "journal"


def test_an_intact_journal_gives_a_table_of_days_and_exit_0(journal, capsys) -> None:
    assert main(["audit", str(journal), "--jobs", "1"]) == 0
    out = capsys.readouterr().out
    assert "SIM-1" in out
    assert "nothing found" in out
    assert out.count("2026-11-18") == 1


def test_a_finding_is_one_line_with_its_file_and_exit_1(journal, fast_dir, capsys) -> None:
    (path,) = journal.rglob("*.shoe")
    copy = fast_dir / path.name
    copy.write_bytes(path.read_bytes()[:-100] + bytes(100))
    assert main(["audit", str(copy)]) == 1
    out = capsys.readouterr().out
    assert f"finding: {copy}: its digest does not match its bytes" in out
    assert "FINDINGS: 1" in out


def test_as_json_it_is_one_object(journal, capsys) -> None:
    assert main(["audit", str(journal), "--json", "--deep"]) == 0
    values = json.loads(capsys.readouterr().out)
    assert values["whole"] is True
    assert (values["findings"], values["total"]["replayed"], values["files"]) == (0, 1, 2)
    assert values["days"][0]["gaming_day"] == "2026-11-18"


def test_a_path_without_anything_is_exit_2(fast_dir, capsys) -> None:
    assert main(["audit", str(fast_dir / "nothing")]) == 2
    assert "Allowed: a journal's folder" in capsys.readouterr().err


def test_a_file_that_is_not_a_key_is_exit_2(journal, capsys) -> None:
    assert main(["audit", str(journal), "--key", str(journal / "live.db")]) == 2
    assert "no public key of Ed25519" in capsys.readouterr().err


# --- interrupted ----------------------------------------------------------------------------------


def pieces_until_interrupted(journal: Path):
    """Audits one piece, then receives Ctrl-C."""
    (path,) = journal.rglob("*.shoe")
    yield Piece(PieceKind.DAY, str(journal), path.parent)
    raise KeyboardInterrupt


def test_ctrl_c_gives_a_partial_report(journal, monkeypatch, capsys) -> None:
    monkeypatch.setattr(run, "pieces", lambda _paths: pieces_until_interrupted(journal))
    assert main(["audit", str(journal), "--jobs", "1"]) == 130
    output = capsys.readouterr()
    assert "SIM-1" in output.out
    assert "interrupted" in output.err


WITHOUT_END = """
import sys
from itertools import cycle
from pathlib import Path
from office.audit import discovery as walk
from office.audit import run
from controller.cli.main import main
found = tuple(walk.pieces([Path(sys.argv[1])]))

def without_end(paths):
    for number, piece in enumerate(cycle(found)):
        if number == 40:
            print("begun", flush=True)
        yield piece

run.pieces = without_end
sys.exit(main(["audit", sys.argv[1], "--jobs", "2"]))
"""


def test_ctrl_c_in_a_terminal_ends_every_process(journal) -> None:
    """The whole group of processes gets the signal, as from a terminal."""
    process = subprocess.Popen(
        [sys.executable, "-c", WITHOUT_END, str(journal)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    try:
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate()
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "interrupted" in err
    assert "SIM-1" in out


class DyingProcess(PieceAudit):
    """A process that ends in the middle of its work."""

    def audit(self, piece: Piece) -> PieceReport:
        os._exit(3)


def test_a_dying_worker_is_named_with_its_piece(journal, monkeypatch) -> None:
    monkeypatch.setattr(run, "PieceAudit", DyingProcess)
    with pytest.raises(WorkerLost, match=r"ended unexpectedly.*--jobs 1"):
        run.audit((journal,), AuditSettings(), 2)
