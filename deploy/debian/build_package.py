"""Builds the Debian package: the program's own environment of locked wheels, units, papers.

The same sources give the same bytes. The network is needed here alone: the package needs none.
Source: deploy/debian/README.md.
"""

import argparse
import contextlib
import fcntl
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parent))

import package_papers

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parents[1]
# Debian 12's Python; what it compiled is read by no other version.
PYTHON: Final = (3, 11)
SITE: Final = "usr/lib/smartshoe/lib/python3.11/site-packages"
HOME: Final = "/usr/lib/smartshoe"
DOC: Final = "usr/share/doc/smartshoe"
# Debian 12 has glibc 2.36: a wheel may ask for that of 2.34 at most.
MANYLINUX: Final = ("2_5", "2_12", "2_17", "2_28", "2_34")
MACHINES: Final[Mapping[str, str]] = {"amd64": "x86_64", "arm64": "aarch64"}
# It has no wheel; it is pure, with an extension that is left out where no compiler is found.
BUILT_PURE: Final = ("cobs",)
COMMANDS: Final = {"smartshoe": "controller.cli.main", "smartshoe-hil": "hil.cli"}
LAUNCHER: Final = f"""\
#!{HOME}/bin/python3
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
    """Build the package; prints its path."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--arch", choices=sorted(MACHINES), default=_own_arch())
    parser.add_argument("--out", type=Path, default=Path("dist"), help="folder of the package")
    parser.add_argument("--source", type=Path, default=ROOT, help="the program's sources")
    given = parser.parse_args()
    if sys.version_info[:2] != PYTHON:
        print("deb: it is built with Debian 12's Python 3.11. Remedy: PYTHON=python3.11")
        return 2
    os.umask(0o022)
    os.environ.setdefault("SOURCE_DATE_EPOCH", _commit_time(given.source))
    print(build(given.source.resolve(), given.arch, given.out))
    return 0


def build(source: Path, arch: str, out: Path) -> Path:
    """The package of these sources for one architecture, below `out`."""
    version = _version(source)
    with _alone(arch):
        wheels = _wheels(source, arch)
    with tempfile.TemporaryDirectory(prefix="smartshoe-deb-") as name:
        stage = _stage(source, arch, wheels, Path(name))
        out.mkdir(parents=True, exist_ok=True)
        _say("packing")
        package = out / f"smartshoe_{debian_version(version)}_{arch}.deb"
        _run("dpkg-deb", "--root-owner-group", "-Zxz", "--build", stage, package)
    return package


def _say(step: str) -> None:
    """Each step of some minutes; the package's path alone is the output."""
    print(f"deb: {step}", file=sys.stderr, flush=True)


def _stage(source: Path, arch: str, wheels: Path, work: Path) -> Path:
    """The root folder that is packed, below `work`."""
    stage = work / "root"
    stage.mkdir()
    _say("building the program, installing it into its environment, compiling it")
    program = _program_wheel(source, work)
    _install_environment(stage, arch, wheels, program)
    _put_files(stage, source)
    package_papers.write_papers(stage, SITE, DOC, source, (*wheels.glob("*.whl"), program))
    _compile(stage)
    _write_control(stage, arch, debian_version(_version(source)))
    _same_times(stage)
    return stage


def debian_version(version: str) -> str:
    """A version of Python's as one of Debian's that sorts alike: 0.8.0.dev0 is 0.8.0~dev0."""
    return re.sub(r"\.?(dev|a|b|rc)(\d+)", r"~\1\2", version)


def _version(source: Path) -> str:
    found = re.search(r'VERSION: Final = "(.+)"', (source / "controller/version.py").read_text())
    assert found is not None, "controller/version.py has no version"
    return found[1]


def _own_arch() -> str:
    machine = os.uname().machine
    return next((arch for arch, name in MACHINES.items() if name == machine), "amd64")


def _commit_time(source: Path) -> str:
    """The time of the newest commit, else of the newest change of what is released."""
    words = ("git", "-C", str(source), "log", "-1", "--format=%ct")
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.stdout.strip() or str(int((source / "CHANGELOG.md").stat().st_mtime))


def _platform(arch: str) -> tuple[str, ...]:
    names = [f"manylinux_{one}_{MACHINES[arch]}" for one in MANYLINUX]
    old = [f"manylinux{year}_{MACHINES[arch]}" for year in ("1", "2010", "2014")]
    platforms = (f"--platform={one}" for one in (*names, *old))
    return ("--python-version=3.11", "--implementation=cp", *platforms)


