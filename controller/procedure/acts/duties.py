"""Duties around the shoe: what people have to do before the first card, and when.

Source: NY (a)(2), (a)(4)(iv), (d); S42 (d), (e), (l); NJ 1.12(d); WA shuffle; D-34, D-35; X-30.

Decisions. Cards are inspected once when they are received, not before every shoe: the act
`received` makes the duty due again. What is due when a table opens is due once a gaming day. With
two batches every act on cards names its batch, and only the loaded batch is checked. Cards that
came shuffled and inspected need no spreading and no washing; their first shuffle counts as done.
"""

from collections.abc import Callable
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from controller.procedure.act_kinds import ActKind
from controller.procedure.effects import PromptKind
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.states.opening import CompletedAct, OpeningState
from controller.profiles.rule_points import RulePoint
from controller.profiles.rule_values import RuleValues
from controller.rules.setting_values import OpeningInspection, ShuffleFinish, ShuffleMode


class DutyFrequency(StrEnum):
    """How often a duty is due."""

    TABLE_OPENS = "table_opens"  # once a gaming day
    CARDS_RECEIVED = "cards_received"  # once for every receipt of cards
    EVERY_SHOE = "every_shoe"
    DEAD_TABLE = "dead_table"  # once after the cards of a table without patrons were spread


class DutyGroup(StrEnum):
    """Duties that are prompted together."""

    TABLE = "when the table opens"
    INSPECTION = "when cards are received"
    SHUFFLE = "before the shoe"
    CUT = "then the cut"
    LOADING = "then the loading"


class Duty(Struct, frozen=True):
    """Something people have to do; any one of `acts` fulfils it.

    It is required where the profile cites one of `points`, in these shuffle `modes`, under the
    values that `only` accepts. `fact` is what the table must observe for it to be judged.
    `by_batch`: with two batches, it concerns the batch that is loaded.
    """

    acts: tuple[ActKind, ...]
    text: str
    points: tuple[RulePoint, ...]
    fact: ObservableFact
    group: DutyGroup
    when: DutyFrequency
    modes: tuple[ShuffleMode, ...] = tuple(ShuffleMode)
    by_batch: bool = False
    only: Callable[[RuleValues], bool] | None = None


# A continuous shuffler does what (e) requires (S42-l-1-use).
_CUT_MODES: Final = (ShuffleMode.DUAL_BATCH, ShuffleMode.HAND)
_BY_HAND: Final = (ShuffleMode.HAND,)
_TWO_BATCHES: Final = (ShuffleMode.DUAL_BATCH,)

PROMPT_KIND_OF: Final = MappingProxyType(
    {
        DutyGroup.TABLE: PromptKind.OPENING,
        DutyGroup.INSPECTION: PromptKind.OPENING,
        DutyGroup.SHUFFLE: PromptKind.SHUFFLE_AND_CUT,
        DutyGroup.CUT: PromptKind.SHUFFLE_AND_CUT,
        DutyGroup.LOADING: PromptKind.BATCH,
    }
)


def _feathers(values: RuleValues) -> bool:
    return values.shuffle_finish is ShuffleFinish.FEATHER


def _laces(values: RuleValues) -> bool:
    return values.shuffle_finish is ShuffleFinish.LACE


def _reshuffles(values: RuleValues) -> bool:
    return _laces(values) and values.reshuffle_after_lace


def _table_duty(kind: ActKind, text: str, point: RulePoint) -> Duty:
    return Duty(
        (kind,),
        text,
        (point,),
        ObservableFact.SHOE_OPENED,
        DutyGroup.TABLE,
        DutyFrequency.TABLE_OPENS,
    )


def _receipt_duty(
    kind: ActKind, text: str, point: RulePoint, modes: tuple[ShuffleMode, ...] = tuple(ShuffleMode)
) -> Duty:
    return Duty(
        (kind, ActKind.PRESHUFFLED),
        text,
        (point,),
        ObservableFact.SHOE_OPENED,
        DutyGroup.INSPECTION,
        DutyFrequency.CARDS_RECEIVED,
        modes,
        by_batch=True,
    )


def _finish_duty(
    kind: ActKind, text: str, points: tuple[RulePoint, ...], only: Callable[[RuleValues], bool]
) -> Duty:
    """After a shuffle by hand only (D-34)."""
    acts, fact = (kind, ActKind.PRESHUFFLED), ObservableFact.SHOE_OPENED
    return Duty(
        acts, text, points, fact, DutyGroup.SHUFFLE, DutyFrequency.EVERY_SHOE, _BY_HAND, only=only
    )


def _cut_duty(acts: tuple[ActKind, ...], text: str, *points: RulePoint) -> Duty:
    return Duty(
        acts,
        text,
        points,
        ObservableFact.CUT_DEPTH,
        DutyGroup.CUT,
        DutyFrequency.EVERY_SHOE,
        _CUT_MODES,
    )


