"""Formats a snapshot as the text of `status`, and the conclusions of an action.

Source: controller/views/README.md, "Snapshot"; controller/cli/README.md, "Command line".
"""

import textwrap

from controller.cli.table.status_cards import auxiliary_device_lines, batch_card_lines
from controller.cli.table.status_shuffler import describe_identity, shuffler_lines, warning_lines
from controller.cli.table.status_tasks import (
    LABEL_WIDTH,
    WIDTH,
    CommandHints,
    decision_detail_lines,
    decision_lines,
    due_lines,
    irregularity_lines,
    labelled_line,
    opening_lines,
    turning_lines,
    wagering_lines,
    wrapped_lines,
)
from controller.views.quantity import cards_in_coups, counted
from controller.views.snapshot_reader import SnapshotPart


def status_block(
    table: SnapshotPart, hints: CommandHints, width: int = WIDTH, at_ns: int = 0
) -> str:
    """The text of `status`: what is due, cards, open irregularities, duties, wagers, devices.

    `at_ns` is UTC now; 0 if unknown: then the age of a warning is not shown.
    """
    lines = [
        labelled_line("table", _table_words(table)),
        *_host_lines(table.part("host"), width),
        *due_lines(table, width),
        *_coup_lines(table),
        *warning_lines(table, hints, width, at_ns),
        *irregularity_lines(table, hints, width),
        *opening_lines(table, width),
        *wagering_lines(table, width),
        *_table_lines(table, width),
    ]
    return "\n".join(lines)


def _table_lines(table: SnapshotPart, width: int) -> list[str]:
    """The shoe, cards by place, devices, facts observed, seals."""
    return [
        *_shoe_lines(table.part("shoe")),
        *batch_card_lines(table, width),
        labelled_line("device", _device_words(table.part("device"))),
        *auxiliary_device_lines(table, width),
        *shuffler_lines(table, width),
        labelled_line("observed", ", ".join(table.texts("observed")) or "only the shoe"),
        *_people_lines(table.part("people"), width),
        *_seal_lines(table.part("seals"), width),
    ]


def watch_block(
    table: SnapshotPart, hints: CommandHints, width: int, height: int, at_ns: int = 0
) -> list[str]:
    """The lines of `status --watch` on a terminal: what is open and due first, none cut off.

    Where the terminal is too low, its last line counts the lines that are left out.
    """
    urgent = [
        labelled_line("table", _table_words(table)),
        *due_lines(table, width),
        *decision_lines(table, hints, width),
        *warning_lines(table, hints, width, at_ns),
        *_host_lines(table.part("host"), width),
    ]
    rest = [
        *_coup_lines(table),
        *decision_detail_lines(table, width),
        *opening_lines(table, width),
        *wagering_lines(table, width),
        *_table_lines(table, width),
    ]
    lines = [part for line in (*urgent, *rest) for part in _fitted(line, width)]
    if len(lines) <= height:
        return lines
    left_out = len(lines) - height + 1
    more = f"... {counted(left_out, 'more line')}; make the window higher"
    return [*lines[: height - 1], more[:width]]


def _fitted(line: str, width: int) -> list[str]:
    """The line, wrapped if it is longer than the terminal is wide."""
    if len(line) <= width:
        return [line]
    label, words = line[:LABEL_WIDTH], line[LABEL_WIDTH:]
    step = max(width - LABEL_WIDTH, 1)
    parts = textwrap.wrap(words, step, break_on_hyphens=False)
    shown = [f"{'' if number else label:<{LABEL_WIDTH}}{part}" for number, part in enumerate(parts)]
    return [one[:width] for one in shown]


def _seal_lines(seals: SnapshotPart | None, width: int) -> list[str]:
    """Problems of sealing, and the short code of the last gaming day with a sealed shoe."""
    if seals is None:
        return []
    lines = wrapped_lines("UNSEALED", seals.text("problem"), width)
    if seals.text("unsigned"):
        lines += wrapped_lines("UNSIGNED", seals.text("unsigned"), width)
    if seals.text("code"):
        lines.append(labelled_line("seals", f"of {seals.text('day')}: code {seals.text('code')}"))
    return lines


def _people_lines(people: SnapshotPart | None, width: int) -> list[str]:
    """Who deals, who decided what in the shoe, and whether it is proved who acts."""
    if people is None:
        return []
    made = (
        f"{one.text('person')}: {one.text('decision')} {one.number('count')}"
        for one in people.parts("decided")
    )
    texts = (
        ("people", people.text("remark") or counted(people.number("accounts"), "account")),
        ("dealers", ", ".join(people.texts("dealers"))),
        ("decided", "; ".join(made)),
    )
    return [line for label, words in texts for line in wrapped_lines(label, words, width)]


def _table_words(table: SnapshotPart) -> str:
    words = [table.text("table"), table.text("health"), f"profile {table.text('profile')}"]
    if table.text("pit"):
        words.insert(1, f"pit {table.text('pit')}")
    if table.text("gaming_day"):
        words.append(f"gaming day {table.text('gaming_day')}")
    if table.text("failure"):
        words.append(table.text("failure"))
    return ", ".join(words)


def _host_lines(host: SnapshotPart | None, width: int) -> list[str]:
    """Warnings about the machine: low disk space, a recent step of the clock."""
    parts = [] if host is None else [(name, host.part(name)) for name in ("disk", "clock")]
    return [
        words
        for name, part in parts
        if part is not None
        for words in wrapped_lines(name.upper(), part.text("text"), width)
    ]


