"""The time line as geometry: bars in their order, cards and facts in their places."""

from itertools import pairwise

from played_scenarios import OVERDRAW, played, step

from hil.scenario.reports.time_line import AXIS_WIDTH, STEP_MIN, TEXT_MAX, time_line


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
