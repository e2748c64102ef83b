"""Reads a rig: a TOML file with its devices, power switches, card feeder and capabilities.

Source: https://toml.io/en/v1.0.0.
"""

import re
import tomllib
from collections.abc import Iterator
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from string import Formatter
from typing import Final

import msgspec
from msgspec import Struct, structs

from controller.system.atomic_file import SmallFileError, decode_text
from hil.scenario.benches.labgrid_place import RESOURCE, LabgridPlace
from hil.scenario.rigs.capabilities import Capability

PERSON: Final = "person"
PTY, TCP = "pty", "tcp"
EMULATOR, FIRMWARE = "emulator", "firmware"
_SUFFIX: Final = ".toml"
_SHOES: Final = {"angel-eye": Capability.ANGEL_EYE, "rfid": Capability.RFID}
_KEY: Final = re.compile(r"^(?P<problem>.*?)(?: - at `(?P<path>[^`]*)`)?$", re.DOTALL)
_BRACES: Final = {"power": frozenset({"state"}), "feeder": frozenset({"card", "batch", "tag"})}


class RigKind(StrEnum):
    """What a scenario is played on."""

    SIMULATED = "simulated"
    EMULATED = "emulated"
    FIRMWARE = "firmware"
    BENCH = "bench"


class RigFileError(Exception):
    """A rig's file cannot be used; each line has file, key, what is allowed and a remedy."""


class RigShoe(Struct, frozen=True, forbid_unknown_fields=True):
    """The dealing shoe: the models that the rig has, and its line: pty, tcp or a port."""

    models: tuple[str, ...]
    line: str = ""


class RigShuffler(Struct, frozen=True, forbid_unknown_fields=True):
    """The shuffler: emulator, firmware or a port."""

    device: str


class RigPower(Struct, frozen=True, forbid_unknown_fields=True):
    """The command that switches each device's power, or `person`; empty where nothing does."""

    shoe: str = ""
    shuffler: str = ""


class RigFeeder(Struct, frozen=True, forbid_unknown_fields=True):
    """The command that draws a chosen card, or `person`."""

    command: str = PERSON


class CommissionedTable(Struct, frozen=True, forbid_unknown_fields=True):
    """The folder of a commissioned table: keys, identities, batches, and sections.toml."""

    folder: str


class RigFile(Struct, frozen=True, forbid_unknown_fields=True):
    """A rig as its file describes it. `capabilities` are those that no other key implies.

    `labgrid`: the place that its devices are resources of, at another machine.
    """

    name: str
    title: str
    kind: RigKind
    shoe: RigShoe
    capabilities: tuple[Capability, ...] = ()
    shuffler: RigShuffler | None = None
    power: RigPower = RigPower()
    feeder: RigFeeder | None = None
    table: CommissionedTable | None = None
    labgrid: LabgridPlace | None = None

    @property
    def can(self) -> frozenset[Capability]:
        """Every capability of the rig."""
        return self.of_other_keys | {*self.capabilities}

    @property
    def of_other_keys(self) -> frozenset[Capability]:
        """The capabilities that do not stand in `capabilities`."""
        found = {_SHOES[one] for one in self.shoe.models if one in _SHOES}
        found |= {Capability.SHUFFLER} if self.shuffler else set()
        found |= {Capability.CHOSEN_CARDS} if self.feeder else set()
        for part in self.power.__struct_fields__:
            found |= {Capability(f"power-{part}")} if getattr(self.power, part) else set()
        return frozenset(found)


def rig_names() -> tuple[str, ...]:
    """The rigs that come with the bench."""
    names = (Path(one.name) for one in (files("hil") / "rigs").iterdir())
    return tuple(sorted(one.stem for one in names if one.suffix == _SUFFIX))


def read_rig(name_or_path: str) -> RigFile:
    """A rig that comes with the bench, by its name, or that of a file. Raises RigFileError."""
    if name_or_path in rig_names():
        text = (files("hil") / "rigs" / f"{name_or_path}{_SUFFIX}").read_text("utf-8")
        return parse_rig(text, f"{name_or_path}{_SUFFIX}")
    path = Path(name_or_path)
    if path.suffix != _SUFFIX:
        allowed = f"{', '.join(rig_names())}, or the path of a .toml file"
        raise RigFileError(
            f"--rig: there is no rig {name_or_path!r}. Allowed: {allowed}. Remedy: use one of them"
        )
    try:
        rig = parse_rig(decode_text(path.read_bytes(), str(path)), str(path))
    except OSError as error:
        why = error.strerror
        raise RigFileError(f"{path}: cannot be read: {why}. Remedy: correct the path") from error
    except SmallFileError as error:
        raise RigFileError(str(error)) from error
    if rig.table is None:
        return rig
    # Relative to the rig's file.
    return structs.replace(rig, table=CommissionedTable(str(path.parent / rig.table.folder)))


def parse_rig(text: str, place: str) -> RigFile:
    """The rig of a text. Raises RigFileError with every problem behind `place`."""
    try:
        rig = msgspec.convert(tomllib.loads(text), RigFile)
    except tomllib.TOMLDecodeError as error:
        raise RigFileError(f"{place}: {error}. Remedy: correct the TOML there") from error
    except msgspec.ValidationError as error:
        raise RigFileError(f"{place}: {_in_words(str(error))}") from error
    if problems := list(_problems(rig)):
        raise RigFileError("\n".join(f"{place}: {one}" for one in problems))
    return rig


