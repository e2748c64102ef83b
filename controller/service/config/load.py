"""Reads and checks table.toml at start: one frozen value, or every problem in it at once.

Not: anything that may change in play, which is an action and is stored in the journal.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace
from pydantic import ValidationError

from controller.archive.consumers import FeedSettings
from controller.archive.signer import SigningSettings
from controller.archive.witness import WitnessSettings
from controller.core.settings import DeviceSettings, Settings
from controller.procedure.rulebook import ObservableFact
from controller.rules.profiles.load import (
    complete_text,
    decks_limit,
    decks_played_max,
    load_profile,
    profile_names,
)
from controller.rules.profiles.profile import Profile
from controller.rules.setting_values import ShuffleMode
from controller.rules.settlement.pit import NO_PIT_SETTINGS, SharedSetting, shared_settings
from controller.rules.settlement.terms import Terms
from controller.service.commissioning.pairing_file import PairedRole
from controller.service.config.console_section import (
    ConsoleSettings,
    console_problems,
    console_settings,
)
from controller.service.config.device_sections import (
    BatchesSection,
    DeviceSection,
    ReaderSection,
    ScannerSection,
    ShoeSection,
    ShufflerSection,
    UsbSection,
    section_type,
)
from controller.service.config.document import ConfigError, control_socket, read_document
from controller.service.config.feed_section import feed_problems, feed_settings
from controller.service.config.layout_rules import layout_warnings
from controller.service.config.machine_sections import (
    MachineLines,
    is_trial,
    line_problems,
    machine_lines,
    trial_problems,
)
from controller.service.config.overlay_section import OverlaySettings, overlay_settings
from controller.service.config.problems import (
    OPTIONAL_SECTIONS,
    REPEATED_SECTIONS,
    SECTIONS,
    not_a_list_problem,
    section_problems,
    unknown_name_problem,
)
from controller.service.config.sections import (
    ApprovalSection,
    ApprovalSettings,
    ControlSection,
    EvidenceSection,
    JournalSection,
    LayoutSection,
    MetricsSection,
    MonitorsSection,
    PeopleSection,
    PitSection,
    RulesSection,
    Section,
    TableSection,
    check_layout,
    unit_name_problem,
)
from controller.service.config.table_files import table_file
from controller.service.config.time_zone import zone_data
from controller.service.config.trust import TrustResult, read_trust
from controller.system.atomic_file import SmallFileError
from controller.system.tls import ServerTlsFiles, TlsUnavailable, server_context
from controller.table.accounts.passwords import read_passwords
from controller.table.disk_space import DiskLimits
from drivers.catalogue import find_model
from drivers.model import CardReading
from firmware_bridge.transport.allow_list import AllowList, parse_allow_entry
from firmware_bridge.transport.port import LineSettings

# The operating system's limit on the path of a Unix socket, in bytes.
SOCKET_PATH_BYTES_MAX: Final = 107
_TAKEN: Final = (
    "is another device's port. Allowed: one device at each port. Remedy: correct one of them"
)
Sections: TypeAlias = Mapping[str, Section]
RepeatedSections: TypeAlias = Mapping[str, tuple[Section, ...]]


class TableConfig(Struct, frozen=True):
    """One table. Paths are absolute. `metrics_port` 0 means any free one.

    `lines` are the ports of all devices with their line settings, the shoe's first, then readers
    and scanners in the order of the file, then the shuffler's. `allowed` is
    None without a list of USB devices; then any device but a keyboard may be opened.
    `bound_batches` are the names of the batches bound at the start; `batch_keys` are the files of
    the public keys whose receipts are trusted.

    `metrics_tls` None: the metrics are served without TLS; `metrics_passwords` None: without names.
    `console` None: neither page nor API is served.
    `signing` says how the seals of finished shoes are signed, `witnesses` who cosigns heads,
    `approval` who approves rules and configuration. `machine`: power-fail line, stack light, lock.
    `overlay`: video recorders that take text lines, None without any.
    `feeds` are the consumers of the floor feed.

    `settings`, `profile_text` and `zone_data` (TZif) go into the first input of the run; the rest
    concerns only this machine. `trial`: no byte is written to a device. `log_level_wire` is one of
    off, bytes, frames, events. `remarks` are sentences about allowed settings that people have to
    watch. `shared_settings` are those that its pit may bind. `control_group` may use the control
    socket, empty for the group of the program; `unix_people` names the person to whom an account of
    the machine belongs.
    """

    file: Path
    settings: Settings
    profile_name: str
    profile_text: str
    zone_name: str
    zone_data: bytes
    lines: tuple[tuple[str, LineSettings], ...]
    allowed: AllowList | None
    log_level_wire: str
    batches_folder: Path
    batch_keys: tuple[Path, ...]
    bound_batches: tuple[str, ...]
    journal_folder: Path
    signing: SigningSettings
    witnesses: tuple[WitnessSettings, ...]
    disk_limits: DiskLimits
    metrics_enabled: bool
    metrics_address: str
    metrics_port: int
    control_socket: Path
    control_group: str
    unix_people: Mapping[str, str]
    feeds: tuple[FeedSettings, ...] = ()
    approval: ApprovalSettings | None = None
    machine: MachineLines = MachineLines()
    metrics_tls: ServerTlsFiles | None = None
    metrics_passwords: Path | None = None
    console: ConsoleSettings | None = None
    overlay: OverlaySettings | None = None
    trial: bool = False
    remarks: tuple[str, ...] = ()
    shared_settings: tuple[SharedSetting, ...] = ()


def load_config(path: Path) -> TableConfig:
    """Read and check the table.toml that is meant (`table_file`).

    Raises ConfigError with every problem it has.
    """
    path = table_file(path)
    document = read_document(path)
    known = (*SECTIONS, *REPEATED_SECTIONS)
    problems = [
        unknown_name_problem(name, document[name]) for name in document if name not in known
    ]
    sections: dict[str, Section] = {}
    for name, model in SECTIONS.items():
        if name in OPTIONAL_SECTIONS and name not in document:
            continue
        value = document.get(name, {})
        kind = section_type(model, value)
        try:
            sections[name] = kind.model_validate(value, context={"folder": path.absolute().parent})
        except ValidationError as error:
            problems.extend(section_problems(name, kind, error))
    repeated = {
        name: _repeated_sections(name, document.get(name, []), problems)
        for name in REPEATED_SECTIONS
    }
    journal, control = sections.get("journal"), sections.get("control")
    if isinstance(journal, JournalSection) and isinstance(control, ControlSection):
        problems.extend(_socket_problems(control_socket(path, journal.folder, control.socket)))
    problems.extend(_layout_problems(path, sections))
    problems.extend(_mode_problems(path, sections))
    problems.extend(line_problems(sections))
    problems.extend(trial_problems(sections, repeated))
    problems.extend(_access_problems(path, sections))
    problems.extend(console_problems(path, sections))
    trusts = {role: _section_trust(path, sections, role) for role in PairedRole}
    problems.extend(problem for found in trusts.values() for problem in found.problems)
    feeds = repeated.pop("feed")
    problems.extend(feed_problems(path.absolute().parent, feeds, sections.get("rules")))
    if not problems:
        problems.extend(_port_problems(sections, repeated))
    if problems:
        raise ConfigError(path, tuple(problems))
    config = _config(path, sections, repeated, trusts)
    return replace(config, feeds=feed_settings(path, feeds), trial=is_trial(sections))


def _repeated_sections(name: str, value: object, problems: list[str]) -> tuple[Section, ...]:
    """The repeated sections of one name; adds their problems to `problems`."""
    if not isinstance(value, list):
        problems.append(not_a_list_problem(name))
        return ()
    found: list[Section] = []
    for number, one in enumerate(value, start=1):
        kind = section_type(REPEATED_SECTIONS[name], one)
        try:
            found.append(kind.model_validate(one))
        except ValidationError as error:
            problems.extend(section_problems(name, kind, error, number))
    return tuple(found)


def _layout_problems(path: Path, sections: dict[str, Section]) -> tuple[str, ...]:
    rules, layout, pit = (sections.get(name) for name in ("rules", "layout", "pit"))
    if not isinstance(rules, RulesSection):
        return ()
    layout_section = layout if isinstance(layout, LayoutSection) else LayoutSection()
    pit_section = pit if isinstance(pit, PitSection) else PitSection()
    profile = load_profile(rules.profile, path.absolute().parent)
    return tuple(str(problem) for problem in check_layout(layout_section, pit_section, profile))


def _socket_problems(socket: Path) -> tuple[str, ...]:
    length = len(str(socket).encode())
    if length <= SOCKET_PATH_BYTES_MAX:
        return ()
    shorter = "write a shorter absolute path such as /run/smartshoe/table.sock"
    allowed = f"at most {SOCKET_PATH_BYTES_MAX}"
    problem = f"{socket} is {length} bytes long. Allowed: {allowed}. Remedy: {shorter}"
    return (f"control.socket: {problem}",)


def _journal_folder(path: Path, journal: JournalSection) -> Path:
    """The journal's path, which is relative to the folder of table.toml."""
    return path.absolute().parent / journal.folder


