"""Catalogue rows for shufflers: a batch dealt before it is ready, a card under a warning.

Source: NY (a)(4)(iv); S42 (a)(4), (e)(1), (e)(8)(ii); D-19, D-20, D-32; field practice (Taj Mahal,
Showboat: unshuffled batches dealt for hours; SugarHouse: warnings nobody heeded).
"""

from types import MappingProxyType
from typing import Final

from controller.procedure.irregularities.codes import (
    ANY,
    CHECK_TABLE,
    GO_ON_OR_CLOSE,
    NEVER_SILENT,
    IrregularityCode,
    IrregularityKind,
    always,
    if_closed,
    if_continued,
)
from controller.profiles.rule_points import RulePoint

_NO_COUP_YET: Final = "beginning the first coup before a floorperson has decided"

BATCH_IRREGULARITIES: Final = MappingProxyType(
    {
        IrregularityCode.BATCH_UNSHUFFLED: IrregularityKind(
            title="a shoe is dealt from a batch whose shuffle is not proven",
            points=(RulePoint.SHUFFLED, RulePoint.BATCH_IDLE_IN_SHUFFLER),
            suspends=True,
            decisions=GO_ON_OR_CLOSE,
            permitted=(
                if_closed("close the shoe, have the batch counted and shuffled, and load it again"),
                if_continued("go on, with the reason in the record"),
            ),
            forbidden=(_NO_COUP_YET, "assuming that a batch is shuffled because of its packaging"),
        ),
        IrregularityCode.BATCH_NOT_READY: IrregularityKind(
            title="a shoe is dealt from a batch that the shuffler has not made ready",
            points=(RulePoint.SHUFFLER_SECURE, RulePoint.BATCH_IDLE_IN_SHUFFLER),
            suspends=True,
            decisions=GO_ON_OR_CLOSE,
            permitted=(
                if_closed("close the shoe, have the batch counted and shuffled, and load it again"),
                if_continued("go on, with the reason in the record"),
            ),
            forbidden=(_NO_COUP_YET,),
        ),
        IrregularityCode.CARD_UNDER_WARNING: IrregularityKind(
            title="a card was drawn while a warning of the shuffler was not cleared",
            points=(RulePoint.SHUFFLER_SECURE, RulePoint.SHOE_DEVICE),
            suspends=True,
            decisions=ANY,
            permitted=(
                always("look at the shuffler, clear the warning with its reason, then decide"),
                CHECK_TABLE,
                if_closed("close the shoe if the cards cannot be accounted for"),
            ),
            forbidden=("drawing a further card before the warning is cleared", NEVER_SILENT),
        ),
    }
)
