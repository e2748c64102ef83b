"""Incidents at real tables, through the whole program: the first card that proves each.

Source: NY (a)(4)(iv); S42 (a)(4), (f)(1), (j)(4)-(5); field practice.
"""

from collections.abc import Callable
from dataclasses import replace

import pytest

from controller.custody.card_states import CardPlace
from controller.custody.findings import Finding
from controller.custody.state import batch_counts
from controller.procedure.effects import ShoeOpened
from controller.procedure.events import CardDrawn, CustodyFindingRaised
from controller.rules.actions.actions import RecordAct, SetCardApart
from controller.rules.actions.choices import ActKind
from controller.rules.actions.declaration import Role
from controller.system.messages.catalogue import to_words
from hil.dealing.actions import DealerAction, Draw, NewShoe, Pause, PauseKind, PressResult
from hil.dealing.cards import Card, PhysicalCard, card_named
from hil.dealing.dealer import Dealer, DealerSettings
from hil.dealing.shoe import Loading, shuffled_loading
from hil.dealing.tags import PhysicalBatch, usual_batches
from hil.emulator.feig.rfid_shoe import ExitFault
from hil.rig.shoe_runner import Pace, ShoeRunner
from hil.simulation.table import SimulatedOutlet

RED, BLUE = usual_batches()
SEED = 3
JACK, QUEEN = card_named("JD"), card_named("QD")
FOREIGN = "E0040100DEADBEEF"
RACK = "rack"


def findings(played) -> list[Finding]:
    return [
        one.event.finding
        for one in played.events_judged
        if isinstance(one.event, CustodyFindingRaised)
    ]


def cards_before(played, finding: Finding) -> list[object]:
    """The faces drawn up to the moment of a finding."""
    drawn = []
    for one in played.events_judged:
        if isinstance(one.event, CustodyFindingRaised) and one.event.finding == finding:
            return drawn
        if isinstance(one.event, CardDrawn):
            drawn.append(one.event.card)
    raise AssertionError("it was never found")


def with_tag(batch: PhysicalBatch, card: Card, tag: str) -> PhysicalBatch:
    """The batch with another piece of plastic in the place of one of its cards."""
    cards = tuple(replace(one, tag=tag) if one.card == card else one for one in batch.cards)
    return replace(batch, cards=cards)


def load_batch(batch: PhysicalBatch, shoe: int = 1) -> Callable[[object, DealerAction], None]:
    """That shoe is dealt from this batch, whatever its turn."""

    def load(played, action: DealerAction) -> None:
        if isinstance(action, NewShoe) and action.number == shoe:
            played.shoe.load(batch, action.loading.slots())

    return load


def tag_of(batch: PhysicalBatch, card: Card) -> str:
    return batch.of(card).tag


def card_number(number: int, seed: int = SEED, shoe: int = 1) -> Card:
    """The card that comes out of a seeded shoe as that number."""
    return shuffled_loading(seed, shoe, 8).cards[number - 1]


# --- Parx 2018: a queen of diamonds missing, a jack too many; the count was right -----------------


@pytest.mark.clause("S42-e-6-load")
def test_parx_the_ninth_jack_of_diamonds_from_eight_decks(simulation) -> None:
    class Parx(Dealer):
        def _loading(self, number: int) -> Loading:
            loading = super()._loading(number)
            swapped = tuple(JACK if card == QUEEN else card for card in loading.cards)
            return replace(loading, cards=swapped, cut_from_back=14)

    played = simulation.table("angel-eye")
    outlet = SimulatedOutlet(played.table, played.shoe, lambda: played.shoe.idle)
    dealer = Parx(DealerSettings(seed=SEED))
    ShoeRunner(dealer, outlet, on_action=lambda _: played.decide()).run()

    (found,) = findings(played)
    assert (found.code, str(found.card)) == ("TOO_MANY_OF_A_CARD", "Jd")
    jacks = [card for card in cards_before(played, found) if str(card) == "Jd"]
    assert len(jacks) == 9
    assert played.codes == ["TOO_MANY_OF_A_CARD"]
    assert to_words(found.step).startswith("shoe 1, card ")
    assert "S42-e-6-load" in played.irregularities[0].clauses


