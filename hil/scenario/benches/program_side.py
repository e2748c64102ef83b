"""The table of a scenario as `smartshoe run`: acts, facts, metrics, time, and what befalls it."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.request import urlopen

from msgspec import to_builtins

from controller.archive.replay.stored_conclusions import stored_conclusions
from controller.journal.people import PeopleFile
from controller.journal.store import JournalError, open_read_only
from controller.outlets.control.client import ControlError
from controller.record.snapshot import Snapshot
from controller.rules.actions.actions import Action, Resolution
from controller.rules.actions.choices import FloorDecision, Provisional
from controller.rules.actions.declaration import Role, name_of
from hil.progress import Patience
from hil.rig.in_process import DECISION_PREFERENCE
from hil.rig.program import Program, ProgramFailed
from hil.rig.small_disk import empty, fill
from hil.scenario.benches.altered_program import MovedClock
from hil.scenario.language.statements import HostFault, Subject
from hil.scenario.play.bench import NotPossible, RigBroken
from hil.scenario.play.disturbances import Disturbances, missing_verdict
from hil.scenario.play.facts import FactReader
from hil.scenario.play.online import device_stages, devices_offline

POLL_S: Final = 0.01
# After a disturbance a card is judged before all stands still so long, or it was lost.
CARD_STILL_S: Final = 5.0
# What is longer is not slept: the program's clock is moved.
SLEPT_NS_MAX: Final = 1_000_000_000
# After the clock was moved, the program is given this long to look at it.
LOOK_S: Final = 0.3
DECISIONS_MAX: Final = 12
# Something that was done comes to the table before all stands still so long.
DECISION_STILL_S: Final = 2.0
# The program does nothing, and the journal does not grow: everything that came was stored.
QUIET_S: Final = 0.04
_METRICS: Final = r"http://[\d.]+:\d+/metrics"
_SAMPLE: Final = re.compile(r"^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{[^}]*\})? ([-+0-9.eEinfNa]+)", re.M)


@dataclass(slots=True)
class ProgramSide:
    """The program on a configuration. `clock` moves its clock.

    `disk` is the small file system that holds its journal, None where nothing can fill it.
    """

    program: Program
    journal: Path
    clock: MovedClock
    disk: Path | None = None
    facts: FactReader = field(init=False)
    is_on: bool = False
    disturbances: Disturbances = field(default_factory=Disturbances)
    # By the name of a device: how many reports it has sent so far.
    reports: dict[str, Callable[[], int]] = field(default_factory=dict)
    _seq: int = 0
    _conclusions: int = 0
    _cards_sent: int = 0
    _cards_settled: int = 0  # that were judged when the cards were last waited for
    _sent_ns: int = 0
    _longest_ns: int = 0

    def __post_init__(self) -> None:
        self.facts = FactReader(lambda: PeopleFile.beside(self.journal).names())

    def start(self) -> None:
        """Start it. Raises RigBroken."""
        try:
            self.program.start()
        except ProgramFailed as error:
            raise RigBroken(str(error)) from error
        self.is_on = True

    def snapshot(self) -> Snapshot:
        try:
            return self.program.snapshot()
        except ControlError as error:
            raise RigBroken(str(error)) from error

    def act(self, action: Action, role: Role, person: str, reason: str) -> None:
        """Act over the control socket; a refusal is a fact."""
        values = {key: value for key, value in to_builtins(action).items() if value is not None}
        values.pop("type", None)
        request = {
            **values,
            "request": "act",
            "action": name_of(action),
            "by": person,
            "role": role.value,
            "reason": reason,
        }
        before = len(self.facts.since(0, Subject.REFUSAL))
        try:
            answer = self.program.ask(request)
        except ControlError as error:
            raise RigBroken(str(error)) from error
        self._read()
        if not answer.ok and len(self.facts.since(0, Subject.REFUSAL)) == before:
            self.facts.refused(answer.error, self.now_ns())

    def decide(self) -> None:
        """Decide as a floorperson, as hil.rig.in_process does, until nothing is open."""
        for number in range(DECISIONS_MAX):
            chosen = self._permitted()
            # What was done last may not have come to the table yet.
            patience = Patience(DECISION_STILL_S)
            while chosen is None and not number and not patience.is_over:
                time.sleep(POLL_S)
                chosen = self._permitted()
            if chosen is None:
                return
            resolution = Resolution(chosen, Provisional.TAKE_OVER)
            self.act(resolution, Role.FLOORPERSON, "Ann Lee", "seen on the layout")

    def _permitted(self) -> FloorDecision | None:
        """The first permitted decision on what is open."""
        permitted = [one.decision for one in self.snapshot().remedy.decisions]
        return next((one for one in DECISION_PREFERENCE if one in permitted), None)

    def metric(self, name: str) -> float | None:
        try:
            with urlopen(self._metrics_page()) as page:  # noqa: S310 - loopback
                text = page.read().decode()
        except OSError as error:
            raise RigBroken(f"the program's metrics cannot be read: {error}") from error
        values = [float(value) for found, value in _SAMPLE.findall(text) if found == name]
        return sum(values) if values else None

    def wait(self, ns: int) -> None:
        """Sleep a short time; move the program's clock by a longer one."""
        if ns <= SLEPT_NS_MAX:
            time.sleep(ns / 1e9)
            return
        self.clock.advance(ns)
        time.sleep(LOOK_S)

    def await_online(self) -> None:
        """Wait until each device is online. Raises RigBroken with the name of one that is not."""
        patience = self.patience()
        while offline := devices_offline(self.snapshot()):
            if patience.is_over:
                never = f"not online: {', '.join(offline)}; {patience.account()}"
                raise RigBroken(self.program.with_log_tail(never))
            time.sleep(POLL_S)

    def patience(self) -> Patience:
        """A wait for play; after a disturbance it is short, as what it waits for may be lost."""
        if self.disturbances.excuse:
            return Patience(CARD_STILL_S, self.progress)
        return Patience.with_play(self.progress)

    def progress(self) -> str:
        """Where play stands: reports of the devices, conclusions, and the stages of devices."""
        self._read()
        sent = [f"{count()} reports of the {name}" for name, count in self.reports.items()]
        return ", ".join([*sent, f"{self._conclusions} conclusions", *self._stages()])

    def _stages(self) -> Iterator[str]:
        if not self.is_on:
            yield "the program is off"
            return
        try:
            shown = self.program.snapshot()
        except ControlError as error:
            yield f"the program does not answer: {error}"
            return
        yield from (f"{name} {stage.value}" for name, stage in device_stages(shown))
        batches = shown.shuffler.batches if shown.shuffler is not None else ()
        yield from (f"batch {one.back} {one.stage.value}" for one in batches)

    def catch_up(self) -> None:
        """Wait until every card that was delivered has its verdict.

        Raises RigBroken where one has none, and the scenario has disturbed nothing.
        """
        wanted = self._cards_sent
        if self.reaches(lambda: self.facts.cards_judged >= wanted):
            if wanted > self._cards_settled:
                self.disturbances.card_judged()
        elif not self.disturbances.excuse:
            raise RigBroken(
                self.program.with_log_tail(
                    f"{missing_verdict(wanted, self.facts.cards_judged)}; it stands at:"
                    f" {self.progress()}"
                )
            )
        self._cards_sent = self._cards_settled = self.facts.cards_judged

    def reaches(self, ready: Callable[[], bool]) -> bool:
        """Wait until `ready` is true of its facts; False if play stands still before."""
        patience = self.patience()
        while self.is_on:
            self._read()
            if ready():
                return True
            if patience.is_over or not self.program.alive:
                return False
            time.sleep(POLL_S / 5)
        return ready()

    def settle(self) -> None:
        """Wait until the journal does not grow any more, at most a while."""
        self.catch_up()
        patience = Patience(QUIET_S, lambda: self._seq, CARD_STILL_S)
        while self.is_on and not patience.is_over:
            time.sleep(POLL_S)
            self._read()

    def card_left(self) -> None:
        """A card was delivered to the program: it will be judged."""
        if self.is_on:
            self._cards_sent += 1
            self._sent_ns = time.monotonic_ns()

    def scan_to_verdict_ns(self) -> int:
        if not self._longest_ns:
            raise NotPossible("no card was judged yet")
        return self._longest_ns

    def now_ns(self) -> int:
        return time.time_ns() + self.clock.utc_ns

    def power(self, *, on: bool) -> None:
        """End it without warning; start it on a machine that was booted."""
        if on:
            self.clock.boot()
            self.start()
        else:
            self.kill()

    def kill(self) -> None:
        """End it at once."""
        self.is_on = False
        try:
            self.program.kill()
        except ProgramFailed as error:
            raise RigBroken(str(error)) from error

    def befall(self, fault: HostFault, ns: int) -> None:
        match fault:
            case HostFault.KILL:
                self.kill()
                self.start()
            case HostFault.STOP:
                self.program.stand_still(ns / 1e9)
            case HostFault.SLOW_DISK:
                self.clock.slow_down(ns)
            case HostFault.CLOCK_STEP:
                self.clock.step(ns)
            case HostFault.DISK_FULL | HostFault.DISK_FREE if self.disk is not None:
                if fault is HostFault.DISK_FULL:
                    fill(self.disk)
                    return
                empty(self.disk)
                if not self.program.alive:
                    self.start()
            case _:
                raise NotPossible(f"{fault.value} is not possible on this rig")

    def _metrics_page(self) -> str:
        """The page of the newest start, which logs it: the port is any free one."""
        self.program.await_log(_METRICS)
        return re.findall(_METRICS, self.program.log_text())[-1]  # type: ignore[no-any-return]

    def _read(self) -> None:
        """Read what the journal has stored since."""
        before = self.facts.cards_judged
        # A file that cannot be read now is read at the next poll.
        with suppress(JournalError), open_read_only(self.journal) as reader:
            records = list(reader.records(self._seq))
            for conclusion in stored_conclusions(records):
                self._conclusions += 1
                self.facts.take(conclusion)
            if records:
                self._seq = records[-1].seq
        if self.facts.cards_judged > before and self._sent_ns:
            self._longest_ns = max(self._longest_ns, time.monotonic_ns() - self._sent_ns)
            self._sent_ns = 0
