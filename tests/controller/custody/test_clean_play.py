"""Random clean shoes, with any set of readers, give no findings."""

from dataclasses import dataclass
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from controller.custody.card_states import CardPlace

W = CardPlace
Table = Any


@dataclass(frozen=True, slots=True)
class TableSetup:
    """The readers and records of a table, and how reliable the readers are."""

    rack_is_read: bool
    layout_is_read: bool
    recorded: bool
    unread_percent: int
    unsure_percent: int
    joined: bool
    one_batch: bool


SETUPS = st.builds(
    TableSetup,
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from([0, 0, 5, 30]),
    st.sampled_from([0, 0, 5, 30]),
    st.booleans(),
    st.booleans(),
)


class Shoe:
    """One shoe of clean play at a table."""

    def __init__(self, table: Table, setup: TableSetup, back: str, chance: Random) -> None:
        self.table, self.setup, self.chance = table, setup, chance
        manifest = next(one.manifest for one in table.state.batches if one.manifest.back == back)
        self.cards = [card.tag for card in manifest.cards() if card.card is not None]
        self.cut = [card.tag for card in manifest.cards() if card.card is None]
        chance.shuffle(self.cards)
        self.late: list[str] = []
        if setup.joined:
            self.late = [self.cards.pop() for _ in range(7)]
        self.cards.insert(9, self.cut[0])

    def draw(self, place: CardPlace) -> str:
        """Draw a card, read or not."""
        tag = self.cards.pop()
        percent = self.chance.randrange(100)
        if tag in self.cut or percent >= self.setup.unread_percent + self.setup.unsure_percent:
            self.table.draw(tag, place)
        elif percent < self.setup.unread_percent:
            self.table.draw(None, place)
        else:
            others = [card for card in self.cards[-2:] if card not in self.cut]
            self.table.draw(self.chance.choice([tag, *others]), place, sure=False)
        return self.draw(place) if tag in self.cut else tag

    def read_at_hand(self, tag: str, hand: CardPlace) -> None:
        if self.setup.layout_is_read and self.chance.random() < 0.9:
            self.table.read(hand, tag)

    def read_in_rack(self) -> None:
        if self.setup.rack_is_read:
            for tag in self.chance.sample(self.late, len(self.late)):
                self.table.read(W.DISCARD_RACK, tag)
            self.late = []

    def coup(self) -> None:
        hands = {self.draw(place): place for place in (W.PLAYER, W.BANKER) * 2}
        self.read_in_rack()
        for _ in range(self.chance.randrange(3)):
            hands[self.draw(W.BANKER)] = W.BANKER
        for tag, hand in hands.items():
            self.read_at_hand(tag, hand)
            self.read_at_hand(tag, hand)
        if self.chance.random() < 0.2:
            tag = self.draw(W.ASIDE)
            self.read_at_hand(tag, W.PLAYER)
            self.table.move_aside(W.BURN)
            self.late.append(tag)
        self.table.clear_hands(read=self.setup.rack_is_read)
        for tag, hand in hands.items():
            self.read_at_hand(tag, hand)
        self.late += hands

    def play(self) -> None:
        for _ in range(self.chance.randrange(4)):
            self.late.append(self.draw(W.BURN))
        while len(self.cards) > 10:
            self.coup()
        self.table.end()
        self.read_in_rack()
        self.table.empty_rack()


@settings(max_examples=60)
@given(SETUPS, st.integers(0, 2**32))
def test_clean_play_gives_no_findings(
    tables: Any, batch: Any, setup: TableSetup, seed: int
) -> None:
    table, chance = tables(), Random(seed)
    table.bind(batch("red", cut_cards=2), batch("blue", cut_cards=2))
    backs = ("red", "red", "red") if setup.one_batch else ("red", "blue", "red")
    for back in backs:
        table.open(
            back if setup.recorded else "",
            alternates=not setup.one_batch,
            joined=setup.joined,
        )
        Shoe(table, setup, back, chance).play()
        if setup.recorded:
            table.record(back, W.SHUFFLER)
            table.bind(batch(back, cut_cards=2))
        assert table.codes() == []
