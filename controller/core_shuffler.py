"""The shuffler in the core: what comes from its port, as what happened to the batches.

Responsible for: which of its events the procedure hears and as what; everything else of that port
concerns the device alone. No card is ever drawn from it.
Not responsible for: what follows for a batch (custody.lineage), commands (core_orders) and for any
other device: what a shoe with an identity tells of itself never comes here (core).
Source: NY (a)(4)(iv); S42 (a)(4), (e); package README, "The core", "The shuffler at the table".
"""

from controller.procedure.events import ShufflerEventsLost, ShufflerGone, ShufflerTold
from drivers.events import DeviceEvent, ReportsLost
from drivers.shuffler_events import ShufflerEvent
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened


def told(event: DeviceEvent, at: Timestamp) -> ShufflerTold | ShufflerEventsLost | None:
    """What the procedure hears of an event, or None where it concerns the device alone.

    Missing events are not missing reports of the shoe: no card of a coup was among them.
    """
    if isinstance(event, ReportsLost):
        return ShufflerEventsLost(event.missing_min, at.utc_ns)
    if isinstance(event, ShufflerEvent):
        return ShufflerTold(event, at.utc_ns)
    return None


def gone(item: PortOpened | Chunk | PortLost) -> ShufflerGone | None:
    """Whether the port is lost; then nothing is known of what happens behind it."""
    return ShufflerGone(item.at.utc_ns) if isinstance(item, PortLost) else None
