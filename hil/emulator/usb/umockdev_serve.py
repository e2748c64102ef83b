"""Serves USB devices under umockdev: /usr/bin/python3 -m hil.emulator.usb.umockdev_serve.

It ends with the order `quit`, and when stdin ends.
"""

import json
import sys

from gi.repository import GLib

from hil.emulator.usb.orders import Orders
from hil.emulator.usb.umockdev_bus import UmockdevBus

TICK_MS = 2


def main() -> None:
    """Serve until the order `quit` or the end of stdin."""
    bus = UmockdevBus()
    orders = Orders(bus)
    loop = GLib.MainLoop()

    def execute(*_: object) -> bool:
        line = sys.stdin.readline()
        if not line:
            loop.quit()
            return False
        print(orders.execute(line), flush=True)
        bus.settle()
        if orders.quitting:
            loop.quit()
        return True

    def tick() -> bool:
        bus.settle()
        return True

    GLib.io_add_watch(0, GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, execute)
    GLib.timeout_add(TICK_MS, tick)
    print(json.dumps({"event": "ready", "root": bus.root}), flush=True)
    loop.run()


if __name__ == "__main__":
    main()
