"""What `smartshoe setup` asks a person at a terminal: a question a line, each with its default.

A wrong answer is asked for again, in the words of check-config.
Source: controller/install/README.md, "Setting up".
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import typer

from controller.accounts.pin import pin_problem
from controller.actions.declaration import SUPERVISORS, Role
from controller.cli.output import echo
from controller.cli.set_up.plugged_in import Ports, ports_now, wait_for_new
from controller.install.new_table import Answers, NewPerson, problems_at
from controller.messages.catalogue import to_words
from controller.procedure.rulebook import ObservableFact
from controller.profiles.load import load_profile, profile_names
from drivers.catalogue import DEFAULT_MODELS, find_model, model_names
from drivers.model import DeviceKind
from firmware_bridge.transport.open_port import open_port
from firmware_bridge.transport.port import LineSettings, Parity, PortUnavailable
from firmware_bridge.transport.port_url import NetworkUrl, parse_port_url

NONE: Final = "none"
_DEFAULT_OBSERVED: Final = "result_button"
_ZONE_LINK: Final = Path("/etc/localtime")
_ZONES: Final = "zoneinfo/"
_PLUG: Final = "p"

Sections = dict[str, dict[str, object]]


class SetUpQuestions:
    """Asks for one table, whose file is for `folder`; `name` is asked for where it is empty."""

    def __init__(self, folder: Path, name: str = "", look: Callable[[], Ports] = ports_now) -> None:
        self._folder = folder
        self._name = name
        self._look = look
        self.sections: Sections = {}

    def answers(self) -> Answers:
        """Ask everything. Ctrl-C and the end of input raise typer.Abort."""
        echo("Enter takes what stands in brackets; Ctrl-C ends, and nothing is written.\n")
        self._ask_table()
        self._ask_rules()
        self._ask_shoe()
        self._ask_shuffler()
        self._ask_page()
        return Answers(self.sections, self._ask_people())

    # --- the sections -----------------------------------------------------------------------------

    def _ask_table(self) -> None:
        self._put("table", "name", "Name of the table, as its sign has it", self._name or "M-12")
        self._put("table", "pit", "Its pit; may be empty", "")
        self._put("table", "time_zone", "Time zone of the casino", local_zone())

    def _ask_rules(self) -> None:
        echo("")
        titles = [(name, load_profile(name).title) for name in profile_names()]
        self._choose("rules", "profile", "Rules of the table", titles, "s42-mini")
        echo(f"\nReported at a table, beside cards: {', '.join(ObservableFact)}.")
        self._put("rules", "observed", "Which of them are, here", _DEFAULT_OBSERVED, _listed)
        # A trial stands beside a system that deals: nothing of it may be touched.
        if _yes("Is it a trial beside an existing system, in which nothing is written to a device"):
            self._store("table", "trial", True)

    def _ask_shoe(self) -> None:
        echo("")
        default = DEFAULT_MODELS[DeviceKind.SHOE]
        self._choose("shoe", "model", "The shoe", _titles(DeviceKind.SHOE), default)
        self._ask_port(DeviceKind.SHOE)

    def _ask_shuffler(self) -> None:
        echo("")
        titles = [(NONE, "none, or none that is connected"), *_titles(DeviceKind.SHUFFLER)]
        chosen = _chosen("The shuffler", titles, NONE)
        if chosen == NONE:
            return
        self._store("shuffler", "model", chosen)
        self._ask_port(DeviceKind.SHUFFLER)
        if find_model(DeviceKind.SHUFFLER, chosen).proves_identity:
            self._ask_identity()
        else:
            echo("  It proves no identity: people and the seal of its cable vouch for it.")
            self._store("shuffler", "bare", True)

    def _ask_identity(self) -> None:
        """A shuffler with a key is paired by a ceremony of its own; until then it is left out."""
        while True:
            file = _text("File that `smartshoe identity pair` wrote; empty: it is paired later", "")
            if not file:
                del self.sections["shuffler"]
                echo("  The shuffler is left out. Pair it (docs/commissioning.md), then add it.")
                return
            self._store("shuffler", "identity", file)
            if not (problems := problems_at(self.sections, self._folder, "shuffler.identity")):
                return
            _show(problems)

    def _ask_page(self) -> None:
        echo("")
        self._put("console", "language", "Language of the page, en or zh_Hant", "en")
        self._put("metrics", "port", "Port of page and metrics, on this machine alone", "9309", int)

    # --- ports ------------------------------------------------------------------------------------

    def _ask_port(self, kind: DeviceKind) -> None:
        """The port, found by plugging the device in, or typed: a path, or a server's address."""
        name = kind.value
        while True:
            words = f"Port of the {name}: {_PLUG} to find it by plugging it in, a path, an address"
            typed = _text(words, _PLUG)
            port = self._plugged(name) if typed == _PLUG else typed
            if not port:
                continue
            self._store(name, "port", port)
            problems = problems_at(self.sections, self._folder, f"{name}.port")
            if not problems and (not _is_network(port) or self._answers(port)):
                echo(f"  {name}: {port}")
                return
            _show(problems)

    def _plugged(self, name: str) -> str:
        typer.prompt(f"Unplug the {name}, then press Enter", default="", show_default=False)
        before = self._look()
        echo(f"Now plug the {name} in ...")
        found = wait_for_new(before, self._look)
        if not found:
            echo(
                "  no new port appeared. Look at the cable, and whether the device has power;"
                " `dmesg` shows what the kernel saw"
            )
            return ""
        if len(found) == 1:
            return next(iter(found))
        return _chosen("It has several ports", list(found.items()), next(iter(found)))

    @staticmethod
    def _answers(url: str) -> bool:
        """Whether somebody answers at the address, or the person takes it all the same."""
        port = open_port(url, LineSettings(9600, Parity.NONE))
        try:
            port.open()
        except PortUnavailable as error:
            echo(f"  {to_words(error.why)}")
            return _yes("Keep it all the same")
        port.close()
        return True

    # --- people -----------------------------------------------------------------------------------

    def _ask_people(self) -> tuple[NewPerson, ...]:
        echo("\nPeople who decide prove who they are by PIN. Without any, every name is a claim.")
        people: list[NewPerson] = []
        while name := _text("Name of a person; empty ends", ""):
            if any(one.name == name for one in people):
                echo(f"  {name} is in the list already")
                continue
            roles = [(one.value, "") for one in Role]
            role = Role(_chosen("Role", roles, Role.FLOORPERSON.value))
            people.append(NewPerson(name, role, _new_pin(name)))
        if not any(one.role in SUPERVISORS for one in people):
            echo(
                "  Nobody is a floorperson or pit manager: add one later by `smartshoe people add`."
            )
        return tuple(people)

    # --- one key ----------------------------------------------------------------------------------

    def _put(
        self,
        section: str,
        key: str,
        question: str,
        default: str,
        read: Callable[[str], object] = str,
    ) -> None:
        """Ask until the program takes the value; an empty one is left out."""
        while True:
            typed = _text(question, default)
            try:
                value = read(typed)
            except ValueError:
                echo(f"  {typed!r} is not allowed. Allowed: a whole number. Remedy: correct it")
                continue
            self._store(section, key, value)
            problems = problems_at(self.sections, self._folder, f"{section}.{key}")
            if not problems:
                if not typed:
                    del self.sections[section][key]
                return
            _show(problems)

    def _choose(
        self,
        section: str,
        key: str,
        question: str,
        options: Sequence[tuple[str, str]],
        default: str,
    ) -> None:
        self._store(section, key, _chosen(question, options, default))

    def _store(self, section: str, key: str, value: object) -> None:
        self.sections.setdefault(section, {})[key] = value


