"""Checks a table's layout and its pit's shared settings against the profile, citing clauses.

Source: NY (a)(2), (a)(4)-(5), (c)(5), (i)(3); NJ 1.12(d), summary; S42 (a)(1), (a)(4), (c)(5),
(e)(3), (j)(3); WA overview 2.
Decisions. A layout without seats is not configured: only its backs are checked. The spots are the
same at every seat. Bonus spots are required by side, as the bonus is offered.
"""

from collections.abc import Iterator

from msgspec import Struct

from controller.procedure.rulebook import DEFAULT_BACKS
from controller.rules.hands import HandName
from controller.rules.profiles.borrowing import with_citation
from controller.rules.profiles.profile import Profile
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.setting_values import ShuffleMode, VigorishCollection, VigorishMode
from controller.rules.settlement.pit import VIG_RATE, PitSettings, pit_differences
from controller.rules.settlement.terms import Terms
from controller.rules.settlement.wagers import WagerKind

HAND_AREAS = tuple(hand.value for hand in HandName)
# Modes that need no boxes to mark vigorish in (NJ-12-d-5-ii).
_NO_BOXES_NEEDED = (VigorishMode.TIE25, VigorishMode.NONE_SIX, VigorishMode.NONE_TOTAL_CARDS)
_EXCEPTION = "NJ-12-d-5-ii"


class TableLayout(Struct, frozen=True):
    """The equipment on one table; without seats only the backs are checked.

    `odds_posted`: "layout", or where the sign hangs. `approval`: the reference of its approval.
    """

    seats: tuple[int, ...] = ()
    spots: tuple[str, ...] = ()
    vigorish_boxes: tuple[int, ...] = ()
    hand_areas: tuple[str, ...] = ()
    cut_card_colour: str = ""
    backs: tuple[str, ...] = DEFAULT_BACKS
    discard_rack: bool = True
    odds_posted: str = ""
    approval: str = ""


class LayoutProblem(Exception):
    """A problem of a layout or a pit: key, what is allowed by which clauses, remedy.

    `document` is the profile's rule document.
    """

    def __init__(
        self,
        path: str,
        problem: str,
        allowed: str,
        remedy: str,
        clauses: tuple[str, ...],
        document: str,
    ) -> None:
        allowed = with_citation(document, allowed, clauses)
        super().__init__(f"{path}: {problem}. Allowed: {allowed}. Remedy: {remedy}")
        self.path = path
        self.clauses = clauses


class LayoutWarning(Struct, frozen=True):
    """Something a layout may have that people have to watch."""

    text: str
    clauses: tuple[str, ...]


def layout_problems(layout: TableLayout, profile: Profile) -> tuple[LayoutProblem, ...]:
    """All problems of a layout under a profile, in the order of its keys."""
    if not layout.seats:
        return tuple(_back_problems(layout, profile))
    return (
        *_seat_problems(layout, profile),
        *_spot_problems(layout, profile),
        *_vigorish_box_problems(layout, profile),
        *_hand_area_problems(layout, profile),
        *_back_problems(layout, profile),
        *_cut_card_problems(layout, profile),
        *_equipment_problems(layout, profile),
    )


def _seat_problems(layout: TableLayout, profile: Profile) -> Iterator[LayoutProblem]:
    duplicates = _duplicates(layout.seats)
    if duplicates or min(layout.seats) < 1:
        problem = (
            f"seat {duplicates[0]} is listed twice"
            if duplicates
            else f"{min(layout.seats)} is not a seat number"
        )
        yield LayoutProblem(
            "layout.seats",
            problem,
            "every seat once, from 1",
            "number each seat once",
            profile.citations_for(RulePoint.LAYOUT_VIGORISH_BOXES),
            profile.own_clauses,
        )


def _spot_problems(layout: TableLayout, profile: Profile) -> Iterator[LayoutProblem]:
    own = profile.own_clauses
    unknown = [spot for spot in layout.spots if spot not in tuple(WagerKind)]
    bets = profile.citations_for(RulePoint.LAYOUT_BET_SPOTS)
    listed = ", ".join(WagerKind)
    if unknown:
        problem = f"{unknown[0]!r} is not a wager"
        remedy = "write the wager that the spot is for"
        yield LayoutProblem("layout.spots", problem, listed, remedy, bets, own)
    duplicates = _duplicates(layout.spots)
    if duplicates:
        problem = f"{duplicates[0]} is listed twice"
        remedy = "give each wager a spot of its own"
        yield LayoutProblem("layout.spots", problem, "each once", remedy, bets, own)
    for point, kinds in _required_spots(profile):
        clauses = profile.citations_for(point)
        missing = [kind.value for kind in kinds if kind not in layout.spots]
        if clauses and missing:
            yield LayoutProblem(
                "layout.spots",
                f"there is no spot for {', '.join(missing)}",
                f"a spot for each wager that is offered, {', '.join(kinds)} among them",
                "add it at every seat, or do not offer the wager",
                clauses,
                profile.own_clauses,
            )


def _required_spots(profile: Profile) -> Iterator[tuple[RulePoint, tuple[WagerKind, ...]]]:
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


