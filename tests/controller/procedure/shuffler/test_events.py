"""Events of the shuffler at the table: stages of batches, receipts, and acts of people beside them.

Source: NY (a)(4)(iv); S42 (a)(4), (e)(1), (e)(8)(ii); D-20 to D-22.
"""

import pytest
from msgspec.structs import replace

from controller.custody.batch_life.facts import ShuffleRecorded, StageChange
from controller.procedure.acts.batch_record import is_shuffled, was_shuffler_opened
from controller.procedure.events import ShufflerReported
from controller.procedure.rulebook import ObservableFact
from controller.procedure.shuffler.events import apply_shuffler_event, describe_event
from controller.rules.setting_values import ShuffleMode
from controller.system.messages.catalogue import to_words
from drivers import shuffler_events as shuffler
from foundation.message import message

BOTH = ("ny-mini", "s42-mini")


def moves(people, back: str) -> list[tuple[str, str]]:
    return [(one.before, one.after) for one in people.table.of(StageChange) if one.batch == back]


# --- a batch on its way round -------------------------------------------------------------------


@pytest.mark.parametrize("profile", BOTH)
def test_a_batch_goes_its_whole_way_round(new_shuffler_table, profile) -> None:
    people = new_shuffler_table(profile)
    assert people.deal_first("red") == []
    assert people.end_shoe() == []
    assert [after for _, after in moves(people, "red")] == [
        *("collected", "counted", "shuffling", "shuffled", "stored", "released"),
        *("in_play", "spent"),
    ]


@pytest.mark.clause("NY-a-4-iv-a")
@pytest.mark.clause("NY-a-4-iv-c")
@pytest.mark.clause("NY-a-4-iv-d-alternate")
@pytest.mark.clause("NY-a-4-iv-d-every")
@pytest.mark.clause("NY-a-4-iv-e")
def test_each_stage_cites_its_clauses_in_new_york(new_shuffler_table) -> None:
    people = new_shuffler_table("ny-mini")
    people.deal_first("red")
    people.end_shoe()
    cited = {one.after: one.clauses for one in people.table.of(StageChange) if one.batch == "red"}
    assert cited["counted"] == ("NY-a-4-i-decks", "NY-a-4-iv-a")
    assert cited["stored"] == ("NY-a-4-iv-c",)
    assert cited["released"][:2] == ("NY-a-4-iv-d-alternate", "NY-a-4-iv-d-every")
    assert cited["spent"][0] == "NY-a-4-iv-e"


