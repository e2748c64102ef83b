"""What the shuffler tells goes into the record: batches that move, receipts, and what is known.

Responsible for: the events of a shuffler at the table, acts of people beside them, and a table
whose settings name no shuffler.
Not responsible for: the life itself (custody), loading and first cards (test_shuffler_batches),
warnings (test_shuffler_warnings).
Source: NY (a)(4)(iv); S42 (a)(4), (e)(1), (e)(8)(ii); D-20 to D-22.
"""

from dataclasses import replace

import pytest

from controller.procedure.effects import BatchMoved, ShuffleRecorded
from controller.procedure.events import ShufflerTold
from controller.procedure.rulebook import Fact
from controller.procedure.shuffler.event_text import told_in_words
from controller.procedure.shuffler.events import of_the_shuffler
from controller.rules.setting_values import ShuffleMode
from drivers import shuffler_events as shuffler

BOTH = ("ny-mini", "s42-mini")


def moves(told, back: str) -> list[tuple[str, str]]:
    return [(one.before, one.after) for one in told.table.of(BatchMoved) if one.batch == back]


# --- a batch on its way round -------------------------------------------------------------------


@pytest.mark.parametrize("profile", BOTH)
def test_a_batch_goes_its_whole_way_round(by_shuffler, profile) -> None:
    told = by_shuffler(profile)
    assert told.deal_first("red") == []
    assert told.end_shoe() == []
    assert [after for _, after in moves(told, "red")] == [
        *("collected", "counted", "shuffling", "shuffled", "stored", "released"),
        *("in_play", "spent"),
    ]


@pytest.mark.clause("NY-a-4-iv-a")
@pytest.mark.clause("NY-a-4-iv-c")
@pytest.mark.clause("NY-a-4-iv-d-alternate")
@pytest.mark.clause("NY-a-4-iv-d-every")
@pytest.mark.clause("NY-a-4-iv-e")
def test_each_stage_cites_what_asks_for_it_in_new_york(by_shuffler) -> None:
    told = by_shuffler("ny-mini")
    told.deal_first("red")
    told.end_shoe()
    cited = {one.after: one.clauses for one in told.table.of(BatchMoved) if one.batch == "red"}
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
def test_and_in_section_42(by_shuffler) -> None:
    told = by_shuffler()
    told.deal_first("red")
    told.end_shoe()
    cited = {one.after: one.clauses for one in told.table.of(BatchMoved) if one.batch == "red"}
    assert cited["counted"] == ("S42-a-1-decks", "S42-a-4-ii")
    assert cited["shuffled"] == ("S42-e-1",)
    assert cited["stored"] == ("S42-a-4-iv",)
    assert cited["released"] == ("S42-a-4-v-alt", "S42-a-4-v-every", "S42-e-8-ii-B")
    assert cited["spent"] == ("S42-a-4-vi", "S42-e-1")


@pytest.mark.clause("S42-e-1")
@pytest.mark.clause("S42-a-4-iii-same")
def test_the_receipt_of_a_shuffle_is_recorded_for_its_batch(by_shuffler) -> None:
    told = by_shuffler()
    told.shuffle("red")
    (receipt,) = told.table.of(ShuffleRecorded)
    assert (receipt.batch, receipt.refused, receipt.proof.cycle) == ("red", "", 1)
    assert receipt.clauses == ("S42-e-1", "S42-a-4-ii", "S42-a-4-iii-same", "S42-f-1-same")


@pytest.mark.clause("S42-e-1")
def test_a_receipt_that_does_not_count_says_why(by_shuffler) -> None:
    told = by_shuffler()
    told.put_in("red")
    told.begin("red")
    told.finish("red", "good forged")
    (receipt,) = told.table.of(ShuffleRecorded)
    assert receipt.refused
    assert told.stage("red") != "shuffled"


def test_what_does_not_fit_is_said_with_the_event(by_shuffler) -> None:
    told = by_shuffler()
    told.say("shuffler 1 counted 416")
    said = "compartment 1 is counted, 416 cards; which batch lies in compartment 1 is not known: "
    assert told.table.last.what.startswith(said)


