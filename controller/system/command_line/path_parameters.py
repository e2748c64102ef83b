"""What a command is about, as an argument and as an option alike: journal, file, profile."""

import errno
import functools
import inspect
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, NamedTuple, TypeAlias, get_args, get_origin

import typer

from controller.system.atomic_file import SmallFileError, decode_text
from controller.system.command_line.errors import CommandError
from controller.system.named_file import STANDARD_INPUT, read_given

Function: TypeAlias = Callable[..., None]


def given_text(name: str) -> str:
    """The text of a file that somebody wrote, or of standard input for "-".

    Raises OSError, and SmallFileError where it is not UTF-8.
    """
    place = "standard input" if name == STANDARD_INPUT else name
    try:
        return decode_text(read_given(name), place)
    except OSError as error:
        if error.errno != errno.EFBIG:
            raise
        raise SmallFileError(
            f"{place}: {error.strerror}. Allowed: at most so many. Remedy: divide it, or name the"
            " right file"
        ) from None


class Kind(StrEnum):
    """What a path must be before the command begins."""

    ANY = "any"  # the command states what is wrong with it
    TABLE = "table"  # a table's file or name: its file may be there and not be readable
    JOURNAL = "journal"  # the folder of a journal or archive, or its live.db
    EVIDENCE = "evidence"  # such a folder, or any file


class BothForms(NamedTuple):
    """A parameter that can be given as the argument or as the option."""

    option: str
    metavar: str
    help: str
    kind: Kind = Kind.ANY

    @property
    def alike(self) -> str:
        """The help of the option."""
        return f"The same as {self.metavar}."


class ReplacedBy(NamedTuple):
    """An argument that is left out where the option with this parameter is given."""

    parameter: str


PROFILE_HELP: Final = "A profile's name (`smartshoe rules`), or a house's .toml file."
JOURNAL_OPTION: Final = "--journal"
_LIVE: Final = "live.db"
_HELD: Final = (_LIVE, "shoes", "days", "manifest.json")

TABLE_HELP: Final = "The table's table.toml, or its name."
_TABLE: Final = BothForms("--config", "FILE", TABLE_HELP, Kind.TABLE)
ConfigFile = Annotated[Path | None, _TABLE]
TableFile = Annotated[Path, _TABLE]
ConfigOption = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help=TABLE_HELP, readable=False)
]
JournalFolder = Annotated[
    Path, BothForms(JOURNAL_OPTION, "JOURNAL", "A journal's folder.", Kind.JOURNAL)
]
_JOURNAL_OR_ARCHIVE: Final = BothForms(
    JOURNAL_OPTION, "JOURNAL", "A journal's folder, or an archive of one.", Kind.JOURNAL
)
JournalOrArchive = Annotated[Path, _JOURNAL_OR_ARCHIVE]
JournalFile = Annotated[
    Path,
    BothForms(
        JOURNAL_OPTION,
        "JOURNAL",
        "A journal's folder, its live.db, a .shoe, or a tape.",
        Kind.EVIDENCE,
    ),
]
Evidence = Annotated[
    Path,
    BothForms(
        JOURNAL_OPTION,
        "JOURNAL",
        "A journal or archive, its live.db, a .shoe, or a bundle.",
        Kind.EVIDENCE,
    ),
]
Journals = Annotated[
    list[Path],
    BothForms(
        JOURNAL_OPTION,
        "JOURNAL...",
        "Journals, archives, .shoe files, live.db files, or folders that hold them.",
    ),
]
ProfileName = Annotated[str, BothForms("--profile", "NAME", PROFILE_HELP)]
KeyFile = Annotated[Path, BothForms("--key", "FILE", "The key file.")]
ListFile = Annotated[Path, BothForms("--list", "FILE", "The list of approved firmware.")]


def _require(path: Path, form: BothForms) -> None:
    """Raises CommandError: the path is not what this command reads."""
    if form.kind in (Kind.ANY, Kind.TABLE):
        return
    problem = ""
    if not path.exists():
        problem = "no such file or folder"
    elif path.is_dir() and not any((path / name).exists() for name in _HELD):
        problem = "this folder holds no live.db and no shoes"
    elif path.is_file() and form.kind is Kind.JOURNAL and path.name != _LIVE:
        problem = "this is a file, not a journal's folder"
    if problem:
        allowed = form.help[0].lower() + form.help[1:].rstrip(".")
        raise CommandError(problem, place=str(path), allowed=allowed, remedy="correct the path")


def require_journal(path: Path) -> None:
    """Raise CommandError unless the path is a journal's folder, its live.db, or an archive."""
    _require(path, _JOURNAL_OR_ARCHIVE)


