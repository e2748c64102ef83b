"""Checkers of what is shown and of the journal: no undealt card, and a replay that is the same.

Source: D-8.
"""

import re
from typing import Final

from msgspec.json import encode

from controller.core.build import build_core
from controller.core.core import Core
from controller.core.state import CoreState, encode_state
from controller.core.tape.entries import CoreOutput, EventVerdicts
from controller.core.tape.inputs import Input, Started
from controller.procedure.events import CardDrawn
from controller.procedure.people.setting_changes import effective_book
from controller.record.coup import open_coup_view
from controller.rules.profiles.load import load_clauses
from hil.scenario.language import statements as said
from hil.soak.checkers import Checker
from hil.soak.world import SoakWorld

# The identities of the bench's cards.
_TAG: Final = re.compile(rb"E00401[0-9A-F]{10}")
# Profiles whose hands lie face down until they are turned or the result is declared.
FACE_DOWN: Final = ("ny-midi",)
# A whole snapshot takes long: it is read at every so many cards.
SNAPSHOT_EVERY: Final = 4


class NothingUndealtShown(Checker):
    """No output names a card in the shoe, or one that lies face down."""

    name = "nothing undealt is shown"

    def __init__(self, world: SoakWorld) -> None:
        super().__init__(world)
        self._cards = 0

    def concluded(self, before: CoreState, item: Input, output: CoreOutput) -> None:
        drawn = any(
            isinstance(one, EventVerdicts) and isinstance(one.event, CardDrawn)
            for one in output.entries
        )
        if not drawn:
            return
        self._cards += 1
        if self.world.scenario.profile in FACE_DOWN:
            self._check_face_down()
        if self.world.rfid and self._cards % SNAPSHOT_EVERY == 0:
            self._check_tags()

    def _check_tags(self) -> None:
        tags = {one.decode() for one in _TAG.findall(encode(self.world.bench.table.snapshot()))}
        inside = {one.tag for one in self.world.piles.shoe}
        if tags & inside:
            raise self.violated(f"the snapshot names {len(tags & inside)} cards in the shoe")

    def _check_face_down(self) -> None:
        table = self.world.table
        shoe = table.state.table.shoe
        if shoe is None or shoe.coup is None or shoe.coup.declared is not None:
            return
        shown = open_coup_view(effective_book(table.core.book, table.state.table), shoe, shoe.coup)
        cards = (*shown.player.cards, *shown.banker.cards, *shown.third)
        seen = [one.value for one in cards if one.value is not None]
        if seen or shown.player.count.value is not None:
            raise self.violated(f"the coup's view shows {seen or 'a count'} of hands face down")


class ReplayIsSame(Checker):
    """The inputs of a shoe, taken in by a fresh core, give the same entries and the same state."""

    name = "the journal is its replay"

    def __init__(self, world: SoakWorld) -> None:
        super().__init__(world)
        self._core: Core | None = None
        self._state: CoreState | None = None
        self._inputs = 0
        self._entries = 0

    def done(self, body: said.ScenarioBody) -> None:
        if isinstance(body, said.EmptyShoe):
            self.replay()

    def replay(self) -> None:
        """Replay what came in since the last call."""
        table = self.world.table
        if self._core is None or self._state is None:
            started = table.inputs[0]
            assert isinstance(started, Started), "a run begins with its start"
            self._core = build_core(started, load_clauses())
            self._state = self._core.initial()
        for item in table.inputs[self._inputs :]:
            if isinstance(item, Started):
                self._state = self._core.devices.read_state(encode_state(self._state))
            self._state, output = self._core.handle(self._state, item)
            known = tuple(table.entries[self._entries : self._entries + len(output.entries)])
            if known != output.entries:
                raise self.violated(f"another conclusion from {type(item).__name__}")
            self._entries += len(output.entries)
        self._inputs = len(table.inputs)
        if encode_state(self._state) != encode_state(table.state):
            raise self.violated("the state after the replay is another one")
        if self._entries != len(table.entries):
            raise self.violated("entries are left over")
