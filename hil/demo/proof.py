"""The proof of a demo: is its journal whole, retold the same, and what truly happened?

Responsible for: counting what the journal says, comparing its coups with the truth of the bench,
and asking `smartshoe verify` and `smartshoe replay` about it.
Not responsible for: showing any of it (demo_report).
Source: package README, "The demo", "Truth".
"""

from collections import Counter
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TypeAlias

from controller.archive.day_list import FOLDER_NAME, SUFFIX, read_day, short_code
from controller.custody.batch_life.stages import BatchStage
from controller.journal.folder import read_sealed, sealed_files
from controller.journal.store import open_read_only
from controller.procedure.effects import (
    BatchMoved,
    CoupClosed,
    CoupFate,
    CoupRecord,
    ShoeOpened,
    ShuffleRecorded,
)
from controller.procedure.events import CardDrawn
from controller.procedure.verdicts import Irregularity
from controller.rules.outcome import Outcome
from controller.system.keys import PublicKey
from controller.tape.entries import Judged
from controller.tape.records import read_entry
from hil.dealing.actions import Place
from hil.dealing.truth import CoupTruth, Truth
from hil.demo.program import command_answer

Coup: TypeAlias = tuple[tuple[str, ...], tuple[str, ...], str]
MARKS = {Outcome.PLAYER: "player", Outcome.BANKER: "banker", Outcome.TIE: "tie", None: "void"}


@dataclass(frozen=True, slots=True)
class Tally:
    """What the journal says of all its shoes. `codes`: irregularities by code, in code order.

    `batches` are the backs in play, shoe by shoe, and `shuffles` how many were proven.
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
class Seals:
    """How many finished shoes stand in sealed files, how many of those the table's key signed, and

    the short code of the last day.
    """

    sealed: int
    signed: int
    code: str


@dataclass(frozen=True, slots=True)
class Proof:
    """What was found. `difference` says where journal and truth part, empty where they do not."""

    tally: Tally
    intact: bool
    records: int
    head: str
    replay: str
    difference: str
    seals: Seals

    @property
    def verified(self) -> bool:
        return self.intact and self.replay == "same" and not self.difference


def prove(journal: Path, truth: Truth, *, complete: bool, batches: tuple[str, ...] = ()) -> Proof:
    """Ask about the journal of a program that has ended. `complete` False: dealing was stopped,

    so that the journal may end earlier than the truth. `batches` are the backs that were loaded,
    shoe by shoe. Raises ProgramFailed and JournalError.
    """
    tally = tally_of(journal)
    verified = command_answer("verify", journal)
    retold = command_answer("replay", journal)
    records = verified.get("records")
    return Proof(
        tally=tally,
        intact=verified.get("intact") is True and verified["exit_code"] == 0,
        records=records if isinstance(records, int) else 0,
        head=str(verified.get("head", "")),
        replay=str(retold.get("finding", "")),
        difference=difference(truth, tally, complete=complete)
        or _batches_differ(batches, tally, complete=complete),
        seals=seals_of(journal),
    )


def seals_of(journal: Path) -> Seals:
    """Count the sealed files. Raises JournalError and OSError."""
    files = tuple(map(read_sealed, sealed_files(journal)))
    signed = sum(
        PublicKey(one.heading.signer).verifies(one.signature, one.signed_bytes) for one in files
    )
    days = sorted((journal / FOLDER_NAME).glob(f"*{SUFFIX}"))
    return Seals(len(files), signed, short_code(read_day(days[-1])) if days else "")


def tally_of(journal: Path) -> Tally:
    """Count what a journal says. Raises JournalError."""
    outcomes: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    coups: list[Coup] = []
    batches: list[str] = []
    shoes = cards = shuffles = 0
    with open_read_only(journal) as reader:
        for stored in reader.records():
            match read_entry(stored.record):
                case CoupClosed(record):
                    coups.append(as_recorded(record))
                    outcomes[MARKS[record.outcome]] += 1
                case ShoeOpened():
                    shoes += 1
                case Judged(event, verdicts):
                    cards += isinstance(event, CardDrawn)
                    codes.update(v.code.value for v in verdicts if isinstance(v, Irregularity))
                case BatchMoved(batch=back, after=BatchStage.IN_PLAY):
                    batches.append(back)
                case ShuffleRecorded(refused=""):
                    shuffles += 1
                case _:
                    continue
    return Tally(
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


def as_recorded(record: CoupRecord) -> Coup:
    """Both hands and the outcome, as the table recorded them."""

    def hand(name: str) -> tuple[str, ...]:
        # The bench writes 7H, the program 7h.
        return tuple(
            str(one.card).upper() for one in record.cards if one.place.value.startswith(name)
        )

    outcome = None if record.fate is CoupFate.VOID else record.outcome
    return hand("player"), hand("banker"), MARKS[outcome]


def as_dealt(coup: CoupTruth) -> Coup:
    """The same as it truly was: the winner is what the rules make of the cards."""
    hands = [tuple(map(str, coup.cards_of(place))) for place in (Place.PLAYER, Place.BANKER)]
    void = coup.void or coup.winner is None
    return hands[0], hands[1], "void" if coup.winner is None or void else coup.winner.value


def difference(truth: Truth, tally: Tally, *, complete: bool) -> str:
    """Where the journal and the truth part, as a sentence; empty where they do not."""
    dealt = [as_dealt(coup) for coup in truth.coups if coup.cards]
    if not complete:
        dealt = dealt[: len(tally.coups)]
    for number, (true, recorded) in enumerate(zip_longest(dealt, tally.coups), 1):
        if true != recorded:
            return f"coup {number}: dealt {words(true)}, recorded {words(recorded)}"
    drawn = sum(len(coup.cards) for coup in truth.coups)
    drawn += sum(len(burn.cards) for burn in truth.burns) + len(truth.strays)
    if complete and drawn != tally.cards:
        return f"{drawn} cards were drawn, {tally.cards} are recorded"
    return ""


def _batches_differ(batches: tuple[str, ...], tally: Tally, *, complete: bool) -> str:
    dealt = batches if complete else batches[: len(tally.batches)]
    if dealt == tally.batches:
        return ""
    loaded, recorded = (", ".join(one) or "none" for one in (dealt, tally.batches))
    return f"the batches loaded were {loaded}; in play by the journal were {recorded}"


def words(coup: Coup | None) -> str:
    """A coup in a sentence."""
    if coup is None:
        return "nothing"
    player, banker, outcome = coup
    return f"Player {' '.join(player)}, Banker {' '.join(banker)}: {outcome}"