def _with_house_settings(settings: Settings, sections: dict[str, Section]) -> Settings:
    """The settings with those of the table's pit and of its monitors, where they are given."""
    pit, monitors = sections["pit"], sections["monitors"]
    assert isinstance(pit, PitSection)
    assert isinstance(monitors, MonitorsSection)
    if pit.pit() != NO_PIT_SETTINGS:
        settings = replace(settings, shared=pit.pit())
    if monitors != MonitorsSection():
        settings = replace(settings, stall_minutes=monitors.stall_minutes)
    return settings


def _config(
    path: Path,
    sections: dict[str, Section],
    repeated: dict[str, tuple[Section, ...]],
    trusts: dict[PairedRole, TrustResult],
) -> TableConfig:
    table, rules, shoe = sections["table"], sections["rules"], sections["shoe"]
    journal, metrics, control = sections["journal"], sections["metrics"], sections["control"]
    assert isinstance(table, TableSection)
    assert isinstance(rules, RulesSection)
    assert isinstance(shoe, ShoeSection)
    assert isinstance(journal, JournalSection)
    assert isinstance(metrics, MetricsSection)
    assert isinstance(control, ControlSection)
    people = sections["people"]
    assert isinstance(people, PeopleSection)
    layout = sections["layout"]
    batches, usb, evidence = sections["batches"], sections["usb"], sections["evidence"]
    assert isinstance(layout, LayoutSection)
    assert isinstance(evidence, EvidenceSection)
    assert isinstance(batches, BatchesSection)
    assert isinstance(usb, UsbSection)
    folder = path.absolute().parent
    profile = load_profile(rules.profile, folder)
    settings = _settings(
        table, rules, layout, profile, shoe.settings(trusts[PairedRole.SHOE].trust)
    )
    settings = _with_house_settings(settings, sections)
    return TableConfig(
        file=path.absolute(),
        settings=_with_devices(settings, sections, repeated, trusts),
        profile_name=profile.name,
        profile_text=complete_text(profile),
        zone_name=table.time_zone,
        zone_data=zone_data(table.time_zone),
        lines=tuple(_port_lines(sections, repeated)),
        allowed=AllowList(tuple(map(parse_allow_entry, usb.allow))) if usb.allow else None,
        batches_folder=folder / batches.folder,
        batch_keys=tuple(folder / name for name in batches.keys),
        bound_batches=tuple(batches.bound),
        log_level_wire=shoe.log_level_wire,
        journal_folder=_journal_folder(path, journal),
        signing=evidence.settings(folder, _journal_folder(path, journal)),
        witnesses=evidence.witness_settings(),
        disk_limits=journal.limits,
        metrics_enabled=metrics.enabled,
        metrics_address=metrics.address,
        metrics_port=metrics.port,
        metrics_tls=metrics.tls_files(folder),
        metrics_passwords=metrics.passwords(folder),
        console=console_settings(sections, folder),
        control_socket=control_socket(path, journal.folder, control.socket),
        approval=_approval(path, sections),
        machine=machine_lines(sections),
        overlay=overlay_settings(sections),
        control_group=control.group,
        unix_people=people.unix,
        shared_settings=shared_settings(Terms.of(profile)),
        remarks=(
            *(warning.text for warning in layout_warnings(layout.layout(), profile)),
            *_name_remarks(table.name),
            *_decks_remarks(settings.decks, profile),
            *_device_remarks(shoe, rules, batches),
            *(remark for found in trusts.values() for remark in found.remarks),
        ),
    )


