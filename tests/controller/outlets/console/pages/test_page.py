"""The operator page and the patrons' display: what each state shows, and what none may show."""

import re
from html.parser import HTMLParser

import pytest
from msgspec import Struct
from msgspec.structs import replace

from controller.custody.batch_life.stages import BatchStage
from controller.outlets.console.pages.labels import LABELS
from controller.outlets.console.pages.page import (
    CSRF_PLACE,
    PARTS,
    Viewer,
    render_actions,
    render_page,
    render_parts,
    render_patrons,
    render_sign_on,
)
from controller.procedure.rulebook import ObservableFact
from controller.record.build import build_snapshot
from controller.record.coup import CoupList
from controller.record.snapshot import Health, RunFacts, Snapshot, Withheld
from controller.rules.actions.actions import ACTIONS, CorrectCoup
from controller.rules.actions.choices import FloorDecision, LayoutPart, Provisional
from controller.rules.actions.declaration import Role
from controller.rules.outcome import Outcome
from controller.system.messages.catalogue import languages, speaking
from drivers.events import Stage

OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
# Player 9h Kc, Banker 2d 5s: a natural against seven; then a third card for Player: 3s.
PLAYER_WINS = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
OVERDRAW = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "44 83 A3")
FLOORPERSON = Viewer(role=Role.FLOORPERSON, person="Ann Lee", accounts=True, people=("Ann Lee",))
DEALER = Viewer(role=Role.DEALER, person="Di", accounts=True)
SURVEILLANCE = Viewer(role=Role.SURVEILLANCE, person="Sam", accounts=True)
NOBODY = Viewer()


@pytest.fixture
def table(script):
    facts = (ObservableFact.RESULT_BUTTON, ObservableFact.NO_MORE_BETS)
    return script(observed=facts).begun()


def shown(table) -> Snapshot:
    coups = CoupList().take(table.entries, face_up=True).coups
    return build_snapshot(table.core, table.state, RunFacts(coups=coups))


