"""What two tables of one machine may not share, and what they may."""

from collections.abc import Callable
from pathlib import Path

import pytest

from controller.service.config.collisions import collisions, pit_collisions
from controller.service.config.load import load_config
from hil.rig.servers.certificates import CertificateAuthority

Found = Callable[[str, str], str]


TLS = 'certificate = "table.crt"\nkey = "table.pem"\nclient_ca = "house.crt"'


@pytest.fixture
def found(tmp_path: Path) -> Found:
    """The problem that the second of two tables has with the first, empty if none.

    Each table has a name, journal, socket and port of its own, unless its text replaces them; a
    line `key = value` goes into the section before which it is written.
    """

    authority = CertificateAuthority(tmp_path, "house")
    authority.signed("table")

    def problem_of(first: str, second: str) -> str:
        files = [tmp_path / "a.toml", tmp_path / "b.toml"]
        for file, text in zip(files, (first, second), strict=True):
            file.write_text(_whole(file.stem, text))
        problems = collisions(tuple(map(load_config, files)))
        assert list(problems) == files
        assert problems[files[0]] == ()
        return "; ".join(problems[files[1]]).replace(str(tmp_path), "HERE")

    return problem_of


def _whole(own: str, text: str) -> str:
    parts = {
        "[table]": f'name = "{own}"',
        "[journal]": f'folder = "journal-{own}"',
        "[control]": f'socket = "{own}.sock"',
        "[shoe]": f'port = "/dev/{own}"',
    }
    missing = (f"{name}\n{line}\n" for name, line in parts.items() if name not in text)
    return "".join(missing) + text


def test_two_tables_with_all_of_their_own(found: Found) -> None:
    assert found("", "") == ""


SHARED = {
    "name": ('[table]\nname = "M-1"', "table.name: M-1 is table.name of HERE/a.toml"),
    "journal": (
        '[journal]\nfolder = "kept"',
        "journal.folder: HERE/kept is journal.folder of HERE/a.toml",
    ),
    "socket": (
        '[control]\nsocket = "c.sock"',
        "control.socket: HERE/c.sock is control.socket of HERE/a.toml",
    ),
    "key": (
        '[evidence]\nkey = "house.key"',
        "evidence.key: HERE/house.key is evidence.key of HERE/a.toml",
    ),
    "overlay": (
        '[overlay]\nlisten = "127.0.0.1:7001"',
        "overlay.listen: 127.0.0.1:7001 is overlay.listen of HERE/a.toml",
    ),
    "shoe": ('[shoe]\nport = "/dev/s"', "shoe.port: /dev/s is shoe.port of HERE/a.toml"),
    "reader": (
        '[[reader]]\nport = "/dev/r"\nseat = "layout"',
        "reader[1].port: /dev/r is reader[1].port of HERE/a.toml",
    ),
    "scanner": (
        '[[scanner]]\nport = "usbhid://0c2e:0b81/S1"\nmodel = "hid-pos"',
        "scanner[1].port: usbhid://0c2e:0b81/S1 is scanner[1].port of HERE/a.toml",
    ),
    "shuffler": (
        '[shuffler]\nport = "/dev/m"\nbare = true',
        "shuffler.port: /dev/m is shuffler.port of HERE/a.toml",
    ),
    "contacts": (
        '[shuffler]\nmodel = "contacts"\nport = "gpio://gpiochip0:5"\nbare = true',
        "shuffler.port: /dev/gpiochip0:5 is shuffler.port of HERE/a.toml",
    ),
    "lamp": (
        '[outputs]\ngreen = "gpiochip0:5"',
        "outputs.green: /dev/gpiochip0:5 is outputs.green of HERE/a.toml",
    ),
    "lock": (
        '[outputs]\nexit_lock = "gpiochip0:5"',
        "outputs.exit_lock: /dev/gpiochip0:5 is outputs.exit_lock of HERE/a.toml",
    ),
}


@pytest.mark.parametrize("kind", SHARED)
def test_what_two_tables_share_is_a_problem_of_the_later_one(kind: str, found: Found) -> None:
    text, problem = SHARED[kind]

    words = found(text, text)
    assert words.startswith(f"{problem}. Allowed: ")
    assert words.count("Remedy: ") == 1


DIFFERENT = {
    "path": ('[journal]\nfolder = "kept"', '[journal]\nfolder = "./x/../kept"'),
    "socket and journal": ('[journal]\nfolder = "kept"', '[control]\nsocket = "kept"'),
    "host": ('[shoe]\nport = "socket://box:4001"', '[shoe]\nport = "rfc2217://BOX:4001"'),
    "USB ids": (
        '[[scanner]]\nport = "usbhid://0C2E:0B81/S1"\nmodel = "hid-pos"',
        '[[scanner]]\nport = "usbhid://0c2e:0b81/S1"\nmodel = "hid-pos"',
    ),
    "another device": ('[shoe]\nport = "/dev/x"', '[[reader]]\nport = "/dev/x"\nseat = "layout"'),
    "contact and lamp": (
        '[shuffler]\nmodel = "contacts"\nport = "gpio://gpiochip0:5"\nbare = true',
        '[outputs]\namber = "gpiochip0:5"',
    ),
    "another output": ('[outputs]\nred = "gpiochip0:5"', '[outputs]\namber = "gpiochip0:5"'),
    "power and output": ('[power]\ngpio = "gpiochip0:5"', '[outputs]\namber = "gpiochip0:5"'),
    "level of the power": (
        '[power]\ngpio = "gpiochip0:5"\nactive = "low"',
        '[power]\ngpio = "gpiochip0:5"\nactive = "high"',
    ),
    "word for the address": ("", '[metrics]\naddress = "localhost"'),
    "every address": ("", f'[metrics]\naddress = "0.0.0.0"\n{TLS}'),
    "metrics with and without TLS": ("", f"[metrics]\n{TLS}"),
}


