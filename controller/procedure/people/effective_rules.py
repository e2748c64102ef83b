"""The rule book with the settings that were changed at a table.

Responsible for: making a profile with changed settings, and finding which changes still hold.
Not responsible for: whether a change may be made now (changes) and what it may be (rules.house).
Source: D-27; package README, "Settings that change in play".

Decisions. A change holds until table.toml or its profile says something else than it did when the
change was made: whoever edits the file has the last word. Where the file was changed so that the
settings no longer go together, none of the changes holds.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from controller.procedure.people.change_moments import in_toml
from controller.procedure.rulebook import RuleBook
from controller.procedure.states.wagering import ChangedSetting
from controller.profiles.house_profile import Change, House, house_profile
from controller.profiles.profile import Profile, ProfileError, ProfileValue
from controller.profiles.setting_types import in_words
from firmware_bridge.values import replace

DECKS: Final = "decks_per_shoe"
BOOKS_KEPT_MAX: Final = 16


# Every event asks for it; the book of the same settings is the same, so keeping it shows nowhere.
@lru_cache(maxsize=BOOKS_KEPT_MAX)
def changed_book(book: RuleBook, settings: tuple[ChangedSetting, ...]) -> RuleBook:
    """The book with these changes; `book` is one without any."""
    holding = in_force(book, settings)
    if not holding:
        return book
    try:
        profile = changed_profile(book.profile, holding)
    except ProfileError:
        return book
    by_table = any(one.setting == DECKS for one in holding)
    decks = profile.rules.decks_per_shoe if by_table else book.decks
    citations = RuleBook.of(profile, decks, book.observed).citations
    return replace(book, profile=profile, unchanged=book.profile, decks=decks, citations=citations)


def in_force(book: RuleBook, settings: tuple[ChangedSetting, ...]) -> tuple[ChangedSetting, ...]:
    """The changes since which the file still says what it said; `book` is one without any."""
    return tuple(one for one in settings if one.file_value == words_of(book, one.setting))


def words_of(book: RuleBook, setting: str) -> str:
    """What a setting holds at the table, in words: the decks are the table's."""
    return str(book.decks) if setting == DECKS else in_words(book.profile.value(setting).value)


def changed_profile(profile: Profile, settings: Iterable[ChangedSetting]) -> Profile:
    """The profile with these settings; ProfileError where its clauses refuse one."""
    changes = tuple(
        Change(one.setting, in_toml(one.setting, one.value), one.reason) for one in settings
    )
    # What a house has chosen for itself it may choose anew.
    opened = replace(profile, values=tuple(_opened(value) for value in profile.values))
    house = House(profile.name, profile.name, profile.title, profile.source, changes)
    changed = house_profile(house, opened)
    values = zip(profile.values, opened.values, changed.values, strict=True)
    kept = tuple(own if now is before else now for own, before, now in values)
    return replace(changed, values=kept, base=profile.base)


def _opened(value: ProfileValue) -> ProfileValue:
    return replace(value, assumed=True) if value.house else value
