"""The snapshot's opening part: duties before the next shoe, and where the batches are."""

import pytest
from acts_of_people import acted

from controller.procedure.events import CardDrawn, ShoeDeviceStarted, StepInput
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import TableState
from controller.procedure.step import step
from controller.record.build import opening_view
from controller.record.snapshot import DutyView, OpeningView
from controller.rules.actions.actions import OperatorAction, RecordAct
from controller.rules.actions.choices import ActKind
from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.rules.profiles.load import load_profile

BOOK = RuleBook.of(load_profile("s42-mini"), 8, (ObservableFact.CUT_DEPTH,), (1, 2, 3))


def act(kind: ActKind, **values: object) -> OperatorAction:
    return acted(RecordAct(kind, **values), "Ann Lee", role="dealer")


def after(*events: StepInput) -> OpeningView:
    state = TableState(today="2026-11-21")
    for event in events:
        state = step(BOOK, state, event).state
    return opening_view(BOOK, state)


def done(view: OpeningView) -> list[str]:
    return [duty.act for duty in view.duties if duty.done]


def test_at_first_every_duty_is_open_and_nothing_is_known() -> None:
    view = after()
    assert done(view) == []
    assert view.duties[-1] == DutyView(
        clauses=("S42-e-6-load",),
        borrowed={},
        act="loaded",
        text="load the shoe and record the batch, its cards and who cut",
        group="then the loading",
        done=False,
        observed=False,
    )
    assert [duty.act for duty in view.duties if duty.observed] == [
        *("cut-offered", "cut", "cut-moved", "cut-cards-placed")
    ]
    assert (view.batch, view.cut_by, view.shoe_held_by) == ("", None, None)


LOADED = (
    act(ActKind.SHUFFLED, batch="red"),
    act(ActKind.INTO_SHUFFLER, batch="blue"),
    act(ActKind.CUT_OFFERED),
    act(ActKind.CUT, seat=2, amount=200),
    act(ActKind.CUT_MOVED),
    act(ActKind.CUT_CARDS_PLACED, amount=14),
    act(ActKind.LOADED, batch="red", amount=416),
)


def test_a_recorded_act_is_done() -> None:
    view = after(*LOADED)
    assert done(view) == [
        *("shuffled", "cut-offered", "cut", "cut-moved", "cut-cards-placed", "loaded")
    ]
    assert (view.loaded, view.in_shuffler, view.in_play) == ("red", "blue", "")
    assert (view.cut_offered_to, view.cut_by) == ((3, 2, 1), 2)
    assert view.batches == ("red", "blue")


def test_in_play_the_duties_are_those_of_the_next_shoe() -> None:
    first = CardDrawn(Card.parse("Ac"), Place.BURN_FIRST)
    view = after(*LOADED, ShoeDeviceStarted(), first)
    assert done(view) == []
    assert (view.in_play, view.last_batch, view.batch) == ("red", "red", "blue")
    assert view.in_rack == "red"


@pytest.mark.parametrize("deep", [3, 413])
def test_an_act_that_was_refused_is_shown_with_its_code(deep: int) -> None:
    view = after(act(ActKind.CUT, amount=deep))
    (refused,) = view.refused
    assert (refused.act, refused.code) == ("cut", "CUT_TOO_SHALLOW")
