"""Incidents at real tables with a shuffler, through the whole program: the first wrong step.

Taj Mahal 2011 and Showboat 2012-13 (batches never shuffled), SugarHouse 2017-18 (warnings ignored,
cards left inside, sorting at a live table), the two-pack scam, and Deck Mate 2 (a device exchanged,
changed, set back or opened); at a shoe that reads tags and at one that does not.

Source: NY (a)(4)(iv); S42 (a)(4), (e)(1), (e)(8)(ii); D-19, D-20, D-32; field practice.
"""

from collections.abc import Callable

import pytest

from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import BlockReason, WarningKind
from controller.procedure.effects import Refusal
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Phase
from controller.rules.actions.actions import ClearWarning, RecordAct
from controller.rules.actions.choices import ActKind
from controller.rules.actions.declaration import Role
from controller.system.messages.catalogue import to_words
from hil.dealing.cards import PhysicalCard
from hil.dealing.tags import BACKS
from hil.emulator.tablelink.compartment import DeviceMode
from hil.emulator.tablelink.mechanism import ShufflerSettings
from hil.rig.batch_exchange import compartment_of
from hil.simulation.batches import SLOW, WHOLE_BATCHES, BatchTable, S, trust_of

pytestmark = pytest.mark.parametrize("tags", [False, True], ids=["no tags", "tags"])

Code = IrregularityCode


def both_stored(*, tags: bool, locks: bool = False) -> BatchTable:
    """A table with both batches shuffled and stored."""
    table = BatchTable(tags=tags, locks=locks and not tags)
    for back in BACKS:
        table.shuffle_and_store(back)
    return table


def red_in_play(*, tags: bool, locks: bool = False) -> BatchTable:
    """A table with red in play and blue stored."""
    table = both_stored(tags=tags, locks=locks)
    table.release_and_take("red")
    table.fill_shoe("red")
    table.burn()
    table.deal_coup()
    assert table.irregularities() == []
    return table


def take_out_by_hand(table: BatchTable, back: str) -> None:
    """Open the door and take the batch out."""
    table.empty_by_door(back)
    table.advance(S)
    table.clear_all()


def refused_loading(table: BatchTable, back: str) -> Refusal:
    """Record the loading, which is refused with a clause; the refusal."""
    entries = table.act(RecordAct(ActKind.LOADED, back, amount=416))
    (refused,) = [one for one in entries if isinstance(one, Refusal)]
    assert refused.clauses
    return refused


def first_card(table: BatchTable, back: str) -> list[IrregularityCode]:
    """Deal from it nevertheless: the irregularities raised at its first card."""
    table.fill_shoe(back)
    since = len(table.entries)
    table.draw()
    return [one.code for one in table.irregularities(since)]


def next_card(table: BatchTable) -> list[IrregularityCode]:
    since = len(table.entries)
    table.draw_coup_card()
    return [one.code for one in table.irregularities(since)]


def warnings(table: BatchTable) -> list[WarningKind]:
    return [one.kind for one in table.lineage.warnings]


# --- Taj Mahal 2011, Showboat 2012-13: batches that were never shuffled ---------------------------


def never_shuffled(table: BatchTable) -> None:
    """A packed batch that was taken for shuffled."""


def only_counted(table: BatchTable) -> None:
    table.fill_tray("red")
    table.press("load", "red")
    table.press("count", "red")
    take_out_by_hand(table, "red")


def aborted_shuffle(table: BatchTable) -> None:
    table.fill_tray("red")
    table.press("load", "red")
    table.press("count", "red")
    table.press("shuffle", "red", 0)
    table.advance(10 * S)
    table.shuffler.press("abort", 1)
    table.advance(S)
    take_out_by_hand(table, "red")


def power_failure_in_shuffle(table: BatchTable) -> None:
    table.fill_tray("red")
    table.press("load", "red")
    table.press("count", "red")
    table.press("shuffle", "red", 0)
    table.advance(10 * S)
    table.shuffler.power_off()
    table.advance(S)
    table.shuffler.power_on()
    table.advance(5 * S)
    take_out_by_hand(table, "red")


WITHOUT_A_SHUFFLE = pytest.mark.parametrize(
    "unshuffled",
    [never_shuffled, only_counted, aborted_shuffle, power_failure_in_shuffle],
    ids=lambda each: each.__name__,
)


@pytest.mark.clause("S42-e-1")
@WITHOUT_A_SHUFFLE
def test_taj_mahal_an_unshuffled_batch_is_not_loaded(
    tags: bool, unshuffled: Callable[[BatchTable], None]
) -> None:
    table = BatchTable(tags=tags)
    table.shuffle_and_store("blue")
    unshuffled(table)
    refused = refused_loading(table, "red")
    assert "S42-e-1" in refused.clauses
    assert "shuffle it" in to_words(refused.why)


