"""A signed release: every file of a tree, and what of a tree is not as it was signed."""

import os
import shutil
from pathlib import Path

import pytest

from controller.service.install.release import (
    Release,
    TreeDifference,
    differences,
    program_in,
    read_release,
    sign_release,
)
from controller.service.install.statement import SignedStatementError, sign_statement
from controller.system.keys import TableKey, make_key
from controller.version import SOURCES, matching_files, software_identifier

ROOT = Path(__file__).resolve().parents[4]
CHANGED, MISSING, FOREIGN = TreeDifference.CHANGED, TreeDifference.MISSING, TreeDifference.FOREIGN


@pytest.fixture
def key(fast_dir: Path) -> TableKey:
    return make_key(fast_dir / "maker.key")


@pytest.fixture
def tree(fast_dir: Path) -> Path:
    tree = fast_dir / "0.7.0"
    (tree / "lib/__pycache__").mkdir(parents=True)
    (tree / "bin").mkdir()
    (tree / "lib/rules.py").write_text("NATURAL = 8\n")
    (tree / "lib/__pycache__/rules.cpython-311.pyc").write_bytes(b"compiled")
    (tree / "bin/python").symlink_to("/usr/bin/python3")
    return tree


@pytest.fixture
def release(tree: Path, key: TableKey, fast_dir: Path) -> Release:
    statement, files = sign_release(tree, "0.7.0", "maker.example", key)
    (fast_dir / "it.release").write_bytes(statement)
    (fast_dir / "it.files").write_bytes(files)
    return read_release(fast_dir / "it.release", (key.public,))


def test_a_tree_as_released_has_no_differences(release: Release, tree: Path) -> None:
    assert (release.version, release.statement.name) == ("0.7.0", "maker.example")
    assert len(release.files) == 3
    assert differences(release, tree) == {}


# --- the program in a tree ------------------------------------------------------------------------


@pytest.fixture
def program(tree: Path) -> Path:
    """This program, installed in the tree; the folder from which it is imported there."""
    site = tree / "lib/site-packages"
    for path in matching_files(SOURCES):
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, site / path)
    return site


def test_a_tree_of_this_program_is_named_as_its_records_name_it(tree: Path, program: Path) -> None:
    assert program_in(tree) == software_identifier()


def test_a_tree_with_another_rule_is_named_as_its_own_records_will(
    tree: Path, program: Path
) -> None:
    (program / "controller/rules/tableau.py").write_text("# another\n")
    assert program_in(tree) != software_identifier()


def test_another_version_is_signed_by_its_own_program(tree: Path, program: Path) -> None:
    (program / "controller/version.py").write_text('VERSION = "0.0.1"\n')
    with pytest.raises(SignedStatementError, match=r"another version.*Remedy: run `smartshoe sign"):
        program_in(tree)


def test_a_tree_of_something_else_is_signed_in_the_name_of_this_program(tree: Path) -> None:
    assert program_in(tree) == software_identifier()


# --- files of a tree ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "text", "how"),
    [
        ("lib/rules.py", "NATURAL = 9\n", CHANGED),
        ("lib/__pycache__/rules.cpython-311.pyc", "recompiled", CHANGED),
        ("lib/sitecustomize.py", "import os\n", FOREIGN),
        ("lib/__pycache__/rules.cpython-311.opt-1.pyc", "compiled", FOREIGN),
    ],
)
def test_a_file_that_another_put_there_is_found(
    release: Release, tree: Path, path: str, text: str, how: TreeDifference
) -> None:
    (tree / path).write_text(text)

    assert differences(release, tree) == {path: how}


def test_a_change_that_keeps_size_and_time_is_found(release: Release, tree: Path) -> None:
    file = tree / "lib/rules.py"
    before = file.stat()
    file.write_text("NATURAL = 7\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert differences(release, tree) == {"lib/rules.py": CHANGED}


def test_a_missing_file_and_a_link_to_another_interpreter_are_found(
    release: Release, tree: Path
) -> None:
    (tree / "lib/rules.py").unlink()
    (tree / "bin/python").unlink()
    (tree / "bin/python").symlink_to("/tmp/python3")

    assert differences(release, tree) == {"bin/python": CHANGED, "lib/rules.py": MISSING}


def test_a_link_in_the_place_of_a_file_is_not_followed(release: Release, tree: Path) -> None:
    same = tree.parent / "same.py"
    (tree / "lib/rules.py").rename(same)
    (tree / "lib/rules.py").symlink_to(same)

    assert differences(release, tree) == {"lib/rules.py": CHANGED}


def test_a_pipe_in_the_tree_holds_nothing_up(release: Release, tree: Path) -> None:
    os.mkfifo(tree / "lib/pipe")

    with pytest.raises(SignedStatementError, match="it is no file"):
        differences(release, tree)


def test_a_list_that_was_changed_after_it_was_signed_is_not_believed(
    release: Release, fast_dir: Path, key: TableKey
) -> None:
    listed = fast_dir / "it.files"
    listed.write_text("".join(listed.read_text().splitlines(keepends=True)[1:]))

    with pytest.raises(SignedStatementError, match=r"not the list that it\.release signs"):
        read_release(fast_dir / "it.release", (key.public,))


def test_a_release_that_another_key_signed_is_not_believed(
    release: Release, fast_dir: Path
) -> None:
    other = make_key(fast_dir / "other.key")

    with pytest.raises(SignedStatementError, match="no known key has signed it"):
        read_release(fast_dir / "it.release", (other.public,))


def test_a_statement_of_another_kind_is_no_release(fast_dir: Path, key: TableKey) -> None:
    note = sign_statement("smartshoe-approval/1", ("profile 00",), "maker.example", key)
    (fast_dir / "it.release").write_bytes(note)

    with pytest.raises(SignedStatementError, match="it is no smartshoe-release/1"):
        read_release(fast_dir / "it.release", (key.public,))
