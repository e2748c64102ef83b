"""What stands on the table and what its pit has in common, checked against the profile.

Responsible for: seats, spots, vigorish boxes, hand areas, backs, cut cards and the discard rack of
a layout; one shuffle finish, pay procedure and vigorish in a pit; what is wrong, with the clause.
Not responsible for: reading table.toml (config) and for what happens at the table (procedure).
Source: NY (a)(2), (a)(4)-(5), (c)(5), (i)(3); NJ 1.12(d), summary; S42 (a)(1), (a)(4), (c)(5),
(e)(3), (j)(3); WA overview 2.

Decisions. A layout without seats is not told: only its backs are checked. The spots stand alike at
every seat. Bonus spots are asked for by side, as the bonus is offered.
"""

from collections.abc import Iterator

from controller.procedure.rulebook import DEFAULT_BACKS
from controller.profiles.profile import Profile
from controller.profiles.rule_points import RulePoint
from controller.rules.hands import HandName
from controller.rules.setting_values import (
    PitUniform,
    ShuffleMode,
    VigorishCollection,
    VigorishMode,
)
from controller.settlement.wagers import WagerKind
from firmware_bridge.values import dataclass

HAND_AREAS = tuple(hand.value for hand in HandName)
# Modes that need no boxes to mark vigorish in (NJ-12-d-5-ii).
_NO_BOXES_NEEDED = (VigorishMode.TIE25, VigorishMode.NONE_SIX, VigorishMode.NONE_TOTAL_CARDS)
_EXCEPTION = "NJ-12-d-5-ii"


@dataclass(frozen=True, slots=True)
class Layout:
    """`odds_posted`: "layout", or where the sign hangs. `approval`: its reference."""

    seats: tuple[int, ...] = ()
    spots: tuple[str, ...] = ()
    vigorish_boxes: tuple[int, ...] = ()
    hand_areas: tuple[str, ...] = ()
    cut_card_colour: str = ""
    backs: tuple[str, ...] = DEFAULT_BACKS
    discard_rack: bool = True
    odds_posted: str = ""
    approval: str = ""


@dataclass(frozen=True, slots=True)
class Pit:
    """What all tables of the pit go by; empty, and a rate below 0, where it is not told.

    `baccarat_pay_procedure` is that of a baccarat table in the pit.
    """

    shuffle_finish: str = ""
    pay_procedure: str = ""
    baccarat_pay_procedure: str = ""
    vig_mode: str = ""
    vig_rate: int = -1


class LayoutRefused(Exception):
    """What is wrong with a layout or a pit: where, what is allowed by which clauses, what to do."""

    def __init__(
        self, path: str, problem: str, allowed: str, remedy: str, clauses: tuple[str, ...]
    ) -> None:
        grounds = f" ({', '.join(clauses)})" if clauses else ""
        super().__init__(f"{path}: {problem}; allowed: {allowed}{grounds}. {remedy}")
        self.path = path
        self.clauses = clauses


@dataclass(frozen=True, slots=True)
class LayoutWarning:
    """What a layout may be, but somebody has to think of."""

    text: str
    clauses: tuple[str, ...]


def refusals(layout: Layout, profile: Profile) -> tuple[LayoutRefused, ...]:
    """Everything that is wrong with a layout under this profile, in the order of its keys."""
    if not layout.seats:
        return tuple(_backs(layout, profile))
    return (
        *_seats(layout, profile),
        *_spots(layout, profile),
        *_vigorish_boxes(layout, profile),
        *_hand_areas(layout, profile),
        *_backs(layout, profile),
        *_cut_card(layout, profile),
        *_equipment(layout, profile),
    )


def _seats(layout: Layout, profile: Profile) -> Iterator[LayoutRefused]:
    twice = _twice(layout.seats)
    if twice or min(layout.seats) < 1:
        problem = f"seat {twice[0]} is there twice" if twice else f"{min(layout.seats)} is no seat"
        yield LayoutRefused(
            "layout.seats",
            problem,
            "every seat once, from 1",
            "Number each seat once",
            profile.citations_for(RulePoint.LAYOUT_VIGORISH_BOXES),
        )