class Text(HTMLParser):
    """The words of a page, with those of labels and titles for screen readers."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append((tag, found))
        self.words += [found[name] or "" for name in ("aria-label", "title") if name in found]

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def read(html: str) -> Text:
    text = Text()
    text.feed(html)
    return text


def words(html: str) -> str:
    return " ".join(" ".join(read(html).words).split())


def controls(html: str) -> set[str]:
    """The actions of the forms of a part, with their decisions."""
    return {
        str(attrs["value"])
        for tag, attrs in read(html).tags
        if tag == "input" and attrs.get("name") in ("action", "decision")
    }


# --- what is due ----------------------------------------------------------------------------------


def test_before_a_coup_the_call_is_due_and_can_be_made(table) -> None:
    table.reported(*OPENING)
    parts = render_parts(shown(table), NOBODY)
    assert "no more bets" in words(parts["due"])
    assert "no more bets" in words(parts["calls"])
    assert controls(parts["prompts"]) == {"no-more-bets"}


def test_a_call_that_nobody_reports_has_no_button(script) -> None:
    table = script(observed=()).begun()
    table.reported(*OPENING)
    assert controls(render_parts(shown(table), NOBODY)["prompts"]) == set()


def test_both_hands_have_their_cards_and_counts(table) -> None:
    table.reported(*OPENING, *PLAYER_WINS[:-1])
    hands = words(render_parts(shown(table), NOBODY)["hands"])
    assert "nine of hearts" in hands
    assert re.search(r"Player natural .*Point count 9 .*Banker .*Point count 7", hands)


def test_the_winner_of_the_last_coup_is_marked(table) -> None:
    table.reported(*OPENING, *PLAYER_WINS)
    parts = render_parts(shown(table), NOBODY)
    assert "Coup 1: Player wins" in words(parts["hands"])
    assert "1 Player" in words(parts["coups"])
    assert "outcomes in order: P" in words(parts["roads"])


# --- an irregularity ------------------------------------------------------------------------------


def test_an_overdraw_takes_the_screen(table) -> None:
    table.reported(*OPENING, *OVERDRAW)
    part = render_parts(shown(table), FLOORPERSON)["irregularity"]
    assert 'role="alertdialog"' in part
    text = words(part)
    assert "a card was drawn that no hand is due" in text
    assert "adding the card to either hand" in text  # forbidden
    assert "hold it face down; the cards held are dealt first in the next hand" in text  # permitted
    assert "1 card drawn in error set aside" in text  # done
    assert "S42-k-1-carry" in text
    assert controls(part) == {"resolve", "carry-card", "burn-card", "close-shoe"}


def test_what_happened_several_times_is_said_once(table) -> None:
    """The decision stays in view, however many cards leave the shoe while the table stands."""
    table.reported(*OPENING, *OVERDRAW)
    snapshot = shown(table)
    first = next(one for one in snapshot.irregularities if one.suspends)
    again = (replace(first, number=7), replace(first, number=8, coup=2), replace(first, number=9))
    part = render_parts(replace(snapshot, irregularities=(first, *again)), NOBODY)["irregularity"]
    title = "a card was drawn that no hand is due"
    assert words(part).count(title) == 2
    assert f"{title} Coup 1 \N{MULTIPLICATION SIGN} 3" in words(part)
    ids = [attrs["id"] for _, attrs in read(part).tags if "id" in attrs]
    assert len(ids) == len(set(ids))


def test_while_it_stands_no_prompt_is_left(table) -> None:
    table.reported(*OPENING, *OVERDRAW)
    parts = render_parts(shown(table), FLOORPERSON)
    assert controls(parts["prompts"]) == controls(parts["duties"]) == set()


def test_who_may_not_decide_is_shown_who_does(table) -> None:
    table.reported(*OPENING, *OVERDRAW)
    part = render_parts(shown(table), SURVEILLANCE)["irregularity"]
    assert controls(part) == set()
    assert "A floorperson decides" in words(part)


@pytest.mark.parametrize("reports", [(), OPENING, (*OPENING, *OVERDRAW[:3])])
def test_surveillance_has_no_button_at_all(table, reports: tuple[str, ...]) -> None:
    table.reported(*reports)
    parts = render_parts(shown(table), SURVEILLANCE)
    assert {action for part in parts.values() for action in controls(part)} == set()


@pytest.mark.parametrize("role", [None, Role.DEALER])
def test_at_the_table_the_decision_asks_who_decides(table, role: Role | None) -> None:
    """A floorperson decides while a dealer is signed on, and nobody has to sign off for it."""
    table.reported(*OPENING, *OVERDRAW)
    viewer = Viewer(role=role, accounts=True, people=("Ann Lee", "Bo Chu"))
    part = render_parts(shown(table), viewer)["irregularity"]
    names = {attrs.get("name") for tag, attrs in read(part).tags if tag in ("input", "select")}
    assert names >= {"by", "pin", "reason", "second", "second_pin"}


def test_a_card_drawn_in_error_shows_its_back_alone(table) -> None:
    """D-8: a scan is no disclosure."""
    table.reported(*OPENING, *OVERDRAW)
    snapshot = shown(table)
    for viewer in (NOBODY, FLOORPERSON, SURVEILLANCE):
        page = render_page(snapshot, viewer, "token") + render_patrons(snapshot, viewer)
        assert "three of spades" not in page
        assert "3</b>" not in page


def test_after_the_decision_the_screen_is_free(table) -> None:
    table.reported(*OPENING, *OVERDRAW)
    while table.state.table.open_irregularities:
        table.resolved()
    assert words(render_parts(shown(table), NOBODY)["irregularity"]) == ""


def test_a_coup_corrected_later_is_marked_on_list_and_roads(table) -> None:
    table.reported(*OPENING, *PLAYER_WINS)
    table.acted(CorrectCoup(coup=1, outcome=Outcome.BANKER, second="Bo Chu"))
    parts = render_parts(shown(table), NOBODY)
    assert "1 Banker" in words(parts["coups"])
    assert "corrected; it was counted as Player" in words(parts["coups"])
    assert "outcomes in order: B; natural in coup 1; corrected in coup 1" in words(parts["roads"])
    assert "natural 1 corrected 1" in words(parts["roads"])
    assert "Banker wins natural corrected" in words(render_patrons(shown(table), NOBODY))


# --- the shoe -------------------------------------------------------------------------------------


def test_a_page_has_buttons_for_what_its_role_may_do_alone(table) -> None:
    states = [shown(table), shown(table.reported(*OPENING)), shown(table.reported(*OVERDRAW))]
    for role in Role:
        parts = [render_parts(one, Viewer(role=role)).values() for one in states]
        found = {name for one in parts for html in one for name in controls(html)}
        offered = {"record", "no-more-bets", "resolve"}
        own = {one for one in offered if role in ACTIONS[one].roles}
        # A floorperson decides at the dealer's screen, too, by name and PIN.
        assert found & offered == own | ({"resolve"} if role is Role.DEALER else set()), role


def test_before_a_shoe_its_duties_are_listed_and_can_be_recorded(table) -> None:
    duties = render_parts(shown(table), DEALER)["duties"]
    assert "the dealer sorts, counts and inspects every deck" in words(duties)
    assert 'name="act" value="inspected"' in duties
    # Which batch is next is not known yet.
    assert "Done: Red Red Done: Blue Blue" in words(duties)
    assert 'name="batch" value="red"' in duties


def test_a_duty_that_was_recorded_has_no_button(table) -> None:
    snapshot = shown(table)
    first, *others = snapshot.opening.duties
    done = replace(snapshot.opening, duties=(replace(first, done=True), *others))
    duties = render_parts(replace(snapshot, opening=done), DEALER)["duties"]
    assert f'name="act" value="{first.act}"' not in duties
    assert f'name="act" value="{others[0].act}"' in duties


def test_progress_counts_the_cards_that_are_left(table) -> None:
    table.reported(*OPENING, *PLAYER_WINS)
    text = words(render_parts(shown(table), NOBODY)["shoe"])
    assert "410 of 416 cards left" in text
    assert "Cut card still in the shoe" in text


def test_a_lost_device_is_named(table) -> None:
    table.reported(*OPENING)
    assert "online" in words(render_parts(shown(table), NOBODY)["devices"])
    table.lost()
    assert "not connected" in words(render_parts(shown(table), NOBODY)["devices"])


def test_a_lost_device_is_said_above_everything(table) -> None:
    table.reported(*OPENING)
    assert words(render_parts(shown(table), NOBODY)["notes"]) == ""
    table.lost()
    assert words(render_parts(shown(table), NOBODY)["notes"]) == "Shoe is not connected"


def test_a_trial_says_that_it_is_one(table) -> None:
    text = words(render_parts(replace(shown(table), trial=True), NOBODY)["notes"])
    assert text.startswith("Trial: the table listens beside another system")


def test_a_table_that_failed_says_so_first(table) -> None:
    failed = replace(shown(table), health=Health.STORE_FAILED, failure="disk full")
    text = words(render_parts(failed, NOBODY)["notes"])
    assert text == "The journal cannot be written: play is stopped. disk full"


# --- patrons --------------------------------------------------------------------------------------


def test_patrons_see_results_and_roads_and_no_card_of_the_open_coup(table) -> None:
    table.reported(*OPENING, *PLAYER_WINS, *OVERDRAW[:2])
    page = render_patrons(shown(table), NOBODY)
    text = words(page)
    assert "Coup 1 Player wins natural" in text
    assert "Big eye boy" in text
    assert not re.search(r"nine|king|two|five|ace", text)
    assert controls(page) == set()


# --- every page -----------------------------------------------------------------------------------


def pages(table) -> list[str]:
    snapshot = shown(table)
    return [
        render_page(snapshot, FLOORPERSON, "token"),
        render_actions(snapshot, FLOORPERSON, "token"),
        render_sign_on(snapshot, Viewer(accounts=True), "token"),
        render_patrons(snapshot, NOBODY),
    ]


def test_no_page_has_anything_that_the_policy_forbids(table) -> None:
    """No script, style or handler in the page, nothing from elsewhere."""
    table.reported(*OPENING, *OVERDRAW)
    for page in pages(table):
        for tag, attrs in read(page).tags:
            assert tag != "style"
            assert tag != "script" or attrs["src"] == "/static/console.js"
            assert not [name for name in attrs if name == "style" or name.startswith("on")]
            for name in ("src", "href", "action"):
                assert (attrs.get(name) or "/").startswith(("/", "#")), attrs


def test_each_form_has_the_token_of_its_session(table) -> None:
    table.reported(*OPENING, *OVERDRAW)
    for page in pages(table)[:3]:
        assert page.count('name="csrf" value="token"') == page.count("<form ") > 0
        assert CSRF_PLACE not in page


def test_the_parts_are_the_same_whatever_the_session(table) -> None:
    parts = render_parts(shown(table), DEALER)
    assert tuple(parts) == PARTS
    assert CSRF_PLACE in parts["duties"]


def test_a_name_with_markup_is_text(table) -> None:
    viewer = replace(FLOORPERSON, person='<img src=x onerror="1">')
    assert "<img" not in render_page(shown(table), viewer, "token")


EVIL = '"><img src=x onerror=alert(1)>{csrf}<csrf>'


def with_evil_texts(value: object) -> object:
    """The same with evil words in every text that is not one of a closed set."""
    if hasattr(value, "withheld") and hasattr(value, "value"):
        return value  # a face or a number, or why it is not shown
    if isinstance(value, Struct):
        fields = {one: with_evil_texts(getattr(value, one)) for one in value.__struct_fields__}
        return replace(value, **fields)
    if isinstance(value, tuple):
        return tuple(map(with_evil_texts, value))
    return f"{value}{EVIL}" if type(value) is str else value


def test_no_text_of_a_person_device_or_file_is_markup_or_gets_the_token(table) -> None:
    table.reported(*OPENING, *PLAYER_WINS, *OVERDRAW)
    evil: Snapshot = with_evil_texts(shown(table))  # type: ignore[assignment]
    evil = replace(evil, failure=EVIL, health=Health.FAILED)
    viewer = replace(NOBODY, accounts=True, people=(EVIL,), person=EVIL, role=Role.FLOORPERSON)
    for each in (viewer, replace(viewer, role=None, person="")):
        page = render_page(evil, each, "token")
        assert "{csrf}&lt;csrf&gt;" in page
        for html in (page, render_actions(evil, each, "token"), render_patrons(evil, each)):
            assert "<img" not in html
            token = html.count("token") - html.count('data-csrf="token"')
            assert token == html.count('name="csrf" value="token"')


@pytest.mark.parametrize("language", languages())
def test_a_page_speaks_its_language(table, language: str) -> None:
    table.reported(*OPENING, *OVERDRAW)
    with speaking(language):
        page = render_page(shown(table), replace(FLOORPERSON, language=language), "token")
    stop = {"en": "Stop: no further card", "zh_Hant": "不得再抽牌"}[language]
    assert stop in page
    assert f'lang="{language.replace("_", "-")}"' in page


@pytest.mark.parametrize(
    ("kind", "members"),
    [
        ("batch", BatchStage),
        ("stage", Stage),
        ("withheld", Withheld),
        ("decision", FloorDecision),
        ("provisional", Provisional),
        ("turned", LayoutPart),
        ("outcome", Outcome),
        ("role", Role),
        ("health", [one for one in Health if one is not Health.RUNNING]),
        ("rank", ["A", *map(str, range(2, 11)), "J", "Q", "K"]),
        ("suit", "shdc"),
    ],
)
def test_every_member_of_a_closed_set_has_words(kind: str, members) -> None:
    assert {one.replace("-", "_") for one in members} == set(LABELS[kind])
