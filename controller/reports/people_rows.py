"""The persons whom the records of a shoe name: role, how each is known, and what each did.

Source: controller/reports/README.md, "Reports"; controller/journal/README.md, "People".
"""

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from controller.actions.declaration import Proof
from controller.evidence.sealed_shoe import ShoeEntry
from controller.procedure.effects import (
    ActRecord,
    CoupCorrected,
    ResolutionRecorded,
    SettingChanged,
    ShoeEnded,
    WarningClosed,
)
from controller.reports.shoes import ReportedShoe
from controller.tape.entries import CardSetApart
from controller.views.people import proof_words


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
        for person, role, proof, act in _acts(one):
            made.setdefault((person, role, proof_words(proof)), Counter())[act] += 1
    return tuple(PersonRow(*who, acts=_acts_text(acts)) for who, acts in made.items())


def _acts_text(acts: Counter[str]) -> str:
    return ", ".join(f"{act} ({count} times)" if count > 1 else act for act, count in acts.items())


def _acts(one: ShoeEntry) -> Iterator[tuple[str, str, Proof, str]]:
    """Person, role, proof and act, of the person who acted and of the second one."""
    second = ""
    match one.entry:
        case ActRecord(what=what, person=person):
            act = what.replace("-", " ").replace("_", " ")
        case ResolutionRecorded(person=person, decision=decision, second=second):
            act = f"decided: {decision.value.replace('-', ' ').replace('_', ' ')}"
        case CoupCorrected(person=person, second=second, coup=coup):
            act = f"corrected coup {coup}"
        case SettingChanged(person=person, setting=setting):
            act = f"changed {setting}"
        case WarningClosed(person=person, number=number):
            act = f"cleared warning {number}"
        case CardSetApart(person=person):
            act = "set a card apart"
        case ShoeEnded(person=person) if person:
            act = "closed the shoe"
        case _:
            return
    action = one.action
    role = action.role.value.replace("_", " ") if action is not None else ""
    yield person, role, action.proof if action is not None else Proof.NONE, act
    if second:
        proof = action.second_proof if action is not None else Proof.NONE
        yield second, "second person", proof, act