def _shoe_lines(shoe: SnapshotPart | None) -> list[str]:
    if shoe is None:
        return [labelled_line("shoe", "none")]
    left = f"{shoe.number('cards_left')} left" if shoe.has("cards_left") else "left unknown"
    words = (
        f"{shoe.number('number')}: {shoe.number('cards_drawn')} of {shoe.number('cards_total')}"
        f" cards drawn, {left}; coup {shoe.number('coups_begun')}"
    )
    if shoe.yes("joined"):
        words += "; joined in play, its first cards were not seen"
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
    lines = [labelled_line("shoe", words), labelled_line("", tally)]
    if shoe.parts("corrections"):
        words = ", ".join(
            f"coup {one.number('coup')} {one.text('outcome')} (was {one.text('counted')})"
            for one in shoe.parts("corrections")
        )
        lines.append(labelled_line("corrected", words))
    if shoe.texts("burn"):
        owed = f"; {shoe.number('burn_owed')} more owed" if shoe.number("burn_owed") else ""
        lines.append(labelled_line("burn", " ".join(shoe.texts("burn")) + owed))
    if shoe.yes("cut_card_seen"):
        last = f"; the last coup is {shoe.number('last_coup_number')}"
        lines.append(
            labelled_line("cut card", "seen" + (last if shoe.has("last_coup_number") else ""))
        )
    return lines


def _coup_lines(table: SnapshotPart) -> list[str]:
    lines = []
    coup, last = table.part("coup"), table.part("last_coup")
    if coup is not None:
        words = f"{coup.number('number')}: {_hands(coup)}"
        if coup.yes("ghost"):
            words += "; a ghost hand"
        if coup.texts("third"):
            words += f"; drawn before the hands were turned {' '.join(coup.texts('third'))}"
        if coup.number("aside"):
            words += f"; aside {' '.join(coup.texts('aside_cards')) or coup.number('aside')}"
        if coup.yes("partial"):
            words += "; partial, reports of it are missing"
        if coup.yes("provisional"):
            words += "; dealt while suspended"
        lines += [labelled_line("coup", words), *turning_lines(table)]
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
        if last.has("corrected"):
            outcome = f"{last.text('corrected')} by correction, was {outcome}"
        words = ", ".join([f"{last.number('coup')}: {_hands(last)}", outcome, *marks])
        lines.append(labelled_line("last coup", words))
    return lines


def _hands(coup: SnapshotPart) -> str:
    return ", ".join(
        f"{name} {' '.join(coup.texts(key)) or '-'}{_point_count(coup, key)}"
        for name, key in (("Player", "player"), ("Banker", "banker"))
    )


def _point_count(coup: SnapshotPart, key: str) -> str:
    known = coup.has(f"{key}_count") and coup.texts(key)
    return f" ({coup.number(f'{key}_count')})" if known else ""


def _device_words(device: SnapshotPart | None) -> str:
    if device is None:
        return "none"
    words = f"{device.text('model')} at {device.text('port')}: {device.text('stage')}"
    if device.has("locked"):
        words += ", locked" if device.yes("locked") else ", unlocked"
    words += "" if device.yes("commands_allowed") else "; listen-only"
    return words + describe_identity(device)


def conclusion_lines(entries: tuple[SnapshotPart, ...]) -> list[str]:
    """The conclusions of an action that a person needs to know."""
    return [words for one in entries if (words := _conclusion(one))]


def _whom(one: SnapshotPart) -> str:
    return "shuffler" if one.text("command").startswith("OrderShuffler") else "shoe"


def _resolution_words(one: SnapshotPart) -> str:
    words = f"closed irregularities: {', '.join(one.texts('closed'))}"
    dealt = one.part("dealt_while_suspended")
    if dealt is None or not dealt.number("cards"):
        return words
    cards = cards_in_coups(dealt.number("cards"), dealt.number("coups"))
    return f"{words}; {one.text('provisional')}: {cards} dealt while suspended"


def _conclusion(one: SnapshotPart) -> str:
    match one.text("kind"):
        case "resolution":
            return _resolution_words(one)
        case "coup_closed":
            return f"coup {one.number('coup')}: {one.text('fate')}"
        case "shoe_ended":
            return f"shoe {one.number('shoe')} ended after {counted(one.number('coups'), 'coup')}"
        case "shoe_opened":
            return f"shoe {one.number('shoe')} is open"
        case "irregularity":
            return f"irregularity {one.number('number')} {one.text('code')}: {one.text('title')}"
        case "recorded":
            return f"on record: {one.text('what')}"
        case "setting_changed":
            return f"{one.text('setting')} is {one.text('new')}, was {one.text('old')}"
        case "coup_corrected":
            words = f"coup {one.number('coup')} counts as {one.text('outcome')}"
            return f"{words}, was {one.text('before')}"
        case "coup_paid":
            return f"coup {one.number('coup')} is to be paid"
        case "prompt":
            return f"due: {one.text('text')}"
        case kind:
            return _of_devices(kind, one)


def _of_devices(kind: str, one: SnapshotPart) -> str:
    match kind:
        case "command":
            return f"sent to the {_whom(one)}: {one.text('command')}"
        case "command_answer":
            answer = f"{one.text('command')} {one.text('outcome')}, {one.text('detail')}"
            return f"the {_whom(one)}: {answer}"
        case "batch_moved":
            return f"the batch with {one.text('batch')} backs is {one.text('after')}"
        case "warning":
            return f"warning {one.number('number')} {one.text('about')}: {one.text('text')}"
        case "warning_cleared":
            waited_s = one.number("waited_ms") // 1000
            return f"warning {one.number('number')} is cleared after {waited_s} s"
        case _:
            return ""
