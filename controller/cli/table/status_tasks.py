"""Lines of `status` about what people have to do: calls, turning, remedies, duties, wagers."""

import shlex
import textwrap
from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from controller.procedure.phases import Phase
from controller.record.snapshot import (
    DecisionView,
    IrregularityView,
    Snapshot,
    SuspensionView,
    TurningView,
    WageringView,
)
from controller.rules.actions.choices import FloorDecision
from controller.rules.outcome import Outcome
from controller.rules.profiles.borrowing import describe_citation
from controller.system.messages.quantity import cards_in_coups

WIDTH = 100
LABEL_WIDTH = 11
_BETWEEN_SHOES = (Phase.CLOSED, Phase.OPENING, Phase.SHOE_OVER)


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


def due_lines(table: Snapshot, width: int = WIDTH) -> list[str]:
    """What is due: first calls and acts of people, then cards."""
    return [
        *_item_lines("now", table.due_calls, width),
        *wrapped_lines("due", table.due, width),
    ]


def turning_lines(table: Snapshot) -> list[str]:
    """Who turns the cards that still lie face down."""
    if table.coup is None:
        return []
    turning = table.coup.turning
    hands = (
        ("player", "Player's Hand", turning.player_seat),
        ("banker", "Banker's Hand", turning.banker_seat),
    )
    waiting = [
        f"{words}: {_who_turns(table, turning, seat)}"
        for hand, words, seat in hands
        if any(part.startswith(hand) for part in turning.face_down)
    ]
    return [labelled_line("turned by", ", ".join(waiting))] if waiting else []


def _who_turns(table: Snapshot, turning: TurningView, seat: int | None) -> str:
    if seat:
        return f"seat {seat}"
    unknown = turning.by == "patrons" and "wagers" not in table.observed
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


def irregularity_lines(table: Snapshot, hints: CommandHints, width: int = WIDTH) -> list[str]:
    """Open irregularities, the remedy step by step, and the commands that decide."""
    lines: list[str] = []
    for head, one in _open_irregularities(table):
        lines += wrapped_lines("OPEN", head, width)
        lines += wrapped_lines(" clauses", _clauses_text(one), width)
        lines += _found_lines(one, width)
    if not lines:
        return _item_lines("owed", table.owed_steps, width)
    lines += _remedy_lines(table, width)
    return [*lines, *_dealt_on_lines(table, width), *_decide_lines(table, hints, width)]


def decision_lines(table: Snapshot, hints: CommandHints, width: int) -> list[str]:
    """What a floorperson needs first: what was dealt on, what is open, the template to decide."""
    heads = [head for head, _ in _open_irregularities(table)]
    if not heads:
        return _item_lines("owed", table.owed_steps, width)
    lines = _dealt_on_lines(table, width)
    for head in heads:
        lines += wrapped_lines("OPEN", head, width)
    return [*lines, *_decide_template(table, hints, width)]


def decision_detail_lines(table: Snapshot, width: int) -> list[str]:
    """The clauses of what is open, its evidence, and the remedy step by step."""
    lines: list[str] = []
    for _, one in _open_irregularities(table):
        clauses = _clauses_text(one)
        lines += wrapped_lines("clauses", f"{one.code}: {clauses}", width)
        lines += _found_lines(one, width)
    return [*lines, *_remedy_lines(table, width)] if lines else []


def _clauses_text(one: IrregularityView) -> str:
    cited = (describe_citation(name, one.borrowed.get(name)) for name in one.clauses)
    return ", ".join(cited) or "none"


def _remedy_lines(table: Snapshot, width: int) -> list[str]:
    return [
        *_item_lines(" permitted", table.remedy.permitted, width),
        *_item_lines(" forbidden", table.remedy.forbidden, width),
        *_item_lines(" done", table.remedy.done, width),
        *_item_lines(" owed", table.owed_steps, width),
    ]


def _dealt_on_lines(table: Snapshot, width: int) -> list[str]:
    return wrapped_lines(" dealt on", describe_dealt_on(table.suspension), width)


def describe_dealt_on(dealt: SuspensionView | None) -> str:
    """The number of cards and coups dealt while suspended; empty if it is not suspended."""
    if dealt is None:
        return ""
    words = f"{cards_in_coups(dealt.cards, dealt.coups)} while suspended"
    return f"{words}: take them over, or void them" if dealt.cards else words


def _open_irregularities(table: Snapshot) -> list[tuple[str, IrregularityView]]:
    """Open irregularities with a heading each, those that suspend the table first.

    Those that differ only in number and coup share a heading.
    """
    kinds: list[tuple[IrregularityView, list[IrregularityView]]] = []
    for one in table.irregularities:
        kind = replace(one, number=0, coup=0)
        alike = next((same for known, same in kinds if known == kind), None)
        if alike is None:
            kinds.append((kind, [one]))
        else:
            alike.append(one)
    kinds.sort(key=lambda kind: not kind[0].suspends)
    return [(_heading(same), same[0]) for _, same in kinds]


def _heading(alike: list[IrregularityView]) -> str:
    """Numbers, code, coups and title of irregularities that are alike."""
    first = alike[0]
    coups = sorted({one.coup for one in alike} - {0})
    places = ["between coups"] if any(not one.coup for one in alike) else []
    if coups:
        places.append(f"coup{'s' if len(coups) > 1 else ''} {_ranges(coups)}")
    numbers = _ranges([one.number for one in alike])
    words = f"{numbers} {first.code}, {' and '.join(places)}: {first.title}"
    return f"{words} (while suspended)" if first.provisional else words


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