@pytest.mark.clause("S42-e-1")
@WITHOUT_A_SHUFFLE
def test_taj_mahal_an_unshuffled_batch_is_found_at_its_first_card(
    tags: bool, unshuffled: Callable[[BatchTable], None]
) -> None:
    table = BatchTable(tags=tags)
    table.shuffle_and_store("blue")
    unshuffled(table)
    assert Code.BATCH_UNSHUFFLED in first_card(table, "red")
    assert table.state.table.phase is Phase.SUSPENDED
    assert table.first_cards[-1].defect == "not shuffled"


def test_showboat_nine_unshuffled_batches_are_all_found(tags: bool) -> None:
    table = BatchTable(tags=tags)
    table.shuffle_and_store("blue")
    for _ in range(9):
        assert Code.BATCH_UNSHUFFLED in first_card(table, "red")
        table.clear_all()
        table.close_shoe()
        table.collect_cards()
        table.clear_all()
        table.held_cards["red"].reverse()


# --- SugarHouse 2017-18 ---------------------------------------------------------------------------


@pytest.mark.clause("S42-a-4-iv")
def test_sugarhouse_no_card_while_a_warning_is_on(tags: bool) -> None:
    table = red_in_play(tags=tags)
    table.shuffler.lamp(21, "card feed", on=True)
    table.advance(S)
    assert next_card(table) == [Code.CARD_UNDER_WARNING]
    assert table.state.table.phase is Phase.SUSPENDED
    assert "S42-a-4-iv" in table.irregularities()[-1].clauses


def test_sugarhouse_continuing_play_does_not_clear_the_warning(tags: bool) -> None:
    table = red_in_play(tags=tags)
    table.shuffler.lamp(21, "card feed", on=True)
    table.advance(S)
    for _ in range(3):
        assert next_card(table) == [Code.CARD_UNDER_WARNING]
        table.resolve_if_permitted()


def test_sugarhouse_a_warning_whose_cause_lasts_cannot_be_cleared(tags: bool) -> None:
    table = red_in_play(tags=tags)
    table.shuffler.lamp(21, "card feed", on=True)
    table.advance(S)
    (refused,) = [
        one
        for one in table.act(ClearWarning(1), Role.FLOORPERSON, "it is always on")
        if isinstance(one, Refusal)
    ]
    assert "do what the shuffler asks for until its light is off" in to_words(refused.why)
    table.shuffler.lamp(21, "card feed", on=False)
    table.advance(S)
    assert next_card(table) == [Code.CARD_UNDER_WARNING]
    table.clear_all()
    assert next_card(table) == []


def test_sugarhouse_a_shoe_that_can_be_locked_gives_no_card(tags: bool) -> None:
    if tags:
        return  # this shoe has no lock
    table = red_in_play(tags=False, locks=True)
    assert not table.shoe.locked
    table.shuffler.lamp(21, "card feed", on=True)
    table.advance(S)
    assert table.shoe.locked


def test_sugarhouse_power_cycling_does_not_unlock_the_shoe(tags: bool) -> None:
    if tags:
        return  # this shoe has no lock
    table = red_in_play(tags=False, locks=True)
    table.shuffler.lamp(21, "card feed", on=True)
    table.advance(S)
    table.shoe.power_on()
    table.advance(S)
    assert table.shoe.locked
    table.shuffler.lamp(21, "card feed", on=False)
    table.advance(S)
    table.clear_all()
    table.advance(S)
    assert not table.shoe.locked


@pytest.mark.clause("S42-a-4-ii")
def test_sugarhouse_sixteen_residual_cards_block_the_batch(tags: bool) -> None:
    table = both_stored(tags=tags)
    table.press("release", "red")
    table.shuffler.leave_residual(16, 1)
    table.advance(S)
    table.take_out("red")
    assert len(table.held_cards["red"]) == 400
    assert WarningKind.RESIDUAL in warnings(table)
    refused = refused_loading(table, "red")
    assert "16 cards are left in the shuffler" in to_words(refused.why)
    assert "S42-a-4-ii" in refused.clauses
    raised = first_card(table, "red")
    assert Code.BATCH_BLOCKED in raised
    assert Code.CARD_UNDER_WARNING in raised


def test_sugarhouse_cards_put_back_are_counted_and_shuffled_before_they_are_dealt(
    tags: bool,
) -> None:
    table = both_stored(tags=tags)
    table.press("release", "red")
    table.shuffler.leave_residual(16, 1)
    table.advance(S)
    table.take_out("red")
    table.held_cards["red"].extend(table.shuffler.take_residual())
    table.advance(S)
    table.clear_all()
    assert table.life("red").block_reasons == (BlockReason.SHORT,)
    assert "is short of cards" in to_words(refused_loading(table, "red").why)
    assert table.bring_to_ready("red")
    table.deal_shoe("red")
    assert table.irregularities() == []


