"""The models of dealing shoes: their settings, and what each can do."""

from typing import Annotated, Any, Final, TypeAlias

from msgspec import Meta, Struct

from drivers import framing
from drivers.interface import Driver
from drivers.model import CardReading, DeviceKind, DeviceModel, Installation, NoSettings
from drivers.monitor import DeviceMonitor, WireView, Words, fault_text, hex_text, wire_lines
from drivers.readers.models import FEIG_BAUD, FEIG_PARITY, FeigSettings
from drivers.readers.models import monitor as feig_monitor
from drivers.shoes.angel_eye import AngelEyeShoe, AngelEyeShoeSettings, AngelEyeShoeState
from drivers.shoes.rfid_exit import ExitSettings
from drivers.shoes.rfid_shoe import RfidShoe, RfidShoeSettings, RfidShoeState
from drivers.shoes.tablelink_events import events_of, status_of
from drivers.shoes.tablelink_shoe import TableLinkShoe, TableLinkShoeSettings, TableLinkShoeState
from drivers.tablelink.monitor import UNGREETED, TableLinkMonitor
from firmware_bridge.angel_eye.frames import BccReading, feed
from firmware_bridge.angel_eye.masking import MaskPlace, frame_text, mask_raw
from firmware_bridge.angel_eye.settings import AngelEyeLinkSettings, PayloadForm, SequenceCycle
from firmware_bridge.link import LinkFault, Unframed
from firmware_bridge.tablelink.settings import DeviceRole, TableLinkSettings

Milliseconds: TypeAlias = Annotated[int, Meta(ge=1, le=60_000)]

_NS_PER_MS: Final = 1_000_000
_EXIT: Final = ExitSettings()


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


_AngelEyeView: TypeAlias = tuple[Unframed, MaskPlace]


def _angel_eye_monitor(
    settings: AngelEyeSettings, driver: Driver[Any], words: Words, masked: bool
) -> DeviceMonitor:
    def lines(
        state: _AngelEyeView, data: bytes, words: Words, masked: bool
    ) -> tuple[_AngelEyeView, tuple[str, ...]]:
        plain = settings.payload is not PayloadForm.BIT_7
        text, place = mask_raw(data, state[1], plain=plain)
        unframed, found = feed(state[0], data, settings.bcc_reading, plain=plain)
        frames = (
            fault_text(one, words) if isinstance(one, LinkFault) else frame_text(one, masked=masked)
            for one in found
        )
        return (unframed, place), wire_lines(text if masked else hex_text(data), frames)

    fresh = (Unframed(), MaskPlace.UNKNOWN)
    return DeviceMonitor(words, driver, WireView(fresh, lines), masked)


class RfidSettings(FeigSettings, frozen=True):
    """The reader at the exit, and how its records become cards: drivers.shoes.rfid_exit."""

    gate_input: Annotated[
        int, Meta(ge=0, le=8, description="the input of the light barrier at the exit; 0: none")
    ] = _EXIT.gate_input
    antenna: Annotated[int, Meta(ge=0, le=255, description="the antenna at the exit; 0: any")] = (
        _EXIT.antenna
    )
    double_read_ms: Annotated[
        Milliseconds, Meta(description="a tag read again within this time is the same card")
    ] = _EXIT.double_read_ms
    gate_ms_max: Annotated[
        Milliseconds, Meta(description="a tag not in the gate by then went back into the shoe")
    ] = _EXIT.gate_ms_max
    slow_card_ms: Annotated[
        Milliseconds, Meta(description="a card in the gate for this time is reported")
    ] = _EXIT.slow_card_ms
    together_ms: Annotated[
        Milliseconds, Meta(description="tags read within this time are in the field together")
    ] = _EXIT.together_ms


def _rfid_shoe(settings: RfidSettings, _installed: Installation) -> RfidShoe:
    at_exit = ExitSettings(
        gate_input=settings.gate_input,
        antenna=settings.antenna,
        double_read_ms=settings.double_read_ms,
        gate_ms_max=settings.gate_ms_max,
        slow_card_ms=settings.slow_card_ms,
        together_ms=settings.together_ms,
    )
    return RfidShoe(RfidShoeSettings(settings.link, at_exit))


def _tablelink_shoe(_settings: NoSettings, installed: Installation) -> TableLinkShoe:
    link = TableLinkSettings(DeviceRole.SHOE, installed.trust)
    return TableLinkShoe(TableLinkShoeSettings(link, installed.allow_commands))


def _tablelink_monitor(
    _settings: NoSettings, _driver: Driver[Any], words: Words, masked: bool
) -> TableLinkMonitor:
    return TableLinkMonitor(words, events_of, status_of, masked)


ANGEL_EYE_II_EX: Final = DeviceModel(
    name="angel-eye-ii-ex",
    title="Angel Eye II-EX",
    kind=DeviceKind.SHOE,
    settings=AngelEyeSettings,
    driver=_angel_eye,
    state=AngelEyeShoeState,
    monitor=_angel_eye_monitor,
    framing=framing.ANGEL_EYE,
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
FEIG_RFID: Final = DeviceModel(
    name="feig-rfid",
    title="RFID dealing shoe (FEIG OBID)",
    kind=DeviceKind.SHOE,
    settings=RfidSettings,
    driver=_rfid_shoe,
    state=RfidShoeState,
    monitor=feig_monitor,
    framing=framing.FEIG,
    baud=FEIG_BAUD,
    parity=FEIG_PARITY,
    emulator="hil.emulator.feig.rfid_shoe:RfidShoe",
    cards=CardReading.TAG,
    states_continuity=True,
)
TABLELINK_SHOE: Final = DeviceModel(
    name="tablelink",
    title="TableLink shoe",
    kind=DeviceKind.SHOE,
    settings=NoSettings,
    driver=_tablelink_shoe,
    state=TableLinkShoeState,
    monitor=_tablelink_monitor,
    monitor_remark=UNGREETED,
    framing=framing.TABLELINK,
    baud=1_000_000,
    parity="N",
    emulator="hil.emulator.tablelink.shoe:TableLinkShoe",
    cards=CardReading.ANY,
    has_lock=True,
    states_continuity=True,
    proves_identity=True,
)
MODELS: Final = (ANGEL_EYE_II_EX, FEIG_RFID, TABLELINK_SHOE)
