"""Outputs are equal for hands that differ only in cards that lie face down.

Not: the outputs of the running program (tests/end_to_end/test_leaks.py).
Source: D-8; S42-g-3-i to S42-g-3-iii; NY-e-1.
"""

import json
import logging
import re
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.json import encode
from msgspec.structs import replace
from prometheus_client import generate_latest
from shown_tables import faces

from controller.archive.replay.replayer import describe_entry
from controller.core.state import Conclusion, Stored
from controller.outlets.control.answers import answered_entries, refusal_text
from controller.outlets.metrics.page import TablesCollector
from controller.outlets.metrics.table_metrics import TableMetrics
from controller.procedure.effects import Prompt
from controller.procedure.people.permitted import permitted_decisions
from controller.procedure.people.setting_changes import effective_book
from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact
from controller.record.build import build_snapshot
from controller.record.disclosure import (
    burn_card_withheld,
    disclosed_clauses,
)
from controller.record.output_kinds import OutputName
from controller.record.snapshot import HIDDEN_CARD, CardFact, Health, Snapshot, Withheld
from controller.rules.actions.actions import (
    BindBatch,
    ChangeSetting,
    ClearShoeError,
    CloseShoe,
    CollectVigorish,
    CorrectCoup,
    GiveNotice,
    GiveUpReveal,
    LockShoe,
    OperatorAction,
    RecordAct,
    ReportTurned,
    RequestGhostHand,
    Resolution,
    SetCardApart,
    StateWagers,
    UnlockShoe,
    VacateSeat,
)
from controller.rules.actions.choices import ActKind, FloorDecision, LayoutPart, Provisional
from controller.rules.actions.declaration import Role
from controller.rules.hands import HandName
from controller.rules.outcome import Outcome
from controller.rules.profiles.load import profile_text
from controller.system.messages.catalogue import to_words
from drivers.shoes.angel_eye_model import ANGEL_EYE_II_EX
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened

ROOT = Path(__file__).resolve().parents[3]
FACE_DOWN = CardFact(None, Withheld.FACE_DOWN)
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
# Whether a hand needs a third card must not show before one is drawn.
PLAYER_WINS, BANKER_WINS, FORCED_EXIT = "47 90", "47 C0", "47 F0"


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


def snapshot_of(table) -> Snapshot:
    return build_snapshot(table.core, table.state)


def metrics_text(table) -> str:
    """The metrics after everything the table stored."""

    class Published:
        name = "M7"
        health = Health.RUNNING
        published = (table.core, table.state)
        sealing_status = None
        followers = ()
        waiting = 0

    metrics = TableMetrics(Published())
    for item, output in zip(table.inputs, table.outputs, strict=True):
        conclusion = Conclusion(item, output.entries)
        metrics.stored(Stored((conclusion,), output.writes, item.at, table.state, table.core.book))
    return generate_latest(TablesCollector([metrics])).decode()


def answered(table, entries) -> str:
    """The answer to an action that led to these entries."""
    state = table.state.table
    book = effective_book(table.core.book, state)
    return encode((refusal_text(entries, book), answered_entries(entries, book, state))).decode()


def answer_text(table) -> str:
    return answered(table, table.acted(LockShoe()).entries)


def monitor_text(table) -> str:
    monitor = ANGEL_EYE_II_EX.build_monitor(to_words, masked=True)
    state = monitor.initial()
    lines = []
    port_events = (PortOpened, Chunk, PortLost)
    for item in (one for one in table.inputs if isinstance(one, port_events)):
        state, more = monitor.watch(state, item)
        lines.extend(more)
    return "\n".join(lines)


def replay_text(table) -> str:
    return "\n".join(sorted(set(map(describe_entry, table.entries))))


OUTPUT_TEXTS = {
    OutputName.SNAPSHOT: lambda table: encode(snapshot_of(table)).decode(),
    OutputName.ACTION_ANSWER: answer_text,
    OutputName.METRICS: metrics_text,
    OutputName.MONITOR: monitor_text,
    OutputName.REPLAY_REPORT: replay_text,
}


