"""Checks table.toml's device sections against each other and the rules; builds their settings."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from controller.procedure.rulebook import ObservableFact
from controller.rules.profiles.load import (
    decks_limit,
    decks_played_max,
    load_profile,
    profile_names,
)
from controller.rules.profiles.profile import Profile
from controller.rules.setting_values import ShuffleMode
from controller.service.commissioning.pairing_file import PairedRole
from controller.service.config.device_sections import (
    BatchesSection,
    DeviceSection,
    ReaderSection,
    ShoeSection,
    ShufflerSection,
)
from controller.service.config.sections import (
    MetricsSection,
    RulesSection,
    Section,
    unit_name_problem,
)
from controller.service.config.trust import TrustResult, read_trust
from controller.system.atomic_file import SmallFileError
from controller.system.tls import TlsUnavailable, server_context
from controller.table.accounts.passwords import read_passwords
from drivers.catalogue import find_model
from drivers.model import CardReading
from firmware_bridge.transport.port import LineSettings

_TAKEN: Final = (
    "is another device's port. Allowed: one device at each port. Remedy: correct one of them"
)
Sections: TypeAlias = Mapping[str, Section]
RepeatedSections: TypeAlias = Mapping[str, tuple[Section, ...]]


def section_trust(path: Path, sections: Sections, role: PairedRole) -> TrustResult:
    """The trust that the section of a device configures; none if there is no section."""
    folder = path.absolute().parent
    match sections.get(role.value):
        case ShoeSection() | ShufflerSection() as section:
            model = find_model(section.kind, section.model)
            bare, needed = model.contacts_only, model.proves_identity or model.contacts_only
            return read_trust(role, section, folder, needed=needed, always_bare=bare)
        case _:
            return TrustResult()


def access_problems(path: Path, sections: Sections) -> Iterator[str]:
    """Problems with the files of those who may scrape the metrics."""
    metrics = sections.get("metrics")
    if not isinstance(metrics, MetricsSection) or not metrics.enabled:
        return
    folder = path.absolute().parent
    files, passwords = metrics.tls_files(folder), metrics.passwords(folder)
    try:
        if files is not None:
            server_context(files)
    except TlsUnavailable as error:
        yield f"metrics: {error}"
    try:
        if passwords is not None:
            read_passwords(passwords)
    except SmallFileError as error:
        yield f"metrics.password_file: {error}"


def mode_problems(path: Path, sections: Sections) -> Iterator[str]:
    """A problem if there is a shuffler and the rules have the cards shuffled by hand."""
    rules = sections.get("rules")
    if "shuffler" not in sections or not isinstance(rules, RulesSection):
        return
    mode = load_profile(rules.profile, path.absolute().parent).rules.shuffle_mode
    if mode is ShuffleMode.HAND:
        yield (
            f"shuffler: the rules {rules.profile} have the cards shuffled by hand (shuffle_mode ="
            f' "{mode.value}"). Allowed with a shuffler: {ShuffleMode.DUAL_BATCH.value},'
            f" {ShuffleMode.CONTINUOUS.value}. Remedy: remove [shuffler], or set other rules in"
            " [rules] profile"
        )


def port_problems(sections: Sections, repeated: RepeatedSections) -> tuple[str, ...]:
    """Problems if two devices share a port, or two readers a seat."""
    shoe = sections["shoe"]
    assert isinstance(shoe, ShoeSection)
    problems: list[str] = []
    ports, seats = [shoe.port], []
    shuffler = sections.get("shuffler")
    if isinstance(shuffler, ShufflerSection):
        if shuffler.port == shoe.port:
            problems.append(f"shuffler.port: {shuffler.port} {_TAKEN}")
        ports.append(shuffler.port)
    for name, devices in repeated.items():
        for number, device in enumerate(devices, start=1):
            assert isinstance(device, DeviceSection)
            if device.port in ports:
                problems.append(f"{name}[{number}].port: {device.port} {_TAKEN}")
            ports.append(device.port)
            if isinstance(device, ReaderSection):
                if device.seat in seats:
                    where = f"{name}[{number}].seat"
                    problems.append(
                        f"{where}: there is a reader at {device.seat} already. Allowed: one reader"
                        " at each seat. Remedy: correct one of the seats"
                    )
                seats.append(device.seat)
    return tuple(problems)


def port_lines(
    sections: Sections, repeated: RepeatedSections
) -> Iterator[tuple[str, LineSettings]]:
    """All ports with their line settings: the shoe's, readers', scanners', the shuffler's."""
    every = (sections["shoe"], *repeated["reader"], *repeated["scanner"], sections.get("shuffler"))
    return ((one.port, one.line) for one in every if isinstance(one, DeviceSection))


def name_remarks(name: str) -> Iterator[str]:
    """A remark on a name that `setup` refuses: a table that has it goes on."""
    if unit_name_problem(name):
        yield (
            f"table.name: {name!r} names no file and no unit, so `smartshoe setup` refuses it for a"
            " new table. A table that has records keeps it: its evidence log has this name"
        )


def decks_remarks(decks: int, profile: Profile) -> Iterator[str]:
    """A remark where a shoe has more decks than any rules play: a digit too many, most often."""
    # Other profiles are read where this one leaves it open: a start does not wait for all nine.
    if profile.name in profile_names() and decks <= decks_limit(profile):
        return
    most = decks_played_max()
    if decks > most:
        yield (
            f"{decks} decks in the dealing shoe: no rules here are played with more than {most}."
            f" Set [rules] decks = {most}, unless the shoe really holds {decks}"
        )


def device_remarks(
    shoe: ShoeSection, rules: RulesSection, batches: BatchesSection
) -> Iterator[str]:
    """Remarks about what a shoe of this model cannot report."""
    model = find_model(shoe.kind, shoe.model)
    ends = (ObservableFact.RESULT_BUTTON.value, ObservableFact.NO_MORE_BETS.value)
    if not model.claims_places and not any(fact in rules.observed for fact in ends):
        yield (
            "this shoe does not report what a card is for: without result_button or no_more_bets in"
            " [rules] observed, an overdraw after a complete coup counts as the first card of"
            " the next coup"
        )
    if not model.states_continuity:
        yield (
            "this shoe does not show that a report was lost: a card lost on the line is noticed"
            " only where the cards do not add up. Count the cards of each shoe"
        )
    if model.cards is not CardReading.FACE and not batches.bound:
        yield (
            "no batch is bound at the start: every card is foreign until a bar code is scanned or"
            " `smartshoe act bind-batch` names the batch"
        )
