"""The rows of the grid for cards: what each is in a phase, by the place the shoe claims for it.

What is true of any card is no matter of the grid: it is judged beside it (dealing.order).
Source: NY (e), (f), (h); S42 (e)(6), (g)(3), (h)(3)-(5), (k)(1)-(2); D-5, D-7, D-13, D-16, D-22,
D-38.
"""

from collections.abc import Iterable
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from controller.procedure.cells import Breach, Cell, Condition, Handling, Lawful
from controller.procedure.irregularities.codes import IrregularityCode
from controller.procedure.phases import Phase, Trigger
from controller.rules.coup import Place

Row: TypeAlias = dict[Trigger, Cell]


class Observed(Struct, frozen=True):
    """What a rule book says of order: what its table observes, and whether it burns."""

    results: bool
    no_more_bets: bool
    continuous: bool


T, H, Code = Trigger, Handling, IrregularityCode

BURN_CLAIMS: Final = (T.CLAIMED_BURN_FIRST, T.CLAIMED_BURN, T.CLAIMED_BURN_EXTRA)
_FIRST_FOUR: Final = (
    T.CLAIMED_PLAYER_1,
    T.CLAIMED_BANKER_1,
    T.CLAIMED_PLAYER_2,
    T.CLAIMED_BANKER_2,
)
_LATE: Final = (T.CLAIMED_PLAYER_3, T.CLAIMED_BANKER_3, T.CLAIMED_FURTHER)
HAND_CLAIMS: Final = (*_FIRST_FOUR, *_LATE)
CARDS: Final = (*BURN_CLAIMS, *HAND_CLAIMS, T.CLAIMED_OUTSIDE, T.UNCLAIMED_CARD)
# With a card of a coup whose beginning was not seen: before a coup, in what a partial one leaves.
_CARDS_AND_UNSEEN: Final = (*CARDS, T.COUP_UNSEEN)
_CHANGED_EARLY: Final = Breach(Code.SHOE_CHANGED_EARLY, H.NOTE_NEXT_SHOE)
_OUTSIDE: Final = Breach(Code.CARD_OUTSIDE_PLAY, H.HOLD)
_OWED: Final = ((Condition.BURN_OWED, T.BURN_OWED_CARD),)
# A burn card in a coup: of a burn that is owed, or held with a card drawn in error.
_BURNED: Final = (*_OWED, (Condition.CARD_WAITS, T.MORE_AFTER_ERROR))


def _row(*parts: tuple[Iterable[Trigger], Cell]) -> Row:
    """A row of cells; a later part of it takes precedence."""
    return {trigger: cell for triggers, cell in parts for trigger in triggers}


# --- no shoe in play -----------------------------------------------------------------------------


def _closed() -> Row:
    opens = ((Condition.NEXT_SHOE, T.CLAIMED_BURN_FIRST),)
    in_burn = Breach(Code.SHOE_JOINED, H.JOIN_SHOE_IN_BURN, reads=Place.BURN, unless=opens)
    return _row(
        (CARDS, Breach(Code.SHOE_JOINED, H.JOIN_SHOE)),
        ((T.CLAIMED_BURN, T.CLAIMED_BURN_EXTRA), Breach(Code.SHOE_JOINED, H.JOIN_SHOE_IN_BURN)),
        ((T.UNCLAIMED_CARD,), in_burn),
        ((T.CLAIMED_BURN_FIRST,), Lawful(H.OPEN_SHOE, again=True)),
    )


def _over() -> Row:
    late = Breach(Code.CARD_AFTER_LAST_COUP, H.RACK, unless=_OWED)
    opens = ((Condition.NEXT_SHOE, T.CLAIMED_BURN_FIRST), *_OWED)
    return _row(
        (_CARDS_AND_UNSEEN, late),
        ((T.CLAIMED_PLAYER_1,), Breach(Code.CARD_AFTER_LAST_COUP, H.RACK)),
        ((T.UNCLAIMED_CARD,), Breach(Code.CARD_AFTER_LAST_COUP, H.RACK, unless=opens)),
        ((T.CLAIMED_BURN_FIRST,), Lawful(H.OPEN_SHOE, again=True)),
        ((T.BURN_OWED_CARD,), Lawful(H.OWED_BURN_CARD)),
    )


# --- burns ---------------------------------------------------------------------------------------


