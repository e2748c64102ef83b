"""The tables of a report as rows: shoes, coups, irregularities, corrections, figures and more.

Names and order of columns are stable: a new one comes at the end.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from controller.procedure.effects import (
    BurnDone,
    CoupCorrected,
    ResolutionRecorded,
    SettingChanged,
)
from controller.rules.actions.actions import Action, OperatorAction
from controller.rules.outcome import Outcome
from controller.rules.roads import RoadCoup
from controller.service.commissioning.shuffle_receipt_file import shuffles_in
from controller.system.json_document import time_text
from controller.system.messages.catalogue import to_words
from office.evidence.coup import CoupAccount
from office.evidence.page import shoe_roads
from office.evidence.page_values import owed_texts
from office.evidence.sealed_shoe import ShoeEntry
from office.evidence.timeline import local_and_utc
from office.reports.coup_rows import (
    cards_text,
    counting_outcome,
    coup_clauses,
    error_cards_text,
)
from office.reports.csv_text import Cell, CsvTable
from office.reports.day_acts import (
    DutyRow,
    NoticeRow,
    VigorishRow,
    duty_rows,
    notice_rows,
    vigorish_rows,
)
from office.reports.figures import NS_PER_S, Figures, figures_of
from office.reports.proceedings import FollowedIrregularity, Proceedings
from office.reports.shoe_lines import shoe_lines
from office.reports.shoes import ReportedShoe

Row: TypeAlias = tuple[Cell, ...]

SHOE_COLUMNS: Final = (
    *("gaming_day", "shoe", "batch", "back", "decks", "from_utc", "until_utc", "coups", "player"),
    *("banker", "tie", "without_outcome", "irregularities", "corrections", "clean"),
    *("first_record", "last_record", "digest", "signer", "short_code"),
    *("burn_first", "burn_cards", "cards_drawn", "table"),
)
COUP_COLUMNS: Final = (
    *("gaming_day", "shoe", "coup", "ended_utc", "ended_local", "seen", "player_cards"),
    *("banker_cards", "in_error", "player_count", "banker_count", "natural", "player_pair"),
    *("banker_pair", "declared", "outcome_at_end", "outcome", "fate", "ghost_hand"),
    *("dealt_while_suspended", "irregularities", "corrections", "clauses", "record"),
)
IRREGULARITY_COLUMNS: Final = (
    *("number", "gaming_day", "shoe", "coup", "code", "what", "suspends", "noticed_utc"),
    *("noticed_local", "decided_utc", "decided_local", "seconds_to_decide", "decision"),
    *("outcome", "provisional", "person", "role", "proof", "identified_by", "second"),
    *("second_proof", "reason", "clauses", "record", "decision_record"),
)
CORRECTION_COLUMNS: Final = (
    *("gaming_day", "shoe", "coup", "at_utc", "at_local", "outcome_before", "outcome", "person"),
    *("role", "proof", "identified_by", "second", "second_proof", "reason", "owed", "record"),
)
SETTING_COLUMNS: Final = (
    *("gaming_day", "shoe", "at_utc", "at_local", "setting", "old", "new", "person", "role"),
    *("proof", "identified_by", "reason", "clauses", "record"),
)
SHUFFLE_COLUMNS: Final = (
    *("gaming_day", "shoe", "recorded_utc", "batch", "device", "cycle", "cards", "result"),
    *("counts", "refused", "signed", "genuine", "record"),
)
FIGURE_COLUMNS: Final = ("figure", "kind", "value", "unit")
EVENT_COLUMNS: Final = ("gaming_day", "shoe", "at_utc", "at_local", "what", "clauses", "record")
ROAD_COLUMNS: Final = (
    *("gaming_day", "shoe", "road", "column", "row", "coup", "mark", "ties", "corrected"),
)
NOTICE_COLUMNS: Final = (
    *("gaming_day", "shoe", "at_utc", "at_local", "setting", "value", "to", "person", "role"),
    *("proof", "effective_utc", "effective_local", "clauses", "record", "effective_record"),
)
VIGORISH_COLUMNS: Final = (
    *("gaming_day", "shoe", "at_utc", "at_local", "kind", "coup", "seat", "amount", "form"),
    *("patron", "person", "role", "proof", "what", "clauses", "record"),
)
DUTY_COLUMNS: Final = (
    *("gaming_day", "shoe", "at_utc", "at_local", "act", "batch", "depth", "person", "role"),
    *("proof", "second", "what", "clauses", "record"),
)

TABLE_NAMES: Final = (
    *("shoes", "coups", "irregularities", "corrections", "settings", "shuffles", "figures"),
    *("events", "roads", "notices", "vigorish", "duties"),
)


def report_tables(shoes: Sequence[ReportedShoe], proceedings: Proceedings) -> tuple[CsvTable, ...]:
    """Every table of these shoes, in order."""
    figures = figure_rows(figures_of(shoes, proceedings))
    return (
        CsvTable("shoes", SHOE_COLUMNS, tuple(map(_shoe_row, shoes))),
        CsvTable("coups", COUP_COLUMNS, _of_each(shoes, _coup_rows)),
        CsvTable(
            "irregularities",
            IRREGULARITY_COLUMNS,
            tuple(map(_irregularity_row, proceedings.irregularities)),
        ),
        CsvTable("corrections", CORRECTION_COLUMNS, _of_each(shoes, _correction_rows)),
        CsvTable("settings", SETTING_COLUMNS, _of_each(shoes, _setting_rows)),
        CsvTable("shuffles", SHUFFLE_COLUMNS, _of_each(shoes, _shuffle_rows)),
        CsvTable("figures", FIGURE_COLUMNS, tuple(figures)),
        CsvTable("events", EVENT_COLUMNS, _of_each(shoes, _event_rows)),
        CsvTable("roads", ROAD_COLUMNS, _of_each(shoes, _road_rows)),
        CsvTable("notices", NOTICE_COLUMNS, tuple(map(_notice_row, notice_rows(shoes)))),
        CsvTable("vigorish", VIGORISH_COLUMNS, tuple(map(_vigorish_row, vigorish_rows(shoes)))),
        CsvTable("duties", DUTY_COLUMNS, tuple(map(_duty_row, duty_rows(shoes)))),
    )


def _of_each(
    shoes: Sequence[ReportedShoe], rows: Callable[[ReportedShoe], Iterator[Row]]
) -> tuple[Row, ...]:
    return tuple(row for shoe in shoes for row in rows(shoe))


def _name_of(shoe: ReportedShoe) -> tuple[str, int]:
    return shoe.shoe.heading.gaming_day, shoe.shoe.number


def _times(shoe: ReportedShoe, utc_ns: int) -> tuple[str, str]:
    """UTC, and the table's local time with its offset."""
    return time_text(utc_ns), local_and_utc(utc_ns, shoe.shoe.zone)[0]


