"""Builds the Debian packages of table, office and bench: locked wheels, units, papers.

The same sources give the same bytes. The network is needed here alone: the package needs none.
"""

import argparse
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parent))

import package_papers
from package_target import (
    MACHINES,
    PackageTarget,
    debian_of_this_machine,
    machine_architecture,
    package_files,
)
from package_wheels import (
    DISTRIBUTIONS,
    fetched_wheels,
    installed_site,
    leave_out,
    program_wheels,
    run,
)

from hil.gate.debian_root import ALONE, DEBIANS, TO_MAKE, Debian, plain_root, require_root
from hil.gate.kernel import GateUnable, require

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parents[1]
HOME: Final = "/usr/lib/smartshoe"
# In the table's folder of modules: names those of the others, and Python skips what is not there.
OTHERS: Final = "smartshoe-others.pth"
FACTS: Final = "package.json"
DOC: Final = "usr/share/doc/smartshoe"
TABLE: Final = "smartshoe"
# The shell looks for the Python that the package was made for, then hands this file to it.
LAUNCHER: Final = f"""\
#!/bin/sh
''':'
if [ -x {HOME}/bin/python3 ]; then exec {HOME}/bin/python3 "$0" "$@"; fi
. /etc/os-release
files=
for one in {HOME}*/{FACTS}; do
    one=${{{{one%/*}}}}
    files="$files ./${{{{one##*/}}}}_{{version}}+deb${{{{VERSION_ID:-NUMBER}}}}_{{arch}}.deb"
done
cat >&2 <<END
smartshoe: this package was made for Debian {{debian}}, and its {{interpreter}} is not here: this
machine is $PRETTY_NAME. Remedy: install what was made for it:
apt-get install$files
END
exit 4
'''
import sys
from {{module}} import main
if __name__ == "__main__":
    sys.exit(main())
"""
UNIT: Final = "smartshoe@.service"
UNIT_PROGRAM: Final = ("/opt/smartshoe/current/bin/smartshoe", f"{HOME}/bin/smartshoe")
# The example is a file beside anything; an installed table's state and socket are where its unit
# lets it write.
INSTALLED: Final = {
    '# folder = "journal"': 'folder = "/var/lib/smartshoe/M-12/journal"',
    '# socket = "control.sock"': 'socket = "/run/smartshoe/M-12.sock"',
}
# What is put down as it stands in deploy/; the second column is its place.
PLACES: Final = {
    "smartshoe.sysusers.conf": "usr/lib/sysusers.d/smartshoe.conf",
    "smartshoe.tmpfiles.conf": "usr/lib/tmpfiles.d/smartshoe.conf",
    "smartshoe-tables.conf": f"{DOC}/examples/smartshoe-tables.conf",
    "smartshoe.journald.conf": f"{DOC}/examples/smartshoe.journald.conf",
    "smartshoe.system.conf": f"{DOC}/examples/smartshoe.system.conf",
    "70-smartshoe.rules": f"{DOC}/examples/70-smartshoe.rules",
}
RULES: Final = "etc/udev/rules.d/70-smartshoe.rules"
# Lines of the example that name devices of no machine, or keep every other device away.
ONLY_EXAMPLES: Final = re.compile(r"^(?=.*(?:idVendor|gpiochip|authorized))(?!#)", re.MULTILINE)
EXAMPLE: Final = "etc/smartshoe/table.toml.example"
SCRIPTS: Final = ("preinst", "postinst", "prerm", "postrm")


