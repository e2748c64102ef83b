"""The batch file: reading, refusals and canonical text."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from controller.custody.manifest import ManifestCard, ManifestError, build_manifest
from controller.custody.manifest_csv import (
    BatchSheet,
    heading_problem,
    read_manifest,
    read_sheet,
    write_manifest,
    write_sheet,
)
from controller.rules.cards import Card, Rank, Suit
from controller.system.messages.catalogue import to_words

HEAD = "# batch = RED-0001\n# back = red\n# decks = 1\ntag,rank,suit,deck\n"
QUEEN = Card.parse("Qd")


def deck_of(number: int) -> tuple[ManifestCard, ...]:
    faces = [Card(rank, suit) for suit in Suit for rank in Rank]
    return tuple(
        ManifestCard(f"E004{number:02X}{place:010X}", card, number)
        for place, card in enumerate(faces)
    )


def problems(text: str) -> tuple[str, ...]:
    with pytest.raises(ManifestError) as refused:
        read_sheet(text)
    return tuple(map(to_words, refused.value.problems))


def test_a_manifest_is_written_by_deck_and_tag() -> None:
    cut = ManifestCard("E004000000000001", None, 0)
    manifest = build_manifest("RED-0001", "red", 2, (*reversed(deck_of(2)), *deck_of(1), cut))

    lines = write_manifest(manifest).splitlines()

    assert lines[:6] == [
        "# batch = RED-0001",
        "# back = red",
        "# decks = 2",
        "tag,rank,suit,deck",
        "E004000000000001,cut,,0",
        "E004010000000000,A,D,1",
    ]
    assert lines[-1] == "E004020000000033,K,H,2"
    assert len(lines) == 4 + 1 + 2 * 52


def test_a_written_manifest_is_read_back() -> None:
    cut = ManifestCard("E004000000000001", None, 0)
    manifest = build_manifest(
        "BLUE.7_a-b", "dark-blue", 3, (*deck_of(1), *deck_of(2), *deck_of(3), cut)
    )

    assert read_manifest(write_manifest(manifest)) == manifest


def test_files_of_other_programs_are_read() -> None:
    text = (
        "\ufeff# from the maker\r\n#decks=1\r\n\r\n# batch =  RED-0001 \r\n# back = red\r\n"
        "Tag, Rank ,suit,deck\r\n\r\ne00401500000002a, q ,d,1\r\nE00401500000002B,10,H,01\r\n"
        "E00401500000002C,CUT,,0\r\n\r\n"
    )

    assert read_sheet(text) == BatchSheet(
        "RED-0001",
        "red",
        1,
        (
            ManifestCard("E00401500000002A", QUEEN, 1),
            ManifestCard("E00401500000002B", Card.parse("10h"), 1),
            ManifestCard("E00401500000002C", None, 0),
        ),
    )


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("E0,Q,D", "line 5, there are 3 columns. Allowed: tag,rank,suit,deck. Remedy: "),
        ("XY,Q,D,1", "line 5, column 1 (tag): 'XY'. Allowed: the bytes of a tag in hex"),
        ("E,Q,D,1", "line 5, column 1 (tag): 'E'. "),
        (",Q,D,1", "line 5, column 1 (tag): ''. "),
        ("E0,1,D,1", "line 5, column 2 (rank): '1'. Allowed: A, 2, 3, 4, 5, 6, 7, 8, 9, 10, J"),
        ("E0,Q,\u017f,1", "line 5, column 3 (suit): '\u017f'. "),
        ("E0,Q,X,1", "line 5, column 3 (suit): 'X'. Allowed: D, C, S, H. Remedy: correct it"),
        ("E0,cut,D,0", "line 5, column 3 (suit): 'D'. Allowed: nothing, as a cut card has no suit"),
        ("E0,Q,D,256", "line 5, column 4 (deck): '256'. Allowed: the number of a deck"),
        ("E0,Q,D,-1", "line 5, column 4 (deck): '-1'. "),
        ("E0,Q,D,0", "line 5, column 4 (deck): '0'. Allowed: 1 or more. "),
        ("E0,cut,,1", "line 5, column 4 (deck): '1'. Allowed: 0, as a cut card has no deck. "),
    ],
)
def test_an_invalid_row_is_reported_with_line_and_column(row: str, expected: str) -> None:
    (problem,) = problems(HEAD + row)

    assert problem.startswith(expected)


def test_all_problems_are_reported_at_once() -> None:
    found = problems("# batch = a/b\n# decks = none\ntags\nE0,1,X,?\nE1,2\n")

    assert [problem.split(":")[0].split(",")[0] for problem in found] == [
        *("line 1", "line 2", "line 3", "line 4", "line 4", "line 4", "line 5", "heading"),
    ]


def test_a_repeated_tag_is_reported_with_both_lines() -> None:
    (problem,) = problems(HEAD + "E0AA,Q,D,1\ne0aa,K,D,1\n")

    assert problem.startswith("line 6, column 1 (tag): e0aa is in line 5 already. ")


def test_a_repeated_heading_is_refused() -> None:
    assert problems("# back = blue\n" + HEAD) == (
        "line 3, # back is repeated. Remedy: keep one of the lines",
    )


def test_an_empty_file_lists_what_is_missing() -> None:
    assert len(problems("")) == 4


def test_an_incomplete_batch_is_refused() -> None:
    rows = "".join(f"{one.tag},{str(one.card)[:-1]},{str(one.card)[-1]},1\n" for one in deck_of(1))

    with pytest.raises(ManifestError, match="card_missing_of_deck"):
        read_manifest((HEAD + rows).replace(",Q,d,", ",J,d,"))


def test_a_long_cell_is_cut_short() -> None:
    (problem,) = problems(HEAD + "E0,Q," + "D" * 1000 + ",1")

    assert len(problem) < 150


@pytest.mark.parametrize(
    ("name", "value", "good"),
    [
        ("batch", "RED-0001", True),
        ("batch", "a" * 64, True),
        ("batch", "a" * 65, False),
        ("batch", ".hidden", False),
        ("batch", "a/b", False),
        ("batch", "", False),
        ("back", "dark-blue", True),
        ("back", "dark blue", False),
        ("back", "red,", False),
        ("decks", "1", True),
        ("decks", "255", True),
        ("decks", "0", False),
        ("decks", "256", False),
        ("decks", "٣", False),
    ],
)
def test_allowed_values_of_the_heading(name: str, value: str, good: bool) -> None:
    assert (heading_problem(name, value) is None) is good


TAGS = st.binary(min_size=1, max_size=8).map(lambda data: data.hex().upper())
FACES = st.builds(Card, st.sampled_from(Rank), st.sampled_from(Suit))
CARDS = st.lists(
    st.one_of(
        st.builds(ManifestCard, TAGS, FACES, st.integers(1, 255)),
        st.builds(ManifestCard, TAGS, st.none(), st.just(0)),
    ),
    unique_by=lambda one: one.tag,
    max_size=20,
)


@given(CARDS, st.integers(1, 255))
def test_any_cards_are_read_back(cards: list[ManifestCard], decks: int) -> None:
    ordered = tuple(sorted(cards, key=lambda one: (one.deck, one.tag)))
    sheet = BatchSheet("B-1", "red", decks, ordered)

    assert read_sheet(write_sheet(sheet)) == sheet


PIECES = st.sampled_from(
    (
        *("# batch = B\n", "# back = red\n", "# decks = 1\n", "tag,rank,suit,deck\n"),
        *("E0,A,D,1\n", "E1", "cut", "A", "D", "1", "#", "=", ",", '"'),
        *("\n", "\r", "\0", "\x85", "\ufeff", "²"),
    )
)


@given(st.one_of(st.text(), st.lists(PIECES).map("".join)))
@example(HEAD + "E0,\u017f,ß,²\n")
def test_any_text_is_read_or_refused_with_positions(text: str) -> None:
    try:
        problems = read_sheet(text) and ()
    except ManifestError as refused:
        problems = refused.problems

    places = ("line ", "heading: ", "there is no line ")
    assert all(to_words(problem).startswith(places) for problem in problems)
