"""Declares results at the table's console, for a shoe without keys.

Not: what the dealer declares (hil.dealing).
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from controller.outlets.control.client import ControlClient, ControlError
from hil.dealing.actions import DealerAction, PressResult

DEALER = "emulated dealer"

Declare: TypeAlias = Callable[[Mapping[str, object]], None]


class ConsoleDealer:
    """For ShoeRunner.people. `wait_all_delivered` waits until the table has read every card."""

    def __init__(self, wait_all_delivered: Callable[[], None], declare: Declare) -> None:
        self._wait_all_delivered = wait_all_delivered
        self._declare = declare

    def __call__(self, action: DealerAction) -> None:
        """Declare the result if the action is one; nothing else happens at a console."""
        if isinstance(action, PressResult):
            self._wait_all_delivered()
            self._declare(declaration(action))


def declaration(pressed: PressResult) -> Mapping[str, object]:
    """The control socket's request that declares the result."""
    return {
        "action": "declare-result",
        "by": DEALER,
        "role": "dealer",
        "outcome": pressed.winner.value,
        "player_pair": pressed.player_pair,
        "banker_pair": pressed.banker_pair,
    }


def loading(back: str, cards: int) -> Mapping[str, object]:
    """The control socket's request that records a batch as loaded into the shoe."""
    return {
        "action": "record",
        "by": DEALER,
        "role": "dealer",
        "act": "loaded",
        "batch": back,
        "amount": cards,
    }


def result_values(declaration: Mapping[str, object]) -> Mapping[str, object]:
    """The declared values, without the person."""
    return {key: declaration[key] for key in ("outcome", "player_pair", "banker_pair")}


class SocketConsole:
    """Acts at a control socket, and retries while no table answers there.

    `while_waiting` is called between two attempts; `refused` receives a table's reason.
    """

    def __init__(
        self, path: Path, while_waiting: Callable[[], None], refused: Callable[[str], None]
    ) -> None:
        self._client = ControlClient(path)
        self._while_waiting = while_waiting
        self._refused = refused

    def declare(self, declaration: Mapping[str, object]) -> None:
        """Declare once. A refusal after a retry is ignored: the first try may have succeeded."""
        retried = False
        while True:
            try:
                answer = self._client.request({"request": "act", **declaration})
            except ControlError:
                retried = True
                self._while_waiting()
                continue
            if not answer.ok and not retried:
                self._refused(answer.error)
            return
