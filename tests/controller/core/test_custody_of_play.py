"""Custody follows the procedure: the place of each card in every situation of play.

Source: NY (a)(4)(iv), (i)(4)-(5); S42 (a)(4), (j)(4)-(5); D-5, D-7, D-9 to D-22.
"""

from collections import Counter

import pytest
from msgspec.structs import replace

from controller.core import device_intake as core_cards
from controller.core.device_intake import describe_position
from controller.core.script.parser import parse
from controller.core.script.player import ShoeCount, due_place, step_inputs
from controller.custody import batch_actions as batches
from controller.custody.card_states import CardPlace
from controller.custody.findings import Finding
from controller.custody.manifest import Manifest, ManifestCard, build_manifest
from controller.custody.state import (
    CustodyChange,
    CustodyState,
    batch_counts,
    batch_of_back,
    check_consistent,
)
from controller.procedure.events import CustodyFindingRaised, DomainEvent, GamingDayChanged
from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import TableState
from controller.procedure.step import step
from controller.procedure.verdicts import Irregularity
from controller.rules.cards import Card, Rank, Suit
from controller.rules.profiles.load import load_profile
from controller.system.messages.catalogue import to_words
from drivers.events import CardPassed, Spot, TagSeen

W = CardPlace
FACES = tuple(Card(rank, suit) for suit in Suit for rank in Rank)
DECKS = 8
PROFILE = load_profile("s42-mini")
BURN = "2c 9h 9d"
# Player 4 and 6, Banker Kd and 7h: a natural against seven.
NATURAL = "4c Kd 5s 7h"
# Player 5 draws; Banker 4 draws against a six.
SIX_CARDS = "2d 2h 3c 2s 6s 9c"


def whole_batch(back: str) -> Manifest:
    ending = {"red": "01", "blue": "02"}[back]
    cards = [
        ManifestCard(f"E00401{deck * 52 + at:08X}{ending}", face, deck + 1)
        for deck in range(DECKS)
        for at, face in enumerate(FACES)
    ]
    cards += [ManifestCard(f"E00401{9000 + number:08X}{ending}", None, 0) for number in range(4)]
    return build_manifest(f"{back}-0001", back, DECKS, cards)


BATCHES = {back: whole_batch(back) for back in ("red", "blue")}
TAGS = {
    back: {
        (str(one.card), number): one.tag
        for face in {one.card for one in manifest.cards()}
        for number, one in enumerate(one for one in manifest.cards() if one.card == face)
    }
    for back, manifest in BATCHES.items()
}


class Table:
    """A table whose shoe reads tags, without its devices; drawn cards are given by face."""

    def __init__(
        self, *, rack_read: bool = False, observed: tuple[ObservableFact, ...] = ()
    ) -> None:
        self.book = RuleBook.of(PROFILE, DECKS, (ObservableFact.RESULT_BUTTON, *observed))
        self.rack_read = rack_read
        self.table = TableState()
        self.custody = CustodyState()
        self.codes: list[str] = []
        self.found: list[Finding] = []
        self.drawn: Counter[tuple[str, str]] = Counter()
        for manifest in BATCHES.values():
            self.custody = batches.bind_batch(self.custody, manifest).state
        self.begin_day("2026-11-21")

    def draws(self, cards: str, back: str = "red", *, sure: bool = True) -> "Table":
        """Draw these cards: faces, "cut", or "??" for one without a tag."""
        for face in cards.split():
            self.passes(None if face == "??" else self.tag(face, back), sure=sure)
        return self

    def passes(self, tag: str | None, *, sure: bool = True) -> None:
        event = CardPassed(tag, sure)
        self._apply_event(core_cards.drawn_event(self.custody, event), event)

    def tag(self, name: str, back: str = "red") -> str:
        """The tag of the next card of that face that has not been drawn."""
        face = "None" if name == "cut" else name
        number = self.drawn[back, face]
        self.drawn[back, face] += 1
        return TAGS[back][face, number]

    def sees(self, spot: Spot, tag: str, *, late: bool = False) -> None:
        event = TagSeen(spot, tag, late=late)
        read = core_cards.track_table_read(self.custody, event, self.table)
        read_later = core_cards.cards_read_later(read, event, self.table)
        self._apply_custody((read.state, read.findings))
        for repeated in read_later:
            self._apply_event(repeated)

    def begin_day(self, day: str) -> None:
        self._apply_event(GamingDayChanged(day))

    def say(self, script: str) -> "Table":
        """Apply acts of people and keys, in the script language."""
        for statement in parse(script):
            due = due_place(self.table)
            for event in step_inputs(statement.body, ShoeCount(), due)[0]:
                self._apply_event(event)
        return self

    def at(self, place: CardPlace, back: str = "red") -> int:
        return dict(next(one for one in batch_counts(self.custody) if one.back == back).places)[
            place
        ]

    def where(self, tag: str) -> CardPlace:
        for ledger in self.custody.batches:
            index = ledger.manifest.find(tag)
            if index is not None:
                return ledger.place_of(index)
        raise AssertionError(f"{tag} is in no batch")

    def words(self) -> str:
        return to_words(describe_position(self.table))

    def _apply_event(self, event: DomainEvent, passed: CardPassed | None = None) -> None:
        before, result = self.table, step(self.book, self.table, event)
        self.table = result.state
        self.codes += [one.code.value for one in result.verdicts if isinstance(one, Irregularity)]
        change = core_cards.track_event(
            self.custody,
            event,
            before,
            result,
            decks=DECKS,
            rack_read=self.rack_read,
            passed=passed,
        )
        self._apply_custody(change)

    def _apply_custody(self, change: CustodyChange) -> None:
        self.custody, findings = change
        check_consistent(self.custody)
        self.found += findings
        for finding in findings:
            self._apply_event(CustodyFindingRaised(finding))