def _with_devices(
    settings: Settings,
    sections: Mapping[str, Section],
    repeated: Mapping[str, tuple[Section, ...]],
    trusts: Mapping[PairedRole, TrustResult],
) -> Settings:
    """The settings with the devices beside the shoe."""
    readers, scanners, shuffler = repeated["reader"], repeated["scanner"], sections.get("shuffler")
    return replace(
        settings,
        readers=tuple(one.settings() for one in readers if isinstance(one, ReaderSection)),
        scanners=tuple(one.settings() for one in scanners if isinstance(one, ScannerSection)),
        shuffler=(
            shuffler.settings(trusts[PairedRole.SHUFFLER].trust)
            if isinstance(shuffler, ShufflerSection)
            else None
        ),
    )


def _approval(path: Path, sections: Mapping[str, Section]) -> ApprovalSettings | None:
    approval = sections.get("approval")
    if not isinstance(approval, ApprovalSection):
        return None
    return approval.settings(path.absolute().parent)


def _settings(
    table: TableSection,
    rules: RulesSection,
    layout: LayoutSection,
    profile: Profile,
    shoe: DeviceSettings,
) -> Settings:
    one, other = layout.backs
    hours, minutes = table.gaming_day_start.split(":")
    return Settings(
        table=table.name,
        pit=table.pit,
        decks=profile.rules.decks_per_shoe if rules.decks is None else rules.decks,
        gaming_day_start_s=int(hours) * 3600 + int(minutes) * 60,
        observed=tuple(fact for fact in ObservableFact if fact.value in rules.observed),
        shoe=shoe,
        seats=tuple(sorted(layout.seats)),
        backs=(one, other),
    )


