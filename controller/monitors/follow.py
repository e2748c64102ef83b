"""Bets that a shoe repeats an earlier one, or itself: coup by coup, and card by card.

A follower stands at a place of earlier cards and expects what comes next there, forward or
backward. There is one for every place, both directions and every card of the shoe at which it may
begin, and each has an equal part of the unit; only those are computed whose first six cards all
came. The rest is written off, so the sum is never more than the mixture's.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from msgspec import Struct

from controller.monitors.budget import CAPITAL_MAX, UNIT, Alarm, threshold
from controller.monitors.faces import FACES, GAP
from controller.monitors.past import PastShoes, card_of_block, card_of_text
from controller.rules.advisory import AdvisoryKind, SharedEvidence

SEED_CARDS: Final = 6
FOLLOWERS_MAX: Final = 4
# One card of another place may come between; the second in a row ends a follower.
_STRANGERS_MAX: Final = 1
_SHARED, _REPEAT = AdvisoryKind.SHARED, AdvisoryKind.REPEAT
_SHARED_LIMIT: Final = threshold(_SHARED)
_REPEAT_LIMIT: Final = threshold(_REPEAT)


class FollowWay(StrEnum):
    """What a follower goes along."""

    COUPS = "coups"
    CARDS = "cards"
    OWN_CARDS = "own-cards"


_COUPS, _CARDS, _OWN_CARDS = FollowWay.COUPS, FollowWay.CARDS, FollowWay.OWN_CARDS


class StringFollower(Struct, frozen=True):
    """Where a follower stands, and its capital.

    `at` is a block of the earlier shoes or a place in their text or in this shoe's cards; `rest`
    are the cards of that block that have not come; `step` is 1 or -1. It began at `origin` with
    card `first` of this shoe; since then `matched` cards came as expected.
    """

    way: FollowWay
    step: int
    at: int
    rest: bytes
    capital: int
    first: int
    origin: int
    matched: int = 0
    strangers: int = 0


class Dealt(Struct, frozen=True):
    """A shoe as far as it has come: `cards` with `GAP` for unseen ones, and `seen` of them known.

    `total` is how many cards the shoe had.
    """

    cards: bytes
    seen: int
    decks: int

    @property
    def total(self) -> int:
        return self.decks * FACES


def follow(
    followers: tuple[StringFollower, ...], past: PastShoes, dealt: Dealt, left: int, of_face: int
) -> tuple[StringFollower, ...]:
    """The followers after the newest card of `dealt`.

    `left` cards had not been seen before it, `of_face` of them with its face.
    """
    cards = dealt.cards
    face = cards[-1]
    moved: list[StringFollower] = []
    for follower in followers:
        after = _advance(follower, past, cards[:-1], face, left, of_face)
        if after is not None:
            moved.append(after)
    newest, before = cards[-SEED_CARDS:], len(cards) - SEED_CARDS
    if before >= 0 and GAP not in newest:
        near = _blocks_near(past.places, newest) if past.places else 0
        # Nearly every card of a fair shoe stops here.
        if near or cards.find(newest, 0, before) >= 0 or cards.find(newest[::-1], 0, before) >= 0:
            moved += _seeds(past, dealt, newest, near)
    if len(moved) > FOLLOWERS_MAX:
        moved.sort(key=lambda one: one.capital, reverse=True)
        del moved[FOLLOWERS_MAX:]
    return tuple(moved)


def _advance(
    follower: StringFollower, past: PastShoes, own: bytes, face: int, left: int, of_face: int
) -> StringFollower | None:
    """A follower after a card; None where it has come to an end."""
    at = follower.at + follower.step
    if follower.way is _COUPS:
        return _advance_coups(follower, past.blocks, at, face, left, of_face)
    text = past.text if follower.way is _CARDS else own
    if not 0 <= at < len(text) or text[at] == GAP:
        return None
    if text[at] != face:
        return _stranger(follower)
    capital = follower.capital * (of_face + 15 * left) // (16 * of_face)
    return _came(follower, at, b"", capital)


def _advance_coups(
    follower: StringFollower, blocks: tuple[bytes, ...], at: int, face: int, left: int, of_face: int
) -> StringFollower | None:
    """Of 512 parts chance has 32, the next coup 15 while one is unfinished, this one the rest.

    The first coup may be cut anywhere: the next has 120 parts.
    """
    rest, after = follower.rest, blocks[at] if 0 <= at < len(blocks) else b""
    if not rest and not after:
        return None
    of_after = (
        0
        if not after
        else 480
        if not rest
        else 120
        if at - follower.step == follower.origin
        else 15
    )
    of_rest = 480 - of_after
    here, there = len(rest) or 1, len(after) or 1
    expected = of_rest * rest.count(face) * there + of_after * after.count(face) * here
    if not expected:
        return _stranger(follower)
    scale = here * there * of_face
    capital = follower.capital * (32 * scale + expected * left) // (512 * scale)
    one = bytes((face,))
    if one in rest:
        return _came(follower, follower.at, rest.replace(one, b"", 1), capital)
    return _came(follower, at, after.replace(one, b"", 1), capital)


def _came(follower: StringFollower, at: int, rest: bytes, capital: int) -> StringFollower:
    return StringFollower(
        follower.way,
        follower.step,
        at,
        rest,
        min(capital, CAPITAL_MAX // FOLLOWERS_MAX),
        follower.first,
        follower.origin,
        follower.matched + 1,
    )


def _stranger(follower: StringFollower) -> StringFollower | None:
    if follower.strangers == _STRANGERS_MAX:
        return None
    return StringFollower(
        follower.way,
        follower.step,
        follower.at,
        follower.rest,
        follower.capital // 16,
        follower.first,
        follower.origin,
        follower.matched,
        follower.strangers + 1,
    )


# --- followers whose first cards all came ---------------------------------------------------------


def _seeds(past: PastShoes, dealt: Dealt, newest: bytes, near: int) -> list[StringFollower]:
    found: list[StringFollower] = []
    own, before = dealt.cards[:-SEED_CARDS], len(dealt.cards) - SEED_CARDS
    for step, six in ((1, newest), (-1, newest[::-1])):
        if (at := own.find(six)) >= 0:
            begin = _begin_in_text(_OWN_CARDS, step, at, before)
            capital = starting_capital(_OWN_CARDS, past, dealt.total, opening=False)
            found += _replayed(begin, capital, past, dealt)
    if not near:
        return found
    opening = is_opening(dealt.cards, before)
    coups, plain = (
        starting_capital(way, past, dealt.total, opening=opening) for way in (_COUPS, _CARDS)
    )
    for step, six in ((1, newest), (-1, newest[::-1])):
        if (at := past.text.find(six)) >= 0:
            begin = _begin_in_text(_CARDS, step, at, before)
            found += _replayed(begin, plain, past, dealt)
        for block in _bits(near):
            begin = StringFollower(_COUPS, step, block, past.blocks[block], 0, before + 1, block)
            found += _replayed(begin, coups, past, dealt)
    return found


def is_opening(cards: bytes, at: int) -> bool:
    """Whether a batch that comes back as it was would begin with this card.

    With the shoe's first card, or with the first after burn cards that nobody saw: so with two
    cards of a shoe at most.
    """
    return at == 0 or (at > 1 and cards.count(GAP, 1, at) == at - 1)


def starting_capital(way: FollowWay, past: PastShoes, total: int, *, opening: bool) -> int:
    """What each follower of a way begins with in a shoe of so many cards.

    In each direction one may begin at any place with any card; half is for the two openings. In the
    shoe itself one begins at a place before its card, so in both directions there are less than
    `total` squared.
    """
    if way is _OWN_CARDS:
        return UNIT // (total * total)
    places, part = (len(past.blocks), 3) if way is _COUPS else (len(past.text), 1)
    capital = UNIT * part // (4 * 2 * places * 2 * total)
    return capital + UNIT * part // (4 * 2 * places * 4) if opening else capital


def _begin_in_text(way: FollowWay, step: int, at: int, before: int) -> StringFollower:
    """Standing before the first of six cards that were found at `at`, in the order of the text."""
    origin = at if step == 1 else at + SEED_CARDS - 1
    return StringFollower(way, step, origin - step, b"", 0, before + 1, origin)


def _replayed(
    begin: StringFollower, capital: int, past: PastShoes, dealt: Dealt
) -> Iterator[StringFollower]:
    """The follower that began so and saw the newest cards come, each as it expected."""
    cards = dealt.cards
    follower: StringFollower | None = StringFollower(
        begin.way, begin.step, begin.at, begin.rest, capital, begin.first, begin.origin
    )
    for back in range(SEED_CARDS, 0, -1):
        own, face = cards[: len(cards) - back], cards[-back]
        left = dealt.total - dealt.seen + back
        of_face = max(dealt.decks - own.count(face), 1)
        follower = follower and _advance(follower, past, own, face, left, of_face)
        if follower is None or follower.strangers:
            return
    assert follower is not None
    yield follower


def _blocks_near(places: tuple[bytes, ...], newest: bytes) -> int:
    """Blocks, as bits, with the first card, whose neighbours in steps have the others."""
    near = found = -1
    for face in reversed(newest):
        near = found & int.from_bytes(places[face], "little")
        if not near:
            return 0
        found = near | near << 1 | near >> 1
    return near


def _bits(number: int) -> Iterator[int]:
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


# --- what they say --------------------------------------------------------------------------------


def follow_alarms(followers: tuple[StringFollower, ...]) -> tuple[Alarm, ...]:
    """Which of the two monitors are over their threshold."""
    shared = repeated = 0
    for follower in followers:
        if follower.way is _OWN_CARDS:
            repeated += follower.capital
        else:
            shared += follower.capital
    alarms: tuple[Alarm, ...] = ()
    if shared >= _SHARED_LIMIT:
        alarms += (Alarm(_SHARED, shared, _SHARED_LIMIT),)
    if repeated >= _REPEAT_LIMIT:
        alarms += (Alarm(_REPEAT, repeated, _REPEAT_LIMIT),)
    return alarms


def shared_evidence(
    kind: AdvisoryKind,
    followers: tuple[StringFollower, ...],
    past: PastShoes,
    shoe: int,
    cards: int,
) -> SharedEvidence:
    """Where the richest follower of a monitor began, and how many cards it foresaw."""
    own = kind is _REPEAT
    of_kind = (one for one in followers if (one.way is _OWN_CARDS) is own)
    best = max(of_kind, key=lambda one: one.capital)
    if best.way is _OWN_CARDS:
        earlier = (shoe, best.origin + 1)
    else:
        find = card_of_block if best.way is _COUPS else card_of_text
        earlier = find(past, best.origin)
    return SharedEvidence(
        *earlier,
        backward=best.step == -1,
        by_coups=best.way is _COUPS,
        first=best.first,
        matched=best.matched,
        of=cards - best.first + 1,
    )
