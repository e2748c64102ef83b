"""Catalogue rows for people: opening, batches, touching and turning cards, wagers, vigorish.

Source: NY (a)(4)(iv), (b)(3)-(4), (c)(3)(ii), (i)(4)-(5); S42 (a)(4), (b), (e), (j)(4)-(5);
WA ghost hands; D-17, D-19.
"""

from types import MappingProxyType
from typing import Final

from controller.procedure.irregularities.codes import (
    ACKNOWLEDGE,
    ANY,
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

CONDUCT_IRREGULARITIES: Final = MappingProxyType(
    {
        IrregularityCode.WRONG_BATCH: IrregularityKind(
            points=(RulePoint.BATCH_ONE_BACK,),
            suspends=True,
            decisions=ANY,
            permitted=(
                if_void(message("set_card_apart_and_void_coup")),
                if_closed(message("close_shoe_and_count_both_batches")),
                if_continued(message("go_on_if_card_belongs")),
            ),
            forbidden=(message("dealing_on_with_cards_two_batches"), NEVER_SILENT),
        ),
        IrregularityCode.OPENING_INCOMPLETE: IrregularityKind(
            points=(RulePoint.SHOE_LOADED,),
            suspends=True,
            decisions=GO_ON_OR_CLOSE,
            permitted=(
                if_continued(message("record_what_is_missing_first")),
                if_closed(message("close_shoe_and_load_again")),
            ),
            forbidden=(message("beginning_first_coup_before_decision"),),
        ),
        IrregularityCode.BATCH_REPEATED: IrregularityKind(
            points=(RulePoint.BATCH_ALTERNATES,),
            suspends=True,
            decisions=GO_ON_OR_CLOSE,
            permitted=(
                if_closed(message("close_shoe_and_load_other_batch")),
                if_continued(message("go_on_with_reason_in_record")),
            ),
            forbidden=(message("beginning_first_coup_before_decision"),),
        ),
        IrregularityCode.BATCH_SHORT: IrregularityKind(
            points=(RulePoint.DECKS_COUNT, RulePoint.BATCH_EQUAL),
            suspends=True,  # D-17
            decisions=GO_ON_OR_CLOSE,
            permitted=(
                always(message("find_missing_or_extra_cards_by_rank")),
                if_closed(message("close_shoe_and_count_every_deck")),
            ),
            forbidden=(message("loading_batch_before_count_right"),),
        ),
        IrregularityCode.DISCARD_RACK_MIXED: IrregularityKind(
            points=(RulePoint.DISCARD_ONE_BATCH,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always(message("clear_rack_other_batch_and_acknowledge")),),
            forbidden=(message("loading_shoe_before_rack_holds_one_batch"),),
        ),
        IrregularityCode.DISCARD_DIFFERS: IrregularityKind(
            points=(RulePoint.DISCARD_ORDER,),
            suspends=True,
            decisions=GO_ON_OR_CLOSE,
            permitted=(
                always(message("count_rack_again_against_cards_listed_here")),
                if_closed(message("close_shoe_and_count_every_deck")),
            ),
            forbidden=(message("dealing_on_before_cards_accounted_for"),),
        ),
        IrregularityCode.CUT_TOO_SHALLOW: IrregularityKind(
            points=(RulePoint.CUT_DEPTH,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always(message("cards_cut_again_before_any_card_leaves")),),
            forbidden=(message("loading_cards_by_this_cut"),),
        ),
        IrregularityCode.IDLE_BATCH_OUT: IrregularityKind(
            points=(RulePoint.BATCH_IDLE_IN_SHUFFLER,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always(message("put_batch_into_shuffler_and_acknowledge")),),
            forbidden=(message("leaving_both_batches_out_shuffler_during_play"),),
        ),
        IrregularityCode.SHUFFLER_UNSECURE: IrregularityKind(
            points=(RulePoint.SHUFFLER_SECURE,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always(message("have_batch_shuffled_again_and_secure_shuffler")),),
            forbidden=(message("releasing_batch_as"),),
        ),
        IrregularityCode.CARDS_TOUCHED: IrregularityKind(
            points=(RulePoint.CARDS_UNTOUCHED, RulePoint.CARDS_UNTOUCHED_STAFF),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always(message("compare_layout_and_acknowledge")),),
            forbidden=(message("letting_anyone_but_dealer_handle_remove"),),
        ),
        IrregularityCode.TURNED_OUT_OF_ORDER: IrregularityKind(
            points=(RulePoint.TURN_PLAYER_FIRST,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always(message("turn_player_hand_and_let_coup_go_on")),),
            forbidden=(message("drawing_third_card_before_both_hands_lie"),),
        ),
        IrregularityCode.THIRD_CARD_BEFORE_TURNED: IrregularityKind(
            points=(RulePoint.COUNTS_CALLED,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always(message("turn_both_hands_announce_counts_let_coup")),),
            forbidden=(message("drawing_further_card_before_both_hands_lie"),),
        ),
        IrregularityCode.GHOST_HAND_WITH_WAGERS: IrregularityKind(
            points=(RulePoint.GHOST_NO_WAGER,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always(message("return_every_wager_ghost_hand_and_acknowledge")),),
            forbidden=(message("paying_or_taking_wager_on_ghost_hand"),),
        ),
        IrregularityCode.GHOST_HANDS_EXCEEDED: IrregularityKind(
            points=(RulePoint.GHOST_MAX,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always(message("deal_on_with_wagers_or_close_shoe")),),
            forbidden=(message("dealing_another_ghost_hand_from_this_shoe"),),
        ),
        IrregularityCode.WAGER_CHANGED_LATE: IrregularityKind(
            points=(RulePoint.WAGER_LOCKED,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always(message("put_wagers_back_as_they_stood")),),
            forbidden=(message("paying_wager_placed_or_changed_after_call"),),
        ),
        IrregularityCode.WAGER_TOUCHED: IrregularityKind(
            points=(RulePoint.WAGER_UNTOUCHED,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always(message("put_wager_back_as_stood_and_acknowledge")),),
            forbidden=(message("paying_by_wager_altered"),),
        ),
        IrregularityCode.WAGER_REFUSED: IrregularityKind(
            points=(RulePoint.WAGERS_LISTED, RulePoint.WAGER_COMBINATION),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always(message("return_wager_before_first_card_and_acknowledge")),),
            forbidden=(message("paying_whatever_outcome"),),
        ),
        IrregularityCode.VIGORISH_NOT_COLLECTED: IrregularityKind(
            points=(RulePoint.VIGORISH_HELD,),
            suspends=True,  # play may not resume
            decisions=GO_ON_OR_CLOSE,
            permitted=(always(message("collect_vigorish_now_and_acknowledge")),),
            forbidden=(message("letting_debt_pass_without_record"),),
        ),
    }
)
