"""The persons whom the records of a shoe name: role, how each is known, and what each did.

Role and proof are those of the action, and of the person who took it alone; whom the action names
beside that person, such as the dealer of a form, is named and not proved.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from controller.core.tape.entries import CardSetApart
from controller.procedure.effects import (
    ActRecord,
    CoupCorrected,
    ResolutionRecorded,
    SettingChanged,
    ShoeEnded,
    WarningClosed,
)
from controller.record.people import proof_words
from controller.rules.actions.declaration import named_persons
from office.evidence.sealed_shoe import ShoeEntry
from office.reports.shoes import ReportedShoe

_NAMED: Final = "named"
# The value of an action in which a second person acts, too; how is in `second_proof`.
_SECOND: Final = "second"


class PersonRow(Struct, frozen=True):
    """A person in one role, known in one way. `person` is an id; `acts` says what and how often."""

    person: str
    role: str
    known: str
    acts: str


def people_rows(shoe: ReportedShoe) -> tuple[PersonRow, ...]:
    """A row for each person, role and proof, in order of their first act."""
    made: dict[tuple[str, str, str], Counter[str]] = {}
    for one in (*shoe.shoe.entries, *shoe.shoe.later):
        for person, role, known, act in act_rows(one):
            made.setdefault((person, role, known), Counter())[act] += 1
    return tuple(PersonRow(*who, acts=_acts_text(acts)) for who, acts in made.items())


def _acts_text(acts: Counter[str]) -> str:
    return ", ".join(f"{act} ({count} times)" if count > 1 else act for act, count in acts.items())


def act_rows(one: ShoeEntry) -> Iterator[tuple[str, str, str, str]]:
    """Person, role, how known and act, of the person who acted and of those whom the act names."""
    match one.entry:
        case ActRecord(what=what, person=person) if person:
            act = what.replace("-", " ").replace("_", " ")
        case ResolutionRecorded(person=person, decision=decision):
            act = f"decided: {decision.value.replace('-', ' ').replace('_', ' ')}"
        case CoupCorrected(person=person, coup=coup):
            act = f"corrected coup {coup}"
        case SettingChanged(person=person, setting=setting):
            act = f"changed {setting}"
        case WarningClosed(person=person, number=number):
            act = f"cleared warning {number}"
        case CardSetApart(person=person):
            act = "set a card apart"
        case ShoeEnded(person=person) if person:
            yield *_actor(one, person), "closed the shoe"
            return
        case _:
            return
    yield *_actor(one, person), act
    if one.action is not None:
        for value, named in named_persons(one.action.action):
            if value == _SECOND:
                yield named, "second person", proof_words(one.action.second_proof), act
            else:
                yield named, value.replace("_", " "), _NAMED, act


def _actor(one: ShoeEntry, recorded: str) -> tuple[str, str, str]:
    """The person who acted; where no action is on record, the person in the entry is named."""
    action = one.action
    if action is None:
        return recorded, "", _NAMED
    return action.person, action.role.value.replace("_", " "), proof_words(action.proof)
