"""What went wrong at real tables with a shuffler, through the whole program: the first wrong step.

Responsible for: Taj Mahal 2011 and Showboat 2012-13 (batches never shuffled), SugarHouse 2017-18
(warnings nobody heeded, cards left inside, sorting at a live table), the two-pack scam, and Deck
Mate 2 (a device that is another, changed, set back or open); at a shoe that reads tags and at one
that does not.
Not responsible for: the life of a batch by itself (tests/controller/custody/lineage) and cards one
by one (test_incidents).
Source: NY (a)(4)(iv); S42 (a)(4), (e)(1), (e)(8)(ii); D-19, D-20, D-32; field practice.
"""

from collections.abc import Callable

import pytest

from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import Bar, WarningKind
from controller.procedure.act_kinds import ActKind
from controller.procedure.effects import Refused
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Phase
from controller.tape.actions import ClearWarning, RecordAct, Role
from hil.dealing.cards import PhysicalCard
from hil.dealing.tags import BACKS
from hil.emulator.tablelink.compartment import Mode
from hil.emulator.tablelink.mechanism import ShufflerSettings
from hil.rig.batch_exchange import compartment_of
from hil.simulation.batches import SLOW, WHOLE, BatchTable, S, trust_in

pytestmark = pytest.mark.parametrize("tags", [False, True], ids=["no tags", "tags"])

Code = IrregularityCode


def begun(*, tags: bool, locks: bool = False) -> BatchTable:
    """Both batches are shuffled and stored."""
    table = BatchTable(tags=tags, locks=locks and not tags)
    for back in BACKS:
        table.put_away(back)
    return table


def in_play(*, tags: bool, locks: bool = False) -> BatchTable:
    """Red is in play, blue is stored."""
    table = begun(tags=tags, locks=locks)
    table.bring_out("red")
    table.fill_shoe("red")
    table.burn()
    table.coup()
    assert table.irregular() == []
    return table


def out_by_hand(table: BatchTable, back: str) -> None:
    """Somebody opens the door and takes the batch."""
    table.reach_for(back)
    table.later(S)
    table.clear_all()


def load_refused(table: BatchTable, back: str) -> Refused:
    """The loading is recorded, and refused with a clause."""
    told = table.act(RecordAct(ActKind.LOADED, back, amount=416))
    (refused,) = [one for one in told if isinstance(one, Refused)]
    assert refused.clauses
    return refused


def first_card(table: BatchTable, back: str) -> list[IrregularityCode]:
    """It is dealt from all the same: what is raised at the very first card."""
    table.fill_shoe(back)
    since = len(table.entries)
    table.draw()
    return [one.code for one in table.irregular(since)]


def next_card(table: BatchTable) -> list[IrregularityCode]:
    since = len(table.entries)
    table.coup_card()
    return [one.code for one in table.irregular(since)]


def warnings(table: BatchTable) -> list[WarningKind]:
    return [one.kind for one in table.lineage.warnings]


# --- Taj Mahal 2011, Showboat 2012-13: batches that were never shuffled ---------------------------


def never_in_the_shuffler(table: BatchTable) -> None:
    """It came packed, and was taken for shuffled."""


def only_counted(table: BatchTable) -> None:
    table.lay_in("red")
    table.press("load", "red")
    table.press("count", "red")
    out_by_hand(table, "red")


def shuffle_broken_off(table: BatchTable) -> None:
    table.lay_in("red")
    table.press("load", "red")
    table.press("count", "red")
    table.press("shuffle", "red", 0)
    table.later(10 * S)
    table.shuffler.press("abort", 1)
    table.later(S)
    out_by_hand(table, "red")


def power_failed_in_the_shuffle(table: BatchTable) -> None:
    table.lay_in("red")
    table.press("load", "red")
    table.press("count", "red")
    table.press("shuffle", "red", 0)
    table.later(10 * S)
    table.shuffler.power_off()
    table.later(S)
    table.shuffler.power_on()
    table.later(5 * S)
    out_by_hand(table, "red")


