"""USB devices on vhci_hcd as a process: python -m hil.emulator.usb.vhci_serve.

Responsible for: the loop over the kernel's requests, orders on stdin and time. It ends with
`quit`, and when stdin does.
Not responsible for: the orders (orders) and the devices.
Source: package README, "USB on a real kernel".
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
    """Serve until told to quit."""
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
            print(orders.obey(line.decode()), flush=True)
        bus.settle()


if __name__ == "__main__":
    main()