def _who(action: OperatorAction[Action] | None) -> tuple[str, str, str]:
    """Role, proof and account of the person who acted."""
    if action is None:
        return "", "", ""
    return action.role.value, action.proof.value, action.identified_by


def _value(outcome: Outcome | None) -> str | None:
    return outcome.value if outcome is not None else None


def _shoe_row(shoe: ReportedShoe) -> Row:
    heading = shoe.shoe.heading
    now = [counting_outcome(coup) for coup in shoe.coups]
    burn = next(shoe.shoe.entries_of(BurnDone), None)
    return (
        *_name_of(shoe),
        *(heading.batch, heading.back, heading.decks),
        *(time_text(heading.from_ns), time_text(heading.until_ns), len(now)),
        *(now.count(one) for one in (Outcome.PLAYER, Outcome.BANKER, Outcome.TIE, None)),
        *(len(shoe.shoe.irregularities), sum(len(one.corrections) for one in shoe.coups)),
        heading.clean,
        *(heading.first_seq, heading.last_seq),
        *(shoe.seal.digest, shoe.seal.signer, shoe.seal.code),
        *((burn.first and str(burn.first), burn.removed) if burn is not None else (None, None)),
        shoe.shoe.ended.cards_drawn if shoe.shoe.ended is not None else None,
        heading.table,
    )


