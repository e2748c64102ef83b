"""What people see of a table at one moment.

Responsible for: the plain values of status, views and subscriptions over the life of a shoe, dealt
face up. Not responsible for: what stays hidden when dealt face down (test_disclosure), layout.
Source: package README, "Snapshot".
"""

import json

import pytest

from controller.procedure.decisions import Decision, Provisional, Resolution
from controller.procedure.irregularities import CATALOGUE, IrregularityCode
from controller.procedure.phases import Phase
from controller.procedure.rulebook import Fact
from controller.tape.actions import CallNoMoreBets, Resolve
from controller.views.snapshot import snapshot

NEW_SHOE = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
OVERDRAW = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "44 83 A3")


def shown(table) -> dict:
    return snapshot(table.core, table.state, "running", "")


def test_a_table_before_its_first_shoe(script) -> None:
    now = shown(script().begun())
    assert (now["phase"], now["due"], now["shoe"], now["coup"], now["last_coup"]) == (
        "closed",
        "a shoe",
        None,
        None,
        None,
    )


def test_which_table_it_is(script) -> None:
    now = snapshot(script().core, script().state, "failed", "a fault of this program")
    assert [now[key] for key in ("table", "pit", "profile", "health", "failure", "observed")] == [
        "M7",
        "3",
        "s42-mini",
        "failed",
        "a fault of this program",
        ["result_button"],
    ]


def test_the_device(script) -> None:
    table = script(allow_commands=True).begun().reported("53", "4C 81")
    assert shown(table)["device"] == {
        "port": "/dev/ttyUSB0",
        "model": "angel-eye-ii-ex",
        "stage": "online",
        "locked": True,
        "commands_allowed": True,
        "reads_tags": False,
        "identity": None,
    }


def test_a_lost_device(script) -> None:
    table = script().begun().reported("53")
    table.lost()
    assert shown(table)["device"]["stage"] == "lost"


def test_the_burn(script) -> None:
    now = shown(script().begun().reported("53", "50", "44 C0 C3", "44 D1 C7"))
    assert (now["shoe"]["burn"], now["shoe"]["burn_owed"], now["due"]) == (
        ["3h", "7h"],
        2,
        "2 more burn cards",
    )


@pytest.mark.parametrize(
    ("cards", "phase", "player", "banker", "counts"),
    [
        (1, "banker_1", ["9h"], [], (9, 0)),
        (2, "player_2", ["9h"], ["2d"], (9, 2)),
        (3, "banker_2", ["9h", "Kc"], ["2d"], (9, 2)),
        (4, "result", ["9h", "Kc"], ["2d", "5s"], (9, 7)),
    ],
)
def test_a_coup_card_by_card(script, cards, phase, player, banker, counts) -> None:
    now = shown(script().begun().reported(*NEW_SHOE, *COUP[:cards]))
    assert now["phase"] == phase
    assert now["coup"] == {
        "number": 1,
        "player": player,
        "banker": banker,
        "player_count": counts[0],
        "banker_count": counts[1],
        "third": [],
        "aside": 0,
        "aside_cards": [],
        "partial": False,
        "provisional": False,
        "ghost": False,
    }
    assert now["reveal"] == {
        "by": "dealer",
        "player_seat": None,
        "banker_seat": None,
        "face_down": [],
        "turned": [],
    }


def test_the_last_coup(script) -> None:
    now = shown(script().begun().reported(*NEW_SHOE, *COUP))
    assert (now["coup"], now["reveal"]) == (None, None)
    assert now["last_coup"] == {
        "coup": 1,
        "player": ["9h", "Kc"],
        "banker": ["2d", "5s"],
        "player_count": 9,
        "banker_count": 7,
        "natural": True,
        "player_pair": False,
        "banker_pair": False,
        "outcome": "player",
        "fate": "counted",
        "ghost": False,
    }


def test_the_way_to_the_next_shoe_and_the_wagers_stand_beside_the_cards(script) -> None:
    now = shown(script().begun().reported(*NEW_SHOE, *COUP))
    assert now["opening"]["shuffle_mode"] == "dual_batch"
    wins = [(one["kind"], one["odds"]) for one in now["wagering"]["wins"] if one["odds"]]
    assert wins == [("player", "1:1")]


def test_the_calls_that_are_due(script) -> None:
    table = script().begun().reported(*NEW_SHOE)
    assert shown(table)["due_calls"] == [
        'call "no more bets" before the first card; deal face up, each card to its hand\'s area'
    ]
    assert shown(table.reported(*COUP[:3]))["due_calls"] == []
    assert shown(table.reported(COUP[3]))["due_calls"] == [
        "announce: Player 9 (natural), Banker 7; no third card",
        "announce: Player wins, 9 over 7",
    ]


def test_the_shoe_counts_its_coups(script) -> None:
    shoe = shown(script().begun().reported(*NEW_SHOE, *COUP, *COUP))["shoe"]
    assert [shoe[key] for key in ("number", "player", "banker", "tie", "void", "coups_begun")] == [
        1,
        2,
        0,
        0,
        0,
        2,
    ]


def test_how_many_cards_are_left(script) -> None:
    shoe = shown(script().begun().reported(*NEW_SHOE, *COUP))["shoe"]
    assert (shoe["cards_drawn"], shoe["cards_left"], shoe["cards_total"]) == (6, 410, 416)


