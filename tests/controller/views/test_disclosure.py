"""Nobody learns a card, or anything that follows from one, before people have seen it.

Responsible for: every way out while cards lie face down, by dealing hands that look the same on
the layout and differ in their faces: whatever comes out must not differ.
Not responsible for: the running program, whose every way out is walked in
tests/end_to_end/test_leaks.py, and dealing face up (test_snapshot).
Source: D-8; S42-g-3-i to S42-g-3-iii; NY-e-1; package README, "Disclosure".
"""

import json
import logging
import subprocess
import sys

import pytest

from controller.control.answers import plain_entries, refusal
from controller.metrics.collector import TableMetrics
from controller.procedure.act_kinds import ActKind
from controller.procedure.decisions import Decision, Provisional, Resolution
from controller.procedure.effects import Prompted
from controller.procedure.events import TurnedCards
from controller.procedure.people.suspension import permitted_decisions
from controller.procedure.phases import Phase
from controller.procedure.rulebook import Fact
from controller.profiles.load import profile_text
from controller.replay.replayer import in_words
from controller.rules.hands import HandName
from controller.table.loop import Conclusion, Stored
from controller.tape.actions import (
    AskGhostHand,
    BindBatch,
    ChangeSetting,
    ClearShoeError,
    CloseShoe,
    CollectVigorish,
    GiveNotice,
    GiveUpReveal,
    LockShoe,
    RecordAct,
    Resolve,
    Role,
    SetCardApart,
    StateWagers,
    TellTurned,
    UnlockShoe,
    VacateSeat,
)
from controller.tape.inputs import OperatorAction
from controller.views.disclosure import HIDDEN_CARD, WayOut, burn_card_disclosed
from controller.views.snapshot import snapshot
from drivers.catalogue import ShoeSettings, build_monitor
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened

FACE_UP = 'deal_option = { value = "face_up", basis = ["S42-g-3-option", "S42-g-3-i"] }'
NEW_SHOE = ("53", "50", "44 C0 91", "44 D1 C7")
# Four cards each. Natural; both stand; Player draws; Player stands and Banker draws; a pair each.
HANDS = {
    "natural": ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5"),
    "both stand": ("44 81 C7", "44 91 97", "44 82 AD", "44 92 BA"),
    "player draws": ("44 81 C2", "44 91 93", "44 82 AD", "44 92 BA"),
    "banker draws": ("44 81 C7", "44 91 93", "44 82 AD", "44 92 BA"),
    "pairs": ("44 81 C4", "44 91 94", "44 82 A4", "44 92 B4"),
}
# Which of these need a third card does not show before one is drawn.
PLAYER_WINS, BANKER_WINS = "47 90", "47 C0"


def face_down(option: str) -> str:
    """The Section 42 profile with the cards dealt face down."""
    text = profile_text("s42-mini")
    assert FACE_UP in text
    basis = {"face_down_dealer": "S42-g-3-ii", "players_reveal": "S42-g-3-iii"}[option]
    chosen = f'deal_option = {{ value = "{option}", basis = ["S42-g-3-option", "{basis}"] }}'
    return text.replace(FACE_UP, chosen)


@pytest.fixture(params=["face_down_dealer", "players_reveal"])
def dealt(request, script):
    """A table whose cards lie face down, after these reports of its first coup."""

    def made(*reports: str):
        return script(profile=face_down(request.param)).begun().reported(*NEW_SHOE, *reports)

    return made


def shown(table) -> dict:
    return snapshot(table.core, table.state, "running", "")


def counted(table) -> str:
    """The metrics after everything the table stored."""
    metrics = TableMetrics("M7")
    for item, output in zip(table.inputs, table.outputs, strict=True):
        conclusion = Conclusion(item, output.entries)
        metrics.observe(Stored((conclusion,), output.writes, item.at, table.state))

    class Published:
        health = "running"
        published = (table.core, table.state)
        seals = None

    lines = metrics.text(Published()).decode().splitlines()
    return "\n".join(line for line in lines if "process_" not in line)


def answered(table) -> str:
    return json.dumps(plain_entries(table.acted(LockShoe()).entries))


def watched(table) -> str:
    settings = ShoeSettings(False, "0-9A-F", "stx_counted", 250)
    monitor = build_monitor("angel-eye-ii-ex", settings, masked=True)
    state = monitor.initial()
    lines = []
    of_the_port = (PortOpened, Chunk, PortLost)
    for item in (one for one in table.inputs if isinstance(one, of_the_port)):
        state, more = monitor.watch(state, item)
        lines.extend(more)
    return "\n".join(lines)


