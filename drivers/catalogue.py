"""Catalogue of device models: the one place where the program finds a model by its name."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from drivers.model import BadDeviceSettings, DeviceKind, DeviceModel, MissingDriver
from drivers.plug_ins import load_model, plug_in_names
from drivers.readers.models import MODELS as READERS
from drivers.scanners.models import MODELS as SCANNERS
from drivers.shoes.models import MODELS as SHOES
from drivers.shuffler_events import ShuffleProof
from drivers.shufflers.models import MODELS as SHUFFLERS
from drivers.shufflers.tablelink_receipts import read_receipt

AnyModel: TypeAlias = DeviceModel[Any]

_MODELS: Final[tuple[AnyModel, ...]] = (*SHOES, *SHUFFLERS, *READERS, *SCANNERS)
# The model of a section that names none.
DEFAULT_MODELS: Final[Mapping[DeviceKind, str]] = MappingProxyType(
    {one.kind: one.name for one in reversed(_MODELS)}
)
# The only format of shuffle receipts.
RECEIPT_FORM: Final = "TableLink/1"


def model_names(kind: DeviceKind) -> tuple[str, ...]:
    """The names of all models of one kind that are part of the program."""
    return tuple(one.name for one in _MODELS if one.kind is kind)


def find_model(kind: DeviceKind, name: str) -> AnyModel:
    """The model of that name: one of the program, else of a plug-in. Raises BadDeviceSettings."""
    for one in _MODELS:
        if (one.kind, one.name) == (kind, name):
            return one
    plug_in = load_model(name)
    if plug_in is not None and plug_in.kind is kind:
        return plug_in
    allowed = ", ".join((*model_names(kind), *plug_in_names()))
    raise BadDeviceSettings(
        f"{name!r} is not allowed. Allowed: {allowed}. Remedy: use one of them, or install the"
        " distribution that has it"
    )


def option_name(model: AnyModel) -> str:
    """The name of a model for an option `--model`: a shuffler may have that of a shoe."""
    taken = model.kind is not DeviceKind.SHOE and model.name in model_names(DeviceKind.SHOE)
    return f"{model.name}-{model.kind}" if taken else model.name


def find_by_option(name: str) -> AnyModel:
    """The model that `option_name` names so. Raises BadDeviceSettings."""
    known = {option_name(one): one for one in _every_model()}
    if name in known:
        return known[name]
    raise BadDeviceSettings(
        f"--model: {name!r} is not known. Allowed: {', '.join(known)}. Remedy: use one of them"
    )


def _every_model() -> Iterator[AnyModel]:
    return (find_model(kind, name) for kind in DeviceKind for name in model_names(kind))


def find_stored_model(kind: DeviceKind, name: str, plug_in: str) -> AnyModel:
    """The model that a record names, in the version of the record. Raises MissingDriver."""
    installed = ""
    with suppress(BadDeviceSettings):
        model = find_model(kind, name)
        if model.plug_in == plug_in:
            return model
        installed = f"; installed is {model.plug_in or 'a model of the program by that name'}"
    wanted = plug_in or f"a version of the program that has {name!r}"
    raise MissingDriver(
        f"{kind}.model: {name!r} is of {wanted}, which is not installed{installed}. Remedy: install"
        f" {wanted}"
    )


def open_receipt(sealed: bytes, key: bytes) -> ShuffleProof | None:
    """Open a shuffle receipt; None where it is not signed with that key."""
    return read_receipt(sealed, key)
