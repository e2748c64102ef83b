"""A folder of links to declared programs: the PATH of shells that pages start."""

import shutil
from collections.abc import Iterable
from pathlib import Path

from declared_needs import base, needs


def link_programs(folder: Path, named: Iterable[str] = ()) -> Path:
    """Fill the new folder with links to the base's programs and those of the named needs.

    What is absent on this machine is left out, so that a shell says that it is not found.
    """
    folder.mkdir(parents=True)
    known = needs()
    for program in (*base("programs"), *(one for name in named for one in known[name].programs)):
        found = shutil.which(program)
        if found and not (folder / program).is_symlink():
            (folder / program).symlink_to(found)
    return folder
