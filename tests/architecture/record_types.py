"""The types of the record as its description shows them: structs by tag, fields, closed sets."""

from enum import Enum
from typing import get_origin

from msgspec import Struct, inspect
from recorded_texts import parts_of

from controller.core.settings import Settings
from controller.core.stored_settings import Settings1
from controller.core.tape.entries import Entry
from controller.core.tape.records import RecordedInput
from controller.custody.manifest import Manifest
from drivers.readers.feig_model import FeigReaderSettings
from drivers.shoes.angel_eye_model import AngelEyeSettings
from drivers.shoes.rfid_model import RfidSettings

# Encoded in the bytes of a field: `Started.configuration`, `DeviceSettings.driver`,
# `ManifestGiven.content`.
EMBEDDED = (Settings, Settings1, AngelEyeSettings, RfidSettings, FeigReaderSettings, Manifest)
PLAIN = {
    inspect.IntType: "number",
    inspect.BoolType: "boolean",
    inspect.NoneType: "nothing",
    inspect.BytesType: "bytes",
    inspect.StrType: "text",
}
OF_PARTS = (inspect.Metadata, inspect.UnionType, inspect.VarTupleType, inspect.TupleType)


class RecordTypes:
    """Every struct and enum that the type of a record reaches, in the order of first use."""

    def __init__(self) -> None:
        self.structs: dict[type[Struct], inspect.StructType] = {}
        self.enums: dict[type[Enum], None] = {}
        self.inputs = self._union(RecordedInput)
        self.entries = self._union(Entry)
        for one in EMBEDDED:
            self._walk(inspect.type_info(one))

    def _union(self, hint: object) -> tuple[type[Struct], ...]:
        info = inspect.type_info(hint)
        self._walk(info)
        assert isinstance(info, inspect.UnionType)
        return tuple(class_of(one) for one in info.types if isinstance(one, inspect.StructType))

    def _walk(self, one: inspect.Type) -> None:
        if isinstance(one, inspect.StructType):
            if class_of(one) not in self.structs:
                self.structs[class_of(one)] = one
                for field in one.fields:
                    self._walk(field.type)
        elif isinstance(one, inspect.EnumType):
            self.enums[one.cls] = None
        else:
            assert type(one) in (*PLAIN, *OF_PARTS), f"the format has no {one}"
            for part in parts_of(one):
                self._walk(part)


def class_of(kind: inspect.StructType) -> type[Struct]:
    """The class itself, of a generic one without what it is of."""
    found: type[Struct] = get_origin(kind.cls) or kind.cls
    return found


def tag_of(kind: inspect.StructType) -> str:
    """The text that names a struct in the bytes; empty where nothing else can stand there."""
    return "" if kind.tag is None else str(kind.tag)
