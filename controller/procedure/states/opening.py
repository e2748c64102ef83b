"""What is known of the cards before a shoe is opened: acts recorded, and where the batches are.

Responsible for: the shape of that part of the table's state, and its plain changes.
Not responsible for: what is due (duties) and what an act means (opening, batches, cut_acts).
Source: NY (a)(4)(iv), (d); S42 (a)(4), (d), (e); D-20, D-21, D-22.
"""

from typing import Final

from controller.procedure.act_kinds import ActKind
from controller.procedure.irregularities.codes import IrregularityCode
from firmware_bridge.values import dataclass, replace

# Who cut: a seat, or one of these.
NOBODY: Final = -1
THE_DEALER: Final = 0


@dataclass(frozen=True, slots=True)
class Act:
    """An act that was recorded; `batch` is empty where it is of no certain batch.

    `fresh` until a shoe was dealt from the cards it concerns.
    """

    kind: ActKind
    batch: str
    day: str
    person: str
    amount: int = 0
    fresh: bool = True


@dataclass(frozen=True, slots=True)
class Fault:
    """An act that was refused because the cards are not as they must be.

    It becomes an irregularity if dealing begins before the act was accepted.
    """

    act: ActKind
    code: IrregularityCode
    batch: str
    detail: str


@dataclass(frozen=True, slots=True)
class OpeningState:
    """`acts` keeps the last act of each kind and batch.

    `loaded` is the batch of the next shoe, `last_batch` that of the last one dealt from. `offered`
    are the seats in the order in which the cut is offered, `cutter` who cut last (NOBODY,
    THE_DEALER or a seat), `recut_by` who may carry out an ordered re-cut. `dead`: the cards of a
    table without patrons were spread. `rack_batch` is the batch in the discard rack, `rack_extra`
    how many more cards lie there than this program saw dealt (fewer where negative). `holder` is
    the seat that holds the shoe. `may_repeat`: the batch that a supervisor lets come again for one
    shoe.
    """

    acts: tuple[Act, ...] = ()
    faults: tuple[Fault, ...] = ()
    loaded: str = ""
    last_batch: str = ""
    in_shuffler: str = ""
    shuffler_opened: bool = False
    offered: tuple[int, ...] = ()
    cutter: int = NOBODY
    recut_by: tuple[int, ...] = ()
    dead: bool = False
    respread_asked: bool = False
    rack_batch: str = ""
    rack_extra: int = 0
    holder: int = 0
    may_repeat: str = ""

    def find(self, kind: ActKind, batch: str) -> Act | None:
        """The act as last recorded for that batch."""
        return next((act for act in self.acts if (act.kind, act.batch) == (kind, batch)), None)

    def has(self, kind: ActKind, batch: str = "") -> bool:
        return self.find(kind, batch) is not None

    def with_act(self, act: Act) -> "OpeningState":
        """The act stands in place of an earlier one; what was wrong with it is set right."""
        acts = tuple(one for one in self.acts if (one.kind, one.batch) != (act.kind, act.batch))
        faults = tuple(fault for fault in self.faults if fault.act is not act.kind)
        return replace(self, acts=(*acts, act), faults=faults)

    def with_fault(self, fault: Fault) -> "OpeningState":
        faults = tuple(one for one in self.faults if one.act is not fault.act)
        return replace(self, faults=(*faults, fault))

    def without(self, *kinds: ActKind, batch: str | None = None) -> "OpeningState":
        """These acts are void: of that batch and of none, or of all."""
        acts = tuple(
            one for one in self.acts if one.kind not in kinds or batch not in (None, one.batch)
        )
        return replace(self, acts=acts)


NOTHING_RECORDED: Final = OpeningState()
