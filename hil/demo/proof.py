"""Proves a demo: verifies and replays its journal and compares it with what was truly dealt."""

from collections import Counter
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TypeAlias

from controller.archive.signer import seal_holds
from controller.core.tape.entries import EventVerdicts
from controller.core.tape.records import read_entry
from controller.custody.batch_life.facts import ShuffleRecorded, StageChange
from controller.custody.batch_life.stages import BatchStage
from controller.journal.evidence_log.shoe_proof import shoe_proof
from controller.journal.folder import read_sealed, sealed_files
from controller.journal.log_database import LogDatabase
from controller.journal.store import open_read_only
from controller.procedure.effects import CoupClosed, CoupCorrected, CoupRecord, ShoeOpened
from controller.procedure.events import CardDrawn
from controller.procedure.verdicts import Irregularity
from controller.rules.outcome import CoupFate, Outcome
from hil.dealing.actions import Place
from hil.dealing.truth import CoupTruth, Truth
from hil.demo.program import run_json_command

Coup: TypeAlias = tuple[tuple[str, ...], tuple[str, ...], str]
OUTCOME_WORDS = {
    Outcome.PLAYER: "player",
    Outcome.BANKER: "banker",
    Outcome.TIE: "tie",
    None: "void",
}


@dataclass(frozen=True, slots=True)
class JournalTally:
    """Counts over a journal's shoes. `codes`: irregularities by code, in code order.

    `batches` are the backs in play, shoe by shoe; `shuffles` is the number of proven shuffles.
    """

    shoes: int
    coups: tuple[Coup, ...]
    cards: int
    player: int
    banker: int
    tie: int
    void: int
    codes: tuple[tuple[str, int], ...]
    batches: tuple[str, ...] = ()
    shuffles: int = 0

    @property
    def irregularities(self) -> int:
        return sum(count for _, count in self.codes)


@dataclass(frozen=True, slots=True)
class SealCounts:
    """The number of sealed files, of those signed by the table's key, and the last day's code."""

    sealed: int
    signed: int
    code: str


@dataclass(frozen=True, slots=True)
class DemoProof:
    """The findings. `difference` says where journal and truth differ, empty if they do not."""

    tally: JournalTally
    intact: bool
    records: int
    head: str
    replay: str
    difference: str
    seals: SealCounts

    @property
    def verified(self) -> bool:
        return self.intact and self.replay == "same" and not self.difference


def prove(
    journal: Path, truth: Truth, *, complete: bool, batches: tuple[str, ...] = ()
) -> DemoProof:
    """Verify and replay the journal of a program that has ended, and compare it with the truth.

    `complete` False: dealing was stopped, so the journal may end earlier than the truth. `batches`:
    the backs loaded, shoe by shoe. Raises ProgramFailed and JournalError.
    """
    tally = count_journal(journal)
    verified = run_json_command("verify", journal)
    replayed = run_json_command("replay", journal)
    records = verified.get("records")
    return DemoProof(
        tally=tally,
        intact=verified.get("intact") is True and verified["exit_code"] == 0,
        records=records if isinstance(records, int) else 0,
        head=str(verified.get("head", "")),
        replay=str(replayed.get("finding", "")),
        difference=find_difference(truth, tally, complete=complete)
        or _find_batch_difference(batches, tally, complete=complete),
        seals=count_seals(journal),
    )


def count_seals(journal: Path) -> SealCounts:
    """Count the sealed files. Raises JournalError and OSError."""
    files = tuple(map(read_sealed, sealed_files(journal)))
    with LogDatabase.open_read_only(journal) as log:
        proof = shoe_proof(log, files[-1].digest) if files else None
    code = proof.code if proof is not None else ""
    return SealCounts(len(files), sum(map(seal_holds, files)), code)


def count_journal(journal: Path) -> JournalTally:
    """Count a journal's entries. Raises JournalError."""
    outcomes: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    coups: list[Coup] = []
    batches: list[str] = []
    shoes = cards = shuffles = 0
    with open_read_only(journal) as reader:
        for stored in reader.records():
            match read_entry(stored.record):
                case CoupClosed(record):
                    coups.append(recorded_coup(record))
                    outcomes[OUTCOME_WORDS[record.outcome]] += 1
                case CoupCorrected(before=before, outcome=outcome):
                    outcomes[OUTCOME_WORDS[before]] -= 1
                    outcomes[OUTCOME_WORDS[outcome]] += 1
                case ShoeOpened():
                    shoes += 1
                case EventVerdicts(event, verdicts):
                    cards += isinstance(event, CardDrawn)
                    codes.update(v.code.value for v in verdicts if isinstance(v, Irregularity))
                case StageChange(batch=back, after=BatchStage.IN_PLAY):
                    batches.append(back)
                case ShuffleRecorded(refused=None):
                    shuffles += 1
                case _:
                    continue
    return JournalTally(
        shoes=shoes,
        coups=tuple(coups),
        cards=cards,
        player=outcomes["player"],
        banker=outcomes["banker"],
        tie=outcomes["tie"],
        void=outcomes["void"],
        codes=tuple(sorted(codes.items())),
        batches=tuple(batches),
        shuffles=shuffles,
    )


def recorded_coup(record: CoupRecord) -> Coup:
    """Both hands and the outcome, as the table recorded them."""

    def hand(name: str) -> tuple[str, ...]:
        # The bench writes 7H, the program 7h.
        return tuple(
            str(one.card).upper() for one in record.cards if one.place.value.startswith(name)
        )

    outcome = None if record.fate is CoupFate.VOID else record.outcome
    return hand("player"), hand("banker"), OUTCOME_WORDS[outcome]


def dealt_coup(coup: CoupTruth) -> Coup:
    """Both hands as truly dealt, with the winner by the rules."""
    hands = [tuple(map(str, coup.cards_of(place))) for place in (Place.PLAYER, Place.BANKER)]
    void = coup.void or coup.winner is None
    return hands[0], hands[1], "void" if coup.winner is None or void else coup.winner.value


def find_difference(truth: Truth, tally: JournalTally, *, complete: bool) -> str:
    """The first difference between journal and truth, as a sentence; empty if there is none."""
    dealt = [dealt_coup(coup) for coup in truth.coups if coup.cards]
    if not complete:
        dealt = dealt[: len(tally.coups)]
    for number, (true, recorded) in enumerate(zip_longest(dealt, tally.coups), 1):
        if true != recorded:
            return f"coup {number}: dealt {describe_coup(true)}, recorded {describe_coup(recorded)}"
    drawn = sum(len(coup.cards) for coup in truth.coups)
    drawn += sum(len(burn.cards) for burn in truth.burns) + len(truth.strays)
    if complete and drawn != tally.cards:
        return f"{drawn} cards were drawn, {tally.cards} are recorded"
    return ""


def _find_batch_difference(batches: tuple[str, ...], tally: JournalTally, *, complete: bool) -> str:
    dealt = batches if complete else batches[: len(tally.batches)]
    if dealt == tally.batches:
        return ""
    loaded, recorded = (", ".join(one) or "none" for one in (dealt, tally.batches))
    return f"batches loaded: {loaded}; in play by the journal: {recorded}"


def describe_coup(coup: Coup | None) -> str:
    """Both hands and the outcome in words."""
    if coup is None:
        return "nothing"
    player, banker, outcome = coup
    return f"Player {' '.join(player)}, Banker {' '.join(banker)}: {outcome}"
