"""table.toml: the settings of a valid file, and the sentence for each problem of an invalid one."""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.core.gaming_day import build_calendar
from controller.procedure.rulebook import ObservableFact
from controller.rules.profiles.load import load_clauses, profile_text
from controller.rules.profiles.profile import parse_profile
from controller.service.config.document import ConfigError
from controller.service.config.example import example_text
from controller.service.config.load import SOCKET_PATH_BYTES_MAX, load_config
from controller.service.config.sections import unit_name_problem
from controller.table.disk_space import MIB, DiskLimits
from drivers.readers.models import FEIG_READER
from drivers.shoes.models import FEIG_RFID, AngelEyeSettings
from firmware_bridge.angel_eye.settings import SequenceCycle
from firmware_bridge.transport.allow_list import AllowedId
from firmware_bridge.transport.port import LineSettings, Parity
from hil.rig.servers.certificates import CertificateAuthority

LEAST = """
[table]
name = "M-12"
[shoe]
port = "/dev/ttyUSB0"
"""

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(text: str) -> Path:
        path = tmp_path / "table.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return written


@pytest.fixture
def problems(write: Write) -> Callable[[str], list[str]]:
    """Returns the problems of a text, without the file's name."""

    def problems_of(text: str) -> list[str]:
        path = write(text)
        with pytest.raises(ConfigError) as found:
            load_config(path)
        lines = str(found.value).splitlines()
        assert all(line.startswith(f"{path}: ") for line in lines)
        return [line.removeprefix(f"{path}: ") for line in lines]

    return problems_of


# --- what is right ------------------------------------------------------------------------------


def test_a_name_and_a_port_are_enough(write: Write) -> None:
    config = load_config(write(LEAST))

    assert config.settings.table == "M-12"
    assert config.settings.decks == 8
    assert config.settings.gaming_day_start_s == 6 * 3600
    assert config.settings.observed == ()
    assert config.settings.shoe.model == "angel-eye-ii-ex"
    assert config.settings.shoe.allow_commands is False
    assert config.profile_text == profile_text("s42-mini")
    assert config.lines == (("/dev/ttyUSB0", LineSettings(4800, Parity.NONE)),)
    assert config.log_level_wire == "off"
    assert (config.metrics_address, config.metrics_port) == ("127.0.0.1", 9309)


def test_disk_limits_are_in_mebibytes_and_percent(write: Write) -> None:
    assert load_config(write(LEAST)).disk_limits == DiskLimits(1024 * MIB, 5, 64 * MIB)
    keys = "[journal]\nwarn_free_mib = 300\nwarn_free_percent = 0\nstop_free_mib = 300\n"
    assert load_config(write(LEAST + keys)).disk_limits == DiskLimits(300 * MIB, 0, 300 * MIB)


def test_people_are_warned_before_the_table_stops(problems) -> None:
    (problem,) = problems(LEAST + "[journal]\nwarn_free_mib = 100\nstop_free_mib = 101\n")
    assert problem.startswith(
        "journal.stop_free_mib: 101 is not allowed. Allowed: at most warn_free_mib,"
    )
    assert problem.endswith(
        "is 100. Remedy: set it lower: people are warned before the table stops."
    )


def test_the_example_passes_its_own_check(write: Write) -> None:
    config = load_config(write(example_text()))

    assert config.settings.table == "M-12"
    assert config.settings.observed == (ObservableFact.RESULT_BUTTON,)


def test_the_example_shows_every_key_with_its_default(write: Write) -> None:
    """A commented key shows its default."""
    shown = re.sub(r"(?m)^# (?=[a-z_]+ = )", "", example_text())

    as_shown = load_config(write(shown))
    as_written = load_config(write(example_text()))

    assert as_shown == as_written
    keys = {section: set(values) for section, values in tomllib.loads(shown).items()}
    assert keys == {
        "table": {"name", "pit", "gaming_day_start", "time_zone", "trial"},
        "rules": {"profile", "decks", "observed"},
        "layout": {
            *("seats", "spots", "vigorish_boxes", "hand_areas", "cut_card_colour", "backs"),
            *("discard_rack", "odds_posted", "approval"),
        },
        "pit": {
            *("shuffle_finish", "pay_procedure", "baccarat_pay_procedure", "vig_mode", "vig_rate")
        },
        "shoe": {
            *("port", "model", "baud", "allow_commands", "seq_cycle", "bcc_reading", "payload"),
            *("longer_payload", "report_interval_ms_min", "reports_s_max", "log_level_wire"),
            *("identity", "approved", "approved_keys", "bare"),
        },
        "batches": {"folder", "keys", "bound"},
        "usb": {"allow"},
        "evidence": {"sign"},
        "journal": {"folder", "warn_free_mib", "warn_free_percent", "stop_free_mib"},
        "monitors": {"stall_minutes"},
        "metrics": {"enabled", "address", "port"},
        "console": {"enabled", "address", "port", "sign_on_minutes", "language"},
        "control": {"socket", "group"},
        "people": {"unix"},
    }


