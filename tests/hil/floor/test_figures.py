"""What a floor's figures say for a house of more tables, and whose coups differ."""

from msgspec.structs import replace

from hil.floor.figures import FeedFigures, FloorFigures, ServerFigures, needs_of
from hil.floor.plan import FloorPlan
from hil.floor.scraping import ScrapeFigures

COUPS = {"T0001": 4, "T0002": 3}
FIGURES = FloorFigures(
    tables=2,
    processes=1,
    seconds=10.0,
    ran_s=20.0,
    cards=40,
    scrape_s=5,
    cpu_percent=1.0,
    rss=60_000_000,
    threads=20,
    scrape=ScrapeFigures(0.004, 0.008, 0.009, 250.0, 500.0, 0.0),
    prometheus=ServerFigures(0.2, 50_000_000),
    feed=FeedFigures(40, 0, 0, 0.2, ServerFigures(0.1, 9_000_000)),
    dealt=COUPS,
    journaled=COUPS,
    scraped=COUPS,
    consumed=COUPS,
)


def test_a_house_needs_what_its_tables_need_in_proportion() -> None:
    needs = needs_of(FIGURES, 1000)
    assert (needs.cores, needs.memory_mb) == (5.0, 30_000.0)
    assert (needs.series, needs.samples_per_s) == (250_000.0, 50_000.0)
    assert needs.events_per_s == 1000.0


def test_coups_that_are_lost_on_the_way_are_said_with_their_table() -> None:
    lost = replace(FIGURES, scraped={"T0001": 4, "T0002": 2})
    assert not lost.agrees
    assert lost.lines()[-1] == "T0002: 3 coups dealt, 3 in the journal, 2 in Prometheus, 3 consumed"


def test_a_table_that_prometheus_does_not_know_is_said(tmp_path) -> None:
    assert not replace(FIGURES, scraped={"T0001": 4}).agrees


def test_processes_share_the_tables_and_pits_have_eight(tmp_path) -> None:
    plan = FloorPlan(tmp_path, tables=20, a_process=9, seconds=5, card_ms=100, scrape_s=1)
    processes = list(plan.processes())
    assert [len(one) for one in processes] == [9, 9, 2]
    names = [table.name for one in processes for table in one]
    assert (names[0], names[-1], len(set(names))) == ("T0001", "T0020", 20)
    assert [table.pit for table in processes[0]] == ["pit-1"] * 8 + ["pit-2"]
