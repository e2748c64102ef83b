"""Builds the Debian package, looks at what is in it, and runs its program from an unpacked root."""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEBIAN = ROOT / "deploy" / "debian"
ROOMS = ("foundation", "firmware_bridge", "drivers", "controller", "office", "hil")
SCRIPTS = ("preinst", "postinst", "prerm", "postrm")
# Everything in the package lies below these.
FOLDERS = (
    "etc/smartshoe/",
    "etc/udev/rules.d/",
    "lib/systemd/system/",
    "usr/bin/smartshoe",
    "usr/lib/smartshoe/",
    "usr/lib/sysusers.d/",
    "usr/lib/tmpfiles.d/",
    "usr/share/doc/smartshoe/",
)
HELD = (
    "etc/smartshoe/table.toml.example",
    "etc/udev/rules.d/70-smartshoe.rules",
    "lib/systemd/system/smartshoe@.service",
    "usr/bin/smartshoe",
    "usr/lib/smartshoe/bin/smartshoe",
    "usr/lib/smartshoe/package.json",
    "usr/lib/smartshoe/pyvenv.cfg",
    "usr/lib/sysusers.d/smartshoe.conf",
    "usr/lib/tmpfiles.d/smartshoe.conf",
    "usr/share/doc/smartshoe/copyright",
    "usr/share/doc/smartshoe/docs/commissioning.md",
    "usr/share/doc/smartshoe/html/search/search_index.js",
    "usr/share/doc/smartshoe/html/commissioning.html",
    "usr/share/doc/smartshoe/smartshoe.cdx.json",
)
TABLE = """\
table = { name = "M-12" }
shoe = { port = "socket://127.0.0.1:4001" }
"""


def run(*command: str | Path, codes: tuple[int, ...] = (0,)) -> str:
    """Run a command without stdin; on failure exit with its whole output."""
    done = subprocess.run(
        [str(part) for part in command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "HOME": "/nonexistent"},
    )
    if done.returncode not in codes:
        sys.exit(f"{done.stdout}\ndeb: {' '.join(map(str, command))} ended {done.returncode}")
    return done.stdout


def require(holds: object, words: str) -> None:
    """Exit with these words unless it holds."""
    if not holds:
        sys.exit(f"deb: {words}")


def check_files(root: Path) -> None:
    files = [one.relative_to(root).as_posix() for one in root.rglob("*") if not one.is_dir()]
    strays = [one for one in files if not one.startswith(FOLDERS)]
    require(not strays, f"does not belong in it: {', '.join(strays)}")
    missing = [one for one in HELD if not (root / one).is_symlink() and not (root / one).is_file()]
    require(not missing, f"missing from it: {', '.join(missing)}")
    rules = (root / "etc/udev/rules.d/70-smartshoe.rules").read_text()
    active = [one for one in rules.splitlines() if one and not one.startswith("#")]
    acts = [one for one in active if re.search(r"idVendor|authorized|gpiochip", one)]
    require(active and not acts, f"the list of devices acts on devices: {acts}")
    unit = (root / "lib/systemd/system/smartshoe@.service").read_text()
    require("/opt/" not in unit, "the unit names a program that the package does not have")


def check_control(package: Path, root: Path, control: Path) -> None:
    for name in SCRIPTS:
        run("sh", "-n", control / name)
        require((control / name).stat().st_mode & 0o111, f"{name} cannot be run")
    conffiles = (control / "conffiles").read_text().split()
    etc = sorted(f"/{one.relative_to(root)}" for one in (root / "etc").rglob("*") if one.is_file())
    require(conffiles == etc, f"its configuration files are {conffiles}, not {etc}")
    depends = run("dpkg-deb", "-f", package, "Depends")
    for one in ("python3 (>= 3.", "python3 (<< 3.", "libusb-1.0-0", "libudev1"):
        require(one in depends, f"it does not depend on {one}")
    version = run("dpkg-deb", "-f", package, "Version").strip()
    require(re.search(r"\+deb\d+$", version), f"{version} names no Debian")
    require(f"_{version}_" in package.name, f"{package.name} does not name {version}")


def check_rooms(root: Path) -> None:
    """Every file of the program is the sources', byte for byte: its build has one name."""
    site = site_of(root)
    files = [one for room in ROOMS for one in (site / room).rglob("*") if one.is_file()]
    own = [one for one in files if one.suffix != ".pyc"]
    require(len(own) > len(ROOMS), "the program is not in it")
    for one in own:
        source = ROOT / one.relative_to(site)
        require(source.read_bytes() == one.read_bytes(), f"{source} is another in it")


def site_of(root: Path) -> Path:
    (site,) = root.glob("usr/lib/smartshoe/lib/python3.*/site-packages")
    return site


def check_papers(root: Path) -> None:
    folder = root / "usr/share/doc/smartshoe"
    site = site_of(root)
    inside = {one.name.partition("-")[0] for one in site.glob("*.dist-info")}
    bill = json.loads((folder / "smartshoe.cdx.json").read_text())
    components = bill["components"]
    require(len(components) == len(inside) - 1, "its bill names other things than it holds")
    for one in components:
        require(one.get("hashes"), f"{one['name']} has no hash in the bill")
        require(one.get("licenses"), f"{one['name']} has no licence in the bill")
    (compiled,) = (one for one in components if one["name"] == "cryptography")
    inside_it = {one["name"] for one in compiled.get("components", [])}
    require("openssl" in inside_it, "its bill leaves out what is compiled into cryptography")
    licences = (folder / "copyright").read_text()
    texts = len(re.findall(r"^--- ", licences, re.MULTILINE))
    require(texts >= len(components), "a licence has no text")
    require("\n--- edl-v10\n" in licences, "a licence that another one names has no text")
    for one in components:
        require(f"\n{one['name']} {one['version']}\n" in licences, f"no licence of {one['name']}")
    require("not stated" not in licences, "a licence is not stated")


def check_program(root: Path, work: Path, version: str) -> None:
    home = root / "usr/lib/smartshoe/bin"
    program = (home / "python3", home / "smartshoe")
    require(version in run(*program, "--version"), "it is another version than the sources")
    table = work / "M-12.toml"
    table.write_text(TABLE)
    require("M-12" in run(*program, "check-config", table), "check-config shows no table")
    require("M-12" in run(*program, "doctor", table, codes=(0, 1)), "doctor shows no table")
    run(*program, "doctor", "--between-shoes", table)
    compiled = list((root / "usr/lib/smartshoe").rglob("__pycache__/*.pyc"))
    require(compiled, "nothing is compiled")
    require(str(ROOT).encode() not in compiled[0].read_bytes(), "it names the folder it is from")


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="smartshoe-deb-") as folder:
        work = Path(folder)
        built = run(sys.executable, DEBIAN / "build_package.py", "--out", work)
        package = Path(built.splitlines()[-1])
        root, control = work / "root", work / "control"
        run("dpkg-deb", "-x", package, root)
        run("dpkg-deb", "-e", package, control)
        check_files(root)
        check_control(package, root, control)
        check_rooms(root)
        check_papers(root)
        found = re.search(
            r'"(.+)"', (ROOT / "controller/version.py").read_text().split("VERSION")[1]
        )
        require(found, "controller/version.py has no version")
        assert found is not None
        check_program(root, work, found[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
