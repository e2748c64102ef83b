"""Puts packages of the repository into the wheel of a distribution that has a folder of its own.

An editable installation has them by the folder that it adds to the path. Source: hatchling's
reference, custom build hooks.
"""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parents[2]


class PackagesHook(BuildHookInterface[Any]):
    """Settings: `packages`, and `leave-out`: folders of them that are in no wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files of each package to a wheel."""
        if version == "editable":
            return
        left_out = {ROOT / one for one in self.config.get("leave-out", ())}
        for package in self.config["packages"]:
            for one in sorted((ROOT / package).iterdir()):
                if one not in left_out and one.name != "__pycache__":
                    build_data["force_include"][str(one)] = one.relative_to(ROOT).as_posix()
