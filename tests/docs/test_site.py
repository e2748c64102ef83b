"""The documentation's site: every link leads somewhere, nothing is fetched, no page is garbled."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt
from site_pages import PageContents, read_site

pytestmark = pytest.mark.needs("mkdocs")

ROOT = Path(__file__).resolve().parents[2]
ELSEWHERE = re.compile(r"^(?:[a-z]+:)?//")
FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
# Pages of the site that no Markdown file stands behind, and the one file that is no page.
OWN = frozenset({"404.html"})
NO_PAGE = frozenset({"README.md"})


def page_of(name: str) -> str:
    """The site's page of a Markdown file, by its path in the repository."""
    return re.sub(
        r"(?:README)?\.md$",
        lambda one: ".html" if one[0] == ".md" else "index.html",
        name.removeprefix("docs/"),
    )


def markdown_files() -> list[str]:
    names = (path.relative_to(ROOT) for path in sorted(ROOT.rglob("*.md")))
    return [
        name.as_posix()
        for name in names
        if not any(part.startswith(".") or part == "build" for part in name.parts)
        and name.as_posix() not in NO_PAGE
    ]


@pytest.fixture(scope="module")
def contents(site: Path) -> dict[Path, PageContents]:
    return read_site(site)


def test_every_markdown_page_is_on_the_site(site: Path) -> None:
    assert [one for one in markdown_files() if not (site / page_of(one)).exists()] == []


def test_every_link_leads_somewhere(site: Path, contents: dict[Path, PageContents]) -> None:
    dead = []
    for page, found in contents.items():
        for link in found.links:
            name, _, anchor = unquote(link).partition("#")
            target = (page.parent / name).resolve() if name else page
            if re.match(r"[a-z]+:", link) or page.name in OWN:
                continue
            if not target.is_file() or (
                anchor and target in contents and anchor not in contents[target].ids
            ):
                dead.append(f"{page.relative_to(site)}: {link}")

    assert dead == []


def test_nothing_comes_from_elsewhere(site: Path, contents: dict[Path, PageContents]) -> None:
    fetched = {
        f"{page.relative_to(site)}: {one}"
        for page, found in contents.items()
        for one in found.loaded
        if ELSEWHERE.match(one)
    }
    for sheet in site.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        fetched |= {
            f"{sheet.relative_to(site)}: {one}"
            for one in re.findall(r"(?:url\(|@import )[\"']?([^)\"';]+)", text)
            if ELSEWHERE.match(one)
        }

    assert fetched == set()


def test_pages_look_as_on_a_code_host(site: Path, contents: dict[Path, PageContents]) -> None:
    parser = MarkdownIt("commonmark").enable("table")
    garbled = {}
    for name in markdown_files():
        text = FRONT_MATTER.sub("", (ROOT / name).read_text(encoding="utf-8"))
        meant = PageContents(parser.render(text), whole=True).elements
        shown = contents[site / page_of(name)].elements
        if meant != shown:
            garbled[name] = (meant - shown, shown - meant)

    assert garbled == {}
