"""The people of a report: role and proof are the action's, and of the person who took it alone."""

from collections.abc import Iterator

import pytest
from msgspec import inspect

from controller.core.tape.entries import Entry
from controller.procedure.effects import ActRecord
from controller.record.people import proof_words
from controller.rules.actions.actions import (
    ACTIONS,
    Action,
    CorrectCoup,
    DocumentVigorish,
    OperatorAction,
    Resolution,
    SignDealerOff,
)
from controller.rules.actions.declaration import Proof, Role, name_of, named_persons
from foundation.message import Message
from foundation.timestamp import Timestamp
from office.evidence.sealed_shoe import ShoeEntry
from office.evidence.timeline import entry_lines
from office.reports.people_rows import act_rows

ACTOR = "person-boss"


def example_of(kind: type[Action]) -> Action:
    """The action with a value in each field, and another person in each that names one."""
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    return kind(**{one.name: _example(one.name, one.type) for one in info.fields})


def _example(name: str, kind: inspect.Type) -> object:
    match kind:
        case inspect.Metadata(type=inner, extra=extra):
            return (
                f"person-{name}" if (extra or {}).get("text") == "person" else _example(name, inner)
            )
        case inspect.UnionType(types=types):
            return _example(name, types[0])
        case inspect.EnumType(cls=cls):
            return next(iter(cls))
        case inspect.BoolType():
            return True
        case inspect.IntType():
            return 1
        case inspect.StrType():
            return "typed"
        case inspect.VarTupleType():
            return ()
        case _:
            raise AssertionError(f"{name}: a type that no action had before: {kind}")


def recorded(action: Action, entry: Entry) -> ShoeEntry:
    """An entry that follows from the action, which its person took by PIN."""
    act = OperatorAction(
        *(Timestamp(0, 0), ACTOR, Role.PIT_MANAGER, "uid-7", action, "seen"),
        proof=Proof.PIN,
        second_proof=Proof.ACCOUNT,
    )
    return ShoeEntry(2, 1, 0, act, entry, b"")


def entries_of(action: Action) -> Iterator[ShoeEntry]:
    """The act's entry, whoever of its persons the record names: earlier versions named others."""
    for person in (ACTOR, *(named for _, named in named_persons(action))):
        yield recorded(action, ActRecord(name_of(action), person, Message("listed"), ()))


@pytest.mark.parametrize("name", ACTIONS)
def test_role_and_proof_are_those_of_the_action_and_of_its_person_alone(name: str) -> None:
    action = example_of(ACTIONS[name])
    for entry in entries_of(action):
        assert entry.action is not None
        by_person = {person: (role, known) for person, role, known, _ in act_rows(entry)}
        proven = (entry.action.role.value.replace("_", " "), proof_words(entry.action.proof))
        assert by_person.pop(ACTOR) == proven
        if second := getattr(action, "second", ""):
            assert by_person.pop(second) == ("second person", proof_words(Proof.ACCOUNT))
        assert {known for _, known in by_person.values()} <= {"named"}
        assert by_person.keys() <= {named for _, named in named_persons(action)}


@pytest.mark.parametrize("name", ACTIONS)
def test_a_sentence_gives_role_and_proof_to_the_same_person(name: str) -> None:
    for entry in entries_of(example_of(ACTIONS[name])):
        (line,) = entry_lines(entry)
        assert line.text.startswith(f"{ACTOR} (pit manager, proved by PIN, identified by uid-7)")
        assert line.text.count("proved") == 1


def test_the_form_of_vigorish_names_clerk_dealer_and_patron() -> None:
    action = example_of(DocumentVigorish)
    clerk = ActRecord(name_of(action), "person-pit_clerk", Message("listed"), ())

    assert list(act_rows(recorded(action, clerk))) == [
        (ACTOR, "pit manager", "proved by PIN", "document vigorish"),
        ("person-patron", "patron", "named", "document vigorish"),
        ("person-dealer", "dealer", "named", "document vigorish"),
        ("person-pit_clerk", "pit clerk", "named", "document vigorish"),
    ]


def test_a_dealer_signed_off_by_another_is_named() -> None:
    action = SignDealerOff("person-dee")
    signed_off = ActRecord("dealer-off", "person-dee", Message("listed"), ())

    assert list(act_rows(recorded(action, signed_off))) == [
        (ACTOR, "pit manager", "proved by PIN", "dealer off"),
        ("person-dee", "dealer", "named", "dealer off"),
    ]


def test_an_account_that_was_changed_is_of_a_person_who_is_named() -> None:
    changed = ActRecord("account", "person-ann", Message("listed"), ())

    assert list(act_rows(ShoeEntry(2, 1, 0, None, changed, b""))) == [
        ("person-ann", "", "named", "account")
    ]


def test_what_nobody_did_has_no_row() -> None:
    borne = ActRecord("complimentary-vigorish", "", Message("listed"), ())

    assert list(act_rows(recorded(SignDealerOff(), borne))) == []


def test_the_second_person_is_named_for_every_action_that_has_one() -> None:
    having = {kind for kind in ACTIONS.values() if "second" in kind.__struct_fields__}

    assert {Resolution, CorrectCoup} <= having
