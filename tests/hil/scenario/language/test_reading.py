"""Reading a scenario: every form by its example, the heading, and every problem with its place."""

from pathlib import Path

import pytest

from controller.core.script.errors import ScriptError
from controller.procedure.rulebook import ObservableFact
from hil.scenario.language.reading import PROFILE, SCENARIO_FORMS, parse_scenario, read_scenario
from hil.scenario.language.statements import Disturb, Expect, Measure, Wait


def problems(text: str) -> list[tuple[int, int, str]]:
    with pytest.raises(ScriptError) as caught:
        parse_scenario(text)
    return [(one.line, one.column, one.message) for one in caught.value.problems]


def body(text: str) -> object:
    (step,) = parse_scenario(text).steps
    return step.body


@pytest.mark.parametrize("form", SCENARIO_FORMS, ids=lambda form: form.first[0])
def test_the_example_of_every_form_is_a_statement_of_it(form) -> None:
    scenario = parse_scenario(f"{form.example}\n")

    assert form.example.startswith(form.first)
    assert len(scenario.steps) <= 1


def test_no_two_forms_begin_with_the_same_words() -> None:
    words = [word for form in SCENARIO_FORMS for word in form.first]

    assert len(words) == len(set(words))


def test_a_heading_says_what_is_played_on_what() -> None:
    scenario = parse_scenario(
        'scenario swapped "a title"\nsource "a paper"\nknown "at once"\ncontrol identity\n'
        "profile ny-mini\nobserved result_button, batch_loaded\n"
        "device shoe rfid\ndevice shuffler tablelink\ndevice rack feig\nwait 1s\n"
    )

    assert (scenario.name, scenario.title) == ("swapped", "a title")
    assert (scenario.source, scenario.known) == ("a paper", "at once")
    assert (scenario.control, scenario.profile) == ("identity", "ny-mini")
    assert scenario.observed == (ObservableFact.RESULT_BUTTON, ObservableFact.BATCH_LOADED)
    assert (scenario.shoe, scenario.shuffler, scenario.rack) == ("rfid", True, True)
    assert [one.line for one in scenario.steps] == [10]


def test_a_plain_dealing_script_is_a_scenario_named_after_its_file(fast_dir: Path) -> None:
    file = fast_dir / "short.txt"
    file.write_text("burn 2c + 2\nP 9h; B 2d\n")
    scenario = read_scenario(file)

    assert (scenario.name, scenario.shoe, scenario.profile) == ("short", "angel-eye", PROFILE)
    assert [(one.line, one.column) for one in scenario.steps] == [(1, 1), (2, 1), (2, 7)]


def test_a_heading_after_the_first_step_is_refused_at_its_place() -> None:
    (problem,) = problems("wait 1s\ndevice shoe rfid")

    assert problem[:2] == (2, 1)
    assert "belongs to the heading. Allowed: before the first step. Remedy: " in problem[2]


def test_an_unknown_profile_is_refused_with_the_known_ones() -> None:
    (problem,) = problems("profile none\nwait 1s")

    assert "Allowed: " in problem[2]
    assert "s42-mini" in problem[2]


def test_every_problem_is_said_with_its_line_and_column() -> None:
    found = problems("shake red\nwait 5 s\nburn 2c + 2; door 3 open\nexpect irregularity NONE")

    assert [one[:2] for one in found] == [(1, 1), (2, 6), (3, 19), (4, 21)]
    assert all("Remedy: " in one[2] for one in found)


@pytest.mark.parametrize(
    ("text", "ns"),
    [("200ms", 2 * 10**8), ("30s", 3 * 10**10), ("5min", 3 * 10**11), ("2h", 72 * 10**11)],
)
def test_times_have_units(text: str, ns: int) -> None:
    assert body(f"wait {text}") == Wait(ns)


@pytest.mark.parametrize("text", ["0s", "1", "1d", "-1s", "1.5s", "1234567s"])
def test_other_times_are_refused(text: str) -> None:
    (problem,) = problems(f"wait {text}")

    assert "a time such as 200ms, 30s, 5min or 2h" in problem[2]


def test_a_fault_of_a_line_has_a_share_or_a_time() -> None:
    share, stall, over = (body(f"wire shoe {one}") for one in ("drop 5%", "stall 2s", "none"))

    assert isinstance(share, Disturb)
    assert isinstance(stall, Disturb)
    assert isinstance(over, Disturb)
    assert [(one.permille, one.ns) for one in (share, stall, over)] == [
        (50, 0),
        (0, 2 * 10**9),
        (0, 0),
    ]


@pytest.mark.parametrize("text", ["drop", "drop 0%", "drop 101%", "stall 5%"])
def test_a_fault_without_its_measure_is_refused(text: str) -> None:
    assert len(problems(f"wire shoe {text}")) == 1


def test_an_expectation_has_a_card_a_time_and_others() -> None:
    found = body("caught by irregularity OVERDRAW by card 8 within 2s among others")

    assert isinstance(found, Expect)
    assert (found.card, found.within_ns, found.others, found.caught) == (8, 2 * 10**9, True, True)


def test_a_measure_has_a_limit_or_none() -> None:
    limited, free = body("measure step at most 2s"), body("measure step")

    assert isinstance(limited, Measure)
    assert isinstance(free, Measure)
    assert (limited.limit_ns, free.limit_ns) == (2 * 10**9, 0)


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("expect phase bettin", "write `expect phase betting_closed`"),
        ("expect phase playing", "write one of them"),
        ("expect phase", "write `expect phase closed`"),
        ("expect stage red", "write `expect stage red unknown`"),
        ("host slow-disk", "write `host slow-disk 30s`"),
        ("host stop", "write `host stop 30s`"),
        ("host clock-step soon", "write `host clock-step 30s`"),
        ("host kill 30s", "write `host kill`"),
        ("wire shoe stall", "write `wire shoe stall 30s`"),
        ("expect coup x banker", "write `expect coup 1`"),
        ("expect metric coups is 3", "write `expect metric smartshoe_coups_total`"),
        ("caught irregularity OVERDRAW", "write `caught by`"),
        ("deal 500 coups", "write `deal 100`"),
        ("dealer on", "write `dealer-on`"),
        ("dealer off", "write `dealer-off`"),
    ],
)
def test_the_remedy_is_of_the_statement_that_is_wrong(text: str, remedy: str) -> None:
    (problem,) = problems(text)

    assert problem[2].endswith(f". Remedy: {remedy}")


def test_a_word_that_begins_no_statement_lists_a_few_and_how_many_more() -> None:
    (problem,) = problems("sing")

    assert problem[2].count(",") < 10
    assert f"another of the {len(SCENARIO_FORMS)} statements" in problem[2]