@pytest.fixture
def new() -> type[Table]:
    return Table


@pytest.fixture
def burned(new: type[Table]) -> Table:
    """A red shoe after its burn."""
    return new().draws(BURN)


# --- the burn and the hands ----------------------------------------------------------------------


def test_the_burn_card_and_its_number_of_cards_are_the_burn(burned: Table) -> None:
    assert (burned.at(W.BURN), burned.at(W.SHOE)) == (3, DECKS * 52 - 3)
    assert burned.custody.shoe.in_play == "red-0001"


@pytest.mark.parametrize(
    ("cards", "player", "banker"), [("4c", 1, 0), (NATURAL, 2, 2), (SIX_CARDS, 3, 3)]
)
def test_cards_go_to_the_hands_by_the_order_of_drawing(
    burned: Table, cards: str, player: int, banker: int
) -> None:
    burned.draws(cards)
    assert (burned.at(W.PLAYER), burned.at(W.BANKER)) == (player, banker)


def test_player_stands_so_the_third_card_goes_to_the_banker(burned: Table) -> None:
    # Player 6 stands, Banker 5 draws.
    burned.draws("2d 2h 4c 3s 9c")
    assert (burned.at(W.PLAYER), burned.at(W.BANKER)) == (2, 3)


def test_an_unreadable_card_is_counted_at_an_unknown_place(burned: Table) -> None:
    burned.draws("4c ??")
    assert (burned.at(W.PLAYER), burned.at(W.BANKER), burned.at(W.UNKNOWN)) == (1, 0, 1)


@pytest.mark.parametrize(
    ("cards", "spot", "face"),
    [("?? Kd 5s 7h", Spot.PLAYER, "4c"), ("4c Kd 5s ??", Spot.BANKER, "7h")],
)
def test_an_unread_card_that_a_reader_reads_at_its_hand_makes_the_coup_whole(
    burned: Table, cards: str, spot: Spot, face: str
) -> None:
    burned.draws(cards)
    burned.sees(spot, burned.tag(face))
    burned.say("resolve continue" if cards.endswith("??") else "resolve continue take-over")
    burned.say("result player")
    assert burned.table.shoe.tally.player == 1
    assert "RESULT_MISMATCH" not in burned.codes


def test_after_the_result_the_rack_makes_it_whole_and_the_result_is_judged(new) -> None:
    table = new(rack_read=True).draws(BURN).draws("4c Kd 5s ??").say("result banker")
    assert table.codes == ["CARD_UNREADABLE"]
    table.sees(Spot.DISCARD_RACK, table.tag("7h"))
    assert table.codes == ["CARD_UNREADABLE", "RESULT_MISMATCH"]
    table.say("resolve continue")
    assert table.table.shoe.tally.player == 1