def reported(table) -> str:
    return "\n".join(sorted(set(map(in_words, table.entries))))


WAYS_OUT = {
    WayOut.SNAPSHOT: lambda table: json.dumps(shown(table)),
    WayOut.ACTION_ANSWER: answered,
    WayOut.METRICS: counted,
    WayOut.MONITOR: watched,
    WayOut.REPLAY_REPORT: reported,
}


@pytest.mark.parametrize("cards", [1, 2, 3, 4])
@pytest.mark.parametrize("way", list(WAYS_OUT))
def test_hands_that_lie_face_down_look_the_same(dealt, way, cards) -> None:
    seen = {WAYS_OUT[way](dealt(*hand[:cards])) for hand in HANDS.values()}
    assert len(seen) == 1


@pytest.mark.parametrize("way", list(WAYS_OUT))
def test_a_third_card_that_lies_face_down_looks_the_same(script, way) -> None:
    down = face_down("players_reveal")
    deals = [(*HANDS["player draws"], f"44 83 {face}") for face in ("A1", "A8", "CD", "96")]
    seen = {
        WAYS_OUT[way](script(profile=down).begun().reported(*NEW_SHOE, *deal)) for deal in deals
    }
    assert len(seen) == 1


def test_a_third_card_that_is_dealt_face_up_is_shown_beside_hands_that_are_not(script) -> None:
    table = script(profile=face_down("face_down_dealer")).begun().reported(*NEW_SHOE)
    coup = shown(table.reported(*HANDS["player draws"], "44 83 A8"))["coup"]
    assert (coup["player"], coup["banker"]) == ([HIDDEN_CARD, HIDDEN_CARD, "8c"], [HIDDEN_CARD] * 2)
    assert (coup["player_count"], coup["banker_count"]) == (None, None)


# --- turned part by part --------------------------------------------------------------------------

TOLD = (Fact.RESULT_BUTTON, Fact.TURNED)
BANKER_HANDS = {
    "seven": ("44 91 92", "44 92 B5"),
    "natural": ("44 91 98", "44 92 BA"),
    "three": ("44 91 93", "44 92 BA"),
}
PLAYER_HANDS = {
    "natural": ("44 81 C9", "44 82 AD"),
    "stands": ("44 81 C7", "44 82 AD"),
    "draws": ("44 81 C2", "44 82 AD"),
}


def four(player: tuple[str, ...], banker: tuple[str, ...]) -> tuple[str, ...]:
    return (player[0], banker[0], player[1], banker[1])


@pytest.fixture(params=["face_down_dealer", "players_reveal"])
def turned(request, script):
    """A table that is told of turning, after these cards and these parts turned."""

    def made(cards: tuple[str, ...], *parts: str):
        table = script(profile=face_down(request.param), observed=TOLD).begun()
        table.reported(*NEW_SHOE, *cards)
        for part in parts:
            table.acted(TellTurned(TurnedCards(part)))
        return table

    return made


@pytest.mark.parametrize("player", list(PLAYER_HANDS))
@pytest.mark.parametrize("way", list(WAYS_OUT))
def test_with_the_player_hand_turned_the_banker_hand_stays_hidden(turned, way, player) -> None:
    deals = [four(PLAYER_HANDS[player], banker) for banker in BANKER_HANDS.values()]
    assert len({WAYS_OUT[way](turned(deal, "player_hand")) for deal in deals}) == 1


@pytest.mark.parametrize("way", list(WAYS_OUT))
def test_with_the_banker_hand_turned_the_player_hand_stays_hidden(turned, way) -> None:
    deals = [four(player, BANKER_HANDS["three"]) for player in PLAYER_HANDS.values()]
    assert len({WAYS_OUT[way](turned(deal, "banker_hand")) for deal in deals}) == 1


def test_a_hand_that_was_turned_is_shown_with_its_count(turned) -> None:
    now = shown(turned(four(PLAYER_HANDS["stands"], BANKER_HANDS["three"]), "player_hand"))
    coup = now["coup"]
    assert (coup["player"], coup["player_count"]) == (["7h", "Kc"], 7)
    assert (coup["banker"], coup["banker_count"]) == ([HIDDEN_CARD] * 2, None)
    assert (now["phase"], now["reveal"]["face_down"]) == ("coup", ["banker_hand"])
    assert (now["reveal"]["turned"], now["due_calls"][0][:18]) == (
        ["player_hand"],
        "announce: Player 7",
    )


