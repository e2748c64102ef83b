"""What the monitors are told: the cards of a coup with its end, if that discloses them."""

from msgspec.structs import replace

from controller.core.state import Conclusion
from controller.core.tape.entries import EventVerdicts
from controller.custody.batch_life.facts import ShuffleRecorded, StageChange
from controller.custody.batch_life.stages import BatchStage
from controller.monitors.items import (
    BatchInPlay,
    BurnEnds,
    CardSeen,
    CardsUnseen,
    CoupBegins,
    CoupEnds,
    CutCardCameOut,
    CutCardPutIn,
    MonitorItem,
    PersonAct,
    PersonActs,
    ShoeEnds,
    ShoeOpens,
    TimePasses,
)
from controller.procedure.effects import ActRecord, BurnDone, CoupClosed, ShoeOpened
from controller.procedure.events import CardDrawn
from controller.record.disclosure_state import WAITING_MAX
from controller.record.monitored import (
    LAMPS,
    Monitored,
    Shown,
    Shuffled,
    monitor_items,
)
from controller.rules.actions.actions import (
    CorrectCoup,
    RecordAct,
    Resolution,
    SignDealerOff,
    SignDealerOn,
)
from controller.rules.actions.choices import ActKind, FloorDecision, Provisional
from controller.rules.actions.declaration import Role
from controller.rules.cards import Card
from controller.rules.outcome import CoupFate, Outcome
from drivers.shuffler_events import ShuffleProof, ShuffleResult
from foundation.message import message

NEW_SHOE = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
OVERDRAW = (*COUP[:4], "44 83 A3")
FACE_DOWN = Shown(face_up=False, burn_cards=False, endless=False)
OPENED = [ShoeOpens(1, 8, burns=True), CardSeen(Card.parse("Ad")), CardsUnseen(1), BurnEnds()]
FACES = [CardSeen(Card.parse(face)) for face in ("9h", "2d", "Kc", "5s")]


def conclusions(table) -> list[Conclusion]:
    outputs = (output.entries for output in table.outputs)
    return [Conclusion(item, entries) for item, entries in zip(table.inputs, outputs, strict=True)]


def told(found, shown: Shown = FACE_DOWN, state: Monitored | None = None) -> list[MonitorItem]:
    state, items = state or Monitored(), []
    for one in found:
        state, new = monitor_items(state, shown, one)
        items += new
    return items


def untimed(items: list[MonitorItem]) -> list[MonitorItem]:
    return [one for one in items if not isinstance(one, TimePasses | CoupBegins)]


def edited(table, change) -> list[Conclusion]:
    """The conclusions of a table with another record of its coups."""

    def of(entry):
        if isinstance(entry, CoupClosed):
            return replace(entry, record=change(entry.record))
        return entry

    return [replace(one, entries=tuple(map(of, one.entries))) for one in conclusions(table)]


def test_a_coup_is_told_with_its_end_in_the_order_of_the_shoe(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *COUP[:4])
    assert untimed(told(conclusions(table))) == OPENED
    table.reported(COUP[4])
    assert untimed(told(conclusions(table))) == [*OPENED, *FACES, CoupEnds()]


def test_every_burn_card_is_told_where_the_rules_show_all(script) -> None:
    table = script().begun().reported(*NEW_SHOE)
    shown = replace(FACE_DOWN, burn_cards=True)
    cards = [one for one in told(conclusions(table), shown) if isinstance(one, CardSeen)]
    assert cards == [CardSeen(Card.parse("Ad")), CardSeen(Card.parse("7h"))]


def test_cards_of_a_void_coup_that_nobody_turned_stay_unseen(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *COUP)
    found = edited(table, lambda one: replace(one, fate=CoupFate.VOID, declared=None))
    assert untimed(told(found)) == [*OPENED, CardsUnseen(4), CoupEnds()]
    face_up = replace(FACE_DOWN, face_up=True)
    assert untimed(told(found, face_up)) == [*OPENED, *FACES, CoupEnds()]


def test_a_card_drawn_in_error_is_not_told_with_its_coup(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *OVERDRAW)
    table.acted(Resolution(FloorDecision.CARRY))
    table.reported("47 90")
    assert untimed(told(conclusions(table))) == [*OPENED, *FACES, CoupEnds()]


def test_a_card_that_could_not_be_read_is_unseen(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *COUP)

    def unread(entry):
        event = entry.event if isinstance(entry, EventVerdicts) else None
        if isinstance(event, CardDrawn) and event.card == Card.parse("2d"):
            return replace(entry, event=replace(event, card=None))
        return entry

    found = [replace(one, entries=tuple(map(unread, one.entries))) for one in conclusions(table)]
    cards = [FACES[0], CardsUnseen(1), *FACES[2:]]
    assert untimed(told(found)) == [*OPENED, *cards, CoupEnds()]


