"""Clean play proves nothing: random shoes with every reader there can be, or with none.

Responsible for: no finding where nothing is wrong, whatever is unread, late, unrecorded, drawn in
error or read twice.
Not responsible for: the rules of drawing; hands get four to six cards by chance.
Source: controller/custody/README.md, "Decisions".
"""

from dataclasses import dataclass
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from controller.custody.card_states import Whereabouts

W = Whereabouts
Table = Any


@dataclass(frozen=True, slots=True)
class House:
    """What can be seen and is told at a table, and how well its readers read."""

    rack_is_read: bool
    layout_is_read: bool
    recorded: bool
    unread_percent: int
    unsure_percent: int
    joined: bool
    one_batch: bool


HOUSES = st.builds(
    House,
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from([0, 0, 5, 30]),
    st.sampled_from([0, 0, 5, 30]),
    st.booleans(),
    st.booleans(),
)


class Shoe:
    """One shoe of clean play at a house."""

    def __init__(self, table: Table, house: House, back: str, chance: Random) -> None:
        self.table, self.house, self.chance = table, house, chance
        manifest = next(one.manifest for one in table.state.batches if one.manifest.back == back)
        self.cards = [card.tag for card in manifest.cards() if card.card is not None]
        self.cut = [card.tag for card in manifest.cards() if card.card is None]
        chance.shuffle(self.cards)
        self.late: list[str] = []
        if house.joined:
            self.late = [self.cards.pop() for _ in range(7)]
        self.cards.insert(9, self.cut[0])

    def draw(self, place: Whereabouts) -> str:
        """A card out of the shoe, read or not."""
        tag = self.cards.pop()
        percent = self.chance.randrange(100)
        if tag in self.cut or percent >= self.house.unread_percent + self.house.unsure_percent:
            self.table.passes(tag, place)
        elif percent < self.house.unread_percent:
            self.table.passes(None, place)
        else:
            others = [card for card in self.cards[-2:] if card not in self.cut]
            self.table.passes(self.chance.choice([tag, *others]), place, sure=False)
        return self.draw(place) if tag in self.cut else tag

    def lies(self, tag: str, hand: Whereabouts) -> None:
        if self.house.layout_is_read and self.chance.random() < 0.9:
            self.table.sees(hand, tag)

    def reaches_rack(self) -> None:
        if self.house.rack_is_read:
            for tag in self.chance.sample(self.late, len(self.late)):
                self.table.sees(W.DISCARD_RACK, tag)
            self.late = []

    def coup(self) -> None:
        hands = {self.draw(place): place for place in (W.PLAYER, W.BANKER) * 2}
        self.reaches_rack()
        for _ in range(self.chance.randrange(3)):
            hands[self.draw(W.BANKER)] = W.BANKER
        for tag, hand in hands.items():
            self.lies(tag, hand)
            self.lies(tag, hand)
        if self.chance.random() < 0.2:
            tag = self.draw(W.ASIDE)
            self.lies(tag, W.PLAYER)
            self.table.aside_to(W.BURN)
            self.late.append(tag)
        self.table.clears(read=self.house.rack_is_read)
        for tag, hand in hands.items():
            self.lies(tag, hand)
        self.late += hands

    def play(self) -> None:
        for _ in range(self.chance.randrange(4)):
            self.late.append(self.draw(W.BURN))
        while len(self.cards) > 10:
            self.coup()
        self.table.end()
        self.reaches_rack()
        self.table.empties_rack()


@settings(max_examples=60)
@given(HOUSES, st.integers(0, 2**32))
def test_nothing_is_found_in_clean_play(tables: Any, batch: Any, house: House, seed: int) -> None:
    table, chance = tables(), Random(seed)
    table.bind(batch("red", cut_cards=2), batch("blue", cut_cards=2))
    backs = ("red", "red", "red") if house.one_batch else ("red", "blue", "red")
    for back in backs:
        table.open(
            back if house.recorded else "",
            alternates=not house.one_batch,
            joined=house.joined,
        )
        Shoe(table, house, back, chance).play()
        if house.recorded:
            table.record(back, W.SHUFFLER)
            table.bind(batch(back, cut_cards=2))
        assert table.codes() == []
