"""A place of labgrid's coordinator: devices at another machine, held while the bench uses them.

labgrid's client is called as a program, from an environment of its own; nothing of it is imported.

Source: labgrid-client(1) and labgrid-exporter(1) of labgrid 26.0.
"""

import ast
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from hil.run_guard import MARK
from hil.scenario.play.bench import RigBroken

CLIENT: Final = "labgrid-client"
# In a rig's file: a port or a switch that is a resource of the place.
RESOURCE: Final = "labgrid:"
# A coordinator that answers does so within a second or two.
CALL_S_MAX: Final = 60
_SERIAL: Final = "NetworkSerialPort"
# A resource without `protocol` is served as labgrid-exporter serves it: by ser2net, RFC 2217. It
# leaves some SET-CONTROL requests unanswered, which labgrid's own client does not wait for either.
_URLS: Final = {
    "rfc2217": "rfc2217://{host}:{port}?ign_set_control",
    "raw": "socket://{host}:{port}",
}
# Settings of labgrid for a person's own work; they would change what the calls mean.
_PERSONAL: Final = (
    "LG_ENV",
    "LG_PLACE",
    "LG_STATE",
    "LG_INITIAL_STATE",
    "LG_TOKEN",
    "LG_PROXY",
    "PLACE",
    "STATE",
)
_HEADING: Final = re.compile(r"^Place '(?P<name>.*)':$", re.MULTILINE)
_HOLDER: Final = re.compile(r"^  acquired: (?P<holder>\S+)$", re.MULTILINE)
_RESOURCE: Final = re.compile(
    r"^(?:Acquired|Matching) resource '(?P<name>.*)' \(.*\):\n(?P<value>(?:^  .*\n?)+)",
    re.MULTILINE,
)
# Holds the place as long as its stdin is open: the bench's end of that pipe closes with the bench,
# by SIGKILL too.
_HOLD: Final = """\
limit_s=$1
shift
timeout "$limit_s" "$@" acquire </dev/null || exit
echo held
cat >/dev/null
exec timeout "$limit_s" "$@" release
"""


class PlaceUnavailable(RigBroken):
    """The place or a resource of it cannot be used; the message says why, and a remedy."""


class LabgridPlace(Struct, frozen=True, forbid_unknown_fields=True):
    """The section `[labgrid]` of a rig's file.

    `coordinator` is HOST:PORT, `place` the place's whole name, `environment` the folder of the
    environment that labgrid is installed in.
    """

    coordinator: str
    place: str
    environment: str = ".venv-labgrid"

    def client(self, *words: str) -> list[str]:
        """The command of labgrid's client for that place."""
        program = Path(self.environment).expanduser() / "bin" / CLIENT
        return [str(program), "--coordinator", self.coordinator, "--place", self.place, *words]

    def shown(self, *words: str) -> str:
        """The same command as a person types it."""
        return " ".join([CLIENT, "-x", self.coordinator, "-p", self.place, *words])


class PlaceResource(Struct, frozen=True):
    """A resource as the client shows it. `params` are the keys of its class."""

    cls: str
    avail: bool
    params: dict[str, Any]


class ShownPlace(Struct, frozen=True):
    """A place as the client shows it. `holder` is HOST/USER; empty if nobody holds it."""

    name: str
    holder: str
    resources: dict[str, PlaceResource]


class HeldPlace:
    """An acquired place: where its serial ports are, and how its power is switched."""

    def __init__(self, labgrid: LabgridPlace) -> None:
        self._labgrid = labgrid

    def port(self, resource: str) -> str:
        """The URL under which that serial port is served. Raises PlaceUnavailable."""
        labgrid = self._labgrid
        ports = {name: one for name, one in show(labgrid).resources.items() if one.cls == _SERIAL}
        if resource not in ports:
            raise PlaceUnavailable(
                f"place {labgrid.place} has no serial port {resource!r}. Allowed:"
                f" {', '.join(sorted(ports)) or 'it has none'}. Remedy: name one of them, or"
                f" export it and match it: {labgrid.shown('add-match', 'EXPORTER/GROUP/*/*')}"
            )
        return _url(resource, ports[resource])

    def power_command(self, resource: str) -> str:
        """The command that switches the power of that resource: `{state}` is on or off.

        Raises PlaceUnavailable where the place has no such resource.
        """
        labgrid = self._labgrid
        resources = show(labgrid).resources
        if resource not in resources:
            raise PlaceUnavailable(
                f"place {labgrid.place} has no resource {resource!r}. Allowed:"
                f" {', '.join(sorted(resources)) or 'it has none'}. Remedy: name one of them"
            )
        return shlex.join(labgrid.client("power", "{state}", "--name", resource))