def with_both_forms(function: Function) -> Function:
    """The function with an option beside each argument marked with BothForms.

    Where the option is given, the words that follow it fill the other arguments in their order.
    """
    signature = inspect.signature(function)
    marked = {name: found for name, one in signature.parameters.items() if (found := _form(one))}
    if not marked:
        return function
    (subject, form), *others = marked.items()
    assert not others, f"{function.__name__} has one subject"
    parameter = signature.parameters[subject]
    kind = get_args(parameter.annotation)[0]
    many = get_origin(kind) is list
    given_as = str if kind is str else Path
    named = [
        name for name, one in signature.parameters.items() if name == subject or _is_argument(one)
    ]

    @functools.wraps(function)
    def merged(**given: object) -> None:
        option = given.pop(_option_name(subject))
        words = [given.pop(name) for name in named]
        if many:
            found = [*_items(words[0]), *_items(option)]
            if not found:
                raise _missing(form.metavar, form.option)
            function(**given, **{subject: found})
            return
        if option is not None:
            words = [word for word in words if word is not None]
            words += [None] * (named.index(subject) - len(words))
            words.insert(named.index(subject), option)
            words += [None] * (len(named) - len(words))
        filled = named
        if None in words and (left_out := _left_out(signature, named, given)):
            given[left_out] = None
            filled = [name for name in named if name != left_out]
            words = [given_as(str(word)) for word in words if word is not None]
            words += [None] * (len(filled) - len(words))
        function(**given, **_by_name(signature, filled, words, form))

    parameters = [_optional(signature.parameters[one], form, subject, many) for one in named]
    rest = [one for name, one in signature.parameters.items() if name not in named]
    option = inspect.Parameter(
        _option_name(subject),
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[
            list[Path] | None if many else given_as | None,
            typer.Option(
                form.option,
                metavar=form.metavar.rstrip("."),
                help=form.alike,
                readable=form.kind is not Kind.TABLE,
            ),
        ],
    )
    keyword = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in (*parameters, *rest)]
    merged.__signature__ = signature.replace(parameters=[*keyword, option])  # type: ignore[attr-defined]
    merged.__annotations__ = {one.name: one.annotation for one in (*keyword, option)}
    return merged


def _by_name(
    signature: inspect.Signature, named: list[str], words: list[object], form: BothForms
) -> dict[str, object]:
    """The arguments by name; a missing one has its default. Raises CommandError."""
    if len(words) > len(named):
        raise CommandError(
            f"{form.metavar} is given twice",
            place=form.option,
            allowed=f"{form.metavar} or {form.option} {form.metavar}, once",
            remedy="remove one of them",
        )
    found: dict[str, object] = {}
    for name, word in zip(named, words, strict=True):
        parameter = signature.parameters[name]
        mark = _form(parameter)
        if word is not None:
            found[name] = word if mark else str(word)
            if mark:
                _require(Path(str(word)), form)
        elif parameter.default is inspect.Parameter.empty:
            raise _missing(_metavar(parameter), form.option if mark else "")
        else:
            found[name] = parameter.default
    return found


def _left_out(signature: inspect.Signature, named: list[str], given: Mapping[str, object]) -> str:
    """The argument that a given option stands for, else empty."""
    for name in named:
        for mark in get_args(signature.parameters[name].annotation)[1:]:
            if isinstance(mark, ReplacedBy) and given.get(mark.parameter) is not None:
                return name
    return ""


def _missing(metavar: str, option: str) -> CommandError:
    also = f" or {option} {metavar.rstrip('.')}" if option else ""
    return CommandError(
        "it is missing", place=metavar, allowed=f"{metavar}{also}", remedy="see --help"
    )


def _optional(
    parameter: inspect.Parameter, form: BothForms, subject: str, many: bool
) -> inspect.Parameter:
    """The parameter as an optional argument: one may come from the option."""
    if parameter.name != subject:
        kind, *rest = get_args(parameter.annotation)
        return parameter.replace(annotation=Annotated[(kind | None, *rest)], default=None)
    one = get_args(parameter.annotation)[0]
    kind = list[Path] | None if many else (str if one is str else Path) | None
    readable = form.kind is not Kind.TABLE
    info = typer.Argument(metavar=form.metavar, help=form.help, readable=readable)
    return parameter.replace(annotation=Annotated[kind, info], default=None)


def _form(parameter: inspect.Parameter) -> BothForms | None:
    marks = get_args(parameter.annotation)[1:]
    return next((one for one in marks if isinstance(one, BothForms)), None)


def _is_argument(parameter: inspect.Parameter) -> bool:
    info = typer.models.ArgumentInfo
    return any(isinstance(one, info) for one in get_args(parameter.annotation)[1:])


def _metavar(parameter: inspect.Parameter) -> str:
    marks = get_args(parameter.annotation)[1:]
    return next(str(one.metavar) for one in marks if getattr(one, "metavar", None))


def _option_name(subject: str) -> str:
    return f"{subject}_option"


def _items(given: object) -> list[object]:
    return given if isinstance(given, list) else []
