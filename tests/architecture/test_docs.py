"""What people read: the README's size, its pictures, and every link of every Markdown page."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parents[2]
README_LINES_MAX = 120
README_WIDTH_MAX = 120
PICTURE_BYTES_MAX = 150_000
PAGES = tuple(
    path
    for path in sorted(ROOT.rglob("*.md"))
    if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
)


def test_the_readme_is_short() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()

    assert len(lines) <= README_LINES_MAX
    assert [line for line in lines if len(line) > README_WIDTH_MAX] == []


def test_pictures_are_small() -> None:
    sizes = {path.name: path.stat().st_size for path in (ROOT / "docs" / "pictures").iterdir()}

    assert sizes.keys() == {
        *("demo.svg", "evidence.png"),
        *(
            "page-play.png",
            "page-stop.png",
            "page-desktop.png",
            "page-stop-zh.png",
            "page-patrons-zh.png",
            "page-patrons.png",
        ),
    }
    assert {name: size for name, size in sizes.items() if size > PICTURE_BYTES_MAX} == {}


def tokens(page: Path) -> Iterator[Token]:
    """All tokens of a page, also those inside of lines."""
    for token in MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8")):
        yield token
        yield from token.children or ()


def targets(page: Path) -> list[str]:
    """The targets of links and pictures that are no address of the web."""
    found = [token.attrGet("href") or token.attrGet("src") for token in tokens(page)]
    return [str(one) for one in found if one and not re.match(r"[a-z]+:", str(one))]


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of a page's headings, as code hosts make them."""
    found: set[str] = set()
    heading = False
    for token in tokens(page):
        if heading and token.type == "inline":
            slug = anchor_of("".join(part.content for part in token.children or ()))
            number = 0
            while (one := f"{slug}-{number}" if number else slug) in found:
                number += 1
            found.add(one)
        heading = token.type == "heading_open"
    return frozenset(found)


def anchor_of(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def dead_links(page: Path, root: Path = ROOT) -> list[str]:
    found = []
    for target in targets(page):
        name, _, anchor = unquote(target).partition("#")
        path = (page.parent / name).resolve() if name else page
        if not path.exists() or not path.is_relative_to(root):
            found.append(f"{target}: no such file")
        elif anchor and anchor not in anchors(path):
            found.append(f"{target}: no such heading")
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert dead_links(page) == []


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# One, *two*\n\n# One, two\n\n"
        "[a](#one-two) [b](#one-two-1) [c](#one-two-2) [d](no.md)\n\n"
        "| a |\n| - |\n| [e](page.md#three) ![f](f.png) [g](https://example.com) |\n",
        encoding="utf-8",
    )

    assert dead_links(page, tmp_path) == [
        "#one-two-2: no such heading",
        "no.md: no such file",
        "page.md#three: no such heading",
        "f.png: no such file",
    ]