def test_missed_reports_are_unseen_cards(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *COUP[:1])
    table.reports_missed(1)
    table.reported(*COUP[2:])
    table.acted(Resolution(FloorDecision.STATE_OUTCOME, Provisional.TAKE_OVER, Outcome.PLAYER))
    items = untimed(told(conclusions(table)))
    person = PersonActs("A. Floor", "floorperson", PersonAct.CORRECT)
    assert items == [*OPENED, person, FACES[0], CardsUnseen(1), *FACES[2:], CoupEnds()]


def test_the_card_that_opens_a_shoe_is_its_first(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *COUP)
    first, *others = [
        one for one in conclusions(table) if any(isinstance(e, ShoeOpened) for e in one.entries)
    ]
    assert not others
    drawn = next(
        entry
        for one in conclusions(table)
        for entry in one.entries
        if isinstance(entry, EventVerdicts) and isinstance(entry.event, CardDrawn)
    )
    (opened,) = (one for one in first.entries if isinstance(one, ShoeOpened))
    state, _ = monitor_items(Monitored(shoe=4), FACE_DOWN, replace(first, entries=(drawn, opened)))
    assert (state.shoe, state.waiting) == (1, (Card.parse("Ad"),))


def test_a_card_of_no_coup_is_told_as_unseen_at_the_end_of_the_shoe(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *OVERDRAW)
    table.acted(Resolution(FloorDecision.CLOSE_SHOE))
    items = untimed(told(conclusions(table)))
    assert items == [*OPENED, CardsUnseen(4), CoupEnds(), CardsUnseen(1), ShoeEnds()]


def test_a_shoe_of_a_continuous_shuffler_is_not_monitored(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *COUP)
    assert untimed(told(conclusions(table), replace(FACE_DOWN, endless=True))) == []


def test_who_voids_is_told_before_the_coup_ends(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *OVERDRAW)
    table.acted(Resolution(FloorDecision.VOID_COUP, second="C. Lee"))
    items = untimed(told(conclusions(table)))
    assert items[len(OPENED) : len(OPENED) + 2] == [
        PersonActs("A. Floor", "floorperson", PersonAct.VOID),
        PersonActs("C. Lee", "second", PersonAct.VOID),
    ]
    assert items[-1] == CoupEnds()


def test_a_decision_that_leaves_the_coup_is_nobodys_act(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *OVERDRAW)
    table.acted(Resolution(FloorDecision.CONTINUE))
    assert not any(isinstance(one, PersonActs) for one in told(conclusions(table)))


def test_who_corrects_is_told(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *COUP)
    table.acted(CorrectCoup(coup=1, outcome=Outcome.TIE, second="C. Lee"))
    assert untimed(told(conclusions(table)))[-2:] == [
        PersonActs("A. Floor", "floorperson", PersonAct.CORRECT),
        PersonActs("C. Lee", "second", PersonAct.CORRECT),
    ]


def test_a_coup_is_of_the_dealers_who_have_signed_on(script) -> None:
    table = script().begun().reported(*NEW_SHOE)
    table.acted(SignDealerOn(), Role.DEALER)
    table.reported(*COUP)
    table.acted(SignDealerOff(), Role.DEALER)
    table.reported(*COUP)
    ends = [one for one in told(conclusions(table)) if isinstance(one, CoupEnds)]
    assert ends == [CoupEnds(("A. Floor",)), CoupEnds()]


def test_each_input_tells_its_time_and_a_coup_begins_with_its_first_card(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *COUP, *COUP)
    items = told(conclusions(table))
    times = [one.at_ns for one in items if isinstance(one, TimePasses)]
    assert times[1:] == [one.at.monotonic_ns for one in table.inputs]
    begun = [one.at_ns for one in items if isinstance(one, CoupBegins)]
    first_cards = [table.inputs[-10], table.inputs[-5]]
    assert begun == [one.at.monotonic_ns for one in first_cards]


def test_a_machine_that_started_again_begins_its_clock_anew(script) -> None:
    table = script().begun()
    assert told(conclusions(table))[0] == TimePasses(0)


def test_the_cut_card_is_told_when_put_in_and_when_it_comes_out(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *COUP, "43")
    *_, last = conclusions(table)
    at_ns = table.at.monotonic_ns
    assert untimed(told([last])) == [CutCardCameOut(at_ns)]
    placed = ActRecord("cut-cards-placed", "A. Floor", message("cards_cut"), ())
    assert untimed(told([replace(last, entries=(placed,))])) == [CutCardPutIn(at_ns)]