def _found_lines(one: IrregularityView, width: int) -> list[str]:
    """The custody finding; a card that nobody has seen is shown by its back only."""
    found = one.found
    if found is None:
        return []
    lines = wrapped_lines(" found at", found.step, width)
    lines += wrapped_lines(" proof", found.detail.value or "", width)
    back = f"{found.back} back" if found.back else ""
    tag = f"tag {found.tag.value}" if found.tag.value else ""
    words = ", ".join(filter(None, (found.card.value, back, tag)))
    return lines + wrapped_lines(" card", words, width)


def _decide_lines(table: Snapshot, hints: CommandHints, width: int) -> list[str]:
    """Each decision: when it applies, and the command."""
    lines: list[str] = []
    for one in table.remedy.decisions:
        lines += wrapped_lines("" if lines else "decide", one.when, width)
        lines += [labelled_line("", f"  {command}") for command in _commands(one, hints)]
    return lines


def _decide_template(table: Snapshot, hints: CommandHints, width: int) -> list[str]:
    """One command for all decisions, then each decision by its word and when it applies."""
    decisions = table.remedy.decisions
    if not decisions:
        return []
    words = [one.decision.value for one in decisions]
    command = f"{hints.resolve('--decision')} {'|'.join(words)}"
    if FloorDecision.STATE_OUTCOME.value in words:
        command += " [--outcome player|banker|tie]"
    if table.suspension is not None and table.suspension.cards:
        command += " --provisional take-over|void"
    when = (f"{one.decision}: {one.when}" for one in decisions)
    return [*wrapped_lines("decide", command, width), *_item_lines(" when", when, width)]


def resolve_commands(table: Snapshot, hints: CommandHints) -> list[str]:
    """The complete commands that decide, for each possible decision."""
    return [command for one in table.remedy.decisions for command in _commands(one, hints)]


def _commands(one: DecisionView, hints: CommandHints) -> list[str]:
    provisional = tuple(("--provisional", choice) for choice in one.provisional) or ((),)
    outcomes: tuple[tuple[str, ...], ...] = ((),)
    if one.decision is FloorDecision.STATE_OUTCOME:
        outcomes = tuple(("--outcome", outcome) for outcome in Outcome)
    return [
        hints.resolve("--decision", one.decision, *outcome, *cards)
        for outcome in outcomes
        for cards in provisional
    ]


# --- the next shoe --------------------------------------------------------------------------------


def opening_lines(table: Snapshot, width: int = WIDTH) -> list[str]:
    """The next shoe's duties between shoes; in play only those already done or refused.

    "record" labels acts that must be on record before the first card; "to do" labels acts that the
    table does not observe.
    """
    opening, duties = table.opening, table.opening.duties
    lines: list[str] = []
    done = [duty.act for duty in duties if duty.done]
    phase = (table.suspension.resume_to if table.suspension is not None else table.phase).value
    left = [duty for duty in duties if not duty.done] if phase in _BETWEEN_SHOES else []
    if left or done:
        batch = f"batch {opening.batch}; " if opening.batch else ""
        words = f"{batch}on record: {', '.join(done) or 'nothing'}"
        lines += wrapped_lines("next shoe", words, width)
    for name, observed in ((" record", True), (" to do", False)):
        here = [duty for duty in left if duty.observed is observed]
        lines += _item_lines(name, (f"{one.act}: {one.text}" for one in here), width)
    refused = (f"{one.act}: {one.detail}" for one in opening.refused)
    return lines + _item_lines(" refused", refused, width)


# --- wagers ---------------------------------------------------------------------------------------


def wagering_lines(table: Snapshot, width: int = WIDTH) -> list[str]:
    """Wagers on the layout, what the last coup pays, owed vigorish, changed settings."""
    wagering, differing = table.wagering, table.wagering.pit_differences
    lines = wrapped_lines("wagers", "; ".join(_wagers(wagering)), width)
    refused = (
        f"seat {one.seat}: {one.name}: {one.refused}" for one in wagering.wagers if one.refused
    )
    lines += _item_lines(" refused", refused, width)
    verbal = (f"seat {one.seat} {one.amount}" for one in wagering.verbal)
    lines += wrapped_lines(" verbal", "; ".join(verbal), width)
    if table.coup is None:
        lines += _paid(table, width)
    owed = (f"seat {one.seat} {one.amount}, {one.deadline}" for one in wagering.owed)
    lines += _item_lines("vigorish", owed, width)
    notices = (f"{one.setting} will be {one.value}: {one.to} notified" for one in wagering.notices)
    lines += _item_lines("notice", notices, width)
    changed = (f"{one.setting} is {one.value}, in the file {one.file}" for one in wagering.settings)
    lines += _item_lines("changed", changed, width)
    apart = (f"{one.setting} is {one.value}, its pit has {one.of_pit}" for one in differing)
    return lines + _item_lines("PIT", apart, width)


def _wagers(wagering: WageringView) -> list[str]:
    """The wagers of each seat."""
    seats: dict[int, list[str]] = {}
    for one in wagering.wagers:
        placed = f"{one.name} {one.amount}"
        seats.setdefault(one.seat, []).append(placed)
    words = [f"seat {seat} {', '.join(placed)}" for seat, placed in seats.items()]
    return [*words, "locked"] if words and wagering.locked else words


def _paid(table: Snapshot, width: int) -> list[str]:
    """The dealer's acts of payment; without known wagers the odds of every winning wager."""
    payment, last = table.wagering.payment, table.last_coup
    if payment is not None and last is not None and payment.coup == last.number and payment.steps:
        lines = _item_lines("pay", (step.text for step in payment.steps), width)
        return lines + wrapped_lines(" note", payment.note, width)
    wins = table.wagering.wins
    words = (f"{one.name} {one.odds or 'returned'}" for one in wins if one.verdict != "loses")
    return wrapped_lines("pays", ", ".join(words), width)
