"""Two batches take turns over many shoes and days, through the program's whole core.

Responsible for: the order of batches from shoe to shoe, across gaming days and restarts; that
either may begin; what the program cites on the way; the discard rack; and what holds where a
continuous shuffler, or hands, take the place of the shuffler with two batches.
Not responsible for: power cuts in the middle of things (test_power_cuts), wrong batches
(test_shuffler_incidents) and the shuffler's warnings (test_shuffler_table).
Source: NY (a)(4)(iv); S42 (a)(4), (e)(1), (l)(1); D-5, D-21, D-22, D-35.
"""

import pytest

from controller.custody.batch_life.stages import BatchStage
from controller.procedure.act_kinds import ActKind
from controller.procedure.effects import (
    BatchMoved,
    Prompted,
    Refused,
    ShoeOpened,
    ShuffleRecorded,
    WarningOpened,
)
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.verdicts import Accepted
from controller.tape.actions import ChangeSetting, RecordAct, Role
from controller.tape.entries import Entry, Judged
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


def begun(profile: str = "s42-mini", *, tags: bool = False, locks: bool = False) -> BatchTable:
    """Both batches are shuffled and stored."""
    table = BatchTable(profile, tags=tags, locks=locks)
    for back in BACKS:
        table.put_away(back)
    return table


def exchanged(table: BatchTable, back: str) -> None:
    """That batch is dealt; what lies outside goes into the shuffler first."""
    other = BACKS[1 - BACKS.index(back)]
    table.bring_out(back)
    if table.hands[other]:
        table.put_away(other)
    table.deal_shoe(back)


def dealt(table: BatchTable) -> list[str]:
    return [one.batch for one in of(table, BatchMoved) if one.after == BatchStage.IN_PLAY.value]


def of(table: BatchTable, kind: type, since: int = 0) -> list:
    return [one for one in table.entries[since:] if isinstance(one, kind)]


def cited(entries: list[Entry]) -> set[str]:
    return {clause for one in entries for clause in getattr(one, "clauses", ())}


def accepted(table: BatchTable, clause: str) -> list[str]:
    """What was found to be in order, by that clause."""
    verdicts = [v for one in of(table, Judged) for v in one.verdicts]
    return [v.what for v in verdicts if isinstance(v, Accepted) and clause in v.clauses]


# --- turns ----------------------------------------------------------------------------------------


@SHOES
@pytest.mark.parametrize("tags", [True, False], ids=["tags", "no tags"])
@profiles(
    ("NY-a-4-iv-d-alternate", "NY-a-4-iv-d-every", "NY-a-4-iv-c", "NY-a-4-iv-a", "NY-a-4-iv-e"),
    ("S42-a-4-v-alt", "S42-a-4-v-every", "S42-a-4-iv", "S42-a-4-ii", "S42-a-4-vi"),
)
def test_red_and_blue_take_turns(profile: str, tags: bool, shoes: int) -> None:
    table = begun(profile, tags=tags)
    expected = [BACKS[shoe % 2] for shoe in range(shoes)]
    for back in expected:
        exchanged(table, back)
    assert dealt(table) == expected
    assert table.irregular() == []
    assert of(table, WarningOpened) == []
    assert [one.wrong for one in table.firsts] == [""] * shoes
    assert not of(table, Refused)


@pytest.mark.parametrize("first", BACKS)
@profiles(("NY-a-4-iv-d-alternate",), ("S42-a-4-v-alt",))
def test_either_batch_may_begin(profile: str, first: str) -> None:
    table = begun(profile)
    exchanged(table, first)
    exchanged(table, BACKS[1 - BACKS.index(first)])
    assert dealt(table)[0] == first
    assert table.irregular() == []


@profiles(("NY-a-4-iv-d-every",), ("S42-a-4-v-every",))
def test_once_both_batches_are_new_either_may_begin_again(profile: str) -> None:
    table = begun(profile)
    exchanged(table, "red")
    for back in BACKS:
        table.act(RecordAct(ActKind.RECEIVED, back), Role.FLOORPERSON)
        table.reach_for(back)
        table.put_away(back)
    table.clear_all()
    exchanged(table, "red")
    assert dealt(table) == ["red", "red"]
    assert table.irregular() == []


