"""A list of seals that the table set aside is not damage to the verifier.

Source: controller/journal/README.md, "List of seals"; hil/README.md, "The crash and damage matrix".
"""

from pathlib import Path

from controller.journal.verify import verify
from hil.crash.program import key_path
from hil.crash.writer import resume_script


def test_an_unsigned_list_is_set_aside_and_the_folder_stays_intact(
    fast_dir: Path,
) -> None:
    folder = fast_dir / "table"
    key_path(folder).mkdir()  # no key can be read or made there
    resume_script(folder, "boot-1")
    key_path(folder).rmdir()
    resume_script(folder, "boot-1")

    lists = sorted(path.name for path in (folder / "days").iterdir())
    assert len(lists) == 2
    assert lists[1].startswith(f"{lists[0]}.")
    assert verify(folder).intact
