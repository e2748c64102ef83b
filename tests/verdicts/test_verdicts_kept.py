"""The verdicts of 2,000 dealing scripts in all profiles are those of 0.5.0 or named changes.

Compared with 0.5.0 without the decisions that an irregularity names: they were those of its code,
now they are those that are accepted (tests/controller/procedure/people/test_permitted.py). Compared
with the answers written since, whole.
"""

import re

import pytest
import scripts_file
from named_changes import (
    CITED_OTHERWISE,
    DOCUMENTS_CITE_OTHERWISE,
    NAMED_CHANGES,
    NEW_YORK_DRAWN,
    NEW_YORK_STANDS,
)
from scripts_file import KINDS, SCRIPTS_COUNT
from verdict_answers import answers_to

SCRIPTS = scripts_file.read()
WRITTEN = scripts_file.read_answers()
PARTS = 20
DOCUMENT_OF = {"ny": "NY", "nj": "NJ", "wa": "WA", "house": "HG"}


def own_citations(profile: str, cited: str) -> str:
    """The clauses without those that the profile's document cites since, or no longer."""
    names = cited.split(",")
    own = DOCUMENT_OF.get(profile.partition("-")[0], "")
    otherwise = DOCUMENTS_CITE_OTHERWISE.get(own, frozenset())
    if NEW_YORK_STANDS in names:
        otherwise |= NEW_YORK_DRAWN
    return ",".join(one for one in names if one not in otherwise)


def without_named_changes(profile: str, answer: str) -> str:
    """The answer without decisions, and the clauses its kinds cite since, or no longer."""
    text = re.sub(r"\{[^}]*\}", "", answer)
    text = re.sub(r"\[([^]]*)\]", lambda found: f"[{own_citations(profile, found[1])}]", text)
    words = text.split(" ")
    for index, word in enumerate(words):
        kind, _, cited = word.partition("[")
        named = CITED_OTHERWISE.get(kind.partition("#")[0].rstrip("?"), ())
        if named:
            kept = ",".join(one for one in cited[:-1].split(",") if one not in named)
            words[index] = f"{kind}[{kept}]"
    return " ".join(words)


def answers_of(number: int) -> list[str]:
    one = SCRIPTS[number]
    return answers_to(one.profile, one.decks, one.observed, "\n".join(one.statements))


def first_difference(number: int) -> str:
    """The first answer of the script that 0.5.0 gave otherwise; empty if there is none."""
    one = SCRIPTS[number]
    for place, (before, now) in enumerate(zip(one.answers, answers_of(number), strict=True)):
        if without_named_changes(one.profile, before) != without_named_changes(one.profile, now):
            return described(number, place, before, now)
    return ""


def first_change_since(number: int) -> str:
    """The first answer of the script that differs from the one written since."""
    for place, (before, now) in enumerate(zip(WRITTEN[number], answers_of(number), strict=True)):
        if before != now:
            return described(number, place, before, now)
    return ""


def described(number: int, place: int, before: str, now: str) -> str:
    one = SCRIPTS[number]
    where = f"script {number} ({one.kind}, {one.profile}), statement {place + 1}"
    return f"{where}: {one.statements[place]}\n  was {before}\n  now {now}"


def test_the_net_holds_every_kind_in_every_profile() -> None:
    kinds = {(one.kind, one.profile) for one in SCRIPTS}
    assert len(SCRIPTS) == SCRIPTS_COUNT
    assert len(kinds) == len(KINDS) * 9
    assert sum(len(one.statements) for one in SCRIPTS) > 50_000


def test_the_net_catches_common_irregularities() -> None:
    """A net without mistakes would detect nothing."""
    answers = "\n".join("\n".join(one.answers) for one in SCRIPTS)
    codes = {word.partition("#")[0][1:] for word in answers.split() if word.startswith("!")}
    assert len(codes) >= 40, sorted(codes)


@pytest.mark.parametrize("part", range(PARTS))
def test_every_verdict_is_unchanged(part: int) -> None:
    numbers = [one for one in range(part, SCRIPTS_COUNT, PARTS) if one not in NAMED_CHANGES]
    differences = [found for found in map(first_difference, numbers) if found]
    assert not differences, f"{len(differences)} scripts differ; the first:\n{differences[0]}"


@pytest.mark.parametrize("part", range(PARTS))
def test_every_answer_is_the_one_written_since(part: int) -> None:
    differences = [
        found for found in map(first_change_since, range(part, SCRIPTS_COUNT, PARTS)) if found
    ]
    assert not differences, f"{len(differences)} scripts differ; the first:\n{differences[0]}"


def test_every_named_change_still_differs() -> None:
    unchanged = [number for number in NAMED_CHANGES if not first_difference(number)]
    assert not unchanged, f"answered as before, remove their names: {unchanged}"