def test_the_journal_is_beside_the_file_and_the_socket_beside_the_journal(
    write: Write, tmp_path: Path
) -> None:
    config = load_config(write(LEAST))

    assert config.journal_folder == tmp_path / "journal"
    assert config.control_socket == tmp_path / "control.sock"


def test_the_socket_follows_the_journal(write: Write) -> None:
    config = load_config(write(LEAST + '[journal]\nfolder = "/var/lib/smartshoe/table-1"'))

    assert config.journal_folder == Path("/var/lib/smartshoe/table-1")
    assert config.control_socket == Path("/var/lib/smartshoe/control.sock")


def test_an_absolute_socket_stays_where_it_is(write: Write) -> None:
    config = load_config(write(LEAST + '[control]\nsocket = "/run/smartshoe/table-1.sock"'))

    assert config.control_socket == Path("/run/smartshoe/table-1.sock")


def test_observed_facts_have_a_fixed_order(write: Write) -> None:
    text = '[rules]\nobserved = ["result_button", "no_more_bets"]'

    config = load_config(write(LEAST + text))

    assert config.settings.observed == (ObservableFact.NO_MORE_BETS, ObservableFact.RESULT_BUTTON)


HOUSE = '[rules]\nprofile = "rules/grand.toml"\n'


@pytest.fixture
def house(tmp_path: Path) -> Callable[[str], None]:
    """Write a house profile beside the configuration."""

    def written(text: str) -> None:
        (tmp_path / "rules").mkdir(exist_ok=True)
        (tmp_path / "rules" / "grand.toml").write_text(text, encoding="utf-8")

    return written


def test_a_house_profile_is_beside_the_file(write: Write, house: Callable[[str], None]) -> None:
    house('name = "grand"\nbase = "ny-mini"\nvig_rate = 4\ndecks_per_shoe = 6')

    config = load_config(write(LEAST + HOUSE))

    assert config.profile_name == "grand"
    assert config.settings.decks == 6
    profile = parse_profile(config.profile_text, load_clauses())
    assert (profile.base, profile.rules.vig_rate) == ("ny-mini", 4)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            'name = "grand"\nbase = "ny-mini"\nvig_rate = 6',
            "rules/grand.toml: values.vig_rate: 6 is not allowed by NY-c-3-rate. Allowed: 5, 4.",
        ),
        (
            'name = "grand"',
            'rules/grand.toml: base: it is missing. Allowed: a text. Remedy: write base = "...".',
        ),
    ],
)
def test_an_invalid_house_profile_is_reported(
    problems: Callable[[str], list[str]], house: Callable[[str], None], text: str, expected: str
) -> None:
    house(text)

    found = problems(LEAST + HOUSE)

    assert len(found) == 1
    assert found[0].startswith(f"rules.profile: {expected}")


def test_a_missing_house_profile_is_reported(problems: Callable[[str], list[str]]) -> None:
    assert problems(LEAST + HOUSE) == [
        (
            "rules.profile: rules/grand.toml cannot be read: No such file or directory. Remedy: "
            "name a profile's file that this account may read."
        )
    ]


