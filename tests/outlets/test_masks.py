"""No mask hides what a card decides: a face, a count, an outcome."""

from pathlib import Path

import pytest
from masks import MASKS, Mask, _mask, hidden_by, told
from outlet_texts import Texts, raw_texts, schema_texts


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Texts:
    """What every outlet says of a table that deals face down, unmasked."""
    folder: Path = tmp_path_factory.mktemp("masks")
    return raw_texts("players_reveal", folder) | schema_texts()


def hiding(mask: Mask, texts: Texts) -> list[str]:
    """The lines of which a mask hides something, by the outlet."""
    return [
        f"{outlet}: {dict(hidden)} of {line[:120]}"
        for outlet, lines in texts.items()
        for line in lines
        if (hidden := hidden_by(mask, line))
    ]


def test_no_mask_hides_a_face_a_count_or_an_outcome(raw: Texts) -> None:
    assert [one for mask in MASKS for one in hiding(mask, raw)] == []


@pytest.mark.parametrize("mask", MASKS, ids=lambda one: one.name)
def test_each_mask_says_why(mask: Mask) -> None:
    assert mask.why
    assert not mask.measured or "bytes" in mask.pattern.pattern or "seconds" in mask.pattern.pattern


@pytest.mark.parametrize(
    "pattern",
    [
        r'("player": )"[^"]*"',
        r'("player_count":) ?\d',
        r'("outcome":) ?"\w+"',
        r"( P)\d(?= B)",
        r'("cards_drawn": )\d+',
        r"()(?<=NET-1 )\d+/\d+ \w+",
        r'(smartshoe_coups_total{outcome="tie",[^}]*} ).*',
    ],
)
def test_a_mask_that_hides_one_is_found(raw: Texts, pattern: str) -> None:
    assert hiding(_mask("hidden", pattern, "a test"), raw)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('"player": "9h Kc"', ["player", "9h", "Kc"]),
        ("7♥ and the ace of spades", ["7♥", "ace of spades"]),
        ("NET-1 1/4 BANKER P0 B4", ["1/4", "BANKER", "P0", "B4"]),
        ("a1b2c3d4e5f6-7h-00", []),
    ],
)
def test_what_a_text_tells(text: str, words: list[str]) -> None:
    assert sorted(told(text)) == sorted(words)
