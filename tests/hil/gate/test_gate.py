"""The gate's kernel: required packages, cache key, and dropped options."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hil.gate import kernel
from hil.gate.kernel import SOURCE_PACKAGE, GateUnable, cached_kernel, installed_version, require

Installed = Callable[..., None]


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Installed:
    """Simulate installed packages, with an empty cache of kernels."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "smartshoe/gate").mkdir(parents=True)

    def say(**versions: str) -> None:
        known = {name.replace("_", "-").replace("-6-1", "-6.1"): v for name, v in versions.items()}
        monkeypatch.setattr(kernel, "installed_version", lambda name: known.get(name, ""))

    return say


def keep(name: str) -> Path:
    path = kernel.cache_folder() / name
    path.write_bytes(b"")
    return path


def test_a_missing_package_is_named_with_the_command_that_installs_it(
    installed: Installed,
) -> None:
    installed(udev="252")

    with pytest.raises(GateUnable, match=r"not installed: flex bc; apt-get install .* flex bc$"):
        require(("udev", "flex", "bc"), "building the kernel")


def test_an_unknown_package_has_no_version() -> None:
    assert installed_version("no-such-package-anywhere") == ""


def test_a_kernel_is_cached_by_its_options_and_its_source(installed: Installed) -> None:
    installed(linux_source_6_1="6.1.1-1")
    assert cached_kernel() is None
    cached = keep(kernel._name("6.1.1-1"))
    assert cached_kernel() == cached
    installed(linux_source_6_1="6.1.2-1")

    assert cached_kernel() is None


def test_without_the_source_a_cached_kernel_with_these_options_is_used(
    installed: Installed,
) -> None:
    installed()
    keep("linux-0123456789abcdef-6.1.1-1")
    assert cached_kernel() is None
    cached = keep(kernel._name("6.1.1-1"))

    assert cached_kernel() == cached
    assert SOURCE_PACKAGE in kernel.TO_BUILD


def test_an_option_dropped_by_the_source_is_detected(tmp_path: Path) -> None:
    config = tmp_path / ".config"
    wanted = kernel.OPTIONS.read_text()
    config.write_text(wanted.replace("CONFIG_USB_ACM=y", "# CONFIG_USB_ACM is not set"))

    with pytest.raises(GateUnable, match="does not accept these options: CONFIG_USB_ACM=y"):
        kernel._check_options(config)
