"""Declaring results at the console of a table whose shoe has no keys."""

import json
import socketserver
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from hil.dealing.actions import PressForcedExit, PressResult, PressStandBy
from hil.dealing.tableau import Winner
from hil.rig.console import ConsoleDealer, SocketConsole, declaration

TIE = PressResult(Winner.TIE, player_pair=True, banker_pair=False)


def test_a_result_is_declared_once_the_table_has_every_card() -> None:
    calls: list[object] = []
    dealer = ConsoleDealer(lambda: calls.append("all delivered"), calls.append)
    dealer(TIE)

    assert calls == ["all delivered", declaration(TIE)]


def test_nothing_else_is_declared_at_a_console() -> None:
    calls: list[object] = []
    dealer = ConsoleDealer(lambda: calls.append("all delivered"), calls.append)
    dealer(PressStandBy())
    dealer(PressForcedExit())

    assert calls == []


def test_a_declaration_names_the_dealer() -> None:
    request = declaration(TIE)

    assert (request["action"], request["role"], request["outcome"]) == (
        "declare-result",
        "dealer",
        "tie",
    )
    assert (request["player_pair"], request["banker_pair"]) == (True, False)


@contextmanager
def table(path: Path, answers: list[Mapping[str, object] | None]) -> Iterator[list[object]]:
    """A control socket that gives these answers in turn; None: it hangs up instead."""
    asked: list[object] = []

    class Conversation(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            asked.append(json.loads(self.rfile.readline()))
            answer = answers.pop(0)
            if answer is not None:
                self.wfile.write(json.dumps(answer).encode() + b"\n")

    with socketserver.UnixStreamServer(str(path), Conversation) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield asked
        server.shutdown()
        thread.join()


def test_a_request_is_retried_until_the_table_answers(fast_dir: Path) -> None:
    waits: list[None] = []
    refusals: list[str] = []
    with table(fast_dir / "control.sock", [None, None, {"ok": True}]) as asked:
        console = SocketConsole(
            fast_dir / "control.sock", lambda: waits.append(None), refusals.append
        )
        console.declare(declaration(TIE))

    assert (len(asked), len(waits), refusals) == (3, 2, [])
    assert asked[0] == {"request": "act", **declaration(TIE)}


def test_a_refusal_after_a_retry_is_ignored(fast_dir: Path) -> None:
    refusals: list[str] = []
    with table(fast_dir / "control.sock", [None, {"ok": False, "error": "no coup"}]):
        SocketConsole(fast_dir / "control.sock", lambda: None, refusals.append).declare({})

    assert refusals == []


def test_a_refusal_is_reported(fast_dir: Path) -> None:
    refusals: list[str] = []
    with table(fast_dir / "control.sock", [{"ok": False, "error": "cards are missing"}]):
        SocketConsole(fast_dir / "control.sock", lambda: None, refusals.append).declare({})

    assert refusals == ["cards are missing"]
