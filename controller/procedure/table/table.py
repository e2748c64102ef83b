"""The table of play: the rows that are of no card, the moves that follow, and what asks it.

What is true of any card is asked after it: whether it left the shoe under a warning of the
shuffler, and whether a burn that is owed begins.
Source: NY (e), (f), (i)(1); NY-e-4, NY-f-2, NY-f-3-four, NY-h-1 to NY-h-4-7, NY-i-1-winner; S42
(e)(6), (g)(2), (h)(5), (j)(1), (k)(3)-(4); S42-e-6-burn1, S42-g-2, S42-g-3-four, S42-h-3-order,
S42-h-4, S42-h-5-aside to S42-h-5-onemore, S42-k-1-burn, S42-k-3-extra, S42-k-4-void; D-4 to D-6,
D-13, D-14, D-16, D-22.
"""

from typing import Final

from controller.procedure.dealing import (
    burn,
    coup_end,
    coup_start,
    cut_card,
    error_cards,
    lost_reports,
    shoe,
)
from controller.procedure.dealing.burn import begin_due_burn
from controller.procedure.dealing.shoe_count import read_partial_claim
from controller.procedure.events import CardDrawn
from controller.procedure.irregularities.codes import IrregularityCode
from controller.procedure.opening import between_shoes
from controller.procedure.people import stated_shoe, suspension
from controller.procedure.phases import (
    AFTER_A_COUP,
    BEFORE_A_COUP,
    BOXED_FROM,
    BURNS_BEFORE_COUP,
    BURNS_BEFORE_PLAY,
    BURNS_BEGUN,
    CLOSABLE_PHASES,
    COUP_ENDS,
    COUP_PHASES,
    DUE_PHASES,
    ENDS_PARTIAL,
    HANDS_COMPLETE,
    IN_PLAY,
    IN_SHOE,
    INCOMPLETE,
    NEEDS_A_CARD,
    REMEDY_BURNS,
    RESTING,
    RESUMABLE_PHASES,
    VOIDABLE,
    WHOLE_COUPS,
    Phase,
    Trigger,
)
from controller.procedure.rulebook import RuleBook
from controller.procedure.shuffler import interlock
from controller.procedure.shuffler.interlock import check_card_under_warning
from controller.procedure.step_result import MACHINE, Happening, Step, ask, fill_cache, trigger_of
from controller.procedure.table import facts
from controller.procedure.table.cards import CARD_ROWS
from controller.procedure.table.facts import again
from controller.procedure.table.row import NoEffect, Row, add_rows, breach, row
from foundation.message import message

P, T, Code = Phase, Trigger, IrregularityCode


def _resume(at: Phase | tuple[Phase, ...], *back: Phase) -> tuple[Row, ...]:
    return tuple(row(T.RESUME, at, when=facts.resumes_in(phase), to=phase) for phase in back)


