"""Tests the catalogue of models and settings, and its errors for unknown ones."""

import pytest

from controller.messages.catalogue import to_words
from drivers.catalogue import (
    ANGEL_EYE_II_EX,
    BCC_READINGS,
    DELIVERIES,
    READER_LAYOUTS,
    READER_SEATS,
    RFID_SHOE,
    SCANNER_MODELS,
    SEQ_CYCLES,
    SHOE_MODELS,
    SHUFFLER_MODELS,
    TABLELINK,
    BadScannerSettings,
    BadShoeSettings,
    BadShufflerSettings,
    ReaderSettings,
    ShoeSettings,
    ShufflerSettings,
    build_inventory_reader,
    build_monitor,
    build_reader,
    build_scanner,
    build_shoe,
    build_shuffler,
    build_shuffler_monitor,
)
from drivers.events import Spot
from drivers.readers.placed_reader import AntennaSpot
from drivers.shoes.angel_eye import AngelEyeShoe, AngelEyeShoeState
from drivers.shoes.rfid_exit import ExitSettings
from drivers.shoes.rfid_shoe import RfidShoe, RfidShoeState
from drivers.shoes.tablelink_shoe import TableLinkShoe, TableLinkShoeState
from firmware_bridge.attestation import Pin, Trust
from firmware_bridge.feig.settings import Delivery, FeigLinkSettings
from firmware_bridge.tablelink.settings import DeviceRole, TableLinkSettings


def angel_eye(settings: ShoeSettings) -> AngelEyeShoe:
    shoe = build_shoe(ANGEL_EYE_II_EX, settings)
    assert isinstance(shoe, AngelEyeShoe)
    return shoe


def rfid(settings: ShoeSettings) -> RfidShoe:
    shoe = build_shoe(RFID_SHOE, settings)
    assert isinstance(shoe, RfidShoe)
    return shoe


@pytest.mark.parametrize("seq_cycle", SEQ_CYCLES)
@pytest.mark.parametrize("bcc_reading", BCC_READINGS)
def test_every_setting_of_an_angel_eye_reaches_it(seq_cycle: str, bcc_reading: str) -> None:
    shoe = angel_eye(ShoeSettings(seq_cycle=seq_cycle, bcc_reading=bcc_reading))

    assert shoe.settings.link.seq_cycle == seq_cycle
    assert shoe.settings.link.bcc_reading == bcc_reading


def test_read_only_is_the_default() -> None:
    assert not angel_eye(ShoeSettings()).settings.allow_commands


def test_milliseconds_become_nanoseconds() -> None:
    shoe = angel_eye(ShoeSettings(report_interval_ms_min=40))

    assert shoe.settings.link.report_interval_ns_min == 40_000_000


@pytest.mark.parametrize("reader", READER_LAYOUTS)
@pytest.mark.parametrize("delivery", DELIVERIES)
def test_every_setting_of_an_rfid_shoe_reaches_it(reader: str, delivery: str) -> None:
    shoe = rfid(
        ShoeSettings(
            reader=reader,
            delivery=delivery,
            gate_input=2,
            antenna=3,
            double_read_ms=4,
            gate_ms_max=5,
            slow_card_ms=6,
            together_ms=7,
        )
    )

    assert shoe.settings.link == FeigLinkSettings(layout=reader, delivery=Delivery(delivery))
    assert shoe.settings.exit == ExitSettings(
        gate_input=2,
        antenna=3,
        double_read_ms=4,
        gate_ms_max=5,
        slow_card_ms=6,
        together_ms=7,
    )


def test_the_defaults_of_an_rfid_shoe_are_those_of_its_driver() -> None:
    assert rfid(ShoeSettings()).settings.exit == ExitSettings()
    assert rfid(ShoeSettings()).settings.link == FeigLinkSettings()


def test_each_shoe_model_has_its_line_settings_and_title() -> None:
    line_settings = {
        model.name: (model.title, model.baud, model.parity, model.claims, model.identity)
        for model in SHOE_MODELS.values()
    }

    assert line_settings == {
        "angel-eye-ii-ex": ("Angel Eye II-EX", 4800, "N", True, False),
        "feig-rfid": ("RFID dealing shoe (FEIG OBID)", 38400, "E", False, False),
        "tablelink": ("TableLink shoe", 1_000_000, "N", False, True),
    }


@pytest.mark.parametrize(
    ("model", "state"),
    [
        (ANGEL_EYE_II_EX, AngelEyeShoeState),
        (RFID_SHOE, RfidShoeState),
        (TABLELINK, TableLinkShoeState),
    ],
)
def test_every_shoe_state_has_a_stage_and_a_lock(model: str, state: type) -> None:
    shoe = build_shoe(model, ShoeSettings()).initial()

    assert isinstance(shoe, state)
    assert shoe.stage == "closed"
    assert shoe.locked is None


def test_a_discard_rack_reader_covers_it_with_any_antenna() -> None:
    reader = build_reader(ReaderSettings("discard_rack", reader="u500", delivery="poll"))

    assert reader.settings.spots == (AntennaSpot(0, Spot.DISCARD_RACK),)
    assert reader.settings.link == FeigLinkSettings(layout="u500", delivery=Delivery.POLL)


def test_a_reader_under_the_layout_has_an_antenna_for_each_hand() -> None:
    reader = build_reader(ReaderSettings("layout", player_antenna=5, banker_antenna=6))

    assert reader.settings.spots == (AntennaSpot(5, Spot.PLAYER), AntennaSpot(6, Spot.BANKER))


