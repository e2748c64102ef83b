"""House rules on modules: headers, lengths, names, state, stray text, packaging."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from import_configuration import root_packages

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ("foundation", "firmware_bridge", "drivers", "controller", "office")
PACKAGES = (*PROGRAM, "hil")

FUNCTION_LINES_MAX = 70

MODULES = tuple(path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py")))
TEST_MODULES = tuple(sorted((ROOT / "tests").rglob("*.py")))


def relative_name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


# --- threads ------------------------------------------------------------------------------------

PRODUCT = ("controller", "drivers", "firmware_bridge")
THREAD_CLASS = "foundation/context_thread.py"
# asyncio takes no other threads; each of its calls has the context of the request.
EVENT_LOOP = "controller/outlets/console/http_server.py"


def test_threads_know_the_table_for_which_they_run() -> None:
    found = [
        relative_name(path)
        for path in MODULES
        if relative_name(path).startswith(PRODUCT)
        and relative_name(path) not in (THREAD_CLASS, EVENT_LOOP)
        and re.search(r"(?<!Context)Thread\(|Timer\(|Executor\(", path.read_text("utf-8"))
    ]
    assert not found, f"make threads with ContextThread ({THREAD_CLASS}): its log names the table"


TYPED_READING = "foundation/typed_reading.py"


def test_types_are_looked_at_by_one_thread_at_a_time() -> None:
    asks = re.compile(
        r"\bmsgspec\.convert\(|\bfrom msgspec import .*\bconvert\b"
        r"|\bDecoder\([^)]|\.decode\(.*\btype=(?!dict\b)"
    )
    found = [
        relative_name(path)
        for path in MODULES
        if relative_name(path).startswith(PRODUCT)
        and relative_name(path) != TYPED_READING
        and asks.search(path.read_text("utf-8"))
    ]
    assert not found, f"read typed values through {TYPED_READING}: it says why"


# --- headers and lengths ------------------------------------------------------------------------


def test_a_package_file_is_empty_or_exports_a_few_names() -> None:
    found = [
        relative_name(path)
        for path in MODULES
        if path.name == "__init__.py"
        and (text := path.read_text("utf-8"))
        and (ast.get_docstring(ast.parse(text)) is None or "__all__" not in text)
    ]
    assert not found, "list the exported names in __all__, with a docstring"


HEADER_LINE_MAX = 100


def opens_with_one_line(path: Path) -> bool:
    lines = (ast.get_docstring(tree_of(path)) or "").split("\n")
    return 0 < len(lines[0]) <= HEADER_LINE_MAX - 3 and (len(lines) == 1 or not lines[1])


def test_modules_open_with_one_line() -> None:
    found = [
        relative_name(path)
        for path in MODULES
        if path.name != "__init__.py" and not opens_with_one_line(path)
    ]
    assert not found, f"open with one line for what the module is responsible for: {found}"


def long_functions(tree: ast.Module) -> list[str]:
    return [
        f"{node.name} in line {node.lineno}"
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or node.lineno) - node.lineno + 1 > FUNCTION_LINES_MAX
    ]


def test_functions_have_a_maximum_length() -> None:
    found = [
        f"{relative_name(path)}: {name}"
        for path in MODULES
        for name in long_functions(tree_of(path))
    ]

    assert not found, "\n".join([f"longer than {FUNCTION_LINES_MAX} lines", *found])


# --- names --------------------------------------------------------------------------------------

EMPTY_WORDS = frozenset({"manager", "helper", "util", "utility", "handler"})


def words_of(name: str) -> set[str]:
    """The words of a CamelCase or snake_case name in lower case, also without plural endings."""
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


def test_names_avoid_empty_words() -> None:
    found = [
        f"{relative_name(path)}: {name}"
        for path in MODULES + TEST_MODULES
        for name in empty_names(Path(relative_name(path)), tree_of(path))
    ]
    assert not found, "\n".join(["use a name that says what it is", *found])


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
    """Names in the module that are stored to, deleted from, or changed by a method call."""
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
    """Whether it is a non-empty mapping in capitals that its module never changes."""
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
        f"{relative_name(path)}: {name}"
        for path in MODULES
        if path.relative_to(ROOT).parts[0] in PROGRAM and relative_name(path) != TYPED_READING
        for name in module_state(tree_of(path))
    ]
    remedy = (
        "Keep state in a Table object; a constant is a tuple, a frozenset, or a non-empty mapping"
        " in capitals that nothing changes."
    )
    assert not found, "\n".join([*found, remedy])


# --- text ---------------------------------------------------------------------------------------

TEXT_ROOTS = (*PACKAGES, "tests", "deploy", ".ci")
TEXT_SUFFIXES = frozenset(
    {
        "",
        ".py",
        ".md",
        ".toml",
        ".csv",
        ".scenario",
        ".scripts",
        ".service",
        ".rules",
        ".yml",
        ".yaml",
        ".json",
    }
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


# No open work and no path of one machine in any text.
UNFINISHED = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|X" + r"XX)\b")
PLACE_OF_ONE_MACHINE = re.compile(r"(?<![\w./>}-])/(?:home|root|work|Users|workspace)/\w")
UPWARD = re.compile(r"(?<![\w./])(?:\.\./)+[\w.-][\w./-]*")


def unwanted_text(text: str, folder: Path) -> list[str]:
    """Pieces of the text of a file in `folder` that do not belong in the repository."""
    found = [m.group() for m in UNFINISHED.finditer(text)]
    found += [m.group() for m in PLACE_OF_ONE_MACHINE.finditer(text)]
    for match in UPWARD.finditer(text):
        if not (folder / match.group()).resolve().is_relative_to(ROOT):
            found.append(match.group())
    return found


def test_text_has_no_open_work_and_no_machine_paths() -> None:
    found = [
        f"{relative_name(path)}: {piece}"
        for path in text_files()
        for piece in unwanted_text(path.read_text(encoding="utf-8"), path.parent)
    ]
    assert not found, "\n".join(["does not belong in the repository", *found])


# --- wheel and checks cover everything ----------------------------------------------------------


def project() -> dict[str, dict[str, dict[str, object]]]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def packages_of(distribution: str) -> list[str]:
    """The packages in the wheel of a distribution that has a folder of its own."""
    file = ROOT / "deploy" / "distributions" / distribution / "pyproject.toml"
    targets = tomllib.loads(file.read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]
    found: list[str] = targets["wheel"]["hooks"]["custom"]["packages"]
    return found


def test_all_tools_list_the_same_packages() -> None:
    tool = project()["tool"]
    wheel = tool["hatch"]["build"]["targets"]["wheel"]["packages"]  # type: ignore[index]
    others = [packages_of(one) for one in ("office", "hil")]

    assert (*wheel, *(one for each in others for one in each)) == PACKAGES
    assert tuple(tool["mypy"]["packages"]) == PACKAGES  # type: ignore[arg-type]
    assert root_packages() == PACKAGES


def test_there_are_only_the_six_packages() -> None:
    found = sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))

    assert found == sorted(PACKAGES)


def test_every_folder_with_code_is_a_package() -> None:
    found = sorted(
        {relative_name(m.parent) for m in MODULES if not (m.parent / "__init__.py").is_file()}
    )

    assert not found, "without __init__.py neither checks nor wheel include it"


def test_gitignore_hides_no_code() -> None:
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    anywhere = {line.rstrip("/") for line in lines if "/" not in line.rstrip("/")}
    folders = {part for m in MODULES for part in m.relative_to(ROOT).parent.parts}

    assert not anywhere & folders, "neither version control nor the wheel includes these folders"


def test_tests_have_no_package_files() -> None:
    assert not [relative_name(path) for path in TEST_MODULES if path.name == "__init__.py"]


# --- the checks above on small examples ---------------------------------------------------------


@pytest.mark.parametrize("name", ["PortManager", "string_utils", "HTTPHandler", "CardHelpers"])
def test_an_empty_name_is_found(name: str) -> None:
    assert words_of(name) & EMPTY_WORDS


@pytest.mark.parametrize("name", ["handle", "Handled", "utilisation", "manage"])
def test_a_meaningful_name_is_accepted(name: str) -> None:
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
def test_module_state_is_found(source: str) -> None:
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

    assert unwanted_text(f"see {up}{up}{up}notes/plan.md", ROOT / "tests" / "rules")
    assert not unwanted_text(f"see {up}{up}README.md", ROOT / "tests" / "rules")
