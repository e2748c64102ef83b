"""The dealer's hand at the console of a table whose shoe has no keys."""

import json
import socketserver
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from hil.dealing.actions import ForcedExit, PressResult, StandBy
from hil.dealing.tableau import Winner
from hil.rig.console import ConsoleHand, SocketConsole, declaration

TIE = PressResult(Winner.TIE, player_pair=True, banker_pair=False)


def test_a_result_is_declared_once_the_table_has_every_card() -> None:
    told: list[object] = []
    hand = ConsoleHand(lambda: told.append("all taken"), told.append)
    hand(TIE)

    assert told == ["all taken", declaration(TIE)]


def test_nothing_else_is_told_at_a_console() -> None:
    told: list[object] = []
    hand = ConsoleHand(lambda: told.append("all taken"), told.append)
    hand(StandBy())
    hand(ForcedExit())

    assert told == []


def test_a_declaration_is_the_dealers() -> None:
    told = declaration(TIE)

    assert (told["action"], told["role"], told["outcome"]) == ("declare-result", "dealer", "tie")
    assert (told["player_pair"], told["banker_pair"]) == (True, False)


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


def test_a_table_that_is_not_there_yet_is_asked_again(fast_dir: Path) -> None:
    waits: list[None] = []
    refusals: list[str] = []
    with table(fast_dir / "control.sock", [None, None, {"ok": True}]) as asked:
        console = SocketConsole(
            fast_dir / "control.sock", lambda: waits.append(None), refusals.append
        )
        console.declare(declaration(TIE))

    assert (len(asked), len(waits), refusals) == (3, 2, [])
    assert asked[0] == {"request": "act", **declaration(TIE)}


def test_a_table_that_fell_silent_may_have_taken_it(fast_dir: Path) -> None:
    refusals: list[str] = []
    with table(fast_dir / "control.sock", [None, {"ok": False, "error": "no coup"}]):
        SocketConsole(fast_dir / "control.sock", lambda: None, refusals.append).declare({})

    assert refusals == []


def test_a_refusal_is_told(fast_dir: Path) -> None:
    refusals: list[str] = []
    with table(fast_dir / "control.sock", [{"ok": False, "error": "cards are missing"}]):
        SocketConsole(fast_dir / "control.sock", lambda: None, refusals.append).declare({})

    assert refusals == ["cards are missing"]
