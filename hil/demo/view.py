"""Lays out the live view of a demo: one snapshot and the shoe's history as one screen.

Every function is pure: the same scene at the same size gives the same screen.
"""

from dataclasses import dataclass

from rich import box
from rich.align import Align
from rich.console import Group, RenderableType
from rich.layout import Layout
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from controller.custody.batch_life.stages import BatchStage
from controller.procedure.effects import CoupClosed, CoupCorrected
from controller.procedure.phases import BURN_PHASES, Phase
from controller.record.snapshot import (
    CardFact,
    ClosedCoupView,
    CoupView,
    HandView,
    ShoeView,
    Snapshot,
    card_words,
)
from controller.rules.hands import HandName
from controller.rules.outcome import Outcome
from drivers.events import Stage
from hil.demo.card_glyphs import (
    ALERT_STYLE,
    BANKER_STYLE,
    CARD_HEIGHT,
    CARD_WIDTH,
    PLAYER_STYLE,
    TIE_STYLE,
    BeadResult,
    Glyphs,
    bead_plate,
    bead_row,
    cards_line,
    hand_text,
)
from hil.demo.floor_view import DIM, FRAME, PLAIN, TITLE, Clauses, floor_lines, floor_title
from hil.demo.follow import JournalEvent
from hil.demo.proof import OUTCOME_WORDS

