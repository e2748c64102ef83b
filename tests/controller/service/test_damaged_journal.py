"""A damaged journal: start, doctor and verifier name one page, and the audit finds it, too."""

from collections.abc import Callable
from pathlib import Path

import pytest

from controller.journal.verify import verify
from controller.outlets.console.sites import WebServers
from controller.service.config.load import load_config
from controller.service.install.diagnosis import Grade
from controller.service.install.table_checks import check_journal
from controller.service.power_fail import PowerLines
from controller.service.table_program import SharedParts, StartRefused, TableProgram
from office.audit.open_part import audit_open_part
from office.audit.run import audit
from office.audit.shoe import AuditSettings

PAGE = 'docs/damaged-journal.md, "The journal is damaged"'
ROOT = Path(__file__).resolve().parents[3]
CONFIG = """\
[table]
name = "M7"
[rules]
profile = "s42-mini"
[shoe]
port = "socket://127.0.0.1:1"
[journal]
folder = "journal"
[evidence]
key = "table.key"
"""


def cut_short(journal: Path) -> None:
    with (journal / "live.db").open("r+b") as file:
        file.truncate(5000)


def text_in_its_place(journal: Path) -> None:
    (journal / "live.db").write_bytes(b"cards of table 7\n" * 400)


def garbage_in_the_log(journal: Path) -> None:
    (journal / "live.db-wal").write_bytes(bytes(range(1, 201)) * 40)


@pytest.mark.parametrize("damage", [cut_short, text_in_its_place, garbage_in_the_log])
def test_start_doctor_and_verifier_lead_to_the_same_page(
    sealed_journal, fast_dir: Path, damage: Callable[[Path], None]
) -> None:
    damage(sealed_journal(1))
    (fast_dir / "table.toml").write_text(CONFIG)
    config = load_config(fast_dir / "table.toml")
    shared = SharedParts(several=False, web=WebServers(), power_lines=PowerLines())

    verified = verify(config.journal_folder)
    with pytest.raises(StartRefused) as refused:
        TableProgram(config, shared, close_coup_as_partial=False).run(lambda: None)
    doctor = [one for one in check_journal(config) if one.grade is Grade.PROBLEM]

    assert not verified.intact
    assert PAGE in verified.problems[0].what
    assert PAGE in str(refused.value)
    assert "docs/damaged-journal.md" in doctor[0].remedy
    assert (ROOT / "docs/damaged-journal.md").read_text().startswith("# The journal is damaged\n")


def test_the_audit_finds_it_and_audits_the_sealed_shoes(sealed_journal) -> None:
    journal = sealed_journal(2)
    cut_short(journal)
    report = audit((journal,), AuditSettings())

    assert report.findings == 1
    assert report.total.shoes == 2
    (finding,) = audit_open_part(journal / "live.db").messages
    assert PAGE in finding.words
