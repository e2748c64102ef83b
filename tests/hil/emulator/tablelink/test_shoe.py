"""The emulated shoe that speaks TableLink: what leaves it, and what it says of that."""

import pytest

from hil.dealing.tags import usual_batches
from hil.emulator.tablelink.cbor import Map
from hil.emulator.tablelink.shoe import CardFault, Eye, TableLinkShoe, TableLinkShoeSettings
from hil.emulator.tablelink.wire import Answer, Ask, Kind
from hil.tablelink.host import Host, S

BATCH = usual_batches(1)[0]
CARDS = tuple(one for one in BATCH.cards if one.card)
FIRST = CARDS[0]
TAG = bytes.fromhex(FIRST.tag)


def opened(**more: object) -> tuple[TableLinkShoe, Host]:
    shoe = TableLinkShoe(TableLinkShoeSettings(**more))  # type: ignore[arg-type]
    host = Host(shoe)
    host.open()
    host.act(lambda: shoe.load_pieces(CARDS[:3], "RED-0001"))
    host.fresh()
    return shoe, host


def face(number: int) -> int:
    card = CARDS[number].card
    assert card is not None
    return card.rank * 256 + "DCSH".index(card.suit) + 1


BODIES: dict[Eye, Map] = {
    Eye.FACES: {2: face(0)},
    Eye.TAGS: {1: TAG},
    Eye.BOTH: {1: TAG, 2: face(0)},
}


@pytest.mark.parametrize("eye", Eye)
def test_a_card_that_leaves_is_told_as_the_shoe_sees_it(eye: Eye) -> None:
    shoe, host = opened(eye=eye)
    host.act(shoe.draw_next)

    assert host.fresh() == [(Kind.CARD_OUT, BODIES[eye])]


def test_the_name_of_the_pack_is_told_where_it_is_known() -> None:
    shoe, host = opened(tells_pack=True)
    host.act(lambda: shoe.load(BATCH, ()))

    assert host.fresh() == [(Kind.SHOE_LOADED, {1: "RED-0001"})]


def test_the_cut_card_has_its_own_word() -> None:
    shoe, host = opened()
    host.act(lambda: shoe.draw_piece(BATCH.cut_cards[0]))

    assert host.fresh() == [(Kind.CUT_CARD, {})]


def test_the_last_card_empties_the_shoe() -> None:
    shoe, host = opened()
    for _ in range(3):
        host.act(shoe.draw_next)

    assert [kind for kind, _ in host.fresh()] == [Kind.CARD_OUT] * 3 + [Kind.SHOE_EMPTY]


FAULTS: dict[CardFault, list[tuple[Kind, Map]]] = {
    CardFault.READ_FAIL: [(Kind.READ_FAIL, {})],
    CardFault.DOUBLE_FEED: [(Kind.DOUBLE_FEED, {1: 2})],
    CardFault.RETRACTED: [(Kind.CARD_RETRACTED, {1: TAG}), (Kind.CARD_OUT, {1: TAG})],
}


@pytest.mark.parametrize("fault", CardFault)
def test_what_goes_wrong_at_the_exit_is_told(fault: CardFault) -> None:
    shoe, host = opened(eye=Eye.TAGS)
    shoe.order(fault)
    host.act(shoe.draw_next)

    assert host.fresh() == FAULTS[fault]


def test_two_cards_at_once_are_both_gone() -> None:
    shoe, host = opened()
    shoe.order(CardFault.DOUBLE_FEED)
    host.act(shoe.draw_next)

    assert shoe.row == CARDS[2:3]


def test_a_locked_shoe_gives_no_card() -> None:
    shoe, host = opened()
    host.ask(Ask.LOCK, 1)
    host.act(shoe.draw_next)

    assert (host.fresh(), shoe.held_back, len(shoe.row)) == ([], 1, 3)


def test_an_unlocked_one_gives_cards_again() -> None:
    shoe, host = opened()
    host.ask(Ask.LOCK, 1)
    host.ask(Ask.UNLOCK, 2)
    host.act(shoe.draw_next)

    assert len(shoe.row) == 2


def test_the_lock_holds_over_a_power_cut() -> None:
    shoe, host = opened()
    host.ask(Ask.LOCK, 1)
    host.act(shoe.power_off)
    host.act(shoe.power_on)

    assert shoe.locked


def test_a_full_memory_gives_no_card() -> None:
    shoe, host = opened(ring=10)
    host.act(lambda: shoe.fill_ring(9))
    host.act(shoe.draw_next)

    assert len(shoe.row) == 3


def test_no_card_leaves_four_seconds_after_the_host_was_heard_last() -> None:
    shoe, host = opened()
    host.later(5 * S)
    host.act(shoe.draw_next)

    assert len(shoe.row) == 3


def test_a_shoe_shuffles_nothing() -> None:
    _, host = opened()

    assert host.ask(Ask.SHUFFLE, 1, 1)[1] == Answer.UNKNOWN


def test_a_new_mode_is_told() -> None:
    _, host = opened()
    host.ask(Ask.MODE, 1, 1)
    host.later(0)

    assert host.fresh() == [(Kind.MODE, {1: 1})]
