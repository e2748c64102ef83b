"""Tests the emulated Angel Eye II-EX against the golden bytes that the driver is tested with."""

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from hil.dealing.cards import card_named
from hil.dealing.tableau import Winner
from hil.emulator.angel_eye.device import AngelEye, AngelEyeSettings
from hil.emulator.angel_eye.wire import report_frame

VECTORS = tomllib.loads(
    (Path(__file__).parents[3] / "vectors" / "angel_eye.toml").read_text(encoding="utf-8")
)
REPORTS = {vector["name"]: vector for vector in VECTORS["report"]}


def draw(device: AngelEye, *names: str) -> None:
    for name in names:
        device.draw(card_named(name))


def first_card(device: AngelEye) -> None:
    draw(device, "10C")


def counted(device: AngelEye) -> None:
    draw(device, "2C", "7H")


def beside_the_count(device: AngelEye) -> None:
    draw(device, "AC", "2C")
    device.draw(card_named("KD"), burn_key=True)


def coup(*names: str) -> Callable[[AngelEye], None]:
    def deal(device: AngelEye) -> None:
        device.stand_by()
        draw(device, *names)

    return deal


def unread(device: AngelEye) -> None:
    device.stand_by()
    device.draw(card_named("5C"), readable=False)


def retransmitted(device: AngelEye) -> None:
    coup("AS")(device)
    device.retransmit()


def retransmitted_unread(device: AngelEye) -> None:
    coup("AS", "2S", "3S")(device)
    device.draw(card_named("5C"), readable=False)
    device.retransmit()


def while_locked(device: AngelEye) -> None:
    device.set_lock(True)
    draw(device, "4H")


def in_error(device: AngelEye) -> None:
    device.raise_error(5)
    draw(device, "5D")


def in_setting(device: AngelEye) -> None:
    device.setting_mode = True
    draw(device, "6C")


def cleared(device: AngelEye) -> None:
    device.raise_error(2)
    device.clear_error(2)


def unlocked(device: AngelEye) -> None:
    device.set_lock(True)
    device.set_lock(False)


INPUTS: dict[str, Callable[[AngelEye], object]] = {
    "start of communication": AngelEye.power_on,
    "stand-by": AngelEye.stand_by,
    "first burn card, ten of clubs": first_card,
    "counted burn card 1, seven of hearts": counted,
    "burn outside the count, king of diamonds": beside_the_count,
    "Player card 1, ace of spades": coup("AS"),
    "Banker card 1, nine of diamonds": coup("2S", "9D"),
    "Player card 2, jack of clubs": coup("2S", "9D", "JC"),
    "Banker card 2, queen of hearts": coup("2S", "9D", "JC", "QH"),
    "Player card 3, three of clubs": coup("2S", "2D", "JC", "QH", "3C"),
    "Banker card 3, eight of spades": coup("2S", "2D", "JC", "QH", "3C", "8S"),
    "card drawn, unreadable": unread,
    "retransmission of Player card 1": retransmitted,
    "retransmission of Banker card 2, unreadable": retransmitted_unread,
    "card outside the game, lock mode, four of hearts": while_locked,
    "card outside the game, error mode, five of diamonds": in_error,
    "card outside the game, setting mode, six of clubs": in_setting,
    "cut card": AngelEye.draw_cut_card,
    "result Player, no pair": lambda device: device.press_result(Winner.PLAYER, False, False),
    "result Tie, Player pair": lambda device: device.press_result(Winner.TIE, True, False),
    "result Banker, Banker pair": lambda device: device.press_result(Winner.BANKER, False, True),
    "result Banker, both pairs": lambda device: device.press_result(Winner.BANKER, True, True),
    "forced exit": AngelEye.force_exit,
    "error 1 raised, in error mode": lambda device: device.raise_error(1),
    "error 7 raised, not in error mode": lambda device: device.raise_error(7, blocking=False),
    "error 2 cleared": cleared,
    "locked": lambda device: device.set_lock(True),
    "unlocked": unlocked,
    "preset 07 is now 0123": lambda device: device.change_preset(7, 123),
}


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_is_framed_as_in_the_vector(name: str) -> None:
    vector = REPORTS[name]
    framed = report_frame(vector["seq"], bytes.fromhex(vector["data_hex"]))

    assert framed == bytes.fromhex(vector["hex"])


@pytest.mark.parametrize("name", INPUTS)
def test_a_physical_input_gives_the_vector(name: str) -> None:
    vector = REPORTS[name]
    device = AngelEye(AngelEyeSettings(repeats=1, seq_cycle=vector["seq"]))
    INPUTS[name](device)

    assert device.due(0)[-1].report.frame == bytes.fromhex(vector["hex"])


@pytest.mark.parametrize(
    "command", VECTORS["command"], ids=lambda c: f"{c['name']}, {c['bcc_reading']}"
)
@pytest.mark.parametrize("counts_stx", [True, False])
def test_a_command_is_acknowledged_only_with_its_checksum_reading(
    command: dict[str, str], counts_stx: bool
) -> None:
    device = AngelEye(AngelEyeSettings(checksum_counts_stx=counts_stx))
    same = (command["bcc_reading"] == "stx_counted") is counts_stx

    assert device.receive(bytes.fromhex(command["hex"]), 0) == (b"\x06" if same else b"\x15\x02")


@pytest.mark.parametrize("reply", [a for a in VECTORS["answer"] if a["kind"] == "read_reply"])
def test_the_game_process_is_sent_as_a_read_reply(reply: dict[str, str]) -> None:
    counts_stx = reply["bcc_reading"] == "stx_counted"
    device = AngelEye(AngelEyeSettings(checksum_counts_stx=counts_stx, reports_game_process=True))
    query = next(
        command["hex"]
        for command in VECTORS["command"]
        if command["type"] == "GP" and command["bcc_reading"] == reply["bcc_reading"]
    )

    assert device.receive(bytes.fromhex(query), 0) == b"\x06" + bytes.fromhex(reply["hex"])
