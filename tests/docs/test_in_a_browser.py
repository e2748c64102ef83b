"""The site in a browser: the card is one sheet of A4, nothing is fetched, no page is too wide."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_expectations import wait_for_progress
from playwright.sync_api import Browser, sync_playwright

pytestmark = pytest.mark.needs("chromium", "mkdocs")
SIZES = {"desktop": (1280, 900), "phone": (390, 844)}
LOOKED_AT = ("index", "commissioning", "floorperson-card", "what-to-do", "regulator")
SHEET = re.compile(rb"/Type\s*/Page\b")
LOCAL = ("file:", "data:", "blob:")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        one = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        yield one
        one.close()


def test_the_card_is_printed_on_one_sheet(site: Path, browser: Browser) -> None:
    page = browser.new_page()
    wait_for_progress(page)
    page.goto((site / "floorperson-card.html").as_uri())

    sheets = SHEET.findall(page.pdf(format="A4", prefer_css_page_size=True))

    page.close()
    assert len(sheets) == 1


@pytest.mark.parametrize("size", SIZES)
def test_pages_fit_and_fetch_nothing(site: Path, browser: Browser, size: str) -> None:
    width, height = SIZES[size]
    page = browser.new_page(viewport={"width": width, "height": height})
    wait_for_progress(page)
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    too_wide = []

    for name in LOOKED_AT:
        page.goto((site / f"{name}.html").as_uri())
        if page.evaluate("document.documentElement.scrollWidth") > width:
            too_wide.append(name)

    page.close()
    assert too_wide == []
    assert [one for one in fetched if not one.startswith(LOCAL)] == []


def test_the_search_works_from_a_folder(site: Path, browser: Browser) -> None:
    page = browser.new_page()
    wait_for_progress(page)
    page.goto((site / "index.html").as_uri())
    page.click(".md-search__input")

    page.keyboard.type("floorperson")

    page.wait_for_selector(".md-search-result__link")
    found = page.eval_on_selector_all(".md-search-result__link", "all => all.map(one => one.href)")
    page.close()
    assert any("floorperson-card.html" in one for one in found)
