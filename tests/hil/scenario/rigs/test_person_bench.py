"""Hands of a person at a bench: what is asked, switches and feeders as real small programs."""

import io
from pathlib import Path

import pytest

from hil.dealing.actions import PressResult
from hil.dealing.cards import PhysicalCard, card_named
from hil.dealing.tableau import Winner
from hil.scenario.benches.simulated_bench import SimulatedBench
from hil.scenario.language.reading import parse_scenario
from hil.scenario.language.statements import CardFault, TablePart
from hil.scenario.play.bench import NotPossible, RigBroken
from hil.scenario.play.run import ScenarioRun, StepOutcome
from hil.scenario.rigs.person_bench import AskedPerson, PersonBench
from hil.scenario.rigs.rig_file import RigFile, parse_rig

SEVEN = PhysicalCard(card_named("7H"), "red", "E00401")
CUT = PhysicalCard(None, "red", "E00402")


def rig(power: str = "", feeder: str = "", models: str = "angel-eye") -> RigFile:
    text = (
        'name = "own"\ntitle = "t"\nkind = "bench"\n[shoe]\n'
        f'models = ["{models}"]\nline = "/dev/null"\n[shuffler]\ndevice = "/dev/null"\n'
    )
    text += f"[power]\nshoe = '{power}'\nshuffler = '{power}'\n" if power else ""
    text += f"[feeder]\ncommand = '{feeder}'\n" if feeder else ""
    return parse_rig(text, "own.toml")


class At:
    """A bench with a person who gives these answers, and what that person was asked."""

    def __init__(self, described: RigFile, answers: str = "\n" * 40) -> None:
        self._asked = io.StringIO()
        table = SimulatedBench(parse_scenario("wait 1s")).table
        person = AskedPerson(io.StringIO(answers), self._asked)
        self.bench = PersonBench(described, described.shoe.models[0], table, person)

    @property
    def asked(self) -> list[str]:
        ends = " [Enter: done; f Enter: it cannot be done] "
        return [one.removeprefix("  DO: ") for one in self._asked.getvalue().split(ends) if one]


def program(folder: Path, body: str) -> Path:
    path = folder / "program"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def test_a_person_is_asked_for_each_card_by_its_face() -> None:
    at = At(rig())
    at.bench.shoe.draw(SEVEN)
    at.bench.shoe.draw(SEVEN, burn_key=True)
    at.bench.shoe.draw(SEVEN, readable=False)
    at.bench.shoe.draw(CUT)

    assert at.asked == [
        "draw 7h of the red batch",
        "draw 7h of the red batch, with the burn key held",
        "draw a card that the shoe cannot read",
        "draw the cut card",
    ]


def test_results_are_pressed_where_the_shoe_has_keys() -> None:
    at, keyless = At(rig()), At(rig(models="rfid"))
    result = PressResult(Winner.BANKER, player_pair=True, banker_pair=False)

    assert at.bench.shoe.press_result(result)
    assert at.asked == ["press Player Pair, then Banker"]
    assert not keyless.bench.shoe.press_result(result)
    assert keyless.asked == []


def test_every_other_act_at_the_devices_is_asked_for() -> None:
    at = At(rig())
    shoe, shuffler = at.bench.shoe, at.bench.shuffler
    shoe.press_stand_by()
    shoe.press_forced_exit()
    shoe.clear_error(2)
    shoe.turn_setting_key(on=True)
    shoe.plan(CardFault.PULLED_BACK)
    shoe.take_cards_out()
    shuffler.move_door(0, is_open=True)
    shuffler.jam(1, jammed=True)
    shuffler.leave_cards(3, 2)
    shuffler.turn_mode_key("sort")
    shuffler.light(21, "card feed", on=True)
    at.bench.move_plug(TablePart.SHOE, plugged=False)

    assert at.asked == [
        "press stand-by",
        "press forced exit",
        "clear error 2 at the shoe",
        "turn the key of the setting mode on",
        "make ready for the next card: pulled back",
        "empty the shoe, with its cut card last through the exit",
        "open the door of the housing",
        "jam a card in compartment 1",
        "leave 3 cards in compartment 2",
        "turn the key of the mode to sort",
        "make warning 21 (card feed) come",
        "pull the cable of the shoe",
    ]


