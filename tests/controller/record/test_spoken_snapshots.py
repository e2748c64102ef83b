"""What people see of a table is in the language that is spoken: no English word is left."""

import re
from collections.abc import Iterator

import pytest
import scripts_file
from msgspec import Struct, to_builtins
from msgspec.structs import replace
from verdict_answers import rule_book

from controller.core.core import Core
from controller.core.script.parser import parse
from controller.core.script.player import PlayedStatement, play
from controller.core.settings import DeviceSettings, Settings, ShufflerDeviceSettings
from controller.core.state import CoreState
from controller.core.tape.entries import ClockStepped, DiskLevelRecorded
from controller.core.tape.inputs import ClockEvidence, DiskLevel
from controller.monitors.words import words_of
from controller.record.build import advisory_view, build_snapshot
from controller.record.host import describe_clock_step, describe_disk
from controller.record.people import author_words
from controller.record.snapshot import CardFact, Withheld, card_words
from controller.record.snapshot_devices import advisory_words
from controller.rules.actions.declaration import Proof
from controller.rules.advisory import Advisory, AdvisoryKind, RuleEvidence, RuleName
from controller.rules.profiles.borrowing import citation_words
from controller.system.messages.catalogue import languages, speaking, to_words
from foundation.message import Message
from hil.emulator.tablelink.mechanism import ShufflerSettings
from hil.emulator.tablelink.shuffler import Shuffler
from hil.simulation.table import SimulatedTable

CHINESE = "zh_Hant"
# Every tenth script of the net: all profiles, all kinds.
STEP = 10
HAN = re.compile(r"[\u4e00-\u9fff]")
WORD = re.compile(r"[A-Za-z][A-Za-z0-9_'/.:-]*[A-Za-z]|[A-Za-z]{2,}")
# What a text of any language may hold: it is quoted.
CODE = re.compile(r".*[_0-9/.].*|S42-.*|[A-Z]{2,3}-.*|[A-Z]{2,}")
# Options and acts as the command line writes them.
WRITTEN = {
    "burn-card",
    "carry-card",
    "close-shoe",
    "dead-table-spread",
    "into-shuffler",
    "provisional",
    "smartshoe",
    "take-over",
    "void",
}
# What the scripts' people are called, wrote, and stated as values.
TYPED = (
    *("Ann Lee", "Dee Dealer", "Cleo Clark", "by its tag", "coup", "seen", "dead table", "belt"),
    *("players", "blue", "green", "red"),
)
# The phrases that the house chose for its dealers are called as they are written.
PHRASES = (
    *("no more bets", "last hand", "tie hand", "dragon", "panda", "Banker", "Player", "wins"),
    *("over", "to", "natural", "cards in all"),
)
QUOTED = re.compile(
    rf"(?<![A-Za-z_-])({'|'.join((*TYPED, *PHRASES))})(?![A-Za-z_-])|`[^`]*`|'[^']*'"
)


@pytest.fixture(scope="module")
def table() -> tuple[Core, CoreState]:
    """A table with a connected shuffler."""
    shoe = DeviceSettings("/dev/shoe", "angel-eye-ii-ex")
    shuffler = ShufflerDeviceSettings("/dev/shuffler", "tablelink")
    settings = Settings("M7", "3", 8, 0, (), shoe, shuffler=shuffler)
    simulated = SimulatedTable(
        settings, "s42-mini", {"/dev/shuffler": Shuffler(ShufflerSettings(decks=8))}
    )
    return simulated.core, simulated.state


def played_states() -> Iterator[tuple[PlayedStatement, object]]:
    for one in scripts_file.read()[::STEP]:
        book = rule_book(one.profile, one.decks, one.observed)
        for played in play(book, parse("\n".join(one.statements))):
            yield played, book


def texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from texts(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from texts(one)


def messages(value: object) -> Iterator[Message]:
    if isinstance(value, Message):
        yield value
    elif isinstance(value, Struct):
        for name in value.__struct_fields__:
            yield from messages(getattr(value, name))
    elif isinstance(value, tuple):
        for one in value:
            yield from messages(one)


def english_words(text: str) -> list[str]:
    """The words of a text of people that are neither quoted nor a code; none in an identifier."""
    if " " not in text and not HAN.search(text):
        return []
    text = QUOTED.sub("", text)
    return [one for one in WORD.findall(text) if not CODE.fullmatch(one) and one not in WRITTEN]


def left_english(said: set[str]) -> dict[str, list[str]]:
    return {text: words for text in said if (words := english_words(text))}


def test_snapshots_of_many_tables_are_in_the_language_that_is_spoken(
    table: tuple[Core, CoreState],
) -> None:
    core, state = table
    said: set[str] = set()
    with speaking(CHINESE):
        said.update(texts(to_builtins(build_snapshot(core, state))))
        for played, book in played_states():
            shown = build_snapshot(replace(core, book=book), replace(state, table=played.state))
            said.update(texts(to_builtins(shown)))
    assert len(said) > 500
    assert left_english(said) == {}


def test_answers_and_records_of_many_tables_are_in_the_language_that_is_spoken() -> None:
    said: set[str] = set()
    with speaking(CHINESE):
        for played, _ in played_states():
            for one in (*played.verdicts, *played.effects):
                said.update(map(to_words, messages(one)))
    # The refusals of a profile name its settings and their values.
    settings = {text for text in said if "設定" in text}
    assert len(said) > 500
    assert left_english(said - settings) == {}


def test_english_is_found() -> None:
    assert english_words("燒 3 cards") == ["cards"]
    assert english_words("the next coup") == ["the", "next"]
    assert english_words("未讀 S42-k-1 `smartshoe rules show` Player 3") == []


@pytest.mark.parametrize("language", languages())
def test_a_snapshot_is_the_same_but_for_its_words(
    table: tuple[Core, CoreState], language: str
) -> None:
    """Codes, numbers and cards follow no language."""
    core, state = table
    english = to_builtins(build_snapshot(core, state))
    with speaking(language):
        spoken = to_builtins(build_snapshot(core, state))
    english_due, spoken_due = english.pop("due"), spoken.pop("due")
    assert (english_due == spoken_due) is (language == "en")
    for name in ("phase", "shoe", "coup", "device", "custody", "seals"):
        assert english[name] == spoken[name]


# --- words beside the snapshot --------------------------------------------------------------------


@pytest.mark.parametrize("level", DiskLevel)
def test_the_disk_is_described_in_the_language_that_is_spoken(level: DiskLevel) -> None:
    with speaking(CHINESE):
        said = describe_disk(DiskLevelRecorded(level, 5 << 20, 64 << 20))
    assert english_words(re.sub("[KMG]iB", "", said)) == []


@pytest.mark.parametrize("evidence", ClockEvidence)
@pytest.mark.parametrize("by_ns", [-90_061_000_000_000, 1_500_000_000])
def test_a_step_of_the_clock_is_described_in_the_language_that_is_spoken(
    evidence: ClockEvidence, by_ns: int
) -> None:
    with speaking(CHINESE):
        said = describe_clock_step(ClockStepped(by_ns, 1_700_000_000_000_000_000, evidence))
    assert english_words(said) == []
    assert "UTC" in said


def test_people_cards_and_citations_are_in_the_language_that_is_spoken() -> None:
    with speaking(CHINESE):
        assert card_words(CardFact(None, Withheld.UNREAD)) == "未讀"
        assert "以 PIN 證實" in author_words("Ann Lee", Proof.PIN)
        assert re.match(r"S42-e-5\W借用\WX-6\W{2}WA-1", citation_words("WA", ("S42-e-5", "WA-1")))


@pytest.mark.parametrize("shoe", [0, 7])
@pytest.mark.parametrize("again", [False, True])
def test_advisories_are_in_the_language_that_is_spoken(*, shoe: int, again: bool) -> None:
    evidence = RuleEvidence(RuleName.SUITS_UP, 3, 5, 5)
    said = Advisory(AdvisoryKind.ORDER, shoe, 8, 900, evidence, words_of(evidence))
    with speaking(CHINESE):
        shown = advisory_view(replace(said, again=again))
        assert english_words(advisory_words(shown)) == []
