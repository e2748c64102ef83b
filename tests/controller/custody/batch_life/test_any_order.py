"""Any facts in any order: nothing fails, no batch is dealt unshuffled, no warning vanishes.

Responsible for: what must hold after every fact, over all short walks from places on the way round
and over long random ones; a state that is stored and put back is the same.
Not responsible for: what one fact makes of one state (the other tests here).
Source: controller/README.md, "The life of a batch"; D-20 to D-22.
"""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.custody.batch_life.change import Followed
from controller.custody.batch_life.facts import (
    CutMade,
    EventsLost,
    Fact,
    FirstCardOut,
    GoesIn,
    Handled,
    HandShuffled,
    NewCards,
    PortGone,
    PutIntoShoe,
    ShoeOver,
    WarningAnswered,
)
from controller.custody.batch_life.follow import begun, follow
from controller.custody.batch_life.permissions import (
    clear_refused,
    due_in_play,
    hindrances,
    idle_in_shuffler,
    order_refused,
)
from controller.custody.batch_life.stages import EDGES, READY, BatchStage
from controller.custody.batch_life.state import NO_LINEAGE, Lineage
from controller.custody.batch_life.warnings import WARNINGS_MAX
from controller.journal.encoding.codec import Codec
from controller.state_table import StateTable
from drivers.commands import ShufflerOrder
from drivers.shuffler_events import (
    AbortReason,
    CompartmentChanged,
    CompartmentState,
    DeviceHeardAgain,
    DeviceSilent,
    DeviceTampered,
    DoorMoved,
    IdentityProven,
    IdentityRefused,
    JamReported,
    ModeChanged,
    ResidualCards,
    SelfTested,
    ShuffleAborted,
    ShuffleBegan,
    ShuffleDone,
    ShuffleResult,
    ShufflerMode,
    ShufflerStarted,
    ShufflerStatus,
    ShufflerWarning,
)

S = BatchStage
C = CompartmentState
LIVES = StateTable(EDGES)
STORED: Codec[Lineage] = Codec(Lineage)
STEPS = {(source, to) for source, _, to in EDGES}
ORDERLY = (*READY, S.IN_PLAY, S.SHUFFLED, S.STORED)


def check(before: Lineage, fact: Fact, f: Followed) -> None:
    """What must hold after every fact."""
    after = f.lineage
    check_moves(before, f)
    check_batches(after)
    check_warnings(before, fact, f)
    check_shoes(before, fact, after)


def check_moves(before: Lineage, f: Followed) -> None:
    """Batches go along edges only, and stand where the last one led."""
    at = {one.back: one.stage.value for one in before.lives}
    for moved in f.moves:
        assert at[moved.back] == moved.before
        assert (moved.before, moved.after) in STEPS
        assert moved.why
        at[moved.back] = moved.after
    assert at == {one.back: one.stage.value for one in f.lineage.lives}


def check_batches(lineage: Lineage) -> None:
    """A batch that may be dealt has its shuffle behind it; each lies in one place."""
    for life in lineage.lives:
        assert (life.stage in ORDERLY) == (life.proof is not None or life.by_hand)
        assert not (life.bars and life.stage not in (S.HELD, S.COLLECTED))
        assert life.stage is not S.HELD or life.bars
        if life.stage is S.IN_PLAY:
            assert lineage.in_play == life.back
        if life.stage in (S.CUT, S.IN_SHOE, S.IN_PLAY, S.SPENT, S.UNKNOWN):
            assert life.compartment == 0
        if life.stage in (S.COUNTED, S.SHUFFLING, S.SHUFFLED, S.STORED):
            assert life.compartment in (1, 2)
            assert life.cards == 416
    lying = [one.compartment for one in lineage.lives if one.compartment]
    assert len(set(lying)) == len(lying)
    proofs = [one.proof.cycle for one in lineage.lives if one.proof is not None]
    assert len(set(proofs)) == len(proofs)


def check_warnings(before: Lineage, fact: Fact, f: Followed) -> None:
    """Each warning has a number of its own and stays until a person answers it."""
    was = {one.number for one in before.warnings}
    now = {one.number for one in f.lineage.warnings}
    opened = {one.number for one in f.opened}
    assert was - now == {one.number for one in f.closed}
    assert now - was == opened
    assert all(number > before.warnings_told for number in opened)
    assert len(f.lineage.warnings) <= WARNINGS_MAX
    for one in f.closed:
        assert fact == WarningAnswered(one.number)
        assert not one.active
    kinds = [(one.kind, one.code, one.compartment) for one in f.lineage.warnings]
    assert len(set(kinds)) == len(kinds)


def check_shoes(before: Lineage, fact: Fact, after: Lineage) -> None:
    """A batch in play is never the one of the shoe before, unless both have new cards."""
    playing = after.life(after.in_play)
    if playing is not None and playing.stage is S.IN_PLAY:
        assert after.last_played != playing.back
    if fact == ShoeOver(played=True):
        assert (after.last_played, after.in_play) == (before.in_play, "")
    elif after.last_played != before.last_played:
        assert isinstance(fact, NewCards | FirstCardOut)


