"""Who may import what, where import-linter's layers cannot say it.

Responsible for: one importer per outside library, packages that are pure, emulators and the
regulator's verifier that share no code with the program, device models named once.
Not responsible for: the directions between and inside packages (import-linter, pyproject.toml).
Source: package README, "Imports are a contract".
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ("firmware_bridge", "drivers", "controller")
PACKAGES = (*PROGRAM, "hil")


@dataclass(frozen=True, slots=True)
class Import:
    """`module` imports `target` (dotted, with the imported name) at `line` of `path`."""

    module: str
    target: str
    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line} imports {self.target}"


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def targets(module: str, is_package: bool, node: ast.Import | ast.ImportFrom) -> tuple[str, ...]:
    """Dotted names one statement imports, relative ones made absolute."""
    if isinstance(node, ast.Import):
        return tuple(alias.name for alias in node.names)
    parts = module.split(".")
    up = node.level - (1 if is_package else 0)
    base = parts[: len(parts) - up] if node.level else []
    stem = ".".join((*base, *([node.module] if node.module else [])))
    return tuple(f"{stem}.{alias.name}" for alias in node.names)


def imports_of(module: str, path: Path, source: str) -> Iterator[Import]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for target in targets(module, path.name == "__init__.py", node):
                yield Import(module, target, str(path), node.lineno)


FILES = tuple(path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py")))
IMPORTS = tuple(
    found
    for path in FILES
    for found in imports_of(
        module_name(path), path.relative_to(ROOT), path.read_text(encoding="utf-8")
    )
)


def within(name: str, package: str) -> bool:
    """Is `name` the package itself or something in it?"""
    return name == package or name.startswith(f"{package}.")


def any_of(name: str, patterns: tuple[str, ...]) -> bool:
    """Does one pattern name the module or a package around it? `*` stays inside one name."""
    for pattern in patterns:
        wanted, parts = pattern.split("."), name.split(".")
        if len(parts) >= len(wanted) and all(map(fnmatchcase, parts, wanted)):
            return True
    return False


def listing(found: list[Import], remedy: str) -> str:
    return "\n".join([*map(str, found), remedy])


# --- one importer per library ----------------------------------------------------------------

# library: (the modules that may import it, what everybody else uses)
ONLY_IMPORTERS = {
    "serial": (
        ("firmware_bridge.transport.serial_port",),
        "open ports through firmware_bridge.transport",
    ),
    "usb": (
        ("firmware_bridge.transport.usb_port", "firmware_bridge.transport.usb_devices"),
        "go through firmware_bridge.transport",
    ),
    "pyudev": (
        ("firmware_bridge.transport.hotplug",),
        "watch devices through firmware_bridge.transport.hotplug",
    ),
    "gi": (
        ("hil.emulator.usb.umockdev*",),
        "only the process that serves emulated USB devices runs with the system's own Python",
    ),
    # The bench measures the bare library beside the program.
    "transitions": (
        ("controller.machine", "hil.bench.reference"),
        "ask controller.machine for the next phase",
    ),
    "typer": (
        ("controller.cli*", "hil.cli*"),
        "commands stand in controller.cli and hil.cli; the rest returns values",
    ),
    "rich": (
        ("controller.cli*", "hil.cli*", "hil.demo*"),
        "return values or lines and let controller.cli, hil.cli or hil.demo show them",
    ),
    "pydantic": (
        ("controller.config*",),
        "outside settings come in through controller.config; inside use frozen dataclasses",
    ),
    "prometheus_client": (
        ("controller.metrics*", "hil.bench.scrape"),
        "return facts; controller.metrics counts",
    ),
    "fastcrc": (
        ("firmware_bridge.checksums",),
        "checksums of the wire stand in firmware_bridge.checksums; emulators compute their own",
    ),
    "cobs": (
        ("firmware_bridge.tablelink.frames", "hil.emulator*"),
        "stuff and unstuff through firmware_bridge.tablelink.frames",
    ),
    # What a device signs is judged at the wire, without files.
    # An emulated device has a key of its own.
    "cryptography": (
        (
            "controller.journal.verify",  # what runs alone checks signatures alone
            "controller.keys",
            "firmware_bridge.attestation",
            "hil.emulator.tablelink_identity",
        ),
        "sign and verify through controller.keys; of devices through firmware_bridge.attestation",
    ),
    "sqlite3": (("controller.journal",), "store and read through controller.journal"),
}


@pytest.mark.parametrize("library", sorted(ONLY_IMPORTERS))
def test_a_library_is_imported_in_one_place(library: str) -> None:
    importers, remedy = ONLY_IMPORTERS[library]
    found = [
        item
        for item in IMPORTS
        if within(item.target, library) and not any_of(item.module, importers)
    ]
    assert not found, listing(found, f"Only {', '.join(importers)} imports {library}: {remedy}.")


def test_only_timestamp_reads_the_clock() -> None:
    found = [
        item
        for item in IMPORTS
        if within(item.target, "time")
        and item.module.startswith(PROGRAM)
        and item.module != "firmware_bridge.timestamp"
    ]
    remedy = (
        "firmware_bridge.timestamp is the one reader of the clock: take an `at: Timestamp`; at the"
        " rim call timestamp.now(); wait with Event.wait, Condition.wait or a port's timeout."
    )
    assert not found, listing(found, remedy)


# --- pure packages -----------------------------------------------------------------------------

PURE = (
    "controller.rules",
    "controller.settlement",
    "controller.procedure",
    "controller.custody",
    "controller.monitors",
    "controller.machine",
    "controller.intake",
    "controller.core",
    "controller.inputs",
    "controller.entries",
    "controller.actions",
    "controller.act_requests",
    "controller.acted",
    "controller.script",
    "controller.odds",
    "controller.layout",
    "controller.snapshot",
    "controller.host_state",
    "controller.host_words",
    "controller.disclosure",
    "controller.json_fields",
    "controller.roads",
    "controller.sealing",
    "controller.shoe_rows",
    "firmware_bridge.link",
    "firmware_bridge.values",
    "firmware_bridge.checksums",
    "firmware_bridge.attestation",
    "firmware_bridge.cbor",
    "firmware_bridge.transport.allow_list",
    "firmware_bridge.transport.hid_descriptor",
    "firmware_bridge.transport.usb_identity",
    "drivers",
)
# The catalogue names the concrete devices for the composition root.
NOT_PURE = ("drivers.catalogue",)

INPUT_REMEDY = "take it as an input; the rim does it and puts what came of it into the queue"
BANNED_IN_PURE = {
    "time": "take an `at: Timestamp`",
    "firmware_bridge.timestamp.now": "take an `at: Timestamp`",
    "random": "the only randomness is PortOpened.entropy",
    "secrets": "the only randomness is PortOpened.entropy",
    "uuid": "derive identities from what is in the state",
    "logging": "return a fault, an entry or an effect; logging is for the rim",
    "threading": "one synchronous core; threads are at the rim",
    "multiprocessing": "one synchronous core",
    "concurrent": "one synchronous core; threads are at the rim",
    "asyncio": "one synchronous core; no event loop",
    "queue": "return what is to be done; the loop owns the queue",
    "socket": INPUT_REMEDY,
    "select": INPUT_REMEDY,
    "selectors": INPUT_REMEDY,
    "ssl": INPUT_REMEDY,
    "http": INPUT_REMEDY,
    "urllib": INPUT_REMEDY,
    "signal": INPUT_REMEDY,
    "subprocess": INPUT_REMEDY,
    "os": INPUT_REMEDY,
    "pathlib": INPUT_REMEDY + "; data files of a package are read with importlib.resources",
    "shutil": INPUT_REMEDY,
    "tempfile": INPUT_REMEDY,
    "glob": INPUT_REMEDY,
    "io": INPUT_REMEDY,
    "sys": INPUT_REMEDY,
    "locale": "output is for the rim; the core knows no locale",
}
BANNED_CALLS = {
    "open": INPUT_REMEDY,
    "print": "return what is to be said",
    "input": INPUT_REMEDY,
    "hash": "differs from run to run; use hashlib over the canonical encoding",
    "id": "differs from run to run",
    "timestamp.now": "take an `at: Timestamp`",
    "datetime.now": "take an `at: Timestamp`",
    "datetime.today": "take an `at: Timestamp`",
    "datetime.datetime.now": "take an `at: Timestamp`",
    "date.today": "take an `at: Timestamp`",
    "datetime.date.today": "take an `at: Timestamp`",
}


def protocol_packages() -> tuple[str, ...]:
    """Every folder of firmware_bridge but the transport holds one wire protocol."""
    return tuple(
        f"firmware_bridge.{path.name}"
        for path in sorted((ROOT / "firmware_bridge").iterdir())
        if (path / "__init__.py").is_file() and path.name != "transport"
    )


def pure_files() -> tuple[Path, ...]:
    pure = PURE + protocol_packages()
    return tuple(
        path
        for path in FILES
        if any_of(module_name(path), pure) and not any_of(module_name(path), NOT_PURE)
    )


def test_the_core_is_found() -> None:
    names = {module_name(path) for path in pure_files()}

    assert {"drivers.events", "firmware_bridge.link", "firmware_bridge.angel_eye"} <= names


def test_pure_packages_import_nothing_of_the_outside() -> None:
    pure = {module_name(path) for path in pure_files()}
    found = [
        f"{item}: {remedy}."
        for item in IMPORTS
        for banned, remedy in BANNED_IN_PURE.items()
        if item.module in pure and within(item.target, banned)
    ]
    assert not found, "\n".join(found)


def test_pure_packages_call_nothing_of_the_outside() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno} calls {name}: {BANNED_CALLS[name]}."
        for path in pure_files()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and (name := ast.unparse(node.func)) in BANNED_CALLS
    ]
    assert not found, "\n".join(found)


def test_nothing_in_the_program_draws_random_numbers() -> None:
    found = [
        item
        for item in IMPORTS
        if item.module.startswith(PROGRAM) and within(item.target, "random")
    ]
    remedy = "Entropy comes in with PortOpened; jitter and seeds belong to hil."
    assert not found, listing(found, remedy)


# --- second readings share no code ---------------------------------------------------------------


def test_emulators_and_their_dealing_import_nothing_of_ours() -> None:
    # Faults of the wire belong to neither side; that module is held to the same rule.
    second_reading = ("hil.emulator", "hil.dealing*", "hil.faults")
    found = [
        item
        for item in IMPORTS
        if any_of(item.module, second_reading)
        and item.target.startswith(PACKAGES)
        and not any_of(item.target, second_reading)
    ]
    remedy = (
        "An emulator is a second reading of the wire document: read it again, share tests/vectors."
    )
    assert not found, listing(found, remedy)


def test_the_regulators_verifier_imports_nothing_of_ours() -> None:
    found = [
        item
        for item in IMPORTS
        if item.module == "controller.journal.verify" and item.target.startswith(PACKAGES)
    ]
    remedy = "The verifier is one file a regulator can read and run alone."
    assert not found, listing(found, remedy)


# --- device models are named once ---------------------------------------------------------------


def device_folders() -> tuple[str, ...]:
    return tuple(
        f"drivers.{path.name}"
        for path in sorted((ROOT / "drivers").iterdir())
        if (path / "__init__.py").is_file()
    )


def test_device_models_are_named_once() -> None:
    folders = device_folders()
    allowed = (*folders, "drivers.catalogue", "controller.app")
    found = [
        item
        for item in IMPORTS
        if any_of(item.target, folders)
        and item.module.startswith(PROGRAM)
        and not any_of(item.module, allowed)
    ]
    remedy = "Ask drivers.catalogue for the driver; a device model is named there and nowhere else."
    assert not found, listing(found, remedy)


def test_the_table_knows_no_wire_protocol() -> None:
    protocols = protocol_packages()
    found = [
        item
        for item in IMPORTS
        if within(item.module, "controller") and any_of(item.target, protocols)
    ]
    remedy = "The table sees device events; byte values and vendor codes end in drivers."
    assert not found, listing(found, remedy)


# --- the readers above, on small examples --------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("import usb.core", ("usb.core",)),
        ("from serial import Serial", ("serial.Serial",)),
        ("from . import cards", ("controller.rules.cards",)),
        ("from .cards import Card", ("controller.rules.cards.Card",)),
        ("from ..machine import Phase", ("controller.machine.Phase",)),
    ],
)
def test_every_form_of_import_is_read(statement: str, expected: tuple[str, ...]) -> None:
    path = Path("controller/rules/hands.py")

    found = tuple(item.target for item in imports_of("controller.rules.hands", path, statement))

    assert found == expected


@pytest.mark.parametrize(
    ("name", "pattern", "expected"),
    [
        ("controller.cli", "controller.cli*", True),
        ("controller.cli_tables", "controller.cli*", True),
        ("controller.journal.store", "controller.journal", True),
        ("controller.journals", "controller.journal", False),
        ("controller", "controller.journal", False),
    ],
)
def test_a_pattern_names_a_module_and_what_is_in_it(
    name: str, pattern: str, expected: bool
) -> None:
    assert any_of(name, (pattern,)) is expected
