"""Identifies the batch in a compartment when the shuffler does not report it.

Source: NY-a-4-iv-b-same, NY-a-4-iv-c, NY-a-4-iv-e; S42-a-4-iii-same, S42-a-4-iv, S42-a-4-vi.
"""

from typing import Final

from msgspec import Struct

from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import BatchLife, Lineage
from controller.custody.batch_life.warnings import printable

# Stages in which a batch may go into the shuffler without a record.
_ON_ITS_WAY: Final = (
    BatchStage.UNKNOWN,
    BatchStage.COLLECTED,
    BatchStage.SPENT,
    BatchStage.HELD,
)


class CompartmentMatch(Struct, frozen=True):
    """The batch in a compartment; `life` None where it is unknown.

    `contradiction` is a sentence; `life`, if any, is then the batch in doubt.
    """

    life: BatchLife | None
    contradiction: str = ""


def match_compartment(lineage: Lineage, compartment: int, sensed: str) -> CompartmentMatch:
    """The batch of the cards in a compartment; `sensed` is the back that a sensor saw, or empty."""
    here = lineage.in_compartment(compartment)
    if not sensed:
        return _expected(lineage, compartment) if here is None else _unless_in_play(lineage, here)
    life = lineage.life(sensed)
    if life is None:
        backs = " and ".join(one.back for one in lineage.lives)
        seen = printable(sensed)
        return CompartmentMatch(
            here or _expected(lineage, compartment).life,
            f"a {seen} back is seen in compartment {compartment}; this table's batches are {backs}",
        )
    if here is not None and here != life:
        return CompartmentMatch(
            here, f"compartment {compartment} holds {here.back}, and a {sensed} back is seen there"
        )
    if life.compartment not in (0, compartment):
        return CompartmentMatch(
            life, f"{sensed} is seen in compartment {compartment} but is in {life.compartment}"
        )
    return _unless_in_play(lineage, life)


def _unless_in_play(lineage: Lineage, life: BatchLife) -> CompartmentMatch:
    if life.back != lineage.in_play:
        return CompartmentMatch(life)
    return CompartmentMatch(
        life, f"{life.back} is in play, but the shuffler reports that it holds it"
    )


def _expected(lineage: Lineage, compartment: int) -> CompartmentMatch:
    """The batch that goes into the shuffler next: as recorded, else the only one that can."""
    recorded = lineage.life(lineage.into_shuffler)
    if recorded is not None and not recorded.compartment:
        return _unless_in_play(lineage, recorded)
    outside = [one for one in lineage.lives if not one.compartment and one.stage in _ON_ITS_WAY]
    away = [one for one in outside if one.back != lineage.in_play]
    if not away:
        return CompartmentMatch(
            None, f"cards are in compartment {compartment}, but no batch of this table can be there"
        )
    return CompartmentMatch(away[0] if len(away) == 1 else None)
