"""What `smartshoe setup` asks, answer by answer: wrong ones are asked for again."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from controller.cli.set_up.questions import APPEARS_S_MAX, SetUpQuestions, wait_for_new
from controller.rules.actions.declaration import Role
from controller.service.install.new_table import Answers, NewPerson

# Any device is there; a path where nothing is is asked for once more.
PORT = "/dev/null"
ABSENT = "/dev/ttyUSB99"
# Name, pit, zone, rules, decks, observed, trial, shoe; then no shuffler, language, port, nobody.
TABLE = ("", "", "UTC", "", "", "", "", "")
REST = ("", "", "", "")


class Ports:
    """The ports of a machine: what is there before, and what appears."""

    def __init__(self, *appearing: str) -> None:
        self._looks = [{}, dict.fromkeys(appearing, "USB serial port")]

    def __call__(self) -> dict[str, str]:
        return self._looks.pop(0) if len(self._looks) > 1 else self._looks[0]


def asked(
    folder: Path,
    *typed: str,
    name: str = "",
    ports: Ports | None = None,
    over_old: bool = False,
):
    """The answers of a person who types these lines, None if they end before; and the output."""
    app, got = typer.Typer(), []

    @app.command()
    def ask() -> None:
        ask_for = SetUpQuestions(folder, name, ports or Ports(), over_old=over_old)
        got.append(ask_for.answers())

    shown = CliRunner().invoke(app, input="\n".join((*typed, "")))
    return (got[0] if got else None), shown.output


def answers_of(folder: Path, *typed: str, **how) -> Answers:
    answers, shown = asked(folder, *typed, **how)
    assert answers is not None, shown
    return answers


def test_defaults_are_a_table_of_one_shoe(fast_dir: Path) -> None:
    answers = answers_of(fast_dir, *TABLE, PORT, *REST)
    assert answers.sections["table"] == {"name": "M-12", "time_zone": "UTC"}
    assert answers.sections["rules"] == {
        "profile": "s42-mini",
        "decks": 8,
        "observed": ["result_button"],
    }
    assert answers.sections["shoe"] == {"model": "angel-eye-ii-ex", "port": PORT}
    assert "shuffler" not in answers.sections
    assert answers.people == ()


def test_the_name_of_the_command_is_not_asked_for_unless_it_is_wrong(fast_dir: Path) -> None:
    answers = answers_of(fast_dir, *TABLE[1:], PORT, *REST, name="B-7")
    assert answers.sections["table"]["name"] == "B-7"
    corrected, shown = asked(fast_dir, "B-8", *TABLE[1:], PORT, *REST, name="B 8")
    assert "'B 8' names no file and no unit" in shown
    assert corrected is not None
    assert corrected.sections["table"]["name"] == "B-8"


def test_the_name_of_a_file_that_is_there_is_refused_before_anything_else_is_asked(
    fast_dir: Path,
) -> None:
    (fast_dir / "M-12.toml").write_text("")
    answers, shown = asked(fast_dir, "M-12", "M-13", *TABLE[1:], PORT, *REST)
    assert "M-12.toml is there already. Remedy: another name; --replace" in shown
    assert answers is not None
    assert answers.sections["table"]["name"] == "M-13"
    replaced = answers_of(fast_dir, "M-12", *TABLE[1:], PORT, *REST, over_old=True)
    assert replaced.sections["table"]["name"] == "M-12"


@pytest.mark.parametrize(
    ("number", "wrong", "right", "words"),
    [
        (0, "M 12", "M-13", "'M 12' names no file and no unit"),
        (2, "Wien", "Europe/Vienna", "'Wien' is not a time zone"),
        (3, "mimi", "7", "'mimi' is not allowed. Allowed: house-baccarat"),
        (4, "4", "6", "4 is not allowed. Allowed: at least 6"),
        (4, "six", "6", "'six' is not allowed. Allowed: a whole number"),
        (5, "cards", "turned, wagers", "'cards' is not a fact that a table can observe"),
        (6, "perhaps", "n", "'perhaps' is not allowed. Allowed: y or n"),
        (7, "12", "1", "'12' is not allowed. Allowed: 1 to 3, or a name of the list"),
        (7, "lumen", "feig-rfid", "'lumen' is not allowed"),
    ],
)
def test_a_wrong_answer_is_asked_for_again(
    fast_dir: Path, number: int, wrong: str, right: str, words: str
) -> None:
    typed = [*TABLE[:number], wrong, right, *TABLE[number + 1 :]]
    answers, shown = asked(fast_dir, *typed, PORT, *REST)
    assert words in shown
    assert answers is not None


def test_a_trial_is_asked_for(fast_dir: Path) -> None:
    answers = answers_of(fast_dir, *TABLE[:6], "y", "", PORT, *REST)
    assert answers.sections["table"]["trial"] is True


def test_the_rules_may_be_a_file_of_the_house(fast_dir: Path) -> None:
    (fast_dir / "house.toml").write_text('name = "grand"\nbase = "ny-mini"\ntitle = "Grand"\n')
    answers = answers_of(fast_dir, *TABLE[:3], "house.toml", *TABLE[4:], PORT, *REST)
    assert answers.sections["rules"]["profile"] == "house.toml"


def test_the_port_is_found_by_plugging_the_device_in(fast_dir: Path) -> None:
    answers = answers_of(fast_dir, *TABLE, "", "", *REST, ports=Ports(ABSENT))
    assert answers.sections["shoe"]["port"] == ABSENT


def test_of_several_new_ports_one_is_chosen(fast_dir: Path) -> None:
    answers = answers_of(fast_dir, *TABLE, "p", "", "2", *REST, ports=Ports(PORT, f"{PORT}-1"))
    assert answers.sections["shoe"]["port"] == f"{PORT}-1"


def test_an_address_where_nobody_answers_is_kept_only_on_request(fast_dir: Path) -> None:
    nobody = "socket://127.0.0.1:9"
    answers, shown = asked(fast_dir, *TABLE, nobody, "n", PORT, *REST)
    assert "cannot be opened" in shown
    assert answers is not None
    assert answers.sections["shoe"]["port"] == PORT
    kept = answers_of(fast_dir, *TABLE, nobody, "y", *REST)
    assert kept.sections["shoe"]["port"] == nobody


def test_a_path_where_nothing_is_is_kept_only_on_request(fast_dir: Path) -> None:
    answers, shown = asked(fast_dir, *TABLE, ABSENT, "n", PORT, *REST)
    assert f"{ABSENT}: " in shown
    assert answers is not None
    assert answers.sections["shoe"]["port"] == PORT
    kept = answers_of(fast_dir, *TABLE, ABSENT, "y", *REST)
    assert kept.sections["shoe"]["port"] == ABSENT


def test_a_port_that_cannot_be_one_is_asked_for_again(fast_dir: Path) -> None:
    answers, shown = asked(fast_dir, *TABLE, "usb://1", PORT, *REST)
    assert "Remedy: " in shown
    assert answers is not None
    assert answers.sections["shoe"]["port"] == PORT


def test_a_shuffler_that_is_not_paired_yet_is_left_out_and_said(fast_dir: Path) -> None:
    answers, shown = asked(fast_dir, *TABLE, PORT, "tablelink", "/dev/zero", "later", *REST[1:])
    assert "smartshoe identity pair /dev/zero --out shuffler.identity.json" in shown
    assert "The shuffler is left out. Pair it" in shown
    assert answers is not None
    assert "shuffler" not in answers.sections


def test_files_of_a_pairing_that_are_not_there_are_asked_for_again(fast_dir: Path) -> None:
    files = ("none.json", "", "", "later")
    answers, shown = asked(fast_dir, *TABLE, PORT, "tablelink", "/dev/zero", *files, *REST[1:])
    assert "shuffler.identity: " in shown
    assert "shuffler.approved_keys: " in shown
    assert answers is not None
    assert "shuffler" not in answers.sections


def test_a_shoe_with_a_key_is_paired_or_another_shoe_is_chosen(fast_dir: Path) -> None:
    shoe = ("tablelink", "/dev/zero", "later", "")
    answers, shown = asked(fast_dir, *TABLE[:7], *shoe, PORT, *REST)
    assert "Without it the table does not start: choose another shoe, or pair it now." in shown
    assert answers is not None
    assert answers.sections["shoe"] == {"model": "angel-eye-ii-ex", "port": PORT}


def test_a_shuffler_by_contacts_proves_no_identity(fast_dir: Path) -> None:
    lines = "gpio://gpiochip99:5,6,13,19"
    answers = answers_of(fast_dir, *TABLE, PORT, "contacts", lines, "y", *REST[1:])
    assert answers.sections["shuffler"] == {"model": "contacts", "port": lines, "bare": True}


def test_a_person_has_a_role_and_a_pin_typed_twice_that_is_not_shown(fast_dir: Path) -> None:
    person = ("Ann Lee", "floorperson", "123456", "270918", "270981", "270918", "270918", "")
    answers, shown = asked(fast_dir, *TABLE, PORT, *REST[:3], *person)
    assert answers is not None
    assert answers.people == (NewPerson("Ann Lee", Role.FLOORPERSON, "270918"),)
    assert "it is a row such as 123456" in shown
    assert "the two differ" in shown
    assert "270918" not in shown


def test_the_same_person_is_not_taken_twice(fast_dir: Path) -> None:
    person = ("Bo Ray", "3", "481516", "481516")
    answers, shown = asked(fast_dir, *TABLE, PORT, *REST[:3], *person, "Bo Ray", "")
    assert "Bo Ray is in the list already" in shown
    assert answers is not None
    assert [one.role for one in answers.people] == [Role.PIT_MANAGER]


def test_accounts_are_offered_to_dealers_too(fast_dir: Path) -> None:
    person = ("Dee Dealer", "dealer", "481516", "481516", "")
    answers, shown = asked(fast_dir, *TABLE, PORT, *REST[:3], *person)
    assert "who decides, and dealers, to sign on" in shown
    assert answers is not None
    assert [one.role for one in answers.people] == [Role.DEALER]


def test_where_nobody_may_decide_it_is_said(fast_dir: Path) -> None:
    _, shown = asked(fast_dir, *TABLE, PORT, *REST)
    assert "smartshoe people add" in shown


def test_the_end_of_the_answers_leaves_nothing(fast_dir: Path) -> None:
    answers, _ = asked(fast_dir, *TABLE[:5])
    assert answers is None
    assert list(fast_dir.iterdir()) == []


BEFORE = {"/dev/ttyS0": "of the machine", "/dev/serial/by-id/other": "another device"}
SHOE = "/dev/serial/by-id/shoe"


class Machine:
    """Ports as they are seen one look after the other; the last one stays."""

    def __init__(self, *looks: Mapping[str, str]) -> None:
        self._looks: Iterator[Mapping[str, str]] = iter(looks)
        self._last: Mapping[str, str] = {}
        self.waited_s = 0.0

    def look(self) -> Mapping[str, str]:
        self._last = next(self._looks, self._last)
        return self._last

    def wait(self, seconds: float) -> None:
        self.waited_s += seconds


def found(machine: Machine) -> Mapping[str, str]:
    return wait_for_new(BEFORE, machine.look, machine.wait)


def test_the_port_that_appears_is_the_device() -> None:
    assert found(Machine(BEFORE, BEFORE, {**BEFORE, SHOE: "shoe"})) == {SHOE: "shoe"}


def test_a_further_port_of_the_device_and_its_lasting_name_are_waited_for() -> None:
    machine = Machine({**BEFORE, "/dev/ttyUSB0": ""}, {**BEFORE, SHOE: "shoe", f"{SHOE}-if01": ""})
    assert set(found(machine)) == {SHOE, f"{SHOE}-if01"}


def test_a_port_that_goes_is_none() -> None:
    assert found(Machine({"/dev/ttyS0": "of the machine"})) == {}


def test_where_none_appears_the_search_ends() -> None:
    machine = Machine(BEFORE)
    assert found(machine) == {}
    assert round(machine.waited_s) == APPEARS_S_MAX
