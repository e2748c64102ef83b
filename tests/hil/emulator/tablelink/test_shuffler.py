"""Tests the emulated shuffler: operations, events and refusals."""

from collections.abc import Callable

import pytest

from hil.dealing.cards import PhysicalCard
from hil.dealing.tags import usual_batches
from hil.emulator.tablelink.cbor import Map, Value, decode_map
from hil.emulator.tablelink.compartment import CompartmentPhase, DeviceMode
from hil.emulator.tablelink.mechanism import ShufflerSettings
from hil.emulator.tablelink.shuffler import Shuffler
from hil.emulator.tablelink.wire import EventKind, RequestStatus, RequestType
from hil.tablelink.scripted_host import MS, S, ScriptedHost

RED, BLUE = (tuple(one for one in batch.cards if one.card) for batch in usual_batches(1))
FULL_CYCLE = ("load", "count", "shuffle", "store", "release")
STATES = (
    CompartmentPhase.EMPTY,
    CompartmentPhase.LOADING,
    CompartmentPhase.COUNTED,
    CompartmentPhase.SHUFFLED,
    CompartmentPhase.STORED,
    CompartmentPhase.RELEASED,
)
GOOD, COUNT_DIFFERS, FACES_DIFFER, UNVERIFIED = 1, 2, 3, 4
BY_JAM, BY_POWER, BY_DOOR, BY_PERSON = 1, 2, 3, 4


def shuffler(**more: object) -> Shuffler:
    return Shuffler(ShufflerSettings(**more))  # type: ignore[arg-type]


class Bench:
    """A shuffler in a session; `new_events` are the events since the last call."""

    def __init__(
        self, machine: Shuffler | None = None, cards: tuple[PhysicalCard, ...] = RED
    ) -> None:
        self.machine = machine or shuffler()
        self.host = ScriptedHost(self.machine)
        self.host.open()
        self.machine.put_in(cards)
        self.host.new_events()

    def do(self, *buttons: str, pause_ns: int = 0, compartment: int = 0) -> "Bench":
        for button in buttons:
            self.act(lambda button=button: self.machine.press(button, compartment))  # type: ignore[misc]
            self.host.advance(pause_ns)
        return self

    def act(self, act: Callable[[], object]) -> "Bench":
        self.host.act(act)
        return self

    def new_events(self, *kinds: EventKind) -> list[tuple[EventKind, Map]]:
        return [(kind, body) for kind, body in self.host.new_events() if kind in kinds or not kinds]

    def states(self) -> list[Value]:
        return [body[2] for _, body in self.new_events(EventKind.COMPARTMENT)]

    def phase(self, compartment: int = 1) -> CompartmentPhase:
        return self.machine.compartment_record(compartment).phase

    def receipt(self) -> Map:
        ((_, body),) = self.new_events(EventKind.BATCH_DONE)
        sealed = body[1]
        assert isinstance(sealed, bytes)
        return decode_map(sealed)


def bare(**more: object) -> Bench:
    """A bare shuffler, whose receipts can be read without a key."""
    return Bench(shuffler(bare=True, **more))


# --- a whole cycle --------------------------------------------------------------------------------


def test_a_batch_is_loaded_counted_shuffled_stored_and_released() -> None:
    assert Bench().do(*FULL_CYCLE).states() == [1, 2, 3, 4, 5, 6]


def test_the_cards_return_in_another_order_and_complete() -> None:
    bench = Bench().do(*FULL_CYCLE)
    cards = bench.machine.take()

    assert (cards != RED, sorted(map(str, cards))) == (True, sorted(map(str, RED)))


def test_equal_seeds_shuffle_alike() -> None:
    first, second = (Bench().do(*FULL_CYCLE).machine.take() for _ in range(2))

    assert first == second


def test_no_shuffle_repeats_the_previous_order() -> None:
    bench = Bench().do(*FULL_CYCLE)
    first = bench.machine.take()
    bench.machine.put_in(RED)
    bench.host.advance(0)

    assert bench.do(*FULL_CYCLE).machine.take() != first


def test_the_compartment_is_empty_after_the_cards_are_taken() -> None:
    bench = Bench().do(*FULL_CYCLE)
    bench.act(bench.machine.take)

    assert bench.states()[-1] == CompartmentPhase.EMPTY


