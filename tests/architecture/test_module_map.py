"""The module map in docs/architecture.md is the tree."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("foundation", "firmware_bridge", "drivers", "controller", "office", "hil")
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "```modules\n", "```\n"


def folders() -> list[Path]:
    found = {path.parent for package in PACKAGES for path in (ROOT / package).rglob("*.py")}
    return sorted(found, key=lambda path: (PACKAGES.index(path.relative_to(ROOT).parts[0]), path))


def line_of(folder: Path) -> str:
    stems = sorted(path.stem for path in folder.glob("*.py") if path.stem != "__init__")
    depth = len(folder.relative_to(ROOT).parts) - 1
    return f"{'  ' * depth}{folder.name}/: {' '.join(stems)}".rstrip()


def tree_map() -> str:
    return "".join(f"{line_of(folder)}\n" for folder in folders())


def parts(text: str) -> tuple[str, str, str]:
    """The page before the map, the map, and the page after it."""
    before, rest = text.split(BEGIN)
    listed, after = rest.split(END, 1)
    return before, listed, after


def test_the_module_map_is_the_tree() -> None:
    _, listed, _ = parts(PAGE.read_text(encoding="utf-8"))

    assert listed == tree_map(), "run: make generate"


def test_the_map_keeps_the_page_around_it() -> None:
    text = f"# Page\n{BEGIN}old/: one\n{END}after\n"

    assert parts(text) == ("# Page\n", "old/: one\n", "after\n")


def write_generated() -> None:
    before, _, after = parts(PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(f"{before}{BEGIN}{tree_map()}{END}{after}", encoding="utf-8")