MOVE_ROWS: Final = (
    row(T.SHOE_OPENED, (P.CLOSED, P.SHOE_OVER), to=P.OPENING),
    row(T.SHOE_JOINED, P.CLOSED, to=P.BETWEEN_COUPS),
    row(T.NEXT_SHOE_UNSEEN, P.SHOE_OVER, to=P.CLOSED),
    row(T.FIRST_CARD_READY, P.OPENING, to=P.BURN_FIRST),
    row(T.BURN_DONE, (P.OPENING, P.BURN_REST, P.BURN_UNCOUNTED), to=P.BETWEEN_COUPS),
    row(T.BURN_OWED, (P.BURN_FIRST, P.BURN_UNCOUNTED), to=P.BURN_REST),
    row(T.BURN_OWED, BEFORE_A_COUP, to=P.REMEDY_BURN),
    row(T.BURN_OWED, WHOLE_COUPS, to=P.COUP_BURN),
    row(T.BOXED_BURN_OWED, BOXED_FROM, to=P.BOXED_BURN),
    row(T.BURN_UNPROVEN, P.BURN_FIRST, to=P.BURN_UNCOUNTED),
    row(T.BURN_READ, P.BURN_UNCOUNTED, to=P.BURN_FIRST),
    row(T.BURN_UNPROVEN, P.REMEDY_BURN, to=P.REMEDY_BURN_UNCOUNTED),
    row(T.COUP_BEGINS, BEFORE_A_COUP, to=P.PLAYER_1),
    row(T.CARD, P.PLAYER_1, to=P.BANKER_1),
    row(T.CARD, P.BANKER_1, to=P.PLAYER_2),
    row(T.CARD, P.PLAYER_2, to=P.BANKER_2),
    row(T.NATURAL, P.BANKER_2, to=P.RESULT),
    row(T.BOTH_STAND, P.BANKER_2, to=P.RESULT),
    row(T.PLAYER_DRAWS, P.BANKER_2, to=P.PLAYER_3),
    row(T.PLAYER_STANDS_BANKER_DRAWS, P.BANKER_2, to=P.BANKER_3),
    row(T.BANKER_DRAWS, P.PLAYER_3, to=P.BANKER_3),
    row(T.BANKER_STANDS, P.PLAYER_3, to=P.RESULT),
    row(T.CARD, P.BANKER_3, to=P.RESULT),
    row(T.COUP_ABANDONED, (*DUE_PHASES, P.ABANDONED), to=P.ABANDONED),
    row(T.COUP_ABANDONED, (*HANDS_COMPLETE, P.ABANDONED_COMPLETE), to=P.ABANDONED_COMPLETE),
    row(T.COUP_PARTIAL, DUE_PHASES, to=P.PARTIAL),
    row(T.COUP_REOPENED, AFTER_A_COUP, to=P.PARTIAL),
    # After the last coup the shoe is over, once the burn that is owed is done.
    row(T.COUP_DONE, HANDS_COMPLETE, when=facts.last_coup, to=P.SHOE_OVER),
    row(T.COUP_DONE, HANDS_COMPLETE, to=P.BETWEEN_COUPS),
    row(T.PARTIAL_COUP_DONE, ENDS_PARTIAL, when=facts.last_coup, to=P.SHOE_OVER),
    row(T.PARTIAL_COUP_DONE, ENDS_PARTIAL, to=P.BETWEEN_COUPS),
    row(T.COUP_VOIDED, COUP_PHASES, when=facts.last_coup, to=P.SHOE_OVER),
    row(T.COUP_VOIDED, VOIDABLE, to=P.BETWEEN_COUPS),
    row(T.SHOE_CLOSED, CLOSABLE_PHASES, to=P.SHOE_OVER),
    row(T.SUSPEND, RESUMABLE_PHASES, to=P.SUSPENDED),
    *_resume(P.SUSPENDED, *RESUMABLE_PHASES),
    *_resume(P.ABANDONED, *DUE_PHASES),
    *_resume(P.ABANDONED_COMPLETE, P.RESULT),
    *_resume(BURNS_BEFORE_COUP, *BEFORE_A_COUP),
    *_resume(P.COUP_BURN, *DUE_PHASES, P.ABANDONED),
    # Its cards leave the burn: that before play begins again.
    row(
        T.RESUME,
        P.BOXED_BURN,
        do=burn.restart_burn,
        to=P.BURN_FIRST,
    ),
    *_resume(P.PARTIAL, *DUE_PHASES),
)


CUT_CARDS: Final = (
    row(T.CUT_CARD, P.CLOSED, raises=breach(Code.SHOE_JOINED, cut_card.join_shoe_at_cut)),
    row(
        T.CUT_CARD,
        IN_SHOE,
        when=facts.cut_card_extra,
        raises=breach(Code.CUT_CARD_EXTRA, cut_card.raise_extra_cut_card),
    ),
    row(
        T.CUT_CARD,
        P.SHOE_OVER,
        why=NoEffect(message("cut_card_after_last_hand_put_aside"), cut_card.put_cut_card_aside),
    ),
    row(
        T.CUT_CARD,
        BURNS_BEFORE_PLAY,
        raises=breach(Code.CUT_CARD_IN_BURN, cut_card.raise_misplaced_cut),
    ),
    # The second one: the shoe is exhausted, a card that is required cannot be drawn (D-6).
    row(T.CUT_CARD, REMEDY_BURNS, when=facts.cut_card_seen, do=cut_card.exhaust_in_burn),
    row(
        T.CUT_CARD,
        P.BETWEEN_COUPS,
        when=facts.cut_card_seen,
        do=cut_card.exhaust_shoe,
        to=P.SHOE_OVER,
    ),
    row(
        T.CUT_CARD,
        NEEDS_A_CARD,
        when=facts.cut_card_seen,
        raises=breach(Code.INSUFFICIENT_CARDS, cut_card.exhaust_shoe),
    ),
    row(T.CUT_CARD, COUP_ENDS, when=facts.cut_card_seen, do=cut_card.exhaust_shoe),
    # From the moment a coup needs no more cards until the next one's first card (D-4).
    row(
        T.CUT_CARD,
        (*BURNS_BEFORE_COUP, *BEFORE_A_COUP, *HANDS_COMPLETE),
        do=cut_card.first_cut_before_coup,
    ),
    row(T.CUT_CARD, RESTING, do=cut_card.first_cut_in_coup),
)

