"""What the monitors know over many shoes: of bounded size, kept when a shoe ends."""

from msgspec import Struct

from controller.monitors.across_shoes.missing_cards import BatchFaces
from controller.monitors.across_shoes.pace import TablePace
from controller.monitors.across_shoes.shufflers import Shuffler
from controller.monitors.across_shoes.turned_cards import BatchTurned
from controller.monitors.people import PeopleCounts


class AcrossShoes(Struct, frozen=True):
    """The tests of one table over its shoes; `people` are counted over months."""

    shufflers: tuple[Shuffler, ...] = ()
    faces: tuple[BatchFaces, ...] = ()
    turned: tuple[BatchTurned, ...] = ()
    pace: TablePace = TablePace()
    people: PeopleCounts = PeopleCounts()
