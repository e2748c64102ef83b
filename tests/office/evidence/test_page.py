"""The page of a coup: its text, and that cards nobody has seen are hidden."""

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from jinja2 import UndefinedError
from msgspec.structs import replace

from controller.journal.folder import read_sealed, sealed_files
from controller.journal.people import PeopleFile
from controller.outlets.rendering import css_string, render
from controller.rules.profiles.load import load_clauses
from office.evidence.coup import CoupAccount, coup_account
from office.evidence.page import page
from office.evidence.seal import SealProof
from office.evidence.sealed_shoe import ShoeAccount, read_shoe_account

PROOF = SealProof(
    "shoes/2025-11-20/0001.shoe", "ab" * 32, "01234567", "9 of the evidence log", "A-B"
)


class ParsedPage(HTMLParser):
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
        text = self.sections.get(self._section, "")
        self.sections[self._section] = " ".join(f"{text} {data}".split())


@pytest.fixture(scope="session")
def shoe(disputed: Path) -> ShoeAccount:
    return read_shoe_account(read_sealed(sealed_files(disputed)[0]), load_clauses())


@pytest.fixture(scope="session")
def account(shoe: ShoeAccount) -> Callable[[int], CoupAccount]:
    def found(number: int) -> CoupAccount:
        coup = coup_account(shoe, number)
        assert coup is not None
        return coup

    return found


def read(coup: CoupAccount) -> ParsedPage:
    return ParsedPage(page(coup, PROOF, load_clauses()))


@pytest.fixture(scope="session")
def third_cards(account) -> dict[str, str]:
    return read(account(2)).sections


# --- a coup with third cards ----------------------------------------------------------------------


def test_the_heading_names_the_coup_and_its_outcome(third_cards) -> None:
    assert third_cards[""].startswith(
        "Coup 2 of shoe 2025-11-20/1, table M7 Table M7, gaming day 2025-11-20, shoe 1, batch"
        " unknown. Closed at 2025-11-21 04:00:05.100 -05:00 local time, 2025-11-21 09:00:05.100"
        " UTC."
        " Banker wins, counted by its cards Player 6, Banker 8. No irregularity."
    )


def test_both_hands_show_their_cards_with_suits_and_counts(third_cards) -> None:
    assert third_cards["The cards"].startswith(
        "Player's Hand 2♥︎ first K♣︎ second 4♣︎ third Count 6"
        " Banker's Hand 3♦︎ first 10♠︎ second 5♦︎ third Count 8"
    )


def test_cards_are_listed_in_drawing_order_with_times_and_clauses(
    third_cards,
) -> None:
    text = third_cards["The cards"]

    assert "1 2♥︎ Player's first card Player's first card 04:00:03.300 09:00:03.300" in text
    assert "5 4♣︎ Player's third card Player's third card 04:00:04.500 09:00:04.500 S42-h-4" in text
    assert "S42-i-3-3" in text


def test_result_and_declaration_are_shown_with_their_clauses(third_cards) -> None:
    assert third_cards["The result and the rules applied"] == (
        "By the cards Banker wins, Player 6, Banker 8 Pairs none Declared by the dealer Banker wins"
        " Counts as Banker wins Rules applied S42-a-2-i , S42-a-2-ii , S42-a-3 , S42-a-3-i ,"
        " S42-j-1-final , S42-j-4"
    )


def test_wagers_are_shown_with_their_results_and_the_dealers_acts(third_cards) -> None:
    text = third_cards["Wagers and payment"]

    assert "3 Banker 500000.00 wins 1:1 500000.00 25000.00" in text
    assert "1 Tie 25.00 loses 0.00" in text
    assert "seat 3: collect vigorish 25000.00" in text


def test_every_cited_clause_is_listed_with_its_text(third_cards) -> None:
    assert "S42-j-4 Cards go to the discard rack" in third_cards["The clauses"]


def test_clauses_of_another_document_are_said_to_be_borrowed(shoe: ShoeAccount) -> None:
    assert shoe.document == "S42"
    coup = coup_account(replace(shoe, document="NY"), 1)
    own = coup_account(shoe, 1)
    assert coup is not None
    assert own is not None

    assert "S42-g-3-four (borrowed, X-9)" in page(coup, PROOF, load_clauses())
    assert "borrowed" not in page(own, PROOF, load_clauses())


def test_the_seal_is_described_for_a_person(third_cards) -> None:
    assert third_cards["How this is proved"].startswith(
        "Sealed file shoes/2025-11-20/0001.shoe Digest abab"
    )
    assert "Short code of the day A-B" in third_cards["How this is proved"]
    assert "python3 verify.py ." in third_cards["How this is proved"]


# --- a tie ----------------------------------------------------------------------------------------


def test_a_tie_is_shown_as_a_tie(account) -> None:
    text = read(account(3)).sections

    assert "Tie, counted by its cards Player 7, Banker 7. No irregularity." in text[""]
    assert "Counts as Tie" in text["The result and the rules applied"]
    assert "Wagers and payment" not in text or "No wager" in text["Wagers and payment"]


def test_the_roads_have_text_alternatives(account) -> None:
    text = read(account(3)).sections["The roads of the shoe"]

    assert text.startswith("Bead plate outcomes in order: PBTPP; Player pair in coup 6; natural in")
    assert "A black square marks a corrected coup" in text
    assert text.endswith("The frame is around coup 3.")