def test_once_both_hands_were_turned_it_is_told_what_they_call_for(turned) -> None:
    cards = four(PLAYER_HANDS["stands"], BANKER_HANDS["three"])
    now = shown(turned(cards, "player_hand", "banker_hand"))
    assert (now["phase"], now["due"]) == ("banker_3", "Banker's third card")


@pytest.mark.parametrize("way", list(WAYS_OUT))
def test_a_third_card_that_was_not_turned_tells_nothing(script, way) -> None:
    seen = set()
    for face in ("A1", "A8", "CD", "96"):
        table = script(profile=face_down("players_reveal"), observed=TOLD).begun()
        table.reported(*NEW_SHOE, *HANDS["player draws"])
        table.acted(TellTurned(TurnedCards.PLAYER_HAND))
        table.acted(TellTurned(TurnedCards.BANKER_HAND))
        table.reported(f"44 83 {face}")
        seen.add(WAYS_OUT[way](table))
    assert len(seen) == 1


@pytest.mark.parametrize("way", list(WAYS_OUT))
def test_dealt_mixed_the_banker_hand_stays_hidden(script, way) -> None:
    text = profile_text("wa-mini")
    setting = 'deal_option = { value = "face_up"'
    assert setting in text
    mixed = text.replace(setting, 'deal_option = { value = "mixed"')
    seen = set()
    for banker in BANKER_HANDS.values():
        table = script(profile=mixed).begun()
        table.reported(*NEW_SHOE, *four(PLAYER_HANDS["stands"], banker))
        now = shown(table)["coup"]
        assert (now["player"], now["player_count"]) == (["7h", "Kc"], 7)
        seen.add(WAYS_OUT[way](table))
    assert len(seen) == 1


def prompted(table) -> list[tuple[str, tuple[str, ...]]]:
    return [(one.text, one.clauses) for one in table.of(Prompted)]


@pytest.mark.parametrize("parts", [(), ("player_hand",)])
def test_no_prompt_tells_of_cards_that_nobody_has_turned(turned, parts) -> None:
    player = PLAYER_HANDS["stands"]
    deals = [four(player, banker) for banker in BANKER_HANDS.values()]
    told = [prompted(turned(deal, *parts)) for deal in deals]
    assert told[1:] == told[:-1]


def test_told_of_no_turning_no_prompt_tells_what_the_cards_call_for(dealt) -> None:
    told = [prompted(dealt(*hand)) for hand in HANDS.values()]
    assert told[1:] == told[:-1]


@pytest.mark.parametrize("way", list(WAYS_OUT))
def test_whose_a_third_card_is_that_was_drawn_before_turning_is_not_told(script, way) -> None:
    deals = [
        (*four(PLAYER_HANDS[player], BANKER_HANDS["three"]), f"44 {place} A8")
        for player, place in (("draws", "83"), ("stands", "93"))
    ]
    down = face_down("players_reveal")
    seen = set()
    for deal in deals:
        table = script(profile=down, observed=TOLD).begun().reported(*NEW_SHOE, *deal)
        assert shown(table)["coup"]["third"] == [HIDDEN_CARD]
        seen.add(WAYS_OUT[way](table))
    assert len(seen) == 1


def test_once_the_hands_were_turned_the_third_card_lies_at_its_own(script) -> None:
    table = script(profile=face_down("players_reveal"), observed=TOLD).begun()
    table.reported(*NEW_SHOE, *four(PLAYER_HANDS["draws"], BANKER_HANDS["three"]), "44 83 A8")
    table.acted(TellTurned(TurnedCards.PLAYER_HAND))
    table.acted(TellTurned(TurnedCards.BANKER_HAND))
    coup = shown(table)["coup"]
    assert (len(coup["player"]), len(coup["banker"]), coup["third"]) == (3, 2, [])


# --- whatever people do ---------------------------------------------------------------------------

# What a person may do that does not itself disclose. Turning and declaring do; so does a card that
# was found face up; and whoever calls "no more bets" says that the coup before is over.
DONE = (
    *(Resolve(Resolution(decision)) for decision in Decision if decision.value != "state_outcome"),
    *(Resolve(Resolution(decision, Provisional.VOID)) for decision in (Decision.CONTINUE,)),
    *(CloseShoe(), LockShoe(), UnlockShoe(), ClearShoeError(4)),
    *(TellTurned(part) for part in (TurnedCards.PLAYER_THIRD, TurnedCards.BANKER_THIRD)),
    *(GiveUpReveal(hand, by_order) for hand in HandName for by_order in (False, True)),
    *(RecordAct(kind, batch="red", seat=1, second="B. Floor") for kind in ActKind),
    *(AskGhostHand(), StateWagers(()), CollectVigorish(3), VacateSeat(3)),
    *(GiveNotice("vig_rate", "4", "patrons"), ChangeSetting("vig_rate", "4")),
    *(BindBatch("RED-0001"), SetCardApart("red", "E004010000000001")),
)