@profiles(("NY-a-4-iv-d-every", "NY-a-4-iv-c"), ("S42-a-4-v-every", "S42-a-4-iv"))
def test_a_supervisor_lets_a_batch_come_again_while_the_other_is_jammed(profile: str) -> None:
    table = begun(profile)
    exchanged(table, "red")
    table.shuffler.jam(2)
    table.put_away("red")
    table.clear_all()
    again = RecordAct(ActKind.ALTERNATION_SUSPENDED, "red")
    refused = [one for one in table.act(again, Role.DEALER) if isinstance(one, Refused)]
    assert [one.why for one in refused] == [
        "alternation is suspended by a floorperson, with the reason"
    ]
    table.act(again, Role.FLOORPERSON, "blue is jammed")
    table.shuffler.clear_jam(2)
    table.later(S)
    assert table.ready_anyhow("red")
    since = len(table.entries)
    table.deal_shoe("red")
    assert table.irregular(since) == []
    # Once only.
    assert table.ready_anyhow("red") is False
    assert table.ready_anyhow("blue")


def leaps_to(table: BatchTable, second_of_day: int) -> None:
    """The program is switched off until shortly before that time of a coming day."""
    table.cut_now()
    now_s = table.at.utc_ns // S
    table.clock_ns += ((second_of_day - 20 - now_s) % DAY_S) * S
    table.turn_on(same_boot=False)
    table.later(5 * S)


@SHOES
@profiles(("NY-a-4-iv-d-alternate", "NY-a-4-iv-d-every"), ("S42-a-4-v-alt", "S42-a-4-v-every"))
def test_turns_go_on_over_midnights_and_gaming_days(profile: str, shoes: int) -> None:
    table = begun(profile)
    for shoe in range(shoes):
        # In the middle of these shoes midnight comes, or a gaming day ends.
        leaps_to(table, (DAY_S, DAY_BEGINS_S)[shoe % 2])
        exchanged(table, BACKS[shoe % 2])
    assert dealt(table) == [BACKS[shoe % 2] for shoe in range(shoes)]
    days = [one.gaming_day for one in of(table, ShoeOpened)]
    assert len(set(days)) >= shoes // 2
    # A shoe keeps the number and the day under which it was opened.
    assert days == sorted(days)
    assert {one.code for one in table.irregular()} <= {IrregularityCode.CONTINUITY_UNPROVEN}


@pytest.mark.parametrize("same_boot", [True, False])
@profiles(("NY-a-4-iv-d-every",), ("S42-a-4-v-every",))
def test_a_restart_between_any_two_shoes_keeps_the_turn(profile: str, same_boot: bool) -> None:
    table = begun(profile, tags=True)
    for shoe in range(4):
        exchanged(table, BACKS[shoe % 2])
        before = table.lineage
        table.cut_now()
        table.later(S)
        table.turn_on(same_boot=same_boot)
        table.later(5 * S)
        assert table.lineage == before
    assert dealt(table) == ["red", "blue", "red", "blue"]
    assert table.irregular() == []


@profiles(("NY-a-4-iv-d-every",), ("S42-a-4-v-every",))
def test_the_same_batch_is_refused_after_days_and_restarts(profile: str) -> None:
    table = begun(profile)
    exchanged(table, "red")
    table.put_away("red")
    leaps_to(table, DAY_BEGINS_S)
    leaps_to(table, DAY_BEGINS_S)
    table.bring_out("red")
    table.clear_all()
    (refused,) = table.act(RecordAct(ActKind.LOADED, "red", amount=416))[1:]
    assert isinstance(refused, Refused)
    assert "the last shoe was dealt from red: load blue" in refused.why
    since = len(table.entries)
    table.fill_shoe("red")
    table.draw()
    codes = [one.code for one in table.irregular(since)]
    assert IrregularityCode.BATCH_REPEATED in codes


