"""[[feed]]: strict defaults, no plain text over a network, no request where rules let none come."""

from pathlib import Path

import pytest

from controller.archive.consumers import FeedBegin, FeedContent
from controller.rules.profiles.load import load_profile
from controller.rules.setting_values import FeedDirection
from controller.service.config.document import ConfigError
from controller.service.config.load import load_config
from controller.service.config.table_config import TableConfig

TABLE = """\
[table]
name = "M-12"

[rules]
profile = "{profile}"

[shoe]
port = "/dev/ttyS9"

[[feed]]
name = "back-office"
host = "{host}"
"""


def load(
    folder: Path, more: str = "", profile: str = "s42-mini", host: str = "broker.example"
) -> TableConfig:
    (folder / "table.toml").write_text(TABLE.format(profile=profile, host=host) + more)
    return load_config(folder / "table.toml")


def problem(folder: Path, more: str, **others: str) -> str:
    with pytest.raises(ConfigError) as refused:
        load(folder, more, **others)
    return str(refused.value)


def test_the_default_is_strict(tmp_path: Path) -> None:
    (feed,) = load(tmp_path).feeds

    assert (feed.tls, feed.port, feed.backfill) == (True, 8883, False)
    assert (feed.content, feed.begin) == (FeedContent.METERS_AND_EVENTS, FeedBegin.OLDEST)


def test_a_table_without_the_section_has_no_feed(tmp_path: Path) -> None:
    text = TABLE.format(profile="s42-mini", host="x").partition("[[feed]]")[0]
    (tmp_path / "table.toml").write_text(text)

    assert load_config(tmp_path / "table.toml").feeds == ()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.9", "::1", "localhost"])
def test_plain_text_stays_on_this_machine(tmp_path: Path, host: str) -> None:
    assert not load(tmp_path, "tls = false\n", host=host).feeds[0].tls


@pytest.mark.parametrize("host", ["broker.example", "192.0.2.7", "0.0.0.0", "localhost.example"])
def test_plain_text_over_a_network_is_refused(tmp_path: Path, host: str) -> None:
    refused = problem(tmp_path, "tls = false\n", host=host)

    assert "feed[1]" in refused
    assert "in plain text over the network" in refused
    assert "Remedy: remove tls = false" in refused


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ('client_certificate = "a.pem"\n', "belong together"),
        ('password_file = "a"\n', "belongs to a user"),
        ('ca = "absent.pem"\n', "feed[1].ca: "),
        ('user = "a"\npassword_file = "absent"\n', "feed[1].password_file: "),
        ('content = "cards"\n', "Allowed: meters_and_events, finished_coups"),
        ('begin = "now"\n', "Allowed: oldest, shoe_in_play"),
        ('topic = "a/#"\n', "is not the beginning of a topic"),
        ("broker_saves_s = -1\n", "feed[1].broker_saves_s"),
        ('[[feed]]\nname = "back-office"\nhost = "other.example"\n', "more than once"),
        ('[[feed]]\nname = "../x"\nhost = "other.example"\n', "because it names a file"),
        ('[[feed]]\nname = "x"\nhost = "mqtt://x"\n', "is not a host"),
    ],
)
def test_what_is_wrong_is_said_with_its_key(tmp_path: Path, more: str, words: str) -> None:
    assert words in problem(tmp_path, more)


def test_rules_that_let_a_table_report_one_way_refuse_backfill(tmp_path: Path) -> None:
    assert load(tmp_path, "backfill = true\n").feeds[0].backfill

    refused = problem(tmp_path, "backfill = true\n", profile="wa-mini")

    assert "feed[1].backfill: the rules wa-mini let a table report one way" in refused


def test_a_house_cannot_make_two_ways_of_one(tmp_path: Path) -> None:
    house = 'name = "grand"\nbase = "{base}"\nfeed_direction = "{way}"\n'
    (tmp_path / "house.toml").write_text(house.format(base="wa-mini", way="two_way"))

    assert "values.feed_direction: 'two_way'" in problem(tmp_path, "", profile="house.toml")

    (tmp_path / "house.toml").write_text(house.format(base="ny-mini", way="one_way"))
    rules = load_profile("house.toml", tmp_path).rules
    assert rules.feed_direction is FeedDirection.ONE_WAY
