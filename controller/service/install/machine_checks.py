"""What `smartshoe doctor` looks at on the machine: account, files, ports, clock, disk.

Nothing is opened that notices it: a serial port that is opened moves its lines.
"""

import grp
import os
import platform
import pwd
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct

from controller.core.tape.inputs import ClockSync, DiskLevel
from controller.service.config.table_config import TableConfig
from controller.service.config.table_files import INSTALLED
from controller.service.install.diagnosis import Diagnosis, good, problem, remark
from controller.service.install.running_table import SOCKETS
from controller.service.install.table_account import ACCOUNT, has_account
from controller.system.messages.catalogue import to_words
from controller.table.disk_space import MIB, disk_usage
from controller.table.monitor import read_sync
from firmware_bridge.transport.open_port import port_absence
from firmware_bridge.transport.port_url import DevicePath, parse_port_url
from foundation.typed_reading import json_decoder

STATE: Final = Path("/var/lib/smartshoe")
RULES: Final = "/etc/udev/rules.d/70-smartshoe.rules"
PACKAGE: Final = Path("/usr/lib/smartshoe")
# The table's, and beside it those of office and bench, where they are installed.
PACKAGE_FACTS: Final = "package.json"
PROC: Final = Path("/proc")
READ, WRITE = 4, 2
_USERS_SHOWN: Final = 3


class PackageFacts(Struct, frozen=True):
    """Which Debian a package is for, and its file for each Debian, by its number."""

    debian: int
    files: dict[str, str]


class MachineAccount(Struct, frozen=True):
    """An account of the machine, and all groups it is in."""

    name: str
    uid: int
    groups: frozenset[int]

    def may(self, path: Path, bits: int) -> bool:
        """Whether the modes allow it; of a folder searching counts, too. Raises OSError."""
        found = path.stat()
        wanted = bits | (1 if stat.S_ISDIR(found.st_mode) else 0)
        if self.uid == 0:
            return True
        if found.st_uid == self.uid:
            return found.st_mode >> 6 & wanted == wanted
        if found.st_gid in self.groups:
            return found.st_mode >> 3 & wanted == wanted
        return found.st_mode & wanted == wanted


def account_of(file: Path) -> MachineAccount:
    """Who runs the table: the unit's account for an installed one, else who asks."""
    uid = os.geteuid()
    try:
        if file.resolve().is_relative_to(INSTALLED):
            uid = pwd.getpwnam(ACCOUNT).pw_uid
        entry = pwd.getpwuid(uid)
    except KeyError:
        return MachineAccount(str(uid), uid, frozenset(os.getgroups()))
    groups = frozenset(os.getgrouplist(entry.pw_name, entry.pw_gid))
    return MachineAccount(entry.pw_name, uid, groups)


def unit_of(file: Path) -> str:
    """The unit that runs an installed table; a pit's tables are run by one of its name."""
    folder = file.resolve().parent
    return f"smartshoe@{file.stem if folder.parent != INSTALLED else folder.name}"


def start_of(
    file: Path,
    *,
    is_root: bool | None = None,
    lookup: Callable[[str], object] = pwd.getpwnam,
) -> str:
    """The command by which who asks starts the table: its unit's, where it is installed."""
    if file.resolve().is_relative_to(INSTALLED):
        return f"systemctl start {unit_of(file)}"
    if (os.geteuid() == 0 if is_root is None else is_root) and has_account(lookup):
        return f"smartshoe run --as-root {file}"
    return f"smartshoe run {file}"


@contextmanager
def acting_as(who: MachineAccount) -> Iterator[None]:
    """Root acts as the table's account: what may be read and whose a file is depends on it."""
    if os.geteuid() != 0 or who.uid == 0:
        yield
        return
    os.seteuid(who.uid)
    try:
        yield
    finally:
        os.seteuid(0)


def check_clock() -> Iterator[Diagnosis]:
    """Whether something keeps the machine's clock right."""
    if read_sync() is ClockSync.SYNCHRONISED:
        yield good("clock", "it is synchronised")
        return
    yield remark(
        "clock",
        "nothing keeps it synchronised",
        "each record bears its time; a wrong one weakens the evidence",
        "name the casino's time server in /etc/chrony/chrony.conf (apt-get install chrony);"
        " chronyc sources says whether it answers",
    )


def check_package() -> Iterator[Diagnosis]:
    """Whether the program is the package for this machine's Debian; nothing where it is none."""
    files = sorted(PACKAGE.parent.glob(f"{PACKAGE.name}*/{PACKAGE_FACTS}"))
    if Path(sys.prefix).resolve() != PACKAGE or not files:
        return
    # All are of one version: each other one requires exactly its equal of the table's.
    packages = [json_decoder(PackageFacts).decode(one.read_bytes()) for one in files]
    facts = packages[0]
    release = platform.freedesktop_os_release()
    number = release.get("VERSION_ID", "") if release.get("ID") == "debian" else ""
    if number == str(facts.debian):
        yield good("package", f"it is that for Debian {facts.debian}")
        return
    right = [f"./{one.files[number]}" for one in packages if number in one.files]
    yield remark(
        "package",
        f"it is that for Debian {facts.debian}, and this machine is {release['PRETTY_NAME']}",
        f"it runs only as long as the Python of Debian {facts.debian} stays on the machine",
        f"between two shoes: apt-get install {' '.join(right)}"
        if right
        else f"no package of this version is for it: stay with Debian {', '.join(facts.files)}",
    )


