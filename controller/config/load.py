"""The table's configuration file: read once, at start, and checked whole.

Responsible for: table.toml to one frozen value, or every problem in it at once; where relative
paths lead; the commented example.
Not responsible for: keys and their bounds (config_sections), what devices need of one another
(config_beside), words of problems (config_problems), and for anything that may change in play (that
is done by an action and lives in the journal).
Source: package README, "Configuration", "Settings have one home".
"""

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from controller.archive.signer import SigningSettings
from controller.commissioning.pairing_file import PairedRole
from controller.config.cross_checks import (
    device_remarks,
    lines_of,
    mode_problems,
    port_problems,
    settings_beside,
    trust_in,
)
from controller.config.device_sections import (
    BatchesSection,
    ShoeSection,
    ShufflerSection,
    UsbSection,
)
from controller.config.layout_rules import warnings
from controller.config.problems import (
    SECTIONS,
    SECTIONS_AT_WILL,
    SECTIONS_EACH,
    no_list,
    problems_of,
    unknown_name,
)
from controller.config.sections import (
    ControlSection,
    EvidenceSection,
    JournalSection,
    LayoutSection,
    MetricsSection,
    PitSection,
    RulesSection,
    Section,
    TableSection,
    layout_problems,
)
from controller.config.time_zone import zone_data
from controller.config.trust import TrustFound
from controller.core.settings import (
    Settings,
    ShoeDeviceSettings,
)
from controller.procedure.rulebook import Fact
from controller.profiles.load import load_profile, standing_text
from controller.profiles.profile import Profile
from controller.table.disk_space import DiskLimits
from firmware_bridge.transport.allow_list import AllowList, allow_entry
from firmware_bridge.transport.port import LineSettings
from firmware_bridge.values import replace

# The operating system's limit on the path of a Unix socket, in bytes.
SOCKET_PATH_BYTES_MAX: Final = 107
_FILE_BYTES_MAX: Final = 1_000_000


