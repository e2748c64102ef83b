"""The section [evidence] of table.toml: key paths, the signer, defaults and problems."""

from collections.abc import Callable
from pathlib import Path

import pytest

from controller.archive.signer import SigningSettings
from controller.service.config.document import ConfigError
from controller.service.config.load import load_config


@pytest.fixture
def signing(tmp_path: Path) -> Callable[[str], SigningSettings]:
    """The signing settings of a table.toml with these lines below [evidence]."""

    def loaded(lines: str) -> SigningSettings:
        file = tmp_path / "table.toml"
        file.write_text(
            '[table]\nname = "M7"\n[rules]\n[shoe]\nport = "/dev/ttyUSB0"\n'
            f'[journal]\nfolder = "kept/journal"\n[evidence]\n{lines}\n'
        )
        return load_config(file).signing

    return loaded


def test_the_default_key_is_in_the_journal_and_is_made(signing, tmp_path: Path) -> None:
    assert signing("") == SigningSettings(tmp_path / "kept" / "journal" / "table.key")


def test_a_given_key_is_not_made(signing, tmp_path: Path) -> None:
    assert signing('key = "house.key"') == SigningSettings(tmp_path / "house.key", make=False)


def test_signing_can_be_switched_off(signing, tmp_path: Path) -> None:
    assert not signing("sign = false").sign


def test_a_program_signs(signing, tmp_path: Path) -> None:
    settings = signing('signer = ["/opt/sign-seal", "--slot", "1"]\npublic_key = "token.pub"')
    assert settings.program == ("/opt/sign-seal", "--slot", "1")
    assert settings.public_key == tmp_path / "token.pub"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ('signer = ["/opt/sign-seal"]', "evidence: signer makes another program sign"),
        ('public_key = "token.pub"', "evidence: public_key belongs to a signer"),
        (
            'key = "a"\nsigner = ["/opt/sign-seal"]\npublic_key = "b"',
            "evidence: key and signer are both given",
        ),
        (
            'signer = ["sign-seal"]\npublic_key = "b"',
            "evidence: signer: 'sign-seal' is not an absolute path",
        ),
        (
            'witnesses = [{ url = "https://witness.example" }]',
            'key: it is missing. Remedy: write key = "..." in evidence.witnesses.0',
        ),
        ('signer = "/opt/sign-seal"', "evidence.signer: "),
        ('key = "~/table.key"', "evidence.key: "),
        ("sign = 1", "evidence.sign: 1 is not allowed. Allowed: true or false"),
        ('keys = "table.key"', "evidence.keys: there is no such key"),
    ],
)
def test_a_problem_names_the_key_and_what_to_do(signing, lines: str, expected: str) -> None:
    with pytest.raises(ConfigError) as caught:
        signing(lines)
    assert expected in str(caught.value)
