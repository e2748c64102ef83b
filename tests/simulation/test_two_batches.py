"""Two batches take turns over many shoes and days, through the program's whole core.

Source: NY (a)(4)(iv); S42 (a)(4), (e)(1), (l)(1); D-5, D-21, D-22, D-35.
"""

import pytest

from controller.core.tape.entries import Entry, EventVerdicts
from controller.custody.batch_life.facts import ShuffleRecorded, StageChange
from controller.custody.batch_life.stages import BatchStage
from controller.procedure.effects import Prompt, Refusal, ShoeOpened, WarningOpened
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.verdicts import Accepted
from controller.rules.actions.actions import ChangeSetting, RecordAct
from controller.rules.actions.choices import ActKind
from controller.rules.actions.declaration import Role
from controller.system.messages.catalogue import to_words
from hil.dealing.tags import BACKS
from hil.simulation.batches import BatchTable, S

DAY_S = 24 * 3600
DAY_BEGINS_S = 6 * 3600
SHOES = pytest.mark.parametrize(
    "shoes", [4, pytest.param(60, marks=pytest.mark.full)], ids=lambda count: f"{count} shoes"
)


def profiles(ny: tuple[str, ...], s42: tuple[str, ...]) -> pytest.MarkDecorator:
    """Both profiles, each with the clauses that it proves."""
    each = (("ny-mini", ny), ("s42-mini", s42))
    params = [
        pytest.param(name, marks=[pytest.mark.clause(one) for one in clauses])
        for name, clauses in each
    ]
    return pytest.mark.parametrize("profile", params)


def both_stored(
    profile: str = "s42-mini", *, tags: bool = False, locks: bool = False
) -> BatchTable:
    """A table with both batches shuffled and stored."""
    table = BatchTable(profile, tags=tags, locks=locks)
    for back in BACKS:
        table.shuffle_and_store(back)
    return table


def exchange_and_deal(table: BatchTable, back: str) -> None:
    """Deal a shoe from that batch; the other one goes into the shuffler first."""
    other = BACKS[1 - BACKS.index(back)]
    table.release_and_take(back)
    if table.held_cards[other]:
        table.shuffle_and_store(other)
    table.deal_shoe(back)


def batches_dealt(table: BatchTable) -> list[str]:
    return [
        one.batch for one in entries_of(table, StageChange) if one.after == BatchStage.IN_PLAY.value
    ]


def entries_of(table: BatchTable, kind: type, since: int = 0) -> list:
    return [one for one in table.entries[since:] if isinstance(one, kind)]


def cited_clauses(entries: list[Entry]) -> set[str]:
    return {clause for one in entries for clause in getattr(one, "clauses", ())}


def accepted_by(table: BatchTable, clause: str) -> list[str]:
    """What was accepted by that clause."""
    verdicts = [v for one in entries_of(table, EventVerdicts) for v in one.verdicts]
    return [to_words(v.what) for v in verdicts if isinstance(v, Accepted) and clause in v.clauses]


# --- turns ----------------------------------------------------------------------------------------


@SHOES
@pytest.mark.parametrize("tags", [True, False], ids=["tags", "no tags"])
@profiles(
    ("NY-a-4-iv-d-alternate", "NY-a-4-iv-d-every", "NY-a-4-iv-c", "NY-a-4-iv-a", "NY-a-4-iv-e"),
    ("S42-a-4-v-alt", "S42-a-4-v-every", "S42-a-4-iv", "S42-a-4-ii", "S42-a-4-vi"),
)
def test_red_and_blue_take_turns(profile: str, tags: bool, shoes: int) -> None:
    table = both_stored(profile, tags=tags)
    expected = [BACKS[shoe % 2] for shoe in range(shoes)]
    for back in expected:
        exchange_and_deal(table, back)
    assert batches_dealt(table) == expected
    assert table.irregularities() == []
    assert entries_of(table, WarningOpened) == []
    assert [one.defect for one in table.first_cards] == [""] * shoes
    assert not entries_of(table, Refusal)


@pytest.mark.parametrize("first", BACKS)
@profiles(("NY-a-4-iv-d-alternate",), ("S42-a-4-v-alt",))
def test_either_batch_may_be_first(profile: str, first: str) -> None:
    table = both_stored(profile)
    exchange_and_deal(table, first)
    exchange_and_deal(table, BACKS[1 - BACKS.index(first)])
    assert batches_dealt(table)[0] == first
    assert table.irregularities() == []


