"""The rows for cards: what each is in a phase, by the place the shoe claims for it.

Source: NY (e), (f), (h); S42 (e)(6), (g)(3), (h)(3)-(5), (k)(1)-(2); D-5, D-7, D-13, D-16, D-22,
D-38.
"""

from functools import partial
from typing import Final

from controller.procedure.dealing import (
    burn,
    coup_end,
    coup_start,
    due_cards,
    error_cards,
    shoe,
)
from controller.procedure.irregularities.codes import IrregularityCode
from controller.procedure.phases import (
    ABANDONED_PHASES,
    BEFORE_A_COUP,
    BURNS_WITH_PLACES,
    COMPLETE,
    DUE_PHASES,
    ENDS_PARTIAL,
    HANDS_COMPLETE,
    IN_PLAY,
    MAY_HOLD,
    Phase,
    Trigger,
)
from controller.procedure.table import facts
from controller.procedure.table.claims import (
    ANY_CARD,
    ANY_OR_UNSEEN,
    BURN_CARDS,
    COUNTED_OFF,
    FIRST_CARD,
    FIRST_FOUR,
    HAND_CARDS,
    IN_BURN,
    JOINING,
    LATE,
    THIRD_CARDS,
)
from controller.procedure.table.facts import (
    again,
    again_as,
    again_by_claim,
    again_uncalled,
    count,
    read_as,
)
from controller.procedure.table.row import Do, breach, row, two_breaches
from controller.rules.coup import Place

P, T, Code = Phase, Trigger, IrregularityCode

BETWEEN: Final = P.BETWEEN_COUPS
CALLED: Final = P.BETTING_CLOSED
UNCALLED: Final = Code.CARD_BEFORE_NO_MORE_BETS
# Columns that several rows share.
OUTSIDE: Final = breach(Code.CARD_OUTSIDE_PLAY, error_cards.hold_card)
BEYOND: Final = breach(Code.CARDS_EXCEED_DECKS, shoe.raise_beyond_decks)
CHANGED_EARLY: Final = breach(Code.SHOE_CHANGED_EARLY, shoe.note_next_shoe)
FIRST_PLACE: Final = read_as(Place.PLAYER_1)
UNREAD_FIRST: Final = breach(Code.CARD_UNREADABLE, coup_start.deal_unread_first_card)
UNREAD: Final = breach(Code.CARD_UNREADABLE, due_cards.deal_unread_card)
JOINED: Final = breach(Code.COUP_JOINED, coup_start.join_coup)
# A hand is due a card: phase, claim, place, the next phase, and what follows; the third-card rules
# say the phase after the fourth card.
_NEXT, _BY_RULES = due_cards.check_next_card, due_cards.apply_drawing_rules
DUE_CARDS: Final[tuple[tuple[Phase, Trigger, Place, Phase | None, Do | None], ...]] = (
    (P.PLAYER_1, T.CLAIMED_PLAYER_1, Place.PLAYER_1, P.BANKER_1, _NEXT),
    (P.BANKER_1, T.CLAIMED_BANKER_1, Place.BANKER_1, P.PLAYER_2, _NEXT),
    (P.PLAYER_2, T.CLAIMED_PLAYER_2, Place.PLAYER_2, P.BANKER_2, _NEXT),
    (P.BANKER_2, T.CLAIMED_BANKER_2, Place.BANKER_2, None, _BY_RULES),
    (P.PLAYER_3, T.CLAIMED_PLAYER_3, Place.PLAYER_3, None, _BY_RULES),
    (P.BANKER_3, T.CLAIMED_BANKER_3, Place.BANKER_3, P.RESULT, None),
)

