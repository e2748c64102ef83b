"""Every outlet says of the tapes what it said when its golden file was written, to the byte.

But for what masks.MASKS lists. A difference that is meant: write_golden.py; its commit names it.
"""

from pathlib import Path
from typing import get_args

import golden
import pytest
from outlet_texts import Texts, masked_texts, parquet_texts, raw_texts, schema_texts
from played_tables import SCRIPTED, TAPES, entry_counts, tape_inputs

from controller.core.build import read_rules
from controller.core.tape.entries import Entry
from controller.core.tape.inputs import Started
from controller.rules.profiles.load import load_clauses
from controller.rules.setting_values import DealOption

PARQUET = "parquet"


def differences(tape: str, texts: Texts) -> list[str]:
    """What each outlet says otherwise, by its name."""
    now = masked_texts(texts)
    found = (
        golden.difference(outlet, tape, golden.read(outlet).get(tape, []), lines)
        for outlet, lines in now.items()
    )
    return [one for one in found if one]


def said_otherwise(tape: str, texts: Texts) -> str:
    """Every difference as one text, for the failure."""
    return "\n".join(differences(tape, texts))


@pytest.mark.parametrize("tape", TAPES)
def test_every_outlet_says_what_it_said(tape: str, fast_dir: Path) -> None:
    texts = raw_texts(tape, fast_dir)
    assert said_otherwise(tape, texts) == ""
    assert sorted(texts) == [
        one
        for one in golden.outlets_stored()
        if one != PARQUET and golden.PUBLISHED not in golden.read(one)
    ]


@pytest.mark.needs("pyarrow")
@pytest.mark.parametrize("tape", TAPES)
def test_the_tables_for_analysts_are_what_they_were(tape: str, fast_dir: Path) -> None:
    assert said_otherwise(tape, parquet_texts(tape, fast_dir)) == ""


def test_the_published_schemas_are_what_they_were() -> None:
    assert said_otherwise(golden.PUBLISHED, schema_texts()) == ""


# --- what the scripts hold ------------------------------------------------------------------------


def test_there_is_a_script_for_each_deal_option() -> None:
    assert sorted(SCRIPTED) == sorted(DealOption)


@pytest.mark.parametrize("tape", SCRIPTED)
def test_each_script_is_dealt_by_its_option(tape: str) -> None:
    started = tape_inputs(tape)[0]
    assert isinstance(started, Started)
    _, book = read_rules(started, load_clauses())
    assert book.values.deal_option.value == tape


@pytest.mark.parametrize("tape", SCRIPTED)
def test_each_script_holds_every_kind_of_entry(tape: str) -> None:
    counts = entry_counts(tape)
    missing = sorted(one.__name__ for one in get_args(Entry) if not counts[one])
    assert missing == [], "a new kind of entry: let deal_tapes.py do it, at each deal option"


@pytest.mark.parametrize("tape", SCRIPTED)
def test_in_each_script_lie_cards_that_nobody_has_seen(tape: str) -> None:
    snapshots = [one for one in golden.read("api")[tape] if one.startswith("{")]
    assert [one for one in snapshots if '"withheld": "' in one]
    assert '"coup": {' in snapshots[-1], "a coup is in play at the end"
