"""The snapshot of a table over the life of a shoe dealt face up."""

import pytest
from msgspec import ValidationError, convert
from msgspec.json import decode, encode
from shown_tables import faces, part

from controller.procedure.irregularities import CATALOGUE, IrregularityCode
from controller.procedure.irregularities.codes import BURN_SEEN, CARRY_UNSEEN
from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact
from controller.record.build import build_snapshot
from controller.record.snapshot import (
    CardFact,
    ClosedCoupView,
    CorrectionView,
    CoupView,
    HandView,
    Health,
    IrregularityView,
    RunFacts,
    Snapshot,
    SuspensionView,
    Withheld,
)
from controller.record.snapshot_devices import DeviceView
from controller.rules.actions.actions import CallNoMoreBets, CorrectCoup, Resolution
from controller.rules.actions.choices import FloorDecision, Provisional
from controller.rules.outcome import Outcome
from controller.system.messages.catalogue import to_words
from drivers.events import Stage

NEW_SHOE = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
WRONG_RESULT = (*COUP[:4], "47 C0")
OVERDRAW = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "44 83 A3")


def snapshot_of(table) -> Snapshot:
    return build_snapshot(table.core, table.state)


def test_a_table_before_its_first_shoe(script) -> None:
    now = snapshot_of(script().begun())
    assert (now.phase.value, now.due, now.shoe, now.coup, now.last_coup) == (
        "closed",
        "a shoe",
        None,
        None,
        None,
    )


def test_the_table_its_profile_and_its_health(script) -> None:
    facts = RunFacts(Health.FAILED, "internal error")
    now = build_snapshot(script().core, script().state, facts)
    assert (now.table, now.pit, now.profile) == ("M7", "3", "s42-mini")
    assert (now.health, now.failure) == ("failed", "internal error")
    assert now.observed == ("result_button",)


def test_the_device(script) -> None:
    table = script(allow_commands=True).begun().reported("53", "4C 81")
    assert snapshot_of(table).device == DeviceView(
        port="/dev/ttyUSB0",
        model="angel-eye-ii-ex",
        stage=Stage.ONLINE,
        locked=True,
        commands_allowed=True,
        reads_tags=False,
        identity=None,
    )


def test_a_lost_device(script) -> None:
    table = script().begun().reported("53")
    table.lost()
    assert snapshot_of(table).device.stage == "lost"


def test_the_burn(script) -> None:
    now = snapshot_of(script().begun().reported("53", "50", "44 C0 C3", "44 D1 C7"))
    assert (faces(now.shoe.burn), now.shoe.burn_owed, now.due) == (
        ["3h", "7h"],
        2,
        "2 more burn cards",
    )


@pytest.mark.parametrize(
    ("cards", "phase", "player", "banker", "counts"),
    [
        (1, "banker_1", ["9h"], [], (9, 0)),
        (2, "player_2", ["9h"], ["2d"], (9, 2)),
        (3, "banker_2", ["9h", "Kc"], ["2d"], (9, 2)),
        (4, "result", ["9h", "Kc"], ["2d", "5s"], (9, 7)),
    ],
)
def test_a_coup_card_by_card(script, cards, phase, player, banker, counts) -> None:
    now = snapshot_of(script().begun().reported(*NEW_SHOE, *COUP[:cards]))
    assert now.phase.value == phase
    assert now.coup == part(
        CoupView,
        number=1,
        player={"cards": player, "count": counts[0]},
        banker={"cards": banker, "count": counts[1]},
        turning={"by": "dealer"},
    )


def test_the_last_coup(script) -> None:
    now = snapshot_of(script().begun().reported(*NEW_SHOE, *COUP))
    assert now.coup is None
    assert now.last_coup == part(
        ClosedCoupView,
        number=1,
        player={"cards": ["9h", "Kc"], "count": 9},
        banker={"cards": ["2d", "5s"], "count": 7},
        natural=True,
        player_pair=False,
        banker_pair=False,
        outcome="player",
        fate="counted",
    )


