"""`smartshoe act --list`: every action, the roles that may take it, and its values."""

import textwrap
from collections.abc import Iterator
from shutil import get_terminal_size
from typing import Final

from controller.outlets.control.declared_actions import plain_declaration
from controller.rules.actions.actions import ACTIONS, action_named
from controller.rules.actions.declaration import ActionValues, name_of, purpose_of, values_of
from controller.system.command_line.output import echo, echo_json
from controller.system.messages.catalogue import to_words

WIDTH_MAX: Final = 100
_INDENT: Final = 18


def list_actions(name: str = "", *, as_json: bool) -> None:
    """Print every action, or the one of that name. Raises ActionError for an unknown name."""
    kinds = [action_named(name)] if name else list(ACTIONS.values())
    if as_json:
        echo_json({"actions": [plain_declaration(kind) for kind in kinds]})
        return
    width = min(get_terminal_size((WIDTH_MAX, 0)).columns, WIDTH_MAX)
    echo("\n".join(line for kind in kinds for line in action_lines(kind, width)))


def action_lines(kind: type[ActionValues], width: int = WIDTH_MAX) -> Iterator[str]:
    """The lines of one action: its purpose, its roles, and its values."""
    roles = ", ".join(role.value for role in kind.roles)
    reason = "; with --reason" if kind.reason_required else ""
    yield from _row(name_of(kind), to_words(purpose_of(kind)), width)
    yield from _row("", f"for {roles}{reason}", width)
    for value in values_of(kind):
        yield from _row(f"  {value.name}", to_words(value.description), width)


def _row(head: str, words: str, width: int) -> Iterator[str]:
    wrapped = textwrap.wrap(words, max(width - _INDENT, 20), break_on_hyphens=False)
    for number, part in enumerate(wrapped):
        yield f"{'' if number else head:<{_INDENT}}{part}"
