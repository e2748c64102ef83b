"""Takes what a table stored into its monitors: the one loop of all that run them.

Source: controller/monitors/README.md, "Where they run".
"""

from collections.abc import Iterator

from msgspec import Struct

from controller.core.state import Conclusion
from controller.monitors.items import MonitorItem
from controller.monitors.state import MonitorState
from controller.monitors.take import Said, take
from controller.views.monitored import Monitored, Shown, monitor_items


class TableWatch(Struct):
    """The monitors of one table, and what they have had of it."""

    state: MonitorState = MonitorState()
    monitored: Monitored = Monitored()

    def take(self, shown: Shown, conclusion: Conclusion) -> Iterator[tuple[MonitorItem, Said]]:
        """Each happening of one input with what the monitors say of it; taken as it is read."""
        self.monitored, items = monitor_items(self.monitored, shown, conclusion)
        for item in items:
            yield item, self.take_item(item)

    def take_item(self, item: MonitorItem) -> Said:
        """What the monitors say of one happening."""
        self.state, said = take(self.state, item)
        return said
