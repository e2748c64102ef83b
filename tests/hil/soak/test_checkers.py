"""Each checker of the soak fires where what it states does not hold, and not before."""

from collections.abc import Callable
from dataclasses import replace as with_fields

import pytest
from msgspec.structs import replace

from controller.core.tape.entries import CommandGiven, CoreOutput, EventVerdicts
from controller.core.tape.inputs import Tick
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import WarningKind
from controller.custody.card_states import CardState
from controller.procedure.effects import CoupClosed, ShoeEnded, WarningOpened
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.verdicts import Irregularity
from controller.rules.actions.actions import OperatorAction, RecordAct
from controller.rules.actions.choices import ActKind
from controller.rules.actions.declaration import Role
from controller.rules.outcome import Outcome
from foundation.message import message
from hil.dealing.mistakes import Mistake
from hil.emulator.angel_eye.device import AngelEye
from hil.scenario.language.reading import parse_scenario
from hil.scenario.language.statements import DealCoups, FloorDecides, TablePart
from hil.soak.checkers import (
    CardsConserved,
    Checker,
    CoupAsDealt,
    EveryCoupCounted,
    LockedWhileSuspended,
    LossOnRecord,
    MistakesOnRecord,
    NoEffectWithoutEntry,
    NoFalseAlarm,
    NothingUndealtShown,
    OneBatchInPlay,
    PersonRefused,
    ReplayIsSame,
    ShoeOverAfterLastHand,
    Violated,
    WarningsInterlock,
)
from hil.soak.soak import CHECKERS
from hil.soak.world import SHOE_PORT, SoakWorld

ANGEL_EYE = "insert cut card at 390\nload red\ndeal burn\n"
RFID = f"device shoe rfid\n{ANGEL_EYE}"
TWO_COUPS = "deal 2 coups\n"
SHUFFLER = "device shuffler tablelink\nshuffle red\nshuffle blue\nbring out red\n"
WHAT = message("as_typed", typed="made up by a test")
# A seed with the exit locked by command, and one without.
LOCKED, FREE = 1, 0


class Watched:
    """A world with one checker that is called at every moment, as a soak run does."""

    def __init__(self, kind: type[Checker], text: str, seed: int = FREE) -> None:
        scenario = parse_scenario(text)
        self.world = SoakWorld(scenario, seed)
        self.checker = kind(self.world)
        self.table = self.world.table
        self.table.watches.append(self.checker.concluded)
        for step in scenario.steps:
            self.world.perform(step.body)
            self.checker.done(step.body)

    def conclude(self, *entries: object, item: object = None, **output: object) -> None:
        """The program concludes this, whatever it was."""
        given = Tick(self.table.at) if item is None else item
        self.checker.concluded(self.table.state, given, CoreOutput(entries, **output))

    def done(self) -> None:
        self.checker.done(FloorDecides())

    @property
    def records(self) -> list[CoupClosed]:
        return [one for one in self.table.entries if isinstance(one, CoupClosed)]


def irregularity(code: IrregularityCode) -> EventVerdicts:
    return EventVerdicts(None, (Irregularity(code, 1, 0, WHAT, (), (), suspends=True),))


def lose_a_card(watched: Watched) -> None:
    watched.world.piles.held["blue"].pop()
    watched.done()


def put_a_card_twice(watched: Watched) -> None:
    watched.world.piles.held["blue"].append(watched.world.piles.drawn[0])
    watched.done()


def draw_unseen(watched: Watched) -> None:
    assert watched.world.shoe is not None
    watched.world.shoe.cards += 1
    watched.done()


def forget_in_custody(watched: Watched) -> None:
    state = watched.table.state
    ledger = state.custody.batches[0]
    counted = replace(ledger, places=ledger.places[:-1] + b"\x63")
    custody = replace(state.custody, batches=(counted, *state.custody.batches[1:]))
    before, watched.table.state = state, replace(state, custody=custody)
    watched.checker.concluded(before, Tick(watched.table.at), CoreOutput())


def move_in_custody(watched: Watched, source: CardState, target: CardState) -> None:
    state = watched.table.state
    assert state.custody.shoe is not None
    in_play = state.custody.shoe.in_play
    ledger = next(one for one in state.custody.batches if one.manifest.batch == in_play)
    places = ledger.places.replace(bytes((source,)), bytes((target,)), 1)
    assert places != ledger.places
    moved = replace(ledger, places=places)
    batches = tuple(moved if one is ledger else one for one in state.custody.batches)
    watched.table.state = replace(state, custody=replace(state.custody, batches=batches))
    watched.done()


def leave_the_shoe_in_custody(watched: Watched) -> None:
    move_in_custody(watched, CardState.SHOE, CardState.RACK)


def come_back_into_the_shoe_in_custody(watched: Watched) -> None:
    move_in_custody(watched, CardState.RACK, CardState.SHOE)


def forget_a_card_of_the_batch(watched: Watched) -> None:
    resize_batch(watched, lambda of_each_card: of_each_card[:-1])


