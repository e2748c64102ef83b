"""Formats a snapshot as the text of `status`, and the conclusions of an action."""

import textwrap
from collections.abc import Iterable

from controller.cli.table.status_devices import (
    auxiliary_device_lines,
    batch_card_lines,
    describe_identity,
    shuffler_lines,
    since_words,
    warning_lines,
)
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
from controller.outlets.control.answer_schema import (
    AnsweredEntry,
    BatchMovedAnswer,
    CommandResultAnswer,
    CommandSentAnswer,
    CoupClosedAnswer,
    CoupCorrectedAnswer,
    CoupPaidAnswer,
    IrregularityAnswer,
    PromptAnswer,
    RecordedAnswer,
    ResolutionAnswer,
    SettingChangedAnswer,
    ShoeEndedAnswer,
    ShoeOpenedAnswer,
    WarningAnswer,
    WarningClearedAnswer,
)
from controller.record.snapshot import (
    ClosedCoupView,
    CoupView,
    HandView,
    ShoeView,
    Snapshot,
    cards_words,
)
from controller.record.snapshot_devices import (
    AdvisoryView,
    DeviceView,
    PauseView,
    PeopleView,
    SealsView,
    advisory_words,
)
from controller.rules.advisory import AdvisoryKind, PersonEvidence
from controller.system.messages.quantity import cards_in_coups, counted


def status_block(table: Snapshot, hints: CommandHints, width: int = WIDTH, at_ns: int = 0) -> str:
    """The text of `status`: what is due, cards, open irregularities, duties, wagers, devices.

    `at_ns` is UTC now; 0 if unknown: then the age of a warning or a pause is not shown.
    """
    lines = [
        labelled_line("table", _table_words(table)),
        *_host_lines(table, width),
        *due_lines(table, width),
        *_coup_lines(table),
        *warning_lines(table, hints, width, at_ns),
        *irregularity_lines(table, hints, width),
        *_pause_lines(table.pause, width, at_ns),
        *_advisory_lines(table.advisories, width),
        *opening_lines(table, width),
        *wagering_lines(table, width),
        *_table_lines(table, width),
    ]
    return "\n".join(lines)


def _table_lines(table: Snapshot, width: int) -> list[str]:
    """The shoe, cards by place, devices, facts observed, seals."""
    return [
        *_shoe_lines(table.shoe),
        *batch_card_lines(table, width),
        labelled_line("device", _device_words(table.device)),
        *auxiliary_device_lines(table, width),
        *shuffler_lines(table, width),
        labelled_line("observed", ", ".join(table.observed) or "only the shoe"),
        *_people_lines(table.people, width),
        *_seal_lines(table.seals, width),
    ]


