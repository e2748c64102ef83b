"""Applies one fact to the two batches. Total: every fact is valid in every state.

Not: what is permitted now (permissions); clauses, verdicts and deadlines (procedure).
Source: NY (a)(4)(iv); S42 (a)(4), (e); D-17 to D-22, D-35; field practice (Deck Mate 2: events of a
device without a proven identity change nothing).
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from controller.custody.batch_life import (
    compartments,
    device,
    operator_facts,
    shuffles,
)
from controller.custody.batch_life.change import BatchContext, LineageUpdate, add_remark
from controller.custody.batch_life.facts import (
    EventsLost,
    Fact,
    FirstCardOut,
    ShoeOver,
    ShufflerPortLost,
    Touched,
)
from controller.custody.batch_life.state import BatchLife, BlockReason, Lineage
from controller.custody.batch_life.warnings import clear_warning
from controller.rules.actions.actions import ClearWarning, RecordAct
from controller.rules.actions.choices import ActKind
from drivers.shuffler_events import (
    CompartmentChanged,
    ContactRestored,
    DeviceSilent,
    DeviceTampered,
    DoorMoved,
    IdentityProven,
    IdentityRefused,
    JamReported,
    ModeChanged,
    ResidualCards,
    SelfTested,
    ShuffleAborted,
    ShuffleDone,
    ShufflerStarted,
    ShufflerStatus,
    ShufflerWarning,
    ShuffleShown,
    ShuffleStarted,
)
from foundation.message import message

FactHandler: TypeAlias = Callable[..., LineageUpdate]
# What people and play say, by the kind of act, and what the shuffler's port and identity say.
_ALWAYS: Final[Mapping[type | ActKind, FactHandler]] = MappingProxyType(
    {
        ActKind.INTO_SHUFFLER: operator_facts.on_loaded_into_shuffler,
        ActKind.RELEASED: operator_facts.on_released,
        ActKind.SHUFFLED: operator_facts.on_hand_shuffled,
        ActKind.CUT: operator_facts.on_cut,
        ActKind.CUT_BY_DEALER: operator_facts.on_cut,
        ActKind.LOADED: operator_facts.on_put_into_shoe,
        ActKind.RECEIVED: operator_facts.on_new_cards,
        ActKind.ALTERNATION_SUSPENDED: operator_facts.on_alternation_suspended,
        FirstCardOut: operator_facts.on_first_card_out,
        ShoeOver: operator_facts.on_shoe_over,
        Touched: operator_facts.on_touched,
        ClearWarning: clear_warning,
        EventsLost: device.on_events_lost,
        ShufflerPortLost: device.on_silent,
        DeviceSilent: device.on_silent,
        ContactRestored: device.on_contact_restored,
        IdentityProven: device.on_identity_proven,
        IdentityRefused: device.on_identity_refused,
    }
)
# What the shuffler reports counts only once it has proven its identity.
_IF_TRUSTED: Final[Mapping[type, FactHandler]] = MappingProxyType(
    {
        DoorMoved: device.on_door_moved,
        JamReported: device.on_jam,
        ResidualCards: device.on_residual_cards,
        ModeChanged: device.on_mode,
        ShufflerWarning: device.on_warning_light,
        SelfTested: device.on_self_test,
        DeviceTampered: device.on_tampered,
        ShufflerStatus: device.on_status,
        CompartmentChanged: compartments.on_compartment_changed,
        ShuffleStarted: shuffles.on_shuffle_started,
        ShuffleDone: shuffles.on_shuffle_done,
        ShuffleShown: shuffles.on_shuffle_shown,
        ShuffleAborted: shuffles.on_shuffle_aborted,
        ShufflerStarted: shuffles.on_shuffler_started,
    }
)


def new_lineage(backs: tuple[str, str]) -> Lineage:
    """The lineage of two batches of which nothing is known yet; either may be dealt first."""
    return Lineage(tuple(BatchLife(back) for back in backs))


def apply_batch_fact(
    lineage: Lineage,
    fact: Fact,
    *,
    cards: int,
    decks: int,
    at_ns: int,
    by_contacts: bool = False,
) -> LineageUpdate:
    """Apply one fact. A complete batch has `cards` cards, each face `decks` times.

    `by_contacts`: of a shuffler that shows only contacts people enter count and release.
    """
    update = LineageUpdate(lineage)
    kind = fact.kind if isinstance(fact, RecordAct) else type(fact)
    handler = _ALWAYS.get(kind)
    if handler is None:
        if not lineage.trusted:
            detail = message("reports_change_nothing")
            return add_remark(update, BlockReason.DEVICE, "", detail)
        handler = _IF_TRUSTED[type(fact)]
    return handler(update, BatchContext(cards, decks, at_ns, by_contacts), fact)
