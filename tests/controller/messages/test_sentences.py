"""The core states messages, not sentences: the rooms that still hold some only become fewer."""

from pathlib import Path

import pytest
from message_calls import ROOT, sentences

# Whatever is stored or leaves the core is made here.
ROOMS = (
    "controller/actions",
    "controller/core",
    "controller/custody",
    "controller/procedure",
    "controller/settlement",
    "drivers",
    "firmware_bridge",
)
# Modules and rooms that still state sentences; none is added.
LEFT = (
    "controller/core",
    "controller/custody",
    "drivers",
    "firmware_bridge",
)


def modules() -> list[str]:
    paths = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    return sorted(path.relative_to(ROOT).as_posix() for path in paths)


def is_left(module: str) -> bool:
    return any(module == one or module.startswith(f"{one}/") for one in LEFT)


def found_in(module: str) -> list[str]:
    return list(sentences(Path(ROOT, module).read_text("utf-8")))


def test_a_module_states_messages_alone() -> None:
    found = {one: found_in(one) for one in modules() if not is_left(one)}
    assert len(modules()) > 100
    assert {one: texts for one, texts in found.items() if texts} == {}


@pytest.mark.parametrize("room", LEFT)
def test_what_is_left_still_states_sentences(room: str) -> None:
    assert any(found_in(one) for one in modules() if one == room or one.startswith(f"{room}/"))


@pytest.mark.parametrize("source", ["x = 'the shoe is over'", "x = f'{n} cards'"])
def test_a_sentence_is_found(source: str) -> None:
    assert list(sentences(source))


def test_docstrings_and_errors_of_programmers_are_no_sentences_of_the_table() -> None:
    source = '"""A shoe."""\nassert x, "no shoe is open"\nraise ValueError(f"not {x} cards")\n'
    assert list(sentences(source)) == []
