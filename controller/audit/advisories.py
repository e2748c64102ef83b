"""What the shoe monitors say of finished shoes, one after another: notes of an audit, no findings.

A finished shoe hides nothing: here every card counts as seen that a coup's record names.

Source: controller/monitors/README.md, "Where they run"; controller/audit/README.md, "Audit".
"""

from collections.abc import Iterator
from typing import Final

from controller.journal.encoding import EncodingError
from controller.journal.shoe_file import ShoeFile
from controller.journal.values import JournalError
from controller.monitors.state import MonitorState
from controller.monitors.take import take
from controller.replay.stored_conclusions import stored_conclusions
from controller.views.build import advisory_view
from controller.views.monitored import Monitored, Shown, monitor_items
from controller.views.snapshot_devices import advisory_words

_UNREAD: Final = "the shoe monitors could not read its records"


class ShoeAdvisories:
    """The monitors of one table over its shoes, in their order."""

    def __init__(self) -> None:
        self._state = MonitorState()
        self._monitored = Monitored()

    def of(self, shoe: ShoeFile, *, endless: bool) -> Iterator[str]:
        """What is said of the next shoe; `endless` where a continuous shuffler feeds it."""
        shown = Shown(face_up=True, burn_cards=True, endless=endless)
        try:
            for conclusion in stored_conclusions(shoe.records()):
                self._monitored, items = monitor_items(self._monitored, shown, conclusion)
                for item in items:
                    self._state, said = take(self._state, item)
                    yield from (f"{one.kind}: {advisory_words(advisory_view(one))}" for one in said)
        except (JournalError, EncodingError):
            yield _UNREAD
