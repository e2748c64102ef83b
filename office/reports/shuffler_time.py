"""Adds up how long the shuffler was down, as far as the records of some sealed shoes say.

Source: field practice (shuffle downtime is a figure to watch).
"""

from collections.abc import Iterator, Sequence
from typing import Final

from controller.core.stored_settings import read_settings
from controller.core.tape.entries import ClockStepped, Entry
from controller.core.tape.inputs import Input, Started
from controller.core.tape.records import inputs_in, read_entry, read_input
from controller.core.tape.shuffler_use import NOT_USED, ShufflerUse
from controller.journal.encoding import RecordKind, unwrap
from controller.journal.folder import read_sealed, sealed_files
from controller.journal.shoe_file import ShoeFile
from office.reports.shoes import ReportedShoe

# Before the first file nothing says that it was down, unless a run begins there.
_USABLE: Final = ShufflerUse(online=True, trusted=True)


def shuffler_down_ns(shoes: Sequence[ReportedShoe]) -> int | None:
    """How long it was down within these shoes' files, in order; None: the table has none."""
    paths = sealed_files(shoes[0].found.folder)
    at = paths.index(shoes[0].found.path)
    use, down_ns, there = _USABLE, 0, False
    if at:
        use, _, there = _follow(read_sealed(paths[at - 1]), use)
    for shoe in shoes:
        use, added_ns, has_one = _follow(shoe.found.file, use)
        down_ns += added_ns
        there = there or has_one
    return down_ns if there else None


def _follow(file: ShoeFile, use: ShufflerUse) -> tuple[ShufflerUse, int, bool]:
    """The use after the file, the time it was down in it, and whether the table had one."""
    begun = file.parts().started
    port = _port(read_input(begun)) if begun else ""
    down_ns, there = 0, False
    for item, entries in _conclusions(file):
        if isinstance(item, Started):
            port = _port(item)
            use = use if port else NOT_USED
        if not port:
            continue
        there = True
        for one in entries:
            use = use.moved(one.by_ns) if isinstance(one, ClockStepped) else use
        down_ns += use.down_ns(item.at.utc_ns, entries)
        use = use.after(port, item.at.utc_ns, entries)
    return use, down_ns, there


def _port(started: object) -> str:
    """The port of the shuffler in a run's settings; empty where there is none."""
    if not isinstance(started, Started):
        return ""
    shuffler = read_settings(started.configuration).shuffler
    return shuffler.port if shuffler is not None else ""


def _conclusions(file: ShoeFile) -> Iterator[tuple[Input, list[Entry]]]:
    """Every input of the file with the entries concluded from it."""
    newest: Input | None = None
    entries: list[Entry] = []
    for stored in file.records():
        if unwrap(stored.record)[0] is RecordKind.INPUT:
            if newest is not None:
                yield newest, entries
            item = read_input(stored.record)
            newest, entries = (inputs_in(item)[-1] if item is not None else None), []
        elif (entry := read_entry(stored.record)) is not None:
            entries.append(entry)
    if newest is not None:
        yield newest, entries