def _burn_first() -> Row:
    taken = Lawful(H.FIRST_BURN_CARD)
    return _row(
        (CARDS, Breach(Code.CLAIM_DIFFERS, H.FIRST_BURN_CARD)),
        ((T.CLAIMED_PLAYER_1,), Breach(Code.BURN_SKIPPED, H.FIRST_BURN_CARD)),
        ((T.CLAIMED_BURN_FIRST, T.UNCLAIMED_CARD), taken),
        ((T.CLAIMED_OUTSIDE,), _OUTSIDE),
    )


def _burn_rest() -> Row:
    lawful = (T.CLAIMED_BURN, T.CLAIMED_BURN_EXTRA, T.UNCLAIMED_CARD)
    return _row(
        (CARDS, Breach(Code.CLAIM_DIFFERS, H.BURN_CARD)),
        ((T.CLAIMED_PLAYER_1,), Breach(Code.BURN_SHORT, H.BURN_CARD)),
        (lawful, Lawful(H.BURN_CARD)),
        ((T.CLAIMED_OUTSIDE,), _OUTSIDE),
    )


def _burn_uncounted() -> Row:
    return _row(
        (CARDS, Lawful(H.END_BURN, again=True)),
        ((*BURN_CLAIMS, T.UNCLAIMED_CARD), Lawful(H.UNCOUNTED_BURN_CARD)),
        ((T.CLAIMED_OUTSIDE,), _OUTSIDE),
    )


def _remedy_burn(cards: tuple[Trigger, ...]) -> Row:
    """A burn that an irregularity requires before a coup, or before the burn begins again."""
    return _row(
        (cards, Lawful(H.REMEDY_BURN_CARD)),
        ((T.CLAIMED_PLAYER_1,), Breach(Code.BURN_SHORT, H.REMEDY_BURN_CARD)),
    )


def _remedy_burn_uncounted() -> Row:
    return _row(
        (_CARDS_AND_UNSEEN, Lawful(H.END_REMEDY_BURN, again=True)),
        ((*BURN_CLAIMS, T.UNCLAIMED_CARD), Lawful(H.UNCOUNTED_REMEDY_CARD)),
        ((T.CLAIMED_OUTSIDE,), _OUTSIDE),
    )


# --- before a coup -------------------------------------------------------------------------------


def _another_shoe(book: Observed) -> Cell:
    """A first burn card in play: of a shoe that was changed early.

    A shoe fed by a continuous shuffler is never changed; it announces a burn after each start.
    """
    if book.continuous:
        return Lawful(H.ANNOUNCED_BURN_CARD)
    return replace(_CHANGED_EARLY, unless=((Condition.NONE_DRAWN, T.CLAIMED_BURN),))


def _before_a_coup(book: Observed, first: Cell, held: Cell, opened: Cell) -> Row:
    """Only Player's first card begins a coup in order.

    `first`: what that card is; `held`: what it is while a card drawn in error waits; `opened`: what
    it is where cards are held for the coup.
    """
    follows = ((Condition.CARD_WAITS, T.CARD_AFTER_ERROR), (Condition.CARRIED, T.HELD_COUP))
    more = (Condition.DRAWN_AFTER, T.MORE_AFTER_ERROR)
    counted = (Condition.SHOE_COUNT, T.CLAIMED_PLAYER_1)
    middle = (more, *follows, counted)
    joins = Breach(Code.COUP_JOINED, H.JOIN_COUP, unless=middle)
    banker = (*middle, (Condition.NOTHING_MISSING, T.FIRST_FOR_BANKER))
    late = (more, counted, (Condition.NO_COUP_BEGUN, T.COUP_UNSEEN))
    waits = ((Condition.CARD_WAITS, T.MORE_AFTER_ERROR),)
    burned = Breach(Code.BURN_OVER, H.HOLD, unless=waits)
    return _row(
        ((T.CLAIMED_PLAYER_1, T.UNCLAIMED_CARD), replace(first, unless=follows)),
        ((T.CARD_AFTER_ERROR,), held),
        ((T.MORE_AFTER_ERROR,), Lawful(H.HOLD_AFTER)),
        ((T.HELD_COUP,), opened),
        ((T.CLAIMED_BANKER_1,), Breach(Code.COUP_JOINED, H.JOIN_COUP, unless=banker)),
        ((T.FIRST_FOR_BANKER,), Breach(Code.CLAIM_DIFFERS, H.FIRST_CARD)),
        ((T.CLAIMED_PLAYER_2, T.CLAIMED_BANKER_2, T.COUP_UNSEEN), joins),
        (_LATE, Breach(Code.OVERDRAW, H.HOLD, unless=late)),
        ((T.CLAIMED_BURN,), Lawful(H.ANNOUNCED_BURN_CARD) if book.continuous else burned),
        ((T.CLAIMED_BURN_EXTRA,), burned),
        ((T.CLAIMED_BURN_FIRST,), _another_shoe(book)),
        ((T.CLAIMED_OUTSIDE,), _OUTSIDE),
    )


