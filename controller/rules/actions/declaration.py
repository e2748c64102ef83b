"""What every action declares beside its values, and what follows from the declarations.

Source: D-32 (dealer for prompts, floorperson for every irregularity).
"""

from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import cache
from typing import Annotated, ClassVar, Final, TypeAlias, TypeVar

from msgspec import Meta, Struct, inspect
from msgspec.structs import replace

from controller.rules.profiles.rule_points import RulePoint
from controller.rules.settlement.wagers import SEAT_MAX
from foundation.message import Message, message
from foundation.recorded_text import PersonId, TypedText


class Role(StrEnum):
    DEALER = "dealer"
    FLOORPERSON = "floorperson"
    PIT_MANAGER = "pit_manager"
    ENGINEER = "engineer"
    SURVEILLANCE = "surveillance"
    INSPECTOR = "inspector"


class Proof(StrEnum):
    """How it is known that a person acts; the name alone, or a badge, is a claim."""

    NONE = "none"  # a claim: not proved
    PIN = "pin"  # by the person's PIN, on this connection
    ACCOUNT = "account"  # by the account of the machine, which is the person's


class Author(Struct, frozen=True):
    """Who changes a table that stands still, by name or id, and how that is known."""

    person: str
    proof: Proof = Proof.NONE


SUPERVISORS: Final = (Role.FLOORPERSON, Role.PIT_MANAGER)
# Who changes settings, and keys and log of a table that stands still.
PIT_MANAGERS: Final = (Role.PIT_MANAGER,)
PEOPLE_AT_THE_TABLE: Final = (Role.DEALER, *SUPERVISORS)
# Who looks after devices without deciding about cards.
PEOPLE_AT_DEVICES: Final = (*PEOPLE_AT_THE_TABLE, Role.ENGINEER)
# Who takes no action at all.
READERS: Final = (Role.SURVEILLANCE, Role.INSPECTOR)

TEXT_LENGTH_MAX: Final = 500
NUMBER_MAX: Final = 10**9
Line: TypeAlias = Annotated[TypedText, Meta(max_length=TEXT_LENGTH_MAX)]
# As a request names a person; in the record it is the person's id.
Person: TypeAlias = Annotated[PersonId, Meta(max_length=TEXT_LENGTH_MAX)]
Number: TypeAlias = Annotated[int, Meta(ge=1, le=NUMBER_MAX)]
Amount: TypeAlias = Annotated[int, Meta(ge=0, le=NUMBER_MAX)]


def described(text: Message) -> Meta:
    """What people may write for a value, where its type alone does not say it."""
    return Meta(extra={"description": text})


_SEAT_WORDS: Final = described(message("value_seat", most=SEAT_MAX))
Seat: TypeAlias = Annotated[int, Meta(ge=1, le=SEAT_MAX), _SEAT_WORDS]
OptionalSeat: TypeAlias = Annotated[int, Meta(ge=0, le=SEAT_MAX), _SEAT_WORDS]
Back: TypeAlias = Annotated[Line, described(message("value_batch"))]
Setting: TypeAlias = Annotated[Line, described(message("value_setting"))]
NewValue: TypeAlias = Annotated[Line, described(message("value_new_value"))]
NoByDefault: TypeAlias = Annotated[bool, described(message("value_yes_or_no"))]


class ActionRequirements(Struct, frozen=True):
    """Who may take an action, and whether it needs a reason."""

    roles: tuple[Role, ...]
    reason: bool


class ActionValues(Struct, frozen=True, forbid_unknown_fields=True):
    """Base of the actions. The tag of an action is its name.

    `roles` may take it; `reason_required`: only with a reason; `points` are the rule points whose
    clauses its record cites, none where they follow from its values or no rule document has any;
    `own_entry`: accepted, it has an entry of its own in the record, which names the person;
    `proof_required`: where accounts are set up, no claim is enough; `details`: what its values
    mean together.
    """

    roles: ClassVar[tuple[Role, ...]]
    reason_required: ClassVar[bool] = False
    points: ClassVar[tuple[RulePoint, ...]] = ()
    own_entry: ClassVar[bool] = False
    proof_required: ClassVar[bool] = False
    details: ClassVar[Message | None] = None

    def requirements(self) -> ActionRequirements:
        """Who may take this action, given its values, and whether it needs a reason."""
        return ActionRequirements(self.roles, self.reason_required)


ActionsT = TypeVar("ActionsT", bound=ActionValues)


def with_persons(action: ActionsT, id_of: Callable[[str], str]) -> ActionsT:
    """The action with the id of each person that its values name."""
    named = ((name, str(getattr(action, name))) for name in _person_fields(type(action)))
    return replace(action, **{name: id_of(person) for name, person in named if person})


def named_persons(action: ActionValues) -> Iterator[tuple[str, str]]:
    """Each person whom the values of an action name, after the name of the value."""
    for name in _person_fields(type(action)):
        if person := str(getattr(action, name)):
            yield name, person


@cache
def _person_fields(kind: type[ActionValues]) -> tuple[str, ...]:
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType), "an action is a struct"
    return tuple(one.name for one in info.fields if _is_person(one.type))


def _is_person(kind: inspect.Type) -> bool:
    return isinstance(kind, inspect.Metadata) and (kind.extra or {}).get("text") == "person"


class ActionError(Exception):
    """A request that is not an action; the message says what is wrong and what is allowed."""


class ActionValue(Struct, frozen=True):
    """One value of an action: its name, its type, and what may stand in it.

    `choices` is a closed set, or empty. `required`: it has no default.
    """

    name: str
    kind: type
    description: Message
    choices: tuple[str, ...]
    required: bool


def name_of(action: ActionValues | type[ActionValues]) -> str:
    """The name of an action, as people and records write it."""
    return str(action.__struct_config__.tag)


def purpose_of(kind: type[ActionValues]) -> Message:
    """What an action is for: the text that is named after it."""
    return Message(f"action_{name_of(kind).replace('-', '_')}")


def values_of(kind: type[ActionValues]) -> Iterator[ActionValue]:
    """The values of an action, in order."""
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType), "an action is a struct"
    for field in info.fields:
        said, base = None, field.type
        if isinstance(base, inspect.Metadata):
            said, base = (base.extra or {}).get("description"), base.type
        if isinstance(base, inspect.UnionType):
            base = base.types[0]
        choices: tuple[str, ...] = ()
        if isinstance(base, inspect.EnumType):
            choices = tuple(member.value for member in base.cls)
        yield ActionValue(
            name=field.encode_name,
            kind=_PLAIN.get(type(base), str),
            description=said or message("listed", parts=choices),
            choices=choices,
            required=field.required,
        )


@cache
def required_texts(kind: type[ActionValues]) -> frozenset[str]:
    """The values of an action that are texts, may not be left out, and so may not be empty."""
    found = values_of(kind)
    return frozenset(
        one.name for one in found if one.required and one.kind is str and not one.choices
    )


_PLAIN: Final = {
    inspect.IntType: int,
    inspect.BoolType: bool,
    inspect.VarTupleType: tuple,
}
