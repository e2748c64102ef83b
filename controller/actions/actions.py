"""Every action that people can take at a table, declared once: values, bounds, roles, purpose.

Source: D-32 (dealer for prompts, floorperson for every irregularity); controller/actions/README.md.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, ClassVar, Final, Generic, TypeAlias, TypeVar, get_args

from msgspec import Meta, Struct
from msgspec.structs import force_setattr

from controller.actions.choices import ActKind, FloorDecision, LayoutPart, Provisional
from controller.actions.declaration import (
    EVERYBODY,
    NUMBER_MAX,
    PEOPLE_AT_THE_TABLE,
    SUPERVISORS,
    ActionError,
    ActionRequirements,
    ActionValues,
    Amount,
    Back,
    Line,
    NewValue,
    NoByDefault,
    Number,
    OptionalSeat,
    Person,
    Role,
    Seat,
    Setting,
    described,
    name_of,
)
from controller.profiles.rule_points import RulePoint
from controller.rules.hands import HandName
from controller.rules.outcome import Outcome
from controller.settlement.wagers import Wager
from drivers.commands import ShufflerOrder
from firmware_bridge.recorded_text import Identifier, PersonId, TypedText
from firmware_bridge.timestamp import Timestamp


class Resolution(ActionValues, frozen=True, tag="resolve"):
    """Decide on the open irregularities.

    `provisional` is required when cards were dealt while suspended, `outcome` when a person states
    the outcome of a partial coup, `second` the second person where the coup is made void against a
    prescribed remedy (D-43).
    """

    roles: ClassVar = SUPERVISORS
    reason_required: ClassVar = True
    own_entry: ClassVar = True

    decision: FloorDecision
    provisional: Annotated[
        Provisional | None, described("cards dealt while suspended: take-over, void")
    ] = None
    outcome: Annotated[Outcome | None, described("with state-outcome: player, banker, tie")] = None
    second: Annotated[
        Person, described("who decides with you, where the rule prescribes the remedy")
    ] = ""


class CloseShoe(ActionValues, frozen=True, tag="close-shoe"):
    """End the shoe early (dead table, early change)."""

    roles: ClassVar = SUPERVISORS
    reason_required: ClassVar = True
    points: ClassVar = (RulePoint.DEAD_TABLE,)


class CallNoMoreBets(ActionValues, frozen=True, tag="no-more-bets"):
    """Record that "no more bets" was called."""

    roles: ClassVar = PEOPLE_AT_THE_TABLE


class DeclareResult(ActionValues, frozen=True, tag="declare-result"):
    """Declare the result of the coup.

    At a table whose shoe has no buttons for it.
    """

    roles: ClassVar = PEOPLE_AT_THE_TABLE

    outcome: Outcome
    player_pair: NoByDefault = False
    banker_pair: NoByDefault = False


class BindBatch(ActionValues, frozen=True, tag="bind-batch"):
    """Track the cards of a batch by its manifest.

    The batch of that name is at the table.
    """

    roles: ClassVar = SUPERVISORS

    batch: Annotated[
        Line,
        described("the batch's name, the text of its bar code, such as RED-0001"),
    ]


class SetCardApart(ActionValues, frozen=True, tag="set-card-apart"):
    """Set a damaged or foreign card apart; its batch is blocked.

    `batch` is its back colour; `tag` its identity in capitals, empty if it cannot be read. The
    batch is blocked until it is bound again.
    """

    roles: ClassVar = SUPERVISORS
    reason_required: ClassVar = True

    batch: Back
    tag: Annotated[
        Line,
        described("the card's identity in hexadecimal; omit it if it cannot be read"),
    ] = ""

    def __post_init__(self) -> None:
        force_setattr(self, "tag", self.tag.upper())


class LockShoe(ActionValues, frozen=True, tag="lock-shoe"):
    """Lock the shoe's exit."""

    roles: ClassVar = SUPERVISORS
    reason_required: ClassVar = True


class UnlockShoe(ActionValues, frozen=True, tag="unlock-shoe"):
    """Unlock the shoe's exit."""

    roles: ClassVar = SUPERVISORS
    reason_required: ClassVar = True


