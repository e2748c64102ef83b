"""Each language is whole: parameters, plurals, compiled file, and what people are shown."""

import asyncio
import re
from pathlib import Path
from threading import Thread

import pytest
from babel.messages.pofile import read_po
from catalogue_entries import ENGLISH, TRANSLATED, entries, fields
from compile_catalogues import FOLDER, compiled, sources
from message_calls import program_calls

from controller.system.messages.catalogue import (
    UnknownLanguageError,
    code_words,
    languages,
    speaking,
    spoken_language,
    to_words,
)
from foundation.message import message

BASE = entries(ENGLISH)
# What these rooms alone state is shown on the command line and in the log, both in English: a
# catalogue may leave it out, and English stands in.
COMMAND_LINE = (
    "controller/cli/",
    "controller/service/commissioning/",
    "controller/service/config/",
    "controller/rules/profiles/",
    "controller/core/script/",
    "firmware_bridge/",
)

# In the comments before a catalogue: words that are not used, since the term has another.
UNUSED = "# Not: "
LATIN = re.compile(r"[A-Za-z]{2,}")
LANGUAGE_TAG = "language_tag"

each_language = pytest.mark.parametrize("source", sources(), ids=lambda one: one.stem)


def may_be_left_out() -> set[str]:
    """Ids that the command line's rooms alone state."""
    homes: dict[str, list[str]] = {}
    for one in program_calls():
        homes.setdefault(one.identifier, []).append(one.place)
    return {
        identifier
        for identifier, places in homes.items()
        if all(place.startswith(COMMAND_LINE) for place in places)
    }


def is_code(identifier: str) -> bool:
    """Whether these are the words of a language for a code, which English says as it is."""
    return identifier.startswith("code_")


def own_codes(source: Path) -> list[str]:
    return [one for one in entries(source) if is_code(one)]


@each_language
def test_the_compiled_catalogue_is_that_of_the_source(source: Path) -> None:
    assert source.with_suffix(".mo").read_bytes() == compiled(source), "run: make generate"


@each_language
def test_every_text_that_people_at_a_table_are_shown_is_there(source: Path) -> None:
    missing = sorted(BASE.keys() - entries(source).keys() - may_be_left_out())
    assert not missing, "\n".join((f"{len(missing)} missing in {source.name}:", *missing))


@each_language
def test_a_language_has_no_text_that_english_has_not(source: Path) -> None:
    own = {one for one in entries(source) if not is_code(one)}
    assert sorted(own - BASE.keys()) == []


@each_language
def test_a_text_uses_the_parameters_of_the_english_one(source: Path) -> None:
    """Lists may have another separator; a form of the plural may leave the number out."""
    wrong = {}
    assert not any(fields(text) for name in own_codes(source) for text in entries(source)[name])
    for identifier, texts in entries(source).items():
        if is_code(identifier):
            continue
        # The last form of the plural has all parameters.
        english, own = (fields(each[-1]).keys() for each in (BASE[identifier], texts))
        if own != english or any(fields(one).keys() - english for one in texts):
            wrong[identifier] = (sorted(english), sorted(own))
    assert wrong == {}


@each_language
def test_plurals_have_the_forms_of_the_header(source: Path) -> None:
    with source.open("rb") as file:
        forms = read_po(file, locale=source.stem).num_plurals
    own = entries(source)
    plural = [name for name, texts in BASE.items() if len(texts) > 1 and name in own]
    assert {name: len(own[name]) for name in plural if len(own[name]) != forms} == {}


@each_language
def test_no_text_is_empty(source: Path) -> None:
    assert [name for name, texts in entries(source).items() if not all(texts)] == []


def unused_words(source: Path) -> list[str]:
    """The words that the glossary of a catalogue names as not used."""
    lines = source.read_text("utf-8").partition('msgid ""')[0].splitlines()
    listed = (line.removeprefix(UNUSED) for line in lines if line.startswith(UNUSED))
    return [word for words in listed for word in words.split()]


@each_language
def test_one_term_has_one_word(source: Path) -> None:
    """No text uses a word that the glossary says is not used."""
    wrong = {
        identifier: word
        for identifier, texts in entries(source).items()
        for word in unused_words(source)
        if any(word in text for text in texts)
    }
    assert wrong == {}