@pytest.mark.parametrize(
    ("changes", "decks", "expected"),
    [
        (
            "decks_min = 7",
            6,
            "rules.decks: 6 is not allowed. Allowed: at least 7 (NY-a-4-i-decks).",
        ),
        (
            "batch_min_decks_each = 8",
            7,
            (
                "rules.decks: 7 is not allowed. Allowed: at least 8 in each batch of a shuffler "
                "(NY-a-4-iv-"
            ),
        ),
        (
            'decks_max = { value = 8, reason = "our shoe" }',
            9,
            "rules.decks: 9 is not allowed. Allowed: at most 8 (grand, house rule: our shoe).",
        ),
    ],
)
def test_decks_stay_within_the_limits_of_the_house_profile(
    problems: Callable[[str], list[str]],
    house: Callable[[str], None],
    changes: str,
    decks: int,
    expected: str,
) -> None:
    house(f'name = "grand"\nbase = "ny-mini"\n{changes}')

    found = problems(LEAST + HOUSE + f"decks = {decks}")

    assert len(found) == 1
    assert found[0].startswith(expected)


def test_the_gaming_day_changes_in_local_time(write: Write) -> None:
    text = LEAST.replace('"M-12"', '"M-12"\ntime_zone = "Europe/Vienna"')

    config = load_config(write(text))

    five_in_vienna_ns = 1_767_240_000 * 1_000_000_000  # 2026-01-01 04:00:00 UTC
    assert build_calendar(config.zone_data, 6 * 3600).day_of(five_in_vienna_ns).name == "2025-12-31"


def test_the_settings_of_the_shoe_reach_the_driver(write: Write) -> None:
    text = LEAST + 'allow_commands = true\nseq_cycle = "0-9"\nreport_interval_ms_min = 100\n'

    config = load_config(write(text))

    shoe = config.settings.shoe
    assert shoe.allow_commands
    assert config.settings.shoe_model.read_settings(shoe.driver) == AngelEyeSettings(
        SequenceCycle.DECIMAL, report_interval_ms_min=100
    )


@pytest.mark.parametrize("url", ["socket://192.0.2.10:4001", "rfc2217://shoe-12.example:4001"])
def test_a_serial_server_is_a_port(write: Write, url: str) -> None:
    config = load_config(write(LEAST.replace("/dev/ttyUSB0", url)))

    assert config.settings.shoe.port == url


DEVICES = """
[table]
name = "M-12"
[rules]
observed = ["result_button"]
[shoe]
port = "usb://0ab1:0002/12345678"
model = "feig-rfid"
gate_input = 1
[[reader]]
port = "/dev/ttyUSB1"
seat = "discard_rack"
delivery = "poll"
[[reader]]
port = "socket://192.0.2.10:4001"
seat = "layout"
[[scanner]]
port = "usbhid://0c2e:0b81/S1"
model = "hid-pos"
[batches]
bound = ["RED-0001", "BLUE-0001"]
[usb]
allow = ["0ab1:0002:12345678", "0c2e:0b81"]
"""


def test_a_table_of_readers_and_a_scanner(write: Write, tmp_path: Path) -> None:
    config = load_config(write(DEVICES))

    shoe, readers = config.settings.shoe, config.settings.readers
    assert FEIG_RFID.read_settings(shoe.driver).gate_input == 1
    assert [(one.seat, FEIG_READER.read_settings(one.driver).delivery) for one in readers] == [
        ("discard_rack", "poll"),
        ("layout", "notify"),
    ]
    assert [one.model for one in config.settings.scanners] == ["hid-pos"]
    assert [line.parity for _, line in config.lines] == [
        *(Parity.EVEN, Parity.EVEN, Parity.EVEN, Parity.NONE)
    ]
    assert config.batches_folder == tmp_path / "batches"
    assert config.bound_batches == ("RED-0001", "BLUE-0001")
    assert config.allowed is not None
    assert config.allowed.entries == (AllowedId(0x0AB1, 2, "12345678"), AllowedId(0x0C2E, 0x0B81))
    assert config.remarks == ()


@pytest.mark.parametrize("name", ["M-12", "W/1", "casino.example/pit-3/bac-12", "M" * 33])
def test_a_name_that_setup_refuses_is_remarked_on_and_goes_on(write: Write, name: str) -> None:
    found = load_config(write(LEAST.replace("M-12", name))).remarks
    words = f"table.name: {name!r} names no file and no unit, so `smartshoe setup` refuses it"

    assert any(one.startswith(words) for one in found) is bool(unit_name_problem(name))
    assert bool(unit_name_problem(name)) is (name != "M-12")