def test_the_first_burn_card_read_in_the_rack_sets_the_count(new) -> None:
    table = new(rack_read=True).draws("?? 9h")
    table.sees(Spot.DISCARD_RACK, table.tag("3c"))
    assert (table.table.shoe.burn_owed, table.table.shoe.burn_proven) == (2, True)


@pytest.mark.parametrize(
    ("cards", "reads"),
    [
        ("?? Kd ?? 7h", [(Spot.PLAYER, "4c")]),
        ("?? Kd 5s 7h", [(Spot.BANKER, "4c")]),
        ("?? Kd 5s ??", [(Spot.DISCARD_RACK, "4c")]),
    ],
)
def test_where_it_may_be_another_unread_card_nothing_is_filled_in(new, cards, reads) -> None:
    table = new(rack_read=True).draws(BURN).draws(cards)
    for spot, face in reads:
        table.sees(spot, table.tag(face))
    assert table.table.shoe.coup.partial


@pytest.mark.parametrize(
    ("cards", "spot", "faces", "outcome"),
    [
        ("?? Kd ?? 7h", Spot.PLAYER, "4c 5s", "player"),
        ("4c ?? 5s ??", Spot.BANKER, "Kd 7h", "player"),
        ("Kd ?? 5s ??", Spot.BANKER, "4c 4h", "banker"),
        ("9h ?? 9s ??", Spot.BANKER, "9h 9d", "tie"),
    ],
)
def test_two_unread_cards_of_a_hand_make_the_coup_whole_once_both_are_read(
    burned: Table, cards: str, spot: Spot, faces: str, outcome: str
) -> None:
    burned.draws(cards)
    first, second = faces.split()
    burned.sees(spot, burned.tag(first))
    assert burned.table.shoe.coup.partial
    assert {one.card for one in burned.table.shoe.coup.cards if one.card is None}
    burned.sees(spot, burned.tag(second))
    assert not burned.table.shoe.coup.partial
    burned.say("resolve continue take-over").say(f"result {outcome}")
    assert burned.codes == ["CARD_UNREADABLE", "DEALT_WHILE_SUSPENDED"]
    record = burned.table.shoe.last_coup
    assert [str(one.card) for one in record.cards] == cards.replace("??", "{}").format(
        *faces.split()
    ).split()


def test_of_unread_cards_in_both_hands_each_is_filled_in_where_it_lies(burned: Table) -> None:
    burned.draws("?? ?? ?? ??")
    for spot, face in (
        (Spot.PLAYER, "4c"),
        (Spot.BANKER, "Kd"),
        (Spot.BANKER, "7h"),
        (Spot.PLAYER, "5s"),
    ):
        assert burned.table.shoe.coup.partial
        burned.sees(spot, burned.tag(face))
    assert [str(one.card) for one in burned.table.shoe.coup.cards] == ["4c", "Kd", "5s", "7h"]
    assert not burned.table.shoe.coup.partial


def test_a_card_of_the_other_hand_is_none_of_two_unread_cards(burned: Table) -> None:
    burned.draws("?? Kd ?? 7h")
    burned.sees(Spot.PLAYER, TAGS["red"]["Kd", 0])
    burned.sees(Spot.PLAYER, burned.tag("4c"))
    assert burned.table.shoe.coup.partial
    burned.sees(Spot.PLAYER, burned.tag("5s"))
    assert not burned.table.shoe.coup.partial


def test_once_both_are_known_a_third_card_at_the_hand_is_no_card_of_it(burned: Table) -> None:
    burned.draws("?? Kd ?? 7h")
    for face in ("4c", "5s", "8h"):
        burned.sees(Spot.PLAYER, burned.tag(face))
    assert [str(one.card) for one in burned.table.shoe.coup.cards] == ["4c", "Kd", "5s", "7h"]
    assert burned.codes[-1] == "CARD_NOT_DRAWN"


def test_the_shoe_repeats_another_face_for_a_card_that_a_reader_read(burned: Table) -> None:
    burned.draws("?? Kd ?? 7h")
    for face in ("4c", "5s"):
        burned.sees(Spot.PLAYER, burned.tag(face))
    burned.say("again P1 8h")
    assert burned.codes[-1] == "RETRANSMISSION_CONFLICT"


