"""The five roads: grids worked by hand, and properties of every shoe.

Each grid was drawn on paper by the rules in office/evidence/README.md, "Roads". Big road:
B and P are wins, small letters wins with ties on them, t ties before any win. Derived roads:
R red, b blue.
"""

from collections.abc import Iterable
from itertools import product
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.rules.outcome import Outcome
from controller.rules.roads import ROWS, BigCell, Colour, DerivedCell, RoadCoup, Roads, build_roads

OUTCOMES = {"P": Outcome.PLAYER, "B": Outcome.BANKER, "T": Outcome.TIE}
LETTERS = {outcome: letter for letter, outcome in OUTCOMES.items()}
SHOES = st.lists(st.sampled_from(sorted(OUTCOMES)), max_size=80).map("".join)


def dealt(text: str) -> tuple[RoadCoup, ...]:
    return tuple(RoadCoup(number, OUTCOMES[letter]) for number, letter in enumerate(text, start=1))


def roads(text: str) -> Roads:
    return build_roads(dealt(text))


def grid(cells: Iterable[tuple[int, int, str]]) -> str:
    """Six rows of letters, a point for an empty cell."""
    at = {(column, row): letter for column, row, letter in cells}
    width = 1 + max((column for column, _ in at), default=-1)
    return "\n".join(
        "".join(at.get((column, row), ".") for column in range(width)) for row in range(ROWS)
    )


def bead_plate(text: str) -> str:
    beads = roads(text).bead_plate
    return grid((one.column, one.row, LETTERS[one.played.outcome]) for one in beads)


def big_road(text: str) -> str:
    return grid((one.column, one.row, big_letter(one)) for one in roads(text).big_road)


def big_letter(cell: BigCell) -> str:
    if cell.won is None:
        return "t"
    letter = LETTERS[cell.won.outcome]
    return letter.lower() if cell.ties else letter


def derived(cells: tuple[DerivedCell, ...]) -> str:
    return grid((one.column, one.row, "R" if one.colour is Colour.RED else "b") for one in cells)


def colours(cells: tuple[DerivedCell, ...]) -> str:
    return "".join("R" if one.colour is Colour.RED else "b" for one in cells)


# --- bead plate -----------------------------------------------------------------------------------


def test_the_bead_plate_has_every_coup_column_by_column() -> None:
    assert bead_plate("BPTBBPPT") == "BP\nPT\nT.\nB.\nB.\nP."


def test_a_bead_keeps_the_pairs_of_its_coup() -> None:
    tied = RoadCoup(1, Outcome.TIE, player_pair=True, banker_pair=True)

    assert build_roads((tied,)).bead_plate[0].played == tied


def test_a_coup_of_which_no_pair_is_known_has_none_on_the_bead_plate() -> None:
    (bead,) = build_roads((RoadCoup(1, Outcome.BANKER),)).bead_plate

    assert (bead.played.player_pair, bead.played.banker_pair) == (False, False)


# --- big road -------------------------------------------------------------------------------------


def test_each_streak_has_a_column() -> None:
    assert big_road("BBPBPPP") == "BPBP\nB..P\n...P\n....\n....\n...."


def test_a_tie_is_marked_on_the_preceding_win() -> None:
    assert big_road("BTTBPT") == "bp\nB.\n..\n..\n..\n.."
    assert [len(cell.ties) for cell in roads("BTTBPT").big_road] == [2, 0, 1]


def test_ties_before_the_first_win_are_marked_on_it() -> None:
    assert big_road("TTP") == "p\n.\n.\n.\n.\n."


def test_a_shoe_of_ties_marks_the_first_cell() -> None:
    assert big_road("TT") == "t\n.\n.\n.\n.\n."


def test_a_streak_of_more_than_six_turns_right() -> None:
    assert big_road("BBBBBBBBP") == "BP.\nB..\nB..\nB..\nB..\nBBB"


def test_a_streak_above_a_tail_turns_right_in_its_own_row() -> None:
    assert big_road("BBBBBBBB" + "PPPPPPP" + "B") == "BPB.\nBP..\nBP..\nBP..\nBPPP\nBBB."


def test_three_stacked_dragon_tails() -> None:
    shoe = "B" * 9 + "P" * 8 + "B" * 7

    assert big_road(shoe) == "BPB...\nBPB...\nBPB...\nBPBBBB\nBPPPP.\nBBBB.."