@pytest.mark.parametrize("cards", [1, 2, 3, 4])
@pytest.mark.parametrize("output", list(OUTPUT_TEXTS))
def test_hands_that_lie_face_down_look_the_same(dealt, output, cards) -> None:
    seen = {OUTPUT_TEXTS[output](dealt(*hand[:cards])) for hand in HANDS.values()}
    assert len(seen) == 1


@pytest.mark.parametrize("output", list(OUTPUT_TEXTS))
def test_a_third_card_that_lies_face_down_looks_the_same(script, output) -> None:
    down = face_down("players_reveal")
    deals = [(*HANDS["player draws"], f"44 83 {face}") for face in ("A1", "A8", "CD", "96")]
    seen = {
        OUTPUT_TEXTS[output](script(profile=down).begun().reported(*NEW_SHOE, *deal))
        for deal in deals
    }
    assert len(seen) == 1


def test_a_third_card_that_is_dealt_face_up_is_shown_beside_hands_that_are_not(script) -> None:
    table = script(profile=face_down("face_down_dealer")).begun().reported(*NEW_SHOE)
    coup = snapshot_of(table.reported(*HANDS["player draws"], "44 83 A8")).coup
    assert (faces(coup.player.cards), faces(coup.banker.cards)) == (
        [HIDDEN_CARD, HIDDEN_CARD, "8c"],
        [HIDDEN_CARD] * 2,
    )
    assert coup.player.count == coup.banker.count == FACE_DOWN


# --- turned part by part --------------------------------------------------------------------------

TURNING_OBSERVED = (ObservableFact.RESULT_BUTTON, ObservableFact.TURNED)
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
    """A table that observes turning, after these cards were dealt and these parts turned."""

    def made(cards: tuple[str, ...], *parts: str):
        table = script(profile=face_down(request.param), observed=TURNING_OBSERVED).begun()
        table.reported(*NEW_SHOE, *cards)
        for part in parts:
            table.acted(ReportTurned(LayoutPart(part)))
        return table

    return made


@pytest.mark.parametrize("player", list(PLAYER_HANDS))
@pytest.mark.parametrize("output", list(OUTPUT_TEXTS))
def test_with_the_player_hand_turned_the_banker_hand_stays_hidden(turned, output, player) -> None:
    deals = [four(PLAYER_HANDS[player], banker) for banker in BANKER_HANDS.values()]
    assert len({OUTPUT_TEXTS[output](turned(deal, "player_hand")) for deal in deals}) == 1


@pytest.mark.parametrize("output", list(OUTPUT_TEXTS))
def test_with_the_banker_hand_turned_the_player_hand_stays_hidden(turned, output) -> None:
    deals = [four(player, BANKER_HANDS["three"]) for player in PLAYER_HANDS.values()]
    assert len({OUTPUT_TEXTS[output](turned(deal, "banker_hand")) for deal in deals}) == 1


def test_a_hand_that_was_turned_is_shown_with_its_count(turned) -> None:
    now = snapshot_of(turned(four(PLAYER_HANDS["stands"], BANKER_HANDS["three"]), "player_hand"))
    coup = now.coup
    assert (faces(coup.player.cards), coup.player.count.value) == (["7h", "Kc"], 7)
    assert (coup.banker.cards, coup.banker.count) == ((FACE_DOWN,) * 2, FACE_DOWN)
    assert (now.phase, now.coup.turning.face_down) == (FACE_DOWN, ("banker_hand",))
    assert (now.coup.turning.turned, now.due_calls[0][:18]) == (
        ("player_hand",),
        "announce: Player 7",
    )


def test_once_both_hands_are_turned_the_next_card_due_is_shown(turned) -> None:
    cards = four(PLAYER_HANDS["stands"], BANKER_HANDS["three"])
    now = snapshot_of(turned(cards, "player_hand", "banker_hand"))
    assert (now.phase.value, now.due) == ("banker_3", "Banker's third card")


@pytest.mark.parametrize("output", list(OUTPUT_TEXTS))
def test_a_third_card_that_was_not_turned_changes_no_output(script, output) -> None:
    seen = set()
    for face in ("A1", "A8", "CD", "96"):
        table = script(profile=face_down("players_reveal"), observed=TURNING_OBSERVED).begun()
        table.reported(*NEW_SHOE, *HANDS["player draws"])
        table.acted(ReportTurned(LayoutPart.PLAYER_HAND))
        table.acted(ReportTurned(LayoutPart.BANKER_HAND))
        table.reported(f"44 83 {face}")
        seen.add(OUTPUT_TEXTS[output](table))
    assert len(seen) == 1


