"""The emulated rig: the program as a process, emulated devices on real ptys or TCP ports."""

import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, Generic, Protocol

from controller.table.disk_space import MIB
from hil.dealing.cards import PhysicalCard
from hil.dealing.tags import DECKS
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.feig.rfid_shoe import GATE_INPUT, RfidShoe
from hil.emulator.feig.table_reader import TableReader
from hil.emulator.lines.faults import Envelope
from hil.emulator.lines.line import DeviceT, LineServer, LineServerSettings
from hil.emulator.lines.serve import PtyServer, TcpServer
from hil.emulator.tablelink.mechanism import ShufflerSettings
from hil.emulator.tablelink.shuffler import Shuffler
from hil.rig.commissioning import BATCHES_SECTION, KEY, TRUST_KEYS, enrol, make_key, pair
from hil.rig.device_programs import REPORT_INTERVAL_MS
from hil.rig.program import PROGRAM, Program, ProgramFailed
from hil.rig.shoe_models import ShoeKind, line_settings
from hil.rig.small_disk import NoMount, small_disk
from hil.scenario.benches.altered_program import MovedClock
from hil.scenario.benches.emulated_hands import (
    AngelEyeHands,
    AnswerT,
    EmulatedShufflerHands,
    RfidShoeHands,
)
from hil.scenario.benches.program_side import ProgramSide
from hil.scenario.language.reading import Scenario
from hil.scenario.language.statements import Befall, Disturb, HostFault, TablePart, WireFault
from hil.scenario.play.bench import NotPossible, RigBroken, ShoeHands, ShufflerHands
from hil.simulation.faulty_line import PacedFaultyLine

OPERATOR: Final = "the bench"
# Events of a shuffler are acknowledged within this, or the program does not listen.
ACKNOWLEDGED_S: Final = 5.0
DISK_BYTES: Final = 32 * MIB
POLL_S: Final = 0.01
# Of an Angel Eye's reports those by which a card leaves: in play, and outside of it.
_CARD_CODES: Final = ("D", "d")
ALTERED: Final = (PROGRAM[0], "-P", "-m", "hil.scenario.benches.altered_program")
# What was commissioned once serves every scenario of a run: it is the same each time.
_SUPPLIES: Final = "supplies"
_MS: Final = 1_000_000
# An operation is seen, and takes no time worth waiting for.
BRISK: Final = ShufflerSettings(shuffle_ns=300 * _MS, store_ns=50 * _MS, release_ns=50 * _MS)

CONFIG: Final = """\
[table]
name = "BENCH-1"
pit = "bench"

[rules]
profile = {profile}
decks = {decks}
observed = {observed}

[shoe]
port = {port}
{shoe}
{sections}[journal]
folder = {journal}

[metrics]
port = 0

[control]
socket = {control}
"""
_SHOE_KEYS: Final = {
    "angel-eye": f"report_interval_ms_min = {REPORT_INTERVAL_MS}\nreports_s_max = 0\n",
    "rfid": f'model = "feig-rfid"\ngate_input = {GATE_INPUT}\n',
}
_ENVELOPES: Final[dict[type, Envelope]] = {
    AngelEye: Envelope.ANGEL_EYE,
    Shuffler: Envelope.TABLELINK,
}
_RACK: Final = """\
[[reader]]
port = {port}
model = "feig-reader"
seat = "discard_rack"

"""


class ShufflerOnLine(Protocol):
    """A shuffler that the program reaches: its hands, its port and its section of table.toml."""

    @property
    def hands(self) -> ShufflerHands: ...

    def section(self, folder: Path) -> str:
        """Commission it; its section of table.toml. Raises ProgramFailed."""
        ...

    def attach(self, table: ProgramSide) -> None:
        """The program that has it."""
        ...

    def move_plug(self, *, plugged: bool) -> None: ...


