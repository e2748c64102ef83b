"""Lays out the live view of a demo: one snapshot and the shoe's history as one screen.

Every function is pure: the same scene at the same size gives the same screen.

Source: hil/README.md, "The demo"; controller/views/README.md, "Snapshot".
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

from controller.procedure.effects import CoupClosed, CoupCorrected
from controller.procedure.phases import BURN_PHASES
from controller.views.snapshot_reader import SnapshotPart
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
BURN_PANEL_PHASES = ("opening", *(phase.value for phase in BURN_PHASES))
BACK_STYLES = {"red": BANKER_STYLE, "blue": PLAYER_STYLE}
STYLES = {"player": PLAYER_STYLE, "banker": BANKER_STYLE, "tie": TIE_STYLE}


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that is shown. `history` holds the events of the shoe in play."""

    table: SnapshotPart
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
        f" {table.text('table')}",
        (f"  {table.text('profile')}  {table.text('gaming_day')}", DIM),
    )
    shoe = table.part("shoe")
    if shoe is not None:
        number = shoe.number("number")
        # A shoe that was only burned and closed has a number too.
        left.append(f"  shoe {number}" + (f" of {scene.shoes}" if number <= scene.shoes else ""))
    device = table.part("device") or SnapshotPart({})
    stage = device.text("stage")
    online = stage == "online"
    right = Text.assemble(
        f"{device.text('model')} ",
        (f"{glyphs.dot} {stage}", TIE_STYLE if online else ALERT_STYLE),
    )
    return _left_and_right(left, right)


def _left_and_right(left: Text, right: Text) -> Table:
    grid = Table.grid(expand=True)
    grid.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    grid.add_column(justify="right", no_wrap=True)
    grid.add_row(left, right)
    return grid


# --- hands ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DisplayedHands:
    """The coup that is shown: the open one, else the last one with its outcome."""

    coup: SnapshotPart
    finished: bool

    def winner(self) -> str:
        return self.coup.text("outcome") if self.finished else ""

    def marks(self, name: str) -> str:
        """The calls for a hand: natural, pair."""
        cards = self.coup.texts(name)
        count = self.coup.number(f"{name}_count") if self.coup.has(f"{name}_count") else 0
        natural = len(cards) == 2 and count >= 8
        pair = len(cards) >= 2 and cards[0][:-1] == cards[1][:-1]
        return ", ".join(mark for mark, there in (("natural", natural), ("pair", pair)) if there)


def displayed_hands(table: SnapshotPart) -> DisplayedHands:
    """The hands on the layout."""
    coup, last = table.part("coup"), table.part("last_coup")
    if coup is not None:
        return DisplayedHands(coup, finished=False)
    if last is not None:
        return DisplayedHands(last, finished=True)
    return DisplayedHands(SnapshotPart({}), finished=False)


def hands(scene: Scene, glyphs: Glyphs, width: int) -> RenderableType:
    """Both hands side by side, or the burn while it lasts."""
    if scene.table.text("phase") in BURN_PANEL_PHASES:
        return _burn_panel(scene, glyphs, width)
    shown = displayed_hands(scene.table)
    row = Layout()
    row.split_row(
        Layout(_hand_panel(shown, "player", glyphs)),
        Layout(_hand_panel(shown, "banker", glyphs)),
    )
    return row


def _burn_panel(scene: Scene, glyphs: Glyphs, width: int) -> Panel:
    shoe = scene.table.part("shoe") or SnapshotPart({})
    burn = shoe.texts("burn")
    room = (width - 4) // (CARD_WIDTH + 1)
    title = "BURN"
    if burn:
        title += f"  {len(burn)} of {len(burn) + shoe.number('burn_owed')}"
    content = Align.center(hand_text(burn[-room:], glyphs, room))
    return Panel(
        content,
        title=Text(title, TITLE),
        border_style=FRAME,
        height=HANDS_HEIGHT,
        box=box.ROUNDED,
    )


def _hand_panel(shown: DisplayedHands, name: str, glyphs: Glyphs) -> Panel:
    cards = shown.coup.texts(name)
    winner = shown.winner()
    won = winner in (name, "tie")
    style = STYLES["tie" if winner == "tie" else name]
    title = Text.assemble((name.upper(), f"bold {STYLES[name]}"))
    if cards and shown.coup.has(f"{name}_count"):
        title.append(f"  {shown.coup.number(f'{name}_count')}", style=TITLE)
    if won:
        title.append("  tie" if winner == "tie" else "  wins", style=f"bold {style}")
    elif shown.finished and not winner:
        title.append(f"  {shown.coup.text('fate')}", style=ALERT_STYLE)
    return Panel(
        Align.center(hand_text(cards, glyphs)),
        title=title,
        subtitle=Text(shown.marks(name), style=TITLE),
        border_style=f"bold {style}" if won else FRAME,
        height=HANDS_HEIGHT,
        box=box.HEAVY if won else box.ROUNDED,
    )