@pytest.mark.clause("S42-a-4-iii-same")
def test_parx_with_tags_the_jack_is_foreign_when_it_is_drawn(simulation) -> None:
    batch = with_tag(RED, card_number(30), FOREIGN)
    played = simulation.play(
        "rfid", DealerSettings(seed=SEED), on_action=deciding(load_batch(batch))
    )
    found = findings(played)[0]
    assert (found.code, found.tag, found.card) == ("FOREIGN_CARD", FOREIGN, None)
    assert len(cards_before(played, found)) == 30
    assert played.codes[:2] == ["CARD_UNREADABLE", "FOREIGN_CARD"]
    assert "S42-a-4-iii-same" in played.irregularities[1].clauses


@pytest.mark.parametrize(
    ("counted", "code"), [(415, "CARD_ABSENT"), (417, "CARD_EXTRA"), (416, None)]
)
def test_a_bound_batch_that_counts_wrong_is_not_whole(simulation, counted, code) -> None:
    played = simulation.table("rfid")
    count = RecordAct(ActKind.INSPECTED, batch="red", amount=counted)
    played.table.act(count, Role.FLOORPERSON)
    assert [found.code for found in findings(played)] == ([code] if code else [])
    blocked = {one.back: bool(one.blocked) for one in batch_counts(played.table.state.custody)}
    assert blocked == {"red": code is not None, "blue": False}


# --- Rivers 2018: a card of another back for 64 rounds --------------------------------------------


@pytest.mark.clause("S42-a-4-iii-same")
def test_rivers_one_card_of_the_other_batch_is_found_at_its_draw(simulation) -> None:
    stray = card_number(40)
    batch = with_tag(RED, stray, tag_of(BLUE, stray))
    played = simulation.play(
        "rfid", DealerSettings(seed=SEED), on_action=deciding(load_batch(batch))
    )
    (found,) = findings(played)
    assert (found.code, found.back, found.tag) == ("WRONG_BATCH", "blue", tag_of(BLUE, stray))
    assert len(cards_before(played, found)) == 40
    assert played.codes == ["WRONG_BATCH"]
    assert "S42-a-4-iii-same" in played.irregularities[0].clauses


# --- Hollywood 2015: the shuffler damages a card, and play goes on --------------------------------


def test_hollywood_a_damaged_card_stops_the_coup_and_blocks_its_batch(
    simulation,
) -> None:
    ended = 0

    def damaged(played, action: DealerAction) -> None:
        nonlocal ended
        ended += isinstance(action, PressResult)
        if isinstance(action, PressResult) and ended == 5:
            played.shoe.order(ExitFault.NO_TAG)
        if isinstance(action, NewShoe) and action.number == 2:
            apart = SetCardApart("red")
            played.table.act(apart, Role.FLOORPERSON, "a corner is torn off")

    dealer = DealerSettings(seed=SEED, shoes=3)
    played = simulation.play("rfid", dealer, on_action=deciding(damaged))
    assert played.codes[0] == "CARD_UNREADABLE"
    blocked = next(found for found in findings(played) if found.code == "BATCH_BLOCKED")
    assert (blocked.back, to_words(blocked.step)) == ("red", "before the first card of a shoe")
    assert findings(played).count(blocked) == 1


# --- the two-pack scam: the batch just dealt goes back into the shoe ------------------------------


@pytest.mark.clause("S42-a-4-v-alt")
def test_two_packs_the_batch_just_dealt_is_found_at_the_first_card(simulation) -> None:
    dealer = DealerSettings(seed=SEED, shoes=2)
    played = simulation.play("rfid", dealer, on_action=deciding(load_batch(RED, shoe=2)))
    first = next(one for one in played.irregularities if one.code == "BATCH_REPEATED")
    assert "S42-a-4-v-alt" in first.clauses
    found = next(one for one in findings(played) if one.code == "BATCH_REPEATED")
    opened = [one for one in played.table.entries if isinstance(one, ShoeOpened)]
    assert [one.shoe for one in opened] == [1, 2]
    assert to_words(found.step) == "before the first card of a shoe"


# --- cards that return, or are elsewhere ----------------------------------------------------------


