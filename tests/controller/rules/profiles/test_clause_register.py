"""The register of clauses: text, coverage, and the table in the README."""

from importlib.resources import files

import pytest

from controller.rules.profiles.clause_register import (
    BEGIN,
    END,
    ClauseProof,
    Coverage,
    by_document,
    clause_coverage,
    describe_document,
    describe_register,
    load_register,
    make_proof,
    markdown_table,
    parse_register,
    render_register,
    with_table,
)
from controller.rules.profiles.clauses import parse_clauses
from controller.rules.profiles.load import load_clauses

CLAUSES = parse_clauses(
    "id,source,text,kind,observable,check\n"
    "NY-a-1,1,Table.,equipment,out,None.\n"
    "NY-h-1,2,One card more.,deal,yes,Judge.\n"
    "NY-h-2,3,Call.,announce,human,Prompt.\n"
    "WA-1,4,Cap.,vigorish,config,Refuse.\n"
)
PROVEN = make_proof(
    (Coverage.PROMPTED, Coverage.CHECKED), ("controller.core.core",), ("tests/test_a.py::test_a",)
)
TEXT = """\
{
"NY-h-1": {"kinds": ["checked", "prompted"], "modules": ["controller.core.core"], "tests": \
["tests/test_a.py::test_a"]},
"WA-1": {"kinds": ["validated"], "modules": ["controller.service.config.load"], "tests": \
["tests/test_b.py::b"]}
}
"""


def test_a_proof_is_ordered_without_duplicates() -> None:
    found = make_proof(
        (Coverage.VALIDATED, Coverage.CHECKED, Coverage.VALIDATED),
        ("controller.table.loop", "controller.core.core", "controller.table.loop"),
        ("b::b", "a::a", "b::b"),
    )
    assert found == ClauseProof(
        (Coverage.CHECKED, Coverage.VALIDATED),
        ("controller.core.core", "controller.table.loop"),
        ("a::a", "b::b"),
    )


def test_the_text_has_one_clause_per_line_in_catalogue_order() -> None:
    other = make_proof(
        (Coverage.VALIDATED,), ("controller.service.config.load",), ("tests/test_b.py::b",)
    )

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
def test_an_invalid_register_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_register(text)


def test_a_clause_is_covered_open_or_outside() -> None:
    outside, covered, *others = clause_coverage(CLAUSES, {"NY-h-1": PROVEN})

    assert (covered.covered, covered.open, covered.outside) == (True, False, False)
    assert (outside.covered, outside.open, outside.outside) == (False, False, True)
    assert [(one.covered, one.open, one.outside) for one in others] == [(False, True, False)] * 2


def test_a_clause_outside_keeps_its_proven_kinds() -> None:
    outside = clause_coverage(CLAUSES, {"NY-a-1": PROVEN})[0]

    assert outside.kinds == (Coverage.CHECKED, Coverage.PROMPTED, Coverage.OUTSIDE)


def test_a_document_is_counted() -> None:
    york, washington = by_document(clause_coverage(CLAUSES, {"NY-h-1": PROVEN}))

    assert describe_document(york) == (
        "NY: 3 clauses; checked 1, computed 0, prompted 1, recorded 0, validated 0, outside 1;"
        " open 1"
    )
    assert (washington.document, washington.clauses, washington.open) == ("WA", 1, 1)


def test_the_register_is_described_in_one_line() -> None:
    listed = clause_coverage(CLAUSES, {"NY-h-1": PROVEN})

    assert describe_register(listed) == "clauses: 4; covered 1; outside 1; open 2"


def test_the_table_lists_documents_by_kinds() -> None:
    assert markdown_table(clause_coverage(CLAUSES, {"NY-h-1": PROVEN})) == (
        "| document | clauses | checked | computed | prompted | recorded | validated | outside"
        " | open |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| `NY` | 3 | 1 | 0 | 1 | 0 | 0 | 1 | 1 |\n"
        "| `WA` | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 1 |\n"
    )


def test_the_table_is_between_its_markers() -> None:
    readme = f"before\n{BEGIN}\nold\n{END}\nafter\n"

    assert with_table(readme, "new\n") == f"before\n{BEGIN}\nnew\n{END}\nafter\n"


def test_a_readme_without_markers_is_refused() -> None:
    with pytest.raises(ValueError, match="register:begin"):
        with_table("before\nafter\n", "new\n")


def test_the_shipped_register_is_canonical() -> None:
    text = (files("controller.rules.profiles") / "data" / "register.json").read_text("utf-8")

    assert render_register(load_register(), load_clauses()) == text


def test_the_readme_shows_the_table_of_the_register() -> None:
    readme = (files("controller.rules.profiles") / "README.md").read_text("utf-8")
    table = markdown_table(clause_coverage(load_clauses(), load_register()))

    assert with_table(readme, table) == readme, "run `make register`"