# A row for a card of the shoe in play: it is counted as drawn first.
card: Final = partial(row, counts=count)
# Player's first card begins the coup.
first_card: Final = partial(card, to=P.BANKER_1, then=due_cards.check_next_card)
# The card that is due by the order of drawing, whatever the shoe claims.
due_third: Final = partial(card, T.CLAIMED_PLAYER_3, P.BANKER_3, to=P.RESULT)
THIRD: Final = breach(Code.PLAYER_THIRD_UNAUTHORISED, due_cards.deal_due_card)
DIFFERS: Final = breach(Code.CLAIM_DIFFERS, due_cards.deal_due_card)

# --- in order ------------------------------------------------------------------------------------

_IN_THE_WAY: Final = (facts.beyond_decks, facts.card_waits, facts.cards_carried, facts.card_unread)

IN_ORDER: Final = (
    first_card(
        FIRST_CARD,
        BETWEEN,
        unless=(*_IN_THE_WAY, facts.calls_observed),
        reads=FIRST_PLACE,
        do=coup_start.deal_first_card,
    ),
    first_card(
        FIRST_CARD, CALLED, unless=_IN_THE_WAY, reads=FIRST_PLACE, do=coup_start.deal_first_card
    ),
    *(
        card(
            (claim, T.UNCLAIMED_CARD),
            phase,
            unless=(facts.beyond_decks, facts.card_unread),
            reads=read_as(place),
            do=due_cards.deal_due_card,
            to=to,
            then=then,
        )
        for phase, claim, place, to, then in DUE_CARDS
    ),
)

# --- no shoe in play, and after the last coup ----------------------------------------------------

NO_SHOE: Final = (
    row(T.CLAIMED_BURN_FIRST, P.CLOSED, do=shoe.begin_shoe_with_card, again=again),
    row(
        T.UNCLAIMED_CARD, P.CLOSED, when=facts.next_shoe, do=shoe.begin_shoe_with_card, again=again
    ),
    row(
        (*IN_BURN, T.UNCLAIMED_CARD),
        P.CLOSED,
        raises=breach(Code.SHOE_JOINED, coup_start.join_shoe_at_burn_card),
        reads=read_as(Place.BURN),
    ),
    row(ANY_CARD, P.CLOSED, raises=breach(Code.SHOE_JOINED, coup_start.join_shoe_at_card)),
)
OVER: Final = (
    row(T.CLAIMED_BURN_FIRST, P.SHOE_OVER, do=shoe.begin_shoe_with_card, again=again),
    row(
        T.UNCLAIMED_CARD,
        P.SHOE_OVER,
        when=facts.next_shoe,
        do=shoe.begin_shoe_with_card,
        again=again,
    ),
    card(
        T.CLAIMED_PLAYER_1,
        P.SHOE_OVER,
        raises=breach(Code.CARD_AFTER_LAST_COUP, shoe.put_after_last),
    ),
    card(ANY_CARD, P.SHOE_OVER, when=(facts.burn_owed, facts.beyond_decks), raises=BEYOND),
    card(ANY_OR_UNSEEN, P.SHOE_OVER, when=facts.burn_owed, do=burn.judge_early_burn_card),
    card(ANY_OR_UNSEEN, P.SHOE_OVER, raises=breach(Code.CARD_AFTER_LAST_COUP, shoe.put_after_last)),
)

# --- a card of another shoe, or one more than all decks hold -------------------------------------

