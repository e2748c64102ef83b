"""HTML elements: text is always escaped."""

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from controller.evidence.html import Markup, TableRow, definition_list, element, join_with, table

# What HTML cannot hold in any way is replaced by every reader.
TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=40)


class ParsedPage(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, attrs))

    def handle_data(self, data: str) -> None:
        self.text += data


@given(TEXTS.filter(bool), TEXTS)
def test_text_and_attributes_are_escaped(attribute: str, text: str) -> None:
    heard = ParsedPage()
    heard.feed(element("p", text, title=attribute).html)
    heard.close()

    assert heard.tags == [("p", [("title", attribute)])]
    assert heard.text == text


def test_an_attribute_without_a_value_is_left_out() -> None:
    assert element("p", "a", class_="", id="b").html == '<p id="b">a</p>'


def test_attribute_names_are_html_names() -> None:
    assert element("line", stroke_width=2, class_="a").html == (
        '<line stroke-width="2" class="a"></line>'
    )


def test_a_void_element_has_no_end_tag() -> None:
    assert element("meta", charset="utf-8").html == '<meta charset="utf-8">'


def test_join_with_puts_a_text_between() -> None:
    assert join_with(["a", Markup("<b>&amp;</b>"), "<"], "&").html == "a&amp;<b>&amp;</b>&amp;&lt;"


def test_a_table_has_its_headings_once() -> None:
    rows = [TableRow(("1", "x"), "grave"), TableRow(("2", "y"))]

    assert table((("No.", "number"), ("Word", "")), rows).html == (
        '<table><thead><tr><th scope="col" class="number">No.</th><th scope="col">Word</th></tr>'
        '</thead><tbody><tr class="grave"><td class="number">1</td><td>x</td></tr>'
        '<tr><td class="number">2</td><td>y</td></tr></tbody></table>'
    )


def test_names_of_a_definition_list_can_be_link_targets() -> None:
    assert (
        definition_list([("a", "b")], anchors=True).html == '<dl><dt id="a">a</dt><dd>b</dd></dl>'
    )
