"""The settings that all tables of a pit share, and where a table differs from its pit.

Not: notices before a change, and when it may be made (procedure).
Source: NY-i-3-i, NY-i-3-ii, NY-c-5-uniform, S42-c-5-uniform, S42-e-3, S42-j-3-i; X-24.

Decisions. Where no clause asks for it, the house's own `[pit]` binds its tables all the same. A
table with `pay_procedure_pit_uniform` off keeps its own order of payment, and one that pays only
(EZ) has neither a procedure of payment nor vigorish that a pit could share (NY-i-2-ez).
"""

from types import MappingProxyType
from typing import Final

from msgspec import Struct

from controller.rules.profiles.rule_points import RulePoint
from controller.rules.setting_values import (
    PayProcedure,
    PitUniform,
    ShuffleFinish,
    VigorishMode,
)
from controller.rules.settlement.terms import Terms

SHUFFLE_FINISH: Final = "shuffle_finish"
PAY_PROCEDURE: Final = "pay_procedure"
BACCARAT_PAY_PROCEDURE: Final = "baccarat_pay_procedure"
VIG_MODE: Final = "vig_mode"
VIG_RATE: Final = "vig_rate"
VIG_RATE_MAX: Final = 5
# What each shared setting may be in a pit, as text.
PIT_VALUES: Final = MappingProxyType(
    {
        SHUFFLE_FINISH: tuple(one.value for one in ShuffleFinish),
        PAY_PROCEDURE: tuple(one.value for one in PayProcedure),
        VIG_MODE: tuple(one.value for one in VigorishMode),
        VIG_RATE: tuple(map(str, range(VIG_RATE_MAX + 1))),
    }
)


class PitSettings(Struct, frozen=True, omit_defaults=True):
    """The settings that all tables of a pit share; empty, or a rate below 0, if not configured.

    `baccarat_pay_procedure` is the pay procedure of the pit's baccarat tables.
    """

    shuffle_finish: str = ""
    pay_procedure: str = ""
    baccarat_pay_procedure: str = ""
    vig_mode: str = ""
    vig_rate: int = -1

    def text(self, key: str) -> str:
        """The value of a key as text, empty if it is not configured."""
        value = getattr(self, key)
        return value if isinstance(value, str) else str(value) if value >= 0 else ""

    def with_text(self, key: str, text: str) -> "PitSettings":
        """The same settings, one with this value."""
        values: dict[str, str | int] = {
            name: getattr(self, name) for name in self.__struct_fields__
        } | {key: int(text) if key == VIG_RATE else text}
        return PitSettings(**values)  # type: ignore[arg-type]


NO_PIT_SETTINGS: Final = PitSettings()
PIT_KEYS: Final = PitSettings.__struct_fields__


class SharedSetting(Struct, frozen=True):
    """A setting of a table that its pit may bind; `clauses` ask for it, none if the house does."""

    setting: str
    own: str
    clauses: tuple[str, ...]


class PitDifference(Struct, frozen=True):
    """A setting in which a table differs from its pit, and the key of [pit] that binds it."""

    setting: str
    key: str
    own: str
    of_pit: str
    clauses: tuple[str, ...]


def shared_settings(terms: Terms) -> tuple[SharedSetting, ...]:
    """The settings of this table that its pit may bind, as text."""
    rules = terms.rules
    found = [(SHUFFLE_FINISH, rules.shuffle_finish.value, RulePoint.SHUFFLE_FINISH_PIT_UNIFORM)]
    pays_only = rules.pay_procedure is PayProcedure.PAY_ONLY
    if rules.pay_pit_uniform is not PitUniform.OFF and not pays_only:
        found.append((PAY_PROCEDURE, rules.pay_procedure.value, RulePoint.PAY_PIT_UNIFORM))
    if rules.vig_mode is not VigorishMode.EZ_NONE:
        found.append((VIG_MODE, rules.vig_mode.value, RulePoint.VIGORISH_UNIFORM))
        found.append((VIG_RATE, str(rules.vig_rate), RulePoint.VIGORISH_UNIFORM))
    return tuple(SharedSetting(setting, own, terms.cite(point)) for setting, own, point in found)


def binding_key(terms: Terms, pit: PitSettings, setting: str) -> str:
    """The key of [pit] that binds a setting: a baccarat table's procedure prevails (NY-i-3-ii)."""
    prevails = setting == PAY_PROCEDURE and pit.baccarat_pay_procedure
    if prevails and terms.cite(RulePoint.PAY_BACCARAT_PREVAILS):
        return BACCARAT_PAY_PROCEDURE
    return setting


def pit_differences(terms: Terms, pit: PitSettings) -> tuple[PitDifference, ...]:
    """All settings in which a table differs from its pit."""
    found: list[PitDifference] = []
    if pit == NO_PIT_SETTINGS:
        return ()
    for one in shared_settings(terms):
        key = binding_key(terms, pit, one.setting)
        of_pit = pit.text(key)
        if of_pit in ("", one.own):
            continue
        prevails = key == BACCARAT_PAY_PROCEDURE
        clauses = terms.cite(RulePoint.PAY_BACCARAT_PREVAILS) if prevails else one.clauses
        found.append(PitDifference(one.setting, key, one.own, of_pit, clauses))
    return tuple(found)
