"""The emulated shuffler: what it does with a batch, what it tells of it, what it refuses."""

from collections.abc import Callable

import pytest

from hil.dealing.cards import PhysicalCard
from hil.dealing.tags import usual_batches
from hil.emulator.tablelink.cbor import Map, Value, payload_map
from hil.emulator.tablelink.compartment import Holding, Mode
from hil.emulator.tablelink.mechanism import ShufflerSettings
from hil.emulator.tablelink.shuffler import Shuffler
from hil.emulator.tablelink.wire import Answer, Ask, Kind
from hil.tablelink.host import MS, Host, S

RED, BLUE = (tuple(one for one in batch.cards if one.card) for batch in usual_batches(1))
WAY = ("load", "count", "shuffle", "store", "release")
STATES = (
    Holding.EMPTY,
    Holding.LOADING,
    Holding.COUNTED,
    Holding.SHUFFLED,
    Holding.STORED,
    Holding.RELEASED,
)
GOOD, COUNT_DIFFERS, FACES_DIFFER, UNVERIFIED = 1, 2, 3, 4
BY_JAM, BY_POWER, BY_DOOR, BY_PERSON = 1, 2, 3, 4


def shuffler(**more: object) -> Shuffler:
    return Shuffler(ShufflerSettings(**more))  # type: ignore[arg-type]


class Bench:
    """A shuffler in a session; `told` are the events since it was last asked."""

    def __init__(
        self, machine: Shuffler | None = None, cards: tuple[PhysicalCard, ...] = RED
    ) -> None:
        self.machine = machine or shuffler()
        self.host = Host(self.machine)
        self.host.open()
        self.machine.put_in(cards)
        self.host.fresh()

    def do(self, *buttons: str, pause_ns: int = 0, compartment: int = 0) -> "Bench":
        for button in buttons:
            self.act(lambda button=button: self.machine.press(button, compartment))  # type: ignore[misc]
            self.host.later(pause_ns)
        return self

    def act(self, act: Callable[[], object]) -> "Bench":
        self.host.act(act)
        return self

    def told(self, *kinds: Kind) -> list[tuple[Kind, Map]]:
        return [(kind, body) for kind, body in self.host.fresh() if kind in kinds or not kinds]

    def standings(self) -> list[Value]:
        return [body[2] for _, body in self.told(Kind.COMPARTMENT)]

    def holding(self, compartment: int = 1) -> Holding:
        return self.machine.standing(compartment).holding

    def receipt(self) -> Map:
        ((_, body),) = self.told(Kind.BATCH_DONE)
        sealed = body[1]
        assert isinstance(sealed, bytes)
        return payload_map(sealed)


def bare(**more: object) -> Bench:
    """One whose receipts can be read as they are."""
    return Bench(shuffler(bare=True, **more))


# --- a batch goes round ---------------------------------------------------------------------------


def test_a_batch_is_loaded_counted_shuffled_stored_and_released() -> None:
    assert Bench().do(*WAY).standings() == [1, 2, 3, 4, 5, 6]


def test_the_cards_come_back_in_another_order_and_none_is_missing() -> None:
    bench = Bench().do(*WAY)
    cards = bench.machine.take()

    assert (cards != RED, sorted(map(str, cards))) == (True, sorted(map(str, RED)))


def test_equal_seeds_shuffle_alike() -> None:
    first, second = (Bench().do(*WAY).machine.take() for _ in range(2))

    assert first == second


def test_no_shuffle_is_like_the_one_before() -> None:
    bench = Bench().do(*WAY)
    first = bench.machine.take()
    bench.machine.put_in(RED)
    bench.host.later(0)

    assert bench.do(*WAY).machine.take() != first


def test_the_compartment_is_empty_when_the_cards_are_taken() -> None:
    bench = Bench().do(*WAY)
    bench.act(bench.machine.take)

    assert bench.standings()[-1] == Holding.EMPTY