@pytest.mark.parametrize("output", list(OUTPUT_TEXTS))
def test_dealt_mixed_the_banker_hand_stays_hidden(script, output) -> None:
    text = profile_text("wa-mini")
    setting = 'deal_option = { value = "face_up"'
    assert setting in text
    mixed = text.replace(setting, 'deal_option = { value = "mixed"')
    seen = set()
    for banker in BANKER_HANDS.values():
        table = script(profile=mixed).begun()
        table.reported(*NEW_SHOE, *four(PLAYER_HANDS["stands"], banker))
        now = snapshot_of(table).coup
        assert (faces(now.player.cards), now.player.count.value) == (["7h", "Kc"], 7)
        seen.add(OUTPUT_TEXTS[output](table))
    assert len(seen) == 1


def prompts_of(table) -> list[tuple[str, tuple[str, ...]]]:
    return [(to_words(one.text), one.clauses) for one in table.of(Prompt)]


@pytest.mark.parametrize("parts", [(), ("player_hand",)])
def test_no_prompt_depends_on_cards_that_nobody_has_turned(turned, parts) -> None:
    player = PLAYER_HANDS["stands"]
    deals = [four(player, banker) for banker in BANKER_HANDS.values()]
    prompts = [prompts_of(turned(deal, *parts)) for deal in deals]
    assert prompts[1:] == prompts[:-1]


def test_with_turning_not_observed_no_prompt_depends_on_the_cards(dealt) -> None:
    prompts = [prompts_of(dealt(*hand)) for hand in HANDS.values()]
    assert prompts[1:] == prompts[:-1]


@pytest.mark.parametrize("output", list(OUTPUT_TEXTS))
def test_the_hand_of_a_third_card_drawn_before_turning_is_not_shown(script, output) -> None:
    deals = [
        (*four(PLAYER_HANDS[player], BANKER_HANDS["three"]), f"44 {place} A8")
        for player, place in (("draws", "83"), ("stands", "93"))
    ]
    down = face_down("players_reveal")
    seen = set()
    for deal in deals:
        table = script(profile=down, observed=TURNING_OBSERVED).begun().reported(*NEW_SHOE, *deal)
        assert snapshot_of(table).coup.third == (FACE_DOWN,)
        seen.add(OUTPUT_TEXTS[output](table))
    assert len(seen) == 1


def test_once_the_hands_are_turned_the_third_card_is_in_its_hand(script) -> None:
    table = script(profile=face_down("players_reveal"), observed=TURNING_OBSERVED).begun()
    table.reported(*NEW_SHOE, *four(PLAYER_HANDS["draws"], BANKER_HANDS["three"]), "44 83 A8")
    table.acted(ReportTurned(LayoutPart.PLAYER_HAND))
    table.acted(ReportTurned(LayoutPart.BANKER_HAND))
    coup = snapshot_of(table).coup
    assert (len(coup.player.cards), len(coup.banker.cards), coup.third) == (3, 2, ())


def test_what_follows_from_a_card_passes_one_check() -> None:
    """No other module of the program makes one than that which decides on disclosure."""
    makes = re.compile(r"(?<!class )\bCardFact\(")
    sources = (ROOT / "controller").rglob("*.py")
    makers = [path.stem for path in sources if makes.search(path.read_text(encoding="utf-8"))]

    assert makers == ["disclosure"]


# --- actions --------------------------------------------------------------------------------------