class ClearShoeError(ActionValues, frozen=True, tag="clear-shoe-error"):
    """Clear an error of the shoe."""

    roles: ClassVar = SUPERVISORS
    reason_required: ClassVar = True

    code: Annotated[int, Meta(ge=1, le=99), described("the error's number, 1 to 99")]


class GiveShufflerOrder(ActionValues, frozen=True, tag="order-shuffler"):
    """Give the shuffler an order.

    `compartment` is 1 or 2, or 0 if the order is for the whole device or if `batch` names the back
    of the batch in the compartment.
    """

    # [shuffler] orders in table.toml says which role may give which order.
    roles: ClassVar = EVERYBODY

    order: ShufflerOrder
    compartment: Annotated[
        int,
        Meta(ge=0, le=2),
        described("1 or 2; default: the compartment of the batch, or the whole device"),
    ] = 0
    batch: Back = ""

    def requirements(self) -> ActionRequirements:
        """A reason for orders that interrupt the shuffler or take it out of play."""
        interrupting = (ShufflerOrder.ABORT, ShufflerOrder.SERVICE, ShufflerOrder.SORT)
        return ActionRequirements(self.roles, reason=self.order in interrupting)


class ClearWarning(ActionValues, frozen=True, tag="clear-warning"):
    """Clear a warning of the shuffler: play may go on."""

    roles: ClassVar = SUPERVISORS
    reason_required: ClassVar = True

    number: Annotated[Number, described("the warning's number, as `smartshoe status` shows it")]


class RecordAct(ActionValues, frozen=True, tag="record", rename={"kind": "act"}):
    """Record an act that was done or seen.

    `batch` is a back colour where the act concerns a batch, `seat` a seat (0 for none), `amount` a
    number of cards or cents, `second` the person who confirmed it.
    """

    roles: ClassVar = EVERYBODY

    kind: ActKind
    batch: Back = ""
    seat: OptionalSeat = 0
    amount: Annotated[
        Amount,
        described("a number of cards, the depth of a cut, or a verbal wager in cents"),
    ] = 0
    reference: Annotated[
        Line, described("the number of a form, receipt or approval; seats; any text")
    ] = ""
    second: Annotated[Person, described("the person who confirmed it")] = ""

    def requirements(self) -> ActionRequirements:
        """A supervisor's with a reason: a re-cut (S42-e-7-recut), alternation suspended (D-20)."""
        if self.kind in (ActKind.RECUT, ActKind.ALTERNATION_SUSPENDED):
            return ActionRequirements(SUPERVISORS, reason=True)
        return ActionRequirements(self.roles, reason=False)


class ReportTurned(ActionValues, frozen=True, tag="turned"):
    """Report that cards were turned up."""

    roles: ClassVar = PEOPLE_AT_THE_TABLE

    what: LayoutPart


class ReportFaceUp(ActionValues, frozen=True, tag="found-face-up"):
    """Report that the last card lay face up in the shoe."""

    roles: ClassVar = PEOPLE_AT_THE_TABLE
    points: ClassVar = (RulePoint.FOUND_FACE_UP,)


class GiveUpReveal(ActionValues, frozen=True, tag="give-up"):
    """Record that a patron gives up turning a hand, or has to."""

    roles: ClassVar = PEOPLE_AT_THE_TABLE
    points: ClassVar = (RulePoint.REVEAL_RIGHT, RulePoint.REVEAL_TURN, RulePoint.REVEAL_DEALER)

    hand: HandName
    by_order: Annotated[
        bool,
        described("yes: taken away by order, with a reason; no: given up; default: no"),
    ] = False

    def requirements(self) -> ActionRequirements:
        """An order needs a reason (S42-k-5-relinquish, NY-f-3-ii-g)."""
        return ActionRequirements(self.roles, reason=self.by_order)


class RequestGhostHand(ActionValues, frozen=True, tag="ghost-hand"):
    """Have the next coup dealt as a ghost hand."""

    roles: ClassVar = PEOPLE_AT_THE_TABLE
    points: ClassVar = (RulePoint.GHOST_HAND, RulePoint.GHOST_NO_WAGER, RulePoint.GHOST_MAX)


