"""An advisory in words: what it says, of which shoe, after which card; no person, no verdict."""

import pytest
from msgspec.structs import replace

from controller.monitors.words import words_of
from controller.record.build import advisory_view
from controller.record.snapshot_devices import advisory_words
from controller.rules.advisory import (
    Advisory,
    AdvisoryKind,
    PersonEvidence,
    RuleEvidence,
    RuleName,
)

ORDER = RuleEvidence(RuleName.SUITS_UP, 3, 5, 5)
SAID = Advisory(AdvisoryKind.ORDER, 7, 8, 900, ORDER, words_of(ORDER))


def test_an_advisory_is_shown_with_all_it_says() -> None:
    shown = advisory_view(SAID)
    assert (shown.kind, shown.shoe, shown.card) == (AdvisoryKind.ORDER, 7, 8)
    assert (shown.strength_millibits, shown.evidence, shown.again) == (900, ORDER, False)
    assert "5 of 5 cards" in shown.text


@pytest.mark.parametrize(
    ("said", "end"),
    [
        (SAID, "; shoe 7, after card 8; an advisory, no verdict"),
        (replace(SAID, shoe=0), "; before the shoe; an advisory, no verdict"),
        (
            replace(SAID, again=True),
            "; shoe 7, after card 8, said again with more evidence; an advisory, no verdict",
        ),
    ],
)
def test_the_words_say_where_and_that_it_is_no_verdict(said: Advisory, end: str) -> None:
    shown = advisory_view(said)
    assert advisory_words(shown) == shown.text + end


def test_the_words_name_no_person() -> None:
    evidence = PersonEvidence("person-1", "floorperson", 9, 40, 1, 300)
    said = replace(SAID, kind=AdvisoryKind.PERSON, evidence=evidence, words=words_of(evidence))
    assert "person-1" not in advisory_words(advisory_view(said))
