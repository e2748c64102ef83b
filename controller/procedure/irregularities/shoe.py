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
from controller.rules.profiles.rule_points import RulePoint
from foundation.message import message

SHOE_IRREGULARITIES: Final = MappingProxyType(
    {
        IrregularityCode.CARD_UNREADABLE: IrregularityKind(
            points=(RulePoint.SHOE_DEVICE,),
            suspends=True,
            decisions=PARTIAL_OR_NONE,
            permitted=(CHECK_TABLE,),
            forbidden=(NEVER_INVENT,),
        ),
        IrregularityCode.FORCED_EXIT: IrregularityKind(
            points=(RulePoint.RESULT_CALLED,),
            suspends=True,
            decisions=ANY,
            permitted=(if_continued(message("let_coup_go_on_where_stands")),),
            forbidden=(NEVER_SILENT,),
        ),
        IrregularityCode.SHOE_JAMMED: IrregularityKind(
            points=(RulePoint.SHOE_DEVICE,),
            suspends=True,
            decisions=GO_ON_OR_CLOSE,
            permitted=(
                if_continued(message("clear_jam_and_go_on_where_deal")),
                if_closed(message("close_shoe")),
            ),
            forbidden=(message("voiding_coup_as_if_cards_had_run"), NEVER_SILENT),
        ),
        IrregularityCode.RETRANSMISSION_CONFLICT: IrregularityKind(
            points=(RulePoint.SHOE_DEVICE,),
            suspends=True,
            decisions=ANY,
            permitted=(CHECK_TABLE,),
            forbidden=(message("replacing_first_report_by_second_without_checking"),),
        ),
        # No document speaks of statistics: no clause (D-31).
        IrregularityCode.ADVISORY_GIVEN: IrregularityKind(
            points=(),
            suspends=True,
            decisions=GO_ON_OR_CLOSE,
            permitted=(
                always(message("look_at_evidence_of_advisory")),
                if_continued(message("go_on_with_reason_in_record")),
                if_closed(message("close_shoe_and_keep_cards_as_evidence")),
            ),
            forbidden=(message("voiding_coup_because_of_advisory"), NEVER_SILENT),
        ),
        IrregularityCode.REPORTS_LOST: IrregularityKind(
            points=(RulePoint.SHOE_DEVICE,),
            suspends=True,
            decisions=PARTIAL_OR_NONE,
            permitted=(CHECK_TABLE,),
            forbidden=(NEVER_INVENT,),
        ),
        IrregularityCode.JUDGING_FAILED: IrregularityKind(
            points=(RulePoint.SHOE_DEVICE,),
            suspends=True,
            decisions=PARTIAL_OR_NONE,
            permitted=(CHECK_TABLE, always(message("report_internal_error_with_log"))),
            forbidden=(NEVER_INVENT,),
        ),
        IrregularityCode.CONTINUITY_UNPROVEN: IrregularityKind(
            points=(RulePoint.SHOE_DEVICE,),
            suspends=True,
            decisions=PARTIAL_OR_NONE,
            permitted=(CHECK_TABLE,),
            forbidden=(NEVER_INVENT,),
        ),
        IrregularityCode.SHOE_JOINED: IrregularityKind(
            points=(RulePoint.SHOE_LOADED, RulePoint.BURN_BEFORE_PLAY),
            suspends=True,
            decisions=PARTIAL_OR_NONE,
            permitted=(CHECK_TABLE, if_continued(message("go_on_with_this_shoe_counts_stay"))),
            forbidden=(NEVER_INVENT,),
        ),
        IrregularityCode.COUP_JOINED: IrregularityKind(
            points=(RulePoint.FOUR_CARDS, RulePoint.SHOE_DEVICE),
            suspends=True,
            decisions=PARTIAL_OR_NONE,
            permitted=(CHECK_TABLE,),
            forbidden=(NEVER_INVENT,),
        ),
        IrregularityCode.SHOE_RESTARTED: IrregularityKind(
            points=(RulePoint.SHOE_DEVICE,),
            suspends=True,
            decisions=PARTIAL_OR_NONE,
            permitted=(CHECK_TABLE,),
            forbidden=(NEVER_INVENT,),
        ),
        IrregularityCode.SHOE_CHANGED_EARLY: IrregularityKind(
            points=(RulePoint.LAST_HAND, RulePoint.RESHUFFLE),
            suspends=True,
            decisions=PARTIAL_OR_NONE,
            permitted=(
                if_closed(message("close_this_shoe_if_cards_changed")),
                if_continued(message("go_on_with_if_device_only_restarted")),
            ),
            forbidden=(message("dealing_from_new_cards_under_old_shoe"),),
        ),
        IrregularityCode.PROGRAM_REPLACED: IrregularityKind(
            points=(RulePoint.SHOE_DEVICE,),
            suspends=True,
            decisions=PARTIAL_OR_NONE,
            permitted=(CHECK_TABLE,),
            forbidden=(NEVER_INVENT,),
        ),
        IrregularityCode.DEALT_WHILE_SUSPENDED: IrregularityKind(
            points=(RulePoint.SHOE_DEVICE,),
            suspends=True,
            decisions=PARTIAL_OR_NONE,
            permitted=(always(message("take_cards_over_or_void_every_coup")),),
            forbidden=(message("counting_or_paying_them_before_decision"),),
        ),
    }
)
