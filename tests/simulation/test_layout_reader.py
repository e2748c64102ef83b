"""What a reader under the layout proves, through the whole program, and what the rack resolves.

Source: NY (a)(4)(iv), (f); S42 (a)(4), (f)(1), (g)(3); D-16, D-17.
"""

import pytest

from controller.core.tape.entries import DeviceEventRecorded
from controller.custody.card_states import CardPlace
from controller.custody.findings import Finding
from controller.custody.state import batch_counts
from controller.procedure.events import CustodyFindingRaised
from controller.procedure.phases import Phase
from controller.rules.actions.actions import DeclareResult
from controller.rules.outcome import Outcome
from controller.system.messages.catalogue import to_words
from drivers.events import Spot, TagSeen
from hil.dealing.cards import card_named
from hil.dealing.tags import usual_batches
from hil.emulator.feig.reader import Movement, TagArrival
from hil.emulator.feig.rfid_shoe import ExitFault
from hil.emulator.feig.table_reader import BANKER_ANTENNA, PLAYER_ANTENNA

RED, BLUE = usual_batches()
W = CardPlace
RACK, LAYOUT = "rack", "layout"
BURN = ("2C", "9H", "9D")
# Longer than the exit waits for a tag that is late.
A_WHILE_NS = 1_000_000_000


class Table:
    """A red shoe after its burn, with readers at the rack and under the layout."""

    def __init__(self, played) -> None:
        self.played = played
        for name in BURN:
            self.draw(name)

    def draw(self, name: str, fault: ExitFault | None = None) -> None:
        if fault is not None:
            self.played.shoe.order(fault)
        self.played.shoe.draw_piece(RED.of(card_named(name)))
        self.played.settle()
        self.played.table.advance(A_WHILE_NS)

    def lay(self, name: str, antenna: int, batch=RED) -> None:
        self.played.readers[LAYOUT].lay([batch.of(card_named(name))], antenna)
        self.played.settle()

    def rack(self, *names: str) -> None:
        self.played.readers[RACK].lay([RED.of(card_named(name)) for name in names])
        self.played.settle()

    def count_at(self, place: CardPlace) -> int:
        return dict(batch_counts(self.played.table.state.custody)[0].places)[place]

    @property
    def phase(self) -> Phase:
        return self.played.table.state.table.phase

    @property
    def unread(self) -> int:
        return self.played.table.state.custody.shoe.unread

    @property
    def found(self) -> list[Finding]:
        return [
            one.event.finding
            for one in self.played.events_judged
            if isinstance(one.event, CustodyFindingRaised)
        ]


def is_tag_at_a_hand(entry) -> bool:
    seen = isinstance(entry, DeviceEventRecorded) and isinstance(entry.event, TagSeen)
    return seen and entry.event.spot is not Spot.DISCARD_RACK


@pytest.fixture
def table(simulation) -> Table:
    return Table(simulation.table("rfid", readers=(RACK, LAYOUT)))


def test_correctly_laid_cards_give_no_finding(table) -> None:
    for name, hand in zip(
        ("4C", "KD", "5S", "7H"), (PLAYER_ANTENNA, BANKER_ANTENNA) * 2, strict=True
    ):
        table.draw(name)
        table.lay(name, hand)
    assert table.played.codes == []
    assert (table.count_at(W.PLAYER), table.count_at(W.BANKER)) == (2, 2)


def test_a_card_laid_at_the_other_hand_is_misplaced(table) -> None:
    table.draw("4C")
    table.lay("4C", BANKER_ANTENNA)
    (found,) = table.found
    assert (found.code, str(found.card)) == ("CARD_MISPLACED", "4c")
    assert to_words(found.detail) == "it lies in the Banker's Hand and was in the Player's Hand"
    assert table.phase is Phase.SUSPENDED


def test_a_card_that_never_left_by_the_exit_is_not_drawn(table) -> None:
    table.draw("4C")
    table.lay("KD", BANKER_ANTENNA)
    (found,) = table.found
    assert (found.code, str(found.card)) == ("CARD_NOT_DRAWN", "Kd")
    assert table.phase is Phase.SUSPENDED


