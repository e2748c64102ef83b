"""Rules of the house that a reader should not have to check.

Responsible for: how a module opens, how long files and functions are, which names are not used,
what state a module may hold, which text does not belong into the repository, and that every
folder of the packages is in the wheel and under every check.
Not responsible for: imports (test_imports.py) and what ruff and mypy say.
Source: package README, "Rules of the house".
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ("firmware_bridge", "drivers", "controller")
PACKAGES = (*PROGRAM, "hil")

FILE_LINES_MAX = 450
# A regulator gets one file to read and run: it may be longer, and is divided into sections.
ONE_FILE_LINES_MAX = {"controller/journal/verify.py": 1040}
FUNCTION_LINES_MAX = 70

MODULES = tuple(path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py")))
TEST_MODULES = tuple(sorted((ROOT / "tests").rglob("*.py")))


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


# --- how a module opens and how long it is ------------------------------------------------------


def test_a_package_file_is_empty_or_hands_on_a_few_names() -> None:
    found = [
        shown(path)
        for path in MODULES
        if path.name == "__init__.py"
        and (text := path.read_text("utf-8"))
        and (ast.get_docstring(ast.parse(text)) is None or "__all__" not in text)
    ]
    assert not found, "say what the room hands on in a docstring and in __all__"


HEADER_LINE_MAX = 100


def header_problem(path: Path) -> str:
    """Empty where the docstring opens with one line and names its source."""
    lines = (ast.get_docstring(tree_of(path)) or "").split("\n")
    if not lines[0] or len(lines[0]) > HEADER_LINE_MAX - 3 or (len(lines) > 1 and lines[1]):
        return "open with one line for what the module is responsible for"
    sourced = "tests" in path.parts or any(line.startswith("Source: ") for line in lines)
    return "" if sourced else "name the source: a clause, a protocol section, a README section"


def test_modules_open_with_one_line_and_their_source() -> None:
    found = [
        f"{shown(path)}: {problem}"
        for path in MODULES
        if path.name != "__init__.py" and (problem := header_problem(path))
    ]
    assert not found, "\n".join(found)


def test_files_fit_in_one_head() -> None:
    lines = {shown(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    found = {
        name: count
        for name, count in lines.items()
        if count > ONE_FILE_LINES_MAX.get(name, FILE_LINES_MAX)
    }

    assert not found, f"look for the seam that wants to be cut: {found}"


def long_functions(tree: ast.Module) -> list[str]:
    return [
        f"{node.name} in line {node.lineno}"
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or node.lineno) - node.lineno + 1 > FUNCTION_LINES_MAX
    ]


def test_functions_fit_on_a_screen() -> None:
    found = [f"{shown(path)}: {name}" for path in MODULES for name in long_functions(tree_of(path))]

    assert not found, "\n".join(["longer than a screen", *found])


# --- names --------------------------------------------------------------------------------------

EMPTY_WORDS = frozenset({"manager", "helper", "util", "utility", "handler"})


def words_of(name: str) -> set[str]:
    """The words of a CamelCase or snake_case name, small, plural endings taken off."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)
    small = {word.lower() for word in words}
    return small | {re.sub(r"ies$", "y", word).removesuffix("s") for word in small}


