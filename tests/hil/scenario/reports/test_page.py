"""The page of results: whole, without anything else, escaped."""

import re
from html.parser import HTMLParser
from itertools import pairwise

from played_scenarios import IMPOSSIBLE, LATE, LEFT_OUT, OVERDRAW, played, step

from hil.scenario.reports.page import AXIS_WIDTH, STEP_MIN, TEXT_MAX, results_page, time_line
from hil.scenario.reports.played import duration


def test_bars_follow_one_another_over_the_whole_axis() -> None:
    drawn = time_line([step(0, 100), step(100, 200), step(300, 0), step(300, 100)]).steps

    assert drawn[0].x == 0
    assert all(round(b.x - a.x - a.width, 6) == 0 for a, b in pairwise(drawn))
    assert round(drawn[-1].x + drawn[-1].width, 6) == AXIS_WIDTH
    assert drawn[2].width == STEP_MIN
    assert not any(one.cut for one in drawn)


def test_a_step_longer_than_all_others_together_is_drawn_shorter() -> None:
    drawn = time_line([step(0, 100), step(100, 1_800_000), step(1_800_100, 200)]).steps

    assert [one.cut for one in drawn] == [False, True, False]
    assert drawn[1].width < AXIS_WIDTH * 0.55
    assert drawn[0].width > 2 * STEP_MIN


def test_a_lone_step_is_not_cut() -> None:
    (only,) = time_line([step(0, 5000)]).steps

    assert (only.x, only.width, only.cut) == (0, AXIS_WIDTH, False)


def test_many_steps_stay_on_the_axis() -> None:
    drawn = time_line([step(one, 1) for one in range(200)]).steps

    assert drawn[-1].x + drawn[-1].width <= AXIS_WIDTH + 1e-6


def test_cards_are_where_they_were_judged() -> None:
    times = (25_000_000, 50_000_000)
    (only,) = time_line([step(0, 100, card_times_ns=times)]).steps

    assert only.cards == (AXIS_WIDTH / 4, AXIS_WIDTH / 2)


def test_a_time_outside_its_step_is_drawn_at_its_edge() -> None:
    (only,) = time_line([step(0, 100, card_times_ns=(-5_000_000, 10**12))]).steps

    assert only.cards == (0, AXIS_WIDTH)


def test_coups_are_one_line_and_irregularities_one_each() -> None:
    facts = ("coup 1: tie", "irregularity OVERDRAW", "coup 2: void")
    times = (10, 20, 30)
    (only,) = time_line([step(0, 100, facts=facts, fact_times_ns=times)]).steps

    assert [one.text for one in only.facts] == ["irregularity OVERDRAW", "coups 1 to 2"]
    assert [one.kind for one in only.facts] == ["irregularity", "coups"]


def test_more_facts_than_there_is_room_for_are_counted() -> None:
    facts = tuple(f"warning W{one}" for one in range(9))
    (only,) = time_line([step(0, 100, facts=facts)]).steps

    assert only.facts[-1].text == "and 4 more"
    assert len(only.facts) == 6


def test_text_at_the_right_edge_stands_left_of_its_mark() -> None:
    (only,) = time_line([step(0, 100, facts=("irregularity OVERDRAW",))]).steps

    assert only.facts[0].left


def test_why_a_step_failed_is_a_mark() -> None:
    (only,) = time_line([step(0, 100, outcome="FAIL", why="raised: nothing")]).steps

    assert [(one.kind, one.text) for one in only.facts] == [("FAIL", "FAIL raised: nothing")]


def test_steps_that_were_skipped_are_not_drawn() -> None:
    assert time_line([step(0, 1, outcome="SKIP", why="x")]).steps == ()


def test_a_long_statement_is_shortened() -> None:
    (only,) = time_line([step(0, 1, "x" * 200)]).steps

    assert len(only.text) == TEXT_MAX


def test_labels_are_times_that_do_not_overlap() -> None:
    labels = time_line([step(one * 10, 10) for one in range(60)]).labels

    assert all(b.x - a.x >= 56 for a, b in pairwise(labels))
    assert (labels[0].text, labels[-1].text) == ("0", "600 ms")


def test_the_cards_of_a_played_scenario_are_on_its_line() -> None:
    drawn = time_line(played(OVERDRAW).result.steps).steps

    assert sum(len(one.cards) for one in drawn) == 8
    assert all(one.x <= x <= one.x + one.width for one in drawn for x in one.cards)


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
