"""TableLink over USB ports on emulated devices: every event once, no request executed twice.

The cases are in tablelink_usb_cases.py. They run once, in a pytest that preloads umockdev; here
each of them is one test again.
"""

from pathlib import Path

import pytest

from hil.usb.cases import case_names, run_cases

CASES = Path(__file__).with_name("tablelink_usb_cases.py")


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The failure text of each case, empty if it passed."""
    return run_cases(CASES, tmp_path_factory.mktemp("usb") / "report.xml")


@pytest.mark.needs("umockdev", "long-announcements")
@pytest.mark.parametrize("name", case_names(CASES))
def test_on_emulated_devices(outcomes: dict[str, str], name: str) -> None:
    assert outcomes.get(name, "it did not run") == ""