WITHOUT_A_SHUFFLE = pytest.mark.parametrize(
    "unshuffled",
    [never_in_the_shuffler, only_counted, shuffle_broken_off, power_failed_in_the_shuffle],
    ids=lambda each: each.__name__,
)


@pytest.mark.clause("S42-e-1")
@WITHOUT_A_SHUFFLE
def test_taj_mahal_an_unshuffled_batch_is_not_loaded(
    tags: bool, unshuffled: Callable[[BatchTable], None]
) -> None:
    table = BatchTable(tags=tags)
    table.put_away("blue")
    unshuffled(table)
    refused = load_refused(table, "red")
    assert "S42-e-1" in refused.clauses
    assert "shuffle it" in refused.why


@pytest.mark.clause("S42-e-1")
@WITHOUT_A_SHUFFLE
def test_taj_mahal_an_unshuffled_batch_is_found_at_its_first_card(
    tags: bool, unshuffled: Callable[[BatchTable], None]
) -> None:
    table = BatchTable(tags=tags)
    table.put_away("blue")
    unshuffled(table)
    assert Code.BATCH_UNSHUFFLED in first_card(table, "red")
    assert table.state.table.phase is Phase.SUSPENDED
    assert table.firsts[-1].wrong == "not shuffled"


def test_showboat_nine_times_is_nine_times_found(tags: bool) -> None:
    table = BatchTable(tags=tags)
    table.put_away("blue")
    for _ in range(9):
        assert Code.BATCH_UNSHUFFLED in first_card(table, "red")
        table.clear_all()
        table.close()
        table.gather()
        table.clear_all()
        table.hands["red"].reverse()


# --- SugarHouse 2017-18 ---------------------------------------------------------------------------


@pytest.mark.clause("S42-a-4-iv")
def test_sugarhouse_no_card_while_a_warning_is_on(tags: bool) -> None:
    table = in_play(tags=tags)
    table.shuffler.lamp(21, "card feed", on=True)
    table.later(S)
    assert next_card(table) == [Code.CARD_UNDER_WARNING]
    assert table.state.table.phase is Phase.SUSPENDED
    assert "S42-a-4-iv" in table.irregular()[-1].clauses


def test_sugarhouse_who_lets_play_go_on_has_not_cleared_the_warning(tags: bool) -> None:
    table = in_play(tags=tags)
    table.shuffler.lamp(21, "card feed", on=True)
    table.later(S)
    for _ in range(3):
        assert next_card(table) == [Code.CARD_UNDER_WARNING]
        table.resolve_anyhow()


def test_sugarhouse_a_light_that_is_on_is_not_waved_away(tags: bool) -> None:
    table = in_play(tags=tags)
    table.shuffler.lamp(21, "card feed", on=True)
    table.later(S)
    (refused,) = [
        one
        for one in table.act(ClearWarning(1), Role.FLOORPERSON, "it is always on")
        if isinstance(one, Refused)
    ]
    assert "do what the shuffler asks for until its light is off" in refused.why
    table.shuffler.lamp(21, "card feed", on=False)
    table.later(S)
    assert next_card(table) == [Code.CARD_UNDER_WARNING]
    table.clear_all()
    assert next_card(table) == []


def test_sugarhouse_a_shoe_that_can_be_locked_gives_no_card(tags: bool) -> None:
    if tags:
        return  # this shoe has no lock
    table = in_play(tags=False, locks=True)
    assert not table.shoe.locked
    table.shuffler.lamp(21, "card feed", on=True)
    table.later(S)
    assert table.shoe.locked


