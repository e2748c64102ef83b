"""What a table's people have to do, in words: calls, turning, remedies, duties, wagers.

Responsible for: one list of lines for each of these parts of a status; an empty part has no lines.
Not responsible for: the order of the parts and the cards (cli_status), and what is in a snapshot.
Source: package README, "Calls", "Dealing options and turning", "Opening to closing", "Wagers and
payment at the table", "Command line".
"""

import shlex
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass

from controller.views.snapshot_reader import Shown

WIDTH = 100
_INDENT = 11
_HANDS = (("player", "Player's Hand"), ("banker", "Banker's Hand"))
_NO_FACE = ("??", "unread")
_BETWEEN_SHOES = ("closed", "opening", "shoe_over")


def line(name: str, words: str) -> str:
    """A name and what is said of it, however long."""
    return f"{name:<{_INDENT}}{words}"


def wrapped(name: str, words: str, width: int = WIDTH) -> list[str]:
    """The same, on as many lines as it takes."""
    parts = textwrap.wrap(words, max(width - _INDENT, 20), break_on_hyphens=False)
    return [line("" if number else name, part) for number, part in enumerate(parts)]


def _listed(name: str, items: Iterable[str], width: int) -> list[str]:
    """Each thing begins a line; the name stands at the first."""
    lines: list[str] = []
    for words in items:
        lines += wrapped("" if lines else name, words, width)
    return lines


# --- now ------------------------------------------------------------------------------------------


def due_lines(table: Shown, width: int = WIDTH) -> list[str]:
    """What is due: the calls and acts of people, then the cards."""
    return [
        *_listed("now", table.texts("due_calls"), width),
        *wrapped("due", table.text("due"), width),
    ]


def turning_lines(table: Shown) -> list[str]:
    """Who turns what still lies face down."""
    reveal = table.part("reveal")
    if reveal is None:
        return []
    waiting = [
        f"{words}: {_who_turns(table, reveal, hand)}"
        for hand, words in _HANDS
        if any(part.startswith(hand) for part in reveal.texts("face_down"))
    ]
    return [line("turned by", ", ".join(waiting))] if waiting else []


def _who_turns(table: Shown, reveal: Shown, hand: str) -> str:
    seat = reveal.number(f"{hand}_seat")
    if seat:
        return f"seat {seat}"
    unknown = reveal.text("by") == "patrons" and "wagers" not in table.texts("observed")
    return "the patron with the right" if unknown else "the dealer"


# --- irregularities -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Typed:
    """What the commands begin with: the words that name the table, who decides and why."""

    where: tuple[str, ...] = ()
    by: str = ""
    reason: str = ""

    def resolve(self, *words: str) -> str:
        """One command, as a shell reads it."""
        signed = ("--by", self.by or "NAME", "--reason", self.reason or "WHY")
        return shlex.join(("smartshoe", "resolve", *self.where, *signed, *words))

    def act(self, *words: str, reason: bool) -> str:
        """One action, as a shell reads it."""
        signed = ["--by", self.by or "NAME"]
        signed += ["--reason", self.reason or "WHY"] if reason else []
        return shlex.join(("smartshoe", "act", *words, *self.where, *signed))


def irregularity_lines(table: Shown, typed: Typed, width: int = WIDTH) -> list[str]:
    """What is open, the remedy step by step, and what to type to decide."""
    remedy = table.part("remedy") or Shown({})
    lines: list[str] = []
    for numbers, one in _alike(table.parts("irregularities")):
        place = f"coup {one.number('coup')}" if one.number("coup") else "between coups"
        head = f"{numbers} {one.text('code')}, {place}: {one.text('title')}"
        if one.yes("provisional"):
            head += " (while suspended)"
        lines += wrapped("OPEN", head, width)
        lines += wrapped(" clauses", ", ".join(one.texts("clauses")) or "none", width)
        lines += _found_lines(one, width)
    if not lines:
        return _listed("owed", owed_steps(table), width)
    lines += _listed(" permitted", remedy.texts("permitted"), width)
    lines += _listed(" forbidden", remedy.texts("forbidden"), width)
    lines += _listed(" done", remedy.texts("done"), width)
    lines += _listed(" owed", owed_steps(table), width)
    if table.yes("provisional_needed"):
        words = "cards were dealt while suspended: take them over, or void them"
        lines += wrapped(" besides", words, width)
    return lines + _decide_lines(table, remedy, typed, width)


def _alike(irregularities: Iterable[Shown]) -> list[tuple[str, Shown]]:
    """Each irregularity with its number; those of which all the same is known are told once."""
    kinds: list[tuple[list[str], Shown]] = []
    for one in irregularities:
        rest = {**one.values, "number": None}
        for numbers, kind in kinds:
            if {**kind.values, "number": None} == rest:
                numbers.append(one.text("number"))
                break
        else:
            kinds.append(([one.text("number")], one))
    return [(", ".join(numbers), one) for numbers, one in kinds]


def _found_lines(one: Shown, width: int) -> list[str]:
    """What custody proved, at which step; of a card nobody has seen no more than its back."""
    found = one.part("found")
    if found is None:
        return []
    lines = wrapped(" found at", found.text("step"), width)
    lines += wrapped(" proof", found.text("detail"), width)
    face = "" if found.text("card") in _NO_FACE else found.text("card")
    back = f"{found.text('back')} back" if found.text("back") else ""
    tag = f"tag {found.text('tag')}" if found.text("tag") else ""
    return lines + wrapped(" card", ", ".join(filter(None, (face, back, tag))), width)


