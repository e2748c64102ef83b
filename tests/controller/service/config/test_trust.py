"""The keys identity, approved, approved_keys and bare: the resulting trust, and each problem."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.cli.main import main
from controller.core.stored_settings import SETTINGS
from controller.service.commissioning.firmware_list import ApprovedEntry, sign, store_list
from controller.service.commissioning.pairing_file import PairedDevice, PairedRole, store_pairing
from controller.service.config.document import ConfigError
from controller.service.config.load import load_config
from controller.service.config.table_config import TableConfig
from controller.service.config.trust import TrustSection, read_trust
from controller.system.command_line.errors import ExitCode
from controller.system.keys import TableKey, make_key
from drivers.commands import ShufflerOrder
from firmware_bridge.attestation import ApprovedImage, Pin, Trust
from firmware_bridge.transport.port import LineSettings, Parity
from foundation.timestamp import Timestamp

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
    """A table with a paired shuffler whose firmware is approved."""
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
    """The roles of each order."""
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
    images = (ApprovedImage(IMAGE, "1.2.0", 3),)
    assert device.trust == Trust(PIN, images, approved_at_ns=AT.utc_ns)
    assert config.lines[-1] == ("/dev/ttyUSB1", LineSettings(1_000_000, Parity.NONE))
    assert config.remarks == ()


def test_without_the_section_there_is_no_shuffler(table: Path) -> None:
    config = load_config(changed(table, WHOLE[WHOLE.index("[shuffler]") :], ""))

    assert config.settings.shuffler is None
    assert len(config.lines) == 1


def test_the_baud_rate_may_be_set(table: Path) -> None:
    config = load_config(changed(table, "approved_keys", "baud = 115200\napproved_keys"))

    assert config.lines[-1][1].baud == 115200


def test_a_bare_shuffler_is_accepted_with_a_remark(table: Path) -> None:
    lines = WHOLE[WHOLE.index("identity") :]
    config = load_config(changed(table, lines, "bare = true\n"))
    device = config.settings.shuffler

    assert device is not None
    assert device.trust == Trust(bare=True)
    (remark,) = config.remarks
    assert remark.startswith("the shuffler is accepted without an identity (bare = true)")


def test_firmware_no_longer_approved_gives_a_remark(table: Path, key: TableKey) -> None:
    approve(table.parent, key, ApprovedEntry(IMAGE, "1.3.0", 4, ""))

    (remark,) = load_config(table).remarks
    assert "1.2.0, is not on approved.json" in remark


# --- who may order what --------------------------------------------------------------------------

THE_TABLE = ("dealer", "floorperson", "pit_manager")
SUPERVISORS = ("floorperson", "pit_manager")
DEVICES = (*THE_TABLE, "engineer")


@pytest.mark.parametrize(
    ("order", "people"),
    [
        ("load", THE_TABLE),
        ("count", THE_TABLE),
        ("shuffle", THE_TABLE),
        ("store", THE_TABLE),
        ("release", SUPERVISORS),
        ("abort", SUPERVISORS),
        ("self-test", (*SUPERVISORS, "engineer")),
        ("play", SUPERVISORS),
        ("status", DEVICES),
        ("service", ()),
        ("sort", ()),
    ],
)
def test_an_order_not_listed_has_its_default_roles(
    table: Path, order: str, people: tuple[str, ...]
) -> None:
    assert order in tuple(ShufflerOrder)
    assert shuffler_of(load_config(table))(order) == people


def test_a_listed_order_has_the_roles_of_the_file(table: Path) -> None:
    orders = '[shuffler.orders]\nself-test = ["inspector", "dealer"]\nload = []\n'
    table.write_text(WHOLE + orders)
    who_may = shuffler_of(load_config(table))

    assert who_may("self-test") == ("dealer", "inspector")
    assert who_may("load") == ()
    assert who_may("count") == THE_TABLE


@pytest.mark.parametrize(
    ("orders", "expected"),
    [
        ("loda = []", "shuffler.orders.loda: 'loda' is not allowed. Allowed: load, count, "),
        ('load = ["deler"]', "shuffler.orders.load.0: 'deler' is not allowed. Allowed: dealer, "),
        ('load = "dealer"', "shuffler.orders.load: 'dealer' is not allowed. Allowed: a list"),
        (
            'load = ["dealer", "dealer"]',
            "shuffler.orders.load: 'dealer' is listed more than once. Remedy: list it once",
        ),
    ],
)
def test_a_problem_of_orders_has_its_key_path(table: Path, orders: str, expected: str) -> None:
    table.write_text(f"{WHOLE}[shuffler.orders]\n{orders}\n")

    assert problem(table).startswith(expected)


# --- what is wrong -------------------------------------------------------------------------------


def test_a_missing_identity_names_both_remedies(table: Path) -> None:
    found = problem(changed(table, 'identity = "shuffler.identity.json"\n', ""))

    assert found.startswith("shuffler.identity: it is missing")
    assert "`smartshoe identity pair PORT --out shuffler.identity.json" in found
    assert "write bare = true" in found


def test_identity_and_bare_exclude_each_other(table: Path) -> None:
    found = problem(changed(table, "approved_keys", "bare = true\napproved_keys"))

    assert found.startswith("shuffler.bare: a device with an identity is not bare. Remedy: ")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('approved = "approved.json"\n', "shuffler.approved: it is missing"),
        ('approved_keys = ["table.key.pub"]\n', "shuffler.approved_keys: it is empty"),
        ('port = "/dev/ttyUSB1"\n', "shuffler.port: it is missing. Remedy: write port = "),
    ],
)
def test_a_missing_trust_key_is_named(table: Path, line: str, expected: str) -> None:
    assert problem(changed(table, line, "")).startswith(expected)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            'port = "/dev/ttyUSB1"',
            'port = "/dev/ttyUSB0"',
            "shuffler.port: /dev/ttyUSB0 is another",
        ),
        ('identity = "', 'model = "mk1"\nidentity = "', "shuffler.model: 'mk1' is not allowed."),
        ('"approved.json"', '"other.json"', "shuffler.approved: "),
        ('"shuffler.identity.json"', '"other.json"', "shuffler.identity: "),
        ('"table.key.pub"', '"other.pub"', "shuffler.approved_keys: "),
        (
            "approved_keys",
            "orders = 5\napproved_keys",
            "shuffler.orders: 5 is not allowed. Allowed: a section",
        ),
    ],
)
def test_a_problem_of_the_section_has_its_key_path(
    table: Path, old: str, new: str, expected: str
) -> None:
    assert problem(changed(table, old, new)).startswith(expected)


def test_a_firmware_list_signed_by_another_key_refuses_the_start(table: Path) -> None:
    other = make_key(table.parent / "other.key")
    approve(table.parent, other, ApprovedEntry(IMAGE, "1.2.0", 3, ""))

    found = problem(table)
    assert found.startswith("shuffler.approved: ")
    assert "which may not approve firmware here" in found


def test_a_modified_firmware_list_refuses_the_start(table: Path) -> None:
    file = table.parent / "approved.json"
    file.write_text(file.read_text().replace('"1.2.0"', '"1.2.1"'))

    assert "the list was changed after it was signed" in problem(table)


def test_the_pairing_of_a_shoe_is_refused_for_a_shuffler(table: Path) -> None:
    file = table.parent / "shuffler.identity.json"
    file.unlink()
    store_pairing(file, replace(PAIRED, role=PairedRole.SHOE))

    assert f"shuffler.identity: {file} is of a shoe. Remedy: " in problem(table)


def test_a_shuffler_is_refused_under_hand_shuffling_rules(table: Path) -> None:
    house = 'name = "house"\nbase = "s42-mini"\nshuffle_mode = "hand"\n'
    (table.parent / "house.toml").write_text(house)
    table.write_text(f'{WHOLE}[rules]\nprofile = "house.toml"\n')

    found = problem(table)
    assert found.startswith("shuffler: the rules house.toml have the cards shuffled by hand")
    assert "Allowed with a shuffler: dual_batch, continuous. Remedy: " in found


def test_trust_keys_are_refused_for_a_shoe_without_identity(table: Path) -> None:
    found = problem(changed(table, "[shuffler]", 'identity = "shoe.json"\n[shuffler]'))

    assert found == (
        "shoe.identity: a device of this model has no identity. Remedy: remove the key"
    )


def test_a_shoe_with_an_identity_is_trusted_as_a_shuffler_is(fast_dir: Path, table: Path) -> None:
    store_pairing(fast_dir / "shoe.json", replace(PAIRED, role=PairedRole.SHOE))
    section = TrustSection(
        identity="shoe.json", approved="approved.json", approved_keys=["table.key.pub"]
    )

    found = read_trust(PairedRole.SHOE, section, table.parent, needed=True)
    assert found.problems == ()
    assert found.trust.pin == PIN


# --- as people see it ----------------------------------------------------------------------------


def test_check_config_shows_the_paired_shuffler(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check-config", str(table)]) == ExitCode.DONE

    shown = capsys.readouterr().out
    assert "TableLink shuffler: /dev/ttyUSB1 at 1000000 baud" in shown
    assert "device 5348554630303031, key 21fe31df a154a261 " in shown
    assert f"1.2.0, security counter 3, {'c0' * 32}" in shown
    assert "release, abort, play: floorperson, pit manager" in shown


def test_check_config_shows_the_orders_as_json(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check-config", str(table), "--json"]) == ExitCode.DONE

    shown = json.loads(capsys.readouterr().out)
    assert shown["shuffler_orders"]["release"] == ["floorperson", "pit_manager"]
    assert shown["shuffler"] == {
        "model": "tablelink",
        "title": "TableLink shuffler",
        "port": "/dev/ttyUSB1",
        "baud": 1_000_000,
        "settings": {},
    }


def test_check_config_warns_of_a_bare_device(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed(table, WHOLE[WHOLE.index("identity") :], "bare = true\n")
    assert main(["check-config", str(table)]) == ExitCode.DONE

    assert "none: any device is accepted (bare)" in capsys.readouterr().out


def test_the_settings_of_a_shuffler_are_encoded(table: Path) -> None:
    settings = load_config(table).settings

    assert SETTINGS.decode(SETTINGS.encode(settings)) == settings
