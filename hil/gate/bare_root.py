"""The tests that need nothing, on a Debian with nothing but README's packages.

What no hook of the tests can see, such as a program that a shell starts, or a library that is
loaded, is absent there. Resolver, certificates and settings of pip are those of this machine.
Source: tests/needs/needs.toml; hil/README.md, "A bare Debian".
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from hil.gate.debian_root import DEBIANS, plain_root, require_root, run_quietly
from hil.gate.kernel import cache_folder

ROOT: Final = Path(__file__).resolve().parents[2]
CLONE: Final = "home/tester/smartshoe"
TESTER: Final = "tester"
JOBS: Final = max(3, os.cpu_count() or 1)
CERTIFICATES: Final = Path("/etc/ssl/certs/ca-certificates.crt")
# Settings of this machine without which a root may reach no index.
COPIED: Final = (Path("/etc/resolv.conf"), Path("/etc/pip.conf"), CERTIFICATES)
KEPT_VARIABLES: Final = re.compile(r"PIP_.*|https?_proxy|no_proxy", re.IGNORECASE)
# In namespaces of its own, so that nothing stays mounted whatever ends it.
INSIDE: Final = """\
set -e
root=$1; shift
mount --rbind "$root" "$root"; cd "$root"
mount -t proc proc proc; mount --rbind /sys sys; mount --rbind /dev dev
mount -t tmpfs -o mode=1777 tmpfs tmp
while [ "$1" != -- ]; do mkdir -p ".$1"; mount --bind "$1" ".$1"; shift; done; shift
exec chroot . "$@"
"""


def run_bare_tests() -> bool:
    """Whether `make test` ends green there, as an account with no rights. Raises GateUnable."""
    require_root("a bare Debian")
    with tempfile.TemporaryDirectory(prefix="bare-", dir=cache_folder()) as name:
        root = Path(name) / "root"
        run_quietly(("cp", "-a", "--reflink=auto", str(plain_root(DEBIANS[12])), str(root)))
        copy_settings(root)
        run_quietly(("chroot", str(root), "useradd", "--create-home", TESTER))
        clone = root / CLONE
        run_quietly(("git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(clone)))
        run_quietly(("chroot", str(root), "chown", "-R", f"{TESTER}:", f"/{CLONE}"))
        script = f"cd /{CLONE} && exec make test JOBS={JOBS}"
        words = ("runuser", "-u", TESTER, "--", "bash", "-c", script)
        return subprocess.run(command_inside(root, *words), check=False).returncode == 0


def copy_settings(root: Path) -> None:
    """Give the root the resolver, the certificates and pip's settings of this machine."""
    pip = Path.home() / ".config/pip/pip.conf"
    for path, place in [*((one, one) for one in COPIED), (pip, Path("/etc/xdg/pip/pip.conf"))]:
        if path.is_file():
            target = root / place.relative_to("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
            shutil.copyfile(path, target)


def command_inside(root: Path, *words: str) -> tuple[str, ...]:
    """A command in the root; it sees no variable of this process but pip's and a proxy's."""
    kept = [f"{name}={value}" for name, value in os.environ.items() if KEPT_VARIABLES.match(name)]
    system = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    own = (f"PATH={system}", f"HOME=/home/{TESTER}", "LANG=C.UTF-8")
    trusted = f"SSL_CERT_FILE={CERTIFICATES}"
    enter = ("unshare", "--mount", "sh", "-c", INSIDE, "sh", str(root), *_folders_of_pip(), "--")
    return (*enter, "env", "-i", *own, trusted, *kept, *words)


def _folders_of_pip() -> list[str]:
    """Folders of this machine that pip's settings name, such as an index of files."""
    pip = (sys.executable, "-m", "pip", "config", "list")
    listed = subprocess.run(pip, capture_output=True, text=True, check=True).stdout
    named = re.findall(r"(?:file://|(?<=[\s'\"=]))(/[^\s'\"]+)", listed)
    return [path for path in dict.fromkeys(named) if Path(path).is_dir()]