def local_zone() -> str:
    """The time zone of this machine by its IANA name; UTC where it is not known."""
    try:
        target = str(_ZONE_LINK.resolve(strict=True))
    except OSError:
        return "UTC"
    _, found, name = target.partition(_ZONES)
    return name.removeprefix("Etc/") if found else "UTC"


def _titles(kind: DeviceKind) -> list[tuple[str, str]]:
    return [(name, find_model(kind, name).title) for name in model_names(kind)]


def _text(question: str, default: str) -> str:
    return str(typer.prompt(question, default=default, show_default=bool(default))).strip()


def _yes(question: str) -> bool:
    return bool(typer.confirm(question, default=False))


def _chosen(question: str, options: Sequence[tuple[str, str]], default: str) -> str:
    """One of the options, by its number or its name."""
    for number, (name, words) in enumerate(options, start=1):
        echo(f"  {number:>2}  {name:<20} {words}".rstrip())
    names = [name for name, _ in options]
    while True:
        typed = _text(question, default)
        if typed.isascii() and typed.isdigit() and 1 <= int(typed) <= len(names):
            return names[int(typed) - 1]
        if typed in names:
            return typed
        echo(f"  {typed!r} is not allowed. Allowed: 1 to {len(names)}, or a name of the list")


def _new_pin(name: str) -> str:
    """A PIN typed twice, and not shown."""
    while True:
        pin = str(typer.prompt(f"PIN of {name}", hide_input=True))
        if problem := pin_problem(pin):
            echo(f"  {problem}")
        elif str(typer.prompt("the same again", hide_input=True)) != pin:
            echo("  the two differ: type it once more")
        else:
            return pin


def _listed(text: str) -> list[str]:
    return [one for one in text.replace(",", " ").split() if one]


def _is_network(url: str) -> bool:
    return isinstance(parse_port_url(url), NetworkUrl)


def _show(problems: Sequence[str]) -> None:
    for one in problems:
        echo(f"  {one}")
