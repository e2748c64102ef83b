"""The closed set of facts about whole batches: recorded acts, play, and shuffler events.

Source: NY (a)(4)(iv), (d); S42 (a)(4), (d), (e).
"""

from typing import TypeAlias

from msgspec import Struct

from controller.custody.batch_life.stages import BatchStage
from controller.rules.actions.actions import ClearWarning, RecordAct
from drivers.shuffler_events import ShuffleProof, ShufflerEvent
from foundation.message import Message
from foundation.recorded_text import Identifier


class FirstCardOut(Struct, frozen=True):
    """The first card left the dealing shoe; `back` is empty where the shoe cannot read it."""

    back: str


class ShoeOver(Struct, frozen=True):
    """The shoe is over. `played`: a coup was dealt from it."""

    played: bool


class Touched(Struct, frozen=True):
    """People touched this batch out of turn, so its count and order are in doubt."""

    back: str


class EventsLost(Struct, frozen=True):
    """Events of the shuffler are missing; `missing` is 0 where their number is unknown."""

    missing: int


class ShufflerPortLost(Struct, frozen=True):
    """The shuffler's port is lost."""


Fact: TypeAlias = (
    ShufflerEvent
    | RecordAct
    | ClearWarning
    | FirstCardOut
    | ShoeOver
    | Touched
    | EventsLost
    | ShufflerPortLost
)


class StageChange(Struct, frozen=True, tag="batch-moved"):
    """A batch changed its stage. Its clauses are added by the procedure."""

    batch: Identifier
    before: BatchStage
    after: BatchStage
    why: Message
    clauses: tuple[Identifier, ...] = ()


class ShuffleRecorded(Struct, frozen=True, tag="shuffle-recorded"):
    """The checked receipt of a shuffle: it counts for this batch, or `refused` says why not.

    Its clauses are added by the procedure.
    """

    batch: Identifier
    proof: ShuffleProof
    refused: Message | None
    clauses: tuple[Identifier, ...] = ()