def test_an_enrolment_reader_is_built_from_its_layout() -> None:
    reader = build_inventory_reader("isc.lr200", "poll")

    assert reader.settings.link == FeigLinkSettings(layout="isc.lr200", delivery=Delivery.POLL)


@pytest.mark.parametrize(
    ("model", "settings", "key"),
    [
        ("angel-eye", ShoeSettings(), "model"),
        (ANGEL_EYE_II_EX, ShoeSettings(seq_cycle="0-F"), "seq_cycle"),
        (ANGEL_EYE_II_EX, ShoeSettings(bcc_reading="both"), "bcc_reading"),
        (ANGEL_EYE_II_EX, ShoeSettings(report_interval_ms_min=0), "report_interval_ms_min"),
        (RFID_SHOE, ShoeSettings(reader="isc.mr103"), "reader"),
        (RFID_SHOE, ShoeSettings(delivery="push"), "delivery"),
        (RFID_SHOE, ShoeSettings(gate_input=-1), "gate_input"),
        (RFID_SHOE, ShoeSettings(gate_input=9), "gate_input"),
        (RFID_SHOE, ShoeSettings(antenna=-1), "antenna"),
        (RFID_SHOE, ShoeSettings(antenna=256), "antenna"),
        (RFID_SHOE, ShoeSettings(double_read_ms=0), "double_read_ms"),
        (RFID_SHOE, ShoeSettings(gate_ms_max=0), "gate_ms_max"),
        (RFID_SHOE, ShoeSettings(slow_card_ms=0), "slow_card_ms"),
        (RFID_SHOE, ShoeSettings(together_ms=0), "together_ms"),
    ],
)
def test_unknown_settings_are_errors_that_name_them(
    model: str, settings: ShoeSettings, key: str
) -> None:
    with pytest.raises(BadShoeSettings, match=f"^{key}: "):
        build_shoe(model, settings)
    with pytest.raises(BadShoeSettings, match=f"^{key}: "):
        build_monitor(model, settings, to_words)


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        (ReaderSettings("carton"), "seat"),
        (ReaderSettings("layout", reader="isc.mr103"), "reader"),
        (ReaderSettings("layout", delivery="push"), "delivery"),
        (ReaderSettings("layout", player_antenna=0), "player_antenna"),
        (ReaderSettings("layout", banker_antenna=256), "banker_antenna"),
        (ReaderSettings("layout", player_antenna=2, banker_antenna=2), "banker_antenna"),
    ],
)
def test_unknown_reader_settings_are_errors_that_name_them(
    settings: ReaderSettings, key: str
) -> None:
    with pytest.raises(BadShoeSettings, match=f"^{key}: "):
        build_reader(settings)


def test_every_seat_of_a_reader_can_be_built() -> None:
    assert READER_SEATS == ("discard_rack", "layout")
    for seat in READER_SEATS:
        assert build_reader(ReaderSettings(seat)).initial().stage == "closed"


@pytest.mark.parametrize("model", SCANNER_MODELS)
def test_every_scanner_model_is_built(model: str) -> None:
    assert build_scanner(model) is not None
    assert SCANNER_MODELS[model].name == model


def test_an_unknown_scanner_model_is_an_error_that_names_it() -> None:
    with pytest.raises(BadScannerSettings, match="is not one of: hid-pos, "):
        build_scanner("keyboard")


def test_every_setting_of_a_tablelink_shoe_reaches_it() -> None:
    trust = Trust(bare=True)

    shoe = build_shoe(TABLELINK, ShoeSettings(allow_commands=True, trust=trust))

    assert isinstance(shoe, TableLinkShoe)
    assert shoe.settings.allow_commands
    assert shoe.settings.link == TableLinkSettings(DeviceRole.SHOE, trust)


def test_a_tablelink_shoe_is_read_only_and_untrusted_by_default() -> None:
    shoe = build_shoe(TABLELINK, ShoeSettings())

    assert isinstance(shoe, TableLinkShoe)
    assert not shoe.settings.allow_commands
    assert shoe.settings.link.trust == Trust()


def test_each_shuffler_model_has_its_line_settings() -> None:
    line_settings = {
        model.name: (model.title, model.baud, model.parity, model.identity)
        for model in SHUFFLER_MODELS.values()
    }

    assert line_settings == {"tablelink": ("TableLink shuffler", 1_000_000, "N", True)}


def test_every_setting_of_a_shuffler_reaches_it() -> None:
    trust = Trust(Pin(bytes(8), bytes(32), "p1", 1))

    shuffler = build_shuffler(TABLELINK, ShufflerSettings(allow_commands=True, trust=trust))

    assert shuffler.settings.allow_commands
    assert shuffler.settings.link == TableLinkSettings(DeviceRole.SHUFFLER, trust)


def test_a_shuffler_is_read_only_and_untrusted_by_default() -> None:
    shuffler = build_shuffler(TABLELINK, ShufflerSettings())

    assert not shuffler.settings.allow_commands
    assert shuffler.settings.link.trust == Trust()


def test_an_unknown_shuffler_model_is_an_error_that_names_it() -> None:
    with pytest.raises(BadShufflerSettings, match=r"^model = 'mixer' is not one of: tablelink$"):
        build_shuffler("mixer", ShufflerSettings())
    with pytest.raises(BadShufflerSettings, match=r"^model = 'mixer' is not one of: tablelink$"):
        build_shuffler_monitor("mixer", to_words)