# --- an irregular coup ----------------------------------------------------------------------------


def test_an_irregularity_is_shown_with_decision_person_and_reason(account, disputed) -> None:
    text = read(account(4)).sections

    assert "No outcome counts, void by a floorperson's decision" in text[""]
    assert "1 irregularity; the decisions are below." in text[""]
    section = text["Irregularities and decisions"]
    assert section.startswith("1. OVERDRAW A card was drawn that no hand is due")
    second = PeopleFile(disputed).id_of("C. Lee")
    assert (
        f"A. Floor (floorperson, not proved, identified by test) and {second} (not"
        " proved) decided: the coup in which play was suspended is void; what was dealt meanwhile"
        " counts. Reason: seen by me."
    ) in section


def test_the_page_counts_the_decisions_of_the_shoe_by_person(account) -> None:
    assert "Decisions A. Floor: void-coup 1" in read(account(4)).sections["The shoe"]


def test_a_card_drawn_in_error_that_nobody_turned_is_not_shown(account) -> None:
    coup = account(4)
    text = read(coup).sections

    assert [str(one.card) for one in coup.record.aside] == ["3c"]
    assert "In no hand ?? in error" in text["The cards"]
    # As a word: ids of persons have hex digits, too.
    assert not re.search(r"\b3c\b", " ".join(text.values()))
    assert "3♣" not in " ".join(text.values())


def test_the_timeline_ends_with_the_decision_that_closed_the_coup(account) -> None:
    text = read(account(4)).sections["What happened"]

    assert text.index("Player's first card: 9h") < text.index("Irregularity 1")
    assert text.index("Irregularity 1") < text.index("A. Floor (floorperson")
    assert "The coup is over: no outcome counts, void by a floorperson's decision." in text


def test_a_card_of_the_next_coup_is_not_in_the_timeline(account) -> None:
    text = read(account(4)).sections["What happened"]

    assert text.count("Player's first card:") == 1


def test_a_coup_that_began_while_play_was_suspended_has_all_its_cards(account) -> None:
    text = read(account(5)).sections["What happened"]

    for card in ("9h", "2d", "Kc", "5s"):
        assert text.count(f": {card}") == 1


# --- what nobody has seen -------------------------------------------------------------------------


@pytest.fixture
def unseen(account) -> ParsedPage:
    """The void coup at a table that deals face down, its result not declared."""
    coup = account(4)
    record = replace(coup.record, declared=None)
    hidden = replace(coup, closed=replace(coup.closed, record=record), seen=False)
    return read(hidden)


def test_a_void_coup_discarded_face_down_shows_no_card_and_no_count(
    unseen: ParsedPage,
) -> None:
    text = " ".join(unseen.sections.values())

    for shown in ("9♥", "K♣", "2♦", "5♠", ": 9h", ": Kc", "Count 9", "natural", "S42-i-1"):
        assert shown not in unseen.sections["The cards"]
        assert shown not in unseen.sections["Irregularities and decisions"]
        assert shown not in unseen.sections["The result and the rules applied"]
    assert "Nobody has seen these cards" in text


# --- the page as a file ---------------------------------------------------------------------------


def test_the_page_has_no_script_and_loads_nothing(account) -> None:
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


HOSTILE = "<script>alert('M')</script>&\"{{ 7*7 }}{% raw %}</td>"


def test_text_typed_by_people_is_escaped(account) -> None:
    coup = account(4)
    heading = replace(coup.shoe.heading, table=HOSTILE, batch=HOSTILE, back=HOSTILE)
    decision = coup.raised[0].decided
    typed = replace(decision, entry=replace(decision.entry, person=HOSTILE, reason=HOSTILE))
    raised = tuple(replace(one, decided=typed) for one in coup.raised)
    shoe = replace(coup.shoe, heading=heading)
    proof = SealProof(HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE)

    html = page(replace(coup, shoe=shoe, raised=raised), proof, load_clauses())
    found = ParsedPage(html)

    assert "<script" not in html
    assert "script" not in {tag for tag, _ in found.tags}
    assert "&lt;script&gt;alert(&#39;M&#39;)&lt;/script&gt;&amp;&#34;{{ 7*7 }}" in html
    assert found.sections["The shoe"].count(HOSTILE) == 3
    assert found.sections["How this is proved"].count(HOSTILE) == 5
    assert found.sections["Irregularities and decisions"].count(HOSTILE) == 2


def test_a_hostile_clause_cannot_leave_its_link(account) -> None:
    coup = account(4)
    hostile = replace(coup, closed=replace(coup.closed, clauses=('"><script>x</script>',)))

    found = read(hostile)

    assert "script" not in {tag for tag, _ in found.tags}
    assert ("a", {"href": '#"><script>x</script>'}) in found.tags


def test_no_value_of_a_template_is_left_out_unnoticed() -> None:
    with pytest.raises(UndefinedError, match="'title' is undefined"):
        render("page.html", "office.evidence")


def test_an_unknown_coup_gives_none(shoe: ShoeAccount) -> None:
    assert coup_account(shoe, 99) is None


def test_the_title_stands_on_every_sheet_and_no_title_leaves_the_style(account) -> None:
    assert r'content: "Coup\20 ' in page(account(1), PROOF, load_clauses())
    assert css_string('M"}</style>') == r'"M\22 \7d \3c \2f style\3e "'
