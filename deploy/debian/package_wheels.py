"""The wheels inside the packages: fetched by the lock's hashes, kept until it changes, unpacked.

Source: pip's manual, "Repeatable installs".
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from package_target import PackageTarget

ROOT: Final = Path(__file__).resolve().parents[2]
KEPT: Final = ROOT / "build" / "debian"
# It has no wheel; it is pure, with an extension that is left out where no compiler is found.
BUILT_PURE: Final = ("cobs",)
# By the name of its package, the folder that each is built from; the table's is the first.
DISTRIBUTIONS: Final = {
    "smartshoe": ".",
    "smartshoe-office": "deploy/distributions/office",
    "smartshoe-hil": "deploy/distributions/hil",
}


def fetched_wheels(source: Path, target: PackageTarget, say: Callable[[str], None]) -> Path:
    """A folder with every wheel of the lock, fetched by hash; kept until the lock changes."""
    lock = (source / "requirements.lock").read_text(encoding="utf-8")
    digest = hashlib.sha256(lock.encode()).hexdigest()[:16]
    name = f"deb{target.debian.number}-{target.arch}"
    with _alone(KEPT / name) as kept:
        folder = kept / f"wheels-{digest}"
        if not folder.is_dir():
            part = folder.with_suffix(".part")
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir(parents=True)
            _fetch(lock, target, part, say)
            part.rename(folder)
    return folder


@contextmanager
def _alone(folder: Path) -> Iterator[Path]:
    """Two builds at once do not both fetch: the second finds what the first has fetched."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield folder


def _fetch(lock: str, target: PackageTarget, part: Path, say: Callable[[str], None]) -> None:
    pins = [one for one in lock.replace(" \\\n", " ").splitlines() if one and one[0] not in "# "]
    pure = [one for one in pins if one.partition("==")[0] in BUILT_PURE]
    assert len(pure) == len(BUILT_PURE), "the lock does not pin what is built here"
    chosen, built = part / "lock.txt", part / "pure.txt"
    chosen.write_text("\n".join(one for one in pins if one not in pure))
    built.write_text("\n".join(pure))
    say(f"fetching {len(pins)} locked libraries")
    download = ("download", "--require-hashes", "--no-deps", *target.pip_words())
    for line in _pip_lines(*download, "-r", chosen, "-d", part):
        if line.startswith("Collecting "):
            say(f"  {line.split()[1].partition('==')[0]}")
    wheel = ("wheel", "--require-hashes", "--no-deps", "--no-binary=:all:")
    pip(*wheel, "-r", built, "-w", part, CC="/bin/false")
    chosen.unlink()
    built.unlink()


def program_wheels(source: Path, work: Path) -> dict[str, Path]:
    """The wheel of each package of these sources, made in the folder `work`."""
    build_it = (sys.executable, "-m", "build", "--wheel", "--no-isolation")
    for place in DISTRIBUTIONS.values():
        run(*build_it, "--outdir", work, source / place)
    return {name: next(work.glob(f"{name.replace('-', '_')}-*.whl")) for name in DISTRIBUTIONS}


def installed_site(site: Path, target: PackageTarget, wheels: Path, program: Path) -> None:
    """A program's wheel and all that it needs in the folder `site`, with nothing of this machine.

    Libraries are taken from the folder `wheels`, other programs from beside the program's wheel.
    """
    offline = ("--no-index", "--no-compile", "--find-links", wheels, "--find-links", program.parent)
    # A package has no extras: what a key in a token needs is always there.
    named = f"{program}[pkcs11]" if program.name.startswith("smartshoe-") else program
    pip("install", *offline, *target.pip_words(), "--target", site, named)
    shutil.rmtree(site / "bin", ignore_errors=True)
    for record in site.glob("*.dist-info/RECORD"):
        # Not: programs, which are others here, and the place of the wheel on this machine.
        lines = record.read_text().splitlines()
        kept = [x for x in lines if not x.startswith(("../", "bin/")) and "direct_url" not in x]
        record.write_text("".join(f"{line}\n" for line in sorted(kept)))
    for found in site.glob("*.dist-info/direct_url.json"):
        found.unlink()  # it names a folder of this machine


def leave_out(site: Path, other: Path) -> None:
    """Remove from the folder `site` every file that the folder `other` has, too."""
    for file in [one for one in site.rglob("*") if one.is_file()]:
        if (other / file.relative_to(site)).exists():
            file.unlink()
    for folder in sorted((one for one in site.rglob("*") if one.is_dir()), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()


def pip(*words: str | Path, **variables: str) -> None:
    """Run pip quietly, with these variables."""
    run(*_PIP, "--quiet", *words, env={**os.environ, **variables})


_PIP: Final = (sys.executable, "-m", "pip", "--disable-pip-version-check")


def _pip_lines(*words: str | Path) -> Iterator[str]:
    """What pip prints, line by line; exits with all of it if pip fails."""
    lines = []
    command = [*_PIP, *map(str, words), "--progress-bar=off"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            yield line
    if process.returncode:
        sys.exit(f"{''.join(lines)}\ndeb: {' '.join(command[:4])} failed")


def run(*words: str | Path, env: Mapping[str, str] | None = None) -> None:
    """Run a command; what it prints is shown only if it fails."""
    command = [str(one) for one in words]
    done = subprocess.run(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    if done.returncode:
        sys.exit(f"{done.stdout.decode(errors='replace')}\ndeb: {' '.join(command[:4])} failed")
