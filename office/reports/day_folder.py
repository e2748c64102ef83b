"""Makes the files of reports, and writes the folder of a day's report whole or not at all."""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import Final, TypeAlias

from controller.journal.people import PeopleFile, put_names
from controller.rules.profiles.clauses import Clause
from controller.system.atomic_file import SmallFileError, require_new, sync_folder, write_synced
from office.evidence.bundle import build_bundle
from office.evidence.lookup import find_day, unsealed_shoes
from office.reports.csv_text import csv_text
from office.reports.day_page import bundles_page, day_page
from office.reports.links import BUNDLES_PAGE, DAY_PAGE, ReportLinks
from office.reports.proceedings import proceedings_of
from office.reports.shoe_page import shoe_page
from office.reports.shoes import ReportedShoe, read_reported_shoe
from office.reports.tables import report_tables

NamedFile: TypeAlias = tuple[str, bytes]
Progress: TypeAlias = Callable[[int, int], None]

_FILE_MODE: Final = 0o640
_FOLDER_MODE: Final = 0o750


def shoe_files(
    shoe: ReportedShoe, clauses: Mapping[str, Clause], links: ReportLinks, *, tables: bool
) -> Iterator[NamedFile]:
    """The page of a shoe alone (first), and its tables if they are wanted."""
    names = PeopleFile(shoe.found.folder).names()
    yield "", _page_bytes(shoe_page(shoe, clauses, links), names)
    if tables:
        yield from _table_files((shoe,), names)


def day_files(
    journal: Path,
    day: str,
    clauses: Mapping[str, Clause],
    bundles_at: int | None = None,
    tell: Progress = lambda _done, _of: None,
) -> Iterator[NamedFile]:
    """Every file of a day's report by name; `bundles_at` (UTC, ns): with the bundles, made then.

    Raises NoSuchCoup, JournalError, ShoeFileError, OSError.
    """
    found = find_day(journal, day)
    folder, gaming_day = found[0].folder, found[0].file.heading.gaming_day
    names = PeopleFile(folder).names()
    links = ReportLinks(str(journal), in_folder=True, bundles=bundles_at is not None)
    to_do = len(found) + sum(one.file.heading.coups for one in found if bundles_at is not None)
    shoes: list[ReportedShoe] = []
    for one in found:
        tell(len(shoes), to_do)
        shoes.append(read_reported_shoe(one, clauses))
        yield (
            links.shoe_page(shoes[-1].shoe.number),
            _page_bytes(shoe_page(shoes[-1], clauses, links), names),
        )
    sealed = [one.shoe.number for one in shoes]
    unsealed = [one for one in unsealed_shoes(folder, gaming_day) if one not in sealed]
    page = day_page(shoes, unsealed, proceedings_of(shoes), clauses, links)
    yield DAY_PAGE, _page_bytes(page, names)
    yield BUNDLES_PAGE, _page_bytes(bundles_page(shoes, links), names)
    yield from _table_files(shoes, names)
    if bundles_at is not None:
        yield from _bundle_files(shoes, clauses, links, bundles_at, tell)


def _bundle_files(
    shoes: list[ReportedShoe],
    clauses: Mapping[str, Clause],
    links: ReportLinks,
    made_utc_ns: int,
    tell: Progress,
) -> Iterator[NamedFile]:
    to_do = len(shoes) + sum(len(one.coups) for one in shoes)
    done = len(shoes)
    for shoe in shoes:
        for coup in shoe.coups:
            tell(done, to_do)
            bundle = build_bundle(shoe.found, coup.record.coup, clauses, made_utc_ns)
            yield links.bundle_file(bundle.coup), bundle.to_zip()
            done += 1


def _page_bytes(page: str, names: Mapping[str, str]) -> bytes:
    return put_names(page, {one: escape(name) for one, name in names.items()}).encode()


def _table_files(
    shoes: list[ReportedShoe] | tuple[ReportedShoe, ...], names: Mapping[str, str]
) -> Iterator[NamedFile]:
    for table in report_tables(shoes, proceedings_of(shoes)):
        rows = ([put_names(cell, names) for cell in row] for row in table.rows)
        yield f"{table.name}.csv", csv_text(table.columns, rows).encode()


# --- the folder -----------------------------------------------------------------------------------


def store_folder(folder: Path, files: Iterator[NamedFile]) -> int:
    """Write a new folder with these files, synced, or nothing; returns how many they are.

    It has another name until it is whole. Raises SmallFileError, and what `files` raises.
    """
    require_new(folder)
    part = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    count = 0
    try:
        with _written(folder):
            part.mkdir(_FOLDER_MODE, parents=True)
        for name, data in files:
            with _written(folder):
                _write(part / name, data)
            count += 1
        with _written(folder):
            for each in (part, *(one for one in part.iterdir() if one.is_dir())):
                sync_folder(each)
            require_new(folder)
            part.rename(folder)
            sync_folder(folder.parent)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return count


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(_FOLDER_MODE, exist_ok=True)
    write_synced(path, data, _FILE_MODE)


@contextmanager
def _written(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SmallFileError(
            f"{folder}: cannot be written: {error.strerror}. Remedy: name another folder, free disk"
            " space, or give this account write permission"
        ) from error