OF_THIS_SHOE: Final = (
    # Only after each start of a continuous shuffler a burn is announced; its shoe never changes.
    card(
        T.CLAIMED_BURN_FIRST,
        BEFORE_A_COUP,
        when=facts.continuous,
        do=burn.accept_announced_burn_card,
    ),
    card(
        T.CLAIMED_BURN_FIRST,
        BEFORE_A_COUP,
        when=facts.none_drawn,
        raises=breach(Code.BURN_OVER, error_cards.hold_card),
    ),
    row(T.CLAIMED_BURN_FIRST, BEFORE_A_COUP, raises=CHANGED_EARLY),
    row(T.CLAIMED_BURN_FIRST, ENDS_PARTIAL, when=facts.changes_shoes, raises=CHANGED_EARLY),
    card(
        T.CLAIMED_BURN_FIRST,
        HANDS_COMPLETE,
        when=(facts.burn_owed, facts.beyond_decks),
        raises=BEYOND,
    ),
    card(
        T.CLAIMED_BURN_FIRST,
        HANDS_COMPLETE,
        when=facts.burn_owed,
        do=burn.judge_early_burn_card,
    ),
    row(
        T.CLAIMED_BURN_FIRST,
        HANDS_COMPLETE,
        when=facts.changes_shoes,
        do=coup_end.close_at_next,
        again=again,
    ),
    card(T.UNCLAIMED_CARD, P.RESULT, when=(facts.beyond_decks, facts.end_observed), raises=BEYOND),
    card(
        T.UNCLAIMED_CARD, HANDS_COMPLETE, when=(facts.beyond_decks, facts.burn_owed), raises=BEYOND
    ),
    card(
        (T.CLAIMED_PLAYER_1, T.UNCLAIMED_CARD),
        HANDS_COMPLETE,
        when=facts.beyond_decks,
        raises=breach(Code.CARDS_EXCEED_DECKS, shoe.close_beyond_decks),
    ),
    card(ANY_CARD, IN_PLAY, when=facts.beyond_decks, raises=BEYOND),
)

# --- burns ---------------------------------------------------------------------------------------

BURNS: Final = (
    # Before play: until it is complete every card is a burn card, whatever the shoe claims.
    card(T.CLAIMED_OUTSIDE, BURNS_WITH_PLACES, raises=OUTSIDE),
    card((T.CLAIMED_BURN_FIRST, T.UNCLAIMED_CARD), P.BURN_FIRST, do=burn.judge_first_burn_card),
    card(
        T.CLAIMED_PLAYER_1,
        P.BURN_FIRST,
        raises=breach(Code.BURN_SKIPPED, burn.judge_first_burn_card),
    ),
    card(ANY_CARD, P.BURN_FIRST, raises=breach(Code.CLAIM_DIFFERS, burn.judge_first_burn_card)),
    card((*IN_BURN, T.UNCLAIMED_CARD), P.BURN_REST, do=burn.judge_counted_burn_card),
    card(
        T.CLAIMED_PLAYER_1,
        P.BURN_REST,
        raises=breach(Code.BURN_SHORT, burn.judge_counted_burn_card),
    ),
    card(ANY_CARD, P.BURN_REST, raises=breach(Code.CLAIM_DIFFERS, burn.judge_counted_burn_card)),
    card((*BURN_CARDS, T.UNCLAIMED_CARD), P.BURN_UNCOUNTED, do=burn.judge_uncounted_burn_card),
    card(ANY_CARD, P.BURN_UNCOUNTED, do=burn.end_uncounted_burn, again=again),
    # Of an irregularity.
    card(
        T.CLAIMED_PLAYER_1,
        (P.BOXED_BURN, P.REMEDY_BURN),
        raises=breach(Code.BURN_SHORT, burn.judge_remedy_burn_card),
    ),
    card(ANY_CARD, (P.BOXED_BURN, P.COUP_BURN), do=burn.judge_remedy_burn_card),
    card(ANY_OR_UNSEEN, P.REMEDY_BURN, do=burn.judge_remedy_burn_card),
    card(
        (*BURN_CARDS, T.UNCLAIMED_CARD),
        P.REMEDY_BURN_UNCOUNTED,
        do=burn.judge_uncounted_remedy_card,
    ),
    card(
        ANY_OR_UNSEEN,
        P.REMEDY_BURN_UNCOUNTED,
        do=burn.end_uncounted_remedy_burn,
        again=again,
    ),
    # Where a coup is on the table or comes next.
    card(
        BURN_CARDS,
        (*DUE_PHASES, *COMPLETE, P.ABANDONED),
        when=facts.burn_owed,
        do=burn.judge_early_burn_card,
    ),
    card(T.CLAIMED_BURN, BEFORE_A_COUP, when=facts.continuous, do=burn.accept_announced_burn_card),
    card(BURN_CARDS, MAY_HOLD, when=facts.card_waits, do=error_cards.hold_card_drawn_after),
    card(BURN_CARDS, COMPLETE, raises=breach(Code.OVERDRAW, error_cards.hold_card)),
    card(BURN_CARDS, MAY_HOLD, raises=breach(Code.BURN_OVER, error_cards.hold_card)),
)

