"""One call of the link: collects items and frames in order, and numbers frames.

Source: firmware_bridge/README.md, "One shape for every stage".
"""

import hashlib
from typing import Final, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from firmware_bridge.link import LinkFault, LinkOutput
from firmware_bridge.tablelink import frames
from firmware_bridge.tablelink.items import TableLinkItem
from firmware_bridge.tablelink.messages import HostMessage
from firmware_bridge.tablelink.settings import TableLinkSettings
from firmware_bridge.tablelink.state import (
    Heartbeat,
    KnownDevice,
    ReportedState,
    RequestQueue,
    Session,
    TableLinkState,
)
from foundation.timestamp import Timestamp

TableLinkOutput: TypeAlias = LinkOutput[TableLinkItem]
TableLinkResult: TypeAlias = tuple[TableLinkState, TableLinkOutput]

_COUNT_BYTES: Final = 8


class LinkCall(Struct, frozen=True):
    """One call at `at`; each method returns an updated copy.

    `ack_due`: an event was received; one ACK for the whole call is sent at its end.
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
    def result(self) -> TableLinkResult:
        return self.state, self.output

    def emit(self, *items: TableLinkItem | LinkFault) -> "LinkCall":
        """Add items to the output."""
        output = replace(self.output, items=(*self.output.items, *items))
        return replace(self, output=output)

    def send_now(self, message: HostMessage) -> "LinkCall":
        """Write a message at once; it must not depend on what was stored."""
        call, data = self._encode(message)
        return replace(call, output=replace(call.output, at_once=(*call.output.at_once, data)))

    def send_after_store(self, message: HostMessage) -> "LinkCall":
        """Write a message once all items emitted so far are stored."""
        call, data = self._encode(message)
        return replace(call, output=replace(call.output, to_write=(*call.output.to_write, data)))

    def draw_random(self) -> "tuple[LinkCall, bytes]":
        """Derive 32 bytes that are unpredictable without the entropy of the opening."""
        count = self.state.draw_count.to_bytes(_COUNT_BYTES, "big")
        random = hashlib.sha256(b"TableLink/1 drawn" + self.state.seed + count).digest()
        return self.with_state(replace(self.state, draw_count=self.state.draw_count + 1)), random

    def with_state(self, state: TableLinkState) -> "LinkCall":
        return replace(self, state=state)

    def with_session(self, session: Session) -> "LinkCall":
        return self.with_state(replace(self.state, session=session))

    def with_heartbeat(self, heartbeat: Heartbeat) -> "LinkCall":
        return self.with_state(replace(self.state, heartbeat=heartbeat))

    def with_requests(self, requests: RequestQueue) -> "LinkCall":
        return self.with_state(replace(self.state, requests=requests))

    def with_known(self, known: KnownDevice | None) -> "LinkCall":
        return self.with_state(replace(self.state, known=known))

    def with_reported(self, reported: ReportedState) -> "LinkCall":
        return self.with_state(replace(self.state, reported=reported))

    def _encode(self, message: HostMessage) -> "tuple[LinkCall, bytes]":
        ctr = self.state.ctr + 1 & frames.U32
        heartbeat = replace(self.state.heartbeat, sent_ns=self.now_ns)
        call = self.with_state(replace(self.state, ctr=ctr, heartbeat=heartbeat))
        return call, frames.encode(message.frame(ctr))
