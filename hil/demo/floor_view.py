"""The floor's panel of the live view: the open irregularity with its clauses, or the past ones."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rich.text import Text

from controller.procedure.effects import ResolutionRecorded
from controller.procedure.verdicts import Irregularity
from controller.record.irregularity import irregularity_words
from controller.record.snapshot import IrregularityView, Snapshot
from controller.rules.profiles.borrowing import citation_words
from controller.rules.profiles.clauses import Clause
from controller.rules.profiles.profile import Profile
from controller.system.messages.catalogue import to_words
from foundation.message import Message
from hil.demo.card_glyphs import ALERT_STYLE, TIE_STYLE, Glyphs
from hil.demo.floorperson import NAME, REASON_PREFIX, choose_decision
from hil.demo.follow import JournalEvent

# Each clause as it is shown, by its id.
Clauses: TypeAlias = Mapping[str, str]

DIM = "dim"
FRAME = "bright_black"
# Without a style, words in a frame would take its colour.
PLAIN, TITLE = "default", "bold default"
LABEL_WIDTH = 11
QUIET = (
    "No irregularity so far. When the procedure is broken the table suspends itself, names the "
    f"clause, and waits for a floorperson; here that is a script, the {NAME}."
)


def floor_title(table: Snapshot, history: Sequence[JournalEvent]) -> tuple[Text, Text, str]:
    """Title, subtitle and border style of the floor's panel."""
    pending = table.irregularities
    if not pending:
        count = sum(isinstance(one, Irregularity) for one in history)
        return Text("floor", TITLE), Text(f"{count} so far" if count else "", PLAIN), FRAME
    first = next((one for one in pending if one.suspends), pending[0])
    more = f" and {len(pending) - 1} more" if len(pending) > 1 else ""
    title = Text(f"{first.code}{more}", ALERT_STYLE)
    decision, why = choose_decision(table)
    subtitle = Text.assemble(
        (f"{NAME}: ", PLAIN), (decision, f"bold {TIE_STYLE}"), (f", {why}", PLAIN)
    )
    return title, subtitle, ALERT_STYLE


def floor_lines(
    table: Snapshot,
    history: Sequence[JournalEvent],
    clauses: Clauses,
    glyphs: Glyphs,
    width: int,
    rows: int,
    careless: bool,
) -> list[Text]:
    """At most `rows` lines, none wider than `width`."""
    pending = table.irregularities
    steps = [("done", table.remedy.done), ("owed", table.owed_steps)]
    if not pending:
        owed = _fitting(_step_items(steps[1:]), width, rows)
        return [*owed, *_past(history, clauses, glyphs, width, rows - len(owed))]
    first = next((one for one in pending if one.suspends), pending[0])
    details = {
        one.number: irregularity_words(one) for one in history if isinstance(one, Irregularity)
    }
    items = _irregularity_items(first, details.get(first.number, ""), clauses)
    lines = _fitting([*items, *_step_items(steps)], width, rows)
    if careless and len(lines) < rows:
        careless_text = (
            "The careless dealer deals on: what comes now counts only if it is taken over."
        )
        lines.append(Text(careless_text, DIM, no_wrap=True, overflow="ellipsis"))
    return lines


@dataclass(frozen=True, slots=True)
class _TextItem:
    """A labelled text; without room for all the lowest `rank` comes first."""

    rank: int
    label: str
    style: str
    words: str

    def lines(self, width: int) -> list[Text]:
        room = max(width - LABEL_WIDTH, 20)
        parts = textwrap.wrap(self.words, room) or [""]
        return [
            Text(no_wrap=True, overflow="ellipsis")
            .append(f"{self.label if number == 0 else '':<{LABEL_WIDTH}}", self.style)
            .append(part)
            for number, part in enumerate(parts)
        ]


def _irregularity_items(one: IrregularityView, detail: str, clauses: Clauses) -> list[_TextItem]:
    """One irregularity: what happened, by which clauses, what is permitted and forbidden."""
    where = f"coup {one.coup}" if one.coup else "no coup"
    # The detail begins with the title; without a detail the title is shown.
    items = [_TextItem(0, where, ALERT_STYLE, detail or one.title)]
    for number, name in enumerate(one.clauses):
        label = "" if number else "clause"
        items.append(_TextItem(2 + 3 * number, label, "bold", clauses.get(name, name)))
    for rank, label, style, texts in (
        (3, "permitted", "green", one.permitted),
        (4, "forbidden", "red", one.forbidden),
    ):
        for number, words in enumerate(texts):
            items.append(_TextItem(rank + 3 * number, "" if number else label, style, words))
    return items


def _step_items(steps: Sequence[tuple[str, Sequence[str]]]) -> list[_TextItem]:
    """What has been done for a remedy, and what is still owed."""
    return [
        _TextItem(5, "" if number else name, TIE_STYLE, words)
        for name, texts in steps
        for number, words in enumerate(texts)
    ]


def _fitting(items: Sequence[_TextItem], width: int, rows: int) -> list[Text]:
    """The lines of the items of lowest rank that fit, in their order."""
    chosen: set[int] = set()
    left = rows
    for index in sorted(range(len(items)), key=lambda each: items[each].rank):
        length = len(items[index].lines(width))
        if length <= left:
            chosen.add(index)
            left -= length
    return [line for index in sorted(chosen) for line in items[index].lines(width)]


def _past(
    history: Sequence[JournalEvent], clauses: Clauses, glyphs: Glyphs, width: int, rows: int
) -> list[Text]:
    """The irregularities of this shoe with their decisions, the newest first.

    With their clauses if there is room for all.
    """
    decided = {
        number: one
        for one in history
        if isinstance(one, ResolutionRecorded)
        for number in one.closed
    }
    raised = [one for one in reversed(history) if isinstance(one, Irregularity)]
    if not raised:
        quiet = textwrap.wrap(QUIET, max(width, 20))
        return [Text(part, DIM, no_wrap=True) for part in quiet][:rows]
    lines: list[Text] = []
    for one in raised:
        where = f"coup {one.coup}" if one.coup else "no coup"
        kind = (one.code.value, ALERT_STYLE)
        lines.append(_past_line((where, DIM), kind, (f"  {to_words(Message(one.code.value))}", "")))
        if 3 * len(raised) <= rows:
            cited = [clauses.get(name, name) for name in one.clauses[:1]]
            lines += [_past_line(("", ""), (clause, "")) for clause in cited]
        decision = decided.get(one.number)
        if decision is not None:
            why = decision.reason.removeprefix(REASON_PREFIX)
            what = (f"{glyphs.arrow} {decision.decision}", TIE_STYLE)
            lines.append(_past_line(("", ""), what, (f"  {decision.person}: {why}", DIM)))
    return lines[:rows]


def _past_line(label: tuple[str, str], *parts: tuple[str, str]) -> Text:
    padded = (f"{label[0]:<{LABEL_WIDTH}}", label[1])
    return Text.assemble(padded, *parts, no_wrap=True, overflow="ellipsis")


def shown_clauses(profile: Profile, catalogue: Mapping[str, Clause]) -> Clauses:
    """Every clause with its text; one that the profile's document borrows says so."""
    return {
        name: f"{citation_words(profile.own_clauses, (name,))}: {clause.text}"
        for name, clause in catalogue.items()
    }
