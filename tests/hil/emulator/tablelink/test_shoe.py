"""Tests the emulated TableLink shoe: cards that leave it, and their events."""

import pytest

from hil.dealing.tags import usual_batches
from hil.emulator.tablelink.cbor import Map
from hil.emulator.tablelink.shoe import CardFault, CardSensor, TableLinkShoe, TableLinkShoeSettings
from hil.emulator.tablelink.wire import EventKind, RequestStatus, RequestType
from hil.tablelink.scripted_host import S, ScriptedHost

BATCH = usual_batches(1)[0]
CARDS = tuple(one for one in BATCH.cards if one.card)
FIRST = CARDS[0]
TAG = bytes.fromhex(FIRST.tag)


def opened(**more: object) -> tuple[TableLinkShoe, ScriptedHost]:
    shoe = TableLinkShoe(TableLinkShoeSettings(**more))  # type: ignore[arg-type]
    host = ScriptedHost(shoe)
    host.open()
    host.act(lambda: shoe.load_pieces(CARDS[:3], "RED-0001"))
    host.new_events()
    return shoe, host


def face(number: int) -> int:
    card = CARDS[number].card
    assert card is not None
    return card.rank * 256 + "DCSH".index(card.suit) + 1


BODIES: dict[CardSensor, Map] = {
    CardSensor.FACES: {2: face(0)},
    CardSensor.TAGS: {1: TAG},
    CardSensor.BOTH: {1: TAG, 2: face(0)},
}


@pytest.mark.parametrize("eye", CardSensor)
def test_a_card_event_holds_what_the_sensor_reads(eye: CardSensor) -> None:
    shoe, host = opened(sensor=eye)
    host.act(shoe.draw_next)

    assert host.new_events() == [(EventKind.CARD_OUT, BODIES[eye])]


def test_the_batch_name_is_reported_if_configured() -> None:
    shoe, host = opened(reports_batch_name=True)
    host.act(lambda: shoe.load(BATCH, ()))

    assert host.new_events() == [(EventKind.SHOE_LOADED, {1: "RED-0001"})]


def test_the_cut_card_has_its_own_event() -> None:
    shoe, host = opened()
    host.act(lambda: shoe.draw_piece(BATCH.cut_cards[0]))

    assert host.new_events() == [(EventKind.CUT_CARD, {})]


def test_the_last_card_gives_shoe_empty() -> None:
    shoe, host = opened()
    for _ in range(3):
        host.act(shoe.draw_next)

    assert [kind for kind, _ in host.new_events()] == [EventKind.CARD_OUT] * 3 + [
        EventKind.SHOE_EMPTY
    ]


FAULTS: dict[CardFault, list[tuple[EventKind, Map]]] = {
    CardFault.READ_FAIL: [(EventKind.READ_FAIL, {})],
    CardFault.DOUBLE_FEED: [(EventKind.DOUBLE_FEED, {1: 2})],
    CardFault.RETRACTED: [(EventKind.CARD_RETRACTED, {1: TAG}), (EventKind.CARD_OUT, {1: TAG})],
}


@pytest.mark.parametrize("fault", CardFault)
def test_exit_faults_are_reported(fault: CardFault) -> None:
    shoe, host = opened(sensor=CardSensor.TAGS)
    shoe.order(fault)
    host.act(shoe.draw_next)

    assert host.new_events() == FAULTS[fault]


def test_a_double_feed_removes_two_cards() -> None:
    shoe, host = opened()
    shoe.order(CardFault.DOUBLE_FEED)
    host.act(shoe.draw_next)

    assert shoe.row == CARDS[2:3]


def test_a_locked_shoe_releases_no_card() -> None:
    shoe, host = opened()
    host.ask(RequestType.LOCK, 1)
    host.act(shoe.draw_next)

    assert (host.new_events(), shoe.blocked_draws, len(shoe.row)) == ([], 1, 3)


def test_an_unlocked_shoe_releases_cards_again() -> None:
    shoe, host = opened()
    host.ask(RequestType.LOCK, 1)
    host.ask(RequestType.UNLOCK, 2)
    host.act(shoe.draw_next)

    assert len(shoe.row) == 2


def test_the_lock_survives_a_power_cut() -> None:
    shoe, host = opened()
    host.ask(RequestType.LOCK, 1)
    host.act(shoe.power_off)
    host.act(shoe.power_on)

    assert shoe.locked


def test_with_full_memory_no_card_leaves() -> None:
    shoe, host = opened(ring=10)
    host.act(lambda: shoe.fill_ring(9))
    host.act(shoe.draw_next)

    assert len(shoe.row) == 3


def test_no_card_leaves_four_seconds_after_the_hosts_last_frame() -> None:
    shoe, host = opened()
    host.advance(5 * S)
    host.act(shoe.draw_next)

    assert len(shoe.row) == 3


def test_a_shoe_refuses_shuffler_requests() -> None:
    _, host = opened()

    assert host.ask(RequestType.SHUFFLE, 1, 1)[1] == RequestStatus.UNKNOWN


def test_a_new_mode_is_reported() -> None:
    _, host = opened()
    host.ask(RequestType.MODE, 1, 1)
    host.advance(0)

    assert host.new_events() == [(EventKind.MODE, {1: 1})]
