"""Settings of a run are read as every version stored them; tests/tapes has them in bytes."""

import pytest

from controller.core.settings import (
    DeviceSettings,
    ReaderDeviceSettings,
    Settings,
    ShufflerDeviceSettings,
)
from controller.core.stored_settings import (
    SETTINGS,
    ReaderSettings1,
    ScannerSettings1,
    Settings1,
    ShoeSettings1,
    ShufflerSettings1,
    read_settings,
)
from controller.journal.encoding import Codec, EncodingError
from controller.procedure.rulebook import ObservableFact
from drivers.model import BadDeviceSettings, ReaderSeat
from drivers.readers.feig_model import FEIG_READER, FeigReaderSettings
from drivers.shoes.angel_eye_model import ANGEL_EYE_II_EX, AngelEyeSettings
from drivers.shoes.rfid_model import FEIG_RFID, RfidSettings
from firmware_bridge.angel_eye.settings import SequenceCycle
from firmware_bridge.attestation import Trust
from firmware_bridge.feig.settings import Delivery

OLD: Codec[Settings1] = Codec(Settings1)
FACTS = (ObservableFact.RESULT_BUTTON,)
ANGEL_EYE = ShoeSettings1("/dev/shoe", "angel-eye-ii-ex", True, "0-9", "stx_counted", 250)
ORDERS = (("load", ("dealer",)),)


def old(shoe: ShoeSettings1, **others) -> bytes:
    return OLD.encode(Settings1("M7", "3", 8, 21_600, FACTS, shoe, **others))


def test_a_whole_table_of_the_first_form_is_read() -> None:
    stored = old(
        ANGEL_EYE,
        seats=(1, 2),
        backs=("green", "blue"),
        readers=(ReaderSettings1("/dev/rack", "layout", "u500", "poll", 3, 4),),
        scanners=(ScannerSettings1("/dev/scan", "zebra-ssi"),),
        shuffler=ShufflerSettings1("/dev/mix", "tablelink", True, ORDERS, Trust(bare=True)),
    )

    antennas = FeigReaderSettings("u500", Delivery.POLL, 3, 4)
    assert read_settings(stored) == Settings(
        *("M7", "3", 8, 21_600, FACTS),
        shoe=DeviceSettings(
            "/dev/shoe",
            "angel-eye-ii-ex",
            ANGEL_EYE_II_EX.to_store(AngelEyeSettings(SequenceCycle.DECIMAL)),
            allow_commands=True,
        ),
        seats=(1, 2),
        backs=("green", "blue"),
        readers=(
            ReaderDeviceSettings(
                "/dev/rack", "feig-reader", FEIG_READER.to_store(antennas), seat=ReaderSeat.LAYOUT
            ),
        ),
        scanners=(DeviceSettings("/dev/scan", "zebra-ssi"),),
        shuffler=ShufflerDeviceSettings(
            "/dev/mix", "tablelink", b"", allow_commands=True, trust=Trust(bare=True), orders=ORDERS
        ),
    )


def test_of_the_first_form_a_model_takes_its_own_settings() -> None:
    shoe = ShoeSettings1("/dev/shoe", "feig-rfid", False, "learn", "stx_counted", 9, gate_input=2)

    found = read_settings(old(shoe)).shoe

    assert FEIG_RFID.read_settings(found.driver) == RfidSettings(gate_input=2)


def test_todays_form_is_read_and_encodes_to_the_same_bytes() -> None:
    settings = read_settings(old(ANGEL_EYE))

    assert read_settings(SETTINGS.encode(settings)) == settings


@pytest.mark.parametrize("stored", [b"", b"\xc1", old(ANGEL_EYE)[:-1], old(ANGEL_EYE) + b"\x00"])
def test_other_bytes_are_refused(stored: bytes) -> None:
    with pytest.raises(EncodingError):
        read_settings(stored)


def test_an_unknown_model_of_the_first_form_is_named() -> None:
    shoe = ShoeSettings1("/dev/shoe", "angel-eye", True, "0-9", "stx_counted", 250)

    with pytest.raises(BadDeviceSettings, match=r"^'angel-eye' is not allowed"):
        read_settings(old(shoe))
