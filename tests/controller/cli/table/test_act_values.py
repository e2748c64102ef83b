"""Values of `smartshoe act` such as `seat=5` become values of a request."""

from pathlib import Path

import pytest

from controller.cli.errors import CommandError
from controller.cli.table.act_values import parse_values
from controller.control.requests import VALUES

WAGERS = [
    {"seat": 5, "wager": "banker", "cents": 10000},
    {"seat": 3, "wager": "tie", "cents": 2550},
]


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("seat=5", 5),
        ("form_number=1001", 1001),
        ("by_order=yes", True),
        ("patron_signed=no", False),
        ("act=inspected", "inspected"),
        ("reference=W=7", "W=7"),
        ("batch=", ""),
        ("wagers=none", []),
        ("wagers=5:banker:100,3:tie:25.50", WAGERS),
    ],
)
def test_a_word_is_parsed_by_its_key(word: str, value: object) -> None:
    assert parse_values([word]) == {word.partition("=")[0]: value}


def test_wagers_from_a_file(fast_dir: Path) -> None:
    layout = fast_dir / "layout.csv"
    layout.write_text("seat,wager,amount\n5,banker,100.00\n3,tie,25.50\n", "utf-8")

    assert parse_values([f"wagers=@{layout}"]) == {"wagers": WAGERS}


def test_several_values() -> None:
    assert parse_values(["seat=5", "act=cut"]) == {"seat": 5, "act": "cut"}


@pytest.mark.parametrize("key", [key for key in VALUES if key != "wagers"])
def test_every_value_can_be_typed(key: str) -> None:
    texts = [text for text in ("5", "yes", "some words") if _typed(f"{key}={text}")]

    assert texts


def _typed(word: str) -> bool:
    try:
        return bool(parse_values([word]))
    except CommandError:
        return False
