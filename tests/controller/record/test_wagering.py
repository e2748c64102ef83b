"""The snapshot's wagering part: wagers, payment, vigorish and changed settings."""

import pytest
from acts_of_people import acted
from shown_tables import part

from controller.procedure.events import (
    CardDrawn,
    GamingDayChanged,
    ResultDeclared,
    ShoeDeviceStarted,
)
from controller.procedure.people.setting_changes import effective_book
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import ChangedSetting, TableState
from controller.procedure.step import step
from controller.record.snapshot import (
    AmountView,
    ChangedSettingView,
    NoticeView,
    OwedVigorishView,
    WageringView,
    WagerView,
)
from controller.record.wagering import wagering_view
from controller.rules.actions.actions import (
    ChangeSetting,
    DocumentVigorish,
    GiveNotice,
    RecordAct,
    StateWagers,
    VacateSeat,
)
from controller.rules.actions.choices import ActKind
from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.rules.outcome import Outcome
from controller.rules.profiles.load import load_profile
from controller.rules.settlement.wagers import Wager, WagerKind

PLACES = (Place.PLAYER_1, Place.BANKER_1, Place.PLAYER_2, Place.BANKER_2, Place.BANKER_3)
BANKER_8 = ("7h", "5c", "Kd", "Qh", "3c")


class WageringTable:
    """A table after the burn of its first shoe, and its wagering view."""

    def __init__(self, profile="s42-mini"):
        observed = (ObservableFact.WAGERS, ObservableFact.RESULT_BUTTON)
        self.book = RuleBook.of(load_profile(profile), 8, observed)
        self.state = TableState()
        self.take(GamingDayChanged("2026-11-21"), ShoeDeviceStarted())
        self.take(CardDrawn(Card.parse("Ac"), Place.BURN_FIRST))
        self.take(CardDrawn(Card.parse("2c"), Place.BURN))

    def take(self, *events):
        for event in events:
            self.state = step(effective_book(self.book, self.state), self.state, event).state
        return self

    def bet(self, *wagers):
        return self.take(acted(StateWagers(tuple(Wager(*one) for one in wagers)), "Ann Lee"))

    def deal(self, cards=BANKER_8, outcome=Outcome.BANKER):
        drawn = zip(cards, PLACES, strict=False)
        self.take(*(CardDrawn(Card.parse(text), place) for text, place in drawn))
        return self.take(ResultDeclared(outcome, False, False)) if len(cards) > 3 else self

    def change(self, setting, value):
        for to in ("players", "commission"):
            self.take(acted(GiveNotice(setting, value, to), "Bo Ray"))
        return self.take(acted(ChangeSetting(setting, value), "Bo Ray", reason="trial", at_ns=1))

    def now(self):
        return wagering_view(effective_book(self.book, self.state), self.state)


def test_the_view_of_a_table_without_wagers():
    assert WageringTable().now() == part(WageringView, offered=["banker", "player", "tie"])


def test_before_the_first_shoe_no_wager_wins():
    book = WageringTable().book

    assert wagering_view(book, TableState()).wins == ()


def test_wagers_are_listed_by_seat_with_the_reason_for_a_refusal():
    shown = WageringTable().bet((5, WagerKind.BANKER, 10000), (2, WagerKind.DRAGON_7, 500)).now()

    refused = "this wager is not offered here"
    assert shown.wagers == (
        WagerView(2, 500, "5.00", "dragon_7", "Dragon 7", refused),
        WagerView(5, 10000, "100.00", "banker", "Banker", ""),
    )


def test_during_a_coup_its_locked_wagers_are_shown():
    shown = WageringTable().bet((5, WagerKind.BANKER, 10000)).deal(("7h", "5c")).now()

    assert shown.locked is True
    assert [one.seat for one in shown.wagers] == [5]


def test_a_verbal_wager_is_shown_until_it_is_changed():
    table = WageringTable()
    table.take(
        acted(
            RecordAct(ActKind.VERBAL_WAGER, seat=3, amount=5000, second="Bo Ray"),
            "Ann Lee",
            role="dealer",
        )
    )

    assert table.now().verbal == (AmountView(3, 5000, "50.00"),)


def test_the_last_payment_is_shown_act_by_act():
    payment = WageringTable().bet((5, WagerKind.BANKER, 10000)).deal().now().payment

    assert (payment.coup, payment.note) == (1, "")
    assert [(one.act, one.cents, one.text) for one in payment.steps] == [
        ("pay", 10000, "seat 5: pay 100.00 on Banker"),
        ("collect_vigorish", 500, "seat 5: collect vigorish 5.00"),
    ]
    assert "S42-c-3-pay" in payment.steps[0].clauses


def test_the_result_of_every_wager_is_shown_even_if_nobody_bet():
    wins = WageringTable().deal().now().wins

    assert [(one.name, one.verdict, one.odds) for one in wins] == [
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
def test_owed_vigorish_has_its_deadline(profile, left, deadline):
    table = WageringTable(profile).change("vig_collection", "deferred")
    table.bet((5, WagerKind.BANKER, 10000)).deal()
    if left:
        table.take(acted(VacateSeat(5), "Ann Lee"))

    assert table.now().owed == (OwedVigorishView(5, 500, "5.00", deadline),)


def test_vigorish_due_at_once_is_due_before_the_next_card():
    table = WageringTable("wa-mini").bet((5, WagerKind.BANKER, 10000)).deal()

    assert table.now().owed[0].deadline == "before the next card"


def test_complimentary_vigorish_is_listed_by_patron():
    table = (
        WageringTable()
        .change("vig_collection", "deferred")
        .bet((5, WagerKind.BANKER, 10000))
        .deal()
    )
    table.take(
        acted(
            DocumentVigorish(5, 17, "Cy Fox", "Ann Lee", "Di Orr", patron_signed=True),
            "Bo Ray",
            reason="",
        )
    )

    assert table.now().complimentary == ("Cy Fox: cash complimentary 5.00, vigorish by form 17",)


def test_changed_settings_are_shown_with_the_value_in_the_file():
    table = WageringTable().change("odds_tie", "9:1")
    table.take(acted(GiveNotice("vig_mode", "tie25", "players"), "Bo Ray"))

    shown = table.now()

    assert shown.settings == (
        ChangedSettingView(("S42-c-2",), {}, "odds_tie", "9:1", "8:1", "trial"),
    )
    assert shown.notices == (NoticeView("vig_mode", "tie25", "players", "Bo Ray"),)


def test_a_change_no_longer_in_effect_is_not_shown():
    table = WageringTable()
    table.state = TableState(settings=(ChangedSetting("odds_tie", "9:1", "10:1", "trial"),))

    assert table.now().settings == ()
