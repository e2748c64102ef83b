"""The grid of play: for every phase and trigger an edge, a breach, or nothing.

A happening is asked of its cell in the phase of play.
Source: NY (e), (f), (i)(1); S42 (e)(6), (g)(2), (h)(5), (j)(1), (k)(3)-(4); D-4 to D-6, D-14, D-22.
"""

from collections.abc import Iterable
from functools import cache
from types import MappingProxyType
from typing import Final, TypeAlias

from controller.procedure.card_rows import Observed, card_rows
from controller.procedure.cells import (
    Breach,
    Cell,
    Condition,
    Grid,
    Handling,
    Lawful,
    Nothing,
)
from controller.procedure.irregularities.codes import IrregularityCode
from controller.procedure.phases import (
    ABANDONED_PHASES,
    BEFORE_A_COUP,
    BURNS_BEFORE_COUP,
    BURNS_BEFORE_PLAY,
    COUP_ENDS,
    DUE_PHASES,
    EDGES,
    HANDS_COMPLETE,
    REMEDY_BURNS,
    WHOLE_COUPS,
    Edge,
    Phase,
    Trigger,
)
from controller.state_table import StateTable
from firmware_bridge.message import message

T, H, Code = Trigger, Handling, IrregularityCode

# --- cut cards -----------------------------------------------------------------------------------

Column: TypeAlias = tuple[tuple[Iterable[Phase], Cell], ...]


def _first_cut_card() -> Column:
    return (
        ((Phase.CLOSED,), Breach(Code.SHOE_JOINED, H.JOIN_SHOE_AT_CUT)),
        (BURNS_BEFORE_PLAY, Breach(Code.CUT_CARD_IN_BURN, H.MISPLACED_CUT)),
        # From the moment a coup needs no more cards until the next one's first card (D-4).
        ((*BURNS_BEFORE_COUP, *BEFORE_A_COUP, *HANDS_COMPLETE), Lawful(H.CUT_BEFORE_COUP)),
        ((Phase.COUP_BURN, *DUE_PHASES, *ABANDONED_PHASES, Phase.PARTIAL), Lawful(H.CUT_IN_COUP)),
        ((Phase.SHOE_OVER,), _AFTER_LAST),
    )


def _second_cut_card() -> Column:
    """The shoe is exhausted: a card that is required now cannot be drawn (D-6)."""
    due = (Phase.BETTING_CLOSED, *DUE_PHASES, Phase.ABANDONED)
    return (
        ((Phase.CLOSED,), Breach(Code.SHOE_JOINED, H.JOIN_SHOE_AT_CUT)),
        (BURNS_BEFORE_PLAY, Breach(Code.CUT_CARD_IN_BURN, H.MISPLACED_CUT)),
        (REMEDY_BURNS, Lawful(H.EXHAUST_IN_BURN)),
        ((Phase.BETWEEN_COUPS,), Lawful(H.EXHAUST_BETWEEN)),
        (due, Breach(Code.INSUFFICIENT_CARDS, H.EXHAUST)),
        (COUP_ENDS, Lawful(H.EXHAUST)),
        ((Phase.SHOE_OVER,), _AFTER_LAST),
    )


_AFTER_LAST: Final = Nothing(message("cut_card_after_last_hand_put_aside"), H.CUT_ASIDE)

# --- a call, a result, an exit -------------------------------------------------------------------


def _no_more_bets() -> Column:
    no_coup = message("no_more_bets_where_no_coup")
    coups = (*DUE_PHASES, *ABANDONED_PHASES, Phase.PARTIAL)
    burns = (Phase.BURN_REST, Phase.BOXED_BURN, Phase.REMEDY_BURN, Phase.COUP_BURN)
    return (
        ((Phase.CLOSED, Phase.BETTING_CLOSED, *coups), Nothing(no_coup)),
        ((Phase.BURN_FIRST,), Nothing(message("burn_comes_first"), H.SAY_FIRST_BURN)),
        (burns, Nothing(message("burn_cards_come_first"), H.SAY_BURN)),
        ((Phase.BURN_UNCOUNTED,), Lawful(H.END_BURN, again=True)),
        ((Phase.REMEDY_BURN_UNCOUNTED,), Lawful(H.END_REMEDY_BURN, again=True)),
        ((Phase.BETWEEN_COUPS,), Lawful(H.CLOSE_BETTING)),
        (HANDS_COMPLETE, Lawful(H.CLOSE_COUP, again=True)),
        ((Phase.SHOE_OVER,), Nothing(message("shoe_over"), H.SAY_OVER)),
    )