# --- what people need not be asked --------------------------------------------------------------


def test_the_shuffler_says_which_batch_lies_in_it(by_shuffler) -> None:
    told = by_shuffler()
    told.shuffle("blue")
    assert told.table.state.opening.in_shuffler == "blue"
    told.release("blue")
    assert told.table.state.opening.in_shuffler == ""


def test_with_both_in_it_the_one_that_comes_next_is_meant(by_shuffler) -> None:
    told = by_shuffler()
    told.deal_first("red")
    told.end_shoe()
    told.put_in("red")
    assert told.table.state.opening.in_shuffler == "blue"


def test_a_proven_shuffle_needs_no_record_by_people(by_shuffler) -> None:
    told = by_shuffler(observed=(Fact.SHOE_OPENED, Fact.BATCH_LOADED))
    for back in ("red", "blue"):
        told.do(f"inspected {back} 416, verified {back}, spread {back}, stacked {back}")
    told.shuffle("blue")
    told.shuffle("red")
    told.release("red")
    assert told.do("loaded red 416") == ""
    assert told.open_shoe() == []


def test_a_batch_that_goes_in_again_is_not_shuffled_any_more(by_shuffler) -> None:
    told = by_shuffler()
    told.shuffle("red")
    assert [act.kind.value for act in told.table.state.opening.acts] == ["shuffled"]
    told.say("shuffler 1 loading 0 of red")
    assert told.table.state.opening.acts == ()


def test_the_rack_is_clear_once_its_batch_lies_in_the_shuffler(by_shuffler) -> None:
    told = by_shuffler()
    told.deal_first("red")
    told.end_shoe()
    assert told.table.state.opening.rack_batch == "red"
    told.say("shuffler 1 loading 0 of red")
    assert told.table.state.opening.rack_batch == ""


@pytest.mark.clause("S42-e-8-ii-A")
def test_a_door_opened_on_the_stored_batch_makes_the_shuffler_unsecure(by_shuffler) -> None:
    told = by_shuffler()
    told.deal_first("red")
    told.say("shuffler door 2 open")
    assert told.table.state.opening.shuffler_opened


# --- people beside it ---------------------------------------------------------------------------


@pytest.mark.clause("S42-e-1")
@pytest.mark.parametrize(
    ("role", "reason"), [("dealer", "the shuffler jammed"), ("floorperson", " ")]
)
def test_the_shuffler_tells_of_its_own_shuffles(by_shuffler, role, reason) -> None:
    told = by_shuffler()
    why = told.do("shuffled red", role=role, reason=reason)
    assert why.startswith("the shuffler tells of its own shuffles: one by hand in its place")
    assert told.refused.clauses == ("S42-e-1",)


@pytest.mark.clause("S42-e-1")
def test_a_shuffle_by_hand_after_a_jam_counts_with_its_reason(by_shuffler) -> None:
    told = by_shuffler()
    told.shuffle("blue")
    told.put_in("red")
    told.begin("red")
    told.say("shuffler 1 aborted 1 jam")
    by_hand = {"role": "floorperson", "reason": "the shuffler jammed"}
    assert told.do("shuffled red", **by_hand) == "red lies in compartment 1: take it out first"
    told.say("shuffler 1 empty 0")
    assert told.do("shuffled red", **by_hand) == ""
    assert told.noted.detail == "red, hand; the shuffler jammed"
    assert told.table.state.lineage.life("red").by_hand


def test_people_say_which_batch_goes_in_though_another_lies_in_it(by_shuffler) -> None:
    told = by_shuffler()
    told.shuffle("blue")
    assert told.do("into-shuffler red") == ""
    assert told.table.state.opening.in_shuffler == "blue"
    assert told.table.state.lineage.into_shuffler == "red"


