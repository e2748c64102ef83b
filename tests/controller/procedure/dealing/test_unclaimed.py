"""A shoe that claims no places: the order of drawing says what each card is.

Source: NY (a)(4)(iv), (e), (f); S42 (a)(4), (e)(6), (g)(3); D-16, D-22.
"""

import pytest
from msgspec.structs import replace

from controller.core.script.parser import parse
from controller.core.script.player import ShoeCount, due_place, step_inputs
from controller.custody.findings import Finding, FindingCode
from controller.procedure.effects import CoupClosed
from controller.procedure.events import CustodyFindingRaised
from controller.procedure.irregularities import CATALOGUE, IrregularityCode
from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact
from controller.procedure.verdicts import Irregularity
from controller.rules.setting_values import ShuffleMode
from controller.system.messages.catalogue import to_words
from foundation.message import message

RESULT = (ObservableFact.RESULT_BUTTON,)
BURNED = "unclaimed 2c of red; unclaimed 9h; unclaimed 9h"
COUP = "unclaimed 7h; unclaimed 7c; unclaimed Kd; unclaimed Kh; result tie"
AT_CARD_5 = message("card_of_coup", shoe=1, card=5, coup=1)


@pytest.fixture
def new_unclaimed_table(new_table):
    """A factory of tables that deal a script; calling one returns the codes raised."""

    class UnclaimedTable:
        def __init__(self, **settings: object) -> None:
            self.table = new_table(**{"observed": RESULT, **settings})

        def __call__(self, script: str) -> list[str]:
            codes: list[str] = []
            for statement in parse(script):
                due = due_place(self.table.state)
                for event in step_inputs(statement.body, ShoeCount(), due)[0]:
                    result = self.table.apply(event)
                    codes += [v.code.value for v in result.verdicts if isinstance(v, Irregularity)]
            return codes

        @property
        def due(self) -> Phase:
            return self.table.phase

    return UnclaimedTable


def test_the_first_card_with_no_shoe_open_opens_one(new_unclaimed_table) -> None:
    table = new_unclaimed_table()
    assert table("unclaimed 2c of red") == []
    assert (table.due, table.table.state.shoe.burn_owed) == (Phase.BURN_REST, 2)
    assert table.table.state.lineage.last_dealt == "red"


def test_where_only_numbers_are_left_of_the_shoes_before_the_first_card_joins_one(
    new_unclaimed_table,
) -> None:
    table = new_unclaimed_table()
    table.table.state = replace(table.table.state, shoe_number=4)
    assert table("unclaimed 2c of red") == ["SHOE_JOINED"]
    assert (table.table.state.shoe.joined, table.table.state.shoe.burn_proven) == (True, False)


def test_where_only_numbers_are_left_a_recorded_loading_begins_the_next_shoe(
    new_unclaimed_table,
) -> None:
    table = new_unclaimed_table()
    table.table.state = replace(table.table.state, shoe_number=4)
    table("record loaded batch red amount 416")
    assert table("unclaimed 2c of red") == []
    assert table.table.state.shoe.joined is False


def test_a_coup_is_dealt_by_the_order_of_drawing(new_unclaimed_table) -> None:
    table = new_unclaimed_table()
    assert table(f"{BURNED}; {COUP}") == []
    (closed,) = (one for one in table.table.effects if isinstance(one, CoupClosed))
    assert [str(card.card) for card in closed.record.cards] == ["7h", "7c", "Kd", "Kh"]


def test_a_card_after_a_wrong_result_is_the_next_coups_first(new_unclaimed_table) -> None:
    table = new_unclaimed_table()
    wrong = COUP.replace("tie", "player")
    codes = table(f"{BURNED}; {wrong}; {COUP}")
    assert codes == ["RESULT_MISMATCH", "DEALT_WHILE_SUSPENDED"]


@pytest.mark.parametrize("observed", [RESULT, (ObservableFact.NO_MORE_BETS,)])
def test_a_card_before_the_result_of_a_whole_coup_is_one_too_many(
    new_unclaimed_table, observed
) -> None:
    table = new_unclaimed_table(observed=observed)
    table(BURNED)
    if observed == RESULT:
        coup = COUP.removesuffix("; result tie")
    else:
        coup = "no more bets; " + COUP.removesuffix("; result tie")
    assert table(coup) == []
    assert table("unclaimed 4d") == ["OVERDRAW"]


def test_without_a_reported_end_of_the_coup_the_next_card_begins_another(
    new_unclaimed_table,
) -> None:
    table = new_unclaimed_table(observed=())
    assert table(f"{BURNED}; {COUP.removesuffix('; result tie')}; unclaimed 4d") == []
    assert table.table.state.shoe.coup.number == 2


def test_after_the_last_hand_a_card_with_the_same_back_is_one_too_many(new_unclaimed_table) -> None:
    table = new_unclaimed_table()
    table(f"{BURNED}; {COUP}; cut; {COUP}; {COUP}")
    assert table.due is Phase.SHOE_OVER
    assert table("unclaimed 4d of red") == ["CARD_AFTER_LAST_COUP"]


