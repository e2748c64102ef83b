"""Builds the core from the first input of a run alone, so that a replay builds the same one.

Source: controller/config/README.md, "Settings have one home".
"""

from collections.abc import Mapping
from typing import Final, cast

from controller.core.core import Core
from controller.core.device_commands import may_lock
from controller.core.devices import Devices
from controller.core.gaming_day import build_calendar
from controller.core.settings import (
    ReaderDeviceSettings,
    ScannerDeviceSettings,
    Settings,
    ShoeDeviceSettings,
    ShufflerDeviceSettings,
)
from controller.core.state import AuxiliaryDevice, AuxiliaryDriverState
from controller.journal.encoding import Codec
from controller.procedure.rulebook import RuleBook
from controller.profiles.clauses import Clause
from controller.profiles.profile import parse_profile
from controller.tape.inputs import RECORD_FORMAT, Started
from drivers.catalogue import (
    ReaderSettings,
    ShoeSettings,
    ShufflerSettings,
    build_reader,
    build_scanner,
    build_shoe,
    build_shuffler,
)
from drivers.interface import Driver

SETTINGS: Final[Codec[Settings]] = Codec(Settings)


def build_core(started: Started, clauses: Mapping[str, Clause]) -> Core:
    """Build the core of the run that begins with `started`.

    Raises EncodingError, ProfileError or ValueError if this software cannot read the input.
    """
    if started.record_format != RECORD_FORMAT:
        raise ValueError(
            f"its records have format {started.record_format}, this version reads {RECORD_FORMAT}"
        )
    settings = SETTINGS.decode(started.configuration)
    profile = parse_profile(started.profile.decode(), clauses)
    return Core(
        settings=settings,
        book=RuleBook.of(
            profile,
            settings.decks,
            settings.observed,
            settings.seats,
            settings.backs,
            shuffler=settings.shuffler is not None,
        ),
        devices=Devices(
            settings.shoe.port,
            build_shoe(settings.shoe.model, shoe_driver_settings(settings.shoe)),
            (
                *map(_build_reader, settings.readers),
                *map(_build_scanner, settings.scanners),
                *(_build_shuffler(one) for one in (settings.shuffler,) if one is not None),
            ),
        ),
        calendar=build_calendar(started.zone, settings.gaming_day_start_s),
        locks=may_lock(settings),
        rack_read="discard_rack" in [one.seat for one in settings.readers],
    )


def shoe_driver_settings(shoe: ShoeDeviceSettings) -> ShoeSettings:
    """The part of the shoe's settings that its driver takes."""
    return ShoeSettings(
        allow_commands=shoe.allow_commands,
        seq_cycle=shoe.seq_cycle,
        bcc_reading=shoe.bcc_reading,
        report_interval_ms_min=shoe.report_interval_ms_min,
        reader=shoe.reader,
        delivery=shoe.delivery,
        gate_input=shoe.gate_input,
        antenna=shoe.antenna,
        double_read_ms=shoe.double_read_ms,
        gate_ms_max=shoe.gate_ms_max,
        slow_card_ms=shoe.slow_card_ms,
        together_ms=shoe.together_ms,
        trust=shoe.trust,
    )


# A driver takes only the state that it returned itself, which a union cannot express to the type
# checker; hence the casts.


def _build_reader(reader: ReaderDeviceSettings) -> AuxiliaryDevice:
    driver_settings = ReaderSettings(
        seat=reader.seat,
        reader=reader.reader,
        delivery=reader.delivery,
        player_antenna=reader.player_antenna,
        banker_antenna=reader.banker_antenna,
    )
    return AuxiliaryDevice(
        reader.port, cast("Driver[AuxiliaryDriverState]", build_reader(driver_settings))
    )


def _build_scanner(scanner: ScannerDeviceSettings) -> AuxiliaryDevice:
    return AuxiliaryDevice(
        scanner.port, cast("Driver[AuxiliaryDriverState]", build_scanner(scanner.model))
    )


def _build_shuffler(shuffler: ShufflerDeviceSettings) -> AuxiliaryDevice:
    driver_settings = ShufflerSettings(allow_commands=shuffler.allow_commands, trust=shuffler.trust)
    driver = build_shuffler(shuffler.model, driver_settings)
    return AuxiliaryDevice(shuffler.port, cast("Driver[AuxiliaryDriverState]", driver))