def test_of_a_joined_shoe_nobody_knows_what_is_left(script) -> None:
    shoe = shown(script().begun().reported(*COUP))["shoe"]
    assert (shoe["joined"], shoe["cards_left"]) == (True, None)


def test_the_cut_card_and_the_last_coup(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *COUP[:2], "43")
    shoe = shown(table)["shoe"]
    assert (shoe["cut_card_seen"], shoe["last_coup_number"]) == (True, 2)


def test_the_end_of_the_shoe(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *COUP[:2], "43", *COUP[2:], *COUP)
    now = shown(table)
    assert (now["phase"], now["shoe"]["ended"]) == ("shoe_over", True)
    assert now["due"] == "the reshuffle and the next shoe"


def test_a_card_that_could_not_be_read(script) -> None:
    now = shown(script().begun().reported(*NEW_SHOE, *COUP[:2], "44 82 80"))
    assert now["coup"]["player"] == ["9h", "unread"]
    assert (now["coup"]["partial"], now["coup"]["player_count"]) == (True, None)


# --- suspended ------------------------------------------------------------------------------------


def test_a_suspended_table(script) -> None:
    now = shown(script().begun().reported(*NEW_SHOE, *OVERDRAW))
    assert [now[key] for key in ("phase", "due", "resume_to", "decisions")] == [
        "suspended",
        "a floorperson's decision",
        "result",
        ["carry-card", "burn-card", "void-coup", "close-shoe"],
    ]


def test_an_irregularity_with_what_it_permits_and_forbids(script) -> None:
    kind = CATALOGUE[IrregularityCode.OVERDRAW]
    table = script().begun().reported(*NEW_SHOE, *OVERDRAW)
    (one,) = shown(table)["irregularities"]
    assert one == {
        "number": 1,
        "code": "OVERDRAW",
        "title": kind.title,
        "clauses": list(table.state.table.open_irregularities[0].clauses),
        "coup": 1,
        "suspends": True,
        "provisional": False,
        "permitted": list(kind.permitted),
        "forbidden": list(kind.forbidden),
        "found": None,
    }


def test_the_remedy_is_told_before_and_after_the_decision(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *OVERDRAW)
    remedy = shown(table)["remedy"]
    assert remedy["done"] == ["1 card drawn in error set aside"]
    assert [one["decision"] for one in remedy["decisions"]] == shown(table)["decisions"]
    table.acted(Resolve(Resolution(Decision.CARRY)))
    remedy = shown(table)["remedy"]
    assert (remedy["carried"], remedy["decisions"]) == (1, [])
    assert [one["step"] for one in remedy["owed"]] == ["carry"]


def test_a_held_card_is_not_shown_before_its_coup_is_dealt(script) -> None:
    facts = (Fact.RESULT_BUTTON, Fact.NO_MORE_BETS)
    table = script(observed=facts).begun().reported(*NEW_SHOE)
    table.acted(CallNoMoreBets())
    table.reported(*OVERDRAW)
    table.acted(Resolve(Resolution(Decision.CARRY)))
    table.reported("47 90")
    assert "it begins with what is held" in shown(table)["due"]
    table.acted(CallNoMoreBets())
    coup = shown(table)["coup"]
    assert (coup["player"], coup["player_count"]) == (["??"], None)
    coup = shown(table.reported("44 81 C9"))["coup"]
    assert (coup["player"], coup["banker"]) == (["3c"], ["9h"])


def test_a_coup_dealt_while_suspended_is_not_shown(script) -> None:
    now = shown(script().begun().reported(*NEW_SHOE, *COUP, *OVERDRAW, "47 90", *COUP[:3]))
    coup = now["coup"]
    assert (coup["number"], coup["provisional"]) == (3, True)
    assert (coup["player"], coup["banker"]) == (["??", "??"], ["??"])
    assert (coup["player_count"], coup["banker_count"]) == (None, None)


def test_a_coup_that_ended_while_suspended_is_not_counted_yet(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *COUP, *OVERDRAW, "47 90", *COUP)
    now = shown(table)
    assert (now["last_coup"]["coup"], now["shoe"]["player"]) == (1, 1)
    table.acted(Resolve(Resolution(Decision.BURN, Provisional.TAKE_OVER)))
    now = shown(table)
    assert (now["last_coup"]["coup"], now["shoe"]["player"]) == (3, 3)


@pytest.mark.parametrize(("after", "needed"), [((), False), (("47 90", "44 81 C9"), True)])
def test_whether_a_decision_must_say_what_becomes_of_provisional_cards(
    script, after, needed
) -> None:
    now = shown(script().begun().reported(*NEW_SHOE, *OVERDRAW, *after))
    assert now["provisional_needed"] is needed


# --- always ---------------------------------------------------------------------------------------


def test_after_every_input_it_is_plain_json_with_the_same_keys(troubled_shoe, script) -> None:
    again = script(allow_commands=True)
    keys = set(shown(again))
    for item in troubled_shoe.inputs:
        again.give(item)
        now = shown(again)
        assert json.loads(json.dumps(now)) == now
        assert set(now) == keys


def test_what_is_due_is_said_in_every_phase(troubled_shoe, script) -> None:
    again = script(allow_commands=True)
    seen = set()
    for item in troubled_shoe.inputs:
        again.give(item)
        assert shown(again)["due"]
        seen.add(again.state.table.phase)
    assert {Phase.SUSPENDED, Phase.BETWEEN_COUPS, Phase.BURN_REST, Phase.RESULT} < seen