class StateWagers(ActionValues, frozen=True, tag="wagers"):
    """State every wager on the layout now."""

    roles: ClassVar = PEOPLE_AT_THE_TABLE
    points: ClassVar = (RulePoint.WAGERS_LISTED, RulePoint.WAGER_MEDIUM)

    wagers: Annotated[
        tuple[Wager, ...],
        Meta(max_length=500),
        described("SEAT:WAGER:AMOUNT,... such as 5:banker:100.00,3:tie:25; @FILE.csv; none"),
    ]


class CollectVigorish(ActionValues, frozen=True, tag="collect-vigorish"):
    """Record that a seat's vigorish was collected."""

    roles: ClassVar = PEOPLE_AT_THE_TABLE

    seat: Seat


class DocumentVigorish(ActionValues, frozen=True, tag="document-vigorish"):
    """Document vigorish that will not be collected.

    `void`: the form was voided, and nothing is waived.
    """

    roles: ClassVar = SUPERVISORS

    seat: Seat
    form_number: Annotated[Number, described(f"the number of the form, 1 to {NUMBER_MAX}")]
    patron: Annotated[Person, described("the patron's name")]
    dealer: Annotated[Person, described("the dealer's name")]
    pit_clerk: Annotated[Person, described("the pit clerk's name")]
    patron_signed: Annotated[bool, described("yes; or no, with a reason; default: yes")] = True
    void: NoByDefault = False

    def requirements(self) -> ActionRequirements:
        """A form that the patron did not sign needs a reason (S42-c-3-iii)."""
        return ActionRequirements(self.roles, reason=not self.patron_signed)


class VacateSeat(ActionValues, frozen=True, tag="seat-vacated"):
    """Record that the patron of a seat left."""

    roles: ClassVar = PEOPLE_AT_THE_TABLE

    seat: Seat


class GiveNotice(ActionValues, frozen=True, tag="notice"):
    """Record notice of a coming change of a setting."""

    roles: ClassVar = SUPERVISORS

    setting: Setting
    value: NewValue
    to: Annotated[
        Line,
        described("who was notified, such as players, commission or surveillance"),
    ]


class ChangeSetting(ActionValues, frozen=True, tag="change-setting"):
    """Change a setting of the profile at this table."""

    roles: ClassVar = SUPERVISORS
    reason_required: ClassVar = True

    setting: Setting
    value: NewValue


class CorrectCoup(ActionValues, frozen=True, tag="correct-coup"):
    """Correct the outcome of a counted coup, with a second person.

    `second` is the other person who decides it; `shoe` the number of its shoe on this gaming day, 0
    for the shoe at the table.
    """

    roles: ClassVar = SUPERVISORS
    reason_required: ClassVar = True
    own_entry: ClassVar = True

    coup: Annotated[Number, described("the number of the coup")]
    outcome: Annotated[Outcome, described("the outcome that is right: player, banker, tie")]
    second: Annotated[Person, described("the other person who decides it")]
    shoe: Annotated[Amount, described("the number of its shoe; default: the shoe at the table")] = 0


# For a device alone: not judged by the procedure.
DeviceAction: TypeAlias = LockShoe | UnlockShoe | ClearShoeError | GiveShufflerOrder
# In the order in which they are listed.
Action: TypeAlias = (
    Resolution
    | CloseShoe
    | CallNoMoreBets
    | DeclareResult
    | BindBatch
    | SetCardApart
    | DeviceAction
    | ClearWarning
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
)
# Every action by its name.
ACTIONS: Final[Mapping[str, type[Action]]] = MappingProxyType(
    {name_of(kind): kind for kind in get_args(Action)}
)
ActionT = TypeVar("ActionT", bound=Action, covariant=True)


class OperatorAction(Struct, Generic[ActionT], frozen=True, tag="operator-action"):
    """A person's action. `identified_by` says how the person is known, such as "uid-1000"."""

    at: Timestamp
    person: PersonId
    role: Role
    identified_by: Identifier
    action: ActionT
    reason: TypedText


def action_named(name: str) -> type[Action]:
    """The action of that name. Raises ActionError if there is none."""
    if name not in ACTIONS:
        raise ActionError(
            f"ACTION: {name!r} is not an action. Allowed: {', '.join(ACTIONS)}. Remedy:"
            " `smartshoe act --list` shows what each does"
        )
    return ACTIONS[name]
