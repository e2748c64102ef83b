"""A table that could not sign at first, and then can, leaves a folder that verifies.

Responsible for: a list of seals laid aside by the table being no damage to the verifier.
Source: controller/journal/README.md, "List of seals"; hil/README.md, "The crash and damage matrix".
"""

from pathlib import Path

from controller.journal.verify import verify
from hil.crash.program import key_beside
from hil.crash.writer import go_on


def test_a_list_that_nobody_signed_is_laid_aside_and_the_folder_stays_intact(
    fast_dir: Path,
) -> None:
    folder = fast_dir / "table"
    key_beside(folder).mkdir()  # no key can be read or made there
    go_on(folder, "boot-1")
    key_beside(folder).rmdir()
    go_on(folder, "boot-1")

    lists = sorted(path.name for path in (folder / "days").iterdir())
    assert len(lists) == 2
    assert lists[1].startswith(f"{lists[0]}.")
    assert verify(folder).intact
