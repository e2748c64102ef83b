"""The rows for cards: what each is in a phase, by the place the shoe claims for it.

Source: NY (e), (f), (h); S42 (e)(6), (g)(3), (h)(3)-(5), (k)(1)-(2); D-5, D-7, D-13, D-16, D-22,
D-38.
"""

from typing import Any, Final, TypeAlias

from msgspec.structs import replace

from controller.procedure.dealing.burn import (
    accept_announced_burn_card,
    end_uncounted_burn,
    judge_counted_burn_card,
    judge_first_burn_card,
    judge_uncounted_burn_card,
)
from controller.procedure.dealing.coup_end import (
    close_at_next,
    leave_coup,
    resume_coup_at_card,
)
from controller.procedure.dealing.coup_start import (
    deal_first_card,
    deal_partial_card,
    deal_unread_first_card,
    join_coup,
    join_shoe_at_burn_card,
    join_shoe_at_card,
    leave_partial_coup,
    open_held_coup,
)
from controller.procedure.dealing.due_cards import (
    apply_drawing_rules,
    check_next_card,
    deal_due_card,
    deal_unread_card,
)
from controller.procedure.dealing.error_cards import (
    hold_card,
    hold_card_drawn_after,
    hold_first_drawn_after,
)
from controller.procedure.dealing.remedy_burn import (
    end_uncounted_remedy_burn,
    judge_early_burn_card,
    judge_remedy_burn_card,
    judge_uncounted_remedy_card,
)
from controller.procedure.dealing.shoe import (
    begin_shoe_with_card,
    close_beyond_decks,
    note_next_shoe,
    put_after_last,
    raise_beyond_decks,
)
from controller.procedure.irregularities.codes import IrregularityCode
from controller.procedure.phases import (
    BEFORE_A_COUP,
    DUE_PHASES,
    HANDS_COMPLETE,
    IN_PLAY,
    Phase,
    Trigger,
)
from controller.procedure.table.conditions import (
    beyond_decks,
    burn_owed,
    calls_observed,
    card_unread,
    card_waits,
    cards_carried,
    changes_shoes,
    continuous,
    drawn_after,
    end_observed,
    next_shoe,
    no_coup_begun,
    none_drawn,
    nothing_missing,
    of_another_coup,
    of_next_coup,
    of_unseen_coup,
    shoe_count_explains,
)
from controller.procedure.table.controls import again, again_as, again_uncalled, count, read_as
from controller.procedure.table.row import Phases, Row, Triggers, row
from controller.rules.coup import Place

P, T, Code = Phase, Trigger, IrregularityCode