def _spots(layout: Layout, profile: Profile) -> Iterator[LayoutRefused]:
    unknown = [spot for spot in layout.spots if spot not in tuple(WagerKind)]
    bets = profile.citations_for(RulePoint.LAYOUT_BET_SPOTS)
    listed = ", ".join(WagerKind)
    if unknown:
        problem = f"{unknown[0]!r} is no wager"
        remedy = "Write the wager that the spot is for"
        yield LayoutRefused("layout.spots", problem, listed, remedy, bets)
    twice = _twice(layout.spots)
    if twice:
        problem = f"{twice[0]} is there twice at each seat"
        remedy = "Give each wager a spot of its own"
        yield LayoutRefused("layout.spots", problem, "each once", remedy, bets)
    for point, kinds in _wanted_spots(profile):
        clauses = profile.citations_for(point)
        lacking = [kind.value for kind in kinds if kind not in layout.spots]
        if clauses and lacking:
            yield LayoutRefused(
                "layout.spots",
                f"there is no spot for {', '.join(lacking)}",
                f"a spot for each wager that is offered, {', '.join(kinds)} among them",
                "Add it at every seat, or do not offer the wager",
                clauses,
            )


def _wanted_spots(profile: Profile) -> Iterator[tuple[RulePoint, tuple[WagerKind, ...]]]:
    values = profile.rules
    base = (WagerKind.BANKER, WagerKind.PLAYER, WagerKind.TIE)
    yield RulePoint.LAYOUT_BET_SPOTS, base
    if values.dragon_bonus:
        sides = tuple(WagerKind(f"bonus_{side.value}") for side in values.dragon_bonus_sides)
        yield RulePoint.LAYOUT_BONUS_SPOT, sides
    if values.ez:
        yield RulePoint.LAYOUT_DRAGON7_SPOT, (WagerKind.DRAGON_7,)
        yield RulePoint.LAYOUT_PANDA8_SPOT, (WagerKind.PANDA_8,)
    if values.total_card_wagers:
        totals = (WagerKind.TOTAL_4, WagerKind.TOTAL_5, WagerKind.TOTAL_6)
        yield RulePoint.LAYOUT_TOTAL_CARD_SPOTS, totals


def _vigorish_boxes(layout: Layout, profile: Profile) -> Iterator[LayoutRefused]:
    clauses = profile.citations_for(RulePoint.LAYOUT_VIGORISH_BOXES)
    boxes = layout.vigorish_boxes
    if not clauses or sorted(boxes) == sorted(layout.seats):
        return
    if not boxes and _needs_no_boxes(profile):
        return
    lacking = [str(seat) for seat in layout.seats if seat not in boxes]
    problem = f"seat {', '.join(lacking)} has none" if lacking else "there are more than the seats"
    allowed = "one box for each seat, with its number"
    remedy = "Write vigorish_boxes with the numbers of seats"
    yield LayoutRefused("layout.vigorish_boxes", problem, allowed, remedy, clauses)


def _needs_no_boxes(profile: Profile) -> bool:
    excepted = _EXCEPTION in profile.citations_for(RulePoint.LAYOUT_VIGORISH_BOXES)
    return excepted and profile.rules.vig_mode in _NO_BOXES_NEEDED


def _hand_areas(layout: Layout, profile: Profile) -> Iterator[LayoutRefused]:
    clauses = profile.citations_for(RulePoint.LAYOUT_HAND_AREAS)
    if clauses and sorted(layout.hand_areas) != sorted(HAND_AREAS):
        given = ", ".join(layout.hand_areas) or "none"
        yield LayoutRefused(
            "layout.hand_areas",
            f"there are {given}",
            "one for the Player's Hand and one for the Banker's Hand",
            'Write hand_areas = ["player", "banker"]',
            clauses,
        )


def _backs(layout: Layout, profile: Profile) -> Iterator[LayoutRefused]:
    backs = layout.backs
    if len(backs) != 2 or "" in backs:
        yield LayoutRefused(
            "layout.backs",
            f"{len(backs)} colours are named",
            "the back colours of two batches",
            'Write two words such as ["red", "blue"]',
            profile.citations_for(RulePoint.BATCH_SETS),
        )
    elif backs[0] == backs[1] and profile.rules.shuffle_mode is ShuffleMode.DUAL_BATCH:
        yield LayoutRefused(
            "layout.backs",
            f"both batches are {backs[0]}",
            "two different colours",
            "Use a batch with other backs",
            profile.citations_for(RulePoint.BATCH_BACKS_DIFFER),
        )


def _cut_card(layout: Layout, profile: Profile) -> Iterator[LayoutRefused]:
    if layout.cut_card_colour in ("", *layout.backs):
        named = layout.cut_card_colour
        yield LayoutRefused(
            "layout.cut_card_colour",
            f"the cut card is {named}, as a back" if named else "it is not named",
            "a colour unlike every back",
            "Use and write down cut cards of another colour",
            profile.citations_for(RulePoint.CUT_CARD_COLOUR),
        )


