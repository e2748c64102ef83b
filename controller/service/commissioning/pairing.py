"""Opens a port and waits until the device on it proves its identity.

Nothing read here is evidence of play: nothing is stored, and no device event is acknowledged.
"""

import contextlib
import queue
import threading
from typing import Final, assert_never

from controller.system.messages.catalogue import to_words
from drivers import pairing
from drivers.pairing import PairingProgress, PairingState, PresentedDevice, UnfitDevice
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import Chunk, Port, PortEvent, PortLost, PortOpened
from firmware_bridge.transport.pump import PortPump

_NS_PER_S: Final = 1_000_000_000
_EVENTS_WAITING_MAX: Final = 1024
_FAILURES: Final = {
    PairingProgress.NOTHING: (
        "no bytes were received. Remedy: check that the device is switched on, and its cable"
    ),
    PairingProgress.BYTES: (
        "bytes arrive, but no frames of TableLink. Remedy: check --baud against the manual of the"
        " device, and that this is its port"
    ),
    PairingProgress.FRAMES: (
        "it sends TableLink frames but does not answer HELLO. Remedy: switch it off and on; stop a"
        " table that runs on this port first"
    ),
    PairingProgress.HELLO: (
        "it states its identity but does not prove it. Remedy: switch it off and on; if that does"
        " not help, have its maker check its key"
    ),
}


class PairingFailed(Exception):
    """No device, or none that can be paired, answered; the message has the remedy."""


def await_device(name: str, port: Port, wait_s: int) -> PresentedDevice:
    """The device at a port, once it has proven its key. Raises PairingFailed.

    Waits at most `wait_s` seconds.
    """
    events: queue.Queue[PortEvent] = queue.Queue(_EVENTS_WAITING_MAX)
    closing = threading.Event()

    def put(event: PortEvent) -> None:
        while not closing.is_set():
            with contextlib.suppress(queue.Full):
                events.put(event, timeout=0.5)
                return

    pump = PortPump(name, port, put)
    pump.start()
    try:
        return _exchange(name, events, pump, wait_s)
    finally:
        closing.set()
        pump.stop()
        pump.join()


def _exchange(
    name: str, events: "queue.Queue[PortEvent]", pump: PortPump, wait_s: int
) -> PresentedDevice:
    state: PairingState | None = None
    until_ns = now().monotonic_ns + wait_s * _NS_PER_S
    while True:
        at = now()
        left_ns = min(until_ns, state.retry_ns if state else until_ns) - at.monotonic_ns
        try:
            event = events.get(timeout=max(0, left_ns) / _NS_PER_S)
        except queue.Empty:
            if now().monotonic_ns >= until_ns:
                progress = state.progress if state else PairingProgress.NOTHING
                raise PairingFailed(f"{name}: {_FAILURES[progress]}") from None
            if state is not None:
                state, reply = pairing.tick(state, now())
                _write(pump, reply)
            continue
        match event:
            case PortOpened(at=at, entropy=entropy):
                state, reply = pairing.open_pairing(entropy, at)
                _write(pump, reply)
            case PortLost(reason=reason):
                why = to_words(reason)
                raise PairingFailed(why if why.startswith(name) else f"{name}: {why}")
            case Chunk(data=data, at=at) if state is not None:
                state, reply, presented = pairing.receive(state, data, at)
                _write(pump, reply)
                if isinstance(presented, UnfitDevice):
                    raise PairingFailed(f"{name}: {to_words(presented.why)}")
                if presented is not None:
                    return presented
            case Chunk():
                pass
            case _:
                assert_never(event)


def _write(pump: PortPump, data: bytes) -> None:
    if data:
        pump.write(data)