@pytest.mark.parametrize("mode", [DeviceMode.SORT, DeviceMode.SERVICE])
def test_sugarhouse_another_mode_than_play_stops_play(tags: bool, mode: DeviceMode) -> None:
    table = red_in_play(tags=tags)
    table.shuffler.set_mode(mode)
    table.advance(S)
    assert WarningKind.MODE in warnings(table)
    assert next_card(table) == [Code.CARD_UNDER_WARNING]


@pytest.mark.clause("S42-e-1")
def test_sugarhouse_a_batch_that_was_sorted_is_not_dealt(tags: bool) -> None:
    table = both_stored(tags=tags)
    table.press("release", "red")
    table.take_out("red")
    table.shuffler.set_mode(DeviceMode.SORT)
    table.advance(S)
    table.fill_tray("red")
    for button in ("load", "count", "shuffle"):
        table.press(button, "red")
    table.shuffler.set_mode(DeviceMode.PLAY)
    take_out_by_hand(table, "red")
    order = [piece.card for piece in table.held_cards["red"] if piece.card is not None]
    assert order == sorted(order, key=lambda one: (one.deck, list(type(one.suit)).index(one.suit)))
    assert "S42-e-1" in refused_loading(table, "red").clauses
    assert Code.BATCH_UNSHUFFLED in first_card(table, "red")


# --- two packs: the batch just dealt goes back into the shoe --------------------------------------


@pytest.mark.clause("S42-a-4-v-alt")
@pytest.mark.clause("S42-a-4-v-every")
def test_two_packs_the_batch_just_dealt_is_refused(tags: bool) -> None:
    table = red_in_play(tags=tags)
    table.close_shoe()
    table.collect_cards()
    refused = refused_loading(table, "red")
    assert "the last shoe was dealt from red: load blue" in to_words(refused.why)
    assert {"S42-a-4-v-alt", "S42-a-4-v-every"} <= set(refused.clauses)


def test_two_packs_the_batch_just_dealt_is_found_at_its_first_card(tags: bool) -> None:
    table = red_in_play(tags=tags)
    table.close_shoe()
    table.collect_cards()
    raised = first_card(table, "red")
    assert Code.BATCH_REPEATED in raised
    assert Code.BATCH_UNSHUFFLED in raised


def test_two_packs_swapped_after_the_release(tags: bool) -> None:
    """Blue is released and set aside; red, just dealt, is put into the shoe in its place."""
    table = red_in_play(tags=tags)
    table.close_shoe()
    table.collect_cards()
    table.release_and_take("blue")
    raised = first_card(table, "red")
    if tags:
        assert {Code.WRONG_BATCH, Code.BATCH_REPEATED} <= set(raised)
    else:
        assert Code.BATCH_NOT_READY in raised
    assert Code.IDLE_BATCH_OUT in raised


def test_two_packs_the_fresh_batch_put_back_into_the_shuffler_instead(tags: bool) -> None:
    """Blue, fresh, goes into red's compartment; red, just dealt, into the shoe."""
    table = red_in_play(tags=tags)
    table.close_shoe()
    table.collect_cards()
    table.release_and_take("blue")
    blue: list[PhysicalCard] = list(table.held_cards["blue"])
    table.held_cards["blue"].clear()
    table.shuffler.put_in(blue)
    table.press("load", "red")
    table.press("count", "red")
    raised = first_card(table, "red")
    assert set(raised) & {Code.BATCH_REPEATED, Code.CARD_UNDER_WARNING, Code.BATCH_UNSHUFFLED}


def test_two_packs_the_same_batch_is_refused_on_another_day(tags: bool) -> None:
    table = red_in_play(tags=tags)
    table.close_shoe()
    table.collect_cards()
    table.cut_now()
    table.clock_ns += 20 * 3600 * S
    table.turn_on(same_boot=False)
    table.advance(5 * S)
    assert "the last shoe was dealt from red" in to_words(refused_loading(table, "red").why)


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
    table.fill_tray("red")
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
    table = red_in_play(tags=tags)
    if strange is memory_set_back:
        table.close_shoe()
        table.collect_cards()
        table.shuffle_and_store("red")
        older = table.shuffler.memory.copy()
        table.release_and_take("blue")
        table.fill_shoe("blue")
        table.burn()
        table.shuffler.roll_back(older)
    else:
        strange(table)
    table.advance(10 * S)
    assert WarningKind.IDENTITY in warnings(table)
    assert not table.lineage.trusted
    assert next_card(table) == [Code.CARD_UNDER_WARNING]


