"""Builds the core from the first input of a run alone, so that a replay builds the same one."""

from collections.abc import Mapping

from msgspec import UNSET

from controller.core.core import Core
from controller.core.device_commands import may_lock
from controller.core.devices import Device, Devices
from controller.core.gaming_day import build_calendar
from controller.core.settings import DeviceSettings, Settings, installation
from controller.core.stored_settings import read_settings
from controller.core.tape.inputs import RECORD_FORMAT, Started
from controller.journal.encoding import Codec
from controller.procedure.rulebook import RuleBook
from controller.rules.profiles.clauses import Clause
from controller.rules.profiles.profile import parse_profile
from controller.rules.settlement.pit import NO_PIT_SETTINGS
from drivers.catalogue import find_stored_model
from drivers.model import DeviceKind, ReaderSeat


def read_rules(started: Started, clauses: Mapping[str, Clause]) -> tuple[Settings, RuleBook]:
    """The settings and rules of the run that begins with `started`; no driver is needed.

    Raises EncodingError, ProfileError or ValueError if this software cannot read the input.
    """
    if started.record_format != RECORD_FORMAT:
        raise ValueError(
            f"its records have format {started.record_format}, this version reads {RECORD_FORMAT}"
        )
    settings = read_settings(started.configuration)
    shuffler = settings.shuffler
    book = RuleBook.of(
        parse_profile(started.profile.decode(), clauses),
        settings.decks,
        settings.observed,
        settings.seats,
        settings.backs,
        shuffler=shuffler is not None,
        by_contacts=shuffler is not None and shuffler.by_contacts,
        pit=settings.pit,
        shared=NO_PIT_SETTINGS if settings.shared is UNSET else settings.shared,
    )
    return settings, book


def build_core(started: Started, clauses: Mapping[str, Clause]) -> Core:
    """Build the core of the run that begins with `started`.

    Raises MissingDriver, and all that read_rules does.
    """
    settings, book = read_rules(started, clauses)
    shoe, *auxiliary = (_device(kind, one) for kind, one in settings.devices)
    return Core(
        settings=settings,
        book=book,
        devices=Devices(shoe, tuple(auxiliary)),
        calendar=build_calendar(started.zone, settings.gaming_day_start_s),
        locks=may_lock(settings),
        rack_read=ReaderSeat.DISCARD_RACK in [one.seat for one in settings.readers],
    )


def _device(kind: DeviceKind, settings: DeviceSettings) -> Device:
    model = find_stored_model(kind, settings.model, settings.plug_in)
    driver = model.build(settings.driver, installation(settings))
    return Device(settings.port, driver, Codec(model.state))
