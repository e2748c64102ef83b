"""The register of clauses: its text, how a clause stands, and the table in the README."""

from importlib.resources import files

import pytest

from controller.profiles.clause_register import (
    BEGIN,
    END,
    Coverage,
    Proof,
    by_document,
    in_one_line,
    in_words,
    load_register,
    markdown_table,
    parse_register,
    proof,
    render_register,
    standings,
    with_table,
)
from controller.profiles.clauses import parse_clauses
from controller.profiles.load import load_clauses

CLAUSES = parse_clauses(
    "id,source,text,kind,observable,check\n"
    "NY-a-1,1,Table.,equipment,out,None.\n"
    "NY-h-1,2,One card more.,deal,yes,Judge.\n"
    "NY-h-2,3,Call.,announce,human,Prompt.\n"
    "WA-1,4,Cap.,vigorish,config,Refuse.\n"
)
PROVEN = proof(
    (Coverage.PROMPTED, Coverage.CHECKED), ("controller.core.core",), ("tests/test_a.py::test_a",)
)
TEXT = """\
{
"NY-h-1": {"kinds": ["checked", "prompted"], "modules": ["controller.core.core"], "tests": \
["tests/test_a.py::test_a"]},
"WA-1": {"kinds": ["validated"], "modules": ["controller.config.load"], "tests": \
["tests/test_b.py::b"]}
}
"""


def test_a_proof_lists_its_kinds_in_their_order_and_nothing_twice() -> None:
    found = proof(
        (Coverage.VALIDATED, Coverage.CHECKED, Coverage.VALIDATED),
        ("controller.table.loop", "controller.core.core", "controller.table.loop"),
        ("b::b", "a::a", "b::b"),
    )
    assert found == Proof(
        (Coverage.CHECKED, Coverage.VALIDATED),
        ("controller.core.core", "controller.table.loop"),
        ("a::a", "b::b"),
    )


def test_the_text_has_a_clause_a_line_in_the_order_of_the_catalogue() -> None:
    other = proof((Coverage.VALIDATED,), ("controller.config.load",), ("tests/test_b.py::b",))

    assert render_register({"WA-1": other, "NY-h-1": PROVEN}, CLAUSES) == TEXT


def test_the_text_is_read_back() -> None:
    assert render_register(parse_register(TEXT), CLAUSES) == TEXT


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<<<<<<< ours\n{}",
        "[]",
        '{"NY-h-1": {"kinds": ["checked"]}}',
        '{"NY-h-1": {"kinds": ["believed"], "modules": [], "tests": []}}',
    ],
)
def test_a_text_that_is_no_register_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_register(text)


def test_a_clause_is_covered_open_or_outside() -> None:
    outside, covered, *others = standings(CLAUSES, {"NY-h-1": PROVEN})

    assert (covered.covered, covered.open, covered.outside) == (True, False, False)
    assert (outside.covered, outside.open, outside.outside) == (False, False, True)
    assert [(one.covered, one.open, one.outside) for one in others] == [(False, True, False)] * 2


def test_what_is_outside_says_so_besides_what_a_test_shows() -> None:
    outside = standings(CLAUSES, {"NY-a-1": PROVEN})[0]

    assert outside.kinds == (Coverage.CHECKED, Coverage.PROMPTED, Coverage.OUTSIDE)


def test_a_document_is_counted() -> None:
    york, washington = by_document(standings(CLAUSES, {"NY-h-1": PROVEN}))

    assert in_words(york) == (
        "NY: 3 clauses; checked 1, computed 0, prompted 1, recorded 0, validated 0, outside 1;"
        " open 1"
    )
    assert (washington.document, washington.clauses, washington.open) == ("WA", 1, 1)


def test_the_whole_is_told_in_one_line() -> None:
    listed = standings(CLAUSES, {"NY-h-1": PROVEN})

    assert in_one_line(listed) == "clauses: 4; covered 1; outside 1; open 2"


def test_the_table_shows_documents_by_kinds() -> None:
    assert markdown_table(standings(CLAUSES, {"NY-h-1": PROVEN})) == (
        "| document | clauses | checked | computed | prompted | recorded | validated | outside"
        " | open |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| `NY` | 3 | 1 | 0 | 1 | 0 | 0 | 1 | 1 |\n"
        "| `WA` | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 1 |\n"
    )


def test_the_table_stands_between_its_marks() -> None:
    readme = f"before\n{BEGIN}\nold\n{END}\nafter\n"

    assert with_table(readme, "new\n") == f"before\n{BEGIN}\nnew\n{END}\nafter\n"


def test_a_readme_without_the_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="register:begin"):
        with_table("before\nafter\n", "new\n")


def test_the_register_that_comes_with_the_program_is_in_its_one_form() -> None:
    text = (files("controller.profiles") / "data" / "register.json").read_text("utf-8")

    assert render_register(load_register(), load_clauses()) == text


def test_the_readme_shows_the_table_of_the_register() -> None:
    readme = (files("controller") / "README.md").read_text("utf-8")
    table = markdown_table(standings(load_clauses(), load_register()))

    assert with_table(readme, table) == readme, "run `make register`"
