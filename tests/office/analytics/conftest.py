"""Exported tables read by DuckDB, a second reader of their files; two journals to export."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hil.dealing.dealer import DealerSettings
from hil.dealing.mistakes import Mistake, PlannedMistake
from hil.rig.shoe_runner import Pace
from hil.simulation.sealed_journal import DealtTable, write_sealed_journal

HOURS_NS = 3_600_000_000_000


def read_by_duckdb(tables: Path, name: str, what: str = "*") -> list[dict[str, object]]:
    """The rows of a table in the order of records; times in UTC as text."""
    import duckdb  # noqa: PLC0415 (not in the environment of `make test`)

    files = f"{tables}/{name}/**/*.parquet"
    source = f"FROM read_parquet('{files}', hive_partitioning = true, hive_types_autocast = false)"
    with duckdb.connect() as database:
        database.execute("SET TimeZone = 'UTC'")
        found = database.execute(f"DESCRIBE SELECT {what} {source}").fetchall()
        cells = [
            f'CAST("{column}" AS VARCHAR) AS "{column}"'
            if kind.startswith("TIMESTAMP")
            else f'"{column}"'
            for column, kind, *_ in found
        ]
        rows = database.execute(f"SELECT {', '.join(cells)} {source} ORDER BY record").fetchall()
    return [dict(zip((one[0] for one in found), row, strict=True)) for row in rows]


@pytest.fixture(scope="session")
def read_table() -> Callable[..., list[dict[str, object]]]:
    return read_by_duckdb


@pytest.fixture(scope="session")
def dealt_journal(tmp_path_factory) -> Callable[..., Path]:
    """A journal of simulated shoes, two a gaming day; a mistake by (kind, shoe, coup)."""

    def dealt(
        seed: int = 5,
        shoes: int = 3,
        *mistakes: tuple[Mistake, int, int],
        table: str = "SIM-1",
        profile: str = "s42-mini",
    ) -> Path:
        folder = tmp_path_factory.mktemp("dealt")
        planned = tuple(PlannedMistake(kind, coup, shoe) for kind, shoe, coup in mistakes)
        settings = DealerSettings(seed=seed, shoes=shoes, decks=2, mistakes=planned)
        pace = Pace(between_shoes_ns=10 * HOURS_NS)
        write_sealed_journal(
            folder / "journal", DealtTable(settings, table, profile, pace), folder / "key"
        )
        return folder / "journal"

    return dealt


@pytest.fixture(scope="session")
def sealed_days(dealt_journal) -> Path:
    """Three shoes on two gaming days, one with an irregularity. Not to be changed."""
    return dealt_journal(5, 3, (Mistake.WRONG_RESULT, 2, 3))
