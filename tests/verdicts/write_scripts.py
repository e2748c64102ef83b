"""Writes the net: 2,000 seeded dealing scripts in all profiles, with the answers of this version.

Run once, at the version whose verdicts are to be preserved: python tests/verdicts/write_scripts.py
A script is dealt by reading the table's state after each statement; its text is stored, not its
seed, so that a later version plays the same words.
"""

import random
import sys
from collections.abc import Callable
from pathlib import Path

import scripts_file
from scripts_file import KINDS, SCRIPTS_COUNT, NetScript
from verdict_answers import answer, rule_book

from controller.core.script.parser import parse
from controller.core.script.player import PlayedStatement, play
from controller.custody.findings import FindingCode
from controller.procedure.people.permitted import permitted_decisions
from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact
from controller.procedure.state import TableState
from controller.rules.actions.choices import ActKind, FloorDecision, Provisional
from controller.rules.cards import Card, Rank, Suit, point_value
from controller.rules.profiles.load import profile_names
from controller.rules.settlement.wagers import WagerKind
from hil.dealing import tableau

STATES = ("empty", "loading", "counted", "shuffling", "shuffled", "stored", "released", "held")
SETTINGS = (
    *("vig_rate 4", "vig_rate 5", "vig_rate 7", "vig_collection at_payment", "no_such_setting 1"),
    *("coups_after_cut_card 1", "deal_option face_up", "dragon_bonus_table a", "ghost_hands_max 2"),
)


