"""Every action that people can take at a table, declared once: values, bounds, roles, purpose.

Source: D-32 (dealer for prompts, floorperson for every irregularity).
"""

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Annotated, ClassVar, Final, Generic, TypeAlias, TypeVar, get_args

from msgspec import Meta, Struct
from msgspec.structs import force_setattr

from controller.rules.actions.choices import ActKind, FloorDecision, LayoutPart, Provisional
from controller.rules.actions.declaration import (
    NUMBER_MAX,
    PEOPLE_AT_DEVICES,
    PEOPLE_AT_THE_TABLE,
    PIT_MANAGERS,
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
    Proof,
    Role,
    Seat,
    Setting,
    described,
    name_of,
)
from controller.rules.hands import HandName
from controller.rules.outcome import Outcome
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.settlement.vigorish_ledger import COLLECTED_POINTS, DOCUMENTED_POINTS
from controller.rules.settlement.wagers import Wager
from drivers.commands import ShufflerOrder
from foundation.message import message
from foundation.recorded_text import Identifier, PersonId, TypedText
from foundation.timestamp import Timestamp


class Resolution(ActionValues, frozen=True, tag="resolve"):
    """Decide on the open irregularities.

    `provisional` is required when cards were dealt while suspended, `outcome` when a person states
    the outcome of a partial coup, `second` the second person where the coup is made void against a
    prescribed remedy (D-43).
    """

    details: ClassVar = message("action_resolve_values")
    roles: ClassVar = SUPERVISORS
    reason_required: ClassVar = True
    own_entry: ClassVar = True

    decision: FloorDecision
    provisional: Annotated[Provisional | None, described(message("value_resolve_provisional"))] = (
        None
    )
    outcome: Annotated[Outcome | None, described(message("value_resolve_outcome"))] = None
    second: Annotated[Person, described(message("value_resolve_second"))] = ""


class CloseShoe(ActionValues, frozen=True, tag="close-shoe"):
    """End the shoe early (dead table, early change)."""

    roles: ClassVar = SUPERVISORS
    reason_required: ClassVar = True
    points: ClassVar = (RulePoint.DEAD_TABLE,)


class CallNoMoreBets(ActionValues, frozen=True, tag="no-more-bets"):
    """Record that "no more bets" was called."""

    roles: ClassVar = PEOPLE_AT_THE_TABLE
    points: ClassVar = (RulePoint.NO_MORE_BETS,)


class DeclareResult(ActionValues, frozen=True, tag="declare-result"):
    """Declare the result of the coup, at a table whose shoe has no buttons for it."""

    details: ClassVar = message("action_declare_result_values")
    roles: ClassVar = PEOPLE_AT_THE_TABLE
    points: ClassVar = (RulePoint.RESULT_CALLED, RulePoint.WINNER_DECLARED)

    outcome: Outcome
    player_pair: NoByDefault = False
    banker_pair: NoByDefault = False


class BindBatch(ActionValues, frozen=True, tag="bind-batch"):
    """Track the cards of a batch by its manifest.

    The batch of that name is at the table.
    """

    details: ClassVar = message("action_bind_batch_values")
    roles: ClassVar = SUPERVISORS
    points: ClassVar = (RulePoint.BATCH_ONE_BACK, RulePoint.BATCH_EQUAL)

    batch: Annotated[Line, described(message("value_bind_batch_batch"))]


class SetCardApart(ActionValues, frozen=True, tag="set-card-apart"):
    """Set a damaged or foreign card apart; its batch is blocked.

    `batch` is its back colour; `tag` its identity in capitals, empty if it cannot be read. The
    batch is blocked until it is bound again.
    """

    details: ClassVar = message("action_set_card_apart_values")
    roles: ClassVar = SUPERVISORS
    reason_required: ClassVar = True
    points: ClassVar = (RulePoint.DECKS_COUNT,)

    batch: Back
    tag: Annotated[Line, described(message("value_set_card_apart_tag"))] = ""

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

    roles: ClassVar = (*SUPERVISORS, Role.ENGINEER)
    reason_required: ClassVar = True

    code: Annotated[int, Meta(ge=1, le=99), described(message("value_clear_shoe_error_code"))]


class GiveShufflerOrder(ActionValues, frozen=True, tag="order-shuffler"):
    """Give the shuffler an order.

    `compartment` is 1 or 2, or 0 if the order is for the whole device or if `batch` names the back
    of the batch in the compartment.
    """

    # [shuffler] orders in table.toml says which role may give which order.
    details: ClassVar = message("action_order_shuffler_values")
    roles: ClassVar = PEOPLE_AT_DEVICES

    order: ShufflerOrder
    compartment: Annotated[
        int,
        Meta(ge=0, le=2),
        described(message("value_order_shuffler_compartment")),
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

    number: Annotated[Number, described(message("value_clear_warning_number"))]


class RecordAct(ActionValues, frozen=True, tag="record", rename={"kind": "act"}):
    """Record an act that was done or seen.

    `batch` is a back colour where the act concerns a batch, `seat` a seat (0 for none), `amount` a
    number of cards or cents, `second` the person who confirmed it.
    """

    details: ClassVar = message("action_record_values")
    roles: ClassVar = PEOPLE_AT_THE_TABLE

    kind: ActKind
    batch: Back = ""
    seat: OptionalSeat = 0
    amount: Annotated[Amount, described(message("value_record_amount"))] = 0
    reference: Annotated[Line, described(message("value_record_reference"))] = ""
    second: Annotated[Person, described(message("value_record_second"))] = ""

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
    by_order: Annotated[bool, described(message("value_give_up_by_order"))] = False

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
        described(message("value_wagers_wagers")),
    ]