def owed_steps(table: Shown) -> tuple[str, ...]:
    """What a remedy still asks for. A shoe's own burn is none, nor is the decision itself."""
    remedy, shoe = table.part("remedy"), table.part("shoe")
    if remedy is None or shoe is None:
        return ()
    begun = shoe.number("coups_begun") > 0 or bool(table.parts("irregularities"))
    passed_over = ("decision",) if begun else ("decision", "burn")
    steps = remedy.parts("owed")
    return tuple(one.text("text") for one in steps if one.text("step") not in passed_over)


def _decide_lines(table: Shown, remedy: Shown, typed: Typed, width: int) -> list[str]:
    """Each decision: when it applies, and the command."""
    lines: list[str] = []
    for one in remedy.parts("decisions"):
        lines += wrapped("" if lines else "decide", one.text("when"), width)
        commands = _commands(table, one.text("decision"), typed)
        lines += [line("", f"  {command}") for command in commands]
    return lines


def resolve_commands(table: Shown, typed: Typed) -> list[str]:
    """The exact commands that decide, one per line."""
    commands = (_commands(table, decision, typed) for decision in table.texts("decisions"))
    return [command for each in commands for command in each]


def _commands(table: Shown, decision: str, typed: Typed) -> list[str]:
    provisional: tuple[tuple[str, ...], ...] = ((),)
    if table.yes("provisional_needed"):
        provisional = (("--provisional", "take-over"), ("--provisional", "void"))
    outcomes: tuple[tuple[str, ...], ...] = ((),)
    if decision == "state-outcome":
        outcomes = tuple(("--outcome", name) for name in ("player", "banker", "tie"))
    return [
        typed.resolve("--decision", decision, *outcome, *cards)
        for outcome in outcomes
        for cards in provisional
    ]


# --- the next shoe --------------------------------------------------------------------------------


def opening_lines(table: Shown, width: int = WIDTH) -> list[str]:
    """The next shoe's duties between shoes; in play only what was done or refused already.

    "record" stands at what the table is told of: it has to be on record before the first card.
    """
    opening = table.part("opening")
    if opening is None:
        return []
    duties = opening.parts("duties")
    lines: list[str] = []
    done = [duty.text("act") for duty in duties if duty.yes("done")]
    phase = table.text("resume_to") or table.text("phase")
    left = [duty for duty in duties if not duty.yes("done")] if phase in _BETWEEN_SHOES else []
    if left or done:
        batch = f"batch {opening.text('batch')}; " if opening.text("batch") else ""
        words = f"{batch}on record: {', '.join(done) or 'nothing'}"
        lines += wrapped("next shoe", words, width)
    for name, told in ((" record", True), (" to do", False)):
        here = [duty for duty in left if duty.yes("observed") is told]
        lines += _listed(name, (f"{one.text('act')}: {one.text('text')}" for one in here), width)
    refused = (f"{one.text('act')}: {one.text('detail')}" for one in opening.parts("refused"))
    return lines + _listed(" refused", refused, width)


# --- wagers ---------------------------------------------------------------------------------------


def wagering_lines(table: Shown, width: int = WIDTH) -> list[str]:
    """Wagers on the layout, what the last coup pays, vigorish that is owed, changed settings."""
    wagering = table.part("wagering")
    if wagering is None:
        return []
    lines = wrapped("wagers", "; ".join(_wagers(wagering)), width)
    refused = (
        f"seat {one.number('seat')}: {one.text('name')}: {one.text('refused')}"
        for one in wagering.parts("wagers")
        if one.text("refused")
    )
    lines += _listed(" refused", refused, width)
    verbal = (f"seat {one.number('seat')} {one.text('amount')}" for one in wagering.parts("verbal"))
    lines += wrapped(" by word", "; ".join(verbal), width)
    if table.part("coup") is None:
        lines += _paid(table, wagering, width)
    owed = (
        f"seat {one.number('seat')} {one.text('amount')}, {one.text('deadline')}"
        for one in wagering.parts("owed")
    )
    lines += _listed("vigorish", owed, width)
    notices = (
        f"{one.text('setting')} will be {one.text('value')}: {one.text('to')} told"
        for one in wagering.parts("notices")
    )
    lines += _listed("notice", notices, width)
    changed = (
        f"{one.text('setting')} is {one.text('value')}, in the file {one.text('file')}"
        for one in wagering.parts("settings")
    )
    return lines + _listed("changed", changed, width)


def _wagers(wagering: Shown) -> list[str]:
    """Seat by seat."""
    seats: dict[int, list[str]] = {}
    for one in wagering.parts("wagers"):
        placed = f"{one.text('name')} {one.text('amount')}"
        seats.setdefault(one.number("seat"), []).append(placed)
    words = [f"seat {seat} {', '.join(placed)}" for seat, placed in seats.items()]
    return [*words, "they stand"] if words and wagering.yes("locked") else words


def _paid(table: Shown, wagering: Shown, width: int) -> list[str]:
    """The dealer's acts of payment; where no wagers are known, what every wager came to."""
    payment, last = wagering.part("payment"), table.part("last_coup")
    if payment is not None and last is not None:
        acts = [act.text("text") for act in payment.parts("steps")]
        if payment.number("coup") == last.number("coup") and acts:
            lines = _listed("pay", acts, width)
            return lines + wrapped(" note", payment.text("note"), width)
    wins = wagering.parts("wins")
    words = [
        f"{one.text('name')} {one.text('odds') or 'returned'}"
        for one in wins
        if one.text("verdict") != "loses"
    ]
    return wrapped("pays", ", ".join(words), width)