def test_a_batch_comes_out_of_the_shuffler_as_it_was_put_in() -> None:
    at = At(rig())
    shuffler = at.bench.shuffler
    shuffler.put_in([SEVEN])
    shuffler.press("load", 1)
    shuffler.press("shuffle", 1, at_once=True)

    assert shuffler.take_out(1) == (SEVEN,)
    assert at.asked == [
        "lay the 1 cards of the red batch into the tray",
        "press load of compartment 1, and wait for the end of its work",
        "press shuffle of compartment 1",
        "take the released cards of compartment 1 out",
    ]


def test_what_a_person_cannot_do_is_an_error_of_the_step() -> None:
    with pytest.raises(NotPossible, match="cannot be done: draw 7h of the red batch"):
        At(rig(), "f\n").bench.shoe.draw(SEVEN)


def test_the_end_of_standard_input_breaks_the_rig() -> None:
    with pytest.raises(RigBroken, match="nobody answers"):
        At(rig(), "").bench.shoe.draw(SEVEN)


def test_the_power_switch_is_a_command(fast_dir: Path) -> None:
    log = fast_dir / "log"
    switch = program(fast_dir, f'echo "$@" >> {log}')
    at = At(rig(power=f"{switch} -p 2 -a {{state}}"))
    at.bench.shoe.power(on=False)
    at.bench.shuffler.power(on=True)

    assert log.read_text() == "-p 2 -a off\n-p 2 -a on\n"
    assert at.asked == []


def test_the_feeder_gets_face_batch_and_identity_as_one_word_each(fast_dir: Path) -> None:
    log = fast_dir / "log"
    feeder = program(fast_dir, f'printf "%s," "$#" "$@" >> {log}')
    at = At(rig(feeder=f"{feeder} {{card}} {{batch}} {{tag}}"))
    at.bench.shoe.draw(SEVEN)
    at.bench.shoe.draw(CUT)
    at.bench.shoe.draw(SEVEN, readable=False)

    assert log.read_text() == "3,7h,red,E00401,3,cut,red,E00402,3,unreadable,red,E00401,"
    assert at.asked == []


def test_the_burn_key_is_held_by_a_person_while_the_feeder_draws(fast_dir: Path) -> None:
    at = At(rig(feeder="true {card}"))
    at.bench.shoe.draw(SEVEN, burn_key=True)

    assert at.asked == ["hold the burn key until the next question", "let the burn key go"]


def test_a_command_that_fails_breaks_the_rig_with_what_it_said(fast_dir: Path) -> None:
    switch = program(fast_dir, "echo no hub >&2; exit 3")
    at = At(rig(power=f"{switch} {{state}}"))

    with pytest.raises(RigBroken, match=r"program off` ended with 3: no hub\. Remedy: run it by"):
        at.bench.shoe.power(on=False)


def test_a_command_that_is_not_there_breaks_the_rig() -> None:
    at = At(rig(power="/no/such/switch {state}"))

    with pytest.raises(RigBroken, match="cannot be started: No such file or directory"):
        at.bench.shoe.power(on=False)


def test_a_rig_that_breaks_in_a_step_is_said_by_the_result(fast_dir: Path) -> None:
    at = At(rig(power="false {state}"))
    result = ScenarioRun(parse_scenario("power shoe off\nwait 1s"), at.bench, "own").run()

    assert [one.outcome for one in result.steps] == [StepOutcome.ERROR, StepOutcome.SKIP]
    assert result.rig_broke == result.steps[0].why
    assert "`false off` ended with 1" in result.rig_broke
