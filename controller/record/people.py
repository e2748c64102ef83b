"""The people at a table in a snapshot, and in words: how each is known, and what each decided."""

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from controller.procedure.effects import CoupCorrected, ResolutionRecorded
from controller.procedure.state import StaffState
from controller.record.snapshot_devices import DecidedView, PeopleView
from controller.rules.actions.declaration import Proof
from controller.system.messages.catalogue import to_words
from foundation.message import Message, message

_PROOFS: Final[Mapping[Proof, Message]] = MappingProxyType(
    {
        Proof.NONE: message("person_not_proved"),
        Proof.PIN: message("person_proved_by_pin"),
        Proof.ACCOUNT: message("person_proved_by_account"),
    }
)
_NO_ACCOUNTS: Final = message("no_accounts_nobody_proved")


def proof_words(proof: Proof) -> str:
    """How it is known who somebody is."""
    return to_words(_PROOFS[proof])


def no_accounts_words() -> str:
    """The remark where no person has an account."""
    return to_words(_NO_ACCOUNTS)


def author_words(name: str, proof: Proof) -> str:
    """A person by name, and how it is known that it is that person."""
    return to_words(message("person_and_proof", person=name, proof=_PROOFS[proof]))


def people_view(staff: StaffState, accounts: int) -> PeopleView:
    """Dealers and decisions of the shoe; `accounts` is how many persons have one."""
    return PeopleView(
        accounts=accounts,
        remark="" if accounts else no_accounts_words(),
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