def main() -> int:
    """Build the packages; prints what it does, and their paths as the last lines."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--arch", choices=sorted(MACHINES), default=machine_architecture())
    parser.add_argument(
        "--debian", type=int, choices=sorted(DEBIANS), default=debian_of_this_machine()
    )
    parser.add_argument("--out", type=Path, default=Path("dist"), help="folder of the packages")
    parser.add_argument("--source", type=Path, default=ROOT, help="the program's sources")
    given = parser.parse_args()
    target = PackageTarget(DEBIANS[given.debian], given.arch)
    source = given.source.resolve()
    os.umask(0o022)
    os.environ.setdefault("SOURCE_DATE_EPOCH", _commit_time(source))
    _say(f"packages for Debian {target.debian.number} on {target.arch}")
    try:
        compile_site = _compiler(target.debian)
        packages = build(source, target, given.out, compile_site)
    except GateUnable as unable:
        print(f"deb: {unable}", file=sys.stderr)
        return 2
    print(*packages, sep="\n")
    return 0


def build(
    source: Path, target: PackageTarget, out: Path, compile_site: "Compiler"
) -> tuple[Path, ...]:
    """The packages of these sources for one Debian and architecture, below `out`."""
    packages = {one: out / target.file_name(one, _version(source)) for one in DISTRIBUTIONS}
    wheels = fetched_wheels(source, target, _say)
    with tempfile.TemporaryDirectory(prefix="smartshoe-deb-") as work:
        stages = _staged(source, target, wheels, Path(work), compile_site)
        out.mkdir(parents=True, exist_ok=True)
        _say("packing")
        for name, package in packages.items():
            run("dpkg-deb", "--root-owner-group", "-Zxz", "--build", stages[name], package)
    return tuple(packages.values())


def _say(words: str) -> None:
    print(f"deb: {words}", flush=True)


def _staged(
    source: Path, target: PackageTarget, wheels: Path, work: Path, compile_site: "Compiler"
) -> dict[str, Path]:
    """The root folder of each package, below `work`."""
    _say("the program's wheels, and its environment")
    programs = program_wheels(source, work)
    papers = (*wheels.glob("*.whl"), *programs.values())
    stages = {name: work / "roots" / name for name in DISTRIBUTIONS}
    for name, stage in stages.items():
        site = stage / target.site(name)
        installed_site(site, target, wheels, programs[name])
        if name == TABLE:
            _put_environment(stage, target)
            _say("units, pages and papers")
            _put_files(stage, source)
        else:
            # The table's is always there.
            leave_out(site, stages[TABLE] / target.site(TABLE))
        _put_commands(stage, name, target, source)
        folder = stage / DOC.replace(TABLE, name)
        package_papers.write_papers(folder, name, site, source / DISTRIBUTIONS[name], papers)
    _say(f"compiling for {target.debian.interpreter}")
    for name, stage in stages.items():
        compile_site(stage, target.site(name))
        _write_control(stage, name, target, _version(source))
        _same_times(stage)
    return stages


def _version(source: Path) -> str:
    found = re.search(r'VERSION: Final = "(.+)"', (source / "controller/version.py").read_text())
    assert found is not None, "controller/version.py has no version"
    return found[1]


def _commit_time(source: Path) -> str:
    """The time of the newest commit, else of the newest change of what is released."""
    words = ("git", "-C", str(source), "log", "-1", "--format=%ct")
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.stdout.strip() or str(int((source / "CHANGELOG.md").stat().st_mtime))


def _put_environment(stage: Path, target: PackageTarget) -> None:
    """What `python3 -m venv` makes beside the libraries, for its place on the table's machine."""
    home = stage / HOME[1:]
    _write(home / "pyvenv.cfg", "home = /usr/bin\ninclude-system-site-packages = false\n")
    (home / "bin").mkdir()
    (home / "bin/python3").symlink_to(f"/usr/bin/{target.debian.interpreter}")
    others = (f"/{target.site(one)}\n" for one in DISTRIBUTIONS if one != TABLE)
    _write(stage / target.site(TABLE) / OTHERS, "".join(others))


def _put_commands(stage: Path, package: str, target: PackageTarget, source: Path) -> None:
    """The package's programs, and which file of it is right on which Debian."""
    version = _version(source)
    # `smartshoe doctor` reads it.
    facts = json.dumps(package_files(target, package, version), indent=1)
    home = stage / "usr/lib" / package
    _write(home / FACTS, f"{facts}\n")
    project = tomllib.loads((source / DISTRIBUTIONS[package] / "pyproject.toml").read_text())
    for name, place in project["project"].get("scripts", {}).items():
        launcher = LAUNCHER.format(
            module=place.removesuffix(":main"),
            debian=target.debian.number,
            interpreter=target.debian.interpreter,
            version=target.upstream(version),
            arch=target.arch,
        )
        _write(home / "bin" / name, launcher)
        (stage / "usr/bin").mkdir()
        (stage / "usr/bin" / name).symlink_to(f"../lib/{package}/bin/{name}")


def _put_files(stage: Path, source: Path) -> None:
    deploy = source / "deploy"
    for name, place in PLACES.items():
        text = (deploy / name).read_text(encoding="utf-8")
        _write(stage / place, text.replace(*UNIT_PROGRAM))
    for folder in ("prometheus", "alertmanager", "grafana"):
        shutil.copytree(deploy / folder, stage / DOC / "examples" / folder)
    unit = (deploy / UNIT).read_text(encoding="utf-8")
    assert UNIT_PROGRAM[0] in unit
    _write(stage / "lib/systemd/system" / UNIT, unit.replace(*UNIT_PROGRAM))
    rules = (deploy / "70-smartshoe.rules").read_text(encoding="utf-8")
    _write(stage / RULES, ONLY_EXAMPLES.sub("# ", rules))
    example = (sys.executable, "-P", "-m", "controller.cli.main", "check-config", "--example")
    environment = {**os.environ, "PYTHONPATH": str(source)}
    done = subprocess.run(example, cwd="/", env=environment, stdout=subprocess.PIPE, check=True)
    _write(stage / EXAMPLE, _installed_example(done.stdout.decode()))
    for page in sorted((source / "docs").glob("*.md")):
        _copy(page, stage / DOC / "docs" / page.name)
    # Of this clone, whatever is packed: a site needs all that its pages link to.
    run(sys.executable, ROOT / "docs/site/build.py", stage / DOC / "html")
    changes = gzip.compress((source / "CHANGELOG.md").read_bytes(), mtime=0)
    (stage / DOC / "changelog.gz").write_bytes(changes)