def invent_a_card_of_the_batch(watched: Watched) -> None:
    resize_batch(watched, lambda of_each_card: of_each_card + of_each_card[-1:])


def resize_batch(watched: Watched, resize: Callable[[bytes], bytes]) -> None:
    state = watched.table.state
    ledger, *others = state.custody.batches
    manifest = replace(ledger.manifest, faces=resize(ledger.manifest.faces))
    counted = replace(ledger, manifest=manifest, places=resize(ledger.places))
    custody = replace(state.custody, batches=(counted, *others))
    before, watched.table.state = state, replace(state, custody=custody)
    watched.checker.concluded(before, Tick(watched.table.at), CoreOutput())


def count_too_few(watched: Watched) -> None:
    count_by(watched, -1)


def count_too_many(watched: Watched) -> None:
    count_by(watched, 1)


def count_by(watched: Watched, cards: int) -> None:
    state = watched.table.state
    shoe = state.table.shoe
    assert shoe is not None
    shoe = replace(shoe, cards_drawn=shoe.cards_drawn + cards)
    watched.table.state = replace(state, table=replace(state.table, shoe=shoe))
    watched.done()


def play_both_batches(watched: Watched) -> None:
    state = watched.table.state
    lineage = state.table.lineage
    lives = tuple(replace(one, stage=BatchStage.IN_PLAY) for one in lineage.lives)
    table = replace(state.table, lineage=replace(lineage, lives=lives))
    watched.table.state = replace(state, table=table)
    watched.conclude()


def write_without_entry(watched: Watched) -> None:
    watched.conclude(writes=((SHOE_PORT, b"lock"),))


def write_more_than_entries(watched: Watched) -> None:
    given = CommandGiven(SHOE_PORT, WHAT, WHAT)
    watched.conclude(given, writes=((SHOE_PORT, b"lock"), (SHOE_PORT, b"free")))
    watched.conclude(writes=((SHOE_PORT, b"other"),))


def free_the_exit(watched: Watched) -> None:
    device = watched.table.devices[SHOE_PORT]
    assert isinstance(device, AngelEye)
    assert device.locked, "the table is suspended"
    device.locked = False
    watched.done()


def count_other_cards(watched: Watched) -> None:
    record = watched.records[-1].record
    swapped = replace(record, coup=record.coup + 1, cards=tuple(reversed(record.cards)))
    watched.conclude(CoupClosed(swapped))


def count_another_winner(watched: Watched) -> None:
    watched.checker = CoupAsDealt(watched.world)
    record = watched.records[0].record
    other = Outcome.TIE if record.outcome is not Outcome.TIE else Outcome.PLAYER
    watched.conclude(CoupClosed(replace(record, outcome=other)))


def repeat_a_number(watched: Watched) -> None:
    watched.conclude(watched.records[-1])


def sum_wrongly(watched: Watched) -> None:
    shoe = watched.table.state.table.shoe
    tally = shoe.tally
    watched.conclude(
        ShoeEnded("", 1, 30, 2, tally.player + 1, tally.banker, tally.tie, 0, 0, "", "")
    )


def leave_a_coup_out(watched: Watched) -> None:
    assert watched.world.shoe is not None
    watched.world.shoe.coups.append(with_fields(watched.world.shoe.coups[0]))
    watched.done()


def deal_no_last_hand(watched: Watched) -> None:
    watched.checker.done(DealCoups(0))


def make_an_unseen_mistake(watched: Watched) -> None:
    watched.world.made.append(Mistake.EXTRA_CARD)
    watched.done()


def raise_an_alarm(watched: Watched) -> None:
    watched.conclude(irregularity(IrregularityCode.OVERDRAW))


def raise_another_mistake(watched: Watched) -> None:
    watched.world.planned.append(Mistake.WRONG_RESULT)
    watched.conclude(irregularity(IrregularityCode.RESULT_MISMATCH))
    watched.conclude(irregularity(IrregularityCode.OVERDRAW))


def warn_for_nothing(watched: Watched) -> None:
    watched.conclude(WarningOpened(1, WarningKind.LAMP, 21, WHAT, ()))


def draw_under_a_warning(watched: Watched) -> None:
    watched.conclude(WarningOpened(1, WarningKind.LAMP, 21, WHAT, ()))
    watched.world.performer.perform(DealCoups(1))


def lose_a_report(watched: Watched) -> None:
    watched.world.bench.lines[TablePart.SHOE].lost += 1
    watched.world.performer.perform(DealCoups(1))


def let_a_dealer_decide(watched: Watched) -> None:
    act = RecordAct(ActKind.SHOE_EMPTY)
    item = OperatorAction(watched.table.at, "D", Role.DEALER, "test", act, "")
    watched.conclude(item=item)


def show_face_down_cards(watched: Watched) -> None:
    watched.world.scenario = with_fields(watched.world.scenario, profile="ny-midi")
    watched.world.performer.perform(DealCoups(1))


def change_an_entry(watched: Watched) -> None:
    watched.table.entries[5] = irregularity(IrregularityCode.OVERDRAW)
    watched.checker.replay()


