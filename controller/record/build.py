"""Builds the snapshot of a table: everything that people may see, from the stored state."""

from typing import Final

from controller.core.core import Core
from controller.core.state import CoreState
from controller.procedure.acts.batch_record import lineage_of
from controller.procedure.acts.duties import GROUP_NAMES, describe_duty, is_done, required_duties
from controller.procedure.acts.recording import next_batch, shoe_in_play, uses_two_batches
from controller.procedure.calls.prompts import due_calls
from controller.procedure.irregularities import CATALOGUE
from controller.procedure.opening.gaming_day import gaming_day_due
from controller.procedure.people.permitted import permitted_decisions, permitted_texts
from controller.procedure.people.setting_changes import effective_book
from controller.procedure.phases import (
    ABANDONED_PHASES,
    BURNS_BEGUN,
    HANDS_COMPLETE,
    UNCOUNTED_BURNS,
    Phase,
    due_words,
)
from controller.procedure.rulebook import RuleBook
from controller.procedure.shuffler.interlock import is_interlocked
from controller.procedure.state import NOBODY, OpenIrregularity, ShoeState, TableState
from controller.record.coup import closed_coup_view, open_coup_view
from controller.record.custody import custody_view, finding_view, found_card_seen
from controller.record.disclosure import (
    burn_card_withheld,
    card_fact,
    clauses_withheld,
    coup_withheld,
    disclosed_clauses,
    shown_card,
)
from controller.record.host import host_view
from controller.record.people import people_view
from controller.record.remedy import remedy_view
from controller.record.shuffler import identity_view, shuffler_view
from controller.record.snapshot import (
    SCHEMA_VERSION,
    ClosedCoupView,
    CorrectionView,
    DutyView,
    FindingView,
    IrregularityView,
    OpeningView,
    RefusedActView,
    RunFacts,
    ShoeView,
    ShownPhase,
    Snapshot,
    SuspensionView,
    Withheld,
)
from controller.record.snapshot_devices import AdvisoryView, AuxiliaryView, DeviceView, ShufflerView
from controller.record.wagering import wagering_view
from controller.rules.advisory import Advisory
from controller.rules.profiles.borrowing import cite
from controller.system.messages.catalogue import to_words
from drivers.interface import locked_of, remarks_of
from drivers.model import CardReading
from foundation.message import Message, message

RUNNING: Final = RunFacts()
# These phases follow from cards that may still lie face down.
_PHASES_REVEALING_CARDS = (
    Phase.PLAYER_3,
    Phase.BANKER_3,
    *HANDS_COMPLETE,
    *ABANDONED_PHASES,
)


def build_snapshot(core: Core, state: CoreState, run: RunFacts = RUNNING) -> Snapshot:
    """The whole snapshot. What follows from a card is withheld until people have seen the card."""
    table = state.table
    book = effective_book(core.book, table)
    shoe = table.shoe
    coup = shoe.coup if shoe is not None else None
    return Snapshot(
        schema=SCHEMA_VERSION,
        table=core.settings.table,
        pit=core.settings.pit,
        profile=book.profile.name,
        health=run.health,
        failure=run.failure,
        gaming_day=table.shoe_day or table.today,
        observed=tuple(fact.value for fact in core.settings.observed),
        phase=shown_phase(book, table),
        due=to_words(_due(book, table)),
        due_calls=_due_calls(book, table),
        suspension=_suspension(book, table),
        shoe=_shoe(book, shoe) if shoe is not None else None,
        coup=open_coup_view(book, shoe, coup) if shoe is not None and coup is not None else None,
        last_coup=_last_coup(book, shoe) if shoe is not None else None,
        irregularities=tuple(_irregularity(book, table, one) for one in table.open_irregularities),
        remedy=remedy_view(book, table),
        opening=opening_view(book, table),
        wagering=wagering_view(book, table),
        device=_shoe_device(core, state),
        beside=_auxiliary_devices(core, state),
        shuffler=_shuffler(core, book, state),
        custody=custody_view(state.custody),
        people=people_view(table.staff, run.accounts),
        host=host_view(state.host),
        batches_named=run.batches_named,
        seals=run.seals,
        advisories=tuple(map(advisory_view, run.advisories)),
        coups=run.coups,
        metrics_read_s=run.metrics_read_s,
        trial=run.trial,
        software=run.software,
        pause=run.pause,
    )


