"""Grants or refuses the device commands that people request, by settings, table state and batches.

Source: design rule "read-only by default"; NY (a)(4)(iv), S42 (a)(4); controller/actions/README.md,
"Actions".
"""

from types import MappingProxyType
from typing import Final, assert_never

from msgspec import Struct

from controller.actions.actions import (
    ClearShoeError,
    DeviceAction,
    GiveShufflerOrder,
    LockShoe,
    UnlockShoe,
)
from controller.actions.declaration import Role
from controller.core.settings import Settings, ShufflerDeviceSettings
from controller.custody.batch_life import permissions
from controller.custody.batch_life.state import Lineage
from controller.procedure.effects import Refusal
from controller.procedure.phases import Phase
from controller.procedure.rulebook import RuleBook
from controller.procedure.shuffler.interlock import is_interlocked
from controller.procedure.state import TableState
from controller.profiles.rule_points import RulePoint
from drivers.catalogue import SHOE_MODELS
from drivers.commands import (
    ClearError,
    DeviceCommand,
    LockExit,
    OrderShuffler,
    ShufflerOrder,
    UnlockExit,
)

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
_NO_LOCK: Final = "this shoe has no lock: tell the dealer to stop, or to go on"
_COMMANDS_DISABLED: Final = (
    "this table only reads from its {device}: set allow_commands = true under [{device}] to allow"
    " commands"
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
            return Refusal("lock-shoe", refusal) if refusal else granted
        case UnlockShoe():
            refusal = unlock_refused(book, table) or _lock_refused(settings)
            granted = GrantedCommand(settings.shoe.port, UnlockExit(), lock_wanted=False)
            return Refusal("unlock-shoe", refusal) if refusal else granted
        case ClearShoeError():
            refusal = _shoe_refused(settings)
            granted = GrantedCommand(settings.shoe.port, ClearError(action.code))
            return Refusal("clear-shoe-error", refusal) if refusal else granted
        case GiveShufflerOrder():
            return _grant_order(settings, book, table, role, action)
        case _:
            assert_never(action)


def has_lock(settings: Settings) -> bool:
    """Whether the shoe's exit can be locked."""
    return SHOE_MODELS[settings.shoe.model].locks


def may_lock(settings: Settings) -> bool:
    """Whether the shoe's exit can be locked and this table may command it."""
    return has_lock(settings) and settings.shoe.allow_commands


def wants_lock(book: RuleBook, table: TableState) -> bool:
    """Whether no card may be drawn: a suspension, or an open warning of the shuffler."""
    return table.phase is Phase.SUSPENDED or is_interlocked(book, table)


def unlock_refused(book: RuleBook, table: TableState) -> str:
    """Why nobody may unlock the shoe now; empty if a person may."""
    if table.phase is Phase.SUSPENDED:
        return "the table is suspended: resolve the irregularity first"
    if is_interlocked(book, table):
        numbers = ", ".join(str(one.number) for one in table.lineage.warnings)
        return (
            "a warning of the shuffler is open: remove its cause, then clear it (clear-warning,"
            f" number {numbers})"
        )
    return ""


def describe_command(command: DeviceCommand) -> str:
    """A command as the record names it, with order and compartment for the shuffler."""
    name = type(command).__name__
    if isinstance(command, OrderShuffler):
        where = f" {command.compartment}" if command.compartment else ""
        return f"{name} {command.order.value}{where}"
    return name


def _lock_refused(settings: Settings) -> str:
    return _shoe_refused(settings) if has_lock(settings) else _NO_LOCK


def _shoe_refused(settings: Settings) -> str:
    return "" if settings.shoe.allow_commands else _COMMANDS_DISABLED.format(device="shoe")


# --- the shuffler ---------------------------------------------------------------------------------


def _grant_order(
    settings: Settings, book: RuleBook, table: TableState, role: Role, action: GiveShufflerOrder
) -> GrantedCommand | Refusal:
    shuffler = settings.shuffler
    if shuffler is None:
        return Refusal(_ORDER, "this table has no connected shuffler: [shuffler] configures one")
    refusal = _order_not_allowed(shuffler, role, action.order)
    if refusal:
        return Refusal(_ORDER, refusal)
    compartment = _compartment(table.lineage, action)
    if isinstance(compartment, Refusal):
        return compartment
    shoe_open = table.shoe is not None and not table.shoe.ended
    refusal = permissions.order_refusal(
        table.lineage, action.order, compartment, shoe_open=shoe_open
    )
    if refusal:
        return Refusal(_ORDER, refusal, book.clauses(*_ORDER_POINTS.get(action.order, _SECURE)))
    return GrantedCommand(shuffler.port, OrderShuffler(action.order, compartment))


def _order_not_allowed(shuffler: ShufflerDeviceSettings, role: Role, order: ShufflerOrder) -> str:
    """Why this role may not give the order; a status request is open to everybody."""
    if order is ShufflerOrder.STATUS:
        return ""
    if not shuffler.allow_commands:
        return _COMMANDS_DISABLED.format(device="shuffler")
    roles = dict(shuffler.orders).get(order.value, ())
    if role.value in roles:
        return ""
    if roles:
        who = ", ".join(roles)
        return f"{order.value} is not for a {role.value} here: [shuffler] orders allows {who}"
    allowed = ", ".join(name for name, who in shuffler.orders if who)
    given = f"orders that may be given here: {allowed}" if allowed else "no order may be given here"
    return f"[shuffler] orders lets nobody give {order.value}; {given}"


def _compartment(lineage: Lineage, action: GiveShufflerOrder) -> int | Refusal:
    """The compartment that the order names, or the one of its batch; 0 for the whole device."""
    if not action.batch:
        return action.compartment
    life = lineage.life(action.batch)
    if life is None:
        backs = ", ".join(one.back for one in lineage.lives) or "none yet"
        why = f"no batch of this table has the back {action.batch!r}; its backs: {backs}"
        return Refusal(_ORDER, why)
    if not life.compartment and not action.compartment:
        why = (
            f"the batch with {life.back} backs is in no compartment, its stage is"
            f" {life.stage.value}: name the compartment it goes into (compartment=1 or 2)"
        )
        return Refusal(_ORDER, why)
    if life.compartment and action.compartment not in (0, life.compartment):
        why = (
            f"the batch with {life.back} backs is in compartment {life.compartment}, not"
            f" {action.compartment}: name one of the two"
        )
        return Refusal(_ORDER, why)
    return life.compartment or action.compartment
