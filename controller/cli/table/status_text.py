"""Formats a snapshot as the text of `status`, and the conclusions of an action."""

import textwrap
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final

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
from controller.custody.batch_life.stages import BatchStage
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
    BatchCardsView,
    DeviceView,
    IdentityView,
    PauseView,
    PeopleView,
    SealsView,
    ShufflerBatchView,
    ShufflerView,
    advisory_words,
)
from controller.rules.advisory import AdvisoryKind, PersonEvidence
from controller.system.messages.quantity import cards_in_coups, counted

_NS_PER_S: Final = 1_000_000_000
_S_PER_MIN: Final = 60
_BARE: Final = "BARE: it proves no identity, and the configuration accepts it"
_UNTRUSTED: Final = "NOT TRUSTED: it has not proven its identity, and its reports are ignored"
_NO_BATCH = (
    "no batch is bound: every card is foreign until the bar code of a batch is scanned or"
    " `smartshoe act bind-batch` names it"
)
# Descriptions of the stages whose names are not clear enough.
_STAGES: Final = MappingProxyType(
    {
        BatchStage.UNKNOWN: "unknown; it must be counted again",
        BatchStage.COLLECTED: "on its way into the shuffler",
        BatchStage.IN_SHOE: "in the shoe",
        BatchStage.IN_PLAY: "in play",
        BatchStage.SPENT: "spent, to be collected",
        BatchStage.HELD: "held: it must be counted again",
    }
)


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
    since = _since_words(pause.since_ns, at_ns)
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


# --- cards ----------------------------------------------------------------------------------------


def batch_card_lines(table: Snapshot, width: int = WIDTH) -> list[str]:
    """Number of cards by place for each batch; and why a batch may not be dealt from."""
    lines: list[str] = []
    for batch in table.custody.batches:
        lines += wrapped_lines("" if lines else "cards", _batch_words(batch), width)
    for batch in table.custody.batches:
        if batch.blocked:
            words = f"{batch.batch} may not be dealt from: {batch.blocked}"
            lines += wrapped_lines(" blocked", words, width)
    if not lines and table.device.reads_tags:
        lines += wrapped_lines("cards", _NO_BATCH, width)
    return lines + _named_lines(table, width)


def _batch_words(batch: BatchCardsView) -> str:
    cards = batch.cards
    # In the order in which a card passes the places.
    places = (
        (cards.shoe, "in the shoe"),
        (cards.hands + cards.aside, "on the table"),
        (cards.burn, "burned"),
        (cards.discard_rack, "in the discard rack"),
        (cards.shuffler, "in the shuffler"),
        (cards.carton, "in the carton"),
        (cards.quarantine, "set apart"),
        (cards.unknown, "in an unknown place"),
    )
    there = ", ".join(f"{count} {words}" for count, words in places if count)
    in_play = ", in play" if batch.in_play else ""
    return f"{batch.batch} ({batch.back}{in_play}): {there or 'none'}"


def _named_lines(table: Snapshot, width: int) -> list[str]:
    """Batches that were named and refused, each with its last reason."""
    last = {one.batch: one.refused for one in table.batches_named}
    lines: list[str] = []
    for refused in filter(None, last.values()):
        lines += wrapped_lines(" refused", refused, width)
    return lines


def auxiliary_device_lines(table: Snapshot, width: int = WIDTH) -> list[str]:
    """The auxiliary readers and scanners, each with its stage."""
    lines: list[str] = []
    for name, words in _beside(table):
        lines += wrapped_lines(name, words, width)
    return lines


def _beside(table: Snapshot) -> Iterator[tuple[str, str]]:
    for one in table.beside:
        which = one.seat.replace("_", " ") or one.model
        yield one.kind, "; ".join([f"{which} at {one.port}: {one.stage}", *one.remarks])


# --- the shuffler ---------------------------------------------------------------------------------


