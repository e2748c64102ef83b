"""A Debian machine for the cases of the unit: installed by hand, as deploy/README.md says."""

import shutil
import sys
from pathlib import Path
from typing import Final

from controller.version import VERSION
from hil.gate.debian_root import DEBIANS, bootstrap, cached, run_quietly

ROOT: Final = Path(__file__).resolve().parents[2]
DEPLOY: Final = ROOT / "deploy"
CASES: Final = ROOT / "tests" / "gate" / "unit_on_systemd.py"
RESULT: Final = "gate/out"
DEBIAN: Final = DEBIANS[12]
PACKAGES: Final = (
    *("systemd", "systemd-sysv", "dbus", "udev"),
    *("python3", "python3-venv", "libusb-1.0-0"),
)
# Where each file of deploy/ belongs on a machine.
PLACES: Final = {
    "smartshoe@.service": "etc/systemd/system/smartshoe@.service",
    "smartshoe-tables.conf": "etc/systemd/system/smartshoe@pit-3.service.d/tables.conf",
    "smartshoe.sysusers.conf": "etc/sysusers.d/smartshoe.conf",
    "smartshoe.tmpfiles.conf": "etc/tmpfiles.d/smartshoe.conf",
    "smartshoe.journald.conf": "etc/systemd/journald.conf.d/smartshoe.conf",
    "smartshoe.system.conf": "etc/systemd/system.conf.d/smartshoe.conf",
    "70-smartshoe.rules": "etc/udev/rules.d/70-smartshoe.rules",
}
TABLE: Final = """\
[table]
name = "M-12"
[rules]
observed = ["result_button"]
[shoe]
port = "socket://127.0.0.1:4001"
[[reader]]
seat = "discard_rack"
port = "usb://0ab1:0002"
[usb]
allow = ["0ab1:0002"]
[journal]
folder = "/var/lib/smartshoe/M-12/journal"
warn_free_mib = 2
stop_free_mib = 2
[control]
socket = "/run/smartshoe/M-12.sock"
[outputs]
green = "smartshoe/lines:0"
amber = "smartshoe/lines:1"
red = "smartshoe/lines:2"
[power]
gpio = "smartshoe/lines:4"
active = "high"
"""
# The root is a folder of the host, where all that is made belongs to who runs the kernel.
MOUNTS: Final = """\
tmpfs /tmp tmpfs mode=1777 0 0
tmpfs /var/lib/smartshoe tmpfs defaults 0 0
tmpfs /var/lib/smartshoe-evidence tmpfs defaults 0 0
"""
GATE_UNIT: Final = """\
[Unit]
After=systemd-udevd.service
[Service]
ExecStart={command}
StandardOutput=append:/gate/out
StandardError=append:/gate/out
"""
# What a next version is to the upgrade: the same program under another number.
NEXT: Final = "+next"


def make_machine(folder: Path) -> Path:
    """The root folder of a machine with the program, the next version, and the cases.

    Raises GateUnable.
    """
    root = folder / "root"
    run_quietly(("cp", "-a", "--reflink=auto", str(_debian()), str(root)))
    after = copy_sources(folder / "next", VERSION + NEXT)
    for link, source in (("current", ROOT), ("next", after)):
        wheels = root / "opt/wheels" / link
        _make_wheels(source, wheels)
        (root / "opt/smartshoe" / link).symlink_to(_install_tree(root, wheels))
    for name, place in PLACES.items():
        _copy(DEPLOY / name, root / place)
    (root / "etc/smartshoe").mkdir()
    (root / "etc/smartshoe/M-12.toml").write_text(TABLE, encoding="utf-8")
    add_cases(root, CASES, "/opt/smartshoe/current/bin/python -P /gate/cases.py")
    return root


def _debian() -> Path:
    """A minimal Debian with systemd, fetched once and cached."""

    def make(root: Path) -> None:
        bootstrap(DEBIAN, root, PACKAGES)

    words = "a minimal Debian once, about a minute"
    return cached("machine", (DEBIAN, PACKAGES), words, make)


def copy_sources(target: Path, version: str) -> Path:
    """The sources of the program in the folder `target`, under another version's number."""
    ignored = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "tests")
    shutil.copytree(ROOT, target, ignore=ignored)
    others = [f"deploy/distributions/{one}/pyproject.toml" for one in ("office", "hil")]
    for name in ("pyproject.toml", "controller/version.py", *others):
        text = (target / name).read_text(encoding="utf-8")
        (target / name).write_text(
            text.replace(f'"{VERSION}"', f'"{version}"', 1).replace(f"=={VERSION}", f"=={version}"),
            encoding="utf-8",
        )
    return target


def _make_wheels(source: Path, wheels: Path) -> None:
    """The program's wheel and those of what it needs, as deploy/README.md makes them."""
    wheels.mkdir(parents=True)
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    lock = str(ROOT / "requirements.lock")
    locked = ("--no-deps", "--require-hashes", "-r", lock)
    run_quietly((*pip, "wheel", *locked, "-w", str(wheels)))
    build = (sys.executable, "-m", "build", "--wheel", "--no-isolation")
    for place in (".", "deploy/distributions/hil"):
        run_quietly((*build, "--outdir", str(wheels), str(source / place)))


def _install_tree(root: Path, wheels: Path) -> str:
    """Make the tree of program and bench on the machine; returns its version."""
    (wheel,) = wheels.glob("smartshoe-*.whl")
    version = wheel.name.split("-")[1]
    inside = f"/{wheels.relative_to(root)}"
    _copy(DEPLOY / "make-tree", root / "opt/make-tree")
    run_quietly(("chroot", str(root), "sh", "/opt/make-tree", inside, version, "smartshoe-hil"))
    return version


def add_cases(root: Path, cases: Path, command: str) -> None:
    """A unit that runs a command once the machine is up, and writes what it prints.

    The cases lie in /gate/cases.py of the machine.
    """
    (root / "etc/fstab").write_text(MOUNTS, encoding="utf-8")
    _copy(cases, root / "gate/cases.py")
    unit = root / "etc/systemd/system/gate.service"
    unit.write_text(GATE_UNIT.format(command=command), encoding="utf-8")
    wants = root / "etc/systemd/system/multi-user.target.wants"
    wants.mkdir(parents=True, exist_ok=True)
    (wants / unit.name).symlink_to(f"/etc/systemd/system/{unit.name}")
    (root / "etc/systemd/system/default.target").symlink_to("/lib/systemd/system/multi-user.target")


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