BURN_CARDS: Final = (T.CLAIMED_BURN_FIRST, T.CLAIMED_BURN, T.CLAIMED_BURN_EXTRA)
FIRST_FOUR: Final = (
    T.CLAIMED_PLAYER_1,
    T.CLAIMED_BANKER_1,
    T.CLAIMED_PLAYER_2,
    T.CLAIMED_BANKER_2,
)
THIRD_CARDS: Final = (T.CLAIMED_PLAYER_3, T.CLAIMED_BANKER_3)
LATE: Final = (*THIRD_CARDS, T.CLAIMED_FURTHER)
ANY_CARD: Final = (*BURN_CARDS, *FIRST_FOUR, *LATE, T.CLAIMED_OUTSIDE, T.UNCLAIMED_CARD)
# After a partial coup was left, also a card of the coup whose beginning was not seen.
ANY_OR_UNSEEN: Final = (*ANY_CARD, T.COUP_UNSEEN)
IN_BURN: Final = (T.CLAIMED_BURN, T.CLAIMED_BURN_EXTRA)
HAND_CARDS: Final = (*FIRST_FOUR, *LATE)
# Cards of a coup that can be joined in the middle.
JOINING: Final = (T.CLAIMED_BANKER_1, T.CLAIMED_PLAYER_2, T.CLAIMED_BANKER_2, T.COUP_UNSEEN)
BETWEEN: Final = P.BETWEEN_COUPS
CALLED: Final = P.BETTING_CLOSED
COMPLETE: Final = (*HANDS_COMPLETE, P.ABANDONED_COMPLETE)
LEFT: Final = (P.ABANDONED, P.ABANDONED_COMPLETE)
LEFT_OR_PARTIAL: Final = (*LEFT, P.PARTIAL)
# Here a card drawn in error can wait for its decision.
MAY_HOLD: Final = (*BEFORE_A_COUP, *DUE_PHASES, *COMPLETE, P.ABANDONED)
# Burns in which a card outside play is no burn card.
BURNS_WITH_PLACES: Final = (
    P.BURN_FIRST,
    P.BURN_REST,
    P.BURN_UNCOUNTED,
    P.REMEDY_BURN_UNCOUNTED,
)
UNCALLED: Final = Code.CARD_BEFORE_NO_MORE_BETS
# Columns that several rows share.
Columns: TypeAlias = dict[str, Any]
OUTSIDE: Final[Columns] = {"raises": Code.CARD_OUTSIDE_PLAY, "do": hold_card}
BEYOND: Final[Columns] = {"raises": Code.CARDS_EXCEED_DECKS, "do": raise_beyond_decks}
CHANGED_EARLY: Final[Columns] = {"raises": Code.SHOE_CHANGED_EARLY, "do": note_next_shoe}
OWED: Final[Columns] = {"do": judge_early_burn_card}
FIRST_CARD: Final = (T.CLAIMED_PLAYER_1, T.UNCLAIMED_CARD)
FIRST_PLACE: Final = read_as(Place.PLAYER_1)
FIRST: Final[Columns] = {
    "reads": FIRST_PLACE,
    "do": deal_first_card,
    "to": P.BANKER_1,
    "then": check_next_card,
}
UNREAD_FIRST: Final[Columns] = {
    "raises": Code.CARD_UNREADABLE,
    "reads": FIRST_PLACE,
    "do": deal_unread_first_card,
    "to": P.PARTIAL,
}
UNREAD: Final[Columns] = {
    "raises": Code.CARD_UNREADABLE,
    "do": deal_unread_card,
    "to": P.PARTIAL,
}
JOINED: Final[Columns] = {"raises": Code.COUP_JOINED, "do": join_coup, "to": P.PARTIAL}
# A hand is due a card: phase, claim, place, and the next phase; None: the third-card rules say it.
DUE_CARDS: Final = (
    (P.PLAYER_1, T.CLAIMED_PLAYER_1, Place.PLAYER_1, P.BANKER_1),
    (P.BANKER_1, T.CLAIMED_BANKER_1, Place.BANKER_1, P.PLAYER_2),
    (P.PLAYER_2, T.CLAIMED_PLAYER_2, Place.PLAYER_2, P.BANKER_2),
    (P.BANKER_2, T.CLAIMED_BANKER_2, Place.BANKER_2, None),
    (P.PLAYER_3, T.CLAIMED_PLAYER_3, Place.PLAYER_3, None),
    (P.BANKER_3, T.CLAIMED_BANKER_3, Place.BANKER_3, P.RESULT),
)


def dealt(to: Phase | None) -> Columns:
    then = check_next_card if to is not None else apply_drawing_rules
    return {"do": deal_due_card, "to": to, "then": then}


def card(on: Triggers, at: Phases, **columns: Any) -> Row:
    """A row for a card of the shoe in play: it is counted as drawn first."""
    return replace(row(on, at, **columns), counts=count)


# --- in order ------------------------------------------------------------------------------------

_IN_THE_WAY: Final = (beyond_decks, card_waits, cards_carried, card_unread)

IN_ORDER: Final = (
    card(FIRST_CARD, BETWEEN, unless=(*_IN_THE_WAY, calls_observed), **FIRST),
    card(FIRST_CARD, CALLED, unless=_IN_THE_WAY, **FIRST),
    *(
        card(
            (claim, T.UNCLAIMED_CARD),
            phase,
            unless=(beyond_decks, card_unread),
            reads=read_as(place),
            **dealt(to),
        )
        for phase, claim, place, to in DUE_CARDS
    ),
)