def test_a_correction_is_shown_beside_the_coups_own_outcome(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *COUP)
    assert snapshot_of(table).shoe.corrections == ()

    table.acted(CorrectCoup(1, Outcome.TIE, "S. Veil"))

    now = snapshot_of(table)
    assert (now.last_coup.outcome, now.last_coup.corrected) == ("player", "tie")
    assert now.shoe.corrections == (CorrectionView(1, Outcome.PLAYER, Outcome.TIE),)
    assert (now.shoe.player, now.shoe.tie) == (0, 1)
    assert now.wagering.wins == ()


def test_the_last_coup_of_an_earlier_gaming_day_is_shown_as_counted(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *COUP)
    table.later(24 * 3600 * 10**9)
    table.acted(CallNoMoreBets())

    assert snapshot_of(table).last_coup.corrected is None
    assert snapshot_of(table).wagering.wins


def test_the_snapshot_has_the_next_shoes_duties_and_the_wagers(script) -> None:
    now = snapshot_of(script().begun().reported(*NEW_SHOE, *COUP))
    assert now.opening.shuffle_mode == "dual_batch"
    wins = [(one.kind, one.odds) for one in now.wagering.wins if one.odds]
    assert wins == [("player", "1:1")]


def test_the_calls_that_are_due(script) -> None:
    table = script().begun().reported(*NEW_SHOE)
    assert snapshot_of(table).due_calls == (
        'call "no more bets" before the first card; deal face up, each card to its hand\'s area',
    )
    assert snapshot_of(table.reported(*COUP[:3])).due_calls == ()
    assert snapshot_of(table.reported(COUP[3])).due_calls == (
        "announce: Player 9 (natural), Banker 7; no third card",
        "announce: Player wins, 9 over 7",
    )


def test_the_shoe_counts_its_coups(script) -> None:
    shoe = snapshot_of(script().begun().reported(*NEW_SHOE, *COUP, *COUP)).shoe
    assert (shoe.number, shoe.coups_begun) == (1, 2)
    assert (shoe.player, shoe.banker, shoe.tie, shoe.void) == (2, 0, 0, 0)


def test_how_many_cards_are_left(script) -> None:
    shoe = snapshot_of(script().begun().reported(*NEW_SHOE, *COUP)).shoe
    assert (shoe.cards_drawn, shoe.cards_left, shoe.cards_total) == (6, 410, 416)


def test_cards_left_in_a_joined_shoe_are_unknown(script) -> None:
    shoe = snapshot_of(script().begun().reported(*COUP)).shoe
    assert (shoe.joined, shoe.cards_left) == (True, None)


def test_the_cut_card_and_the_last_coup(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *COUP[:2], "43")
    shoe = snapshot_of(table).shoe
    assert (shoe.cut_card_seen, shoe.last_coup_number) == (True, 2)


def test_the_end_of_the_shoe(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *COUP[:2], "43", *COUP[2:], *COUP)
    now = snapshot_of(table)
    assert (now.phase.value, now.shoe.ended) == ("shoe_over", True)
    assert now.due == "the reshuffle and the next shoe"


def test_a_card_that_could_not_be_read(script) -> None:
    now = snapshot_of(script().begun().reported(*NEW_SHOE, *COUP[:2], "44 82 80"))
    assert faces(now.coup.player.cards) == ["9h", "unread"]
    assert now.coup.partial
    assert now.coup.player.count == CardFact(None, Withheld.INCOMPLETE)


# --- suspended ------------------------------------------------------------------------------------


def test_a_suspended_table(script) -> None:
    now = snapshot_of(script().begun().reported(*NEW_SHOE, *OVERDRAW))
    assert (now.phase.value, now.due) == ("suspended", "a floorperson's decision")
    assert now.suspension == part(SuspensionView, resume_to="result")
    assert [one.decision for one in now.remedy.decisions] == [
        *("carry-card", "burn-card", "close-shoe")
    ]


def test_an_irregularity_with_what_it_permits_and_forbids(script) -> None:
    kind = CATALOGUE[IrregularityCode.OVERDRAW]
    table = script().begun().reported(*NEW_SHOE, *OVERDRAW)
    (one,) = snapshot_of(table).irregularities
    assert one == part(
        IrregularityView,
        number=1,
        code="OVERDRAW",
        title="a card was drawn that no hand is due",
        clauses=table.state.table.open_irregularities[0].clauses,
        coup=1,
        suspends=True,
        permitted=[
            to_words(CARRY_UNSEEN.text),
            to_words(BURN_SEEN.text),
            "close the shoe: an open coup is void, and every card is reshuffled",
        ],
        forbidden=list(map(to_words, kind.forbidden)),
    )