def _in_words(problem: str) -> str:
    """A problem of msgspec with its key, what is allowed there, and a remedy."""
    found = _KEY.fullmatch(problem)
    assert found is not None, "every text has a problem"
    key = (found["path"] or "$").removeprefix("$").lstrip(".")
    words = f"`{key}`: {found['problem']}" if key else found["problem"]
    allowed = ""
    if key.startswith("capabilities"):
        allowed = ", ".join(Capability)
    elif key == "kind":
        allowed = ", ".join(RigKind)
    elif "unknown field" in problem:
        kinds: dict[str, type[Struct]] = {
            "shoe": RigShoe,
            "shuffler": RigShuffler,
            "power": RigPower,
            "feeder": RigFeeder,
            "table": CommissionedTable,
            "labgrid": LabgridPlace,
        }
        allowed = ", ".join(kinds.get(key, RigFile).__struct_fields__)
    allowed = f". Allowed: {allowed}" if allowed else ""
    return f"{words}{allowed}. Remedy: see the rigs of hil/rigs"


def _problems(rig: RigFile) -> Iterator[str]:
    """What fits no rig of this kind."""
    bench = rig.kind is RigKind.BENCH
    unknown = [one for one in rig.shoe.models if one not in _SHOES]
    if unknown or not rig.shoe.models:
        what = f'there is no model "{unknown[0]}"' if unknown else "no model is named"
        yield f"`shoe.models`: {what}. Allowed: {', '.join(_SHOES)}. Remedy: use one of them"
    if bench and (rig.shoe.line in ("", PTY, TCP)):
        yield (
            "`shoe.line`: a bench has a real shoe. Allowed: a port such as /dev/ttyUSB0 or"
            " socket://HOST:PORT. Remedy: name it; `smartshoe devices list` shows the ports"
        )
    if not bench and rig.shoe.line not in ("", PTY, TCP):
        yield f"`shoe.line`: an emulated shoe has no port. Allowed: {PTY}, {TCP}. Remedy: use one"
    if not bench and rig.shuffler and rig.shuffler.device not in (EMULATOR, FIRMWARE):
        yield (
            f"`shuffler.device`: there is no such device. Allowed: {EMULATOR}, {FIRMWARE}."
            " Remedy: use one of them"
        )
    if not bench and (rig.feeder is not None or rig.table is not None or rig.power != RigPower()):
        key = "feeder" if rig.feeder else "table" if rig.table else "power"
        yield (
            f"`{key}`: an emulated device needs no command and no commissioned table."
            " Allowed: `capabilities` alone. Remedy: take the key out"
        )
    yield from _place_problems(rig)
    for twice in sorted({*rig.capabilities} & rig.of_other_keys):
        yield f'`capabilities`: "{twice}" follows from another key. Remedy: take it out'
    if bench:
        yield from _power_problems(rig)
        yield from _brace_problems(rig)


def resources_of_the_place(rig: RigFile) -> dict[str, str]:
    """The resources of labgrid's place that the rig names, by the key that names them."""
    keys = {
        "shoe.line": rig.shoe.line,
        "shuffler.device": rig.shuffler.device if rig.shuffler is not None else "",
        "power.shoe": rig.power.shoe,
        "power.shuffler": rig.power.shuffler,
    }
    return {
        key: one.removeprefix(RESOURCE) for key, one in keys.items() if one.startswith(RESOURCE)
    }


def _place_problems(rig: RigFile) -> Iterator[str]:
    if rig.kind is not RigKind.BENCH and rig.labgrid is not None:
        yield (
            "`labgrid`: emulated devices stand at no place. Allowed: it, in a rig of kind"
            f" {RigKind.BENCH.value}. Remedy: take the table out"
        )
    named = resources_of_the_place(rig)
    for key in named if rig.labgrid is None else ():
        yield (
            f"`{key}`: it is a resource of labgrid, and no place is named. Allowed: the table"
            " `labgrid` with coordinator and place. Remedy: add it, or name a port or a command"
        )


def _power_problems(rig: RigFile) -> Iterator[str]:
    for part in rig.power.__struct_fields__:
        if f"power-{part}" in rig.capabilities and not getattr(rig.power, part):
            yield (
                f'`capabilities`: "power-{part}" needs a switch. Allowed: a command, or {PERSON},'
                f" in `power.{part}`. Remedy: name it there, and take the capability out"
            )
    if Capability.POWER_TABLE in rig.capabilities:
        yield (
            '`capabilities`: "power-table" would end the bench itself, whose computer runs the'
            " program. Remedy: take it out"
        )


def _brace_problems(rig: RigFile) -> Iterator[str]:
    """Words in braces that no command knows, such as {sate}."""
    commands = [(f"power.{one}", getattr(rig.power, one)) for one in rig.power.__struct_fields__]
    if rig.feeder is not None:
        commands.append(("feeder.command", rig.feeder.command))
    for key, command in commands:
        allowed = _BRACES[key.partition(".")[0]]
        try:
            used = {name for _, name, _, _ in Formatter().parse(command) if name is not None}
        except ValueError:
            used = {command}
        for wrong in sorted(used - allowed):
            words = ", ".join(f"{{{one}}}" for one in sorted(allowed))
            yield f"`{key}`: {{{wrong}}} is not known. Allowed: {words}. Remedy: correct it"
        switched = command not in ("", PERSON) and not command.startswith(RESOURCE)
        if key.startswith("power.") and switched and not used:
            yield f"`{key}`: it does not say on or off. Allowed: {{state}}. Remedy: put it in"
