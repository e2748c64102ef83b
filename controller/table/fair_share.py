"""How much of a processor a table may take beside others: whoever floods one, only it waits.

Source: goal P15.
"""

from typing import ClassVar


class FairShare:
    """A tenth of a processor, after a burst. Used by the table's thread; times in ns.

    A table that deals takes a hundredth. What it must wait is spread over small batches: beside the
    interpreter's lock another table waits for one of them at most.
    """

    PART: ClassVar[int] = 10
    BURST_NS: ClassVar[int] = 50_000_000
    # A few reports: 1 to 3 ms of work.
    BATCH_BYTES: ClassVar[int] = 64

    def __init__(self, at_ns: int, used_ns: int) -> None:
        """`used_ns` is what the thread has used of a processor so far."""
        self._left_ns = self.BURST_NS
        self._at_ns = at_ns
        self._used_ns = used_ns

    def wait_ns(self, at_ns: int, used_ns: int) -> int:
        """How long to take nothing more, after what was used since the last call."""
        earned_ns = (at_ns - self._at_ns) // self.PART
        left_ns = min(self.BURST_NS, self._left_ns + earned_ns) - (used_ns - self._used_ns)
        self._left_ns, self._at_ns, self._used_ns = left_ns, at_ns, used_ns
        return max(0, -left_ns) * self.PART
