"""Journals of simulated shoes, and their reports."""

from collections.abc import Callable
from pathlib import Path

import pytest

from controller.journal.folder import sealed_files
from controller.rules.profiles.load import load_clauses
from hil.dealing.dealer import DealerSettings
from hil.dealing.mistakes import Mistake, PlannedMistake
from hil.rig.shoe_runner import Pace
from hil.simulation.sealed_journal import DealtTable, write_sealed_journal
from office.evidence.lookup import find_day
from office.reports.day_folder import day_files
from office.reports.shoes import ReportedShoe, read_reported_shoe

HOUR_NS = 3_600_000_000_000

ShoesOf = Callable[..., list[ReportedShoe]]


@pytest.fixture(scope="session")
def dealt(tmp_path_factory) -> Callable[..., Path]:
    """A journal of simulated shoes of one gaming day; a mistake by (kind, shoe, coup)."""

    def made(seed: int, shoes: int, *mistakes: tuple[Mistake, int, int], profile: str) -> Path:
        folder = tmp_path_factory.mktemp("dealt")
        planned = tuple(PlannedMistake(kind, coup, shoe) for kind, shoe, coup in mistakes)
        settings = DealerSettings(seed=seed, shoes=shoes, decks=2, mistakes=planned)
        pace = Pace(between_shoes_ns=HOUR_NS)
        dealing = DealtTable(settings, "SIM-1", profile, pace)
        write_sealed_journal(folder / "journal", dealing, folder / "key")
        return folder / "journal"

    return made


@pytest.fixture(scope="session")
def irregular_day(dealt) -> Path:
    """Two shoes with a wrong result each. Not to be changed."""
    return dealt(
        7, 2, (Mistake.WRONG_RESULT, 1, 3), (Mistake.WRONG_RESULT, 2, 4), profile="s42-mini"
    )


@pytest.fixture(scope="session")
def shoes_of() -> ShoesOf:
    """The reported shoes of a day of a journal; the newest day where none is named."""

    def read(journal: Path, day: str = "") -> list[ReportedShoe]:
        clauses = load_clauses()
        return [read_reported_shoe(one, clauses) for one in find_day(journal, day)]

    return read


@pytest.fixture(scope="session")
def report_of() -> Callable[..., dict[str, str]]:
    """The files of a day's report by name."""

    def made(journal: Path, day: str = "", bundles_at: int | None = None) -> dict[str, str]:
        files = day_files(journal, day, load_clauses(), bundles_at)
        return {name: data.decode("utf-8", "replace") for name, data in files}

    return made


@pytest.fixture(scope="session")
def days_of() -> Callable[[Path], list[str]]:
    """The gaming days of a journal."""
    return lambda journal: sorted({path.parent.name for path in sealed_files(journal)})
