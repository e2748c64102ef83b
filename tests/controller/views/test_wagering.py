"""What people see of wagers, payment, vigorish and changed settings.

Source: package README, "Wagers and payment at the table".
"""

import json

import pytest

from controller.procedure.act_kinds import ActKind
from controller.procedure.events import (
    ActRecorded,
    CardDrawn,
    GamingDayTurned,
    NoticeRecorded,
    ResultDeclared,
    SeatVacated,
    SettingChangeAsked,
    ShoeDeviceStarted,
    VigorishDocumented,
    WagersStated,
)
from controller.procedure.people.setting_changes import effective
from controller.procedure.rulebook import Fact, RuleBook
from controller.procedure.state import TableState
from controller.procedure.states.wagering import ChangedSetting
from controller.procedure.step import step
from controller.profiles.load import load_profile
from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.rules.outcome import Outcome
from controller.settlement.wagers import Wager, WagerKind
from controller.views.wagering import wagering_view

PLACES = (Place.PLAYER_1, Place.BANKER_1, Place.PLAYER_2, Place.BANKER_2, Place.BANKER_3)
BANKER_8 = ("7h", "5c", "Kd", "Qh", "3c")


class Shown:
    """A table with its first shoe burned, and what people see of it."""

    def __init__(self, profile="s42-mini"):
        observed = (Fact.WAGERS, Fact.RESULT_BUTTON)
        self.book = RuleBook.of(load_profile(profile), 8, observed)
        self.state = TableState()
        self.take(GamingDayTurned("2026-11-21"), ShoeDeviceStarted())
        self.take(CardDrawn(Card.parse("Ac"), Place.BURN_FIRST))
        self.take(CardDrawn(Card.parse("2c"), Place.BURN))

    def take(self, *events):
        for event in events:
            self.state = step(self.book, self.state, event).state
        return self

    def bet(self, *wagers):
        return self.take(WagersStated(tuple(Wager(*one) for one in wagers), "Ann Lee"))

    def deal(self, cards=BANKER_8, outcome=Outcome.BANKER):
        drawn = zip(cards, PLACES, strict=False)
        self.take(*(CardDrawn(Card.parse(text), place) for text, place in drawn))
        return self.take(ResultDeclared(outcome, False, False)) if len(cards) > 3 else self

    def change(self, setting, value):
        for to in ("players", "commission"):
            self.take(NoticeRecorded(setting, value, to, "Bo Ray", 0))
        return self.take(SettingChangeAsked(setting, value, "Bo Ray", "trial", 1))

    def now(self):
        seen = wagering_view(effective(self.book, self.state), self.state)
        assert json.loads(json.dumps(seen)) == seen
        return seen


def test_a_table_where_nothing_was_bet():
    assert Shown().now() == {
        "locked": False,
        "wagers": [],
        "verbal": [],
        "owed": [],
        "complimentary": [],
        "wins": [],
        "payment": None,
        "offered": ["banker", "player", "tie"],
        "notices": [],
        "settings": [],
    }


def test_before_any_shoe_there_is_nothing_either():
    book = Shown().book

    assert wagering_view(book, TableState())["wins"] == []


def test_wagers_are_shown_by_seat_and_what_is_wrong_with_them():
    shown = Shown().bet((5, WagerKind.BANKER, 10000), (2, WagerKind.DRAGON_7, 500)).now()

    assert shown["wagers"] == [
        {
            "seat": 2,
            "kind": "dragon_7",
            "name": "Dragon 7",
            "cents": 500,
            "amount": "5.00",
            "refused": "this wager is not offered here",
        },
        {
            "seat": 5,
            "kind": "banker",
            "name": "Banker",
            "cents": 10000,
            "amount": "100.00",
            "refused": "",
        },
    ]


def test_in_a_coup_the_wagers_that_stand_are_shown():
    shown = Shown().bet((5, WagerKind.BANKER, 10000)).deal(("7h", "5c")).now()

    assert shown["locked"] is True
    assert [one["seat"] for one in shown["wagers"]] == [5]


def test_cash_bet_by_word_of_mouth_is_shown_until_it_is_changed():
    table = Shown()
    table.take(
        ActRecorded(ActKind.VERBAL_WAGER, "Ann Lee", "dealer", seat=3, amount=5000, second="Bo Ray")
    )

    assert table.now()["verbal"] == [{"seat": 3, "cents": 5000, "amount": "50.00"}]


def test_the_last_payment_is_shown_act_by_act():
    payment = Shown().bet((5, WagerKind.BANKER, 10000)).deal().now()["payment"]

    assert (payment["coup"], payment["note"]) == (1, "")
    assert [(one["act"], one["cents"], one["text"]) for one in payment["steps"]] == [
        ("pay", 10000, "seat 5: pay 100.00 on Banker"),
        ("collect_vigorish", 500, "seat 5: collect vigorish 5.00"),
    ]
    assert "S42-c-3-pay" in payment["steps"][0]["clauses"]


def test_what_won_is_shown_whether_anybody_bet_or_not():
    wins = Shown().deal().now()["wins"]

    assert [(one["name"], one["verdict"], one["odds"]) for one in wins] == [
        ("Banker", "wins", "1:1"),
        ("Player", "loses", None),
        ("Tie", "loses", None),
    ]


@pytest.mark.parametrize(
    ("profile", "left", "deadline"),
    [
        ("s42-mini", False, "when the shoe ends or the patron leaves"),
        ("s42-mini", True, "now: the patron left"),
        ("ny-mini", False, "before the reshuffle"),
    ],
)
def test_what_is_owed_is_shown_with_its_deadline(profile, left, deadline):
    table = Shown(profile).change("vig_collection", "deferred")
    table.bet((5, WagerKind.BANKER, 10000)).deal()
    if left:
        table.take(SeatVacated(5, "Ann Lee"))

    assert table.now()["owed"] == [
        {"seat": 5, "cents": 500, "amount": "5.00", "deadline": deadline}
    ]


def test_what_is_due_at_once_says_so():
    table = Shown("wa-mini").bet((5, WagerKind.BANKER, 10000)).deal()

    assert table.now()["owed"][0]["deadline"] == "before the next card"


def test_vigorish_that_the_house_bears_is_listed_by_patron():
    table = Shown().change("vig_collection", "deferred").bet((5, WagerKind.BANKER, 10000)).deal()
    table.take(VigorishDocumented(5, 17, "Cy Fox", "Ann Lee", "Bo Ray", "Di Orr", True, ""))

    assert table.now()["complimentary"] == ["Cy Fox: cash complimentary 5.00, vigorish by form 17"]


def test_changed_settings_are_shown_beside_what_the_file_says():
    table = Shown().change("odds_tie", "9:1")
    table.take(NoticeRecorded("vig_mode", "tie25", "players", "Bo Ray", 0))

    shown = table.now()

    assert shown["settings"] == [
        {
            "setting": "odds_tie",
            "value": "9:1",
            "file": "8:1",
            "reason": "trial",
            "clauses": ["S42-c-2"],
        }
    ]
    assert shown["notices"] == [
        {"setting": "vig_mode", "value": "tie25", "to": "players", "person": "Bo Ray"}
    ]


def test_a_change_that_no_longer_holds_is_not_shown():
    table = Shown()
    table.state = TableState(settings=(ChangedSetting("odds_tie", "9:1", "10:1", "trial"),))

    assert table.now()["settings"] == []
