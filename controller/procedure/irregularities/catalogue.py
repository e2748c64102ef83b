"""The rows of the catalogue: irregularities of cards, batches, custody, the shoe and conduct.

Source: NY (a)(4)(i), (a)(4)(iv), (b)(3)-(4), (c)(3)(ii), (e), (h), (i)(4)-(5); S42 (a)(4), (b),
(e)(1), (e)(6), (e)(8)(ii), (f)(1), (h)(4)-(5), (j)(4)-(5), (k)(1)-(4); WA ghost hands; the shoe's
wire document ("What the field has learnt"); field practice (Taj Mahal, Showboat: unshuffled batches
dealt for hours; SugarHouse: warnings nobody heeded); D-5 to D-7, D-16 to D-20, D-22, D-23, D-32.
"""

from types import MappingProxyType
from typing import Final

from controller.procedure.irregularities.codes import (
    ACKNOWLEDGE,
    ANY,
    BURN_SEEN,
    CARD_IN_ERROR,
    CARRY_UNSEEN,
    CHECK_TABLE,
    CLOSE,
    GO_ON_OR_CLOSE,
    NEVER_INVENT,
    NEVER_SILENT,
    NO_FAVOURS,
    PARTIAL_OR_NONE,
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

_ROWS: Final = {
    **CARD_IRREGULARITIES,
    **SHOE_IRREGULARITIES,
    **CONDUCT_IRREGULARITIES,
    **CUSTODY_IRREGULARITIES,
    **BATCH_IRREGULARITIES,
}
CATALOGUE: Final = MappingProxyType({code: _ROWS[code] for code in IrregularityCode})
