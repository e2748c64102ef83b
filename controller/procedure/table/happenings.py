"""The rows for everything that is no card: cut cards, calls, results, exits, devices, losses.

Source: NY (e), (f), (i)(1); S42 (e)(6), (g)(2), (h)(5), (j)(1), (k)(3)-(4); D-4 to D-6, D-14, D-22.
"""

from typing import Final

from controller.procedure.dealing.burn import end_uncounted_burn
from controller.procedure.dealing.coup_end import (
    close_at_next,
    compare_result,
    coup_forced_out,
    declare,
    declare_early,
    end_coup_at_stand_by,
    end_partial_at_stand_by,
    end_partial_coup,
    raise_result_without_coup,
    restart_shoe_count,
)
from controller.procedure.dealing.coup_start import (
    close_betting,
    say_burn,
    say_first_burn,
    say_over,
)
from controller.procedure.dealing.cut_card import (
    exhaust_in_burn,
    exhaust_shoe,
    first_cut_before_coup,
    first_cut_in_coup,
    join_shoe_at_cut,
    put_cut_card_aside,
    raise_extra_cut_card,
    raise_misplaced_cut,
)
from controller.procedure.dealing.error_cards import keep_result
from controller.procedure.dealing.lost_reports import (
    lose_boxed_burn,
    lose_burn,
    lose_coup,
    lose_held_cards,
    program_replaced,
    reports_missing,
)
from controller.procedure.dealing.remedy_burn import (
    end_uncounted_remedy_burn,
    lose_coup_burn,
    lose_remedy_burn,
    raise_no_card_left,
    stop_burn,
)
from controller.procedure.dealing.shoe import begin_next_shoe, restart_idle, restart_in_play
from controller.procedure.irregularities.codes import IrregularityCode
from controller.procedure.people.stated_shoe import raise_shortage
from controller.procedure.phases import (
    BEFORE_A_COUP,
    BURNS_BEFORE_COUP,
    BURNS_BEFORE_PLAY,
    BURNS_BEGUN,
    COUP_ENDS,
    COUP_PHASES,
    DUE_PHASES,
    HANDS_COMPLETE,
    IN_PLAY,
    IN_SHOE,
    INCOMPLETE,
    NEEDS_A_CARD,
    REMEDY_BURNS,
    RESTING,
    Phase,
    Trigger,
)
from controller.procedure.table.conditions import (
    cards_held_after,
    count_off,
    cut_card_extra,
    cut_card_seen,
    cut_in_play,
    hand_held,
    results_observed,
    suspended,
    unproven,
)
from controller.procedure.table.controls import again
from controller.procedure.table.row import row
from firmware_bridge.message import message

P, T, Code = Phase, Trigger, IrregularityCode

CUT_CARDS: Final = (
    row(T.CUT_CARD, P.CLOSED, raises=Code.SHOE_JOINED, do=join_shoe_at_cut),
    row(
        T.CUT_CARD,
        IN_SHOE,
        when=cut_card_extra,
        raises=Code.CUT_CARD_EXTRA,
        do=raise_extra_cut_card,
    ),
    row(
        T.CUT_CARD,
        P.SHOE_OVER,
        why=message("cut_card_after_last_hand_put_aside"),
        do=put_cut_card_aside,
    ),
    row(T.CUT_CARD, BURNS_BEFORE_PLAY, raises=Code.CUT_CARD_IN_BURN, do=raise_misplaced_cut),
    # The second one: the shoe is exhausted, a card that is required cannot be drawn (D-6).
    row(T.CUT_CARD, REMEDY_BURNS, when=cut_card_seen, do=exhaust_in_burn),
    row(T.CUT_CARD, P.BETWEEN_COUPS, when=cut_card_seen, do=exhaust_shoe, to=P.SHOE_OVER),
    row(
        T.CUT_CARD,
        NEEDS_A_CARD,
        when=cut_card_seen,
        raises=Code.INSUFFICIENT_CARDS,
        do=exhaust_shoe,
    ),
    row(T.CUT_CARD, COUP_ENDS, when=cut_card_seen, do=exhaust_shoe),
    # From the moment a coup needs no more cards until the next one's first card (D-4).
    row(
        T.CUT_CARD,
        (*BURNS_BEFORE_COUP, *BEFORE_A_COUP, *HANDS_COMPLETE),
        do=first_cut_before_coup,
    ),
    row(T.CUT_CARD, RESTING, do=first_cut_in_coup),
)

_NO_COUP: Final = message("no_more_bets_where_no_coup")

CALLS: Final = (
    row(T.NO_MORE_BETS, P.BETWEEN_COUPS, to=P.BETTING_CLOSED, then=close_betting),
    row(T.NO_MORE_BETS, HANDS_COMPLETE, do=close_at_next, again=again),
    row(T.NO_MORE_BETS, P.BURN_UNCOUNTED, do=end_uncounted_burn, again=again),
    row(T.NO_MORE_BETS, P.REMEDY_BURN_UNCOUNTED, do=end_uncounted_remedy_burn, again=again),
    row(T.NO_MORE_BETS, P.BURN_FIRST, do=say_first_burn),
    row(T.NO_MORE_BETS, (P.BURN_REST, P.BOXED_BURN, P.REMEDY_BURN, P.COUP_BURN), do=say_burn),
    row(T.NO_MORE_BETS, P.SHOE_OVER, do=say_over),
    row(T.NO_MORE_BETS, RESTING, why=_NO_COUP),
)

