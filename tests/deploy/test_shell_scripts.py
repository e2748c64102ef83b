"""The shell scripts of package, gate and CI, read by shellcheck.

Source: shellcheck(1).
"""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = (
    *(f"deploy/debian/{name}" for name in ("preinst", "postinst", "prerm", "postrm")),
    "deploy/make-tree",
    "hil/gate/init.sh",
    "hil/gate/package_unit.sh",
    ".ci/run",
)


@pytest.mark.needs("shellcheck")
@pytest.mark.parametrize("script", SCRIPTS)
def test_shellcheck_remarks_nothing(script: str) -> None:
    done = subprocess.run(
        ["shellcheck", ROOT / script], capture_output=True, text=True, check=False
    )
    assert done.stdout == ""
    assert done.returncode == 0
