"""The floorperson of a demo: a script that says that it is one.

Responsible for: a decision for each irregularity, in accord with what the emulated dealer does
next, taken over the control socket as any floorperson takes it, and a while for people to read.
Not responsible for: whether the decision is permitted; the table says so.
Source: package README, "The demo", "Mistakes"; controller/README.md, "Actions".
"""

from collections.abc import Callable, Mapping
from threading import Event, Thread
from typing import TypeAlias

from controller.control.client import ControlError
from controller.procedure.decisions import Decision, Provisional
from controller.procedure.irregularities import IrregularityCode as Code
from controller.views.snapshot_reader import Shown
from hil.demo.follow import Newest

NAME = "scripted floorperson"
REASON_PREFIX = "demonstration: "
LOOK_S = 0.1
REFUSALS_MAX = 20

Act: TypeAlias = Callable[[Mapping[str, object]], Mapping[str, object]]

# What the dealer of the bench does next is written in the package README, "Mistakes".
SCRIPT = {
    Code.BURN_SHORT: (Decision.CONTINUE, "a burn card; the burn is completed"),
    Code.BURN_SKIPPED: (Decision.CONTINUE, "the first burn card; now the burn"),
    Code.BURN_OVER: (Decision.CONTINUE, "the extra card stays in the discard rack"),
    Code.CUT_CARD_IN_BURN: (Decision.CLOSE_SHOE, "all cards back, shuffle and cut anew"),
    Code.CUT_CARD_PLACEMENT: (Decision.CONTINUE, "play goes on by the last-hand rule"),
    Code.CUT_CARD_EXTRA: (Decision.CONTINUE, "the extra cut card is put aside"),
    Code.OVERDRAW: (Decision.BURN, "the extra card was seen: its amount is burned"),
    Code.MISSING_CARD: (Decision.VOID_COUP, "a card was never dealt: nobody is paid"),
    Code.RESULT_MISMATCH: (Decision.CONTINUE, "the cards decide, not the announcement"),
    Code.FORCED_EXIT: (Decision.VOID_COUP, "the coup was left: nobody is paid"),
    Code.CARD_AFTER_LAST_COUP: (Decision.CONTINUE, "the card goes to the discard rack"),
    Code.CARD_OUTSIDE_PLAY: (Decision.BURN, "the card was seen: its amount is burned"),
    Code.SHOE_CHANGED_EARLY: (Decision.CLOSE_SHOE, "the cards were changed: it is over"),
    Code.INSUFFICIENT_CARDS: (Decision.CLOSE_SHOE, "too few cards: void, reshuffle"),
}
OTHERWISE = (Decision.CONTINUE, Decision.VOID_COUP, Decision.CLOSE_SHOE)


def intention(table: Shown) -> tuple[str, str]:
    """What the script decides and why, of what is open now; both empty where nothing is."""
    waiting = table.parts("irregularities")
    if not waiting:
        return "", ""
    first = next((one for one in waiting if one.yes("suspends")), waiting[0])
    permitted = table.texts("decisions")
    code = first.text("code")
    decision, why = SCRIPT.get(Code(code), (OTHERWISE[0], "play goes on"))
    if decision.value in permitted or not permitted:
        return decision.value, why
    other = next((each.value for each in OTHERWISE if each.value in permitted), permitted[0])
    return other, "what the table permits here"


class ScriptedFloorperson:
    """Decides whatever is open, after a while, until told to stop.

    `looks_away_s`: for so long at most a careless dealer has time to deal on first.
    """

    def __init__(
        self, newest: Newest, act: Act, reading_s: float, looks_away_s: float = 0.0
    ) -> None:
        self._newest = newest
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
            if not self._newest.wait_for(self._waits_for_me, LOOK_S):
                continue
            if refusals == 0 and self._stopping.wait(self._reading_s):
                return
            if refusals == 0 and intention(self._newest.table)[0] != Decision.BURN.value:
                # What becomes of a card drawn in error even a careless dealer waits to hear.
                self._newest.wait_for(_dealt_on, self._looks_away_s)
            refused = self._decide(self._newest.table)
            refusals = refusals + 1 if refused else 0
            if refusals > REFUSALS_MAX:
                self.failure = f"the table refuses what the floorperson decides: {refused}"
            elif refused:
                self._stopping.wait(LOOK_S)

    def _waits_for_me(self, table: Shown) -> bool:
        return any(one.number("number") > self._decided for one in table.parts("irregularities"))

    def _decide(self, table: Shown) -> str:
        """Decide; why the table refused, empty where it did not."""
        decision, why = intention(table)
        if not decision:
            return ""
        request = {
            "action": "resolve",
            "by": NAME,
            "role": "floorperson",
            "reason": REASON_PREFIX + why,
            "decision": decision,
            "provisional": Provisional.TAKE_OVER.value,
        }
        try:
            answer = Shown(self._act(request))
        except ControlError as error:
            return str(error)
        if not answer.yes("ok"):
            return answer.text("error") or "no reason given"
        for entry in answer.parts("entries"):
            closed = entry.values.get("closed")
            if isinstance(closed, list):
                self._decided = max(self._decided, *closed)
        return ""


def _dealt_on(table: Shown) -> bool:
    """Whether cards were dealt while the table was suspended, or it is not any more."""
    return table.yes("provisional_needed") or table.text("phase") != "suspended"