# In the order in which people do them.
DUTIES: Final = (
    _table_duty(
        ActKind.ODDS_POSTED,
        "check that the odds of every wager are on the layout or on a sign: {odds}",
        RulePoint.ODDS_POSTED,
    ),
    _table_duty(
        ActKind.EZ_PUSH_POSTED,
        "check that the layout or a sign states that a dragon 7 returns Banker wagers",
        RulePoint.EZ_PUSH_POSTED,
    ),
    _table_duty(
        ActKind.LAYOUT_APPROVED,
        "write down the reference of the layout's approval",
        RulePoint.LAYOUT_APPROVED,
    ),
    _receipt_duty(
        ActKind.INSPECTED,
        "the dealer sorts, counts and inspects every deck",
        RulePoint.OPENING_INSPECTED,
    ),
    _receipt_duty(
        ActKind.VERIFIED, "a floorperson verifies the inspection", RulePoint.OPENING_VERIFIED
    ),
    _receipt_duty(
        ActKind.SPREAD,
        "spread the cards face up by deck, suit and sequence for the first patron to see",
        RulePoint.OPENING_SPREAD,
    ),
    _receipt_duty(
        ActKind.WASHED,
        "turn the cards face down, wash and stack them",
        RulePoint.OPENING_WASHED,
        _BY_HAND,
    ),
    _receipt_duty(
        ActKind.STACKED,
        "turn the batch face down and stack it apart from the other",
        RulePoint.OPENING_BATCHES_APART,
        _TWO_BATCHES,
    ),
    Duty(
        (ActKind.WASHED,),
        "wash and stack the cards of the dead table again",
        (RulePoint.DEAD_TABLE_BY_HAND,),
        ObservableFact.SHOE_OPENED,
        DutyGroup.SHUFFLE,
        DutyFrequency.DEAD_TABLE,
        _BY_HAND,
    ),
    Duty(
        (ActKind.SHUFFLED, ActKind.PRESHUFFLED),
        "shuffle the cards",
        (RulePoint.SHUFFLED,),
        ObservableFact.SHOE_OPENED,
        DutyGroup.SHUFFLE,
        DutyFrequency.EVERY_SHOE,
        _CUT_MODES,
        by_batch=True,
    ),
    _finish_duty(
        ActKind.FEATHERED,
        "leave the stack feathered for the floorperson to check",
        (RulePoint.SHUFFLE_FINISH,),
        _feathers,
    ),
    _finish_duty(
        ActKind.LACED,
        "lace about one deck evenly into the rest",
        (RulePoint.SHUFFLE_FINISH,),
        _laces,
    ),
    _finish_duty(
        ActKind.RESHUFFLED,
        "shuffle once more after lacing, as notified to surveillance",
        (RulePoint.RESHUFFLE_AFTER_LACE, RulePoint.RESHUFFLE_NOTICE),
        _reshuffles,
    ),
    _cut_duty(
        (ActKind.CUT_OFFERED,),
        "offer the cut, backs away from the dealer, from the highest seat clockwise",
        RulePoint.CUT_OFFERED,
    ),
    _cut_duty(
        (ActKind.CUT, ActKind.CUT_BY_DEALER),
        "have the stack cut at least {ends} cards from either end;"
        " if nobody accepts, the dealer cuts",
        RulePoint.CUT_DEPTH,
        RulePoint.CUT_BY_DEALER,
    ),
    _cut_duty(
        (ActKind.CUT_MOVED,),
        "move the cards in front of the cut card to the back",
        RulePoint.CUT_MOVED,
    ),
    _cut_duty(
        (ActKind.CUT_CARDS_PLACED,),
        "place the cut card at least {back} cards from the back{second}",
        RulePoint.CUT_CARD_PLACEMENT,
        RulePoint.SECOND_CUT_CARD,
    ),
    Duty(
        (ActKind.LOADED,),
        "load the shoe and record the batch, its cards and who cut",
        (RulePoint.SHOE_LOADED,),
        ObservableFact.BATCH_LOADED,
        DutyGroup.LOADING,
        DutyFrequency.EVERY_SHOE,
        _CUT_MODES,
        by_batch=True,
    ),
)

# Acts that count for one shoe: they are due again for the next one.
ACTS_PER_SHOE: Final = tuple(
    dict.fromkeys(
        kind
        for duty in DUTIES
        if duty.when is DutyFrequency.EVERY_SHOE
        for kind in duty.acts
        if kind is not ActKind.PRESHUFFLED
    )
)
RECEIPT_ACTS: Final = tuple(
    dict.fromkeys(
        kind for duty in DUTIES if duty.when is DutyFrequency.CARDS_RECEIVED for kind in duty.acts
    )
)
BATCH_ACTS: Final = tuple(
    dict.fromkeys(kind for duty in DUTIES if duty.by_batch for kind in duty.acts)
)

