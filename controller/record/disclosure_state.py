"""What people have seen at a table, as far as its entries say: small, stored, and carried along.

Source: D-8 (a scan is not disclosure); S42-g-3-i, NY-e-1.
"""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.core.tape.entries import Entry, EventVerdicts
from controller.procedure.effects import (
    BurnDone,
    CoupClosed,
    CoupRecord,
    SettingChanged,
    ShoeEnded,
    ShoeOpened,
)
from controller.procedure.events import CardDrawn, ReportsMissing
from controller.procedure.people.setting_changes import DECKS, changed_book, setting_text
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import ChangedSetting, TableState
from controller.record.disclosure import coup_withheld
from controller.record.snapshot import Withheld
from controller.rules.cards import Card
from controller.rules.setting_values import BurnDisclosure, DealOption

# More cards than a coup, its errors and a burn have are of no coup: they stay undisclosed.
WAITING_MAX: Final = 512


class DisclosureState(Struct, frozen=True):
    """What people have seen of the shoe in play, or of the last one.

    `face_up`: each card is seen at its draw. `burn_shown`: every burn card is, not only the first.
    `changed` are the settings that were changed at the table, None where they are not known: then
    cards are shown as at a table that deals face down. `waiting` are the cards that left the shoe
    and belong to no finished coup or burn, None where not read; `burning` until the burn is done.
    """

    face_up: bool = False
    burn_shown: bool = False
    changed: tuple[ChangedSetting, ...] | None = ()
    gaming_day: str = ""
    shoe: int = 0
    burning: bool = False
    waiting: tuple[Card | None, ...] = ()

    def by_rules(self, book: RuleBook | None) -> "DisclosureState":
        """By the rules of the run with the settings changed at the table; None: unreadable."""
        rules = self.rules_in_force(book)
        if rules is None:
            return replace(self, face_up=False, burn_shown=False)
        return self.shown_by(rules)

    def shown_by(self, rules: RuleBook) -> "DisclosureState":
        """By the rules in force."""
        values = rules.values
        face_up = values.deal_option is DealOption.FACE_UP
        burn_shown = values.burn_cards_disclosed is BurnDisclosure.ALL
        if (face_up, burn_shown) == (self.face_up, self.burn_shown):
            return self
        return replace(self, face_up=face_up, burn_shown=burn_shown)

    def rules_in_force(self, book: RuleBook | None) -> RuleBook | None:
        """The rules with the settings that were changed at the table; None if they are unknown."""
        if book is None or self.changed is None:
            return None
        return changed_book(book, self.changed) if self.changed else book

    def after(self, entry: Entry, book: RuleBook | None) -> "DisclosureState":
        """After an entry; `book` is that of the run, None where it cannot be read."""
        match entry:
            case EventVerdicts(event=CardDrawn(card=card)):
                return self._wait((card,))
            case EventVerdicts(event=ReportsMissing(count_min=count)):
                return self._wait((None,) * min(max(count, 1), WAITING_MAX))
            case BurnDone(removed=removed):
                return replace(self, burning=False, waiting=self.waiting[removed:])
            case CoupClosed(record=record):
                taken = hands_among(self.waiting, record)[1]
                waiting = self.waiting[taken:]
                here = replace(self, gaming_day=record.gaming_day, shoe=record.shoe)
                return replace(here, burning=False, waiting=waiting)
            case ShoeOpened(gaming_day=day, shoe=shoe, joined=joined):
                return replace(self, gaming_day=day, shoe=shoe, burning=not joined, waiting=())
            case ShoeEnded():
                return replace(self, burning=False, waiting=())
            case SettingChanged():
                return self._change(entry, book).by_rules(book)
            case _:
                return self

    def _wait(self, cards: tuple[Card | None, ...]) -> "DisclosureState":
        waiting = (*self.waiting, *cards)
        if len(waiting) > WAITING_MAX:  # a device that reports without end
            waiting = (None,) * WAITING_MAX
        return replace(self, waiting=waiting)

    def _change(self, change: SettingChanged, book: RuleBook | None) -> "DisclosureState":
        """Note a setting that was changed at the table, as the table does."""
        if book is None or self.changed is None:
            return replace(self, changed=None)
        others = tuple(one for one in self.changed if one.setting != change.setting)
        known = next((one for one in self.changed if one.setting == change.setting), None)
        file_value = known.file_value if known else setting_text(book, change.setting)
        if change.new == file_value and change.setting != DECKS:
            return replace(self, changed=others)
        changed = ChangedSetting(change.setting, change.new, file_value, "")
        return replace(self, changed=(*others, changed))


class OnTable(Struct, frozen=True):
    """The coup on the table, by the core's state: the numbers of its irregularities, and why what
    follows from its cards is not shown."""

    irregular: tuple[int, ...] = ()
    withheld: Withheld | None = None

    @staticmethod
    def of(book: RuleBook, table: TableState) -> "OnTable":
        """By the rules in force and the newest state."""
        coup = table.shoe.coup if table.shoe is not None else None
        if coup is None:
            return NOTHING_ON_TABLE
        return OnTable(coup.irregular, coup_withheld(book, coup))


NOTHING_ON_TABLE: Final = OnTable()


def hands_among(
    waiting: Sequence[Card | None], record: CoupRecord
) -> tuple[list[Card | None], int]:
    """The faces of a coup's hands among the cards that wait, and how many of those that takes.

    None is a card in no hand of it, or not read.
    """
    faces: list[Card | None] = [None] * len(waiting)
    taken = 0
    for dealt in record.cards:
        if dealt.card is not None and dealt.card in waiting[taken:]:
            at = waiting.index(dealt.card, taken)
            faces[at] = dealt.card
            taken = at + 1
    return faces[:taken], taken


def in_order(entries: Sequence[Entry]) -> Iterator[Entry]:
    """The entries of one input, a card that opens a shoe after that opening.

    Its verdicts come before what it caused, so also before the shoe that it is the first of.
    """
    first_card: tuple[Entry, ...] = ()
    for number, entry in enumerate(entries):
        drawn = isinstance(entry, EventVerdicts) and isinstance(entry.event, CardDrawn)
        if drawn and _opens_shoe(entries[number + 1 :]):
            first_card = (entry,)
            continue
        yield entry
        if isinstance(entry, ShoeOpened):
            yield from first_card
            first_card = ()


def _opens_shoe(followed_by: Sequence[Entry]) -> bool:
    """Whether an event opened a shoe, by the entries after its verdicts."""
    of_it = takewhile(lambda entry: not isinstance(entry, EventVerdicts), followed_by)
    return any(isinstance(entry, ShoeOpened) for entry in of_it)