WIDTH_MIN, HEIGHT_MIN = 60, 22  # below this cards are words without frames
PLATE_HEIGHT_MIN = 30  # from here on the bead plate has six rows
PLATE_ROWS = 6
NOW_HEIGHT_MIN = 26  # from here on calls have a line of their own
HANDS_HEIGHT = CARD_HEIGHT + 2
FLOOR_HEIGHT_MIN = 3
BURN_PANEL_PHASES = (Phase.OPENING, *BURN_PHASES)
BACK_STYLES = {"red": BANKER_STYLE, "blue": PLAYER_STYLE}
STYLES = {
    Outcome.PLAYER.value: PLAYER_STYLE,
    Outcome.BANKER.value: BANKER_STYLE,
    Outcome.TIE.value: TIE_STYLE,
}
NO_CARDS = HandView(cards=(), count=CardFact(0, None))


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that is shown. `history` holds the events of the shoe in play."""

    table: Snapshot
    history: tuple[JournalEvent, ...]
    shoes: int
    footer: str
    careless: bool = False


def render(
    scene: Scene, clauses: Clauses, glyphs: Glyphs, width: int, height: int
) -> RenderableType:
    """The screen for a terminal of that size; it is never higher or wider than that."""
    if width < WIDTH_MIN or height < HEIGHT_MIN:
        return _small(scene, clauses, glyphs, width, height)
    shoe_rows = PLATE_ROWS + 3 if height >= PLATE_HEIGHT_MIN else 4
    now_rows = 3 if height >= NOW_HEIGHT_MIN else 2
    floor_rows = height - 1 - HANDS_HEIGHT - now_rows - (shoe_rows + 2) - 1
    layout = Layout()
    layout.split_column(
        Layout(header(scene, glyphs), size=1),
        Layout(hands(scene, glyphs, width), size=HANDS_HEIGHT),
        Layout(now_lines(scene, now_rows), size=now_rows),
        Layout(shoe_panel(scene, glyphs, width, shoe_rows), size=shoe_rows + 2),
        Layout(_floor_panel(scene, clauses, glyphs, width, floor_rows), size=floor_rows),
        Layout(_one_line(Text(scene.footer, style=DIM)), size=1),
    )
    return layout


def _one_line(text: Text) -> Text:
    text.no_wrap, text.overflow = True, "ellipsis"
    return text


def header(scene: Scene, glyphs: Glyphs) -> RenderableType:
    """Table, profile, gaming day and shoe on the left; device and its stage on the right."""
    table = scene.table
    left = Text.assemble(
        (" smartshoe ", "bold reverse"),
        f" {table.table}",
        (f"  {table.profile}  {table.gaming_day}", DIM),
    )
    if table.shoe is not None:
        number = table.shoe.number
        # A shoe that was only burned and closed has a number too.
        left.append(f"  shoe {number}" + (f" of {scene.shoes}" if number <= scene.shoes else ""))
    stage = table.device.stage
    right = Text.assemble(
        f"{table.device.model} ",
        (f"{glyphs.dot} {stage}", TIE_STYLE if stage is Stage.ONLINE else ALERT_STYLE),
    )
    return _left_and_right(left, right)


def _left_and_right(left: Text, right: Text) -> Table:
    grid = Table.grid(expand=True)
    grid.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    grid.add_column(justify="right", no_wrap=True)
    grid.add_row(left, right)
    return grid


# --- hands ---------------------------------------------------------------------------------------


def displayed_coup(table: Snapshot) -> CoupView | ClosedCoupView | None:
    """The coup that is shown: the open one, else the last one with its outcome."""
    return table.coup or table.last_coup


def hand_of(coup: CoupView | ClosedCoupView | None, name: HandName) -> HandView:
    """A hand of the coup that is shown; without a coup it has no card."""
    if coup is None:
        return NO_CARDS
    return coup.player if name is HandName.PLAYER else coup.banker


def hand_marks(hand: HandView) -> str:
    """The calls for a hand: natural, pair."""
    ranks = [words[:-1] for words in map(card_words, hand.cards)]
    natural = len(ranks) == 2 and (hand.count.value or 0) >= 8
    pair = len(ranks) >= 2 and ranks[0] == ranks[1]
    return ", ".join(mark for mark, there in (("natural", natural), ("pair", pair)) if there)


def hands(scene: Scene, glyphs: Glyphs, width: int) -> RenderableType:
    """Both hands side by side, or the burn while it lasts."""
    if scene.table.phase.value in BURN_PANEL_PHASES:
        return _burn_panel(scene, glyphs, width)
    row = Layout()
    row.split_row(*(Layout(_hand_panel(scene.table, hand, glyphs)) for hand in HandName))
    return row


def _burn_panel(scene: Scene, glyphs: Glyphs, width: int) -> Panel:
    shoe = scene.table.shoe
    burn = [card_words(card) for card in shoe.burn] if shoe is not None else []
    room = (width - 4) // (CARD_WIDTH + 1)
    title = "BURN"
    if shoe is not None and burn:
        title += f"  {len(burn)} of {len(burn) + shoe.burn_owed}"
    content = Align.center(hand_text(burn[-room:], glyphs, room))
    return Panel(
        content,
        title=Text(title, TITLE),
        border_style=FRAME,
        height=HANDS_HEIGHT,
        box=box.ROUNDED,
    )


def _hand_panel(table: Snapshot, name: HandName, glyphs: Glyphs) -> Panel:
    hand, last = hand_of(displayed_coup(table), name), table.last_coup
    closed = last if table.coup is None else None
    winner = closed.outcome if closed is not None else None
    won = winner is not None and winner.value in (name.value, Outcome.TIE.value)
    style = STYLES[Outcome.TIE if winner is Outcome.TIE else name]
    title = Text.assemble((name.upper(), f"bold {STYLES[name]}"))
    if hand.cards and hand.count.value is not None:
        title.append(f"  {hand.count.value}", style=TITLE)
    if won:
        title.append("  tie" if winner is Outcome.TIE else "  wins", style=f"bold {style}")
    elif closed is not None and winner is None:
        title.append(f"  {closed.fate}", style=ALERT_STYLE)
    return Panel(
        Align.center(hand_text([card_words(card) for card in hand.cards], glyphs)),
        title=title,
        subtitle=Text(hand_marks(hand), style=TITLE),
        border_style=f"bold {style}" if won else FRAME,
        height=HANDS_HEIGHT,
        box=box.HEAVY if won else box.ROUNDED,
    )


def now_lines(scene: Scene, rows: int) -> RenderableType:
    """What is due next, the calls that are due, and how the last coup ended.

    In two rows a due call replaces the last coup.
    """
    table = scene.table
    suspended = table.suspension is not None
    due = Text.assemble(
        (" SUSPENDED ", "bold reverse yellow") if suspended else (" due ", DIM),
        " ",
        (table.due, ALERT_STYLE if suspended else "bold"),
    )
    coup = table.coup
    right = Text(f"coup {coup.number} " if coup is not None else "")
    if coup is not None and coup.aside:
        right = Text.assemble((f"{len(coup.aside)} card aside  ", ALERT_STYLE), right)
    if coup is not None and coup.provisional:
        right = Text.assemble(("dealt while suspended  ", ALERT_STYLE), right)
    calls, last = calls_line(table), last_line(table)
    below = [calls, last] if rows > 2 else [calls or last]
    return Group(_left_and_right(due, right), *map(_one_line, below))


def calls_line(table: Snapshot) -> Text:
    """The announcements and actions that are due, in one line."""
    calls = table.due_calls
    return Text.assemble((" now ", DIM), " ", "; ".join(calls)) if calls else Text("")


def last_line(table: Snapshot) -> Text:
    """The last coup in one line."""
    last = table.last_coup
    if last is None:
        return Text("")
    line = Text.assemble((f" last coup {last.number}: ", DIM))
    if last.outcome is None:
        return line.append(last.fate, style=ALERT_STYLE)
    line.append(last.outcome.capitalize(), style=STYLES[last.outcome])
    counts = last.player.count.value, last.banker.count.value
    if counts[0] is not None:
        line.append(f", Player {counts[0]}, Banker {counts[1]}")
    return line.append("".join(f", {words}" for words in last.marks()))


# --- the shoe ------------------------------------------------------------------------------------


def results(scene: Scene) -> list[BeadResult]:
    """The outcomes of this shoe's coups, in order."""
    outcomes: dict[int, BeadResult] = {}
    for one in scene.history:
        match one:
            case CoupClosed(record):
                outcomes[record.coup] = BeadResult(OUTCOME_WORDS[record.outcome])
            case CoupCorrected(coup=coup, outcome=outcome) if coup in outcomes:
                outcomes[coup] = BeadResult(OUTCOME_WORDS[outcome], corrected=True)
            case _:
                pass
    return list(outcomes.values())


