"""The process of several dealt tables: each card of a window has its verdict, and when."""

from pathlib import Path

import pytest

from controller.record.snapshot import Health
from hil.bench.measure import dealt_tables
from hil.bench.measure.dealt_tables import DealtTables, Verdicts
from hil.measure.figures import NS_PER_MS
from hil.rig.shoe_runner import Pace


def test_every_card_of_a_window_is_seen_at_the_watched_tables(
    fast_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dealt_tables, "PACE", Pace.uniform(20 * NS_PER_MS))
    monkeypatch.setattr(dealt_tables, "WARM_S", 0.0)
    with DealtTables(fast_dir / "d", ("M-1", "M-2"), ("M-1",)) as tables:
        window = tables.measure(0.5)
        verdicts = tables.verdicts(window)
        sent = [
            at
            for at in tables.shoes["M-1"].sent_ns.copy().values()
            if window.from_ns <= at < window.until_ns
        ]
        healths = tables.watches["M-1"].healths.copy()
        tables.finish()
    assert len(sent) > 0
    assert len(verdicts.delays) + verdicts.unseen == len(sent)
    assert min(verdicts.delays) > 0
    assert healths == {Health.RUNNING}


def test_a_card_after_the_last_snapshot_was_never_seen(
    fast_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dealt_tables, "WARM_S", 0.0)
    with DealtTables(fast_dir / "d", ("M-1",), ("M-1",)) as tables:
        watch = tables.watches["M-1"]
    assert watch.seen_ns((99, 1)) is None


def test_verdicts_of_two_windows_are_pooled() -> None:
    assert Verdicts((1, 2), 1) + Verdicts((3,), 2) == Verdicts((1, 2, 3), 3)
