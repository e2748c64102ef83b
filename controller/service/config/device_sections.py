"""The device sections of table.toml: types, bounds and defaults: shoe, shuffler, readers, USB."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, Self

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    create_model,
    field_validator,
    model_validator,
)

from controller.core.manifest_binding import is_batch_name
from controller.core.settings import DeviceSettings, ReaderDeviceSettings, ShufflerDeviceSettings
from controller.rules.actions.declaration import (
    PEOPLE_AT_DEVICES,
    PEOPLE_AT_THE_TABLE,
    SUPERVISORS,
    Role,
)
from controller.service.config.sections import FileName, Line, Section
from controller.service.config.trust import TrustSection
from drivers.catalogue import DEFAULT_MODELS, AnyModel, find_model, model_names
from drivers.commands import ShufflerOrder
from drivers.model import BadDeviceSettings, DeviceKind, ReaderSeat, SettingField
from firmware_bridge.attestation import Trust
from firmware_bridge.transport.allow_list import parse_allow_entry
from firmware_bridge.transport.port import LineSettings, Parity
from firmware_bridge.transport.port_url import GpioUrl, parse_port_url

WIRE_LOG_LEVELS: Final = ("off", "bytes", "frames", "events")

_SEATS: Final = (ReaderSeat.DISCARD_RACK, ReaderSeat.LAYOUT)
DEFAULT_ORDER_ROLES: Final[Mapping[ShufflerOrder, tuple[Role, ...]]] = MappingProxyType(
    {
        ShufflerOrder.LOAD: PEOPLE_AT_THE_TABLE,
        ShufflerOrder.COUNT: PEOPLE_AT_THE_TABLE,
        ShufflerOrder.SHUFFLE: PEOPLE_AT_THE_TABLE,
        ShufflerOrder.STORE: PEOPLE_AT_THE_TABLE,
        ShufflerOrder.RELEASE: SUPERVISORS,
        ShufflerOrder.STATUS: PEOPLE_AT_DEVICES,
        ShufflerOrder.SELF_TEST: (*SUPERVISORS, Role.ENGINEER),
        ShufflerOrder.ABORT: SUPERVISORS,
        ShufflerOrder.SERVICE: (),
        ShufflerOrder.SORT: (),
        # For supervisors, so that they can return the device from another mode set at its panel.
        ShufflerOrder.PLAY: SUPERVISORS,
    }
)


def one_of(words: tuple[str, ...], word: str) -> str:
    """Return the word. Raises ValueError if it is not one of `words`."""
    if word not in words:
        allowed = ", ".join(words)
        raise ValueError(f"{word!r} is not allowed. Allowed: {allowed}. Remedy: use one of them")
    return word


def _seat(name: str) -> str:
    return one_of(_SEATS, name)


def _wire_log_level(word: str) -> str:
    return one_of(WIRE_LOG_LEVELS, word)


def _port(url: str) -> str:
    parse_port_url(url)
    return url


def _batch_name(name: str) -> str:
    if not is_batch_name(name):
        raise ValueError(
            f'{name!r} is not a batch name. Allowed: letters, digits, "-", "_" and ".". Remedy:'
            " name"
            " a batch that `smartshoe batch list` shows"
        )
    return name


def _batch_names(names: list[str]) -> list[str]:
    for name in names:
        _batch_name(name)
        if names.count(name) > 1:
            raise ValueError(f"{name!r} is listed more than once. Remedy: list it once")
    return names


def _allowed(entries: list[str]) -> list[str]:
    for entry in entries:
        parse_allow_entry(entry)
    return entries


Port = Annotated[str, AfterValidator(_port)]
Baud = Annotated[int, Field(ge=300, le=4_000_000)]


class DeviceSection(Section):
    """A device. The keys that are its model's alone are added by `section_type`."""

    kind: ClassVar[DeviceKind]
    settings_of: ClassVar[AnyModel | None] = None

    port: Port
    model: str
    baud: Baud | None = None

    @field_validator("model")
    @classmethod
    def _known_model(cls, name: str) -> str:
        find_model(cls.kind, name)
        return name

    @model_validator(mode="after")
    def _check_settings(self) -> Self:
        self.driver_settings()
        contacts = find_model(self.kind, self.model).contacts_only
        if isinstance(parse_port_url(self.port), GpioUrl) and not contacts:
            raise ValueError(
                f"port: {self.port} is lines of a chip, which {self.model} does not speak over."
                " Allowed: lines, for a shuffler that shows only contacts. Remedy: name the port"
                " of the device, or its model"
            )
        return self

    @property
    def line(self) -> LineSettings:
        """Speed and parity of its line: 0 and none at a USB interface."""
        model = find_model(self.kind, self.model)
        return LineSettings(self.baud or model.baud, Parity(model.parity or Parity.NONE))

    @property
    def plug_in(self) -> str:
        return find_model(self.kind, self.model).plug_in

    def device(self) -> tuple[str, str, bytes]:
        """Port, model and settings of its driver, as the core has them."""
        return self.port, self.model, self.driver_settings()

    def driver_settings(self) -> bytes:
        """The settings of its driver, as a record holds them. Raises ValueError."""
        if self.settings_of is None:
            return b""
        values = {one.name: getattr(self, one.name) for one in self.settings_of.setting_fields}
        return self.settings_of.to_store(self.settings_of.with_values(values))


