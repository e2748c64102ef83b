"""What `smartshoe setup` asks a person at a terminal: a question a line, each with its default.

A wrong answer is asked for again, in the words of check-config. A port is found by plugging its
device in: what is there afterwards and was not before.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import typer

from controller.cli.devices.attached_devices import is_hub, list_serial, list_usb
from controller.procedure.rulebook import ObservableFact
from controller.rules.actions.declaration import SUPERVISORS, Role
from controller.rules.profiles.load import load_profile, profile_names
from controller.service.install.new_table import (
    Answers,
    NewPerson,
    person_problem,
    problems_at,
    problems_in,
    usual_web_port,
)
from controller.system.command_line.output import echo
from controller.system.messages.catalogue import to_words
from controller.table.accounts.pin import pin_problem
from drivers.catalogue import DEFAULT_MODELS, find_model, model_names
from drivers.model import DeviceKind
from firmware_bridge.transport.open_port import open_port, port_absence
from firmware_bridge.transport.port import LineSettings, Parity, PortUnavailable
from firmware_bridge.transport.port_url import NetworkUrl, parse_port_url
from firmware_bridge.transport.serial_port import list_serial_ports
from firmware_bridge.transport.usb_sysfs import attached_devices

NONE: Final = "none"
LATER: Final = "later"
_NAME: Final = "Name of the table, as on its sign"
_NAME_EXAMPLE: Final = "M-12"
_DEFAULT_PROFILE: Final = "s42-mini"
_DECKS: Final = "8"
_DEFAULT_OBSERVED: Final = "result_button"
_ZONE_LINK: Final = Path("/etc/localtime")
_ZONES: Final = "zoneinfo/"
_PLUG: Final = "p"
_FACTS: Final[Mapping[ObservableFact, str]] = {
    ObservableFact.RESULT_BUTTON: "each result is declared, by a key of the shoe or on the page",
    ObservableFact.NO_MORE_BETS: "the call is entered at each coup",
    ObservableFact.TURNED: "it is entered when a squeezed card is turned",
    ObservableFact.WAGERS: "wagers are entered, by seat",
    ObservableFact.SHOE_OPENED: "inspection, shuffle and the layout are recorded before a shoe",
    ObservableFact.CUT_DEPTH: "the cut and its depth are recorded",
    ObservableFact.BATCH_LOADED: "loading is recorded, with batch and count",
    ObservableFact.DISCARD_COUNT: "the discard rack is counted after each coup",
}
# What the paired device's section names: key, question, what is usual.
_TRUST_FILES: Final = (
    ("identity", "File that `identity pair` wrote", "{name}.identity.json"),
    ("approved", "Signed list of the firmware that may run", "approved.json"),
    ("approved_keys", "Public key of who signed that list", "table.key.pub"),
)
_PAIRING: Final = """\
  The {name} proves who it is by a key of its own: it is paired first, and its firmware approved.
  In another terminal, in the folder {folder} (docs/cards-and-shuffler.md):
    smartshoe identity pair {port} --out {name}.identity.json --person NAME
    smartshoe keys make table.key
    smartshoe firmware approve --image FIRMWARE --version V --counter N --list approved.json
