"""Twenty acts in any second, whenever it begins."""

import pytest

from controller.outlets.control.act_rate import ACTS_PER_S_MAX, ActRate
from controller.rules.actions.declaration import ActionError
from foundation.timestamp import Timestamp

MS = 1_000_000


class Acts:
    """Acts at stated milliseconds."""

    def __init__(self) -> None:
        self._at_ms = 0
        self._rate = ActRate(lambda: Timestamp(self._at_ms * MS, 0))

    def at(self, ms: int) -> None:
        self._at_ms = ms
        self._rate.count()


def test_a_second_begins_with_any_act() -> None:
    acts = Acts()
    acts.at(0)
    for _ in range(ACTS_PER_S_MAX - 1):
        acts.at(900)
    with pytest.raises(ActionError, match="at most 20 acts a second"):
        acts.at(999)
    acts.at(1000)
    with pytest.raises(ActionError):
        acts.at(1899)


def test_refused_acts_do_not_prolong_the_wait() -> None:
    acts = Acts()
    for _ in range(ACTS_PER_S_MAX):
        acts.at(0)
    for ms in range(1, 1000):
        with pytest.raises(ActionError):
            acts.at(ms)
    acts.at(1000)


def test_twenty_acts_a_second_may_go_on() -> None:
    acts = Acts()
    for ms in range(0, 5000, 50):
        acts.at(ms)