def said(table, action) -> str:
    """What an action would be answered now."""
    item = OperatorAction(table.at, "A. Floor", Role.FLOORPERSON, "test", action, "seen by me")
    _, output = table.core.handle(table.state, item)
    return json.dumps([refusal(output.entries), plain_entries(output.entries)])


@pytest.mark.parametrize("cards", [1, 3, 4])
@pytest.mark.parametrize("observed", [(Fact.RESULT_BUTTON,), TOLD], ids=["untold", "told"])
def test_whatever_people_do_its_answer_tells_of_no_card_that_lies_face_down(
    script, observed, cards
) -> None:
    down = face_down("players_reveal")
    tables = [
        script(profile=down, observed=observed).begun().reported(*NEW_SHOE, *hand[:cards])
        for hand in HANDS.values()
    ]
    told = [action for action in DONE if len({said(table, action) for table in tables}) > 1]
    assert told == []


@pytest.mark.parametrize("observed", [(Fact.RESULT_BUTTON,), TOLD], ids=["untold", "told"])
def test_whatever_people_do_while_suspended_tells_of_no_card_that_lies_face_down(
    script, observed
) -> None:
    down = face_down("players_reveal")
    tables = [
        script(profile=down, observed=observed)
        .begun()
        .reported(*NEW_SHOE, *HANDS[hand], "44 83 A3")
        for hand in ("natural", "both stand")
    ]
    assert {table.state.table.phase for table in tables} == {Phase.SUSPENDED}
    told = [action for action in DONE if len({said(table, action) for table in tables}) > 1]
    assert told == []


# --- cards drawn in error, and ghost hands --------------------------------------------------------


@pytest.mark.parametrize("decided", [False, True])
@pytest.mark.parametrize("way", list(WAYS_OUT))
def test_a_card_drawn_in_error_is_not_shown_where_the_hands_lie_face_up(
    script, way, decided
) -> None:
    seen = set()
    for face in ("A3", "A8", "CD"):
        table = script().begun().reported(*NEW_SHOE, *HANDS["natural"], f"44 83 {face}")
        if decided:
            table.acted(Resolve(Resolution(Decision.CONTINUE)))
        seen.add(WAYS_OUT[way](table))
    assert len(seen) == 1


def test_a_card_drawn_in_error_is_shown_once_it_was_turned(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *HANDS["natural"], "44 83 A3")
    assert shown(table)["coup"]["aside_cards"] == [HIDDEN_CARD]
    table.acted(TellTurned(TurnedCards.ERROR_CARD))
    assert shown(table)["coup"]["aside_cards"] == ["3c"]


def test_a_ghost_hand_is_shown_however_the_table_deals(script) -> None:
    table = script(profile=ghostly("face_down_dealer")).begun().reported(*NEW_SHOE)
    table.acted(AskGhostHand())
    table.reported(*HANDS["natural"])
    now = shown(table)
    assert (now["coup"]["ghost"], now["coup"]["player"]) == (True, ["9h", "Kc"])
    now = shown(table.reported(PLAYER_WINS))
    assert (now["last_coup"]["ghost"], now["last_coup"]["player"]) == (True, ["9h", "Kc"])
    assert (now["last_coup"]["outcome"], now["wagering"]["wins"]) == ("player", [])


def test_a_ghost_hand_that_is_void_was_seen_too(script) -> None:
    table = script(profile=ghostly("face_down_dealer")).begun().reported(*NEW_SHOE)
    table.acted(AskGhostHand())
    last = voided(table.reported(*HANDS["natural"], "44 83 A3"))["last_coup"]
    assert (last["ghost"], last["player"]) == (True, ["9h", "Kc"])


def ghostly(option: str) -> str:
    """The Washington profile of a house that deals one ghost hand a shoe."""
    text = profile_text("wa-mini")
    for name, old, new in (("ghost_hands", "off", 1), ("deal_option", "face_up", option)):
        setting = f'{name} = {{ value = "{old}"'
        assert setting in text
        text = text.replace(setting, f"{name} = {{ value = {json.dumps(new)}")
    return text


# --- everything else ------------------------------------------------------------------------------


def test_nothing_at_all_is_logged_of_a_card(dealt, caplog) -> None:
    with caplog.at_level(logging.DEBUG):
        dealt(*HANDS["natural"], PLAYER_WINS)
    # What the state table's library says is switched off in the program: the next test.
    assert [one.name for one in caplog.records if not one.name.startswith("transitions")] == []


