"""Which batch lies in a compartment, when the shuffler does not say it.

Responsible for: naming the batch by what a sensor saw, by what is known to lie there, by what
people said goes in, and by which one alone can be on its way; and what contradicts itself.
Not responsible for: what becomes of the batch (compartments, shuffles, status).
Source: NY-a-4-iv-b-same, NY-a-4-iv-c, NY-a-4-iv-e; S42-a-4-iii-same, S42-a-4-iv, S42-a-4-vi.
"""

from typing import Final

from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import BatchLife, Lineage
from controller.custody.batch_life.warnings import harmless
from firmware_bridge.values import dataclass

# A batch that can be on its way into the shuffler without anybody saying so.
_ON_ITS_WAY: Final = (
    BatchStage.UNKNOWN,
    BatchStage.COLLECTED,
    BatchStage.SPENT,
    BatchStage.HELD,
)


@dataclass(frozen=True, slots=True)
class Found:
    """The batch in a compartment. `wrong` is a sentence: what is told of it cannot be; the batch,

    if one is named, is the one in doubt. Neither: nobody can say which batch it is.
    """

    life: BatchLife | None
    wrong: str = ""


def found_in(lineage: Lineage, compartment: int, sensed: str) -> Found:
    """Which batch the cards in that compartment are of; `sensed` is the back a sensor saw."""
    here = lineage.lying_in(compartment)
    if not sensed:
        return _expected(lineage, compartment) if here is None else _in_there(lineage, here)
    life = lineage.life(sensed)
    if life is None:
        backs = " and ".join(one.back for one in lineage.lives)
        seen = harmless(sensed)
        return Found(
            here or _expected(lineage, compartment).life,
            f"a {seen} back is seen in compartment {compartment}; this table's batches are {backs}",
        )
    if here is not None and here != life:
        return Found(
            here, f"compartment {compartment} holds {here.back}, and a {sensed} back is seen there"
        )
    if life.compartment not in (0, compartment):
        return Found(
            life, f"{sensed} is seen in compartment {compartment} and lies in {life.compartment}"
        )
    return _in_there(lineage, life)


def _in_there(lineage: Lineage, life: BatchLife) -> Found:
    if life.back != lineage.in_play:
        return Found(life)
    return Found(life, f"{life.back} is in play, and the shuffler says that it holds it")


def _expected(lineage: Lineage, compartment: int) -> Found:
    """The batch that goes into the shuffler next: as people said, else the only one that can."""
    said = lineage.life(lineage.into_shuffler)
    if said is not None and not said.compartment:
        return _in_there(lineage, said)
    outside = [one for one in lineage.lives if not one.compartment and one.stage in _ON_ITS_WAY]
    away = [one for one in outside if one.back != lineage.in_play]
    if not away:
        return Found(
            None, f"cards lie in compartment {compartment}, and no batch of this table can be there"
        )
    return Found(away[0] if len(away) == 1 else None)
