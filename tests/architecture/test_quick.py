"""`make quick` finds the tests of what changed, nearest first."""

import pytest

pytestmark = pytest.mark.needs("import-linter")


def touched(*changed: str) -> list[str]:
    from changed_rooms import touched_tests  # noqa: PLC0415 (needs grimp)

    return list(dict.fromkeys(touched_tests(changed)))


def test_a_module_is_played_before_its_room_and_its_room_before_its_importers() -> None:
    found = touched("controller/rules/coup.py")
    assert found[0] == "tests/controller/rules/test_coup.py"
    assert found.index("tests/controller/rules/test_cut.py") < 20
    assert "tests/controller/rules/settlement/test_settle.py" in found
    assert "tests/firmware_bridge/test_cbor.py" not in found


def test_a_data_file_is_of_the_package_that_it_lies_in() -> None:
    found = touched("controller/system/messages/catalogues/zh_TW.po")
    assert found
    assert all(name.startswith("tests/controller/system/messages/") for name in found[:5])


@pytest.mark.parametrize(
    ("changed", "first"),
    [
        ("tests/controller/rules/test_cut.py", "tests/controller/rules/test_cut.py"),
        (
            "tests/controller/outlets/feed/journals.py",
            "tests/controller/outlets/feed/test_asyncapi.py",
        ),
        ("docs/reports.md", "tests/examples/test_pages.py::"),
        ("deploy/smartshoe@.service", "tests/deploy"),
        ("pyproject.toml", "tests/packaging"),
    ],
)
def test_other_files_have_their_tests(changed: str, first: str) -> None:
    assert touched(changed)[0].startswith(first)
