"""The rows for what follows from a happening: where play moves, once numbers and hands decide.

Source: NY-e-4, NY-f-2, NY-f-3-four, NY-h-1 to NY-h-4-7, NY-i-1-winner; S42-e-6-burn1, S42-g-2,
S42-g-3-four, S42-h-3-order, S42-h-4, S42-h-5-aside to S42-h-5-onemore, S42-k-1-burn, S42-k-3-extra,
S42-k-4-void.
"""

from typing import Final

from controller.procedure.dealing import remedy_burn
from controller.procedure.phases import (
    AFTER_A_COUP,
    BEFORE_A_COUP,
    BOXED_FROM,
    BURNS_BEFORE_COUP,
    CLOSABLE_PHASES,
    COUP_PHASES,
    DUE_PHASES,
    ENDS_PARTIAL,
    HANDS_COMPLETE,
    RESUMABLE_PHASES,
    VOIDABLE,
    WHOLE_COUPS,
    Phase,
    Trigger,
)
from controller.procedure.table import facts
from controller.procedure.table.row import Row, row

P, T = Phase, Trigger


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
        do=remedy_burn.restart_burn,
        to=P.BURN_FIRST,
    ),
    *_resume(P.PARTIAL, *DUE_PHASES),
)
