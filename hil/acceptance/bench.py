"""What all steps of an acceptance share: the open session, who answers, and what is allowed."""

from msgspec import Struct

from drivers.catalogue import AnyModel
from drivers.model import Installation
from firmware_bridge.transport.port import LineSettings
from hil.acceptance.people import Answerer
from hil.acceptance.wire.documents import WireDocument
from hil.acceptance.wire.session import DeviceSession


class DeviceBench(Struct):
    """`line` is that of the model, `wait_s` how long a step waits for what must arrive.

    `listen`: nothing is written to the device; commands are those of `installed.allow_commands`.
    """

    model: AnyModel
    document: WireDocument
    installed: Installation
    line: LineSettings
    session: DeviceSession
    answerer: Answerer
    wait_s: float
    listen: bool = False