def _result_declared() -> Column:
    none = Nothing(message("result_belongs_to_no_coup_this_shoe"))
    held = ((Condition.HAND_HELD, T.RESULT_OF_HELD),)
    incomplete = (Phase.COUP_BURN, *DUE_PHASES, Phase.ABANDONED)
    return (
        ((Phase.CLOSED, *BURNS_BEFORE_PLAY, Phase.SHOE_OVER), none),
        (
            (*BURNS_BEFORE_COUP, *BEFORE_A_COUP),
            Breach(Code.RESULT_WITHOUT_COUP, H.RESULT_ALONE, unless=held),
        ),
        (incomplete, Breach(Code.MISSING_CARD, H.COMPARE_RESULT)),
        ((*HANDS_COMPLETE, Phase.ABANDONED_COMPLETE), Lawful(H.COMPARE_RESULT)),
        ((Phase.PARTIAL,), Lawful(H.PARTIAL_RESULT)),
    )


def _forced_exit() -> Column:
    no_coup = message("forced_exit_with_no_coup_on_table")
    count = ((Condition.COUNT_OFF, T.COUNT_LEFT),)
    without = (*BURNS_BEFORE_PLAY, *BURNS_BEFORE_COUP, *BEFORE_A_COUP, Phase.SHOE_OVER)
    coup = (Phase.COUP_BURN, *WHOLE_COUPS, Phase.PARTIAL)
    return (
        ((Phase.CLOSED,), Nothing(no_coup)),
        (without, Nothing(no_coup, unless=count)),
        (coup, Breach(Code.FORCED_EXIT, H.FORCE_OUT, unless=count)),
    )


def _count_left() -> Column:
    return ((_IN_SHOE, Lawful(H.RESTART_COUNT)),)


def _stand_by(book: Observed) -> Column:
    """Stand-by ends a coup only where nothing reports results; it never begins one."""
    complete = Nothing(_STANDS_BY) if book.results else Lawful(H.STAND_BY_COMPLETE)
    return (
        (_RESTING, Nothing(_STANDS_BY)),
        ((Phase.PARTIAL,), Lawful(H.STAND_BY_PARTIAL)),
        (HANDS_COMPLETE, complete),
    )


_STANDS_BY: Final = message("shoe_stands_by")

# --- a device that starts, reports that are missing ----------------------------------------------


def _device_started() -> Column:
    after_cut = (Condition.CUT_CARD_OUT, T.STARTED_AFTER_CUT)
    dealing = (Condition.HELD_IN_DEALING, T.STARTED_IN_DEALING)
    idle = Lawful(H.RESTART_IDLE, unless=(after_cut, dealing))
    return (
        ((Phase.CLOSED, Phase.SHOE_OVER), Lawful(H.BEGIN_NEXT_SHOE)),
        (_IN_PLAY, Breach(Code.SHOE_RESTARTED, H.RESTART, unless=(after_cut,))),
        ((Phase.BURN_FIRST,), Lawful(H.RESTART_IDLE, unless=(after_cut,))),
        (BEFORE_A_COUP, idle),
        (HANDS_COMPLETE, Lawful(H.CLOSE_COUP, again=True)),
    )


def _started_after_cut() -> Column:
    return ((_RESTARTED, Breach(Code.SHOE_CHANGED_EARLY, H.RESTART)),)


def _started_in_dealing() -> Column:
    return ((BEFORE_A_COUP, Breach(Code.SHOE_RESTARTED, H.RESTART)),)