def test_nothing_can_be_taken_before_it_is_released() -> None:
    assert Bench().do(*WAY[:4]).machine.take() == ()


def test_a_second_batch_is_shuffled_while_the_first_one_is_stored() -> None:
    bench = Bench().do(*WAY[:4])
    bench.machine.put_in(BLUE)
    bench.do(*WAY[:4])

    assert (bench.holding(1), bench.holding(2)) == (Holding.STORED, Holding.STORED)


def test_each_work_takes_its_time() -> None:
    machine = shuffler(load_card_ns=10 * MS, shuffle_ns=S)
    bench = Bench(machine).do("load")
    seen = [machine.busy]
    bench.host.later(520 * MS)
    seen.append(machine.busy)

    assert seen == [True, False]


# --- what it tells --------------------------------------------------------------------------------


def test_a_blind_one_tells_count_and_back() -> None:
    _, counted = Bench().do("load", "count").told(Kind.COMPARTMENT)

    assert counted[1] == {1: 1, 2: Holding.COUNTED, 3: 52, 4: "red"}


def test_a_reading_one_tells_how_many_of_each_face() -> None:
    _, counted = Bench(shuffler(reading=True)).do("load", "count").told(Kind.COMPARTMENT)

    assert counted[1][5] == bytes([1]) * 52


def test_two_batches_in_one_compartment_show_by_their_backs() -> None:
    _, counted = Bench(cards=RED + BLUE).do("load", "count").told(Kind.COMPARTMENT)

    assert counted[1][4] == "mixed"


def test_a_shuffle_begins_and_ends_with_its_number() -> None:
    bench = bare().do("load", "count", "shuffle")
    told = bench.host.fresh()
    begun = next(body for kind, body in told if kind is Kind.BATCH_STARTED)
    done = next(body[1] for kind, body in told if kind is Kind.BATCH_DONE)
    assert isinstance(done, bytes)

    assert (begun, payload_map(done)[3]) == ({1: 1, 2: 1}, 1)


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
    ((_, body),) = Bench().do("load", "count", "shuffle").told(Kind.BATCH_DONE)

    assert body[2] is True


@pytest.mark.parametrize("reading", [False, True])
def test_no_event_tells_an_order(reading: bool) -> None:
    """Two shuffles of the same cards differ in their order alone, and all that is told is equal."""

    def told(seed: int) -> list[tuple[Kind, Map]]:
        machine = shuffler(bare=True, reading=reading, shuffle_seed=seed)
        return Bench(machine).do(*WAY).told()

    assert told(1) == told(2)


# --- what a shuffle's check gives -----------------------------------------------------------------


def test_a_card_that_stays_behind_in_a_shuffle_is_missed() -> None:
    bench = bare(shuffle_ns=S).do("load", "count", "shuffle")
    bench.act(lambda: bench.machine.leave_residual(1))
    bench.host.later(2 * S)

    assert (bench.receipt()[6], bench.holding()) == (COUNT_DIFFERS, Holding.HELD)


@pytest.mark.parametrize(("decks", "result"), [(1, GOOD), (8, COUNT_DIFFERS)])
def test_one_set_to_a_number_of_decks_finds_a_short_batch(decks: int, result: int) -> None:
    assert bare(decks=decks).do("load", "count", "shuffle").receipt()[6] == result


def test_a_reading_one_finds_a_card_twice() -> None:
    machine = shuffler(bare=True, reading=True, decks=1)
    bench = Bench(machine, cards=(*RED[:51], RED[0])).do("load", "count", "shuffle")

    assert bench.receipt()[6] == FACES_DIFFER


def test_a_foreign_back_is_found() -> None:
    machine = shuffler(bare=True)
    bench = Bench(machine, cards=(*RED[:51], BLUE[0])).do("load", "count", "shuffle")

    assert bench.receipt()[6] == FACES_DIFFER