def test_sugarhouse_a_shoe_is_not_opened_by_switching_it_off_and_on(tags: bool) -> None:
    if tags:
        return  # this shoe has no lock
    table = in_play(tags=False, locks=True)
    table.shuffler.lamp(21, "card feed", on=True)
    table.later(S)
    table.shoe.power_on()
    table.later(S)
    assert table.shoe.locked
    table.shuffler.lamp(21, "card feed", on=False)
    table.later(S)
    table.clear_all()
    table.later(S)
    assert not table.shoe.locked


@pytest.mark.clause("S42-a-4-ii")
def test_sugarhouse_sixteen_cards_left_inside_keep_the_batch_from_the_shoe(tags: bool) -> None:
    table = begun(tags=tags)
    table.press("release", "red")
    table.shuffler.leave_residual(16, 1)
    table.later(S)
    table.take_out("red")
    assert len(table.hands["red"]) == 400
    assert WarningKind.RESIDUAL in warnings(table)
    refused = load_refused(table, "red")
    assert "16 cards are left in the shuffler" in refused.why
    assert "S42-a-4-ii" in refused.clauses
    raised = first_card(table, "red")
    assert Code.BATCH_BLOCKED in raised
    assert Code.CARD_UNDER_WARNING in raised


def test_sugarhouse_cards_put_back_are_counted_and_shuffled_before_they_are_dealt(
    tags: bool,
) -> None:
    table = begun(tags=tags)
    table.press("release", "red")
    table.shuffler.leave_residual(16, 1)
    table.later(S)
    table.take_out("red")
    table.hands["red"].extend(table.shuffler.take_residual())
    table.later(S)
    table.clear_all()
    assert table.life("red").bars == (Bar.SHORT,)
    assert "is short of cards" in load_refused(table, "red").why
    assert table.ready_anyhow("red")
    table.deal_shoe("red")
    assert table.irregular() == []


@pytest.mark.parametrize("mode", [Mode.SORT, Mode.SERVICE])
def test_sugarhouse_another_mode_than_play_stops_play(tags: bool, mode: Mode) -> None:
    table = in_play(tags=tags)
    table.shuffler.set_mode(mode)
    table.later(S)
    assert WarningKind.MODE in warnings(table)
    assert next_card(table) == [Code.CARD_UNDER_WARNING]


@pytest.mark.clause("S42-e-1")
def test_sugarhouse_a_batch_that_was_sorted_is_not_dealt(tags: bool) -> None:
    table = begun(tags=tags)
    table.press("release", "red")
    table.take_out("red")
    table.shuffler.set_mode(Mode.SORT)
    table.later(S)
    table.lay_in("red")
    for button in ("load", "count", "shuffle"):
        table.press(button, "red")
    table.shuffler.set_mode(Mode.PLAY)
    out_by_hand(table, "red")
    order = [piece.card for piece in table.hands["red"] if piece.card is not None]
    assert order == sorted(order, key=lambda one: (one.deck, list(type(one.suit)).index(one.suit)))
    assert "S42-e-1" in load_refused(table, "red").clauses
    assert Code.BATCH_UNSHUFFLED in first_card(table, "red")


# --- two packs: the batch just dealt goes back into the shoe --------------------------------------


@pytest.mark.clause("S42-a-4-v-alt")
@pytest.mark.clause("S42-a-4-v-every")
def test_two_packs_the_batch_just_dealt_is_refused(tags: bool) -> None:
    table = in_play(tags=tags)
    table.close()
    table.gather()
    refused = load_refused(table, "red")
    assert "the last shoe was dealt from red: load blue" in refused.why
    assert {"S42-a-4-v-alt", "S42-a-4-v-every"} <= set(refused.clauses)


def test_two_packs_the_batch_just_dealt_is_found_at_its_first_card(tags: bool) -> None:
    table = in_play(tags=tags)
    table.close()
    table.gather()
    raised = first_card(table, "red")
    assert Code.BATCH_REPEATED in raised
    assert Code.BATCH_UNSHUFFLED in raised


