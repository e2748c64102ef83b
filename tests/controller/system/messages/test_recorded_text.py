"""A record holds ids alone: every text in it has a kind, and an identifier has no white space."""

import lzma
from contextlib import closing
from pathlib import Path

import pytest
import scripts_file
from msgspec import Struct
from recorded_texts import RECORD, texts_in, wrong_identifiers
from verdict_answers import rule_book

from controller.core.script.parser import parse
from controller.core.script.player import play
from controller.core.tape.records import read_entry, read_input
from controller.journal.tape_file import TapeReader
from foundation.message import Message, message
from foundation.recorded_text import Identifier, TypedText

TAPES = sorted(Path(__file__).parents[3].glob("tapes/*.tape.xz"))


# --- the types of the record ----------------------------------------------------------------------


def test_every_text_of_the_record_has_a_kind() -> None:
    assert len(RECORD) > 100
    assert [place for place, kinds in RECORD.items() if "" in kinds] == []


class Kinds(Struct):
    """A struct of each way to hold a text."""

    plain: str
    id: Identifier
    nested: tuple[dict[Identifier, str | None], ...]
    several: int | TypedText | Message


def test_a_text_without_a_kind_is_found_wherever_it_is() -> None:
    own = {field: kinds for (struct, field), kinds in texts_in(Kinds).items() if "Kinds" in struct}
    assert own.pop("nested") in (("", "identifier"), ("identifier", ""))
    assert own == {"plain": ("",), "id": ("identifier",), "several": ("typed",)}


# --- the values that are stored -------------------------------------------------------------------


@pytest.mark.full
def test_identifiers_of_the_nets_scripts_have_no_white_space() -> None:
    found = {
        place: text
        for one in scripts_file.read()
        for played in play(
            rule_book(one.profile, one.decks, one.observed), parse("\n".join(one.statements))
        )
        for value in (*played.verdicts, *played.effects)
        for place, text in wrong_identifiers(value)
    }
    assert found == {}


@pytest.mark.parametrize("tape", TAPES, ids=lambda one: one.name)
def test_identifiers_of_a_tape_have_no_white_space(tape: Path, fast_dir: Path) -> None:
    path = fast_dir / "one.tape"
    path.write_bytes(lzma.decompress(tape.read_bytes()))
    with closing(TapeReader(path)) as reader:
        stored = [read_input(one.record) or read_entry(one.record) for one in reader.records()]
    assert {place: text for one in stored for place, text in wrong_identifiers(one)} == {}


def test_a_sentence_among_identifiers_is_found() -> None:
    inner = message("act_by_person", act="two words", person="Ann Lee")
    sentence = message("one_after_another", texts=(inner, message("as_typed", typed="two words")))
    assert list(wrong_identifiers(sentence)) == [("act_by_person.act", "two words")]
