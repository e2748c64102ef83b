"""Whether one person voids, repeats or corrects more coups than the table does without them.

Hypothesis of chance: one rate for all coups, whoever is at the table, whatever that rate is. The
evidence is the likelihood of the counts where the person has a rate of their own (each rate spread
by a Beta(1, 99)) over the most likely single rate; by universal inference it exceeds R with a
chance of at most 1 in R, however often one looks. Counts begin again after `PERIOD_SHOES`; others,
with a share of their own, after `MONTHS_SHOES`.
"""

from collections.abc import Iterator
from math import factorial, prod
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.monitors.budget import BUDGET_SHOES, PARTS, SHARES, log2_of
from controller.rules.advisory import AdvisoryKind, PersonEvidence
from foundation.recorded_text import Identifier, PersonId

PERIOD_SHOES: Final = 200
# A year and more of a table.
MONTHS_SHOES: Final = 6_000
# More are not counted: each person tested takes a part of the share.
PEOPLE_MAX: Final = 64
# Beta(1, 99): an act in a hundred coups.
_PRIOR_WITHOUT: Final = 99
_TESTS_OF_A_PERSON: Final = 2


def _limit_log2(kind: AdvisoryKind, shoes: int) -> int:
    """One in so many is what a period of shoes, each with its share, leaves to each test."""
    tests = _TESTS_OF_A_PERSON * PEOPLE_MAX
    return log2_of(tests * BUDGET_SHOES * PARTS // (shoes * SHARES[kind]) + 1)


LIMIT_LOG2: Final = _limit_log2(AdvisoryKind.PERSON, PERIOD_SHOES)
MONTHS_LIMIT_LOG2: Final = _limit_log2(AdvisoryKind.PERSON_MONTHS, MONTHS_SHOES)


class PersonCount(Struct, frozen=True):
    """A person in this period.

    `coups` were dealt with them at the table; in `present_acted` of these somebody acted, in
    `present_acts` they did. In all coups they acted in `acts`, and somebody else in `other_acts`.
    `said`: an advisory named them.
    """

    person: PersonId
    role: Identifier
    coups: int = 0
    present_acted: int = 0
    present_acts: int = 0
    acts: int = 0
    other_acts: int = 0
    said: bool = False


class PeopleCounts(Struct, frozen=True):
    """The people of a table in this period; `acting` have acted since the last coup's end."""

    people: tuple[PersonCount, ...] = ()
    acting: tuple[PersonId, ...] = ()
    coups: int = 0
    acted: int = 0
    shoes: int = 0


def person_acts(counts: PeopleCounts, person: PersonId, role: Identifier) -> PeopleCounts:
    """The counts once a person acted; it is counted with the coup that ends next, once."""
    people = _known(counts.people, person, role, counts.acted)
    acting = counts.acting
    if person not in acting:
        acting = (*acting, person)[-PEOPLE_MAX:]
    return PeopleCounts(people, acting, counts.coups, counts.acted, counts.shoes)


def coup_ends(counts: PeopleCounts, at_table: tuple[PersonId, ...]) -> PeopleCounts:
    """The counts after a coup that was dealt with these people at the table."""
    people, acting = counts.people, counts.acting
    for person in at_table:
        people = _known(people, person, "", counts.acted)
    counted = tuple(_counted(one, one.person in at_table, acting) for one in people)
    acted = counts.acted + bool(acting)
    return PeopleCounts(counted, (), counts.coups + 1, acted, counts.shoes)


def _counted(one: PersonCount, present: bool, acting: tuple[PersonId, ...]) -> PersonCount:
    acts = one.person in acting
    if not present and not acting:
        return one
    return PersonCount(
        one.person,
        one.role,
        one.coups + present,
        one.present_acted + (present and bool(acting)),
        one.present_acts + (present and acts),
        one.acts + acts,
        one.other_acts + (len(acting) > acts),
        one.said,
    )


def shoe_ends(counts: PeopleCounts, period: int = PERIOD_SHOES) -> PeopleCounts:
    """The counts after a shoe; a new period of so many shoes begins with none."""
    if counts.shoes + 1 >= period:
        return PeopleCounts()
    return PeopleCounts(counts.people, counts.acting, counts.coups, counts.acted, counts.shoes + 1)


def _known(
    people: tuple[PersonCount, ...], person: PersonId, role: Identifier, acted: int
) -> tuple[PersonCount, ...]:
    """The people with this one; a role that is given replaces one that was not.

    In `acted` coups of the period somebody acted before this person was known.
    """
    for at, one in enumerate(people):
        if one.person == person:
            if one.role or not role:
                return people
            return (*people[:at], replace(one, role=role), *people[at + 1 :])
    if len(people) >= PEOPLE_MAX:
        return people
    return (*people, PersonCount(person, role, other_acts=acted))


def mark_said(counts: PeopleCounts, person: PersonId) -> PeopleCounts:
    """The counts once an advisory named the person."""
    people = tuple(
        replace(one, said=True) if one.person == person else one for one in counts.people
    )
    return replace(counts, people=people)


def over_limit(
    counts: PeopleCounts, acting: tuple[PersonId, ...], limit_log2: int
) -> Iterator[tuple[PersonEvidence, int]]:
    """Who of those acting is over a limit and was not named, with the evidence and how far."""
    for one in counts.people if acting else ():
        if one.person not in acting or one.said:
            continue
        found = max(person_evidence(counts, one), key=evidence_log2)
        over = evidence_log2(found) - limit_log2
        if over >= 0:
            yield found, over


def person_evidence(counts: PeopleCounts, one: PersonCount) -> tuple[PersonEvidence, ...]:
    """A person's counts beside the others', in the two ways in which they are compared.

    With the person at the table, and without. And in all coups, the person and all others
    together: that is for who acts without having been said to be at the table.
    """
    absent, absent_acted = counts.coups - one.coups, counts.acted - one.present_acted
    person, role, coups = one.person, one.role, counts.coups
    return (
        PersonEvidence(person, role, one.present_acts, one.coups, absent_acted, absent),
        PersonEvidence(person, role, one.acts, coups, one.other_acts, coups),
    )


def evidence_log2(found: PersonEvidence) -> int:
    """The logarithm of the likelihood ratio in units of 2^-20, rounded down; 0 at a lower rate."""
    if found.acts * found.other_coups <= found.other_acts * found.coups:
        return 0
    coups, acts = found.coups + found.other_coups, found.acts + found.other_acts
    own_rates = _spread_log2(found.acts, found.coups) + _spread_log2(
        found.other_acts, found.other_coups
    )
    # Each logarithm is short by less than one unit: `coups` units more are never too few.
    one_rate = _power_log2(acts) + _power_log2(coups - acts) - _power_log2(coups) + coups
    return own_rates - one_rate


def _spread_log2(acts: int, coups: int) -> int:
    """Of the mean likelihood of so many acts in so many coups, over the spread of rates."""
    without = coups - acts + _PRIOR_WITHOUT
    upper = _PRIOR_WITHOUT * factorial(acts)
    lower = prod(range(without, coups + _PRIOR_WITHOUT + 1))
    return log2_of(upper) - log2_of(lower) - 1


def _power_log2(number: int) -> int:
    """Of a number to its own power."""
    return number * log2_of(number) if number else 0
