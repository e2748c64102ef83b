"""Whom a table trusts: a device's pairing and the firmware it may run, as table.toml names them.

Responsible for: the keys `identity`, `approved`, `approved_keys` and `bare` of a section, what is
wrong with them and with the files they name, and the trust that follows.
Not responsible for: the files' forms (identity_files, approved_firmware) and for judging a device
(firmware_bridge.attestation).
Source: package README, "Configuration", "The shuffler's identity", "Approved firmware".
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from controller.commissioning.firmware_list import ApprovedList, believed_list
from controller.commissioning.pairing_file import PairedDevice, PairedRole, load_pairing
from controller.config.sections import FileName, Section, file_path
from controller.system.atomic_file import SmallFileError
from controller.system.keys import KeyFileError, load_public
from firmware_bridge.attestation import NO_TRUST, Trust


def _file_or_none(text: str) -> str:
    return file_path(text) if text else text


class TrustSection(Section):
    """The keys of a device that may have an identity; an empty name is no file."""

    identity: Annotated[str, AfterValidator(_file_or_none)] = ""
    approved: Annotated[str, AfterValidator(_file_or_none)] = ""
    approved_keys: list[FileName] = Field(default_factory=list)
    bare: bool = False


@dataclass(frozen=True, slots=True)
class TrustFound:
    """Whom a device's section trusts; with problems nobody."""

    trust: Trust = NO_TRUST
    problems: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(slots=True)
class _Files:
    """What the files gave, and what is wrong with them."""

    paired: PairedDevice | None = None
    approved: ApprovedList | None = None
    problems: list[str] = field(default_factory=list)


def trust_of(role: PairedRole, told: TrustSection, folder: Path, *, needed: bool) -> TrustFound:
    """Whom the section of a device trusts; paths are relative to `folder`.

    `needed`: its model has an identity, so that nothing of it is taken without trust.
    """
    name = role.value
    problems = tuple(_unneeded(name, told) if not needed else _lacking(name, told))
    if problems or not needed:
        return TrustFound(problems=problems)
    if told.bare:
        remark = (
            f"the {name} is let in without an identity (bare = true): nobody can tell it from"
            " another device or from changed firmware. Pair one with an identity before there is"
            " play"
        )
        return TrustFound(Trust(bare=True), remarks=(remark,))
    found = _files(role, told, folder)
    if found.paired is None or found.approved is None or found.problems:
        return TrustFound(problems=tuple(found.problems))
    trust = Trust(pin=found.paired.pin, approved=found.approved.images())
    return TrustFound(trust, remarks=tuple(_remarks(name, told, found.paired, trust)))


def _unneeded(name: str, told: TrustSection) -> Iterator[str]:
    for key in TrustSection.model_fields:
        if getattr(told, key):
            yield f"{name}.{key}: a device of this model has no identity. Remedy: take the key out"


def _lacking(name: str, told: TrustSection) -> Iterator[str]:
    if told.bare and told.identity:
        yield (
            f"{name}.bare: a device that has an identity is not bare. Remedy: take out bare = true,"
            " or on a bench take out identity"
        )
    if told.bare:
        return
    if not told.identity:
        yield (
            f"{name}.identity: it is missing, so that nothing of the {name} would be taken. Remedy:"
            f" pair it with `smartshoe identity pair PORT --out {name}.identity.json --person"
            f' NAME` and write identity = "{name}.identity.json" below [{name}]; for a device'
            " without an identity, on a bench alone, write bare = true"
        )
        return
    if not told.approved:
        yield (
            f"{name}.approved: it is missing, so that no firmware may run. Remedy: make the list"
            " with `smartshoe firmware approve --list approved.json --key table.key --image"
            f' FIRMWARE --version V --counter N` and write approved = "approved.json" below'
            f" [{name}]"
        )
    if not told.approved_keys:
        yield (
            f"{name}.approved_keys: it is empty, so that nobody may approve firmware. Remedy: write"
            f' approved_keys = ["table.key.pub"] below [{name}], or the public key of who may'
        )


def _files(role: PairedRole, told: TrustSection, folder: Path) -> _Files:
    found = _Files()
    name = role.value
    try:
        found.paired = load_pairing(folder / told.identity)
    except SmallFileError as error:
        found.problems.append(f"{name}.identity: {error}")
    else:
        if found.paired.role is not role:
            found.problems.append(
                f"{name}.identity: {folder / told.identity} is of a {found.paired.role.value}."
                f" Remedy: name the file of the {name}"
            )
    try:
        keys = tuple(load_public(folder / key) for key in told.approved_keys)
        found.approved = believed_list(folder / told.approved, keys)
    except KeyFileError as error:
        found.problems.append(f"{name}.approved_keys: {error}")
    except SmallFileError as error:
        found.problems.append(f"{name}.approved: {error}")
    return found


def _remarks(name: str, told: TrustSection, paired: PairedDevice, trust: Trust) -> Iterator[str]:
    if paired.firmware not in trust.approved:
        yield (
            f"the firmware the {name} ran when it was paired, {paired.firmware.version}, is not on"
            f" {told.approved}: unless it has other firmware by now, nothing of it is taken"
        )
