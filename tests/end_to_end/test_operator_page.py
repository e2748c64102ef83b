"""Debian's Chromium at the operator page of a running table, shoe by shoe of an emulated shoe.

Source: D-8, D-32, D-42.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from page_expectations import expect, wait_for_progress
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from controller.cli.main import main
from controller.outlets.console.pages.values import PAGE_BOARDS
from controller.outlets.road_drawings import road_drawings
from controller.rules.outcome import Outcome
from controller.rules.roads import RoadCoup, build_roads
from controller.system.command_line.errors import ExitCode
from hil.dealing.cards import card_named
from hil.dealing.tableau import Winner
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.serve import PtyServer
from hil.rig.program import Program

pytestmark = pytest.mark.needs("chromium")

PIN, SECOND_PIN, WRONG_PIN = "270918", "481516", "300475"
BURN = ("AD", "2C")
# Player 9h Kc, Banker 2d 5s: a natural, and no third card is due.
NATURAL = ("9H", "2D", "KC", "5S")
# Player 5h 2c, Banker 10d 9s: a natural of Banker.
BANKERS = ("5H", "10D", "2C", "9S")
# Whether a board begins and ends with a whole column, to a pixel, and shows the newest coup.
NEWEST_COLUMN = """() => {
  const board = document.querySelector("#roads .board");
  const drawing = board.firstElementChild;
  const box = drawing.getBoundingClientRect();
  const column = box.width / drawing.viewBox.baseVal.width * 22;
  const isWhole = (x) => Math.abs(x / column - Math.round(x / column)) * column < 1.5;
  const frame = drawing.querySelector("rect[stroke-width='2']").getBoundingClientRect();
  const view = board.getBoundingClientRect();
  return {
    begins: isWhole(board.scrollLeft),
    newest: view.left < frame.left && frame.right < view.right,
    ends: isWhole(board.clientWidth - box.height % column),
  };
}"""
TOUCH, DESKTOP = {"width": 1024, "height": 600}, {"width": 1440, "height": 900}
CONFIG = """\
table = {{ name = "M-12", pit = "3" }}
rules = {{ observed = ["result_button", "no_more_bets"] }}
shoe = {{ port = "{port}", report_interval_ms_min = 1, reports_s_max = 0 }}
metrics = {{ port = 0 }}
"""


class TableScreen:
    """A running table at an emulated shoe, and browsers that look at its pages."""

    def __init__(self, program: Program, shoe: PtyServer[AngelEye], browser: Browser) -> None:
        self.program = program
        self.shoe = shoe
        self._browser = browser
        found = re.search(r"page (http://\S+)", program.log_text())
        assert found is not None
        self.url = found[1]
        self.received: list[str] = []
        self.streamed: list[str] = []

    def open(self, path: str = "", size: dict[str, int] = TOUCH, scheme: str = "light") -> Page:
        """A page of its own session; all it gets is in `received`, its events in `streamed`."""
        context: BrowserContext = self._browser.new_context(viewport=size, color_scheme=scheme)
        wait_for_progress(context)
        page = context.new_page()
        network = context.new_cdp_session(page)
        network.send("Network.enable")
        network.on(
            "Network.eventSourceMessageReceived",
            lambda event: self.streamed.append(event["data"]),
        )
        page.on("response", self._note_response)
        page.goto(self.url + path)
        return page

    def _note_response(self, response) -> None:
        streams = "event-stream" in response.headers.get("content-type", "")
        if response.status == 200 and not streams:
            self.received.append(response.text())

    def deal(self, names: Sequence[str]) -> None:
        for name in names:
            card = card_named(name)
            self.shoe.perform(lambda shoe, card=card: shoe.draw(card))

    def declare(self, winner: Winner) -> None:
        self.shoe.perform(lambda shoe: shoe.press_result(winner, False, False))

    def coup(self, page: Page, names: Sequence[str], winner: Winner) -> None:
        """A coup as it should be, with the dealer's call made on the page."""
        page.get_by_role("button", name="“No more bets” called").click()
        expect(page.locator("#answer")).to_have_text("Done and on record")
        self.deal(names)
        self.declare(winner)

    def add(self, name: str, role: str, pin: str) -> None:
        file = self.program.config.parent / pin
        file.write_text(pin)
        words = ("people", "add", name, "--role", role, "--new-pin-file", str(file))
        assert ExitCode(main([*words, "--config", str(self.program.config)])) is ExitCode.DONE


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        yield chromium
        chromium.close()


