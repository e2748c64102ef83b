"""Identifies the batch in a compartment when the shuffler does not report it.

Source: NY-a-4-iv-b-same, NY-a-4-iv-c, NY-a-4-iv-e; S42-a-4-iii-same, S42-a-4-iv, S42-a-4-vi.
"""

from typing import Final

from msgspec import Struct

from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import BatchLife, Lineage
from foundation.message import Message, message

# Stages in which a batch may go into the shuffler without a record.
_ON_ITS_WAY: Final = (
    BatchStage.UNKNOWN,
    BatchStage.COLLECTED,
    BatchStage.SPENT,
    BatchStage.HELD,
)


class CompartmentMatch(Struct, frozen=True):
    """The batch in a compartment; `life` None where it is unknown.

    Where there is a `contradiction`, `life`, if any, is the batch in doubt.
    """

    life: BatchLife | None
    contradiction: Message | None = None


def match_compartment(lineage: Lineage, compartment: int, sensed: str) -> CompartmentMatch:
    """The batch of the cards in a compartment; `sensed` is the back that a sensor saw, or empty."""
    here = lineage.in_compartment(compartment)
    if not sensed:
        return _expected(lineage, compartment) if here is None else _unless_in_play(lineage, here)
    life = lineage.life(sensed)
    if life is None:
        backs = tuple(one.back for one in lineage.lives)
        return CompartmentMatch(
            here or _expected(lineage, compartment).life,
            message("strange_back_seen", foreign=sensed, compartment=compartment, backs=backs),
        )
    if here is not None and here != life:
        seen_there = message(
            "other_back_seen", compartment=compartment, batch=here.back, seen=sensed
        )
        return CompartmentMatch(here, seen_there)
    if life.compartment not in (0, compartment):
        elsewhere = message(
            "seen_in_other_compartment",
            batch=sensed,
            compartment=compartment,
            known=life.compartment,
        )
        return CompartmentMatch(life, elsewhere)
    return _unless_in_play(lineage, life)


def _unless_in_play(lineage: Lineage, life: BatchLife) -> CompartmentMatch:
    if life.back != lineage.in_play:
        return CompartmentMatch(life)
    return CompartmentMatch(life, message("in_play_but_reported_inside", batch=life.back))


def _expected(lineage: Lineage, compartment: int) -> CompartmentMatch:
    """The batch that goes into the shuffler next: as recorded, else the only one that can."""
    recorded = lineage.life(lineage.into_shuffler)
    if recorded is not None and not recorded.compartment:
        return _unless_in_play(lineage, recorded)
    outside = [one for one in lineage.lives if not one.compartment and one.stage in _ON_ITS_WAY]
    away = [one for one in outside if one.back != lineage.in_play]
    if not away:
        return CompartmentMatch(None, message("no_batch_can_be_there", compartment=compartment))
    return CompartmentMatch(away[0] if len(away) == 1 else None)
