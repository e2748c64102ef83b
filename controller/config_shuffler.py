"""The section [shuffler] of table.toml: which device it is, and who may order what of it.

Responsible for: its keys, each with its type, bounds and default.
Not responsible for: whom it trusts (config_identity), the words of a problem (config_problems) and
for what an order does (drivers).
Source: package README, "Configuration", "Devices of a table".
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Final

from pydantic import AfterValidator, Field

from controller.actions import PEOPLE_AT_THE_TABLE, SUPERVISORS, Role
from controller.config_devices import Baud, Port, one_of
from controller.config_identity import TrustSection
from controller.settings import ShufflerDeviceSettings
from drivers.catalogue import SHUFFLER_MODELS, TABLELINK
from drivers.commands import ShufflerOrder
from firmware_bridge.attestation import Trust

ORDERS_BY_DEFAULT: Final[Mapping[ShufflerOrder, tuple[Role, ...]]] = MappingProxyType(
    {
        ShufflerOrder.LOAD: PEOPLE_AT_THE_TABLE,
        ShufflerOrder.COUNT: PEOPLE_AT_THE_TABLE,
        ShufflerOrder.SHUFFLE: PEOPLE_AT_THE_TABLE,
        ShufflerOrder.STORE: PEOPLE_AT_THE_TABLE,
        ShufflerOrder.RELEASE: SUPERVISORS,
        ShufflerOrder.STATUS: tuple(Role),
        ShufflerOrder.SELF_TEST: SUPERVISORS,
        ShufflerOrder.ABORT: SUPERVISORS,
        ShufflerOrder.SERVICE: (),
        ShufflerOrder.SORT: (),
        # Whoever may bring the device into another mode at its own panel has to get it back.
        ShufflerOrder.PLAY: SUPERVISORS,
    }
)


def _model(name: str) -> str:
    return one_of(tuple(SHUFFLER_MODELS), name)


def _order(word: str) -> str:
    return one_of(tuple(ShufflerOrder), word)


def _role(word: str) -> str:
    return one_of(tuple(Role), word)


def _once(roles: list[str]) -> list[str]:
    for role in roles:
        if roles.count(role) > 1:
            raise ValueError(f"{role!r} stands there more than once; write it once")
    return roles


_Order = Annotated[str, AfterValidator(_order)]
_Roles = Annotated[list[Annotated[str, AfterValidator(_role)]], AfterValidator(_once)]


class ShufflerSection(TrustSection):
    port: Port
    model: Annotated[str, AfterValidator(_model)] = TABLELINK
    baud: Baud | None = None
    allow_commands: bool = False
    orders: dict[_Order, _Roles] = Field(default_factory=dict)

    def settings(self, trust: Trust) -> ShufflerDeviceSettings:
        """What the core takes of it. An order that the file does not name goes by the default."""
        return ShufflerDeviceSettings(
            port=self.port,
            model=self.model,
            allow_commands=self.allow_commands,
            orders=tuple(
                (order.value, roles) for order in ShufflerOrder if (roles := self._may(order))
            ),
            trust=trust,
        )

    def _may(self, order: ShufflerOrder) -> tuple[str, ...]:
        told = self.orders.get(order.value, list(ORDERS_BY_DEFAULT[order]))
        return tuple(role.value for role in Role if role in told)
