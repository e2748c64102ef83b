"""The dealer's hand at the table's console, where the shoe has no keys.

Responsible for: declaring a result once the table has taken over every card of the coup.
Not responsible for: how the request travels (control socket, or the table in this process), and
for what the dealer declares (hil.dealing).
Source: package README, "The RFID shoe"; controller/README.md, "Actions".
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from controller.control.client import ControlClient, ControlError
from hil.dealing.actions import Action, PressResult

DEALER = "emulated dealer"

Declare: TypeAlias = Callable[[Mapping[str, object]], None]


class ConsoleHand:
    """For ShoeRunner.people. `all_taken` waits until the shoe keeps no card back; see RfidShoe."""

    def __init__(self, all_taken: Callable[[], None], declare: Declare) -> None:
        self._all_taken = all_taken
        self._declare = declare

    def __call__(self, action: Action) -> None:
        """Declare if a result is what the dealer tells; nothing else is told at a console."""
        if isinstance(action, PressResult):
            self._all_taken()
            self._declare(declaration(action))


def declaration(pressed: PressResult) -> Mapping[str, object]:
    """The action that declares it, as the control socket takes it."""
    return {
        "action": "declare-result",
        "by": DEALER,
        "role": "dealer",
        "outcome": pressed.winner.value,
        "player_pair": pressed.player_pair,
        "banker_pair": pressed.banker_pair,
    }


def loading(back: str, cards: int) -> Mapping[str, object]:
    """The record that a batch was put into the shoe, as the control socket takes it."""
    return {
        "action": "record",
        "by": DEALER,
        "role": "dealer",
        "act": "loaded",
        "batch": back,
        "amount": cards,
    }


def declared_values(declaration: Mapping[str, object]) -> Mapping[str, object]:
    """What is declared, without who declares it."""
    return {key: declaration[key] for key in ("outcome", "player_pair", "banker_pair")}


class SocketConsole:
    """Acts at a control socket, again and again while no table answers there.

    `while_waiting` is called between two attempts; `refused` is told why a table said no.
    """

    def __init__(
        self, path: Path, while_waiting: Callable[[], None], refused: Callable[[str], None]
    ) -> None:
        self._client = ControlClient(path)
        self._while_waiting = while_waiting
        self._refused = refused

    def declare(self, declaration: Mapping[str, object]) -> None:
        """Declare once. A table that was asked and then fell silent may have taken it."""
        asked_before = False
        while True:
            try:
                answer = self._client.request({"request": "act", **declaration})
            except ControlError:
                asked_before = True
                self._while_waiting()
                continue
            if answer.get("ok") is not True and not asked_before:
                self._refused(str(answer.get("error", "no reason given")))
            return
