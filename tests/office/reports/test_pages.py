"""The pages of reports: well formed, self-contained, with names, without cards nobody has seen."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from controller.journal.people import PeopleFile
from controller.rules.actions.actions import CloseShoe, CorrectCoup, Resolution
from controller.rules.actions.choices import FloorDecision
from controller.rules.outcome import Outcome
from controller.rules.profiles.load import load_clauses, profile_text
from office.reports.day_folder import day_files, shoe_files
from office.reports.links import ReportLinks

COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
LAST_COUPS = (*COUP[:2], "43", *COUP[2:], *COUP)
# Player Ac 2c, Banker 4d 5d: a natural, too; then a card that nobody is due.
OTHER_CARDS = ("44 81 C1", "44 91 A4", "44 82 C2", "44 92 A5")
FACE_UP = 'deal_option = { value = "face_up", basis = ["S42-g-3-option", "S42-g-3-i"] }'
FACE_DOWN = 'deal_option = { value = "face_down_dealer", basis = ["S42-g-3-option", "S42-g-3-ii"] }'
VOID = {"br", "meta"}


class WellFormed(HTMLParser):
    """Every tag is closed in order; attributes and text are kept."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] != "style":
            self.text = " ".join(f"{self.text} {data}".split())


@pytest.fixture
def journal(script, stored_and_sealed, fast_dir: Path):
    """A journal of one shoe: a coup, a void one of these cards, and two more; one is corrected."""

    def made(name: str, voided: tuple[str, ...], *, face_down: bool = False, person="C. Lee"):
        text = profile_text("s42-mini")
        assert FACE_UP in text
        table = script(profile=text.replace(FACE_UP, FACE_DOWN) if face_down else text).begun()
        table.reported(*OPENING, *COUP, *voided, "44 83 A3")
        table.acted(Resolution(FloorDecision.VOID_COUP, second=person))
        table.acted(CorrectCoup(1, Outcome.TIE, person))
        table.reported(*LAST_COUPS)
        stored_and_sealed(fast_dir / name, table, fast_dir / f"{name}.key")
        return fast_dir / name

    return made


def test_every_page_is_well_formed_and_loads_nothing(irregular_day: Path, report_of) -> None:
    files = report_of(irregular_day)
    pages = {name: page for name, page in files.items() if name.endswith(".html")}

    assert {"day.html", "bundles.html", "shoe-1.html", "shoe-2.html"} == set(pages)
    for page in pages.values():
        parsed = WellFormed(page)
        assert not {"script", "link", "img", "iframe"} & {tag for tag, _ in parsed.tags}
        assert "default-src 'none'" in page
        assert not re.search(r"https?://(?!www\.w3\.org)", page)
        ids = [found["id"] for _, found in parsed.tags if "id" in found]
        assert len(ids) == len(set(ids))


def test_a_shoe_shows_every_coup_the_decision_the_correction_and_the_seal(
    journal, shoes_of, report_of
) -> None:
    folder = journal("journal", COUP[:4])
    text = WellFormed(report_of(folder)["shoe-1.html"]).text
    (shoe,) = shoes_of(folder)

    assert "4 coups: Player 2, Banker 0, Tie 1, without outcome 1" in text
    assert "9♥︎ K♣︎ 9" in text
    assert "Void by a floorperson's decision" in text
    assert "A. Floor (floorperson, not proved, identified by test) and C. Lee" in text
    assert "Corrected; at its end: Player wins" in text
    assert "decided: void coup, corrected coup 1" in text
    assert "A cut card left the shoe." in text
    assert "The burn is complete: 2 cards." in text
    assert shoe.seal.digest in text
    assert shoe.seal.code in text
    for road in ("Bead plate", "Big road", "Big eye boy", "Small road", "Cockroach pig"):
        assert road in text


def test_the_day_shows_what_is_owed_and_the_code(journal, shoes_of, report_of) -> None:
    folder = journal("journal", COUP[:4])
    text = WellFormed(report_of(folder)["day.html"]).text

    assert "1 shoe, 4 coups: Player 2, Banker 0, Tie 1, without outcome 1" in text
    assert "OVERDRAW" in text
    assert "work out by hand what is owed" in text
    assert shoes_of(folder)[0].seal.code in text


def without_digests(text: str) -> str:
    """The text without what every bit of the records changes."""
    text = re.sub(r"\b[0-9a-f]{16}([0-9a-f]{48})?\b", "digest", text)
    text = re.sub(r"\b([0-9a-f]{8} ){7}[0-9a-f]{8}\b", "key", text)
    return re.sub(r"\b[A-Z2-7]{5}(-[A-Z2-7]{5}){3}\b", "code", text)


def test_cards_that_nobody_has_seen_change_nothing_in_pages_and_tables(journal, report_of) -> None:
    one = report_of(journal("one", COUP[:4], face_down=True))
    other = report_of(journal("other", OTHER_CARDS, face_down=True))

    assert "??" in one["coups.csv"]
    for name, text in one.items():
        theirs = without_digests(other[name]).replace("/other", "/one")
        assert without_digests(text) == theirs, name


def test_cards_that_were_seen_are_shown(journal, report_of) -> None:
    one = report_of(journal("one", COUP[:4]))
    other = report_of(journal("other", OTHER_CARDS))

    assert without_digests(one["coups.csv"]) != without_digests(other["coups.csv"])
    assert ",4c 5c,??," in other["coups.csv"]


def test_names_are_put_in_escaped_and_in_tables_without_formula(
    script, stored_and_sealed, fast_dir: Path, journal
) -> None:
    people = fast_dir / "named"
    people.mkdir()
    person = PeopleFile(people).id_of("=<b>Lee</b>")
    folder = journal("named", COUP[:4], person=person)
    files = {name: data.decode() for name, data in day_files(folder, "", load_clauses())}

    assert "=&lt;b&gt;Lee&lt;/b&gt;" in files["shoe-1.html"]
    assert person not in files["shoe-1.html"]
    assert ",'=<b>Lee</b>," in files["irregularities.csv"]
    assert person not in files["irregularities.csv"]


def test_a_page_alone_leads_to_no_other_file(journal, shoes_of) -> None:
    (shoe,) = shoes_of(journal("journal", COUP[:4]))
    ((_, data),) = shoe_files(shoe, load_clauses(), ReportLinks("some journal"), tables=False)
    hrefs = [found["href"] for tag, found in WellFormed(data.decode()).tags if tag == "a"]

    assert hrefs
    assert all(href is not None and href.startswith("#") for href in hrefs)
    assert "--journal 'some journal'" in WellFormed(data.decode()).text


def test_a_shoe_without_coups_has_a_report(
    script, stored_and_sealed, fast_dir: Path, report_of
) -> None:
    table = script().begun().reported(*OPENING)
    table.acted(CloseShoe())
    stored_and_sealed(fast_dir / "empty", table, fast_dir / "empty.key")

    files = report_of(fast_dir / "empty")

    assert "No coup was dealt from it." in files["shoe-1.html"]
    assert "0 coups" in WellFormed(files["day.html"]).text


def test_the_outcomes_of_a_corrected_shoe_are_told_apart(journal, report_of) -> None:
    page = WellFormed(report_of(journal("journal", COUP[:4]))["shoe-1.html"]).text

    assert "4 coups: Player 2, Banker 0, Tie 1, without outcome 1" in page
    assert "Outcomes at its end Player 2, Banker 0, Tie 1, void 1" in page
