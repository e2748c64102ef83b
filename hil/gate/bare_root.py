"""README and the tests that need nothing, on a Debian with nothing but README's packages.

What no hook of the tests can see, such as a program that a shell starts, or a library that is
loaded, is absent there. Resolver, certificates and settings of pip are those of this machine.
Source: tests/needs/needs.toml.
"""

import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Final

from hil.gate.clone_in_root import command_inside, copy_clone, copy_settings
from hil.gate.debian_root import DEBIANS, plain_root, require_root, run_quietly
from hil.gate.kernel import cache_folder

TESTER: Final = "tester"
ROOT: Final = "root"
JOBS: Final = os.environ.get("JOBS", str(max(3, os.cpu_count() or 1)))
README: Final = """\
set -e
make demo
make .venv/.installed-test
.venv/bin/python tests/examples/run_page.py README.md
echo "bare: README's commands passed ($SECONDS s)"
"""
TEST: Final = 'make test JOBS="$1" ARGS="$2"\n'


def run_bare(which: str = "") -> bool:
    """Whether README's commands end green for each account of both, and `make test` on 12.

    `which`: some rooms. Root on Debian 13 is hil.gate.debian13's. Raises GateUnable.
    """
    return all(
        (
            play_bare(12, TESTER, README + TEST, which),
            play_bare(12, ROOT, README),
            play_bare(13, TESTER, README),
        )
    )


def play_bare(debian: int, account: str, script: str, which: str = "") -> bool:
    """Whether bash plays the script in a clone below the account's home. Raises GateUnable."""
    require_root("a bare Debian")
    begun_s = time.monotonic()
    print(f"bare: Debian {debian} as {account}", flush=True)
    with tempfile.TemporaryDirectory(prefix="bare-", dir=cache_folder()) as name:
        root = Path(name) / "root"
        home = "/root" if account == ROOT else f"/home/{account}"
        clone = f"{home}/smartshoe"
        run_quietly(("cp", "-a", "--reflink=auto", str(plain_root(DEBIANS[debian])), str(root)))
        copy_settings(root)
        if account != ROOT:
            run_quietly(("chroot", str(root), "useradd", "--create-home", account))
        copy_clone(root / clone[1:])
        run_quietly(("chroot", str(root), "chown", "-R", f"{account}:", clone))
        words = ("runuser", "-u", account, "--", "bash", "-c", f"cd {clone}\n{script}", "sh")
        inside = command_inside(root, home, *words, JOBS, which)
        done = subprocess.run(inside, check=False)
    print(
        f"bare: ended with {done.returncode} after {time.monotonic() - begun_s:.0f} s", flush=True
    )
    return done.returncode == 0