def test_nothing_can_be_taken_before_it_is_released() -> None:
    assert Bench().do(*FULL_CYCLE[:4]).machine.take() == ()


def test_a_second_batch_is_shuffled_while_the_first_one_is_stored() -> None:
    bench = Bench().do(*FULL_CYCLE[:4])
    bench.machine.put_in(BLUE)
    bench.do(*FULL_CYCLE[:4])

    assert (bench.phase(1), bench.phase(2)) == (CompartmentPhase.STORED, CompartmentPhase.STORED)


def test_each_operation_takes_its_time() -> None:
    machine = shuffler(load_card_ns=10 * MS, shuffle_ns=S)
    bench = Bench(machine).do("load")
    seen = [machine.busy]
    bench.host.advance(520 * MS)
    seen.append(machine.busy)

    assert seen == [True, False]


# --- events --------------------------------------------------------------------------------


def test_without_reading_count_and_back_are_reported() -> None:
    _, counted = Bench().do("load", "count").new_events(EventKind.COMPARTMENT)

    assert counted[1] == {1: 1, 2: CompartmentPhase.COUNTED, 3: 52, 4: "red"}


def test_with_reading_each_face_is_counted() -> None:
    _, counted = Bench(shuffler(reading=True)).do("load", "count").new_events(EventKind.COMPARTMENT)

    assert counted[1][5] == bytes([1]) * 52


def test_two_batches_in_one_compartment_give_mixed_backs() -> None:
    _, counted = Bench(cards=RED + BLUE).do("load", "count").new_events(EventKind.COMPARTMENT)

    assert counted[1][4] == "mixed"


def test_a_shuffle_starts_and_ends_with_its_cycle() -> None:
    bench = bare().do("load", "count", "shuffle")
    events = bench.host.new_events()
    started = next(body for kind, body in events if kind is EventKind.BATCH_STARTED)
    done = next(body[1] for kind, body in events if kind is EventKind.BATCH_DONE)
    assert isinstance(done, bytes)

    assert (started, decode_map(done)[3]) == ({1: 1, 2: 1}, 1)


def test_a_receipt_states_device_count_result_times_and_firmware() -> None:
    bench = bare(shuffle_ns=S)
    bench.do("load", "count", "shuffle", pause_ns=2 * S)
    receipt = bench.receipt()
    pins = bench.machine.pins

    assert {key: receipt[key] for key in (1, 4, 5, 6, 7, 9, 10, 12, 13)} == {
        1: bytes.fromhex(pins.device),
        4: 1,
        5: 52,
        6: GOOD,
        7: "red",
        9: 4_000_000,
        10: 5_000_000,
        12: "1.0.0",
        13: 1,
    }


def test_a_device_with_a_key_signs_its_receipts() -> None:
    ((_, body),) = Bench().do("load", "count", "shuffle").new_events(EventKind.BATCH_DONE)

    assert body[2] is True


@pytest.mark.parametrize("reading", [False, True])
def test_no_event_reveals_a_card_order(reading: bool) -> None:
    """Two shuffles of the same cards differ in their order alone, and all events are equal."""

    def events_of(seed: int) -> list[tuple[EventKind, Map]]:
        machine = shuffler(bare=True, reading=reading, shuffle_seed=seed)
        return Bench(machine).do(*FULL_CYCLE).new_events()

    assert events_of(1) == events_of(2)


# --- verification of a shuffle --------------------------------------------------------------------


def test_a_card_left_behind_in_a_shuffle_is_detected() -> None:
    bench = bare(shuffle_ns=S).do("load", "count", "shuffle")
    bench.act(lambda: bench.machine.leave_residual(1))
    bench.host.advance(2 * S)

    assert (bench.receipt()[6], bench.phase()) == (COUNT_DIFFERS, CompartmentPhase.HELD)


@pytest.mark.parametrize(("decks", "result"), [(1, GOOD), (8, COUNT_DIFFERS)])
def test_a_deck_setting_detects_a_short_batch(decks: int, result: int) -> None:
    assert bare(decks=decks).do("load", "count", "shuffle").receipt()[6] == result


def test_with_reading_a_duplicate_card_is_detected() -> None:
    machine = shuffler(bare=True, reading=True, decks=1)
    bench = Bench(machine, cards=(*RED[:51], RED[0])).do("load", "count", "shuffle")

    assert bench.receipt()[6] == FACES_DIFFER


