"""Random acts: custody keeps its invariants, and the latest read of a card is its place."""

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from controller.custody.batch_actions import WHOLE_BATCH_PLACES
from controller.custody.card_states import CardPlace
from controller.custody.shoe import mark_reports_missing
from controller.custody.state import CustodyState
from controller.journal.encoding import Codec

W = CardPlace
STATES: Codec[CustodyState] = Codec(CustodyState)
FOREIGN = "E004015511223344"
FACES = ("2s", "9h", "Kc", "Qd", "7d")

backs = st.sampled_from(["red", "blue", "green", ""])
places = st.sampled_from(list(W))
cards = st.tuples(st.sampled_from(FACES), st.sampled_from(["red", "blue"]))
steps = st.one_of(
    st.tuples(st.just("passes"), cards, places),
    st.tuples(st.just("passes"), cards, places),
    st.tuples(st.just("among"), cards, places),
    st.tuples(st.just("unread"), places),
    st.tuples(st.just("foreign"), st.sampled_from(["", "E0", FOREIGN, "è"])),
    st.tuples(st.just("sees"), places, cards),
    st.tuples(st.just("sees"), st.sampled_from([W.PLAYER, W.DISCARD_RACK]), cards),
    st.tuples(st.just("clears"), st.booleans()),
    st.tuples(st.just("aside_to"), places, st.sampled_from([None, -1, 0, 1, 9])),
    st.tuples(st.just("open"), backs, st.booleans()),
    st.tuples(st.just("end"), st.booleans()),
    st.tuples(st.just("missing")),
    st.tuples(st.just("empties")),
    st.tuples(st.just("record"), backs, st.sampled_from(WHOLE_BATCH_PLACES)),
    st.tuples(st.just("apart"), backs, st.none() | cards),
    st.tuples(st.just("count"), backs, st.integers(-1, 60)),
    st.tuples(st.just("bind"), st.sampled_from(["red", "blue"]), st.sampled_from(["", "B2"])),
    st.tuples(st.just("face"), st.none() | st.sampled_from(FACES)),
)


def named(table: Any, card: Any) -> str | None:
    return card and table.tag(*card)


ACTS: dict[str, Callable[..., object]] = {
    "passes": lambda table, card, place: table.draw(named(table, card), place),
    "among": lambda table, card, place: table.draw(named(table, card), place, sure=False),
    "unread": lambda table, place: table.draw(None, place),
    "foreign": lambda table, tag: (table.draw(tag), table.read(W.PLAYER, tag)),
    "sees": lambda table, spot, card: table.read(spot, named(table, card)),
    "clears": lambda table, read: table.clear_hands(read=read),
    "aside_to": lambda table, place, count: table.move_aside(place, count),
    "open": lambda table, back, alternates: table.open(back, alternates=alternates),
    "end": lambda table, played: table.end(played=played),
    "missing": lambda table: setattr(table, "state", mark_reports_missing(table.state)),
    "empties": lambda table: table.empty_rack(),
    "record": lambda table, back, place: table.record(back, place),
    "apart": lambda table, back, card: table.set_apart(back, named(table, card)),
    "count": lambda table, back, count: table.count(back, count),
    "bind": lambda table, back, name: table.scan_bar_code(back, name),
    "face": lambda table, card: table.face(card, 1),
}


@settings(max_examples=150)
@given(st.lists(steps, max_size=40))
def test_random_acts_keep_all_invariants(tables: Any, batch: Any, walk: list[Any]) -> None:
    table = tables()
    table.bind(batch("red", cut_cards=2), batch("blue", cut_cards=2))

    for step in walk:
        ACTS[step[0]](table, *step[1:])

    assert STATES.decode(STATES.encode(table.state)) == table.state


placements = st.lists(
    st.one_of(
        st.tuples(st.just("passes"), cards, st.sampled_from([W.PLAYER, W.BANKER, W.BURN])),
        st.tuples(st.just("sees"), st.just(W.DISCARD_RACK), cards),
        st.tuples(st.just("clears"), st.just(False)),
    ),
    max_size=40,
)


@settings(max_examples=150)
@given(placements)
def test_the_latest_read_of_a_card_is_its_place(tables: Any, batch: Any, walk: list[Any]) -> None:
    table = tables()
    table.bind(batch("red"), batch("blue"))
    table.open("red")
    expected: dict[Any, CardPlace] = {}

    for step in walk:
        ACTS[step[0]](table, *step[1:])
        match step:
            case "passes", card, place:
                expected[card] = place
            case "sees", place, card:
                expected[card] = place
            case _:
                hands = (W.PLAYER, W.BANKER)
                for card, place in expected.items():
                    expected[card] = W.DISCARD_RACK if place in hands else place

        assert {card: table.where(table.tag(*card)) for card in expected} == expected
