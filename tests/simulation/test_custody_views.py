"""What people see of custody: counts by place, and a card found only once it was disclosed.

Source: S42 (g)(3); D-8.
"""

from types import SimpleNamespace

import pytest
from msgspec.json import encode
from msgspec.structs import asdict
from prometheus_client import generate_latest

from controller.outlets.control.answer_schema import (
    AnsweredEntry,
    CardSetApartAnswer,
    IrregularityAnswer,
    ManifestWantedAnswer,
)
from controller.outlets.control.answers import answered_entries
from controller.outlets.metrics.page import TablesCollector
from controller.outlets.metrics.table_metrics import TableMetrics
from controller.procedure.effects import Prompt
from controller.record.build import build_snapshot
from controller.record.snapshot import CardFact, FindingView, Snapshot, Withheld
from controller.rules.actions.actions import (
    BindBatch,
    ChangeSetting,
    ReportTurned,
    Resolution,
    SetCardApart,
)
from controller.rules.actions.choices import FloorDecision, LayoutPart
from controller.rules.actions.declaration import Role
from controller.system.messages.catalogue import to_words
from controller.table.table import Health
from hil.dealing.cards import card_named
from hil.dealing.tags import FOREIGN_TAG, TAG_HEAD, usual_batches
from hil.emulator.feig.rfid_shoe import ExitFault
from hil.emulator.feig.table_reader import BANKER_ANTENNA

RED, BLUE = usual_batches()
LAYOUT = "layout"
FACE_DOWN_CARD = CardFact(None, Withheld.FACE_DOWN)
BURN = ("2C", "9H", "9D")
FACE_UP, FACE_DOWN = "face_up", "face_down_dealer"
HANDS = (LayoutPart.PLAYER_HAND, LayoutPart.BANKER_HAND)
STRAY = BLUE.of(card_named("7H"))


class Table:
    """A red shoe after its burn. Player has 4 and 5, Banker K and a 7h with a blue back."""

    def __init__(self, simulation, option: str = FACE_UP) -> None:
        self.played = simulation.table("rfid", readers=(LAYOUT,))
        if option != FACE_UP:
            self.act(ChangeSetting("deal_option", option))
            assert self.view.phase.value == "closed"
        for name in BURN:
            self.draw(RED.of(card_named(name)))

    def draw(self, piece) -> None:
        self.played.shoe.draw_piece(piece)
        self.played.settle()

    def deal_the_stray(self) -> "Table":
        for name in ("4C", "KD", "5S"):
            self.draw(RED.of(card_named(name)))
        self.draw(STRAY)
        return self

    def act(self, action, role: Role = Role.FLOORPERSON) -> tuple[AnsweredEntry, ...]:
        return self.answers(self.played.table.act(action, role))

    def answers(self, entries) -> tuple[AnsweredEntry, ...]:
        table = self.played.table
        return answered_entries(entries, table.core.book, table.state.table)

    @property
    def view(self) -> Snapshot:
        return build_snapshot(self.played.table.core, self.played.table.state)

    @property
    def found(self) -> list[FindingView]:
        return [one.found for one in self.view.irregularities if one.found is not None]

    @property
    def metrics(self) -> str:
        published = (self.played.table.core, self.played.table.state)
        table = SimpleNamespace(
            name="SIM-1",
            health=Health.RUNNING,
            published=published,
            sealing_status=None,
            followers=(),
            waiting=0,
        )
        return generate_latest(TablesCollector([TableMetrics(table)])).decode()


def places(view: Snapshot) -> list[dict[str, int]]:
    return [asdict(batch.cards) for batch in view.custody.batches]


# --- numbers -------------------------------------------------------------------------------------


def test_custody_is_shown_as_counts(simulation) -> None:
    table = Table(simulation).deal_the_stray()
    red, blue = places(table.view)
    assert {place: number for place, number in red.items() if number} == {
        "shoe": 416 - 6,
        "hands": 3,
        "burn": 3,
    }
    assert {place: number for place, number in blue.items() if number} == {
        "carton": 415,
        "hands": 1,
    }
    assert [batch.in_play for batch in table.view.custody.batches] == [True, False]


def test_an_unread_card_counts_as_drawn_and_unread(simulation) -> None:
    table = Table(simulation)
    table.played.shoe.order(ExitFault.NO_TAG)
    table.draw(RED.of(card_named("4C")))
    table.played.table.advance(1_000_000_000)
    assert table.view.custody.unread == 1
    assert (places(table.view)[0]["shoe"], places(table.view)[0]["unknown"]) == (412, 1)


