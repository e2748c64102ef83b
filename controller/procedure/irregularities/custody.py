"""Catalogue rows for custody: cards that are not where, or not what, they must be.

Source: NY (a)(4)(i), (a)(4)(iv), (i)(5); S42 (a)(4), (f)(1), (j)(5); D-17 to D-20, D-32.
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
    if_void,
)
from controller.rules.profiles.rule_points import RulePoint
from foundation.message import message

_NOT_WITH_THESE: Final = message("dealing_on_with_batch_not_whole")
_COUNT_BATCH: Final = if_closed(message("close_shoe_and_read_whole_batch_again"))

CUSTODY_IRREGULARITIES: Final = MappingProxyType(
    {
        IrregularityCode.FOREIGN_CARD: IrregularityKind(
            points=(RulePoint.BATCH_ONE_BACK, RulePoint.DECKS_COUNT),
            suspends=True,
            decisions=ANY,
            permitted=(if_void(message("set_card_apart_and_void_coup")), _COUNT_BATCH),
            forbidden=(message("putting_card_back_among_others"), NEVER_SILENT),
        ),
        IrregularityCode.DUPLICATE_CARD: IrregularityKind(
            points=(RulePoint.DECKS_COUNT, RulePoint.BATCH_ONE_BACK),
            suspends=True,
            decisions=ANY,
            permitted=(
                CHECK_TABLE,
                if_void(message("set_both_cards_apart_and_void_coup")),
                _COUNT_BATCH,
            ),
            forbidden=(_NOT_WITH_THESE, NEVER_SILENT),
        ),
        IrregularityCode.CARD_RETURNED: IrregularityKind(
            points=(RulePoint.CARDS_UNTOUCHED, RulePoint.DISCARD_ORDER),
            suspends=True,
            decisions=ANY,
            permitted=(if_void(message("void_coup_and_count_discard_rack")), _COUNT_BATCH),
            forbidden=(message("putting_cards_rack_into_shoe"), NEVER_SILENT),
        ),
        IrregularityCode.TOO_MANY_OF_A_CARD: IrregularityKind(
            points=(RulePoint.DECKS_COUNT, RulePoint.SHOE_LOADED),
            suspends=True,
            decisions=ANY,
            permitted=(if_closed(message("close_shoe_and_check_every_deck")),),
            forbidden=(_NOT_WITH_THESE, NEVER_SILENT),
        ),
        IrregularityCode.CARD_NOT_DRAWN: IrregularityKind(
            points=(RulePoint.SHOE_DEVICE, RulePoint.CARDS_UNTOUCHED),
            suspends=True,
            decisions=ANY,
            permitted=(CHECK_TABLE, always(message("set_card_apart")), _COUNT_BATCH),
            forbidden=(message("counting_coup_with_card_not_dealt"), NEVER_SILENT),
        ),
        IrregularityCode.CARD_MISPLACED: IrregularityKind(
            points=(RulePoint.FOUR_CARDS,),
            suspends=True,
            decisions=ANY,
            permitted=(if_continued(message("move_card_to_hand_belongs")),),
            forbidden=(message("paying_by_place_where_card_happens"), NEVER_SILENT),
        ),
        IrregularityCode.CARD_ABSENT: IrregularityKind(
            points=(RulePoint.DISCARD_ORDER, RulePoint.CARDS_UNTOUCHED),
            suspends=True,
            decisions=GO_ON_OR_CLOSE,
            permitted=(
                always(message("look_for_card_on_table_in_rack")),
                _COUNT_BATCH,
            ),
            forbidden=(message("dealing_on_before_card_accounted_for"),),
        ),
        IrregularityCode.CARD_EXTRA: IrregularityKind(
            points=(RulePoint.DECKS_COUNT, RulePoint.DISCARD_ORDER),
            suspends=True,
            decisions=GO_ON_OR_CLOSE,
            permitted=(always(message("set_card_apart_and_count_batch")), _COUNT_BATCH),
            forbidden=(message("dealing_on_before_cards_accounted_for"),),
        ),
        IrregularityCode.BATCH_BLOCKED: IrregularityKind(
            points=(RulePoint.DECKS_COUNT, RulePoint.BATCH_EQUAL),
            suspends=True,
            decisions=GO_ON_OR_CLOSE,
            permitted=(if_closed(message("close_shoe_and_replace_batch")),),
            forbidden=(_NOT_WITH_THESE,),
        ),
    }
)
