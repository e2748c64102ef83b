"""Settlements: payout lines, gains, and conservation of money."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.journal.encoding import Codec
from controller.rules.hands import HandName
from controller.rules.setting_values import (
    PayProcedure,
    VigorishCollection,
    VigorishMode,
    VigorishRounding,
)
from controller.rules.settlement.admission import admit_wagers
from controller.rules.settlement.coup_facts import CoupFacts
from controller.rules.settlement.results import void_results, wager_results
from controller.rules.settlement.settle import Settlement, settle
from controller.rules.settlement.terms import Terms
from controller.rules.settlement.wagers import Wager, WagerKind
from controller.system.messages.catalogue import to_words

Table = Callable[..., Terms]
Layout = Callable[[str], tuple[Wager, ...]]


def paid(terms: Terms, facts: CoupFacts, wagers: tuple[Wager, ...]) -> Settlement:
    return settle(terms, wager_results(terms, facts), wagers)


@pytest.mark.parametrize(
    ("profile", "settings", "hands", "wager", "amounts"),
    [  # stake, win, returned stake, vigorish, gain
        ("ny-mini", {}, "P 3 in 3, B 6 in 2", "5 banker 100.00", (10000, 10000, 10000, 500, 9500)),
        ("ny-mini", {}, "P 6 in 2, B 6 in 2", "5 banker 100.00", (10000, 0, 10000, 0, 0)),
        ("ny-mini", {}, "P 6 in 2, B 3 in 3", "5 banker 100.00", (10000, 0, 0, 0, -10000)),
        ("ny-mini", {"vig_mode": VigorishMode.TIE25}, "P 6 in 2, B 6 in 2", "5 banker 100.00",
         (10000, 0, 7500, 2500, -2500)),
        ("ny-mini", {"vig_mode": VigorishMode.TIE25}, "P 6 in 2, B 6 in 2", "5 player 100.00",
         (10000, 0, 10000, 0, 0)),
        ("ny-mini", {"vig_mode": VigorishMode.TIE25}, "P 3 in 3, B 6 in 2", "5 banker 100.00",
         (10000, 10000, 10000, 0, 10000)),
        ("s42-mini", {"vig_mode": VigorishMode.NONE_SIX}, "P 3 in 3, B 6 in 2", "5 banker 100.00",
         (10000, 5000, 10000, 0, 5000)),
        ("ny-ez", {}, "P 6 in 2, B 7 in 3", "5 banker 100.00", (10000, 0, 10000, 0, 0)),
        ("ny-ez", {}, "P 6 in 2, B 7 in 3", "5 dragon_7 1.00", (100, 4000, 100, 0, 4000)),
        ("nj-baccarat", {}, "P 8 in 2, B 6 in 2", "5 total_4 1.02", (102, 153, 102, 0, 153)),
        ("ny-mini", {}, "P 6 in 2, B 6 in 2", "5 tie 1.05", (105, 840, 105, 0, 840)),
    ],
)  # fmt: skip
def test_the_payout_line_of_a_wager(
    table: Table, coup: Callable[[str], CoupFacts], layout: Layout, profile: str,
    settings: dict[str, object], hands: str, wager: str, amounts: tuple[int, ...],
) -> None:  # fmt: skip
    (line,) = paid(table(profile, **settings), coup(hands), layout(wager)).lines

    assert (line.stake, line.paid, line.returned, line.vigorish, line.gain) == amounts


@pytest.mark.clause("NJ-sum-novig")
@pytest.mark.clause("NJ-7.3-f-2")
@pytest.mark.clause("NJ-7.3-f-elect")
def test_a_waived_seat_pays_no_vigorish_and_its_neighbour_does(
    table: Table, coup: Callable[[str], CoupFacts], layout: Layout
) -> None:
    terms = table("nj-minibaccarat", vig_mode=VigorishMode.NONE_TOTAL_CARDS)
    wagers = layout("5 banker 10.00, 5 total_4 10.00, 4 banker 10.00, 4 total_4 9.98")

    settled = paid(terms, coup("P 3 in 3, B 6 in 2"), wagers)

    by_seat = {line.seat: line for line in settled.lines if line.kind is WagerKind.BANKER}
    assert (by_seat[5].vigorish, by_seat[4].vigorish) == (0, 50)
    assert by_seat[5].charged_by == ("NJ-sum-novig", "NJ-7.3-f-2", "NJ-7.3-f-elect")
    (step,) = [one for one in settled.steps if one.seat == 5 and one.kind is WagerKind.BANKER]
    assert {"NJ-sum-novig", "NJ-7.3-f-2"} <= set(step.clauses)


@pytest.mark.clause("NJ-3.3-e-2")
def test_the_waiver_at_the_baccarat_table(
    table: Table, coup: Callable[[str], CoupFacts], layout: Layout
) -> None:
    terms = table("nj-baccarat", vig_mode=VigorishMode.NONE_TOTAL_CARDS)
    wagers = layout("5 banker 10.00, 5 total_4 10.00")

    settled = paid(terms, coup("P 3 in 3, B 6 in 2"), wagers)

    assert settled.seat_gain(5) == 0
    assert settled.lines[0].charged_by[1] == "NJ-3.3-e-2"


def test_lines_are_ordered_from_the_highest_seat(
    table: Table, coup: Callable[[str], CoupFacts], layout: Layout
) -> None:
    wagers = layout("2 tie 1.00, 7 player 1.00, 2 banker 1.00, 7 banker 1.00")
    settled = paid(table("ny-mini"), coup("P 3 in 3, B 6 in 2"), wagers)

    assert [(line.seat, line.kind.value) for line in settled.lines] == [
        (7, "banker"),
        (7, "player"),
        (2, "banker"),
        (2, "tie"),
    ]
    assert settled.seats == (7, 2)


def test_gains_by_seat_and_of_the_house(
    table: Table, coup: Callable[[str], CoupFacts], layout: Layout
) -> None:
    wagers = layout("5 banker 100.00, 5 tie 10.00, 2 player 40.00")
    settled = paid(table("ny-mini"), coup("P 3 in 3, B 6 in 2"), wagers)

    assert settled.seat_gain(5) == 8500
    assert settled.seat_gain(2) == -4000
    assert settled.house_gain == -4500


@pytest.mark.parametrize("collection", list(VigorishCollection))
def test_vigorish_is_the_houses_whether_collected_or_marked(
    table: Table, coup: Callable[[str], CoupFacts], layout: Layout, collection: VigorishCollection
) -> None:
    terms = table("ny-mini", vig_collection=collection)
    settled = paid(terms, coup("P 3 in 3, B 6 in 2"), layout("5 banker 100.00"))

    assert settled.house_gain == -9500


@pytest.mark.clause("S42-k-4-void")
def test_a_void_coup_returns_every_stake_whole(table: Table, layout: Layout) -> None:
    terms = table("s42-mini", vig_mode=VigorishMode.TIE25)
    settled = settle(terms, void_results(terms), layout("3 banker 1.00, 5 tie 2.00"))

    assert [to_words(step.text) for step in settled.steps] == [
        "seat 5: return 2.00 on Tie",
        "seat 3: return 1.00 on Banker",
    ]
    assert {step.clauses for step in settled.steps} == {("S42-k-4-void",)}
    assert settled.house_gain == 0


def test_a_settlement_is_encoded_and_decoded(
    table: Table, coup: Callable[[str], CoupFacts], layout: Layout
) -> None:
    settled = paid(
        table("ny-mini"), coup("P 3 in 3, B 6 in 2"), layout("5 banker 1.00, 5 tie 1.00")
    )
    codec: Codec[Settlement] = Codec(Settlement)

    assert codec.decode(codec.encode(settled)) == settled


def test_a_settlement_without_wagers_is_empty(
    table: Table, coup: Callable[[str], CoupFacts]
) -> None:
    settled = paid(table("ny-mini"), coup("P 3 in 3, B 6 in 2"), ())

    assert settled == Settlement((), ())


def test_a_win_of_a_fraction_of_a_cent_fails(
    table: Table, coup: Callable[[str], CoupFacts], layout: Layout
) -> None:
    with pytest.raises(AssertionError):
        paid(table("nj-baccarat"), coup("P 8 in 2, B 6 in 2"), layout("5 total_4 1.01"))


# --- invariants ---------------------------------------------------------------------------------

PROFILES = ("ny-mini", "ny-ez", "nj-minibaccarat", "wa-mini", "house-baccarat", "s42-mini")
OWN_MODE = {"ny-ez": VigorishMode.EZ_NONE, "wa-mini": VigorishMode.COMMISSION}


def any_terms(table: Table, draw: st.DrawFn) -> Terms:
    profile = draw(st.sampled_from(PROFILES))
    terms = table(
        profile,
        vig_collection=draw(st.sampled_from(VigorishCollection)),
        vig_rounding=draw(st.sampled_from(VigorishRounding)),
        vig_rate=draw(st.integers(0, 5)),
        pay_procedure=draw(st.sampled_from(PayProcedure)),
        total_cards_require_base=draw(st.booleans()),
        bonus_requires_base=draw(st.booleans()),
    )
    modes = [VigorishMode.COMMISSION, VigorishMode.TIE25, VigorishMode.NONE_TOTAL_CARDS]
    modes += [VigorishMode.NONE_SIX] if terms.rules.none_six_odds else []
    mode = OWN_MODE.get(profile) or draw(st.sampled_from(modes))
    bonus = draw(st.booleans()) and terms.rules.dragon_bonus_table is not None
    rules = replace(
        terms.rules, vig_mode=mode, dragon_bonus=bonus, dragon_bonus_sides=tuple(HandName)
    )
    return replace(terms, rules=rules)


@st.composite
def any_wagers(draw: st.DrawFn) -> tuple[Wager, ...]:
    spots = draw(
        st.lists(st.tuples(st.integers(1, 7), st.sampled_from(WagerKind)), max_size=12, unique=True)
    )
    amounts = st.one_of(st.integers(1, 10**6), st.integers(1, 10**4).map(lambda n: n * 500))
    return tuple(Wager(seat, kind, draw(amounts)) for seat, kind in spots)


COUPS = st.builds(CoupFacts, st.integers(0, 9), st.integers(0, 9), st.just(3), st.just(3)) | (
    st.builds(CoupFacts, st.integers(0, 9), st.integers(0, 9), st.just(2), st.just(2))
)


@given(data=st.data(), facts=COUPS | st.none(), wagers=any_wagers())
def test_gains_of_house_and_seats_add_up_to_zero(
    table: Table, data: st.DataObject, facts: CoupFacts | None, wagers: tuple[Wager, ...]
) -> None:
    terms = data.draw(st.composite(lambda draw: any_terms(table, draw))())
    left = admit_wagers(terms, wagers).standing
    results = void_results(terms) if facts is None else wager_results(terms, facts)

    settled = settle(terms, results, left)

    assert settled.house_gain + sum(map(settled.seat_gain, settled.seats)) == 0
    assert all(line.paid >= 0 and line.vigorish >= 0 for line in settled.lines)
    assert len(settled.lines) == len(left)
    if facts is None:
        assert all(settled.seat_gain(seat) == 0 for seat in settled.seats)


@given(data=st.data(), facts=COUPS, wagers=any_wagers())
def test_wagers_of_one_seat_do_not_change_another_seats_payout(
    table: Table, data: st.DataObject, facts: CoupFacts, wagers: tuple[Wager, ...]
) -> None:
    terms = data.draw(st.composite(lambda draw: any_terms(table, draw))())
    left = admit_wagers(terms, wagers).standing
    together = paid(terms, facts, left)

    for seat in together.seats:
        alone = paid(terms, facts, tuple(one for one in left if one.seat == seat))
        assert alone.seat_gain(seat) == together.seat_gain(seat)