def shoe_panel(scene: Scene, glyphs: Glyphs, width: int, rows: int) -> Panel:
    """Progress, tally, burn, and the results as beads; `rows` lines inside the frame."""
    shoe = scene.table.shoe
    outcomes = results(scene)
    inner = width - 4
    lines: list[RenderableType] = []
    if shoe is not None:
        lines = [_progress(shoe), _tally(shoe), _one_line(_burn(shoe, glyphs))]
    if rows > len(lines) + 1:
        lines += [_one_line(line) for line in bead_plate(outcomes, rows - 3, inner, glyphs)]
    else:
        lines.append(_one_line(bead_row(outcomes, inner, glyphs)))
    return Panel(
        Group(*lines),
        title=_shoe_title(shoe),
        title_align="left",
        subtitle=batches_line(scene.table),
        subtitle_align="right",
        height=rows + 2,
        box=box.ROUNDED,
        border_style=FRAME,
    )


def _shoe_title(shoe: ShoeView | None) -> Text:
    if shoe is None:
        return Text("no shoe", TITLE)
    title = Text.assemble((f"shoe {shoe.number}", TITLE))
    count = shoe.coups_begun
    title.append(f"  {count} coup{'' if count == 1 else 's'}", style=PLAIN)
    if shoe.ended:
        title.append("  ended", style=TIE_STYLE)
    elif shoe.cut_card_seen:
        title.append("  cut card out", style=ALERT_STYLE)
        if shoe.last_coup_number is not None:
            title.append(f", last hand is coup {shoe.last_coup_number}", style=PLAIN)
    return title


