"""Compiles each catalogue of words beside its source."""

from io import BytesIO
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

FOLDER: Final = Path(__file__).parents[4] / "controller" / "system" / "messages" / "catalogues"


def sources() -> list[Path]:
    return sorted(FOLDER.glob("*.po"))


def read_source(source: Path) -> Catalog:
    with source.open("rb") as file:
        return read_po(file, locale=source.stem, abort_invalid=True)


def compiled(source: Path) -> bytes:
    target = BytesIO()
    write_mo(target, read_source(source))
    return target.getvalue()


def write_generated() -> None:
    for source in sources():
        source.with_suffix(".mo").write_bytes(compiled(source))