def test_the_running_program_keeps_the_library_of_the_state_table_quiet() -> None:
    program = (
        "import logging\n"
        "from controller.service.app import main\n"
        "main(['--config', 'no such file'])\n"
        "print(logging.getLogger('transitions.core').isEnabledFor(logging.INFO))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_face_down_the_page_shows_that_a_card_lies_there(dealt) -> None:
    now = shown(dealt(*HANDS["natural"]))
    assert (now["coup"]["player"], now["coup"]["banker"]) == ([HIDDEN_CARD] * 2, [HIDDEN_CARD] * 2)


@pytest.mark.parametrize("hand", list(HANDS))
def test_face_down_the_page_tells_no_more_than_the_layout(dealt, hand) -> None:
    now = shown(dealt(*HANDS[hand]))
    assert (now["phase"], now["due"]) == ("coup", "the cards are turned, then what they call for")
    assert (now["coup"]["player_count"], now["coup"]["banker_count"]) == (None, None)


def test_a_declared_result_discloses(dealt) -> None:
    now = shown(dealt(*HANDS["natural"], PLAYER_WINS))
    assert now["last_coup"]["player"] == ["9h", "Kc"]
    assert (now["last_coup"]["player_count"], now["last_coup"]["outcome"]) == (9, "player")


def test_a_wrong_result_discloses_too(dealt) -> None:
    now = shown(dealt(*HANDS["natural"], BANKER_WINS))
    assert now["phase"] == "suspended"
    assert (now["coup"]["player"], now["coup"]["player_count"]) == (["9h", "Kc"], 9)


def test_a_suspension_does_not_tell_where_play_goes_on(dealt) -> None:
    places = set()
    for hand in HANDS.values():
        table = dealt(*hand, "64 90 95")
        assert table.state.table.phase is Phase.SUSPENDED
        places.add(shown(table)["resume_to"])
    assert places == {"coup"}


@pytest.mark.parametrize("way", [WayOut.SNAPSHOT, WayOut.METRICS])
def test_a_card_too_many_does_not_tell_why_none_was_due(dealt, way) -> None:
    hands = (HANDS["natural"], HANDS["both stand"])
    seen = {WAYS_OUT[way](dealt(*hand, "44 83 A3")) for hand in hands}
    assert len(seen) == 1


def test_face_up_a_card_too_many_cites_what_the_cards_made_apply(script) -> None:
    cited = [
        shown(script().begun().reported(*NEW_SHOE, *hand, "44 83 A3"))["irregularities"][0]
        for hand in (HANDS["natural"], HANDS["both stand"])
    ]
    assert "S42-i-1" in cited[0]["clauses"]
    assert "S42-i-1" not in cited[1]["clauses"]


def voided(table) -> dict:
    """The page after a floorperson has voided the coup on the table."""
    assert Decision.VOID_COUP in permitted_decisions(table.state.table)
    table.acted(Resolve(Resolution(Decision.VOID_COUP)))
    return shown(table)


def test_a_void_coup_that_nobody_turned_stays_hidden(dealt) -> None:
    last = voided(dealt(*HANDS["natural"], "47 F0"))["last_coup"]
    assert (last["fate"], last["player"], last["banker"]) == (
        "void",
        [HIDDEN_CARD] * 2,
        [HIDDEN_CARD] * 2,
    )
    assert (last["player_count"], last["natural"], last["outcome"]) == (None, False, None)


def test_a_void_coup_whose_result_was_declared_is_shown(dealt) -> None:
    last = voided(dealt(*HANDS["natural"], BANKER_WINS))["last_coup"]
    assert (last["fate"], last["player"]) == ("void", ["9h", "Kc"])


def test_face_up_a_void_coup_is_shown(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *HANDS["natural"], "47 F0")
    assert voided(table)["last_coup"]["player"] == ["9h", "Kc"]


@pytest.mark.parametrize(
    ("profile", "shown_cards"), [("s42-mini", [True] * 4), ("ny-mini", [True] + [False] * 3)]
)
def test_which_burn_cards_people_see(script, profile, shown_cards) -> None:
    book = script(profile=profile_text(profile)).core.book
    assert [burn_card_disclosed(book, index) for index in range(4)] == shown_cards


def test_a_burn_card_that_is_not_shown(script) -> None:
    table = script(profile=profile_text("ny-mini")).begun().reported(*NEW_SHOE)
    assert shown(table)["shoe"]["burn"] == ["Ad", HIDDEN_CARD]
