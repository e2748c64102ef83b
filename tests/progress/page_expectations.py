"""Playwright's expectations of a page that wait as long as something moves, and its actions."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import BrowserContext, Locator, Page
from playwright.sync_api import expect as playwright_expect

from hil.progress import BOUND_S, Patience

LOOK_MS = 1_000


class Expectation:
    """Playwright's of the same subject; each is asked again until all stands still."""

    def __init__(self, subject: Page | Locator) -> None:
        self._asked = playwright_expect(subject)

    def __getattr__(self, name: str) -> Callable[..., None]:
        ask = getattr(self._asked, name)

        def wait(*values: Any) -> None:
            patience = Patience()
            while True:
                try:
                    ask(*values, timeout=LOOK_MS)
                except AssertionError:
                    if patience.is_over:
                        raise
                else:
                    return

        return wait


def expect(subject: Page | Locator) -> Expectation:
    """As Playwright's `expect`, without a limit in seconds."""
    return Expectation(subject)


def wait_for_progress(pages: BrowserContext | Page) -> None:
    """Clicks and navigations wait without a limit of their own, too: the run's limit ends them."""
    pages.set_default_timeout(BOUND_S * 1000)
