"""Device commands that people request: granted, or refused with reason and remedy.

Source: design rule "read-only by default".
"""

import pytest
from in_words import in_words
from msgspec.structs import replace

from controller.core import device_commands as core_orders
from controller.core.device_commands import GrantedCommand
from controller.core.settings import DeviceSettings, Settings, ShufflerDeviceSettings
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import BatchLife, Lineage, OpenWarning, WarningKind
from controller.procedure.effects import Refusal
from controller.procedure.phases import Phase
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import ShoeState, TableState
from controller.rules.actions.actions import ClearShoeError, GiveShufflerOrder, LockShoe, UnlockShoe
from controller.rules.actions.declaration import Role
from controller.rules.profiles.load import load_profile
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.setting_values import ShuffleMode
from controller.system.messages.catalogue import to_words
from drivers.commands import ClearError, LockExit, OrderShuffler, ShufflerOrder, UnlockExit

SHOE = DeviceSettings("/dev/shoe", "angel-eye-ii-ex", allow_commands=True)
BOTH = ("dealer", "floorperson")
ORDERS = (("load", BOTH), ("count", BOTH), ("status", ()), ("abort", ("pit_manager",)))
SHUFFLER = ShufflerDeviceSettings("/dev/shuffler", "tablelink", allow_commands=True, orders=ORDERS)
SETTINGS = Settings("M7", "3", 8, 0, (), SHOE, shuffler=SHUFFLER)
RED = BatchLife("red", BatchStage.STORED, compartment=2)
BOOK = RuleBook.of(load_profile("s42-mini"), 8, (), shuffler=True)
LIVES = Lineage(lives=(RED, BatchLife("blue", BatchStage.SPENT)), trusted=True)
TABLE = TableState(lineage=LIVES)
DOOR = OpenWarning(3, WarningKind.DOOR, 0, "a door is open", 0, active=True)
JAM = OpenWarning(4, WarningKind.JAM, 0, "cards are jammed", 0, active=False)


def asked(
    action, *, settings=SETTINGS, table=TABLE, role=Role.FLOORPERSON
) -> GrantedCommand | Refusal:
    return core_orders.grant_command(settings, BOOK, table, role, action)


def refused(action, **where) -> str:
    answer = asked(action, **where)
    assert isinstance(answer, Refusal)
    return to_words(answer.why)


def count(compartment: int = 0, batch: str = "") -> GiveShufflerOrder:
    return GiveShufflerOrder(ShufflerOrder.COUNT, compartment, batch)


def load(compartment: int = 0, batch: str = "") -> GiveShufflerOrder:
    return GiveShufflerOrder(ShufflerOrder.LOAD, compartment, batch)


# --- the shoe -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "command", "lock_wanted"),
    [
        (LockShoe(), LockExit(), True),
        (UnlockShoe(), UnlockExit(), False),
        (ClearShoeError(7), ClearError(7), None),
    ],
)
def test_a_shoe_command_is_granted(action, command, lock_wanted) -> None:
    assert asked(action) == GrantedCommand("/dev/shoe", command, lock_wanted)


@pytest.mark.parametrize("action", [LockShoe(), UnlockShoe(), ClearShoeError(7)])
def test_without_allow_commands_shoe_commands_are_refused(action) -> None:
    listening = replace(SETTINGS, shoe=replace(SHOE, allow_commands=False))
    assert "set allow_commands = true under [shoe]" in refused(action, settings=listening)


@pytest.mark.parametrize("action", [LockShoe(), UnlockShoe()])
def test_a_shoe_without_a_lock_refuses_with_the_remedy(action) -> None:
    without = replace(SETTINGS, shoe=replace(SHOE, model="feig-rfid"))
    assert refused(action, settings=without) == (
        "this shoe has no lock: tell the dealer to stop, or to go on"
    )


def test_a_suspended_table_stays_locked() -> None:
    suspended = replace(TABLE, phase=Phase.SUSPENDED)
    assert refused(UnlockShoe(), table=suspended) == (
        "the table is suspended: resolve the irregularity first"
    )


def test_the_shoe_stays_locked_until_the_warning_is_cleared() -> None:
    warned = replace(TABLE, lineage=replace(LIVES, warnings=(DOOR, JAM)))
    assert refused(UnlockShoe(), table=warned) == (
        "a warning of the shuffler is open: remove its cause, then clear it (clear-warning, number"
        " 3, 4)"
    )


@pytest.mark.parametrize(
    ("table", "wanted"),
    [
        (TABLE, False),
        (replace(TABLE, phase=Phase.SUSPENDED), True),
        (replace(TABLE, lineage=replace(LIVES, warnings=(JAM,))), True),
    ],
)
def test_the_lock_is_wanted_while_no_card_may_be_drawn(table, wanted) -> None:
    assert core_orders.wants_lock(BOOK, table) is wanted


def test_with_hand_shuffling_a_shuffler_warning_locks_nothing() -> None:
    profile = load_profile("s42-mini")
    by_hand = replace(profile, rules=replace(profile.rules, shuffle_mode=ShuffleMode.HAND))
    book = RuleBook.of(by_hand, 8, (), shuffler=True)
    warned = replace(TABLE, lineage=replace(LIVES, warnings=(JAM,)))

    assert core_orders.wants_lock(book, warned) is False
    assert core_orders.unlock_refused(book, warned) is None


# --- the shuffler ---------------------------------------------------------------------------------


