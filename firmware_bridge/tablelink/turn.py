"""What one call of the link has given so far.

Responsible for: gathering items and frames in their order while a call goes through its steps,
numbering frames, and drawing numbers from the entropy of the opening.
Not responsible for: what is said when (link, opening, delivery, requests, heartbeat).
Source: package README, "One shape for every stage".
"""

import hashlib
from dataclasses import field
from typing import Final, TypeAlias

from firmware_bridge.link import LinkFault, LinkOutput
from firmware_bridge.tablelink import frames
from firmware_bridge.tablelink.items import TableLinkItem
from firmware_bridge.tablelink.messages import Said
from firmware_bridge.tablelink.settings import TableLinkSettings
from firmware_bridge.tablelink.state import Known, Pulse, Requests, Session, TableLinkState, Told
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.values import dataclass, replace

TableLinkOutput: TypeAlias = LinkOutput[TableLinkItem]
Linked: TypeAlias = tuple[TableLinkState, TableLinkOutput]

_DRAWN_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class Turn:
    """One call at `at`. Each method gives the turn as it goes on.

    `ack_due`: an event came; one ACK for all of a call stands at its end.
    """

    settings: TableLinkSettings
    state: TableLinkState
    at: Timestamp
    output: TableLinkOutput = field(default_factory=LinkOutput)
    ack_due: bool = False

    @property
    def now_ns(self) -> int:
        return self.at.monotonic_ns

    @property
    def linked(self) -> Linked:
        return self.state, self.output

    def tell(self, *items: TableLinkItem | LinkFault) -> "Turn":
        output = replace(self.output, items=(*self.output.items, *items))
        return replace(self, output=output)

    def say(self, said: Said) -> "Turn":
        """Written at once: it says nothing of what was stored."""
        turn, data = self._framed(said)
        return replace(turn, output=replace(turn.output, at_once=(*turn.output.at_once, data)))

    def say_after_store(self, said: Said) -> "Turn":
        """Written when all that was given up to now is stored."""
        turn, data = self._framed(said)
        return replace(turn, output=replace(turn.output, to_write=(*turn.output.to_write, data)))

    def draw(self) -> "tuple[Turn, bytes]":
        """32 bytes nobody can foretell who does not know the entropy of the opening."""
        count = self.state.drawn.to_bytes(_DRAWN_BYTES, "big")
        drawn = hashlib.sha256(b"TableLink/1 drawn" + self.state.seed + count).digest()
        return self.with_state(replace(self.state, drawn=self.state.drawn + 1)), drawn

    def with_state(self, state: TableLinkState) -> "Turn":
        return replace(self, state=state)

    def with_session(self, session: Session) -> "Turn":
        return self.with_state(replace(self.state, session=session))

    def with_pulse(self, pulse: Pulse) -> "Turn":
        return self.with_state(replace(self.state, pulse=pulse))

    def with_requests(self, requests: Requests) -> "Turn":
        return self.with_state(replace(self.state, requests=requests))

    def with_known(self, known: Known | None) -> "Turn":
        return self.with_state(replace(self.state, known=known))

    def with_told(self, told: Told) -> "Turn":
        return self.with_state(replace(self.state, told=told))

    def _framed(self, said: Said) -> "tuple[Turn, bytes]":
        ctr = self.state.ctr + 1 & frames.U32
        pulse = replace(self.state.pulse, sent_ns=self.now_ns)
        turn = self.with_state(replace(self.state, ctr=ctr, pulse=pulse))
        return turn, frames.encode(said.frame(ctr))