@pytest.mark.clause("S42-a-4-iii-same")
def test_one_identity_twice_in_a_coup_is_in_two_places_at_once(simulation) -> None:
    first, _, second, _ = first_coup_cards()
    batch = with_tag(RED, second, tag_of(RED, first))
    played = simulation.play(
        "rfid",
        DealerSettings(seed=SEED),
        on_action=deciding(load_batch(batch)),
        pace=Pace(draw_ns=900_000_000),
    )
    assert findings(played)[0].code == "DUPLICATE_CARD"
    assert findings(played)[0].tag == tag_of(RED, first)


def test_a_card_of_an_earlier_coup_drawn_again_was_put_back(simulation) -> None:
    first, late = first_coup_cards()[0], card_number(60)
    batch = with_tag(RED, late, tag_of(RED, first))
    played = simulation.play(
        "rfid", DealerSettings(seed=SEED), on_action=deciding(load_batch(batch))
    )
    assert findings(played)[0].code == "CARD_RETURNED"
    assert len(cards_before(played, findings(played)[0])) == 60


# --- the discard rack -----------------------------------------------------------------------------


class RackKeeper:
    """Lays the dealt cards into the rack after each coup and burn.

    At coup `keeps` one card is kept back; at coup 2 `adds` are added.
    """

    def __init__(self, keeps: int = 0, adds: tuple[PhysicalCard, ...] = ()) -> None:
        self._keeps = keeps
        self._adds = adds
        self._dealt: list[Card] = []
        self._batch = RED
        self.coups = 0

    def __call__(self, played, action: DealerAction) -> None:
        match action:
            case NewShoe(number=number):
                self._batch = (RED, BLUE)[(number - 1) % 2]
            case Draw(card=card):
                self._dealt.append(card)
            case Pause(PauseKind.AFTER_BURN):
                self._lay(played)
            case PressResult():
                self.coups += 1
                self._lay(played)
            case _:
                pass

    def _lay(self, played) -> None:
        dealt, self._dealt = self._dealt, []
        if self.coups == self._keeps and self._keeps:
            dealt = dealt[1:]
        pieces = [self._batch.of(card) for card in dealt]
        if self.coups == 2:
            pieces.extend(self._adds)
        played.readers[RACK].lay(pieces)
        played.settle()


def test_a_whole_shoe_with_a_rack_reader_accounts_for_every_card(simulation) -> None:
    played = simulation.play(
        "rfid", DealerSettings(seed=SEED, shoes=2), readers=(RACK,), on_action=RackKeeper()
    )
    assert played.codes == []
    for batch in batch_counts(played.table.state.custody):
        assert sum(count for _, count in batch.places) == 8 * 52
    drawn = played.table.state.table.shoe.cards_drawn
    blue = dict(batch_counts(played.table.state.custody)[1].places)
    assert blue[CardPlace.DISCARD_RACK] == drawn


def test_a_card_missing_from_the_rack_is_absent_after_the_next_coup(simulation) -> None:
    keeper = RackKeeper(keeps=3)
    played = simulation.play(
        "rfid", DealerSettings(seed=SEED), readers=(RACK,), on_action=deciding(keeper)
    )
    assert [found.code for found in findings(played)] == ["CARD_ABSENT"]


@pytest.mark.clause("S42-a-4-vi")
def test_a_card_of_the_other_batch_in_the_rack_means_a_mixed_rack(simulation) -> None:
    stray = BLUE.cards[7]
    keeper = RackKeeper(adds=(stray,))
    played = simulation.play(
        "rfid", DealerSettings(seed=SEED), readers=(RACK,), on_action=deciding(keeper)
    )
    mixed = next(found for found in findings(played) if found.code == "DISCARD_RACK_MIXED")
    assert mixed.tag == stray.tag
    raised = next(one for one in played.irregularities if one.code == "DISCARD_RACK_MIXED")
    assert "S42-a-4-vi" in raised.clauses


# --- words ----------------------------------------------------------------------------------------


def deciding(
    *then: Callable[[object, DealerAction], None],
) -> Callable[[object, DealerAction], None]:
    """Calls each of `then` after an action, then decides as a floorperson."""

    def after(played, action: DealerAction) -> None:
        for one in then:
            one(played, action)
        played.decide()

    return after


def first_coup_cards() -> list[Card]:
    """The cards of the first coup of the seeded red shoe, in drawing order."""
    cards = shuffled_loading(SEED, 1, 8).cards
    burned = 1 + cards[0].burn_value
    return list(cards[burned : burned + 4])