# --- no shoe in play, and after the last coup ----------------------------------------------------

NO_SHOE: Final = (
    row(T.CLAIMED_BURN_FIRST, P.CLOSED, do=begin_shoe_with_card, again=again),
    row(T.UNCLAIMED_CARD, P.CLOSED, when=next_shoe, do=begin_shoe_with_card, again=again),
    row(
        (*IN_BURN, T.UNCLAIMED_CARD),
        P.CLOSED,
        raises=Code.SHOE_JOINED,
        reads=read_as(Place.BURN),
        do=join_shoe_at_burn_card,
    ),
    row(ANY_CARD, P.CLOSED, raises=Code.SHOE_JOINED, do=join_shoe_at_card),
)
OVER: Final = (
    row(T.CLAIMED_BURN_FIRST, P.SHOE_OVER, do=begin_shoe_with_card, again=again),
    row(T.UNCLAIMED_CARD, P.SHOE_OVER, when=next_shoe, do=begin_shoe_with_card, again=again),
    card(T.CLAIMED_PLAYER_1, P.SHOE_OVER, raises=Code.CARD_AFTER_LAST_COUP, do=put_after_last),
    card(ANY_CARD, P.SHOE_OVER, when=(burn_owed, beyond_decks), **BEYOND),
    card(ANY_OR_UNSEEN, P.SHOE_OVER, when=burn_owed, do=judge_early_burn_card),
    card(ANY_OR_UNSEEN, P.SHOE_OVER, raises=Code.CARD_AFTER_LAST_COUP, do=put_after_last),
)

# --- a card of another shoe, or one more than all decks hold -------------------------------------

OF_THIS_SHOE: Final = (
    # Only after each start of a continuous shuffler a burn is announced; its shoe never changes.
    card(T.CLAIMED_BURN_FIRST, BEFORE_A_COUP, when=continuous, do=accept_announced_burn_card),
    card(T.CLAIMED_BURN_FIRST, BEFORE_A_COUP, when=none_drawn, raises=Code.BURN_OVER, do=hold_card),
    row(T.CLAIMED_BURN_FIRST, BEFORE_A_COUP, **CHANGED_EARLY),
    row(T.CLAIMED_BURN_FIRST, LEFT_OR_PARTIAL, when=changes_shoes, **CHANGED_EARLY),
    card(T.CLAIMED_BURN_FIRST, HANDS_COMPLETE, when=(burn_owed, beyond_decks), **BEYOND),
    card(T.CLAIMED_BURN_FIRST, HANDS_COMPLETE, when=burn_owed, do=judge_early_burn_card),
    row(
        T.CLAIMED_BURN_FIRST,
        HANDS_COMPLETE,
        when=changes_shoes,
        do=close_at_next,
        again=again,
    ),
    card(T.UNCLAIMED_CARD, P.RESULT, when=(beyond_decks, end_observed), **BEYOND),
    card(T.UNCLAIMED_CARD, HANDS_COMPLETE, when=(beyond_decks, burn_owed), **BEYOND),
    card(
        (T.CLAIMED_PLAYER_1, T.UNCLAIMED_CARD),
        HANDS_COMPLETE,
        when=beyond_decks,
        raises=Code.CARDS_EXCEED_DECKS,
        do=close_beyond_decks,
    ),
    card(ANY_CARD, IN_PLAY, when=beyond_decks, **BEYOND),
)

# --- burns ---------------------------------------------------------------------------------------

