"""The rule book with the settings that were changed at a table.

Source: D-27.

Decisions. A change holds until table.toml or its profile has another value than when the change
was made: the file has the last word. Where the file was changed so that the settings contradict
each other, none of the changes holds.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from msgspec.structs import replace

from controller.procedure.people.change_moments import parse_value
from controller.procedure.rulebook import RuleBook
from controller.procedure.states.wagering import ChangedSetting
from controller.rules.profiles.house_profile import Change, House, apply_house
from controller.rules.profiles.profile import Profile, ProfileError, ProfileValue
from controller.rules.profiles.setting_types import describe_value

DECKS: Final = "decks_per_shoe"
CACHED_BOOKS_MAX: Final = 16


# Called for every event; equal settings give an equal book, so the cache is not observable.
@lru_cache(maxsize=CACHED_BOOKS_MAX)
def changed_book(book: RuleBook, settings: tuple[ChangedSetting, ...]) -> RuleBook:
    """The book with these changes; `book` is the one without any."""
    holding = changes_in_force(book, settings)
    if not holding:
        return book
    try:
        profile = changed_profile(book.profile, holding, stored=True)
    except ProfileError:
        return book
    by_table = any(one.setting == DECKS for one in holding)
    decks = profile.rules.decks_per_shoe if by_table else book.decks
    changed = RuleBook.of(profile, decks, book.observed)
    return replace(
        book,
        profile=profile,
        unchanged=book.profile,
        decks=decks,
        citations=changed.citations,
    )


def changes_in_force(
    book: RuleBook, settings: tuple[ChangedSetting, ...]
) -> tuple[ChangedSetting, ...]:
    """The changes whose file value is unchanged; `book` is the one without changes."""
    return tuple(one for one in settings if one.file_value == setting_text(book, one.setting))


def setting_text(book: RuleBook, setting: str) -> str:
    """The value of a setting at the table, as text; the number of decks is the table's."""
    return (
        str(book.decks) if setting == DECKS else describe_value(book.profile.value(setting).value)
    )


def changed_profile(
    profile: Profile, settings: Iterable[ChangedSetting], *, stored: bool = False
) -> Profile:
    """The profile with these settings. Raises ProfileError where its clauses refuse one.

    `stored`: the table has them already.
    """
    changes = tuple(
        Change(one.setting, parse_value(one.setting, one.value), one.reason) for one in settings
    )
    # What a house has chosen for itself it may choose again.
    opened = replace(profile, values=tuple(_unfixed(value) for value in profile.values))
    house = House(profile.name, profile.name, profile.title, profile.source, changes)
    changed = apply_house(house, opened, stored=stored)
    values = zip(profile.values, opened.values, changed.values, strict=True)
    merged = tuple(own if now is before else now for own, before, now in values)
    return replace(changed, values=merged, base=profile.base)


def _unfixed(value: ProfileValue) -> ProfileValue:
    return replace(value, assumed=True) if value.house else value