def test_one_that_does_not_check_says_so() -> None:
    assert bare(verifies=False).do("load", "count", "shuffle").receipt()[6] == UNVERIFIED


# --- what goes wrong ------------------------------------------------------------------------------


def shuffling() -> Bench:
    bench = Bench(shuffler(shuffle_ns=90 * S)).do("load", "count", "shuffle")
    bench.told()
    return bench


BREAKS: dict[str, tuple[Callable[[Shuffler], object], int]] = {
    "jam": (lambda machine: machine.jam(), BY_JAM),
    "housing": (lambda machine: machine.open_door(), BY_DOOR),
    "door": (lambda machine: machine.open_door(1), BY_DOOR),
    "abort": (lambda machine: machine.press("abort"), BY_PERSON),
    "key": (lambda machine: machine.set_mode(Mode.SERVICE), BY_PERSON),
}


@pytest.mark.parametrize("name", BREAKS)
def test_a_shuffle_that_is_broken_off_is_told_and_its_batch_held(name: str) -> None:
    act, reason = BREAKS[name]
    bench = shuffling()
    told = bench.act(lambda: act(bench.machine)).told(Kind.BATCH_ABORTED, Kind.COMPARTMENT)

    assert [body for _, body in told] == [{1: 1, 2: 1, 3: reason}, {1: 1, 2: Holding.HELD}]


def test_power_that_fails_in_a_shuffle_is_told_with_the_next_boot() -> None:
    bench = shuffling()
    bench.act(bench.machine.power_off).act(bench.machine.power_on)
    bench.host.open(session=9, stored=bench.machine.memory.first_number - 1)

    assert bench.told() == [
        (Kind.POWER_UP, {1: 2, 2: 1}),
        (Kind.BATCH_ABORTED, {1: 1, 2: 1, 3: BY_POWER}),
        (Kind.COMPARTMENT, {1: 1, 2: Holding.HELD}),
    ]


def test_a_stored_batch_is_still_stored_after_a_power_cut_and_not_told_again() -> None:
    bench = Bench().do(*WAY[:4])
    bench.told()
    bench.act(bench.machine.power_off).act(bench.machine.power_on)
    bench.host.open(session=9, stored=bench.machine.memory.first_number - 1)

    assert (bench.holding(), bench.standings()) == (Holding.STORED, [])


@pytest.mark.parametrize("moment", range(40))
def test_wherever_power_fails_no_batch_passes_for_shuffled_without_its_receipt(
    moment: int,
) -> None:
    bench = Bench()
    bench.machine.cut_power_after(moment)
    bench.do(*WAY[:4])
    bench.machine.memory.cut_in = None
    bench.act(bench.machine.power_on)
    bench.host.open(session=9)
    done = [kind for kind, _ in bench.told(Kind.BATCH_DONE)]

    assert bool(done) == (bench.holding() in (Holding.SHUFFLED, Holding.STORED))


def test_a_held_batch_is_counted_and_shuffled_anew() -> None:
    bench = shuffling()
    bench.act(bench.machine.jam).act(bench.machine.clear_jam)
    bench.do("count", "shuffle", pause_ns=100 * S)

    assert bench.holding() is Holding.SHUFFLED


TROUBLES: dict[str, tuple[Callable[[Shuffler], object], list[tuple[Kind, Map]]]] = {
    "jam": (
        lambda machine: machine.jam(2),
        [
            (Kind.JAM, {1: 2, 2: False}),
            (Kind.WARNING, {1: 1, 2: "a card is jammed", 3: True}),
        ],
    ),
    "door": (
        lambda machine: machine.open_door(),
        [(Kind.LID, {1: True, 2: 0}), (Kind.WARNING, {1: 2, 2: "a door is open", 3: True})],
    ),
    "lamp": (
        lambda machine: machine.lamp(40, "belt worn", on=True),
        [(Kind.WARNING, {1: 40, 2: "belt worn", 3: True})],
    ),
    "mode": (lambda machine: machine.set_mode(Mode.TEST), [(Kind.MODE, {1: 3})]),
    "tamper": (lambda machine: machine.tamper("seal"), [(Kind.TAMPER, {1: "seal"})]),
}


