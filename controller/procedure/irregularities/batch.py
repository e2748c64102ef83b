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
from controller.rules.profiles.rule_points import RulePoint
from foundation.message import message

_NO_COUP_YET: Final = message("beginning_first_coup_before_decision")

BATCH_IRREGULARITIES: Final = MappingProxyType(
    {
        IrregularityCode.BATCH_UNSHUFFLED: IrregularityKind(
            points=(RulePoint.SHUFFLED, RulePoint.BATCH_IDLE_IN_SHUFFLER),
            suspends=True,
            decisions=GO_ON_OR_CLOSE,
            permitted=(
                if_closed(message("close_shoe_batch_counted_and_shuffled")),
                if_continued(message("go_on_with_reason_in_record")),
            ),
            forbidden=(_NO_COUP_YET, message("assuming_batch_shuffled_because_packaging")),
        ),
        IrregularityCode.BATCH_NOT_READY: IrregularityKind(
            points=(RulePoint.SHUFFLER_SECURE, RulePoint.BATCH_IDLE_IN_SHUFFLER),
            suspends=True,
            decisions=GO_ON_OR_CLOSE,
            permitted=(
                if_closed(message("close_shoe_batch_counted_and_shuffled")),
                if_continued(message("go_on_with_reason_in_record")),
            ),
            forbidden=(_NO_COUP_YET,),
        ),
        IrregularityCode.CARD_UNDER_WARNING: IrregularityKind(
            points=(RulePoint.SHUFFLER_SECURE, RulePoint.SHOE_DEVICE),
            suspends=True,
            decisions=ANY,
            permitted=(
                always(message("look_at_shuffler_clear_warning_with_reason")),
                CHECK_TABLE,
                if_closed(message("close_shoe_if_cards_cannot_be_accounted")),
            ),
            forbidden=(message("drawing_further_card_before_warning_cleared"), NEVER_SILENT),
        ),
    }
)
