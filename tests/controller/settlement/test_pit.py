"""Tables of one pit pay by one procedure."""

from collections.abc import Callable

import pytest

from controller.rules.setting_values import PayProcedure
from controller.settlement.pit import Pit, pit_differs
from controller.settlement.terms import Terms

Table = Callable[..., Terms]
FIRST, SECOND, THIRD = PayProcedure.I, PayProcedure.II, PayProcedure.III


def case(profile: str, pit: Pit, clause: str, remedy: str) -> object:
    return pytest.param(profile, pit, clause, remedy, marks=pytest.mark.clause(clause))


@pytest.mark.parametrize(
    ("profile", "pit", "clause", "remedy"),
    [
        case("ny-mini", Pit(own=FIRST), "NY-i-3-i", "Set pay_procedure to i"),
        case("ny-midi", Pit(own=THIRD, baccarat=SECOND), "NY-i-3-ii", "Set pay_procedure to ii"),
        case("s42-mini", Pit(own=FIRST), "S42-j-3-i", "Set pay_procedure to i"),
        case("s42-mini", Pit(own=FIRST, baccarat=THIRD), "S42-j-3-i", "Set pay_procedure to i"),
    ],
)
def test_a_table_that_pays_otherwise_is_refused(
    table: Table, profile: str, pit: Pit, clause: str, remedy: str
) -> None:
    found = pit_differs(table(profile), pit)

    assert found is not None
    assert (found.clauses, found.remedy) == ((clause,), remedy)


def test_it_says_whose_procedure_it_is(table: Table) -> None:
    found = pit_differs(table("ny-mini"), Pit(baccarat=FIRST))

    assert found is not None
    assert found.why == "the baccarat table of this pit pays by procedure i, this table by iii"


@pytest.mark.parametrize(
    ("profile", "pit"),
    [
        ("ny-mini", Pit()),
        ("ny-mini", Pit(own=THIRD)),
        ("ny-mini", Pit(own=FIRST, baccarat=THIRD)),
        ("ny-ez", Pit(own=FIRST)),
        ("wa-mini", Pit(own=FIRST)),
    ],
)
def test_a_table_that_pays_as_it_must(table: Table, profile: str, pit: Pit) -> None:
    assert pit_differs(table(profile), pit) is None
