"""The drawings of the roads: each mark once in its cell, text alternatives, one frame."""

from html.parser import HTMLParser

import pytest

from controller.outlets.road_drawings import BLUE, GOLD, GREEN, RED, road_drawings
from controller.rules.outcome import Outcome
from controller.rules.roads import RoadCoup, build_roads

OUTCOMES = {"P": Outcome.PLAYER, "B": Outcome.BANKER, "T": Outcome.TIE}


class ParsedDrawing(HTMLParser):
    """Every element of a drawing with its attributes, and all text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if not data.isspace():
            self.texts.append(data)

    def all(self, tag: str, **wanted: str) -> int:
        return sum(
            name == tag and all(attributes.get(key) == value for key, value in wanted.items())
            for name, attributes in self.found
        )


def drawings(text: str, coup: int = 1, marks: str = "") -> dict[str, ParsedDrawing]:
    coups = tuple(
        RoadCoup(
            number,
            OUTCOMES[letter],
            player_pair="p" in marks,
            banker_pair="b" in marks,
            natural="n" in marks,
            corrected="c" in marks,
        )
        for number, letter in enumerate(text, start=1)
    )
    return {name: ParsedDrawing(drawn) for name, drawn in road_drawings(build_roads(coups), coup)}


def test_there_are_five_roads_in_the_usual_order() -> None:
    assert list(drawings("P")) == [
        "Bead plate",
        "Big road",
        "Big eye boy",
        "Small road",
        "Cockroach pig",
    ]


def test_a_bead_has_its_letter_and_its_colour() -> None:
    drawn = drawings("PBT")["Bead plate"]

    assert drawn.texts == ["outcomes in order: PBT", "P", "B", "T"]
    assert [drawn.all("circle", fill=one) for one in (BLUE, RED, GREEN)] == [1, 1, 1]


def test_pairs_are_dots_at_their_corners() -> None:
    drawn = drawings("P", marks="pb")["Bead plate"]

    assert drawn.all("circle", cx="4", cy="4", fill=RED) == 1
    assert drawn.all("circle", cx="18", cy="18", fill=BLUE) == 1


@pytest.mark.parametrize("road", ["Bead plate", "Big road"])
def test_a_natural_is_a_dot_at_the_top_right(road: str) -> None:
    assert drawings("P", marks="n")[road].all("circle", cx="18", cy="4", fill=GOLD) == 1
    assert drawings("P")[road].all("circle", fill=GOLD) == 0


@pytest.mark.parametrize("road", ["Bead plate", "Big road", "Big eye boy"])
def test_a_corrected_coup_is_marked_with_a_square(road: str) -> None:
    assert drawings("BPPB", marks="c")[road].all("rect", fill="#111111") > 0
    assert drawings("BPPB")[road].all("rect", fill="#111111") == 0


def test_a_corrected_tie_is_marked_on_the_cell_that_carries_it() -> None:
    assert drawings("TT", marks="c")["Big road"].all("rect", fill="#111111") == 1


def test_the_marks_are_named_in_words() -> None:
    title = drawings("PB", marks="pbnc")["Bead plate"].texts[0]

    assert title == (
        "outcomes in order: PB; Player pair in coup 1, 2; Banker pair in coup 1, 2;"
        " natural in coup 1, 2; corrected in coup 1, 2"
    )


def test_several_ties_on_one_win_are_counted() -> None:
    drawn = drawings("BTT")["Big road"]

    assert drawn.texts == ["wins by streaks", "2"]
    assert drawn.all("line", stroke=GREEN) == 1


def test_ties_before_any_win_are_drawn_alone() -> None:
    drawn = drawings("T")["Big road"]

    assert drawn.all("circle") == 0
    assert drawn.all("line", stroke=GREEN) == 1


def test_a_derived_road_lists_its_colours_as_text() -> None:
    assert drawings("BPBP")["Big eye boy"].texts == ["red red"]
    assert drawings("BP")["Big eye boy"].texts == ["nothing yet"]


@pytest.mark.parametrize("road", ["Bead plate", "Big road"])
@pytest.mark.parametrize("coup", [1, 2, 3])
def test_one_place_has_a_frame(road: str, coup: int) -> None:
    assert drawings("BTP", coup)[road].all("rect") == 1


def test_a_coup_that_is_on_no_road_has_no_frame() -> None:
    assert all(drawn.all("rect") == 0 for drawn in drawings("BPBP", coup=9).values())


def test_a_long_shoe_is_as_wide_as_it_needs() -> None:
    drawn = drawings("BP" * 20)["Big road"]

    assert drawn.found[0][1]["width"] == str(40 * 22 + 2)


def test_blue_marks_have_a_class_by_which_paper_without_colour_tells_them_apart() -> None:
    """Streaks of 2, 1, 2, 3: the style sheet for print draws these dashed or hollow."""
    found = drawings("PPBTPPBBBP")

    assert found["Big road"].all("circle", r="8", **{"class": "blue"}) == 5
    assert found["Big road"].all("line", **{"class": "blue"}) == 0
    assert found["Big eye boy"].all("circle", stroke=BLUE) == found["Big eye boy"].all(
        "circle", **{"class": "blue"}
    )
    assert found["Small road"].all("circle", fill=BLUE) == found["Small road"].all(
        "circle", **{"class": "disc blue"}
    )
    assert found["Cockroach pig"].all("line", stroke=BLUE) == found["Cockroach pig"].all(
        "line", **{"class": "blue"}
    )
    assert all(
        any(BLUE in attributes.values() for _, attributes in found[name].found)
        for name in ("Big eye boy", "Small road", "Cockroach pig")
    )
