"""The chain's formula, against values computed with another program.

Source: controller/journal/README.md, "Chain"; FIPS 180-4. The values below are from
`sha256sum` over the bytes of the formula.
"""

from controller.journal.record import GENESIS, link

AFTER_ABC = "8a295b0cbf1f5a594280696ad7707164e2b8beb0e614ad52bc7d78ff8ac12a82"
AFTER_ABC_AND_NOTHING = "4b82225c8e15fc425ffe3fd143253705c457bf1c6d8ad8fe81ca31fe46d04020"


def test_the_first_link_starts_from_zeros() -> None:
    assert link(GENESIS, b"abc").hex() == AFTER_ABC


def test_an_empty_record_is_a_link_too() -> None:
    assert link(bytes.fromhex(AFTER_ABC), b"").hex() == AFTER_ABC_AND_NOTHING


def test_where_one_record_ends_and_the_next_begins_matters() -> None:
    assert link(link(GENESIS, b"ab"), b"c") != link(link(GENESIS, b"a"), b"bc")
