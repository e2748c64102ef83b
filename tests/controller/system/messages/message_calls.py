"""The messages that the program makes, found in its source: ids, parameters, other sentences."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from jinja2 import Environment, nodes
from msgspec import Struct

ROOT: Final = Path(__file__).parents[4]
# The files of `templates` that are filled with words.
TEMPLATES: Final = (".html", ".svg", ".txt")
# A source without it is not parsed.
NAMED: Final = re.compile(r"\b[Mm]essage\(")


class MessageCall(Struct, frozen=True):
    """A message in the source; `identifier` is empty where it is not written out."""

    place: str
    identifier: str
    parameters: frozenset[str]


def message_calls(source: str, place: str) -> Iterator[MessageCall]:
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        if node.func.id == "message":
            names = frozenset(one.arg or "**" for one in node.keywords)
        elif node.func.id == "Message" and len(node.args) == 2:
            names = frozenset(_pair_names(node.args[1]))
        elif node.func.id == "Message" and node.args and isinstance(node.args[0], ast.Constant):
            names = frozenset()
        else:
            continue
        first = node.args[0] if node.args else None
        known = isinstance(first, ast.Constant) and isinstance(first.value, str)
        identifier = first.value if isinstance(first, ast.Constant) and known else ""
        yield MessageCall(f"{place}:{node.lineno}", str(identifier), names)


def _pair_names(pairs: ast.expr) -> Iterator[str]:
    """The names of a message's parameters that are written out as pairs."""
    for pair in pairs.elts if isinstance(pairs, ast.Tuple) else ():
        first = pair.elts[0] if isinstance(pair, ast.Tuple) else None
        yield str(first.value) if isinstance(first, ast.Constant) else "**"


def program_calls() -> Iterator[MessageCall]:
    own = ROOT / "controller" / "system" / "messages"
    # Where a value is made a message, whatever it is.
    any_id = (ROOT / "foundation/message.py", ROOT / "controller/outlets/rendering.py")
    rooms = ("controller", "office", "drivers", "firmware_bridge")
    for path in sorted(path for room in rooms for path in (ROOT / room).rglob("*.py")):
        if path.parent == own or path in any_id:
            continue
        source = path.read_text("utf-8")
        if NAMED.search(source):
            yield from message_calls(source, path.relative_to(ROOT).as_posix())


def calls_in_template(template: str, place: str) -> Iterator[MessageCall]:
    """Every `words("id", name=value)` of a template; an id that is a value is of the program."""
    for call in Environment(autoescape=True).parse(template).find_all(nodes.Call):
        function, first = call.node, call.args[0] if call.args else None
        named_words = isinstance(function, nodes.Name) and function.name == "words"
        if named_words and isinstance(first, nodes.Const):
            names = frozenset(one.key for one in call.kwargs)
            yield MessageCall(f"{place}:{call.lineno}", str(first.value), names)


def template_calls() -> Iterator[MessageCall]:
    for path in sorted(
        path for room in ("controller", "office") for path in (ROOT / room).glob("**/templates/*")
    ):
        if path.suffix in TEMPLATES:
            yield from calls_in_template(path.read_text("utf-8"), path.relative_to(ROOT).as_posix())


def sentences(source: str) -> Iterator[str]:
    """Texts of words in a module, except docstrings and what explains a programmer's error."""
    tree = ast.parse(source)
    left_out = {id(one) for node in ast.walk(tree) for one in _left_out(node)}
    for node in ast.walk(tree):
        if id(node) in left_out or not isinstance(node, ast.Constant):
            continue
        text = node.value
        if isinstance(text, str) and re.search(r"[a-z]+ |[ :;,]+[a-z]+|[a-z] ", text):
            yield text


def _left_out(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr):
            yield first.value
    elif isinstance(node, ast.Assert) and node.msg is not None:
        yield from ast.walk(node.msg)
    elif isinstance(node, ast.Raise) or _is_alias(node):
        yield from ast.walk(node)
    for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None)):
        if annotation is not None:
            yield from ast.walk(annotation)


def _is_alias(node: ast.AST) -> bool:
    return isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias"