@pytest.fixture
def table(fast_dir: Path, browser: Browser) -> Iterator[TableScreen]:
    """A table whose shoe was just burned."""
    with PtyServer(AngelEye(), link=fast_dir / "shoe") as shoe:
        config = fast_dir / "table.toml"
        config.write_text(CONFIG.format(port=shoe.path))
        with Program(config, fast_dir / "program.log") as program:
            program.start()
            program.await_log("page http://")
            shoe.perform(lambda one: one.power_on())
            screen = TableScreen(program, shoe, browser)
            screen.deal(BURN)
            yield screen
            for context in browser.contexts:
                context.close()
            program.stop()


def due(page: Page):
    return page.locator("#due .due")


def overdraw(table: TableScreen, page: Page) -> None:
    """A natural, and a third card for Player all the same: the three of spades."""
    page.get_by_role("button", name="“No more bets” called").click()
    expect(page.locator("#answer")).to_have_text("Done and on record")
    table.deal((*NATURAL, "3S"))
    expect(page.get_by_role("alertdialog")).to_be_visible()


def decide(page: Page, decision: str, **fields: str) -> None:
    """Fill the form of the decision; `by`, `second` are chosen where there are accounts."""
    form = page.locator("form.decide")
    form.get_by_text(decision, exact=True).click()
    for name, value in fields.items():
        if name.startswith("second") and not form.locator("#second").get_attribute("open"):
            form.locator("#second > summary").click()
        field = form.locator(f"[name={name}]")
        if field.evaluate("one => one.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    form.get_by_role("button", name="Decide").click()


def test_a_clean_coup_is_followed_card_by_card(table: TableScreen) -> None:
    page = table.open()
    expect(due(page)).to_contain_text("no more bets")
    table.coup(page, NATURAL, Winner.PLAYER)
    expect(page.locator("#hands h2")).to_have_text("Coup 1: Player wins")
    expect(page.locator("#hands")).to_contain_text("natural")
    expect(page.locator(".hand.player .count")).to_have_text("Point count 9")
    expect(page.locator(".hand.banker .count")).to_have_text("Point count 7")
    expect(page.locator("#coups li")).to_have_count(1)


def test_an_overdraw_is_resolved_by_a_floorperson_with_a_pin(table: TableScreen) -> None:
    table.add("Ann Lee", "floorperson", PIN)
    page = table.open()
    overdraw(table, page)
    stop = page.get_by_role("alertdialog")
    expect(stop).to_contain_text("a card was drawn that no hand is due")
    expect(stop).to_contain_text("adding the card to either hand")
    clause = stop.locator("details.clause").first
    expect(clause.locator("p")).to_be_hidden()
    clause.locator("summary").click()
    expect(clause.locator("p")).to_contain_text("Section 42 Mini-Baccarat (")
    expect(clause.locator("p")).to_be_visible()
    decide(page, "Carry the card", reason="nobody saw it", by="Ann Lee", pin=PIN)
    expect(stop).to_have_count(0)
    table.program.await_log(r"\(floorperson, proved by PIN\)")


def test_the_rank_of_a_carried_card_never_reaches_the_browser(table: TableScreen) -> None:
    """The three of spades is held face down as the next hand's first card (S42 (k)(1))."""
    page, patrons, desk = table.open(), table.open("patrons"), table.open("actions")
    overdraw(table, page)
    decide(page, "Carry the card", reason="nobody saw it", by="Ann Lee")
    expect(page.get_by_role("alertdialog")).to_have_count(0)
    table.declare(Winner.PLAYER)
    expect(patrons.locator(".newest")).to_contain_text("Player wins")
    for one in (page, patrons, desk):
        one.reload()
    for received in ("\n".join(table.received), "\n".join(table.streamed)):
        assert "nine of hearts" in received
        assert not re.search(r"of spades\W+\S*three|three of spades|3</b>", received)


def test_a_wrong_pin_decides_nothing_and_the_fifth_locks_the_account(table: TableScreen) -> None:
    table.add("Ann Lee", "floorperson", PIN)
    page = table.open()
    overdraw(table, page)
    for _ in range(5):
        decide(page, "Carry the card", reason="nobody saw it", by="Ann Lee", pin=WRONG_PIN)
        expect(page.locator("#answer")).to_contain_text("sign-on: it was refused")
    decide(page, "Carry the card", reason="nobody saw it", by="Ann Lee", pin=PIN)
    expect(page.locator("#answer")).to_contain_text("sign-on: it was refused")
    expect(page.get_by_role("alertdialog")).to_be_visible()


def test_two_persons_correct_a_coup_and_every_road_follows(table: TableScreen) -> None:
    table.add("Ann Lee", "floorperson", PIN)
    table.add("Bo Chu", "pit_manager", SECOND_PIN)
    page, patrons = table.open(), table.open("patrons", DESKTOP)
    coups = ((NATURAL, Winner.PLAYER), (BANKERS, Winner.BANKER), (BANKERS, Winner.BANKER))
    for number, (names, winner) in enumerate(coups, start=1):
        table.coup(page, names, winner)
        expect(page.locator("#coups li")).to_have_count(number)
    # Streaks of 1 and 2: the second win of the second is the first mark of big eye boy.
    wins = "circle[r='8']"
    expect(patrons.locator(".road-2 " + wins)).to_have_count(3)
    expect(patrons.locator(".road-2 .blue" + wins[6:])).to_have_count(1)
    expect(patrons.locator(".road-3 title")).to_have_text("blue")
    desk = table.open("actions")
    form = desk.locator("#action-correct-coup")
    form.locator("summary").click()
    form.locator("[name=coup]").fill("2")
    form.locator("[name=outcome]").select_option("player")
    form.locator("[name=reason]").fill("the camera shows it")
    form.locator("[name=by]").select_option("Ann Lee")
    form.locator("[name=pin]").fill(PIN)
    form.locator("[name=second]").select_option("Bo Chu")
    form.get_by_role("button", name="Record it").click()
    expect(desk.locator("#answer")).to_contain_text("second")
    form.locator("[name=pin]").fill(PIN)
    form.locator("[name=second_pin]").fill(SECOND_PIN)
    form.get_by_role("button", name="Record it").click()
    expect(desk.locator("#answer")).to_have_text("Done and on record")
    expect(page.locator("#coups li").nth(1)).to_contain_text("corrected; it was counted as Banker")
    for one in (page, patrons):
        titles = one.locator(".road title")
        expect(titles.first).to_contain_text("outcomes in order: PPB")
        expect(titles.first).to_contain_text("corrected in coup 2")
        expect(titles.nth(2)).to_have_text("nothing yet")
    # Streaks of 2 and 1.
    expect(patrons.locator(".road-2 .blue" + wins[6:])).to_have_count(2)


def test_a_patrons_display_in_chinese_stays_so_while_play_goes_on(table: TableScreen) -> None:
    page, patrons = table.open(), table.open("patrons?language=zh_Hant", DESKTOP)
    table.coup(page, NATURAL, Winner.PLAYER)
    expect(page.locator("#coups li")).to_have_count(1)
    expect(patrons.locator(".newest")).to_contain_text("第 1 局")
    expect(patrons.locator(".marks")).to_contain_text("莊對")


def test_a_lost_link_is_shown_and_its_return(table: TableScreen) -> None:
    page = table.open()
    shoe = page.locator("#devices li").first
    expect(shoe).to_contain_text("online")
    table.shoe.unplug()
    expect(shoe).to_contain_text("not connected")
    table.shoe.replug()
    expect(shoe).to_contain_text("no answer yet")
    table.deal(NATURAL[:1])
    expect(shoe).to_contain_text("online")


def signed_on(table: TableScreen, name: str, role: str, pin: str) -> Page:
    table.add(name, role, pin)
    page = table.open("sign-on")
    page.get_by_label("Name").fill(name)
    page.get_by_label("PIN").fill(pin)
    page.get_by_role("button", name="Sign on").click()
    expect(page.locator(".person")).to_have_text(f"{name} · {role}")
    return page


def test_who_signs_on_needs_no_pin_for_each_act_until_he_signs_off(table: TableScreen) -> None:
    page = signed_on(table, "Ann Lee", "floorperson", PIN)
    overdraw(table, page)
    decide(page, "Carry the card", reason="nobody saw it")
    expect(page.get_by_role("alertdialog")).to_have_count(0)
    page.get_by_role("button", name="Sign off").click()
    expect(page.get_by_role("link", name="Sign on")).to_be_visible()


def test_whose_account_is_removed_is_off_the_open_page_at_the_next_card(table: TableScreen) -> None:
    page = signed_on(table, "Ann Lee", "floorperson", PIN)
    words = ("people", "remove", "Ann Lee", "--config", str(table.program.config))
    assert ExitCode(main([*words])) is ExitCode.DONE
    table.deal(NATURAL[:1])
    expect(page.get_by_role("link", name="Sign on")).to_be_visible()
    expect(page.locator(".person")).to_have_count(0)


def test_the_page_speaks_chinese_also_while_it_follows(table: TableScreen) -> None:
    page = table.open()
    page.get_by_role("button", name="繁體中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hant")
    table.deal(BANKERS[:1])
    expect(page.locator("#irregularity")).to_contain_text("第 1 局")
    table.deal(BANKERS[1:])
    table.declare(Winner.BANKER)
    expect(page.locator("#hands h2")).to_contain_text("第 1 局")


def test_what_a_person_types_stays_while_the_table_goes_on(table: TableScreen) -> None:
    page = table.open()
    overdraw(table, page)
    reason = page.locator("form.decide [name=reason]")
    reason.fill("nobody saw")
    table.deal(("4H",))
    meanwhile = "Cards dealt while suspended"
    expect(page.locator("#irregularity")).to_contain_text(meanwhile)
    expect(reason).to_have_value("nobody saw")
    expect(reason).to_be_focused()


def test_a_lost_connection_is_said_on_the_page(table: TableScreen) -> None:
    page = table.open()
    expect(page.locator("#devices")).to_contain_text("online")
    table.program.stop()
    expect(page.locator("#stale")).to_contain_text("What is shown is old")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(table: TableScreen, scheme: str) -> None:
    """At both sizes, in both languages, while play goes on and while it stands."""
    page = table.open(scheme=scheme)
    others = ("patrons", "actions", "sign-on")
    pages = [page, *(table.open(path, DESKTOP, scheme) for path in others)]
    found = [one for each in pages for one in serious(each)]
    overdraw(table, page)
    found += serious(page)
    page.set_viewport_size(DESKTOP)
    page.get_by_role("button", name="繁體中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hant")
    found += serious(page)
    assert found == []


def serious(page: Page) -> list[str]:
    """What axe-core calls serious or critical, with everything opened that can be."""
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    # The policy of the page allows no script of another; axe runs in the page all the same.
    results = Axe().run(page).response
    return [
        f"{page.url} {one['id']}: {one['nodes'][0]['html']} {one['nodes'][0]['failureSummary']}"
        for one in results["violations"]
        if one["impact"] in ("serious", "critical")
    ]


def test_the_script_is_short() -> None:
    script = Path("controller/outlets/console/static/console.js").read_text("utf-8")
    assert len(script.splitlines()) <= 150


def test_a_road_that_is_longer_than_its_board_shows_its_newest_end(table: TableScreen) -> None:
    page = table.open("sign-on", {"width": 700, "height": 600})  # where no stream replaces it
    sides = (Outcome.PLAYER, Outcome.BANKER)
    roads = build_roads(tuple(RoadCoup(number, sides[number % 2]) for number in range(1, 81)))
    big_road = dict(road_drawings(roads, 80, PAGE_BOARDS))["Big road"]
    page.evaluate(
        """html => {
          document.body.insertAdjacentHTML("beforeend", '<div id="roads"></div>');
          replacePart("roads", html);
        }""",
        '<div class="roads"><figure class="road"><div class="board" tabindex="0">'
        f"{big_road}</div></figure></div>",
    )
    assert page.evaluate(NEWEST_COLUMN) == {"begins": True, "newest": True, "ends": True}


@pytest.mark.parametrize("size", [TOUCH, DESKTOP, {"width": 1280, "height": 800}])
def test_the_whole_table_is_in_view_while_play_goes_on(
    table: TableScreen, size: dict[str, int]
) -> None:
    page = table.open(size=size)
    table.coup(page, NATURAL, Winner.PLAYER)
    expect(page.locator("#coups li")).to_have_count(1)
    for part in ("due", "hands", "shoe", "batches", "coups", "roads", "devices"):
        box = page.locator(f"#{part}").bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= size["height"], part


def test_a_telephone_needs_no_sideways_scrolling(table: TableScreen) -> None:
    """320 pixels are a desktop at four times its size too (WCAG 2.2, 1.4.10)."""
    telephone = {"width": 320, "height": 640}
    table.add("Ann Lee", "floorperson", PIN)
    pages = [table.open(path, telephone) for path in ("", "patrons", "actions", "sign-on")]
    overdraw(table, table.open())
    expect(pages[0].get_by_role("alertdialog")).to_be_visible()
    widths = [page.evaluate("document.documentElement.scrollWidth") for page in pages]
    assert widths == [320] * len(pages)


def test_whatever_is_focused_or_opened_stays_so_while_cards_are_dealt(table: TableScreen) -> None:
    page = table.open()
    overdraw(table, page)
    clause = page.locator("#irregularity .clause summary").first
    clause.focus()
    page.keyboard.press("Enter")
    table.deal(("4H",))
    meanwhile = "Cards dealt while suspended"
    expect(page.locator("#irregularity")).to_contain_text(meanwhile)
    expect(clause).to_be_focused()
    expect(page.locator("#irregularity .clause p").first).to_be_visible()


def test_a_refusal_is_closed_by_the_keyboard(table: TableScreen) -> None:
    table.add("Ann Lee", "floorperson", PIN)
    page = table.open()
    overdraw(table, page)
    decide(page, "Carry the card", reason="nobody saw it", by="Ann Lee", pin=WRONG_PIN)
    expect(page.locator("#answer")).to_contain_text("it was refused")
    expect(page.get_by_role("button", name="Decide")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#answer")).to_be_hidden()


def test_a_floorperson_decides_while_a_dealer_is_signed_on(table: TableScreen) -> None:
    table.add("Ann Lee", "floorperson", PIN)
    page = signed_on(table, "Di Wong", "dealer", SECOND_PIN)
    overdraw(table, page)
    decide(page, "Carry the card", reason="nobody saw it", by="Ann Lee", pin=PIN)
    expect(page.get_by_role("alertdialog")).to_have_count(0)
    table.program.await_log(r"\(floorperson, proved by PIN\)")
    # The dealer is still the one who is signed on.
    expect(page.locator(".person")).to_have_text("Di Wong · dealer")


def test_after_the_cut_card_the_page_names_the_last_coup_and_the_shoe_ends(
    table: TableScreen,
) -> None:
    page, patrons = table.open(), table.open("patrons")
    table.coup(page, NATURAL, Winner.PLAYER)
    table.shoe.perform(lambda shoe: shoe.draw_cut_card())
    expect(page.locator("#shoe")).to_contain_text("coup 3 is the last")
    table.coup(page, NATURAL, Winner.PLAYER)
    expect(page.locator("#coups li")).to_have_count(2)
    table.coup(page, BANKERS, Winner.BANKER)
    expect(due(page)).to_have_text("the reshuffle and the next shoe")
    expect(page.get_by_role("heading", name="Before the next shoe")).to_be_visible()
    expect(patrons.locator(".newest")).to_contain_text("Coup 3 Banker wins")
    assert serious(page) == []


def test_a_void_coup_is_on_the_list_and_in_no_road(table: TableScreen) -> None:
    page, patrons = table.open(), table.open("patrons")
    table.coup(page, NATURAL, Winner.PLAYER)
    expect(page.locator("#coups li")).to_have_count(1)
    overdraw(table, page)
    # What patrons see is what is certain.
    expect(patrons.locator("body")).not_to_contain_text("irregularity")
    expect(patrons.locator(".newest")).to_have_text("Coup 1 Player wins natural")
    decide(page, "Close the shoe", reason="the shoe is damaged", by="Ann Lee")
    expect(page.locator("#coups li").first).to_have_text(re.compile(r"^\s*2\s+void\s*$"))
    expect(patrons.locator(".newest")).to_have_text("Coup 2 void")
    expect(patrons.locator(".meters .player")).to_have_text("1 Player")
    assert serious(patrons) == []