RESULTS: Final = (
    row(T.RESULT_DECLARED, INCOMPLETE, raises=Code.MISSING_CARD, do=declare_early),
    row(
        T.RESULT_DECLARED,
        (*HANDS_COMPLETE, P.ABANDONED_COMPLETE),
        do=declare,
        to=P.DECLARED,
        then=compare_result,
    ),
    row(T.RESULT_DECLARED, P.PARTIAL, do=end_partial_coup),
    row(
        T.RESULT_DECLARED,
        (*BURNS_BEFORE_COUP, *BEFORE_A_COUP),
        when=hand_held,
        do=keep_result,
    ),
    row(
        T.RESULT_DECLARED,
        (*BURNS_BEFORE_COUP, *BEFORE_A_COUP),
        raises=Code.RESULT_WITHOUT_COUP,
        do=raise_result_without_coup,
    ),
    row(T.RESULT_DECLARED, RESTING, why=message("result_belongs_to_no_coup_this_shoe")),
)

_STANDS_BY: Final = message("shoe_stands_by")

EXITS: Final = (
    row(T.FORCED_EXIT, IN_SHOE, when=count_off, do=restart_shoe_count),
    row(
        T.FORCED_EXIT,
        (P.COUP_BURN, *COUP_PHASES),
        raises=Code.FORCED_EXIT,
        do=coup_forced_out,
    ),
    row(T.FORCED_EXIT, RESTING, why=message("forced_exit_with_no_coup_on_table")),
    # It ends a coup only where nothing reports results; it never begins one.
    row(T.STAND_BY, P.PARTIAL, do=end_partial_at_stand_by),
    row(T.STAND_BY, HANDS_COMPLETE, when=results_observed, why=_STANDS_BY),
    row(T.STAND_BY, HANDS_COMPLETE, do=end_coup_at_stand_by),
    row(T.STAND_BY, RESTING, why=_STANDS_BY),
)

DEVICE: Final = (
    row(T.DEVICE_STARTED, (P.CLOSED, P.SHOE_OVER), do=begin_next_shoe),
    row(T.DEVICE_STARTED, HANDS_COMPLETE, do=close_at_next, again=again),
    row(
        T.DEVICE_STARTED,
        IN_PLAY,
        when=cut_in_play,
        raises=Code.SHOE_CHANGED_EARLY,
        do=restart_in_play,
    ),
    row(
        T.DEVICE_STARTED,
        BEFORE_A_COUP,
        when=cards_held_after,
        raises=Code.SHOE_RESTARTED,
        do=restart_in_play,
    ),
    row(T.DEVICE_STARTED, (P.BURN_FIRST, *BEFORE_A_COUP), do=restart_idle),
    row(T.DEVICE_STARTED, IN_PLAY, raises=Code.SHOE_RESTARTED, do=restart_in_play),
    row(T.PROGRAM_REPLACED, IN_PLAY, raises=Code.PROGRAM_REPLACED, do=program_replaced),
    row(T.PROGRAM_REPLACED, RESTING, why=message("no_shoe_open")),
)

# What is in progress is incomplete from here on.
LOSSES: Final = (
    row(T.REPORTS_MISSING, P.CLOSED, why=message("reports_may_be_missing_no_shoe_open")),
    row(
        T.REPORTS_MISSING,
        P.SHOE_OVER,
        when=unproven,
        why=message("reports_may_be_missing_shoe_over"),
    ),
    row(
        T.REPORTS_MISSING,
        IN_PLAY,
        when=unproven,
        raises=Code.CONTINUITY_UNPROVEN,
        do=reports_missing,
    ),
    row(T.REPORTS_MISSING, IN_SHOE, raises=Code.REPORTS_LOST, do=reports_missing),
    row(
        T.PROGRESS_LOST,
        (P.BURN_FIRST, P.BURN_REST, P.BURN_UNCOUNTED),
        do=lose_burn,
        to=P.BURN_UNCOUNTED,
    ),
    row(T.PROGRESS_LOST, P.BOXED_BURN, do=lose_boxed_burn, to=P.BURN_UNCOUNTED),
    row(T.PROGRESS_LOST, BURNS_BEFORE_COUP, do=lose_remedy_burn, to=P.REMEDY_BURN_UNCOUNTED),
    row(T.PROGRESS_LOST, P.COUP_BURN, do=lose_coup_burn, again=again),
    row(T.PROGRESS_LOST, BEFORE_A_COUP, when=cards_held_after, do=lose_held_cards),
    row(T.PROGRESS_LOST, COUP_PHASES, do=lose_coup, to=P.PARTIAL),
    row(T.PROGRESS_LOST, (*BEFORE_A_COUP, P.SHOE_OVER)),
)

# No card is left in the shoe: by the count, once its last card was drawn, or as a person states.
EMPTY: Final = (
    row(
        T.NO_CARD_LEFT,
        (P.BETTING_CLOSED, *DUE_PHASES),
        raises=Code.INSUFFICIENT_CARDS,
        do=raise_no_card_left,
    ),
    row(T.NO_CARD_LEFT, RESTING),
    row(T.STATED_EMPTY, NEEDS_A_CARD, raises=Code.INSUFFICIENT_CARDS, do=raise_shortage),
    row(T.STATED_EMPTY, COUP_ENDS),
    row(T.STATED_EMPTY, IN_PLAY, when=suspended),
    row(T.STATED_EMPTY, BURNS_BEGUN, do=stop_burn),
    row(T.STATED_EMPTY, (P.BURN_FIRST, P.BETWEEN_COUPS), to=P.SHOE_OVER),
)

HAPPENING_ROWS: Final = (*CUT_CARDS, *CALLS, *RESULTS, *EXITS, *DEVICE, *LOSSES, *EMPTY)
