"""The page of results: whole, without anything else, escaped."""

import re
from html.parser import HTMLParser

from played_scenarios import IMPOSSIBLE, LATE, LEFT_OUT, OVERDRAW, played

from hil.scenario.reports.page import results_page
from hil.scenario.reports.played import duration

VOID = {"meta", "br", "hr", "input", "link", "img"}


class Tags(HTMLParser):
    """The tags of a page, and whether each is closed where it has to be."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def page(*texts: str) -> str:
    return results_page([played(one) for one in texts], "simulated")


def test_the_page_is_whole_and_needs_nothing_else() -> None:
    text = page(OVERDRAW, LATE, IMPOSSIBLE, LEFT_OUT)
    tags = Tags(text)

    assert tags.open == []
    assert not {"script", "link", "img", "iframe"} & {tag for tag, _ in tags.seen}
    assert not re.search(r"https?://|url\(|@import", text)


def test_words_of_a_scenario_are_escaped() -> None:
    text = page(IMPOSSIBLE)

    assert "<b>" not in text
    assert "&lt;b&gt;" in text


def test_every_step_that_was_run_has_a_row_and_every_card_a_tick() -> None:
    text = page(OVERDRAW)

    assert len(re.findall(r'class="dot PASS"', text)) == 8
    assert len(re.findall(r'<line class="card"', text)) == 8
    assert "irregularity OVERDRAW</text>" in text


def test_a_measure_has_a_bar_and_its_limit() -> None:
    text = page(LATE)

    assert re.search(r'<rect class="bar FAIL" x="1" y="3" width="248.0"', text)
    assert re.search(r'<line class="limit" x1="125.0"', text)


def test_the_reason_and_the_catch_are_said() -> None:
    text = page(OVERDRAW, LATE, LEFT_OUT)

    assert "at card 8, line 7" in re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", text))
    assert "tried.scenario:3:1: measure step at most 1s: it took 2000.0 ms" in text
    assert "rig simulated has no metrics: `expect metric smartshoe_a is 1` at line 1" in text


def test_no_run_is_a_page_too() -> None:
    assert Tags(results_page([], "simulated")).open == []


def test_durations_are_said_in_words() -> None:
    texts = [duration(one * 10**6) for one in (0, 12, 300, 4_250, 59_900, 150_000, 7_500_000)]

    assert texts == ["0 ms", "12 ms", "300 ms", "4.25 s", "59.9 s", "2 min 30 s", "2 h 5 min"]
