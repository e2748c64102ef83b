"""What a replay of sealed records lists of its differences."""

import pytest

from office.audit.replay_check import LISTED_MAX, _first


@pytest.mark.parametrize(
    ("more", "rest"),
    [(0, ()), (1, ("and 1 more record",)), (2, ("and 2 more records",))],
)
def test_the_first_differences_are_listed_and_the_rest_counted(
    more: int, rest: tuple[str, ...]
) -> None:
    words = [f"record {number}" for number in range(LISTED_MAX + more)]
    assert _first(words) == (*words[:LISTED_MAX], *rest)
