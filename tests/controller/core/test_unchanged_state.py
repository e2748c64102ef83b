"""What an input does not change is the same object after it: it is neither rebuilt nor compared.

Source: performance goals P1, P19.
"""

from firmware_bridge.transport.port import Chunk

PORT = "/dev/ttyUSB0"
NEW_SHOE = ("53", "50", "44 C0 91", "44 D1 C7")
FIRST_CARD = "44 81 C9"


def test_a_repeated_report_leaves_the_state_as_it_is(script) -> None:
    table = script().begun().reported(*NEW_SHOE, FIRST_CARD)
    before = table.state

    output = table.give(Chunk(PORT, table.at, table.inputs[-1].data))

    assert output.entries == ()
    assert table.state is before


def test_a_part_of_a_report_changes_the_driver_alone(script) -> None:
    table = script().begun().reported(*NEW_SHOE)
    before = table.state

    table.give(Chunk(PORT, table.at, b"\x05"))

    after = table.state
    assert after.shoe_driver != before.shoe_driver
    assert after.table is before.table
    assert after.custody is before.custody
    assert after.host is before.host


def test_a_card_changes_the_shoe_and_nothing_beside_it(script) -> None:
    table = script().begun().reported(*NEW_SHOE)
    before = table.state.table

    table.reported(FIRST_CARD)

    after = table.state.table
    assert after.shoe is not before.shoe
    assert (after.settings, after.notices) == (before.settings, before.notices)
    assert after.lineage is before.lineage
    assert after.opening is before.opening