def advisory_view(said: Advisory) -> AdvisoryView:
    """An advisory of the monitors; it follows from disclosed cards alone (`monitored.py`)."""
    return AdvisoryView(
        kind=said.kind,
        shoe=said.shoe,
        card=said.card,
        text=to_words(said.words),
        strength_millibits=said.strength_millibits,
        evidence=said.evidence,
        again=said.again,
    )


def _shoe_device(core: Core, state: CoreState) -> DeviceView:
    settings, model = core.settings.shoe, core.settings.shoe_model
    return DeviceView(
        port=settings.port,
        model=settings.model,
        stage=state.shoe_driver.stage,
        locked=locked_of(state.shoe_driver),
        commands_allowed=settings.allow_commands,
        # A shoe that may read faces needs no batch to be bound.
        reads_tags=model.cards is CardReading.TAG,
        identity=identity_view(state.shoe_identity) if model.proves_identity else None,
        remarks=tuple(map(to_words, remarks_of(state.shoe_driver))),
    )


def _due_calls(book: RuleBook, table: TableState) -> tuple[str, ...]:
    """What people have to do now: first to state the gaming day, where it waits for that."""
    due = gaming_day_due(table)
    stated_first = () if due is None else (due,)
    calls = (*stated_first, *(one.text for one in due_calls(book, table)))
    return tuple(map(to_words, calls))


def _auxiliary_devices(core: Core, state: CoreState) -> tuple[AuxiliaryView, ...]:
    """Readers and scanners, in the order of the configuration."""
    shuffler = core.settings.shuffler
    seats = {one.port: one.seat for one in core.settings.readers}
    models = {one.port: one.model for one in core.settings.scanners}
    return tuple(
        AuxiliaryView(
            port=one.port,
            kind="reader" if one.port in seats else "scanner",
            seat=seats.get(one.port, ""),
            model=models.get(one.port, ""),
            stage=one.state.stage,
            remarks=tuple(map(to_words, remarks_of(one.state))),
        )
        for one in state.auxiliary
        if shuffler is None or one.port != shuffler.port
    )


def _shuffler(core: Core, book: RuleBook, state: CoreState) -> ShufflerView | None:
    """None at a table without a connected shuffler."""
    settings = core.settings.shuffler
    if settings is None:
        return None
    stages = [one.state.stage for one in state.auxiliary if one.port == settings.port]
    locked = is_interlocked(book, state.table)
    return shuffler_view(settings, stages[0], state.table.lineage, interlocked=locked)


def _suspension(book: RuleBook, table: TableState) -> SuspensionView | None:
    if table.suspension is None:
        return None
    return SuspensionView(
        resume_to=_phase(book, table, table.suspension.resume_to),
        coups=table.suspension.coups_dealt,
        cards=table.suspension.cards_dealt,
    )


def shown_phase(book: RuleBook, table: TableState) -> ShownPhase:
    """The phase of the table as people are shown it."""
    return _phase(book, table, table.phase)


def _phase(book: RuleBook, table: TableState, phase: Phase) -> ShownPhase:
    """The phase, withheld where it would reveal cards that nobody has turned."""
    return card_fact(phase, _phase_withheld(book, table, phase))


def _phase_withheld(book: RuleBook, table: TableState, phase: Phase) -> Withheld | None:
    coup = table.shoe.coup if table.shoe is not None else None
    follows = coup is not None and phase in _PHASES_REVEALING_CARDS
    return coup_withheld(book, coup) if coup is not None and follows else None


def _due(book: RuleBook, table: TableState) -> Message:
    if _phase_withheld(book, table, table.phase):
        return message("due_turn_cards")
    if table.phase in UNCOUNTED_BURNS:
        return message("due_burn_cards_unknown_number")
    if table.phase in BURNS_BEGUN and table.shoe is not None:
        return message("due_more_burn_cards", owed=table.shoe.burn_owed)
    held = table.shoe is not None and bool(table.shoe.remedy.carried)
    if table.phase is Phase.BETWEEN_COUPS:
        return message("due_coup_with_cards_held") if held else message("due_coup_first_card")
    return due_words(table.phase)


