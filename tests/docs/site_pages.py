"""Reads the pages of a built site: what they link, load and contain."""

from collections import Counter
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

COUNTED = frozenset({"table", "tr", "ul", "ol", "li", "pre", "h1", "h2", "h3", "h4", "img"})
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src"}


class PageContents(HTMLParser):
    """Links, loaded files and ids of a page, and how often each element is in its article.

    `whole`: the page is an article without the site around it.
    """

    def __init__(self, text: str, *, whole: bool = False) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.ids: set[str] = set()
        self.elements: Counter[str] = Counter()
        self._inside = whole
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self._inside |= tag == "article"
        if values.get("id"):
            self.ids.add(str(values["id"]))
        if tag == "a" and values.get("href") is not None:
            self.links.append(str(values["href"]))
        if tag == "link" and values.get("rel") != "canonical":
            self.loaded.append(str(values.get("href")))
        if (name := LOADED.get(tag)) and values.get(name):
            self.loaded.append(str(values[name]))
        if self._inside and tag in COUNTED:
            self.elements[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        self._inside &= tag != "article"


def read_site(folder: Path) -> dict[Path, PageContents]:
    """Every page of a site."""
    pages = sorted(folder.rglob("*.html"))
    return {page: PageContents(page.read_text(encoding="utf-8")) for page in pages}
