"""The life cycle: all pairs of stages."""

import pytest

from drivers.events import Stage, StageChanged
from drivers.lifecycle import FOLLOWERS, advance


@pytest.mark.parametrize("stage", Stage)
@pytest.mark.parametrize("to", Stage)
def test_a_change_is_told_exactly_when_it_may_come(stage: Stage, to: Stage) -> None:
    after, events = advance(stage, to, "why")

    if to in FOLLOWERS[stage]:
        assert (after, events) == (to, (StageChanged(to, "why"),))
    else:
        assert (after, events) == (stage, ())


@pytest.mark.parametrize("stage", Stage)
def test_no_stage_follows_itself_and_none_goes_back_to_closed(stage: Stage) -> None:
    assert stage not in FOLLOWERS[stage]
    assert Stage.CLOSED not in FOLLOWERS[stage]
