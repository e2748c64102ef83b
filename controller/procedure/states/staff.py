"""State of the people at the table: who deals, and what each has decided in this shoe."""

from typing import Final

from msgspec import Struct


class DecisionCount(Struct, frozen=True):
    """How often a person has made a decision of this kind in the shoe.

    `decision` is the decision of `resolve`, or the name of another action that decides a coup.
    """

    person: str
    decision: str
    count: int


class StaffState(Struct, frozen=True):
    """Persons are ids.

    `dealers` have signed on; `answerable` dealt when what is open, or was decided last, was raised;
    `decisions` were made in the newest shoe.
    """

    dealers: tuple[str, ...] = ()
    answerable: tuple[str, ...] = ()
    decisions: tuple[DecisionCount, ...] = ()

    def made(self, person: str, decision: str) -> int:
        """How many decisions of this kind the person has made in the shoe."""
        kinds = ((one.person, one.decision, one.count) for one in self.decisions)
        return next((count for by, kind, count in kinds if (by, kind) == (person, decision)), 0)


NOBODY_YET: Final = StaffState()
