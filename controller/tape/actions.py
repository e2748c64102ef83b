"""Every action that people can take at a table, as typed values, with roles and required reasons.

Source: D-32 (dealer for prompts, floorperson for every irregularity); controller/tape/README.md,
"Actions".
"""

from enum import StrEnum
from typing import Annotated, Final, TypeAlias

from msgspec import Meta, Struct

from controller.procedure.act_kinds import ActKind
from controller.procedure.decisions import Resolution
from controller.procedure.events import LayoutPart
from controller.rules.hands import HandName
from controller.rules.outcome import Outcome
from controller.settlement.wagers import Wager
from drivers.commands import ShufflerOrder


class Role(StrEnum):
    DEALER = "dealer"
    FLOORPERSON = "floorperson"
    PIT_MANAGER = "pit_manager"
    SURVEILLANCE = "surveillance"
    INSPECTOR = "inspector"


TEXT_LENGTH_MAX: Final = 500
SEAT_MAX: Final = 99
NUMBER_MAX: Final = 10**9
Line: TypeAlias = Annotated[str, Meta(max_length=TEXT_LENGTH_MAX)]
Seat: TypeAlias = Annotated[int, Meta(ge=1, le=SEAT_MAX)]
OptionalSeat: TypeAlias = Annotated[int, Meta(ge=0, le=SEAT_MAX)]
Number: TypeAlias = Annotated[int, Meta(ge=1, le=NUMBER_MAX)]
Amount: TypeAlias = Annotated[int, Meta(ge=0, le=NUMBER_MAX)]


class ActionValues(Struct, frozen=True, forbid_unknown_fields=True):
    """Base of the actions: no value that an action does not have."""


class Resolve(ActionValues, frozen=True, tag="resolve"):
    """Decide on the open irregularities."""

    resolution: Resolution


class CloseShoe(ActionValues, frozen=True, tag="close-shoe"):
    """End the shoe before its cut card: dead table or early change."""


class CallNoMoreBets(ActionValues, frozen=True, tag="call-no-more-bets"):
    """The dealer called "no more bets"."""


class DeclareResult(ActionValues, frozen=True, tag="declare-result"):
    """The dealer declares the result, at a table whose shoe has no buttons for it."""

    outcome: Outcome
    player_pair: bool = False
    banker_pair: bool = False


class BindBatch(ActionValues, frozen=True, tag="bind-batch"):
    """The batch of that name is at the table: track its cards by its manifest."""

    batch: Line


class SetCardApart(ActionValues, frozen=True, tag="set-card-apart"):
    """A damaged or foreign card was set apart; its batch is blocked until it is bound again.

    `batch` is its back colour; `tag` its identity, empty if it cannot be read.
    """

    batch: Line
    tag: Line = ""


class LockShoe(ActionValues, frozen=True, tag="lock-shoe"):
    """Lock the card exit of the shoe."""


class UnlockShoe(ActionValues, frozen=True, tag="unlock-shoe"):
    """Unlock the card exit of the shoe."""


class ClearShoeError(ActionValues, frozen=True, tag="clear-shoe-error"):
    """Clear an error of the shoe by its number."""

    code: Annotated[int, Meta(ge=1, le=99)]


class GiveShufflerOrder(ActionValues, frozen=True, tag="give-shuffler-order"):
    """Give the shuffler an order.

    `compartment` is 1 or 2, or 0 if the order is for the whole device or if `batch` names the back
    of the batch in the compartment.
    """

    order: ShufflerOrder
    compartment: Annotated[int, Meta(ge=0, le=2)] = 0
    batch: Line = ""


class ClearWarning(ActionValues, frozen=True, tag="clear-warning"):
    """Clear a warning of the shuffler by its number: play may go on."""

    number: Number


class RecordAct(ActionValues, frozen=True, tag="record-act"):
    """Record an act that was done or seen; see procedure.events.ActReported."""

    kind: ActKind
    batch: Line = ""
    seat: OptionalSeat = 0
    amount: Amount = 0
    reference: Line = ""
    second: Line = ""


