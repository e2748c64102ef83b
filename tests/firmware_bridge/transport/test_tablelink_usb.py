"""TableLink over USB ports, on emulated devices: every event once, no request executed twice.

The cases stand in tablelink_usb_cases.py. They run once, in a pytest that has umockdev before the
system's libraries; here each of them is one test again.
"""

from pathlib import Path

import pytest

from hil.usb.cases import names_of, outcomes_of

CASES = Path(__file__).with_name("tablelink_usb_cases.py")


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What went wrong with each case; empty: nothing."""
    return outcomes_of(CASES, tmp_path_factory.mktemp("usb") / "report.xml")


@pytest.mark.debian("umockdev", program="umockdev-run")
@pytest.mark.parametrize("name", names_of(CASES))
def test_on_emulated_devices(outcomes: dict[str, str], name: str) -> None:
    assert outcomes.get(name, "it did not run") == ""