class Dealer:
    """A dealer with a shuffled shoe; `statements` are the script so far."""

    def __init__(self, kind: str, profile: str, seed: int) -> None:
        self.chance = random.Random(f"{kind} {profile} {seed}")
        self.kind = kind
        self.profile = profile
        self.decks = self.chance.choice((1, 1, 2, 6, 8))
        keep = 0.35 if kind != "good" else 0.2
        facts = [fact.value for fact in ObservableFact if self.chance.random() < keep]
        if kind == "people":
            facts = sorted({*facts, ObservableFact.WAGERS.value})
        self.observed = ",".join(facts)
        self.book = rule_book(profile, self.decks, self.observed)
        self.cards: list[Card] = []
        self.statements: list[str] = []
        self.minutes = 0
        self.cycle = 0
        self.played: tuple[PlayedStatement, ...] = ()

    # --- the table's state --------------------------------------------------------------------

    @property
    def state(self) -> TableState:
        return self.played[-1].state if self.played else TableState()

    def add(self, words: str) -> None:
        self.statements.append(words)
        self.played = play(self.book, parse("\n".join(self.statements)))

    def card(self) -> Card:
        if not self.cards:
            self.cards = [Card(rank, suit) for rank in Rank for suit in Suit] * self.decks
            self.chance.shuffle(self.cards)
        return self.cards.pop()

    def choose(self, *choices: str) -> str:
        return self.chance.choice(choices)

    # --- correct play -------------------------------------------------------------------------

    def add_burn(self) -> None:
        if self.chance.random() < 0.2:
            self.add("start")
            return
        first = self.card()
        burned = min(point_value(first) or 10, 10)
        if first.rank is Rank.ACE:
            burned = 1
        if self.chance.random() < 0.5:
            self.add(f"burn {first} + {burned}")
        else:
            self.add(f"burn {first}: {' '.join(str(self.card()) for _ in range(burned))}")

    def next_correct(self) -> str:
        state = self.state
        if state.suspension is not None:
            return self.decision()
        if state.phase in (Phase.SHOE_OVER, Phase.CLOSED):
            self.cards = []
            return "start"
        if state.phase in (Phase.RESULT, Phase.PARTIAL):
            return self.result()
        if state.phase is Phase.BETWEEN_COUPS and self.chance.random() < 0.15:
            return self.choose("no more bets", "cut", "stand-by", "no more bets")
        letter = {"player": "P", "banker": "B"}.get(state.phase.value.split("_")[0])
        if letter is not None and self.chance.random() < 0.7:
            return f"{letter} {self.card()}"
        return f"card {self.card()}"

    def decision(self) -> str:
        suspension = self.state.suspension
        dealt = suspension is not None and suspension.dealt
        provisional = self.chance.choice(list(Provisional)) if dealt else None
        permitted = permitted_decisions(self.book, self.state, provisional) or tuple(FloorDecision)
        decision = self.chance.choice(permitted)
        outcome = ""
        if decision is FloorDecision.STATE_OUTCOME:
            outcome = f" {self.choose('player', 'banker', 'tie')}"
        provision = f" {provisional.value}" if provisional is not None else ""
        return f"resolve {decision.value}{outcome}{provision}"

    def result(self) -> str:
        coup = self.state.shoe.coup
        hands: dict[str, list[Card]] = {"player": [], "banker": []}
        for one in coup.cards if coup is not None else ():
            hand = one.place.value.split("_")[0]
            if one.card is not None and hand in hands:
                hands[hand].append(one.card)
        player, banker = (tuple(map(point_value, hands[who])) for who in ("player", "banker"))
        words = f"result {tableau.winner(player, banker)}"
        for who, pair in (("player", " P-pair"), ("banker", " B-pair")):
            ranks = [card.rank for card in hands[who][:2]]
            words += pair if len(ranks) == 2 and ranks[0] is ranks[1] else ""
        return words

    # --- mistakes -----------------------------------------------------------------------------

    def mistake(self) -> str:
        card = self.card()
        place = self.choose("P1", "P2", "P3", "B1", "B2", "B3")
        return self.choose(
            *(f"{place} {card}", f"P {card}", f"B {card}", f"card {card}", "card ??"),
            *(f"{place} ??", f"more {card}", f"more banker {card}", f"out {card}"),
            *(f"extra {card}", f"burned {card}", f"again {place} {card}", "cut", "cut"),
            *("result player", "result tie P-pair", "result banker B-pair", "forced exit"),
            *("stand-by", "start", f"lost {self.chance.randint(1, 3)}", "lost unproven"),
            *("lost unreadable", "no more bets", "found face up", f"burn {card} + 3"),
            *("turn error", "turn player", "turn banker third", self.decision()),
            *(f"found face up\nresolve {self.choose('continue', 'void-coup')}", self.repeat()),
        )

    def repeat(self) -> str:
        """The shoe reports its last card again."""
        for words in reversed(self.statements):
            first, _, card = words.partition(" ")
            if first in ("P1", "P2", "P3", "B1", "B2", "B3"):
                return f"again {first} {card}"
        return "again burn 7h"

    # --- people ---------------------------------------------------------------------------------

    def wagers(self) -> str:
        if self.chance.random() < 0.1:
            return "wagers none"
        count = self.chance.randint(1, 6)
        stated = [
            f"{self.chance.randint(1, 5)} {self.chance.choice(list(WagerKind)).value}"
            f" {self.choose('20', '40', '100', '12.50', '105')}"
            for _ in range(count)
        ]
        return f"wagers {', '.join(stated)}"

    def person(self) -> str:
        seat = self.chance.randint(1, 5)
        self.minutes += self.chance.randint(0, 20)
        setting = self.chance.choice(SETTINGS)
        return self.choose(
            *(self.wagers(), self.wagers(), self.wagers(), f"collect {seat}", f"leave {seat}"),
            *(
                f"document {seat} form {1000 + len(self.statements)}",
                f"document {seat} form 7 void",
            ),
            f"document {seat} form 9 unsigned because refused",
            f"notice {setting} to players at +{self.minutes}min",
            f"set {setting} at +{self.minutes}min because agreed",
            *("turn player", "turn banker", "turn player third", "turn banker third"),
            *("give up player", "give up banker by order because slow", "ghost hand"),
            *("no more bets", "close shoe", self.act(), self.act()),
        )

    def act(self) -> str:
        words = f"record {self.chance.choice(list(ActKind)).value}"
        if self.chance.random() < 0.6:
            words += f" batch {self.choose('red', 'blue', 'red', 'green')}"
        if self.chance.random() < 0.3:
            words += f" seat {self.chance.randint(1, 7)}"
        if self.chance.random() < 0.4:
            total = 52 * self.decks
            words += f" amount {self.chance.choice((total, total, total // 2, 20, 14, 0))}"
        if self.chance.random() < 0.3:
            words += ' second "Ann Lee"'
        if self.chance.random() < 0.4:
            words += f" as {self.choose('floorperson', 'floorperson', 'pit_manager', 'dealer')}"
            words += ' because "seen"'
        return words

    # --- batches and custody ------------------------------------------------------------------

    def preparation(self) -> list[str]:
        """Acts that bring a batch to the shoe, some left out at random."""
        back, total = self.choose("red", "blue"), 52 * self.decks
        floor = "as floorperson because seen"
        steps = [
            f"record received batch {back} {floor}",
            f'record inspected batch {back} second "Ann Lee"',
            f"record washed batch {back}",
            f"record stacked batch {back}",
            f"record shuffled batch {back} {floor}",
            f"record cut-offered batch {back} seat 3",
            f"record cut batch {back} seat 3 amount {total // 2}",
            f"record cut-cards-placed batch {back} amount 14",
            f"record loaded batch {back} amount {total}",
        ]
        return [one for one in steps if self.chance.random() < 0.85]

    def batch(self) -> str:
        card, back = self.card(), self.choose("red", "blue", "green", '""')
        code = self.chance.choice(list(FindingCode)).value
        again = " again" if self.chance.random() < 0.2 else ""
        return self.choose(
            *(f"unclaimed {card} of {back}{again}", f"unclaimed {card} of {back}"),
            f'custody {code} {card} tag E00401 of {back} at "coup 3" because "by its tag"',
            *(self.act(), self.act(), "\n".join(self.preparation()) or "start", "start"),
            *(f"record discard-cleared batch {back}", f"record released batch {back}"),
            *("day 2026-11-22", "program 9.9", "close shoe", "cut"),
        )

    # --- the shuffler -----------------------------------------------------------------------------

    def shuffler_steps(self) -> list[str]:
        """The steps of a batch through a compartment and into the shoe."""
        bay, back, total = self.choose("1", "2"), self.choose("red", "blue"), 52 * self.decks
        self.cycle += 1
        steps = [
            f"record into-shuffler batch {back}",
            f"shuffler {bay} loading uncounted of {back}",
            f"shuffler {bay} counted {total} of {back}",
            f"shuffler {bay} began {self.cycle}",
            f"shuffler {bay} shuffling {total} of {back}",
            f"shuffler {bay} done {self.cycle} {total} of {back} good",
            f"shuffler {bay} shuffled {total} of {back}",
            f"shuffler {bay} stored {total} of {back}",
            f"shuffler {bay} released {total} of {back}",
            f"shuffler {bay} empty 0",
            f"record cut batch {back} amount {total // 2}",
            f"record loaded batch {back} amount {total}",
        ]
        return [one for one in steps if self.chance.random() < 0.93]

    def shuffler(self) -> str:
        bay, back = self.choose("1", "2"), self.choose("red", "blue", "green")
        total = self.chance.choice((52 * self.decks, 52 * self.decks - 1, 0))
        self.minutes += self.chance.randint(0, 3)
        cycle = max(1, self.cycle)
        words = self.choose(
            *(f"{bay} {self.chance.choice(STATES)} {total} of {back}", f"{bay} began {cycle}"),
            f"{bay} done {cycle} {total} of {back}"
            f" {self.choose('good', 'count_differs', 'unverified')}",
            *(f"{bay} done {cycle} {total} of {back} good forged", f"{bay} aborted {cycle} jam"),
            *(f"{bay} jam", f"{bay} unjammed", f"{bay} residual 3", f"{bay} residual 0"),
            *(f"door {bay} open", f"door {bay} closed", "mode play", "mode service"),
            *("warning 17 on belt", "warning 17 off belt", "proven", "proven bare", "gone"),
            *("lost 2", "lost unproven"),
        )
        return f"shuffler {words} at +{self.minutes}min"

    def shuffler_or_mistake(self) -> str:
        return self.choose(
            *("\n".join(self.shuffler_steps()) or "start", self.shuffler(), self.shuffler()),
            *(f"clear warning {self.chance.randint(1, 4)}", self.act(), self.mistake(), "start"),
        )

    # --- the whole script -----------------------------------------------------------------------

    def deal(self) -> NetScript:
        deviations: dict[str, tuple[float, Callable[[], str]]] = {
            "good": (0.0, self.mistake),
            "wrong": (0.22, self.mistake),
            "people": (0.45, self.person),
            "batches": (0.4, self.batch),
            "shuffler": (0.4, self.shuffler_or_mistake),
        }
        share, deviate = deviations[self.kind]
        preparations = {"batches": self.preparation, "shuffler": self.shuffler_steps}
        if self.kind == "shuffler":
            self.add("shuffler proven")
        for words in preparations.get(self.kind, list)():
            self.add(words)
        self.add_burn()
        for _ in range(self.chance.randint(10, 28)):
            next_correct = self.chance.random() >= share
            words = self.next_correct() if next_correct else deviate()
            for line in words.split("\n"):
                self.add(line)
        answers = tuple(answer(one) for one in self.played)
        statements = tuple(self.statements)
        return NetScript(self.kind, self.profile, self.decks, self.observed, statements, answers)


def write() -> None:
    profiles = profile_names()
    scripts = []
    for number in range(SCRIPTS_COUNT):
        profile = profiles[number % len(profiles)]
        kind = KINDS[number // len(profiles) % len(KINDS)]
        scripts.append(Dealer(kind, profile, number).deal())
        if number % 100 == 99:
            print(f"{number + 1} of {SCRIPTS_COUNT} scripts", file=sys.stderr)
    scripts_file.write(scripts)
    size = scripts_file.PATH.stat().st_size
    statements = sum(len(one.statements) for one in scripts)
    print(f"{Path(scripts_file.PATH.name)}: {statements} statements, {size} bytes")


if __name__ == "__main__":
    write()