class ReportTurned(ActionValues, frozen=True, tag="report-turned"):
    """Cards were turned up on the layout."""

    what: LayoutPart


class ReportFaceUp(ActionValues, frozen=True, tag="report-face-up"):
    """The card drawn last lay face up in the shoe."""


class GiveUpReveal(ActionValues, frozen=True, tag="give-up-reveal"):
    """A patron will not turn a hand: given up, or taken away by order."""

    hand: HandName
    by_order: bool = False


class RequestGhostHand(ActionValues, frozen=True, tag="request-ghost-hand"):
    """Deal the next coup as a ghost hand."""


class StateWagers(ActionValues, frozen=True, tag="state-wagers"):
    """Every wager on the layout now."""

    wagers: tuple[Wager, ...]


class CollectVigorish(ActionValues, frozen=True, tag="collect-vigorish"):
    """The vigorish marked for a seat was collected."""

    seat: Seat


class DocumentVigorish(ActionValues, frozen=True, tag="document-vigorish"):
    """Vigorish that will not be collected was documented on its form."""

    seat: Seat
    form_number: Number
    patron: Line
    dealer: Line
    pit_clerk: Line
    patron_signed: bool = True
    void: bool = False


class VacateSeat(ActionValues, frozen=True, tag="vacate-seat"):
    """The patron of a seat left."""

    seat: Seat


class GiveNotice(ActionValues, frozen=True, tag="give-notice"):
    """Notice of a coming change of a setting was given."""

    setting: Line
    value: Line
    to: Line


class ChangeSetting(ActionValues, frozen=True, tag="change-setting"):
    """Change a setting of the profile at this table."""

    setting: Line
    value: Line


class CorrectCoup(ActionValues, frozen=True, tag="correct-coup"):
    """Correct the outcome of a counted coup; `second` is the other person who decides it.

    `shoe` is the number of its shoe on this gaming day, 0 for the shoe at the table.
    """

    coup: Number
    outcome: Outcome
    second: Line
    shoe: Amount = 0


# For a device alone; the procedure gets no event.
DeviceAction: TypeAlias = LockShoe | UnlockShoe | ClearShoeError | GiveShufflerOrder
# About the cards themselves.
CustodyAction: TypeAlias = BindBatch | SetCardApart
TableAction: TypeAlias = (
    Resolve
    | CloseShoe
    | CallNoMoreBets
    | DeclareResult
    | RecordAct
    | ReportTurned
    | ReportFaceUp
    | GiveUpReveal
    | RequestGhostHand
    | StateWagers
    | CollectVigorish
    | DocumentVigorish
    | VacateSeat
    | GiveNotice
    | ChangeSetting
    | CorrectCoup
    | ClearWarning
)
Action: TypeAlias = TableAction | DeviceAction | CustodyAction

SUPERVISORS: Final = (Role.FLOORPERSON, Role.PIT_MANAGER)
PEOPLE_AT_THE_TABLE: Final = (Role.DEALER, *SUPERVISORS)
# Roles that watch the table without dealing or deciding.
OBSERVERS: Final = (Role.SURVEILLANCE, Role.INSPECTOR)