@pytest.mark.clause("S42-e-8-ii-B")
def test_a_release_is_recorded_with_the_member_of_staff(by_shuffler) -> None:
    told = by_shuffler()
    told.shuffle("red")
    told.release("red")
    assert told.do("released", reference="") != ""
    assert told.do("released") == ""
    assert told.noted.detail == "red; staff 17"
    assert told.stage("red") == "released"
    assert told.do("released blue") == ""
    assert told.noted.detail == "blue; staff 17"


def test_with_nothing_released_and_nothing_in_it_there_is_nothing_to_release(by_shuffler) -> None:
    why = "no batch is known to be in the shuffler: record into-shuffler first"
    assert by_shuffler().do("released") == why


@pytest.mark.parametrize("act", ["cut", "cut-by-dealer"])
def test_a_cut_that_is_recorded_moves_the_batch_on(by_shuffler, act) -> None:
    told = by_shuffler()
    told.shuffle("red")
    told.release("red")
    told.do(f"{act} 200")
    assert told.stage("red") == "cut"


def test_a_cut_that_is_refused_does_not(by_shuffler) -> None:
    told = by_shuffler()
    told.deal_first("red")
    told.do("cut 200")
    assert told.stage("red") == "in_play"


def test_a_shuffler_that_people_opened_has_its_batch_touched(by_shuffler) -> None:
    told = by_shuffler()
    told.shuffle("blue")
    told.do("shuffler-opened")
    assert told.stage("blue") == "held"


@pytest.mark.parametrize(
    ("act", "stage"),
    [
        ("cards-touched blue", "held"),
        ("cards-touched red", "in_play"),
        ("cards-touched", "in_play"),
        ("cards-touched green", "in_play"),
    ],
)
def test_cards_that_were_touched_are_of_the_batch_people_name(by_shuffler, act, stage) -> None:
    told = by_shuffler()
    told.deal_first("red")
    told.do(act)
    assert told.stage("blue" if "blue" in act else "red") == stage


@pytest.mark.clause("S42-a-4-i")
@pytest.mark.clause("S42-d-1-sort")
def test_new_cards_begin_anew(by_shuffler) -> None:
    told = by_shuffler()
    told.shuffle("blue")
    told.do("received blue")
    assert told.stage("blue") == "unknown"
    assert told.table.of(BatchMoved)[-1].clauses == ("S42-d-1-sort", "S42-a-4-i")


@pytest.mark.clause("NY-a-4-iv-sets")
@pytest.mark.clause("S42-a-4-sets")
@pytest.mark.parametrize(
    ("profile", "clause"), [("ny-mini", "NY-a-4-iv-sets"), ("s42-mini", "S42-a-4-sets")]
)
@pytest.mark.parametrize("act", ["loaded 416", "shuffled green"])
def test_an_act_on_cards_names_one_of_the_two_sets(by_shuffler, profile, clause, act) -> None:
    told = by_shuffler(profile)
    assert told.do(act, role="floorperson", reason="seen") == "say which batch: red or blue"
    assert told.refused.clauses[0] == clause


@pytest.mark.clause("S42-e-8-ii-load")
def test_cards_of_a_dead_table_go_back_into_the_shuffler(by_shuffler) -> None:
    told = by_shuffler(shuffler_secure_store=True)
    told.deal_first("red")
    told.end_shoe()
    told.do("dead-table-spread, dead-table-viewed, into-shuffler red")
    assert told.noted.clauses == ("S42-a-4-iv", "S42-e-8-ii-load", "S42-e-8-ii-swap")
    assert told.say("shuffler 1 loading 0 of red; shuffler 1 counted 416 of red") == []
    assert told.stage("red") == "counted"


def test_a_batch_that_is_spread_again_is_shuffled_again(by_shuffler) -> None:
    told = by_shuffler(shuffler_secure_store=True)
    told.deal_first("red")
    told.end_shoe()
    told.release("blue")
    told.do("dead-table-spread, respread blue")
    assert told.stage("blue") == "held"


