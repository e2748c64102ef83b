"""Typed access to a part of a snapshot by key.

Source: controller/views/README.md, "Snapshot".
"""

from collections.abc import Mapping

from msgspec import Struct


class SnapshotPart(Struct, frozen=True):
    """A part of a snapshot. An absent key, or a value of another type, reads as empty."""

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

    def part(self, key: str) -> "SnapshotPart | None":
        value = self.values.get(key)
        return SnapshotPart(value) if isinstance(value, dict) else None

    def parts(self, key: str) -> tuple["SnapshotPart", ...]:
        value = self.values.get(key)
        items = value if isinstance(value, list) else []
        return tuple(SnapshotPart(item) for item in items if isinstance(item, dict))