@pytest.mark.parametrize("faces", ["4c", "4c 3d", "4c 3d 2s"])
def test_an_unread_card_of_an_unknown_hand_leaves_the_coup_partial(
    burned: Table, faces: str
) -> None:
    """The fifth card is Player's third or Banker's: which, the unread first card decides."""
    burned.draws("?? Kd 2s 4h ??")
    for face in faces.split():
        burned.sees(Spot.PLAYER, burned.tag(face))
    assert burned.table.shoe.coup.partial
    assert burned.table.shoe.coup.cards[0].card is None


def test_an_unread_burn_card_read_at_a_hand_before_a_coup_fills_in_nothing(new) -> None:
    table = new().draws("2c ?? 9d")
    table.sees(Spot.PLAYER, table.tag("4c"))
    assert [str(one) for one in table.table.shoe.burn_cards] == ["2c", "None", "9d"]


def test_a_late_read_of_a_hand_fills_in_nothing(burned: Table) -> None:
    burned.draws("?? Kd 5s 7h")
    burned.sees(Spot.PLAYER, burned.tag("4c"), late=True)
    assert burned.table.shoe.coup.partial


def test_a_reader_never_overwrites_a_known_card(burned: Table) -> None:
    burned.draws("4c Kd 5s 7h")
    burned.sees(Spot.PLAYER, burned.tag("8h"))
    assert [str(one.card) for one in burned.table.shoe.coup.cards] == ["4c", "Kd", "5s", "7h"]
    assert burned.codes == ["CARD_NOT_DRAWN"]


def test_the_hands_go_to_the_rack_with_the_result(burned: Table) -> None:
    burned.draws(NATURAL).say("result player")
    assert burned.at(W.DISCARD_RACK) == 4


@pytest.mark.parametrize(
    ("spot", "late", "place"),
    [
        (Spot.BANKER, False, W.BANKER),
        (Spot.BANKER, True, W.PLAYER),
        (Spot.DISCARD_RACK, False, W.DISCARD_RACK),
        (Spot.DISCARD_RACK, True, W.DISCARD_RACK),
    ],
)
def test_a_late_read_places_a_card_only_in_the_rack(
    new: type[Table], spot: Spot, late: bool, place: W
) -> None:
    table = new(rack_read=True).draws(BURN)
    tag = TAGS["red"]["4c", 0]
    table.draws("4c")
    assert table.where(tag) is W.PLAYER

    table.sees(spot, tag, late=late)

    assert table.where(tag) is place


def test_with_a_rack_reader_cleared_cards_await_a_read(new: type[Table]) -> None:
    table = new(rack_read=True).draws(BURN).draws(NATURAL).say("result player")
    assert (table.at(W.UNKNOWN), table.at(W.DISCARD_RACK)) == (4, 0)
    table.draws(NATURAL).say("result player")
    assert [one.code for one in table.found] == ["CARD_ABSENT"] * 4


def test_a_new_coup_clears_the_one_before_and_keeps_its_own_card(new: type[Table]) -> None:
    table = new()
    table.book = RuleBook.of(PROFILE, DECKS, ())
    table.draws(BURN).draws(NATURAL).draws("8c")
    assert (table.at(W.DISCARD_RACK), table.at(W.PLAYER)) == (4, 1)


def test_the_hands_of_a_void_coup_go_to_the_rack(burned: Table) -> None:
    burned.draws("4c ??").say("resolve void-coup")
    assert (burned.at(W.DISCARD_RACK), burned.at(W.PLAYER)) == (1, 0)


# --- cards drawn in error ------------------------------------------------------------------------


def test_a_card_drawn_in_error_is_set_aside(burned: Table) -> None:
    burned.draws(NATURAL).draws("8c")
    assert burned.codes == ["OVERDRAW"]
    assert burned.at(W.ASIDE) == 1


def test_a_held_card_begins_the_next_coup(burned: Table) -> None:
    held = TAGS["red"]["8c", 0]
    burned.draws(NATURAL).draws("8c").say("resolve carry-card; result player")
    assert (burned.where(held), burned.at(W.DISCARD_RACK)) == (W.ASIDE, 4)
    burned.draws("Kh")
    assert (burned.where(held), burned.at(W.BANKER)) == (W.PLAYER, 1)


def test_a_card_that_is_burned_goes_to_the_rack_with_its_coup(burned: Table) -> None:
    aside = TAGS["red"]["3c", 0]
    burned.draws(NATURAL).draws("3c").say("resolve burn-card")
    assert burned.where(aside) is W.ASIDE
    burned.draws("9c 9s 8s")
    assert burned.at(W.BURN) == 6
    burned.say("result player")
    assert burned.where(aside) is W.DISCARD_RACK


