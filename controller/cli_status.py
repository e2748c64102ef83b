"""A table's snapshot in words: the block of `status`, and what `resolve` has to offer.

Responsible for: layout and wording. It shows what the snapshot discloses and knows nothing more.
Not responsible for: getting a snapshot (cli_table) and what is in it (snapshot).
Source: package README, "Snapshot", "Command line".
"""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

_INDENT = 11


@dataclass(frozen=True, slots=True)
class Shown:
    """A part of a snapshot, read by key; what is absent reads as empty."""

    values: Mapping[str, object]

    def text(self, key: str) -> str:
        value = self.values.get(key)
        return "" if value is None else str(value)

    def number(self, key: str) -> int:
        value = self.values.get(key)
        return value if isinstance(value, int) else 0

    def yes(self, key: str) -> bool:
        return self.values.get(key) is True

    def has(self, key: str) -> bool:
        return self.values.get(key) is not None

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.values.get(key)
        return tuple(map(str, value)) if isinstance(value, list) else ()

    def part(self, key: str) -> "Shown | None":
        value = self.values.get(key)
        return Shown(value) if isinstance(value, dict) else None

    def parts(self, key: str) -> tuple["Shown", ...]:
        value = self.values.get(key)
        items = value if isinstance(value, list) else []
        return tuple(Shown(item) for item in items if isinstance(item, dict))


def status_block(table: Shown) -> str:
    """One readable block."""
    lines = [
        _line("table", _table_words(table)),
        _line("due", table.text("due")),
        *_shoe_lines(table.part("shoe")),
        *_coup_lines(table),
        _line("device", _device_words(table.part("device"))),
        _line("observed", ", ".join(table.texts("observed")) or "nothing beside the shoe"),
        *irregularity_lines(table),
    ]
    return "\n".join(lines)


def _line(name: str, words: str) -> str:
    return f"{name:<{_INDENT}}{words}"


def _table_words(table: Shown) -> str:
    words = [table.text("table"), table.text("health"), f"profile {table.text('profile')}"]
    if table.text("pit"):
        words.insert(1, f"pit {table.text('pit')}")
    if table.text("gaming_day"):
        words.append(f"gaming day {table.text('gaming_day')}")
    if table.text("failure"):
        words.append(table.text("failure"))
    return ", ".join(words)


def _shoe_lines(shoe: Shown | None) -> list[str]:
    if shoe is None:
        return [_line("shoe", "none")]
    left = f"{shoe.number('cards_left')} left" if shoe.has("cards_left") else "left unknown"
    words = (
        f"{shoe.number('number')}: {shoe.number('cards_drawn')} of {shoe.number('cards_total')}"
        f" cards drawn, {left}; coup {shoe.number('coups_begun')}"
    )
    if shoe.yes("joined"):
        words += "; joined in the middle, its first cards were not seen"
    if shoe.yes("ended"):
        words += "; ended"
    tally = ", ".join(
        f"{name} {shoe.number(key)}"
        for name, key in (
            ("Player", "player"),
            ("Banker", "banker"),
            ("Tie", "tie"),
            ("void", "void"),
            ("irregularities", "irregularities"),
        )
    )
    lines = [_line("shoe", words), _line("", tally)]
    if shoe.texts("burn"):
        owed = f"; {shoe.number('burn_owed')} more owed" if shoe.number("burn_owed") else ""
        lines.append(_line("burn", " ".join(shoe.texts("burn")) + owed))
    if shoe.yes("cut_card_seen"):
        last = f"; the last coup is {shoe.number('last_coup_number')}"
        lines.append(_line("cut card", "seen" + (last if shoe.has("last_coup_number") else "")))
    return lines


def _coup_lines(table: Shown) -> list[str]:
    lines = []
    coup, last = table.part("coup"), table.part("last_coup")
    if coup is not None:
        words = f"{coup.number('number')}: {_hands(coup)}"
        if coup.number("aside"):
            words += f"; {coup.number('aside')} cards aside"
        if coup.yes("partial"):
            words += "; partial, reports of it are missing"
        if coup.yes("provisional"):
            words += "; dealt while suspended"
        lines.append(_line("coup", words))
    if last is not None:
        outcome = last.text("outcome") or last.text("fate")
        marks = [
            words
            for key, words in (
                ("natural", "natural"),
                ("player_pair", "Player pair"),
                ("banker_pair", "Banker pair"),
            )
            if last.yes(key)
        ]
        words = ", ".join([f"{last.number('coup')}: {_hands(last)}", outcome, *marks])
        lines.append(_line("last coup", words))
    return lines