@pytest.mark.parametrize("option", [FACE_UP, FACE_DOWN])
def test_the_counts_contain_no_identity_and_no_face(simulation, option) -> None:
    table = Table(simulation, option).deal_the_stray()
    answer = encode(table.view.custody).decode()
    assert TAG_HEAD not in answer
    assert '"7h"' not in answer


def test_the_metrics_count_by_back_and_place_alone(simulation) -> None:
    metrics = Table(simulation).deal_the_stray().metrics
    assert 'smartshoe_cards_at{back="red",pit="",place="hands",table="SIM-1"} 3.0' in metrics
    assert 'smartshoe_cards_at{back="blue",pit="",place="carton",table="SIM-1"} 415.0' in metrics
    assert 'place="player"' not in metrics
    assert TAG_HEAD not in metrics


# --- findings ------------------------------------------------------------------------------------


def test_a_card_dealt_face_up_is_shown_with_its_finding(simulation) -> None:
    (found,) = Table(simulation).deal_the_stray().found
    assert (found.code, found.back) == ("WRONG_BATCH", "blue")
    assert (found.card.value, found.tag.value) == ("7h", STRAY.tag)


def test_a_card_dealt_face_down_is_hidden_until_its_coup_is_disclosed(simulation) -> None:
    table = Table(simulation, FACE_DOWN).deal_the_stray()
    for turned in HANDS:
        (found,) = table.found
        assert (found.code, found.back) == ("WRONG_BATCH", "blue")
        assert found.card == found.tag == FACE_DOWN_CARD
        assert '"7h"' not in encode(table.view).decode()
        assert STRAY.tag not in encode(table.view).decode()
        table.act(ReportTurned(turned), Role.DEALER)
    (found,) = table.found
    assert (found.card.value, found.tag.value) == ("7h", STRAY.tag)


def test_of_a_card_at_the_other_hand_only_its_presence_is_shown(simulation) -> None:
    table = Table(simulation)
    table.draw(RED.of(card_named("4C")))
    table.played.readers[LAYOUT].lay([RED.of(card_named("4C"))], BANKER_ANTENNA)
    table.played.settle()
    (found,) = table.found
    assert found.code == "CARD_MISPLACED"
    assert found.detail == found.card == FACE_DOWN_CARD


def test_the_step_of_a_third_card_names_no_hand(simulation) -> None:
    table = Table(simulation, FACE_DOWN)
    for name in ("2D", "2H", "3C", "2S"):
        table.draw(RED.of(card_named(name)))
    table.draw(STRAY)
    (found,) = table.found
    assert found.step == "shoe 1, card 8, coup 1"


# --- answers -------------------------------------------------------------------------------------


def test_the_answer_to_a_card_set_apart_names_no_card(simulation) -> None:
    table = Table(simulation)
    (answer,) = table.act(SetCardApart("red", RED.cards[0].tag))
    assert isinstance(answer, CardSetApartAnswer)
    assert answer.back == "red"
    assert RED.cards[0].tag not in str(answer)


def test_the_answer_to_a_named_batch_is_a_look_up(simulation) -> None:
    (answer,) = Table(simulation).act(BindBatch("RED-0001"))
    assert answer == ManifestWantedAnswer("RED-0001")


def test_the_answer_to_a_foreign_card_has_its_code_and_no_tag(simulation) -> None:
    table = Table(simulation)
    table.played.shoe.order(ExitFault.FOREIGN_TAG)
    before = len(table.played.table.entries)
    table.draw(RED.of(card_named("4C")))
    answer = table.answers(table.played.table.entries[before:])
    raised = [one.code for one in answer if isinstance(one, IrregularityAnswer)]
    assert "FOREIGN_CARD" in raised
    assert FOREIGN_TAG not in str(answer)


def test_the_calls_at_a_card_of_another_batch_wait_for_the_decision(simulation) -> None:
    """Custody finds it after the procedure judged the card: it is called once, and then."""
    table = Table(simulation).deal_the_stray()
    assert table.view.phase.value == "suspended"
    entries = table.played.table.act(Resolution(FloorDecision.CONTINUE), Role.FLOORPERSON)
    calls = [to_words(one.text) for one in entries if isinstance(one, Prompt)]
    assert [one.partition(":")[0] for one in calls] == ["announce", "announce"]
    assert calls[1] == "announce: Player wins, 9 over 7"
