"""No module imports itself by way of others, not even for its types; nor does a C file.

A C file and the header of its name count as one.
"""

import re
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter

import pytest
from import_configuration import ROOT, root_packages
from import_contracts import graph

pytestmark = pytest.mark.needs("import-linter")

FIRMWARE = ROOT / "hil" / "firmware"


def circle_in(imports: Mapping[str, Iterable[str]]) -> list[str]:
    """A chain of names from one back to itself; empty if there is none."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def imported_modules() -> dict[str, set[str]]:
    ours = [one for one in graph().modules if one.startswith(root_packages())]
    return {one: graph().find_modules_directly_imported_by(one) for one in ours}


def included_files() -> dict[str, set[str]]:
    included: dict[str, set[str]] = {}
    for path in FIRMWARE.glob("*/*.[ch]"):
        names = re.findall(r'^#include "(.+)\.h"', path.read_text("utf-8"), re.MULTILINE)
        included.setdefault(path.stem, set()).update({*names} - {path.stem})
    return included


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert circle_in(imported_modules()) == []


def test_no_file_of_the_firmware_includes_itself_by_way_of_others() -> None:
    included = included_files()

    assert included["session"] >= {"requests", "state"}
    assert circle_in(included) == []


@pytest.mark.parametrize(
    ("imports", "length"),
    [
        ({"device": {"session"}, "session": {"requests"}, "requests": {"device"}}, 4),
        ({"play": {"step"}, "step": {"play"}}, 3),
    ],
)
def test_a_circle_is_found(imports: dict[str, set[str]], length: int) -> None:
    assert len(circle_in(imports)) == length