def test_a_held_card_stays_held_when_one_of_the_next_coup_is_seen(new: type[Table]) -> None:
    table = new(observed=(ObservableFact.TURNED,)).draws(BURN)
    table.draws(NATURAL).draws("8c").say("resolve carry-card; result player")
    table.draws("Kh 9s 8h").draws("8d").say("resolve carry-card")
    again = TAGS["red"]["8d", 0]
    assert table.where(again) is W.ASIDE
    table.say("turn error")
    assert (table.where(again), table.at(W.PLAYER)) == (W.DISCARD_RACK, 2)


def held_with_one_in_error(burned: Table) -> Table:
    """The next hand's cards are drawn while a card drawn in error waits."""
    return burned.draws(NATURAL).draws("8c").say("result player").draws("Kh 9s")


def test_cards_drawn_while_one_waits_are_beside_the_hands(burned: Table) -> None:
    held_with_one_in_error(burned)
    assert (burned.at(W.ASIDE), burned.at(W.PLAYER), burned.at(W.BANKER)) == (3, 0, 0)


def test_carried_each_of_them_goes_to_the_hand_that_the_order_gives(burned: Table) -> None:
    held_with_one_in_error(burned).say("resolve carry-card take-over")
    places = [burned.where(TAGS["red"][face, 0]) for face in ("8c", "Kh", "9s")]
    assert places == [W.PLAYER, W.BANKER, W.PLAYER]


def test_burned_they_go_to_the_rack(burned: Table) -> None:
    held_with_one_in_error(burned).say("resolve burn-card take-over")
    places = {burned.where(TAGS["red"][face, 0]) for face in ("8c", "Kh", "9s")}
    assert places == {W.DISCARD_RACK}


def test_void_they_go_to_the_rack_and_the_card_in_error_stays_held(burned: Table) -> None:
    held_with_one_in_error(burned).say("resolve carry-card void")
    places = [burned.where(TAGS["red"][face, 0]) for face in ("8c", "Kh", "9s")]
    assert places == [W.ASIDE, W.DISCARD_RACK, W.DISCARD_RACK]


# --- found face up -------------------------------------------------------------------------------


def test_a_card_found_face_up_leaves_its_hand(burned: Table) -> None:
    boxed = TAGS["red"]["2h", 0]
    burned.draws("4c 2h").say('found face up by "Dee"')
    assert (burned.where(boxed), burned.at(W.BANKER)) == (W.ASIDE, 0)
    burned.say("resolve continue").draws("9c 9s").draws("Kd 5s 7h").say("result player")
    assert (burned.where(boxed), burned.at(W.BURN)) == (W.DISCARD_RACK, 5)
    assert burned.found == []


def test_a_restarted_burn_leaves_the_burned_cards_in_the_rack(new: type[Table]) -> None:
    table = new().draws("2c").say('found face up by "Dee"; resolve continue')
    assert (table.at(W.BURN), table.at(W.DISCARD_RACK)) == (0, 1)
    table.draws("9h 9d")
    assert table.table.phase is Phase.BURN_FIRST
    assert (table.at(W.BURN), table.at(W.DISCARD_RACK)) == (0, 3)
    table.draws("Ac Kc")
    assert (table.at(W.BURN), table.table.phase) == (2, Phase.BETWEEN_COUPS)


# --- suspended -----------------------------------------------------------------------------------


def test_cards_dealt_while_suspended_are_tracked_and_their_coups_cleared(burned: Table) -> None:
    burned.draws(NATURAL).say("result banker").draws("8c").draws("Kh")
    assert burned.codes == ["RESULT_MISMATCH", "DEALT_WHILE_SUSPENDED"]
    assert (burned.at(W.DISCARD_RACK), burned.at(W.PLAYER), burned.at(W.BANKER)) == (4, 1, 1)
    burned.draws("Ad 7d").say("result player")
    assert burned.at(W.DISCARD_RACK) == 8
    assert burned.table.suspension is not None


def at_the_end(table: Table) -> Table:
    """The cut card came, and the last hand was dealt."""
    return table.draws("4c cut Kd 5s 7h").say("result player").draws(NATURAL).say("result player")


