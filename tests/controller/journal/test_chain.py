"""The chain's formula, against values computed with `sha256sum` over the documented bytes.

Source: FIPS 180-4.
"""

from controller.journal.encoding import GENESIS, link

AFTER_ABC = "8a295b0cbf1f5a594280696ad7707164e2b8beb0e614ad52bc7d78ff8ac12a82"
AFTER_ABC_AND_NOTHING = "4b82225c8e15fc425ffe3fd143253705c457bf1c6d8ad8fe81ca31fe46d04020"


def test_the_first_link_starts_from_zeros() -> None:
    assert link(GENESIS, b"abc").hex() == AFTER_ABC


def test_an_empty_record_is_a_link_too() -> None:
    assert link(bytes.fromhex(AFTER_ABC), b"").hex() == AFTER_ABC_AND_NOTHING


def test_the_boundary_between_records_changes_the_chain_value() -> None:
    assert link(link(GENESIS, b"ab"), b"c") != link(link(GENESIS, b"a"), b"bc")