def test_after_the_last_hand_the_other_back_begins_the_next_shoe(new_unclaimed_table) -> None:
    table = new_unclaimed_table()
    table(f"{BURNED}; {COUP}; cut; {COUP}; {COUP}")
    assert table("unclaimed 4d of blue") == []
    assert (table.due, table.table.state.shoe.number) == (Phase.BURN_REST, 2)


def test_after_the_last_hand_a_card_dealt_before_begins_the_next_shoe(new_unclaimed_table) -> None:
    table = new_unclaimed_table()
    table(f"{BURNED}; {COUP}; cut; {COUP}; {COUP}")
    assert table("unclaimed 7h of red again") == []
    assert (table.due, table.table.state.shoe.number) == (Phase.BURN_REST, 2)


def test_with_one_batch_a_recorded_loading_begins_the_next_shoe(new_unclaimed_table) -> None:
    table = new_unclaimed_table(shuffle_mode=ShuffleMode.HAND)
    table(f"{BURNED}; {COUP}; cut; {COUP}; {COUP}")
    assert table("unclaimed 4d") == ["CARD_AFTER_LAST_COUP"]
    table('resolve continue because "racked"')
    table("record loaded amount 416")
    assert table("unclaimed 4d") == []
    assert table.due is Phase.BURN_REST


def test_the_next_shoe_begun_while_suspended_is_noted_and_not_followed(new_unclaimed_table) -> None:
    table = new_unclaimed_table()
    table(f"{BURNED}; {COUP}; cut; {COUP}; {COUP}; unclaimed 4d of red")
    assert table("unclaimed 5d of blue") == ["DEALT_WHILE_SUSPENDED"]
    assert table.table.state.shoe.number == 1


@pytest.mark.parametrize("observed", [RESULT, (ObservableFact.NO_MORE_BETS,)])
def test_a_burn_of_unknown_length_goes_on_until_no_more_bets_is_called(
    new_unclaimed_table, observed
) -> None:
    table = new_unclaimed_table(observed=observed)
    assert table("unclaimed ??") == ["CARD_UNREADABLE"]
    table('resolve continue because "burn on"')
    assert table("unclaimed 3d; unclaimed 4d") == []
    assert len(table.table.state.shoe.burn_cards) == 3
    assert table("no more bets; unclaimed 7h") == []
    assert table.due is Phase.BANKER_1


def test_of_a_partial_coup_the_first_four_take_their_places_and_no_further_one_does(
    new_unclaimed_table,
) -> None:
    table = new_unclaimed_table()
    table(f"{BURNED}; unclaimed 7h; unclaimed ??; unclaimed 4d; unclaimed 5d; unclaimed 6d")
    coup = table.table.state.shoe.coup
    assert [card.place.value for card in coup.cards] == [
        *("player_1", "banker_1", "player_2", "banker_2")
    ]
    assert len(coup.aside) == 1


def test_the_amount_of_a_card_drawn_in_error_is_burned_before_the_result(
    new_unclaimed_table,
) -> None:
    table = new_unclaimed_table()
    table(f"{BURNED}; {COUP.removesuffix('; result tie')}; unclaimed 2d")
    table('resolve burn-card because "seen"')
    assert table("unclaimed 3d; unclaimed 4d") == []
    assert table("result tie") == []
    assert table.due is Phase.BETWEEN_COUPS


# --- what custody proves --------------------------------------------------------------------------

CITED = """
FOREIGN_CARD        S42-a-4-iii-same
WRONG_BATCH         S42-a-4-iii-same
BATCH_REPEATED      S42-a-4-v-alt
DUPLICATE_CARD      S42-a-4-iii-same
CARD_RETURNED       S42-j-4
DISCARD_RACK_MIXED  S42-a-4-vi
CARD_MISPLACED      S42-g-3-four
"""


@pytest.mark.clause("S42-a-4-iii-same")
@pytest.mark.clause("S42-a-4-v-alt")
@pytest.mark.clause("S42-a-4-vi")
@pytest.mark.parametrize("row", CITED.split("\n")[1:-1])
def test_a_custody_finding_cites_its_clause(new_unclaimed_table, row) -> None:
    code, clause = row.split()
    table = new_unclaimed_table()
    table(f"{BURNED}; unclaimed 7h")
    finding = Finding(FindingCode(code), AT_CARD_5, message("tag_in_no_manifest"))
    result = table.table.apply(CustodyFindingRaised(finding))
    (raised,) = result.verdicts
    assert raised.code.value == code
    assert clause in raised.clauses
    assert "shoe 1, card 5" in to_words(raised.detail)
    assert table.table.state.open_irregularities[-1].finding == finding


@pytest.mark.parametrize("code", FindingCode)
def test_every_finding_is_an_irregularity_of_its_own(new_unclaimed_table, code) -> None:
    assert IrregularityCode(code.value) in CATALOGUE


def test_a_defect_of_the_loading_is_not_raised_again_by_its_cards(new_unclaimed_table) -> None:
    table = new_unclaimed_table()
    table(f"{BURNED}; unclaimed 7h")
    found = CustodyFindingRaised(
        Finding(FindingCode.BATCH_REPEATED, AT_CARD_5, message("last_shoe_from_same_batch"))
    )
    table.table.apply(found)
    again = table.table.apply(found)
    assert [type(verdict).__name__ for verdict in again.verdicts][:1] == ["Accepted"]