def test_a_shoe_begun_before_the_decision_is_not_tracked(burned: Table) -> None:
    at_the_end(burned).draws("2d")
    assert burned.codes[-1] == "CARD_AFTER_LAST_COUP"
    burned.draws("Kc", "blue")
    assert (burned.at(W.UNKNOWN, "blue"), burned.at(W.PLAYER, "blue")) == (1, 0)
    burned.say("resolve close-shoe take-over")
    assert burned.table.shoe.joined
    assert burned.custody.shoe.incomplete


# --- the end of a shoe ---------------------------------------------------------------------------


def test_at_the_end_of_a_shoe_all_drawn_cards_are_in_the_rack(burned: Table) -> None:
    at_the_end(burned)
    assert burned.table.phase is Phase.SHOE_OVER
    assert (burned.at(W.DISCARD_RACK), burned.at(W.SHOE)) == (11, DECKS * 52 - 11)
    assert (burned.custody.shoe, burned.custody.last_batch) == (None, "red-0001")


def test_a_card_after_the_last_hand_joins_the_others_in_the_rack(burned: Table) -> None:
    at_the_end(burned).draws("2d")
    assert burned.codes == ["CARD_AFTER_LAST_COUP"]
    assert (burned.at(W.DISCARD_RACK), burned.at(W.SHOE)) == (12, DECKS * 52 - 12)
    assert burned.custody.shoe is None
    assert burned.found == []


def test_a_foreign_card_after_the_last_hand_is_apply_custody(burned: Table) -> None:
    at_the_end(burned).passes("E0040155FFFFFF")
    assert [one.code for one in burned.found] == ["FOREIGN_CARD"]


@pytest.mark.parametrize(("tag", "sure"), [(None, True), ("next", False)])
def test_an_unknown_card_after_the_last_hand_moves_none(
    burned: Table, tag: str | None, sure: bool
) -> None:
    at_the_end(burned)
    before = burned.custody
    burned.passes(burned.tag("2d") if tag else None, sure=sure)
    assert burned.custody == before


def test_a_third_cut_card_after_the_last_hand_stays_on_the_table(burned: Table) -> None:
    at_the_end(burned).draws("cut")
    assert burned.where(TAGS["red"]["None", 1]) is W.ASIDE


def test_a_batch_of_a_shoe_closed_during_the_burn_may_come_again(new: type[Table]) -> None:
    table = at_the_end(new().draws(BURN)).draws("Kc 9h", "blue")
    table.say('close shoe because "dead table"')
    assert (table.at(W.DISCARD_RACK, "blue"), table.custody.last_batch) == (2, "red-0001")
    table.passes(TAGS["blue"]["Kc", 0])
    assert (table.codes, table.table.shoe.number) == ([], 3)


def test_a_shoe_reloaded_after_its_burn_starts_again_with_the_same_batch(
    new: type[Table],
) -> None:
    table = at_the_end(new().draws(BURN)).draws("Kc cut", "blue").draws("9h 9c", "blue")
    table.draws("8c 8d 8h 8s 7c 7d 7s 6c", "blue")
    assert table.codes == ["CUT_CARD_IN_BURN"]
    table.say("resolve close-shoe").draws("2d", "blue")
    assert table.table.shoe.number == 3
    assert (table.codes, table.found) == (["CUT_CARD_IN_BURN"], [])


def test_a_coup_that_a_decision_ends_with_its_shoe_is_in_the_rack(burned: Table) -> None:
    burned.draws("4c ??").say("resolve close-shoe")
    assert (burned.at(W.PLAYER), burned.at(W.DISCARD_RACK)) == (0, 4)
    assert burned.custody.shoe is None


def test_a_held_card_goes_with_its_shoe(burned: Table) -> None:
    burned.draws(NATURAL).draws("8c").say("resolve carry-card; result player")
    burned.say('close shoe because "dead table"')
    assert burned.where(TAGS["red"]["8c", 0]) is W.DISCARD_RACK


def test_a_shoe_with_an_early_card_is_joined_during_its_burn(burned: Table) -> None:
    at_the_end(burned).draws("??").say("resolve close-shoe")
    assert burned.table.phase is Phase.CLOSED
    burned.draws("9c", "blue")
    assert burned.codes[-1] == "SHOE_JOINED"
    assert burned.table.shoe.joined
    assert (burned.at(W.BURN, "blue"), burned.custody.shoe.incomplete) == (1, True)