@profiles(("NY-a-4-iv-d-every",), ("S42-a-4-v-every",))
def test_with_two_new_batches_either_may_be_first_again(profile: str) -> None:
    table = both_stored(profile)
    exchange_and_deal(table, "red")
    for back in BACKS:
        table.act(RecordAct(ActKind.RECEIVED, back), Role.FLOORPERSON)
        table.empty_by_door(back)
        table.shuffle_and_store(back)
    table.clear_all()
    exchange_and_deal(table, "red")
    assert batches_dealt(table) == ["red", "red"]
    assert table.irregularities() == []


@profiles(("NY-a-4-iv-d-every", "NY-a-4-iv-c"), ("S42-a-4-v-every", "S42-a-4-iv"))
def test_a_floorperson_allows_a_batch_again_while_the_other_is_jammed(profile: str) -> None:
    table = both_stored(profile)
    exchange_and_deal(table, "red")
    table.shuffler.jam(2)
    table.shuffle_and_store("red")
    table.clear_all()
    again = RecordAct(ActKind.ALTERNATION_SUSPENDED, "red")
    refused = [one for one in table.act(again, Role.DEALER) if isinstance(one, Refusal)]
    assert [to_words(one.why) for one in refused] == [
        "alternation is suspended by a floorperson, with the reason"
    ]
    table.act(again, Role.FLOORPERSON, "blue is jammed")
    table.shuffler.clear_jam(2)
    table.advance(S)
    assert table.bring_to_ready("red")
    since = len(table.entries)
    table.deal_shoe("red")
    assert table.irregularities(since) == []
    # Once only.
    assert table.bring_to_ready("red") is False
    assert table.bring_to_ready("blue")


def jump_to(table: BatchTable, second_of_day: int) -> None:
    """The program is switched off until shortly before that time of a coming day."""
    table.cut_now()
    now_s = table.at.utc_ns // S
    table.clock_ns += ((second_of_day - 20 - now_s) % DAY_S) * S
    table.turn_on(same_boot=False)
    table.advance(5 * S)


@SHOES
@profiles(("NY-a-4-iv-d-alternate", "NY-a-4-iv-d-every"), ("S42-a-4-v-alt", "S42-a-4-v-every"))
def test_turns_continue_over_midnights_and_gaming_days(profile: str, shoes: int) -> None:
    table = both_stored(profile)
    for shoe in range(shoes):
        # In the middle of these shoes midnight comes, or a gaming day ends.
        jump_to(table, (DAY_S, DAY_BEGINS_S)[shoe % 2])
        exchange_and_deal(table, BACKS[shoe % 2])
    assert batches_dealt(table) == [BACKS[shoe % 2] for shoe in range(shoes)]
    days = [one.gaming_day for one in entries_of(table, ShoeOpened)]
    assert len(set(days)) >= shoes // 2
    # A shoe's number and gaming day are those of its opening.
    assert days == sorted(days)
    assert {one.code for one in table.irregularities()} <= {IrregularityCode.CONTINUITY_UNPROVEN}


@pytest.mark.parametrize("same_boot", [True, False])
@profiles(("NY-a-4-iv-d-every",), ("S42-a-4-v-every",))
def test_a_restart_between_any_two_shoes_keeps_the_turn(profile: str, same_boot: bool) -> None:
    table = both_stored(profile, tags=True)
    for shoe in range(4):
        exchange_and_deal(table, BACKS[shoe % 2])
        before = table.lineage
        table.cut_now()
        table.advance(S)
        table.turn_on(same_boot=same_boot)
        table.advance(5 * S)
        assert table.lineage == before
    assert batches_dealt(table) == ["red", "blue", "red", "blue"]
    assert table.irregularities() == []


@profiles(("NY-a-4-iv-d-every",), ("S42-a-4-v-every",))
def test_the_same_batch_is_refused_after_days_and_restarts(profile: str) -> None:
    table = both_stored(profile)
    exchange_and_deal(table, "red")
    table.shuffle_and_store("red")
    jump_to(table, DAY_BEGINS_S)
    jump_to(table, DAY_BEGINS_S)
    table.release_and_take("red")
    table.clear_all()
    (refused,) = table.act(RecordAct(ActKind.LOADED, "red", amount=416))[1:]
    assert isinstance(refused, Refusal)
    assert "the last shoe was dealt from red: load blue" in to_words(refused.why)
    since = len(table.entries)
    table.fill_shoe("red")
    table.draw()
    codes = [one.code for one in table.irregularities(since)]
    assert IrregularityCode.BATCH_REPEATED in codes


