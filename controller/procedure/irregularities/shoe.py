"""Catalogue rows for the shoe device: unreadable cards, lost reports, restarts, joined shoes.

Source: the shoe's wire document ("What the field has learnt"); D-22, D-32.
"""

from types import MappingProxyType
from typing import Final

from controller.procedure.irregularities.codes import (
    ANY,
    CHECK_TABLE,
    GO_ON_OR_CLOSE,
    NEVER_INVENT,
    NEVER_SILENT,
    PARTIAL_OR_NONE,
    IrregularityCode,
    IrregularityKind,
    always,
    if_closed,
    if_continued,
)
from controller.profiles.rule_points import RulePoint

SHOE_IRREGULARITIES: Final = MappingProxyType(
    {
        IrregularityCode.CARD_UNREADABLE: IrregularityKind(
            title="the shoe could not read a card that left it",
            points=(RulePoint.SHOE_DEVICE,),
            suspends=True,
            decisions=PARTIAL_OR_NONE,
            permitted=(CHECK_TABLE,),
            forbidden=(NEVER_INVENT,),
        ),
        IrregularityCode.FORCED_EXIT: IrregularityKind(
            title="the coup was left by the shoe's forced exit",
            points=(RulePoint.RESULT_CALLED,),
            suspends=True,
            decisions=ANY,
            permitted=(if_continued("let the coup go on where it stands"),),
            forbidden=(NEVER_SILENT,),
        ),
        IrregularityCode.SHOE_JAMMED: IrregularityKind(
            title="the shoe is jammed: a fault of the device",
            points=(RulePoint.SHOE_DEVICE,),
            suspends=True,
            decisions=GO_ON_OR_CLOSE,
            permitted=(
                if_continued("clear the jam and go on where the deal stopped"),
                if_closed("close the shoe"),
            ),
            forbidden=("voiding the coup as if the cards had run out", NEVER_SILENT),
        ),
        IrregularityCode.RETRANSMISSION_CONFLICT: IrregularityKind(
            title="the shoe now reports another card for a place that is already known",
            points=(RulePoint.SHOE_DEVICE,),
            suspends=True,
            decisions=ANY,
            permitted=(CHECK_TABLE,),
            forbidden=("replacing the first report by the second without checking the layout",),
        ),
        IrregularityCode.REPORTS_LOST: IrregularityKind(
            title="reports of the shoe are missing",
            points=(RulePoint.SHOE_DEVICE,),
            suspends=True,
            decisions=PARTIAL_OR_NONE,
            permitted=(CHECK_TABLE,),
            forbidden=(NEVER_INVENT,),
        ),
        IrregularityCode.CONTINUITY_UNPROVEN: IrregularityKind(
            title="after an interruption nothing proves that no report of the shoe was missed",
            points=(RulePoint.SHOE_DEVICE,),
            suspends=True,
            decisions=PARTIAL_OR_NONE,
            permitted=(CHECK_TABLE,),
            forbidden=(NEVER_INVENT,),
        ),
        IrregularityCode.SHOE_JOINED: IrregularityKind(
            title="the program joined a shoe that was already in play",
            points=(RulePoint.SHOE_LOADED, RulePoint.BURN_BEFORE_PLAY),
            suspends=True,
            decisions=PARTIAL_OR_NONE,
            permitted=(CHECK_TABLE, if_continued("go on with this shoe; its counts stay unproven")),
            forbidden=(NEVER_INVENT,),
        ),
        IrregularityCode.COUP_JOINED: IrregularityKind(
            title="the first card seen of a coup is not its first card",
            points=(RulePoint.FOUR_CARDS, RulePoint.SHOE_DEVICE),
            suspends=True,
            decisions=PARTIAL_OR_NONE,
            permitted=(CHECK_TABLE,),
            forbidden=(NEVER_INVENT,),
        ),
        IrregularityCode.SHOE_RESTARTED: IrregularityKind(
            title="the dealing shoe restarted in the middle of a coup or of the burn",
            points=(RulePoint.SHOE_DEVICE,),
            suspends=True,
            decisions=PARTIAL_OR_NONE,
            permitted=(CHECK_TABLE,),
            forbidden=(NEVER_INVENT,),
        ),
        IrregularityCode.SHOE_CHANGED_EARLY: IrregularityKind(
            title="the shoe was changed or restarted before its last hand was dealt",
            points=(RulePoint.LAST_HAND, RulePoint.RESHUFFLE),
            suspends=True,
            decisions=PARTIAL_OR_NONE,
            permitted=(
                if_closed("close this shoe if the cards were changed"),
                if_continued("go on with it if the device only restarted"),
            ),
            forbidden=("dealing from the new cards under the old shoe's number",),
        ),
        IrregularityCode.PROGRAM_REPLACED: IrregularityKind(
            title="another software version took over while a shoe was open",
            points=(RulePoint.SHOE_DEVICE,),
            suspends=True,
            decisions=PARTIAL_OR_NONE,
            permitted=(CHECK_TABLE,),
            forbidden=(NEVER_INVENT,),
        ),
        IrregularityCode.DEALT_WHILE_SUSPENDED: IrregularityKind(
            title="cards were dealt while the table was suspended",
            points=(RulePoint.SHOE_DEVICE,),
            suspends=True,
            decisions=PARTIAL_OR_NONE,
            permitted=(always("take the cards over, or void every coup they belong to"),),
            forbidden=("counting or paying them before the decision",),
        ),
    }
)