def now_lines(scene: Scene, rows: int) -> RenderableType:
    """What is due next, the calls that are due, and how the last coup ended.

    In two rows a due call replaces the last coup.
    """
    table = scene.table
    suspended = table.text("phase") == "suspended"
    due = Text.assemble(
        (" SUSPENDED ", "bold reverse yellow") if suspended else (" due ", DIM),
        " ",
        (table.text("due"), ALERT_STYLE if suspended else "bold"),
    )
    coup = table.part("coup")
    right = Text(f"coup {coup.number('number')} " if coup is not None else "")
    if coup is not None and coup.number("aside"):
        right = Text.assemble((f"{coup.number('aside')} card aside  ", ALERT_STYLE), right)
    if coup is not None and coup.yes("provisional"):
        right = Text.assemble(("dealt while suspended  ", ALERT_STYLE), right)
    calls, last = calls_line(table), last_line(table)
    below = [calls, last] if rows > 2 else [calls or last]
    return Group(_left_and_right(due, right), *map(_one_line, below))


def calls_line(table: SnapshotPart) -> Text:
    """The announcements and actions that are due, in one line."""
    calls = table.texts("due_calls")
    return Text.assemble((" now ", DIM), " ", "; ".join(calls)) if calls else Text("")


def last_line(table: SnapshotPart) -> Text:
    """The last coup in one line."""
    last = table.part("last_coup")
    if last is None:
        return Text("")
    line = Text.assemble((f" last coup {last.number('coup')}: ", DIM))
    outcome = last.text("outcome")
    if not outcome:
        return line.append(last.text("fate"), style=ALERT_STYLE)
    line.append(outcome.capitalize(), style=STYLES[outcome])
    if last.has("player_count"):
        line.append(f", Player {last.number('player_count')}, Banker {last.number('banker_count')}")
    for key, words in (
        ("natural", "natural"),
        ("player_pair", "Player pair"),
        ("banker_pair", "Banker pair"),
    ):
        if last.yes(key):
            line.append(f", {words}")
    return line


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
    shoe = scene.table.part("shoe") or SnapshotPart({})
    outcomes = results(scene)
    inner = width - 4
    lines: list[RenderableType] = [_progress(shoe), _tally(shoe), _one_line(_burn(shoe, glyphs))]
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


def _shoe_title(shoe: SnapshotPart) -> Text:
    name = f"shoe {shoe.number('number')}" if shoe.has("number") else "no shoe"
    title = Text.assemble((name, TITLE))
    if shoe.has("coups_begun"):
        count = shoe.number("coups_begun")
        title.append(f"  {count} coup{'' if count == 1 else 's'}", style=PLAIN)
    if shoe.yes("ended"):
        title.append("  ended", style=TIE_STYLE)
    elif shoe.yes("cut_card_seen"):
        title.append("  cut card out", style=ALERT_STYLE)
        if shoe.has("last_coup_number"):
            title.append(f", last hand is coup {shoe.number('last_coup_number')}", style=PLAIN)
    return title


def batches_line(table: SnapshotPart) -> Text:
    """The stages of both batches, and the shuffler's warnings."""
    shuffler = table.part("shuffler")
    if shuffler is None:
        return Text("")
    line = Text()
    for one in shuffler.parts("batches"):
        back, stage = one.text("back"), one.text("stage").replace("_", " ")
        line.append(f"{'   ' if line else ''}{back} ", style=BACK_STYLES.get(back, PLAIN))
        line.append(stage, style=TITLE if one.text("stage") == "in_play" else PLAIN)
    warnings = len(shuffler.parts("warnings"))
    if warnings:
        line.append(f"   {warnings} warning{'' if warnings == 1 else 's'}", style=ALERT_STYLE)
    if shuffler.yes("bare"):
        line.append("   bare device", style=ALERT_STYLE)
    return line


def _progress(shoe: SnapshotPart) -> Table:
    drawn, total = shoe.number("cards_drawn"), shoe.number("cards_total")
    grid = Table.grid(expand=True, padding=(0, 1))
    grid.add_column(ratio=1)
    grid.add_column(justify="right", no_wrap=True)
    bar = ProgressBar(total=max(total, 1), completed=drawn, complete_style=TIE_STYLE)
    grid.add_row(bar, f"{drawn} of {total} cards")
    return grid


def _tally(shoe: SnapshotPart) -> Text:
    line = Text()
    for name in ("player", "banker", "tie"):
        line.append(f"{name.capitalize()} ", style=STYLES[name])
        line.append(f"{shoe.number(name)}   ", style="bold")
    line.append(f"void {shoe.number('void')}   ", style=DIM)
    count = shoe.number("irregularities")
    line.append(f"irregularities {count}", style=ALERT_STYLE if count else DIM)
    return _one_line(line)


def _burn(shoe: SnapshotPart, glyphs: Glyphs) -> Text:
    burn = shoe.texts("burn")
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
    shown = displayed_hands(table)
    lines = [
        Text.assemble(("smartshoe ", "bold"), table.text("table")),
        Text(f"due: {'; '.join((*table.texts('due_calls'), table.text('due')))}"),
    ]
    for name in ("player", "banker"):
        cards = cards_line(shown.coup.texts(name), glyphs)
        count = f" ({shown.coup.number(f'{name}_count')})" if cards else ""
        lines.append(Text.assemble((f"{name.capitalize()} ", STYLES[name]), cards, count))
    shoe = table.part("shoe") or SnapshotPart({})
    lines.append(
        Text(f"coup {shoe.number('coups_begun')}, {shoe.number('cards_drawn')} cards drawn")
    )
    lines.append(bead_row(results(scene), width, glyphs))
    _, decision, _ = floor_title(table, scene.history)
    room = max(height - len(lines) - 1, 0)
    lines += floor_lines(table, scene.history, clauses, glyphs, width, room, scene.careless)
    lines.append(decision)
    return Group(*map(_one_line, lines[:height]))