@pytest.mark.clause("S42-a-4-ii")
@pytest.mark.clause("S42-a-4-iv")
@pytest.mark.clause("S42-a-4-v-alt")
@pytest.mark.clause("S42-a-4-v-every")
@pytest.mark.clause("S42-a-4-vi")
@pytest.mark.clause("S42-e-1")
@pytest.mark.clause("S42-e-8-ii-B")
def test_and_in_section_42(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.deal_first("red")
    people.end_shoe()
    cited = {one.after: one.clauses for one in people.table.of(StageChange) if one.batch == "red"}
    assert cited["counted"] == ("S42-a-1-decks", "S42-a-4-ii")
    assert cited["shuffled"] == ("S42-e-1",)
    assert cited["stored"] == ("S42-a-4-iv",)
    assert cited["released"] == ("S42-a-4-v-alt", "S42-a-4-v-every", "S42-e-8-ii-B")
    assert cited["spent"] == ("S42-a-4-vi", "S42-e-1")


@pytest.mark.clause("S42-e-1")
@pytest.mark.clause("S42-a-4-iii-same")
def test_the_receipt_of_a_shuffle_is_recorded_for_its_batch(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.shuffle("red")
    (receipt,) = people.table.of(ShuffleRecorded)
    assert (receipt.batch, receipt.refused, receipt.proof.cycle) == ("red", None, 1)
    assert receipt.clauses == ("S42-e-1", "S42-a-4-ii", "S42-a-4-iii-same", "S42-f-1-same")


@pytest.mark.clause("S42-e-1")
def test_a_receipt_that_does_not_count_says_why(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.put_in("red")
    people.begin("red")
    people.finish("red", "good forged")
    (receipt,) = people.table.of(ShuffleRecorded)
    assert to_words(receipt.refused) == "its receipt does not carry the signature of the device"
    assert people.stage("red") != "shuffled"


def test_a_contradiction_is_stated_with_the_event(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.run_script("shuffler 1 counted 416")
    text = "compartment 1 is counted, 416 cards; which batch is in compartment 1 is not known: "
    assert to_words(people.table.last.what).startswith(text)


# --- what people need not record ----------------------------------------------------------------


def test_the_shuffler_reports_which_batch_is_in_it(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.shuffle("blue")
    assert people.table.state.lineage.stored_batch == "blue"
    people.release("blue")
    assert people.table.state.lineage.stored_batch == ""


def test_with_both_in_it_the_one_that_comes_next_is_meant(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.deal_first("red")
    people.end_shoe()
    people.put_in("red")
    assert people.table.state.lineage.stored_batch == "blue"


def test_a_proven_shuffle_needs_no_record_by_people(new_shuffler_table) -> None:
    people = new_shuffler_table(observed=(ObservableFact.SHOE_OPENED, ObservableFact.BATCH_LOADED))
    for back in ("red", "blue"):
        people.do(f"inspected {back} 416, verified {back}, spread {back}, stacked {back}")
    people.shuffle("blue")
    people.shuffle("red")
    people.release("red")
    assert people.do("loaded red 416") == ""
    assert people.open_shoe() == []


def test_a_batch_that_goes_in_again_is_not_shuffled_any_more(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.shuffle("red")
    assert is_shuffled(people.table.book, people.table.state, "red")
    people.run_script("shuffler 1 loading 0 of red")
    assert not is_shuffled(people.table.book, people.table.state, "red")


def test_an_act_is_no_second_record_of_a_shuffle(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.shuffle("red")
    assert people.table.state.opening.acts == ()


def test_the_rack_is_clear_once_its_batch_lies_in_the_shuffler(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.deal_first("red")
    people.end_shoe()
    assert people.table.state.lineage.in_rack == "red"
    people.run_script("shuffler 1 loading 0 of red")
    assert people.table.state.lineage.in_rack == ""


@pytest.mark.clause("S42-e-8-ii-A")
def test_a_door_opened_on_the_stored_batch_makes_the_shuffler_unsecure(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.deal_first("red")
    people.run_script("shuffler door 2 open")
    assert was_shuffler_opened(people.table.book, people.table.state)


# --- people beside it ---------------------------------------------------------------------------


@pytest.mark.clause("S42-e-1")
@pytest.mark.parametrize(
    ("role", "reason"), [("dealer", "the shuffler jammed"), ("floorperson", " ")]
)
def test_the_shuffler_reports_its_own_shuffles(new_shuffler_table, role, reason) -> None:
    people = new_shuffler_table()
    why = people.do("shuffled red", role=role, reason=reason)
    assert why.startswith("the shuffler reports its own shuffles: a shuffle by hand")
    assert people.refused.clauses == ("S42-e-1",)


@pytest.mark.clause("S42-e-1")
def test_a_shuffle_by_hand_after_a_jam_counts_with_its_reason(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.shuffle("blue")
    people.put_in("red")
    people.begin("red")
    people.run_script("shuffler 1 aborted 1 jam")
    by_hand = {"role": "floorperson", "reason": "the shuffler jammed"}
    assert people.do("shuffled red", **by_hand) == "red lies in compartment 1: take it out first"
    people.run_script("shuffler 1 empty 0")
    assert people.do("shuffled red", **by_hand) == ""
    assert to_words(people.record.detail) == "red, hand; the shuffler jammed"
    assert people.table.state.lineage.life("red").by_hand


def test_people_record_which_batch_goes_in_though_another_is_in_it(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.shuffle("blue")
    assert people.do("into-shuffler red") == ""
    assert people.table.state.lineage.stored_batch == "blue"
    assert people.table.state.lineage.into_shuffler == "red"


@pytest.mark.clause("S42-e-8-ii-B")
def test_a_release_is_recorded_with_the_member_of_staff(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.shuffle("red")
    people.release("red")
    assert people.do("released", reference="") != ""
    assert people.do("released") == ""
    assert to_words(people.record.detail) == "red; staff 17"
    assert people.stage("red") == "released"
    assert people.do("released blue") == ""
    assert to_words(people.record.detail) == "blue; staff 17"


def test_with_nothing_released_and_nothing_in_it_there_is_nothing_to_release(
    new_shuffler_table,
) -> None:
    why = "no batch is known to be in the shuffler: record into-shuffler first"
    assert new_shuffler_table().do("released") == why


@pytest.mark.parametrize("act", ["cut", "cut-by-dealer"])
def test_a_cut_that_is_recorded_moves_the_batch_on(new_shuffler_table, act) -> None:
    people = new_shuffler_table()
    people.shuffle("red")
    people.release("red")
    people.do(f"{act} 200")
    assert people.stage("red") == "cut"


def test_a_cut_that_is_refused_does_not(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.deal_first("red")
    people.do("cut 200")
    assert people.stage("red") == "in_play"


def test_a_shuffler_that_people_opened_has_its_batch_touched(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.shuffle("blue")
    people.do("shuffler-opened")
    assert people.stage("blue") == "held"


@pytest.mark.parametrize(
    ("act", "stage"),
    [
        ("cards-touched blue", "held"),
        ("cards-touched red", "in_play"),
        ("cards-touched", "in_play"),
        ("cards-touched green", "in_play"),
    ],
)
def test_cards_that_were_touched_are_of_the_batch_people_name(
    new_shuffler_table, act, stage
) -> None:
    people = new_shuffler_table()
    people.deal_first("red")
    people.do(act)
    assert people.stage("blue" if "blue" in act else "red") == stage


@pytest.mark.clause("S42-a-4-i")
@pytest.mark.clause("S42-d-1-sort")
def test_new_cards_start_over(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.shuffle("blue")
    people.do("received blue")
    assert people.stage("blue") == "unknown"
    assert people.table.of(StageChange)[-1].clauses == ("S42-d-1-sort", "S42-a-4-i")


@pytest.mark.clause("NY-a-4-iv-sets")
@pytest.mark.clause("S42-a-4-sets")
@pytest.mark.parametrize(
    ("profile", "clause"), [("ny-mini", "NY-a-4-iv-sets"), ("s42-mini", "S42-a-4-sets")]
)
@pytest.mark.parametrize("act", ["loaded 416", "shuffled green"])
def test_an_act_on_cards_names_one_of_the_two_sets(
    new_shuffler_table, profile, clause, act
) -> None:
    people = new_shuffler_table(profile)
    assert people.do(act, role="floorperson", reason="seen") == "name the batch: red or blue"
    assert people.refused.clauses[0] == clause


@pytest.mark.clause("S42-e-8-ii-load")
def test_cards_of_a_dead_table_go_back_into_the_shuffler(new_shuffler_table) -> None:
    people = new_shuffler_table(shuffler_secure_store=True)
    people.deal_first("red")
    people.end_shoe()
    people.do("dead-table-spread, dead-table-viewed, into-shuffler red")
    assert people.record.clauses == ("S42-a-4-iv", "S42-e-8-ii-load", "S42-e-8-ii-swap")
    assert people.run_script("shuffler 1 loading 0 of red; shuffler 1 counted 416 of red") == []
    assert people.stage("red") == "counted"


def test_a_batch_that_is_spread_again_is_shuffled_again(new_shuffler_table) -> None:
    people = new_shuffler_table(shuffler_secure_store=True)
    people.deal_first("red")
    people.end_shoe()
    people.release("blue")
    people.do("dead-table-spread, respread blue")
    assert people.stage("blue") == "held"


def test_a_dead_table_before_any_batch_was_dealt_touches_none(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.shuffle("red")
    assert people.do("dead-table-spread") == ""
    assert people.stage("red") == "stored"


# --- tables without one -------------------------------------------------------------------------


def test_where_the_settings_name_no_shuffler_it_is_only_noted(new_people) -> None:
    people = new_people()
    people.table.deal("shuffler 1 jam; shuffler lost unproven; shuffler gone")
    assert [to_words(one.what) for one in people.table.verdicts[-3:]] == [
        "cards are jammed in compartment 1: this table has no shuffler that reports",
        ("lost events of the shuffler: an unknown number: this table has no shuffler that reports"),
        "the shuffler's port is lost: this table has no shuffler that reports",
    ]
    assert people.table.state.lineage.warnings == ()


def test_where_one_batch_is_dealt_its_warnings_are_followed_and_no_batch(
    new_shuffler_table,
) -> None:
    people = new_shuffler_table(shuffle_mode=ShuffleMode.CONTINUOUS)
    people.run_script("shuffler 1 counted 416; shuffler warning 17 on belt")
    assert people.table.state.lineage.lives == ()
    assert len(people.table.state.lineage.warnings) == 1


def test_the_lineage_is_unknown_after_another_shuffle_mode(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.shuffle("red")
    people.release("red")
    by_machine = people.table.book
    by_hand = replace(by_machine.profile.rules, shuffle_mode=ShuffleMode.HAND)
    profile = replace(by_machine.profile, rules=by_hand)
    people.table.book = type(by_machine).of(profile, 8, (), shuffler=True)
    people.table.deal("start; burn Ac: 2c")
    people.end_shoe()
    people.table.book = by_machine
    assert people.do("loaded red 416").startswith("red is not known to be shuffled")


def test_other_backs_than_before_start_over(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.shuffle("red")
    people.table.book = type(people.table.book).of(
        people.table.book.profile, 8, (), backs=("green", "grey"), shuffler=True
    )
    people.run_script("shuffler 1 counted 416 of green")
    assert [life.back for life in people.table.state.lineage.lives] == ["green", "grey"]


# --- in words -----------------------------------------------------------------------------------


PROOF = shuffler.ShuffleProof(
    device="S-1",
    boot_id=1,
    boot_count=1,
    cycle=7,
    compartment=2,
    count=416,
    result=shuffler.ShuffleResult.GOOD,
    back="red",
    faces=b"",
    began_us=0,
    ended_us=1,
    image=b"",
    version="1",
    sealed=b"",
    signed=True,
    genuine=True,
)


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (
            shuffler.CompartmentChanged(1, shuffler.CompartmentState.LOADING, None, "", b""),
            "compartment 1 is loading, not counted",
        ),
        (shuffler.ShuffleStarted(1, 7), "shuffle 7 began in compartment 1"),
        (shuffler.ShuffleDone(PROOF), "shuffle 7 is done in compartment 2"),
        (
            shuffler.ShuffleAborted(1, 7, shuffler.AbortReason.POWER),
            "shuffle 7 was aborted in compartment 1: power",
        ),
        (shuffler.JamReported(1, cleared=True), "the jam is cleared in compartment 1"),
        (shuffler.ResidualCards(2, 16), "16 cards are left in compartment 2"),
        (shuffler.DoorMoved(open=True, compartment=0), "the shuffler's door is open"),
        (
            shuffler.DoorMoved(open=False, compartment=2),
            "the door of compartment 2 is closed",
        ),
        (shuffler.ModeChanged(shuffler.ShufflerMode.SORT), "the shuffler is in sort mode"),
        (shuffler.ShufflerWarning(17, "\x1b[2J", active=True), "warning light 17 is on"),
        (shuffler.ShufflerWarning(17, "", active=False), "warning light 17 is off"),
        (shuffler.SelfTested(passed=True, detail=""), "the shuffler's self-test passed"),
        (shuffler.SelfTested(passed=False, detail=""), "the shuffler's self-test failed"),
        (shuffler.ShufflerStarted(3, (1,)), "the shuffler started, boot 3"),
        (
            shuffler.ShufflerStatus(shuffler.ShufflerMode.PLAY, False, (), 0, ()),
            "status report of the shuffler",
        ),
        (
            shuffler.DeviceTampered(message("device_settings_changed", foreign="case")),
            "the shuffler was opened or changed",
        ),
        (
            shuffler.IdentityProven("S-1", "1", b"", 1, 1, bare=False),
            "the shuffler proved its identity",
        ),
        (
            shuffler.IdentityProven("S-1", "1", b"", 1, 1, bare=True),
            "the shuffler was accepted without an identity",
        ),
        (
            shuffler.IdentityRefused("S-2", message("device_has_no_identity"), rolled_back=False),
            "the shuffler was not accepted: its events are ignored",
        ),
        (shuffler.DeviceSilent(5000, lost=False), "the shuffler is silent"),
        (shuffler.DeviceSilent(5000, lost=True), "the shuffler is considered lost"),
        (shuffler.ContactRestored(), "the shuffler answers again"),
    ],
)
def test_each_event_has_a_description(new_shuffler_table, event, words) -> None:
    assert to_words(describe_event(event)) == words
    stepped = new_shuffler_table().table.apply(ShufflerReported(event, 1))
    assert to_words(stepped.verdicts[0].what).startswith(words)


def test_a_value_that_is_not_a_shuffler_event_is_an_internal_error(new_shuffler_table) -> None:
    table = new_shuffler_table().table
    with pytest.raises(AssertionError):
        apply_shuffler_event(table.book, table.state, "a word")
    with pytest.raises(AssertionError):
        describe_event("a word")