def judged(lineage: Lineage) -> None:
    """Every question has an answer in every state."""
    for back in ("red", "blue", "green", ""):
        for one in hindrances(lineage, back):
            assert one.detail
            assert one.remedy
        idle_in_shuffler(lineage, back)
    for order in ShufflerOrder:
        for compartment in (0, 1, 2, 3):
            order_refused(lineage, order, compartment, shoe_open=False)
            order_refused(lineage, order, compartment, shoe_open=True)
    due = due_in_play(lineage)
    life = lineage.life(due)
    assert not due or (life is not None and life.stage in READY)
    for number in range(lineage.warnings_told + 2):
        clear_refused(lineage, number)


def next_of(lineage: Lineage, fact: Fact) -> Followed:
    return follow(LIVES, lineage, fact, cards=416, decks=8, at_ns=5)


def walk_all(start: Lineage, alphabet: Sequence[Fact], length: int) -> list[Lineage]:
    """Every state that at most `length` of these facts lead to, each followed from once."""
    seen = {start: None}
    edge = [start]
    for _ in range(length):
        reached = []
        for lineage in edge:
            for fact in alphabet:
                f = next_of(lineage, fact)
                check(lineage, fact, f)
                if f.lineage not in seen:
                    seen[f.lineage] = None
                    reached.append(f.lineage)
        edge = reached
    return list(seen)


def lies(number: int, state: C, cards: int | None = None, back: str = "") -> CompartmentChanged:
    return CompartmentChanged(number, state, cards, back, b"")


def test_every_short_walk_of_one_batch_through_the_shuffler(batches: Any, proof: Any) -> None:
    alphabet = (
        GoesIn("red"),
        lies(1, C.LOADING),
        lies(1, C.COUNTED, 416),
        lies(1, C.COUNTED, 415),
        ShuffleBegan(1, 1),
        ShuffleBegan(1, 2),
        ShuffleDone(proof(1, 1)),
        ShuffleDone(proof(1, 2)),
        ShuffleAborted(1, 1, AbortReason.PERSON),
        lies(1, C.STORED, 416),
        lies(1, C.RELEASED),
        lies(1, C.EMPTY),
        FirstCardOut("red"),
    )
    states = walk_all(batches.lineage, alphabet, 7)

    assert {state.life("red").stage for state in states} == {  # type: ignore[union-attr]
        S.UNKNOWN,
        S.COLLECTED,
        S.COUNTED,
        S.SHUFFLING,
        S.SHUFFLED,
        S.STORED,
        S.RELEASED,
        S.IN_PLAY,
        S.HELD,
    }


def test_every_short_walk_at_the_exchange_of_two_batches(batches: Any, proof: Any) -> None:
    batches.played("red", 1, 1)
    batches.stored("blue", 2, 2)
    alphabet = (
        GoesIn("red"),
        lies(1, C.COUNTED, 416),
        lies(1, C.COUNTED, 416, "blue"),
        ShuffleBegan(1, 3),
        ShuffleDone(proof(1, 3)),
        ShuffleDone(proof(2, 2)),
        lies(1, C.RELEASED),
        lies(2, C.RELEASED),
        lies(2, C.EMPTY),
        PutIntoShoe("red"),
        PutIntoShoe("blue"),
        FirstCardOut(""),
        FirstCardOut("red"),
        ShoeOver(played=True),
        ShoeOver(played=False),
    )
    states = walk_all(batches.lineage, alphabet, 6)

    assert {state.last_played for state in states} == {"red", "blue", ""}


def test_every_short_walk_of_what_goes_wrong_with_a_stored_batch(batches: Any, proof: Any) -> None:
    batches.stored("blue", 2, 1)
    batches.shuffling("red", 1, 2)
    alphabet = (
        DoorMoved(open=True, compartment=1),
        DoorMoved(open=False, compartment=1),
        DoorMoved(open=True, compartment=0),
        JamReported(1, cleared=False),
        JamReported(1, cleared=True),
        ResidualCards(2, 16),
        ResidualCards(2, 0),
        ModeChanged(ShufflerMode.SORT),
        ModeChanged(ShufflerMode.PLAY),
        ShufflerStarted(2, (1,)),
        EventsLost(3),
        ShuffleDone(proof(1, 2)),
        lies(2, C.RELEASED),
        lies(1, C.COUNTED, 416),
        WarningAnswered(1),
        FirstCardOut(""),
    )
    states = walk_all(batches.lineage, alphabet, 4)

    assert any(len(state.warnings) == 4 for state in states)


