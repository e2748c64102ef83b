"""Tests the models of devices: their settings, what they can do, and errors for unknown ones."""

from importlib import import_module

import msgspec
import pytest

from controller.system.messages.catalogue import to_words
from drivers.catalogue import DEFAULT_MODELS, AnyModel, find_model, model_names
from drivers.events import Spot
from drivers.model import (
    BadDeviceSettings,
    CardReading,
    DeviceKind,
    Installation,
    ReaderSeat,
)
from drivers.readers.models import FEIG_READER, FeigReaderSettings
from drivers.readers.placed_reader import AntennaSpot
from drivers.shoes.models import (
    ANGEL_EYE_II_EX,
    FEIG_RFID,
    TABLELINK_SHOE,
    AngelEyeSettings,
    RfidSettings,
)
from drivers.shoes.rfid_exit import ExitSettings
from drivers.shufflers.models import TABLELINK_SHUFFLER
from firmware_bridge.angel_eye.frames import BccReading
from firmware_bridge.angel_eye.settings import AngelEyeLinkSettings, PayloadForm, SequenceCycle
from firmware_bridge.attestation import Pin, Trust
from firmware_bridge.feig.settings import LAYOUT_NAMES, Delivery, FeigLinkSettings
from firmware_bridge.tablelink.settings import DeviceRole, TableLinkSettings
from firmware_bridge.transport.port import Chunk
from foundation.timestamp import Timestamp

MODELS = [find_model(kind, name) for kind in DeviceKind for name in model_names(kind)]
every_model = pytest.mark.parametrize("model", MODELS, ids=lambda one: f"{one.kind}-{one.name}")


@every_model
def test_every_setting_has_a_description_and_what_is_allowed(model: AnyModel) -> None:
    for one in model.setting_fields:
        assert one.description, one.name
        assert one.allowed, one.name
        one.check(one.default)


@every_model
def test_settings_are_stored_and_read_again(model: AnyModel) -> None:
    settings = model.settings()

    assert model.read_settings(model.to_store(settings)) == settings
    assert model.read_settings(b"") == settings
    stored = msgspec.msgpack.decode(model.to_store(settings))
    assert set(stored) == {one.name for one in model.setting_fields}


@every_model
def test_a_state_is_stored_and_read_again(model: AnyModel) -> None:
    state = model.build().initial()

    stored = msgspec.msgpack.encode(state)

    assert state.stage == "closed"
    assert msgspec.msgpack.decode(stored, type=model.state) == state


@every_model
def test_the_bench_has_an_emulator_of_it(model: AnyModel) -> None:
    module, _, name = model.emulator.partition(":")

    assert hasattr(import_module(module), name)


def test_each_shoe_says_what_it_can_do() -> None:
    shoes = [find_model(DeviceKind.SHOE, name) for name in model_names(DeviceKind.SHOE)]

    assert [
        (one.name, one.cards, one.claims_places, one.has_lock, one.proves_identity) for one in shoes
    ] == [
        ("angel-eye-ii-ex", CardReading.FACE, True, True, False),
        ("feig-rfid", CardReading.TAG, False, False, False),
        ("tablelink", CardReading.ANY, False, True, True),
    ]


def test_each_model_has_its_line() -> None:
    assert [(one.kind.value, one.name, one.baud, one.parity) for one in MODELS] == [
        ("shoe", "angel-eye-ii-ex", 4800, "N"),
        ("shoe", "feig-rfid", 38400, "E"),
        ("shoe", "tablelink", 1_000_000, "N"),
        ("shuffler", "tablelink", 1_000_000, "N"),
        ("shuffler", "contacts", 9600, "N"),
        ("reader", "feig-reader", 38400, "E"),
        ("scanner", "hid-pos", 0, ""),
        ("scanner", "hid-pos-plain", 0, ""),
        ("scanner", "zebra-ssi", 9600, "N"),
    ]


def test_a_section_that_names_no_model_has_the_first_of_its_kind() -> None:
    assert dict(DEFAULT_MODELS) == {
        "shoe": "angel-eye-ii-ex",
        "shuffler": "tablelink",
        "reader": "feig-reader",
        "scanner": "hid-pos",
    }


def test_an_unknown_model_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(BadDeviceSettings, match=r"^'mixer' is not allowed\. Allowed: tablelink"):
        find_model(DeviceKind.SHUFFLER, "mixer")


@pytest.mark.parametrize("cycle", SequenceCycle)
@pytest.mark.parametrize("reading", BccReading)
@pytest.mark.parametrize("payload", PayloadForm)
@pytest.mark.parametrize("longer", [False, True])
def test_every_setting_of_an_angel_eye_reaches_it(
    cycle: SequenceCycle, reading: BccReading, payload: PayloadForm, *, longer: bool
) -> None:
    settings = AngelEyeSettings(cycle, reading, payload, longer, 40)
    shoe = ANGEL_EYE_II_EX.build(ANGEL_EYE_II_EX.to_store(settings))

    assert shoe.settings.link == AngelEyeLinkSettings(
        cycle, reading, 40_000_000, payload=payload, longer_payload=longer
    )
    assert not shoe.settings.allow_commands


