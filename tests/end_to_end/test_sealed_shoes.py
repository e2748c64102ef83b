"""A whole shoe over a real line ends in a sealed file with exactly the dealt cards."""

from pathlib import Path

import pytest

from controller.archive.replay.report import ReplayFinding, replay
from controller.journal.card_row_format import CardRow, RowEnd, RowRole, read_row
from controller.journal.folder import read_sealed, sealed_files
from controller.journal.shoe_file import ROW_BYTES, ShoeFile
from controller.journal.verify import verify
from controller.rules.cards import Suit
from hil.dealing.dealer import DealerSettings
from hil.dealing.truth import Truth
from hil.rig.in_process import RigSettings
from hil.rig.shoe_models import ShoeKind

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS = tuple(Suit)
IN_A_COUP = range(RowRole.PLAYER_1, RowRole.BANKER_3 + 1)


def rows_of(sealed: ShoeFile) -> list[CardRow]:
    return [read_row(sealed.rows, at) for at in range(0, len(sealed.rows), ROW_BYTES)]


def face(row: CardRow) -> str:
    """The card in the bench's notation."""
    return RANKS[(row.card - 1) % 13] + SUITS[(row.card - 1) // 13]


def as_sealed(sealed: ShoeFile) -> list[tuple[int, list[str], str]]:
    """From the rows: coup, cards in the order drawn, outcome."""
    found = []
    rows = [row for row in rows_of(sealed) if row.role in IN_A_COUP]
    for coup in range(1, sealed.heading.coups + 1):
        mine = [row for row in rows if row.coup == coup]
        found.append((coup, [face(row) for row in mine], mine[-1].ends.name))
    return found


def as_dealt(truth: Truth) -> list[tuple[int, list[str], str]]:
    return [
        (
            coup.coup,
            [str(placed.card) for placed in coup.cards],
            RowEnd.NOT_LAST.name if coup.winner is None else coup.winner.name,
        )
        for coup in truth.coups
    ]


@pytest.mark.parametrize("kind", [ShoeKind.ANGEL_EYE, ShoeKind.RFID])
def test_the_sealed_cards_are_those_dealt(bench, fast_dir: Path, kind: ShoeKind) -> None:
    settings = RigSettings(shoe=kind, sealed=True)
    played = bench.play(DealerSettings(seed=11), rig_settings=settings)
    folder = fast_dir / "journal-1"
    (sealed,) = map(read_sealed, sealed_files(folder))
    rows = rows_of(sealed)

    assert sealed.heading.clean
    assert as_sealed(sealed) == as_dealt(played.truth)
    assert len({row.seq for row in rows}) == len(rows)
    assert {any(row.tag) for row in rows if row.role in IN_A_COUP} == {kind is ShoeKind.RFID}
    assert not verify(folder).problems
    assert replay(folder).finding is ReplayFinding.SAME
