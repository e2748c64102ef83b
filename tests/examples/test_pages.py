"""Every Markdown page of the repository: each console block is run, and prints what is shown."""

from pathlib import Path

import pytest
from console_page import needs_of_page, pages
from console_session import ROOT
from run_page import check_page, name_of

# Its scripts measure tests of order over many shoes: 20 s of a processor.
LONG = ("controller/monitors/README.md",)


def marks_of(page: Path) -> list[pytest.MarkDecorator]:
    needed = [pytest.mark.needs(name) for name in needs_of_page(page)]
    return [*needed, pytest.mark.full] if name_of(page) in LONG else needed


PAGES = [pytest.param(page, marks=marks_of(page)) for page in pages(ROOT)]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_examples_of_a_page_print_what_is_shown(page: Path) -> None:
    check_page(page)