def test_a_foreign_back_is_detected() -> None:
    machine = shuffler(bare=True)
    bench = Bench(machine, cards=(*RED[:51], BLUE[0])).do("load", "count", "shuffle")

    assert bench.receipt()[6] == FACES_DIFFER


def test_without_verification_the_result_is_unverified() -> None:
    assert bare(verifies=False).do("load", "count", "shuffle").receipt()[6] == UNVERIFIED


# --- what goes wrong ------------------------------------------------------------------------------


def shuffling() -> Bench:
    bench = Bench(shuffler(shuffle_ns=90 * S)).do("load", "count", "shuffle")
    bench.new_events()
    return bench


BREAKS: dict[str, tuple[Callable[[Shuffler], object], int]] = {
    "jam": (lambda machine: machine.jam(), BY_JAM),
    "housing": (lambda machine: machine.open_door(), BY_DOOR),
    "door": (lambda machine: machine.open_door(1), BY_DOOR),
    "abort": (lambda machine: machine.press("abort"), BY_PERSON),
    "key": (lambda machine: machine.set_mode(DeviceMode.SERVICE), BY_PERSON),
}


@pytest.mark.parametrize("name", BREAKS)
def test_an_aborted_shuffle_is_reported_and_its_batch_held(name: str) -> None:
    act, reason = BREAKS[name]
    bench = shuffling()
    events = bench.act(lambda: act(bench.machine)).new_events(
        EventKind.BATCH_ABORTED, EventKind.COMPARTMENT
    )

    assert [body for _, body in events] == [
        {1: 1, 2: 1, 3: reason},
        {1: 1, 2: CompartmentPhase.HELD},
    ]


def test_power_failing_in_a_shuffle_is_reported_at_the_next_boot() -> None:
    bench = shuffling()
    bench.act(bench.machine.power_off).act(bench.machine.power_on)
    bench.host.open(session=9, stored=bench.machine.memory.first_number - 1)

    assert bench.new_events() == [
        (EventKind.POWER_UP, {1: 2, 2: 1}),
        (EventKind.BATCH_ABORTED, {1: 1, 2: 1, 3: BY_POWER}),
        (EventKind.COMPARTMENT, {1: 1, 2: CompartmentPhase.HELD}),
    ]


def test_a_stored_batch_survives_a_power_cut_without_a_new_event() -> None:
    bench = Bench().do(*FULL_CYCLE[:4])
    bench.new_events()
    bench.act(bench.machine.power_off).act(bench.machine.power_on)
    bench.host.open(session=9, stored=bench.machine.memory.first_number - 1)

    assert (bench.phase(), bench.states()) == (CompartmentPhase.STORED, [])


@pytest.mark.parametrize("point", range(40))
def test_wherever_power_fails_no_batch_is_shuffled_without_a_receipt(point: int) -> None:
    bench = Bench()
    bench.machine.cut_power_after(point)
    bench.do(*FULL_CYCLE[:4])
    bench.machine.memory.cut_in = None
    bench.act(bench.machine.power_on)
    bench.host.open(session=9)
    done = [kind for kind, _ in bench.new_events(EventKind.BATCH_DONE)]

    assert bool(done) == (bench.phase() in (CompartmentPhase.SHUFFLED, CompartmentPhase.STORED))


def test_a_held_batch_is_counted_and_shuffled_again() -> None:
    bench = shuffling()
    bench.act(bench.machine.jam).act(bench.machine.clear_jam)
    bench.do("count", "shuffle", pause_ns=100 * S)

    assert bench.phase() is CompartmentPhase.SHUFFLED


TROUBLES: dict[str, tuple[Callable[[Shuffler], object], list[tuple[EventKind, Map]]]] = {
    "jam": (
        lambda machine: machine.jam(2),
        [
            (EventKind.JAM, {1: 2, 2: False}),
            (EventKind.WARNING, {1: 1, 2: "a card is jammed", 3: True}),
        ],
    ),
    "door": (
        lambda machine: machine.open_door(),
        [
            (EventKind.LID, {1: True, 2: 0}),
            (EventKind.WARNING, {1: 2, 2: "a door is open", 3: True}),
        ],
    ),
    "lamp": (
        lambda machine: machine.lamp(40, "belt worn", on=True),
        [(EventKind.WARNING, {1: 40, 2: "belt worn", 3: True})],
    ),
    "mode": (lambda machine: machine.set_mode(DeviceMode.TEST), [(EventKind.MODE, {1: 3})]),
    "tamper": (lambda machine: machine.tamper("seal"), [(EventKind.TAMPER, {1: "seal"})]),
}


