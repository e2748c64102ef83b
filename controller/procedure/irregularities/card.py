"""Catalogue rows for cards: the burn, cut cards, cards of a coup and its result.

Source: S42 (e)(6), (h)(4), (h)(5), (k)(1)-(4); NY (e), (h); D-5, D-5a, D-6, D-7, D-16, D-23.
"""

from types import MappingProxyType
from typing import Final

from controller.procedure.irregularities.codes import (
    ACKNOWLEDGE,
    ANY,
    BURN_SEEN,
    CARD_IN_ERROR,
    CARRY_UNSEEN,
    CLOSE,
    GO_ON_OR_CLOSE,
    NEVER_SILENT,
    NO_FAVOURS,
    RACK_IT,
    IrregularityCode,
    IrregularityKind,
    always,
    if_closed,
    if_continued,
    if_void,
)
from controller.rules.profiles.rule_points import RulePoint
from foundation.message import message

CARD_IRREGULARITIES: Final = MappingProxyType(
    {
        IrregularityCode.BURN_SKIPPED: IrregularityKind(
            points=(RulePoint.BURN_FIRST, RulePoint.BURN_BEFORE_PLAY),
            suspends=True,
            decisions=GO_ON_OR_CLOSE,
            permitted=(if_continued(message("take_card_as_first_burn_card")),),
            forbidden=(message("dealing_on_before_floorperson_decided"), NEVER_SILENT),
        ),
        IrregularityCode.BURN_SHORT: IrregularityKind(
            points=(RulePoint.BURN_COUNT, RulePoint.BURN_BEFORE_PLAY),
            suspends=True,
            decisions=GO_ON_OR_CLOSE,
            permitted=(
                if_continued(message("take_card_as_burn_card_and_complete")),
                always(message("compare_discard_rack_with_burn_owed")),
            ),
            forbidden=(message("dealing_on_before_floorperson_decided"), NEVER_SILENT),
        ),
        IrregularityCode.BURN_OVER: IrregularityKind(
            points=(RulePoint.BURN_COUNT, RulePoint.DRAWN_IN_ERROR),
            suspends=True,
            decisions=CARD_IN_ERROR,
            permitted=(CARRY_UNSEEN, BURN_SEEN, RACK_IT),
            forbidden=(
                message("adding_card_to_either_hand_this_coup"),
                message("putting_card_back_into_shoe"),
                NO_FAVOURS,
            ),
            prescribed=True,
        ),
        IrregularityCode.CUT_CARD_IN_BURN: IrregularityKind(
            points=(RulePoint.CUT_CARD_PLACEMENT, RulePoint.RECUT),
            suspends=True,
            decisions=GO_ON_OR_CLOSE,
            permitted=(
                if_continued(message("complete_burn_cut_card_not_counted")),
                if_closed(message("close_shoe_and_reload_all_cards_back")),
                if_continued(message("put_cut_card_back_in_place")),
            ),
            forbidden=(
                message("no_recut_while_shoe_is_dealt"),
                message("beginning_first_coup_before_decision"),
            ),
        ),
        IrregularityCode.CUT_CARD_PLACEMENT: IrregularityKind(
            points=(RulePoint.CUT_CARD_PLACEMENT,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(
                always(message("play_on_by_last_hand_rule")),
                always(message("acknowledge_and_record_placement")),
            ),
            forbidden=(message("moving_cut_card_back"),),
        ),
        IrregularityCode.CUT_CARD_EXTRA: IrregularityKind(
            points=(RulePoint.CUT_CARDS_COUNT,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always(message("put_aside_and_acknowledge")),),
            forbidden=(message("counting_as_playing_card"),),
        ),
        IrregularityCode.CARD_BEFORE_NO_MORE_BETS: IrregularityKind(
            points=(RulePoint.NO_MORE_BETS,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always(message("let_coup_go_on_and_acknowledge")),),
            forbidden=(message("accepting_or_changing_wagers_after_first_card"),),
        ),
        IrregularityCode.OVERDRAW: IrregularityKind(
            points=(RulePoint.ONE_EXTRA_CARD, RulePoint.DRAWN_IN_ERROR),
            suspends=True,
            decisions=CARD_IN_ERROR,
            permitted=(
                CARRY_UNSEEN,
                BURN_SEEN,
                RACK_IT,
            ),
            forbidden=(message("adding_card_to_either_hand"), NO_FAVOURS, NEVER_SILENT),
            prescribed=True,
        ),
        IrregularityCode.PLAYER_THIRD_UNAUTHORISED: IrregularityKind(
            points=(RulePoint.PLAYER_STANDS, RulePoint.THIRD_TO_BANKER),
            suspends=True,
            decisions=ANY,
            permitted=(if_continued(message("move_card_to_banker_hand_due_third")),),
            forbidden=(message("leaving_card_with_player_hand"), NO_FAVOURS, NEVER_SILENT),
            prescribed=True,
        ),
        IrregularityCode.FOUND_FACE_UP: IrregularityKind(
            points=(RulePoint.FOUND_FACE_UP, RulePoint.FOUND_FACE_UP_BURN),
            suspends=True,
            decisions=ANY,
            permitted=(if_continued(message("put_card_into_discard_rack_burn")),),
            forbidden=(message("using_card_in_hand"), message("putting_card_back_into_shoe")),
            prescribed=True,
        ),
        IrregularityCode.MISSING_CARD: IrregularityKind(
            points=(RulePoint.RESULT_CALLED,),
            suspends=True,
            decisions=ANY,
            permitted=(if_continued(message("draw_missing_card_now_if_nothing_else")),),
            forbidden=(message("paying_by_hands_as_they_lie"), NEVER_SILENT),
        ),
        IrregularityCode.CLAIM_DIFFERS: IrregularityKind(
            points=(RulePoint.PLAYER_CARDS, RulePoint.BANKER_CARDS, RulePoint.HAND_AREAS),
            suspends=True,
            decisions=ANY,
            permitted=(if_continued(message("move_card_to_place_order_drawing_gives")),),
            forbidden=(message("leaving_card_in_other_hand"), NEVER_SILENT),
        ),
        IrregularityCode.CARD_OUTSIDE_PLAY: IrregularityKind(
            points=(RulePoint.DRAWN_IN_ERROR,),
            suspends=True,
            decisions=CARD_IN_ERROR,
            permitted=(CARRY_UNSEEN, BURN_SEEN, RACK_IT),
            forbidden=(message("adding_card_to_either_hand_this_coup"), NO_FAVOURS),
            prescribed=True,
        ),
        IrregularityCode.CARD_AFTER_LAST_COUP: IrregularityKind(
            points=(RulePoint.LAST_HAND,),
            suspends=True,
            decisions=GO_ON_OR_CLOSE,
            permitted=(
                if_continued(message("rack_card_and_go_on_with_reshuffle")),
                if_closed(message("close_shoe_if_card_belongs_to_another")),
            ),
            forbidden=(
                message("dealing_another_coup_from_this_shoe"),
                message("carrying_card_to_another_shoe"),
            ),
        ),
        IrregularityCode.CARD_AFTER_SECOND_CUT_CARD: IrregularityKind(
            points=(RulePoint.SECOND_CUT_CARD,),
            suspends=True,
            decisions=ANY,
            permitted=(
                if_void(message("void_open_coup")),
                if_closed(message("close_shoe_and_reshuffle")),
            ),
            forbidden=(message("dealing_on_from_this_shoe"),),
        ),
        IrregularityCode.CARDS_EXCEED_DECKS: IrregularityKind(
            points=(RulePoint.SHOE_LOADED,),
            suspends=True,
            decisions=CLOSE,
            permitted=(if_closed(message("close_shoe_void_open_coup_and_count")),),
            forbidden=(message("using_these_decks_before_they_counted"),),
        ),
        IrregularityCode.INSUFFICIENT_CARDS: IrregularityKind(
            points=(RulePoint.INSUFFICIENT_CARDS,),
            suspends=True,
            decisions=CLOSE,
            permitted=(if_closed(message("close_shoe_open_coup_void_every_wager")),),
            forbidden=(
                message("completing_coup_with_cards_another_shoe"),
                message("charging_vigorish"),
            ),
        ),
        IrregularityCode.RESULT_MISMATCH: IrregularityKind(
            points=(RulePoint.WINNER_DECLARED, RulePoint.RESULT_CALLED),
            suspends=True,
            decisions=ANY,
            permitted=(if_continued(message("let_cards_decide_and_correct_announcement")),),
            forbidden=(message("paying_by_declared_result"), NEVER_SILENT),
        ),
        IrregularityCode.RESULT_WITHOUT_COUP: IrregularityKind(
            points=(RulePoint.RESULT_CALLED,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always(message("set_declaration_aside_and_acknowledge")),),
            forbidden=(message("paying_on"),),
        ),
        IrregularityCode.RESULT_NOT_DECLARED: IrregularityKind(
            points=(RulePoint.RESULT_CALLED,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always(message("count_coup_by_cards_and_acknowledge")),),
            forbidden=(message("changing_coup_afterwards"),),
        ),
    }
)
