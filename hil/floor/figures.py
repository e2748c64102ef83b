"""What a floor measured, as lines and JSON, and what a house of so many tables needs by it."""

from typing import Final

import msgspec
from msgspec import Struct

from hil.floor.scraping import ScrapeFigures

MB: Final = 1_000_000


class ServerFigures(Struct, frozen=True):
    """A server of the floor: percent of one processor core, and resident bytes."""

    cpu_percent: float
    rss: int


class FeedFigures(Struct, frozen=True):
    """The floor feed: events and repeats that the consumer had; the longest lag in the span."""

    events: int
    repeats: int
    gaps: int
    lag_s_max: float
    broker: ServerFigures


class FloorFigures(Struct, frozen=True):
    """One run: the tables ran for `ran_s`, `seconds` of which were measured.

    `cpu_percent` (of one core) and `rss` are of all programs of tables together.
    """

    tables: int
    processes: int
    seconds: float
    ran_s: float
    cards: int
    scrape_s: int
    cpu_percent: float
    rss: int
    threads: int
    scrape: ScrapeFigures
    prometheus: ServerFigures
    feed: FeedFigures
    dealt: dict[str, int]
    journaled: dict[str, int]
    scraped: dict[str, int]
    consumed: dict[str, int]

    @property
    def agrees(self) -> bool:
        """Whether dealers, journals, Prometheus and consumer have the same coups at every table."""
        return self.dealt == self.journaled == self.scraped == self.consumed

    def as_json(self) -> bytes:
        return msgspec.json.encode(self)

    def lines(self) -> list[str]:
        """The figures for people, a line each."""
        tables, scrape = self.tables, self.scrape
        coups = sum(self.dealt.values())
        shown = [
            _words(
                f"{tables} tables in {self.processes} processes, {self.seconds:.0f} s",
                f"{self.cards / self.seconds:.1f} cards/s",
                f"{coups} coups",
            ),
            _words(
                f"a table:    {self.cpu_percent / tables:.3f} % of a core",
                f"{self.rss / tables / MB:.1f} MB",
                f"{self.threads / tables:.1f} threads",
            ),
            _words(
                f"scrapes:    every {self.scrape_s} s, p50 {scrape.p50_s * 1e3:.1f} ms",
                f"p99 {scrape.p99_s * 1e3:.1f} ms, slowest {scrape.slowest_s * 1e3:.1f} ms",
                f"{scrape.samples:.0f} samples, {scrape.failed:.0f} failed",
            ),
            _words(
                f"Prometheus: {self.prometheus.cpu_percent:.2f} % of a core",
                f"{self.prometheus.rss / MB:.0f} MB, {scrape.series:.0f} series",
            ),
            _words(
                f"broker:     {self.feed.broker.cpu_percent:.2f} % of a core",
                f"{self.feed.broker.rss / MB:.0f} MB, {self.feed.events} events",
                f"{self.feed.repeats} repeats, lag at most {self.feed.lag_s_max:.1f} s",
            ),
        ]
        if self.agrees:
            return [
                *shown,
                "every coup dealt is in its journal, in Prometheus and in the feed",
            ]
        return [*shown, *self._differences()]

    def _differences(self) -> list[str]:
        return [
            f"{name}: {count} coups dealt, {self.journaled.get(name, 0)} in the journal,"
            f" {self.scraped.get(name, 0)} in Prometheus, {self.consumed.get(name, 0)} consumed"
            for name, count in self.dealt.items()
            if {count} != {one.get(name) for one in (self.journaled, self.scraped, self.consumed)}
        ]


def _words(*parts: str) -> str:
    return ", ".join(parts)


class HouseNeeds(Struct, frozen=True):
    """What the tables of a house need, in proportion to what was measured.

    Cores and memory of the machines of its tables together; series and samples a second of its
    Prometheus; events a second of its broker, with the pace that was measured.
    """

    tables: int
    cores: float
    memory_mb: float
    series: float
    samples_per_s: float
    events_per_s: float

    def line(self) -> str:
        """In one line."""
        return (
            f"{self.tables} tables: {self.cores:.1f} cores, {self.memory_mb:.0f} MB,"
            f" {self.series:.0f} series, {self.samples_per_s:.0f} samples/s,"
            f" {self.events_per_s:.0f} events/s"
        )


def needs_of(figures: FloorFigures, tables: int) -> HouseNeeds:
    """The needs of so many tables, in proportion: tables share nothing but a process."""
    share = tables / figures.tables
    return HouseNeeds(
        tables=tables,
        cores=figures.cpu_percent / 100 * share,
        memory_mb=figures.rss / MB * share,
        series=figures.scrape.series * share,
        samples_per_s=figures.scrape.samples * tables / figures.scrape_s,
        events_per_s=figures.feed.events / figures.ran_s * share,
    )
