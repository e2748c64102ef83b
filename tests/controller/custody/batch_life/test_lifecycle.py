"""Each fact about a batch has one function that applies it.

Source: NY (a)(4)(iv); S42 (a)(4), (e); field practice (Deck Mate 2).
"""

from typing import get_args

from controller.custody.batch_life import lifecycle
from controller.custody.batch_life.facts import Fact
from controller.rules.actions.actions import RecordAct
from controller.rules.actions.choices import ActKind
from drivers.shuffler_events import DeviceSilent, ShufflerEvent


def test_every_fact_is_applied_by_one_function() -> None:
    always, trusted = set(lifecycle._ALWAYS), set(lifecycle._IF_TRUSTED)
    acts = {one for one in always if isinstance(one, ActKind)}
    assert len(acts) == 8
    assert (always - acts) | trusted == set(get_args(Fact)) - {RecordAct}
    assert not always & trusted


def test_only_reports_of_the_shuffler_need_its_identity() -> None:
    assert set(lifecycle._IF_TRUSTED) < set(get_args(ShufflerEvent))


def test_a_pause_of_the_shuffler_changes_nothing(batches) -> None:
    before = batches.lineage
    batches.apply(DeviceSilent(1500, lost=False))
    assert batches.lineage == before
