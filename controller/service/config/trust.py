"""Which device and firmware a table trusts: the pairing and firmware list that table.toml names."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

from msgspec import Struct, field
from pydantic import AfterValidator, Field

from controller.service.commissioning.firmware_list import ApprovedList, load_trusted_list
from controller.service.commissioning.pairing_file import PairedDevice, PairedRole, load_pairing
from controller.service.config.document import file_path
from controller.service.config.sections import FileName, Section
from controller.system.atomic_file import SmallFileError
from controller.system.keys import KeyFileError, load_public
from firmware_bridge.attestation import NO_TRUST, Trust

_BY_CONTACTS: Final = (
    "the {name} shows only contacts (bare = true): a person enters which batch it holds, how many"
    " cards, and its release, and nothing but its lamps shows a shuffle. Seal its cable and count"
    " each batch that goes in"
)


def _file_or_none(text: str) -> str:
    return file_path(text) if text else text


class TrustSection(Section):
    """The keys of a device that may have an identity; an empty file name means none."""

    identity: Annotated[str, AfterValidator(_file_or_none)] = ""
    approved: Annotated[str, AfterValidator(_file_or_none)] = ""
    approved_keys: list[FileName] = Field(default_factory=list)
    bare: bool = False


class TrustResult(Struct, frozen=True):
    """The trust that a device's section configures; NO_TRUST if there are problems."""

    trust: Trust = NO_TRUST
    problems: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


class _TrustFiles(Struct):
    """The contents of the files, and their problems."""

    paired: PairedDevice | None = None
    approved: ApprovedList | None = None
    problems: list[str] = field(default_factory=list)


def read_trust(
    role: PairedRole,
    section: TrustSection,
    folder: Path,
    *,
    needed: bool,
    always_bare: bool = False,
) -> TrustResult:
    """The trust that a device's section configures; paths are relative to `folder`.

    `needed`: its reports are rejected without trust; `always_bare`: its model has no identity that
    it could prove.
    """
    name = role.value
    if always_bare:
        problems = tuple(_keys_of_bare(name, section))
    else:
        problems = tuple((_missing_keys if needed else _unneeded_keys)(name, section))
    if problems or not needed:
        return TrustResult(problems=problems)
    if always_bare:
        return TrustResult(Trust(bare=True), remarks=(_BY_CONTACTS.format(name=name),))
    if section.bare:
        remark = (
            f"the {name} is accepted without an identity (bare = true): nobody can distinguish it"
            " from another device or from modified firmware. Pair a device with an identity before"
            " play"
        )
        return TrustResult(Trust(bare=True), remarks=(remark,))
    found = _load_files(role, section, folder)
    if found.paired is None or found.approved is None or found.problems:
        return TrustResult(problems=tuple(found.problems))
    trust = Trust(
        pin=found.paired.pin,
        approved=found.approved.images(),
        approved_at_ns=found.approved.statement.at_utc_ns,
    )
    return TrustResult(trust, remarks=tuple(_remarks(name, section, found.paired, trust)))


def _unneeded_keys(name: str, section: TrustSection) -> Iterator[str]:
    for key in TrustSection.model_fields:
        if getattr(section, key):
            yield f"{name}.{key}: a device of this model has no identity. Remedy: remove the key"


def _keys_of_bare(name: str, section: TrustSection) -> Iterator[str]:
    """Problems of a device that is admitted without an identity or not at all."""
    for key in TrustSection.model_fields:
        if key != "bare" and getattr(section, key):
            yield f"{name}.{key}: a device of this model has no identity. Remedy: remove the key"
    if not section.bare:
        yield (
            f"{name}.bare: it is missing, so the {name} would not be admitted: a device of this"
            " model proves neither an identity nor a shuffle. Allowed: true. Remedy: write"
            f" bare = true below [{name}] if the house accepts that, or use one with an identity"
        )


def _missing_keys(name: str, section: TrustSection) -> Iterator[str]:
    if section.bare and section.identity:
        yield (
            f"{name}.bare: a device with an identity is not bare. Remedy: remove bare = true, or,"
            " on a bench, remove identity"
        )
    if section.bare:
        return
    if not section.identity:
        yield (
            f"{name}.identity: it is missing, so all reports of the {name} would be rejected."
            f" Remedy: pair it with `smartshoe identity pair PORT --out {name}.identity.json"
            f' --person NAME` and write identity = "{name}.identity.json" below [{name}]; for a'
            " device without an identity, only on a bench, write bare = true"
        )
        return
    if not section.approved:
        yield (
            f"{name}.approved: it is missing, so no firmware may run. Remedy: make the list"
            " with `smartshoe firmware approve --list approved.json --key table.key --image"
            f' FIRMWARE --version V --counter N` and write approved = "approved.json" below'
            f" [{name}]"
        )
    if not section.approved_keys:
        yield (
            f"{name}.approved_keys: it is empty, so nobody may approve firmware. Remedy: write"
            f' approved_keys = ["table.key.pub"] below [{name}], or the key of an approver'
        )


def _load_files(role: PairedRole, section: TrustSection, folder: Path) -> _TrustFiles:
    found = _TrustFiles()
    name = role.value
    try:
        found.paired = load_pairing(folder / section.identity)
    except SmallFileError as error:
        found.problems.append(f"{name}.identity: {error}")
    else:
        if found.paired.role is not role:
            found.problems.append(
                f"{name}.identity: {folder / section.identity} is of a {found.paired.role.value}."
                f" Remedy: name the file of the {name}"
            )
    try:
        keys = tuple(load_public(folder / key) for key in section.approved_keys)
        found.approved = load_trusted_list(folder / section.approved, keys)
    except KeyFileError as error:
        found.problems.append(f"{name}.approved_keys: {error}")
    except SmallFileError as error:
        found.problems.append(f"{name}.approved: {error}")
    return found


def _remarks(name: str, section: TrustSection, paired: PairedDevice, trust: Trust) -> Iterator[str]:
    if paired.firmware not in trust.approved:
        yield (
            f"the firmware the {name} ran when it was paired, {paired.firmware.version}, is not on"
            f" {section.approved}: unless it has other firmware now, all its reports are rejected"
        )
