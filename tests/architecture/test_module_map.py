"""The module map in README.md lists exactly the modules of the four packages."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("firmware_bridge", "drivers", "controller", "hil")


def folders() -> list[Path]:
    found = {path.parent for package in PACKAGES for path in (ROOT / package).rglob("*.py")}
    return sorted(found, key=lambda path: (PACKAGES.index(path.relative_to(ROOT).parts[0]), path))


def line_of(folder: Path) -> str:
    stems = sorted(path.stem for path in folder.glob("*.py") if path.stem != "__init__")
    return f"{folder.relative_to(ROOT)}/: {' '.join(stems)}"


def map_in_readme() -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return text.split("```modules\n")[1].split("```")[0].strip().splitlines()


def test_the_module_map_is_the_tree() -> None:
    expected = [line_of(folder) for folder in folders()]
    assert map_in_readme() == expected, "the README's map should be:\n" + "\n".join(expected)
