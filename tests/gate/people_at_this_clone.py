"""The walk of people at this clone: a root folder of the machine's own programs, lent as mounts.

Run in namespaces of its own, by root (tests/hil/gate/test_people_walk.py); nothing of it stays.
Usage: people_at_this_clone.py NEW-FOLDER
"""

import shutil
import subprocess
import sys
from pathlib import Path

from loopback import raise_loopback
from people_walk import Place, walk

ROOT = Path(__file__).resolve().parents[2]
# What the machine lends; everything else of the root folder is its own.
LENT = ("usr", "bin", "sbin", "lib", "lib64", "dev", "proc", "sys")
ETC = ("passwd", "group", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "alternatives")
PORT = 4391


def put_together(root: Path) -> None:
    """A root folder of the machine's own programs and this clone, with accounts of its own.

    The clone and its interpreter are lent as mounts, so that other accounts enter them wherever
    they lie.
    """
    root.mkdir(mode=0o755)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", str(root)], check=True)
    homes = {ROOT, Path(sys.prefix).resolve(), Path(sys.base_prefix).resolve()}
    for place in (*(Path("/", one) for one in LENT), *sorted(homes)):
        inside = root / place.relative_to("/")
        if place.is_symlink():
            inside.symlink_to(place.readlink())
        elif place.is_dir() and not inside.exists():
            inside.mkdir(parents=True)
            subprocess.run(["mount", "--rbind", str(place), str(inside)], check=True)
    (root / "etc/smartshoe").mkdir(parents=True)
    (root / "tmp").mkdir(mode=0o1777)
    (root / "home").mkdir()
    for name in ETC:
        if (found := Path("/etc", name)).is_dir():
            shutil.copytree(found, root / "etc" / name, symlinks=True)
        elif found.exists():
            shutil.copy(found, root / "etc" / name)
    in_root = ("chroot", str(root))
    for group in ("smartshoe", "smartshoe-control", "smartshoe-evidence"):
        subprocess.run([*in_root, "groupadd", group], check=True)
    owner = ("useradd", "-g", "smartshoe", "-G", "smartshoe-control", "-M", "smartshoe")
    subprocess.run([*in_root, *owner], check=True)
    # As deploy/smartshoe.tmpfiles.conf has them.
    for line in (ROOT / "deploy/smartshoe.tmpfiles.conf").read_text(encoding="utf-8").splitlines():
        if line.startswith("d "):
            _, folder, mode, user, group = line.split()
            made = ("install", "-d", "-m", mode, "-o", user, "-g", group, folder)
            subprocess.run([*in_root, *made], check=True)


def main() -> None:
    raise_loopback()
    folder = Path(sys.argv[1])
    put_together(folder)
    path = f"{Path(sys.prefix) / 'bin'}:/usr/sbin:/usr/bin:/sbin:/bin"
    variables = {"PATH": path, "LANG": "C.UTF-8", "HOME": "/tmp", "PYTHONDONTWRITEBYTECODE": "1"}
    count = walk(Place(folder, variables), ROOT / "docs/commissioning.md", PORT, every=False)
    print(f"{count} cells and commands are as the pages say")


if __name__ == "__main__":
    main()
