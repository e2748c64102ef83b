"""The tests that need nothing, on a Debian with nothing but README's packages.

What no hook of the tests can see, such as a program that a shell starts, or a library that is
loaded, is absent there. Resolver, certificates and settings of pip are those of this machine.
Source: tests/needs/needs.toml; hil/README.md, "A bare Debian".
"""

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from hil.gate.clone_in_root import command_inside, copy_clone, copy_settings
from hil.gate.debian_root import DEBIANS, plain_root, require_root, run_quietly
from hil.gate.kernel import cache_folder

TESTER: Final = "tester"
HOME: Final = f"/home/{TESTER}"
CLONE: Final = f"{HOME}/smartshoe"
JOBS: Final = max(3, os.cpu_count() or 1)


def run_bare_tests(which: str = "") -> bool:
    """Whether `make test` ends green there, as an account with no rights; `which`: some rooms.

    Raises GateUnable.
    """
    require_root("a bare Debian")
    with tempfile.TemporaryDirectory(prefix="bare-", dir=cache_folder()) as name:
        root = Path(name) / "root"
        run_quietly(("cp", "-a", "--reflink=auto", str(plain_root(DEBIANS[12])), str(root)))
        copy_settings(root)
        run_quietly(("chroot", str(root), "useradd", "--create-home", TESTER))
        copy_clone(root / CLONE[1:])
        run_quietly(("chroot", str(root), "chown", "-R", f"{TESTER}:", CLONE))
        script = f"cd {CLONE} && exec make test JOBS={JOBS} ARGS='{which}'"
        words = ("runuser", "-u", TESTER, "--", "bash", "-c", script)
        return subprocess.run(command_inside(root, HOME, *words), check=False).returncode == 0