"""

# A device that begins with a boot loader of its own needs so long until its port appears.
APPEARS_S_MAX: Final = 20.0
# Its link by id, and its further interfaces, come a little later.
_SETTLES_S: Final = 0.5
_POLL_S: Final = 0.2

Sections = dict[str, dict[str, object]]
# Every port that a device of a table may have: what to write, and what it is.
Ports = Mapping[str, str]


def pause(seconds: float) -> None:
    """Wait so long."""
    threading.Event().wait(seconds)


def ports_now() -> Ports:
    """Every port that a device of a table may have now: what to write, and what it is."""
    ports = list_serial_ports()
    attached = tuple(one for one in attached_devices() if not is_hub(one.identity))
    serial = {one.stable_name: one.description for one in list_serial(ports, attached)}
    usb = list_usb(attached, ports, {}, None)
    # The port of a serial adapter is in the list already, by its stable name.
    others = {
        one.url: f"USB device {one.usb_id}"
        for one in usb
        if one.url and not one.url.startswith("usbserial:")
    }
    return serial | others


def wait_for_new(
    before: Ports,
    look: Callable[[], Ports] = ports_now,
    wait: Callable[[float], object] = pause,
) -> Ports:
    """The ports that have appeared since; empty if none does in `APPEARS_S_MAX`."""
    for _ in range(round(APPEARS_S_MAX / _POLL_S)):
        if _appeared(before, look()):
            wait(_SETTLES_S)
            return _appeared(before, look())
        wait(_POLL_S)
    return {}


def _appeared(before: Ports, after: Ports) -> Ports:
    return {port: words for port, words in after.items() if port not in before}


class SetUpQuestions:
    """Asks for one table, whose file is for `folder`; `name` is asked for where it is empty.

    `over_old`: it may be that of a file that is there.
    """

    def __init__(
        self,
        folder: Path,
        name: str = "",
        look: Callable[[], Ports] = ports_now,
        *,
        over_old: bool = False,
    ) -> None:
        self._folder = folder
        self._name = name
        self._look = look
        self._over_old = over_old
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
        self._ask_name()
        self._put("table", "pit", "Its pit; may be empty", "")
        self._put("table", "time_zone", "Time zone of the casino", local_zone())

    def _ask_name(self) -> None:
        typed = self._name or _text(_NAME, _NAME_EXAMPLE)
        while problems := self._name_problems(typed):
            _show(problems)
            typed = _text(_NAME, _NAME_EXAMPLE)

    def _name_problems(self, name: str) -> Sequence[str]:
        self._store("table", "name", name)
        problems = problems_at(self.sections, self._folder, "table.name")
        file = self._folder / f"{name}.toml"
        if problems or self._over_old or not file.exists():
            return problems
        return (f"{file} is there already. Remedy: another name; --replace keeps the old file",)

    def _ask_rules(self) -> None:
        echo("")
        titles = [(name, load_profile(name).title) for name in profile_names()]
        _list(titles)
        names = [name for name, _ in titles]
        question = "Rules of the table; or a file of the house, such as house.toml"
        self._put(
            "rules", "profile", question, _DEFAULT_PROFILE, lambda typed: _named(typed, names)
        )
        self._put("rules", "decks", "Decks in the dealing shoe", _DECKS, int)
        echo("\nWhat devices or people report here, beside cards; the rest is only prompted:")
        for fact, words in _FACTS.items():
            echo(f"      {fact.value:<20} {words}")
        self._put("rules", "observed", "Which of them, with commas", _DEFAULT_OBSERVED, _listed)
        # A trial stands beside a system that deals: nothing of it may be touched.
        if _yes("Is it a trial beside an existing system, in which nothing is written to a device"):
            self._store("table", "trial", True)

    def _ask_shoe(self) -> None:
        while True:
            echo("")
            default = DEFAULT_MODELS[DeviceKind.SHOE]
            chosen = _chosen("The shoe", _titles(DeviceKind.SHOE), default)
            self.sections["shoe"] = {"model": chosen}
            self._ask_port(DeviceKind.SHOE)
            if not find_model(DeviceKind.SHOE, chosen).proves_identity:
                return
            if self._ask_identity("shoe"):
                return
            echo("  Without it the table does not start: choose another shoe, or pair it now.")

    def _ask_shuffler(self) -> None:
        echo("")
        titles = [(NONE, "none, or none that is connected"), *_titles(DeviceKind.SHUFFLER)]
        chosen = _chosen("The shuffler", titles, NONE)
        if chosen == NONE:
            return
        self.sections["shuffler"] = {"model": chosen}
        self._ask_port(DeviceKind.SHUFFLER)
        if not find_model(DeviceKind.SHUFFLER, chosen).proves_identity:
            echo("  It proves no identity: people and the seal of its cable vouch for it.")
            self._store("shuffler", "bare", True)
        elif not self._ask_identity("shuffler"):
            del self.sections["shuffler"]
            echo("  The shuffler is left out. Pair it (docs/cards-and-shuffler.md), then add it.")

    def _ask_identity(self, name: str) -> bool:
        """The files by which a device with a key is let in; False where it is not paired yet."""
        port = self.sections[name]["port"]
        echo(_PAIRING.format(name=name, port=port, folder=self._folder.resolve()).rstrip())
        while True:
            for key, question, usual in _TRUST_FILES:
                hint = f"; {LATER}: it is not paired yet" if key == "identity" else ""
                typed = _text(f"{question}{hint}", usual.format(name=name))
                if key == "identity" and typed == LATER:
                    return False
                self._store(name, key, [typed] if key == "approved_keys" else typed)
            if not (problems := problems_in(self.sections, self._folder, name)):
                return True
            _show(problems)

    def _ask_page(self) -> None:
        echo("")
        self._put("console", "language", "Language of the page, en or zh_Hant", "en")
        usual = str(usual_web_port(self._folder, str(self.sections["table"]["name"])))
        self._put("metrics", "port", "Port of page and metrics, on this machine alone", usual, int)

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
            if not problems and (typed == _PLUG or self._is_there(port)):
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
    def _is_there(url: str) -> bool:
        """Whether the port is there, by a connection to an address; or it is kept all the same."""
        if not isinstance(parse_port_url(url), NetworkUrl):
            why = port_absence(url)
        else:
            why, port = None, open_port(url, LineSettings(9600, Parity.NONE))
            try:
                port.open()
            except PortUnavailable as error:
                why = error.why
            else:
                port.close()
        if why is None:
            return True
        echo(f"  {to_words(why)}")
        return _yes("Keep it all the same")

    # --- people -----------------------------------------------------------------------------------

    def _ask_people(self) -> tuple[NewPerson, ...]:
        echo(
            "\nPeople prove who they are by PIN: who decides, and dealers, to sign on at the table."
        )
        echo("Without any, every name is a claim.")
        people: list[NewPerson] = []
        while name := _text("Name of a person; empty ends", ""):
            if problem := person_problem(name, [one.name for one in people]):
                echo(f"  {problem.removeprefix('name: ')}")
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
    while True:
        typed = _text(f"{question}, y or n", "n").lower()
        if typed in ("y", "yes", "n", "no"):
            return typed.startswith("y")
        echo(f"  {typed!r} is not allowed. Allowed: y or n. Remedy: type one of them")


def _chosen(question: str, options: Sequence[tuple[str, str]], default: str) -> str:
    """One of the options, by its number or its name."""
    _list(options)
    names = [name for name, _ in options]
    while True:
        typed = _text(question, default)
        if (name := _named(typed, names)) in names:
            return name
        echo(f"  {typed!r} is not allowed. Allowed: 1 to {len(names)}, or a name of the list")


def _list(options: Sequence[tuple[str, str]]) -> None:
    for number, (name, words) in enumerate(options, start=1):
        echo(f"  {number:>2}  {name:<20} {words}".rstrip())


def _named(typed: str, names: Sequence[str]) -> str:
    """The name that is meant by a number of the list; else what was typed."""
    if typed.isascii() and typed.isdigit() and 1 <= int(typed) <= len(names):
        return names[int(typed) - 1]
    return typed


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


def _show(problems: Sequence[str]) -> None:
    for one in problems:
        echo(f"  {one}")