@contextmanager
def held_place(labgrid: LabgridPlace) -> Iterator[HeldPlace]:
    """The place, acquired while the block runs, and released however the bench ends.

    Raises PlaceUnavailable, also where it was not released.
    """
    place = show(labgrid)
    if place.holder:
        raise _held_by(labgrid, place.holder)
    holder = _acquire(labgrid)
    try:
        yield HeldPlace(labgrid)
    except BaseException as error:
        if why := _release(labgrid, holder):
            error.add_note(why)
        raise
    if why := _release(labgrid, holder):
        raise PlaceUnavailable(why)


def show(labgrid: LabgridPlace) -> ShownPlace:
    """The place as it is now. Raises PlaceUnavailable."""
    done = _call(labgrid, "show")
    if done.returncode:
        raise _refused(labgrid, done.stderr)
    try:
        place = read_shown(done.stdout)
    except ValueError as error:
        raise PlaceUnavailable(
            f"what {CLIENT} shows of place {labgrid.place} cannot be read: {error}. Remedy:"
            " `make labgrid` installs the version that is known"
        ) from error
    if place.name != labgrid.place:  # the client takes part of a name, too
        raise _no_such_place(labgrid)
    return place


def read_shown(text: str) -> ShownPlace:
    """What `labgrid-client show` printed. Raises ValueError."""
    heading = _HEADING.search(text)
    if heading is None:
        raise ValueError(f"no place is named in {text[:80]!r}")
    holder = _HOLDER.search(text)
    held_by = holder["holder"] if holder else "None"
    found = {}
    for one in _RESOURCE.finditer(text):
        try:
            value = ast.literal_eval(one["value"].strip())
            found[one["name"]] = msgspec.convert(value, PlaceResource)
        except (SyntaxError, msgspec.ValidationError) as error:
            raise ValueError(f"resource {one['name']!r}: {error}") from error
    return ShownPlace(heading["name"], "" if held_by == "None" else held_by, found)


def _url(name: str, port: PlaceResource) -> str:
    """The URL of a serial port. Raises PlaceUnavailable."""
    extra = port.params.get("extra") or {}
    host, number = port.params.get("host"), port.params.get("port")
    protocol = port.params.get("protocol", "rfc2217")
    if not port.avail or not host or number is None:
        raise PlaceUnavailable(
            f"serial port {name!r} is not there now: its exporter serves it nowhere. Remedy: plug"
            " the device in at its machine, and look at the exporter's log"
        )
    if extra.get("proxy_required"):
        raise PlaceUnavailable(
            f"serial port {name!r} is reached through SSH alone: its exporter is isolated. Remedy:"
            " start it without --isolated, or forward the port and name it in the rig's file"
        )
    if protocol not in _URLS:
        raise PlaceUnavailable(
            f"serial port {name!r} is served as {protocol!r}. Allowed: {', '.join(_URLS)}."
            " Remedy: correct it in the exporter's configuration"
        )
    host = f"[{host}]" if ":" in host else host
    return _URLS[protocol].format(host=host, port=number)