@pytest.mark.parametrize("name", TROUBLES)
def test_each_defect_is_reported_with_its_warning(name: str) -> None:
    act, expected = TROUBLES[name]
    bench = Bench()

    assert bench.act(lambda: act(bench.machine)).new_events() == expected


MENDS: dict[str, tuple[Callable[[Shuffler], object], Callable[[Shuffler], object]]] = {
    "jam": (lambda machine: machine.jam(2), lambda machine: machine.clear_jam()),
    "door": (lambda machine: machine.open_door(2), lambda machine: machine.close_door(2)),
    "lamp": (
        lambda machine: machine.lamp(40, "belt worn", on=True),
        lambda machine: machine.lamp(40, "belt worn", on=False),
    ),
}


@pytest.mark.parametrize("name", MENDS)
def test_clearing_the_defect_clears_its_warning(name: str) -> None:
    harm, mend = MENDS[name]
    bench = Bench()
    bench.act(lambda: harm(bench.machine))
    events = bench.act(lambda: mend(bench.machine)).new_events(EventKind.WARNING)

    assert [body[3] for _, body in events] == [True, False]


def test_cards_left_behind_are_reported_until_removed() -> None:
    bench = Bench().do("load", "count")
    bench.act(lambda: bench.machine.leave_residual(3, 1))
    bench.act(bench.machine.take_residual)

    assert [body[1] for _, body in bench.new_events(EventKind.RESIDUAL)] == [3, 0]


def test_a_door_opened_on_a_stored_batch_makes_it_held() -> None:
    bench = Bench().do(*FULL_CYCLE[:4])
    bench.act(lambda: bench.machine.open_door(1))

    assert bench.phase() is CompartmentPhase.HELD


def test_cards_put_in_by_hand_are_held() -> None:
    bench = Bench(cards=())
    bench.act(lambda: bench.machine.open_door(2))
    bench.act(lambda: bench.machine.reach_in(2, cards=BLUE))

    assert bench.phase(2) is CompartmentPhase.HELD


def test_sorting_gives_no_receipt_and_the_order_of_new_decks() -> None:
    bench = Bench(cards=tuple(reversed(RED))).act(lambda: None)
    bench.do("load", "count")
    bench.act(lambda: bench.machine.set_mode(DeviceMode.SORT)).do("shuffle")
    faces = [(one.card.suit, one.card.rank) for one in bench.machine.bays[1].pieces if one.card]

    assert (bench.new_events(EventKind.BATCH_STARTED, EventKind.BATCH_DONE), faces[:2]) == (
        [],
        [("D", 1), ("D", 2)],
    )


@pytest.mark.parametrize(
    ("broken", "body"), [("", {1: True, 2: "ok"}), ("sensor 3", {1: False, 2: "sensor 3"})]
)
def test_a_self_test_reports_its_result(broken: str, body: Map) -> None:
    bench = Bench()
    bench.machine.broken = broken

    assert bench.do("self-test").new_events() == [(EventKind.SELFTEST, body)]


# --- refusals -------------------------------------------------------------------------------------


def at(phase: CompartmentPhase) -> Bench:
    """A bench whose first compartment is in that state, with more cards in the tray."""
    bench = Bench().do(*FULL_CYCLE[: STATES.index(phase)])
    bench.machine.put_in(BLUE)
    return bench


ALLOWED = {
    (CompartmentPhase.EMPTY, RequestType.LOAD),
    (CompartmentPhase.LOADING, RequestType.LOAD),
    (CompartmentPhase.LOADING, RequestType.COUNT),
    (CompartmentPhase.COUNTED, RequestType.COUNT),
    (CompartmentPhase.COUNTED, RequestType.SHUFFLE),
    (CompartmentPhase.SHUFFLED, RequestType.STORE),
    (CompartmentPhase.STORED, RequestType.RELEASE),
}


