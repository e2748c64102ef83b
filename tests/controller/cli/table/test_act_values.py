"""Values of `smartshoe act` such as `seat=5` become values of a request."""

from pathlib import Path

import pytest

from controller.cli.table.act_values import parse_values
from controller.rules.actions.actions import ACTIONS
from controller.rules.actions.declaration import ActionValue, values_of
from controller.system.command_line.errors import CommandError

WAGERS = [
    {"seat": 5, "wager": "banker", "cents": 10000},
    {"seat": 3, "wager": "tie", "cents": 2550},
]


@pytest.mark.parametrize(
    ("action", "word", "value"),
    [
        ("record", "seat=5", 5),
        ("document-vigorish", "form_number=1001", 1001),
        ("give-up", "by_order=yes", True),
        ("document-vigorish", "patron_signed=no", False),
        ("record", "act=inspected", "inspected"),
        ("record", "reference=W=7", "W=7"),
        ("record", "batch=", ""),
        ("record", "unknown=5", "5"),
        ("wagers", "wagers=none", []),
        ("wagers", "wagers=5:banker:100,3:tie:25.50", WAGERS),
        (
            "wagers",
            "wagers=3:tie:25.50:coupon",
            [{"seat": 3, "wager": "tie", "cents": 2550, "medium": "coupon"}],
        ),
    ],
)
def test_a_word_is_parsed_by_the_declared_type(action: str, word: str, value: object) -> None:
    assert parse_values(ACTIONS[action], [word]) == {word.partition("=")[0]: value}


def test_wagers_from_a_file(fast_dir: Path) -> None:
    layout = fast_dir / "layout.csv"
    layout.write_text("seat,wager,amount\n5,banker,100.00\n3,tie,25.50\n", "utf-8")

    assert parse_values(ACTIONS["wagers"], [f"wagers=@{layout}"]) == {"wagers": WAGERS}


def test_several_values() -> None:
    assert parse_values(ACTIONS["record"], ["seat=5", "act=cut"]) == {"seat": 5, "act": "cut"}


OF_EACH = [(name, value) for name, kind in ACTIONS.items() for value in values_of(kind)]


@pytest.mark.parametrize(("action", "value"), OF_EACH, ids=str)
def test_every_value_can_be_typed(action: str, value: ActionValue) -> None:
    texts = [text for text in ("5", "yes", "none") if _typed(action, f"{value.name}={text}")]

    assert texts


def _typed(action: str, word: str) -> bool:
    try:
        return bool(parse_values(ACTIONS[action], [word]))
    except CommandError:
        return False