# --- what is cited on the way ---------------------------------------------------------------------


@profiles(
    ("NY-a-4-iv-a", "NY-a-4-iv-b-same", "NY-a-4-iv-c"),
    ("S42-a-4-ii", "S42-a-4-iii-same", "S42-a-4-iv"),
)
def test_each_shuffle_has_a_receipt_that_counts_for_its_batch(profile: str) -> None:
    table = begun(profile)
    receipts = of(table, ShuffleRecorded)
    assert [(one.batch, one.refused, one.proof.count) for one in receipts] == [
        ("red", "", 416),
        ("blue", "", 416),
    ]
    assert len({clause for one in receipts for clause in one.clauses}) >= 2


@profiles(("NY-a-4-iv-c",), ("S42-a-4-iv",))
def test_the_other_batch_is_in_the_shuffler_while_one_is_in_play(profile: str) -> None:
    table = begun(profile)
    exchanged(table, "red")
    clause = {"ny-mini": "NY-a-4-iv-c", "s42-mini": "S42-a-4-iv"}[profile]
    assert accepted(table, clause) == ["red is in play, blue in the shuffler"]


@profiles(("NY-a-4-iv-c",), ("S42-a-4-iv",))
def test_a_batch_that_leaves_the_shuffler_in_play_is_found_at_once(profile: str) -> None:
    table = begun(profile)
    table.bring_out("red")
    table.fill_shoe("red")
    table.burn()
    since = len(table.entries)
    table.bring_out("blue")
    codes = [one.code for one in table.irregular(since)]
    assert codes == [IrregularityCode.IDLE_BATCH_OUT]


@profiles(("NY-a-4-iv-a",), ("S42-a-4-ii",))
def test_a_batch_with_a_card_too_few_may_not_be_loaded(profile: str) -> None:
    table = BatchTable(profile)
    table.put_away("blue")
    lost = table.hands["red"].pop()
    table.put_away("red")
    refused = table.act(RecordAct(ActKind.LOADED, "red", amount=416))[1]
    assert isinstance(refused, Refused)
    assert "red is short of cards" in refused.why
    assert "find the missing cards" in refused.why
    assert lost.back == "red"


@profiles(("NY-a-4-iv-b-same", "NY-a-4-iv-b-diff"), ("S42-a-4-iii-same", "S42-a-4-iii-diff"))
def test_cards_of_both_batches_together_may_not_be_loaded(profile: str) -> None:
    table = BatchTable(profile)
    mixed = [*table.hands["red"][:415], table.hands["blue"].pop()]
    table.hands["red"] = mixed
    table.act(RecordAct(ActKind.INTO_SHUFFLER, "red"))
    table.put_away("red")
    refused = table.act(RecordAct(ActKind.LOADED, "red", amount=416))[1]
    assert isinstance(refused, Refused)
    assert "cards that are not its own" in refused.why


@profiles(("NY-a-4-iv-sets",), ("S42-a-4-sets",))
def test_people_say_which_of_the_two_batches(profile: str) -> None:
    table = BatchTable(profile)
    for kind in (ActKind.SHUFFLED, ActKind.INTO_SHUFFLER):
        refused = table.act(RecordAct(kind, "green"))[-1]
        assert isinstance(refused, Refused)
        assert refused.why == "say which batch: red or blue"


@pytest.mark.clause("S42-a-4-i")
def test_new_cards_begin_anew() -> None:
    table = begun()
    table.act(RecordAct(ActKind.RECEIVED, "red"), Role.FLOORPERSON)
    moved = of(table, BatchMoved)[-1]
    assert (moved.batch, moved.after) == ("red", BatchStage.UNKNOWN.value)
    assert "S42-a-4-i" in moved.clauses


# --- the discard rack -----------------------------------------------------------------------------


@profiles(("NY-a-4-iv-e",), ("S42-a-4-vi",))
def test_no_batch_is_loaded_while_the_other_lies_in_the_rack(profile: str) -> None:
    table = begun(profile)
    exchanged(table, "red")
    table.bring_out("blue")
    load = RecordAct(ActKind.LOADED, "blue", amount=416)
    refused = table.act(load)[1]
    assert isinstance(refused, Refused)
    assert "the discard rack still holds red" in refused.why
    table.put_away("red")
    assert not [one for one in table.act(load) if isinstance(one, Refused)]


