"""Every statement of what happens, done at the simulated bench and seen by the table."""

import pytest

from hil.scenario.benches.simulated_bench import SimulatedBench
from hil.scenario.language.happening_forms import HAPPENING_FORMS
from hil.scenario.language.reading import parse_scenario
from hil.scenario.play.run import ScenarioResult, ScenarioRun, StepOutcome

SHUFFLER = "device shuffler tablelink\n"
RFID = "device shoe rfid\n"
# A scenario for each statement, by its first word: what it does is seen by what follows it.
PERFORMED = {
    "hand-shuffle": "hand-shuffle red\nload red\ndeal burn\nexpect phase between_coups",
    "sort": "sort red\nload red\ndraw\ndraw\nexpect phase between_coups",
    "swap": (
        f"{RFID}swap red 3 for other back\nload red\ndraw\ndraw\ndraw\n"
        "expect irregularity WRONG_BATCH by card 3\nexpect finding WRONG_BATCH"
    ),
    "remove": (
        "sort red\nremove 2 from red\nload red\ndraw\ndraw\ndraw\nexpect phase burn_rest\n"
        "draw\nexpect phase between_coups"
    ),
    "insert": "insert cut card at 400\nload red\ndeal to the end\nexpect phase shoe_over",
    "load": "load red\ndeal burn\nexpect phase between_coups",
    "unload": "load red\ndeal to the end\nunload\nload blue\ndeal burn\nexpect phase between_coups",
    "deal": (
        "load red\ndeal burn\ndeal coup\nexpect coup 1 counted\ndeal 2 coups\nexpect coup 3 counted"
    ),
    "err": "load red\nerr burn_short\ndeal burn\nexpect irregularity BURN_SHORT",
    "draw": "burn 2c + 2\ndraw 9h\nexpect phase banker_1\ndraw\nexpect phase player_2",
    "next": RFID + "load red\nnext card no_tag\ndraw\nexpect irregularity CARD_UNREADABLE",
    "floor": (
        "burn 2c + 2\nP 9h; B Kc; P Qd; B Jh; P 3c\nexpect irregularity OVERDRAW\n"
        "expect phase suspended\nfloor decides\nexpect phase result"
    ),
    "put": SHUFFLER + "put in red\npress load 1\npress count 1\nexpect stage red counted",
    "take": SHUFFLER + "shuffle red\npress release 1\ntake out red\nhand-shuffle red",
    "press": SHUFFLER + "put in red\npress load 1\npress count 1\nexpect stage red counted",
    "shuffle": SHUFFLER + "shuffle red\nexpect stage red stored",
    "bring": SHUFFLER + "shuffle red\nbring out red\nexpect stage red released",
    "door": SHUFFLER + "shuffle red\ndoor 1 open\nexpect warning door",
    "jam": SHUFFLER + "jam 1\nexpect warning jam",
    "residual": SHUFFLER + "shuffle red\nresidual 16 in 1\nexpect warning residual",
    "reach": SHUFFLER + "shuffle red\nreach in red\nexpect warning door",
    "mode": SHUFFLER + "mode service\nexpect warning mode",
    "lamp": SHUFFLER + 'lamp 21 on "card feed"\nexpect warning lamp',
    "interfere": SHUFFLER + "interfere shuffler opened\nexpect warning tamper",
    "unplug": "unplug shoe\nexpect link shoe down",
    "plug": "unplug shoe\nplug shoe\nexpect link shoe up",
    "power": SHUFFLER + "power shuffler off\nwait 30s\nexpect warning silent",
    "host": "load red\ndeal burn\nhost kill\ndeal coup\nexpect coup 1 counted",
    "wire": "wire shoe drop 100%\nburn 2c + 2\nexpect phase closed\nwire shoe none",
    "stuck": SHUFFLER + "stuck door 1\ndoor 1 open\ndoor 1 closed\nexpect warning lamp",
    "wait": "wait 2s\nmeasure step at most 2s",
}


def run(text: str, seed: int = 1) -> ScenarioResult:
    scenario = parse_scenario(text)
    return ScenarioRun(scenario, SimulatedBench(scenario), "simulated", seed).run()


def why(result: ScenarioResult) -> list[str]:
    return [f"{one.text}: {one.outcome}: {one.why}" for one in result.steps if one.why]


def test_every_statement_of_what_happens_is_performed_below() -> None:
    assert set(PERFORMED) == {word for form in HAPPENING_FORMS for word in form.first}


@pytest.mark.parametrize("word", PERFORMED)
def test_it_is_done_and_the_table_sees_it(word: str) -> None:
    assert why(run(PERFORMED[word])) == []


def impossible(text: str) -> str:
    """Why the last step that was run is an ERROR."""
    result = run(text)
    assert result.outcome is StepOutcome.ERROR
    return next(one.why for one in result.steps if one.outcome is StepOutcome.ERROR)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("deal burn", "no shoe is loaded; write `load red` first"),
        ("shuffle red", "this table has no shuffler"),
        ("load red\nload blue", "there are cards of the shoe before"),
        ("load red\nhand-shuffle red", "no card of red is in people's hands"),
        ("hand-shuffle red keeping 4", "only 0 cards of red were dealt before"),
        ("plug shoe", "the shoe is plugged already"),
        ("next card no_tag", "device shoe rfid"),
        (
            "remove 410 from red\nload red\ndeal to the end",
            "the dealer cannot go on: a card is due and none is left",
        ),
        ("again P1 7h", "a device reports this, and no hand can do it"),
        ("expect metric smartshoe_a is 1", "the simulated rig serves no metrics"),
        ("measure unplug-to-detected", "nothing was unplugged"),
        ("measure exchange", "no batch was exchanged"),
    ],
)
def test_what_cannot_be_done_is_an_error_with_its_reason(text: str, reason: str) -> None:
    assert reason in impossible(text)


def test_after_a_mistake_the_dealer_goes_on_where_the_floor_has_decided() -> None:
    text = (
        "load red\ndeal burn\nerr wrong_result\ndeal 5 coups\nexpect irregularity RESULT_MISMATCH\n"
        "floor decides\ndeal to the end\nexpect phase shoe_over"
    )

    assert why(run(text)) == []


def test_equal_seeds_give_equal_cards() -> None:
    text = "load red\ndeal burn\ndeal 5 coups"
    facts = [[one.facts for one in run(text, seed).steps] for seed in (1, 1, 2)]

    assert facts[0] == facts[1]
    assert facts[0] != facts[2]