def test_a_tail_in_the_first_row_shifts_the_next_column() -> None:
    # Five tails leave only the first row of the columns beside them.
    tails = "B" * 30 + "P" * 29 + "B" * 28 + "P" * 27 + "B" * 26

    assert big_road(f"{tails}PPPB").splitlines()[0] == "BPBPBPPPB" + "." * 20


# --- derived roads --------------------------------------------------------------------------------

# Streaks of 2, 1, 8, 7, 1, 3, 2 and 1.
LONG = "BBPBBBBBBBBTPPPPPPPBPPPBBP"


def test_big_eye_boy_compares_one_column_back() -> None:
    assert colours(roads(LONG).big_eye_boy) == "bb" + "RRRRRR" + "b" + "RRRRRR" + "bbb" + "RbRb"
    assert derived(roads(LONG).big_eye_boy) == (
        "bRbRbRbRb\nbR.Rb....\n.R.Rb....\n.R.R.....\n.R.R.....\n.R.R....."
    )


def test_the_small_road_compares_two_columns_back() -> None:
    marks = colours(roads(LONG).small_road)

    assert marks == "RbRRRRR" + "bbRRRRR" + "b" + "bRR" + "bb" + "b"
    assert derived(roads(LONG).small_road) == (
        "RbRbRbRb\n..RbRbRb\n..R.R..b\n..R.R...\n..R.R...\n........"
    )


def test_the_cockroach_pig_compares_three_columns_back() -> None:
    marks = colours(roads(LONG).cockroach_pig)

    assert marks == "RbRRRR" + "b" + "RRR" + "bR" + "b"
    assert derived(roads(LONG).cockroach_pig) == (
        "RbRbRbRb\n..R.R...\n..R.R...\n..R.....\n........\n........"
    )


def test_an_alternating_shoe_is_all_red() -> None:
    assert derived(roads("BP" * 5).big_eye_boy) == "R..\nR..\nR..\nR..\nR..\nRRR"


@pytest.mark.parametrize(
    ("shoe", "road", "first"),
    [
        ("BPP", "big_eye_boy", 3),
        ("BPB", "big_eye_boy", 3),
        ("BPBB", "small_road", 4),
        ("BPBP", "small_road", 4),
        ("BPBPP", "cockroach_pig", 5),
        ("BPBPB", "cockroach_pig", 5),
    ],
)
def test_the_first_mark_of_a_derived_road(shoe: str, road: str, first: int) -> None:
    before = roads(shoe[:-1])
    after = roads(shoe)

    assert getattr(before, road) == ()
    assert [one.coup for one in getattr(after, road)] == [first]


# --- every shoe -----------------------------------------------------------------------------------


@given(SHOES)
def test_cells_are_unique_and_within_the_rows(shoe: str) -> None:
    for road in (
        roads(shoe).bead_plate,
        roads(shoe).big_road,
        roads(shoe).big_eye_boy,
        roads(shoe).small_road,
        roads(shoe).cockroach_pig,
    ):
        places = [(cell.column, cell.row) for cell in road]

        assert len(places) == len(set(places))
        assert all(0 <= row < ROWS and column >= 0 for column, row in places)


@given(SHOES)
def test_every_coup_is_marked_once(shoe: str) -> None:
    found = roads(shoe)
    on_big_road = [
        one.coup
        for cell in found.big_road
        for one in (*cell.ties, *([cell.won] if cell.won is not None else []))
    ]

    assert [bead.played.coup for bead in found.bead_plate] == list(range(1, len(shoe) + 1))
    assert sorted(on_big_road) == list(range(1, len(shoe) + 1))


@given(SHOES)
def test_ties_change_no_cell_and_no_derived_road(shoe: str) -> None:
    def without_numbers(found: Roads) -> tuple[object, ...]:
        places = [(one.column, one.row) for one in found.big_road if one.won is not None]
        derived_roads = (found.big_eye_boy, found.small_road, found.cockroach_pig)
        return places, [[(c.column, c.row, c.colour) for c in road] for road in derived_roads]

    assert without_numbers(roads(shoe)) == without_numbers(roads(shoe.replace("T", "")))


