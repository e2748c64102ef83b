"""Finds every output of a module in its syntax tree.

Terminal, log, socket, file, database, bytes to a device, metrics, another process. Importing a
library that exists to output something counts as an output, used or not, and so does every `write`.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from controller.record.outputs import OUTPUTS

PROGRAM = ("foundation", "firmware_bridge", "drivers", "controller", "office")
LIST = "controller/record/outputs.py"

# library, or module of the program that outputs for others: its channel
LIBRARIES = {
    "typer": "terminal",
    "rich": "terminal",
    "getpass": "terminal",
    "controller.system.command_line.output": "terminal",
    "logging": "log",
    "warnings": "log",
    "syslog": "log",
    "faulthandler": "log",
    "socket": "socket",
    "socketserver": "socket",
    "asyncio": "socket",
    "http.client": "socket",
    "http.server": "socket",
    "urllib.request": "socket",
    "smtplib": "socket",
    "ftplib": "socket",
    "xmlrpc": "socket",
    "ssl": "socket",
    "paho": "socket",
    "shutil": "file",
    "tempfile": "file",
    "mmap": "file",
    "fileinput": "file",
    "zipfile": "file",
    "tarfile": "file",
    "sqlite3": "database",
    "dbm": "database",
    "shelve": "database",
    "gpiod": "device",
    "serial": "device",
    "usb": "device",
    "prometheus_client": "metrics",
    "controller.outlets.metrics.page": "metrics",
    "subprocess": "process",
    "multiprocessing": "process",
    "concurrent.futures.process": "process",
    "ctypes": "process",
    "pty": "process",
}
# Imports that output nothing.
HARMLESS_IMPORTS = frozenset({"shutil.get_terminal_size"})
# Modules whose calls of the C library set something of the process, and hand nothing out.
SYSTEM_CALLS_ONLY = {"controller.system.process": "ctypes"}
CALLS = {
    "print": "terminal",
    "input": "terminal",
    "breakpoint": "terminal",
    "os.write": "file",
    "os.fdopen": "file",
    "os.mkfifo": "file",
    "os.putenv": "process",
    "os.system": "process",
    "os.popen": "process",
    "os.posix_spawn": "process",
    "os.fork": "process",
}
METHODS = {
    "write_text": "file",
    "write_bytes": "file",
    "write": "bytes",
    "writelines": "bytes",
    "dump": "bytes",
    "sendall": "socket",
    "sendto": "socket",
    "sendmsg": "socket",
}
STREAMS = frozenset({"sys.stdout", "sys.stderr", "sys.__stdout__", "sys.__stderr__"})
READ_MODES = frozenset({"r", "rb", "rt", "br", "tr"})


@dataclass(frozen=True, slots=True)
class Output:
    """Code in line `line` of `module` that can output something on that channel."""

    module: str
    line: int
    channel: str
    what: str


# Flags of os.open with which a file is written.
_WRITING = ("O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC")


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def _imported(node: ast.Import | ast.ImportFrom) -> tuple[str, ...]:
    if isinstance(node, ast.Import):
        return tuple(alias.name for alias in node.names)
    return tuple(f"{node.module or ''}.{alias.name}" for alias in node.names)


def _by_import(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    for name in _imported(node):
        for library, channel in LIBRARIES.items():
            if within(name, library) and name not in HARMLESS_IMPORTS:
                yield channel, f"imports {name}"


def _has_text(arguments: list[ast.expr]) -> bool:
    """Whether an exit gets a text, not only a number or a name."""
    return any(
        isinstance(one, ast.JoinedStr | ast.BinOp)
        or (isinstance(one, ast.Constant) and isinstance(one.value, str))
        for one in arguments
    )


def _mode_of(call: ast.Call, place: int) -> ast.expr | None:
    named = next((one.value for one in call.keywords if one.arg == "mode"), None)
    return named or (call.args[place] if len(call.args) > place else None)


def _opens_to_write(call: ast.Call, name: str) -> bool:
    """Whether it opens a file, except with a literal mode for reading."""
    if name == "os.open":
        flags = ast.unparse(call.args[1])
        return "os.O_RDONLY" not in flags or any(one in flags for one in _WRITING)
    mode = _mode_of(call, 1 if name == "open" else 0)
    if name != "open" and mode is not None and not isinstance(mode, ast.Constant):
        return False  # it opens something else: a journal, a port, a writer
    if name != "open" and isinstance(mode, ast.Constant) and not isinstance(mode.value, str):
        return False
    return mode is not None and not (isinstance(mode, ast.Constant) and mode.value in READ_MODES)


def _by_call(call: ast.Call) -> Iterator[tuple[str, str]]:
    name = ast.unparse(call.func)
    last = name.rpartition(".")[2]
    if name in CALLS:
        yield CALLS[name], f"calls {name}"
    elif isinstance(call.func, ast.Attribute) and last in METHODS:
        yield METHODS[last], f"calls {name}"
    elif last == "open" and _opens_to_write(call, name):
        yield "file", f"opens with {name} to write"
    elif name in ("sys.exit", "SystemExit") and _has_text(call.args):
        yield "terminal", f"ends with a text by {name}"


def outputs_in(module: str, source: str) -> Iterator[Output]:
    """Everything in a module that can output something."""
    tree = ast.parse(source)
    inspected = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in ("isatty", "encoding")
    }
    for node in ast.walk(tree):
        found: Iterator[tuple[str, str]] = iter(())
        match node:
            case ast.Import() | ast.ImportFrom():
                if SYSTEM_CALLS_ONLY.get(module) not in _imported(node):
                    found = _by_import(node)
            case ast.Call():
                found = _by_call(node)
            case ast.Attribute() if ast.unparse(node) in STREAMS and id(node) not in inspected:
                found = iter([("terminal", f"uses {ast.unparse(node)}")])
        for channel, what in found:
            yield Output(module, node.lineno, channel, what)  # type: ignore[attr-defined]


def outputs(root: Path) -> tuple[Output, ...]:
    """Every output of the program's packages below `root`."""
    return tuple(
        one
        for package in PROGRAM
        for path in sorted((root / package).rglob("*.py"))
        for one in outputs_in(
            ".".join(path.relative_to(root).with_suffix("").parts), path.read_text("utf-8")
        )
    )


def matches(entry: tuple[str, str], output: tuple[str, str]) -> bool:
    """Whether that entry of the list covers that output; `package.*` covers the package."""
    return entry[1] == output[1] and fnmatchcase(output[0], entry[0])


def listed_outputs() -> frozenset[tuple[str, str]]:
    """Module and channel of every output on the list."""
    return frozenset(
        (module, channel)
        for output in OUTPUTS
        for channel, modules in output.modules.items()
        for module in modules
    )


def problems(root: Path) -> tuple[str, ...]:
    """Outputs that are not on the list, and entries of the list without an output."""
    known = listed_outputs()
    found = outputs(root)
    used = {(one.module, one.channel) for one in found}
    unlisted = [
        f"{one.module.replace('.', '/')}.py:{one.line} {one.what}: {LIST} does not name"
        f" {one.module} under {one.channel!r}. Add it there with what may pass, and add a reader"
        " of it to tests/end_to_end/test_leaks.py"
        for one in found
        if not any(matches(entry, (one.module, one.channel)) for entry in known)
    ]
    idle = [
        f"{LIST} names {module} under {channel!r}, but it outputs nothing there"
        for module, channel in sorted(known)
        if not any(matches((module, channel), one) for one in used)
    ]
    return (*unlisted, *idle)
