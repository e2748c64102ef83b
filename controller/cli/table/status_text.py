"""A table's snapshot in words: the block of `status`, and what an action led to.

Responsible for: the order of the parts, the words of table, shoe, cards and device. It shows what
the snapshot discloses and knows nothing more.
Not responsible for: getting a snapshot (cli_table), what is in it (snapshot), what people have to
do (cli_status_shown), and batches and the devices beside the shoe (cli_status_cards).
Source: package README, "Snapshot", "Command line".
"""

from controller.cli.table.status_cards import beside_lines, cards_lines
from controller.cli.table.status_shuffler import identity_words, shuffler_lines, warning_lines
from controller.cli.table.status_tasks import (
    WIDTH,
    Typed,
    due_lines,
    irregularity_lines,
    line,
    opening_lines,
    turning_lines,
    wagering_lines,
    wrapped,
)
from controller.views.snapshot_reader import Shown


def status_block(table: Shown, typed: Typed, width: int = WIDTH, at_ns: int = 0) -> str:
    """One readable block: what is due, the cards, what is open, duties and wagers, the rest.

    `at_ns` is UTC now, 0 where nobody knows: then how long something has been open is not told.
    """
    lines = [
        line("table", _table_words(table)),
        *_host_lines(table.part("host"), width),
        *due_lines(table, width),
        *_coup_lines(table),
        *warning_lines(table, typed, width, at_ns),
        *irregularity_lines(table, typed, width),
        *opening_lines(table, width),
        *wagering_lines(table, width),
        *_shoe_lines(table.part("shoe")),
        *cards_lines(table, width),
        line("device", _device_words(table.part("device"))),
        *beside_lines(table, width),
        *shuffler_lines(table, width),
        line("observed", ", ".join(table.texts("observed")) or "nothing beside the shoe"),
        *_seal_lines(table.part("seals"), width),
    ]
    return "\n".join(lines)


def _seal_lines(seals: Shown | None, width: int) -> list[str]:
    """What is wrong with sealing; else the short code of the last day of which a shoe is sealed."""
    if seals is None:
        return []
    lines = wrapped("UNSEALED", seals.text("problem"), width)
    if seals.text("unsigned"):
        lines += wrapped("UNSIGNED", seals.text("unsigned"), width)
    if seals.text("code"):
        lines.append(line("seals", f"of {seals.text('day')}: code {seals.text('code')}"))
    return lines


def _table_words(table: Shown) -> str:
    words = [table.text("table"), table.text("health"), f"profile {table.text('profile')}"]
    if table.text("pit"):
        words.insert(1, f"pit {table.text('pit')}")
    if table.text("gaming_day"):
        words.append(f"gaming day {table.text('gaming_day')}")
    if table.text("failure"):
        words.append(table.text("failure"))
    return ", ".join(words)


def _host_lines(host: Shown | None, width: int) -> list[str]:
    """What the machine wants of people: a disk that fills, a clock that was set of late."""
    parts = [] if host is None else [(name, host.part(name)) for name in ("disk", "clock")]
    return [
        words
        for name, part in parts
        if part is not None
        for words in wrapped(name.upper(), part.text("text"), width)
    ]


def _shoe_lines(shoe: Shown | None) -> list[str]:
    if shoe is None:
        return [line("shoe", "none")]
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
    lines = [line("shoe", words), line("", tally)]
    if shoe.texts("burn"):
        owed = f"; {shoe.number('burn_owed')} more owed" if shoe.number("burn_owed") else ""
        lines.append(line("burn", " ".join(shoe.texts("burn")) + owed))
    if shoe.yes("cut_card_seen"):
        last = f"; the last coup is {shoe.number('last_coup_number')}"
        lines.append(line("cut card", "seen" + (last if shoe.has("last_coup_number") else "")))
    return lines


def _coup_lines(table: Shown) -> list[str]:
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
        lines += [line("coup", words), *turning_lines(table)]
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
        lines.append(line("last coup", words))
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
    words += "" if device.yes("commands_allowed") else "; it is only listened to"
    return words + identity_words(device)


def conclusion_lines(entries: tuple[Shown, ...]) -> list[str]:
    """What an action led to, as far as a person has to know it."""
    return [words for one in entries if (words := _conclusion(one))]


def _whom(one: Shown) -> str:
    return "shuffler" if one.text("command").startswith("OrderShuffler") else "shoe"


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
        case kind:
            return _of_devices(kind, one)


def _of_devices(kind: str, one: Shown) -> str:
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
