"""The account that runs a machine's installed tables, which the Debian package makes.

Source: deploy/smartshoe.sysusers.conf.
"""

import pwd
from collections.abc import Callable
from typing import Final

ACCOUNT: Final = "smartshoe"


def has_account(lookup: Callable[[str], object] = pwd.getpwnam) -> bool:
    """Whether this machine has the account for tables; a trial's or a container's has none."""
    try:
        lookup(ACCOUNT)
    except KeyError:
        return False
    return True
