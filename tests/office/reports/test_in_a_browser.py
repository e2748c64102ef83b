"""Reports in a browser: an inspector follows a coup to its rules; paper needs no colour."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from page_expectations import expect, wait_for_progress
from playwright.sync_api import Page, sync_playwright

from controller.rules.profiles.load import load_clauses
from office.reports.day_folder import day_files, store_folder

pytestmark = pytest.mark.needs("chromium")

# Of each mark in that colour: how its line is broken, and whether it is filled.
MARKS = """colour => [...document.querySelectorAll(".roads svg circle, .roads svg line")]
  .filter(one => [one.getAttribute("stroke"), one.getAttribute("fill")].includes(colour))
  .filter(one => !["3", "9"].includes(one.getAttribute("r")))
  .map(one => { const drawn = getComputedStyle(one);
    return [drawn.strokeDasharray !== "none", drawn.fill === "rgb(255, 255, 255)"]; })"""
BLUE, RED = "#1846a3", "#b3151d"


@pytest.fixture(scope="module")
def report(irregular_day: Path, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("browser") / "day"
    store_folder(folder, day_files(irregular_day, "", load_clauses()))
    return folder


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        context = browser.new_context(bypass_csp=True)
        wait_for_progress(context)
        yield context.new_page()
        browser.close()


def test_paper_without_colour_tells_blue_marks_from_red_ones(report: Path, page: Page) -> None:
    page.goto((report / "shoe-1.html").as_uri())
    on_screen = page.evaluate(MARKS, BLUE)
    page.emulate_media(media="print")
    blue, red = page.evaluate(MARKS, BLUE), page.evaluate(MARKS, RED)
    page.emulate_media(media="screen")

    assert len(blue) > 10
    assert not any(dashed or hollow for dashed, hollow in on_screen)
    assert all(dashed or hollow for dashed, hollow in blue)
    assert len(red) > 10
    assert not any(dashed or hollow for dashed, hollow in red)


def test_two_taps_lead_from_the_day_to_the_texts_of_a_coups_rules(report: Path, page: Page) -> None:
    page.goto((report / "day.html").as_uri())
    page.locator("a[href*='#coup-']").first.click()
    row = page.locator("tbody:target")
    expect(row).to_be_visible()
    row.locator("a[href^='#rules-']").click()

    texts = page.locator(".texts:visible")
    expect(texts).to_have_count(1)
    expect(texts).to_contain_text("(Section 42 Mini-Baccarat (")


@pytest.mark.parametrize("name", ["day.html", "shoe-1.html", "bundles.html"])
def test_axe_finds_nothing(report: Path, page: Page, name: str) -> None:
    page.goto((report / name).as_uri())

    assert Axe().run(page).response["violations"] == []
