"""Serves an emulated shoe and its dealer until dealing has ended, an order, or a signal.

A program under test can be killed while the shoe stays up.
"""

import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from threading import Event
from typing import TextIO

from hil.dealing.actions import DealerAction, MistakeMade
from hil.dealing.dealer import Dealer
from hil.dealing.truth import CoupTruth, TruthRecord, json_line
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.feig.rfid_shoe import GATE_INPUT, ExitFault, RfidShoe
from hil.emulator.lines.line import LineServer, LineUnavailable
from hil.emulator.lines.serve import PtyServer, TcpServer
from hil.rig.console import ConsoleDealer, SocketConsole
from hil.rig.shoe_models import ShoeKind, ShoeLine, rfid_line, url_of
from hil.rig.shoe_runner import Pace, ShoeRunner, ignore_action, poll_gate
from hil.serve.options import (
    NS_PER_MS,
    ShoeOptions,
    make_dealer,
    make_server,
    open_truth,
    write_batches,
)
from hil.serve.orders import block_stop_signals, emit, remark, start_reading

POLL_S = 0.1
NS_PER_S = 1_000_000_000


class DealingControl:
    """Executes orders, one a line.

    `hold` and `go`, `unplug` and `replug`, `drop`, `quit`; for an RFID shoe also `fault NAME`,
    `power-off` and `power-on`. The end of the orders and the stop signals mean `quit`.
    """

    def __init__(self, orders: TextIO | None, server: ShoeLine, *, held: bool) -> None:
        self._server = server
        self._free = Event()
        self.quitting = Event()
        if not held:
            self._free.set()
        start_reading(orders, self._execute, self.quitting)

    def may_deal(self) -> bool:
        return self._free.is_set()

    def hold(self) -> None:
        self._free.clear()

    def _execute(self, order: str) -> None:
        server = self._server
        match order:
            case "hold":
                self.hold()
            case "go":
                self._free.set()
            case "unplug" if isinstance(server, PtyServer) and server.plugged:
                server.unplug()
            case "replug" if isinstance(server, PtyServer) and not server.plugged:
                self._replug(server)
            case "drop" if isinstance(server, TcpServer):
                server.drop()
            case "quit":
                self.quitting.set()
            case _ if not self._execute_rfid(order):
                emit("refused", order=order)

    def _replug(self, server: "PtyServer[AngelEye] | PtyServer[RfidShoe]") -> None:
        try:
            server.replug()
        except LineUnavailable as error:
            emit("refused", order="replug", why=str(error))

    def _execute_rfid(self, order: str) -> bool:
        """Execute an order of RFID shoes; False if the shoe is another or the order is unknown."""
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


class QuitRequested(Exception):
    """The process received `quit` or a signal in the middle of a shoe."""


def _play(options: ShoeOptions, dealer: Dealer, server: ShoeLine, truth: TextIO | None) -> None:
    """Deal until the end or `quit`, then wait for `quit`, the end of stdin, or a signal."""
    dealing = options.dealing
    control = DealingControl(sys.stdin if dealing.orders else None, server, held=dealing.hold)

    def while_waiting() -> None:
        if control.quitting.is_set():
            raise QuitRequested
        poll_gate()

    def pause(pause_ns: int) -> None:
        if control.quitting.wait(pause_ns / NS_PER_S):
            raise QuitRequested

    line = rfid_line(server)
    people = (
        ignore_action if line is None else _console_dealer(options, line, control, while_waiting)
    )

    def on_action(action: DealerAction) -> None:
        if control.quitting.is_set():
            raise QuitRequested
        if isinstance(action, MistakeMade):
            if dealing.wait_after_mistake:
                control.hold()
            place = {"shoe": dealer.shoe_number, "coup": dealer.coup_number}
            emit("mistake", mistake=action.mistake.value, **place)

    runner = ShoeRunner(
        dealer,
        server,
        pace=Pace.uniform(dealing.pace_ms * NS_PER_MS),
        may_deal=control.may_deal,
        while_waiting=while_waiting,
        pause=pause,
        people=people,
        on_action=on_action,
        on_record=partial(_report, truth),
        coups_max=dealing.coups,
    )
    try:
        # Cards dealt while nobody is connected would be lost.
        while isinstance(server, TcpServer) and not server.wait_connected(1, POLL_S):
            while_waiting()
        runner.run()
    except QuitRequested:
        runner.collect()
    emit("done", coups=len(dealer.truth.coups), reports=len(dealer.truth.reports))
    control.quitting.wait()


def _report(truth: TextIO | None, record: TruthRecord) -> None:
    """Write a record of what was truly dealt, and report a finished coup."""
    if truth is not None:
        truth.write(json_line(record) + "\n")
        truth.flush()
    if isinstance(record, CoupTruth):
        emit("coup", shoe=record.shoe, coup=record.coup)


def _console_dealer(
    options: ShoeOptions,
    line: LineServer[RfidShoe],
    control: DealingControl,
    while_waiting: Callable[[], None],
) -> ConsoleDealer:
    """The dealer at the console: the control socket, or events on stdout for others to act on."""

    def wait_all_delivered() -> None:
        while not line.wait_for(lambda shoe: shoe.all_delivered, POLL_S):
            while_waiting()

    def ask_others(declaration: Mapping[str, object]) -> None:
        control.hold()
        emit("declare", **declaration)
        while not control.may_deal():
            while_waiting()

    def refused(why: str) -> None:
        emit("refused-declaration", error=why)

    if options.rfid.console is None:
        return ConsoleDealer(wait_all_delivered, ask_others)
    return ConsoleDealer(
        wait_all_delivered, SocketConsole(options.rfid.console, while_waiting, refused).declare
    )


def serve_shoe(options: ShoeOptions) -> None:
    """Serve until dealing has ended and `quit`, the end of stdin, or a signal has come.

    Raises CommandError and LineUnavailable.
    """
    block_stop_signals()
    dealer = make_dealer(options.dealing)
    with make_server(options) as server, ExitStack() as stack:
        if options.rfid.batches is not None:
            write_batches(options.rfid.batches, options.dealing.decks)
        truth = None
        if options.dealing.truth is not None:
            truth = stack.enter_context(open_truth(options.dealing.truth))
        where = server.path if isinstance(server, PtyServer) else ""
        emit("ready", path=where, url=url_of(server), shoe=options.shoe.value)
        remark(_how_to_connect(options, server))
        _play(options, dealer, server, truth)


def _how_to_connect(options: ShoeOptions, server: ShoeLine) -> str:
    """What to type to see the shoe, and for a table to use it."""
    # It deals faster than any hand.
    url, model, more = url_of(server), "", ", reports_s_max = 0"
    if options.shoe is ShoeKind.RFID:
        model, more = " --model feig-rfid", f', model = "feig-rfid", gate_input = {GATE_INPUT}'
    if options.dealing.hold:
        begin = "type go to begin"
    elif isinstance(server, TcpServer):
        begin = "it begins when somebody connects"
    else:
        begin = "it begins at once; with --hold it waits for go"
    return (
        f"An emulated shoe is at {url}; {begin}. To see what it sends, in another terminal:\n"
        f"  smartshoe devices monitor {url}{model}\n"
        f'For a table, in table.toml: [shoe] port = "{url}"{more}; then smartshoe run'
    )