def change_the_state(watched: Watched) -> None:
    watched.table.state = replace(watched.table.state, boot_id="another one")
    watched.checker.replay()


CASES: tuple[tuple[type[Checker], str, int, Callable[[Watched], object]], ...] = (
    (CardsConserved, ANGEL_EYE + TWO_COUPS, FREE, lose_a_card),
    (CardsConserved, ANGEL_EYE + TWO_COUPS, FREE, put_a_card_twice),
    (CardsConserved, RFID + TWO_COUPS, FREE, draw_unseen),
    (CardsConserved, RFID + TWO_COUPS, FREE, forget_in_custody),
    (CardsConserved, RFID + TWO_COUPS, FREE, forget_a_card_of_the_batch),
    (CardsConserved, RFID + TWO_COUPS, FREE, invent_a_card_of_the_batch),
    (CardsConserved, RFID + TWO_COUPS, FREE, leave_the_shoe_in_custody),
    (CardsConserved, RFID + TWO_COUPS, FREE, come_back_into_the_shoe_in_custody),
    (CardsConserved, RFID + TWO_COUPS, FREE, count_too_few),
    (CardsConserved, RFID + TWO_COUPS, FREE, count_too_many),
    (OneBatchInPlay, SHUFFLER + ANGEL_EYE, FREE, play_both_batches),
    (NoEffectWithoutEntry, ANGEL_EYE, FREE, write_without_entry),
    (NoEffectWithoutEntry, ANGEL_EYE, FREE, write_more_than_entries),
    (LockedWhileSuspended, f"{ANGEL_EYE}err forced_exit\ndeal coup\n", LOCKED, free_the_exit),
    (CoupAsDealt, ANGEL_EYE + TWO_COUPS, FREE, count_other_cards),
    (CoupAsDealt, ANGEL_EYE + TWO_COUPS, FREE, count_another_winner),
    (CoupAsDealt, ANGEL_EYE + TWO_COUPS, FREE, repeat_a_number),
    (CoupAsDealt, ANGEL_EYE + TWO_COUPS, FREE, sum_wrongly),
    (EveryCoupCounted, RFID + TWO_COUPS, FREE, leave_a_coup_out),
    (ShoeOverAfterLastHand, ANGEL_EYE + "deal 1 coups\n", FREE, deal_no_last_hand),
    (MistakesOnRecord, ANGEL_EYE + TWO_COUPS, FREE, make_an_unseen_mistake),
    (NoFalseAlarm, ANGEL_EYE + TWO_COUPS, FREE, raise_an_alarm),
    (NoFalseAlarm, ANGEL_EYE + TWO_COUPS, FREE, raise_another_mistake),
    (NoFalseAlarm, ANGEL_EYE + TWO_COUPS, FREE, warn_for_nothing),
    (WarningsInterlock, RFID, FREE, draw_under_a_warning),
    (LossOnRecord, ANGEL_EYE, FREE, lose_a_report),
    (PersonRefused, ANGEL_EYE, FREE, let_a_dealer_decide),
    (NothingUndealtShown, RFID, FREE, show_face_down_cards),
    (ReplayIsSame, ANGEL_EYE + TWO_COUPS, FREE, change_an_entry),
    (ReplayIsSame, ANGEL_EYE + TWO_COUPS, FREE, change_the_state),
)


@pytest.mark.parametrize(
    ("kind", "text", "seed", "wrong"), CASES, ids=[wrong.__name__ for *_, wrong in CASES]
)
def test_a_checker_fires(
    kind: type[Checker], text: str, seed: int, wrong: Callable[[Watched], object]
) -> None:
    watched = Watched(kind, text, seed)
    with pytest.raises((Violated, AssertionError)) as fired:
        wrong(watched)

    if isinstance(fired.value, Violated):
        assert fired.value.checker == kind.name


def test_every_checker_is_shown_to_fire() -> None:
    assert {kind for kind, *_ in CASES} == {*CHECKERS, ReplayIsSame}


def test_a_cut_card_in_a_burn_that_a_mistake_broke_off_is_known_by_its_shoe() -> None:
    text = "err cut_card_during_burn\nerr burn_short\ninsert cut card at 414\nload red\n"
    watched = Watched(MistakesOnRecord, f"{text}deal burn\nfloor decides\ndeal 1 coups\n")

    assert Mistake.CUT_CARD_DURING_BURN in watched.world.made


def test_a_batch_that_was_not_shuffled_is_on_record() -> None:
    """The program raises it; without that the checker fires."""
    text = "device shuffler tablelink\nput in red\npress load 1\npress count 1\nreach in red\n"
    watched = Watched(OneBatchInPlay, text + ANGEL_EYE)
    assert watched.world.shoe is not None
    assert watched.world.shoe.defect == "not shuffled"

    del watched.table.entries[watched.world.shoe.entries :]
    parsed = parse_scenario("deal burn")
    with pytest.raises(Violated, match="not shuffled"):
        watched.checker.done(parsed.steps[0].body)
