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
from typing import Final, TypeAlias

from msgspec import Struct

from controller.procedure.acts.batch_record import is_shuffled
from controller.procedure.effects import PromptKind
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import CompletedAct, OpeningState, TableState
from controller.rules.actions.choices import ActKind
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.profiles.rule_values import RuleValues
from controller.rules.setting_values import OpeningInspection, ShuffleFinish, ShuffleMode
from foundation.message import Message, message


class DutyFrequency(StrEnum):
    """How often a duty is due."""

    TABLE_OPENS = "table_opens"  # once a gaming day
    CARDS_RECEIVED = "cards_received"  # once for every receipt of cards
    EVERY_SHOE = "every_shoe"
    DEAD_TABLE = "dead_table"  # once after the cards of a table without patrons were spread


class DutyGroup(StrEnum):
    """Duties that are prompted together."""

    TABLE = "table"
    INSPECTION = "inspection"
    SHUFFLE = "shuffle"
    CUT = "cut"
    LOADING = "loading"


GROUP_NAMES: Final = MappingProxyType(
    {
        DutyGroup.TABLE: message("when_table_opens"),
        DutyGroup.INSPECTION: message("when_cards_received"),
        DutyGroup.SHUFFLE: message("before_shoe"),
        DutyGroup.CUT: message("then_cut"),
        DutyGroup.LOADING: message("then_loading"),
    }
)
# Some name numbers of the profile.
DutyText: TypeAlias = Message | Callable[[RuleValues], Message]


class Duty(Struct, frozen=True):
    """Something people have to do; any one of `acts` fulfils it.

    It is required where the profile cites one of `points`, in these shuffle `modes`, under the
    values that `only` accepts. `fact` is what the table must observe for it to be judged.
    `by_batch`: with two batches, it concerns the batch that is loaded.
    """

    acts: tuple[ActKind, ...]
    text: DutyText
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


def _odds_text(values: RuleValues) -> Message:
    player, banker, tie = map(str, (values.odds_player, values.odds_banker, values.odds_tie))
    return message("check_odds_posted", player=player, banker=banker, tie=tie)


def _cut_depth_text(values: RuleValues) -> Message:
    return message("have_stack_cut", ends=values.cut_min_cards_from_either_end)


def _cut_card_text(values: RuleValues) -> Message:
    back = values.cut_card_min_from_back
    if values.cut_cards_per_shoe > 1:
        return message("place_both_cut_cards", back=back)
    return message("place_cut_card", back=back)


def _table_duty(kind: ActKind, text: DutyText, point: RulePoint) -> Duty:
    return Duty(
        (kind,),
        text,
        (point,),
        ObservableFact.SHOE_OPENED,
        DutyGroup.TABLE,
        DutyFrequency.TABLE_OPENS,
    )


def _receipt_duty(
    kind: ActKind,
    text: DutyText,
    point: RulePoint,
    modes: tuple[ShuffleMode, ...] = tuple(ShuffleMode),
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
    kind: ActKind, text: DutyText, points: tuple[RulePoint, ...], only: Callable[[RuleValues], bool]
) -> Duty:
    """After a shuffle by hand only (D-34)."""
    acts, fact = (kind, ActKind.PRESHUFFLED), ObservableFact.SHOE_OPENED
    return Duty(
        acts, text, points, fact, DutyGroup.SHUFFLE, DutyFrequency.EVERY_SHOE, _BY_HAND, only=only
    )


