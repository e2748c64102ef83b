"""Builds the Debian packages, looks at what is in each, and runs their programs from a root.

The table's alone says which other one brings a command; then the others are unpacked beside it.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path

from smoke import DISTRIBUTIONS

ROOT = Path(__file__).resolve().parents[2]
DEBIAN = ROOT / "deploy" / "debian"
# The program's own import packages in each Debian package, and what is in none.
ROOMS = {name.replace("_", "-"): one.packages for name, one in DISTRIBUTIONS.items()}
# The package that each of them belongs in, and each distribution's own metadata.
OWNERS = {room: name for name, rooms in ROOMS.items() for room in rooms}
OWNERS |= {name.replace("-", "_"): name for name in ROOMS}
LEFT_OUT = tuple(f"{folder}/" for one in DISTRIBUTIONS.values() for folder in one.left_out)
SCRIPTS = ("preinst", "postinst", "prerm", "postrm")
# A file of the environment, and the import package or distribution that it is of.
SITE = re.compile(
    r"usr/lib/smartshoe(?:-\w+)?/lib/python3\.\d+/site-packages/"
    r"((?P<owner>[^/-]+)(?P<metadata>-[^/]+\.dist-info)?(?:/.*)?)"
)
# Everything in a package lies below these.
FOLDERS = (
    "etc/smartshoe/",
    "etc/udev/rules.d/",
    "lib/systemd/system/",
    "usr/bin/",
    "usr/lib/smartshoe",
    "usr/lib/sysusers.d/",
    "usr/lib/tmpfiles.d/",
    "usr/share/doc/",
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
HELD_BY_OTHERS = {
    "smartshoe-office": (
        "usr/lib/smartshoe-office/package.json",
        "usr/share/doc/smartshoe-office/copyright",
        "usr/share/doc/smartshoe-office/smartshoe-office.cdx.json",
    ),
    "smartshoe-hil": (
        "usr/bin/smartshoe-hil",
        "usr/lib/smartshoe-hil/bin/smartshoe-hil",
        "usr/lib/smartshoe-hil/package.json",
        "usr/share/doc/smartshoe-hil/copyright",
        "usr/share/doc/smartshoe-hil/smartshoe-hil.cdx.json",
    ),
}
# Without their package: each ends with 2, and names it.
MISSING = ("audit journal", "evidence 1/1 journal --out coup.zip", "report day newest journal")
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


def files_of(root: Path) -> set[str]:
    """The names of all files, as dpkg knows them."""
    paths = (one for one in root.rglob("*") if one.is_symlink() or not one.is_dir())
    return {one.relative_to(root).as_posix() for one in paths}


def twice(packages: Mapping[str, Collection[str]]) -> list[str]:
    """Files that are in more than one package: Debian installs one of them alone."""
    counts = Counter(file for files in packages.values() for file in files)
    return sorted(file for file, count in counts.items() if count > 1)


def misplaced(packages: Mapping[str, Collection[str]]) -> list[str]:
    """Files of table, office or bench that are in the package of another one, or belong in none."""
    return sorted(
        f"{name}: {found[1]}"
        for name, files in packages.items()
        for found in map(SITE.fullmatch, files)
        if found
        if OWNERS.get(found["owner"], name) != name
        or found[1].startswith(LEFT_OUT)
        # What comes into the table's folder while it runs, `smartshoe doctor` takes for a change.
        or not found[0].startswith(f"usr/lib/{name}/")
    )


def libraries(files: Collection[str]) -> set[str]:
    """The distributions of others in a package, by the names of their metadata's folders."""
    found = (one["owner"] for one in map(SITE.fullmatch, files) if one and one["metadata"])
    return set(found) - OWNERS.keys()


def check_split(roots: Mapping[str, Path]) -> None:
    packages = {name: files_of(root) for name, root in roots.items()}
    require(set(packages) == set(ROOMS), f"the packages are {', '.join(packages)}")
    require(not (found := twice(packages)), f"in two packages: {', '.join(found)}")
    require(not (found := misplaced(packages)), f"in a wrong package: {', '.join(found)}")
    for name, rooms in ROOMS.items():
        site = site_of(roots[name])
        missing = [one for one in rooms if not (site / one / "__init__.py").is_file()]
        require(not missing, f"missing from {name}: {', '.join(missing)}")
        held = HELD_BY_OTHERS.get(name, HELD)
        missing = [one for one in held if one not in packages[name]]
        require(not missing, f"missing from {name}: {', '.join(missing)}")
    for name, files in packages.items():
        count = len(libraries(files))
        print(f"deb: {name}: {len(files)} files, {count} libraries of others")


def check_files(root: Path) -> None:
    strays = [one for one in files_of(root) if not one.startswith(FOLDERS)]
    require(not strays, f"does not belong in it: {', '.join(strays)}")


def check_table_files(root: Path) -> None:
    rules = (root / "etc/udev/rules.d/70-smartshoe.rules").read_text()
    active = [one for one in rules.splitlines() if one and not one.startswith("#")]
    acts = [one for one in active if re.search(r"idVendor|authorized|gpiochip", one)]
    require(active and not acts, f"the list of devices acts on devices: {acts}")
    unit = (root / "lib/systemd/system/smartshoe@.service").read_text()
    require("/opt/" not in unit, "the unit names a program that the package does not have")