def _between(book: Observed) -> Row:
    if not book.no_more_bets:
        return _before_a_coup(
            book,
            Lawful(H.FIRST_CARD, reads=Place.PLAYER_1),
            Lawful(H.HOLD_FIRST_AFTER, reads=Place.PLAYER_1),
            Lawful(H.OPEN_HELD_COUP, again=True),
        )
    uncalled = Code.CARD_BEFORE_NO_MORE_BETS
    return _before_a_coup(
        book,
        Breach(uncalled, H.FIRST_CARD, reads=Place.PLAYER_1),
        Breach(uncalled, H.HOLD_FIRST_AFTER, reads=Place.PLAYER_1),
        Breach(uncalled, H.OPEN_HELD_COUP, again=True),
    )


def _betting_closed(book: Observed) -> Row:
    return _before_a_coup(
        book,
        Lawful(H.FIRST_CARD, reads=Place.PLAYER_1),
        Lawful(H.HOLD_AFTER, reads=Place.PLAYER_1),
        Lawful(H.OPEN_HELD_COUP, again=True),
    )


# --- a coup --------------------------------------------------------------------------------------


def _due(claim: Trigger, place: Place) -> Row:
    """A hand is due a card: the order of drawing decides which, whatever the shoe claims."""
    counted = ((Condition.SHOE_COUNT, claim),)
    row = _row(
        (CARDS, Breach(Code.CLAIM_DIFFERS, H.DUE_CARD, unless=counted)),
        (BURN_CLAIMS, Breach(Code.BURN_OVER, H.HOLD, unless=_BURNED)),
        ((T.BURN_OWED_CARD,), Lawful(H.OWED_BURN_CARD)),
        ((T.MORE_AFTER_ERROR,), Lawful(H.HOLD_AFTER)),
        ((T.CLAIMED_OUTSIDE,), _OUTSIDE),
        ((claim,), Lawful(H.DUE_CARD)),
        ((T.UNCLAIMED_CARD,), Lawful(H.DUE_CARD, reads=place)),
    )
    if claim is T.CLAIMED_BANKER_3:
        third = Breach(Code.PLAYER_THIRD_UNAUTHORISED, H.DUE_CARD, unless=counted)
        row[T.CLAIMED_PLAYER_3] = third
    return row


def _complete(book: Observed, unclaimed: Cell) -> Row:
    """The hands need no more cards: the next card is another coup's, or of a burn that is owed."""
    row = _row(
        (CARDS, Breach(Code.OVERDRAW, H.HOLD, unless=_OWED)),
        (BURN_CLAIMS, Breach(Code.OVERDRAW, H.HOLD, unless=_BURNED)),
        ((T.CLAIMED_PLAYER_1,), Lawful(H.CLOSE_COUP, again=True)),
        ((T.UNCLAIMED_CARD,), unclaimed),
        ((T.BURN_OWED_CARD,), Lawful(H.OWED_BURN_CARD)),
        ((T.MORE_AFTER_ERROR,), Lawful(H.HOLD_AFTER)),
    )
    if not book.continuous:
        row[T.CLAIMED_BURN_FIRST] = Lawful(H.CLOSE_BEFORE_NEXT_SHOE, again=True, unless=_OWED)
    return row


def _after_complete(book: Observed, closes: Handling) -> Cell:
    """A card without a place after a complete coup: another coup's where nothing comes between."""
    if book.results or book.no_more_bets:
        return Breach(Code.OVERDRAW, H.HOLD, unless=_OWED)
    return Lawful(closes, again=True, unless=_OWED)


def _result(book: Observed) -> Row:
    return _complete(book, _after_complete(book, H.CLOSE_COUP))


def _declared(book: Observed) -> Row:
    return _complete(book, Lawful(H.CLOSE_COUP, again=True, unless=_OWED))