PLACES = ("loaded", "counted", "shuffling", "shuffled", "stored", "released", "deals", "played")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("state", C)
def test_every_status_in_every_place_on_the_way_round_is_answered(
    batches: Any, place: str, state: C
) -> None:
    if place == "deals":
        batches.released()
    getattr(batches, place)()
    for cards in (None, 415, 416):
        for back in ("", "red", "blue", "green"):
            for cycle in (0, 1, 2):
                told = ((1, state, cards, back, cycle),)
                fact = ShufflerStatus(ShufflerMode.PLAY, False, told, 0, ())
                f = next_of(batches.lineage, fact)
                check(batches.lineage, fact, f)
                judged(f.lineage)


backs = st.sampled_from(["red", "red", "blue", "blue", "green", ""])
numbers = st.sampled_from([0, 1, 1, 2, 2, 3])
cycles = st.integers(-1, 12)
counts = st.sampled_from([None, 416, 416, 416, 415, 417, 0])
faces = st.sampled_from([b"", b"", bytes([8] * 52), bytes([7, 9, *[8] * 50]), b"\x01"])
texts = st.sampled_from(["", "door ajar", "a\nb"])
flags = st.booleans()
receipts = st.fixed_dictionaries(
    {"compartment": numbers, "cycle": cycles},
    optional={
        "count": st.sampled_from([416, 415, 417]),
        "result": st.sampled_from(ShuffleResult),
        "back": backs,
        "faces": faces,
        "genuine": flags,
        "device": st.just("another"),
        "ended_us": st.just(0),
    },
)
statuses = st.builds(
    ShufflerStatus,
    st.sampled_from(ShufflerMode),
    flags,
    st.lists(st.tuples(numbers, st.sampled_from(C), counts, backs, cycles), max_size=3).map(tuple),
    st.sampled_from([0, 0, 16, -1]),
    st.lists(st.integers(0, 20), max_size=14).map(tuple),
)
proven = st.builds(
    IdentityProven,
    st.sampled_from(["5348000000000001"] * 4 + ["another"]),
    st.just("1.4.0"),
    st.just(bytes(32)),
    st.just(3),
    st.integers(1, 3),
    st.sampled_from([False, False, True]),
)
facts = st.one_of(
    st.builds(CompartmentChanged, numbers, st.sampled_from(C), counts, backs, faces),
    st.builds(CompartmentChanged, numbers, st.sampled_from(C), counts, backs, faces),
    st.builds(ShuffleBegan, numbers, cycles),
    receipts,
    receipts,
    st.builds(ShuffleAborted, numbers, cycles, st.sampled_from(AbortReason)),
    st.builds(DoorMoved, flags, numbers),
    st.builds(JamReported, numbers, flags),
    st.builds(ResidualCards, numbers, st.sampled_from([0, 0, 16])),
    st.builds(ModeChanged, st.sampled_from(ShufflerMode)),
    st.builds(ShufflerWarning, st.integers(0, 40), texts, flags),
    st.builds(SelfTested, flags, texts),
    st.builds(ShufflerStarted, cycles, st.lists(numbers, max_size=2).map(tuple)),
    statuses,
    st.builds(DeviceTampered, texts),
    proven,
    st.builds(IdentityRefused, texts, texts, flags),
    st.builds(DeviceSilent, st.just(5000), flags),
    st.just(DeviceHeardAgain()),
    st.builds(GoesIn, backs),
    st.builds(HandShuffled, backs),
    st.just(CutMade()),
    st.builds(PutIntoShoe, backs),
    st.builds(FirstCardOut, backs),
    st.builds(ShoeOver, flags),
    st.builds(Handled, backs),
    st.builds(NewCards, backs),
    st.builds(EventsLost, st.integers(0, 3)),
    st.just(PortGone()),
    st.builds(WarningAnswered, st.integers(0, 12)),
)


# From where a walk begins: what a table has done before is told by the words of play.
BEGINNINGS = ("nothing", "counted", "shuffling", "shuffled", "stored", "released", "played")


@settings(max_examples=250)
@given(st.sampled_from(BEGINNINGS), st.lists(facts, max_size=40))
def test_a_long_walk_of_anything_keeps_what_must_hold(
    tables: Any, proof: Any, beginning: str, walk: list[Any]
) -> None:
    batches = tables()
    if beginning != "nothing":
        getattr(batches, beginning)()
    lineage = batches.lineage
    for step in walk:
        fact = ShuffleDone(proof(**step)) if isinstance(step, dict) else step
        f = next_of(lineage, fact)
        check(lineage, fact, f)
        lineage = f.lineage
    judged(lineage)
    assert STORED.decode(STORED.encode(lineage)) == lineage


@settings(max_examples=60)
@given(st.lists(facts, max_size=30))
def test_without_batches_only_the_device_is_followed(proof: Any, walk: list[Any]) -> None:
    lineage = NO_LINEAGE
    for step in walk:
        fact = ShuffleDone(proof(**step)) if isinstance(step, dict) else step
        f = next_of(lineage, fact)
        assert (f.moves, f.proofs, f.remarks) == ((), (), ())
        check_warnings(lineage, fact, f)
        lineage = f.lineage
    judged(lineage)


def test_two_batches_of_which_nobody_has_told_are_judged() -> None:
    judged(begun(("red", "blue")))
