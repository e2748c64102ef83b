"""What the shoe monitors say of finished shoes, one after another: notes of an audit, no findings.

A finished shoe hides nothing: here every card counts as seen that a coup's record names.
"""

from collections.abc import Iterator
from typing import Final

from controller.archive.replay.stored_conclusions import stored_conclusions
from controller.journal.encoding import EncodingError
from controller.journal.shoe_file import ShoeFile
from controller.journal.values import JournalError
from controller.monitors.across_shoes.shufflers import LIMIT, shuffler_evidence
from controller.monitors.budget import UNIT
from controller.monitors.words import words_of
from controller.record.build import advisory_view
from controller.record.monitored import Shown, TableWatch
from controller.record.snapshot_devices import advisory_words
from controller.system.messages.catalogue import to_words
from drivers.model import BadDeviceSettings

_NAME: Final = "shuffler {}"
_BY_HAND: Final = "shuffles by hand"
_UNREAD: Final = "the shoe monitors could not read its records"


class ShoeAdvisories:
    """The monitors of one table over its shoes, in their order."""

    def __init__(self) -> None:
        self._watch = TableWatch()

    def of(self, shoe: ShoeFile, *, endless: bool) -> Iterator[str]:
        """What is said of the next shoe; `endless` where a continuous shuffler feeds it."""
        shown = Shown(face_up=True, burn_cards=True, endless=endless)
        try:
            # The first one of a part of a journal may be of any run.
            self._watch = self._watch.in_run_of(shoe.parts().started)
            for conclusion in stored_conclusions(shoe.records()):
                self._watch, taken = self._watch.take(shown, conclusion)
                for _, said in taken:
                    yield from (f"{one.kind}: {advisory_words(advisory_view(one))}" for one in said)
        except (JournalError, EncodingError, BadDeviceSettings):
            yield _UNREAD

    def shufflers(self) -> Iterator[str]:
        """Of each shuffler what its tests hold, however little."""
        for one in self._watch.state.across.shufflers:
            held = sum(one.capital)
            words = to_words(words_of(shuffler_evidence(one)))
            name = _NAME.format(one.device) if one.device else _BY_HAND
            yield (
                f"{name}: {one.shoes} shoes compared; the tests hold {_in_thousandths(held)} of a"
                f" unit and speak at {_in_thousandths(LIMIT)}; the first of them: {words}"
            )


def _in_thousandths(capital: int) -> str:
    thousandths = capital * 1_000 // UNIT
    return f"{thousandths // 1_000}.{thousandths % 1_000:03}"