@pytest.mark.parametrize(("decks", "remarked"), [(8, False), (9, True), (88, True)])
def test_more_decks_than_any_rules_play_are_remarked_on(
    write: Write, decks: int, remarked: bool
) -> None:
    found = load_config(write(f"{LEAST}[rules]\ndecks = {decks}\n")).remarks
    words = f"{decks} decks in the dealing shoe: no rules here are played with more than 8. "

    assert [one for one in found if one.startswith(words)] == [*found] * remarked
    assert len([one for one in found if "decks" in one]) == remarked


def test_a_start_reads_no_profile_but_its_own(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        f"{load_config.__module__}.decks_played_max", lambda: pytest.fail("reads all profiles")
    )
    assert load_config(write(f"{LEAST}[rules]\ndecks = 8\n")).settings.decks == 8


def test_a_shoe_without_claims_gives_remarks(write: Write) -> None:
    bare = DEVICES.replace('observed = ["result_button"]', "observed = []")
    remarks = load_config(write(bare.replace('bound = ["RED-0001", "BLUE-0001"]', ""))).remarks

    assert [remark[:40] for remark in remarks] == [
        "this shoe does not report what a card is",
        "no batch is bound at the start: every ca",
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            'seat = "layout"',
            'seat = "table"',
            "reader[2].seat: 'table' is not allowed. Allowed: discard_rack, layout.",
        ),
        (
            'seat = "layout"',
            "",
            'reader[2].seat: it is missing. Remedy: write seat = "discard_rack" below',
        ),
        (
            'seat = "layout"',
            'seat = "discard_rack"',
            "reader[2].seat: there is a reader at discard_rack already. Allowed: one reader",
        ),
        (
            'seat = "layout"',
            'seat = "layout"\nbanker_antenna = 1',
            "reader[2]: player_antenna and banker_antenna are both 1. Allowed: two different",
        ),
        (
            'port = "/dev/ttyUSB1"',
            'port = "usb://0ab1:0002/12345678"',
            "reader[1].port: usb://0ab1:0002/12345678 is another device's port. Allowed: one",
        ),
        (
            'model = "hid-pos"',
            'model = "laser"',
            "scanner[1].model: 'laser' is not allowed. Allowed: hid-pos,",
        ),
        (
            "[[scanner]]",
            "[scanner]",
            "scanner: it must be a list of sections. Remedy: write [[scanner]]",
        ),
        ('"BLUE-0001"]', '"../blue"]', "batches.bound: '../blue' is not a batch name."),
        ('"BLUE-0001"]', '"RED-0001"]', "batches.bound: 'RED-0001' is listed more than once"),
        (
            '"0c2e:0b81"]',
            '"keyboard"]',
            "usb.allow: 'keyboard' does not name a USB device. Remedy: write VID:PID",
        ),
        ("[[reader]]", "[[raeder]]", "raeder: it is outside every section"),
    ],
)
def test_a_problem_of_a_device_section(
    problems: Callable[[str], list[str]], old: str, new: str, expected: str
) -> None:
    assert any(found.startswith(expected) for found in problems(DEVICES.replace(old, new, 1)))


def test_a_byte_order_mark_is_ignored(write: Write) -> None:
    config = load_config(write("\ufeff" + LEAST))

    assert config.settings.table == "M-12"


