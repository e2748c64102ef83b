"""`smartshoe people list | erase`: the names of persons beside a journal."""
# ruff: noqa: PLC0415 - storage is loaded only by the command that reads a journal.

from typing import Annotated

import typer

from controller.system.command_line.errors import ExitCode
from controller.system.command_line.output import echo, echo_json
from controller.system.command_line.path_parameters import JournalFolder

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


def list_people(path: JournalFolder, json: _Json = False) -> None:
    """List the persons whose names are there, by name, with the roles of their accounts."""
    from controller.journal.people import PeopleFile

    file = PeopleFile.beside(path)
    names, roles = file.names(), {one.person: one.role for one in file.accounts()}
    if json:
        people = [
            {"id": person, "name": name, "role": roles.get(person)}
            for person, name in names.items()
        ]
        echo_json({"path": str(path), "people": people})
        return
    for person, name in names.items():
        echo(f"{person}  {name}" + (f", {roles[person]}" if person in roles else ""))
    if not names:
        echo(f"{path}: no names here")


def erase(
    path: JournalFolder,
    person: Annotated[str, typer.Argument(metavar="PERSON", help="A name, or its id.")],
    json: _Json = False,
) -> None:
    """Erase the name of a person; the record keeps the id."""
    from controller.journal.people import PeopleFile

    erased = PeopleFile.beside(path).erase(person)
    if json:
        echo_json({"path": str(path), "erased": erased or None})
    elif erased:
        echo(f"erased: the record names {erased} from now on")
    else:
        echo(f"{path}: nobody here is named {person!r}. `smartshoe people list` shows the names")
    raise typer.Exit(ExitCode.DONE if erased else ExitCode.NO)