class ServedLine(Generic[DeviceT]):
    """An emulated device on its server's line."""

    def __init__(self, server: LineServer[DeviceT], envelope: Envelope) -> None:
        self.server = server
        self._faults = PacedFaultyLine(envelope, envelope.value)
        self.plugged = True
        self.disturbed = False
        self.side: ProgramSide | None = None
        self._reports = 0
        self._cards_sent = 0  # since a card was last waited for

    @property
    def url(self) -> str:
        """The port that the program opens."""
        if isinstance(self.server, TcpServer):
            return self.server.url
        assert isinstance(self.server, PtyServer), "a line is a pty or TCP"
        return self.server.path

    def do(self, act: Callable[[DeviceT], object]) -> None:
        """Do something to the device, and let its reports leave."""

        self.ask(act)
        if self._reaches:
            self.server.settle(ACKNOWLEDGED_S)

    def ask(self, question: Callable[[DeviceT], AnswerT]) -> AnswerT:
        """Look at the device."""
        answers: list[AnswerT] = []

        def look(device: DeviceT) -> tuple[()]:
            answers.append(question(device))
            return ()

        self.server.perform(look)
        return answers[0]

    def reports(self) -> int:
        """How many reports the device has sent so far, copies not counted."""
        for report in self.server.take_reports():
            self._reports += 1
            self._cards_sent += report.code in _CARD_CODES and report.delivered
        return self._reports

    def card_left(self) -> None:
        """Wait until the device has sent the card. Raises RigBroken, unless disturbed."""
        side = self.side
        if side is None or not self._reaches:
            self.reports()
            self._cards_sent = 0
            return
        patience = side.patience()
        while not (sent := self._has_sent_card()) and not patience.is_over:
            time.sleep(POLL_S)
        self._cards_sent = 0
        if sent:
            side.card_left()
        elif not side.disturbances.excuse:
            raise RigBroken(
                "a card has left the shoe, and its report was not taken: "
                + side.program.with_log_tail(patience.account())
            )

    def _has_sent_card(self) -> bool:
        """Whether the device says so: an Angel Eye by a report, a reader by its empty memory."""
        if isinstance(self.server.emulator, RfidShoe):
            return self.server.wait_for(lambda shoe: shoe.all_delivered, POLL_S)  # type: ignore[attr-defined]
        self.reports()
        return self._cards_sent > 0

    def until(self, what: str, ready: Callable[[DeviceT], bool]) -> None:
        """Wait until the device is `ready`. Raises RigBroken."""
        side = self.side
        assert side is not None, "nothing is waited for before the program is there"
        patience = side.patience()
        while not self.server.wait_for(ready, POLL_S):
            if patience.is_over:
                raise RigBroken(f"{what} did not come: {patience.account()}")

    @property
    def _reaches(self) -> bool:
        """Whether what the device sends reaches a program."""
        on = self.side is None or self.side.is_on
        return self.plugged and on and not self.disturbed

    def move_plug(self, *, plugged: bool) -> None:
        """Pull its cable, or plug it in. Raises NotPossible."""
        if plugged is self.plugged:
            raise NotPossible(f"it is {'' if plugged else 'un'}plugged already")
        if isinstance(self.server, PtyServer):
            (self.server.replug if plugged else self.server.unplug)()
        elif isinstance(self.server, TcpServer) and not plugged:
            self.server.drop(reset=True)
        self.plugged = plugged

    def disturb(self, fault: Disturb) -> None:
        """Begin a fault of the line, or end all of them."""
        self.disturbed = fault.fault is not WireFault.NONE
        at_ns = time.monotonic_ns()
        self._faults.begin(fault.fault, fault.permille / 1000, fault.ns, at_ns)
        self.server.disturb(self._faults if self.disturbed else None)


class EmulatedShuffler:
    """The emulated shuffler on its line."""

    def __init__(self, line: ServedLine[Shuffler]) -> None:
        self._line = line
        self.hands: ShufflerHands = EmulatedShufflerHands(line)

    def section(self, folder: Path) -> str:
        """Pair it and approve its firmware, once a run. Raises ProgramFailed."""
        if not (folder / "shuffler.identity.json").exists():
            pair(folder, self._line.url, self._line.server.emulator.pins, OPERATOR)
        return f"[shuffler]\nport = {json.dumps(self._line.url)}\n{TRUST_KEYS}\n"

    def attach(self, table: ProgramSide) -> None:
        """Its line knows the program already."""

    def move_plug(self, *, plugged: bool) -> None:
        self._line.move_plug(plugged=plugged)


class EmulatedBench:
    """A running program with emulated devices, for one scenario."""

    def __init__(
        self,
        side: ProgramSide,
        shoe: ShoeHands,
        lines: dict[TablePart, ServedLine[Any]],
        shuffler: ShufflerOnLine | None,
    ) -> None:
        self.table = side
        self.shoe = shoe
        self._lines = lines
        self._shuffler = shuffler

    @property
    def shuffler(self) -> ShufflerHands:
        if self._shuffler is None:
            raise NotPossible("this table has no shuffler; write `device shuffler tablelink`")
        return self._shuffler.hands

    def lay_in_rack(self, cards: Sequence[PhysicalCard]) -> None:
        rack = self._lines.get(TablePart.RACK)
        if rack is not None:
            rack.do(lambda reader: reader.lay(cards))

    def move_plug(self, part: TablePart, *, plugged: bool) -> None:
        if part is TablePart.SHUFFLER and self._shuffler is not None:
            self._shuffler.move_plug(plugged=plugged)
        else:
            self._line(part).move_plug(plugged=plugged)

    def disturb(self, fault: Disturb) -> None:
        """Begin a fault of a line, or end all of them. Raises NotPossible."""
        self._line(fault.part).disturb(fault)

    def _line(self, part: TablePart) -> ServedLine[Any]:
        line = self._lines.get(part)
        if line is None:
            raise NotPossible(f"this table has no {part.value}")
        return line


