"""Each import contract refuses generated bad imports."""

from itertools import combinations, permutations, product

import pytest
from import_configuration import configuration, settings_of
from import_contracts import BadImport, contracts, independent_rows, is_kept, rows_of

pytestmark = pytest.mark.needs("import-linter")

LAYERS = [one["id"] for one in configuration()["contracts"] if one["type"] == "layers"]
EXHAUSTIVE = [one for one in LAYERS if settings_of(one).get("exhaustive")]
OUTSIDE_PURE = ("os", "io", "pathlib", "socket", "subprocess", "threading", "time", "random")


def upward_imports(contract: str) -> list[BadImport]:
    """From every package to every package in a row above it, or next to it behind a bar."""
    rows = rows_of(contract)
    pairs = [
        (low, high) for above, below in combinations(rows, 2) for low, high in product(below, above)
    ]
    pairs += [pair for row in independent_rows(contract) for pair in permutations(row, 2)]
    return [BadImport(contract, low, high) for low, high in pairs]


def accepted_imports(imports: list[BadImport]) -> list[str]:
    return [str(one) for one in imports if is_kept(one.contract, one)]


@pytest.mark.parametrize("contract", list(contracts()))
def test_the_tree_keeps_the_contract(contract: str) -> None:
    assert is_kept(contract)


@pytest.mark.parametrize("contract", LAYERS)
def test_every_upward_import_is_refused(contract: str, record_property) -> None:
    imports = upward_imports(contract)

    record_property("bad imports", len(imports))
    print(f"{contract}: {len(imports)} upward imports")
    assert imports
    assert accepted_imports(imports) == []


@pytest.mark.parametrize("contract", EXHAUSTIVE)
def test_a_package_without_a_layer_is_refused(contract: str) -> None:
    (container,) = settings_of(contract)["containers"]

    assert not is_kept(contract, package=f"{container}.unplaced")


def test_no_pure_package_may_use_io_threads_or_time() -> None:
    sources = settings_of("pure")["source_modules"]
    imports = [
        BadImport("pure", package, outside)
        for package, outside in product(sources, (*OUTSIDE_PURE, "logging"))
    ]

    print(f"pure: {len(imports)} imports of the outside")
    assert accepted_imports(imports) == []


def test_no_wire_protocol_may_use_another() -> None:
    protocols = settings_of("protocols")["modules"]
    imports = [BadImport("protocols", *pair) for pair in permutations(protocols, 2)]

    print(f"protocols: {len(imports)} imports of one another")
    assert accepted_imports(imports) == []


@pytest.mark.parametrize(
    ("contract", "importer", "imported"),
    [
        ("published", "hil.demo.demo", "controller.cli.table.run"),
        ("published", "office.audit.run", "controller.cli.commands"),
        ("second-reading", "hil.emulator.feig.device", "firmware_bridge.checksums"),
        ("second-reading", "hil.dealing.tableau", "controller.rules.tableau"),
        ("port-shape", "drivers.shoes.angel_eye", "firmware_bridge.transport.pump"),
        ("device-events", "controller.core.core", "firmware_bridge.angel_eye.messages"),
        ("verifier", "controller.journal.verify", "controller.journal.encoding"),
        ("words", "controller.procedure.step", "controller.system.messages.catalogue"),
        ("device-models", "controller.core.core", "drivers.shoes.angel_eye"),
    ],
)
def test_a_forbidden_import_is_refused(contract: str, importer: str, imported: str) -> None:
    assert not is_kept(contract, BadImport(contract, importer, imported))