# --- sections against each other and the rules ----------------------------------------------------


def _section_trust(path: Path, sections: Sections, role: PairedRole) -> TrustResult:
    """The trust that the section of a device configures; none if there is no section."""
    folder = path.absolute().parent
    match sections.get(role.value):
        case ShoeSection() | ShufflerSection() as section:
            model = find_model(section.kind, section.model)
            bare, needed = model.contacts_only, model.proves_identity or model.contacts_only
            return read_trust(role, section, folder, needed=needed, always_bare=bare)
        case _:
            return TrustResult()


def _access_problems(path: Path, sections: Sections) -> Iterator[str]:
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


def _mode_problems(path: Path, sections: Sections) -> Iterator[str]:
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


def _port_problems(sections: Sections, repeated: RepeatedSections) -> tuple[str, ...]:
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


def _port_lines(
    sections: Sections, repeated: RepeatedSections
) -> Iterator[tuple[str, LineSettings]]:
    """All ports with their line settings: the shoe's, readers', scanners', the shuffler's."""
    every = (sections["shoe"], *repeated["reader"], *repeated["scanner"], sections.get("shuffler"))
    return ((one.port, one.line) for one in every if isinstance(one, DeviceSection))


def _name_remarks(name: str) -> Iterator[str]:
    """A remark on a name that `setup` refuses: a table that has it goes on."""
    if unit_name_problem(name):
        yield (
            f"table.name: {name!r} names no file and no unit, so `smartshoe setup` refuses it for a"
            " new table. A table that has records keeps it: its evidence log has this name"
        )


def _decks_remarks(decks: int, profile: Profile) -> Iterator[str]:
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


def _device_remarks(
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