class ConfigError(Exception):
    """Every problem of a configuration file, one per line, each with the file's name."""

    def __init__(self, file: Path, problems: tuple[str, ...]) -> None:
        lines = (f"{file}: {problem}" for problem in problems)
        super().__init__("\n".join(line if line.endswith("?") else f"{line}." for line in lines))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class TableConfig:
    """One table. Paths are absolute. `metrics_port` 0 means any free one.

    `lines` are the ports of all devices with their line settings, the shoe's first, then readers
    and scanners in the order of the file, then the shuffler's. `allowed` is
    absent where no list of USB devices is kept; then any but a keyboard may be opened.
    `bound_batches` are the batches at the table from its start, by name; `batch_keys` the files of
    the public keys whose receipts of batches are believed.

    `signing` says who signs the seals of finished shoes.

    `settings`, `profile_text` and `zone_data` (TZif) go into the first input of the run; the rest
    concerns only this machine. `log_level_wire` is one of off, bytes, frames, events. `remarks` is
    what is allowed and yet to be thought of.
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
    disk_limits: DiskLimits
    metrics_enabled: bool
    metrics_address: str
    metrics_port: int
    control_socket: Path
    remarks: tuple[str, ...] = ()


def example_text() -> str:
    """A commented table.toml that passes its own check."""
    return (files("controller.config") / "example.toml").read_text("utf-8")


def load_config(path: Path) -> TableConfig:
    """Read and check a table.toml. Raises ConfigError with every problem it has."""
    document = _document(path)
    known = (*SECTIONS, *SECTIONS_EACH)
    problems = [unknown_name(name, document[name]) for name in document if name not in known]
    sections: dict[str, Section] = {}
    for name, model in SECTIONS.items():
        if name in SECTIONS_AT_WILL and name not in document:
            continue
        try:
            sections[name] = model.model_validate(
                document.get(name, {}), context={"folder": path.absolute().parent}
            )
        except ValidationError as error:
            problems.extend(problems_of(name, error))
    each = {name: _each(name, document.get(name, []), problems) for name in SECTIONS_EACH}
    journal, control = sections.get("journal"), sections.get("control")
    if isinstance(journal, JournalSection) and isinstance(control, ControlSection):
        problems.extend(_socket_problems(_control_socket(path, journal, control)))
    problems.extend(_layout_problems(path, sections))
    problems.extend(mode_problems(path, sections))
    trusts = {role: trust_in(path, sections, role) for role in PairedRole}
    problems.extend(problem for found in trusts.values() for problem in found.problems)
    if not problems:
        problems.extend(port_problems(sections, each))
    if problems:
        raise ConfigError(path, tuple(problems))
    return _config(path, sections, each, trusts)


def _each(name: str, value: object, problems: list[str]) -> tuple[Section, ...]:
    """The sections of one name that may stand there several times."""
    if not isinstance(value, list):
        problems.append(no_list(name))
        return ()
    found: list[Section] = []
    for number, one in enumerate(value, start=1):
        try:
            found.append(SECTIONS_EACH[name].model_validate(one))
        except ValidationError as error:
            problems.extend(problems_of(name, error, number))
    return tuple(found)


def _layout_problems(path: Path, sections: dict[str, Section]) -> tuple[str, ...]:
    rules, layout, pit = (sections.get(name) for name in ("rules", "layout", "pit"))
    if not isinstance(rules, RulesSection):
        return ()
    told = layout if isinstance(layout, LayoutSection) else LayoutSection()
    shared = pit if isinstance(pit, PitSection) else PitSection()
    profile = load_profile(rules.profile, path.absolute().parent)
    return tuple(str(refused) for refused in layout_problems(told, shared, profile))


def _document(path: Path) -> dict[str, object]:
    try:
        with path.open("rb") as file:
            data = file.read(_FILE_BYTES_MAX + 1)
    except FileNotFoundError:
        example = "smartshoe check-config --example > table.toml"
        raise ConfigError(path, (f"no such file; `{example}` writes one to start from",)) from None
    except OSError as error:
        raise ConfigError(path, (f"cannot be read: {error.strerror or error}",)) from error
    if len(data) > _FILE_BYTES_MAX:
        raise ConfigError(path, ("it is too long to be a table's configuration",))
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            path, (f"not UTF-8 text (in line {line}); save the file as UTF-8",)
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(path, (f"not TOML: {error}",)) from error
    except RecursionError as error:
        raise ConfigError(path, ("not a configuration: brackets nested too deep",)) from error


def _socket_problems(socket: Path) -> tuple[str, ...]:
    length = len(str(socket).encode())
    if length <= SOCKET_PATH_BYTES_MAX:
        return ()
    shorter = "Write a shorter absolute path such as /run/smartshoe/table.sock"
    problem = f"{socket} is {length} bytes long; at most {SOCKET_PATH_BYTES_MAX}. {shorter}"
    return (f"control.socket: {problem}",)


def _journal_folder(path: Path, journal: JournalSection) -> Path:
    """Relative to the folder of table.toml."""
    return path.absolute().parent / journal.folder


def _control_socket(path: Path, journal: JournalSection, control: ControlSection) -> Path:
    """Relative to the folder that holds the journal's folder: that one the program may write to,

    while table.toml may stand where it may only read.
    """
    return _journal_folder(path, journal).parent / control.socket


def _config(
    path: Path,
    sections: dict[str, Section],
    each: dict[str, tuple[Section, ...]],
    trusts: dict[PairedRole, TrustFound],
) -> TableConfig:
    table, rules, shoe = sections["table"], sections["rules"], sections["shoe"]
    journal, metrics, control = sections["journal"], sections["metrics"], sections["control"]
    assert isinstance(table, TableSection)
    assert isinstance(rules, RulesSection)
    assert isinstance(shoe, ShoeSection)
    assert isinstance(journal, JournalSection)
    assert isinstance(metrics, MetricsSection)
    assert isinstance(control, ControlSection)
    layout = sections["layout"]
    batches, usb, evidence = sections["batches"], sections["usb"], sections["evidence"]
    assert isinstance(layout, LayoutSection)
    assert isinstance(evidence, EvidenceSection)
    assert isinstance(batches, BatchesSection)
    assert isinstance(usb, UsbSection)
    profile = load_profile(rules.profile, path.absolute().parent)
    beside = settings_beside(each)
    shuffler = sections.get("shuffler")
    settings = replace(
        _settings(table, rules, layout, profile, shoe.settings(trusts[PairedRole.SHOE].trust)),
        readers=beside[0],
        scanners=beside[1],
        shuffler=(
            shuffler.settings(trusts[PairedRole.SHUFFLER].trust)
            if isinstance(shuffler, ShufflerSection)
            else None
        ),
    )
    return TableConfig(
        file=path.absolute(),
        settings=settings,
        profile_name=profile.name,
        profile_text=standing_text(profile),
        zone_name=table.time_zone,
        zone_data=zone_data(table.time_zone),
        lines=tuple(lines_of(sections, each)),
        allowed=AllowList(tuple(map(allow_entry, usb.allow))) if usb.allow else None,
        batches_folder=path.absolute().parent / batches.folder,
        batch_keys=tuple(path.absolute().parent / name for name in batches.keys),
        bound_batches=tuple(batches.bound),
        log_level_wire=shoe.log_level_wire,
        journal_folder=_journal_folder(path, journal),
        signing=evidence.settings(path.absolute().parent, _journal_folder(path, journal)),
        disk_limits=journal.limits,
        metrics_enabled=metrics.enabled,
        metrics_address=metrics.address,
        metrics_port=metrics.port,
        control_socket=_control_socket(path, journal, control),
        remarks=(
            *(warning.text for warning in warnings(layout.layout(), profile)),
            *device_remarks(shoe, rules, batches),
            *(remark for found in trusts.values() for remark in found.remarks),
        ),
    )


def _settings(
    table: TableSection,
    rules: RulesSection,
    layout: LayoutSection,
    profile: Profile,
    shoe: ShoeDeviceSettings,
) -> Settings:
    one, other = layout.backs
    hours, minutes = table.gaming_day_start.split(":")
    return Settings(
        table=table.name,
        pit=table.pit,
        decks=profile.rules.decks_per_shoe if rules.decks is None else rules.decks,
        gaming_day_start_s=int(hours) * 3600 + int(minutes) * 60,
        observed=tuple(fact for fact in Fact if fact.value in rules.observed),
        shoe=shoe,
        seats=tuple(sorted(layout.seats)),
        backs=(one, other),
    )
