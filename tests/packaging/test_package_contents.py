"""Which file is in which Debian package: the rules of `make check`, and what the builder drops."""

from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).resolve().parent
SITE = "usr/lib/smartshoe/lib/python3.11/site-packages"
SITE_OF_OFFICE, SITE_OF_BENCH = (
    SITE.replace("smartshoe", f"smartshoe-{one}") for one in ("office", "hil")
)
TABLE = f"{SITE}/controller/core/core.py"
PACKAGES = {
    "smartshoe": {TABLE, f"{SITE}/rich/console.py", f"{SITE}/rich-15.0.0.dist-info/RECORD"},
    "smartshoe-office": {f"{SITE_OF_OFFICE}/office/audit/run.py"},
    "smartshoe-hil": {f"{SITE_OF_BENCH}/hil/cli.py"},
}


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The folders of the two programs, which find their modules beside them."""
    monkeypatch.syspath_prepend(str(HERE))
    monkeypatch.syspath_prepend(str(HERE.parents[1] / "deploy/debian"))


@pytest.fixture
def checks(scripts: None) -> ModuleType:
    import debian_package  # noqa: PLC0415

    return debian_package


@pytest.fixture
def wheels(scripts: None) -> ModuleType:
    import package_wheels  # noqa: PLC0415

    return package_wheels


def test_the_packages_divide_the_program(checks: ModuleType) -> None:
    assert checks.twice(PACKAGES) == []
    assert checks.misplaced(PACKAGES) == []
    assert {one: checks.libraries(files) for one, files in PACKAGES.items()} == {
        "smartshoe": {"rich"},
        "smartshoe-office": set(),
        "smartshoe-hil": set(),
    }


def test_a_library_in_two_packages_is_found(checks: ModuleType) -> None:
    library = f"{SITE}/rich/console.py"
    packages = {**PACKAGES, "smartshoe-hil": PACKAGES["smartshoe-hil"] | {library}}

    assert checks.twice(packages) == [library]


@pytest.mark.parametrize(
    ("package", "file"),
    [
        ("smartshoe", "hil/cli.py"),
        ("smartshoe", "office/audit/run.py"),
        ("smartshoe", "smartshoe_office-0.5.0.dist-info/METADATA"),
        ("smartshoe-office", "hil/cli.py"),
        ("smartshoe-hil", "controller/core/core.py"),
        ("smartshoe-hil", "smartshoe-0.5.0.dist-info/METADATA"),
        ("smartshoe-hil", "hil/bench/report.py"),
    ],
)
def test_a_file_of_another_package_is_found(checks: ModuleType, package: str, file: str) -> None:
    site = SITE.replace("smartshoe", package)
    packages = {**PACKAGES, package: PACKAGES[package] | {f"{site}/{file}"}}

    assert checks.misplaced(packages) == [f"{package}: {file}"]


def test_a_file_of_the_bench_in_the_folder_of_the_table_is_found(checks: ModuleType) -> None:
    packages = {**PACKAGES, "smartshoe-hil": {f"{SITE}/hil/cli.py"}}

    assert checks.misplaced(packages) == ["smartshoe-hil: hil/cli.py"]


def test_what_the_table_has_is_left_out_of_the_others(wheels: ModuleType, tmp_path: Path) -> None:
    table, bench = tmp_path / "table", tmp_path / "bench"
    for site, names in {
        table: ("rich/console.py", "rich/style/__init__.py", "six.py"),
        bench: ("rich/console.py", "rich/style/__init__.py", "six.py", "hil/cli.py", "dask/one.py"),
    }.items():
        for name in names:
            (site / name).parent.mkdir(parents=True, exist_ok=True)
            (site / name).touch()

    wheels.leave_out(bench, table)

    left = sorted(one.relative_to(bench).as_posix() for one in bench.rglob("*"))
    assert left == ["dask", "dask/one.py", "hil", "hil/cli.py"]
    assert (table / "six.py").exists()