# Points cited when these acts are recorded, instead of the points of their duties.
_FURTHER_POINTS: Final = MappingProxyType(
    {
        ActKind.RECEIVED: (RulePoint.OPENING_INSPECTED, RulePoint.OPENING_BATCHES_APART),
        ActKind.PRESHUFFLED: (RulePoint.OPENING_PRESHUFFLED,),
        ActKind.CUT: (RulePoint.CUT_DEPTH,),
        ActKind.INTO_SHUFFLER: (RulePoint.BATCH_IDLE_IN_SHUFFLER,),
        ActKind.RELEASED: (RulePoint.SHUFFLER_RELEASE,),
        ActKind.SHUFFLER_OPENED: (RulePoint.SHUFFLER_SECURE,),
        ActKind.DISCARD_COUNTED: (RulePoint.DISCARD_ORDER,),
        ActKind.DISCARD_CLEARED: (RulePoint.DISCARD_ONE_BATCH,),
        ActKind.FOREIGN_BACK: (RulePoint.BATCH_ONE_BACK,),
        ActKind.ALTERNATION_SUSPENDED: (RulePoint.BATCH_ALTERNATES,),
        ActKind.DEAD_TABLE_SPREAD: (RulePoint.DEAD_TABLE,),
        ActKind.DEAD_TABLE_VIEWED: (RulePoint.DEAD_TABLE_VIEWED,),
        ActKind.RESPREAD_ASKED: (RulePoint.DEAD_TABLE_NO_RESPREAD,),
        ActKind.RESPREAD: (RulePoint.DEAD_TABLE_NO_RESPREAD,),
        ActKind.RECUT: (RulePoint.RECUT, RulePoint.RECUT_BY),
        ActKind.SHOE_PASSED: (RulePoint.SHOE_PASSES,),
        ActKind.CARDS_TOUCHED: (RulePoint.CARDS_UNTOUCHED, RulePoint.CARDS_UNTOUCHED_STAFF),
        ActKind.SHOE_EMPTY: (RulePoint.INSUFFICIENT_CARDS,),
        ActKind.SHOE_JAMMED: (RulePoint.SHOE_DEVICE,),
        ActKind.LAYOUT_CHECKED: (RulePoint.LAYOUT_CHECKED,),
    }
)


def act_points(kind: ActKind) -> tuple[RulePoint, ...]:
    """The points to cite when an act is recorded."""
    if kind in _FURTHER_POINTS:
        return _FURTHER_POINTS[kind]
    return tuple(dict.fromkeys(p for duty in DUTIES if duty.acts[0] is kind for p in duty.points))


def describe_duty(book: RuleBook, duty: Duty) -> str:
    """The text of a duty, with the numbers of the profile."""
    values = book.values
    odds = (
        ("Player", values.odds_player),
        ("Banker", values.odds_banker),
        ("Tie", values.odds_tie),
    )
    return duty.text.format(
        odds=", ".join(f"{name} {paid}" for name, paid in odds),
        ends=values.cut_min_cards_from_either_end,
        back=values.cut_card_min_from_back,
        second=", the second at the very end" if values.cut_cards_per_shoe > 1 else "",
    )


def is_required(book: RuleBook, duty: Duty) -> bool:
    """Whether the profile in force at this table requires a duty."""
    values = book.values
    if values.shuffle_mode not in duty.modes or not book.clauses(*duty.points):
        return False
    return duty.only is None or duty.only(values)


def accepts_preshuffled(values: RuleValues) -> bool:
    """Whether cards may come shuffled and inspected (NY-d-preshuffled)."""
    return values.opening_inspection is OpeningInspection.OR_PRESHUFFLE_RECEIPT


def is_done(duty: Duty, opening: OpeningState, batch: str, today: str) -> bool:
    """Whether a duty is done for the next shoe; `batch` is empty where there is only one."""
    for kind in duty.acts:
        by_batch = duty.by_batch or kind is ActKind.PRESHUFFLED
        act = opening.find(kind, batch if by_batch else "")
        if act is not None and _still_counts(duty, act, today):
            return True
    return False


def _still_counts(duty: Duty, act: CompletedAct, today: str) -> bool:
    match duty.when:
        case DutyFrequency.TABLE_OPENS:
            return act.day == today
        case DutyFrequency.EVERY_SHOE:
            return act.fresh
        case _:
            return True


def required_duties(book: RuleBook, opening: OpeningState) -> tuple[Duty, ...]:
    """The duties of the next shoe, done or not."""
    return tuple(
        duty
        for duty in DUTIES
        if is_required(book, duty) and (duty.when is not DutyFrequency.DEAD_TABLE or opening.dead)
    )


def missing_duties(
    book: RuleBook, opening: OpeningState, batch: str, today: str
) -> tuple[Duty, ...]:
    """The duties of the next shoe that are not done, observed or not."""
    return tuple(
        duty for duty in required_duties(book, opening) if not is_done(duty, opening, batch, today)
    )