def empty_names(path: Path, tree: ast.Module) -> list[str]:
    defined = [
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return [name for name in (*path.parts, *defined) if words_of(name) & EMPTY_WORDS]


def test_names_say_what_a_thing_is() -> None:
    found = [
        f"{shown(path)}: {name}"
        for path in MODULES + TEST_MODULES
        for name in empty_names(Path(shown(path)), tree_of(path))
    ]
    assert not found, "\n".join(["says nothing about what it is", *found])


# --- state --------------------------------------------------------------------------------------

MUTABLE = frozenset(
    {"list", "dict", "set", "bytearray", "defaultdict", "deque", "Counter", "OrderedDict"}
    | {"Queue", "SimpleQueue", "Lock", "RLock", "Event", "Condition", "Semaphore", "local", "count"}
)
CHANGING_METHODS = frozenset({"clear", "pop", "popitem", "setdefault", "update"})
CONSTANT = re.compile(r"_{0,2}[A-Z][A-Z0-9_]*")


def is_mutable(value: ast.expr) -> bool:
    match value:
        case ast.List() | ast.Set() | ast.Dict() | ast.ListComp() | ast.SetComp() | ast.DictComp():
            return True
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in MUTABLE
        case _:
            return False


def changed_mappings(tree: ast.Module) -> set[str]:
    """Names on which some statement of the module stores, deletes or calls a changing method."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                found.add(name)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attribute)):
                if attribute in CHANGING_METHODS:
                    found.add(name)
    return found


def constant_mapping(name: str, value: ast.expr, changed: set[str]) -> bool:
    """A table in capitals, with something in it, that nothing in its module changes."""
    filled = isinstance(value, ast.DictComp) or (isinstance(value, ast.Dict) and bool(value.keys))
    return filled and CONSTANT.fullmatch(name) is not None and name not in changed


def module_state(tree: ast.Module) -> Iterator[str]:
    changed = changed_mappings(tree)
    for node in tree.body:
        if isinstance(node, ast.Assign):
            names, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            names, value = [node.target], node.value
        else:
            continue
        for name in map(ast.unparse, names):
            if name == "__all__":
                continue
            if is_mutable(value) and not constant_mapping(name, value, changed):
                yield f"{name} in line {node.lineno}"
    for inner in ast.walk(tree):
        if isinstance(inner, ast.Global):
            yield f"global {', '.join(inner.names)} in line {inner.lineno}"


def test_modules_hold_no_state() -> None:
    found = [
        f"{shown(path)}: {name}"
        for path in MODULES
        if path.relative_to(ROOT).parts[0] in PROGRAM
        for name in module_state(tree_of(path))
    ]
    remedy = (
        "State hangs on one Table object; a constant is a tuple, a frozenset, or a filled table"
        " in capitals that nothing changes."
    )
    assert not found, "\n".join([*found, remedy])


# --- text ---------------------------------------------------------------------------------------

TEXT_ROOTS = (*PACKAGES, "tests", "deploy", ".ci")
TEXT_SUFFIXES = frozenset(
    {"", ".py", ".md", ".toml", ".csv", ".scenario", ".service", ".rules", ".yml", ".yaml", ".json"}
)


def text_files() -> tuple[Path, ...]:
    top = (path for path in ROOT.iterdir() if path.is_file())
    below = (path for name in TEXT_ROOTS for path in (ROOT / name).rglob("*") if path.is_file())
    return tuple(
        sorted(
            path
            for path in (*top, *below)
            if path.suffix in TEXT_SUFFIXES
            and "__pycache__" not in path.parts
            and path.name not in (".git", ".coverage")
        )
    )


# What is unfinished is not left in the text; what belongs to one machine is not written down.
UNFINISHED = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|X" + r"XX)\b")
PLACE_OF_ONE_MACHINE = re.compile(r"(?<![\w./>}-])/(?:home|root|work|Users|workspace)/\w")
UPWARD = re.compile(r"(?<![\w./])(?:\.\./)+[\w.-][\w./-]*")


def unwelcome(text: str, folder: Path) -> list[str]:
    """Pieces of the text of a file in `folder` that do not belong into the repository."""
    found = [m.group() for m in UNFINISHED.finditer(text)]
    found += [m.group() for m in PLACE_OF_ONE_MACHINE.finditer(text)]
    for match in UPWARD.finditer(text):
        if not (folder / match.group()).resolve().is_relative_to(ROOT):
            found.append(match.group())
    return found


def test_text_is_finished_and_of_no_one_machine() -> None:
    found = [
        f"{shown(path)}: {piece}"
        for path in text_files()
        for piece in unwelcome(path.read_text(encoding="utf-8"), path.parent)
    ]
    assert not found, "\n".join(["does not belong into the repository", *found])


# --- nothing falls out of the wheel or the checks -----------------------------------------------


def project() -> dict[str, dict[str, dict[str, object]]]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_packages_are_listed_the_same_everywhere() -> None:
    tool = project()["tool"]
    wheel = tool["hatch"]["build"]["targets"]["wheel"]["packages"]  # type: ignore[index]

    assert tuple(wheel) == PACKAGES
    assert tuple(tool["mypy"]["packages"]) == PACKAGES  # type: ignore[arg-type]
    assert tuple(tool["importlinter"]["root_packages"]) == PACKAGES  # type: ignore[arg-type]


def test_no_package_stands_beside_the_four() -> None:
    found = sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))

    assert found == sorted(PACKAGES)


def test_every_folder_with_code_is_a_package() -> None:
    found = sorted({shown(m.parent) for m in MODULES if not (m.parent / "__init__.py").is_file()})

    assert not found, "without __init__.py no check and no wheel sees it"


def test_no_ignored_name_hides_code() -> None:
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    anywhere = {line.rstrip("/") for line in lines if "/" not in line.rstrip("/")}
    folders = {part for m in MODULES for part in m.relative_to(ROOT).parent.parts}

    assert not anywhere & folders, "neither version control nor the wheel sees these folders"


def test_tests_have_no_package_files() -> None:
    assert not [shown(path) for path in TEST_MODULES if path.name == "__init__.py"]


# --- the readers above, on small examples -------------------------------------------------------


@pytest.mark.parametrize("name", ["PortManager", "string_utils", "HTTPHandler", "CardHelpers"])
def test_an_empty_name_is_found(name: str) -> None:
    assert words_of(name) & EMPTY_WORDS


@pytest.mark.parametrize("name", ["handle", "Handled", "utilisation", "manage"])
def test_a_name_that_says_something_is_not(name: str) -> None:
    assert not words_of(name) & EMPTY_WORDS


@pytest.mark.parametrize(
    "source",
    [
        "seen = []",
        "SEEN = set()",
        "codes = {1: 2}",
        "CODES = {}",
        "CODES: dict[int, int] = {1: 2}\ndef f():\n    CODES[2] = 3",
        "CODES = {1: 2}\ndef f():\n    CODES.update({2: 3})",
        "lock = threading.Lock()",
        "def f():\n    global seen\n    seen = 1",
    ],
)
def test_state_of_a_module_is_found(source: str) -> None:
    assert list(module_state(ast.parse(source)))


@pytest.mark.parametrize(
    "source",
    [
        "CODES: Final[Mapping[int, int]] = {1: 2}",
        "_CODES = {1: 2}\ndef f():\n    return _CODES[1]",
        "CODES = MappingProxyType({1: 2})",
        "RANKS = (1, 2)",
        "SUITS = frozenset({1})",
        "__all__ = ['Card']",
        "def f():\n    seen = []",
        "class C:\n    def f(self):\n        seen = {}",
    ],
)
def test_a_constant_is_not_state(source: str) -> None:
    assert not list(module_state(ast.parse(source)))


def test_a_path_out_of_the_repository_is_found() -> None:
    up = "../"

    assert unwelcome(f"see {up}{up}{up}notes/plan.md", ROOT / "tests" / "rules")
    assert not unwelcome(f"see {up}{up}README.md", ROOT / "tests" / "rules")