class CollectVigorish(ActionValues, frozen=True, tag="collect-vigorish"):
    """Record that a seat's vigorish was collected."""

    roles: ClassVar = PEOPLE_AT_THE_TABLE
    points: ClassVar = COLLECTED_POINTS

    seat: Seat


class DocumentVigorish(ActionValues, frozen=True, tag="document-vigorish"):
    """Document vigorish that will not be collected.

    `void`: the form was voided, and nothing is waived.
    """

    details: ClassVar = message("action_document_vigorish_values")
    roles: ClassVar = SUPERVISORS
    points: ClassVar = DOCUMENTED_POINTS

    seat: Seat
    form_number: Annotated[
        Number, described(message("value_document_vigorish_form_number", most=NUMBER_MAX))
    ]
    patron: Annotated[Person, described(message("value_document_vigorish_patron"))]
    dealer: Annotated[Person, described(message("value_document_vigorish_dealer"))]
    pit_clerk: Annotated[Person, described(message("value_document_vigorish_pit_clerk"))]
    patron_signed: Annotated[bool, described(message("value_document_vigorish_patron_signed"))] = (
        True
    )
    void: NoByDefault = False

    def requirements(self) -> ActionRequirements:
        """A form that the patron did not sign needs a reason (S42-c-3-iii)."""
        return ActionRequirements(self.roles, reason=not self.patron_signed)


class SignDealerOn(ActionValues, frozen=True, tag="dealer-on"):
    """Sign on as a dealer of this table."""

    roles: ClassVar = PEOPLE_AT_THE_TABLE
    proof_required: ClassVar = True


class SignDealerOff(ActionValues, frozen=True, tag="dealer-off"):
    """Sign off as a dealer of this table; `dealer` is another who leaves."""

    roles: ClassVar = PEOPLE_AT_THE_TABLE
    proof_required: ClassVar = True

    dealer: Annotated[Person, described(message("value_dealer_off_dealer"))] = ""

    def requirements(self) -> ActionRequirements:
        """Another person is signed off by a supervisor."""
        return ActionRequirements(SUPERVISORS if self.dealer else self.roles, reason=False)


class VacateSeat(ActionValues, frozen=True, tag="seat-vacated"):
    """Record that the patron of a seat left."""

    roles: ClassVar = PEOPLE_AT_THE_TABLE

    seat: Seat


class GiveNotice(ActionValues, frozen=True, tag="notice", omit_defaults=True):
    """Record notice of a coming change of a setting."""

    roles: ClassVar = SUPERVISORS

    setting: Setting
    value: NewValue
    to: Annotated[Line, described(message("value_notice_to"))]
    reference: Annotated[Line, described(message("value_notice_reference"))] = ""


class ChangeSetting(ActionValues, frozen=True, tag="change-setting", omit_defaults=True):
    """Change a setting of the profile at this table; `pit`: its pit has the new value."""

    roles: ClassVar = PIT_MANAGERS
    reason_required: ClassVar = True

    setting: Setting
    value: NewValue
    pit: Annotated[Line, described(message("value_change_setting_pit"))] = ""


class CorrectCoup(ActionValues, frozen=True, tag="correct-coup"):
    """Correct the outcome of a counted coup, with a second person.

    `second` is the other person who decides it; `shoe` the number of its shoe on this gaming day, 0
    for the shoe at the table.
    """

    details: ClassVar = message("action_correct_coup_values")
    roles: ClassVar = SUPERVISORS
    reason_required: ClassVar = True
    own_entry: ClassVar = True

    coup: Annotated[Number, described(message("value_correct_coup_coup"))]
    outcome: Annotated[Outcome, described(message("value_correct_coup_outcome"))]
    second: Annotated[Person, described(message("value_correct_coup_second"))]
    shoe: Annotated[Amount, described(message("value_correct_coup_shoe"))] = 0


class SetGamingDay(ActionValues, frozen=True, tag="set-gaming-day"):
    """State which gaming day it is: after a jump of the clock, or where the day is wrong.

    `day` is the day that the machine's clock gives, as YYYY-MM-DD.
    """

    details: ClassVar = message("action_set_gaming_day_values")
    roles: ClassVar = SUPERVISORS
    reason_required: ClassVar = True
    own_entry: ClassVar = True

    day: Annotated[Line, described(message("value_set_gaming_day_day"))]


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
    | SignDealerOn
    | SignDealerOff
    | VacateSeat
    | GiveNotice
    | ChangeSetting
    | CorrectCoup
    | SetGamingDay
)
# Every action by its name.
ACTIONS: Final[Mapping[str, type[Action]]] = MappingProxyType(
    {name_of(kind): kind for kind in get_args(Action)}
)
ActionT = TypeVar("ActionT", bound=Action, covariant=True)


class OperatorAction(
    Struct, Generic[ActionT], frozen=True, tag="operator-action", omit_defaults=True
):
    """A person's action, from the account of the machine `identified_by`, such as "uid-1000".

    `proof`: how it is known who acted; `second_proof`: the same of the second person, if any.
    """

    at: Timestamp
    person: PersonId
    role: Role
    identified_by: Identifier
    action: ActionT
    reason: TypedText
    proof: Proof = Proof.NONE
    second_proof: Proof = Proof.NONE


def action_named(name: str) -> type[Action]:
    """The action of that name. Raises ActionError if there is none."""
    if name not in ACTIONS:
        near = get_close_matches(name, ACTIONS, n=1)
        raise ActionError(
            f"ACTION: {name!r} is not an action. Allowed: {', '.join(ACTIONS)}. Remedy:"
            + (
                f" did you mean {near[0]}?"
                if near
                else " `smartshoe act --list` shows what each does"
            )
        )
    return ACTIONS[name]
