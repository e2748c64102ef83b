"""Models of other distributions: found by name, loaded when named, refused where they are wrong."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from drivers.catalogue import find_model, find_stored_model
from drivers.model import BadDeviceSettings, DeviceKind, MissingDriver
from drivers.plug_ins import load_model, plug_in_names
from drivers.shoes.angel_eye_model import ANGEL_EYE_II_EX

MODEL = """\
from msgspec.structs import replace
from drivers.shoes.angel_eye_model import ANGEL_EYE_II_EX
MODEL = replace(ANGEL_EYE_II_EX, name="acme-optical")
OTHER = "no model"
"""
Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """A distribution with one entry point, as pip leaves it."""

    def write(name: str, version: str, attribute: str = "MODEL", entry: str = "acme-optical"):
        module = name.replace("-", "_")
        folder = tmp_path / f"{module}-{version}.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}")
        points = f"[smartshoe.drivers]\n{entry} = {module}:{attribute}\n"
        (folder / "entry_points.txt").write_text(points)
        (tmp_path / f"{module}.py").write_text(MODEL)
        load_model.cache_clear()

    monkeypatch.syspath_prepend(tmp_path)
    yield write
    load_model.cache_clear()
    for name in ("acme_shoe", "acme_two"):
        sys.modules.pop(name, None)


def test_a_model_of_another_distribution_is_found_with_its_version(install: Install) -> None:
    install("acme-shoe", "1.2.0")

    model = find_model(DeviceKind.SHOE, "acme-optical")

    assert (model.title, model.plug_in) == (ANGEL_EYE_II_EX.title, "acme-shoe==1.2.0")


def test_nothing_is_loaded_that_is_not_named(install: Install) -> None:
    install("acme-shoe", "1.2.0")

    assert "acme-optical" in plug_in_names()
    with pytest.raises(
        BadDeviceSettings, match=r"'acme' is not allowed\. .*, acme-optical\. Remedy"
    ):
        find_model(DeviceKind.SHOE, "acme")
    find_model(DeviceKind.SHOE, "tablelink")

    assert "acme_shoe" not in sys.modules


def test_a_model_of_the_program_cannot_be_replaced(install: Install) -> None:
    install("acme-shoe", "1.2.0", entry="angel-eye-ii-ex")

    assert find_model(DeviceKind.SHOE, "angel-eye-ii-ex") is ANGEL_EYE_II_EX


def test_a_shoe_is_no_scanner(install: Install) -> None:
    install("acme-shoe", "1.2.0")

    with pytest.raises(BadDeviceSettings, match="'acme-optical' is not allowed"):
        find_model(DeviceKind.SCANNER, "acme-optical")


@pytest.mark.parametrize(
    ("attribute", "problem"),
    [
        ("OTHER", "of acme-shoe==1.2.0 is no DeviceModel of that name. Remedy"),
        ("MISSING", "of acme-shoe==1.2.0 cannot be loaded: .*MISSING.*. Remedy"),
    ],
)
def test_what_is_no_model_is_refused(install: Install, attribute: str, problem: str) -> None:
    install("acme-shoe", "1.2.0", attribute)

    with pytest.raises(BadDeviceSettings, match=problem):
        find_model(DeviceKind.SHOE, "acme-optical")


def test_a_model_under_another_name_is_refused(install: Install) -> None:
    install("acme-shoe", "1.2.0", entry="acme-laser")

    with pytest.raises(BadDeviceSettings, match="is no DeviceModel of that name"):
        find_model(DeviceKind.SHOE, "acme-laser")


def test_two_distributions_with_one_name_are_refused(install: Install) -> None:
    install("acme-shoe", "1.2.0")
    install("acme-two", "1.0")

    with pytest.raises(BadDeviceSettings, match=r"is offered by acme-.*, acme-.*\. Remedy"):
        find_model(DeviceKind.SHOE, "acme-optical")


def test_a_record_finds_the_version_that_it_names(install: Install) -> None:
    install("acme-shoe", "1.2.0")

    found = find_stored_model(DeviceKind.SHOE, "acme-optical", "acme-shoe==1.2.0")

    assert found.plug_in == "acme-shoe==1.2.0"


@pytest.mark.parametrize(
    ("name", "plug_in", "said"),
    [
        ("acme-optical", "acme-shoe==1.1.0", "installed is acme-shoe==1.2.0. Remedy: install acme"),
        ("acme-optical", "", "installed is acme-shoe==1.2.0. Remedy: install a version"),
        ("acme-laser", "acme-laser==2", "of acme-laser==2, which is not installed. Remedy"),
        ("tablelink", "acme==1", "installed is a model of the program by that name"),
    ],
)
def test_a_record_of_another_version_says_what_is_missing(
    install: Install, name: str, plug_in: str, said: str
) -> None:
    install("acme-shoe", "1.2.0")

    with pytest.raises(MissingDriver, match=said):
        find_stored_model(DeviceKind.SHOE, name, plug_in)