def _coup_rows(shoe: ReportedShoe) -> Iterator[Row]:
    for coup in shoe.coups:
        record = coup.record
        result = record.result if coup.seen else None
        shown = result is not None
        yield (
            *(*_name_of(shoe), record.coup, *_times(shoe, coup.closed_at.utc_ns), coup.seen),
            *(cards_text(coup, players=True), cards_text(coup, players=False)),
            error_cards_text(coup),
            *((result.player_count, result.banker_count) if result else (None, None)),
            *((result.natural, result.player_pair, result.banker_pair) if result else _UNKNOWN),
            *(_value(record.declared), _value(record.outcome), _value(counting_outcome(coup))),
            *(record.fate.value, record.ghost, record.suspended_cards),
            " ".join(str(one.irregularity.number) for one in coup.raised),
            len(coup.corrections),
            " ".join(coup_clauses(coup)) if shown or coup.seen else "",
            coup.closed_at.seq,
        )


_UNKNOWN: Final = (None, None, None)


def _irregularity_row(one: FollowedIrregularity) -> Row:
    noticed = (
        *(one.found.number, *_name_of(one.shoe), one.found.coup or None),
        *(one.found.code.value, one.what, one.found.suspends),
        *_times(one.shoe, one.at.utc_ns),
    )
    decision = one.decided.entry if one.decided is not None else None
    clauses, record = " ".join(one.clauses), one.at.seq
    if one.decided is None or not isinstance(decision, ResolutionRecorded):
        return (*noticed, *_NO_DECISION, clauses, record, None)
    action = one.decided.action
    return (
        *(*noticed, *_times(one.shoe, one.decided.utc_ns)),
        one.waited_ns / NS_PER_S if one.waited_ns is not None else None,
        *(decision.decision.value, _value(decision.outcome)),
        decision.provisional.value if decision.provisional is not None else None,
        *(decision.person, *_who(action), decision.second),
        action.second_proof.value if action is not None and decision.second else None,
        *(decision.reason, clauses, record, one.decided.seq),
    )


_NO_DECISION: Final = (None,) * (
    IRREGULARITY_COLUMNS.index("clauses") - IRREGULARITY_COLUMNS.index("decided_utc")
)


def _correction_rows(shoe: ReportedShoe) -> Iterator[Row]:
    for coup in shoe.coups:
        for at in coup.corrections:
            yield _correction_row(shoe, coup, at)


def _correction_row(shoe: ReportedShoe, coup: CoupAccount, at: ShoeEntry) -> Row:
    corrected = at.entry
    assert isinstance(corrected, CoupCorrected), "the corrections of a coup are corrections"
    return (
        *(*_name_of(shoe), coup.record.coup, *_times(shoe, at.utc_ns)),
        *(corrected.before.value, corrected.outcome.value),
        *(corrected.person, *_who(at.action), corrected.second),
        at.action.second_proof.value if at.action is not None else None,
        *(corrected.reason, "; ".join(owed_texts(at)), at.seq),
    )


def _setting_rows(shoe: ReportedShoe) -> Iterator[Row]:
    for one in shoe.shoe.entries:
        if isinstance(changed := one.entry, SettingChanged):
            yield (
                *(*_name_of(shoe), *_times(shoe, one.utc_ns)),
                *(changed.setting, changed.old, changed.new),
                *(changed.person, *_who(one.action), changed.reason),
                *(" ".join(changed.clauses), one.seq),
            )


def _shuffle_rows(shoe: ReportedShoe) -> Iterator[Row]:
    file = shoe.found.file
    for one in shuffles_in(file.records(), file.parts().started):
        proof, refused = one.recorded.proof, one.recorded.refused
        yield (
            *(*_name_of(shoe), time_text(one.at_utc_ns), one.recorded.batch),
            *(proof.device, proof.cycle, proof.count, proof.result.value, refused is None),
            to_words(refused) if refused is not None else "",
            *(proof.signed, proof.genuine, one.record),
        )


def _event_rows(shoe: ReportedShoe) -> Iterator[Row]:
    """What happened to the shoe itself: burn, cut card, batch, settings, warnings."""
    for line in shoe_lines(shoe):
        yield (
            *(*_name_of(shoe), *_times(shoe, line.source.utc_ns)),
            *(line.text, " ".join(line.clauses), line.source.seq),
        )


