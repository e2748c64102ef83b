"""USB devices under umockdev as a process: /usr/bin/python3 -m hil.emulator.usb.umockdev_serve.

Responsible for: the loop over the kernel's questions, orders on stdin and time. It ends with
`quit`, and when stdin does.
Not responsible for: the orders (orders) and the devices.
Source: package README, "USB without a device".
"""

import json
import sys

from gi.repository import GLib

from hil.emulator.usb.orders import Orders
from hil.emulator.usb.umockdev_bus import UmockdevBus

TICK_MS = 2


def main() -> None:
    """Serve until told to quit."""
    bus = UmockdevBus()
    orders = Orders(bus)
    loop = GLib.MainLoop()

    def obey(*_: object) -> bool:
        line = sys.stdin.readline()
        if not line:
            loop.quit()
            return False
        print(orders.obey(line), flush=True)
        bus.settle()
        if orders.quitting:
            loop.quit()
        return True

    def tick() -> bool:
        bus.settle()
        return True

    GLib.io_add_watch(0, GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, obey)
    GLib.timeout_add(TICK_MS, tick)
    print(json.dumps({"event": "ready", "root": bus.root}), flush=True)
    loop.run()


if __name__ == "__main__":
    main()