# --- what is wrong ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '[rules]\nprofile = "ny-mini"\ndecks = 5',
            (
                "rules.decks: 5 is not allowed. Allowed: at least 6 (NY-a-4-i-decks). Remedy: set "
                "decks = 6 or more."
            ),
        ),
        (
            '[rules]\nprofile = "wa-mini"\ndecks = 300',
            (
                "rules.decks: 300 is not allowed. Allowed: at most 8 (WA-mb-decks). Remedy: set "
                "decks = 8 or fewer."
            ),
        ),
        (
            "[rules]\ndecks = 256",
            (
                "rules.decks: 256 is not allowed. Allowed: at most 255 (a batch's manifest holds no"
                " more). Remedy: set decks = 255 or fewer."
            ),
        ),
        (
            "[rules]\ndecks = 0",
            "rules.decks: 0 is not allowed. Allowed: at least 6 (S42-a-1-decks).",
        ),
        (
            "[rules]\ndecks = true",
            "rules.decks: true is not allowed. Allowed: a whole number without quotes.",
        ),
        (
            '[rules]\nprofile = "s42"',
            "rules.profile: 's42' is not allowed. Allowed: house-baccarat, house-mini,",
        ),
        (
            '[rules]\nobserved = ["weather"]',
            (
                "rules.observed: 'weather' is not a fact that a table can observe."
                " Allowed: no_more_bets, turned, discard_count, batch_loaded, shoe_opened,"
                " cut_depth, wagers, result_button. Remedy: use one of them."
            ),
        ),
        (
            '[rules]\nobserved = ["result_button", "result_button"]',
            "rules.observed: 'result_button' is listed more than once. Remedy: list it once.",
        ),
        (
            '[rules]\nobserved = "result_button"',
            "rules.observed: 'result_button' is not allowed. Allowed: a list in brackets.",
        ),
        ("[metrics]\nport = 70000", "metrics.port: 70000 is not allowed. Allowed: at most 65535."),
        ("[metrics]\nport = -1", "metrics.port: -1 is not allowed. Allowed: at least 0."),
        (
            '[metrics]\naddress = "table-pc"',
            (
                "metrics.address: 'table-pc' is not an IP address. Remedy: write "
                '"127.0.0.1" for this'
                " machine alone."
            ),
        ),
        (
            '[journal]\nfolder = "~/journal"',
            (
                "journal.folder: '~/journal' is not a path. Remedy: write it in full, \"~\" is "
                "not expanded."
            ),
        ),
        ("journal = 3", "shoe.journal: there is no such key. Allowed: "),
        ("[tabel]", "tabel: there is no such section. Allowed: [table],"),
        (
            "[metrics]\nprot = 1",
            "metrics.prot: there is no such key. Allowed: enabled, certificate, key, client_ca,",
        ),
        (
            "[metrics]\ndecks = 8",
            "metrics.decks: there is no such key. Remedy: move it below [rules].",
        ),
    ],
)
def test_one_problem_gives_one_sentence(
    problems: Callable[[str], list[str]], text: str, expected: str
) -> None:
    found = problems(LEAST + text)

    assert len(found) == 1
    assert found[0].startswith(expected)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("name = 12", "table.name: 12 is not allowed. Allowed: text in quotes."),
        ('name = ""', "table.name: '' is not allowed. Allowed: printable text without"),
        (f'name = "{"M" * 65}"', "table.name: it is too long. Allowed: at most 64 characters."),
        (
            'name = "M"\ngaming_day_start = "24:00"',
            (
                "table.gaming_day_start: '24:00' is not a time of day."
                ' Allowed: hours and minutes. Remedy: write it as "06:00".'
            ),
        ),
        (
            'name = "M"\ntime_zone = "Europe/Viena"',
            (
                "table.time_zone: 'Europe/Viena' is not a time zone. Remedy: did you mean "
                "Europe/Vienna"
            ),
        ),
        (
            'name = "M"\ntime_zone = "chicago"',
            "table.time_zone: 'chicago' is not a time zone. Remedy: did you mean America/Chicago?",
        ),
        (
            'name = "M"\ntime_zone = "/etc/passwd"',
            "table.time_zone: '/etc/passwd' is not a time zone. Remedy: write an IANA name",
        ),
        (
            'name = "M"\ntime_zone = "../zone.tab"',
            "table.time_zone: '../zone.tab' is not a time zone. Remedy: write an IANA name",
        ),
    ],
)
def test_a_problem_of_the_table_section(
    problems: Callable[[str], list[str]], line: str, expected: str
) -> None:
    found = problems(LEAST.replace('name = "M-12"', line))

    assert len(found) == 1
    assert found[0].startswith(expected)