def _road_rows(shoe: ReportedShoe) -> Iterator[Row]:
    """Every mark of the five roads; columns and rows count from 0."""
    roads, name = shoe_roads(shoe.shoe), _name_of(shoe)
    for bead in roads.bead_plate:
        at, played = (bead.column, bead.row), bead.played
        yield (*name, "bead_plate", *at, *_won(played), "", played.corrected)
    for cell in roads.big_road:
        ties = " ".join(str(one.coup) for one in cell.ties)
        corrected = any(one.corrected for one in (cell.won, *cell.ties) if one is not None)
        yield (*name, "big_road", cell.column, cell.row, *_won(cell.won), ties, corrected)
    for road in ("big_eye_boy", "small_road", "cockroach_pig"):
        for one in getattr(roads, road):
            at = (one.column, one.row)
            yield (*name, road, *at, one.coup, one.colour.value, "", one.corrected)


def _notice_row(row: NoticeRow) -> Row:
    action, effective = row.at.action, row.effective
    assert action is not None, "a notice is a person's act"
    return (
        *(*_name_of(row.shoe), *_times(row.shoe, row.at.utc_ns)),
        *(row.setting, row.value, row.to, action.person, *_who(action)[:2]),
        *((None, None) if effective is None else _times(row.shoe, effective.utc_ns)),
        *(" ".join(row.clauses), row.at.seq, None if effective is None else effective.seq),
    )


def _vigorish_row(row: VigorishRow) -> Row:
    at = row.at
    action = at.action if at is not None else None
    return (
        *_name_of(row.shoe),
        *((None, None) if at is None else _times(row.shoe, at.utc_ns)),
        *(row.kind.value, row.coup, row.seat, row.amount, row.form, row.patron),
        *("" if action is None else action.person, *_who(action)[:2]),
        *(row.text, " ".join(row.clauses), None if at is None else at.seq),
    )


def _duty_row(row: DutyRow) -> Row:
    return (
        *(*_name_of(row.shoe), *_times(row.shoe, row.at.utc_ns)),
        *(row.act.value, row.batch, row.depth, row.person, *_who(row.at.action)[:2]),
        *(row.second, row.text, " ".join(row.clauses), row.at.seq),
    )


def _won(played: RoadCoup | None) -> tuple[int | None, str | None]:
    """The coup and its outcome."""
    return (None, None) if played is None else (played.coup, played.outcome.value)


def figure_rows(figures: Figures) -> Iterator[Row]:
    """Each figure in a row of its own: its name, of what kind, the value, the unit."""
    yield "shoes", "", figures.shoes, "count"
    yield "coups", "", figures.coups, "count"
    yield from (("outcomes", one.value, n, "count") for one, n in figures.outcomes.items())
    yield from (("outcomes_at_end", one.value, n, "count") for one, n in figures.at_end.items())
    yield "coups_without_outcome", "", figures.without_outcome, "count"
    yield from (("fates", one.value, n, "count") for one, n in figures.fates.items())
    yield "ghost_hands", "", figures.ghost_hands, "count"
    yield "naturals", "", figures.naturals, "count"
    yield "pairs", "player", figures.player_pairs, "count"
    yield "pairs", "banker", figures.banker_pairs, "count"
    yield from (("irregularities", one, n, "count") for one, n in figures.irregularities.items())
    yield "irregularities_undecided", "", figures.undecided, "count"
    for one in figures.decisions:
        yield "decisions", one.kind, one.count, "count"
        yield "decisions_timed", one.kind, one.timed, "count"
        yield "decision_time", one.kind, one.total_ns / NS_PER_S, "seconds"
        yield "decision_time_longest", one.kind, one.longest_ns / NS_PER_S, "seconds"
    yield "suspensions", "", figures.suspensions, "count"
    yield "suspended_time", "", figures.suspended_ns / NS_PER_S, "seconds"
    yield "shuffler_warnings", "", figures.warnings, "count"
    yield "shuffler_warnings_cleared", "", figures.warnings_cleared, "count"
    yield "shuffler_warning_time", "", figures.warnings_waited_ns / NS_PER_S, "seconds"
    down_ns = figures.shuffler_down_ns
    yield "shuffler_down_time", "", None if down_ns is None else down_ns / NS_PER_S, "seconds"
    yield "corrections", "", figures.corrections, "count"
    yield "settings_changed", "", figures.settings_changed, "count"
