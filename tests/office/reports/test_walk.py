"""An inspector's walk by links alone: day, shoe, coup, clause, bundle, and its own verifier."""

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from controller.rules.profiles.load import load_clauses
from office.reports.day_folder import day_files, store_folder

MADE_NS = 1_763_720_000_000_000_001


class LinkedPage(HTMLParser):
    """The links of a page with the id of the part they stand in, and the text of each part."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[tuple[str, str]] = []
        self.parts: dict[str, str] = {}
        self._part = ""
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if found.get("id"):
            self._part = str(found["id"])
            self.parts[self._part] = ""
        if tag == "a":
            self.links.append((self._part, str(found["href"])))

    def handle_data(self, data: str) -> None:
        if self._part:
            self.parts[self._part] = " ".join(f"{self.parts[self._part]} {data}".split())

    def links_in(self, part: str) -> list[str]:
        return [href for where, href in self.links if where == part]


def links_of(folder: Path) -> Iterator[tuple[Path, str]]:
    """Every link of every page: the file it leads to, and the id there."""
    for path in sorted(folder.glob("*.html")):
        for _, href in LinkedPage(path).links:
            name, _, part = href.partition("#")
            yield (folder / name if name else path), part


@pytest.fixture(scope="module")
def walked(irregular_day: Path, tmp_path_factory) -> Path:
    """The report of a day with the bundle of each coup."""
    folder = tmp_path_factory.mktemp("walk") / "day"
    store_folder(folder, day_files(irregular_day, "", load_clauses(), MADE_NS))
    return folder


def test_every_link_leads_somewhere(walked: Path) -> None:
    pages = {path: LinkedPage(path) for path in walked.glob("*.html")}
    found = list(links_of(walked))

    assert len(found) > 100
    for path, part in found:
        assert path.is_file(), path
        assert not part or part in pages[path].parts, (path, part)


def test_without_bundles_every_coup_leads_to_its_command(irregular_day: Path, tmp_path) -> None:
    store_folder(tmp_path / "day", day_files(irregular_day, "", load_clauses()))
    pages = {path: LinkedPage(path) for path in (tmp_path / "day").glob("*.html")}

    for path, part in links_of(tmp_path / "day"):
        assert path.is_file(), path
        assert not part or part in pages[path].parts, (path, part)
    assert (
        "smartshoe evidence 2026-11-18/1/3 --journal"
        in pages[tmp_path / "day" / "bundles.html"].parts["coup-1-3"]
    )


def test_from_the_day_to_a_coup_its_clause_and_its_verified_bundle(
    walked: Path, tmp_path: Path
) -> None:
    day = LinkedPage(walked / "day.html")
    to_coup = next(href for _, href in day.links if "#coup-" in href)
    shoe_name, _, coup = to_coup.partition("#")
    assert shoe_name in [href for _, href in day.links]

    shoe = LinkedPage(walked / shoe_name)
    assert shoe.parts[coup].startswith(coup.removeprefix("coup-"))
    of_coup = shoe.links_in(coup)
    irregularity = next(one[1:] for one in of_coup if one.startswith("#irregularity-"))
    assert "Noticed at" in shoe.parts[irregularity]
    assert "decided: play goes on" in shoe.parts[irregularity]

    rules = next(one[1:] for one in of_coup if one.startswith("#rules-"))
    clauses = [href[1:] for href in shoe.links_in(rules)]
    assert clauses
    for one in clauses:
        clause = load_clauses()[one]
        assert f"{clause.text} ({clause.source})" in shoe.parts[one]
        # They stand where the coup's link leads, too.
        assert f"{clause.text} ({clause.source})" in shoe.parts[rules]

    (bundle,) = (one for one in of_coup if one.endswith(".zip"))
    with zipfile.ZipFile(walked / bundle) as archive:
        archive.extractall(tmp_path)
    verified = subprocess.run(
        [sys.executable, "verify.py", "."], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    code = verified.stdout.partition("short code of ")[2].split()[1]
    assert verified.stdout.startswith("intact")
    assert code in (walked / "day.html").read_text("utf-8")
