"""Lines of `status` about what people have to do: calls, turning, remedies, duties, wagers.

Source: controller/procedure/README.md, "Calls", "Dealing options and turning", "Opening to
closing", "Wagers and payment at the table"; controller/cli/README.md, "Command line".
"""

import shlex
import textwrap
from collections.abc import Iterable

from msgspec import Struct

from controller.profiles.borrowing import describe_citation
from controller.views.quantity import cards_in_coups
from controller.views.snapshot_reader import SnapshotPart

WIDTH = 100
LABEL_WIDTH = 11
_HANDS = (("player", "Player's Hand"), ("banker", "Banker's Hand"))
_NO_FACE = ("??", "unread")
_BETWEEN_SHOES = ("closed", "opening", "shoe_over")


def labelled_line(name: str, words: str) -> str:
    """A label and its text on one line, however long."""
    return f"{name:<{LABEL_WIDTH}}{words}"


def wrapped_lines(name: str, words: str, width: int = WIDTH) -> list[str]:
    """A label and its text, wrapped to `width` columns; no lines for an empty text."""
    parts = textwrap.wrap(words, max(width - LABEL_WIDTH, 20), break_on_hyphens=False)
    return [labelled_line("" if number else name, part) for number, part in enumerate(parts)]


def _item_lines(name: str, items: Iterable[str], width: int) -> list[str]:
    """Each item begins a line; the label is on the first."""
    lines: list[str] = []
    for words in items:
        lines += wrapped_lines("" if lines else name, words, width)
    return lines


# --- now ------------------------------------------------------------------------------------------


def due_lines(table: SnapshotPart, width: int = WIDTH) -> list[str]:
    """What is due: first calls and acts of people, then cards."""
    return [
        *_item_lines("now", table.texts("due_calls"), width),
        *wrapped_lines("due", table.text("due"), width),
    ]


def turning_lines(table: SnapshotPart) -> list[str]:
    """Who turns the cards that still lie face down."""
    reveal = table.part("reveal")
    if reveal is None:
        return []
    waiting = [
        f"{words}: {_who_turns(table, reveal, hand)}"
        for hand, words in _HANDS
        if any(part.startswith(hand) for part in reveal.texts("face_down"))
    ]
    return [labelled_line("turned by", ", ".join(waiting))] if waiting else []


def _who_turns(table: SnapshotPart, reveal: SnapshotPart, hand: str) -> str:
    seat = reveal.number(f"{hand}_seat")
    if seat:
        return f"seat {seat}"
    unknown = reveal.text("by") == "patrons" and "wagers" not in table.texts("observed")
    return "the patron with the right" if unknown else "the dealer"


# --- irregularities -------------------------------------------------------------------------------


class CommandHints(Struct, frozen=True):
    """Builds the commands to type: table options, person and reason are filled in if known.

    `as_template`: where several commands differ in one word only, one line shows them all.
    """

    table_options: tuple[str, ...] = ()
    by: str = ""
    reason: str = ""
    as_template: bool = False

    def resolve(self, *words: str) -> str:
        """A `smartshoe resolve` command, quoted for a shell."""
        signed = ("--by", self.by or "NAME", "--reason", self.reason or "WHY")
        return shlex.join(("smartshoe", "resolve", *self.table_options, *signed, *words))

    def act(self, *words: str, reason: bool) -> str:
        """A `smartshoe act` command, quoted for a shell."""
        signed = ["--by", self.by or "NAME"]
        signed += ["--reason", self.reason or "WHY"] if reason else []
        return shlex.join(("smartshoe", "act", *words, *self.table_options, *signed))


def irregularity_lines(table: SnapshotPart, hints: CommandHints, width: int = WIDTH) -> list[str]:
    """Open irregularities, the remedy step by step, and the commands that decide."""
    lines: list[str] = []
    for head, one in _open_irregularities(table):
        lines += wrapped_lines("OPEN", head, width)
        lines += wrapped_lines(" clauses", _clauses_text(one), width)
        lines += _found_lines(one, width)
    if not lines:
        return _item_lines("owed", owed_steps(table), width)
    lines += _remedy_lines(table, width)
    return [*lines, *_dealt_on_lines(table, width), *_decide_lines(table, hints, width)]


def decision_lines(table: SnapshotPart, hints: CommandHints, width: int) -> list[str]:
    """What a floorperson needs first: what was dealt on, what is open, the template to decide."""
    heads = [head for head, _ in _open_irregularities(table)]
    if not heads:
        return _item_lines("owed", owed_steps(table), width)
    lines = _dealt_on_lines(table, width)
    for head in heads:
        lines += wrapped_lines("OPEN", head, width)
    return [*lines, *_decide_template(table, hints, width)]