@pytest.mark.parametrize(
    "request_type",
    [
        RequestType.LOAD,
        RequestType.COUNT,
        RequestType.SHUFFLE,
        RequestType.STORE,
        RequestType.RELEASE,
    ],
)
@pytest.mark.parametrize("phase", STATES)
def test_each_request_is_done_only_in_its_states(
    phase: CompartmentPhase, request_type: RequestType
) -> None:
    answer = at(phase).host.ask(request_type, 1, 1)[1]

    assert (answer == RequestStatus.DONE) is ((phase, request_type) in ALLOWED)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("jam", "a card is jammed"),
        ("housing", "a door is open"),
        ("door", "a door is open"),
        ("service", "not in service mode"),
        ("test", "not in test mode"),
        ("residual", "cards are left where none may be"),
        ("gate", "the memory of events is nearly full"),
        ("busy", "busy"),
    ],
)
def test_a_refusal_has_a_reason(name: str, text: str) -> None:
    machine = shuffler(ring=20, self_test_ns=S)
    bench = Bench(machine).do("load", "count")
    bench.new_events()
    acts: dict[str, Callable[[], object]] = {
        "jam": lambda: machine.jam(1),
        "housing": machine.open_door,
        "door": lambda: machine.open_door(1),
        "service": lambda: machine.set_mode(DeviceMode.SERVICE),
        "test": lambda: machine.set_mode(DeviceMode.TEST),
        "residual": lambda: machine.leave_residual(1, 2),
        "gate": lambda: machine.fill_ring(18),
        "busy": lambda: machine.press("self-test"),
    }
    bench.machine.bays[2].pieces.extend(BLUE[:1] if name == "residual" else ())
    bench.act(acts[name])
    wanted = RequestType.STORE if name == "none" else RequestType.COUNT

    assert bench.host.ask(wanted, 1, 1) == {1: RequestStatus.REFUSED, 2: text}


@pytest.mark.parametrize("compartment", [0, 3])
def test_an_unknown_compartment_is_refused(compartment: int) -> None:
    assert Bench().host.ask(RequestType.LOAD, 1, compartment)[2] == "no such compartment"


def test_an_empty_tray_loads_nothing() -> None:
    assert Bench(cards=()).host.ask(RequestType.LOAD, 1, 1)[2] == "no cards in the tray"


def test_a_button_is_refused_like_a_request() -> None:
    assert Bench().do("release").machine.refusals == ["the compartment is empty"]


def test_service_mode_releases_any_batch() -> None:
    bench = Bench().do("load", "count")
    bench.act(lambda: bench.machine.set_mode(DeviceMode.SERVICE)).do("release", compartment=1)

    assert len(bench.machine.take()) == 52


def test_a_request_sets_and_resets_the_mode() -> None:
    bench = Bench()
    for id_, mode in ((1, DeviceMode.SERVICE), (2, DeviceMode.PLAY)):
        bench.host.ask(RequestType.MODE, id_, mode)
        bench.host.advance(0)

    assert [body[1] for _, body in bench.new_events(EventKind.MODE)] == [1, 0]


def test_a_status_is_complete() -> None:
    bench = Bench().do(*FULL_CYCLE[:4])
    bench.act(bench.machine.open_door)
    events = bench.host.ask(RequestType.STATUS, 1)[3]

    assert events == {
        1: 0,
        2: True,
        3: ((1, 5, 52, "red", 1), (2, 0, None, "", 0)),
        4: 0,
        5: (2,),
        6: False,
        7: bench.machine.memory.next_number - 1,
    }


# --- a full memory --------------------------------------------------------------------------------


def test_changes_without_room_are_reported_once_there_is_room() -> None:
    machine = shuffler(ring=10)
    host = ScriptedHost(machine)
    host.act(lambda: machine.fill_ring(20))
    host.act(machine.open_door)
    host.open()
    kinds = [kind for kind, _ in host.all_events()]

    assert (kinds[9], EventKind.LID in kinds[10:]) == (EventKind.OVERFLOW, True)


def test_a_shuffle_whose_end_has_no_room_is_held() -> None:
    machine = shuffler(ring=12, shuffle_ns=S)
    bench = Bench(machine).do("load", "count", "shuffle")
    bench.act(lambda: machine.fill_ring(30))
    bench.host.advance(2 * S)

    assert bench.phase() is CompartmentPhase.HELD