def watch_block(
    table: Snapshot, hints: CommandHints, width: int, height: int, at_ns: int = 0
) -> list[str]:
    """The lines of `status --watch` on a terminal: what is open and due first, none cut off.

    Where the terminal is too low, its last line counts the lines that are left out.
    """
    urgent = [
        labelled_line("table", _table_words(table)),
        *due_lines(table, width),
        *decision_lines(table, hints, width),
        *warning_lines(table, hints, width, at_ns),
        *_host_lines(table, width),
    ]
    rest = [
        *_coup_lines(table),
        *decision_detail_lines(table, width),
        *_pause_lines(table.pause, width, at_ns),
        *_advisory_lines(table.advisories, width),
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


def _seal_lines(seals: SealsView | None, width: int) -> list[str]:
    """Problems of sealing, and the short code of the last gaming day with a sealed shoe."""
    if seals is None:
        return []
    code = f"of {seals.day}: code {seals.code}" if seals.code else ""
    texts = (("UNSEALED", seals.problem), ("UNSIGNED", seals.unsigned), ("seals", code))
    return [line for label, words in texts for line in wrapped_lines(label, words, width)]


def _pause_lines(pause: PauseView | None, width: int, at_ns: int) -> list[str]:
    """That a coup is awaited since the cut card, since when, and how long that may be."""
    if pause is None:
        return []
    came_out = pause.kind is AdvisoryKind.STALL_LAST
    cut_card = "came out" if came_out else "was put in"
    since = since_words(pause.since_ns, at_ns)
    allowed = counted(pause.minutes_allowed, "minute")
    words = f"no coup since the cut card {cut_card}: {since}; an advisory after {allowed}"
    return wrapped_lines("pause", words, width)


def _advisory_lines(advisories: Iterable[AdvisoryView], width: int) -> list[str]:
    """What the shoe monitors say, with the id of the person whom it is about, if any."""
    lines: list[str] = []
    for one in advisories:
        person = one.evidence.person if isinstance(one.evidence, PersonEvidence) else ""
        words = ": ".join(filter(None, (one.kind.value, person, advisory_words(one))))
        lines += wrapped_lines("advisory", words, width)
    return lines


def _people_lines(people: PeopleView, width: int) -> list[str]:
    """Who deals, who decided what in the shoe, and whether it is proved who acts."""
    made = (f"{one.person}: {one.decision} {one.count}" for one in people.decided)
    texts = (
        ("people", people.remark or counted(people.accounts, "account")),
        ("dealers", ", ".join(people.dealers)),
        ("decided", "; ".join(made)),
    )
    return [line for label, words in texts for line in wrapped_lines(label, words, width)]


def _table_words(table: Snapshot) -> str:
    words = (
        table.table,
        table.pit and f"pit {table.pit}",
        table.health,
        f"profile {table.profile}",
        table.gaming_day and f"gaming day {table.gaming_day}",
        table.failure,
    )
    return ", ".join(filter(None, words))


def _host_lines(table: Snapshot, width: int) -> list[str]:
    """Warnings about the machine: low disk space, a recent step of the clock."""
    parts = (("DISK", table.host.disk), ("CLOCK", table.host.clock))
    return [
        words
        for name, part in parts
        if part is not None
        for words in wrapped_lines(name, part.text, width)
    ]


def _shoe_lines(shoe: ShoeView | None) -> list[str]:
    if shoe is None:
        return [labelled_line("shoe", "none")]
    left = "left unknown" if shoe.cards_left is None else f"{shoe.cards_left} left"
    words = (
        f"{shoe.number}: {shoe.cards_drawn} of {shoe.cards_total} cards drawn, {left};"
        f" coup {shoe.coups_begun}"
    )
    if shoe.joined:
        words += "; joined in play, its first cards were not seen"
    if shoe.ended:
        words += "; ended"
    tally = (
        f"Player {shoe.player}, Banker {shoe.banker}, Tie {shoe.tie}, void {shoe.void},"
        f" irregularities {shoe.irregularities}"
    )
    lines = [labelled_line("shoe", words), labelled_line("", tally)]
    if shoe.corrections:
        words = ", ".join(
            f"coup {one.coup} {one.outcome} (was {one.counted or 'void'})"
            for one in shoe.corrections
        )
        lines.append(labelled_line("corrected", words))
    if shoe.burn:
        owed = f"; {shoe.burn_owed} more owed" if shoe.burn_owed else ""
        lines.append(labelled_line("burn", cards_words(shoe.burn) + owed))
    if shoe.cut_card_seen:
        number = shoe.last_coup_number
        last = "" if number is None else f"; the last coup is {number}"
        lines.append(labelled_line("cut card", f"seen{last}"))
    return lines


def _coup_lines(table: Snapshot) -> list[str]:
    lines = []
    if table.coup is not None:
        words = _open_coup_words(table.coup)
        lines += [labelled_line("coup", words), *turning_lines(table)]
    if table.last_coup is not None:
        lines.append(labelled_line("last coup", _last_coup_words(table.last_coup)))
    return lines


def _open_coup_words(coup: CoupView) -> str:
    words = f"{coup.number}: {_hands(coup)}"
    if coup.ghost:
        words += "; a ghost hand"
    if coup.third:
        words += f"; drawn before the hands were turned {cards_words(coup.third)}"
    if coup.aside:
        words += f"; aside {cards_words(coup.aside)}"
    if coup.partial:
        words += "; partial, reports of it are missing"
    if coup.provisional:
        words += "; dealt while suspended"
    return words


def _last_coup_words(last: ClosedCoupView) -> str:
    outcome = last.outcome or last.fate
    if last.corrected is not None:
        outcome = f"{last.corrected} by correction, was {outcome}"
    return ", ".join([f"{last.number}: {_hands(last)}", outcome, *last.marks()])


def _hands(coup: CoupView | ClosedCoupView) -> str:
    return f"Player {_hand(coup.player)}, Banker {_hand(coup.banker)}"


def _hand(hand: HandView) -> str:
    known = hand.cards and hand.count.value is not None
    return (cards_words(hand.cards) or "-") + (f" ({hand.count.value})" if known else "")


def _device_words(device: DeviceView) -> str:
    words = f"{device.model} at {device.port}: {device.stage}"
    if device.locked is not None:
        words += ", locked" if device.locked else ", unlocked"
    words += "" if device.commands_allowed else "; listen-only"
    return "; ".join([words + describe_identity(device.identity), *device.remarks])


def conclusion_lines(entries: tuple[AnsweredEntry, ...]) -> list[str]:
    """The conclusions of an action that a person needs to know."""
    return [words for one in entries if (words := _conclusion(one))]


def _resolution_words(one: ResolutionAnswer) -> str:
    words = f"closed irregularities: {', '.join(map(str, one.closed))}"
    dealt = one.dealt_while_suspended
    if not dealt.cards:
        return words
    cards = cards_in_coups(dealt.cards, dealt.coups)
    return f"{words}; {one.provisional}: {cards} dealt while suspended"


def _conclusion(one: AnsweredEntry) -> str:
    match one:
        case ResolutionAnswer():
            return _resolution_words(one)
        case CoupClosedAnswer():
            return f"coup {one.coup}: {one.fate}"
        case ShoeEndedAnswer():
            return f"shoe {one.shoe} ended after {counted(one.coups, 'coup')}"
        case ShoeOpenedAnswer():
            return f"shoe {one.shoe} is open"
        case IrregularityAnswer():
            return f"irregularity {one.number} {one.code}: {one.title}"
        case RecordedAnswer():
            return f"on record: {one.what}"
        case SettingChangedAnswer():
            return f"{one.setting} is {one.new}, was {one.old}"
        case CoupCorrectedAnswer():
            return f"coup {one.coup} counts as {one.outcome}, was {one.before}"
        case CoupPaidAnswer():
            return f"coup {one.coup} is to be paid"
        case PromptAnswer():
            return f"due: {one.text}"
        case _:
            return _of_devices(one)


def _whom(command: str) -> str:
    return "the shuffler" if command.startswith("OrderShuffler") else "the shoe"


def _of_devices(one: AnsweredEntry) -> str:
    match one:
        case CommandSentAnswer():
            return f"sent to {_whom(one.command)}: {one.command}"
        case CommandResultAnswer():
            return f"{_whom(one.command)}: {one.command} {one.outcome}, {one.detail}"
        case BatchMovedAnswer():
            return f"the batch with {one.batch} backs is {one.after}"
        case WarningAnswer():
            return f"warning {one.number} {one.about}: {one.text}"
        case WarningClearedAnswer():
            return f"warning {one.number} is cleared after {one.waited_ms // 1000} s"
        case _:
            return ""
