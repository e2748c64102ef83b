"""An emulated shoe and its dealer as a process of their own: `python -m hil.serve.shoe`.

Responsible for: the lines on stdout that tell how far it is, the lines on stdin that steer it, and
the truth file. So a program under test can be killed and the shoe lives on.
Not responsible for: the command line (emulator_options), dealing and serving (hil.rig.shoe_runner,
hil.emulator).
Source: package README, "The emulator as a process".
"""

import argparse
import json
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from io import TextIOWrapper
from threading import Event, Thread
from typing import TextIO

from hil.dealing.actions import Action, MistakeMade
from hil.dealing.dealer import Dealer
from hil.dealing.tags import usual_batches
from hil.dealing.truth import CoupTruth, TruthRecord, json_line
from hil.emulator.feig.rfid_shoe import ExitFault, RfidShoe
from hil.emulator.lines.line import LineServer
from hil.emulator.lines.serve import PtyServer, TcpServer
from hil.rig.console import ConsoleHand, SocketConsole
from hil.rig.shoe_models import ShoeLine, rfid_line, url_of
from hil.rig.shoe_runner import Pace, ShoeRunner, ignore_action, poll_gate
from hil.serve.options import NS_PER_MS, arguments, make_dealer, make_server

TAKEN_LOOK_S = 0.1
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Reins:
    """Lines on stdin: `hold` and `go`, `unplug` and `replug`, `drop`, `quit`; for an RFID shoe

    `fault NAME`, `power-off` and `power-on` as well.

    End of input is no order: dealing goes on to its end, only then the process need not stay.
    """

    def __init__(self, orders: TextIO, server: ShoeLine, *, held: bool) -> None:
        self._orders = orders
        self._server = server
        self._free = Event()
        self.finished = Event()
        self.quitting = Event()
        if not held:
            self._free.set()
        Thread(target=self._read, name="orders", daemon=True).start()
        Thread(target=self._await_signal, name="signals", daemon=True).start()

    def may_deal(self) -> bool:
        return self._free.is_set()

    def hold(self) -> None:
        self._free.clear()

    def quit(self) -> None:
        self.quitting.set()
        self.finished.set()

    def _await_signal(self) -> None:
        signal.sigwait(STOP_SIGNALS)
        self.quit()

    def _read(self) -> None:
        for line in self._orders:
            self._obey(line.strip())
        self.finished.set()

    def _obey(self, order: str) -> None:
        server = self._server
        match order:
            case "hold":
                self.hold()
            case "go":
                self._free.set()
            case "unplug" if isinstance(server, PtyServer):
                server.unplug()
            case "replug" if isinstance(server, PtyServer):
                server.replug()
            case "drop" if isinstance(server, TcpServer):
                server.drop()
            case "quit":
                self.quit()
            case _ if not self._obey_rfid(order):
                tell("refused", order=order)

    def _obey_rfid(self, order: str) -> bool:
        """What only an RFID shoe can be told; False where it is not told to one, or is no order."""
        line = rfid_line(self._server)
        match order.split():
            case ["fault", name] if line is not None and name in tuple(ExitFault):
                line.perform(partial(RfidShoe.order, fault=ExitFault(name)))
            case ["power-off"] if line is not None:
                line.perform(RfidShoe.power_off)
            case ["power-on"] if line is not None:
                line.perform(RfidShoe.power_on)
            case _:
                return False
        return True


class Stopped(Exception):
    """The process was told to quit in the middle of a shoe."""


def tell(event: str, **facts: object) -> None:
    """One JSON line on stdout."""
    sys.stdout.write(json.dumps({"event": event, **facts}, sort_keys=True) + "\n")
    sys.stdout.flush()


def play(
    options: argparse.Namespace, dealer: Dealer, server: ShoeLine, truth: TextIO | None
) -> None:
    """Deal until the end or `quit`, then stay until stdin ends or says `quit`."""
    reins = Reins(sys.stdin, server, held=options.hold)

    def while_held() -> None:
        if reins.quitting.is_set():
            raise Stopped
        poll_gate()

    line = rfid_line(server)
    people = ignore_action if line is None else console_hand(options, line, reins, while_held)

    def on_action(action: Action) -> None:
        if reins.quitting.is_set():
            raise Stopped
        if isinstance(action, MistakeMade):
            if options.wait_after_mistake:
                reins.hold()
            place = {"shoe": dealer.shoe_number, "coup": dealer.coup_number}
            tell("mistake", mistake=action.mistake.value, **place)

    def on_record(record: TruthRecord) -> None:
        if truth is not None:
            truth.write(json_line(record) + "\n")
            truth.flush()
        if isinstance(record, CoupTruth):
            tell("coup", shoe=record.shoe, coup=record.coup)

    runner = ShoeRunner(
        dealer,
        server,
        pace=Pace.uniform(options.pace_ms * NS_PER_MS),
        may_deal=reins.may_deal,
        while_held=while_held,
        people=people,
        on_action=on_action,
        on_record=on_record,
        coups_max=options.coups,
    )
    try:
        runner.run()
    except Stopped:
        runner.collect()
    tell("done", coups=len(dealer.truth.coups), reports=len(dealer.truth.reports))
    reins.finished.wait()


def console_hand(
    options: argparse.Namespace,
    line: LineServer[RfidShoe],
    reins: Reins,
    while_held: Callable[[], None],
) -> ConsoleHand:
    """The dealer's hand: at the control socket, or told on stdout for others to act."""

    def all_taken() -> None:
        while not line.wait_for(lambda shoe: shoe.all_taken, TAKEN_LOOK_S):
            while_held()

    def ask_others(declaration: Mapping[str, object]) -> None:
        reins.hold()
        tell("declare", **declaration)
        while not reins.may_deal():
            while_held()

    def refused(why: str) -> None:
        tell("refused-declaration", error=why)

    if options.console is None:
        return ConsoleHand(all_taken, ask_others)
    return ConsoleHand(all_taken, SocketConsole(options.console, while_held, refused).declare)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the process; 0 when the dealing came to its end or was told to quit."""
    options = arguments(argv)
    # Before any thread starts: all of them leave these signals to the one that waits for them.
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    if options.batches is not None:
        for batch in usual_batches(options.decks):
            (options.batches / f"{batch.name}.csv").write_text(batch.csv(), encoding="utf-8")
    dealer = make_dealer(options)
    server = make_server(options)
    sink: AbstractContextManager[TextIOWrapper | None] = (
        nullcontext() if options.truth is None else options.truth.open("w", encoding="utf-8")
    )
    with sink as truth, server:
        where = server.path if isinstance(server, PtyServer) else ""
        tell("ready", path=where, url=url_of(server))
        play(options, dealer, server, truth)
    return 0


if __name__ == "__main__":
    sys.exit(main())
