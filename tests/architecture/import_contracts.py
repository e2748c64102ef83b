"""Checks the import contracts of contracts.toml against a graph with bad imports added."""

from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import Final

import grimp
from import_configuration import configuration, root_packages, settings_of
from importlinter import Contract
from importlinter.configuration import configure
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.independence import IndependenceContract
from importlinter.contracts.layers import LayersContract
from importlinter.contracts.protected import ProtectedContract

CONTRACT_TYPES: Final = {
    "layers": LayersContract,
    "forbidden": ForbiddenContract,
    "independence": IndependenceContract,
    "protected": ProtectedContract,
}
configure()


@dataclass(frozen=True)
class BadImport:
    """An import that contract `contract` must refuse."""

    contract: str
    importer: str
    imported: str

    def __str__(self) -> str:
        return f"{self.importer} -> {self.imported} ({self.contract})"


@cache
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(*configuration()["root_packages"], include_external_packages=True)


@cache
def contracts() -> dict[str, Contract]:
    """Every contract by its id."""
    session = {
        "root_packages": configuration()["root_packages"],
        "include_external_packages": "True",
    }
    created = {}
    for one in configuration()["contracts"]:
        options = {
            key: str(value) if isinstance(value, bool) else value
            for key, value in one.items()
            if key not in ("id", "name", "type")
        }
        kind = CONTRACT_TYPES[one["type"]]
        created[one["id"]] = kind(one["name"], session_options=session, contract_options=options)
    return created


def is_kept(contract: str, with_import: BadImport | None = None, package: str = "") -> bool:
    """Whether the contract holds, with that import or that empty package added."""
    tested_graph = deepcopy(graph())
    if with_import is not None:
        for module in (with_import.importer, with_import.imported):
            if module not in tested_graph.modules:
                tested_graph.add_module(module, is_squashed=not module.startswith(root_packages()))
        tested_graph.add_import(importer=with_import.importer, imported=with_import.imported)
    if package:
        tested_graph.add_module(package)
    return contracts()[contract].check(tested_graph, verbose=False).kept


def rows_of(contract: str) -> list[list[str]]:
    """The packages of a layers contract that exist, full names, from the top row down."""
    settings = settings_of(contract)
    (container,) = settings.get("containers", [""])
    rows = []
    for row in settings["layers"]:
        names = [one.strip(" ()") for one in row.replace("|", ":").split(":")]
        full = [f"{container}.{name}" if container else name for name in names]
        rows.append([name for name in full if name in graph().modules])
    return rows


def independent_rows(contract: str) -> list[list[str]]:
    """Rows whose packages may not import one another, written with bars."""
    settings = settings_of(contract)
    rows = rows_of(contract)
    return [row for row, text in zip(rows, settings["layers"], strict=True) if "|" in text]
