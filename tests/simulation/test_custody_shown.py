"""What people see of custody: numbers by place, and a found card only once it was seen.

Responsible for: status, metrics and answers of a table whose cards carry tags, dealt face up and
face down, with a card of the other batch, one that is foreign and one at the other hand.
Not responsible for: the list of ways out (tests/controller/test_disclosure).
Source: controller/README.md, "Disclosure", "Snapshot", "Metrics"; S42 (g)(3); D-8.
"""

import json
from types import SimpleNamespace

import pytest

from controller.control.answers import plain_entries
from controller.metrics.collector import TableMetrics
from controller.procedure.events import TurnedCards
from controller.table.table import Health
from controller.tape.actions import BindBatch, ChangeSetting, Role, SetCardApart, TellTurned
from controller.views.snapshot import snapshot
from hil.dealing.cards import card_named
from hil.dealing.tags import FOREIGN_TAG, TAG_HEAD, usual_batches
from hil.emulator.feig.rfid_shoe import ExitFault
from hil.emulator.feig.table_reader import BANKER_ANTENNA

RED, BLUE = usual_batches()
LAYOUT = "layout"
BURN = ("2C", "9H", "9D")
FACE_UP, FACE_DOWN = "face_up", "face_down_dealer"
HANDS = (TurnedCards.PLAYER_HAND, TurnedCards.BANKER_HAND)
STRAY = BLUE.of(card_named("7H"))


class Table:
    """A red shoe after its burn. Player has 4 and 5, Banker K and a 7h with a blue back."""

    def __init__(self, simulation, option: str = FACE_UP) -> None:
        self.played = simulation.table("rfid", readers=(LAYOUT,))
        if option != FACE_UP:
            self.act(ChangeSetting("deal_option", option))
            assert self.shown["phase"] == "closed"
        for name in BURN:
            self.draw(RED.of(card_named(name)))

    def draw(self, piece) -> None:
        self.played.shoe.draw_piece(piece)
        self.played.settle()

    def deals_the_stray(self) -> "Table":
        for name in ("4C", "KD", "5S"):
            self.draw(RED.of(card_named(name)))
        self.draw(STRAY)
        return self

    def act(self, action, role: Role = Role.FLOORPERSON) -> list[dict[str, object]]:
        return plain_entries(self.played.table.act(action, role))

    @property
    def shown(self) -> dict[str, object]:
        return snapshot(self.played.table.core, self.played.table.state, "running", "")

    @property
    def found(self) -> list[dict[str, object]]:
        return [one["found"] for one in self.shown["irregularities"] if one["found"] is not None]

    @property
    def scraped(self) -> str:
        published = (self.played.table.core, self.played.table.state)
        table = SimpleNamespace(health=Health.RUNNING, published=published, seals=None)
        return TableMetrics("SIM-1").text(table).decode()


def places(shown: dict[str, object]) -> list[dict[str, int]]:
    return [batch["cards"] for batch in shown["custody"]["batches"]]


# --- numbers -------------------------------------------------------------------------------------


def test_custody_is_shown_in_numbers(simulation) -> None:
    table = Table(simulation).deals_the_stray()
    red, blue = places(table.shown)
    assert {place: number for place, number in red.items() if number} == {
        "shoe": 416 - 6,
        "hands": 3,
        "burn": 3,
    }
    assert {place: number for place, number in blue.items() if number} == {
        "carton": 415,
        "hands": 1,
    }
    assert [batch["in_play"] for batch in table.shown["custody"]["batches"]] == [True, False]


def test_an_unread_card_is_a_number_among_those_that_left(simulation) -> None:
    table = Table(simulation)
    table.played.shoe.order(ExitFault.NO_TAG)
    table.draw(RED.of(card_named("4C")))
    table.played.table.later(1_000_000_000)
    assert table.shown["custody"]["unread"] == 1
    assert (places(table.shown)[0]["shoe"], places(table.shown)[0]["unknown"]) == (412, 1)


@pytest.mark.parametrize("option", [FACE_UP, FACE_DOWN])
def test_no_identity_and_no_face_stands_among_the_numbers(simulation, option) -> None:
    table = Table(simulation, option).deals_the_stray()
    told = json.dumps(table.shown["custody"])
    assert TAG_HEAD not in told
    assert '"7h"' not in told


def test_the_metrics_count_by_back_and_place_alone(simulation) -> None:
    scraped = Table(simulation).deals_the_stray().scraped
    assert 'smartshoe_cards_at{back="red",place="hands"} 3.0' in scraped
    assert 'smartshoe_cards_at{back="blue",place="carton"} 415.0' in scraped
    assert 'place="player"' not in scraped
    assert TAG_HEAD not in scraped


# --- what was found ------------------------------------------------------------------------------


def test_a_card_dealt_face_up_is_shown_with_what_was_found_of_it(simulation) -> None:
    (found,) = Table(simulation).deals_the_stray().found
    assert (found["code"], found["back"]) == ("WRONG_BATCH", "blue")
    assert (found["card"], found["tag"]) == ("7h", STRAY.tag)


def test_a_card_dealt_face_down_is_hidden_until_all_of_its_coup_is_turned(simulation) -> None:
    table = Table(simulation, FACE_DOWN).deals_the_stray()
    for turned in HANDS:
        (found,) = table.found
        assert (found["code"], found["back"]) == ("WRONG_BATCH", "blue")
        assert (found["card"], found["tag"]) == ("??", "")
        assert '"7h"' not in json.dumps(table.shown)
        assert STRAY.tag not in json.dumps(table.shown)
        table.act(TellTurned(turned), Role.DEALER)
    (found,) = table.found
    assert (found["card"], found["tag"]) == ("7h", STRAY.tag)


def test_of_a_card_at_the_other_hand_nothing_is_told_but_that_it_is_there(simulation) -> None:
    table = Table(simulation)
    table.draw(RED.of(card_named("4C")))
    table.played.readers[LAYOUT].lay([RED.of(card_named("4C"))], BANKER_ANTENNA)
    table.played.settle()
    (found,) = table.found
    assert (found["code"], found["detail"], found["card"]) == ("CARD_MISPLACED", "", "??")


def test_the_step_of_a_third_card_names_no_hand(simulation) -> None:
    table = Table(simulation, FACE_DOWN)
    for name in ("2D", "2H", "3C", "2S"):
        table.draw(RED.of(card_named(name)))
    table.draw(STRAY)
    (found,) = table.found
    assert found["step"] == "shoe 1, card 8, coup 1"


# --- answers -------------------------------------------------------------------------------------


def test_the_answer_to_a_card_set_apart_names_no_card(simulation) -> None:
    table = Table(simulation)
    (answer,) = table.act(SetCardApart("red", RED.cards[0].tag))
    assert (answer["kind"], answer["back"]) == ("card_set_apart", "red")
    assert RED.cards[0].tag not in json.dumps(answer)


def test_the_answer_to_a_batch_that_was_named_is_that_it_is_looked_up(simulation) -> None:
    (answer,) = Table(simulation).act(BindBatch("RED-0001"))
    assert answer == {"kind": "manifest_wanted", "batch": "RED-0001"}


def test_the_answer_of_a_foreign_card_names_its_code_and_no_tag(simulation) -> None:
    table = Table(simulation)
    table.played.shoe.order(ExitFault.FOREIGN_TAG)
    before = len(table.played.table.entries)
    table.draw(RED.of(card_named("4C")))
    told = plain_entries(table.played.table.entries[before:])
    assert "FOREIGN_CARD" in [one.get("code") for one in told]
    assert FOREIGN_TAG not in json.dumps(told)