@pytest.mark.parametrize("kind", DIFFERENT)
def test_the_same_thing_is_found_in_other_words(kind: str, found: Found) -> None:
    assert found(*DIFFERENT[kind]).count("Remedy: ") == 1


ALLOWED = {
    "other lines of a chip": (
        '[shuffler]\nmodel = "contacts"\nport = "gpio://gpiochip0:5,6,7,8"\nbare = true',
        '[shuffler]\nmodel = "contacts"\nport = "gpio://gpiochip0:1,2,3,4"\nbare = true',
    ),
    "metrics": ("[metrics]\nport = 9400", "[metrics]\nport = 9400"),
    "metrics with the same TLS": (f"[metrics]\n{TLS}", f"[metrics]\n{TLS}"),
    "metrics at another port": ("", f'[metrics]\naddress = "0.0.0.0"\nport = 9400\n{TLS}'),
    "metrics off": ("", '[metrics]\naddress = "0.0.0.0"\nenabled = false'),
    "metrics at any port": (
        "[metrics]\nport = 0",
        f'[metrics]\naddress = "0.0.0.0"\nport = 0\n{TLS}',
    ),
    "two addresses": ('[metrics]\naddress = "127.0.0.2"', '[metrics]\naddress = "127.0.0.3"'),
    "power": ('[power]\ngpio = "gpiochip0:5"', '[power]\ngpio = "gpiochip0:5"'),
    "no key": (
        '[evidence]\nkey = "house.key"\nsign = false',
        '[evidence]\nkey = "house.key"\nsign = false',
    ),
    "port of a server": (
        '[shoe]\nport = "socket://box:4001"',
        '[shoe]\nport = "socket://box:4002"',
    ),
    "line of a chip": ('[outputs]\nred = "gpiochip0:5"', '[outputs]\nred = "gpiochip1:5"'),
}


@pytest.mark.parametrize("kind", ALLOWED)
def test_what_two_tables_may_share(kind: str, found: Found) -> None:
    assert found(*ALLOWED[kind]) == ""


def test_each_table_after_the_first_has_one_problem_with_what_all_share(tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.toml" for name in "abc"]
    for file in files:
        file.write_text(_whole(file.stem, '[table]\nname = "M-1"'))

    problems = collisions(tuple(map(load_config, files)))
    assert [len(problems[file]) for file in files] == [0, 1, 1]
    assert f"of {files[0]}" in problems[files[2]][0]


# --- tables of a pit ------------------------------------------------------------------------------

NY, S42, WA = (f'[rules]\nprofile = "{name}"\n' for name in ("ny-mini", "s42-mini", "wa-mini"))
RATE_4, RATE_5 = "[pit]\nvig_rate = 4\n", "[pit]\nvig_rate = 5\n"


@pytest.fixture
def apart(tmp_path: Path) -> Callable[..., str]:
    """Where the second of two tables differs from the first, as tables of one pit."""
    for base in ("s42-mini", "wa-mini"):
        text = f'name = "{base}-4"\nbase = "{base}"\nvig_rate = 4\n'
        (tmp_path / f"{base}-4.toml").write_text(text)

    def problem_of(first: str, second: str, pits: tuple[str, str] = ("3", "3")) -> str:
        configs = []
        for name, pit, text in zip("ab", pits, (first, second), strict=True):
            file = tmp_path / f"{name}.toml"
            file.write_text(_whole(name, f'[table]\nname = "{name}"\npit = "{pit}"\n{text}'))
            configs.append(load_config(file))
        problems = pit_collisions(tuple(configs))
        assert problems[configs[0].file] == ()
        return "; ".join(problems[configs[1].file]).replace(str(tmp_path), "HERE")

    return problem_of


def house(profile: str) -> str:
    return f'[rules]\nprofile = "{profile}-4.toml"\n'


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        # By a clause, whether or not [pit] has it.
        pytest.param(S42, house("s42-mini"), "rules.profile: it is vig_rate 4, and 5 in",
                     marks=pytest.mark.clause("S42-c-5-uniform")),
        (S42 + RATE_5, house("s42-mini"), "rules.profile: it is vig_rate 4, and 5 in"),
        # Without a clause as the house's own pit.
        (WA + RATE_5, house("wa-mini"), "rules.profile: it is vig_rate 4, and 5 in"),
        (WA, house("wa-mini") + RATE_4, "rules.profile: it is vig_rate 4, and 5 in"),
        (WA + RATE_5, house("wa-mini") + RATE_4, "pit.vig_rate: it is 4, and 5 in"),
        (NY + '[pit]\nbaccarat_pay_procedure = "iii"\n',
         S42 + '[pit]\nbaccarat_pay_procedure = "i"\n',
         "pit.baccarat_pay_procedure: it is i, and iii in"),
    ],
)  # fmt: skip
def test_two_tables_of_a_pit_have_the_same_values(
    apart: Callable[..., str], first: str, second: str, said: str
) -> None:
    assert apart(first, second).startswith(f"{said} HERE/a.toml. Allowed: one value for all tables")
    assert apart(first, second, ("3", "4")) == ""
    assert apart(first, second, ("", "")) == ""


@pytest.mark.parametrize(
    ("first", "second"), [(NY, S42), (NY + RATE_5, S42 + RATE_5), (WA, house("wa-mini"))]
)
def test_tables_of_a_pit_that_agree(apart: Callable[..., str], first: str, second: str) -> None:
    assert apart(first, second) == ""
