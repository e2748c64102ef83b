"""What the pit of a table has in force, and the words of a person that change it.

Not: the change at this table, which has its own moment and notice (setting_changes).
Source: NY-c-5-uniform, NY-i-3-i, NY-i-3-ii; S42-e-3, S42-j-3-i; controller/rules/settlement/pit.py.

Decisions. [pit] of table.toml says what the pit has; `change-setting` with `pit` says that it has
another value from then on, whether or not this table can follow now. The file has the last word: a
value that people gave ends when [pit] has another than at that time.
"""

from msgspec import UNSET
from msgspec.structs import replace

from controller.procedure.effects import Refusal
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import PitValue, TableState
from controller.procedure.wagering.payment import terms_of
from controller.rules.actions.actions import ChangeSetting
from controller.rules.actions.declaration import name_of
from controller.rules.settlement.pit import (
    PIT_VALUES,
    PitDifference,
    PitSettings,
    binding_key,
    pit_differences,
    shared_settings,
)
from foundation.message import message


def pit_in_force(book: RuleBook, state: TableState) -> PitSettings:
    """What the pit of this table has: by [pit], and by what people said since."""
    pit = book.shared
    for one in () if state.pit_values is UNSET else state.pit_values:
        if book.shared.text(one.key) == one.file_value:
            pit = pit.with_text(one.key, one.value)
    return pit


def differences_from_pit(book: RuleBook, state: TableState) -> tuple[PitDifference, ...]:
    """The settings in which the table differs from its pit; `book` is the one in effect."""
    return pit_differences(terms_of(book), pit_in_force(book, state))


def refuse_pit_value(book: RuleBook, action: ChangeSetting) -> Refusal | None:
    """The refusal of a value that is no value of this table's pit."""
    what = name_of(action)
    if not book.pit:
        return Refusal(what, message("table_is_of_no_pit", typed=action.pit))
    if action.pit != book.pit:
        why = message("table_is_of_other_pit", configured=book.pit, typed=action.pit)
        return Refusal(what, why)
    if action.setting not in PIT_VALUES:
        return Refusal(
            what, message("pit_shares_settings", typed=action.setting, names=tuple(PIT_VALUES))
        )
    allowed = PIT_VALUES[action.setting]
    if action.value.strip() not in allowed:
        return Refusal(
            what,
            message("pit_value_is_one_of", setting=action.setting, names=allowed),
        )
    return None


def is_bound(book: RuleBook, setting: str) -> bool:
    """Whether the pit binds this setting of the table."""
    return any(one.setting == setting for one in shared_settings(terms_of(book)))


def with_pit_value(book: RuleBook, state: TableState, action: ChangeSetting) -> TableState:
    """The state in which the pit has this value."""
    key = binding_key(terms_of(book), pit_in_force(book, state), action.setting)
    before = () if state.pit_values is UNSET else state.pit_values
    value = PitValue(key, action.value.strip(), book.shared.text(key))
    others = tuple(one for one in before if one.key != key)
    return replace(state, pit_values=(*others, value))