def test_two_packs_swapped_beside_the_batch_that_was_released(tags: bool) -> None:
    """Blue is released and laid aside; red, just dealt, goes into the shoe in its place."""
    table = in_play(tags=tags)
    table.close()
    table.gather()
    table.bring_out("blue")
    raised = first_card(table, "red")
    if tags:
        assert {Code.WRONG_BATCH, Code.BATCH_REPEATED} <= set(raised)
    else:
        assert Code.BATCH_NOT_READY in raised
    assert Code.IDLE_BATCH_OUT in raised


def test_two_packs_the_fresh_batch_goes_into_the_shuffler_in_its_place(tags: bool) -> None:
    """Blue, fresh, goes into red's compartment; red, just dealt, into the shoe."""
    table = in_play(tags=tags)
    table.close()
    table.gather()
    table.bring_out("blue")
    blue: list[PhysicalCard] = list(table.hands["blue"])
    table.hands["blue"].clear()
    table.shuffler.put_in(blue)
    table.press("load", "red")
    table.press("count", "red")
    raised = first_card(table, "red")
    assert set(raised) & {Code.BATCH_REPEATED, Code.CARD_UNDER_WARNING, Code.BATCH_UNSHUFFLED}


def test_two_packs_another_day_it_is_the_same_batch_all_the_same(tags: bool) -> None:
    table = in_play(tags=tags)
    table.close()
    table.gather()
    table.cut_now()
    table.clock_ns += 20 * 3600 * S
    table.turn_on(same_boot=False)
    table.later(5 * S)
    assert "the last shoe was dealt from red" in load_refused(table, "red").why


# --- Deck Mate 2: the device itself ---------------------------------------------------------------


def another_device(table: BatchTable) -> None:
    table.shuffler.replace(bytes.fromhex("5EED0000C0FFEE99"), b"of another")


def the_same_name_with_another_key(table: BatchTable) -> None:
    table.shuffler.replace(bytes.fromhex("5EED0000C0FFEE01"), b"of another")


def changed_firmware(table: BatchTable) -> None:
    table.shuffler.new_firmware(bytes(32), "1.0.1", 1)


def memory_set_back(table: BatchTable) -> None:
    older = table.shuffler.memory.copy()
    table.press("release", "red")
    table.take_out("red")
    table.lay_in("red")
    for button in ("load", "count", "shuffle", "store"):
        table.press(button, "red")
    table.shuffler.roll_back(older)


STRANGE = pytest.mark.parametrize(
    "strange",
    [another_device, the_same_name_with_another_key, changed_firmware, memory_set_back],
    ids=lambda each: each.__name__,
)


@STRANGE
def test_deck_mate_a_strange_device_stops_play(
    tags: bool, strange: Callable[[BatchTable], None]
) -> None:
    table = in_play(tags=tags)
    if strange is memory_set_back:
        table.close()
        table.gather()
        table.put_away("red")
        older = table.shuffler.memory.copy()
        table.bring_out("blue")
        table.fill_shoe("blue")
        table.burn()
        table.shuffler.roll_back(older)
    else:
        strange(table)
    table.later(10 * S)
    assert WarningKind.IDENTITY in warnings(table)
    assert not table.lineage.trusted
    assert next_card(table) == [Code.CARD_UNDER_WARNING]


@STRANGE
def test_deck_mate_what_a_strange_device_tells_moves_nothing(
    tags: bool, strange: Callable[[BatchTable], None]
) -> None:
    table = begun(tags=tags)
    strange(table)
    table.later(10 * S)
    before = table.lineage.lives
    for button in ("release", "load", "count", "shuffle", "store"):
        table.shuffler.press(button, 1)
        table.later(25 * S)
    assert table.lineage.lives == before
    assert not table.lineage.trusted


