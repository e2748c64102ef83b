"""This clone in a root of Debian, with this machine's way to the network, and commands there.

Source: unshare(1), mount(8).
"""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

from hil.gate.debian_root import ALONE, run_quietly
from hil.gate.kernel import GateUnable

ROOT: Final = Path(__file__).resolve().parents[2]
CERTIFICATES: Final = Path("/etc/ssl/certs/ca-certificates.crt")
# Settings of this machine without which a root may reach no index.
COPIED: Final = ("/etc/resolv.conf", "/etc/hosts", str(CERTIFICATES), "/etc/pip.conf")
PIP_FOLDERS: Final = ("/etc/xdg/pip", "~/.config/pip", "~/.pip")
KEPT_VARIABLES: Final = re.compile(r"PIP_.*|https?_proxy|no_proxy", re.IGNORECASE)
NAMED_FOLDER: Final = re.compile(r"""(?:file://)?(/[^\s'"=]+)""")
# In namespaces of its own, so that nothing stays mounted whatever ends it.
INSIDE: Final = """\
set -e
root=$1; shift
mount --rbind "$root" "$root"; cd "$root"
mount -t proc proc proc; mount --rbind /sys sys; mount --rbind /dev dev
mount -t tmpfs -o mode=1777 tmpfs tmp
while [ "$1" != -- ]; do mkdir -p ".$1"; mount --bind -o ro "$1" ".$1"; shift; done; shift
exec chroot . "$@"
"""


def copy_clone(target: Path) -> None:
    """This clone in the new folder `target`, with its uncommitted changes. Raises GateUnable."""
    if not (ROOT / ".git").exists():
        raise GateUnable("it plays a clone, and there is no .git here. Remedy: run it from a clone")
    run_quietly(("git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(target)))
    words = ("git", "-C", str(ROOT), "ls-files", "-z", "--modified", "--others")
    listed = subprocess.run((*words, "--exclude-standard"), stdout=subprocess.PIPE, check=True)
    for name in filter(None, listed.stdout.decode().split("\0")):
        source, place = ROOT / name, target / name
        if source.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, place, follow_symlinks=False)
        else:
            place.unlink(missing_ok=True)


def copy_settings(root: Path) -> None:
    """Give the root this machine's resolver, certificates, and settings of pip and apt."""
    places = {Path(one): root / one[1:] for one in (*COPIED, PIP_FOLDERS[0])}
    # A person's own settings are everybody's there.
    own = root / "etc/pip-of-this-account"
    places |= {Path(one).expanduser(): own / Path(one).name for one in PIP_FOLDERS[1:]}
    for source, place in places.items():
        if place.is_dir():
            shutil.rmtree(place)
        place.unlink(missing_ok=True)
        if source.is_dir():
            shutil.copytree(source, place)
        elif source.is_file():
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, place)
    words = ("apt-config", "dump", "Acquire")
    dump = subprocess.run(words, stdout=subprocess.PIPE, check=False)
    (root / "etc/apt/apt.conf.d/00machine").write_bytes(dump.stdout)


def command_inside(root: Path, home: str, *words: str) -> tuple[str, ...]:
    """A command in the root; it sees no variable of this process but pip's and a proxy's.

    `root` has had its settings copied.
    """
    kept = [f"{name}={value}" for name, value in os.environ.items() if KEPT_VARIABLES.match(name)]
    system = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    own = [f"PATH={system}", f"HOME={home}", "LANG=C.UTF-8"]
    if CERTIFICATES.is_file():
        own += [f"SSL_CERT_FILE={CERTIFICATES}", f"PIP_CERT={CERTIFICATES}"]
    settings = sorted((root / "etc/pip-of-this-account").glob("*/pip.conf"))
    if settings and not any(one.startswith("PIP_CONFIG_FILE=") for one in kept):
        own.append(f"PIP_CONFIG_FILE=/{settings[0].relative_to(root)}")
    enter = (*ALONE, "sh", "-c", INSIDE, "sh", str(root), *_folders_of_pip(root, kept), "--")
    return (*enter, "env", "-i", *own, *kept, *words)


def _folders_of_pip(root: Path, variables: list[str]) -> list[str]:
    """Folders of this machine that pip's settings name, such as an index of files."""
    files = [root / "etc/pip.conf"]
    for folder in (root / "etc/xdg/pip", root / "etc/pip-of-this-account"):
        files += folder.rglob("*")
    texts = [one.read_text("utf-8", "replace") for one in files if one.is_file()]
    texts += [one.partition("=")[2] for one in variables]
    named = {Path(found[1]) for found in NAMED_FOLDER.finditer("\n".join(texts))}
    # An index names files beside it.
    folders = {one.parent if len(one.parts) > len(("/", "srv", "index")) else one for one in named}
    return sorted(
        str(one) for one in folders if one.is_dir() and not (root / str(one)[1:]).is_dir()
    )
