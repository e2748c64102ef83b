"""Pairing at the rim: a port, and the device at its other end until it has presented itself.

Responsible for: opening the port, the loop between its events and the conversation's deadlines, and
why no device presented itself.
Not responsible for: what is said (drivers.pairing) and what is written down (identity_files).
Source: package README, "The shuffler's identity".

What is read here is no evidence of play: nothing is stored, and the device frees nothing.
"""

import contextlib
import queue
import threading
from typing import Final, assert_never

from drivers import pairing
from drivers.pairing import DevicePresented, DeviceUnfit, Heard, PairingState
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import Chunk, Port, PortEvent, PortLost, PortOpened
from firmware_bridge.transport.pump import PortPump

_NS_PER_S: Final = 1_000_000_000
_EVENTS_WAITING_MAX: Final = 1024
_WHY_SILENT: Final = {
    Heard.NOTHING: (
        "nothing was heard. Remedy: check that the device is switched on, and its cable; a device"
        " of which not even bytes arrive is not alive or not connected"
    ),
    Heard.BYTES: (
        "bytes arrive, and none of them are frames of TableLink. Remedy: check --baud against the"
        " device's paper, and that this is the port of the device"
    ),
    Heard.FRAMES: (
        "it speaks TableLink and does not answer HELLO. Remedy: switch it off and on; a table that"
        " runs on this port has to be stopped first"
    ),
    Heard.HELLO: (
        "it says who it is and does not prove it. Remedy: switch it off and on; if it stays so,"
        " have its maker look into its key"
    ),
}


class PairingFailed(Exception):
    """No device presented itself, or one that cannot be paired; the message says what to do."""


def meet(name: str, port: Port, wait_s: int) -> DevicePresented:
    """The device at a port, once it has shown that it holds its key. Raises PairingFailed."""
    events: queue.Queue[PortEvent] = queue.Queue(_EVENTS_WAITING_MAX)
    leaving = threading.Event()

    def put(event: PortEvent) -> None:
        while not leaving.is_set():
            with contextlib.suppress(queue.Full):
                events.put(event, timeout=0.5)
                return

    pump = PortPump(name, port, put)
    pump.start()
    try:
        return _met(name, events, pump, wait_s)
    finally:
        leaving.set()
        pump.stop()
        pump.join()


def _met(
    name: str, events: "queue.Queue[PortEvent]", pump: PortPump, wait_s: int
) -> DevicePresented:
    state: PairingState | None = None
    until_ns = now().monotonic_ns + wait_s * _NS_PER_S
    while True:
        at = now()
        left_ns = min(until_ns, state.again_ns if state else until_ns) - at.monotonic_ns
        try:
            event = events.get(timeout=max(0, left_ns) / _NS_PER_S)
        except queue.Empty:
            if now().monotonic_ns >= until_ns:
                heard = state.heard if state else Heard.NOTHING
                raise PairingFailed(f"{name}: {_WHY_SILENT[heard]}") from None
            if state is not None:
                state, said = pairing.tick(state, now())
                _write(pump, said)
            continue
        match event:
            case PortOpened(at=at, entropy=entropy):
                state, said = pairing.opened(entropy, at)
                _write(pump, said)
            case PortLost(reason=reason):
                raise PairingFailed(f"{name}: {reason}")
            case Chunk(data=data, at=at) if state is not None:
                state, said, presented = pairing.receive(state, data, at)
                _write(pump, said)
                if isinstance(presented, DeviceUnfit):
                    raise PairingFailed(f"{name}: {presented.why}")
                if presented is not None:
                    return presented
            case Chunk():
                pass
            case _:
                assert_never(event)


def _write(pump: PortPump, said: bytes) -> None:
    if said:
        pump.write(said)