@STRANGE
def test_deck_mate_no_batch_of_a_strange_device_is_dealt(
    tags: bool, strange: Callable[[BatchTable], None]
) -> None:
    table = begun(tags=tags)
    strange(table)
    table.later(10 * S)
    number = compartment_of("blue")
    table.hands["blue"] = list(table.shuffler.bays[number].pieces or WHOLE["blue"])
    table.shuffler.bays[number].pieces.clear()
    refused = load_refused(table, "blue")
    assert "the shuffler has not proven who it is" in refused.why
    assert "connect the paired shuffler, or shuffle by hand on record" in refused.why
    assert Code.BATCH_NOT_READY in first_card(table, "blue")


def test_deck_mate_an_open_debug_port_is_let_in_never(tags: bool) -> None:
    closed = BatchTable(tags=tags)
    settings = ShufflerSettings(
        debug=True, shuffle_ns=SLOW.shuffle_ns, device=SLOW.device, seed=SLOW.seed
    )
    table = BatchTable(tags=tags, shuffler=settings, trust=trust_in(closed.shuffler))
    table.put_away("red")
    assert {life.stage for life in table.lineage.lives} == {BatchStage.UNKNOWN}
    assert warnings(table) == [WarningKind.IDENTITY]
    (warning,) = table.lineage.warnings
    assert "debug" in warning.text
    refused = load_refused(table, "red")
    assert "the shuffler has not proven who it is" in refused.why


def test_deck_mate_a_device_that_was_opened_is_heard_and_doubted(tags: bool) -> None:
    table = in_play(tags=tags)
    table.shuffler.tamper("USB port opened")
    table.later(S)
    assert warnings(table) == [WarningKind.TAMPER]
    assert table.life("blue").bars == (Bar.TOUCHED,)
    assert next_card(table) == [Code.CARD_UNDER_WARNING]


# --- a shuffler that never comes back -------------------------------------------------------------


def dead(*, tags: bool) -> BatchTable:
    """Red was dealt when the shuffler dies with blue in it; its cable stays in."""
    table = in_play(tags=tags)
    table.close()
    table.gather()
    table.shuffler.power_off()
    table.later(10 * S)
    assert warnings(table) == [WarningKind.SILENT]
    table.clear_all()
    assert warnings(table) == []
    table.reach_for("blue")
    return table


def by_hand(table: BatchTable) -> list[str]:
    shuffled = RecordAct(ActKind.SHUFFLED, "blue")
    told = table.act(shuffled, Role.FLOORPERSON, "the shuffler is dead")
    return [one.why for one in told if isinstance(one, Refused)]


def test_a_dead_shuffler_does_not_keep_a_batch_that_hands_have_shuffled(tags: bool) -> None:
    table = dead(tags=tags)
    table.act(RecordAct(ActKind.SHUFFLER_OPENED), Role.FLOORPERSON)
    assert by_hand(table) == []
    for act in (
        RecordAct(ActKind.DISCARD_CLEARED),
        RecordAct(ActKind.CUT_BY_DEALER, amount=60),
        RecordAct(ActKind.LOADED, "blue", amount=416),
    ):
        assert not [one for one in table.act(act) if isinstance(one, Refused)]
    # That red is not in the shuffler stays true, and is said; without tags somebody has to look.
    looked_at = [] if tags else [Code.BATCH_NOT_READY]
    assert first_card(table, "blue") == [Code.IDLE_BATCH_OUT, *looked_at]


def test_a_dead_shuffler_has_to_be_opened_before_its_batch_is_shuffled_by_hand(tags: bool) -> None:
    table = dead(tags=tags)
    (why,) = by_hand(table)
    assert why.startswith("blue is stored and cannot have been shuffled by hand now")
    assert why.endswith("record first that the shuffler was opened to take it out")


def test_a_shuffler_that_comes_back_proves_who_it_is_anew(tags: bool) -> None:
    table = in_play(tags=tags)
    table.shuffler.power_off()
    table.later(10 * S)
    assert not table.lineage.trusted
    table.shuffler.power_on()
    table.later(10 * S)
    assert table.lineage.trusted
