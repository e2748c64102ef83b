"""Remarks on the certificates that a table.toml names: those that Debian 13 refuses."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from controller.service.config.table_config import TableConfig
from controller.system.strict_certificates import strict_faults

REMEDY: Final = (
    "make it anew as docs/certificates.md says, before the machine or whoever connects to it goes"
    " to Debian 13"
)


def certificate_remarks(config: TableConfig) -> Iterator[str]:
    """What Debian 13 will not take, each with its place and a remedy.

    A file that cannot be read is said where it is used.
    """
    for place, file, authorities in _files(config):
        try:
            faults = strict_faults(file, authorities=authorities)
        except (OSError, ValueError):
            continue
        for fault in faults:
            yield (
                f"{place}: {file} ({fault}): Debian 13 refuses it, its Python 3.13 holds"
                f" certificates to RFC 5280. Remedy: {REMEDY}"
            )


def _files(config: TableConfig) -> Iterator[tuple[str, Path, bool]]:
    """Place, file, and whether its certificates sign others."""
    page = None if config.console is None else config.console.tls
    for section, files in (("metrics", config.metrics_tls), ("console", page)):
        if files is None or (section == "console" and files == config.metrics_tls):
            continue
        yield f"{section}.certificate", files.certificate, False
        if files.client_ca is not None:
            yield f"{section}.client_ca", files.client_ca, True
    for number, feed in enumerate(config.feeds, start=1):
        if feed.ca is not None:
            yield f"feed[{number}].ca", feed.ca, True
        if feed.certificate is not None:
            yield f"feed[{number}].client_certificate", feed.certificate, False
