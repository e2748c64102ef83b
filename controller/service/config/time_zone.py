"""Looks up a time zone's TZif data by its IANA name, on this machine or in the tzdata package.

Source: RFC 8536 (TZif); PEP 615 (search path).
"""

import re
import zoneinfo
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Final

_NAME: Final = re.compile(r"[A-Za-z0-9_+-]+(?:/[A-Za-z0-9_+-]+)*")
_TZIF: Final = b"TZif"
_SIMILAR_MAX: Final = 3


class UnknownZone(ValueError):
    """No such time zone; the message names similar ones."""


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
    raise UnknownZone(f"{name!r} is not a time zone. {_similar_zones(name)}")


def _similar_zones(name: str) -> str:
    """Zones with a similar name, or of that city."""
    names = sorted(zoneinfo.available_timezones())
    by_lower = {known.lower(): known for known in names}
    lower = name.lower().replace(" ", "_")
    city = lower.rpartition("/")[2]
    similar = [by_lower[known] for known in get_close_matches(lower, by_lower, n=_SIMILAR_MAX)]
    similar += [known for known in names if city and known.lower().rpartition("/")[2] == city]
    if not similar:
        return 'Remedy: write an IANA name such as "Europe/Vienna", "America/New_York" or "UTC"'
    return f"Remedy: did you mean {', '.join(dict.fromkeys(similar[:_SIMILAR_MAX]))}?"
