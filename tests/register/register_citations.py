"""What the program itself cites while something runs.

Responsible for: which classes cite a clause, and as what kind of proof; noting each value of them
that the program makes, with the module that made it.
Not responsible for: which test it counts for (register_plugin).
Source: package README of the controller, "Clauses and their proof".
"""

import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import cache, wraps
from importlib import import_module
from types import FrameType, ModuleType
from typing import NamedTuple

from controller.profiles.clause_register import Coverage

# A class that cites: what it has in `clauses` stands behind what it says. `Module.Class`, or a
# package whose every class with `clauses` is of that kind.
CITING = (
    ("controller.procedure.verdicts.Accepted", Coverage.CHECKED),
    ("controller.procedure.verdicts.Irregularity", Coverage.CHECKED),
    ("controller.procedure.effects.Refused", Coverage.CHECKED),
    ("controller.procedure.effects.CoupClosed", Coverage.COMPUTED),
    ("controller.settlement", Coverage.COMPUTED),
    ("controller.procedure.effects.Prompted", Coverage.PROMPTED),
    ("controller.procedure.effects.Recorded", Coverage.RECORDED),
    ("controller.procedure.effects.SettingChanged", Coverage.RECORDED),
    ("controller.procedure.effects.BatchMoved", Coverage.RECORDED),
    ("controller.procedure.effects.ShuffleRecorded", Coverage.CHECKED),
    ("controller.procedure.effects.WarningOpened", Coverage.CHECKED),
    ("controller.tape.entries.CardSetApart", Coverage.RECORDED),
    ("controller.profiles.profile.ProfileError", Coverage.VALIDATED),
    ("controller.config.layout_rules.LayoutRefused", Coverage.VALIDATED),
    ("controller.config.layout_rules.LayoutWarning", Coverage.VALIDATED),
)
# Where every class with `clauses` has to be listed above.
SCANNED = (
    *("controller.procedure.verdicts", "controller.procedure.effects"),
    *("controller.settlement", "controller.tape.entries"),
)

# They make values for whoever calls them: the caller cites.
CONSTRUCTORS = ("dataclasses", "controller.procedure.step_result")
# They make again, or make less of, what was cited elsewhere.
PASSING_ON = ("controller.journal", "controller.views.disclosure")


class Citation(NamedTuple):
    """The program cited these clauses."""

    clauses: tuple[str, ...]
    kind: Coverage
    module: str


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def _modules(name: str) -> Iterator[ModuleType]:
    """The module, or the package with all that is in it; nothing where there is none."""
    try:
        found = import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return
    yield found
    for _, inner, _ in pkgutil.walk_packages(getattr(found, "__path__", ()), f"{name}."):
        yield import_module(inner)


def with_clauses(name: str) -> Iterator[type]:
    """Dataclasses of a module or package that have a field `clauses`."""
    for module in _modules(name):
        for one in vars(module).values():
            own = isinstance(one, type) and one.__module__ == module.__name__
            if own and is_dataclass(one) and "clauses" in {field.name for field in fields(one)}:
                yield one


def dotted(one: type) -> str:
    return f"{one.__module__}.{one.__qualname__}"


@cache
def citing_classes() -> dict[type, Coverage]:
    """Every class that cites, with its kind."""
    found: dict[type, Coverage] = {}
    for name, kind in CITING:
        module, _, own_name = name.rpartition(".")
        one = vars(import_module(module)).get(own_name)
        if isinstance(one, type):
            found[one] = kind
        else:
            found.update(dict.fromkeys(with_clauses(name), kind))
    return found


def maker(frame: FrameType | None) -> str:
    """The module that made a value, seen from the frame in which it was made."""
    while frame is not None:
        name: str = frame.f_globals.get("__name__", "")
        if name not in CONSTRUCTORS:
            return name
        frame = frame.f_back
    return ""


@cache
def cites(module: str) -> bool:
    """Does what this module makes count? A test proves nothing by citing a clause itself."""
    return within(module, "controller") and not any(within(module, one) for one in PASSING_ON)


class Citations:
    """Notes citations while at least one recording is open; otherwise the classes are untouched."""

    def __init__(self, classes: Callable[[], dict[type, Coverage]]) -> None:
        self._classes = classes
        self._open: list[set[Citation]] = []

    @contextmanager
    def recording(self) -> Iterator[set[Citation]]:
        """What is cited inside; a recording inside another one takes what is its own."""
        noted: set[Citation] = set()
        classes = self._classes()
        originals = {one: vars(one).get("__init__") for one in classes}
        self._open.append(noted)
        if len(self._open) == 1:
            for one, kind in classes.items():
                one.__init__ = self._noting(one.__init__, kind)  # type: ignore[misc]
        try:
            yield noted
        finally:
            self._open.pop()
            if not self._open:
                for one, original in originals.items():
                    if original is None:
                        del one.__init__
                    else:
                        one.__init__ = original  # type: ignore[misc]

    def _noting(self, original: Callable[..., None], kind: Coverage) -> Callable[..., None]:
        stack = self._open

        @wraps(original)
        def noting(one: object, *args: object, **kwargs: object) -> None:
            original(one, *args, **kwargs)
            clauses = getattr(one, "clauses", ())
            if clauses and stack and cites(module := maker(sys._getframe(1))):
                stack[-1].add(Citation(tuple(clauses), kind, module))

        return noting