@pytest.mark.parametrize("name", TROUBLES)
def test_what_is_wrong_is_told_and_lights_its_lamp(name: str) -> None:
    act, expected = TROUBLES[name]
    bench = Bench()

    assert bench.act(lambda: act(bench.machine)).told() == expected


MENDS: dict[str, tuple[Callable[[Shuffler], object], Callable[[Shuffler], object]]] = {
    "jam": (lambda machine: machine.jam(2), lambda machine: machine.clear_jam()),
    "door": (lambda machine: machine.open_door(2), lambda machine: machine.close_door(2)),
    "lamp": (
        lambda machine: machine.lamp(40, "belt worn", on=True),
        lambda machine: machine.lamp(40, "belt worn", on=False),
    ),
}


@pytest.mark.parametrize("name", MENDS)
def test_when_it_is_mended_the_lamp_goes_out(name: str) -> None:
    harm, mend = MENDS[name]
    bench = Bench()
    bench.act(lambda: harm(bench.machine))
    told = bench.act(lambda: mend(bench.machine)).told(Kind.WARNING)

    assert [body[3] for _, body in told] == [True, False]


def test_cards_left_behind_are_told_until_they_are_taken_out() -> None:
    bench = Bench().do("load", "count")
    bench.act(lambda: bench.machine.leave_residual(3, 1))
    bench.act(bench.machine.take_residual)

    assert [body[1] for _, body in bench.told(Kind.RESIDUAL)] == [3, 0]


def test_a_door_opened_on_a_stored_batch_makes_it_one_to_look_at() -> None:
    bench = Bench().do(*WAY[:4])
    bench.act(lambda: bench.machine.open_door(1))

    assert bench.holding() is Holding.HELD


def test_what_hands_put_into_an_empty_compartment_is_no_batch() -> None:
    bench = Bench(cards=())
    bench.act(lambda: bench.machine.open_door(2))
    bench.act(lambda: bench.machine.reach_in(2, cards=BLUE))

    assert bench.holding(2) is Holding.HELD


def test_sorting_gives_no_receipt_and_the_order_of_new_decks() -> None:
    bench = Bench(cards=tuple(reversed(RED))).act(lambda: None)
    bench.do("load", "count")
    bench.act(lambda: bench.machine.set_mode(Mode.SORT)).do("shuffle")
    faces = [(one.card.suit, one.card.rank) for one in bench.machine.bays[1].pieces if one.card]

    assert (bench.told(Kind.BATCH_STARTED, Kind.BATCH_DONE), faces[:2]) == (
        [],
        [("D", 1), ("D", 2)],
    )


@pytest.mark.parametrize(
    ("broken", "body"), [("", {1: True, 2: "ok"}), ("sensor 3", {1: False, 2: "sensor 3"})]
)
def test_a_self_test_tells_what_it_finds(broken: str, body: Map) -> None:
    bench = Bench()
    bench.machine.broken = broken

    assert bench.do("self-test").told() == [(Kind.SELFTEST, body)]


# --- what it refuses ------------------------------------------------------------------------------


def at(holding: Holding) -> Bench:
    """A bench whose first compartment is in that state, with more cards in the tray."""
    bench = Bench().do(*WAY[: STATES.index(holding)])
    bench.machine.put_in(BLUE)
    return bench


ALLOWED = {
    (Holding.EMPTY, Ask.LOAD),
    (Holding.LOADING, Ask.LOAD),
    (Holding.LOADING, Ask.COUNT),
    (Holding.COUNTED, Ask.COUNT),
    (Holding.COUNTED, Ask.SHUFFLE),
    (Holding.SHUFFLED, Ask.STORE),
    (Holding.STORED, Ask.RELEASE),
}


