"""A library that few may import is imported by its owners alone, as contracts.toml has them."""

from itertools import product

import pytest
from import_configuration import owners_of_libraries, root_packages
from import_contracts import graph

pytestmark = pytest.mark.needs("import-linter")

LIBRARIES = owners_of_libraries()
# Modules of ours that own no library.
STRANGERS = ("controller.rules.settlement.payout", "drivers.framing", "firmware_bridge.link")


def is_owner(module: str, library: str) -> bool:
    return f"{module}.".startswith(tuple(f"{one}." for one in LIBRARIES[library]))


def importers_of(library: str) -> list[str]:
    known = library in graph().modules
    return sorted(graph().find_modules_that_directly_import(library)) if known else []


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_is_imported_by_its_owners_alone(library: str) -> None:
    assert [one for one in importers_of(library) if not is_owner(one, library)] == []


@pytest.mark.parametrize("library", LIBRARIES)
def test_each_owner_exists_and_imports_it(library: str) -> None:
    importers = importers_of(library)
    idle = [
        owner
        for owner in LIBRARIES[library]
        if not any(f"{one}.".startswith(f"{owner}.") for one in importers)
    ]
    assert idle == []


def test_a_module_of_ours_that_is_no_owner_is_a_stranger_to_each() -> None:
    assert not any(is_owner(*pair) for pair in product(STRANGERS, LIBRARIES))
    assert set(root_packages()) >= {one.partition(".")[0] for one in STRANGERS}
