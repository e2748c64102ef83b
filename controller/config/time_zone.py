"""Time zones by name: the bytes behind "Europe/Vienna".

Responsible for: finding a zone's TZif data on this machine or in the tzdata package, and naming
zones that are spelt alike.
Not responsible for: what the data means (gaming_day); it is an input of every run, so that a
replay on another machine turns the gaming day at the same moment.
Source: RFC 8536 (TZif); PEP 615 (where zones are looked for).
"""

import re
import zoneinfo
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Final

_NAME: Final = re.compile(r"[A-Za-z0-9_+-]+(?:/[A-Za-z0-9_+-]+)*")
_TZIF: Final = b"TZif"
_NEAR_MAX: Final = 3


class UnknownZone(ValueError):
    """No such time zone; the message names some that are spelt alike."""


def zone_data(name: str) -> bytes:
    """TZif data of an IANA time zone. Raises UnknownZone."""
    if _NAME.fullmatch(name):
        roots = (*map(Path, zoneinfo.TZPATH), files("tzdata") / "zoneinfo")
        for root in roots:
            try:
                data = root.joinpath(name).read_bytes()
            except OSError:
                continue
            if data.startswith(_TZIF):
                return data
    raise UnknownZone(f"{name!r} is no time zone; {_near(name)}")


def _near(name: str) -> str:
    """Zones spelt alike, or of that city."""
    names = sorted(zoneinfo.available_timezones())
    by_small = {known.lower(): known for known in names}
    small = name.lower().replace(" ", "_")
    city = small.rpartition("/")[2]
    near = [by_small[known] for known in get_close_matches(small, by_small, n=_NEAR_MAX)]
    near += [known for known in names if city and known.lower().rpartition("/")[2] == city]
    if not near:
        return 'write an IANA name such as "Europe/Vienna", "America/New_York" or "UTC"'
    return f"near it: {', '.join(dict.fromkeys(near[:_NEAR_MAX]))}"