def _last_coup(book: RuleBook, shoe: ShoeState) -> ClosedCoupView | None:
    """The last coup as counted, with the outcome that counts instead, if any."""
    if shoe.last_coup is None:
        return None
    finished = shoe.finished_coup(shoe.last_coup.coup)
    corrected = finished.corrected if finished is not None else None
    return closed_coup_view(book, shoe.last_coup, corrected)


def _shoe(book: RuleBook, shoe: ShoeState) -> ShoeView:
    return ShoeView(
        gaming_day=shoe.gaming_day,
        number=shoe.number,
        joined=shoe.joined,
        cards_total=shoe.cards_total,
        cards_drawn=shoe.cards_drawn,
        cards_left=None if shoe.joined or shoe.endless else shoe.cards_left(),
        coups_begun=shoe.coups_begun,
        player=shoe.tally.player,
        banker=shoe.tally.banker,
        tie=shoe.tally.tie,
        void=shoe.tally.void,
        irregularities=shoe.irregularities,
        burn=tuple(
            shown_card(card, burn_card_withheld(book, index))
            for index, card in enumerate(shoe.burn_cards)
        ),
        burn_owed=shoe.burn_owed,
        cut_card_seen=shoe.cut.seen > 0,
        last_coup_number=shoe.cut.last_coup,
        ended=shoe.ended,
        ghost_hands=shoe.ghost_hands,
        corrections=tuple(
            CorrectionView(one.number, one.counted, one.corrected)
            for one in shoe.finished
            if one.corrected is not None
        ),
    )


def _irregularity(book: RuleBook, table: TableState, one: OpenIrregularity) -> IrregularityView:
    permitted = permitted_texts(one.code, permitted_decisions(book, table))
    return IrregularityView(
        *cite(book.document, disclosed_clauses(book, table, one)),
        withheld=clauses_withheld(book, table, one),
        number=one.number,
        code=one.code.value,
        title=to_words(Message(one.code.value)),
        coup=one.coup,
        suspends=one.suspends,
        provisional=one.provisional,
        permitted=tuple(map(to_words, permitted)),
        forbidden=tuple(map(to_words, CATALOGUE[one.code].forbidden)),
        found=_custody_finding(book, table, one),
    )


def _custody_finding(
    book: RuleBook, table: TableState, one: OpenIrregularity
) -> FindingView | None:
    if one.finding is None:
        return None
    return finding_view(one.finding, seen=found_card_seen(book, table.shoe, one))


def opening_view(book: RuleBook, table: TableState) -> OpeningView:
    """The next shoe's duties and where the cards are.

    While a shoe is in play the duties are those of the next shoe.
    """
    opening, lineage = table.opening, lineage_of(book, table)
    batch = next_batch(book, table)
    return OpeningView(
        shuffle_mode=book.values.shuffle_mode.value,
        duties=tuple(
            DutyView(
                *cite(book.document, book.clauses(*duty.points)),
                act=duty.acts[0].value,
                text=to_words(describe_duty(book, duty)),
                group=to_words(GROUP_NAMES[duty.group]),
                done=is_done(book, table, duty, batch),
                observed=book.observes(duty.fact),
            )
            for duty in required_duties(book, opening)
        ),
        refused=tuple(
            RefusedActView(fault.act.value, fault.code.value, to_words(fault.detail))
            for fault in opening.defects
        ),
        batches=book.backs if uses_two_batches(book) else (),
        batch=batch,
        loaded=lineage.loaded,
        in_play=lineage.last_dealt if shoe_in_play(table) else "",
        last_batch=lineage.last_dealt,
        in_shuffler=lineage.stored_batch,
        in_rack=lineage.in_rack,
        cut_offered_to=opening.offered,
        cut_by=opening.cutter if opening.cutter != NOBODY else None,
        recut_by=opening.recut_by,
        dead_table=opening.dead,
        shoe_held_by=opening.holder or None,
    )
