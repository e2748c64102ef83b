"""State before a shoe is opened: acts on record, defects, the cut.

Source: NY (a)(4)(iv), (d); S42 (a)(4), (d), (e); D-20, D-21, D-22.
"""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.procedure.irregularities.codes import IrregularityCode
from controller.rules.actions.choices import ActKind
from foundation.message import Message, message

# Who cut: a seat, or one of these.
NOBODY: Final = -1
THE_DEALER: Final = 0
SHORT_BATCH: Final = message("last_shoe_ran_out_before_count_cards")


class CompletedAct(Struct, frozen=True):
    """An act on record; `batch` is empty where it concerns no particular batch.

    `fresh` until a shoe was dealt from the cards it concerns.
    """

    kind: ActKind
    batch: str
    day: str
    person: str
    amount: int = 0
    fresh: bool = True


class OpeningDefect(Struct, frozen=True):
    """A defect of the cards, because of which an act was refused.

    It becomes an irregularity if dealing begins before the act was accepted.
    """

    act: ActKind
    code: IrregularityCode
    batch: str
    detail: Message


class OpeningState(Struct, frozen=True):
    """`acts` keeps the last act of each kind and batch.

    `offered` are the seats in the order in which the cut is offered, `cutter` who cut last (NOBODY,
    THE_DEALER or a seat), `recut_by` who may carry out an ordered re-cut. `dead`: the cards of a
    dead table were spread. `holder` is the seat that holds the shoe.
    """

    acts: tuple[CompletedAct, ...] = ()
    defects: tuple[OpeningDefect, ...] = ()
    offered: tuple[int, ...] = ()
    cutter: int = NOBODY
    recut_by: tuple[int, ...] = ()
    dead: bool = False
    respread_requested: bool = False
    holder: int = 0

    def find(self, kind: ActKind, batch: str) -> CompletedAct | None:
        """The last such act of that batch, if any."""
        return next((act for act in self.acts if (act.kind, act.batch) == (kind, batch)), None)

    def has(self, kind: ActKind, batch: str = "") -> bool:
        return self.find(kind, batch) is not None

    def with_act(self, act: CompletedAct) -> "OpeningState":
        """With this act in place of an earlier one; its defects are removed."""
        acts = tuple(one for one in self.acts if (one.kind, one.batch) != (act.kind, act.batch))
        defects = tuple(defect for defect in self.defects if defect.act is not act.kind)
        return replace(self, acts=(*acts, act), defects=defects)

    def with_defect(self, defect: OpeningDefect) -> "OpeningState":
        defects = tuple(one for one in self.defects if one.act is not defect.act)
        return replace(self, defects=(*defects, defect))

    def without(self, *kinds: ActKind, batch: str | None = None) -> "OpeningState":
        """Without these acts: those of `batch`, or of every batch where it is None."""
        acts = tuple(
            one for one in self.acts if one.kind not in kinds or batch not in (None, one.batch)
        )
        return replace(self, acts=acts)


NOTHING_RECORDED: Final = OpeningState()
