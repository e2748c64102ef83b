"""What a person asks of a device: the command it becomes, or why it cannot be given.

Responsible for: whether the shoe or the shuffler may be commanded so now, by this person, in the
order that settings, table and the life of the batches are asked.
Not responsible for: giving the command (core), what an order does to a batch (custody.lineage) and
for actions that are judged (acted).
Source: design rule "read-only by default"; NY (a)(4)(iv), S42 (a)(4); package README, "Actions".
"""

from types import MappingProxyType
from typing import Final, assert_never

from controller.core.settings import Settings, ShufflerDeviceSettings
from controller.custody.batch_life import permissions as judging
from controller.custody.batch_life.state import Lineage
from controller.procedure.effects import Refused
from controller.procedure.people.setting_changes import effective
from controller.procedure.phases import Phase
from controller.procedure.rulebook import RuleBook
from controller.procedure.shuffler.interlock import interlocked
from controller.procedure.state import TableState
from controller.profiles.rule_points import RulePoint
from controller.tape.actions import (
    ClearShoeError,
    DeviceAction,
    LockShoe,
    OrderTheShuffler,
    Role,
    UnlockShoe,
)
from drivers.catalogue import SHOE_MODELS
from drivers.commands import (
    ClearError,
    DeviceCommand,
    LockExit,
    OrderShuffler,
    ShufflerOrder,
    UnlockExit,
)
from firmware_bridge.values import dataclass

