"""The devices of a table.toml, put together: their ports, their lines, and who is trusted.

Responsible for: what one device's section asks of another's or of the rules, the lines of all
ports, and the settings of the devices beside the shoe.
Not responsible for: the keys of each section (config_devices, config_shuffler), the files of
pairings (config_identity), and reading the file (config).
Source: package README, "Configuration", "Devices of a table".
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from controller.commissioning.pairing_file import PairedRole
from controller.config.device_sections import (
    BatchesSection,
    ReaderSection,
    ScannerSection,
    ShoeSection,
    ShufflerSection,
)
from controller.config.sections import RulesSection, Section
from controller.config.trust import TrustFound, trust_of
from controller.core.settings import ReaderDeviceSettings, ScannerDeviceSettings
from controller.procedure.rulebook import Fact
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

Sections: TypeAlias = Mapping[str, Section]
SectionsEach: TypeAlias = Mapping[str, tuple[Section, ...]]


def trust_in(path: Path, sections: Sections, role: PairedRole) -> TrustFound:
    """Whom the section of that device trusts; nobody where there is none."""
    folder = path.absolute().parent
    match sections.get(role.value):
        case ShoeSection() as shoe:
            return trust_of(role, shoe, folder, needed=SHOE_MODELS[shoe.model].identity)
        case ShufflerSection() as shuffler:
            needed = SHUFFLER_MODELS[shuffler.model].identity
            return trust_of(role, shuffler, folder, needed=needed)
        case _:
            return TrustFound()


def mode_problems(path: Path, sections: Sections) -> Iterator[str]:
    """A shuffler has work only where the rules leave the shuffling to one."""
    rules = sections.get("rules")
    if "shuffler" not in sections or not isinstance(rules, RulesSection):
        return
    mode = load_profile(rules.profile, path.absolute().parent).rules.shuffle_mode
    if mode is ShuffleMode.HAND:
        yield (
            f"shuffler: the rules {rules.profile} have the cards shuffled by hand (shuffle_mode ="
            f' "{mode.value}"). Allowed with a shuffler: {ShuffleMode.DUAL_BATCH.value},'
            f" {ShuffleMode.CONTINUOUS.value}. Remedy: take [shuffler] out, or name other rules in"
            " [rules] profile"
        )


def port_problems(sections: Sections, each: SectionsEach) -> tuple[str, ...]:
    """Each device has a port of its own, and the rack and the layout one reader each."""
    shoe = sections["shoe"]
    assert isinstance(shoe, ShoeSection)
    problems: list[str] = []
    ports, seats = [shoe.port], []
    shuffler = sections.get("shuffler")
    if isinstance(shuffler, ShufflerSection):
        if shuffler.port == shoe.port:
            problems.append(f"shuffler.port: {shuffler.port} is another device's port")
        ports.append(shuffler.port)
    for name, devices in each.items():
        for number, device in enumerate(devices, start=1):
            assert isinstance(device, ReaderSection | ScannerSection)
            if device.port in ports:
                problems.append(f"{name}[{number}].port: {device.port} is another device's port")
            ports.append(device.port)
            if isinstance(device, ReaderSection):
                if device.seat in seats:
                    where = f"{name}[{number}].seat"
                    problems.append(f"{where}: there is a reader at {device.seat} already")
                seats.append(device.seat)
    return tuple(problems)


def lines_of(sections: Sections, each: SectionsEach) -> Iterator[tuple[str, LineSettings]]:
    """All ports with their line settings: the shoe's, readers', scanners', the shuffler's."""
    shoe = sections["shoe"]
    assert isinstance(shoe, ShoeSection)
    yield _shoe_line(shoe)
    yield from _lines_beside(each)
    yield from _shuffler_line(sections.get("shuffler"))


def _shoe_line(shoe: ShoeSection) -> tuple[str, LineSettings]:
    model = SHOE_MODELS[shoe.model]
    return shoe.port, LineSettings(shoe.baud or model.baud, Parity(model.parity))


def _lines_beside(
    each: SectionsEach,
) -> Iterator[tuple[str, LineSettings]]:
    for reader in each["reader"]:
        assert isinstance(reader, ReaderSection)
        yield reader.port, LineSettings(reader.baud or READER_BAUD, Parity(READER_PARITY))
    for scanner in each["scanner"]:
        assert isinstance(scanner, ScannerSection)
        model = SCANNER_MODELS[scanner.model]
        # A scanner that is reached by its USB interface has no line to set.
        parity = Parity(model.parity) if model.parity else Parity.NONE
        yield scanner.port, LineSettings(scanner.baud or model.baud, parity)


def _shuffler_line(shuffler: Section | None) -> Iterator[tuple[str, LineSettings]]:
    if isinstance(shuffler, ShufflerSection):
        model = SHUFFLER_MODELS[shuffler.model]
        yield shuffler.port, LineSettings(shuffler.baud or model.baud, Parity(model.parity))


def settings_beside(
    each: SectionsEach,
) -> tuple[tuple[ReaderDeviceSettings, ...], tuple[ScannerDeviceSettings, ...]]:
    """What the core takes of readers and scanners."""
    readers = tuple(one.settings() for one in each["reader"] if isinstance(one, ReaderSection))
    scanners = tuple(
        ScannerDeviceSettings(one.port, one.model)
        for one in each["scanner"]
        if isinstance(one, ScannerSection)
    )
    return readers, scanners


def device_remarks(
    shoe: ShoeSection, rules: RulesSection, batches: BatchesSection
) -> Iterator[str]:
    """What a shoe that claims nothing of its cards cannot tell by itself."""
    if SHOE_MODELS[shoe.model].claims:
        return
    ends = (Fact.RESULT_BUTTON.value, Fact.NO_MORE_BETS.value)
    if not any(fact in rules.observed for fact in ends):
        yield (
            "this shoe does not say what a card is for: without result_button or no_more_bets in"
            " [rules] observed a card too many after a whole coup counts as the next coup's first"
        )
    if not batches.bound:
        yield (
            "no batch is bound at the start: every card is foreign until a bar code is scanned or"
            " `smartshoe act bind-batch` names the batch"
        )