def _vigorish_box_problems(layout: TableLayout, profile: Profile) -> Iterator[LayoutProblem]:
    own = profile.own_clauses
    clauses = profile.citations_for(RulePoint.LAYOUT_VIGORISH_BOXES)
    boxes = layout.vigorish_boxes
    if not clauses or sorted(boxes) == sorted(layout.seats):
        return
    if not boxes and _needs_no_boxes(profile):
        return
    missing = [str(seat) for seat in layout.seats if seat not in boxes]
    problem = f"seat {', '.join(missing)} has none" if missing else "there are more than seats"
    allowed = "one box for each seat, with its number"
    remedy = "write vigorish_boxes with the numbers of seats"
    yield LayoutProblem("layout.vigorish_boxes", problem, allowed, remedy, clauses, own)


def _needs_no_boxes(profile: Profile) -> bool:
    excepted = _EXCEPTION in profile.citations_for(RulePoint.LAYOUT_VIGORISH_BOXES)
    return excepted and profile.rules.vig_mode in _NO_BOXES_NEEDED


def _hand_area_problems(layout: TableLayout, profile: Profile) -> Iterator[LayoutProblem]:
    clauses = profile.citations_for(RulePoint.LAYOUT_HAND_AREAS)
    if clauses and sorted(layout.hand_areas) != sorted(HAND_AREAS):
        given = ", ".join(layout.hand_areas) or "none"
        yield LayoutProblem(
            "layout.hand_areas",
            f"there are {given}",
            "one for the Player's Hand and one for the Banker's Hand",
            'write hand_areas = ["player", "banker"]',
            clauses,
            profile.own_clauses,
        )


def _back_problems(layout: TableLayout, profile: Profile) -> Iterator[LayoutProblem]:
    backs = layout.backs
    if len(backs) != 2 or "" in backs:
        yield LayoutProblem(
            "layout.backs",
            f"the number of colours is {len(backs)}",
            "the back colours of two batches",
            'write two words such as ["red", "blue"]',
            profile.citations_for(RulePoint.BATCH_SETS),
            profile.own_clauses,
        )
    elif backs[0] == backs[1] and profile.rules.shuffle_mode is ShuffleMode.DUAL_BATCH:
        yield LayoutProblem(
            "layout.backs",
            f"both batches are {backs[0]}",
            "two different colours",
            "use a batch with other backs",
            profile.citations_for(RulePoint.BATCH_BACKS_DIFFER),
            profile.own_clauses,
        )


def _cut_card_problems(layout: TableLayout, profile: Profile) -> Iterator[LayoutProblem]:
    if layout.cut_card_colour in ("", *layout.backs):
        named = layout.cut_card_colour
        yield LayoutProblem(
            "layout.cut_card_colour",
            f"the cut card is {named}, like a back" if named else "it is not given",
            "a colour different from every back",
            "use cut cards of another colour, and write their colour",
            profile.citations_for(RulePoint.CUT_CARD_COLOUR),
            profile.own_clauses,
        )


def _equipment_problems(layout: TableLayout, profile: Profile) -> Iterator[LayoutProblem]:
    own = profile.own_clauses
    rack = profile.citations_for(RulePoint.DISCARD_RACK_PRESENT)
    if rack and not layout.discard_rack:
        allowed, remedy = "a discard rack on the dealer's side", "Provide one and write true"
        yield LayoutProblem("layout.discard_rack", "there is none", allowed, remedy, rack, own)
    odds = profile.citations_for(RulePoint.ODDS_POSTED)
    if odds and not layout.odds_posted:
        allowed = '"layout", or where the sign hangs'
        remedy = "post the odds and write where"
        yield LayoutProblem("layout.odds_posted", "it is missing", allowed, remedy, odds, own)
    approved = profile.citations_for(RulePoint.LAYOUT_APPROVED)
    if approved and not layout.approval:
        allowed, remedy = "the approval's reference", "write it"
        yield LayoutProblem("layout.approval", "it is missing", allowed, remedy, approved, own)


def _duplicates(values: tuple[str, ...] | tuple[int, ...]) -> list[str]:
    return [str(one) for place, one in enumerate(values) if one in values[:place]]


def layout_warnings(layout: TableLayout, profile: Profile) -> tuple[LayoutWarning, ...]:
    """All warnings about an allowed layout."""
    values = profile.rules
    deferred_waiver = (
        values.vig_mode is VigorishMode.NONE_TOTAL_CARDS
        and values.vig_collection is VigorishCollection.DEFERRED
    )
    if not (
        layout.seats and not layout.vigorish_boxes and deferred_waiver and _needs_no_boxes(profile)
    ):
        return ()
    text = (
        "layout.vigorish_boxes: there are none, and vigorish is collected later: a seat without"
        " the total card wagers that waive it still owes vigorish. Mark it elsewhere or collect it"
        " at once"
    )
    return (LayoutWarning(text, profile.citations_for(RulePoint.LAYOUT_VIGORISH_BOXES)),)


# --- the pit --------------------------------------------------------------------------------------


def pit_problems(pit: PitSettings, profile: Profile) -> tuple[LayoutProblem, ...]:
    """All settings in which the table's profile differs from its pit."""
    return tuple(
        LayoutProblem(
            f"pit.{one.key}",
            f"this table has {_with_unit(one.setting, one.own)}",
            _with_unit(one.setting, one.of_pit),
            "set it in a house profile, or change all tables of the pit",
            one.clauses,
            profile.own_clauses,
        )
        for one in pit_differences(Terms.of(profile), pit)
    )


def _with_unit(setting: str, text: str) -> str:
    return f"{text} percent" if setting == VIG_RATE else text
