"""HTML as values: whatever a text holds, it stays text."""

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from controller.evidence.html import Markup, Row, element, facts, joined, table

# What HTML cannot hold in any way is replaced by every reader.
TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=40)


class Heard(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, attrs))

    def handle_data(self, data: str) -> None:
        self.text += data


@given(TEXTS.filter(bool), TEXTS)
def test_a_text_and_an_attribute_come_back_as_they_were_and_are_nothing_else(
    attribute: str, text: str
) -> None:
    heard = Heard()
    heard.feed(element("p", text, title=attribute).html)
    heard.close()

    assert heard.tags == [("p", [("title", attribute)])]
    assert heard.text == text


def test_an_attribute_without_a_value_is_left_out() -> None:
    assert element("p", "a", class_="", id="b").html == '<p id="b">a</p>'


def test_names_of_attributes_are_those_of_html() -> None:
    assert element("line", stroke_width=2, class_="a").html == (
        '<line stroke-width="2" class="a"></line>'
    )


def test_an_element_without_an_end_has_none() -> None:
    assert element("meta", charset="utf-8").html == '<meta charset="utf-8">'


def test_parts_are_joined_by_a_text() -> None:
    assert joined(["a", Markup("<b>&amp;</b>"), "<"], "&").html == "a&amp;<b>&amp;</b>&amp;&lt;"


def test_a_table_says_its_columns_once() -> None:
    rows = [Row(("1", "x"), "grave"), Row(("2", "y"))]

    assert table((("No.", "number"), ("Word", "")), rows).html == (
        '<table><thead><tr><th scope="col" class="number">No.</th><th scope="col">Word</th></tr>'
        '</thead><tbody><tr class="grave"><td class="number">1</td><td>x</td></tr>'
        '<tr><td class="number">2</td><td>y</td></tr></tbody></table>'
    )


def test_facts_can_be_led_to() -> None:
    assert facts([("a", "b")], anchors=True).html == '<dl><dt id="a">a</dt><dd>b</dd></dl>'
