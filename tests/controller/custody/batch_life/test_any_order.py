"""All short and long random walks of facts keep the invariants of batch life."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.custody.batch_life.change import LineageUpdate
from controller.custody.batch_life.facts import (
    EventsLost,
    Fact,
    FirstCardOut,
    ShoeOver,
    ShufflerPortLost,
    Touched,
)
from controller.custody.batch_life.lifecycle import apply_batch_fact, new_lineage
from controller.custody.batch_life.permissions import (
    batch_due_next,
    idle_in_shuffler,
    obstacles_to_dealing,
    order_refusal,
)
from controller.custody.batch_life.stages import EDGES, READY, BatchStage
from controller.custody.batch_life.state import NO_LINEAGE, Lineage, WarningKind
from controller.custody.batch_life.warnings import WARNINGS_MAX, clear_refusal
from controller.journal.encoding import Codec
from controller.rules.actions.actions import ClearWarning, RecordAct
from controller.rules.actions.choices import ActKind
from controller.system.messages.catalogue import to_words
from drivers.commands import ShufflerOrder
from drivers.shuffler_events import (
    AbortReason,
    CompartmentChanged,
    CompartmentState,
    ContactRestored,
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
    ShuffleDone,
    ShuffleResult,
    ShufflerMode,
    ShufflerStarted,
    ShufflerStatus,
    ShufflerWarning,
    ShuffleShown,
    ShuffleStarted,
)
from foundation.message import message

S = BatchStage
C = CompartmentState
STORED: Codec[Lineage] = Codec(Lineage)
STEPS = {(source, to) for source, _, to in EDGES}
SHUFFLED_STAGES = (*READY, S.IN_PLAY, S.SHUFFLED, S.STORED)


def check(before: Lineage, fact: Fact, update: LineageUpdate) -> None:
    """What must hold after every fact."""
    after = update.lineage
    check_moves(before, update)
    check_batches(after)
    check_warnings(before, fact, update)
    check_shoes(before, fact, after)


def check_moves(before: Lineage, update: LineageUpdate) -> None:
    """Batches change stage only along edges, and end where the last one led."""
    at = {one.back: one.stage.value for one in before.lives}
    for moved in update.moves:
        assert at[moved.batch] == moved.before
        assert (moved.before, moved.after) in STEPS
        assert to_words(moved.why)
        at[moved.batch] = moved.after
    assert at == {one.back: one.stage.value for one in update.lineage.lives}


def check_batches(lineage: Lineage) -> None:
    """A batch that may be dealt has its shuffle; each batch is in one place."""
    for life in lineage.lives:
        shuffled = life.proof is not None or life.shown is not None or life.by_hand
        assert (life.stage in SHUFFLED_STAGES) == shuffled
        assert not (life.block_reasons and life.stage not in (S.HELD, S.COLLECTED))
        assert life.stage is not S.HELD or life.block_reasons
        if life.stage is S.IN_PLAY:
            assert lineage.in_play == life.back
        if life.stage in (S.CUT, S.IN_SHOE, S.IN_PLAY, S.SPENT, S.UNKNOWN):
            assert life.compartment == 0
        if life.stage in (S.COUNTED, S.SHUFFLING, S.SHUFFLED, S.STORED):
            assert life.compartment in (1, 2)
            assert life.cards == 416
    occupied = [one.compartment for one in lineage.lives if one.compartment]
    assert len(set(occupied)) == len(occupied)
    proofs = [one.proof.cycle for one in lineage.lives if one.proof is not None]
    assert len(set(proofs)) == len(proofs)


def check_warnings(before: Lineage, fact: Fact, update: LineageUpdate) -> None:
    """Each warning has its own number and stays until a person clears it."""
    was = {one.number for one in before.warnings}
    now = {one.number for one in update.lineage.warnings}
    opened = {one.number for one in update.opened}
    assert was - now == {one.number for one in update.closed}
    assert now - was == opened
    assert all(number > before.warnings_given for number in opened)
    assert len(update.lineage.warnings) <= WARNINGS_MAX
    for one in update.closed:
        assert fact == ClearWarning(one.number)
        # What no report of this device can end is cleared while it lasts.
        assert not one.active or one.kind in (WarningKind.SILENT, WarningKind.IDENTITY)
    kinds = [(one.kind, one.code, one.compartment) for one in update.lineage.warnings]
    assert len(set(kinds)) == len(kinds)


def check_shoes(before: Lineage, fact: Fact, after: Lineage) -> None:
    """A batch in play is never the one of the last shoe, unless both have new cards."""
    playing = after.life(after.in_play)
    if playing is not None and playing.stage is S.IN_PLAY:
        assert after.last_played != playing.back
    if fact == ShoeOver(played=True):
        assert (after.last_played, after.in_play) == (before.in_play, "")
    elif after.last_played != before.last_played:
        new_cards = isinstance(fact, RecordAct) and fact.kind is ActKind.RECEIVED
        assert new_cards or isinstance(fact, FirstCardOut)


def ask_permissions(lineage: Lineage) -> None:
    """Call every permission function; each must return."""
    for back in ("red", "blue", "green", ""):
        for one in obstacles_to_dealing(lineage, back):
            assert to_words(one.detail)
            assert to_words(one.remedy)
        idle_in_shuffler(lineage, back)
    for order in ShufflerOrder:
        for compartment in (0, 1, 2, 3):
            order_refusal(lineage, order, compartment, shoe_open=False)
            order_refusal(lineage, order, compartment, shoe_open=True)
    due = batch_due_next(lineage)
    life = lineage.life(due)
    assert not due or (life is not None and life.stage in READY)
    for number in range(lineage.warnings_given + 2):
        clear_refusal(lineage, number)


def apply(lineage: Lineage, fact: Fact, *, by_contacts: bool = False) -> LineageUpdate:
    return apply_batch_fact(lineage, fact, cards=416, decks=8, at_ns=5, by_contacts=by_contacts)


def walk_all(start: Lineage, alphabet: Sequence[Fact], length: int) -> list[Lineage]:
    """Every state reached by at most `length` of these facts, each expanded once."""
    seen = {start: None}
    edge = [start]
    for _ in range(length):
        reached = []
        for lineage in edge:
            for fact in alphabet:
                update = apply(lineage, fact)
                check(lineage, fact, update)
                if update.lineage not in seen:
                    seen[update.lineage] = None
                    reached.append(update.lineage)
        edge = reached
    return list(seen)


def report(number: int, state: C, cards: int | None = None, back: str = "") -> CompartmentChanged:
    return CompartmentChanged(number, state, cards, back, b"")


def test_all_short_walks_of_one_batch_through_the_shuffler(batches: Any, proof: Any) -> None:
    alphabet = (
        RecordAct(ActKind.INTO_SHUFFLER, "red"),
        report(1, C.LOADING),
        report(1, C.COUNTED, 416),
        report(1, C.COUNTED, 415),
        ShuffleStarted(1, 1),
        ShuffleStarted(1, 2),
        ShuffleDone(proof(1, 1)),
        ShuffleDone(proof(1, 2)),
        ShuffleAborted(1, 1, AbortReason.PERSON),
        report(1, C.STORED, 416),
        report(1, C.RELEASED),
        report(1, C.EMPTY),
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


def test_all_short_walks_at_the_exchange_of_two_batches(batches: Any, proof: Any) -> None:
    batches.played("red", 1, 1)
    batches.stored("blue", 2, 2)
    alphabet = (
        RecordAct(ActKind.INTO_SHUFFLER, "red"),
        report(1, C.COUNTED, 416),
        report(1, C.COUNTED, 416, "blue"),
        ShuffleStarted(1, 3),
        ShuffleDone(proof(1, 3)),
        ShuffleDone(proof(2, 2)),
        report(1, C.RELEASED),
        report(2, C.RELEASED),
        report(2, C.EMPTY),
        RecordAct(ActKind.LOADED, "red"),
        RecordAct(ActKind.LOADED, "blue"),
        FirstCardOut(""),
        FirstCardOut("red"),
        ShoeOver(played=True),
        ShoeOver(played=False),
    )
    states = walk_all(batches.lineage, alphabet, 6)

    assert {state.last_played for state in states} == {"red", "blue", ""}


def test_all_short_walks_of_faults_with_a_stored_batch(batches: Any, proof: Any) -> None:
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
        report(2, C.RELEASED),
        report(1, C.COUNTED, 416),
        ClearWarning(1),
        FirstCardOut(""),
    )
    states = walk_all(batches.lineage, alphabet, 4)

    assert any(len(state.warnings) == 4 for state in states)


SITUATIONS = ("loaded", "counted", "shuffling", "shuffled", "stored", "released", "deal", "played")


@pytest.mark.parametrize("situation", SITUATIONS)
def test_every_status_in_every_situation_keeps_the_invariants(batches: Any, situation: str) -> None:
    if situation == "deal":
        batches.released()
    getattr(batches, situation)()
    reports = product(C, (None, 415, 416), ("", "red", "blue", "green"), (0, 1, 2))
    for state, cards, back, cycle in reports:
        compartments = ((1, state, cards, back, cycle),)
        fact = ShufflerStatus(ShufflerMode.PLAY, False, compartments, 0, ())
        update = apply(batches.lineage, fact)
        check(batches.lineage, fact, update)
        ask_permissions(update.lineage)


backs = st.sampled_from(["red", "red", "blue", "blue", "green", ""])
numbers = st.sampled_from([0, 1, 1, 2, 2, 3])
cycles = st.integers(-1, 12)
counts = st.sampled_from([None, 416, 416, 416, 415, 417, 0])
faces = st.sampled_from([b"", b"", bytes([8] * 52), bytes([7, 9, *[8] * 50]), b"\x01"])
texts = st.sampled_from(["", "door ajar", "a\nb"])
device_words = texts.map(lambda said: message("in_its_own_words", foreign=said))
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
    st.builds(ShuffleStarted, numbers, cycles),
    receipts,
    receipts,
    st.builds(ShuffleShown, numbers, cycles, st.just(90_000)),
    st.builds(ShuffleAborted, numbers, cycles, st.sampled_from(AbortReason)),
    st.builds(DoorMoved, flags, numbers),
    st.builds(JamReported, numbers, flags),
    st.builds(ResidualCards, numbers, st.sampled_from([0, 0, 16])),
    st.builds(ModeChanged, st.sampled_from(ShufflerMode)),
    st.builds(ShufflerWarning, st.integers(0, 40), texts, flags),
    st.builds(SelfTested, flags, texts),
    st.builds(ShufflerStarted, cycles, st.lists(numbers, max_size=2).map(tuple)),
    statuses,
    st.builds(DeviceTampered, device_words),
    proven,
    st.builds(IdentityRefused, texts, device_words, flags),
    st.builds(DeviceSilent, st.just(5000), flags),
    st.just(ContactRestored()),
    st.builds(RecordAct, st.just(ActKind.INTO_SHUFFLER), backs),
    st.builds(RecordAct, st.just(ActKind.INTO_SHUFFLER), backs, amount=st.sampled_from([416, 415])),
    st.builds(RecordAct, st.just(ActKind.RELEASED), backs),
    st.builds(RecordAct, st.just(ActKind.SHUFFLED), backs),
    st.just(RecordAct(ActKind.CUT)),
    st.builds(RecordAct, st.just(ActKind.LOADED), backs),
    st.builds(FirstCardOut, backs),
    st.builds(ShoeOver, flags),
    st.builds(Touched, backs),
    st.builds(RecordAct, st.just(ActKind.RECEIVED), backs),
    st.builds(EventsLost, st.integers(0, 3)),
    st.just(ShufflerPortLost()),
    st.builds(ClearWarning, st.integers(0, 12)),
)


# Situations in which a random walk begins.
BEGINNINGS = ("nothing", "counted", "shuffling", "shuffled", "stored", "released", "played")


@settings(max_examples=250)
@given(st.sampled_from(BEGINNINGS), st.lists(facts, max_size=40), st.booleans())
def test_long_random_walks_keep_the_invariants(
    tables: Any, proof: Any, beginning: str, walk: list[Any], by_contacts: bool
) -> None:
    batches = tables()
    if beginning != "nothing":
        getattr(batches, beginning)()
    lineage = batches.lineage
    for step in walk:
        fact = ShuffleDone(proof(**step)) if isinstance(step, dict) else step
        update = apply(lineage, fact, by_contacts=by_contacts)
        check(lineage, fact, update)
        lineage = update.lineage
    ask_permissions(lineage)
    assert STORED.decode(STORED.encode(lineage)) == lineage


@settings(max_examples=60)
@given(st.lists(facts, max_size=30))
def test_without_batches_only_the_device_is_tracked(proof: Any, walk: list[Any]) -> None:
    lineage = NO_LINEAGE
    for step in walk:
        fact = ShuffleDone(proof(**step)) if isinstance(step, dict) else step
        update = apply(lineage, fact)
        assert (update.moves, update.proofs, update.remarks) == ((), (), ())
        check_warnings(lineage, fact, update)
        lineage = update.lineage
    ask_permissions(lineage)


def test_permissions_of_two_unknown_batches() -> None:
    ask_permissions(new_lineage(("red", "blue")))
