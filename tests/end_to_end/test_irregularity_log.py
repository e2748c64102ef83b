"""The log and the answers of `smartshoe run` and `resolve` about a table that is suspended.

Source: D-32.
"""

import json
from collections.abc import Callable
from pathlib import Path

from controller.cli.main import main
from controller.journal.people import PeopleFile
from controller.outlets.control.answer_schema import DealtOnAnswer, ResolutionAnswer
from hil.dealing.cards import card_named
from hil.dealing.tableau import Winner
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.serve import PtyServer
from hil.rig.program import Program

BURN = ("AD", "2C")
NATURAL = ("9H", "2D", "KC", "5S")
DECISION = {
    "request": "act",
    "action": "resolve",
    "by": "A. Floor",
    "role": "floorperson",
    "reason": "the wrong key was pressed",
    "decision": "continue",
    "provisional": "take-over",
}


def draw(server: PtyServer[AngelEye], program: Program, *names: str, drawn: int) -> None:
    """Draw these cards, and wait until the table shows that number of cards drawn."""
    for name in names:
        card = card_named(name)
        server.perform(lambda shoe, card=card: shoe.draw(card))
    assert server.settle()
    for shown in program.client.subscribe():
        if shown.shoe is not None and shown.shoe.cards_drawn == drawn:
            return


def await_irregularity(program: Program) -> None:
    for shown in program.client.subscribe():
        if shown.irregularities:
            return


def logged(program: Program) -> list[str]:
    """The lines about irregularities, without the time."""
    lines = [one[24:] for one in program.log_text().splitlines()]
    return [one for one in lines if "smartshoe.irregularities" in one]


def printed(capsys, program: Program, *words: str) -> str:
    main(("resolve", "--config", str(program.config), *words))
    return str(capsys.readouterr().out)


def test_a_suspended_table_says_why_and_what_was_dealt_on_over_a_restart(
    fast_dir: Path, program_on: Callable[..., Program], capsys
) -> None:
    with (
        PtyServer(AngelEye(), link=fast_dir / "shoe") as server,
        program_on(fast_dir, server.path, report_interval_ms_min=1) as program,
    ):
        program.start()
        server.perform(lambda shoe: shoe.power_on())
        draw(server, program, *BURN, *NATURAL, drawn=6)
        server.perform(lambda shoe: shoe.press_result(Winner.BANKER, False, False))
        await_irregularity(program)
        assert "\n dealt on  no card while suspended\n" in printed(capsys, program)
        draw(server, program, *NATURAL, drawn=10)
        server.perform(lambda shoe: shoe.press_result(Winner.PLAYER, False, False))
        draw(server, program, NATURAL[0], drawn=11)

        listed = printed(capsys, program)
        dealt = " dealt on  5 cards in 2 coups while suspended: take them over, or void them"
        assert f"\n{dealt}\n" in listed
        as_json = json.loads(printed(capsys, program, "--json"))
        assert (as_json["suspension"]["coups"], as_json["suspension"]["cards"]) == (2, 5)
        program.stop()
        program.start()
        answer = program.ask(DECISION)
        program.stop()

    (decided,) = [one for one in answer.entries if isinstance(one, ResolutionAnswer)]
    assert decided.dealt_while_suspended == DealtOnAnswer(coups=2, cards=5)
    # A log cannot be erased: it has the person's id.
    person = PeopleFile(fast_dir / "journal").id_of("A. Floor")
    assert logged(program) == [
        f"WARNING smartshoe.irregularities: {line}"
        for line in (
            (
                "irregularity 1 RESULT_MISMATCH, coup 1: the declared result is not the result of"
                " the cards; clauses S42-j-1-final; suspends the table"
            ),
            (
                "the table is suspended: no further card until a floorperson decides; `smartshoe"
                " resolve` lists what is open"
            ),
            (
                "irregularity 2 DEALT_WHILE_SUSPENDED, coup 2: cards were dealt while the table was"
                " suspended; clauses S42-f-1-shoe; raised while the table is suspended"
            ),
            (
                "the table is still suspended: 2 irregularities open, 5 cards in 2 coups dealt"
                " while suspended"
            ),
            (
                f"continue decided by {person} (floorperson, not proved), closes irregularities 1"
                " to 2; take-over: 5 cards in 2 coups dealt while suspended"
            ),
            "the table is no longer suspended",
        )
    ]
