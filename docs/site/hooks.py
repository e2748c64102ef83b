"""Lays the repository's pages out as one site: pages outside docs/, links to files, anchors.

A page of docs/ keeps its name; every other Markdown page stands where it stands in the repository.
A file or folder that a page names gets a page of its own below sources/, so that the site needs no
other server. Source: CONTRIBUTING.md, "The documentation's site".
"""

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
DOCS = "docs/"
SOURCES = "sources/"
# The front page of a code host; the site has its own.
LEFT_OUT = frozenset({"README.md"})
FENCE = re.compile(r"^ *(`{3,}|~{3,})")
MORE_WORDS = re.compile(r"(?<=\w)( .*)(?=\n)")
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?(?=\))")
LANGUAGES = {
    ".json": "json",
    ".py": "python",
    ".toml": "toml",
    ".yml": "yaml",
    ".md": "markdown",
}


def slug(heading: str, separator: str) -> str:
    """The anchor of a heading as code hosts make it, so that one link serves both."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", separator)


def pages_outside() -> Iterator[str]:
    """Every Markdown page that is not below docs/, by its path in the repository."""
    for path in sorted(ROOT.rglob("*.md")):
        name = path.relative_to(ROOT)
        hidden = any(part.startswith(".") or part == "build" for part in name.parts)
        if not hidden and name.as_posix() not in LEFT_OUT and name.parts[0] != "docs":
            yield name.as_posix()


def lines_of(text: str) -> Iterator[tuple[str, str]]:
    """Each line with its end, and what it is: "text", "fence" (one that opens) or "code"."""
    fence = ""
    for line in text.splitlines(keepends=True):
        mark = FENCE.match(line)
        if fence:
            yield line, "code"
            if mark and line.strip() == mark[1] and mark[1].startswith(fence):
                fence = ""
        else:
            fence = mark[1] if mark else ""
            yield line, "fence" if mark else "text"


def target_of(page: str, link: str) -> str:
    """The path in the repository to which a link of the page `page` (a path, too) leads."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(link)))


def links(page: str, text: str) -> Iterator[str]:
    """The targets of all links of a page, as paths in the repository."""
    for line, kind in lines_of(text):
        if kind == "text":
            yield from (target_of(page, found[1]) for found in LINK.finditer(line))


def place(path: str) -> str:
    """Where a file of the repository stands on the site; a folder stands for its README."""
    if (ROOT / path).is_dir():
        readme = f"{path}/README.md"
        return readme if (ROOT / readme).exists() else f"{SOURCES}{path}/index.md"
    if path.startswith(DOCS):
        return path.removeprefix(DOCS)
    return path if path.endswith(".md") else f"{SOURCES}{path}.md"


def listing(path: str) -> str:
    """The page of a file or folder: its text, or the names in it."""
    found = ROOT / path
    head = f"---\nsearch: {{ exclude: true }}\n---\n\n# {path}\n\n"
    if found.is_dir():
        names = sorted(one.name for one in found.iterdir() if not one.name.startswith(("_", ".")))
        return head + "".join(f"* {name}\n" for name in names)
    language = LANGUAGES.get(found.suffix, "text")
    return f"{head}``````{language}\n{found.read_text(encoding='utf-8')}\n``````\n"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Anchors as code hosts make them."""
    config.mdx_configs["toc"]["slugify"] = slug
    return config


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages outside docs/, and one for each file that some page names."""
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in pages_outside()}
    for name, text in texts.items():
        files.append(File.generated(config, name, content=text))
    for one in files.documentation_pages():
        if one.src_uri not in texts:
            texts[DOCS + one.src_uri] = one.content_string
    named = sorted({path for page, text in texts.items() for path in links(page, text)})
    for path in named:
        if (ROOT / path).exists() and place(path).startswith(SOURCES):
            files.append(File.generated(config, place(path), content=listing(path)))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links between places in the repository into links between pages of the site."""
    own = page.file.src_uri
    if own.startswith(SOURCES):
        return markdown
    origin = own if page.file.generated_by else DOCS + own

    def moved(found: re.Match[str]) -> str:
        target = place(target_of(origin, found[1]))
        return posixpath.relpath(target, posixpath.dirname(own)) + (found[2] or "")

    def shown(line: str, kind: str) -> str:
        if kind == "text":
            return LINK.sub(moved, line)
        # The site's parser allows one word after the mark of a block.
        return MORE_WORDS.sub("", line) if kind == "fence" else line

    return "".join(shown(line, kind) for line, kind in lines_of(markdown))
