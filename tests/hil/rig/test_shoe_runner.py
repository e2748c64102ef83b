"""A dealer played on a device: the truths of cards and of reports agree."""

import pytest

from hil.dealing.actions import DealerAction, Draw, MistakeMade, Pause
from hil.dealing.cards import RANK_NAMES
from hil.dealing.dealer import Dealer, DealerSettings
from hil.dealing.mistakes import Mistake, PlannedMistake
from hil.dealing.truth import Truth, json_line, read_json_lines
from hil.emulator.angel_eye.device import AngelEye, AngelEyeSettings
from hil.rig.shoe_runner import Pace, ShoeRunner
from hil.simulation.cable import Cable, CableOutlet


def runner_for(*mistakes: PlannedMistake, seed: int = 2) -> tuple[ShoeRunner, AngelEye]:
    device = AngelEye(AngelEyeSettings(repeats=1))
    dealer = Dealer(DealerSettings(seed=seed, mistakes=mistakes))
    return ShoeRunner(dealer, CableOutlet(device, Cable(), lambda: 0)), device


def reports(truth: Truth, code: str) -> list[bytes]:
    return [report.frame[3:-3] for report in truth.reports if report.code == code]


def face(card_byte: int) -> str:
    return RANK_NAMES[(card_byte & 15) - 1] + "?DCSH"[card_byte >> 4 & 7]


def test_the_device_reports_each_card_where_the_dealer_puts_it() -> None:
    runner, _ = runner_for()
    truth = runner.run()
    spoken = [
        ({0: "player", 1: "banker"}.get(t >> 4 & 7, "burn"), face(c))
        for t, c in (payload for payload in reports(truth, "D"))
    ]
    dealt = [card for burn in truth.burns for card in burn.cards]
    dealt += [card for coup in truth.coups for card in coup.cards]

    assert spoken == [(placed.place.value, str(placed.card)) for placed in dealt]


def test_the_device_reports_each_result_as_pressed() -> None:
    runner, _ = runner_for()
    truth = runner.run()
    bits = {"player": 1, "tie": 2, "banker": 4}
    pressed = [
        0x80 | bits[coup.declared.winner] << 4 | coup.player_pair | coup.banker_pair << 1
        for coup in truth.coups
        if coup.declared is not None
    ]

    assert [payload[0] for payload in reports(truth, "G")] == pressed


def test_reports_are_numbered_without_a_gap_and_all_delivered() -> None:
    runner, device = runner_for()
    truth = runner.run()

    assert [report.ordinal for report in truth.reports] == list(range(1, device.reports_made + 1))
    assert all(report.delivered for report in truth.reports)


def test_an_overdraw_is_reported_as_error_with_its_card() -> None:
    runner, _ = runner_for(PlannedMistake(Mistake.OVERDRAW_AFTER_NATURAL))
    truth = runner.run()

    assert (reports(truth, "E"), reports(truth, "e")) == ([b"\xc2"], [b"\x82"])
    assert len(reports(truth, "d")) == 1


def test_a_short_burn_shows_in_the_claims() -> None:
    runner, _ = runner_for(PlannedMistake(Mistake.BURN_SHORT))
    truth = runner.run()
    claims = [payload[0] for payload in reports(truth, "D")]
    owed = truth.burns[0].owed

    assert claims[: owed + 1] == [0xC0, *(0xD0 | n for n in range(1, owed - 1)), 0x81, 0x81]


def test_a_careful_dealer_waits_before_cards_and_keys() -> None:
    runner, _ = runner_for(PlannedMistake(Mistake.OVERDRAW_AFTER_NATURAL))
    held: list[bool] = []
    after_mistake: list[DealerAction] = []

    def on_action(action: DealerAction) -> None:
        if held:
            after_mistake.append(action)
        if isinstance(action, MistakeMade):
            held.append(True)

    def release() -> None:
        assert [type(action).__name__ for action in after_mistake] == ["ClearDeviceError"]
        held.clear()

    runner.may_deal = lambda: not held
    runner.while_waiting = release
    runner.on_action = on_action
    runner.run()

    assert runner.times_held == 1


def test_each_kind_of_action_has_its_pause() -> None:
    runner, _ = runner_for()
    paused: list[int] = []
    runner.pause = paused.append
    runner.pace = Pace(draw_ns=1, key_ns=2, cut_card_ns=3, after_burn_ns=4, between_coups_ns=5)
    truth = runner.run()
    draws = sum(len(coup.cards) for coup in truth.coups) + len(truth.burns[0].cards)

    assert [paused.count(n) for n in (1, 3, 4)] == [draws, 1, 1]
    assert paused.count(2) == 1 + 2 * len(truth.coups)
    assert paused.count(5) == len(truth.coups)


def test_it_stops_after_coups_max() -> None:
    runner, _ = runner_for()
    runner.coups_max = 5

    assert len(runner.run().coups) == 5


@pytest.mark.parametrize("mistake", Mistake)
def test_each_record_is_passed_on_once_and_reads_back(mistake: Mistake) -> None:
    runner, _ = runner_for(PlannedMistake(mistake, coup=2))
    lines: list[str] = []
    runner.on_record = lambda record: lines.append(json_line(record))
    truth = runner.run()

    assert read_json_lines(lines).records == truth.records


def test_the_hook_sees_every_action() -> None:
    runner, _ = runner_for()
    seen: list[DealerAction] = []
    runner.on_action = seen.append
    truth = runner.run()

    assert sum(isinstance(action, Pause) for action in seen) == len(truth.coups) + 1
    assert sum(isinstance(action, Draw) for action in seen) == len(reports(truth, "D"))
