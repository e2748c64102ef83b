"""From the first input of a run to the core that handles the rest of it.

Responsible for: building the first input from checked settings, and the core from the first input
alone, so that a replay builds the same one.
Not responsible for: reading files (config), and for state (recovery).
Source: package README, "Settings have one home".
"""

from collections.abc import Mapping
from typing import Final

from controller.core import Core
from controller.gaming_day import calendar
from controller.inputs import Started
from controller.journal.canonical import Codec
from controller.procedure.rulebook import RuleBook
from controller.rules.clauses import Clause
from controller.rules.profile import parse_profile
from controller.settings import Settings, ShoeDeviceSettings
from drivers.catalogue import Shoe, ShoeSettings, build_shoe

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
            profile, settings.decks, settings.observed, settings.seats, settings.backs
        ),
        driver=_driver(settings.shoe),
        calendar=calendar(started.zone, settings.gaming_day_start_s),
    )


def _driver(shoe: ShoeDeviceSettings) -> Shoe:
    return build_shoe(
        shoe.model,
        ShoeSettings(
            allow_commands=shoe.allow_commands,
            seq_cycle=shoe.seq_cycle,
            bcc_reading=shoe.bcc_reading,
            report_interval_ms_min=shoe.report_interval_ms_min,
        ),
    )
