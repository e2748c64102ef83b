"""Whether an approving body has signed the profile and the configuration that a table runs with."""

import hashlib
from enum import StrEnum
from typing import Final

from msgspec import Struct

from controller.service.config.table_config import TableConfig
from controller.service.install.statement import (
    SignedStatementError,
    read_statement,
    sign_statement,
)
from controller.system.keys import KeyFileError, TableKey, load_public
from controller.system.named_file import read_file

KIND: Final = "smartshoe-approval/1"


class ApprovedPart(StrEnum):
    """What is approved by itself."""

    PROFILE = "profile"
    CONFIGURATION = "configuration"


class Approval(Struct, frozen=True):
    """Whether each part is approved, and by whom; `problem` says why nothing is."""

    approved: tuple[ApprovedPart, ...]
    signer: str
    problem: str = ""

    def words(self) -> tuple[str, ...]:
        """A line for each part."""
        return tuple(
            f"{part.value}: approved by {self.signer}"
            if part in self.approved
            else f"{part.value}: NOT APPROVED{f': {self.problem}' if self.problem else ''}"
            for part in ApprovedPart
        )


def digests(config: TableConfig) -> dict[ApprovedPart, str]:
    """SHA-256 of table.toml as it stands, and of the profile as a run stores it. Raises OSError."""
    return {
        ApprovedPart.PROFILE: _digest(config.profile_text.encode()),
        ApprovedPart.CONFIGURATION: _digest(read_file(config.file)),
    }


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def sign_approval(
    configs: tuple[TableConfig, ...], parts: tuple[ApprovedPart, ...], name: str, key: TableKey
) -> bytes:
    """The signed approval of these parts of each configuration.

    Raises SignedStatementError, OSError.
    """
    lines = {
        f"{part.value} {digest} {config.profile_name if part is ApprovedPart.PROFILE else table}"
        for config in configs
        for table in (" ".join(config.settings.table.split()),)
        for part, digest in digests(config).items()
        if part in parts
    }
    return sign_statement(KIND, sorted(lines), name, key)


def approval_of(config: TableConfig) -> Approval | None:
    """The approval that the configuration names; None if it names none."""
    if config.approval is None:
        return None
    try:
        keys = tuple(map(load_public, config.approval.keys))
        statement = read_statement(config.approval.file, KIND, keys)
        now = digests(config)
    except (SignedStatementError, KeyFileError) as error:
        return Approval((), "", str(error))
    except OSError as error:
        return Approval((), "", f"{config.file}: {error.strerror}")
    signed = {tuple(line.split(" ")[:2]) for line in statement.lines}
    approved = tuple(part for part in ApprovedPart if (part.value, now[part]) in signed)
    return Approval(approved, statement.signer)


def missing_parts(config: TableConfig, approval: Approval | None) -> tuple[str, ...]:
    """The parts without which the configuration itself says that no table starts."""
    if config.approval is None or approval is None:
        return ()
    return tuple(one for one in config.approval.required if one not in approval.approved)