@contextlib.contextmanager
def _alone(arch: str) -> Iterator[None]:
    """Two builds at once do not both fetch: the second finds what the first has fetched."""
    folder = ROOT / "build" / "debian" / arch
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _wheels(source: Path, arch: str) -> Path:
    """A folder with every wheel of the lock, fetched by hash; kept until the lock changes."""
    lock = (source / "requirements.lock").read_text(encoding="utf-8")
    digest = hashlib.sha256(lock.encode()).hexdigest()[:16]
    folder = ROOT / "build" / "debian" / arch / f"wheels-{digest}"
    if folder.is_dir():
        return folder
    part = folder.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    pins = [one for one in lock.replace(" \\\n", " ").splitlines() if one and one[0] not in "# "]
    pure = [one for one in pins if one.partition("==")[0] in BUILT_PURE]
    assert len(pure) == len(BUILT_PURE), "the lock does not pin what is built here"
    chosen, built = part / "lock.txt", part / "pure.txt"
    chosen.write_text("\n".join(one for one in pins if one not in pure))
    built.write_text("\n".join(pure))
    only = ("--only-binary=:all:", *_platform(arch))
    _say(f"fetching {len(chosen.read_text().splitlines())} libraries of the lock for {arch}")
    _pip("download", "--require-hashes", "--no-deps", *only, "-r", chosen, "-d", part)
    wheel = ("wheel", "--require-hashes", "--no-deps", "--no-binary=:all:")
    _pip(*wheel, "-r", built, "-w", part, CC="/bin/false")
    chosen.unlink()
    built.unlink()
    part.rename(folder)
    return folder


def _program_wheel(source: Path, work: Path) -> Path:
    build_it = (sys.executable, "-m", "build", "--wheel", "--no-isolation")
    _run(*build_it, "--outdir", work, source)
    (wheel,) = work.glob("smartshoe-*.whl")
    return wheel


def _install_environment(stage: Path, arch: str, wheels: Path, program: Path) -> None:
    """An environment as `python3 -m venv` makes it, for its place on the table's machine."""
    site, home = stage / SITE, stage / HOME[1:]
    offline = ("--no-index", "--no-compile", "--find-links", wheels)
    platform = ("--only-binary=:all:", *_platform(arch))
    _pip("install", *offline, *platform, "--target", site, program)
    shutil.rmtree(site / "bin", ignore_errors=True)
    for record in site.glob("*.dist-info/RECORD"):
        # Not: programs, which are others here, and the place of the wheel on this machine.
        lines = record.read_text().splitlines()
        kept = [x for x in lines if not x.startswith(("../", "bin/")) and "direct_url" not in x]
        record.write_text("".join(f"{line}\n" for line in sorted(kept)))
    for found in site.glob("*.dist-info/direct_url.json"):
        found.unlink()  # it names a folder of this machine
    (home / "bin").mkdir()
    (home / "pyvenv.cfg").write_text("home = /usr/bin\ninclude-system-site-packages = false\n")
    (home / "bin/python3").symlink_to("/usr/bin/python3.11")
    (stage / "usr/bin").mkdir()
    for name, module in COMMANDS.items():
        launcher = home / "bin" / name
        launcher.write_text(LAUNCHER.format(module=module))
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
    _run(sys.executable, ROOT / "docs/site/build.py", stage / DOC / "html")
    changes = gzip.compress((source / "CHANGELOG.md").read_bytes(), mtime=0)
    (stage / DOC / "changelog.gz").write_bytes(changes)


def _installed_example(text: str) -> str:
    for default, place in INSTALLED.items():
        assert text.count(f"\n{default}") == 1, f"the example has no line {default}"
        text = text.replace(f"\n{default}", f"\n{place}")
    return text


def _compile(stage: Path) -> None:
    """Compile every module for its later place; a compiled file names no time."""
    mode = ("--invalidation-mode", "unchecked-hash", "-s", stage, "-p", "/")
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    _run(sys.executable, "-m", "compileall", "-q", *mode, stage / SITE, env=environment)


def _write_control(stage: Path, arch: str, version: str) -> None:
    files = sorted(one for one in stage.rglob("*") if one.is_file() and not one.is_symlink())
    size = sum(-(-one.stat().st_size // 1024) for one in files)
    sums = [f"{_md5(one)}  {one.relative_to(stage)}" for one in files]
    control = (HERE / "control").read_text(encoding="utf-8")
    control = control.format(version=version, arch=arch, size=size)
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


def _pip(*words: str | Path, **variables: str) -> None:
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    _run(*pip, *words, env={**os.environ, **variables})


def _run(*words: str | Path, env: Mapping[str, str] | None = None) -> None:
    """Run a command; what it prints is shown only if it fails."""
    command = [str(one) for one in words]
    done = subprocess.run(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    if done.returncode:
        sys.exit(f"{done.stdout.decode(errors='replace')}\ndeb: {' '.join(command[:4])} failed")


if __name__ == "__main__":
    sys.exit(main())
