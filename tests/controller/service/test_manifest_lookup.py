"""Manifest look-up: batches of the configuration, and the table's last answers."""

from pathlib import Path
from typing import cast

import pytest

from controller.core.state import Conclusion, CoreState, Stored
from controller.core.tape.entries import BatchBound, Entry
from controller.core.tape.inputs import ManifestGiven
from controller.procedure.effects import Refusal
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.service.manifest_lookup import BY_CONFIGURATION, ManifestLookup
from controller.system.messages.catalogue import to_words
from drivers.shoes.angel_eye_model import ANGEL_EYE_II_EX
from foundation.message import Message, message
from foundation.timestamp import Timestamp

AT = Timestamp(1, 2)
# Nothing here asks it.
BOOK = cast("RuleBook", None)
BOUND = BatchBound("RED-1", "red", 8, 416, bytes(32), "Acme", "Ann Lee", b"", True)
REFUSED = Refusal("bind-batch", message("not_a_batch_name"))
DEALER = message("role_person", role="dealer", person="D. Dealer")


def ignore(_given: ManifestGiven) -> None:
    """No table takes it."""


@pytest.fixture
def lookup(fast_dir: Path) -> ManifestLookup:
    return ManifestLookup(fast_dir, (), lambda: AT, str, ignore, str)


def give_answer(lookup: ManifestLookup, batch: str, named_by: Message, *entries: Entry) -> None:
    """Give the look-up the table's answer about a batch."""
    shoe = ANGEL_EYE_II_EX.build().initial()
    state = CoreState("", None, TableState(), shoe)
    given = ManifestGiven(AT, batch, named_by, b"")
    lookup.stored(Stored((Conclusion(given, entries),), (), AT, state, BOOK))


def answers(lookup: ManifestLookup) -> list[tuple[int, str, str]]:
    return [(one.number, one.batch, one.refused) for one in lookup.answered]


def test_no_batch_is_answered_at_first(lookup: ManifestLookup) -> None:
    assert lookup.answered == ()


def test_answers_of_the_table_are_kept(lookup: ManifestLookup) -> None:
    give_answer(lookup, "RED-1", BY_CONFIGURATION, REFUSED)
    give_answer(lookup, "BLUE-1", BY_CONFIGURATION, BOUND)

    assert answers(lookup) == [(1, "RED-1", to_words(REFUSED.why)), (2, "BLUE-1", "")]


def test_a_batch_bound_by_a_person_removes_earlier_refusals(lookup: ManifestLookup) -> None:
    give_answer(lookup, "GREEN-1", DEALER, REFUSED)
    give_answer(lookup, "RED-1", DEALER, BOUND)

    assert answers(lookup) == [(2, "RED-1", "")]


def test_only_the_last_answers_are_kept(lookup: ManifestLookup) -> None:
    for number in range(9):
        give_answer(lookup, f"RED-{number}", DEALER, REFUSED)

    assert [number for number, _, _ in answers(lookup)] == [6, 7, 8, 9]


def test_a_new_answer_is_announced(fast_dir: Path) -> None:
    shown: list[tuple[int, str, str]] = []
    lookup = ManifestLookup(
        fast_dir, (), lambda: AT, str, ignore, lambda: shown.extend(answers(lookup))
    )
    give_answer(lookup, "RED-1", DEALER, BOUND)

    assert shown == [(1, "RED-1", "")]


def test_configured_batches_are_put_at_once(fast_dir: Path) -> None:
    given: list[ManifestGiven] = []
    lookup = ManifestLookup(fast_dir, (), lambda: AT, str, given.append, str)
    lookup.bind(("RED-0001", "BLUE-0001"))

    assert [(item.batch, item.named_by) for item in given] == [
        ("RED-0001", BY_CONFIGURATION),
        ("BLUE-0001", BY_CONFIGURATION),
    ]
