"""What is known of the cards before a shoe is opened: acts recorded, and where the batches are.

Responsible for: the shape of that part of the table's state.
Not responsible for: what is due and what an act means (opening).
Source: NY (a)(4)(iv), (d); S42 (a)(4), (d), (e); D-21, D-22.
"""

from dataclasses import dataclass
from typing import Final

from controller.procedure.acts import ActKind


@dataclass(frozen=True, slots=True)
class OpeningState:
    """`acts` recorded since the last shoe was opened, each with its batch ("" for none).

    `loaded` is the batch of the next shoe, `last_batch` that of the last one opened.
    """

    acts: tuple[tuple[ActKind, str], ...] = ()
    loaded: str = ""
    last_batch: str = ""


NOTHING_RECORDED: Final = OpeningState()
