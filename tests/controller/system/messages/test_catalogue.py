"""The catalogue of English is whole: every message has a text, every parameter is used by it."""

import re

import pytest
from catalogue_entries import ENGLISH, entries, fields
from message_calls import calls_in_template, message_calls, program_calls, template_calls

from controller.procedure.irregularities import IrregularityCode
from controller.rules.actions.actions import ACTIONS
from controller.rules.actions.declaration import purpose_of
from controller.system.messages.catalogue import catalogue_source, to_words
from foundation.message import Message, Parameter, message

SEPARATOR = "separator_"
ENTRIES = entries(ENGLISH)
CALLS = (*program_calls(), *template_calls())
PURPOSES = {purpose_of(kind).id for kind in ACTIONS.values()}


def test_every_message_of_the_program_has_a_text_that_uses_its_parameters() -> None:
    wrong = [
        one
        for one in CALLS
        if one.identifier not in ENTRIES
        # The singular of a plural may leave its number out.
        or one.parameters != fields(ENTRIES[one.identifier][-1]).keys()
    ]
    assert len(CALLS) > 250
    assert not wrong, "\n".join(map(str, wrong))


def test_every_text_of_the_catalogue_is_used() -> None:
    used = {one.identifier for one in CALLS} | set(IrregularityCode) | PURPOSES
    used |= {spec for texts in ENTRIES.values() for text in texts for spec in fields(text).values()}
    used |= {"separator_comma", "language_name"}
    assert sorted(ENTRIES.keys() - used) == []


def test_every_irregularity_has_a_title_without_parameters() -> None:
    assert [code for code in IrregularityCode if code.value not in ENTRIES] == []
    assert not any(fields(ENTRIES[code.value][0]) for code in IrregularityCode)


def test_every_action_has_a_purpose_without_parameters() -> None:
    assert sorted(PURPOSES - ENTRIES.keys()) == []
    assert not any(fields(ENTRIES[purpose][0]) for purpose in PURPOSES)


def test_a_plural_follows_a_parameter_named_count() -> None:
    plural = {name: texts for name, texts in ENTRIES.items() if len(texts) > 1}
    assert plural
    for name, texts in plural.items():
        singular, many = (fields(text).keys() for text in texts)
        assert "count" in many, name
        assert singular | {"count"} == many, name


def test_no_text_is_written_twice() -> None:
    homes: dict[tuple[str, ...], list[str]] = {}
    for name, texts in ENTRIES.items():
        homes.setdefault(texts, []).append(name)
    assert [names for names in homes.values() if len(names) > 1] == []


def test_ids_are_identifiers() -> None:
    assert [name for name in ENTRIES if not re.fullmatch(r"[a-z][a-z0-9_]*|[A-Z_]+", name)] == []


def test_lists_name_a_separator_of_the_catalogue() -> None:
    named = {spec for texts in ENTRIES.values() for text in texts for spec in fields(text).values()}
    assert named - {""} <= {name for name in ENTRIES if name.startswith(SEPARATOR)}


def test_the_source_is_at_hand_for_a_bundle() -> None:
    assert catalogue_source() == ENGLISH.read_bytes()


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('message("a", b=1)', ("a", {"b"})),
        ("message(name)", ("", set())),
        ('message("a", **more)', ("a", {"**"})),
    ],
)
def test_a_message_in_the_source_is_found(source: str, found: tuple[str, set[str]]) -> None:
    ((_, name, parameters),) = [
        (one.place, one.identifier, one.parameters) for one in message_calls(source, "x")
    ]
    assert (name, parameters) == found


@pytest.mark.parametrize(
    ("template", "found"),
    [
        ('<p>{{ words("a", b=1) }}</p>', [("a", {"b"})]),
        (
            '{% if x %}{{ words("a") }}{% else %}{{ words("b") }}{% endif %}',
            [("a", set()), ("b", set())],
        ),
        ("{{ words(one.id) }}{{ other('a') }}", []),
    ],
)
def test_a_message_in_a_template_is_found(template: str, found: list[tuple[str, set[str]]]) -> None:
    calls = calls_in_template(template, "x")
    assert [(one.identifier, set(one.parameters)) for one in calls] == found


# --- rendering -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"cards": message("number_of_cards", count=1)}, "burn 1 card, face up"),
        ({"cards": message("number_of_cards", count=3)}, "burn 3 cards, face up"),
        ({"cards": "7h"}, "burn 7h, face up"),
    ],
)
def test_parameters_are_put_into_the_text(parameters: dict[str, Parameter], words: str) -> None:
    assert to_words(message("burn_cards_face_up", **parameters)) == words


def test_a_list_is_joined_by_the_separator_of_the_text() -> None:
    texts = (message("deal_face_up"), "10 d", 3)
    assert to_words(message("one_after_another", texts=texts)) == "deal face up; 10 d; 3"
    assert to_words(message("announce", configured=("one", "two"))) == "announce: one, two"


@pytest.mark.parametrize(
    ("unknown", "words"),
    [
        (Message("no_such_message"), "no_such_message"),
        (message("no_such", card="7h", count=2), "no_such card=7h count=2"),
        (message("no_such", cards=("7h", message("no_pair"))), "no_such cards=7h,no pair"),
        (message("burn_cards_face_up"), "burn_cards_face_up"),
        (message("burn_cards_face_up", card=2), "burn_cards_face_up card=2"),
    ],
)
def test_without_a_text_the_id_and_its_parameters_are_shown(unknown: Message, words: str) -> None:
    assert to_words(unknown) == words


def test_typed_text_stays_as_it_is() -> None:
    assert to_words(message("as_typed", typed="Ann {Lee} decided")) == "Ann {Lee} decided"
    assert to_words(message("conflict_at_place", what="{x}")) == "for {x}"