# --- citations ------------------------------------------------------------------------------------


@profiles(
    ("NY-a-4-iv-a", "NY-a-4-iv-b-same", "NY-a-4-iv-c"),
    ("S42-a-4-ii", "S42-a-4-iii-same", "S42-a-4-iv"),
)
def test_each_shuffle_has_a_receipt_for_its_batch(profile: str) -> None:
    table = both_stored(profile)
    receipts = entries_of(table, ShuffleRecorded)
    assert [(one.batch, one.refused, one.proof.count) for one in receipts] == [
        ("red", None, 416),
        ("blue", None, 416),
    ]
    assert len({clause for one in receipts for clause in one.clauses}) >= 2


@profiles(("NY-a-4-iv-c",), ("S42-a-4-iv",))
def test_the_other_batch_is_in_the_shuffler_while_one_is_in_play(profile: str) -> None:
    table = both_stored(profile)
    exchange_and_deal(table, "red")
    clause = {"ny-mini": "NY-a-4-iv-c", "s42-mini": "S42-a-4-iv"}[profile]
    assert accepted_by(table, clause) == ["red is in play, blue in the shuffler"]


@profiles(("NY-a-4-iv-c",), ("S42-a-4-iv",))
def test_a_batch_taken_from_the_shuffler_in_play_is_found_at_once(profile: str) -> None:
    table = both_stored(profile)
    table.release_and_take("red")
    table.fill_shoe("red")
    table.burn()
    since = len(table.entries)
    table.release_and_take("blue")
    codes = [one.code for one in table.irregularities(since)]
    assert codes == [IrregularityCode.IDLE_BATCH_OUT]


@profiles(("NY-a-4-iv-a",), ("S42-a-4-ii",))
def test_a_batch_with_a_missing_card_may_not_be_loaded(profile: str) -> None:
    table = BatchTable(profile)
    table.shuffle_and_store("blue")
    lost = table.held_cards["red"].pop()
    table.shuffle_and_store("red")
    refused = table.act(RecordAct(ActKind.LOADED, "red", amount=416))[1]
    assert isinstance(refused, Refusal)
    assert "red is short of cards" in to_words(refused.why)
    assert "find the missing cards" in to_words(refused.why)
    assert lost.back == "red"


@profiles(("NY-a-4-iv-b-same", "NY-a-4-iv-b-diff"), ("S42-a-4-iii-same", "S42-a-4-iii-diff"))
def test_mixed_cards_of_both_batches_may_not_be_loaded(profile: str) -> None:
    table = BatchTable(profile)
    mixed = [*table.held_cards["red"][:415], table.held_cards["blue"].pop()]
    table.held_cards["red"] = mixed
    table.act(RecordAct(ActKind.INTO_SHUFFLER, "red"))
    table.shuffle_and_store("red")
    refused = table.act(RecordAct(ActKind.LOADED, "red", amount=416))[1]
    assert isinstance(refused, Refusal)
    assert "cards that are not its own" in to_words(refused.why)


@profiles(("NY-a-4-iv-sets",), ("S42-a-4-sets",))
def test_people_record_which_batch_is_loaded(profile: str) -> None:
    table = BatchTable(profile)
    for kind in (ActKind.SHUFFLED, ActKind.INTO_SHUFFLER):
        refused = table.act(RecordAct(kind, "green"))[-1]
        assert isinstance(refused, Refusal)
        assert to_words(refused.why) == "name the batch: red or blue"


@pytest.mark.clause("S42-a-4-i")
def test_new_cards_start_without_history() -> None:
    table = both_stored()
    table.act(RecordAct(ActKind.RECEIVED, "red"), Role.FLOORPERSON)
    moved = entries_of(table, StageChange)[-1]
    assert (moved.batch, moved.after) == ("red", BatchStage.UNKNOWN.value)
    assert "S42-a-4-i" in moved.clauses


# --- the discard rack -----------------------------------------------------------------------------