@given(SHOES)
def test_each_win_adds_one_mark_to_each_derived_road(shoe: str) -> None:
    wins = shoe.replace("T", "")
    column_of = [0] * len(wins)
    for number in range(1, len(wins)):
        column_of[number] = column_of[number - 1] + (wins[number] != wins[number - 1])
    found = roads(shoe)

    for back, road in ((1, found.big_eye_boy), (2, found.small_road), (3, found.cockroach_pig)):
        heads = sum(column > back for column in set(column_of))
        others = sum(column >= back for column in column_of) - sum(
            column >= back for column in set(column_of)
        )
        assert len(road) == heads + others


@given(SHOES, st.sampled_from("BPT"))
def test_another_coup_moves_no_existing_mark(shoe: str, more: str) -> None:
    before, after = roads(shoe), roads(shoe + more)

    assert after.bead_plate[: len(before.bead_plate)] == before.bead_plate
    assert after.big_eye_boy[: len(before.big_eye_boy)] == before.big_eye_boy
    assert after.small_road[: len(before.small_road)] == before.small_road
    assert after.cockroach_pig[: len(before.cockroach_pig)] == before.cockroach_pig


# --- a second keeper of the roads -----------------------------------------------------------------
#
# Keeps the boards as a person at the table does: one coup after the other, a finger on the last
# mark, and derived colours by asking the road, not by lengths of streaks.


class KeptBoard:
    """A board of six rows: a mark like the last one goes below it, another one to a new column."""

    def __init__(self) -> None:
        self.marks: dict[tuple[int, int], str] = {}
        self._last = ""
        self._head, self._column, self._row, self._aside = -1, 0, 0, False

    def mark(self, letter: str) -> None:
        if letter != self._last:
            self._head += 1
            while (self._head, 0) in self.marks:
                self._head += 1
            self._column, self._row, self._aside = self._head, 0, False
        elif not self._aside and self._row < 5 and (self._column, self._row + 1) not in self.marks:
            self._row += 1
        else:
            self._column, self._aside = self._column + 1, True
        self._last = letter
        self.marks[self._column, self._row] = letter


class Keeper:
    """All boards of a shoe but the bead plate; `columns` are the streaks, as long as they are."""

    def __init__(self, shoe: str) -> None:
        self.big_road = KeptBoard()
        self.derived = {back: KeptBoard() for back in (1, 2, 3)}
        self.columns: list[list[str]] = []
        for letter in shoe.replace("T", ""):
            if self.columns and self.columns[-1][0] == letter:
                self.columns[-1].append(letter)
            else:
                self.columns.append([letter])
            self.big_road.mark(letter)
            for back, board in self.derived.items():
                if colour := self.colour(len(self.columns) - 1, len(self.columns[-1]) - 1, back):
                    board.mark(colour)

    def colour(self, column: int, row: int, back: int) -> str:
        """The colour that a mark there asks for; empty where the road has not begun."""
        if row == 0:
            # Had the streak before gone on instead, its colour would be the other one.
            asked = column and self.colour(column - 1, len(self.columns[column - 1]), back)
            return {"R": "b", "b": "R"}.get(asked or "", "")
        if column < back:
            return ""
        beside, above = (len(self.columns[column - back]) > one for one in (row, row - 1))
        return "R" if beside == above else "b"


def letters(cells: tuple[DerivedCell, ...]) -> dict[tuple[int, int], str]:
    return {(one.column, one.row): "R" if one.colour is Colour.RED else "b" for one in cells}


def check_with_the_keeper(shoe: str) -> None:
    kept, drawn = Keeper(shoe), roads(shoe)
    wins = [one for one in drawn.big_road if one.won is not None]
    assert {(one.column, one.row): big_letter(one).upper() for one in wins} == kept.big_road.marks
    assert letters(drawn.big_eye_boy) == kept.derived[1].marks
    assert letters(drawn.small_road) == kept.derived[2].marks
    assert letters(drawn.cockroach_pig) == kept.derived[3].marks


def alternating(lengths: list[int]) -> str:
    """Streaks of these lengths, of Banker and Player in turn."""
    return "".join("BP"[number % 2] * length for number, length in enumerate(lengths))


@given(SHOES)
def test_a_keeper_who_asks_the_road_draws_the_same_boards(shoe: str) -> None:
    check_with_the_keeper(shoe)


