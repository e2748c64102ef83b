"""The Angel Eye II-EX: its settings, and what it can do."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final

from msgspec import Meta, Struct

from drivers.framing import Framing
from drivers.interface import Driver
from drivers.model import CardReading, DeviceKind, DeviceModel, Installation, Milliseconds
from drivers.shoes.angel_eye import AngelEyeShoe, AngelEyeShoeSettings, AngelEyeShoeState
from firmware_bridge.angel_eye.frames import BccReading, ReportFrame, feed
from firmware_bridge.angel_eye.settings import AngelEyeLinkSettings, PayloadForm, SequenceCycle
from firmware_bridge.link import Unframed

if TYPE_CHECKING:
    from drivers.monitor import DeviceMonitor, Words

_NS_PER_MS: Final = 1_000_000


class AngelEyeSettings(Struct, frozen=True):
    """What the shoe's maker leaves open, and how fast it may report."""

    seq_cycle: Annotated[SequenceCycle, Meta(description="the order of its report numbers")] = (
        SequenceCycle.HEX
    )
    bcc_reading: Annotated[BccReading, Meta(description="whether its checksum counts STX")] = (
        BccReading.STX_COUNTED
    )
    payload: Annotated[PayloadForm, Meta(description="whether its payload bytes carry bit 7")] = (
        PayloadForm.BIT_7
    )
    longer_payload: Annotated[
        bool, Meta(description="take reports whose payload is longer than is known")
    ] = False
    report_interval_ms_min: Annotated[
        Milliseconds, Meta(description="shortest time between two different reports")
    ] = 250
    reports_s_max: Annotated[
        int,
        Meta(
            ge=0,
            le=1000,
            description="more new reports a second for 10 s close the port; 0: any number",
        ),
    ] = 10


def _angel_eye(settings: AngelEyeSettings, installed: Installation) -> AngelEyeShoe:
    link = AngelEyeLinkSettings(
        seq_cycle=settings.seq_cycle,
        bcc_reading=settings.bcc_reading,
        payload=settings.payload,
        longer_payload=settings.longer_payload,
        report_interval_ns_min=settings.report_interval_ms_min * _NS_PER_MS,
    )
    return AngelEyeShoe(AngelEyeShoeSettings(link, installed.allow_commands))


def _angel_eye_monitor(
    settings: AngelEyeSettings, driver: Driver[Any], words: "Words", masked: bool
) -> "DeviceMonitor":
    # What a technician sees; a table that runs shows nothing of it.
    from drivers.shoes.angel_eye_monitor import monitor  # noqa: PLC0415

    return monitor(settings.bcc_reading, settings.payload, driver, words, masked=masked)


ANGEL_EYE_II_EX: Final = DeviceModel(
    name="angel-eye-ii-ex",
    title="Angel Eye II-EX",
    kind=DeviceKind.SHOE,
    settings=AngelEyeSettings,
    driver=_angel_eye,
    state=AngelEyeShoeState,
    monitor=_angel_eye_monitor,
    # Whatever form of payloads the table has: a report that is not understood is no noise.
    framing=Framing(Unframed(), partial(feed, plain=True), (ReportFrame,), repeats_max=8),
    baud=4800,
    parity="N",
    emulator="hil.emulator.angel_eye.device:AngelEye",
    report_limit="reports_s_max",
    cards=CardReading.FACE,
    claims_places=True,
    result_buttons=True,
    has_lock=True,
    states_continuity=True,
    listens=True,
)