@STRANGE
def test_deck_mate_reports_of_a_strange_device_change_nothing(
    tags: bool, strange: Callable[[BatchTable], None]
) -> None:
    table = both_stored(tags=tags)
    strange(table)
    table.advance(10 * S)
    before = table.lineage.lives
    for button in ("release", "load", "count", "shuffle", "store"):
        table.shuffler.press(button, 1)
        table.advance(25 * S)
    assert table.lineage.lives == before
    assert not table.lineage.trusted


@STRANGE
def test_deck_mate_no_batch_of_a_strange_device_is_dealt(
    tags: bool, strange: Callable[[BatchTable], None]
) -> None:
    table = both_stored(tags=tags)
    strange(table)
    table.advance(10 * S)
    number = compartment_of("blue")
    table.held_cards["blue"] = list(table.shuffler.bays[number].pieces or WHOLE_BATCHES["blue"])
    table.shuffler.bays[number].pieces.clear()
    refused = refused_loading(table, "blue")
    assert "the shuffler has not proven its identity" in to_words(refused.why)
    assert "connect the paired shuffler, or shuffle by hand on record" in to_words(refused.why)
    assert Code.BATCH_NOT_READY in first_card(table, "blue")


def test_deck_mate_an_open_debug_port_is_never_admitted(tags: bool) -> None:
    closed = BatchTable(tags=tags)
    settings = ShufflerSettings(
        debug=True, shuffle_ns=SLOW.shuffle_ns, device=SLOW.device, seed=SLOW.seed
    )
    table = BatchTable(tags=tags, shuffler=settings, trust=trust_of(closed.shuffler))
    table.shuffle_and_store("red")
    assert {life.stage for life in table.lineage.lives} == {BatchStage.UNKNOWN}
    assert warnings(table) == [WarningKind.IDENTITY]
    (warning,) = table.lineage.warnings
    assert "debug" in to_words(warning.text)
    refused = refused_loading(table, "red")
    assert "the shuffler has not proven its identity" in to_words(refused.why)


def test_deck_mate_an_opened_device_is_admitted_with_a_warning(tags: bool) -> None:
    table = red_in_play(tags=tags)
    table.shuffler.tamper("USB port opened")
    table.advance(S)
    assert warnings(table) == [WarningKind.TAMPER]
    assert table.life("blue").block_reasons == (BlockReason.TOUCHED,)
    assert next_card(table) == [Code.CARD_UNDER_WARNING]


# --- a shuffler that never comes back -------------------------------------------------------------


def dead_shuffler(*, tags: bool) -> BatchTable:
    """Red was dealt when the shuffler dies with blue in it; its cable stays in."""
    table = red_in_play(tags=tags)
    table.close_shoe()
    table.collect_cards()
    table.shuffler.power_off()
    table.advance(10 * S)
    assert warnings(table) == [WarningKind.SILENT]
    table.clear_all()
    assert warnings(table) == []
    table.empty_by_door("blue")
    return table


def by_hand(table: BatchTable) -> list[str]:
    shuffled = RecordAct(ActKind.SHUFFLED, "blue")
    entries = table.act(shuffled, Role.FLOORPERSON, "the shuffler is dead")
    return [to_words(one.why) for one in entries if isinstance(one, Refusal)]


def test_a_dead_shuffler_does_not_block_a_batch_shuffled_by_hand(tags: bool) -> None:
    table = dead_shuffler(tags=tags)
    table.act(RecordAct(ActKind.SHUFFLER_OPENED), Role.FLOORPERSON)
    assert by_hand(table) == []
    for act in (
        RecordAct(ActKind.DISCARD_CLEARED),
        RecordAct(ActKind.CUT_BY_DEALER, amount=60),
        RecordAct(ActKind.LOADED, "blue", amount=416),
    ):
        assert not [one for one in table.act(act) if isinstance(one, Refusal)]
    # Red is still not in the shuffler, which is reported; without tags a person has to look.
    looked_at = [] if tags else [Code.BATCH_NOT_READY]
    assert first_card(table, "blue") == [Code.IDLE_BATCH_OUT, *looked_at]


def test_a_dead_shuffler_has_to_be_opened_before_its_batch_is_shuffled_by_hand(tags: bool) -> None:
    table = dead_shuffler(tags=tags)
    (why,) = by_hand(table)
    assert why.startswith("blue is stored and cannot have been shuffled by hand now")
    assert why.endswith("record first that the shuffler was opened to take it out")


def test_a_shuffler_that_comes_back_proves_its_identity_again(tags: bool) -> None:
    table = red_in_play(tags=tags)
    table.shuffler.power_off()
    table.advance(10 * S)
    assert not table.lineage.trusted
    table.shuffler.power_on()
    table.advance(10 * S)
    assert table.lineage.trusted