def _cut_duty(acts: tuple[ActKind, ...], text: DutyText, *points: RulePoint) -> Duty:
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
        _odds_text,
        RulePoint.ODDS_POSTED,
    ),
    _table_duty(
        ActKind.EZ_PUSH_POSTED,
        message("check_layout_or_sign_states_dragon_7"),
        RulePoint.EZ_PUSH_POSTED,
    ),
    _table_duty(
        ActKind.LAYOUT_APPROVED,
        message("write_down_reference_layout_approval"),
        RulePoint.LAYOUT_APPROVED,
    ),
    _receipt_duty(
        ActKind.INSPECTED,
        message("dealer_sorts_counts_and_inspects_every_deck"),
        RulePoint.OPENING_INSPECTED,
    ),
    _receipt_duty(
        ActKind.VERIFIED, message("floorperson_verifies_inspection"), RulePoint.OPENING_VERIFIED
    ),
    _receipt_duty(
        ActKind.SPREAD,
        message("spread_cards_face_up_by_deck_suit"),
        RulePoint.OPENING_SPREAD,
    ),
    _receipt_duty(
        ActKind.WASHED,
        message("turn_cards_face_down_wash_and_stack"),
        RulePoint.OPENING_WASHED,
        _BY_HAND,
    ),
    _receipt_duty(
        ActKind.STACKED,
        message("turn_batch_face_down_and_stack_apart"),
        RulePoint.OPENING_BATCHES_APART,
        _TWO_BATCHES,
    ),
    Duty(
        (ActKind.WASHED,),
        message("wash_and_stack_cards_dead_table_again"),
        (RulePoint.DEAD_TABLE_BY_HAND,),
        ObservableFact.SHOE_OPENED,
        DutyGroup.SHUFFLE,
        DutyFrequency.DEAD_TABLE,
        _BY_HAND,
    ),
    Duty(
        (ActKind.SHUFFLED, ActKind.PRESHUFFLED),
        message("shuffle_cards"),
        (RulePoint.SHUFFLED,),
        ObservableFact.SHOE_OPENED,
        DutyGroup.SHUFFLE,
        DutyFrequency.EVERY_SHOE,
        _CUT_MODES,
        by_batch=True,
    ),
    _finish_duty(
        ActKind.FEATHERED,
        message("leave_stack_feathered_for_floorperson_to_check"),
        (RulePoint.SHUFFLE_FINISH,),
        _feathers,
    ),
    _finish_duty(
        ActKind.LACED,
        message("lace_about_one_deck_evenly_into_rest"),
        (RulePoint.SHUFFLE_FINISH,),
        _laces,
    ),
    _finish_duty(
        ActKind.RESHUFFLED,
        message("shuffle_once_more_after_lacing_as_notified"),
        (RulePoint.RESHUFFLE_AFTER_LACE, RulePoint.RESHUFFLE_NOTICE),
        _reshuffles,
    ),
    _cut_duty(
        (ActKind.CUT_OFFERED,),
        message("offer_cut_backs_away_from_dealer"),
        RulePoint.CUT_OFFERED,
    ),
    _cut_duty(
        (ActKind.CUT, ActKind.CUT_BY_DEALER),
        _cut_depth_text,
        RulePoint.CUT_DEPTH,
        RulePoint.CUT_BY_DEALER,
    ),
    _cut_duty(
        (ActKind.CUT_MOVED,),
        message("move_cards_in_front_cut_card"),
        RulePoint.CUT_MOVED,
    ),
    _cut_duty(
        (ActKind.CUT_CARDS_PLACED,),
        _cut_card_text,
        RulePoint.CUT_CARD_PLACEMENT,
        RulePoint.SECOND_CUT_CARD,
    ),
    Duty(
        (ActKind.LOADED,),
        message("load_shoe_and_record_batch_cards"),
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
        ActKind.FEATHER_CHECKED: (RulePoint.SHUFFLE_FINISH,),
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


def describe_duty(book: RuleBook, duty: Duty) -> Message:
    """The text of a duty, with the numbers of the profile."""
    return duty.text if isinstance(duty.text, Message) else duty.text(book.values)


def is_required(book: RuleBook, duty: Duty) -> bool:
    """Whether the profile in force at this table requires a duty."""
    values = book.values
    if values.shuffle_mode not in duty.modes or not book.clauses(*duty.points):
        return False
    return duty.only is None or duty.only(values)


def accepts_preshuffled(values: RuleValues) -> bool:
    """Whether cards may come shuffled and inspected (NY-d-preshuffled)."""
    return values.opening_inspection is OpeningInspection.OR_PRESHUFFLE_RECEIPT


def is_done(book: RuleBook, state: TableState, duty: Duty, batch: str) -> bool:
    """Whether a duty is done for the next shoe; `batch` is empty where there is only one."""
    return any(_is_act_done(book, state, duty, kind, batch) for kind in duty.acts)


def _is_act_done(book: RuleBook, state: TableState, duty: Duty, kind: ActKind, batch: str) -> bool:
    if kind is ActKind.SHUFFLED and book.tracks_batches:
        return is_shuffled(book, state, batch)
    by_batch = duty.by_batch or kind is ActKind.PRESHUFFLED
    act = state.opening.find(kind, batch if by_batch else "")
    return act is not None and _still_counts(duty, act, state.today)


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


def missing_duties(book: RuleBook, state: TableState, batch: str) -> tuple[Duty, ...]:
    """The duties of the next shoe that are not done, observed or not."""
    return tuple(
        duty
        for duty in required_duties(book, state.opening)
        if not is_done(book, state, duty, batch)
    )
