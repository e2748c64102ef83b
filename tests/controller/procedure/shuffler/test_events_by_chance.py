"""Random shuffler events between cards and acts of people: the invariants hold at every step."""

import random

import pytest

from controller.procedure.effects import WarningClosed, WarningOpened
from controller.procedure.people.permitted import permitted_decisions
from controller.procedure.verdicts import Irregularity
from controller.rules.actions.choices import Provisional

BACKS = ("red", "blue")
STATES = ("empty", "loading", "counted", "shuffling", "shuffled", "stored", "released", "held")
ACTS = (
    *("into-shuffler red", "into-shuffler blue", "shuffled red", "loaded red 416", "received red"),
    *("loaded blue 416", "cut 200", "released", "shuffler-opened", "cards-touched blue"),
    *("discard-cleared", "dead-table-spread", "respread blue", "cards-touched red"),
)
CARDS = (
    "start",
    "burn Ac: 2c",
    "P1 7h",
    "B 7c",
    "P Kd",
    "B Kh",
    "result tie",
    "stand-by",
    "cut card",
)
HARMS = (
    *("C jam", "C unjammed", "C residual 16", "C residual 0", "door C open", "door C closed"),
    *("mode sort", "mode play", "warning 17 on belt", "warning 17 off belt", "proven", "gone"),
    *("lost 2", "C aborted N power"),
)


class Evening:
    """One table for so many events."""

    def __init__(self, people, seed: int) -> None:
        self.people = people
        self.chance = random.Random(seed)

    def apply_random_event(self) -> None:
        """Mostly the next event in order, sometimes any other."""
        if self.chance.random() < 0.6:
            self.in_order()
        else:
            self.chance.choice(
                (self.shuffler, self.wrong_event, self.card, self.act, self.clears)
            )()

    def in_order(self) -> None:
        people, back = self.people, self.chance.choice(BACKS)
        moves = (people.put_in, people.begin, people.finish, people.shuffle, people.release)
        if self.chance.random() < 0.4:
            self.chance.choice(moves)(back)
        else:
            self.card()

    def shuffler(self) -> None:
        place, back = self.chance.choice((1, 2)), self.chance.choice((*BACKS, "green"))
        state, cards = self.chance.choice(STATES), self.chance.choice((0, 412, 416, 416))
        self.people.run_script(f"shuffler {place} {state} {cards} of {back}")

    def wrong_event(self) -> None:
        words = self.chance.choice(HARMS)
        place, cycle = str(self.chance.choice((1, 2))), str(max(1, self.people.cycle))
        self.people.run_script(f"shuffler {words.replace('C', place).replace('N', cycle)}")

    def card(self) -> None:
        self.people.table.deal(self.chance.choice(CARDS))
        self.decide()

    def decide(self) -> None:
        table = self.people.table
        if table.state.open_irregularities and self.chance.random() < 0.5:
            permitted = permitted_decisions(table.book, table.state, Provisional.VOID)
            decision = self.chance.choice(permitted).value
            outcome = " tie" if decision == "state-outcome" else ""
            table.decide(f"{decision}{outcome} void")

    def act(self) -> None:
        floor = {"role": "floorperson", "reason": "seen"} if self.chance.random() < 0.5 else {}
        self.people.do(self.chance.choice(ACTS), **floor)

    def clears(self) -> None:
        newest = self.people.table.state.lineage.warnings_given
        self.people.run_script(f"clear warning {self.chance.randint(1, max(1, newest))}")


def holds(table, first: int) -> None:
    """Warnings have unique numbers, and exactly those not cleared are open."""
    opened = [one.number for one in table.of(WarningOpened)]
    closed = [one.number for one in table.of(WarningClosed)]
    assert opened == list(range(1, len(opened) + 1))
    assert [one.number for one in table.state.lineage.warnings] == [
        number for number in opened if number not in closed
    ]
    for one in table.verdicts[first:]:
        if isinstance(one, Irregularity):
            assert one.clauses


def random_play(people, seed: int, happenings: int) -> set[str]:
    table, one = people.table, Evening(people, seed)
    for number in range(happenings):
        table.encoded = number % 40 == 0
        first = len(table.verdicts)
        try:
            one.apply_random_event()
            holds(table, first)
        except BaseException as error:
            error.add_note(f"seed {seed}, happening {number}")
            raise
    return {one.code.value for one in table.irregularities}


def test_thousands_of_random_events(new_shuffler_table) -> None:
    met: set[str] = set()
    for seed in range(12):
        met |= random_play(new_shuffler_table(("ny-mini", "s42-mini")[seed % 2]), seed, 250)
    assert met >= {
        *("BATCH_UNSHUFFLED", "BATCH_NOT_READY", "BATCH_BLOCKED", "BATCH_REPEATED"),
        *("CARD_UNDER_WARNING", "IDLE_BATCH_OUT"),
    }


@pytest.mark.full
@pytest.mark.parametrize("block", range(4))
def test_very_many_by_chance(new_shuffler_table, block) -> None:
    for seed in range(1000 + block * 50, 1050 + block * 50):
        assert random_play(new_shuffler_table(("ny-mini", "s42-mini")[seed % 2]), seed, 600)
