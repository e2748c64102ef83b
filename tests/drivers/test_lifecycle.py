"""Tests the life cycle of devices for all pairs of stages."""

from itertools import product

from drivers.events import Stage, StageChanged
from drivers.lifecycle import FOLLOWERS, advance
from foundation.message import message

WHY = message("device_answered")


def test_a_change_is_reported_exactly_when_it_is_allowed() -> None:
    for stage, to in product(Stage, repeat=2):
        allowed = to in FOLLOWERS[stage]
        expected = (to, (StageChanged(to, WHY),)) if allowed else (stage, ())

        assert advance(stage, to, WHY) == expected, (stage, to)


def test_no_stage_follows_itself_and_none_returns_to_closed() -> None:
    for stage in Stage:
        assert stage not in FOLLOWERS[stage]
        assert Stage.CLOSED not in FOLLOWERS[stage]