def _abandoned(book: Observed) -> Row:
    """A coup that was left: Player's first card begins another one, any other goes on with it."""
    row = _row(
        (CARDS, Lawful(H.RESUME_COUP, again=True)),
        (BURN_CLAIMS, Breach(Code.BURN_OVER, H.HOLD, unless=_BURNED)),
        ((T.BURN_OWED_CARD,), Lawful(H.OWED_BURN_CARD)),
        ((T.MORE_AFTER_ERROR,), Lawful(H.HOLD_AFTER)),
        ((T.CLAIMED_OUTSIDE,), _OUTSIDE),
        ((T.CLAIMED_PLAYER_1,), Lawful(H.LEAVE_COUP, again=True)),
    )
    if not book.continuous:
        row[T.CLAIMED_BURN_FIRST] = _CHANGED_EARLY
    return row


def _abandoned_complete(book: Observed) -> Row:
    row = _row(
        (CARDS, Breach(Code.OVERDRAW, H.HOLD, unless=_OWED)),
        (BURN_CLAIMS, Breach(Code.OVERDRAW, H.HOLD, unless=_BURNED)),
        ((T.BURN_OWED_CARD,), Lawful(H.OWED_BURN_CARD)),
        ((T.MORE_AFTER_ERROR,), Lawful(H.HOLD_AFTER)),
        ((T.CLAIMED_PLAYER_1,), Lawful(H.LEAVE_COUP, again=True)),
        ((T.UNCLAIMED_CARD,), _after_complete(book, H.LEAVE_COUP)),
    )
    if not book.continuous:
        row[T.CLAIMED_BURN_FIRST] = _CHANGED_EARLY
    return row


def _partial(book: Observed) -> Row:
    """A partial coup receives every card that can belong to it."""
    another = (Condition.ANOTHER_COUP, T.ANOTHER_COUP)
    unseen = (Condition.UNSEEN_COUP, T.UNSEEN_COUP_FOLLOWS)
    third = Lawful(H.PARTIAL_CARD, unless=(unseen, another))
    row = _row(
        (CARDS, Lawful(H.PARTIAL_CARD)),
        (_FIRST_FOUR, Lawful(H.PARTIAL_CARD, unless=(another,))),
        ((T.CLAIMED_PLAYER_3, T.CLAIMED_BANKER_3), third),
        ((T.ANOTHER_COUP,), Lawful(H.LEAVE_PARTIAL, again=True)),
        ((T.UNSEEN_COUP_FOLLOWS,), Lawful(H.LEAVE_PARTIAL, again=True, asks=T.COUP_UNSEEN)),
        ((T.CLAIMED_OUTSIDE,), _OUTSIDE),
    )
    if not book.continuous:
        row[T.CLAIMED_BURN_FIRST] = _CHANGED_EARLY
    return row


def card_rows(book: Observed) -> dict[Phase, Row]:
    """The row of every phase in which a table waits."""
    due = {phase: _due(claim, place) for phase, claim, place in _DUE}
    return {
        Phase.CLOSED: _closed(),
        Phase.BURN_FIRST: _burn_first(),
        Phase.BURN_REST: _burn_rest(),
        Phase.BURN_UNCOUNTED: _burn_uncounted(),
        Phase.BOXED_BURN: _remedy_burn(CARDS),
        Phase.REMEDY_BURN: _remedy_burn(_CARDS_AND_UNSEEN),
        Phase.REMEDY_BURN_UNCOUNTED: _remedy_burn_uncounted(),
        Phase.COUP_BURN: _row((CARDS, Lawful(H.REMEDY_BURN_CARD))),
        Phase.BETWEEN_COUPS: _between(book),
        Phase.BETTING_CLOSED: _betting_closed(book),
        **due,
        Phase.RESULT: _result(book),
        Phase.DECLARED: _declared(book),
        Phase.ABANDONED: _abandoned(book),
        Phase.ABANDONED_COMPLETE: _abandoned_complete(book),
        Phase.PARTIAL: _partial(book),
        Phase.SHOE_OVER: _over(),
    }


_DUE: Final = (
    (Phase.PLAYER_1, T.CLAIMED_PLAYER_1, Place.PLAYER_1),
    (Phase.BANKER_1, T.CLAIMED_BANKER_1, Place.BANKER_1),
    (Phase.PLAYER_2, T.CLAIMED_PLAYER_2, Place.PLAYER_2),
    (Phase.BANKER_2, T.CLAIMED_BANKER_2, Place.BANKER_2),
    (Phase.PLAYER_3, T.CLAIMED_PLAYER_3, Place.PLAYER_3),
    (Phase.BANKER_3, T.CLAIMED_BANKER_3, Place.BANKER_3),
)
