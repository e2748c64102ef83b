"""Builds the snapshot of a table: everything that people may see, as plain JSON values.

Source: controller/views/README.md, "Disclosure", "Snapshot".
"""

from typing import TypeAlias

from controller.core.core import Core
from controller.core.state import CoreState
from controller.messages.catalogue import to_words
from controller.procedure.acts.batch_record import lineage_of
from controller.procedure.acts.duties import GROUP_NAMES, describe_duty, is_done, required_duties
from controller.procedure.acts.recording import next_batch, shoe_in_play, uses_two_batches
from controller.procedure.calls.due_calls import due_calls
from controller.procedure.irregularities import CATALOGUE
from controller.procedure.opening.gaming_day import gaming_day_due
from controller.procedure.people.permitted import permitted_decisions, permitted_texts
from controller.procedure.people.setting_changes import effective_book
from controller.procedure.phases import (
    ABANDONED_PHASES,
    BURNS_BEGUN,
    DUE_WORDS,
    HANDS_COMPLETE,
    UNCOUNTED_BURNS,
    Phase,
)
from controller.procedure.rulebook import RuleBook
from controller.procedure.shuffler.interlock import is_interlocked
from controller.procedure.state import OpenIrregularity, ShoeState, TableState
from controller.procedure.states.opening import NOBODY
from controller.profiles.borrowing import with_borrowed
from controller.views.coup import card_text, closed_coup_view, open_coup_view, reveal_view
from controller.views.custody import custody_view, finding_view, found_card_seen
from controller.views.disclosure import (
    HIDDEN_CARD,
    burn_card_disclosed,
    coup_disclosed,
    disclosed_clauses,
)
from controller.views.host import host_view
from controller.views.remedy import remedy_view
from controller.views.shuffler import identity_view, shuffler_view
from controller.views.wagering import wagering_view
from drivers.catalogue import SHOE_MODELS
from firmware_bridge.message import Message

Plain: TypeAlias = dict[str, object]

# These phases follow from cards that may still lie face down.
_PHASES_REVEALING_CARDS = (
    Phase.PLAYER_3,
    Phase.BANKER_3,
    *HANDS_COMPLETE,
    *ABANDONED_PHASES,
)


def snapshot(core: Core, state: CoreState, health: str, failure: str) -> Plain:
    """The whole snapshot. Keys are stable; a card is a text such as "7h", or "??" if undisclosed.

    `health` and `failure` describe the table's loop thread, which the core does not know.
    """
    table = state.table
    book = effective_book(core.book, table)
    shoe, model = table.shoe, SHOE_MODELS[core.settings.shoe.model]
    coup = shoe.coup if shoe is not None else None
    shown: Plain = {
        "table": core.settings.table,
        "pit": core.settings.pit,
        "profile": book.profile.name,
        "health": health,
        "failure": failure,
        "phase": _phase_name(book, table, table.phase),
        "due": _due(book, table),
        "gaming_day": table.shoe_day or table.today,
        "due_calls": _due_calls(book, table),
        "shoe": _shoe(book, shoe) if shoe is not None else None,
        "coup": open_coup_view(book, shoe, coup) if shoe is not None and coup is not None else None,
        "reveal": reveal_view(book, coup) if coup is not None else None,
        "last_coup": _last_coup(book, shoe) if shoe is not None else None,
        "irregularities": [_irregularity(book, table, one) for one in table.open_irregularities],
        "decisions": [decision.value for decision in permitted_decisions(book, table)],
        "provisional_needed": table.suspension is not None and table.suspension.dealt,
        "dealt_while_suspended": _dealt_while_suspended(table),
        "resume_to": _resume_to(book, table),
        "remedy": remedy_view(book, table),
        "opening": opening_view(book, table),
        "wagering": wagering_view(book, table),
        "device": {
            "port": core.settings.shoe.port,
            "model": core.settings.shoe.model,
            "stage": state.shoe_driver.stage.value,
            "locked": state.shoe_driver.locked,
            "commands_allowed": core.settings.shoe.allow_commands,
            # A shoe with an identity may read faces: then no batch needs to be bound.
            "reads_tags": not (model.claims or model.identity),
            "identity": _shoe_identity(core, state),
        },
        "beside": _auxiliary_devices(core, state),
        "shuffler": _shuffler(core, book, state),
        "custody": custody_view(state.custody),
        "host": host_view(state.host),
        "observed": [fact.value for fact in core.settings.observed],
    }
    return with_borrowed(book.document, shown)


