"""Journals for the tests of the feed: dealt under the simulated clock, once for each process."""

from functools import cache
from pathlib import Path

from controller.archive.consumers import FeedContent
from controller.journal.encoding import GENESIS
from controller.journal.store import open_read_only
from controller.outlets.feed.mapping import MadeEvent, feed_events, record_groups
from controller.outlets.feed.state import FeedRules, FeedState
from controller.rules.profiles.load import load_clauses
from hil.dealing.dealer import DealerSettings
from hil.dealing.mistakes import Mistake, PlannedMistake
from hil.simulation.sealed_journal import DealtTable, write_sealed_journal

SOURCE = "/smartshoe/bench/SIM-1"
BASE = "smartshoe/bench/SIM-1"
DAY = "2026-11-18"
BEGIN = FeedState.at(0, GENESIS, "", FeedRules())
NOT_OF_FACES = FeedContent.METERS_AND_EVENTS
WITH_FACES = FeedContent.FINISHED_COUPS


@cache
def clauses():
    return load_clauses()


def dealt(folder: Path, shoes: int = 2, seed: int = 5) -> Path:
    """A journal of sealed shoes, each with mistakes and the decisions on them."""
    mistakes = tuple(
        PlannedMistake(one, coup, shoe)
        for shoe in range(1, shoes + 1)
        for coup, one in ((3, Mistake.EXTRA_CARD), (9, Mistake.WRONG_RESULT))
    )
    dealer = DealerSettings(seed=seed, shoes=shoes, mistakes=mistakes)
    write_sealed_journal(folder, DealtTable(dealer))
    return folder


def events_of(
    journal: Path, content: FeedContent = NOT_OF_FACES, state: FeedState = BEGIN
) -> tuple[list[MadeEvent], FeedState]:
    """Every event of a journal after a state."""
    made: list[MadeEvent] = []
    with open_read_only(journal) as reader:
        for group in record_groups(reader.records(state.record)):
            state, events = feed_events(state, group, content, clauses())
            made += events
    return made, state
