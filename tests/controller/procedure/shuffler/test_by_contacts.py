"""A shuffler that shows only contacts: people enter the steps, which are judged as orders would be.

Source: S42 (a)(4), (e)(1), (e)(8)(ii).
"""

import pytest
from msgspec.structs import replace

from controller.procedure.events import ShufflerReported
from controller.system.messages.catalogue import to_words
from drivers.shuffler_events import ShuffleShown, ShuffleStarted

BEGAN_NS = 1_795_262_400 * 1_000_000_000
CYCLE = 1
RAN_MS = 90_000


@pytest.fixture
def people(new_shuffler_table):
    made = new_shuffler_table()
    made.table.book = replace(made.table.book, by_contacts=True)
    return made


def shuffle_is_shown(people) -> list[object]:
    people.table.apply(ShufflerReported(ShuffleStarted(1, CYCLE), BEGAN_NS))
    shown = ShufflerReported(ShuffleShown(1, CYCLE, RAN_MS), BEGAN_NS + RAN_MS * 1_000_000)
    return list(people.table.apply(shown).verdicts)


def test_a_batch_goes_in_with_the_number_that_people_counted(people) -> None:
    refused = people.do("into-shuffler red")

    assert refused.startswith("this shuffler counts no cards: count red")
    assert people.do("into-shuffler red 416") == ""
    assert people.stage("red") == "counted"


def test_a_shuffle_that_the_lamps_show_counts_without_a_receipt(people) -> None:
    people.do("into-shuffler red 416")
    (said,) = shuffle_is_shown(people)

    assert people.stage("red") == "shuffled"
    assert to_words(said.what) == f"the lamps show that shuffle {CYCLE} is over"


def test_a_batch_is_taken_out_once_it_is_shuffled(people) -> None:
    people.do("into-shuffler red 416")
    assert people.do("released red") != ""
    shuffle_is_shown(people)

    assert people.do("released red") == ""
    assert people.stage("red") == "released"


def test_nothing_is_taken_out_of_an_empty_shuffler(people) -> None:
    assert people.do("released red").startswith("no batch is known to be in the shuffler")


def test_other_acts_are_not_steps_of_the_shuffler(people) -> None:
    assert people.do("inspected red 416") == ""