def _due_calls(book: RuleBook, table: TableState) -> list[str]:
    """What people have to do now: first to state the gaming day, where it waits for that."""
    due = gaming_day_due(table)
    stated_first = () if due is None else (due,)
    return [to_words(one) for one in (*stated_first, *(c.text for c in due_calls(book, table)))]


def _auxiliary_devices(core: Core, state: CoreState) -> list[Plain]:
    """Readers and scanners, in the order of the configuration."""
    shuffler = core.settings.shuffler
    seats = {one.port: one.seat for one in core.settings.readers}
    models = {one.port: one.model for one in core.settings.scanners}
    return [
        {
            "port": one.port,
            "kind": "reader" if one.port in seats else "scanner",
            "seat": seats.get(one.port, ""),
            "model": models.get(one.port, ""),
            "stage": one.state.stage.value,
        }
        for one in state.auxiliary
        if shuffler is None or one.port != shuffler.port
    ]


def _shoe_identity(core: Core, state: CoreState) -> Plain | None:
    has_one = SHOE_MODELS[core.settings.shoe.model].identity
    return identity_view(state.shoe_identity) if has_one else None


def _shuffler(core: Core, book: RuleBook, state: CoreState) -> Plain | None:
    """None at a table without a connected shuffler."""
    settings = core.settings.shuffler
    if settings is None:
        return None
    stages = [one.state.stage for one in state.auxiliary if one.port == settings.port]
    locked = is_interlocked(book, state.table)
    return shuffler_view(settings, stages[0], state.table.lineage, interlocked=locked)


def _dealt_while_suspended(table: TableState) -> Plain | None:
    """None while the table is not suspended."""
    if table.suspension is None:
        return None
    return {"coups": table.suspension.coups_dealt, "cards": table.suspension.cards_dealt}


def _resume_to(book: RuleBook, table: TableState) -> str | None:
    if table.suspension is None:
        return None
    return _phase_name(book, table, table.suspension.resume_to)


def _phase_name(book: RuleBook, table: TableState, phase: Phase) -> str:
    """The phase, or "coup" where it would reveal cards that nobody has turned."""
    coup = table.shoe.coup if table.shoe is not None else None
    if coup is not None and phase in _PHASES_REVEALING_CARDS and not coup_disclosed(book, coup):
        return "coup"
    return phase.value


def _due(book: RuleBook, table: TableState) -> str:
    if _phase_name(book, table, table.phase) == "coup":
        return "turn the cards; what is due next follows from them"
    if table.phase in UNCOUNTED_BURNS:
        return 'burn cards; how many more is not known: call "no more bets" when they are done'
    if table.phase in BURNS_BEGUN and table.shoe is not None:
        return f"{table.shoe.burn_owed} more burn cards"
    held = table.shoe is not None and bool(table.shoe.remedy.carried)
    if table.phase is Phase.BETWEEN_COUPS:
        first = "it begins with the cards held" if held else "then Player's first card"
        return f'the next coup: "no more bets"{"; " if held else ", "}{first}'
    return to_words(DUE_WORDS[table.phase])


def _last_coup(book: RuleBook, shoe: ShoeState) -> Plain | None:
    """The last coup as counted; `corrected` is the outcome that counts instead, if any."""
    if shoe.last_coup is None:
        return None
    finished = shoe.finished_coup(shoe.last_coup.coup)
    corrected = finished.corrected if finished is not None else None
    return {
        **closed_coup_view(book, shoe.last_coup),
        "corrected": corrected.value if corrected is not None else None,
    }