_ORDER: Final = "order-shuffler"
# What the life of a batch keeps an order from breaking.
_SECURE: Final = (RulePoint.SHUFFLER_SECURE, RulePoint.BATCH_IDLE_IN_SHUFFLER)
_KEPT_BY: Final = MappingProxyType(
    {
        ShufflerOrder.LOAD: (RulePoint.BATCH_IDLE_IN_SHUFFLER, RulePoint.DISCARD_ONE_BATCH),
        ShufflerOrder.COUNT: (RulePoint.DECKS_COUNT, RulePoint.BATCH_EQUAL),
        ShufflerOrder.SHUFFLE: (RulePoint.SHUFFLED,),
        ShufflerOrder.STORE: (RulePoint.SHUFFLED, RulePoint.SHUFFLER_SECURE),
        ShufflerOrder.RELEASE: (RulePoint.SHUFFLED, RulePoint.BATCH_ALTERNATES),
    }
)
_NO_LOCK: Final = "this shoe has no lock: tell the dealer to stop, or to go on"
_ONLY_LISTENS: Final = (
    "this table only listens to its {device}: set allow_commands = true under [{device}] to change"
    " it"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A command that may be given; `lock_wanted` where it is about the lock."""

    port: str
    command: DeviceCommand
    lock_wanted: bool | None = None


def asked(
    settings: Settings, book: RuleBook, table: TableState, role: Role, action: DeviceAction
) -> Asked | Refused:
    """The command of this action, or why it is refused and what can be done."""
    match action:
        case LockShoe():
            refusal = _lock_refused(settings)
            asked_for = Asked(settings.shoe.port, LockExit(), lock_wanted=True)
            return Refused("lock-shoe", refusal) if refusal else asked_for
        case UnlockShoe():
            refusal = unlock_refused(book, table) or _lock_refused(settings)
            asked_for = Asked(settings.shoe.port, UnlockExit(), lock_wanted=False)
            return Refused("unlock-shoe", refusal) if refusal else asked_for
        case ClearShoeError():
            refusal = _shoe_refused(settings)
            asked_for = Asked(settings.shoe.port, ClearError(action.code))
            return Refused("clear-shoe-error", refusal) if refusal else asked_for
        case OrderTheShuffler():
            return _ordered(settings, book, table, role, action)
        case _:
            assert_never(action)


def has_lock(settings: Settings) -> bool:
    """Whether the shoe's exit can be locked."""
    return SHOE_MODELS[settings.shoe.model].locks


def may_lock(settings: Settings) -> bool:
    """Whether it can be, and this table may."""
    return has_lock(settings) and settings.shoe.allow_commands


def wants_lock(book: RuleBook, table: TableState) -> bool:
    """Whether no card may be drawn: a suspension, or a warning that nobody has cleared."""
    return table.phase is Phase.SUSPENDED or interlocked(effective(book, table), table)


def unlock_refused(book: RuleBook, table: TableState) -> str:
    """Why nobody may unlock the shoe now; empty where a person may."""
    if table.phase is Phase.SUSPENDED:
        return "the table is suspended: resolve the irregularity first"
    if interlocked(book, table):
        numbers = ", ".join(str(one.number) for one in table.lineage.warnings)
        return (
            "a warning of the shuffler is open: see to its cause, then clear it (clear-warning,"
            f" number {numbers})"
        )
    return ""


def command_words(command: DeviceCommand) -> str:
    """A command as the record names it; an order to the shuffler with what it is."""
    name = type(command).__name__
    if isinstance(command, OrderShuffler):
        where = f" {command.compartment}" if command.compartment else ""
        return f"{name} {command.order.value}{where}"
    return name


def _lock_refused(settings: Settings) -> str:
    return _shoe_refused(settings) if has_lock(settings) else _NO_LOCK


def _shoe_refused(settings: Settings) -> str:
    return "" if settings.shoe.allow_commands else _ONLY_LISTENS.format(device="shoe")


# --- the shuffler ---------------------------------------------------------------------------------


def _ordered(
    settings: Settings, book: RuleBook, table: TableState, role: Role, action: OrderTheShuffler
) -> Asked | Refused:
    shuffler = settings.shuffler
    if shuffler is None:
        return Refused(_ORDER, "this table has no shuffler that tells: [shuffler] names one")
    refusal = _not_allowed(shuffler, role, action.order)
    if refusal:
        return Refused(_ORDER, refusal)
    compartment = _compartment(table.lineage, action)
    if isinstance(compartment, Refused):
        return compartment
    shoe_open = table.shoe is not None and not table.shoe.ended
    refusal = judging.order_refused(table.lineage, action.order, compartment, shoe_open=shoe_open)
    if refusal:
        return Refused(_ORDER, refusal, book.clauses(*_KEPT_BY.get(action.order, _SECURE)))
    return Asked(shuffler.port, OrderShuffler(action.order, compartment))


def _not_allowed(shuffler: ShufflerDeviceSettings, role: Role, order: ShufflerOrder) -> str:
    """Asking how it stands changes nothing and is everybody's."""
    if order is ShufflerOrder.STATUS:
        return ""
    if not shuffler.allow_commands:
        return _ONLY_LISTENS.format(device="shuffler")
    roles = dict(shuffler.orders).get(order.value, ())
    if role.value in roles:
        return ""
    if roles:
        who = ", ".join(roles)
        return f"{order.value} is not for a {role.value} here: [shuffler] orders allows {who}"
    allowed = ", ".join(name for name, who in shuffler.orders if who)
    given = f"orders that may be given here: {allowed}" if allowed else "no order may be given here"
    return f"[shuffler] orders lets nobody give {order.value}; {given}"


def _compartment(lineage: Lineage, action: OrderTheShuffler) -> int | Refused:
    """Where the order goes: the compartment that was named, or the one of the batch."""
    if not action.batch:
        return action.compartment
    life = lineage.life(action.batch)
    if life is None:
        backs = ", ".join(one.back for one in lineage.lives) or "none yet"
        why = f"no batch of this table has the back {action.batch!r}; its backs: {backs}"
        return Refused(_ORDER, why)
    if not life.compartment and not action.compartment:
        why = (
            f"the batch with {life.back} backs lies in no compartment, it is {life.stage.value}:"
            " name the compartment it goes into (compartment=1 or 2)"
        )
        return Refused(_ORDER, why)
    if life.compartment and action.compartment not in (0, life.compartment):
        why = (
            f"the batch with {life.back} backs lies in compartment {life.compartment}, not"
            f" {action.compartment}: name one of the two"
        )
        return Refused(_ORDER, why)
    return life.compartment or action.compartment