_NO_COUP: Final = message("no_more_bets_where_no_coup")

CALLS: Final = (
    row(T.NO_MORE_BETS, P.BETWEEN_COUPS, to=P.BETTING_CLOSED, then=coup_start.close_betting),
    row(T.NO_MORE_BETS, HANDS_COMPLETE, do=coup_end.close_at_next, again=again),
    row(T.NO_MORE_BETS, P.BURN_UNCOUNTED, do=burn.end_uncounted_burn, again=again),
    row(
        T.NO_MORE_BETS,
        P.REMEDY_BURN_UNCOUNTED,
        do=burn.end_uncounted_remedy_burn,
        again=again,
    ),
    row(T.NO_MORE_BETS, P.BURN_FIRST, do=coup_start.say_first_burn),
    row(
        T.NO_MORE_BETS,
        (P.BURN_REST, P.BOXED_BURN, P.REMEDY_BURN, P.COUP_BURN),
        do=coup_start.say_burn,
    ),
    row(T.NO_MORE_BETS, P.SHOE_OVER, do=coup_start.say_over),
    row(T.NO_MORE_BETS, RESTING, why=_NO_COUP),
)

RESULTS: Final = (
    row(T.RESULT_DECLARED, INCOMPLETE, raises=breach(Code.MISSING_CARD, coup_end.declare_early)),
    row(
        T.RESULT_DECLARED,
        (*HANDS_COMPLETE, P.ABANDONED_COMPLETE),
        do=coup_end.declare,
        to=P.DECLARED,
        then=coup_end.compare_result,
    ),
    row(T.RESULT_DECLARED, P.PARTIAL, do=coup_end.end_partial_coup),
    row(
        T.RESULT_DECLARED,
        (*BURNS_BEFORE_COUP, *BEFORE_A_COUP),
        when=facts.hand_held,
        do=error_cards.keep_result,
    ),
    row(
        T.RESULT_DECLARED,
        (*BURNS_BEFORE_COUP, *BEFORE_A_COUP),
        raises=breach(Code.RESULT_WITHOUT_COUP, coup_end.raise_result_without_coup),
    ),
    row(T.RESULT_DECLARED, RESTING, why=message("result_belongs_to_no_coup_this_shoe")),
)

_STANDS_BY: Final = message("shoe_stands_by")

EXITS: Final = (
    row(T.FORCED_EXIT, IN_SHOE, when=facts.count_off, do=coup_end.restart_shoe_count),
    row(
        T.FORCED_EXIT,
        (P.COUP_BURN, *COUP_PHASES),
        raises=breach(Code.FORCED_EXIT, coup_end.coup_forced_out),
    ),
    row(T.FORCED_EXIT, RESTING, why=message("forced_exit_with_no_coup_on_table")),
    # It ends a coup only where nothing reports results; it never begins one.
    row(T.STAND_BY, P.PARTIAL, do=coup_end.end_partial_at_stand_by),
    row(T.STAND_BY, HANDS_COMPLETE, when=facts.results_observed, why=_STANDS_BY),
    row(T.STAND_BY, HANDS_COMPLETE, do=coup_end.end_coup_at_stand_by),
    row(T.STAND_BY, RESTING, why=_STANDS_BY),
)

DEVICE: Final = (
    row(T.DEVICE_STARTED, (P.CLOSED, P.SHOE_OVER), do=shoe.begin_next_shoe),
    row(T.DEVICE_STARTED, HANDS_COMPLETE, do=coup_end.close_at_next, again=again),
    row(
        T.DEVICE_STARTED,
        IN_PLAY,
        when=facts.cut_in_play,
        raises=breach(Code.SHOE_CHANGED_EARLY, shoe.restart_in_play),
    ),
    row(
        T.DEVICE_STARTED,
        BEFORE_A_COUP,
        when=facts.cards_held_after,
        raises=breach(Code.SHOE_RESTARTED, shoe.restart_in_play),
    ),
    row(T.DEVICE_STARTED, (P.BURN_FIRST, *BEFORE_A_COUP), do=shoe.restart_idle),
    row(T.DEVICE_STARTED, IN_PLAY, raises=breach(Code.SHOE_RESTARTED, shoe.restart_in_play)),
    row(
        T.PROGRAM_REPLACED,
        IN_PLAY,
        raises=breach(Code.PROGRAM_REPLACED, lost_reports.program_replaced),
    ),
    row(T.PROGRAM_REPLACED, RESTING, why=message("no_shoe_open")),
)

