"""`smartshoe verify-program`, `sign-release` and `approve`: what is installed, who signed it."""
# ruff: noqa: PLC0415 - keys and configuration are loaded only by the command that needs them.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from controller.system.command_line.errors import CommandError, ExitCode
from controller.system.command_line.output import echo, echo_json
from controller.system.messages.quantity import counted

if TYPE_CHECKING:
    from controller.service.install.release import Release
    from controller.service.install.running import RunningProcess

DEFAULT_KEY: Final = Path("table.key")
# The largest number of a process that Linux gives (pid_max).
_PID_MAX: Final = 1 << 22
SHOWN_MAX: Final = 20
NOT_SHOWN: Final = (
    "the interpreter, the system's libraries and the kernel are Debian's (`dpkg --verify`);"
    " what a process has in its memory cannot be shown from outside"
)

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
_SigningKey = Annotated[Path, typer.Option("--key", metavar="FILE", help="The signer's key.")]
_Name = Annotated[
    str, typer.Option("--name", metavar="NAME", help="The signer's name, such as maker.example.")
]


def sign_release(
    tree: Annotated[Path, typer.Argument(metavar="TREE", help="The tree of one version.")],
    name: _Name,
    key: _SigningKey = DEFAULT_KEY,
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where to write both files.")
    ] = Path(),
    json: _Json = False,
) -> None:
    """List every file of an installed tree, and sign the list as a release."""
    from controller.service.install.release import LIST_SUFFIX, RELEASE_SUFFIX, program_in
    from controller.service.install.release import sign_release as sign
    from controller.system.atomic_file import require_new, store_text
    from controller.system.keys import load_key
    from controller.version import VERSION

    _require_folder(tree)
    place = out / f"smartshoe-{VERSION}{RELEASE_SUFFIX}"
    listed = place.with_suffix(LIST_SUFFIX)
    require_new(place)
    program = program_in(tree)
    statement, files = sign(tree, program, name, load_key(key))
    store_text(listed, files.decode())
    store_text(place, statement.decode())
    count = len(files.splitlines())
    if json:
        paths = {"release": str(place), "list": str(listed), "tree": str(tree)}
        echo_json({**paths, "program": program, "files": count})
        return
    echo(f"program   {program}")
    echo(f"release   {place}")
    echo(f"files     {listed}, {counted(count, 'file')} of {tree}")


def verify_program(
    release: Annotated[
        Path, typer.Argument(metavar="RELEASE", help="The .release file; its list is beside it.")
    ],
    key: Annotated[
        list[Path], typer.Option("--key", metavar="FILE", help="A public key of the maker.")
    ],
    tree: Annotated[
        Path | None,
        typer.Option(metavar="TREE", help="By default that of this program."),
    ] = None,
    pid: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=_PID_MAX, help="A process running it; as root."),
    ] = None,
    json: _Json = False,
) -> None:
    """Compare an installed program, and a running one, with a signed release."""
    import sys

    from controller.service.install.release import differences, read_release
    from controller.service.install.running import problems, running_program
    from controller.system.keys import load_public

    place = (Path(sys.prefix) if tree is None else tree).resolve()
    _require_folder(place)
    signed = read_release(release, tuple(map(load_public, key)))
    found = {path: one.value for path, one in differences(signed, place).items()}
    running = running_program(pid) if pid is not None else None
    doubts = problems(running, place) if running is not None else []
    if json:
        plain = {"tree": str(place), "release": signed.version, "differences": found}
        echo_json({"ok": not (found or doubts), **plain, "process": doubts})
    else:
        _print(signed, place, found, running, doubts)
    if found or doubts:
        raise typer.Exit(ExitCode.NO)


def _print(
    release: "Release",
    tree: Path,
    found: dict[str, str],
    running: "RunningProcess | None",
    doubts: list[str],
) -> None:
    echo(f"release    {release.version}, signed by {release.statement.signer}")
    as_signed = len(release.files) - sum(one != "not of the release" for one in found.values())
    echo(f"tree       {tree}: {as_signed} of {len(release.files)} files are as released")
    for path, one in list(found.items())[:SHOWN_MAX]:
        echo(f"  {one}: {path}")
    if len(found) > SHOWN_MAX:
        echo(f"  and {len(found) - SHOWN_MAX} more")
    if running is not None:
        echo(f"process    {running.pid}, interpreter {running.interpreter}")
        for one in doubts or ["was started from this tree, which has not changed since"]:
            echo(f"  {one}")
    echo(f"not shown  {NOT_SHOWN}")


def approve(
    file: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Tables' table.toml, or their names.")
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The approval to write.")],
    name: _Name,
    key: _SigningKey = DEFAULT_KEY,
    profile_only: Annotated[
        bool, typer.Option("--profile-only", help="Approve the rules, not the configuration.")
    ] = False,
    json: _Json = False,
) -> None:
    """Sign the profile and the configuration of tables as approved."""
    from controller.service.config.load import load_config
    from controller.service.install.approval import ApprovedPart, sign_approval
    from controller.system.atomic_file import require_new, store_text
    from controller.system.keys import load_key

    require_new(out)
    configs = tuple(map(load_config, file))
    parts = (ApprovedPart.PROFILE,) if profile_only else tuple(ApprovedPart)
    statement = sign_approval(configs, parts, name, load_key(key)).decode()
    store_text(out, statement)
    if json:
        echo_json({"approval": str(out), "signed_by": name, "statement": statement})
    else:
        echo(statement.removesuffix("\n"))


def _require_folder(tree: Path) -> None:
    if not tree.is_dir():
        raise CommandError(
            "there is no such folder",
            place=str(tree),
            allowed="the tree of an installed version, such as /opt/smartshoe/current",
            remedy="correct the path",
        )
