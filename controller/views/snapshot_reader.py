"""A part of a snapshot, read by key.

Responsible for: reading plain values without a doubt about their kind; what is absent is empty.
Not responsible for: what a snapshot holds (snapshot) and for its words (cli_status).
Source: package README, "Snapshot".
"""

from collections.abc import Mapping

from firmware_bridge.values import dataclass


@dataclass(frozen=True, slots=True)
class Shown:
    """A part of a snapshot, read by key; what is absent reads as empty."""

    values: Mapping[str, object]

    def text(self, key: str) -> str:
        value = self.values.get(key)
        return "" if value is None else str(value)

    def number(self, key: str) -> int:
        value = self.values.get(key)
        return value if isinstance(value, int) else 0

    def yes(self, key: str) -> bool:
        return self.values.get(key) is True

    def has(self, key: str) -> bool:
        return self.values.get(key) is not None

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.values.get(key)
        return tuple(map(str, value)) if isinstance(value, list) else ()

    def part(self, key: str) -> "Shown | None":
        value = self.values.get(key)
        return Shown(value) if isinstance(value, dict) else None

    def parts(self, key: str) -> tuple["Shown", ...]:
        value = self.values.get(key)
        items = value if isinstance(value, list) else []
        return tuple(Shown(item) for item in items if isinstance(item, dict))
