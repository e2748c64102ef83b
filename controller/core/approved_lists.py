"""Which lists of approved firmware a table has seen: an older one is not believed any more.

Decision. What was seen is part of the state, which follows from the records (the settings of each
run are there): whoever puts back the file of an old list would put back a file beside it, too.
"""

from collections.abc import Iterator

from msgspec import UNSET
from msgspec.structs import replace

from controller.core.settings import Settings
from controller.core.state import CoreState


def with_lists_seen(state: CoreState, settings: Settings) -> CoreState:
    """The state after a run has begun with the lists of these settings."""
    seen = _seen(state)
    for section, signed_ns in _lists(settings):
        seen[section] = max(signed_ns, seen.get(section, 0))
    return replace(state, approved_at=tuple(sorted(seen.items()))) if seen else state


def older_lists(state: CoreState, settings: Settings) -> tuple[tuple[str, int, int], ...]:
    """Lists that are older than one that was seen: section, its time, and the newest (UTC, ns)."""
    seen = _seen(state)
    return tuple(
        (section, signed_ns, seen[section])
        for section, signed_ns in _lists(settings)
        if signed_ns < seen.get(section, 0)
    )


def _seen(state: CoreState) -> dict[str, int]:
    return {} if state.approved_at is UNSET else dict(state.approved_at)


def _lists(settings: Settings) -> Iterator[tuple[str, int]]:
    shuffler = settings.shuffler
    trusts = [("shoe", settings.shoe.trust)]
    if shuffler is not None:
        trusts.append(("shuffler", shuffler.trust))
    for section, trust in trusts:
        if trust.approved_at_ns is not UNSET:
            yield section, trust.approved_at_ns
