"""Catalogue of device models: the one place where the program finds a model by its name."""
# ruff: noqa: PLC0415 - a table loads the drivers and protocols of its own models, not of all.

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from drivers.model import BadDeviceSettings, DeviceKind, DeviceModel, MissingDriver
from drivers.plug_ins import load_model, plug_in_names
from drivers.shuffler_events import ShuffleProof

AnyModel: TypeAlias = DeviceModel[Any]


def _angel_eye() -> AnyModel:
    from drivers.shoes.angel_eye_model import ANGEL_EYE_II_EX

    return ANGEL_EYE_II_EX


def _rfid_shoe() -> AnyModel:
    from drivers.shoes.rfid_model import FEIG_RFID

    return FEIG_RFID


def _tablelink_shoe() -> AnyModel:
    from drivers.shoes.tablelink_model import TABLELINK_SHOE

    return TABLELINK_SHOE


def _tablelink_shuffler() -> AnyModel:
    from drivers.shufflers.tablelink_model import TABLELINK_SHUFFLER

    return TABLELINK_SHUFFLER


def _contacts_shuffler() -> AnyModel:
    from drivers.shufflers.contacts_model import CONTACTS_SHUFFLER

    return CONTACTS_SHUFFLER


def _feig_reader() -> AnyModel:
    from drivers.readers.feig_model import FEIG_READER

    return FEIG_READER


def _hid_pos() -> AnyModel:
    from drivers.scanners.hid_pos_model import HID_POS

    return HID_POS


def _hid_pos_plain() -> AnyModel:
    from drivers.scanners.hid_pos_model import HID_POS_PLAIN

    return HID_POS_PLAIN


def _zebra_ssi() -> AnyModel:
    from drivers.scanners.ssi_model import ZEBRA_SSI

    return ZEBRA_SSI


# By kind and name, in the order of lists; a section that names no model has the first of its kind.
_MODELS: Final[Mapping[DeviceKind, Mapping[str, Callable[[], AnyModel]]]] = MappingProxyType(
    {
        DeviceKind.SHOE: {
            "angel-eye-ii-ex": _angel_eye,
            "feig-rfid": _rfid_shoe,
            "tablelink": _tablelink_shoe,
        },
        DeviceKind.SHUFFLER: {"tablelink": _tablelink_shuffler, "contacts": _contacts_shuffler},
        DeviceKind.READER: {"feig-reader": _feig_reader},
        DeviceKind.SCANNER: {
            "hid-pos": _hid_pos,
            "hid-pos-plain": _hid_pos_plain,
            "zebra-ssi": _zebra_ssi,
        },
    }
)
DEFAULT_MODELS: Final[Mapping[DeviceKind, str]] = MappingProxyType(
    {kind: next(iter(models)) for kind, models in _MODELS.items()}
)
# The only format of shuffle receipts.
RECEIPT_FORM: Final = "TableLink/1"


def model_names(kind: DeviceKind) -> tuple[str, ...]:
    """The names of all models of one kind that are part of the program."""
    return tuple(_MODELS[kind])


def find_model(kind: DeviceKind, name: str) -> AnyModel:
    """The model of that name: one of the program, else of a plug-in. Raises BadDeviceSettings."""
    load = _MODELS[kind].get(name)
    if load is not None:
        return load()
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
    from drivers.shufflers.tablelink_receipts import read_receipt

    return read_receipt(sealed, key)
