"""The people at a table in a snapshot, and in words: how each is known, and what each decided.

Source: controller/accounts/README.md; controller/views/README.md, "Snapshot".
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from controller.actions.declaration import Proof
from controller.procedure.effects import CoupCorrected, ResolutionRecorded
from controller.procedure.states.staff import StaffState
from controller.views.snapshot_devices import DecidedView, PeopleView

PROOF_WORDS: Final[Mapping[Proof, str]] = MappingProxyType(
    {
        Proof.NONE: "not proved",
        Proof.PIN: "proved by PIN",
        Proof.ACCOUNT: "proved by the account of the machine",
    }
)
NOT_PROVED: Final = "no accounts are set up: who acts is not proved"


def author_words(name: str, proof: Proof) -> str:
    """A person by name, and how it is known that it is that person."""
    return f"{name} ({PROOF_WORDS[proof]})"


def people_view(staff: StaffState, accounts: int) -> PeopleView:
    """Dealers and decisions of the shoe; `accounts` is how many persons have one."""
    return PeopleView(
        accounts=accounts,
        remark="" if accounts else NOT_PROVED,
        dealers=staff.dealers,
        decided=tuple(DecidedView(one.person, one.decision, one.count) for one in staff.decisions),
    )


def decisions_made(entries: Iterable[object]) -> tuple[tuple[str, str, int], ...]:
    """Person, kind and number of the decisions among the entries of a shoe."""
    made: Counter[tuple[str, str]] = Counter()
    for one in entries:
        if isinstance(one, ResolutionRecorded):
            made[one.person, one.decision.value] += 1
        elif isinstance(one, CoupCorrected):
            made[one.person, "correct-coup"] += 1
    return tuple((person, decision, count) for (person, decision), count in made.items())
