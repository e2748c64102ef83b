"""The monitors of a table as one value: encoding, determinism, silence about faces."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulated_shoes import SEEN, advisories, items_of

from controller.monitors.faces import FACES, GAP, face_of
from controller.monitors.items import (
    BurnEnds,
    CardsUnseen,
    CoupBegins,
    CoupEnds,
    CutCardCameOut,
    CutCardPutIn,
    MonitorItem,
    PersonAct,
    PersonActs,
    ShoeEnds,
    ShoeOpens,
    TimePasses,
)
from controller.monitors.state import MonitorState, decode_state, encode_state
from controller.monitors.take import take
from controller.monitors.words import words_of
from controller.rules.advisory import (
    Advisory,
    Evidence,
    PersonEvidence,
    RuleEvidence,
    RuleName,
    SharedEvidence,
    StallEvidence,
)
from controller.rules.cards import Card
from controller.system.messages.catalogue import to_words

# Faces near one another, so that order is as likely as not.
NEAR = st.one_of(
    st.just([GAP]),
    st.builds(
        lambda at, n: [(at + i) % FACES for i in range(n)],
        st.integers(0, FACES - 1),
        st.integers(1, 6),
    ),
)
SHOES = st.lists(NEAR, max_size=40).map(lambda parts: [face for part in parts for face in part])


def test_every_card_has_a_number_of_its_own() -> None:
    assert [face_of(one.card) for one in SEEN] == list(range(FACES))
    assert face_of(Card.parse("As")) == 0


TIMES = st.integers(0, 2 * 10**12)
PEOPLE = st.sampled_from(["d1", "d2", "f1"])
HAPPENINGS = st.one_of(
    st.sampled_from(SEEN),
    st.builds(CardsUnseen, st.integers(1, 600)),
    st.builds(ShoeOpens, st.integers(1, 9), st.integers(0, 12), st.sampled_from(["", "red"])),
    st.builds(CoupEnds, st.lists(PEOPLE, max_size=2).map(tuple)),
    st.builds(PersonActs, PEOPLE, st.just("dealer"), st.sampled_from(list(PersonAct))),
    *(st.builds(kind, TIMES) for kind in (CutCardPutIn, CutCardCameOut, CoupBegins, TimePasses)),
    st.just(BurnEnds()),
    st.just(ShoeEnds()),
)


@given(st.lists(HAPPENINGS, max_size=60))
def test_whatever_happens_the_state_encodes_and_two_runs_agree(items: list[MonitorItem]) -> None:
    straight, reread = MonitorState(), MonitorState()
    for item in items:
        straight, said = take(straight, item)
        reread, again = take(decode_state(encode_state(reread)), item)
        assert (straight, said) == (reread, again)


def test_the_state_is_bounded_whatever_is_reported() -> None:
    state, _ = advisories([ShoeOpens(1, 8), CardsUnseen(10**9)])
    for _ in range(3):
        items = [ShoeOpens(1, 8), *(SEEN[number % 52] for number in range(2_000))]
        state, _ = advisories([*items, *[CoupEnds()] * 50], state)

    assert len(encode_state(state)) < 40_000


@given(st.lists(SHOES, max_size=3))
def test_a_state_encodes_and_decodes_and_two_runs_agree(shoes: list[list[int]]) -> None:
    straight, reread = MonitorState(), MonitorState()
    for number, faces in enumerate(shoes, 1):
        for item in items_of(faces, number):
            straight, said = take(straight, item)
            reread, again = take(decode_state(encode_state(reread)), item)
            assert (straight, said) == (reread, again)


@given(st.lists(SHOES, max_size=3))
def test_an_advisory_names_no_face(shoes: list[list[int]]) -> None:
    items: list[MonitorItem] = []
    for number, faces in enumerate(shoes, 1):
        items += items_of(faces, number)
    _, said = advisories(items)
    for one in said:
        assert faces_in(one) == []
        assert "=" not in to_words(one.words), "its text is in the catalogue"


def faces_in(advisory: Advisory) -> list[str]:
    """Cards spelled in an advisory, or in its sentence."""
    spelled = {str(one.card) for one in SEEN}
    values = msgspec.json.encode(advisory).decode().replace('"', " ").replace(",", " ").split()
    words = to_words(advisory.words).replace(",", " ").replace(".", " ").split()
    return [word for word in (*values, *words) if word in spelled]


@pytest.mark.parametrize(
    "evidence",
    [
        *(RuleEvidence(rule, 1, 3, 3) for rule in RuleName),
        *(
            SharedEvidence(3, 40, backward=backward, by_coups=by_coups, first=9, matched=8, of=9)
            for backward in (True, False)
            for by_coups in (True, False)
        ),
        StallEvidence(31 * 60 * 10**9, 15 * 60 * 10**9),
        PersonEvidence("p17", "dealer", 9, 300, 2, 4_000),
    ],
)
def test_every_kind_of_evidence_has_its_sentence(evidence: Evidence) -> None:
    sentence = to_words(words_of(evidence))

    assert "{" not in sentence
    assert "=" not in sentence
    assert "p17" not in sentence


@given(SHOES)
def test_a_kind_is_said_once_and_at_most_once_again_at_the_end(faces: list[int]) -> None:
    _, said = advisories(items_of(faces * 2))

    assert len({(one.kind, one.again) for one in said}) == len(said)