def _installed_example(text: str) -> str:
    for default, place in INSTALLED.items():
        assert text.count(f"\n{default}") == 1, f"the example has no line {default}"
        text = text.replace(f"\n{default}", f"\n{place}")
    return text


Compiler = Callable[[Path, str], None]


def _compiler(debian: Debian) -> Compiler:
    """What compiles every module: that Debian's Python here, else in a root of that Debian.

    Raises GateUnable, which says what is missing.
    """
    for python in (sys.executable, f"/usr/bin/{debian.interpreter}", debian.interpreter):
        if _is_version(python, debian):
            return lambda stage, site: _compile((python,), stage, stage, site)
    what = f"compiling for Debian {debian.number} without {debian.interpreter}"
    require_root(what)
    require(TO_MAKE, what)
    root = plain_root(debian)
    into = ("sh", "-c", 'mount --bind "$1" "$0/mnt" && shift && exec chroot "$0" "$@"', str(root))

    def compile_in_root(stage: Path, site: str) -> None:
        _compile((*ALONE, *into, str(stage), debian.interpreter), stage, Path("/mnt"), site)

    return compile_in_root


def _is_version(python: str, debian: Debian) -> bool:
    asked = (python, "-I", "-c", "import sys; print(*sys.version_info[:2])")
    try:
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
    except OSError:
        return False
    return done.stdout.split() == [str(one) for one in debian.python]


def _compile(python: tuple[str, ...], stage: Path, seen: Path, site: str) -> None:
    """Compile every module for its later place; a compiled file names no time.

    `seen` is the stage's folder as that Python sees it.
    """
    mode = ("--invalidation-mode", "unchecked-hash", "-s", seen, "-p", "/")
    # One at a time and with one seed: equal bytes each time.
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    run(*python, "-m", "compileall", "-q", *mode, seen / site, env=environment)
    assert any((stage / site).rglob("*.pyc")), "nothing was compiled"


def _write_control(stage: Path, package: str, target: PackageTarget, version: str) -> None:
    files = sorted(one for one in stage.rglob("*") if one.is_file() and not one.is_symlink())
    size = sum(-(-one.stat().st_size // 1024) for one in files)
    sums = [f"{_md5(one)}  {one.relative_to(stage)}" for one in files]
    paragraphs = (HERE / "control").read_text(encoding="utf-8").strip().split("\n\n")
    (control,) = (one for one in paragraphs if one.startswith(f"Package: {package}\n"))
    control = control.format(
        version=target.version(version), arch=target.arch, size=size, python=target.depends
    )
    debian = stage / "DEBIAN"
    _write(debian / "control", f"{control}\n")
    _write(debian / "md5sums", "".join(f"{one}\n" for one in sums))
    if package == TABLE:
        etc = sorted(one.relative_to(stage) for one in files if _is_conffile(stage, one))
        _write(debian / "conffiles", "".join(f"/{one}\n" for one in etc))
        for name in SCRIPTS:
            _copy(HERE / name, debian / name)


def _md5(file: Path) -> str:
    """The sum that dpkg keeps of each file; it shows damage, and proves nothing."""
    return hashlib.md5(file.read_bytes(), usedforsecurity=False).hexdigest()


def _is_conffile(stage: Path, file: Path) -> bool:
    return file.relative_to(stage).parts[0] == "etc"


def _same_times(stage: Path) -> None:
    """One time and plain modes for every file, so that two builds are equal."""
    at = int(os.environ["SOURCE_DATE_EPOCH"])
    programs = {*stage.glob("usr/lib/*/bin/*")}
    programs |= {stage / "DEBIAN" / name for name in SCRIPTS}
    for one in (stage, *stage.rglob("*")):
        if not one.is_symlink():
            one.chmod(0o755 if one.is_dir() or one in programs else 0o644)
        os.utime(one, (at, at), follow_symlinks=False)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _write(target: Path, text: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
