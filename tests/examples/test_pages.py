"""Every Markdown page of the repository: each block is typed, and prints what is shown.

A page that begins with `apt-get` is what a newcomer types, who may be a user or root.
Source: user_namespaces(7).
"""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from console_page import begins_with_apt, needs_of_page, pages
from console_session import ROOT
from run_page import check_page, name_of

# Its scripts measure tests of order over many shoes: 20 s of a processor.
LONG = ("controller/monitors/README.md",)


def params(found: Iterable[Path]) -> list[ParameterSet]:
    """The pages, each with what its examples need."""
    return [pytest.param(page, marks=marks_of(page)) for page in found]


def marks_of(page: Path) -> list[pytest.MarkDecorator]:
    needed = [pytest.mark.needs(name) for name in needs_of_page(page)]
    return [*needed, pytest.mark.full] if name_of(page) in LONG else needed


FIRST_PAGES = [page for page in pages(ROOT) if begins_with_apt(page)]
UNSHARE = (shutil.which("unshare") or "unshare", "--user")
USER = (*UNSHARE, "--map-user=1000", "--map-group=1000")
OTHER = USER if os.geteuid() == 0 else (*UNSHARE, "--map-root-user")


@pytest.mark.parametrize("page", params(pages(ROOT)), ids=name_of)
def test_the_examples_of_a_page_print_what_is_shown(page: Path) -> None:
    check_page(page)


@pytest.mark.needs("user-namespace")
@pytest.mark.parametrize("page", params(FIRST_PAGES), ids=name_of)
def test_root_and_a_user_can_type_what_a_newcomer_types(page: Path) -> None:
    """The test above is one of the two; here is the other."""
    assert check_page(page, account=OTHER)


def test_the_pages_of_a_newcomer_are_known() -> None:
    assert {"README.md", "docs/first-run.md"} <= {name_of(page) for page in FIRST_PAGES}
