"""The page of a coup: what a person reads, and what stays hidden.

Responsible for: the words of the page, read back from its HTML, for a coup with third cards, a tie,
an irregular one and one that nobody has seen.
Not responsible for: the files around it (test_evidence_bundle).
Source: controller/README.md, "Evidence bundle", "Disclosure".
"""

from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from controller.evidence.coup import CoupAccount, coup_account
from controller.evidence.page import page
from controller.evidence.page_sections import Proof
from controller.evidence.sealed_shoe import SealedShoe, told_by
from controller.journal.folder import read_sealed, sealed_files
from controller.profiles.load import load_clauses

PROOF = Proof("shoes/2025-11-20/0001.shoe", "ab" * 32, "none: it is the first", "01234567", "A-B")


class Read(HTMLParser):
    """The text of a page by the headings of its sections, and every tag with its attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.sections: dict[str, str] = {}
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._open: list[str] = []
        self._section = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "br"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] in ("style", "title") and "svg" not in self._open:
            return
        if self._open and self._open[-1] == "h2":
            self._section = data
            return
        said = self.sections.get(self._section, "")
        self.sections[self._section] = " ".join(f"{said} {data}".split())


@pytest.fixture(scope="session")
def shoe(disputed: Path) -> SealedShoe:
    return told_by(read_sealed(sealed_files(disputed)[0]), load_clauses())


@pytest.fixture(scope="session")
def account(shoe: SealedShoe) -> Callable[[int], CoupAccount]:
    def found(number: int) -> CoupAccount:
        coup = coup_account(shoe, number)
        assert coup is not None
        return coup

    return found


def read(coup: CoupAccount) -> Read:
    return Read(page(coup, PROOF, load_clauses()))


@pytest.fixture(scope="session")
def third_cards(account) -> dict[str, str]:
    return read(account(2)).sections


# --- a coup with third cards ----------------------------------------------------------------------


def test_the_page_says_which_coup_it_is_and_how_it_ended(third_cards) -> None:
    assert third_cards[""].startswith(
        "Coup 2 of shoe 2025-11-20/1, table M7 Table M7, gaming day 2025-11-20, shoe 1, batch not"
        " known. Over at 2025-11-21 04:00:05.100 -05:00 local time, 2025-11-21 09:00:05.100 UTC."
        " Banker wins, counted by its cards Player 6, Banker 8. No irregularity."
    )


def test_both_hands_show_their_cards_with_suits_and_counts(third_cards) -> None:
    assert third_cards["The cards"].startswith(
        "Player's Hand 2♥︎ first K♣︎ second 4♣︎ third Count 6"
        " Banker's Hand 3♦︎ first 10♠︎ second 5♦︎ third Count 8"
    )


def test_each_card_stands_in_the_order_of_drawing_with_times_and_the_clauses_of_its_rule(
    third_cards,
) -> None:
    said = third_cards["The cards"]

    assert "1 2♥︎ Player's first card Player's first card 04:00:03.300 09:00:03.300" in said
    assert "5 4♣︎ Player's third card Player's third card 04:00:04.500 09:00:04.500 S42-h-4" in said
    assert "S42-i-3-3" in said


def test_result_and_declaration_stand_side_by_side_with_their_clauses(third_cards) -> None:
    assert third_cards["The result and the rules applied"] == (
        "By the cards Banker wins, Player 6, Banker 8 Pairs none Declared by the dealer Banker wins"
        " Counts as Banker wins Rules applied S42-a-2-i , S42-a-2-ii , S42-a-3 , S42-a-3-i ,"
        " S42-j-1-final , S42-j-4"
    )


def test_wagers_stand_with_what_they_came_to_and_the_dealers_acts(third_cards) -> None:
    said = third_cards["Wagers and payment"]

    assert "3 Banker 500000.00 wins 1:1 500000.00 25000.00" in said
    assert "1 Tie 25.00 loses 0.00" in said
    assert "seat 3: collect vigorish 25000.00" in said


def test_every_clause_that_is_cited_stands_with_its_text(third_cards) -> None:
    assert "S42-j-4 Cards go to the discard rack" in third_cards["The clauses"]


def test_the_proof_is_told_in_words_for_a_person(third_cards) -> None:
    assert third_cards["How this is proved"].startswith(
        "Sealed file shoes/2025-11-20/0001.shoe Its digest abab"
    )
    assert "Short code of the day A-B" in third_cards["How this is proved"]
    assert "python3 verify.py ." in third_cards["How this is proved"]


# --- a tie ----------------------------------------------------------------------------------------


def test_a_tie_is_called_one(account) -> None:
    said = read(account(3)).sections

    assert "Tie, counted by its cards Player 7, Banker 7. No irregularity." in said[""]
    assert "Counts as Tie" in said["The result and the rules applied"]
    assert "Wagers and payment" not in said or "No wager" in said["Wagers and payment"]


def test_the_roads_are_drawn_with_words_for_who_cannot_see_them(account) -> None:
    said = read(account(3)).sections["The roads of the shoe"]

    assert said.startswith("Bead plate outcomes in order: PBTPP P B T P P")
    assert said.endswith("The frame is around coup 3.")


# --- an irregular coup ----------------------------------------------------------------------------


def test_an_irregular_coup_says_what_was_wrong_who_decided_what_and_why(account) -> None:
    said = read(account(4)).sections

    assert "No outcome counts, void by a floorperson's decision" in said[""]
    assert "1 irregularity; what was decided stands below." in said[""]
    told = said["Irregularities and decisions"]
    assert told.startswith("1. OVERDRAW A card was drawn that no hand is due")
    assert (
        "A. Floor (floorperson, known by test) decided: the coup in which play was suspended is"
        " void; what was dealt meanwhile counts. Reason: seen by me."
    ) in told


def test_a_card_drawn_in_error_that_nobody_turned_is_not_shown(account) -> None:
    coup = account(4)
    said = read(coup).sections

    assert [str(one.card) for one in coup.record.aside] == ["3c"]
    assert "In no hand ?? in error" in said["The cards"]
    assert "3c" not in " ".join(said.values())
    assert "3♣" not in " ".join(said.values())


def test_what_happened_ends_with_the_decision_that_closed_the_coup(account) -> None:
    said = read(account(4)).sections["What happened"]

    assert said.index("Player's first card: 9h") < said.index("Irregularity 1")
    assert said.index("Irregularity 1") < said.index("A. Floor (floorperson")
    assert "The coup is over: no outcome counts, void by a floorperson's decision." in said


def test_a_card_of_the_next_coup_is_no_part_of_what_happened(account) -> None:
    said = read(account(4)).sections["What happened"]

    assert said.count("Player's first card:") == 1


def test_a_coup_that_began_while_play_was_suspended_has_all_its_cards(account) -> None:
    said = read(account(5)).sections["What happened"]

    for card in ("9h", "2d", "Kc", "5s"):
        assert said.count(f": {card}") == 1


# --- what nobody has seen -------------------------------------------------------------------------


@pytest.fixture
def unseen(account) -> Read:
    """The void coup at a table that deals face down, its result not declared."""
    coup = account(4)
    record = replace(coup.record, declared=None)
    hidden = replace(coup, closed=replace(coup.closed, record=record), seen=False)
    return read(hidden)


def test_a_void_coup_that_went_away_face_down_shows_no_card_and_nothing_that_follows(
    unseen: Read,
) -> None:
    said = " ".join(unseen.sections.values())

    for shown in ("9♥", "K♣", "2♦", "5♠", ": 9h", ": Kc", "Count 9", "natural", "S42-i-1"):
        assert shown not in unseen.sections["The cards"]
        assert shown not in unseen.sections["Irregularities and decisions"]
        assert shown not in unseen.sections["The result and the rules applied"]
    assert "Nobody has seen these cards" in said


# --- the page as a file ---------------------------------------------------------------------------


def test_the_page_runs_nothing_and_asks_for_nothing(account) -> None:
    found = read(account(2))
    names = {tag for tag, _ in found.tags}

    assert names.isdisjoint({"script", "link", "img", "iframe", "object", "form", "base"})
    for _, attributes in found.tags:
        assert all(
            not name.startswith("on") and name not in ("src", "style") for name in attributes
        )
        assert (attributes.get("href") or "#").startswith("#")


def test_every_link_leads_to_a_clause_of_the_page(account) -> None:
    found = read(account(2))
    there = {attributes["id"] for _, attributes in found.tags if "id" in attributes}
    asked = {attributes["href"] for tag, attributes in found.tags if tag == "a"}

    assert {href.removeprefix("#") for href in asked if href} <= there


def test_words_of_people_cannot_become_markup(account) -> None:
    coup = account(4)
    shoe = replace(coup.shoe, heading=replace(coup.shoe.heading, table="<script>M&7"))

    html = page(replace(coup, shoe=shoe), PROOF, load_clauses())

    assert "<script>" not in html
    assert "&lt;script&gt;M&amp;7" in html


def test_a_coup_that_the_shoe_does_not_have_gives_nothing(shoe: SealedShoe) -> None:
    assert coup_account(shoe, 99) is None
