"""`make house` reads the tree as it is: imports, ways of them, circles."""

import ast

import house


def imports_of(text: str) -> set[str]:
    return {name for node in ast.walk(ast.parse(text)) for name in house.imported(node)}


def test_an_import_names_the_module_and_not_what_is_in_it() -> None:
    text = "from controller.rules.cards import Card\nfrom controller.rules import cards\nimport re"

    assert imports_of(text) == {"controller.rules.cards"}


def test_each_module_knows_its_importers() -> None:
    by = house.importers()

    assert "controller.core.core" in by["controller.procedure.step"]
    assert house.single_importers().items() <= {(name, *who[:1]) for name, who in by.items()}


def test_the_longest_way_goes_through_every_module_between() -> None:
    graph = {"cli": {"core", "rules"}, "core": {"rules"}, "rules": set[str]()}

    longest, circles = house.chains(graph)

    assert longest[0] == ("cli", "core", "rules")
    assert circles == []


def test_a_circle_is_named_and_the_rest_is_measured() -> None:
    graph = {"cli": {"a"}, "a": {"b"}, "b": {"a"}}

    longest, circles = house.chains(graph)

    assert len(longest[0]) == 3
    assert [set(one) for one in circles] == [{"a", "b"}]


def test_every_page_with_a_limit_or_without_is_there() -> None:
    pages = house.words_of_pages().keys()

    assert pages >= house.PEOPLE | house.BUILDERS | house.REFERENCES
    assert house.words_max_of("docs/day.md") < house.words_max_of("controller/core/README.md")