def warning_lines(
    table: Snapshot, hints: CommandHints, width: int = WIDTH, at_ns: int = 0
) -> list[str]:
    """Warnings that block play, since when, and the commands. `at_ns` is UTC now, 0 if unknown."""
    lines: list[str] = []
    clearable = False
    for one in table.shuffler.warnings if table.shuffler is not None else ():
        head = f"{one.number} {one.kind.replace('_', ' ')}: {one.text}"
        lines += wrapped_lines("WARNING", head, width)
        lines += wrapped_lines(" since", _since_words(one.since_ns, at_ns), width)
        if one.active:
            lines += wrapped_lines(
                " clear", "only when its cause is gone; it is still present", width
            )
            continue
        clearable = True
        if hints.as_template:
            continue
        number = f"number={one.number}"
        lines.append(labelled_line(" clear", hints.act("clear-warning", number, reason=True)))
    if clearable and hints.as_template:
        command = hints.act("clear-warning", "number=N", reason=True)
        lines += wrapped_lines(" clear", command, width)
    return [*lines, labelled_line("", "until then no card may be drawn")] if lines else []


def _since_words(since_ns: int, at_ns: int) -> str:
    """The time, and how long ago that is now; both are UTC in nanoseconds, 0 if unknown."""
    since = datetime.fromtimestamp(since_ns // _NS_PER_S, UTC)
    words = f"{since:%Y-%m-%d %H:%M:%S} UTC"
    if at_ns < since_ns or not since_ns:
        return words
    minutes, seconds = divmod((at_ns - since_ns) // _NS_PER_S, _S_PER_MIN)
    return f"{words}, {minutes} min {seconds:02} s ago"


def shuffler_lines(table: Snapshot, width: int = WIDTH) -> list[str]:
    """The device and the batches."""
    shuffler = table.shuffler
    if shuffler is None:
        return []
    lines: list[str] = []
    for words in _device(shuffler):
        lines += wrapped_lines("" if lines else "shuffler", words, width)
    for batch in shuffler.batches:
        lines += wrapped_lines(f" {batch.back}"[:10], "; ".join(_batch(batch)), width)
    return lines


def describe_identity(identity: IdentityView | None) -> str:
    """The identity a device has proven, to follow its stage; empty for a device without one."""
    if identity is None:
        return ""
    if identity.refused:
        return f"; REFUSED: {identity.refused}: its reports are ignored"
    if identity.bare:
        return f"; {_device_name(identity)}; {_BARE}"
    if identity.trusted:
        return f"; {_device_name(identity)}, trusted"
    return f"; {_UNTRUSTED}"


def _device_name(device: IdentityView | ShufflerView) -> str:
    words = [f"device {device.device}"] if device.device else []
    words += [f"firmware {device.version}"] if device.version else []
    return " ".join(words) or "device without a name"


def _device(shuffler: ShufflerView) -> Iterator[str]:
    words = f"{shuffler.model} at {shuffler.port}: {shuffler.stage}"
    words += f"; {shuffler.mode} mode"
    if shuffler.door_open:
        words += "; a door is open"
    if shuffler.residual:
        words += f"; {counted(shuffler.residual, 'card')} left inside"
    yield words if shuffler.commands_allowed else f"{words}; listen-only"
    if shuffler.bare:
        yield f"{_device_name(shuffler)}; {_BARE}"
    elif shuffler.trusted:
        yield f"{_device_name(shuffler)}, trusted"
    else:
        yield _UNTRUSTED


def _batch(batch: ShufflerBatchView) -> Iterator[str]:
    words = _STAGES.get(batch.stage, batch.stage.value)
    if batch.compartment:
        words += f", compartment {batch.compartment}"
    yield words
    if batch.cards is not None:
        yield counted(batch.cards, "card")
    shuffle = batch.shuffle
    if shuffle is not None:
        result = shuffle.result.replace("_", " ")
        proof = "" if shuffle.genuine else ", not proven"
        yield (
            f"shuffle {shuffle.cycle}: {result}{proof}, {shuffle.count} cards, {shuffle.took_s} s"
        )
    if batch.shown is not None:
        cycle, took_s = batch.shown.cycle, batch.shown.took_s
        yield f"shuffle {cycle}: shown by its lamps, not proven, {took_s} s"
    if batch.by_hand:
        yield "shuffled by hand"
    if batch.bars:
        bars = ", ".join(bar.replace("_", " ") for bar in batch.bars)
        yield f"may NOT be dealt from: {bars}"


# --- conclusions ----------------------------------------------------------------------------------


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
