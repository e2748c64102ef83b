"""What the monitors know over many shoes, of bounded size; what each says of a shoe at its end."""

from msgspec import Struct

from controller.monitors.across_shoes.missing_cards import BatchFaces, count_faces
from controller.monitors.across_shoes.pace import TablePace, compare_pace
from controller.monitors.across_shoes.shufflers import Shuffler, compare
from controller.monitors.across_shoes.turned_cards import BatchTurned, compare_turned
from controller.monitors.budget import Alarm
from controller.monitors.past import PastShoes
from controller.monitors.people import MONTHS_SHOES, PeopleCounts, shoe_ends
from controller.monitors.shoe_watch import ShoeSoFar, advisory_of
from controller.rules.advisory import Advisory, Evidence


class AcrossShoes(Struct, frozen=True):
    """The tests of one table over its shoes; `people` are counted over months."""

    shufflers: tuple[Shuffler, ...] = ()
    faces: tuple[BatchFaces, ...] = ()
    turned: tuple[BatchTurned, ...] = ()
    pace: TablePace = TablePace()
    people: PeopleCounts = PeopleCounts()


def across_after(
    across: AcrossShoes, shoe: ShoeSoFar, past: PastShoes
) -> tuple[AcrossShoes, tuple[Advisory, ...]]:
    """The tests after this shoe; `past` are those before it, without it."""
    found: list[tuple[Alarm | None, Evidence | None]] = []
    shufflers, faces, turned = across.shufflers, across.faces, across.turned
    if shoe.batch:
        earlier = next((one for one in reversed(past.shoes) if one.batch == shoe.batch), None)
        if earlier is not None:
            shufflers, alarm, order = compare(
                shufflers, shoe.shuffler, earlier, shoe.cards, shoe.decks
            )
            found.append((alarm, order))
        faces, alarm, missing = count_faces(faces, shoe.batch, shoe.cards, shoe.decks)
        found.append((alarm, missing))
        if shoe.turned:
            turned, alarm, other = compare_turned(
                turned, shoe.batch, shoe.cards, shoe.turned, shoe.decks
            )
            found.append((alarm, other))
    pace, alarm, slower = compare_pace(across.pace, shoe.gaps_ms)
    found.append((alarm, slower))
    people = shoe_ends(across.people, MONTHS_SHOES)
    return AcrossShoes(shufflers, faces, turned, pace, people), tuple(
        advisory_of(shoe, alarm, evidence)
        for alarm, evidence in found
        if alarm is not None and evidence is not None
    )