def decision_detail_lines(table: SnapshotPart, width: int) -> list[str]:
    """The clauses of what is open, its evidence, and the remedy step by step."""
    lines: list[str] = []
    for _, one in _open_irregularities(table):
        clauses = _clauses_text(one)
        lines += wrapped_lines("clauses", f"{one.text('code')}: {clauses}", width)
        lines += _found_lines(one, width)
    return [*lines, *_remedy_lines(table, width)] if lines else []


def _clauses_text(one: SnapshotPart) -> str:
    borrowed = one.part("borrowed") or SnapshotPart({})
    cited = (describe_citation(name, borrowed.text(name) or None) for name in one.texts("clauses"))
    return ", ".join(cited) or "none"


def _remedy_lines(table: SnapshotPart, width: int) -> list[str]:
    remedy = table.part("remedy") or SnapshotPart({})
    return [
        *_item_lines(" permitted", remedy.texts("permitted"), width),
        *_item_lines(" forbidden", remedy.texts("forbidden"), width),
        *_item_lines(" done", remedy.texts("done"), width),
        *_item_lines(" owed", owed_steps(table), width),
    ]


def _dealt_on_lines(table: SnapshotPart, width: int) -> list[str]:
    dealt_on = describe_dealt_on(table.part("dealt_while_suspended"))
    return wrapped_lines(" dealt on", dealt_on, width)


def describe_dealt_on(dealt: SnapshotPart | None) -> str:
    """The number of cards and coups dealt while suspended; empty if it is not suspended."""
    if dealt is None:
        return ""
    cards = dealt.number("cards")
    words = f"{cards_in_coups(cards, dealt.number('coups'))} while suspended"
    return f"{words}: take them over, or void them" if cards else words


def _open_irregularities(table: SnapshotPart) -> list[tuple[str, SnapshotPart]]:
    """Open irregularities with a heading each, those that suspend the table first.

    Those that differ only in number and coup share a heading.
    """
    kinds: list[tuple[list[SnapshotPart], dict[str, object]]] = []
    for one in table.parts("irregularities"):
        rest = {**one.values, "number": None, "coup": None}
        alike = next((same for same, values in kinds if values == rest), None)
        if alike is None:
            kinds.append(([one], rest))
        else:
            alike.append(one)
    ordered = sorted(kinds, key=lambda kind: not kind[0][0].yes("suspends"))
    return [(_heading(same), same[0]) for same, _ in ordered]


def _heading(alike: list[SnapshotPart]) -> str:
    """Numbers, code, coups and title of irregularities that are alike."""
    first = alike[0]
    coups = sorted({one.number("coup") for one in alike} - {0})
    places = ["between coups"] if any(not one.number("coup") for one in alike) else []
    if coups:
        places.append(f"coup{'s' if len(coups) > 1 else ''} {_ranges(coups)}")
    numbers = _ranges([one.number("number") for one in alike])
    words = f"{numbers} {first.text('code')}, {' and '.join(places)}: {first.text('title')}"
    return f"{words} (while suspended)" if first.yes("provisional") else words


def _ranges(numbers: list[int]) -> str:
    """Ascending numbers such as `1 to 3, 7`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    words = (f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)
    return ", ".join(words)


def _found_lines(one: SnapshotPart, width: int) -> list[str]:
    """The custody finding; a card that nobody has seen is shown by its back only."""
    found = one.part("found")
    if found is None:
        return []
    lines = wrapped_lines(" found at", found.text("step"), width)
    lines += wrapped_lines(" proof", found.text("detail"), width)
    face = "" if found.text("card") in _NO_FACE else found.text("card")
    back = f"{found.text('back')} back" if found.text("back") else ""
    tag = f"tag {found.text('tag')}" if found.text("tag") else ""
    return lines + wrapped_lines(" card", ", ".join(filter(None, (face, back, tag))), width)


def owed_steps(table: SnapshotPart) -> tuple[str, ...]:
    """Steps a remedy still requires, without the shoe's own burn and the decision itself."""
    remedy, shoe = table.part("remedy"), table.part("shoe")
    if remedy is None or shoe is None:
        return ()
    begun = shoe.number("coups_begun") > 0 or bool(table.parts("irregularities"))
    passed_over = ("decision",) if begun else ("decision", "burn")
    steps = remedy.parts("owed")
    return tuple(one.text("text") for one in steps if one.text("step") not in passed_over)


def _decide_lines(table: SnapshotPart, hints: CommandHints, width: int) -> list[str]:
    """Each decision: when it applies, and the command."""
    lines: list[str] = []
    for one in _decisions(table):
        lines += wrapped_lines("" if lines else "decide", one.text("when"), width)
        commands = _commands(table, one.text("decision"), hints)
        lines += [labelled_line("", f"  {command}") for command in commands]
    return lines