# --- before a coup: only Player's first card begins it in order ----------------------------------

BEFORE: Final = (
    card(T.CLAIMED_OUTSIDE, BEFORE_A_COUP, raises=OUTSIDE),
    # A card drawn in error waits: the decision on it places this one, too.
    card(
        (*JOINING, *LATE),
        BEFORE_A_COUP,
        when=facts.drawn_after,
        do=error_cards.hold_card_drawn_after,
    ),
    *(
        line
        for on, of_it, reads in (
            ((*FIRST_CARD, *JOINING), (), FIRST_PLACE),
            (LATE, (facts.of_next_coup,), None),
        )
        for line in (
            card(
                on,
                BETWEEN,
                when=(*of_it, facts.card_waits, facts.calls_observed),
                raises=breach(UNCALLED, error_cards.hold_first_drawn_after),
                reads=reads,
                to=CALLED,
            ),
            card(
                on,
                BETWEEN,
                when=(*of_it, facts.card_waits),
                reads=reads,
                do=error_cards.hold_first_drawn_after,
                to=CALLED,
            ),
            card(
                on,
                CALLED,
                when=(*of_it, facts.card_waits),
                reads=reads,
                do=error_cards.hold_card_drawn_after,
            ),
            # Cards are held for the coup: it begins with them, and this card comes after them.
            card(
                on,
                BETWEEN,
                when=(*of_it, facts.cards_carried, facts.calls_observed),
                raises=breach(UNCALLED, coup_start.open_held_coup),
                again=again_uncalled,
            ),
            card(
                on,
                BEFORE_A_COUP,
                when=(*of_it, facts.cards_carried),
                do=coup_start.open_held_coup,
                again=again_by_claim,
            ),
        )
    ),
    card(FIRST_CARD, CALLED, raises=UNREAD_FIRST, reads=FIRST_PLACE, to=P.PARTIAL),
    card(
        FIRST_CARD,
        BETWEEN,
        when=facts.card_unread,
        raises=UNREAD_FIRST,
        reads=FIRST_PLACE,
        to=P.PARTIAL,
    ),
    first_card(
        FIRST_CARD, BETWEEN, reads=FIRST_PLACE, raises=breach(UNCALLED, coup_start.deal_first_card)
    ),
    # The shoe counts a burned or void card: what it claims is the first card all the same.
    card(
        COUNTED_OFF,
        BEFORE_A_COUP,
        when=(facts.shoe_count_explains, facts.card_unread),
        raises=UNREAD_FIRST,
        to=P.PARTIAL,
    ),
    first_card(
        COUNTED_OFF,
        BETWEEN,
        when=(facts.shoe_count_explains, facts.calls_observed),
        raises=breach(UNCALLED, coup_start.deal_first_card),
    ),
    first_card(
        COUNTED_OFF, BEFORE_A_COUP, when=facts.shoe_count_explains, do=coup_start.deal_first_card
    ),
    # So is one claimed for Banker where no report can be missing (D-16).
    card(
        T.CLAIMED_BANKER_1,
        BEFORE_A_COUP,
        when=(facts.nothing_missing, facts.card_unread),
        raises=UNREAD_FIRST,
        to=P.PARTIAL,
    ),
    first_card(
        T.CLAIMED_BANKER_1,
        BETWEEN,
        when=(facts.nothing_missing, facts.calls_observed),
        raises=two_breaches(UNCALLED, Code.CLAIM_DIFFERS, coup_start.deal_first_card),
    ),
    first_card(
        T.CLAIMED_BANKER_1,
        BEFORE_A_COUP,
        when=facts.nothing_missing,
        raises=breach(Code.CLAIM_DIFFERS, coup_start.deal_first_card),
    ),
    card(JOINING, BEFORE_A_COUP, raises=JOINED, to=P.PARTIAL),
    card(LATE, BEFORE_A_COUP, when=facts.no_coup_begun, raises=JOINED, to=P.PARTIAL),
    card(LATE, BEFORE_A_COUP, raises=breach(Code.OVERDRAW, error_cards.hold_card)),
)

