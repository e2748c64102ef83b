"""Hands for acceptances of emulated devices: what a question asks is done at the emulator."""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from controller.system.keys import make_key
from drivers.catalogue import find_by_option
from drivers.model import Installation
from firmware_bridge.transport.open_port import open_port
from firmware_bridge.transport.port import LineSettings, Parity, Port
from hil.acceptance.people import PersonAnswer, PersonQuestion
from hil.acceptance.report.signed_report import ReportFiles
from hil.acceptance.run import Ended, Order, accept
from hil.dealing.cards import card_named
from hil.dealing.tableau import Winner
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.line import LineServer

WAIT_S = 30.0
# For what never comes.
SHORT_S = 0.3
Act = Callable[[], object]


class Hands:
    """Does what a question asks at the emulated device, and answers.

    `again`: the questions for which it waits until it came.
    """

    source = "a test"
    present = True

    def __init__(
        self,
        acts: Mapping[str, Act],
        answers: Mapping[str, str] | None = None,
        again: Collection[str] = (),
    ) -> None:
        self._acts, self._answers, self._again = acts, answers or {}, again
        self.asked: list[str] = []

    def ask(self, question: PersonQuestion) -> PersonAnswer:
        self.asked.append(question.name)
        if question.name in self._answers:
            return PersonAnswer(self._answers[question.name])
        act = self._acts.get(question.name)
        if question.optional:
            return PersonAnswer("")
        if act is None:
            return PersonAnswer("", "nobody does it here")
        act()
        return PersonAnswer("done")

    def ask_again(self, name: str, why: str) -> bool:
        return name in self._again

    def say(self, text: str) -> None:
        pass


def order_of(model: str, url: str, **changes: Any) -> Order:
    found = find_by_option(model)
    line = LineSettings(found.baud, Parity(found.parity or "N"))
    stored = found.to_store(found.settings())
    usual: dict[str, Any] = {"installed": Installation(), "person": "Ann Lee", "wait_s": WAIT_S}
    return Order(url=url, model=found, line=line, stored=stored, **(usual | changes))


def run(
    order: Order,
    hands: Hands,
    folder: Path,
    make_port: Callable[[str, LineSettings], Port] = open_port,
) -> Ended:
    key = make_key(folder / "acceptance.key")
    return accept(order, hands, key, ReportFiles(folder / "report.json"), make_port)


def outcomes(ended: Ended) -> dict[str, str]:
    return {one["name"]: one["outcome"] for one in ended.document["steps"]}


def step(ended: Ended, name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in ended.document["steps"] if one["name"] == name)
    return found


def shoe_acts(server: LineServer[AngelEye]) -> dict[str, Act]:
    """What a person does at an Angel Eye."""

    def press(winner: Winner, player_pair: bool = False, banker_pair: bool = False) -> Act:
        return lambda: server.perform(
            lambda one: one.press_result(winner, player_pair, banker_pair)
        )

    def draw(name: str) -> Act:
        return lambda: server.perform(lambda one: one.draw(card_named(name)))

    return {
        "first-bytes": lambda: server.perform(lambda one: one.stand_by()),
        "power-on": lambda: server.perform(lambda one: one.power_on()),
        "card-1": draw("7D"),
        "card-2": draw("10S"),
        "stand-by": lambda: server.perform(lambda one: one.stand_by()),
        "key-player": press(Winner.PLAYER),
        "key-banker": press(Winner.BANKER),
        "key-tie": press(Winner.TIE),
        "key-player-pair": press(Winner.PLAYER, player_pair=True),
        "key-banker-pair": press(Winner.PLAYER, banker_pair=True),
        "forced-exit": lambda: server.perform(lambda one: one.force_exit()),
        "cut-card": lambda: server.perform(lambda one: one.draw_cut_card()),
        "error": lambda: server.perform(lambda one: one.raise_error(4)),
        "error-cleared": lambda: server.perform(lambda one: one.clear_error(4)),
        "lock": lambda: None,
        "unlock": lambda: None,
    }


def order_with(order: Order, **values: object) -> Order:
    """The order with these settings of the model."""
    return replace(order, stored=order.model.to_store(order.model.with_values(values)))
