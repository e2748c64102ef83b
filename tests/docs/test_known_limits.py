"""Each known limit still is one, and no page but the list says what is missing.

Source: docs/known_limits.toml.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from proof_page import LIMITS_HEADING, PROOF, README, README_HEADING, ROOT, Limit, known_limits

# Words that say that something is missing for the time being.
MISSING = re.compile(
    r"\bnot (?:yet )?in this version\b|\bplanned\b|\bto come\b(?! back)|\bcoming soon\b"
    r"|\b(?:in|of) a (?:later|future) version\b|\bTODO\b"
    r"|\b(?:is|are|was|were) not tried\b|\bnot been (?:seen|tried)\b|\bwas not measured\b"
    r"|\bnot yet (?:built|done|implemented|supported|there)\b"
    r"|\bwill be (?:added|built|implemented|supported)\b",
    re.IGNORECASE,
)
TAKE_OFF = "take the entry off docs/known_limits.toml, and run: make generate"


def standing(limit: Limit, folder: Path, root: Path = ROOT) -> str:
    """Why the limit no longer stands; empty while it does."""
    if limit.file:
        found = [path.relative_to(root) for path in root.glob(limit.file)]
        return f"there is {found[0]}" if found else ""
    if limit.within:
        there = limit.text_absent in (root / limit.within).read_text("utf-8")
        return f"{limit.within} has {limit.text_absent}" if there else ""
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        limit.command,
        cwd=folder,
        env={**os.environ, "PATH": programs, "REPOSITORY": str(root)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    printed = " ".join(f"{done.stdout} {done.stderr}".split())
    if done.returncode == 0:
        return f"it succeeds: {' '.join(limit.command)}"
    return "" if limit.says in printed else f"it says something else: {printed[-400:]}"


def absences(text: str) -> list[str]:
    """The lines of a page that say what is missing."""
    return [line for line in text.splitlines() if MISSING.search(line)]


def without_limits(page: Path) -> str:
    """The page without the list that says so."""
    heading = {ROOT / PROOF: LIMITS_HEADING, ROOT / README: README_HEADING}.get(page)
    text = page.read_text("utf-8")
    if heading is None:
        return text
    before, _, rest = text.partition(heading)
    return before + rest.partition("\n## ")[2]


@pytest.mark.parametrize("limit", known_limits(), ids=lambda limit: limit.title)
def test_a_limit_that_is_listed_still_is_one(limit: Limit, tmp_path: Path) -> None:
    gone = standing(limit, tmp_path)

    assert not gone, f"{limit.title}: {gone}; {TAKE_OFF}"


def test_no_other_page_says_what_is_missing() -> None:
    pages = [
        path
        for path in sorted(ROOT.rglob("*.md"))
        if not any(part.startswith(".") or part == "build" for part in path.relative_to(ROOT).parts)
        and path.name != "CHANGELOG.md"
        and path.relative_to(ROOT).parts[0] != "tests"
    ]
    found = {str(path.relative_to(ROOT)): absences(without_limits(path)) for path in pages}

    assert {name: lines for name, lines in found.items() if lines} == {}
    assert len(found) > 80


@pytest.mark.parametrize(
    "line",
    [
        "* **Not in this version**: alerts.",
        "| status, an operator page to come |",
        "Brackets are rooms that are planned.",
        "An installer will be added.",
        "The dashboards have not been seen in a Grafana.",
        "A second machine and SSH were not tried.",
    ],
)
def test_a_line_that_says_so_is_found(line: str) -> None:
    assert absences(f"# A page\n\n{line}\n") == [line]


@pytest.mark.parametrize(
    ("probe", "gone"),
    [
        (Limit("a", "a", command=("true",), says="x"), "it succeeds: true"),
        (Limit("a", "a", command=("sh", "-c", "echo y; exit 1"), says="x"), "something else: y"),
        (Limit("a", "a", command=("sh", "-c", "echo x; exit 1"), says="x"), ""),
        (Limit("a", "a", file="built.*"), "there is built.py"),
        (Limit("a", "a", file="other.*"), ""),
        (Limit("a", "a", text_absent="word", within="built.py"), "built.py has word"),
        (Limit("a", "a", text_absent="other", within="built.py"), ""),
    ],
)
def test_what_was_built_takes_its_entry_off_the_list(
    probe: Limit, gone: str, tmp_path: Path
) -> None:
    (tmp_path / "built.py").write_text("word\n")

    assert gone in (found := standing(probe, tmp_path, tmp_path))
    assert bool(gone) == bool(found)


@pytest.mark.parametrize(
    "probe", [{}, {"command": ("true",)}, {"file": "a", "command": ("a",), "says": "b"}]
)
def test_an_entry_without_one_whole_probe_is_refused(probe: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="no whole probe"):
        Limit("a", "a", **probe)
