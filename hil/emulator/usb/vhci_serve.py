"""Serves USB devices on vhci_hcd: python -m hil.emulator.usb.vhci_serve.

It ends with the order `quit`, and when stdin ends.
"""

import json
import os
import select

from hil.emulator.usb.orders import Orders
from hil.emulator.usb.vhci_bus import VhciBus

STDIN = 0
TICK_S = 0.002
ORDER_BYTES_MAX = 1 << 20


def main() -> None:
    """Serve until the order `quit` or the end of stdin."""
    bus = VhciBus()
    orders = Orders(bus)
    waiting = b""
    print(json.dumps({"event": "ready", "root": "/"}), flush=True)
    while not orders.quitting:
        connections = bus.connections
        numbers = [STDIN, *(connection.fileno() for connection in connections)]
        ready, _, _ = select.select(numbers, [], [], TICK_S)
        if STDIN in ready:
            data = os.read(STDIN, ORDER_BYTES_MAX)
            if not data:
                return
            waiting += data
        for connection, name in connections.items():
            if connection.fileno() in ready and connection in bus.connections:
                bus.take(name)
        while b"\n" in waiting:
            line, _, waiting = waiting.partition(b"\n")
            print(orders.execute(line.decode()), flush=True)
        bus.settle()


if __name__ == "__main__":
    main()
