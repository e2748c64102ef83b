"""Grants or refuses the device commands that people request, by settings, table state and batches.

Source: design rule "read-only by default"; NY (a)(4)(iv), S42 (a)(4).
"""

from types import MappingProxyType
from typing import Final, assert_never

from msgspec import Struct

from controller.core.settings import Settings, ShufflerDeviceSettings
from controller.custody.batch_life import permissions
from controller.custody.batch_life.state import Lineage
from controller.procedure.effects import Refusal
from controller.procedure.phases import Phase
from controller.procedure.rulebook import RuleBook
from controller.procedure.shuffler.interlock import is_interlocked
from controller.procedure.state import TableState
from controller.rules.actions.actions import (
    ClearShoeError,
    DeviceAction,
    GiveShufflerOrder,
    LockShoe,
    UnlockShoe,
)
from controller.rules.actions.declaration import Role
from controller.rules.profiles.rule_points import RulePoint
from drivers.commands import (
    ClearError,
    DeviceCommand,
    LockExit,
    OrderShuffler,
    ShufflerOrder,
    UnlockExit,
)
from foundation.message import Message, message

_ORDER: Final = "order-shuffler"
# The rule points that an order would break; they are cited in its refusal.
_SECURE: Final = (RulePoint.SHUFFLER_SECURE, RulePoint.BATCH_IDLE_IN_SHUFFLER)
_ORDER_POINTS: Final = MappingProxyType(
    {
        ShufflerOrder.LOAD: (RulePoint.BATCH_IDLE_IN_SHUFFLER, RulePoint.DISCARD_ONE_BATCH),
        ShufflerOrder.COUNT: (RulePoint.DECKS_COUNT, RulePoint.BATCH_EQUAL),
        ShufflerOrder.SHUFFLE: (RulePoint.SHUFFLED,),
        ShufflerOrder.STORE: (RulePoint.SHUFFLED, RulePoint.SHUFFLER_SECURE),
        ShufflerOrder.RELEASE: (RulePoint.SHUFFLED, RulePoint.BATCH_ALTERNATES),
    }
)


class GrantedCommand(Struct, frozen=True):
    """A command that may be sent; `lock_wanted` is None unless it concerns the lock."""

    port: str
    command: DeviceCommand
    lock_wanted: bool | None = None


def grant_command(
    settings: Settings, book: RuleBook, table: TableState, role: Role, action: DeviceAction
) -> GrantedCommand | Refusal:
    """The command for an action, or why it is refused and what can be done."""
    match action:
        case LockShoe():
            refusal = _lock_refused(settings)
            granted = GrantedCommand(settings.shoe.port, LockExit(), lock_wanted=True)
            return granted if refusal is None else Refusal("lock-shoe", refusal)
        case UnlockShoe():
            refusal = unlock_refused(book, table) or _lock_refused(settings)
            granted = GrantedCommand(settings.shoe.port, UnlockExit(), lock_wanted=False)
            return granted if refusal is None else Refusal("unlock-shoe", refusal)
        case ClearShoeError():
            refusal = _shoe_refused(settings)
            granted = GrantedCommand(settings.shoe.port, ClearError(action.code))
            return granted if refusal is None else Refusal("clear-shoe-error", refusal)
        case GiveShufflerOrder():
            return _grant_order(settings, book, table, role, action)
        case _:
            assert_never(action)


def has_lock(settings: Settings) -> bool:
    """Whether the shoe's exit can be locked."""
    return settings.shoe_model.has_lock


def may_lock(settings: Settings) -> bool:
    """Whether the shoe's exit can be locked and this table may command it."""
    return has_lock(settings) and settings.shoe.allow_commands


def wants_lock(book: RuleBook, table: TableState) -> bool:
    """Whether no card may be drawn: a suspension, or an open warning of the shuffler."""
    return table.phase is Phase.SUSPENDED or is_interlocked(book, table)


def unlock_refused(book: RuleBook, table: TableState) -> Message | None:
    """Why nobody may unlock the shoe now; None if a person may."""
    if table.phase is Phase.SUSPENDED:
        return message("suspended_resolve_first")
    if is_interlocked(book, table):
        numbers = tuple(one.number for one in table.lineage.warnings)
        return message("warning_open_remove_and_clear", numbers=numbers)
    return None


def describe_command(command: DeviceCommand) -> Message:
    """A command as the record names it, with order and compartment for the shuffler."""
    name = type(command).__name__
    if not isinstance(command, OrderShuffler):
        return message("device_command", command=name)
    order, compartment = command.order.value, command.compartment
    if not compartment:
        return message("shuffler_command", command=name, order=order)
    return message("compartment_command", command=name, order=order, compartment=compartment)


def _lock_refused(settings: Settings) -> Message | None:
    return _shoe_refused(settings) if has_lock(settings) else message("shoe_has_no_lock")


def _shoe_refused(settings: Settings) -> Message | None:
    return None if settings.shoe.allow_commands else _only_reads_from("shoe")


def _only_reads_from(device: str) -> Message:
    return message("only_reads_from_device", device=device)


# --- the shuffler ---------------------------------------------------------------------------------


def _grant_order(
    settings: Settings, book: RuleBook, table: TableState, role: Role, action: GiveShufflerOrder
) -> GrantedCommand | Refusal:
    shuffler = settings.shuffler
    if shuffler is None:
        return Refusal(_ORDER, message("no_connected_shuffler"))
    refusal = _order_not_allowed(shuffler, role, action.order)
    if refusal is not None:
        return Refusal(_ORDER, refusal)
    compartment = _compartment(table.lineage, action)
    if isinstance(compartment, Refusal):
        return compartment
    shoe_open = table.shoe is not None and not table.shoe.ended
    refusal = permissions.order_refusal(
        table.lineage, action.order, compartment, shoe_open=shoe_open
    )
    if refusal is not None:
        return Refusal(_ORDER, refusal, book.clauses(*_ORDER_POINTS.get(action.order, _SECURE)))
    return GrantedCommand(shuffler.port, OrderShuffler(action.order, compartment))


def _order_not_allowed(
    shuffler: ShufflerDeviceSettings, role: Role, order: ShufflerOrder
) -> Message | None:
    """Why this role may not give the order; a status request is open to everybody."""
    if order is ShufflerOrder.STATUS:
        return None
    if not shuffler.allow_commands:
        return _only_reads_from("shuffler")
    roles = dict(shuffler.orders).get(order.value, ())
    if role.value in roles:
        return None
    if roles:
        return message("order_not_for_role", order=order.value, role=role.value, roles=roles)
    allowed = tuple(name for name, who in shuffler.orders if who)
    given = message("orders_given_here", orders=allowed) if allowed else message("no_order_here")
    return message("nobody_gives_order", order=order.value, given=given)


def _compartment(lineage: Lineage, action: GiveShufflerOrder) -> int | Refusal:
    """The compartment that the order names, or the one of its batch; 0 for the whole device."""
    if not action.batch:
        return action.compartment
    life = lineage.life(action.batch)
    if life is None:
        backs = tuple(one.back for one in lineage.lives) or message("none_yet")
        return Refusal(_ORDER, message("no_batch_has_back", typed=action.batch, backs=backs))
    if not life.compartment and not action.compartment:
        why = message("batch_in_no_compartment", batch=life.back, stage=life.stage.value)
        return Refusal(_ORDER, why)
    if life.compartment and action.compartment not in (0, life.compartment):
        why = message(
            "batch_in_other_compartment",
            batch=life.back,
            known=life.compartment,
            compartment=action.compartment,
        )
        return Refusal(_ORDER, why)
    return life.compartment or action.compartment