def test_the_remedy_before_and_after_the_decision(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *OVERDRAW)
    remedy = snapshot_of(table).remedy
    assert remedy.done == ("1 card drawn in error set aside",)
    assert [one.decision for one in remedy.decisions] == [
        *("carry-card", "burn-card", "close-shoe")
    ]
    table.acted(Resolution(FloorDecision.CARRY))
    remedy = snapshot_of(table).remedy
    assert (remedy.carried, remedy.decisions) == (1, ())
    assert [one.step for one in remedy.owed] == ["carry"]


def test_a_held_card_is_not_shown_before_its_coup_is_dealt(script) -> None:
    facts = (ObservableFact.RESULT_BUTTON, ObservableFact.NO_MORE_BETS)
    table = script(observed=facts).begun().reported(*NEW_SHOE)
    table.acted(CallNoMoreBets())
    table.reported(*OVERDRAW)
    table.acted(Resolution(FloorDecision.CARRY))
    table.reported("47 90")
    assert "it begins with the cards held" in snapshot_of(table).due
    table.acted(CallNoMoreBets())
    coup = snapshot_of(table).coup
    assert coup.player == part(HandView, cards=["??"], count=None)
    coup = snapshot_of(table.reported("44 81 C9")).coup
    assert (faces(coup.player.cards), faces(coup.banker.cards)) == (["3c"], ["9h"])


def test_a_coup_dealt_while_suspended_is_not_shown(script) -> None:
    now = snapshot_of(script().begun().reported(*NEW_SHOE, *COUP, *WRONG_RESULT, *COUP[:3]))
    coup = now.coup
    assert (coup.number, coup.provisional) == (3, True)
    hidden = CardFact(None, Withheld.DEALT_WHILE_SUSPENDED)
    assert coup.player == HandView((hidden, hidden), hidden)
    assert coup.banker == HandView((hidden,), hidden)


def test_a_coup_that_ended_while_suspended_is_not_counted_yet(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *COUP, *WRONG_RESULT, *COUP)
    now = snapshot_of(table)
    assert (now.last_coup.number, now.shoe.player) == (1, 1)
    table.acted(Resolution(FloorDecision.CONTINUE, Provisional.TAKE_OVER))
    now = snapshot_of(table)
    assert (now.last_coup.number, now.shoe.player) == (3, 3)


@pytest.mark.parametrize(
    ("after", "coups", "cards"), [((), 0, 0), (("44 81 C9", "44 91 92"), 1, 2)]
)
def test_cards_dealt_while_suspended_need_a_provisional_decision(
    script, after, coups, cards
) -> None:
    now = snapshot_of(script().begun().reported(*NEW_SHOE, *WRONG_RESULT, *after))
    assert (now.suspension.coups, now.suspension.cards) == (coups, cards)


def test_a_table_that_is_not_suspended_shows_no_number_of_cards_dealt_on(script) -> None:
    assert snapshot_of(script().begun().reported(*NEW_SHOE, *COUP)).suspension is None


@pytest.mark.parametrize(
    "fact", [{"value": None, "withheld": None}, {"value": 7, "withheld": "face_down"}]
)
def test_what_follows_from_a_card_has_a_value_or_a_reason(fact) -> None:
    with pytest.raises(ValidationError, match="the reason why it is withheld"):
        convert(fact, CardFact[int])


# --- always ---------------------------------------------------------------------------------------


def test_after_every_input_the_snapshot_is_what_a_client_decodes(troubled_shoe, script) -> None:
    again = script(allow_commands=True)
    for item in troubled_shoe.inputs:
        again.give(item)
        now = snapshot_of(again)
        assert decode(encode(now), type=Snapshot) == now


def test_every_phase_has_a_text_for_what_is_due(troubled_shoe, script) -> None:
    again = script(allow_commands=True)
    seen = set()
    for item in troubled_shoe.inputs:
        again.give(item)
        assert snapshot_of(again).due
        seen.add(again.state.table.phase)
    assert {Phase.SUSPENDED, Phase.BETWEEN_COUPS, Phase.BURN_REST, Phase.RESULT} < seen