def _shoe(book: RuleBook, shoe: ShoeState) -> Plain:
    burn = [
        card_text(card) if burn_card_disclosed(book, index) else HIDDEN_CARD
        for index, card in enumerate(shoe.burn_cards)
    ]
    last = shoe.cut.last_coup
    return {
        "gaming_day": shoe.gaming_day,
        "number": shoe.number,
        "joined": shoe.joined,
        "cards_total": shoe.cards_total,
        "cards_drawn": shoe.cards_drawn,
        "cards_left": None if shoe.joined or shoe.endless else shoe.cards_left(),
        "coups_begun": shoe.coups_begun,
        "player": shoe.tally.player,
        "banker": shoe.tally.banker,
        "tie": shoe.tally.tie,
        "void": shoe.tally.void,
        "irregularities": shoe.irregularities,
        "burn": burn,
        "burn_owed": shoe.burn_owed,
        "cut_card_seen": shoe.cut.seen > 0,
        "last_coup_number": last,
        "ended": shoe.ended,
        "ghost_hands": shoe.ghost_hands,
        "corrections": [
            {"coup": one.number, "counted": str(one.counted), "outcome": one.corrected.value}
            for one in shoe.finished
            if one.corrected is not None
        ],
    }


def _irregularity(book: RuleBook, table: TableState, one: OpenIrregularity) -> Plain:
    kind = CATALOGUE[one.code]
    return {
        "number": one.number,
        "code": one.code.value,
        "title": to_words(Message(one.code.value)),
        "clauses": list(disclosed_clauses(book, table, one)),
        "coup": one.coup,
        "suspends": one.suspends,
        "provisional": one.provisional,
        "permitted": [
            to_words(text) for text in permitted_texts(one.code, permitted_decisions(book, table))
        ],
        "forbidden": [to_words(text) for text in kind.forbidden],
        "found": _custody_finding(book, table, one),
    }


def _custody_finding(book: RuleBook, table: TableState, one: OpenIrregularity) -> Plain | None:
    if one.finding is None:
        return None
    return finding_view(one.finding, seen=found_card_seen(book, table.shoe, one))


def opening_view(book: RuleBook, table: TableState) -> dict[str, object]:
    """The next shoe's duties and where the cards are; keys are stable, "" where nothing is known.

    `batch` is the one loaded or due. While a shoe is in play the duties are those of the next
    shoe. `observed` false: the table does not sense this act, so `done` is only what was recorded.
    """
    opening, lineage = table.opening, lineage_of(book, table)
    batch = next_batch(book, table)
    return {
        "shuffle_mode": book.values.shuffle_mode.value,
        "duties": [
            {
                "act": duty.acts[0].value,
                "text": to_words(describe_duty(book, duty)),
                "group": to_words(GROUP_NAMES[duty.group]),
                "done": is_done(book, table, duty, batch),
                "observed": book.observes(duty.fact),
                "clauses": list(book.clauses(*duty.points)),
            }
            for duty in required_duties(book, opening)
        ],
        "refused": [
            {"act": fault.act.value, "code": fault.code.value, "detail": to_words(fault.detail)}
            for fault in opening.defects
        ],
        "batches": list(book.backs) if uses_two_batches(book) else [],
        "batch": batch,
        "loaded": lineage.loaded,
        "in_play": lineage.last_dealt if shoe_in_play(table) else "",
        "last_batch": lineage.last_dealt,
        "in_shuffler": lineage.stored_batch,
        "in_rack": lineage.in_rack,
        "cut_offered_to": list(opening.offered),
        "cut_by": opening.cutter if opening.cutter != NOBODY else None,
        "recut_by": list(opening.recut_by),
        "dead_table": opening.dead,
        "shoe_held_by": opening.holder or None,
    }