@given(st.lists(st.integers(1, 14), max_size=14).map(alternating))
def test_a_keeper_draws_the_same_tails_where_they_meet(shoe: str) -> None:
    check_with_the_keeper(shoe)


def test_a_keeper_draws_the_same_first_marks_of_every_short_shoe() -> None:
    for length in range(9):
        for sides in product("BP", repeat=length):
            check_with_the_keeper("".join(sides))


# --- naturals and corrections ---------------------------------------------------------------------


def test_a_bead_and_a_win_keep_their_natural_and_their_correction() -> None:
    won = RoadCoup(1, Outcome.PLAYER, natural=True, corrected=True)
    tied = RoadCoup(2, Outcome.TIE, natural=True)

    drawn = build_roads((won, tied))

    assert [one.played for one in drawn.bead_plate] == [won, tied]
    assert (drawn.big_road[0].won, drawn.big_road[0].ties) == (won, (tied,))


def test_a_derived_mark_of_a_corrected_coup_is_marked() -> None:
    coups = [RoadCoup(one.coup, one.outcome, corrected=one.coup == 4) for one in dealt("BPPBBP")]

    assert [(one.coup, one.corrected) for one in build_roads(coups).big_eye_boy] == [
        (3, False),
        (4, True),
        (5, False),
        (6, False),
    ]


# --- the patterns that scoreboards are read for ---------------------------------------------------
#
# Players of Macau and Hong Kong call these shapes by names that guides to the roads publish, with
# what each is: 好路 at pk10play168.com/?p=940 has most of these, and the tie that breaks no run.
# Each road was worked from the lengths of the streaks, which stand beside the name: the colour of
# the first win of a streak says whether the streak before is as long as the one it is compared
# with; that of a later win is blue where the compared streak ended just one row above.


class Pattern(NamedTuple):
    """Coups in their order, and the five roads; grids as their rows that are not empty."""

    shoe: str
    bead_plate: tuple[str, ...]
    big_road: tuple[str, ...]
    big_eye_boy: str
    small_road: str
    cockroach_pig: str