BURNS: Final = (
    # Before play: until it is complete every card is a burn card, whatever the shoe claims.
    card(T.CLAIMED_OUTSIDE, BURNS_WITH_PLACES, **OUTSIDE),
    card((T.CLAIMED_BURN_FIRST, T.UNCLAIMED_CARD), P.BURN_FIRST, do=judge_first_burn_card),
    card(T.CLAIMED_PLAYER_1, P.BURN_FIRST, raises=Code.BURN_SKIPPED, do=judge_first_burn_card),
    card(ANY_CARD, P.BURN_FIRST, raises=Code.CLAIM_DIFFERS, do=judge_first_burn_card),
    card((*IN_BURN, T.UNCLAIMED_CARD), P.BURN_REST, do=judge_counted_burn_card),
    card(T.CLAIMED_PLAYER_1, P.BURN_REST, raises=Code.BURN_SHORT, do=judge_counted_burn_card),
    card(ANY_CARD, P.BURN_REST, raises=Code.CLAIM_DIFFERS, do=judge_counted_burn_card),
    card((*BURN_CARDS, T.UNCLAIMED_CARD), P.BURN_UNCOUNTED, do=judge_uncounted_burn_card),
    card(ANY_CARD, P.BURN_UNCOUNTED, do=end_uncounted_burn, again=again),
    # Of an irregularity.
    card(
        T.CLAIMED_PLAYER_1,
        (P.BOXED_BURN, P.REMEDY_BURN),
        raises=Code.BURN_SHORT,
        do=judge_remedy_burn_card,
    ),
    card(ANY_CARD, (P.BOXED_BURN, P.REMEDY_BURN, P.COUP_BURN), do=judge_remedy_burn_card),
    card(T.COUP_UNSEEN, P.REMEDY_BURN, do=judge_remedy_burn_card),
    card(
        (*BURN_CARDS, T.UNCLAIMED_CARD),
        P.REMEDY_BURN_UNCOUNTED,
        do=judge_uncounted_remedy_card,
    ),
    card(ANY_OR_UNSEEN, P.REMEDY_BURN_UNCOUNTED, do=end_uncounted_remedy_burn, again=again),
    # Where a coup is on the table or comes next.
    card(BURN_CARDS, (*DUE_PHASES, *COMPLETE, P.ABANDONED), when=burn_owed, **OWED),
    card(T.CLAIMED_BURN, BEFORE_A_COUP, when=continuous, do=accept_announced_burn_card),
    card(BURN_CARDS, MAY_HOLD, when=card_waits, do=hold_card_drawn_after),
    card(BURN_CARDS, COMPLETE, raises=Code.OVERDRAW, do=hold_card),
    card(BURN_CARDS, MAY_HOLD, raises=Code.BURN_OVER, do=hold_card),
)

# --- before a coup: only Player's first card begins it in order ----------------------------------

BEFORE: Final = (
    card(T.CLAIMED_OUTSIDE, BEFORE_A_COUP, **OUTSIDE),
    # A card drawn in error waits: the decision on it places this one, too.
    card((*JOINING, *LATE), BEFORE_A_COUP, when=drawn_after, do=hold_card_drawn_after),
    *(
        line
        for on, of_it in (((*FIRST_CARD, *JOINING), ()), (LATE, (of_next_coup,)))
        for line in (
            card(
                on,
                BETWEEN,
                when=(*of_it, card_waits, calls_observed),
                raises=UNCALLED,
                reads=FIRST_PLACE,
                do=hold_first_drawn_after,
                to=CALLED,
            ),
            card(
                on,
                BETWEEN,
                when=(*of_it, card_waits),
                reads=FIRST_PLACE,
                do=hold_first_drawn_after,
                to=CALLED,
            ),
            card(
                on,
                CALLED,
                when=(*of_it, card_waits),
                reads=FIRST_PLACE,
                do=hold_card_drawn_after,
            ),
            # Cards are held for the coup: it begins with them, and this card comes after them.
            card(
                on,
                BETWEEN,
                when=(*of_it, cards_carried, calls_observed),
                raises=UNCALLED,
                do=open_held_coup,
                again=again_uncalled,
            ),
            card(on, BEFORE_A_COUP, when=(*of_it, cards_carried), do=open_held_coup, again=again),
        )
    ),
    card(FIRST_CARD, CALLED, **UNREAD_FIRST),
    card(FIRST_CARD, BETWEEN, when=card_unread, **UNREAD_FIRST),
    card(FIRST_CARD, BETWEEN, raises=UNCALLED, **FIRST),
    *(
        line
        # The shoe counts a burned or void card: what it claims is the first card all the same.
        # So is one claimed for Banker where no report can be missing (D-16).
        for on, of_it, differs in (
            ((*JOINING, *LATE), shoe_count_explains, ()),
            (T.CLAIMED_BANKER_1, nothing_missing, (Code.CLAIM_DIFFERS,)),
        )
        for line in (
            card(on, BEFORE_A_COUP, when=(of_it, card_unread), **UNREAD_FIRST),
            card(on, BETWEEN, when=(of_it, calls_observed), raises=(UNCALLED, *differs), **FIRST),
            card(on, BEFORE_A_COUP, when=of_it, raises=differs, **FIRST),
        )
    ),
    card(JOINING, BEFORE_A_COUP, **JOINED),
    card(LATE, BEFORE_A_COUP, when=no_coup_begun, **JOINED),
    card(LATE, BEFORE_A_COUP, raises=Code.OVERDRAW, do=hold_card),
)

