"""Every action a person can take at a table, as typed values.

Responsible for: the closed set of actions, and who may take them and must say why.
Not responsible for: reading one from a request (act_requests), transport, and for whether an
action is possible now (the core answers).
Source: D-32 (dealer for prompts, floorperson for every irregularity); package README, "Actions".
"""

from enum import StrEnum
from typing import Final, TypeAlias

from controller.procedure.act_kinds import ActKind
from controller.procedure.decisions import Resolution
from controller.procedure.events import TurnedCards
from controller.rules.hands import HandName
from controller.rules.outcome import Outcome
from controller.settlement.wagers import Wager
from drivers.commands import ShufflerOrder
from firmware_bridge.values import dataclass


class Role(StrEnum):
    DEALER = "dealer"
    FLOORPERSON = "floorperson"
    PIT_MANAGER = "pit_manager"
    SURVEILLANCE = "surveillance"
    INSPECTOR = "inspector"


@dataclass(frozen=True, slots=True)
class Resolve:
    """Decide what becomes of the open irregularities."""

    resolution: Resolution


@dataclass(frozen=True, slots=True)
class CloseShoe:
    """End the shoe before its cut card: dead table or early change."""


@dataclass(frozen=True, slots=True)
class CallNoMoreBets:
    """The dealer called "no more bets"."""


@dataclass(frozen=True, slots=True)
class DeclareResult:
    """The dealer declares the result, at a table whose shoe has no buttons for it."""

    outcome: Outcome
    player_pair: bool = False
    banker_pair: bool = False


@dataclass(frozen=True, slots=True)
class BindBatch:
    """The batch of that name is at the table: follow its cards by its manifest."""

    batch: str


@dataclass(frozen=True, slots=True)
class SetCardApart:
    """A damaged or foreign card was set apart; its batch is not whole until it is bound anew.

    `batch` is its back colour; `tag` its identity, empty where it cannot be read.
    """

    batch: str
    tag: str = ""


@dataclass(frozen=True, slots=True)
class LockShoe:
    """Lock the card exit of the shoe."""


@dataclass(frozen=True, slots=True)
class UnlockShoe:
    """Unlock the card exit of the shoe."""


@dataclass(frozen=True, slots=True)
class ClearShoeError:
    """Clear an error of the shoe by its number."""

    code: int


@dataclass(frozen=True, slots=True)
class OrderTheShuffler:
    """Tell the shuffler to do something.

    `compartment` is 1 or 2, or 0 where the order is for the whole device or `batch` names the back
    of the batch that lies there.
    """

    order: ShufflerOrder
    compartment: int = 0
    batch: str = ""


@dataclass(frozen=True, slots=True)
class ClearWarning:
    """Clear a warning of the shuffler by its number: play may go on."""

    number: int


@dataclass(frozen=True, slots=True)
class RecordAct:
    """Put an act on record: what was done, or seen; see procedure.events.ActRecorded."""

    kind: ActKind
    batch: str = ""
    seat: int = 0
    amount: int = 0
    reference: str = ""
    second: str = ""


@dataclass(frozen=True, slots=True)
class TellTurned:
    """Cards were turned up on the layout."""

    what: TurnedCards


@dataclass(frozen=True, slots=True)
class TellFaceUp:
    """The card drawn last lay face up in the shoe."""


@dataclass(frozen=True, slots=True)
class GiveUpReveal:
    """A hand will not be turned by the patron: given up, or taken away by order."""

    hand: HandName
    by_order: bool = False


@dataclass(frozen=True, slots=True)
class AskGhostHand:
    """Deal the next coup as a ghost hand."""


@dataclass(frozen=True, slots=True)
class StateWagers:
    """Every wager on the layout as it stands now."""

    wagers: tuple[Wager, ...]


@dataclass(frozen=True, slots=True)
class CollectVigorish:
    """The vigorish marked for a seat was collected."""

    seat: int


@dataclass(frozen=True, slots=True)
class DocumentVigorish:
    """Vigorish that will not be collected was written down on its form."""

    seat: int
    form_number: int
    patron: str
    dealer: str
    pit_clerk: str
    patron_signed: bool = True
    void: bool = False


@dataclass(frozen=True, slots=True)
class VacateSeat:
    """The patron of a seat left."""

    seat: int


@dataclass(frozen=True, slots=True)
class GiveNotice:
    """Notice of a coming change of a setting was given."""

    setting: str
    value: str
    to: str


@dataclass(frozen=True, slots=True)
class ChangeSetting:
    """Change a setting of the profile at this table."""

    setting: str
    value: str


# To a device, and to nothing that is judged.
DeviceAction: TypeAlias = LockShoe | UnlockShoe | ClearShoeError | OrderTheShuffler
# About the cards themselves.
CustodyAction: TypeAlias = BindBatch | SetCardApart
TableAction: TypeAlias = (
    Resolve
    | CloseShoe
    | CallNoMoreBets
    | DeclareResult
    | RecordAct
    | TellTurned
    | TellFaceUp
    | GiveUpReveal
    | AskGhostHand
    | StateWagers
    | CollectVigorish
    | DocumentVigorish
    | VacateSeat
    | GiveNotice
    | ChangeSetting
    | ClearWarning
)
Action: TypeAlias = TableAction | DeviceAction | CustodyAction