PATTERNS = {
    # 單跳; streaks of 1.
    "single chop": Pattern(
        "BPBPBPBP",
        ("BB", "PP", "B.", "P.", "B.", "P."),
        ("BPBPBPBP",),
        "RRRRRR",
        "RRRRR",
        "RRRR",
    ),
    # 雙跳; 2, 2, 2, 2.
    "double chop": Pattern(
        "BBPPBBPP",
        ("BP", "BP", "P.", "P.", "B.", "B."),
        ("BPBP", "BPBP"),
        "R" + "RR" + "RR",
        "R" + "RR",
        "R",
    ),
    # 三跳; 3, 3, 3.
    "triple chop": Pattern(
        "BBBPPPBBB",
        ("BB", "BB", "BB", "P.", "P.", "P."),
        ("BPB", "BPB", "BPB"),
        "RR" + "RRR",
        "RR",
        "",
    ),
    # 一廳兩房; 1, 2, 1, 2, 1, 2.
    "one hall, two rooms": Pattern(
        "BPPBPPBPP",
        ("BB", "PP", "PP", "B.", "P.", "P."),
        ("BPBPBP", ".P.P.P"),
        "b" + "b" + "bb" + "b" + "bb",
        "RR" + "R" + "RR",
        "b" + "b" + "bb",
    ),
    # 兩房一廳; 2, 1, 2, 1, 2.
    "two rooms, one hall": Pattern(
        "BBPBBPBB",
        ("BB", "BB", "P.", "B.", "B.", "P."),
        ("BPBPB", "B.B.B"),
        "bb" + "b" + "bb",
        "R" + "R" + "RR",
        "bb",
    ),
    # 逢閒跳: Player wins once at a time; 3, 1, 2, 1, 4.
    "Player chops": Pattern(
        "BBBPBBPBBBB",
        ("BP", "BB", "BB", "PB", "BB", "B."),
        ("BPBPB", "B.B.B", "B...B", "....B"),
        "bb" + "b" + "bbRR",
        "R" + "b" + "RRbR",
        "bbRR",
    ),
    # 樓梯: each streak one longer than the one before; 1, 2, 3, 4.
    "stairs": Pattern(
        "BPPBBBPPPP",
        ("BP", "PP", "PP", "BP", "B.", "B."),
        ("BPBP", ".PBP", "..BP", "...P"),
        "b" + "bRb" + "bRRb",
        "bR" + "bRbR",
        "bRR",
    ),
    # 長龍: a streak that turns right below the sixth row; 10, 2.
    "long dragon": Pattern(
        "BBBBBBBBBBPP",
        ("BB", "BB", "BB", "BB", "BP", "BP"),
        ("BP...", "BP...", "B....", "B....", "B....", "BBBBB"),
        "R",
        "",
        "",
    ),
    # 雙龍: the second turns right above the tail of the first; 7, 7.
    "two dragons": Pattern(
        "BBBBBBBPPPPPPP",
        ("BBP", "BPP", "BP.", "BP.", "BP.", "BP."),
        ("BP..", "BP..", "BP..", "BP..", "BPPP", "BB.."),
        "RRRRRR",
        "",
        "",
    ),
    # 和: ties before the first win and on wins change no streak; 2, 2, 1.
    "ties among wins": Pattern(
        "TBTBPTPTB",
        ("TP", "BT", "TB", "B.", "P.", "T."),
        ("bpB", "Bp."),
        "R" + "R",
        "",
        "",
    ),
    # 長莊 in the guide's own example, 莊莊莊和莊莊: a tie breaks no run; 5.
    "long Banker through a tie": Pattern(
        "BBBTBB",
        ("B", "B", "B", "T", "B", "B"),
        ("B", "B", "b", "B", "B"),
        "",
        "",
        "",
    ),
    # 拍拍黐: neighbours of two and more; 2, 3, 2, 4.
    "side by side": Pattern(
        "BBPPPBBPPPP",
        ("BB", "BP", "PP", "PP", "PP", "B."),
        ("BPBP", "BPBP", ".P.P", "...P"),
        "Rb" + "bR" + "bRbR",
        "R" + "RRRb",
        "RbR",
    ),
    # 斷龍: a dragon ends, and the next streak is short; 6, 1, 6, 1.
    "broken dragon": Pattern(
        "PPPPPPBPPPPPPB",
        ("PBP", "PPB", "PP.", "PP.", "PP.", "PP."),
        ("PBPB", "P.P.", "P.P.", "P.P.", "P.P.", "P.P."),
        "bbRRRR" + "b",
        "RRRRR" + "R",
        "",
    ),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_a_published_pattern_has_the_roads_worked_by_hand(name: str) -> None:
    pattern = PATTERNS[name]
    drawn = roads(pattern.shoe)
    assert filled(bead_plate(pattern.shoe)) == pattern.bead_plate
    assert filled(big_road(pattern.shoe)) == pattern.big_road
    assert colours(drawn.big_eye_boy) == pattern.big_eye_boy
    assert colours(drawn.small_road) == pattern.small_road
    assert colours(drawn.cockroach_pig) == pattern.cockroach_pig


def filled(grid: str) -> tuple[str, ...]:
    """The rows of a grid down to the last that is not empty."""
    rows = grid.splitlines()
    while rows and not rows[-1].strip("."):
        rows.pop()
    return tuple(rows)


def test_a_correction_turns_one_pattern_into_the_other_and_is_marked() -> None:
    """B B P P B B, its fourth coup corrected from Player to a natural of Banker: B B P B B B."""
    shoe = [RoadCoup(number, OUTCOMES[one]) for number, one in enumerate("BBPPBB", start=1)]
    assert colours(build_roads(shoe).big_eye_boy) == "RRR"

    shoe[3] = RoadCoup(4, Outcome.BANKER, natural=True, corrected=True)
    corrected = build_roads(shoe)

    assert [(one.column, one.row) for one in corrected.big_road] == [
        *((0, 0), (0, 1), (1, 0), (2, 0), (2, 1), (2, 2)),
    ]
    # Streaks of 2, 1, 3: the third begins unlike, goes past the second, and goes on beside none.
    assert colours(corrected.big_eye_boy) == "bbR"
    assert colours(corrected.small_road) == "Rb"
    fourth = corrected.bead_plate[3].played
    assert (fourth.outcome, fourth.natural, fourth.corrected) == (Outcome.BANKER, True, True)
    assert [one.won.corrected for one in corrected.big_road if one.won] == [
        *(False, False, False, True, False, False),
    ]