def _equipment(layout: Layout, profile: Profile) -> Iterator[LayoutRefused]:
    rack = profile.citations_for(RulePoint.DISCARD_RACK_PRESENT)
    if rack and not layout.discard_rack:
        allowed, remedy = "a discard rack on the dealer's side", "Put one there and write true"
        yield LayoutRefused("layout.discard_rack", "there is none", allowed, remedy, rack)
    odds = profile.citations_for(RulePoint.ODDS_POSTED)
    if odds and not layout.odds_posted:
        allowed = '"layout", or where the sign hangs'
        remedy = "Post the odds and write where"
        yield LayoutRefused("layout.odds_posted", "nothing is said", allowed, remedy, odds)
    approved = profile.citations_for(RulePoint.LAYOUT_APPROVED)
    if approved and not layout.approval:
        allowed, remedy = "the approval's reference", "Write it down"
        yield LayoutRefused("layout.approval", "it is missing", allowed, remedy, approved)


def _twice(values: tuple[str, ...] | tuple[int, ...]) -> list[str]:
    return [str(one) for place, one in enumerate(values) if one in values[:place]]


def warnings(layout: Layout, profile: Profile) -> tuple[LayoutWarning, ...]:
    """What is allowed and yet to be thought of."""
    values = profile.rules
    open_seats = (
        values.vig_mode is VigorishMode.NONE_TOTAL_CARDS
        and values.vig_collection is VigorishCollection.DEFERRED
    )
    if not (layout.seats and not layout.vigorish_boxes and open_seats and _needs_no_boxes(profile)):
        return ()
    text = (
        "layout.vigorish_boxes: there are none, and vigorish is collected later: a seat without"
        " the total card wagers that waive it still owes. Mark it elsewhere or collect at once"
    )
    return (LayoutWarning(text, profile.citations_for(RulePoint.LAYOUT_VIGORISH_BOXES)),)


# --- the pit --------------------------------------------------------------------------------------


def pit_refusals(pit: Pit, profile: Profile) -> tuple[LayoutRefused, ...]:
    """Where this table differs from what its pit goes by."""
    return (*_pit_shuffle(pit, profile), *_pit_pay(pit, profile), *_pit_vigorish(pit, profile))


def _differs(key: str, own: str, pits: str, profile: Profile, *points: RulePoint) -> LayoutRefused:
    clauses = tuple(
        dict.fromkeys(clause for point in points for clause in profile.citations_for(point))
    )
    remedy = "Set it in a profile of the house, or change all tables of the pit"
    return LayoutRefused(f"pit.{key}", f"this table has {own}", pits, remedy, clauses)


def _pit_shuffle(pit: Pit, profile: Profile) -> Iterator[LayoutRefused]:
    own = profile.rules.shuffle_finish.value
    if pit.shuffle_finish not in ("", own):
        point = RulePoint.SHUFFLE_FINISH_PIT_UNIFORM
        yield _differs("shuffle_finish", own, pit.shuffle_finish, profile, point)


def _pit_pay(pit: Pit, profile: Profile) -> Iterator[LayoutRefused]:
    values = profile.rules
    if values.pay_pit_uniform is PitUniform.OFF:
        return
    own = values.pay_procedure.value
    prevails = RulePoint.PAY_BACCARAT_PREVAILS
    if pit.baccarat_pay_procedure and profile.citations_for(prevails):
        if own != pit.baccarat_pay_procedure:
            key, pits = "baccarat_pay_procedure", pit.baccarat_pay_procedure
            yield _differs(key, own, pits, profile, prevails)
    elif pit.pay_procedure not in ("", own):
        point = RulePoint.PAY_PIT_UNIFORM
        yield _differs("pay_procedure", own, pit.pay_procedure, profile, point)


def _pit_vigorish(pit: Pit, profile: Profile) -> Iterator[LayoutRefused]:
    values = profile.rules
    if pit.vig_mode not in ("", values.vig_mode.value):
        own, point = values.vig_mode.value, RulePoint.VIGORISH_UNIFORM
        yield _differs("vig_mode", own, pit.vig_mode, profile, point)
    if pit.vig_rate not in (-1, values.vig_rate):
        own, point = f"{values.vig_rate} percent", RulePoint.VIGORISH_UNIFORM
        yield _differs("vig_rate", own, f"{pit.vig_rate} percent", profile, point)
