"""The link to contacts: bytes become readings. It only listens, and nothing shows a lost reading.

Source: firmware_bridge/contacts/README.md.
"""

from typing import TypeAlias

from msgspec import Struct

from firmware_bridge.contacts.frames import feed
from firmware_bridge.link import LinkFault, LinkOutput, Unframed
from foundation.timestamp import Timestamp


class ContactReading(Struct, frozen=True):
    """The levels of the lines, one bit for each; `waited_ns`: they may be older by so much."""

    levels: int
    waited_ns: int = 0


ContactsResult: TypeAlias = tuple[Unframed, LinkOutput[ContactReading]]


class ContactsLink(Struct, frozen=True):
    """Implements firmware_bridge.link.Link."""

    def initial(self) -> Unframed:
        """The state before anything was received."""
        return Unframed()

    def opened(self, state: Unframed, at: Timestamp) -> ContactsResult:
        """The port is open (again)."""
        return Unframed(), LinkOutput()

    closed = opened

    def receive(
        self, state: Unframed, data: bytes, at: Timestamp, waited_ns: int = 0
    ) -> ContactsResult:
        """Take received bytes; each byte is a reading, or noise."""
        state, found = feed(state, data)
        items = tuple(
            one if isinstance(one, LinkFault) else ContactReading(one.levels, waited_ns)
            for one in found
        )
        return state, LinkOutput(items)

    def send(self, state: Unframed, command: None, at: Timestamp) -> ContactsResult:
        """Send nothing: contacts take nothing."""
        return state, LinkOutput()

    def tick(self, state: Unframed, at: Timestamp) -> ContactsResult:
        """Wait for nothing: a byte is whole."""
        return state, LinkOutput()

    def next_deadline_ns(self, state: Unframed) -> int | None:
        """Always None."""
        return None