def _acquire(labgrid: LabgridPlace) -> "subprocess.Popen[str]":
    """The process that holds the place until its stdin is closed. Raises PlaceUnavailable."""
    holder = subprocess.Popen(
        ["sh", "-c", _HOLD, "holder", str(CALL_S_MAX), *labgrid.client()],  # noqa: S607
        env=_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,  # what ends the bench's session does not end it
    )
    said = []
    try:
        assert holder.stdout is not None, "its output is a pipe"
        for line in holder.stdout:
            if line == "held\n":
                return holder
            said.append(line)
    except BaseException:
        holder.communicate()
        raise
    holder.communicate()
    place = show(labgrid)
    raise (
        _held_by(labgrid, place.holder)  # somebody was faster
        if place.holder
        else _refused(labgrid, "".join(said))
    )


def _release(labgrid: LabgridPlace, holder: "subprocess.Popen[str]") -> str:
    """Let it release the place; why it could not, empty if it did."""
    said, _ = holder.communicate()
    if holder.returncode == 0:
        return ""
    return (
        f"place {labgrid.place} was not released: {_last_words(said)}. Remedy: see who holds it"
        f" with `{labgrid.shown('show')}`; if it is you: `{labgrid.shown('release')}`"
    )


def _call(labgrid: LabgridPlace, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run labgrid's client. Raises PlaceUnavailable where it cannot run or does not end."""
    command = labgrid.client(*words)
    try:
        return subprocess.run(
            command,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=CALL_S_MAX,
        )
    except subprocess.TimeoutExpired:
        raise _unreachable(labgrid, f"no answer within {CALL_S_MAX} s") from None
    except OSError as error:
        raise PlaceUnavailable(
            f"{command[0]} cannot be run: {error.strerror}. Remedy: `make labgrid` installs it into"
            " .venv-labgrid; name that folder in `labgrid.environment`"
        ) from error


def _environment() -> dict[str, str]:
    """This process's own, without a person's settings and without the mark of the run.

    The holder outlives a bench that was killed, until it has released the place.
    """
    return {name: value for name, value in os.environ.items() if name not in (MARK, *_PERSONAL)}


def _refused(labgrid: LabgridPlace, said: str) -> PlaceUnavailable:
    """Why the client did not do it, by what it said."""
    words = _last_words(said)
    if "coordinator" in words and ("unavailable" in words or "Could not connect" in words):
        return _unreachable(labgrid, "nothing answers there")
    if "matches nothing" in words or "matches multiple places" in words:
        return _no_such_place(labgrid)
    if "no matching remote resource" in words:
        return PlaceUnavailable(
            f"place {labgrid.place} lacks a resource: {words}. Remedy: start labgrid-exporter at"
            f" the device's machine; `{labgrid.shown('show')}` lists what is matched"
        )
    return PlaceUnavailable(
        f"{CLIENT} could not use place {labgrid.place}: {words}. Remedy: try"
        f" `{labgrid.shown('show')}` by hand"
    )


def _unreachable(labgrid: LabgridPlace, why: str) -> PlaceUnavailable:
    return PlaceUnavailable(
        f"labgrid's coordinator at {labgrid.coordinator} cannot be reached: {why}. Remedy: start"
        " labgrid-coordinator there, or correct `labgrid.coordinator` (HOST:PORT)"
    )


def _no_such_place(labgrid: LabgridPlace) -> PlaceUnavailable:
    done = _call(labgrid, "places")
    names = ", ".join(done.stdout.split()) if done.returncode == 0 else ""
    return PlaceUnavailable(
        f"labgrid's coordinator at {labgrid.coordinator} has no place {labgrid.place}. Allowed:"
        f" {names or 'it has none yet'}. Remedy: name one of them, or make it:"
        f" `{labgrid.shown('create')}`"
    )


def _held_by(labgrid: LabgridPlace, holder: str) -> PlaceUnavailable:
    return PlaceUnavailable(
        f"place {labgrid.place} is held by {holder}. Remedy: wait until it is released; if no run"
        f" of theirs is left, {holder} releases it with `{labgrid.shown('release')}`"
    )


def _last_words(said: str) -> str:
    """The last line that the client wrote: the error, behind a traceback too."""
    lines = said.strip().splitlines()
    words = lines[-1] if lines else "it said nothing"
    return re.sub(r"^(?:\S+: )?(?:Error: )+", "", words).rstrip(".")
