"""The scripted floorperson of a demo: decides each open irregularity over the control socket."""

from collections.abc import Callable, Mapping
from threading import Event, Thread
from typing import TypeAlias

from controller.outlets.control.answer_schema import Answer, ResolutionAnswer
from controller.outlets.control.client import ControlError
from controller.procedure.irregularities import IrregularityCode as Code
from controller.record.snapshot import Snapshot
from controller.rules.actions.choices import FloorDecision, Provisional
from hil.demo.follow import SnapshotFollower

NAME = "scripted floorperson"
REASON_PREFIX = "demonstration: "
POLL_S = 0.1
REFUSALS_MAX = 20

Act: TypeAlias = Callable[[Mapping[str, object]], Answer]

# hil/dealing/README.md, "Mistakes", says what the bench's dealer does next.
SCRIPT = {
    Code.BURN_SHORT: (FloorDecision.CONTINUE, "a burn card; the burn is completed"),
    Code.BURN_SKIPPED: (FloorDecision.CONTINUE, "the first burn card; now the burn"),
    Code.BURN_OVER: (FloorDecision.BURN, "the extra card was seen: its amount is burned"),
    Code.CUT_CARD_IN_BURN: (FloorDecision.CLOSE_SHOE, "all cards back, shuffle and cut again"),
    Code.CUT_CARD_PLACEMENT: (FloorDecision.CONTINUE, "play goes on by the last-hand rule"),
    Code.CUT_CARD_EXTRA: (FloorDecision.CONTINUE, "the extra cut card is put aside"),
    Code.OVERDRAW: (FloorDecision.BURN, "the extra card was seen: its amount is burned"),
    Code.MISSING_CARD: (FloorDecision.VOID_COUP, "a card was never dealt: nobody is paid"),
    Code.RESULT_MISMATCH: (FloorDecision.CONTINUE, "the cards decide, not the announcement"),
    Code.FORCED_EXIT: (FloorDecision.VOID_COUP, "the coup was left: nobody is paid"),
    Code.CARD_AFTER_LAST_COUP: (FloorDecision.CONTINUE, "the card goes to the discard rack"),
    Code.CARD_OUTSIDE_PLAY: (FloorDecision.BURN, "the card was seen: its amount is burned"),
    Code.SHOE_CHANGED_EARLY: (FloorDecision.CLOSE_SHOE, "the cards were changed: it is over"),
    Code.INSUFFICIENT_CARDS: (FloorDecision.CLOSE_SHOE, "too few cards: void, reshuffle"),
}
FALLBACK_DECISIONS = (FloorDecision.CONTINUE, FloorDecision.VOID_COUP, FloorDecision.CLOSE_SHOE)


def choose_decision(table: Snapshot) -> tuple[str, str]:
    """The script's decision and reason for what is open now; both empty if nothing is.

    A cut card in the burn is decided when the burn is complete.
    """
    pending = table.irregularities
    first = next((one for one in pending if one.suspends), next(iter(pending), None))
    if first is None:
        return "", ""
    permitted = [one.decision for one in table.remedy.decisions]
    if first.code == Code.CUT_CARD_IN_BURN and not first.suspends:
        return "", ""
    decision, why = SCRIPT.get(Code(first.code), (FALLBACK_DECISIONS[0], "play goes on"))
    if decision in permitted or not permitted:
        return decision.value, why
    other = next((each for each in FALLBACK_DECISIONS if each in permitted), permitted[0])
    return other.value, "what the table permits here"


class ScriptedFloorperson:
    """Decides whatever is open, after a pause, until it is stopped.

    `looks_away_s`: the longest time in which a careless dealer may deal on first.
    """

    def __init__(
        self, snapshots: SnapshotFollower, act: Act, reading_s: float, looks_away_s: float = 0.0
    ) -> None:
        self._snapshots = snapshots
        self._act = act
        self._reading_s = reading_s
        self._looks_away_s = looks_away_s
        self._decided = 0
        self._stopping = Event()
        self.failure = ""
        self._thread = Thread(target=self._serve, name="floorperson", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join()

    def _serve(self) -> None:
        refusals = 0
        while not self._stopping.is_set() and not self.failure:
            if not self._snapshots.wait_for(self._has_undecided, POLL_S):
                continue
            if refusals == 0 and self._stopping.wait(self._reading_s):
                return
            if (
                refusals == 0
                and choose_decision(self._snapshots.table)[0] != FloorDecision.BURN.value
            ):
                # For a card drawn in error even a careless dealer waits for the decision.
                self._snapshots.wait_for(_play_continued, self._looks_away_s)
            refusal = self._decide(self._snapshots.table)
            refusals = refusals + 1 if refusal else 0
            if refusals > REFUSALS_MAX:
                self.failure = f"the table refuses the floorperson's decision: {refusal}"
            elif refusal:
                self._stopping.wait(POLL_S)

    def _has_undecided(self, table: Snapshot) -> bool:
        new = any(one.number > self._decided for one in table.irregularities)
        return new and bool(choose_decision(table)[0])

    def _decide(self, table: Snapshot) -> str:
        """Decide; the table's refusal, empty if it accepted."""
        decision, why = choose_decision(table)
        if not decision:
            return ""
        request = {
            "action": "resolve",
            "by": NAME,
            "role": "floorperson",
            "reason": REASON_PREFIX + why,
            "decision": decision,
            "provisional": _provisional(table, decision),
        }
        try:
            answer = self._act(request)
        except ControlError as error:
            return str(error)
        for entry in answer.entries:
            if isinstance(entry, ResolutionAnswer):
                self._decided = max((self._decided, *entry.closed))
        return answer.error


def _provisional(table: Snapshot, decision: str) -> str:
    """What happens to cards dealt meanwhile: they are taken over, if the decision permits it."""
    chosen = (one for one in table.remedy.decisions if one.decision.value == decision)
    choices = (choice for one in chosen for choice in one.provisional)
    return next(choices, Provisional.TAKE_OVER).value


def _play_continued(table: Snapshot) -> bool:
    """Whether cards were dealt while the table was suspended, or it no longer is."""
    return table.suspension is None or table.suspension.cards > 0