@pytest.mark.parametrize(
    ("port", "expected"),
    [
        ("ttyUSB0", "'ttyUSB0' is not an absolute path"),
        ("", "'' is not an absolute path"),
        ("ftdi://ftdi:232", "ftdi:// is not known. Allowed: a device path, socket://HOST:PORT"),
        ("socket://192.0.2.10", "'socket://192.0.2.10' does not name a host and port"),
        ("socket://192.0.2.10:x", "'socket://192.0.2.10:x' does not name a host and port"),
    ],
)
def test_an_invalid_port_is_reported(
    problems: Callable[[str], list[str]], port: str, expected: str
) -> None:
    found = problems(LEAST.replace("/dev/ttyUSB0", port))

    assert len(found) == 1
    assert found[0].startswith(f"shoe.port: {expected}")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            'model = "angel"',
            "shoe.model: 'angel' is not allowed. Allowed: angel-eye-ii-ex, feig-rfid, tablelink.",
        ),
        ("baud = 110", "shoe.baud: 110 is not allowed. Allowed: at least 300."),
        (
            "allow_commands = 1",
            "shoe.allow_commands: 1 is not allowed. Allowed: true or false without quotes.",
        ),
        ('seq_cycle = "hex"', 'shoe.seq_cycle: "hex" is not allowed. Allowed: "0-9A-F", "0-9"'),
        ('bcc_reading = "x"', 'shoe.bcc_reading: "x" is not allowed. Allowed: "stx_counted"'),
        (
            'log_level_wire = "all"',
            "shoe.log_level_wire: 'all' is not allowed. Allowed: off, bytes, frames, events.",
        ),
        (
            "report_interval_ms_min = 0",
            "shoe.report_interval_ms_min: 0 is not allowed. Allowed: 1 to 60000.",
        ),
    ],
)
def test_a_problem_of_the_shoe_section(
    problems: Callable[[str], list[str]], line: str, expected: str
) -> None:
    found = problems(LEAST + line)

    assert len(found) == 1
    assert found[0].startswith(expected)


def test_every_problem_is_listed_at_once(problems: Callable[[str], list[str]]) -> None:
    text = """
    decks = 8
    [tables]
    [table]
    gaming_day_start = "6"
    [rules]
    decks = 5
    observed = ["weather"]
    [shoe]
    baud = "4800"
    [metrics]
    port = "any"
    """

    found = problems(text)

    assert [line.split(":")[0] for line in found] == [
        *("decks", "tables", "table.name", "table.gaming_day_start", "rules.decks"),
        *("rules.observed", "shoe.port", "shoe.baud", "metrics.port"),
    ]


def test_an_empty_file_lists_the_missing_keys(problems: Callable[[str], list[str]]) -> None:
    assert problems("") == [
        'table.name: it is missing. Remedy: write name = "M-12" below [table].',
        'shoe.port: it is missing. Remedy: write port = "/dev/serial/by-id/..." below [shoe].',
    ]


def test_a_section_that_is_a_value_is_named(problems: Callable[[str], list[str]]) -> None:
    found = problems("metrics = 9309\n" + LEAST)

    assert found == ["metrics: it must be a section. Remedy: write [metrics] on a line of its own."]


def test_a_socket_path_that_is_too_long_is_reported(problems: Callable[[str], list[str]]) -> None:
    name = "s" * SOCKET_PATH_BYTES_MAX

    found = problems(LEAST + f'[control]\nsocket = "/{name}"')

    assert found[0].startswith("control.socket: ")
    assert "108 bytes long. Allowed: at most 107. Remedy: write a shorter absolute path" in found[0]


# --- what is no configuration at all ------------------------------------------------------------


def test_a_toml_error_is_reported_with_its_line(problems: Callable[[str], list[str]]) -> None:
    found = problems('[table]\nname = "M-12"\n[shoe]\nport = /dev/ttyUSB0')

    assert found == [
        "not TOML: Invalid value (at line 4, column 8). Remedy: correct the text there."
    ]


def test_deeply_nested_brackets_are_reported(problems: Callable[[str], list[str]]) -> None:
    assert len(problems("x = " + "[" * 100_000)) == 1


def test_a_missing_file_says_how_to_write_one(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"no such file. Remedy: `smartshoe check-config --example"
    ):
        load_config(tmp_path / "table.toml")


def test_a_folder_without_a_table_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="this folder has no table"):
        load_config(tmp_path)


def test_text_that_is_not_utf_8_is_reported_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes('[table]\nname = "Café"\n'.encode("latin-1"))

    with pytest.raises(
        ConfigError, match=r"not UTF-8 text \(in line 2\). Remedy: save the file as UTF-8"
    ):
        load_config(path)


def test_an_endless_file_is_not_read() -> None:
    with pytest.raises(ConfigError, match="it is a device, and only a regular file is read"):
        load_config(Path("/dev/zero"))