def test_a_card_of_the_other_batch_on_the_layout_is_not_drawn_either(table) -> None:
    table.draw("4C")
    table.lay("4C", PLAYER_ANTENNA, BLUE)
    (found,) = table.found
    assert (found.code, found.back) == ("CARD_NOT_DRAWN", "blue")


def test_a_card_on_the_layout_is_reported_once(table) -> None:
    table.draw("4C")
    for _ in range(2):
        table.lay("KD", BANKER_ANTENNA)
    assert [one.code for one in table.found] == ["CARD_NOT_DRAWN"]


@pytest.mark.parametrize("where", [LAYOUT, RACK])
def test_an_unread_card_is_identified_where_it_is_read(table, where) -> None:
    table.draw("4C", ExitFault.NO_TAG)
    assert (table.unread, table.count_at(W.UNKNOWN)) == (1, 1)
    if where == LAYOUT:
        table.lay("4C", PLAYER_ANTENNA)
        assert table.count_at(W.PLAYER) == 1
        coup = table.played.table.state.table.shoe.coup
        assert ([str(one.card) for one in coup.cards], coup.partial) == (["4c"], False)
    else:
        table.played.decide()
        table.rack("4C")
        assert table.count_at(W.DISCARD_RACK) == 1
    assert (table.unread, table.count_at(W.UNKNOWN)) == (0, 0)
    assert table.played.codes == ["CARD_UNREADABLE"]


@pytest.mark.parametrize("racked", [False, True])
def test_records_stored_while_unplugged_give_no_finding(table, racked) -> None:
    table.played.table.unplug(LAYOUT)
    for names in (("4C", "KD", "5S", "7H"), ("4D", "KH", "5D", "7S")):
        for name, hand in zip(names, (PLAYER_ANTENNA, BANKER_ANTENNA) * 2, strict=True):
            table.draw(name)
            table.played.readers[LAYOUT].lay([RED.of(card_named(name))], hand)
            table.played.table.advance(A_WHILE_NS)
        table.played.table.act(DeclareResult(Outcome.PLAYER, False, False))
        if racked:
            table.rack(*names)
    table.played.table.advance(6 * A_WHILE_NS)
    table.played.table.plug(LAYOUT)
    table.played.settle()
    reads = [one.event for one in table.played.table.entries if is_tag_at_a_hand(one)]
    assert [one.late for one in reads] == [True] * 8
    assert [one.code for one in table.found if one.code != "CARD_ABSENT"] == []


def test_cards_read_after_replug_count(table) -> None:
    table.played.table.unplug(LAYOUT)
    table.played.table.advance(60 * A_WHILE_NS)
    table.played.table.plug(LAYOUT)
    table.draw("4C")
    table.lay("4C", BANKER_ANTENNA)
    assert [one.code for one in table.found] == ["CARD_MISPLACED"]


def test_an_unread_card_explains_only_one_card(table) -> None:
    table.draw("4C", ExitFault.NO_TAG)
    table.lay("4C", PLAYER_ANTENNA)
    table.lay("KD", PLAYER_ANTENNA)
    assert [one.code for one in table.found] == ["CARD_NOT_DRAWN"]


def test_a_slow_or_pulled_back_card_is_one_card(table) -> None:
    table.draw("4C", ExitFault.SLOW_CARD)
    table.draw("KD", ExitFault.PULLED_BACK)
    table.lay("4C", PLAYER_ANTENNA)
    table.lay("KD", BANKER_ANTENNA)
    assert table.played.codes == []
    assert (table.count_at(W.PLAYER), table.count_at(W.BANKER)) == (1, 1)


def test_a_card_pulled_back_for_good_is_not_drawn(table) -> None:
    """A card pulled back into the shoe is not drawn; laid on the table it is found."""
    table.draw("4C")
    tag = TagArrival(bytes.fromhex(RED.of(card_named("KD")).tag))
    table.played.shoe.move((Movement(100, tag),))
    table.played.table.advance(3 * A_WHILE_NS)
    assert table.count_at(W.BANKER) == 0
    table.lay("KD", BANKER_ANTENNA)
    assert [one.code for one in table.found] == ["CARD_NOT_DRAWN"]
