"""Debian's Chromium at the page of the demo, whose two batches take turns.

Source: NY (a)(4)(iv), S42 (a)(4).
"""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from page_expectations import wait_for_progress
from playwright.sync_api import sync_playwright

pytestmark = pytest.mark.needs("chromium")

SHOES = 6
# Every state of the batches that the page shows, from now on.
WATCH = """() => {
  window.states = [];
  const look = () => window.states.push(
    [...document.querySelectorAll("#batches li")].map(
      (one) => [one.className, one.innerText.trim()]));
  look();
  new MutationObserver(look).observe(
    document.getElementById("batches"),
    {childList: true, subtree: true, characterData: true, attributes: true});
}"""


def test_batches_take_turns_and_the_page_shows_where_each_is(fast_dir: Path) -> None:
    words = ("demo", "--speed", "max", "--seed", "7", "--shoes", str(SHOES), "--no-mistakes")
    journal = ("--journal", str(fast_dir / "journal"), "--page")
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        ) as browser,
        subprocess.Popen(
            [sys.executable, "-m", "hil.cli", *words, *journal], stdout=subprocess.PIPE, text=True
        ) as demo,
    ):
        assert demo.stdout is not None
        while not (line := demo.stdout.readline()).startswith("page: http://"):
            assert demo.poll() is None
        # The dealer waits for the browser; the table is another process, and serves its page.
        demo.send_signal(signal.SIGSTOP)
        page = browser.new_page()
        wait_for_progress(page)
        page.goto(line.removeprefix("page: ").strip())
        page.evaluate(WATCH)
        demo.send_signal(signal.SIGCONT)
        while "stays on until Ctrl-C" not in demo.stdout.readline():
            assert demo.poll() is None
        states = page.evaluate("() => window.states")
        demo.send_signal(signal.SIGINT)
        demo.communicate()

    in_play = [
        [text.split()[0] for name, text in batches if name == "in-play"] for batches in states
    ]
    assert ["Red"] in in_play
    assert ["Blue"] in in_play
    assert all(len(one) <= 1 for one in in_play), "never are both in play"
    # While one is dealt, the other one waits in the shuffler.
    assert any(
        name != "in-play" and "shuffler" in text for batches in states for name, text in batches
    )
