"""The device's driver beside the account of its bytes: the same live and when a tape is replayed.

A device that proves an identity is asked for it first, as at a pairing, and is then trusted for
this acceptance alone.

Source: firmware_bridge/tablelink/README.md, "Opening".
"""

import hashlib
from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from drivers import pairing
from drivers.catalogue import AnyModel
from drivers.commands import DeviceCommand
from drivers.events import DeviceEvent
from drivers.interface import Driver, DriverOutput
from drivers.model import Installation
from drivers.pairing import PairingProgress, PairingState, PresentedDevice, UnfitDevice
from firmware_bridge.attestation import NO_TRUST, ApprovedImage, Pin, Trust
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened
from foundation.timestamp import Timestamp
from hil.acceptance.wire.account import Heard, WireAccount
from hil.acceptance.wire.documents import document_of

_PAIRING: Final = "acceptance"
_NOTHING: Final = Heard()
_BARE: Final = "bare_device_cannot_be_paired"


class Turn(Struct, frozen=True):
    """What one input led to. `at` is the moment of the input; `data` the bytes it brought."""

    at: Timestamp
    data: bytes = b""
    heard: Heard = Heard()
    events: tuple[DeviceEvent, ...] = ()
    to_write: tuple[bytes, ...] = ()


class Conversation:
    """One device's driver and account. Nothing here reads a clock, a port or chance."""

    def __init__(self, model: AnyModel, stored: bytes, installed: Installation) -> None:
        self.model = model
        self.stated: PresentedDevice | UnfitDevice | None = None
        self._stored = stored
        self._installed = installed
        self._driver: Driver[Any] = model.build(stored, installed)
        self._state: Any = self._driver.initial()
        self._account = WireAccount(model.framing, document_of(model).delimiter)
        self._asks_identity = model.proves_identity and installed.trust == NO_TRUST
        self._asking: PairingState | None = None
        self._opened: PortOpened | None = None

    @property
    def asks_identity(self) -> bool:
        """Whether the device is still asked who it is, so that its reports are not heard yet."""
        return self._asks_identity

    @property
    def progress(self) -> PairingProgress:
        """How far the question for the identity came."""
        return PairingProgress.NOTHING if self._asking is None else self._asking.progress

    @property
    def next_deadline_ns(self) -> int | None:
        """Monotonic time of the next deadline, or None."""
        if self._asks_identity:
            return None if self._asking is None else self._asking.retry_ns
        return self._driver.next_deadline_ns(self._state)

    def take(self, event: PortEvent) -> tuple[Turn, ...]:
        """What the port did; bytes are cut so that a turn completes at most one frame."""
        return tuple(self._turns(event))

    def tick(self, at: Timestamp) -> tuple[Turn, ...]:
        """A deadline has passed."""
        if self._asks_identity:
            if self._asking is None:
                return ()
            self._asking, reply = pairing.tick(self._asking, at)
            return (Turn(at, to_write=(reply,) if reply else ()),)
        self._state, output = self._driver.tick(self._state, at)
        return (_turn(at, output),)

    def command(self, command: DeviceCommand, at: Timestamp) -> tuple[Turn, ...]:
        """Send a command; the driver refuses what its installation does not allow."""
        self._state, output = self._driver.command(self._state, command, at)
        return (_turn(at, output),)

    def finish(self, at: Timestamp) -> Turn:
        """The end: bytes that still wait for the rest of their frame are accounted for."""
        return Turn(at, heard=self._account.finish())

    def _turns(self, event: PortEvent) -> Iterator[Turn]:
        if not isinstance(event, Chunk):
            heard = self._account.finish()
            self._opened = event if isinstance(event, PortOpened) else None
            output = self._greet(event) if self._asks_identity else self._receive(event)
            yield _turn(event.at, output, heard=heard)
            return
        if self._asks_identity:
            heard = self._account.feed(event.data, event.at.monotonic_ns)
            yield _turn(event.at, self._ask(event), heard=heard, data=event.data)
            return
        for part in self._driver.split(self._state, event.data):
            output = self._receive(replace(event, data=part))
            heard = self._account.feed(part, event.at.monotonic_ns)
            yield _turn(event.at, output, heard=heard, data=part)

    def _receive(self, event: PortEvent) -> DriverOutput:
        self._state, output = self._driver.receive(self._state, event)
        return output

    def _greet(self, event: PortOpened | PortLost) -> DriverOutput:
        """Begin to ask who the device is; a lost port ends the question."""
        if isinstance(event, PortLost):
            self._asking = None
            return DriverOutput()
        self._asking, hello = pairing.open_pairing(event.entropy, event.at)
        return DriverOutput(at_once=(hello,))

    def _ask(self, event: Chunk) -> DriverOutput:
        """Go on asking; once it is known who the device is, its driver takes over."""
        assert self._asking is not None
        self._asking, reply, result = pairing.receive(self._asking, event.data, event.at)
        replies = (reply,) if reply else ()
        if result is None:
            return DriverOutput(at_once=replies)
        self.stated, self._asks_identity = result, False
        installed = replace(self._installed, trust=_trust_of(result))
        self._driver = self.model.build(self._stored, installed)
        self._state = self._driver.initial()
        assert self._opened is not None
        entropy = hashlib.sha256(self._opened.entropy).digest()
        output = self._receive(PortOpened(event.port, event.at, entropy))
        return DriverOutput(output.events, output.to_write, (*replies, *output.at_once))


def _trust_of(device: PresentedDevice | UnfitDevice) -> Trust:
    """The trust for this acceptance: this device, with the firmware that it states."""
    if isinstance(device, UnfitDevice):
        return Trust(bare=True) if device.why.id == _BARE else NO_TRUST
    stated = device.stated
    pin = Pin(stated.device, device.key, _PAIRING, device.first_event)
    return Trust(pin, (ApprovedImage(stated.image, stated.version, stated.security_counter),))


def _turn(
    at: Timestamp, output: DriverOutput, *, heard: Heard = _NOTHING, data: bytes = b""
) -> Turn:
    return Turn(at, data, heard, output.events, (*output.at_once, *output.to_write))
