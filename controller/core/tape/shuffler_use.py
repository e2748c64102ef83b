"""Follows from the records whether the shuffler could be used: online, trusted, without warnings.

Source: field practice (shuffle downtime is a figure to watch).
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.core.tape.entries import DeviceEventRecorded, Entry, EventVerdicts, RunBegan
from controller.procedure.effects import WarningClosed, WarningOpened
from controller.procedure.events import ShufflerReported
from drivers.events import Stage, StageChanged
from drivers.shuffler_events import IdentityProven, IdentityRefused


class ShufflerUse(Struct, frozen=True):
    """Whether the shuffler can be used: it is online, has proven who it is, and warns of nothing.

    `warnings` are the numbers of the open ones. `at_ns` is UTC of the newest record of this run;
    None before a run.
    """

    online: bool = False
    trusted: bool = False
    warnings: tuple[int, ...] = ()
    at_ns: int | None = None

    @property
    def down(self) -> bool:
        return not (self.online and self.trusted) or bool(self.warnings)

    def after(self, port: str, at_ns: int, entries: Sequence[Entry]) -> "ShufflerUse":
        """The use after what one input at `at_ns` (UTC) brought, of the shuffler at that port."""
        use = self
        for entry in entries:
            match entry:
                case RunBegan():
                    use = replace(use, online=False, trusted=False)
                case DeviceEventRecorded(port=at, event=StageChanged(stage=stage)) if at == port:
                    use = replace(use, online=stage is Stage.ONLINE)
                case EventVerdicts(event=ShufflerReported(event=IdentityProven())):
                    use = replace(use, trusted=True)
                case EventVerdicts(event=ShufflerReported(event=IdentityRefused())):
                    use = replace(use, trusted=False)
                case WarningOpened(number=number):
                    use = replace(use, warnings=(*use.warnings, number))
                case WarningClosed(number=number):
                    left = tuple(one for one in use.warnings if one != number)
                    use = replace(use, warnings=left)
        return replace(use, at_ns=at_ns)

    def down_ns(self, at_ns: int, entries: Sequence[Entry]) -> int:
        """How long it was down before an input at `at_ns` that brought these entries.

        0 where a run begins: nobody knows what was while the program did not run.
        """
        if self.at_ns is None or not self.down:
            return 0
        return 0 if any(isinstance(one, RunBegan) for one in entries) else at_ns - self.at_ns

    def moved(self, by_ns: int) -> "ShufflerUse":
        """The same after the clock was set by so much."""
        return self if self.at_ns is None else replace(self, at_ns=self.at_ns + by_ns)


NOT_USED: Final = ShufflerUse()