# --- a hand is due a card: the order of drawing decides which, whatever the shoe claims ----------

DUE: Final = (
    *(
        card((claim, T.UNCLAIMED_CARD), phase, reads=read_as(place), **UNREAD)
        for phase, claim, place, _ in DUE_CARDS
    ),
    card(HAND_CARDS, DUE_PHASES, when=card_unread, **UNREAD),
    card(T.CLAIMED_OUTSIDE, DUE_PHASES, **OUTSIDE),
    card(T.CLAIMED_PLAYER_3, P.BANKER_3, when=shoe_count_explains, **dealt(P.RESULT)),
    card(
        T.CLAIMED_PLAYER_3,
        P.BANKER_3,
        raises=Code.PLAYER_THIRD_UNAUTHORISED,
        **dealt(P.RESULT),
    ),
    *(
        line
        for phase, _, _, to in DUE_CARDS
        for line in (
            card(HAND_CARDS, phase, when=shoe_count_explains, **dealt(to)),
            card(HAND_CARDS, phase, raises=Code.CLAIM_DIFFERS, **dealt(to)),
        )
    ),
)

# --- no card is due, the coup was left, or cards of it are not known -----------------------------

ENDS: Final = (
    # Player's first card can only be another coup's.
    card(T.CLAIMED_PLAYER_1, HANDS_COMPLETE, do=close_at_next, again=again),
    card(T.CLAIMED_PLAYER_1, LEFT, do=leave_coup, again=again),
    # So is one without a place, where nothing observed comes between two coups.
    card(T.UNCLAIMED_CARD, COMPLETE, when=burn_owed, **OWED),
    card(
        T.UNCLAIMED_CARD,
        (P.RESULT, P.ABANDONED_COMPLETE),
        when=end_observed,
        raises=Code.OVERDRAW,
        do=hold_card,
    ),
    card(T.UNCLAIMED_CARD, HANDS_COMPLETE, do=close_at_next, again=again),
    card(T.UNCLAIMED_CARD, P.ABANDONED_COMPLETE, do=leave_coup, again=again),
    # Any other card is drawn in error where the hands are complete; else the coup goes on with it.
    card(ANY_CARD, COMPLETE, when=burn_owed, **OWED),
    card(ANY_CARD, COMPLETE, raises=Code.OVERDRAW, do=hold_card),
    card(T.CLAIMED_OUTSIDE, (P.ABANDONED, P.PARTIAL), **OUTSIDE),
    card(ANY_CARD, P.ABANDONED, do=resume_coup_at_card, again=again),
    card(
        THIRD_CARDS,
        P.PARTIAL,
        when=of_unseen_coup,
        do=leave_partial_coup,
        again=again_as(T.COUP_UNSEEN),
    ),
    card(
        (*FIRST_FOUR, *THIRD_CARDS),
        P.PARTIAL,
        when=of_another_coup,
        do=leave_partial_coup,
        again=again,
    ),
    card(ANY_CARD, P.PARTIAL, do=deal_partial_card),
)

CARD_ROWS: Final = (*IN_ORDER, *NO_SHOE, *OVER, *OF_THIS_SHOE, *BURNS, *DUE, *BEFORE, *ENDS)