@profiles(("NY-a-4-iv-e",), ("S42-a-4-vi",))
def test_a_shoe_over_the_other_batchs_rack_is_found_at_its_first_card(profile: str) -> None:
    table = begun(profile)
    exchanged(table, "red")
    table.bring_out("blue")
    since = len(table.entries)
    table.fill_shoe("blue")
    table.draw()
    codes = [one.code for one in table.irregular(since)]
    assert IrregularityCode.DISCARD_RACK_MIXED in codes


# --- other ways to shuffle ------------------------------------------------------------------------


def in_mode(mode: str, *, tags: bool = False, locks: bool = False) -> BatchTable:
    """Between shoes the table went over to another way of shuffling."""
    table = begun(tags=tags, locks=locks)
    for setting, value in (("shuffle_control_reference", "IC-7"), ("shuffle_mode", mode)):
        given = table.act(ChangeSetting(setting, value), Role.FLOORPERSON)
        assert not [one for one in given if isinstance(one, Refused)]
    return table


@pytest.mark.clause("S42-l-1-use")
@pytest.mark.clause("S42-l-1-ic")
def test_a_continuous_shuffler_takes_the_place_of_turns() -> None:
    table = in_mode("continuous", tags=True)
    for _ in range(2):
        if not table.hands["red"]:
            table.bring_out("red")
        table.fill_shoe("red")
        table.coup()
        table.close()
        table.gather()
    assert [one.detail for one in table.irregular()] == []
    assert accepted(table, "S42-l-1-use")
    assert accepted(table, "S42-l-1-ic")


@pytest.mark.clause("S42-l-1-use")
def test_a_continuous_shuffler_is_not_loaded_shoe_by_shoe() -> None:
    table = in_mode("continuous")
    refused = table.act(RecordAct(ActKind.LOADED, amount=416))[1]
    assert isinstance(refused, Refused)
    assert refused.why == "a continuous shuffler is not loaded shoe by shoe"


@pytest.mark.clause("S42-l-1-use")
def test_a_warning_of_a_continuous_shuffler_stops_the_next_card() -> None:
    table = in_mode("continuous", tags=True)
    table.bring_out("red")
    table.fill_shoe("red")
    table.coup()
    table.shuffler.lamp(7, "belt worn", on=True)
    table.later(S)
    since = len(table.entries)
    table.coup_card()
    (raised,) = table.irregular(since)
    assert raised.code is IrregularityCode.CARD_UNDER_WARNING
    assert "S42-l-1-use" in raised.clauses


def test_where_hands_shuffle_the_shuffler_tells_nothing_of_the_shoe() -> None:
    table = in_mode("hand", locks=True)
    table.shuffler.lamp(7, "belt worn", on=True)
    table.later(S)
    assert of(table, WarningOpened)
    table.bring_out("red")
    table.deal_shoe("red")
    assert table.irregular() == []
    assert not table.shoe.locked
    assert of(table, Prompted)


def test_the_lock_opens_when_hands_take_over_from_a_shuffler_that_warns() -> None:
    table = begun(locks=True)
    table.shuffler.lamp(7, "belt worn", on=True)
    table.later(S)
    assert table.shoe.locked
    table.act(ChangeSetting("shuffle_mode", "hand"), Role.FLOORPERSON)
    table.later(S)
    assert not table.shoe.locked


def test_back_from_hands_nothing_is_known_of_the_batches() -> None:
    table = in_mode("hand")
    table.bring_out("red")
    table.deal_shoe("red")
    table.act(ChangeSetting("shuffle_mode", "dual_batch"), Role.FLOORPERSON)
    table.shuffler.lamp(7, "belt worn", on=True)
    table.later(S)
    assert {life.stage for life in table.lineage.lives} == {BatchStage.UNKNOWN}