# What is in progress is incomplete from here on; of the next shoe the beginning may be missing.
LOSSES: Final = (
    row(
        T.REPORTS_MISSING,
        P.CLOSED,
        why=NoEffect(message("reports_may_be_missing_no_shoe_open"), between_shoes.keep_loss),
    ),
    row(
        T.REPORTS_MISSING,
        P.SHOE_OVER,
        when=facts.unproven,
        why=NoEffect(message("reports_may_be_missing_shoe_over"), between_shoes.keep_loss),
    ),
    row(
        T.REPORTS_MISSING,
        IN_PLAY,
        when=facts.unproven,
        raises=breach(Code.CONTINUITY_UNPROVEN, lost_reports.reports_missing),
    ),
    row(
        T.REPORTS_MISSING,
        IN_SHOE,
        when=facts.not_judged,
        raises=breach(Code.JUDGING_FAILED, lost_reports.reports_missing),
    ),
    row(T.REPORTS_MISSING, IN_SHOE, raises=breach(Code.REPORTS_LOST, lost_reports.reports_missing)),
    row(
        T.PROGRESS_LOST,
        (P.BURN_FIRST, P.BURN_REST, P.BURN_UNCOUNTED),
        do=lost_reports.lose_burn,
        to=P.BURN_UNCOUNTED,
    ),
    row(T.PROGRESS_LOST, P.BOXED_BURN, do=lost_reports.lose_boxed_burn, to=P.BURN_UNCOUNTED),
    row(
        T.PROGRESS_LOST,
        BURNS_BEFORE_COUP,
        do=burn.lose_remedy_burn,
        to=P.REMEDY_BURN_UNCOUNTED,
    ),
    row(T.PROGRESS_LOST, P.COUP_BURN, do=burn.lose_coup_burn, again=again),
    row(T.PROGRESS_LOST, BEFORE_A_COUP, do=lost_reports.lose_held_cards),
    row(T.PROGRESS_LOST, COUP_PHASES, do=lost_reports.lose_coup, to=P.PARTIAL),
    row(T.PROGRESS_LOST, P.SHOE_OVER),
)

# No card is left in the shoe: by the count, once its last card was drawn, or as a person states.
EMPTY: Final = (
    row(
        T.NO_CARD_LEFT,
        (P.BETTING_CLOSED, *DUE_PHASES),
        raises=breach(Code.INSUFFICIENT_CARDS, burn.raise_no_card_left),
    ),
    row(T.NO_CARD_LEFT, RESTING),
    row(
        T.STATED_EMPTY,
        NEEDS_A_CARD,
        raises=breach(Code.INSUFFICIENT_CARDS, stated_shoe.raise_shortage),
    ),
    row(T.STATED_EMPTY, COUP_ENDS),
    row(T.STATED_EMPTY, IN_PLAY, when=facts.suspended),
    row(T.STATED_EMPTY, BURNS_BEGUN, do=burn.stop_burn),
    row(T.STATED_EMPTY, (P.BURN_FIRST, P.BETWEEN_COUPS), to=P.SHOE_OVER),
)

SUSPENDED: Final = (
    row(
        T.DRAWN_UNDER_WARNING,
        RESTING,
        raises=breach(Code.CARD_UNDER_WARNING, interlock.raise_card_under_warning),
    ),
    row(
        T.DEALT_WHILE_SUSPENDED,
        RESTING,
        raises=breach(Code.DEALT_WHILE_SUSPENDED, suspension.raise_dealt_while_suspended),
    ),
    row(
        T.OF_NEXT_SHOE,
        RESTING,
        why=NoEffect(
            message("event_next_shoe_not_followed_while_table"), suspension.ignore_next_shoe
        ),
    ),
)

HAPPENING_ROWS: Final = (*CUT_CARDS, *CALLS, *RESULTS, *EXITS, *DEVICE, *LOSSES, *EMPTY, *SUSPENDED)


ROWS: Final = (*CARD_ROWS, *HAPPENING_ROWS, *MOVE_ROWS)
add_rows(MACHINE, ROWS)
fill_cache()


def judge_happening(book: RuleBook, step: Step, event: Happening) -> Step:
    """Judge what happens at the table."""
    return ask(book, step, trigger_of(event), event)


def card_drawn(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """Judge one card; it counts as drawn, whatever is wrong with it."""
    step = judge_happening(book, step, read_partial_claim(step, event))
    return check_card_under_warning(book, begin_due_burn(book, step))