@pytest.mark.parametrize("reader", LAYOUT_NAMES)
@pytest.mark.parametrize("delivery", Delivery)
def test_every_setting_of_an_rfid_shoe_reaches_it(reader: str, delivery: Delivery) -> None:
    shoe = FEIG_RFID.build(FEIG_RFID.to_store(RfidSettings(reader, delivery, 2, 3, 4, 5, 6, 7)))

    assert shoe.settings.link == FeigLinkSettings(layout=reader, delivery=delivery)
    assert shoe.settings.exit == ExitSettings(2, 3, 4, 5, 6, 7)


def test_the_defaults_of_an_rfid_shoe_are_those_of_its_driver() -> None:
    assert FEIG_RFID.build().settings.exit == ExitSettings()
    assert FEIG_RFID.build().settings.link == FeigLinkSettings()


def test_a_reader_covers_what_its_seat_has() -> None:
    stored = FEIG_READER.to_store(FeigReaderSettings("u500", Delivery.POLL, 5, 6))

    rack = FEIG_READER.build(stored, Installation(seat=ReaderSeat.DISCARD_RACK))
    layout = FEIG_READER.build(stored, Installation(seat=ReaderSeat.LAYOUT))
    enrolment = FEIG_READER.build(stored, Installation(seat=ReaderSeat.ENROLMENT))

    assert rack.settings.spots == (AntennaSpot(0, Spot.DISCARD_RACK),)
    assert layout.settings.spots == (AntennaSpot(5, Spot.PLAYER), AntennaSpot(6, Spot.BANKER))
    for one in (rack, layout, enrolment):
        assert one.settings.link == FeigLinkSettings(layout="u500", delivery=Delivery.POLL)


def test_what_the_table_decides_reaches_a_device_with_an_identity() -> None:
    trust = Trust(Pin(bytes(8), bytes(32), "p1", 1))

    shoe = TABLELINK_SHOE.build(b"", Installation(True, trust))
    shuffler = TABLELINK_SHUFFLER.build(b"", Installation(True, trust))

    assert shoe.settings.link == TableLinkSettings(DeviceRole.SHOE, trust)
    assert shuffler.settings.link == TableLinkSettings(DeviceRole.SHUFFLER, trust)
    assert shoe.settings.allow_commands
    assert shuffler.settings.allow_commands


def test_a_device_is_told_nothing_and_not_trusted_by_default() -> None:
    for model in (TABLELINK_SHOE, TABLELINK_SHUFFLER):
        assert not model.build().settings.allow_commands
        assert model.build().settings.link.trust == Trust()


@pytest.mark.parametrize(
    ("model", "values", "problem"),
    [
        (ANGEL_EYE_II_EX, {"seq_cycle": "0-F"}, 'seq_cycle: "0-F" is not .* "learn"'),
        (
            ANGEL_EYE_II_EX,
            {"report_interval_ms_min": 0},
            "report_interval_ms_min: 0 .* Allowed: 1 to",
        ),
        (ANGEL_EYE_II_EX, {"gate_input": 1}, "gate_input: there is no such .* seq_cycle, bcc"),
        (FEIG_RFID, {"reader": "isc.mr103"}, 'reader: "isc.mr103" .* Allowed: "isc.mr102"'),
        (FEIG_RFID, {"gate_input": 9}, "gate_input: 9 .* Allowed: 0 to 8"),
        (FEIG_RFID, {"gate_input": True}, "gate_input: true .* Allowed: 0 to 8"),
        (FEIG_READER, {"banker_antenna": 1}, "player_antenna and banker_antenna are both 1"),
        (TABLELINK_SHOE, {"delivery": "poll"}, "delivery: .* Allowed: none"),
    ],
)
def test_a_wrong_value_is_an_error_that_says_what_is_allowed(
    model: AnyModel, values: dict[str, object], problem: str
) -> None:
    with pytest.raises(BadDeviceSettings, match=f"^{problem}"):
        model.with_values(values)


@pytest.mark.parametrize(
    "stored",
    [
        b"\xc1",
        msgspec.msgpack.encode({"seq_cycle": "0-F"}),
        msgspec.msgpack.encode({"gate_input": 1}),
    ],
    ids=["no encoding", "no such value", "of another model"],
)
def test_stored_settings_that_the_model_does_not_have_are_refused(stored: bytes) -> None:
    with pytest.raises(BadDeviceSettings, match=r"use the version that stored them$"):
        ANGEL_EYE_II_EX.read_settings(stored)


def test_a_setting_that_was_added_since_has_its_default() -> None:
    stored = msgspec.msgpack.encode({"seq_cycle": "0-9"})

    assert ANGEL_EYE_II_EX.read_settings(stored) == AngelEyeSettings(SequenceCycle.DECIMAL)


@pytest.mark.parametrize(("masked", "shown"), [(True, "bytes  .. .."), (False, "bytes  44 91")])
def test_of_a_model_without_a_view_of_its_wire_no_byte_is_shown(masked: bool, shown: str) -> None:
    model = msgspec.structs.replace(ANGEL_EYE_II_EX, monitor=None)
    monitor = model.build_monitor(to_words, masked=masked)

    _state, lines = monitor.watch(monitor.initial(), Chunk("p", Timestamp(1, 1), b"D\x91"))

    assert lines[0] == shown
