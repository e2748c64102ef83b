"""All tables of a pit pay by one procedure."""

from collections.abc import Callable

import pytest

from controller.messages.catalogue import to_words
from controller.rules.setting_values import PayProcedure
from controller.settlement.pit import PitProcedures, pit_refusal
from controller.settlement.terms import Terms

Table = Callable[..., Terms]
FIRST, SECOND, THIRD = PayProcedure.I, PayProcedure.II, PayProcedure.III


def case(profile: str, pit: PitProcedures, clause: str, remedy: str) -> object:
    return pytest.param(profile, pit, clause, remedy, marks=pytest.mark.clause(clause))


@pytest.mark.parametrize(
    ("profile", "pit", "clause", "remedy"),
    [
        case("ny-mini", PitProcedures(own=FIRST), "NY-i-3-i", "Set pay_procedure to i"),
        case(
            "ny-midi",
            PitProcedures(own=THIRD, baccarat=SECOND),
            "NY-i-3-ii",
            "Set pay_procedure to ii",
        ),
        case("s42-mini", PitProcedures(own=FIRST), "S42-j-3-i", "Set pay_procedure to i"),
        case(
            "s42-mini",
            PitProcedures(own=FIRST, baccarat=THIRD),
            "S42-j-3-i",
            "Set pay_procedure to i",
        ),
    ],
)
def test_another_pay_procedure_is_refused(
    table: Table, profile: str, pit: PitProcedures, clause: str, remedy: str
) -> None:
    found = pit_refusal(table(profile), pit)

    assert found is not None
    assert (found.clauses, to_words(found.remedy)) == ((clause,), remedy)


def test_the_refusal_names_the_procedure(table: Table) -> None:
    found = pit_refusal(table("ny-mini"), PitProcedures(baccarat=FIRST))

    assert found is not None
    assert (
        to_words(found.why)
        == "the baccarat table of this pit pays by procedure i, this table by iii"
    )


@pytest.mark.parametrize(
    ("profile", "pit"),
    [
        ("ny-mini", PitProcedures()),
        ("ny-mini", PitProcedures(own=THIRD)),
        ("ny-mini", PitProcedures(own=FIRST, baccarat=THIRD)),
        ("ny-ez", PitProcedures(own=FIRST)),
        ("wa-mini", PitProcedures(own=FIRST)),
    ],
)
def test_the_right_pay_procedure_is_accepted(
    table: Table, profile: str, pit: PitProcedures
) -> None:
    assert pit_refusal(table(profile), pit) is None
