"""`make generate` writes all that is generated."""

import ast
from pathlib import Path

from generate import WRITERS

ROOT = Path(__file__).resolve().parents[2]


def defines_a_writer(file: Path) -> bool:
    tree = ast.parse(file.read_text("utf-8"))
    return any(
        isinstance(one, ast.FunctionDef) and one.name == "write_generated" for one in tree.body
    )


def test_every_writer_is_called() -> None:
    files = {one for one in (ROOT / "tests").rglob("*.py") if defines_a_writer(one)}

    assert {str(one.relative_to(ROOT)) for one in files} == set(WRITERS)