def _decide_template(table: SnapshotPart, hints: CommandHints, width: int) -> list[str]:
    """One command for all decisions, then each decision by its word and when it applies."""
    decisions = _decisions(table)
    if not decisions:
        return []
    words = [one.text("decision") for one in decisions]
    command = f"{hints.resolve('--decision')} {'|'.join(words)}"
    if "state-outcome" in words:
        command += " [--outcome player|banker|tie]"
    if table.yes("provisional_needed"):
        command += " --provisional take-over|void"
    when = (f"{one.text('decision')}: {one.text('when')}" for one in decisions)
    return [*wrapped_lines("decide", command, width), *_item_lines(" when", when, width)]


def _decisions(table: SnapshotPart) -> tuple[SnapshotPart, ...]:
    return (table.part("remedy") or SnapshotPart({})).parts("decisions")


def resolve_commands(table: SnapshotPart, hints: CommandHints) -> list[str]:
    """The complete commands that decide, one for each possible decision."""
    commands = (_commands(table, decision, hints) for decision in table.texts("decisions"))
    return [command for each in commands for command in each]


def _commands(table: SnapshotPart, decision: str, hints: CommandHints) -> list[str]:
    named = (one for one in _decisions(table) if one.text("decision") == decision)
    choices = next((one.texts("provisional") for one in named), ())
    provisional = tuple(("--provisional", choice) for choice in choices) or ((),)
    outcomes: tuple[tuple[str, ...], ...] = ((),)
    if decision == "state-outcome":
        outcomes = tuple(("--outcome", name) for name in ("player", "banker", "tie"))
    return [
        hints.resolve("--decision", decision, *outcome, *cards)
        for outcome in outcomes
        for cards in provisional
    ]


# --- the next shoe --------------------------------------------------------------------------------


def opening_lines(table: SnapshotPart, width: int = WIDTH) -> list[str]:
    """The next shoe's duties between shoes; in play only those already done or refused.

    "record" labels acts that must be on record before the first card; "to do" labels acts that the
    table does not observe.
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
        lines += wrapped_lines("next shoe", words, width)
    for name, observed in ((" record", True), (" to do", False)):
        here = [duty for duty in left if duty.yes("observed") is observed]
        lines += _item_lines(
            name, (f"{one.text('act')}: {one.text('text')}" for one in here), width
        )
    refused = (f"{one.text('act')}: {one.text('detail')}" for one in opening.parts("refused"))
    return lines + _item_lines(" refused", refused, width)


# --- wagers ---------------------------------------------------------------------------------------


def wagering_lines(table: SnapshotPart, width: int = WIDTH) -> list[str]:
    """Wagers on the layout, what the last coup pays, owed vigorish, changed settings."""
    wagering = table.part("wagering")
    if wagering is None:
        return []
    lines = wrapped_lines("wagers", "; ".join(_wagers(wagering)), width)
    refused = (
        f"seat {one.number('seat')}: {one.text('name')}: {one.text('refused')}"
        for one in wagering.parts("wagers")
        if one.text("refused")
    )
    lines += _item_lines(" refused", refused, width)
    verbal = (f"seat {one.number('seat')} {one.text('amount')}" for one in wagering.parts("verbal"))
    lines += wrapped_lines(" verbal", "; ".join(verbal), width)
    if table.part("coup") is None:
        lines += _paid(table, wagering, width)
    owed = (
        f"seat {one.number('seat')} {one.text('amount')}, {one.text('deadline')}"
        for one in wagering.parts("owed")
    )
    lines += _item_lines("vigorish", owed, width)
    notices = (
        f"{one.text('setting')} will be {one.text('value')}: {one.text('to')} notified"
        for one in wagering.parts("notices")
    )
    lines += _item_lines("notice", notices, width)
    changed = (
        f"{one.text('setting')} is {one.text('value')}, in the file {one.text('file')}"
        for one in wagering.parts("settings")
    )
    return lines + _item_lines("changed", changed, width)


def _wagers(wagering: SnapshotPart) -> list[str]:
    """The wagers of each seat."""
    seats: dict[int, list[str]] = {}
    for one in wagering.parts("wagers"):
        placed = f"{one.text('name')} {one.text('amount')}"
        seats.setdefault(one.number("seat"), []).append(placed)
    words = [f"seat {seat} {', '.join(placed)}" for seat, placed in seats.items()]
    return [*words, "locked"] if words and wagering.yes("locked") else words


def _paid(table: SnapshotPart, wagering: SnapshotPart, width: int) -> list[str]:
    """The dealer's acts of payment; without known wagers the odds of every winning wager."""
    payment, last = wagering.part("payment"), table.part("last_coup")
    if payment is not None and last is not None:
        acts = [act.text("text") for act in payment.parts("steps")]
        if payment.number("coup") == last.number("coup") and acts:
            lines = _item_lines("pay", acts, width)
            return lines + wrapped_lines(" note", payment.text("note"), width)
    wins = wagering.parts("wins")
    words = [
        f"{one.text('name')} {one.text('odds') or 'returned'}"
        for one in wins
        if one.text("verdict") != "loses"
    ]
    return wrapped_lines("pays", ", ".join(words), width)