def _hands(coup: Shown) -> str:
    return ", ".join(
        f"{name} {' '.join(coup.texts(key)) or '-'}{_point_count(coup, key)}"
        for name, key in (("Player", "player"), ("Banker", "banker"))
    )


def _point_count(coup: Shown, key: str) -> str:
    known = coup.has(f"{key}_count") and coup.texts(key)
    return f" ({coup.number(f'{key}_count')})" if known else ""


def _device_words(device: Shown | None) -> str:
    if device is None:
        return "none"
    words = f"{device.text('model')} at {device.text('port')}: {device.text('stage')}"
    if device.has("locked"):
        words += ", locked" if device.yes("locked") else ", unlocked"
    return words if device.yes("commands_allowed") else f"{words}; it is only listened to"


def irregularity_lines(table: Shown) -> list[str]:
    """What is open, with what is permitted and forbidden."""
    lines: list[str] = []
    for one in table.parts("irregularities"):
        where = f"coup {one.number('coup')}" if one.number("coup") else "between coups"
        head = f"{one.number('number')} {one.text('code')}, {where}: {one.text('title')}"
        if one.yes("provisional"):
            head += " (while suspended)"
        lines.append(_line("OPEN", head))
        lines.append(_line("", f"clauses: {', '.join(one.texts('clauses')) or 'none'}"))
        lines.extend(_line("", f"permitted: {words}") for words in one.texts("permitted"))
        lines.extend(_line("", f"forbidden: {words}") for words in one.texts("forbidden"))
    if lines:
        lines.append(_line("decisions", ", ".join(table.texts("decisions")) or "none"))
    return lines


def conclusion_lines(entries: tuple[Shown, ...]) -> list[str]:
    """What an action led to, as far as a person has to know it."""
    return [words for one in entries if (words := _conclusion(one))]


def _conclusion(one: Shown) -> str:
    match one.text("kind"):
        case "resolution":
            return f"closed irregularities: {', '.join(one.texts('closed'))}"
        case "coup_closed":
            return f"coup {one.number('coup')}: {one.text('fate')}"
        case "shoe_ended":
            return f"shoe {one.number('shoe')} ended after {one.number('coups')} coups"
        case "shoe_opened":
            return f"shoe {one.number('shoe')} is open"
        case "irregularity":
            return f"irregularity {one.number('number')} {one.text('code')}: {one.text('title')}"
        case "recorded":
            return f"on record: {one.text('what')}"
        case "setting_changed":
            return f"{one.text('setting')} is {one.text('new')}, was {one.text('old')}"
        case "coup_paid":
            return f"coup {one.number('coup')} is to be paid"
        case "prompt":
            return f"due: {one.text('text')}"
        case "command":
            return f"sent to the shoe: {one.text('command')}"
        case "command_answer":
            return f"the shoe: {one.text('command')} {one.text('outcome')}, {one.text('detail')}"
        case _:
            return ""


def resolve_commands(table: Shown, where: tuple[str, ...], by: str, reason: str) -> list[str]:
    """The exact commands that decide, one per line; `where` are the words that name the table."""
    start = ("smartshoe", "resolve", *where, "--by", by or "NAME", "--reason", reason or "WHY")
    provisional: tuple[tuple[str, ...], ...] = ((),)
    if table.yes("provisional_needed"):
        provisional = (("--provisional", "take-over"), ("--provisional", "void"))
    commands = []
    for decision in table.texts("decisions"):
        outcomes: tuple[tuple[str, ...], ...] = ((),)
        if decision == "state-outcome":
            outcomes = tuple(("--outcome", name) for name in ("player", "banker", "tie"))
        commands += [
            shlex.join((*start, "--decision", decision, *outcome, *cards))
            for outcome in outcomes
            for cards in provisional
        ]
    return commands
