"""The gaming day: the accounting day of a UTC moment, and when it ends.

Source: glossary "gaming day".
"""

import struct
from datetime import UTC, date, datetime, time, timedelta
from io import BytesIO
from zoneinfo import ZoneInfo

from msgspec import Struct

NS_PER_S = 1_000_000_000


class GamingDay(Struct, frozen=True):
    """A day and its bounds in UTC nanoseconds: from `from_ns`, before `until_ns`."""

    name: str
    from_ns: int
    until_ns: int

    def covers(self, utc_ns: int) -> bool:
        return self.from_ns <= utc_ns < self.until_ns

    def is_over(self, utc_ns: int) -> bool:
        return utc_ns >= self.until_ns


class GamingCalendar(Struct, frozen=True):
    """Days that begin at `start_s` seconds after midnight in one time zone."""

    zone: ZoneInfo
    start_s: int

    def day_of(self, utc_ns: int) -> GamingDay:
        """The gaming day of that moment."""
        local = datetime.fromtimestamp(utc_ns // NS_PER_S, UTC).astimezone(self.zone)
        day = local.date()
        if self._begins_ns(day) > utc_ns:
            day -= timedelta(days=1)
        until = self._begins_ns(day + timedelta(days=1))
        return GamingDay(day.isoformat(), self._begins_ns(day), until)

    def _begins_ns(self, day: date) -> int:
        clock = time(self.start_s // 3600, self.start_s // 60 % 60, self.start_s % 60)
        begins = datetime.combine(day, clock, self.zone)
        return int(begins.timestamp()) * NS_PER_S


class _WholeFile(BytesIO):
    """Raises at the end of the data, where zoneinfo would search for the footer for ever."""

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        if size and not data:
            raise ValueError("the TZif data is truncated")
        return data


def build_calendar(zone_data: bytes, start_s: int) -> GamingCalendar:
    """Build a calendar from TZif data. Raises ValueError if it is not TZif or is cut off."""
    if not zone_data.startswith(b"TZif"):
        raise ValueError("not TZif data")
    try:
        return GamingCalendar(ZoneInfo.from_file(_WholeFile(zone_data)), start_s)
    except (struct.error, IndexError) as error:
        raise ValueError(f"damaged TZif data: {error}") from error