def test_a_dead_table_before_any_batch_was_dealt_touches_none(by_shuffler) -> None:
    told = by_shuffler()
    told.shuffle("red")
    assert told.do("dead-table-spread") == ""
    assert told.stage("red") == "stored"


# --- tables without one -------------------------------------------------------------------------


def test_where_the_settings_name_no_shuffler_it_is_only_noted(new_people) -> None:
    people = new_people()
    people.table.say("shuffler 1 jam; shuffler lost unproven; shuffler gone")
    assert [one.what for one in people.table.verdicts[-3:]] == [
        "cards are jammed in compartment 1: this table has no shuffler that tells",
        (
            "an unknown number of events of the shuffler are missing: this table has no shuffler"
            " that tells"
        ),
        "the shuffler's port is lost: this table has no shuffler that tells",
    ]
    assert people.table.state.lineage.warnings == ()


def test_where_one_batch_is_dealt_its_warnings_are_followed_and_no_batch(by_shuffler) -> None:
    told = by_shuffler(shuffle_mode=ShuffleMode.CONTINUOUS)
    told.say("shuffler 1 counted 416; shuffler warning 17 on belt")
    assert told.table.state.lineage.lives == ()
    assert len(told.table.state.lineage.warnings) == 1


def test_what_was_known_is_over_once_cards_went_another_way(by_shuffler) -> None:
    told = by_shuffler()
    told.shuffle("red")
    told.release("red")
    by_machine = told.table.book
    by_hand = replace(by_machine.profile.rules, shuffle_mode=ShuffleMode.HAND)
    profile = replace(by_machine.profile, rules=by_hand)
    told.table.book = type(by_machine).of(profile, 8, (), shuffler=True)
    told.table.deal("start, burn Ac: 2c")
    told.end_shoe()
    told.table.book = by_machine
    assert told.do("loaded red 416").startswith("red is not known to be shuffled")


def test_other_backs_than_before_begin_anew(by_shuffler) -> None:
    told = by_shuffler()
    told.shuffle("red")
    told.table.book = type(told.table.book).of(
        told.table.book.profile, 8, (), backs=("green", "grey"), shuffler=True
    )
    told.say("shuffler 1 counted 416 of green")
    assert [life.back for life in told.table.state.lineage.lives] == ["green", "grey"]


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
        (shuffler.ShuffleBegan(1, 7), "shuffle 7 began in compartment 1"),
        (shuffler.ShuffleDone(PROOF), "shuffle 7 is done in compartment 2"),
        (
            shuffler.ShuffleAborted(1, 7, shuffler.AbortReason.POWER),
            "shuffle 7 was broken off in compartment 1: power",
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
            "the shuffler's status",
        ),
        (shuffler.DeviceTampered("case"), "the shuffler was opened or changed"),
        (shuffler.IdentityProven("S-1", "1", b"", 1, 1, bare=False), "the paired shuffler"),
        (
            shuffler.IdentityProven("S-1", "1", b"", 1, 1, bare=True),
            "the shuffler let in without identity",
        ),
        (
            shuffler.IdentityRefused("S-2", "no key", rolled_back=False),
            "a shuffler that is not let in: nothing it tells is taken",
        ),
        (shuffler.DeviceSilent(5000, lost=False), "the shuffler is silent"),
        (shuffler.DeviceSilent(5000, lost=True), "the shuffler counts as gone"),
        (shuffler.DeviceHeardAgain(), "the shuffler is heard again"),
    ],
)
def test_each_event_has_its_words(by_shuffler, event, words) -> None:
    assert told_in_words(event) == words
    taken = by_shuffler().table.take(ShufflerTold(event, 1))
    assert taken.verdicts[0].what.startswith(words)


def test_what_is_no_event_is_our_mistake_and_not_the_shufflers(by_shuffler) -> None:
    table = by_shuffler().table
    with pytest.raises(AssertionError):
        of_the_shuffler(table.book, table.state, "a word")
    with pytest.raises(AssertionError):
        told_in_words("a word")