def test_a_long_file_is_not_read_whole(tmp_path: Path) -> None:
    with (tmp_path / "long.toml").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(
        ConfigError, match=r"longer than 1048576 bytes. Remedy: name a table's configuration"
    ):
        load_config(tmp_path / "long.toml")


# --- people -------------------------------------------------------------------------------------


def test_the_sockets_group_and_whose_account_is_whose(write: Write) -> None:
    people = (
        '[control]\ngroup = "table-7"\n[people]\nunix = { alee = "Ann Lee", "1001" = "Bo Ray" }\n'
    )
    config = load_config(write(f"{LEAST}{people}"))

    assert config.control_group == "table-7"
    assert config.unix_people == {"alee": "Ann Lee", "1001": "Bo Ray"}


@pytest.mark.parametrize(
    ("unix", "problem"),
    [
        ('"Ann Lee"', "people.unix: "),
        ('{ alee = "" }', "people.unix.alee: '' is not allowed. Allowed: one printable line."),
        ("{ alee = 5 }", "people.unix.alee: "),
    ],
)
def test_an_account_belongs_to_a_name(
    problems: Callable[[str], list[str]], unix: str, problem: str
) -> None:
    (found,) = problems(f"{LEAST}[people]\nunix = {unix}\n")

    assert found.startswith(problem)


# --- who may scrape -------------------------------------------------------------------------------

BEYOND = '[metrics]\naddress = "0.0.0.0"\n'
HASH = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"


@pytest.mark.parametrize(
    "keys",
    [
        "",
        'password_file = "scrapers.txt"',
        'certificate = "table.crt"\nkey = "table.pem"',
    ],
)
@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.0.2.7"])
def test_other_machines_read_the_metrics_over_tls_with_papers_alone(
    write: Write, tmp_path: Path, keys: str, address: str
) -> None:
    CertificateAuthority(tmp_path, "house").signed("table")
    (tmp_path / "scrapers.txt").write_text(f"prometheus:{HASH}\n")
    file = write(f'{LEAST}\n[metrics]\naddress = "{address}"\n{keys}\n')
    with pytest.raises(ConfigError) as caught:
        load_config(file)
    (problem,) = caught.value.problems
    assert problem.startswith(f"metrics: address: {address} can be reached from other machines.")
    assert "Remedy: name certificate, key, and client_ca or password_file" in problem


@pytest.mark.parametrize("papers", ['client_ca = "house.crt"', 'password_file = "scrapers.txt"'])
def test_with_tls_and_papers_every_address_is_allowed(
    write: Write, tmp_path: Path, papers: str
) -> None:
    CertificateAuthority(tmp_path, "house").signed("table")
    (tmp_path / "scrapers.txt").write_text(f"prometheus:{HASH}\n")
    tls = 'certificate = "table.crt"\nkey = "table.pem"'
    config = load_config(write(f"{LEAST}\n{BEYOND}{tls}\n{papers}\n"))
    assert config.metrics_tls is not None
    assert config.metrics_tls.certificate == tmp_path / "table.crt"
    assert (config.metrics_tls.client_ca is None) != (config.metrics_passwords is None)


def test_files_of_the_metrics_that_cannot_be_used_are_a_problem(
    write: Write, tmp_path: Path
) -> None:
    (tmp_path / "scrapers.txt").write_text("prometheus:secret\n")
    keys = 'certificate = "table.crt"\nkey = "table.pem"\npassword_file = "scrapers.txt"'
    with pytest.raises(ConfigError) as caught:
        load_config(write(f"{LEAST}\n{BEYOND}{keys}\n"))
    tls, passwords = caught.value.problems
    assert tls.startswith(f"metrics: {tmp_path / 'table.crt'} and {tmp_path / 'table.pem'} cannot")
    assert passwords.startswith("metrics.password_file: ")
    assert "secret" not in passwords


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ('certificate = "a.crt"', "metrics: certificate and key belong together"),
        ('client_ca = "a.crt"', "metrics: client_ca checks the clients of TLS"),
    ],
)
def test_half_of_the_files_of_tls_is_a_problem(write: Write, keys: str, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(write(f"{LEAST}\n[metrics]\n{keys}\n"))
    assert [one.partition(",")[0] for one in caught.value.problems] == [problem]