@profiles(("NY-a-4-iv-e",), ("S42-a-4-vi",))
def test_no_batch_is_loaded_while_the_other_is_in_the_rack(profile: str) -> None:
    table = both_stored(profile)
    exchange_and_deal(table, "red")
    table.release_and_take("blue")
    load = RecordAct(ActKind.LOADED, "blue", amount=416)
    refused = table.act(load)[1]
    assert isinstance(refused, Refusal)
    assert "the discard rack still holds red" in to_words(refused.why)
    table.shuffle_and_store("red")
    assert not [one for one in table.act(load) if isinstance(one, Refusal)]


@profiles(("NY-a-4-iv-e",), ("S42-a-4-vi",))
def test_a_shoe_with_the_other_batch_in_the_rack_is_found_at_its_first_card(profile: str) -> None:
    table = both_stored(profile)
    exchange_and_deal(table, "red")
    table.release_and_take("blue")
    since = len(table.entries)
    table.fill_shoe("blue")
    table.draw()
    codes = [one.code for one in table.irregularities(since)]
    assert IrregularityCode.DISCARD_RACK_MIXED in codes


# --- other methods of shuffling -------------------------------------------------------------------


def table_in_mode(mode: str, *, tags: bool = False, locks: bool = False) -> BatchTable:
    """A table that changed its method of shuffling between shoes."""
    table = both_stored(tags=tags, locks=locks)
    for setting, value in (("shuffle_control_reference", "IC-7"), ("shuffle_mode", mode)):
        given = table.act(ChangeSetting(setting, value), Role.FLOORPERSON)
        assert not [one for one in given if isinstance(one, Refusal)]
    return table


@pytest.mark.clause("S42-l-1-use")
@pytest.mark.clause("S42-l-1-ic")
def test_a_continuous_shuffler_replaces_turns() -> None:
    table = table_in_mode("continuous", tags=True)
    for _ in range(2):
        if not table.held_cards["red"]:
            table.release_and_take("red")
        table.fill_shoe("red")
        table.deal_coup()
        table.close_shoe()
        table.collect_cards()
    assert [to_words(one.detail) for one in table.irregularities()] == []
    assert accepted_by(table, "S42-l-1-use")
    assert accepted_by(table, "S42-l-1-ic")


@pytest.mark.clause("S42-l-1-use")
def test_a_continuous_shuffler_is_not_loaded_shoe_by_shoe() -> None:
    table = table_in_mode("continuous")
    refused = table.act(RecordAct(ActKind.LOADED, amount=416))[1]
    assert isinstance(refused, Refusal)
    assert to_words(refused.why) == "a continuous shuffler is not loaded shoe by shoe"


@pytest.mark.clause("S42-l-1-use")
def test_a_warning_of_a_continuous_shuffler_stops_the_next_card() -> None:
    table = table_in_mode("continuous", tags=True)
    table.release_and_take("red")
    table.fill_shoe("red")
    table.deal_coup()
    table.shuffler.lamp(7, "belt worn", on=True)
    table.advance(S)
    since = len(table.entries)
    table.draw_coup_card()
    (raised,) = table.irregularities(since)
    assert raised.code is IrregularityCode.CARD_UNDER_WARNING
    assert "S42-l-1-use" in raised.clauses


def test_with_hand_shuffling_shuffler_reports_do_not_affect_the_shoe() -> None:
    table = table_in_mode("hand", locks=True)
    table.shuffler.lamp(7, "belt worn", on=True)
    table.advance(S)
    assert entries_of(table, WarningOpened)
    table.release_and_take("red")
    table.deal_shoe("red")
    assert table.irregularities() == []
    assert not table.shoe.locked
    assert entries_of(table, Prompt)


def test_switching_to_hand_shuffling_opens_the_lock() -> None:
    table = both_stored(locks=True)
    table.shuffler.lamp(7, "belt worn", on=True)
    table.advance(S)
    assert table.shoe.locked
    table.act(ChangeSetting("shuffle_mode", "hand"), Role.FLOORPERSON)
    table.advance(S)
    assert not table.shoe.locked


def test_after_hand_shuffling_nothing_is_known_of_the_batches() -> None:
    table = table_in_mode("hand")
    table.release_and_take("red")
    table.deal_shoe("red")
    table.act(ChangeSetting("shuffle_mode", "dual_batch"), Role.FLOORPERSON)
    table.shuffler.lamp(7, "belt worn", on=True)
    table.advance(S)
    assert {life.stage for life in table.lineage.lives} == {BatchStage.UNKNOWN}