def check_control(package: Path, root: Path, control: Path) -> None:
    version = run("dpkg-deb", "-f", package, "Version").strip()
    require(re.search(r"\+deb\d+$", version), f"{version} names no Debian")
    require(f"_{version}_" in package.name, f"{package.name} does not name {version}")
    if not package.name.startswith("smartshoe_"):
        # Its equal of the table's is installed before it is unpacked: that one asks for open shoes.
        needs = run("dpkg-deb", "-f", package, "Pre-Depends").strip()
        require(needs == f"smartshoe (= {version})", f"{package.name} needs {needs!r}")
        return
    for name in SCRIPTS:
        run("sh", "-n", control / name)
        require((control / name).stat().st_mode & 0o111, f"{name} cannot be run")
    conffiles = (control / "conffiles").read_text().split()
    etc = sorted(f"/{one.relative_to(root)}" for one in (root / "etc").rglob("*") if one.is_file())
    require(conffiles == etc, f"its configuration files are {conffiles}, not {etc}")
    depends = run("dpkg-deb", "-f", package, "Depends")
    for one in ("python3 (>= 3.", "python3 (<< 3.", "libusb-1.0-0", "libudev1"):
        require(one in depends, f"it does not depend on {one}")


def check_rooms(name: str, root: Path) -> None:
    """Every file of the program is the sources', byte for byte: its build has one name."""
    site = site_of(root)
    files = [one for room in ROOMS[name] for one in (site / room).rglob("*") if one.is_file()]
    for one in (one for one in files if one.suffix != ".pyc"):
        source = ROOT / one.relative_to(site)
        require(source.read_bytes() == one.read_bytes(), f"{source} is another in it")


def site_of(root: Path) -> Path:
    (site,) = root.glob("usr/lib/*/lib/python3.*/site-packages")
    return site


def check_papers(name: str, root: Path) -> None:
    folder = root / "usr/share/doc" / name
    bill = json.loads((folder / f"{name}.cdx.json").read_text())
    require(bill["metadata"]["component"]["name"] == name, "its bill is another package's")
    components = bill["components"]
    inside = libraries(files_of(root))
    require(len(components) == len(inside), f"{name}'s bill names other things than it holds")
    for one in (bill["metadata"]["component"], *components):
        require(one.get("hashes"), f"{one['name']} has no hash in the bill")
        require(one.get("licenses"), f"{one['name']} has no licence in the bill")
    licences = (folder / "copyright").read_text()
    texts = len(re.findall(r"^--- ", licences, re.MULTILINE))
    require(texts >= len(components), "a licence has no text")
    for one in components:
        require(f"\n{one['name']} {one['version']}\n" in licences, f"no licence of {one['name']}")
    require("not stated" not in licences, "a licence is not stated")
    if name == "smartshoe":
        (compiled,) = (one for one in components if one["name"] == "cryptography")
        inside_it = {one["name"] for one in compiled.get("components", [])}
        require("openssl" in inside_it, "its bill leaves out what is compiled into cryptography")
        require("\n--- edl-v10\n" in licences, "a licence that another one names has no text")


def check_program(roots: Mapping[str, Path], work: Path, version: str) -> None:
    root = roots["smartshoe"]
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
    for words in MISSING:
        said = run(*program, *words.split(), codes=(2,))
        require("smartshoe-office brings it" in said, f"{words} names no package: {said}")
    (others,) = site_of(root).glob("*.pth")
    # Their places on a machine, as this root has them.
    paths = "".join(f"{root}{line}\n" for line in others.read_text().splitlines())
    others.write_text(paths)
    for one in ("smartshoe-office", "smartshoe-hil"):
        run("cp", "-a", f"{roots[one]}/.", root)
    for words in MISSING:
        run(*program, words.split()[0], "--help")
    run(home / "python3", root / "usr/lib/smartshoe-hil/bin/smartshoe-hil", "--help")


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="smartshoe-deb-") as folder:
        work = Path(folder)
        built = run(sys.executable, DEBIAN / "build_package.py", "--out", work)
        roots = {}
        for package in map(Path, built.splitlines()[-len(ROOMS) :]):
            name = package.name.partition("_")[0]
            roots[name], control = work / "roots" / name, work / "control" / name
            roots[name].mkdir(parents=True)
            control.parent.mkdir(exist_ok=True)
            run("dpkg-deb", "-x", package, roots[name])
            run("dpkg-deb", "-e", package, control)
            check_files(roots[name])
            check_control(package, roots[name], control)
            check_rooms(name, roots[name])
            check_papers(name, roots[name])
        check_split(roots)
        check_table_files(roots["smartshoe"])
        found = re.search(
            r'"(.+)"', (ROOT / "controller/version.py").read_text().split("VERSION")[1]
        )
        require(found, "controller/version.py has no version")
        assert found is not None
        check_program(roots, work, found[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
