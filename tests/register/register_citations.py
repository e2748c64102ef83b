"""Records which clauses the program cites while a test runs, and the module that cites them."""

import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from importlib import import_module
from types import FrameType, ModuleType
from typing import Any, NamedTuple

from msgspec import Struct

from controller.rules.profiles.clause_register import Coverage

# Classes whose `clauses` are citations: `Module.Class`, or a package in which every class with
# `clauses` is of that kind.
CITING = (
    ("controller.procedure.verdicts.Accepted", Coverage.CHECKED),
    ("controller.procedure.verdicts.Irregularity", Coverage.CHECKED),
    ("controller.procedure.effects.Refusal", Coverage.CHECKED),
    ("controller.procedure.effects.CoupClosed", Coverage.COMPUTED),
    ("controller.rules.settlement", Coverage.COMPUTED),
    ("controller.procedure.effects.Prompt", Coverage.PROMPTED),
    ("controller.procedure.effects.ActRecord", Coverage.RECORDED),
    ("controller.procedure.effects.SettingChanged", Coverage.RECORDED),
    ("controller.custody.batch_life.facts.StageChange", Coverage.RECORDED),
    ("controller.custody.batch_life.facts.ShuffleRecorded", Coverage.CHECKED),
    ("controller.procedure.effects.WarningOpened", Coverage.CHECKED),
    ("controller.core.tape.entries.CardSetApart", Coverage.RECORDED),
    ("controller.rules.profiles.profile.ProfileError", Coverage.VALIDATED),
    ("controller.service.config.layout_rules.LayoutProblem", Coverage.VALIDATED),
    ("controller.service.config.layout_rules.LayoutWarning", Coverage.VALIDATED),
)
# Modules in which every class with `clauses` must be listed above.
SCANNED = (
    *("controller.procedure.verdicts", "controller.procedure.effects"),
    *("controller.rules.settlement", "controller.core.tape.entries"),
    "controller.custody.batch_life.facts",
)

# They make values for their caller, who cites.
CONSTRUCTORS = ("dataclasses", "controller.procedure.step_result")
# They restore or mask values that were cited elsewhere.
NOT_CITING = ("controller.journal", "controller.record.disclosure")


class Citation(NamedTuple):
    """A citation: the clauses, the kind of proof, the module that cited."""

    clauses: tuple[str, ...]
    kind: Coverage
    module: str


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def _modules(name: str) -> Iterator[ModuleType]:
    """The module, or the package with all its modules; nothing if it does not exist."""
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
    """Structs of a module or package that have a field `clauses`."""
    for module in _modules(name):
        for one in vars(module).values():
            own = isinstance(one, type) and one.__module__ == module.__name__
            if own and issubclass(one, Struct) and "clauses" in one.__struct_fields__:
                yield one


def dotted(one: type) -> str:
    return f"{one.__module__}.{one.__qualname__}"


@cache
def citing_classes() -> dict[type, Coverage]:
    """Every citing class with its kind of proof."""
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
    """The module that made a value, from the frame in which it was made."""
    while frame is not None:
        name: str = frame.f_globals.get("__name__", "")
        if name not in CONSTRUCTORS:
            return name
        frame = frame.f_back
    return ""


@cache
def cites(module: str) -> bool:
    """Whether citations by this module count; a test's own citation does not."""
    return within(module, "controller") and not any(within(module, one) for one in NOT_CITING)


class _RecordingMeta(type):
    """A class that stands for a struct while citations are recorded.

    A struct is built in C, where nothing can be added afterwards. So the names that modules have
    for it are bound to a stand-in: calling it builds the struct and records the citation, and
    whatever is an instance of the struct is one of the stand-in, in `match` too.
    """

    original: type[Struct]
    built: Callable[[object], None]

    def __call__(cls, *args: object, **kwargs: object) -> object:
        value = cls.original(*args, **kwargs)
        cls.built(value)
        return value

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, cls.original)

    def __getattr__(cls, name: str) -> object:
        return getattr(cls.original, name)

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is cls.original

    def __hash__(cls) -> int:
        return hash(cls.original)

    def __or__(cls, other: Any) -> Any:
        return cls.original | other

    def __ror__(cls, other: Any) -> Any:
        return other | cls.original


class Citations:
    """Records citations while at least one recording is open; else the classes are unchanged."""

    def __init__(self, classes: Callable[[], dict[type, Coverage]]) -> None:
        self._classes = classes
        self._open: list[set[Citation]] = []
        self._stand_ins: dict[type, type] = {}
        # Where modules have names for the classes; modules are looked through once.
        self._bindings: list[tuple[dict[str, object], str]] = []
        self._known: dict[str, ModuleType] = {}

    @contextmanager
    def recording(self) -> Iterator[set[Citation]]:
        """The citations made inside; an inner recording takes its own from the outer one."""
        recorded: set[Citation] = set()
        originals: dict[type, object] = {}
        self._open.append(recorded)
        if len(self._open) == 1:
            classes = self._classes()
            for one, kind in classes.items():
                if issubclass(one, Struct):
                    self._stand_ins.setdefault(one, self._stand_in(one, kind))
                else:
                    originals[one] = vars(one).get("__init__")
                    one.__init__ = self._recording_init(one.__init__, kind)  # type: ignore[misc]
            self._rebind({one: self._stand_ins[one] for one in classes if one in self._stand_ins})
        try:
            yield recorded
        finally:
            self._open.pop()
            if not self._open:
                self._rebind({stand_in: one for one, stand_in in self._stand_ins.items()})
                for one, original in originals.items():
                    if original is None:
                        del one.__init__
                    else:
                        one.__init__ = original  # type: ignore[misc]

    def _stand_in(self, one: type, kind: Coverage) -> type:
        def built(value: object) -> None:
            self._record(value, kind, sys._getframe(2))

        names = {"original": one, "built": staticmethod(built)}
        return _RecordingMeta(one.__name__, (), names | {"__match_args__": one.__match_args__})

    def _recording_init(self, original: Callable[..., None], kind: Coverage) -> Callable[..., None]:
        @wraps(original)
        def init_and_record(one: object, *args: object, **kwargs: object) -> None:
            original(one, *args, **kwargs)
            self._record(one, kind, sys._getframe(1))

        return init_and_record

    def _record(self, value: object, kind: Coverage, frame: FrameType) -> None:
        clauses = getattr(value, "clauses", ())
        if clauses and self._open and cites(module := maker(frame)):
            self._open[-1].add(Citation(tuple(clauses), kind, module))

    def _rebind(self, replacements: dict[type, type]) -> None:
        """Bind every name of a module for one of these classes to its replacement."""
        wanted = {id(one): new for one, new in replacements.items()}
        self._find_bindings(wanted)
        for namespace, key in self._bindings:
            new = wanted.get(id(namespace.get(key)))
            if new is not None:
                namespace[key] = new

    def _find_bindings(self, wanted: dict[int, type]) -> None:
        """Look through modules that were imported since the last time."""
        for name, module in list(sys.modules.items()):
            ours = name.startswith("controller.") or "." not in name
            if ours and self._known.get(name) is not module:
                self._known[name] = module
                namespace = getattr(module, "__dict__", {})
                found = [key for key, value in list(namespace.items()) if id(value) in wanted]
                self._bindings += [(namespace, key) for key in found]