def test_a_burn_without_a_count_ends_before_the_card_that_ends_it(script) -> None:
    """The rules show every burn card, and not yet the first card of the coup."""
    table = script().begun().reported(*NEW_SHOE, COUP[0])
    found = conclusions(table)
    last = found[-1].item
    entries = [entry for one in found for entry in one.entries]
    (burn,) = (one for one in entries if isinstance(one, BurnDone))
    together = [one for one in entries if one is not burn]
    shown = replace(FACE_DOWN, burn_cards=True)
    state, items = monitor_items(Monitored(), shown, Conclusion(last, (*together, burn)))
    assert [one for one in items if isinstance(one, CardSeen)] == [
        CardSeen(Card.parse("Ad")),
        CardSeen(Card.parse("7h")),
    ]
    assert CoupBegins(last.at.monotonic_ns) in items
    assert state.waiting == (Card.parse("9h"),)


def test_a_device_that_reports_without_end_is_held_to_a_bound(script) -> None:
    table = script().begun().reported(*NEW_SHOE, COUP[0])
    *_, last = conclusions(table)
    full = Monitored(shoe=1, waiting=(Card.parse("9h"),) * WAITING_MAX)
    state, _ = monitor_items(full, FACE_DOWN, last)
    assert state.waiting == (None,) * WAITING_MAX


# --- batches --------------------------------------------------------------------------------------


def proof_of(device: str) -> ShuffleProof:
    return ShuffleProof(
        device, 1, 1, 1, 1, 416, ShuffleResult.GOOD, "", b"", 0, 1, b"", "", b"", True, True
    )


def moved(batch: str, after: BatchStage, why: str = "first_card_drawn") -> StageChange:
    return StageChange(batch, BatchStage.UNKNOWN, after, message(why, batch=batch))


def batches_told(table, *entries, card_back: str = "") -> list[BatchInPlay]:
    """What is told of batches where these entries come before the shoe is opened."""
    found = conclusions(table)

    def of(entry):
        event = entry.event if isinstance(entry, EventVerdicts) else None
        if isinstance(event, CardDrawn):
            return replace(entry, event=replace(event, back=card_back))
        return entry

    first = replace(found[0], entries=(*found[0].entries, *entries))
    rest = [replace(one, entries=tuple(map(of, one.entries))) for one in found[1:]]
    return [one for one in told([first, *rest]) if isinstance(one, BatchInPlay)]


def test_the_batch_and_the_device_that_shuffled_it_are_told_once(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *COUP)
    shuffled = ShuffleRecorded("red", proof_of("SH-1"), None)
    moves = (moved("red", BatchStage.SHUFFLED, "shuffle_done"), shuffled)
    in_play = moved("red", BatchStage.IN_PLAY)
    assert batches_told(table, *moves, in_play) == [BatchInPlay("red", "SH-1")]
    assert batches_told(table, *moves, card_back="red") == [BatchInPlay("red", "SH-1")]
    assert batches_told(table, *moves, card_back="blue") == [BatchInPlay("blue", "")]
    assert batches_told(table, *moves) == []


def test_a_receipt_that_was_refused_shuffled_nothing(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *COUP)
    refused = ShuffleRecorded("red", proof_of("SH-1"), message("from_another_device"))
    assert batches_told(table, refused, card_back="red") == [BatchInPlay("red", "")]


def test_a_shuffle_by_hand_and_one_that_lamps_show_are_told_apart(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *COUP)
    by_hand = moved("red", BatchStage.SHUFFLED, "shuffled_by_hand")
    by_lamps = moved("red", BatchStage.SHUFFLED, "shuffle_done")
    assert batches_told(table, by_hand, card_back="red") == [BatchInPlay("red", "")]
    assert batches_told(table, by_lamps, card_back="red") == [BatchInPlay("red", LAMPS)]


def test_a_batch_that_a_person_loaded_is_told_with_the_shoe(script) -> None:
    table = script().begun()
    table.acted(RecordAct(ActKind.LOADED, batch="red"))
    table.reported(*NEW_SHOE, *COUP)
    items = told(conclusions(table))
    opened = next(at for at, one in enumerate(items) if isinstance(one, ShoeOpens))
    assert items[opened + 1] == BatchInPlay("red", "")


def test_a_shuffle_is_of_the_next_dealing_alone(script) -> None:
    """Who deals the batch again, with no shuffle on record, deals what people shuffled."""
    state = Monitored(shoe=1, shuffled=(Shuffled("red", "SH-1"),))
    table = script().begun().reported(*NEW_SHOE, *COUP)
    in_play = replace(conclusions(table)[0], entries=(moved("red", BatchStage.IN_PLAY),))
    state, items = monitor_items(state, FACE_DOWN, in_play)
    assert BatchInPlay("red", "SH-1") in items
    assert (state.back, state.shuffled) == ("red", ())