def _reports_missing(code: IrregularityCode, over: Cell) -> Column:
    """What is in progress is incomplete from here on."""
    counted = (Phase.BURN_FIRST, Phase.BURN_REST, Phase.BURN_UNCOUNTED)
    return (
        ((Phase.CLOSED,), Nothing(message("reports_may_be_missing_no_shoe_open"))),
        (counted, Breach(code, H.LOSE_BURN)),
        ((Phase.BOXED_BURN,), Breach(code, H.LOSE_BOXED_BURN)),
        (BURNS_BEFORE_COUP, Breach(code, H.LOSE_REMEDY_BURN)),
        ((Phase.COUP_BURN,), Breach(code, H.LOSE_COUP_BURN)),
        (BEFORE_A_COUP, Breach(code, H.LOSE_HELD_CARDS)),
        ((*WHOLE_COUPS, Phase.PARTIAL), Breach(code, H.LOSE_COUP)),
        ((Phase.SHOE_OVER,), over),
    )


def _program_replaced() -> Column:
    return (
        ((Phase.CLOSED, Phase.SHOE_OVER), Nothing(message("no_shoe_open"))),
        (_IN_PLAY, Breach(Code.PROGRAM_REPLACED, H.REPLACE_PROGRAM)),
    )


# --- the whole grid ------------------------------------------------------------------------------

# The phases in which a table waits: the opening passes at once, and beneath a suspension the phase
# of play is asked.
_RESTING: Final = tuple(one for one in Phase if one not in (Phase.OPENING, Phase.SUSPENDED))
_IN_SHOE: Final = tuple(one for one in _RESTING if one is not Phase.CLOSED)
_IN_PLAY: Final = tuple(one for one in _IN_SHOE if one is not Phase.SHOE_OVER)
_RESTARTED: Final = tuple(one for one in _IN_PLAY if one not in HANDS_COMPLETE)


def _columns(book: Observed) -> dict[Trigger, Column]:
    unproven = Nothing(message("reports_may_be_missing_shoe_over"))
    lost = Breach(Code.REPORTS_LOST, H.LOSE_NOTHING)
    return {
        T.FIRST_CUT_CARD: _first_cut_card(),
        T.SECOND_CUT_CARD: _second_cut_card(),
        T.EXTRA_CUT_CARD: ((_RESTING, Breach(Code.CUT_CARD_EXTRA, H.EXTRA_CUT)),),
        T.NO_MORE_BETS: _no_more_bets(),
        T.RESULT_DECLARED: _result_declared(),
        T.RESULT_OF_HELD: (((*BURNS_BEFORE_COUP, *BEFORE_A_COUP), Lawful(H.KEEP_RESULT)),),
        T.FORCED_EXIT: _forced_exit(),
        T.COUNT_LEFT: _count_left(),
        T.STAND_BY: _stand_by(book),
        T.DEVICE_STARTED: _device_started(),
        T.STARTED_AFTER_CUT: _started_after_cut(),
        T.STARTED_IN_DEALING: _started_in_dealing(),
        T.CONTINUITY_UNPROVEN: _reports_missing(Code.CONTINUITY_UNPROVEN, unproven),
        T.REPORTS_LOST: _reports_missing(Code.REPORTS_LOST, lost),
        T.PROGRAM_REPLACED: _program_replaced(),
    }


@cache
def grid_of(book: Observed) -> Grid:
    """Every cell of a rule book."""
    cells = {
        (phase, trigger): cell
        for phase, row in card_rows(book).items()
        for trigger, cell in row.items()
    }
    for trigger, column in _columns(book).items():
        cells |= {(phase, trigger): cell for phases, cell in column for phase in phases}
    return MappingProxyType(cells)


@cache
def phase_table_of(book: Observed) -> StateTable[Phase, Trigger]:
    """The state table of a rule book: the edges of play, and those of its lawful cells.

    What a lawful happening changes beyond its phase is decided by numbers, with edges of play.
    """
    moves = {(source, trigger) for source, trigger, _ in EDGES}
    lawful: list[Edge] = [
        (phase, trigger, phase)
        for (phase, trigger), cell in grid_of(book).items()
        if isinstance(cell, Lawful) and (phase, trigger) not in moves
    ]
    return StateTable((*EDGES, *lawful))
