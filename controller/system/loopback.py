"""Whose program is at the other end of a TCP connection within this machine, as the kernel says.

Source: proc_pid_net(5), tcp(7).
"""

import ipaddress
import os
import pwd
import struct
from pathlib import Path
from typing import Final, TypeAlias

# An address, and a port.
Place: TypeAlias = tuple[str, int]

TABLES: Final = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_UID, _INODE = 7, 9
_WORD: Final = struct.Struct("=I")


def is_loopback_address(address: str) -> bool:
    """Whether it is one of this machine alone."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    return (getattr(found, "ipv4_mapped", None) or found).is_loopback


def uid_of_client(client: Place, server: Place) -> int | None:
    """The uid of the process that connected from `client` to `server`, None if it is not known.

    It is not known once the process has closed the connection: the kernel then names uid 0.
    """
    wanted = {(_as_listed(one), _as_listed(two)) for one, two in _forms(client, server)}
    for table in TABLES:
        try:
            lines = table.read_text("ascii").splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            fields = line.split()
            if (fields[1], fields[2]) in wanted and fields[_INODE] != "0":
                return int(fields[_UID])
    return None


def may_write(uid: int, path: Path) -> bool:
    """Whether the account may write to it by its owner, its group and its modes."""
    try:
        found = path.stat()
    except OSError:
        return False
    if uid in (0, found.st_uid):
        return True
    try:
        account = pwd.getpwuid(uid)
        groups = os.getgrouplist(account.pw_name, account.pw_gid)
    except KeyError:
        groups = []
    shift = 3 if found.st_gid in groups else 0
    return bool(found.st_mode >> shift & os.W_OK)


def _forms(client: Place, server: Place) -> tuple[tuple[Place, Place], ...]:
    """The two ends as either side may write them: IPv4 by itself, or mapped into IPv6."""
    addresses = [ipaddress.ip_address(one) for one, _ in (client, server)]
    plain = [str(getattr(one, "ipv4_mapped", None) or one) for one in addresses]
    ends = ((plain[0], client[1]), (plain[1], server[1]))
    if any(":" in address for address in plain):
        return (ends,)
    return (ends, ((f"::ffff:{plain[0]}", client[1]), (f"::ffff:{plain[1]}", server[1])))


def _as_listed(place: Place) -> str:
    packed = ipaddress.ip_address(place[0]).packed
    words = "".join(f"{word:08X}" for (word,) in _WORD.iter_unpack(packed))
    return f"{words}:{place[1]:04X}"
