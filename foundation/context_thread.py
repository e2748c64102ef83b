"""A thread that keeps the context variables of the thread that makes it.

What a thread logs then names the table for which it was made. Python 3.14 can do it itself.
Source: PEP 567; Python documentation, "sys.flags.thread_inherit_context".
"""

import contextvars
import threading
from collections.abc import Callable, Sequence


class ContextThread(threading.Thread):
    """threading.Thread, run in a copy of the context it was made in."""

    def __init__(
        self,
        *,
        target: Callable[..., object],
        name: str,
        args: Sequence[object] = (),
        daemon: bool = False,
    ) -> None:
        super().__init__(target=target, name=name, args=tuple(args), daemon=daemon)
        self._made_in = contextvars.copy_context()

    def run(self) -> None:
        """Run the target."""
        self._made_in.run(super().run)
