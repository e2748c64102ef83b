"""Checks table.toml's device sections against each other and the rules; builds their settings.

Source: controller/config/README.md, "Configuration", "Devices of a table".
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from controller.commissioning.pairing_file import PairedRole
from controller.config.device_sections import (
    BatchesSection,
    ReaderSection,
    ScannerSection,
    ShoeSection,
    ShufflerSection,
)
from controller.config.sections import RulesSection, Section
from controller.config.trust import TrustResult, read_trust
from controller.core.settings import ReaderDeviceSettings, ScannerDeviceSettings
from controller.procedure.rulebook import ObservableFact
from controller.profiles.load import load_profile
from controller.rules.setting_values import ShuffleMode
from drivers.catalogue import (
    READER_BAUD,
    READER_PARITY,
    SCANNER_MODELS,
    SHOE_MODELS,
    SHUFFLER_MODELS,
)
from firmware_bridge.transport.port import LineSettings, Parity

_TAKEN: Final = (
    "is another device's port. Allowed: one device at each port. Remedy: correct one of them"
)
Sections: TypeAlias = Mapping[str, Section]
RepeatedSections: TypeAlias = Mapping[str, tuple[Section, ...]]


def section_trust(path: Path, sections: Sections, role: PairedRole) -> TrustResult:
    """The trust that the section of a device configures; none if there is no section."""
    folder = path.absolute().parent
    match sections.get(role.value):
        case ShoeSection() as shoe:
            return read_trust(role, shoe, folder, needed=SHOE_MODELS[shoe.model].identity)
        case ShufflerSection() as shuffler:
            needed = SHUFFLER_MODELS[shuffler.model].identity
            return read_trust(role, shuffler, folder, needed=needed)
        case _:
            return TrustResult()


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
            assert isinstance(device, ReaderSection | ScannerSection)
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
    shoe = sections["shoe"]
    assert isinstance(shoe, ShoeSection)
    yield _shoe_line(shoe)
    yield from _auxiliary_lines(repeated)
    yield from _shuffler_line(sections.get("shuffler"))


def _shoe_line(shoe: ShoeSection) -> tuple[str, LineSettings]:
    model = SHOE_MODELS[shoe.model]
    return shoe.port, LineSettings(shoe.baud or model.baud, Parity(model.parity))


def _auxiliary_lines(
    repeated: RepeatedSections,
) -> Iterator[tuple[str, LineSettings]]:
    for reader in repeated["reader"]:
        assert isinstance(reader, ReaderSection)
        yield reader.port, LineSettings(reader.baud or READER_BAUD, Parity(READER_PARITY))
    for scanner in repeated["scanner"]:
        assert isinstance(scanner, ScannerSection)
        model = SCANNER_MODELS[scanner.model]
        # A scanner on USB HID has no serial line settings.
        parity = Parity(model.parity) if model.parity else Parity.NONE
        yield scanner.port, LineSettings(scanner.baud or model.baud, parity)


def _shuffler_line(shuffler: Section | None) -> Iterator[tuple[str, LineSettings]]:
    if isinstance(shuffler, ShufflerSection):
        model = SHUFFLER_MODELS[shuffler.model]
        yield shuffler.port, LineSettings(shuffler.baud or model.baud, Parity(model.parity))


def auxiliary_settings(
    repeated: RepeatedSections,
) -> tuple[tuple[ReaderDeviceSettings, ...], tuple[ScannerDeviceSettings, ...]]:
    """The core's settings of readers and scanners."""
    readers = tuple(one.settings() for one in repeated["reader"] if isinstance(one, ReaderSection))
    scanners = tuple(
        ScannerDeviceSettings(one.port, one.model)
        for one in repeated["scanner"]
        if isinstance(one, ScannerSection)
    )
    return readers, scanners


def device_remarks(
    shoe: ShoeSection, rules: RulesSection, batches: BatchesSection
) -> Iterator[str]:
    """Remarks about what a shoe that does not claim places of cards cannot report."""
    if SHOE_MODELS[shoe.model].claims:
        return
    ends = (ObservableFact.RESULT_BUTTON.value, ObservableFact.NO_MORE_BETS.value)
    if not any(fact in rules.observed for fact in ends):
        yield (
            "this shoe does not report what a card is for: without result_button or no_more_bets in"
            " [rules] observed, an overdraw after a complete coup counts as the first card of"
            " the next coup"
        )
    if not batches.bound:
        yield (
            "no batch is bound at the start: every card is foreign until a bar code is scanned or"
            " `smartshoe act bind-batch` names the batch"
        )