def test_the_glossary_of_traditional_chinese_names_words_that_are_not_used() -> None:
    assert len(unused_words(FOLDER / "zh_Hant.po")) > 5


@pytest.mark.parametrize(
    "source",
    [one for one in sources() if not LATIN.search(languages()[one.stem])],
    ids=lambda one: one.stem,
)
def test_latin_words_in_another_script_are_those_of_the_english_text(source: Path) -> None:
    """They are codes, options and names; an English word that was left in fails."""
    wrong = {}
    for identifier, texts in entries(source).items():
        if identifier in BASE and identifier != LANGUAGE_TAG:
            english, own = " ".join(BASE[identifier]), LATIN.findall(" ".join(texts))
            wrong[identifier] = [word for word in own if word not in english]
    assert {name: words for name, words in wrong.items() if words} == {}


# --- choosing a language --------------------------------------------------------------------------


def test_every_catalogue_is_a_language_with_its_own_name() -> None:
    assert list(languages()) == [ENGLISH.stem, *(one.stem for one in TRANSLATED)]
    assert languages()["en"] == "English"
    assert len(set(languages().values())) == len(languages())


def test_a_language_without_a_catalogue_is_refused() -> None:
    with (
        pytest.raises(UnknownLanguageError, match=r"'tlh' has no catalogue. Allowed: en, zh_Hant"),
        speaking("tlh"),
    ):
        pass


def test_english_is_spoken_where_nothing_is_said() -> None:
    assert spoken_language() == "en"
    assert to_words(message("no_pair")) == "no pair"


@each_language
def test_words_are_of_the_language_that_is_spoken(source: Path) -> None:
    with speaking(source.stem):
        assert to_words(message("language_name")) == languages()[source.stem]
        assert to_words(message("language_name"), "en") == "English"
        with speaking("en"):
            assert to_words(message("language_name")) == "English"
        assert spoken_language() == source.stem
    assert spoken_language() == "en"


@each_language
def test_parameters_are_in_the_language_of_the_text(source: Path) -> None:
    cards = message("number_of_cards", count=3)
    with speaking(source.stem):
        found = to_words(message("burn_cards_face_up", cards=cards))
        assert to_words(cards) in found
    assert found == to_words(message("burn_cards_face_up", cards=cards), source.stem)
    assert not re.search("[a-z]", found) or not source.stem.startswith("zh")


@each_language
def test_a_text_that_is_missing_is_in_english_and_one_without_any_its_id(source: Path) -> None:
    with speaking(source.stem):
        assert to_words(message("no_such_message", count=2)) == "no_such_message count=2"
    for identifier in BASE.keys() - entries(source).keys():
        if not any(fields(text) for text in BASE[identifier]):
            assert to_words(message(identifier), source.stem) == BASE[identifier][0]


@each_language
def test_a_thread_and_a_task_have_languages_of_their_own(source: Path) -> None:
    heard = []

    async def speak(language: str) -> None:
        with speaking(language):
            await asyncio.sleep(0)
            heard.append((language, spoken_language()))

    async def both() -> None:
        await asyncio.gather(speak(source.stem), speak("en"))

    asyncio.run(both())
    assert sorted(heard) == sorted([("en", "en"), (source.stem, source.stem)])
    with speaking(source.stem):
        other = Thread(target=lambda: heard.append(("thread", spoken_language())))
        other.start()
        other.join()
    assert heard[-1] == ("thread", "en")


# --- codes ----------------------------------------------------------------------------------------


@each_language
def test_a_code_in_a_text_is_said_in_its_language(source: Path) -> None:
    for identifier in own_codes(source):
        code = identifier.removeprefix("code_")
        said = code_words(code, source.stem)
        assert said != code
        declared = message("coup_corrected", coup=1, before="7h", outcome=code)
        assert said in to_words(declared, source.stem)
        listed = message("no_backs_reported", backs=(code, "7h"))
        assert said in to_words(listed, source.stem)


@each_language
def test_what_somebody_wrote_is_no_code(source: Path) -> None:
    for text in (
        message("as_typed", typed="player"),
        message("resolved_by_person", person="player"),
    ):
        assert "player" in to_words(text, source.stem)


def test_english_says_a_code_as_it_is() -> None:
    assert own_codes(ENGLISH) == []
    assert code_words("burn-card") == "burn-card"
