"""Each promise of README.md has tests that exist; the table of runs is made from records."""

import re
from pathlib import Path

import pytest
from proof_page import (
    KEPT,
    PROOF,
    README,
    ROOT,
    keep_runs,
    kept_runs,
    pages,
    table_of_runs,
    with_section,
)

from hil.run_record import (
    RUNS,
    MachineDescription,
    RunRecord,
    commit_of,
    encoded,
    file_stem,
    read_record,
    record_run,
)

REMEDY = "run: make generate"
LINK = re.compile(r"\[([^\]]+)\]\(([^)#]+)[^)]*\)")
MACHINE = MachineDescription("a processor", 2, "CPython 3.11.2", "Linux", 0.5)


def readme_promises(text: str) -> list[str]:
    """What the list "What it does" names: its first words in bold, and each page it leads to."""
    listed = text.split("## What it does\n", 1)[1].split("\n## ", 1)[0]
    leads = [LINK.sub(r"\1", one) for one in re.findall(r"\*\*(.+?)\*\*", listed)]
    return list(dict.fromkeys([*leads, *(name for name, _ in LINK.findall(listed))]))


def claims(text: str) -> list[list[str]]:
    """The rows of the table of claims: promise, claim, tests, short form, long form."""
    table = text.split("| promise | claim |", 1)[1].split("\n\n", 1)[0]
    return [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]


def test_each_promise_of_the_readme_has_its_row() -> None:
    proven = {row[0] for row in claims((ROOT / PROOF).read_text("utf-8"))}
    promised = readme_promises((ROOT / README).read_text("utf-8"))

    assert len(promised) > 8
    assert [one for one in promised if one not in proven] == []


def test_each_row_is_of_words_that_the_readme_has() -> None:
    text = " ".join((ROOT / README).read_text("utf-8").split())
    rows = claims((ROOT / PROOF).read_text("utf-8"))

    assert [row[0] for row in rows if row[0] not in text] == []


def test_each_row_names_tests_that_exist() -> None:
    rows = claims((ROOT / PROOF).read_text("utf-8"))
    named = {row[1]: [ROOT / "docs" / to for _, to in LINK.findall(row[2])] for row in rows}

    assert [claim for claim, paths in named.items() if not paths] == []
    assert [path for paths in named.values() for path in paths if not is_tested(path)] == []


def is_tested(path: Path) -> bool:
    """Whether it is a file of Python, or a folder that has some."""
    return (path.suffix == ".py" and path.is_file()) or any(path.rglob("*.py"))


def test_both_pages_show_the_records_and_the_limits() -> None:
    for page, text in pages().items():
        assert (ROOT / page).read_text("utf-8") == text, REMEDY


def test_a_promise_is_a_lead_or_a_page() -> None:
    text = "## What it does\n\n* **Rules**: on the [page](a.md).\n* **[Feed](b.md)**: x\n\n## End"

    assert readme_promises(text) == ["Rules", "Feed", "page"]


def test_a_list_is_made_again_below_the_words_of_its_section() -> None:
    text = "# A\n\n## B\n\nWords.\n\n| old |\n\n## C\n\nend\n"

    assert with_section(text, "## B", "| new |\n") == text.replace("old", "new")


# --- records of runs ------------------------------------------------------------------------------


@pytest.fixture
def checkout(checkout: Path) -> Path:
    (checkout / KEPT).mkdir(parents=True)
    return checkout


def test_a_run_is_kept_with_its_commit_and_shown(checkout: Path) -> None:
    record_run("make full", {"passed": 21_122, "failed": 0}, 1_261.0, checkout, MACHINE)
    (record,) = (read_record(path) for path in keep_runs(checkout))

    assert record.commit == commit_of(checkout)
    assert len(record.commit) == 12
    line = table_of_runs(kept_runs(checkout)).splitlines()[2]
    assert line.startswith(f"| `make full` | {record.version} | {record.commit} | {record.date} |")
    assert line.endswith(
        "21,122 passed, 0 failed | 21 min 1 s | a processor, 2 cores; CPython 3.11.2 |"
    )


def test_a_later_run_takes_the_place_of_the_one_before(checkout: Path) -> None:
    for failed in (3, 0):
        record_run("make full", {"failed": failed}, checkout=checkout, machine=MACHINE)
        keep_runs(checkout)

    assert [one.figures for one in kept_runs(checkout)] == [{"failed": 0}]


def test_of_each_command_the_newest_version_is_shown(checkout: Path) -> None:
    for version in ("0.9.0+0123456789ab", "0.10.0", "0.1.0"):
        record = RunRecord("make gate", version, {})
        (checkout / KEPT / f"{version}-{file_stem(record.what)}.json").write_bytes(encoded(record))

    found = [one.version for one in kept_runs(checkout)]
    assert found == ["0.10.0", "0.9.0+0123456789ab", "0.1.0"]
    shown = table_of_runs(kept_runs(checkout)).splitlines()[2:]
    assert [line.split(" | ")[1] for line in shown] == ["0.10.0"]
    assert not (checkout / RUNS).exists()