SUPERVISORS: Final = (Role.FLOORPERSON, Role.PIT_MANAGER)
PEOPLE_AT_THE_TABLE: Final = (Role.DEALER, *SUPERVISORS)
# Who sees what happens at the table without dealing or deciding.
WATCHERS: Final = (Role.SURVEILLANCE, Role.INSPECTOR)

# Name on the wire, who may, what it is for.
ACTION_NAMES: Final = (
    ("resolve", SUPERVISORS, "decide what becomes of the open irregularities"),
    ("close-shoe", SUPERVISORS, "end the shoe early (dead table, early change)"),
    ("no-more-bets", PEOPLE_AT_THE_TABLE, 'record that "no more bets" was called'),
    ("declare-result", PEOPLE_AT_THE_TABLE, "declare the result of the coup"),
    ("bind-batch", SUPERVISORS, "follow the cards of a batch by its manifest"),
    ("set-card-apart", SUPERVISORS, "set a damaged or foreign card apart; its batch is blocked"),
    ("lock-shoe", SUPERVISORS, "lock the shoe's exit"),
    ("unlock-shoe", SUPERVISORS, "unlock the shoe's exit"),
    ("clear-shoe-error", SUPERVISORS, "clear an error of the shoe"),
    # Which of them may give which order stands in [shuffler] orders.
    ("order-shuffler", (*PEOPLE_AT_THE_TABLE, *WATCHERS), "tell the shuffler to do something"),
    ("clear-warning", SUPERVISORS, "clear a warning of the shuffler: play may go on"),
    ("record", (*PEOPLE_AT_THE_TABLE, *WATCHERS), "put an act on record, done or seen"),
    ("turned", PEOPLE_AT_THE_TABLE, "tell that cards were turned up"),
    ("found-face-up", PEOPLE_AT_THE_TABLE, "tell that the last card lay face up in the shoe"),
    ("give-up", PEOPLE_AT_THE_TABLE, "record that a patron gives up turning a hand, or has to"),
    ("ghost-hand", PEOPLE_AT_THE_TABLE, "have the next coup dealt as a ghost hand"),
    ("wagers", PEOPLE_AT_THE_TABLE, "state every wager on the layout as it stands now"),
    ("collect-vigorish", PEOPLE_AT_THE_TABLE, "record that a seat's vigorish was collected"),
    ("document-vigorish", SUPERVISORS, "write down vigorish that will not be collected"),
    ("seat-vacated", PEOPLE_AT_THE_TABLE, "record that the patron of a seat left"),
    ("notice", SUPERVISORS, "record notice of a coming change of a setting"),
    ("change-setting", SUPERVISORS, "change a setting of the profile at this table"),
)
# A decision stands in the record with its reason. Some need one by what they say: see demands().
REASON_REQUIRED: Final = (
    *("resolve", "close-shoe", "lock-shoe", "unlock-shoe", "clear-shoe-error"),
    *("change-setting", "set-card-apart", "clear-warning"),
)


# They break off what the shuffler does, or take it out of play.
_OUT_OF_TURN: Final = (ShufflerOrder.ABORT, ShufflerOrder.SERVICE, ShufflerOrder.SORT)


class ActionError(Exception):
    """A request that is no action; the message says what is wrong and what is allowed."""


@dataclass(frozen=True, slots=True)
class Demands:
    """Who may take an action, and whether it needs a reason."""

    roles: tuple[Role, ...]
    reason: bool


def roles_for(name: str) -> tuple[Role, ...]:
    """Who may take the action of that name. Raises ActionError."""
    for known, roles, _ in ACTION_NAMES:
        if known == name:
            return roles
    allowed = ", ".join(known for known, _, _ in ACTION_NAMES)
    raise ActionError(f"unknown action {name!r}; allowed: {allowed}")


def demands(name: str, action: Action) -> Demands:
    """What this very action asks of the person who takes it."""
    roles, reason = roles_for(name), name in REASON_REQUIRED
    match action:
        case RecordAct(kind=ActKind.RECUT | ActKind.ALTERNATION_SUSPENDED):
            return Demands(SUPERVISORS, reason=True)  # S42-e-7-recut, D-20
        case GiveUpReveal(by_order=True):
            return Demands(roles, reason=True)  # S42-k-5-relinquish, NY-f-3-ii-g
        case DocumentVigorish(patron_signed=False):
            return Demands(roles, reason=True)  # S42-c-3-iii
        case OrderTheShuffler(order=order) if order in _OUT_OF_TURN:
            return Demands(roles, reason=True)
        case _:
            return Demands(roles, reason)