# --- a hand is due a card: the order of drawing decides which, whatever the shoe claims ----------

DUE: Final = (
    *(
        card((claim, T.UNCLAIMED_CARD), phase, reads=read_as(place), raises=UNREAD, to=P.PARTIAL)
        for phase, claim, place, _, _ in DUE_CARDS
    ),
    card(HAND_CARDS, DUE_PHASES, when=facts.card_unread, raises=UNREAD, to=P.PARTIAL),
    card(T.CLAIMED_OUTSIDE, DUE_PHASES, raises=OUTSIDE),
    due_third(when=facts.shoe_count_explains, do=due_cards.deal_due_card),
    due_third(when=facts.player_stood, raises=THIRD),
    *(
        line
        for phase, _, _, to, then in DUE_CARDS
        for due in (partial(card, HAND_CARDS, phase, to=to, then=then),)
        for line in (
            due(when=facts.shoe_count_explains, do=due_cards.deal_due_card),
            due(raises=DIFFERS),
        )
    ),
)

# --- no card is due, the coup was left, or cards of it are not known -----------------------------

ENDS: Final = (
    # Player's first card can only be another coup's.
    card(T.CLAIMED_PLAYER_1, HANDS_COMPLETE, do=coup_end.close_at_next, again=again),
    card(T.CLAIMED_PLAYER_1, ABANDONED_PHASES, do=coup_end.leave_coup, again=again),
    # So is one without a place, where nothing observed comes between two coups.
    card(T.UNCLAIMED_CARD, COMPLETE, when=facts.burn_owed, do=burn.judge_early_burn_card),
    card(
        T.UNCLAIMED_CARD,
        (P.RESULT, P.ABANDONED_COMPLETE),
        when=facts.end_observed,
        raises=breach(Code.OVERDRAW, error_cards.hold_card),
    ),
    card(T.UNCLAIMED_CARD, HANDS_COMPLETE, do=coup_end.close_at_next, again=again),
    card(T.UNCLAIMED_CARD, P.ABANDONED_COMPLETE, do=coup_end.leave_coup, again=again),
    # Any other card is drawn in error where the hands are complete; else the coup goes on with it.
    card(ANY_CARD, COMPLETE, when=facts.burn_owed, do=burn.judge_early_burn_card),
    card(ANY_CARD, COMPLETE, raises=breach(Code.OVERDRAW, error_cards.hold_card)),
    card(T.CLAIMED_OUTSIDE, (P.ABANDONED, P.PARTIAL), raises=OUTSIDE),
    row(ANY_CARD, P.ABANDONED, do=coup_end.resume_coup_at_card, again=again),
    card(
        THIRD_CARDS,
        P.PARTIAL,
        when=facts.of_unseen_coup,
        do=coup_start.leave_partial_coup,
        again=again_as(T.COUP_UNSEEN),
    ),
    card(
        (*FIRST_FOUR, *THIRD_CARDS),
        P.PARTIAL,
        when=facts.of_another_coup,
        do=coup_start.leave_partial_coup,
        again=again,
    ),
    card(ANY_CARD, P.PARTIAL, do=coup_start.deal_partial_card),
)

CARD_ROWS: Final = (*IN_ORDER, *NO_SHOE, *OVER, *OF_THIS_SHOE, *BURNS, *DUE, *BEFORE, *ENDS)
