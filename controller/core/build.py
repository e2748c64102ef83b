"""From the first input of a run to the core that handles the rest of it.

Responsible for: building the first input from checked settings, and the core from the first input
alone, so that a replay builds the same one.
Not responsible for: reading files (config), and for state (recovery).
Source: package README, "Settings have one home".
"""

from collections.abc import Mapping
from typing import Final, cast

from controller.core.core import Core
from controller.core.devices import Devices
from controller.core.gaming_day import calendar
from controller.core.settings import (
    ReaderDeviceSettings,
    ScannerDeviceSettings,
    Settings,
    ShoeDeviceSettings,
    ShufflerDeviceSettings,
)
from controller.core.state import Beside, BesideState
from controller.journal.encoding.codec import Codec
from controller.procedure.rulebook import RuleBook
from controller.profiles.clauses import Clause
from controller.profiles.profile import parse_profile
from controller.tape.inputs import Started
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


def core_of(started: Started, clauses: Mapping[str, Clause]) -> Core:
    """The core of the run that `started` begins.

    Raises CanonicalError, ProfileError or ValueError where the input is not of this software.
    """
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
            build_shoe(settings.shoe.model, shoe_settings(settings.shoe)),
            (
                *map(_reader, settings.readers),
                *map(_scanner, settings.scanners),
                *(_shuffler(one) for one in (settings.shuffler,) if one is not None),
            ),
        ),
        calendar=calendar(started.zone, settings.gaming_day_start_s),
    )


def shoe_settings(shoe: ShoeDeviceSettings) -> ShoeSettings:
    """What the driver of the shoe is told."""
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


# A driver takes the state of its own kind alone, and the state beside it is always one that it gave
# (core_state), which the type checker cannot know of a union.


def _reader(reader: ReaderDeviceSettings) -> Beside:
    told = ReaderSettings(
        seat=reader.seat,
        reader=reader.reader,
        delivery=reader.delivery,
        player_antenna=reader.player_antenna,
        banker_antenna=reader.banker_antenna,
    )
    return Beside(reader.port, cast("Driver[BesideState]", build_reader(told)))


def _scanner(scanner: ScannerDeviceSettings) -> Beside:
    return Beside(scanner.port, cast("Driver[BesideState]", build_scanner(scanner.model)))


def _shuffler(shuffler: ShufflerDeviceSettings) -> Beside:
    told = ShufflerSettings(allow_commands=shuffler.allow_commands, trust=shuffler.trust)
    driver = build_shuffler(shuffler.model, told)
    return Beside(shuffler.port, cast("Driver[BesideState]", driver))
