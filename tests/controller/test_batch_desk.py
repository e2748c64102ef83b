"""The desk where batches are looked up.

Responsible for: when the table is given the batches that its configuration names.
Not responsible for: files and receipts (test_batches) and binding (test_core).
Source: controller/README.md, "Batches at the table".
"""

from pathlib import Path

from controller.batch_desk import BatchDesk
from controller.inputs import ManifestGiven
from firmware_bridge.timestamp import Timestamp


def test_batches_of_the_configuration_are_given_before_any_port_is_started(fast_dir: Path) -> None:
    given: list[ManifestGiven] = []
    desk = BatchDesk(fast_dir, (), lambda: Timestamp(1, 2))
    desk.start(given.append, ("RED-0001", "BLUE-0001"))
    at_start = [(item.batch, item.named_by) for item in given]
    desk.stop()

    assert desk.join(5)
    assert at_start == [("RED-0001", "the configuration"), ("BLUE-0001", "the configuration")]
