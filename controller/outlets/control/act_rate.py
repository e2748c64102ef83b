"""The limit on acts of one connection within a second."""

from collections import deque
from collections.abc import Callable
from typing import Final

from controller.rules.actions.declaration import ActionError
from foundation.timestamp import Timestamp

ACTS_PER_S_MAX: Final = 20
_NS_PER_S: Final = 1_000_000_000


class TooManyActs(ActionError):
    """One act more than a connection may send within a second."""


class ActRate:
    """Counts the acts of one connection; those that were refused here do not count."""

    def __init__(self, clock: Callable[[], Timestamp]) -> None:
        self._clock = clock
        self._counted_ns: deque[int] = deque(maxlen=ACTS_PER_S_MAX)

    def count(self) -> None:
        """Count an act. Raises TooManyActs if it is one too many within a second."""
        at_ns = self._clock().monotonic_ns
        oldest_ns = self._counted_ns[0] if len(self._counted_ns) == ACTS_PER_S_MAX else None
        if oldest_ns is not None and at_ns - oldest_ns < _NS_PER_S:
            raise TooManyActs(
                f"a connection may send at most {ACTS_PER_S_MAX} acts a second: nothing was stored."
                " Remedy: wait for a second, then send it again"
            )
        self._counted_ns.append(at_ns)