@pytest.mark.parametrize("ask", [Ask.LOAD, Ask.COUNT, Ask.SHUFFLE, Ask.STORE, Ask.RELEASE])
@pytest.mark.parametrize("holding", STATES)
def test_each_request_is_done_in_its_states_alone(holding: Holding, ask: Ask) -> None:
    answer = at(holding).host.ask(ask, 1, 1)[1]

    assert (answer == Answer.DONE) is ((holding, ask) in ALLOWED)


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
def test_a_refusal_says_why(name: str, text: str) -> None:
    machine = shuffler(ring=20, self_test_ns=S)
    bench = Bench(machine).do("load", "count")
    bench.told()
    acts: dict[str, Callable[[], object]] = {
        "jam": lambda: machine.jam(1),
        "housing": machine.open_door,
        "door": lambda: machine.open_door(1),
        "service": lambda: machine.set_mode(Mode.SERVICE),
        "test": lambda: machine.set_mode(Mode.TEST),
        "residual": lambda: machine.leave_residual(1, 2),
        "gate": lambda: machine.fill_ring(18),
        "busy": lambda: machine.press("self-test"),
    }
    bench.machine.bays[2].pieces.extend(BLUE[:1] if name == "residual" else ())
    bench.act(acts[name])
    wanted = Ask.STORE if name == "none" else Ask.COUNT

    assert bench.host.ask(wanted, 1, 1) == {1: Answer.REFUSED, 2: text}


@pytest.mark.parametrize("compartment", [0, 3])
def test_there_is_no_other_compartment(compartment: int) -> None:
    assert Bench().host.ask(Ask.LOAD, 1, compartment)[2] == "no such compartment"


def test_an_empty_tray_loads_nothing() -> None:
    assert Bench(cards=()).host.ask(Ask.LOAD, 1, 1)[2] == "no cards in the tray"


def test_a_button_is_refused_like_a_request() -> None:
    assert Bench().do("release").machine.refusals == ["the compartment is empty"]


def test_service_takes_any_batch_out() -> None:
    bench = Bench().do("load", "count")
    bench.act(lambda: bench.machine.set_mode(Mode.SERVICE)).do("release", compartment=1)

    assert len(bench.machine.take()) == 52


def test_a_request_turns_the_mode_and_back() -> None:
    bench = Bench()
    for id_, mode in ((1, Mode.SERVICE), (2, Mode.PLAY)):
        bench.host.ask(Ask.MODE, id_, mode)
        bench.host.later(0)

    assert [body[1] for _, body in bench.told(Kind.MODE)] == [1, 0]


def test_a_status_tells_all_of_it() -> None:
    bench = Bench().do(*WAY[:4])
    bench.act(bench.machine.open_door)
    told = bench.host.ask(Ask.STATUS, 1)[3]

    assert told == {
        1: 0,
        2: True,
        3: ((1, 5, 52, "red", 1), (2, 0, None, "", 0)),
        4: 0,
        5: (2,),
        6: False,
        7: bench.machine.memory.next_number - 1,
    }


# --- a full memory --------------------------------------------------------------------------------


def test_what_found_no_room_is_told_when_there_is_room_again() -> None:
    machine = shuffler(ring=10)
    host = Host(machine)
    host.act(lambda: machine.fill_ring(20))
    host.act(machine.open_door)
    host.open()
    kinds = [kind for kind, _ in host.told()]

    assert (kinds[9], Kind.LID in kinds[10:]) == (Kind.OVERFLOW, True)


def test_a_shuffle_whose_end_finds_no_room_is_held() -> None:
    machine = shuffler(ring=12, shuffle_ns=S)
    bench = Bench(machine).do("load", "count", "shuffle")
    bench.act(lambda: machine.fill_ring(30))
    bench.host.later(2 * S)

    assert bench.holding() is Holding.HELD