# Actions that do not themselves disclose a card. Turning, declaring and a card found face up do;
# calling "no more bets" states that the coup before is over.
NOT_DISCLOSING = (
    *(Resolution(decision) for decision in FloorDecision if decision.value != "state_outcome"),
    *(Resolution(decision, Provisional.VOID) for decision in (FloorDecision.CONTINUE,)),
    *(CloseShoe(), LockShoe(), UnlockShoe(), ClearShoeError(4)),
    *(ReportTurned(part) for part in (LayoutPart.PLAYER_THIRD, LayoutPart.BANKER_THIRD)),
    *(GiveUpReveal(hand, by_order) for hand in HandName for by_order in (False, True)),
    # That the shoe is empty voids a coup that needs a card, as the shoe's own count does: bets are
    # closed, and nobody can go on without knowing it.
    *(
        RecordAct(kind, batch="red", seat=1, second="B. Floor")
        for kind in ActKind
        if kind is not ActKind.SHOE_EMPTY
    ),
    *(RequestGhostHand(), StateWagers(()), CollectVigorish(3), VacateSeat(3)),
    *(GiveNotice("vig_rate", "4", "patrons"), ChangeSetting("vig_rate", "4")),
    *(CorrectCoup(number, Outcome.TIE, "B. Floor") for number in (1, 2)),
    *(BindBatch("RED-0001"), SetCardApart("red", "E004010000000001")),
)


def answer_to(table, action) -> str:
    """The answer to an action now."""
    item = OperatorAction(table.at, "A. Floor", Role.FLOORPERSON, "test", action, "seen by me")
    _, output = table.core.handle(table.state, item)
    return answered(table, output.entries)


@pytest.mark.parametrize("cards", [1, 3, 4])
@pytest.mark.parametrize(
    "observed",
    [(ObservableFact.RESULT_BUTTON,), TURNING_OBSERVED],
    ids=["turning not observed", "turning observed"],
)
def test_no_answer_to_an_action_depends_on_cards_that_lie_face_down(
    script, observed, cards
) -> None:
    down = face_down("players_reveal")
    tables = [
        script(profile=down, observed=observed).begun().reported(*NEW_SHOE, *hand[:cards])
        for hand in HANDS.values()
    ]
    revealing = [
        action
        for action in NOT_DISCLOSING
        if len({answer_to(table, action) for table in tables}) > 1
    ]
    assert revealing == []


@pytest.mark.parametrize(
    "observed",
    [(ObservableFact.RESULT_BUTTON,), TURNING_OBSERVED],
    ids=["turning not observed", "turning observed"],
)
def test_while_suspended_no_answer_depends_on_cards_that_lie_face_down(script, observed) -> None:
    down = face_down("players_reveal")
    tables = [
        script(profile=down, observed=observed)
        .begun()
        .reported(*NEW_SHOE, *HANDS[hand], "44 83 A3")
        for hand in ("natural", "both stand")
    ]
    assert {table.state.table.phase for table in tables} == {Phase.SUSPENDED}
    revealing = [
        action
        for action in NOT_DISCLOSING
        if len({answer_to(table, action) for table in tables}) > 1
    ]
    assert revealing == []


# --- cards drawn in error, and ghost hands --------------------------------------------------------


@pytest.mark.parametrize("decided", [False, True])
@pytest.mark.parametrize("output", list(OUTPUT_TEXTS))
def test_a_card_drawn_in_error_is_not_shown_where_the_hands_lie_face_up(
    script, output, decided
) -> None:
    seen = set()
    for face in ("A3", "A8", "CD"):
        table = script().begun().reported(*NEW_SHOE, *HANDS["natural"], f"44 83 {face}")
        if decided:
            table.acted(Resolution(FloorDecision.CONTINUE))
        seen.add(OUTPUT_TEXTS[output](table))
    assert len(seen) == 1


def test_a_card_drawn_in_error_is_shown_once_it_was_turned(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *HANDS["natural"], "44 83 A3")
    assert snapshot_of(table).coup.aside == (CardFact(None, Withheld.DRAWN_IN_ERROR),)
    table.acted(ReportTurned(LayoutPart.ERROR_CARD))
    assert snapshot_of(table).coup.aside == (CardFact("3c", None),)


def test_a_ghost_hand_is_shown_whatever_the_deal_option(script) -> None:
    table = script(profile=ghostly("face_down_dealer")).begun().reported(*NEW_SHOE)
    table.acted(RequestGhostHand())
    table.reported(*HANDS["natural"])
    now = snapshot_of(table)
    assert (now.coup.ghost, faces(now.coup.player.cards)) == (True, ["9h", "Kc"])
    now = snapshot_of(table.reported(PLAYER_WINS))
    assert (now.last_coup.ghost, faces(now.last_coup.player.cards)) == (True, ["9h", "Kc"])
    assert (now.last_coup.outcome, now.wagering.wins) == ("player", ())