def batches_line(table: Snapshot) -> Text:
    """The stages of both batches, and the shuffler's warnings."""
    shuffler = table.shuffler
    if shuffler is None:
        return Text("")
    line = Text()
    for one in shuffler.batches:
        stage = one.stage.replace("_", " ")
        line.append(f"{'   ' if line else ''}{one.back} ", style=BACK_STYLES.get(one.back, PLAIN))
        line.append(stage, style=TITLE if one.stage is BatchStage.IN_PLAY else PLAIN)
    warnings = len(shuffler.warnings)
    if warnings:
        line.append(f"   {warnings} warning{'' if warnings == 1 else 's'}", style=ALERT_STYLE)
    if shuffler.bare:
        line.append("   bare device", style=ALERT_STYLE)
    return line


def _progress(shoe: ShoeView) -> Table:
    drawn, total = shoe.cards_drawn, shoe.cards_total
    grid = Table.grid(expand=True, padding=(0, 1))
    grid.add_column(ratio=1)
    grid.add_column(justify="right", no_wrap=True)
    bar = ProgressBar(total=max(total, 1), completed=drawn, complete_style=TIE_STYLE)
    grid.add_row(bar, f"{drawn} of {total} cards")
    return grid


def _tally(shoe: ShoeView) -> Text:
    line = Text()
    for outcome, number in zip(Outcome, (shoe.player, shoe.banker, shoe.tie), strict=True):
        line.append(f"{outcome.capitalize()} ", style=STYLES[outcome])
        line.append(f"{number}   ", style="bold")
    line.append(f"void {shoe.void}   ", style=DIM)
    count = shoe.irregularities
    line.append(f"irregularities {count}", style=ALERT_STYLE if count else DIM)
    return _one_line(line)


def _burn(shoe: ShoeView, glyphs: Glyphs) -> Text:
    burn = [card_words(card) for card in shoe.burn]
    return Text.assemble(("burn ", DIM), cards_line(burn, glyphs)) if burn else Text("")


# --- the floor, and small terminals ---------------------------------------------------------------


def _floor_panel(
    scene: Scene, clauses: Clauses, glyphs: Glyphs, width: int, height: int
) -> RenderableType:
    if height < FLOOR_HEIGHT_MIN:
        return Text("")
    title, subtitle, style = floor_title(scene.table, scene.history)
    lines = floor_lines(
        scene.table, scene.history, clauses, glyphs, width - 4, height - 2, scene.careless
    )
    return Panel(
        Group(*lines),
        title=title,
        title_align="left",
        subtitle=subtitle,
        subtitle_align="right",
        border_style=style,
        height=height,
        box=box.ROUNDED if style == FRAME else box.HEAVY,
    )


def _small(
    scene: Scene, clauses: Clauses, glyphs: Glyphs, width: int, height: int
) -> RenderableType:
    """Words only, at most `height` lines."""
    table = scene.table
    lines = [
        Text.assemble(("smartshoe ", "bold"), table.table),
        Text(f"due: {'; '.join((*table.due_calls, table.due))}"),
    ]
    coup, shoe = displayed_coup(table), table.shoe
    for name in HandName:
        hand = hand_of(coup, name)
        cards = cards_line([card_words(card) for card in hand.cards], glyphs)
        count = f" ({hand.count.value})" if cards and hand.count.value is not None else ""
        lines.append(Text.assemble((f"{name.capitalize()} ", STYLES[name]), cards, count))
    begun, drawn = (shoe.coups_begun, shoe.cards_drawn) if shoe is not None else (0, 0)
    lines.append(Text(f"coup {begun}, {drawn} cards drawn"))
    lines.append(bead_row(results(scene), width, glyphs))
    _, decision, _ = floor_title(table, scene.history)
    room = max(height - len(lines) - 1, 0)
    lines += floor_lines(table, scene.history, clauses, glyphs, width, room, scene.careless)
    lines.append(decision)
    return Group(*map(_one_line, lines[:height]))
