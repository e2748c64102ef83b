"""Every heading of a README or page that a docstring names is there."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("foundation", "firmware_bridge", "drivers", "controller", "office", "hil", "tests")
CITATION = re.compile(r'([\w/-]+\.md)((?:,?\s(?:and\s)?"[^"]+")*)')
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def citations() -> Iterator[tuple[Path, str, str]]:
    """Each file, the page it names (relative to the root), and a heading or nothing."""
    for source in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        words = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or ""
        for page, quoted in CITATION.findall(" ".join(words.split())):
            headings = re.findall(r'"([^"]+)"', quoted)
            yield from ((source, page, heading) for heading in headings or [""])


def headings_of(page: str) -> set[str]:
    path = ROOT / page
    return set(HEADING.findall(path.read_text(encoding="utf-8"))) if path.exists() else set()


def test_each_cited_heading_exists() -> None:
    found = list(citations())

    missing = [
        f"{source.relative_to(ROOT)}: {page} {heading}"
        for source, page, heading in found
        if not (ROOT / page).exists() or (heading and heading not in headings_of(page))
    ]

    assert not missing, "\n".join(missing)
    assert len(found) > 100
