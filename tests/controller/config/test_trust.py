"""The shuffler of a table.toml: whom the table trusts, and every reason why it does not."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from controller.cli.errors import Exit
from controller.cli.main import main
from controller.commissioning.firmware_list import ApprovedEntry, sign, store_list
from controller.commissioning.pairing_file import PairedDevice, PairedRole, store_pairing
from controller.config.load import ConfigError, TableConfig, load_config
from controller.config.trust import TrustSection, trust_of
from controller.core.build import SETTINGS
from controller.system.keys import TableKey, make_key
from drivers.commands import ShufflerOrder
from firmware_bridge.attestation import ApprovedImage, Pin, Trust
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import LineSettings, Parity

KEY = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
IMAGE = bytes.fromhex("c0" * 32)
PIN = Pin(device=b"SHUF0001", key=KEY, pairing="00112233aabbccdd", first_event=42)
PAIRED = PairedDevice(
    role=PairedRole.SHUFFLER,
    pin=PIN,
    firmware=ApprovedImage(IMAGE, "1.2.0", 3),
    boot_count=7,
    person="Ann Lee",
    at_utc_ns=1_795_255_200_000_000_000,
)
AT = Timestamp(0, 1_795_255_200_000_000_000)
WHOLE = """\
[table]
name = "M7"
[shoe]
port = "/dev/ttyUSB0"
[shuffler]
port = "/dev/ttyUSB1"
identity = "shuffler.identity.json"
approved = "approved.json"
approved_keys = ["table.key.pub"]
"""


@pytest.fixture
def key(fast_dir: Path) -> TableKey:
    return make_key(fast_dir / "table.key")


@pytest.fixture
def table(fast_dir: Path, key: TableKey) -> Path:
    """A table whose shuffler is paired and may run what it ran then."""
    store_pairing(fast_dir / "shuffler.identity.json", PAIRED)
    approve(fast_dir, key, ApprovedEntry(IMAGE, "1.2.0", 3, ""))
    file = fast_dir / "table.toml"
    file.write_text(WHOLE)
    return file


def approve(folder: Path, key: TableKey, *entries: ApprovedEntry) -> None:
    store_list(folder / "approved.json", sign(entries, key, AT))


def changed(file: Path, old: str, new: str) -> Path:
    assert old in WHOLE
    file.write_text(WHOLE.replace(old, new))
    return file


def shuffler_of(config: TableConfig) -> Callable[[str], tuple[str, ...]]:
    """Who may give which order."""
    device = config.settings.shuffler
    assert device is not None
    return lambda order: dict(device.orders).get(order, ())


def problem(file: Path) -> str:
    with pytest.raises(ConfigError) as refused:
        load_config(file)
    (one,) = refused.value.problems
    return one


def test_a_paired_shuffler_is_trusted_with_the_approved_firmware(table: Path) -> None:
    config = load_config(table)
    device = config.settings.shuffler

    assert device is not None
    assert (device.port, device.model, device.allow_commands) == (
        *("/dev/ttyUSB1", "tablelink"),
        False,
    )
    assert device.trust == Trust(PIN, (ApprovedImage(IMAGE, "1.2.0", 3),))
    assert config.lines[-1] == ("/dev/ttyUSB1", LineSettings(1_000_000, Parity.NONE))
    assert config.remarks == ()


def test_without_the_section_there_is_no_shuffler(table: Path) -> None:
    config = load_config(changed(table, WHOLE[WHOLE.index("[shuffler]") :], ""))

    assert config.settings.shuffler is None
    assert len(config.lines) == 1


def test_the_speed_of_the_line_may_be_told(table: Path) -> None:
    config = load_config(changed(table, "approved_keys", "baud = 115200\napproved_keys"))

    assert config.lines[-1][1].baud == 115200


def test_a_bare_shuffler_is_let_in_with_a_remark(table: Path) -> None:
    lines = WHOLE[WHOLE.index("identity") :]
    config = load_config(changed(table, lines, "bare = true\n"))
    device = config.settings.shuffler

    assert device is not None
    assert device.trust == Trust(bare=True)
    (remark,) = config.remarks
    assert remark.startswith("the shuffler is let in without an identity (bare = true)")


def test_firmware_that_is_not_approved_any_more_is_remarked(table: Path, key: TableKey) -> None:
    approve(table.parent, key, ApprovedEntry(IMAGE, "1.3.0", 4, ""))

    (remark,) = load_config(table).remarks
    assert "1.2.0, is not on approved.json" in remark


# --- who may order what --------------------------------------------------------------------------

THE_TABLE = ("dealer", "floorperson", "pit_manager")
SUPERVISORS = ("floorperson", "pit_manager")
EVERYBODY = (*THE_TABLE, "surveillance", "inspector")


@pytest.mark.parametrize(
    ("order", "people"),
    [
        ("load", THE_TABLE),
        ("count", THE_TABLE),
        ("shuffle", THE_TABLE),
        ("store", THE_TABLE),
        ("release", SUPERVISORS),
        ("abort", SUPERVISORS),
        ("self-test", SUPERVISORS),
        ("play", SUPERVISORS),
        ("status", EVERYBODY),
        ("service", ()),
        ("sort", ()),
    ],
)
def test_an_order_that_is_not_named_goes_by_its_default(
    table: Path, order: str, people: tuple[str, ...]
) -> None:
    assert order in tuple(ShufflerOrder)
    assert shuffler_of(load_config(table))(order) == people


def test_an_order_that_is_named_goes_by_the_file(table: Path) -> None:
    orders = '[shuffler.orders]\nself-test = ["inspector", "dealer"]\nload = []\n'
    table.write_text(WHOLE + orders)
    who_may = shuffler_of(load_config(table))

    assert who_may("self-test") == ("dealer", "inspector")
    assert who_may("load") == ()
    assert who_may("count") == THE_TABLE


@pytest.mark.parametrize(
    ("orders", "expected"),
    [
        ("loda = []", "shuffler.orders.loda: 'loda' is not allowed; allowed: load, count, "),
        ('load = ["deler"]', "shuffler.orders.load.0: 'deler' is not allowed; allowed: dealer, "),
        ('load = "dealer"', "shuffler.orders.load: 'dealer' is not allowed; write a list"),
        (
            'load = ["dealer", "dealer"]',
            "shuffler.orders.load: 'dealer' stands there more than once; write it once",
        ),
    ],
)
def test_a_mistake_among_the_orders_has_its_key_path(
    table: Path, orders: str, expected: str
) -> None:
    table.write_text(f"{WHOLE}[shuffler.orders]\n{orders}\n")

    assert problem(table).startswith(expected)


# --- what is wrong -------------------------------------------------------------------------------


def test_who_the_shuffler_is_must_be_said_and_both_remedies_are_told(table: Path) -> None:
    said = problem(changed(table, 'identity = "shuffler.identity.json"\n', ""))

    assert said.startswith("shuffler.identity: it is missing")
    assert "`smartshoe identity pair PORT --out shuffler.identity.json" in said
    assert "write bare = true" in said


def test_what_has_an_identity_is_not_bare(table: Path) -> None:
    said = problem(changed(table, "approved_keys", "bare = true\napproved_keys"))

    assert said.startswith("shuffler.bare: a device that has an identity is not bare. Remedy: ")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('approved = "approved.json"\n', "shuffler.approved: it is missing"),
        ('approved_keys = ["table.key.pub"]\n', "shuffler.approved_keys: it is empty"),
        ('port = "/dev/ttyUSB1"\n', "shuffler.port: it is missing. Write port = "),
    ],
)
def test_what_is_missing_is_named(table: Path, line: str, expected: str) -> None:
    assert problem(changed(table, line, "")).startswith(expected)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            'port = "/dev/ttyUSB1"',
            'port = "/dev/ttyUSB0"',
            "shuffler.port: /dev/ttyUSB0 is another",
        ),
        ('identity = "', 'model = "mk1"\nidentity = "', "shuffler.model: 'mk1' is not allowed;"),
        ('"approved.json"', '"other.json"', "shuffler.approved: "),
        ('"shuffler.identity.json"', '"other.json"', "shuffler.identity: "),
        ('"table.key.pub"', '"other.pub"', "shuffler.approved_keys: "),
        ("approved_keys", "orders = 5\napproved_keys", "shuffler.orders: 5 is not allowed; write"),
    ],
)
def test_a_mistake_in_the_section_has_its_key_path(
    table: Path, old: str, new: str, expected: str
) -> None:
    assert problem(changed(table, old, new)).startswith(expected)


def test_a_list_by_a_key_that_may_not_approve_stops_the_start(table: Path) -> None:
    other = make_key(table.parent / "other.key")
    approve(table.parent, other, ApprovedEntry(IMAGE, "1.2.0", 3, ""))

    said = problem(table)
    assert said.startswith("shuffler.approved: ")
    assert "which may not approve firmware here" in said


def test_a_list_that_was_changed_stops_the_start(table: Path) -> None:
    file = table.parent / "approved.json"
    file.write_text(file.read_text().replace('"1.2.0"', '"1.2.1"'))

    assert "the list was changed after it was signed" in problem(table)


def test_the_pairing_of_a_shoe_is_none_of_a_shuffler(table: Path) -> None:
    file = table.parent / "shuffler.identity.json"
    file.unlink()
    store_pairing(file, replace(PAIRED, role=PairedRole.SHOE))

    assert f"shuffler.identity: {file} is of a shoe. Remedy: " in problem(table)


def test_rules_by_which_hands_shuffle_leave_a_shuffler_no_work(table: Path) -> None:
    house = 'name = "house"\nbase = "s42-mini"\nshuffle_mode = "hand"\n'
    (table.parent / "house.toml").write_text(house)
    table.write_text(f'{WHOLE}[rules]\nprofile = "house.toml"\n')

    said = problem(table)
    assert said.startswith("shuffler: the rules house.toml have the cards shuffled by hand")
    assert "Allowed with a shuffler: dual_batch, continuous. Remedy: " in said


def test_a_shoe_without_an_identity_has_no_pairing(table: Path) -> None:
    said = problem(changed(table, "[shuffler]", 'identity = "shoe.json"\n[shuffler]'))

    assert said == (
        "shoe.identity: a device of this model has no identity. Remedy: take the key out"
    )


def test_a_shoe_with_an_identity_is_trusted_as_a_shuffler_is(fast_dir: Path, table: Path) -> None:
    store_pairing(fast_dir / "shoe.json", replace(PAIRED, role=PairedRole.SHOE))
    told = TrustSection(
        identity="shoe.json", approved="approved.json", approved_keys=["table.key.pub"]
    )

    found = trust_of(PairedRole.SHOE, told, table.parent, needed=True)
    assert found.problems == ()
    assert found.trust.pin == PIN


# --- as people see it ----------------------------------------------------------------------------


def test_the_check_shows_who_the_shuffler_has_to_be(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check-config", str(table)]) == Exit.DONE

    shown = capsys.readouterr().out
    assert "TableLink shuffler: /dev/ttyUSB1 at 1000000 baud" in shown
    assert "device 5348554630303031, key 21fe31df a154a261 " in shown
    assert f"1.2.0, security counter 3, {'c0' * 32}" in shown
    assert "release, self-test, abort, play: floorperson, pit manager" in shown


def test_the_check_shows_the_orders_as_json(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check-config", str(table), "--json"]) == Exit.DONE

    shown = json.loads(capsys.readouterr().out)
    assert shown["shuffler_orders"]["release"] == ["floorperson", "pit_manager"]
    assert shown["shuffler"] == {"model": "tablelink", "port": "/dev/ttyUSB1", "baud": 1_000_000}


def test_the_check_says_that_any_device_is_let_in(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed(table, WHOLE[WHOLE.index("identity") :], "bare = true\n")
    assert main(["check-config", str(table)]) == Exit.DONE

    assert "none: any device is let in (bare)" in capsys.readouterr().out


def test_the_settings_of_a_shuffler_go_into_the_journal(table: Path) -> None:
    settings = load_config(table).settings

    assert SETTINGS.decode(SETTINGS.encode(settings)) == settings
