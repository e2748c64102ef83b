"""Whether an approving body signed what a table runs with."""

from pathlib import Path

import pytest

from controller.service.config.load import load_config
from controller.service.config.table_config import TableConfig
from controller.service.install.approval import (
    ApprovedPart,
    approval_of,
    missing_parts,
    sign_approval,
)
from controller.system.keys import TableKey, make_key

CONFIG = """\
[table]
name = "M-12"
[shoe]
port = "/dev/null"
[approval]
file = "M-12.approval"
keys = ["body.key.pub"]
required = ["profile"]
"""
BOTH = tuple(ApprovedPart)
PROFILE = (ApprovedPart.PROFILE,)


@pytest.fixture
def body(fast_dir: Path) -> TableKey:
    return make_key(fast_dir / "body.key")


@pytest.fixture
def config(fast_dir: Path, body: TableKey) -> TableConfig:
    (fast_dir / "table.toml").write_text(CONFIG)
    return load_config(fast_dir / "table.toml")


def approve(config: TableConfig, parts: tuple[ApprovedPart, ...], key: TableKey) -> None:
    assert config.approval is not None
    config.approval.file.write_bytes(sign_approval((config,), parts, "body.example", key))


def test_what_was_signed_is_approved_by_name_and_key(config: TableConfig, body: TableKey) -> None:
    approve(config, BOTH, body)

    approval = approval_of(config)

    assert approval is not None
    assert approval.approved == BOTH
    assert all("approved by body.example, key " in line for line in approval.words())
    assert missing_parts(config, approval) == ()


def test_a_configuration_changed_after_its_approval_is_not_approved(
    config: TableConfig, body: TableKey
) -> None:
    approve(config, BOTH, body)
    config.file.write_text(f"{CONFIG}# a word more\n")

    approval = approval_of(load_config(config.file))

    assert approval is not None
    assert approval.approved == PROFILE
    assert "configuration: NOT APPROVED" in approval.words()


def test_another_profile_is_not_approved_and_refuses_the_start(
    config: TableConfig, body: TableKey
) -> None:
    approve(config, PROFILE, body)
    config.file.write_text(f'{CONFIG}[rules]\nprofile = "ny-mini"\n')
    changed = load_config(config.file)

    assert missing_parts(changed, approval_of(changed)) == ("profile",)


def test_the_approval_of_the_houses_own_key_is_not_believed(
    config: TableConfig, fast_dir: Path
) -> None:
    approve(config, BOTH, make_key(fast_dir / "house.key"))

    approval = approval_of(config)

    assert approval is not None
    assert approval.approved == ()
    assert "no known key has signed it" in approval.problem


def test_a_missing_approval_is_said(config: TableConfig) -> None:
    approval = approval_of(config)

    assert approval is not None
    assert missing_parts(config, approval) == ("profile",)
    assert "M-12.approval: cannot be read" in approval.words()[0]


def test_a_table_that_names_no_approval_says_nothing(fast_dir: Path) -> None:
    (fast_dir / "table.toml").write_text(CONFIG.partition("[approval]")[0])

    config = load_config(fast_dir / "table.toml")

    assert approval_of(config) is None
    assert missing_parts(config, None) == ()
