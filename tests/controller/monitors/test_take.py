"""The monitors of a table as one value: encoding, determinism, silence about faces."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from simulated_shoes import SEEN, advisories, items_of

from controller.messages.catalogue import to_words
from controller.monitors.advisory import Advisory
from controller.monitors.faces import FACES, GAP, face_of
from controller.monitors.items import MonitorItem
from controller.monitors.state import MonitorState, decode_state, encode_state
from controller.monitors.take import take
from controller.rules.cards import Card

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


@given(SHOES)
def test_a_kind_is_said_once_and_at_most_once_again_at_the_end(faces: list[int]) -> None:
    _, said = advisories(items_of(faces * 2))

    assert len({(one.kind, one.again) for one in said}) == len(said)