def test_a_ghost_hand_that_is_void_was_seen_too(script) -> None:
    table = script(profile=ghostly("face_down_dealer")).begun().reported(*NEW_SHOE)
    table.acted(RequestGhostHand())
    last = voided(table.reported(*HANDS["natural"], "44 83 A3")).last_coup
    assert (last.ghost, faces(last.player.cards)) == (True, ["9h", "Kc"])


def ghostly(option: str) -> str:
    """The Washington profile of a house that deals one ghost hand a shoe."""
    text = profile_text("wa-mini")
    for name, old, new in (("ghost_hands", "off", 1), ("deal_option", "face_up", option)):
        setting = f'{name} = {{ value = "{old}"'
        assert setting in text
        text = text.replace(setting, f"{name} = {{ value = {json.dumps(new)}")
    return text


# --- log, layout, results -------------------------------------------------------------------------


def test_no_log_line_is_written_about_a_card(dealt, caplog) -> None:
    with caplog.at_level(logging.DEBUG):
        dealt(*HANDS["natural"], PLAYER_WINS)
    # The program switches off the log of the state table's library: the next test.
    assert [one.name for one in caplog.records if not one.name.startswith("transitions")] == []


def test_the_program_disables_the_log_of_the_state_table_library() -> None:
    program = (
        "import logging\n"
        "from pathlib import Path\n"
        "from controller.service.config.document import ConfigError\n"
        "from controller.service.app import run_configured\n"
        "try: run_configured(Path('no such file'), close_coup_as_partial=False, as_root=True)\n"
        "except ConfigError: pass\n"
        "print(logging.getLogger('transitions.core').isEnabledFor(logging.INFO))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_a_card_face_down_is_shown_as_hidden(dealt) -> None:
    now = snapshot_of(dealt(*HANDS["natural"]))
    assert now.coup.player.cards == now.coup.banker.cards == (FACE_DOWN, FACE_DOWN)


@pytest.mark.parametrize("hand", list(HANDS))
def test_with_cards_face_down_phase_and_counts_are_hidden(dealt, hand) -> None:
    now = snapshot_of(dealt(*HANDS[hand]))
    assert (now.phase, now.due) == (
        FACE_DOWN,
        "turn the cards; what is due next follows from them",
    )
    assert now.coup.player.count == now.coup.banker.count == FACE_DOWN


def test_a_declared_result_discloses(dealt) -> None:
    now = snapshot_of(dealt(*HANDS["natural"], PLAYER_WINS))
    assert faces(now.last_coup.player.cards) == ["9h", "Kc"]
    assert (now.last_coup.player.count.value, now.last_coup.outcome) == (9, "player")


def test_a_wrong_result_discloses_too(dealt) -> None:
    now = snapshot_of(dealt(*HANDS["natural"], BANKER_WINS))
    assert now.phase.value == "suspended"
    assert (faces(now.coup.player.cards), now.coup.player.count.value) == (["9h", "Kc"], 9)


def test_a_suspension_does_not_show_where_play_resumes(dealt) -> None:
    places = set()
    for hand in HANDS.values():
        table = dealt(*hand, "64 90 95")
        assert table.state.table.phase is Phase.SUSPENDED
        places.add(snapshot_of(table).suspension.resume_to)
    assert places == {FACE_DOWN}


def test_a_coup_that_was_left_does_not_show_whether_a_card_was_due(dealt) -> None:
    phases, shown = set(), set()
    for hand in HANDS.values():
        table = dealt(*hand, FORCED_EXIT)
        phases.add(table.state.table.play_phase)
        now = snapshot_of(table)
        shown.add((now.phase.value, now.suspension.resume_to, now.due))
    assert phases == {Phase.ABANDONED, Phase.ABANDONED_COMPLETE}
    assert shown == {("suspended", FACE_DOWN, "a floorperson's decision")}


@pytest.mark.parametrize("output", [OutputName.SNAPSHOT, OutputName.METRICS])
def test_an_overdraw_does_not_show_why_no_card_was_due(dealt, output) -> None:
    hands = (HANDS["natural"], HANDS["both stand"])
    seen = {OUTPUT_TEXTS[output](dealt(*hand, "44 83 A3")) for hand in hands}
    assert len(seen) == 1


def test_an_overdraw_says_that_clauses_wait_for_the_cards(dealt) -> None:
    (one,) = snapshot_of(dealt(*HANDS["natural"], "44 83 A3")).irregularities
    assert (one.withheld, "S42-i-1" in one.clauses) == (Withheld.FACE_DOWN, False)


def test_an_answer_about_an_overdraw_does_not_show_why_no_card_was_due(dealt) -> None:
    answers = set()
    for hand in (HANDS["natural"], HANDS["both stand"]):
        table = dealt(*hand, "44 83 A3")
        answers.add(answered(table, table.outputs[-1].entries))
    (answer,) = answers
    assert '"kind":"irregularity"' in answer


def test_a_coup_of_the_next_shoe_does_not_disclose_one_of_the_same_number(dealt) -> None:
    table = dealt(*HANDS["natural"], "44 83 A3")
    book, shoe = table.core.book, table.state.table.shoe
    (raised,) = table.state.table.open_irregularities
    # A ghost hand is seen by everybody.
    seen = replace(shoe.coup, ghost=True)
    of_next = replace(seen, irregular=())

    def cited(coup) -> tuple[str, ...]:
        state = replace(table.state.table, shoe=replace(shoe, coup=coup))
        return disclosed_clauses(book, state, raised)

    assert (shoe.number, shoe.coup.number, raised.coup) == (1, 1, 1)
    assert "S42-i-1" in raised.clauses
    assert cited(shoe.coup) == cited(of_next) != raised.clauses
    assert cited(seen) == raised.clauses


def test_face_up_an_overdraw_cites_the_clauses_that_follow_from_the_cards(script) -> None:
    cited = [
        snapshot_of(script().begun().reported(*NEW_SHOE, *hand, "44 83 A3")).irregularities[0]
        for hand in (HANDS["natural"], HANDS["both stand"])
    ]
    assert [one.withheld for one in cited] == [None, None]
    assert "S42-i-1" in cited[0].clauses
    assert "S42-i-1" not in cited[1].clauses


def voided(table) -> Snapshot:
    """The snapshot after a floorperson has voided the open coup."""
    assert FloorDecision.VOID_COUP in permitted_decisions(table.core.book, table.state.table)
    table.acted(Resolution(FloorDecision.VOID_COUP))
    return snapshot_of(table)


def test_a_void_coup_that_nobody_turned_stays_hidden(dealt) -> None:
    last = voided(dealt(*HANDS["natural"], "47 F0")).last_coup
    hidden = CardFact(None, Withheld.NEVER_TURNED)
    assert (last.fate, last.outcome) == ("void", None)
    assert last.player.cards == last.banker.cards == (hidden, hidden)
    assert (last.player.count, last.natural) == (hidden, hidden)


def test_a_void_coup_whose_result_was_declared_is_shown(dealt) -> None:
    last = voided(dealt(*HANDS["natural"], BANKER_WINS)).last_coup
    assert (last.fate, faces(last.player.cards)) == ("void", ["9h", "Kc"])


def test_face_up_a_void_coup_is_shown(script) -> None:
    table = script().begun().reported(*NEW_SHOE, *HANDS["natural"], "47 F0")
    assert faces(voided(table).last_coup.player.cards) == ["9h", "Kc"]


@pytest.mark.parametrize(
    ("profile", "shown_cards"), [("s42-mini", [True] * 4), ("ny-mini", [True] + [False] * 3)]
)
def test_which_burn_cards_people_see(script, profile, shown_cards) -> None:
    book = script(profile=profile_text(profile)).core.book
    assert [burn_card_withheld(book, index) is None for index in range(4)] == shown_cards


def test_a_burn_card_that_is_not_shown(script) -> None:
    table = script(profile=profile_text("ny-mini")).begun().reported(*NEW_SHOE)
    assert snapshot_of(table).shoe.burn == (
        CardFact("Ad", None),
        CardFact(None, Withheld.NOT_EXPOSED),
    )
