"""Every Markdown page of the repository: each console block is run, and prints what is shown."""

from pathlib import Path

import pytest
from console_page import pages
from console_session import ROOT
from run_page import check_page, name_of


@pytest.mark.parametrize("page", list(pages(ROOT)), ids=name_of)
def test_the_examples_of_a_page_print_what_is_shown(page: Path) -> None:
    check_page(page)
