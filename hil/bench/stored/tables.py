"""Tables for analysts: ten million cards exported and queried, beside a plain reading of rows."""

import json
import re
import resource
import subprocess
import time
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from controller.archive.journal_rows import JournalRows
from controller.journal.folder import base_before, read_sealed
from controller.journal.shoe_file import DIGEST_BYTES, ROW_BYTES, TRAILER_BYTES, read_shoe
from controller.record.reader import RunRules
from controller.rules.profiles.load import load_clauses
from hil.bench.measure.checks import Check, report_figure
from hil.bench.measure.figures import NS_PER_S, Unit
from hil.bench.measure.fixtures import Plan, folder_in_memory
from hil.bench.stored.audit import CLEAN, MB, Corpus, with_peak_memory
from hil.rig.measured_program import CannotMeasure

GOAL: Final = "tables"
CARDS: Final = 10**7
# Plain reading takes so long that a part of the shoes must do.
PLAIN_SHOES: Final = 400
# The corpus's own table, and names of as many letters, so that only the digest changes.
NAME: Final = b"SIM-1"
QUERY: Final = """
SELECT "table", outcome, count(*), avg(cards)
FROM read_parquet('{tables}/coups/**/*.parquet', hive_partitioning = true) GROUP BY ALL
"""
CARD_QUERY: Final = """
SELECT card, place, count(*)
FROM read_parquet('{tables}/cards/**/*.parquet', hive_partitioning = true) GROUP BY ALL
"""


def measure_tables(plan: Plan) -> tuple[Check, ...]:
    """Export by one process and by two, queries by DuckDB, plain reading of a part."""
    with folder_in_memory() as folder:
        corpus = Corpus(folder, shoes=plan.count(20, 3))
        cards_each = sum(len(rows) // ROW_BYTES for rows in corpus.rows())
        tables = max(2, plan.count(CARDS, CARDS // 200) // cards_each)
        volume = folder / "volume"
        size = write_tables(corpus, volume, tables)
        cards, shoes = tables * cards_each, tables * len(corpus.files(CLEAN))
        alone = timed_export(volume, folder / "alone", 1)
        shared = timed_export(volume, folder / "shared", 2)
        plain = plain_cards_per_s(tuple(sorted(volume.rglob("*.shoe")))[:PLAIN_SHOES])
        made = sum(path.stat().st_size for path in (folder / "alone").rglob("*.parquet"))
        coups_s, cards_s = query_s(folder / "alone", QUERY), query_s(folder / "alone", CARD_QUERY)
    # Other work on the machine does not count.
    speed = cards / alone.cpu_s
    beside = (
        f"{cards} cards, {shoes} shoes: {alone.cpu_s:.1f} s of a processor ({alone.elapsed_s:.1f} s"
        f" passed), {size / MB / alone.cpu_s:.0f} MB/s; by two {shared.cpu_s:.1f} s"
        f" ({shared.elapsed_s:.1f} s passed)"
    )
    return (
        report_figure(
            GOAL, "tables for analysts, cards a second, one process", speed, Unit.PER_S, beside
        ),
        report_figure(
            GOAL,
            "  beside rows as JSON, read and counted",
            speed / plain,
            Unit.RATIO,
            f"{plain:.0f} cards/s there",
        ),
        report_figure(
            GOAL,
            "  a question to all coups, beside that reading",
            cards / plain / coups_s,
            Unit.RATIO,
            f"{coups_s:.2f} s in DuckDB, of all cards {cards_s:.2f} s; {cards / plain:.0f} s there",
        ),
        report_figure(
            GOAL,
            "  memory of the export",
            alone.memory / MB,
            Unit.MB,
            f"archive {size / MB:.0f} MB, tables {made / MB:.0f} MB",
        ),
    )


def write_tables(corpus: Corpus, volume: Path, tables: int) -> int:
    """Copies of the clean journal under other tables' names; the bytes of all files."""
    files = [(path.parent.name, path.name, path.read_bytes()) for path in corpus.files(CLEAN)]
    size, sealed, name = 0, b"", NAME
    for number in range(tables):
        name = f"{number:05}".encode()
        for day, file, data in files:
            body = data[:-TRAILER_BYTES].replace(NAME, name, 1)
            sealed = body + sha256(body).digest() + data[-TRAILER_BYTES + DIGEST_BYTES :]
            target = volume / name.decode() / "shoes" / day / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(sealed)
            size += len(sealed)
    if read_shoe(sealed).heading.table != name.decode():
        raise CannotMeasure("the bench's own shoes have another table's name")
    return size


@dataclass(frozen=True, slots=True)
class TimedExport:
    """Time that passed and processor time of an export in seconds, and its peak memory in bytes."""

    elapsed_s: float
    cpu_s: float
    memory: int


def timed_export(volume: Path, tables: Path, jobs: int) -> TimedExport:
    """`smartshoe journal export --parquet` as a process. Raises CannotMeasure."""
    words = ["journal", "export", str(volume), "--parquet", str(tables), "--jobs", str(jobs)]
    before, began_ns = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter_ns()
    ended = subprocess.run(
        with_peak_memory(*words),
        check=False,
        capture_output=True,
        text=True,
    )
    elapsed_s = (time.perf_counter_ns() - began_ns) / NS_PER_S
    found = re.search(r"VmHWM:\s+(\d+) kB", ended.stderr)
    if ended.returncode or found is None:
        raise CannotMeasure(f"the export ended with {ended.returncode}: {ended.stderr[:400]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return TimedExport(elapsed_s, cpu_s, int(found[1]) * 1024)


def plain_cards_per_s(files: tuple[Path, ...]) -> float:
    """Cards a processor second where rows as `--json` prints them are read and counted."""
    counts: Counter[tuple[str, str]] = Counter()
    cards = 0
    rules_of = RunRules(load_clauses())
    began_ns = time.process_time_ns()
    for path in files:
        shoe = read_sealed(path)
        rows = JournalRows(rules_of)
        rows.begin(base_before(shoe))
        cards += len(shoe.rows) // ROW_BYTES
        for stored in shoe.records():
            for row in rows.rows_of(stored):
                read = json.loads(json.dumps(row))
                if read["kind"] == "coup":
                    counts[read["table"], read["outcome"]] += 1
    if not counts:
        raise CannotMeasure("the bench's own shoes have no coup")
    return cards * NS_PER_S / (time.process_time_ns() - began_ns)


def query_s(tables: Path, query: str) -> float:
    """Processor seconds that a question takes in DuckDB, the less of two. Raises CannotMeasure."""
    try:
        import duckdb  # noqa: PLC0415 - a library of the tests
    except ImportError as error:
        raise CannotMeasure("DuckDB is not installed here") from error
    taken: list[float] = []
    with duckdb.connect() as database:
        for _ in range(2):
            began_ns = time.process_time_ns()
            database.execute(query.format(tables=tables)).fetchall()
            taken.append((time.process_time_ns() - began_ns) / NS_PER_S)
    return min(taken)