def check_account(config: TableConfig) -> Iterator[Diagnosis]:
    """Whether the account may read the configuration and write its folders."""
    who = account_of(config.file)
    if who.uid == 0:
        yield remark(
            "account",
            "the table would run as root",
            "a fault could change any file of the machine",
            f"run it as the account {ACCOUNT}, as the package's unit does"
            + ("" if has_account() else f"; useradd --system {ACCOUNT} makes it"),
        )
    if not who.may(config.file, READ):
        yield problem(
            "account",
            f"{who.name} may not read {config.file}",
            "the table does not start",
            f"chgrp {ACCOUNT} {config.file} && chmod 640 {config.file}",
        )
    unit = unit_of(config.file)
    allowed = STATE / unit.partition("@")[2]
    journal = f'write [journal] folder = "{allowed / "journal"}"'
    yield from _folder_findings("journal", config.journal_folder, who, allowed, journal)
    socket = f'write [control] socket = "{SOCKETS / config.file.stem}.sock"'
    yield from _folder_findings("control", config.control_socket.parent, who, SOCKETS, socket)


def _folder_findings(
    area: str, folder: Path, who: MachineAccount, allowed: Path, remedy: str
) -> Iterator[Diagnosis]:
    """`allowed`: where the unit lets its account write; `remedy` names a place there."""
    by_unit = who.name == ACCOUNT
    made_by_unit = by_unit and folder.is_relative_to(allowed)
    existing = folder
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    if not existing.is_dir():
        yield problem(
            area, f"{existing} is no folder", "the table does not start", "name another folder"
        )
    elif not who.may(existing, READ | WRITE) and not (made_by_unit and area == "journal"):
        if made_by_unit:
            remedy = "systemd-tmpfiles --create smartshoe.conf"
        yield problem(
            area,
            f"{who.name} may not write to {existing}",
            "the table does not start",
            remedy if by_unit else f"install -d -m 700 -o {who.name} {folder}",
        )
    elif by_unit and not made_by_unit:
        yield remark(
            area,
            f"{folder} is not in {allowed}, where the unit lets its account write",
            "the table does not start unless the unit was changed",
            f"{remedy}; or systemctl edit the unit: [Service], ReadWritePaths={folder}",
        )
    else:
        yield good(area, f"{who.name} may write to {folder}")


def check_modes(config: TableConfig) -> Iterator[Diagnosis]:
    """Whether others may read the journal, which holds cards that nobody has seen."""
    folder = config.journal_folder
    if not folder.exists():
        yield good(
            "modes", "there is no journal yet; the first start makes it for its account alone"
        )
    elif folder.stat().st_mode & 0o077:
        yield problem(
            "modes",
            f"other accounts may look into {folder}",
            "it holds cards that nobody has seen, and the table's key",
            f"chmod -R go= {folder}",
        )
    else:
        yield good("modes", "the journal is its account's alone")


def check_disk(config: TableConfig) -> Iterator[Diagnosis]:
    """The space for evidence, by the limits of the configuration."""
    usage, limits = disk_usage(config.journal_folder), config.disk_limits
    free = f"{usage.free_bytes // MIB} MiB are free for {config.journal_folder}"
    level = limits.level(usage, DiskLevel.UNKNOWN)
    if level is DiskLevel.ENOUGH:
        yield good("disk", free)
        return
    make = problem if level is DiskLevel.STOP else remark
    yield make(
        "disk",
        free,
        f"below {limits.stop_bytes // MIB} MiB no table runs, as its evidence could not be stored",
        "archive finished shoes elsewhere, then smartshoe journal prune; or set [journal] folder",
    )


def check_ports(config: TableConfig) -> Iterator[Diagnosis]:
    """Whether each device's port is there, may be used, and is not another program's."""
    who = account_of(config.file)
    for url, _ in config.lines:
        absent = port_absence(url)
        if absent is not None:
            yield problem(
                "ports",
                to_words(absent).partition(" Remedy: ")[0].rstrip("."),
                "the table runs, and hears nothing of that device",
                "plug the device in; smartshoe devices lists what is there",
            )
            continue
        parsed = parse_port_url(url)
        if isinstance(parsed, DevicePath):
            yield from _path_findings(url, Path(parsed.path), who)
        else:
            yield good("ports", f"{url} is named; it is not asked before the table opens it")


def _path_findings(url: str, path: Path, who: MachineAccount) -> Iterator[Diagnosis]:
    if not who.may(path, READ | WRITE):
        group = _group_of(path)
        yield problem(
            "ports",
            f"{who.name} may not use {url}, which belongs to the group {group}",
            "the table runs, and hears nothing of that device",
            f"name the device in {RULES} (smartshoe devices shows its ids), then"
            " udevadm control --reload && udevadm trigger",
        )
        return
    users = _users_of(path.resolve())
    others = sorted(words for words, is_table in users.items() if not is_table)
    if len(others) > _USERS_SHOWN:
        others[_USERS_SHOWN:] = [f"{len(others) - _USERS_SHOWN} more"]
    if others:
        yield problem(
            "ports",
            f"{url} is in use by {', '.join(others)}",
            "two programs at one port take each other's bytes",
            "end that program; for a trial beside it wire a tap with a port of its own",
        )
    else:
        yield good("ports", f"{url} is there{', and in use by a table' if users else ''}")


def _group_of(path: Path) -> str:
    gid = path.stat().st_gid
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)


def _users_of(device: Path) -> dict[str, bool]:
    """The command lines of the processes that have it open, and whether each is this program.

    As far as this account may look.
    """
    found = {}
    for process in PROC.glob("[0-9]*"):
        try:
            if any(one.readlink() == device for one in (process / "fd").iterdir()):
                words = (process / "cmdline").read_bytes().decode(errors="replace").split("\0")
                line = " ".join(" ".join(words).split())
                # The program, or the interpreter and the program.
                is_table = "smartshoe" in (Path(one).name for one in words[:2])
                found[f"{line} (process {process.name})"] = is_table
        except OSError:
            continue
    return found