def test_a_joined_shoe_may_repeat_the_last_batch(burned: Table) -> None:
    at_the_end(burned).draws("2d").say("resolve close-shoe").draws("9c")
    assert burned.codes[-1] == "SHOE_JOINED"
    assert burned.found == []


@pytest.mark.clause("S42-a-4-v-alt")
def test_a_repeated_batch_is_found_at_the_first_card(burned: Table) -> None:
    at_the_end(burned).passes(TAGS["red"]["4c", 0])
    assert [one.code for one in burned.found] == ["BATCH_REPEATED"]


# --- batches in the hands of people --------------------------------------------------------------


def test_shoe_1_of_the_next_gaming_day_is_another_shoe(burned: Table) -> None:
    at_the_end(burned).begin_day("2026-11-22")
    burned.passes(TAGS["red"]["4c", 0])
    assert (burned.table.shoe.gaming_day, burned.table.shoe.number) == ("2026-11-22", 1)
    assert [found.code for found in burned.found] == ["BATCH_REPEATED"]


def test_people_put_a_batch_into_the_shuffler_and_take_it_out(new: type[Table]) -> None:
    table = new().say('record into-shuffler batch blue by "Ann"')
    assert table.at(W.SHUFFLER, "blue") == DECKS * 52
    table.say('record released reference "S-7" by "Ann"')
    assert table.at(W.SHUFFLER, "blue") == 0


@pytest.mark.parametrize(("back", "codes"), [("red", []), ("blue", ["CARD_ABSENT"])])
def test_a_count_by_people_is_compared_for_a_batch_outside_the_shoe(
    burned: Table, back: str, codes: list[str]
) -> None:
    burned.say(f'record inspected batch {back} amount 51 by "Ann"')

    assert [one.code.value for one in burned.found] == codes


# --- words ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "words"),
    [
        ("", "before the first card of a shoe"),
        ("2c", "shoe 1, card 2, in the burn"),
        (BURN, "shoe 1, card 4, before coup 1"),
        (f"{BURN} 4c", "shoe 1, card 5, coup 1, Banker's first card"),
        (f"{BURN} 4c Kd 5s", "shoe 1, card 7, coup 1, Banker's second card"),
        (f"{BURN} {NATURAL}", "shoe 1, card 8, coup 1"),
        (f"{BURN} {NATURAL} 8c", "shoe 1, card 9, coup 1"),
    ],
)
def test_the_position_is_described(new: type[Table], cards: str, words: str) -> None:
    assert new().draws(cards).words() == words


@pytest.mark.parametrize("left", ["result banker", "forced exit"])
def test_of_a_coup_that_was_left_it_is_where_the_coup_would_go_on(
    new: type[Table], left: str
) -> None:
    assert new().draws(f"{BURN} 4c").say(left).words().endswith("coup 1, Banker's first card")


def test_after_the_last_hand_the_position_names_no_shoe(burned: Table) -> None:
    assert at_the_end(burned).words() == "before the first card of a shoe"


@pytest.mark.parametrize("suspended", [False, True])
def test_the_position_does_not_disclose_which_hand_draws_a_third_card(
    burned: Table, new: type[Table], suspended: bool
) -> None:
    def position(state: TableState, phase: Phase) -> str:
        if not suspended:
            return to_words(describe_position(replace(state, phase=phase)))
        assert state.suspension is not None
        return to_words(
            describe_position(replace(state, suspension=replace(state.suspension, resume_to=phase)))
        )

    burned.draws(NATURAL)
    if suspended:
        burned.say("result banker")
    thirds = (Phase.PLAYER_3, Phase.BANKER_3, Phase.RESULT)
    assert len({position(burned.table, phase) for phase in thirds}) == 1
    assert "third" not in position(burned.table, Phase.PLAYER_3)


def test_cards_missing_from_an_empty_shoe_block_their_batch_until_a_recount(burned: Table) -> None:
    burned.draws("9h").say("shoe empty")
    assert burned.codes[-2:] == ["INSUFFICIENT_CARDS", "CARD_ABSENT"]
    number = batch_of_back(burned.custody, "red")
    ledger = burned.custody.batches[number]
    assert "fewer than it has" in to_words(ledger.block_reason())
    burned.say("resolve close-shoe")
    step = describe_position(burned.table)
    counted, _ = batches.record_count(burned.custody, number, ledger.cards(), step)
    assert not any(one.block_reason() for one in counted.batches)