def test_an_order_goes_to_the_named_compartment() -> None:
    given = asked(load(1))
    assert given == GrantedCommand("/dev/shuffler", OrderShuffler(ShufflerOrder.LOAD, 1))


@pytest.mark.parametrize("compartment", [0, 2])
def test_an_order_finds_the_batch_in_its_compartment(compartment) -> None:
    given = asked(count(compartment, "red"))
    assert given == GrantedCommand("/dev/shuffler", OrderShuffler(ShufflerOrder.COUNT, 2))


def test_a_batch_outside_goes_into_the_named_compartment() -> None:
    given = asked(load(1, "blue"))
    assert given == GrantedCommand("/dev/shuffler", OrderShuffler(ShufflerOrder.LOAD, 1))


@pytest.mark.parametrize(
    ("action", "why"),
    [
        (
            load(0, "blue"),
            (
                "the batch with blue backs is in no compartment, its stage is spent: name the"
                " compartment it goes into (compartment=1 or 2)"
            ),
        ),
        (
            load(1, "red"),
            "the batch with red backs is in compartment 2, not 1: name one of the two",
        ),
        (load(1, "green"), "no batch of this table has the back 'green'; its backs: red, blue"),
    ],
)
def test_an_impossible_compartment_is_refused(action, why) -> None:
    assert refused(action) == why


def test_every_role_may_request_the_status_without_allow_commands() -> None:
    listening = replace(SETTINGS, shuffler=replace(SHUFFLER, allow_commands=False, orders=()))
    given = asked(GiveShufflerOrder(ShufflerOrder.STATUS), settings=listening, role=Role.DEALER)
    assert given == GrantedCommand("/dev/shuffler", OrderShuffler(ShufflerOrder.STATUS))


def test_without_a_shuffler_an_order_is_refused() -> None:
    without = replace(SETTINGS, shuffler=None)
    assert "has no connected shuffler" in refused(load(1), settings=without)


def test_without_allow_commands_an_order_is_refused() -> None:
    listening = replace(SETTINGS, shuffler=replace(SHUFFLER, allow_commands=False))
    assert "set allow_commands = true under [shuffler]" in refused(load(1), settings=listening)


@pytest.mark.parametrize(
    ("order", "role", "why"),
    [
        (
            ShufflerOrder.ABORT,
            Role.DEALER,
            "abort is not for a dealer here: [shuffler] orders allows pit_manager",
        ),
        (
            ShufflerOrder.SORT,
            Role.PIT_MANAGER,
            (
                "[shuffler] orders lets nobody give sort; orders that may be given here: load,"
                " count, abort"
            ),
        ),
    ],
)
def test_an_order_is_for_the_configured_roles(order, role, why) -> None:
    assert refused(GiveShufflerOrder(order), role=role) == why


def test_without_configured_orders_all_are_refused() -> None:
    none = replace(SETTINGS, shuffler=replace(SHUFFLER, orders=()))
    assert refused(load(1), settings=none) == (
        "[shuffler] orders lets nobody give load; no order may be given here"
    )


def test_an_order_against_the_batchs_stage_is_refused_with_clauses() -> None:
    assert in_words(asked(load(2))) == Refusal(
        "order-shuffler",
        "red is stored in compartment 2: use the other one",
        BOOK.clauses(RulePoint.BATCH_IDLE_IN_SHUFFLER, RulePoint.DISCARD_ONE_BATCH),
    )


@pytest.mark.parametrize("order", [one for one in ShufflerOrder if one is not ShufflerOrder.STATUS])
def test_every_order_that_a_stage_refuses_cites_clauses(order) -> None:
    all_of_them = tuple((one.value, ("floorperson",)) for one in ShufflerOrder)
    allowed = replace(SETTINGS, shuffler=replace(SHUFFLER, orders=all_of_them))
    unknown = replace(TABLE, lineage=replace(LIVES, trusted=False))
    answer = asked(GiveShufflerOrder(order, 1), settings=allowed, table=unknown)
    assert isinstance(answer, Refusal)
    assert answer.clauses


def test_an_untrusted_shuffler_takes_no_order() -> None:
    unknown = replace(TABLE, lineage=replace(LIVES, trusted=False))
    assert refused(load(1), table=unknown).startswith("the shuffler has not proven its identity")


@pytest.mark.parametrize(
    ("ended", "why"), [(False, "no sort with a batch bound to an open shoe"), (True, "")]
)
def test_sorting_is_refused_while_a_shoe_is_open(ended, why) -> None:
    sorting = replace(SETTINGS, shuffler=replace(SHUFFLER, orders=(("sort", ("pit_manager",)),)))
    shoe = ShoeState("2025-11-21", 1, 416, ended=ended)
    answer = asked(
        GiveShufflerOrder(ShufflerOrder.SORT),
        settings=sorting,
        table=replace(TABLE, shoe=shoe),
        role=Role.PIT_MANAGER,
    )
    assert (to_words(answer.why) if isinstance(answer, Refusal) else "").startswith(why)
    assert isinstance(answer, Refusal) is not ended


# --- words ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (LockExit(), "LockExit"),
        (OrderShuffler(ShufflerOrder.SELF_TEST), "OrderShuffler self-test"),
        (OrderShuffler(ShufflerOrder.RELEASE, 2), "OrderShuffler release 2"),
    ],
)
def test_a_command_is_described(command, words) -> None:
    assert to_words(core_orders.describe_command(command)) == words