@contextmanager
def emulated_bench(
    scenario: Scenario,
    folder: Path,
    *,
    line: str = "pty",
    patch: str = "",
    shuffler: Callable[[ExitStack], ShufflerOnLine] | None = None,
) -> Iterator[EmulatedBench]:
    """A program that runs, with the devices of the scenario; `folder` is new or empty.

    `line`: pty or tcp. `patch` is MODULE:FUNCTION, called in the program before it starts.
    `shuffler` opens another shuffler than the emulated one. Raises RigBroken.
    """
    with ExitStack() as stack:
        try:
            bench = _open(stack, scenario, folder, line=line, patch=patch, shuffler=shuffler)
        except (ProgramFailed, NoMount, OSError) as error:
            raise RigBroken(str(error)) from error
        yield bench


def _open(
    stack: ExitStack,
    scenario: Scenario,
    folder: Path,
    *,
    line: str,
    patch: str,
    shuffler: Callable[[ExitStack], ShufflerOnLine] | None,
) -> EmulatedBench:
    folder.mkdir(parents=True, exist_ok=True)
    supplies = folder.parent / _SUPPLIES
    kind = ShoeKind.RFID if scenario.shoe == "rfid" else ShoeKind.ANGEL_EYE
    device: AngelEye | RfidShoe = RfidShoe() if kind is ShoeKind.RFID else AngelEye()
    settings = line_settings(kind, speed=0)
    shoe_line: ServedLine[Any] = _serve(stack, device, settings, folder / "shoe", line)
    lines = {TablePart.SHOE: shoe_line}
    sections = ""
    if scenario.rack:
        rack = _serve(stack, TableReader(), settings, folder / "rack", line)
        lines[TablePart.RACK] = rack
        sections += _RACK.format(port=json.dumps(rack.url))
    beside: ShufflerOnLine | None = None
    if scenario.shuffler and shuffler is not None:
        beside = shuffler(stack)
    elif scenario.shuffler:
        fast = LineServerSettings(speed=0, baud=1_000_000, patience_s=60.0)
        served = _serve(stack, Shuffler(BRISK), fast, folder / "shuffler", line)
        lines[TablePart.SHUFFLER] = served
        beside = EmulatedShuffler(served)
    supplies.mkdir(exist_ok=True)
    if not (supplies / KEY).exists():
        make_key(supplies)
    if kind is ShoeKind.RFID:
        if not (supplies / "batches").exists():
            enrol(supplies, OPERATOR)
        sections += BATCHES_SECTION
    if beside is not None:
        sections += beside.section(supplies)
    shutil.copytree(supplies, folder, dirs_exist_ok=True)
    side = _program(stack, scenario, folder, shoe_line.url, sections, patch)
    for part, one in lines.items():
        one.side = side
        side.reports[part.value] = one.reports
    if beside is not None:
        beside.attach(side)
    side.start()
    side.await_online()
    hands: ShoeHands = (
        RfidShoeHands(shoe_line) if kind is ShoeKind.RFID else AngelEyeHands(shoe_line)
    )
    return EmulatedBench(side, hands, lines, beside)


def _serve(
    stack: ExitStack, device: DeviceT, settings: LineServerSettings, link: Path, line: str
) -> ServedLine[DeviceT]:
    envelope = _ENVELOPES.get(type(device), Envelope.FEIG)
    server: LineServer[DeviceT] = (
        TcpServer(device, settings) if line == "tcp" else PtyServer(device, settings, link=link)
    )
    stack.enter_context(server)
    return ServedLine(server, envelope)


def _program(
    stack: ExitStack, scenario: Scenario, folder: Path, port: str, sections: str, patch: str
) -> ProgramSide:
    """The program on its configuration, not yet started."""
    journal = folder / "journal"
    full = (Befall(HostFault.DISK_FULL, 0), Befall(HostFault.DISK_FREE, 0))
    disk = None
    if any(step.body in full for step in scenario.steps):
        disk = journal = stack.enter_context(small_disk(journal, DISK_BYTES))
    # The path of a Unix socket has to be short.
    sockets = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="rig-")))
    config = folder / "table.toml"
    observed = [one.value for one in scenario.observed]
    values = {
        "profile": scenario.profile,
        "observed": observed,
        "port": port,
        "journal": str(journal),
        "control": str(sockets / "control.sock"),
    }
    # A JSON string is a TOML string.
    quoted = {key: json.dumps(value) for key, value in values.items()}
    text = CONFIG.format(decks=DECKS, shoe=_SHOE_KEYS[scenario.shoe], sections=sections, **quoted)
    config.write_text(text, encoding="utf-8")
    clock = MovedClock(folder / "clock")
    command = [*ALTERED, "--clock", str(folder / "clock")]
    if patch:
        command += ["--patch", patch]
    program = Program(config, folder / "program.log", command=command)
    stack.enter_context(program)
    return ProgramSide(program, journal, clock, disk=disk)