# Name on the wire, roles that may take it, purpose.
ACTION_NAMES: Final = (
    ("resolve", SUPERVISORS, "decide on the open irregularities"),
    ("close-shoe", SUPERVISORS, "end the shoe early (dead table, early change)"),
    ("no-more-bets", PEOPLE_AT_THE_TABLE, 'record that "no more bets" was called'),
    ("declare-result", PEOPLE_AT_THE_TABLE, "declare the result of the coup"),
    ("bind-batch", SUPERVISORS, "track the cards of a batch by its manifest"),
    ("set-card-apart", SUPERVISORS, "set a damaged or foreign card apart; its batch is blocked"),
    ("lock-shoe", SUPERVISORS, "lock the shoe's exit"),
    ("unlock-shoe", SUPERVISORS, "unlock the shoe's exit"),
    ("clear-shoe-error", SUPERVISORS, "clear an error of the shoe"),
    # [shuffler] orders in table.toml says which role may give which order.
    ("order-shuffler", (*PEOPLE_AT_THE_TABLE, *OBSERVERS), "give the shuffler an order"),
    ("clear-warning", SUPERVISORS, "clear a warning of the shuffler: play may go on"),
    ("record", (*PEOPLE_AT_THE_TABLE, *OBSERVERS), "record an act that was done or seen"),
    ("turned", PEOPLE_AT_THE_TABLE, "report that cards were turned up"),
    ("found-face-up", PEOPLE_AT_THE_TABLE, "report that the last card lay face up in the shoe"),
    ("give-up", PEOPLE_AT_THE_TABLE, "record that a patron gives up turning a hand, or has to"),
    ("ghost-hand", PEOPLE_AT_THE_TABLE, "have the next coup dealt as a ghost hand"),
    ("wagers", PEOPLE_AT_THE_TABLE, "state every wager on the layout now"),
    ("collect-vigorish", PEOPLE_AT_THE_TABLE, "record that a seat's vigorish was collected"),
    ("document-vigorish", SUPERVISORS, "document vigorish that will not be collected"),
    ("seat-vacated", PEOPLE_AT_THE_TABLE, "record that the patron of a seat left"),
    ("notice", SUPERVISORS, "record notice of a coming change of a setting"),
    ("change-setting", SUPERVISORS, "change a setting of the profile at this table"),
    ("correct-coup", SUPERVISORS, "correct the outcome of a counted coup, with a second person"),
)
# These are recorded with a reason. Others need one depending on their values: requirements_for().
REASON_REQUIRED: Final = (
    *("resolve", "close-shoe", "lock-shoe", "unlock-shoe", "clear-shoe-error"),
    *("change-setting", "set-card-apart", "clear-warning", "correct-coup"),
)


# Orders that interrupt the shuffler or take it out of play.
_INTERRUPTING_ORDERS: Final = (ShufflerOrder.ABORT, ShufflerOrder.SERVICE, ShufflerOrder.SORT)


class ActionError(Exception):
    """A request that is not an action; the message says what is wrong and what is allowed."""


class ActionRequirements(Struct, frozen=True):
    """Who may take an action, and whether it needs a reason."""

    roles: tuple[Role, ...]
    reason: bool


def roles_for(name: str) -> tuple[Role, ...]:
    """The roles that may take an action, by its name. Raises ActionError if there is none."""
    for known, roles, _ in ACTION_NAMES:
        if known == name:
            return roles
    allowed = ", ".join(known for known, _, _ in ACTION_NAMES)
    raise ActionError(
        f"ACTION: {name!r} is not an action. Allowed: {allowed}. Remedy: `smartshoe act --list`"
        " shows what each does"
    )


def requirements_for(name: str, action: Action) -> ActionRequirements:
    """Who may take this action, given its values, and whether it needs a reason."""
    roles, reason = roles_for(name), name in REASON_REQUIRED
    match action:
        case RecordAct(kind=ActKind.RECUT | ActKind.ALTERNATION_SUSPENDED):
            return ActionRequirements(SUPERVISORS, reason=True)  # S42-e-7-recut, D-20
        case GiveUpReveal(by_order=True):
            return ActionRequirements(roles, reason=True)  # S42-k-5-relinquish, NY-f-3-ii-g
        case DocumentVigorish(patron_signed=False):
            return ActionRequirements(roles, reason=True)  # S42-c-3-iii
        case GiveShufflerOrder(order=order) if order in _INTERRUPTING_ORDERS:
            return ActionRequirements(roles, reason=True)
        case _:
            return ActionRequirements(roles, reason)