def section_type(section: type[Section], document: object) -> type[Section]:
    """The type of a section with the keys of the model that it names.

    A model that is not known is a problem of its own; then other keys are not looked at.
    """
    if not issubclass(section, DeviceSection) or not isinstance(document, dict):
        return section
    name = document.get("model", section.model_fields["model"].default)
    if not isinstance(name, str):
        return section
    try:
        model = find_model(section.kind, name)
    except BadDeviceSettings:
        return type(section.__name__, (section,), {"model_config": ConfigDict(extra="ignore")})
    fields = {one.name: (_checked(one), one.default) for one in model.setting_fields}
    made: type[DeviceSection] = create_model(  # type: ignore[call-overload]
        section.__name__, __base__=section, **fields
    )
    made.settings_of = model
    return made


def known_keys(section: type[Section]) -> tuple[str, ...]:
    """The keys of a section with any model of the program."""
    if not issubclass(section, DeviceSection):
        return tuple(section.model_fields)
    models = [find_model(section.kind, name) for name in model_names(section.kind)]
    own = (one.name for model in models for one in model.setting_fields)
    return tuple(dict.fromkeys((*section.model_fields, *own)))


def _checked(field: SettingField) -> object:
    def check(value: object) -> object:
        field.check(value)
        return value

    return Annotated[Any, AfterValidator(check)]


class ShoeSection(DeviceSection, TrustSection):
    kind = DeviceKind.SHOE

    model: str = DEFAULT_MODELS[DeviceKind.SHOE]
    allow_commands: bool = False
    log_level_wire: Annotated[str, AfterValidator(_wire_log_level)] = "off"

    def settings(self, trust: Trust) -> DeviceSettings:
        """The core's settings of this device."""
        commands = self.allow_commands
        return DeviceSettings(
            *self.device(), allow_commands=commands, trust=trust, plug_in=self.plug_in
        )


class ReaderSection(DeviceSection):
    kind = DeviceKind.READER

    model: str = DEFAULT_MODELS[DeviceKind.READER]
    seat: Annotated[str, AfterValidator(_seat)]

    def settings(self) -> ReaderDeviceSettings:
        """The core's settings of this device."""
        seat = ReaderSeat(self.seat)
        return ReaderDeviceSettings(*self.device(), plug_in=self.plug_in, seat=seat)


class ScannerSection(DeviceSection):
    kind = DeviceKind.SCANNER

    def settings(self) -> DeviceSettings:
        """The core's settings of this device."""
        return DeviceSettings(*self.device(), plug_in=self.plug_in)


class BatchesSection(Section):
    folder: FileName = "batches"
    keys: list[FileName] = Field(default_factory=lambda: ["table.key.pub"])
    bound: Annotated[list[Line], AfterValidator(_batch_names)] = Field(default_factory=list)


class UsbSection(Section):
    allow: Annotated[list[Line], AfterValidator(_allowed)] = Field(default_factory=list)


def _order(word: str) -> str:
    return one_of(tuple(ShufflerOrder), word)


def _role(word: str) -> str:
    return one_of(tuple(Role), word)


def _no_duplicates(roles: list[str]) -> list[str]:
    for role in roles:
        if roles.count(role) > 1:
            raise ValueError(f"{role!r} is listed more than once. Remedy: list it once")
    return roles


_Order = Annotated[str, AfterValidator(_order)]
_Roles = Annotated[list[Annotated[str, AfterValidator(_role)]], AfterValidator(_no_duplicates)]


class ShufflerSection(DeviceSection, TrustSection):
    kind = DeviceKind.SHUFFLER

    model: str = DEFAULT_MODELS[DeviceKind.SHUFFLER]
    allow_commands: bool = False
    orders: dict[_Order, _Roles] = Field(default_factory=dict)

    def settings(self, trust: Trust) -> ShufflerDeviceSettings:
        """The core's settings. Orders that the file does not name have their default roles."""
        return ShufflerDeviceSettings(
            *self.device(),
            allow_commands=self.allow_commands,
            orders=tuple(
                (order.value, roles) for order in ShufflerOrder if (roles := self._roles_for(order))
            ),
            trust=trust,
            plug_in=self.plug_in,
            by_contacts=find_model(self.kind, self.model).contacts_only,
        )

    def _roles_for(self, order: ShufflerOrder) -> tuple[str, ...]:
        names = self.orders.get(order.value, list(DEFAULT_ORDER_ROLES[order]))
        return tuple(role.value for role in Role if role in names)
