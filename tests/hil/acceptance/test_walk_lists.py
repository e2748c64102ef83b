"""The guided lists of all models, and how a person's words are read."""

from io import StringIO
from pathlib import Path

import pytest
from acceptance_hands import order_of
from msgspec.structs import replace

from drivers.catalogue import AnyModel, find_model, model_names
from drivers.model import DeviceKind, Installation, ReaderSeat
from hil.acceptance.people import AtTerminal, NobodyAnswers, PersonQuestion, answer_of
from hil.acceptance.walk.guided import names_of
from hil.acceptance.walk.walks import walk_of
from hil.acceptance.wire.documents import document_of, usual_lines

ROOT = Path(__file__).parents[3]
MODELS = [find_model(kind, name) for kind in DeviceKind for name in model_names(kind)]


def headings() -> set[str]:
    pages = (ROOT / "firmware_bridge").rglob("README.md")
    lines = (line for page in pages for line in page.read_text("utf-8").splitlines())
    return {line.lstrip("# ") for line in lines if line.startswith("#")}


@pytest.mark.parametrize("model", MODELS, ids=lambda one: f"{one.kind}-{one.name}")
@pytest.mark.parametrize("seat", ReaderSeat)
def test_each_model_has_steps_with_names_of_their_own(model: AnyModel, seat: ReaderSeat) -> None:
    steps = walk_of(model, Installation(seat=seat))
    names = names_of(steps)

    assert steps
    assert len(set(names)) == len(names)
    assert document_of(model).title in headings()
    assert {one.section for one in steps} - {""} <= headings()


def test_a_shoe_of_another_distribution_is_asked_for_what_it_says_it_can_do() -> None:
    model = replace(order_of("angel-eye-ii-ex", "").model, name="other", plug_in="other 1.0")
    names = [one.name for one in walk_of(model, Installation())]
    without_keys = replace(model, result_buttons=False)

    assert names == ["card-1", "card-2", "cut-card", "key-player", "key-banker", "key-tie"]
    assert [one.name for one in walk_of(without_keys, Installation())] == names[:3]


def test_other_lines_are_tried_from_the_likeliest_and_never_the_stated_one() -> None:
    order = order_of("feig-rfid", "")
    tried = usual_lines(order.line)

    assert order.line not in tried
    assert {one.baud for one in tried[:2]} == {order.line.baud}
    assert len(set(tried)) == len(tried)


@pytest.mark.parametrize(
    ("typed", "text", "skipped"),
    [
        ("", "", ""),
        ("done", "done", ""),
        ("skip", "", "no reason was given"),
        ("skip the key is broken", "", "the key is broken"),
        ("skip: the key is broken", "", "the key is broken"),
        ("7d", "7d", ""),
    ],
)
def test_an_answer_is_read_as_people_type_it(typed: str, text: str, skipped: str) -> None:
    found = answer_of(typed)

    assert (found.text, found.skipped) == (text, skipped)


def test_a_person_may_wait_once_more_and_may_leave() -> None:
    person = AtTerminal(StringIO("again\n\n"))

    assert person.ask_again("card-1", "nothing came")
    assert not person.ask_again("card-1", "nothing came")
    with pytest.raises(NobodyAnswers):
        person.ask(PersonQuestion("card-1", "Draw one card."))
