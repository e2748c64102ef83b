"""Builds a Debian package: the program's own environment of locked wheels, units, papers.

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
from package_wheels import fetched_wheels, installed_site, program_wheels, run

from hil.gate.debian_root import ALONE, DEBIANS, TO_MAKE, Debian, plain_root, require_root
from hil.gate.kernel import GateUnable, require

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parents[1]
HOME: Final = "/usr/lib/smartshoe"
DOC: Final = "usr/share/doc/smartshoe"
COMMANDS: Final = {"smartshoe": "controller.cli.main", "smartshoe-hil": "hil.cli"}
# The shell looks for the Python that the package was made for, then hands this file to it.
LAUNCHER: Final = f"""\
#!/bin/sh
''':'
if [ -x {HOME}/bin/python3 ]; then exec {HOME}/bin/python3 "$0" "$@"; fi
. /etc/os-release
cat >&2 <<END
smartshoe: this package was made for Debian {{debian}}, and its {{interpreter}} is not here: this
machine is $PRETTY_NAME. Remedy: install the package that was made for it:
apt-get install ./smartshoe_{{version}}+deb${{{{VERSION_ID:-NUMBER}}}}_{{arch}}.deb
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
    """Build the package; prints what it does, and its path as the last line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--arch", choices=sorted(MACHINES), default=machine_architecture())
    parser.add_argument(
        "--debian", type=int, choices=sorted(DEBIANS), default=debian_of_this_machine()
    )
    parser.add_argument("--out", type=Path, default=Path("dist"), help="folder of the package")
    parser.add_argument("--source", type=Path, default=ROOT, help="the program's sources")
    given = parser.parse_args()
    target = PackageTarget(DEBIANS[given.debian], given.arch)
    source = given.source.resolve()
    os.umask(0o022)
    os.environ.setdefault("SOURCE_DATE_EPOCH", _commit_time(source))
    _say(f"a package for Debian {target.debian.number} on {target.arch}")
    try:
        compile_site = _compiler(target.debian)
        package = build(source, target, given.out, compile_site)
    except GateUnable as unable:
        print(f"deb: {unable}", file=sys.stderr)
        return 2
    print(package)
    return 0


def build(source: Path, target: PackageTarget, out: Path, compile_site: "Compiler") -> Path:
    """The package of these sources for one Debian and architecture, below `out`."""
    package = out / target.file_name(_version(source))
    wheels = fetched_wheels(source, target, _say)
    with tempfile.TemporaryDirectory(prefix="smartshoe-deb-") as name:
        stage = _stage(source, target, wheels, Path(name), compile_site)
        out.mkdir(parents=True, exist_ok=True)
        _say("packing")
        run("dpkg-deb", "--root-owner-group", "-Zxz", "--build", stage, package)
    return package


def _say(words: str) -> None:
    print(f"deb: {words}", flush=True)


def _stage(
    source: Path, target: PackageTarget, wheels: Path, work: Path, compile_site: "Compiler"
) -> Path:
    """The root folder that is packed, below `work`."""
    stage = work / "root"
    stage.mkdir()
    _say("the program's wheels, and its environment")
    programs = program_wheels(source, work)
    installed_site(stage / target.site, target, wheels, programs)
    _put_environment(stage, target, _version(source))
    _say("units, pages and papers")
    _put_files(stage, source)
    papers = (*wheels.glob("*.whl"), *programs)
    package_papers.write_papers(stage, target.site, DOC, source, papers)
    _say(f"compiling for {target.debian.interpreter}")
    compile_site(stage, target.site)
    _write_control(stage, target, _version(source))
    _same_times(stage)
    return stage


def _version(source: Path) -> str:
    found = re.search(r'VERSION: Final = "(.+)"', (source / "controller/version.py").read_text())
    assert found is not None, "controller/version.py has no version"
    return found[1]


def _commit_time(source: Path) -> str:
    """The time of the newest commit, else of the newest change of what is released."""
    words = ("git", "-C", str(source), "log", "-1", "--format=%ct")
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.stdout.strip() or str(int((source / "CHANGELOG.md").stat().st_mtime))


def _put_environment(stage: Path, target: PackageTarget, version: str) -> None:
    """What `python3 -m venv` makes beside the libraries, for its place on the table's machine."""
    home = stage / HOME[1:]
    (home / "bin").mkdir()
    (home / "pyvenv.cfg").write_text("home = /usr/bin\ninclude-system-site-packages = false\n")
    (home / "bin/python3").symlink_to(f"/usr/bin/{target.debian.interpreter}")
    # `smartshoe doctor` reads which package would be right on another Debian.
    _write(home / "package.json", f"{json.dumps(package_files(target, version), indent=1)}\n")
    (stage / "usr/bin").mkdir()
    for name, module in COMMANDS.items():
        launcher = LAUNCHER.format(
            module=module,
            debian=target.debian.number,
            interpreter=target.debian.interpreter,
            version=target.upstream(version),
            arch=target.arch,
        )
        (home / "bin" / name).write_text(launcher)
        (stage / "usr/bin" / name).symlink_to(f"../lib/smartshoe/bin/{name}")


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


def _write_control(stage: Path, target: PackageTarget, version: str) -> None:
    files = sorted(one for one in stage.rglob("*") if one.is_file() and not one.is_symlink())
    size = sum(-(-one.stat().st_size // 1024) for one in files)
    sums = [f"{_md5(one)}  {one.relative_to(stage)}" for one in files]
    control = (HERE / "control").read_text(encoding="utf-8")
    control = control.format(
        version=target.version(version), arch=target.arch, size=size, python=target.depends
    )
    debian = stage / "DEBIAN"
    _write(debian / "control", control)
    _write(debian / "md5sums", "".join(f"{one}\n" for one in sums))
    conffiles = sorted(f"/{one.relative_to(stage)}\n" for one in files if _is_conffile(stage, one))
    _write(debian / "conffiles", "".join(conffiles))
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
    programs = {stage / HOME[1:] / "bin" / name for name in COMMANDS}
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
