"""READMEs and docs name only what exists: modules, classes, functions, fields, files, links.

A name is a word in backticks that looks like one: CamelCase, with an underscore, or a file's name;
in a table of modules every word of the first column.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from import_configuration import ROOT, root_packages

FOLDERS = (*root_packages(), "tests")
PAGES = sorted(
    [
        *(page for folder in FOLDERS for page in (ROOT / folder).rglob("README.md")),
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    ]
)
SOURCES = {".py", ".c", ".h", ".toml", ".csv"}

FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
WORD = re.compile(r"[A-Za-z_]\w*")
NAME = re.compile(r"[a-z]\w*_\w+|[A-Z]\w*[a-z]\w*[A-Z]\w*")
# `Draw`, `Pause(kind)`; not a card such as `Qs`.
CLASS = re.compile(r"([A-Z][a-z]\w+)(\(.*\))?")
FILE = re.compile(r"[\w./*-]+\.(?:py|c|h|md|csv|toml)")
PACKAGE = re.compile(r"smartshoe_\S+\.deb")  # tests/packaging compares them with what is built
MODULE_TABLE = re.compile(r"\| (?:package or )?(?:module|package)[^|]*\|")
PACKAGE = re.compile(r"smartshoe_\S+\.deb")  # tests/packaging compares them with what is built
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)

# Of other programs and libraries, or of a formula.
FOREIGN = frozenset(
    {
        *("authorized_default", "latency_timer", "max_dgram_qlen"),  # Linux
        "generate_latest",  # prometheus-client, as what stands below
        *("process_cpu_seconds_total", "process_resident_memory_bytes"),
        *("process_virtual_memory_bytes", "process_open_fds", "process_max_fds"),
        *("process_start_time_seconds", "python_info", "python_gc_collections_total"),
        *("python_gc_objects_collected_total", "python_gc_objects_uncollectable_total"),
        *("basic_auth", "runbook_url", "tls_config"),  # Prometheus
        *("secure_delete", "user_version"),  # SQLite
        *("DeviceAllow", "SupplementaryGroups"),  # systemd
        *("if_description", "if_name", "if_speed", "if_tsresol", "opt_comment"),  # pcapng
        "shb_userappl",  # pcapng
        "tpm2_sign",  # tpm2-tools
        *("NetworkPowerPort", "USBPowerPort", "USBSerialPort"),  # labgrid
        "ign_set_control",  # pyserial
        "chain_n",
    }
)
# Files that a run or a person writes.
WRITTEN = re.compile(r"table\.toml|.*NAME\.(csv|toml)|verify\.py|README\.md")


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def spans_of(text: str) -> list[str]:
    """What stands in backticks outside of fenced blocks."""
    return SPAN.findall(FENCED.sub("", text))


def names_in(span: str) -> Iterator[str]:
    """The words of a span that look like a name of this program."""
    if found := CLASS.fullmatch(span):
        yield found.group(1)
    if not FILE.fullmatch(span) and not PACKAGE.fullmatch(span):
        yield from (word for word in WORD.findall(span) if NAME.fullmatch(word))


@cache
def known_names() -> frozenset[str]:
    """Modules, packages, and what the sources define: names, parameters, whole texts."""
    names = {path.stem for path in (ROOT / "tests").rglob("*")}
    for package in root_packages():
        for path in (ROOT / package).rglob("*"):
            names.add(path.stem)
            if path.suffix == ".py":
                names |= names_defined(ast.parse(text_of(path)))
            elif path.suffix in SOURCES:
                names |= set(WORD.findall(text_of(path)))
    # The metrics: `_counter(registry, "coups", ...)` is smartshoe_coups_total.
    prefixed = {name.removeprefix("smartshoe_") for name in names}
    return frozenset(names | prefixed | {f"{name}_total" for name in prefixed})


def names_defined(tree: ast.Module) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.arg(arg=name):
                names.add(name)
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                names.add(name)
            case ast.Constant(value=str(text)):
                names.add(text)
    return names


def exists(file: str, page: Path) -> bool:
    """A file is named by its path in the page's room, the package or the repository."""
    package = ROOT / page.relative_to(ROOT).parts[0]
    if file.startswith("/"):
        # A place on a table's machine.
        return True
    return any(page.parent.rglob(file)) or any(package.glob(file)) or any(ROOT.glob(file))


def module_cells(text: str) -> Iterator[str]:
    """The words in backticks in the first column of a table of modules or packages."""
    inside = False
    for line in text.splitlines():
        if not line.startswith("|"):
            inside = False
        elif MODULE_TABLE.match(line):
            inside = True
        elif inside:
            yield from SPAN.findall(line.split("|")[1])


def is_module(name: str, page: Path) -> bool:
    folders = (page.parent, *(one for one in page.parent.iterdir() if one.is_dir()))
    return any((one / name).is_dir() or (one / f"{name}.py").exists() for one in folders)


def unknown_names(page: Path, text: str) -> list[str]:
    spans = spans_of(text)
    names = {name.removeprefix("smartshoe_") for span in spans for name in names_in(span)}
    files = {span for span in spans if FILE.fullmatch(span) and not WRITTEN.fullmatch(span)}
    return [
        *sorted(names - known_names() - FOREIGN),
        *sorted(one for one in files if not exists(one, page)),
        *sorted({one for one in module_cells(text) if not is_module(one, page)}),
    ]


def anchors_of(page: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    headings = (re.sub(r"[^\w\- ]", "", one.lower()) for one in HEADING.findall(text_of(page)))
    return {one.replace(" ", "-") for one in headings}


def broken_links(page: Path, text: str) -> list[str]:
    broken = []
    for link in LINK.findall(FENCED.sub("", text)):
        if link.startswith(("https://", "http://")):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (anchor and anchor not in anchors_of(target)):
            broken.append(link)
    return broken


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_names_only_what_exists(page: Path) -> None:
    text = text_of(page)

    assert not unknown_names(page, text), "use the names of today's modules, classes and fields"
    assert not broken_links(page, text)


def test_names_that_do_not_exist_are_found() -> None:
    page = ROOT / "controller" / "core" / "README.md"
    old = "`core_devices`, `Growing`, `CustodyDesk(state)`, `acted.py`, `CoreState`, `state.py`\n"
    table = "| module | |\n| --- | --- |\n| `build`, `desk` | `any` |\n"

    assert unknown_names(page, old + table) == [
        *("CustodyDesk", "Growing", "core_devices"),
        *("acted.py", "desk"),
    ]
    assert broken_links(
        page, "[a](../rules/actions/README.md#actions) [b](#seams) [c](gone.md)"
    ) == [
        "#seams",
        "gone.md",
    ]
    assert len(PAGES) > 20


# --- tests that pages name ------------------------------------------------------------------------

TEST_NAME = re.compile(r"\b(test_\w+)((?:\.\.\.)?)")


def names_of_tests() -> frozenset[str]:
    """The names of all tests, and of their modules."""
    modules = tuple((ROOT / "tests").rglob("*.py"))
    named = (re.findall(r"def (test_\w+)", one.read_text()) for one in modules)
    return frozenset((*(one.stem for one in modules), *(name for names in named for name in names)))


def test_every_test_that_a_page_names_is_there() -> None:
    """A row of a table of attacks proves nothing by a test that was renamed."""
    there = names_of_tests()
    missing = [
        f"{page.relative_to(ROOT)}: {name}"
        for page in PAGES
        for name, shortened in TEST_NAME.findall(page.read_text())
        if name not in there and not (shortened and any(one.startswith(name) for one in there))
    ]
    assert not missing, missing
