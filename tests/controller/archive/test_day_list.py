"""The list of seals of a day: its signed bytes, its file, its short code, and damage in it.

Source: controller/journal/README.md, "List of seals".
"""

import stat
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.archive.day_list import (
    DayList,
    Seal,
    day_path,
    list_text,
    read_day,
    short_code,
    sign_day,
    signature_holds,
    signed_bytes,
    store_day,
    with_seal,
)
from controller.system.atomic_file import SmallFileError
from controller.system.keys import make_key

ONE = Seal(1, bytes(range(32)), 1, 1144, 1_763_715_606_000_000_000)
TWO = Seal(2, bytes(range(32, 64)), 1145, 2230, 1_763_719_206_000_000_000)
DAY = DayList("Table 7", "2025-11-21", (ONE, TWO))
# Made by hand from the document: sha256sum of these bytes, base32, the first twenty letters.
BYTES = b"""smartshoe seals 1
Table 7
2025-11-21
1 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f 1 1144 1763715606000000000
2 202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f 1145 2230 1763719206000000000
"""
CODE = "S4DNX-TPQEI-KUNRX-CDN4C"
TEXT = """\
{
  "form": "smartshoe-seals-1",
  "table": "Table 7",
  "gaming_day": "2025-11-21",
  "seals": [
    {
      "shoe": 1,
      "digest": "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
      "first_seq": 1,
      "last_seq": 1144,
      "until_ns": 1763715606000000000
    }
  ],
  "signer": "",
  "signature": ""
}
"""


@pytest.fixture
def key(tmp_path: Path):
    return make_key(tmp_path / "table.key")


def test_the_signed_bytes_and_the_short_code_are_as_documented() -> None:
    assert signed_bytes(DAY) == BYTES
    assert short_code(DAY) == CODE


def test_the_file_has_one_field_per_line() -> None:
    assert list_text(replace(DAY, seals=(ONE,))) == TEXT


def test_a_list_is_read_as_it_was_written(fast_dir: Path, key) -> None:
    day = sign_day(DAY, key.public.raw, key.sign)
    path = store_day(fast_dir, day)
    assert path == day_path(fast_dir, "2025-11-21") == fast_dir / "days" / "2025-11-21.seals.json"
    assert read_day(path) == day
    assert signature_holds(day)


def test_others_may_not_read_it(fast_dir: Path) -> None:
    path = store_day(fast_dir, DAY)
    assert not stat.S_IMODE(path.stat().st_mode) & 0o007


def test_a_list_replaces_the_one_before(fast_dir: Path) -> None:
    store_day(fast_dir, replace(DAY, seals=(ONE,)))
    path = store_day(fast_dir, DAY)
    assert read_day(path) == DAY
    assert [one.name for one in path.parent.iterdir()] == ["2025-11-21.seals.json"]


def test_each_seal_is_listed_once_and_in_order() -> None:
    day = with_seal(with_seal(DayList("Table 7", "2025-11-21"), TWO), ONE)
    assert day.seals == (ONE, TWO)
    assert with_seal(day, ONE) == day


def test_an_added_seal_removes_the_signature(key) -> None:
    day = sign_day(replace(DAY, seals=(ONE,)), key.public.raw, key.sign)
    assert (with_seal(day, TWO).signer, with_seal(day, TWO).signature) == (b"", b"")


@pytest.mark.parametrize(
    "changed",
    [
        {"table": "Table 8"},
        {"gaming_day": "2025-11-22"},
        {"seals": (ONE,)},
        {"seals": (TWO, ONE)},
        {"seals": (replace(ONE, shoe=3), TWO)},
        {"seals": (replace(ONE, digest=bytes(32)), TWO)},
        {"seals": (replace(ONE, first_seq=2), TWO)},
        {"seals": (replace(ONE, last_seq=2), TWO)},
        {"seals": (replace(ONE, until_ns=2), TWO)},
        {"signature": bytes(64)},
        {"signature": b""},
        {"signature": b"short"},
        {"signer": bytes(32)},
        {"signer": b"short"},
        {"signer": b""},
    ],
    ids=str,
)
def test_any_change_breaks_the_signature(key, changed) -> None:
    assert not signature_holds(replace(sign_day(DAY, key.public.raw, key.sign), **changed))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{", "[", "it is not JSON"),
        ("smartshoe-seals-1", "smartshoe-seals-9", "form"),
        ('"shoe": 1', '"shoe": -1', "seals[1].shoe"),
        ('"first_seq": 1', '"first_seq": "1"', "seals[1].first_seq"),
        ("000102", "0001", "seals[1].digest"),
        ('"signer": ""', '"signer": "zz"', "signer"),
        ('"signer": "",', "", "signer"),
        ('"signer"', '"by": "",\n  "signer"', "by: there is no such"),
    ],
)
def test_damage_in_a_list_is_located(fast_dir: Path, old: str, new: str, message: str) -> None:
    path = fast_dir / "list.json"
    path.write_text(TEXT.replace(old, new, 1))
    with pytest.raises(SmallFileError, match=r"list\.json: ") as caught:
        read_day(path)
    assert message in str(caught.value)
    assert "Remedy: " in str(caught.value)


def test_a_folder_that_cannot_be_written_is_named(fast_dir: Path) -> None:
    (fast_dir / "days").write_text("in the way")
    with pytest.raises(SmallFileError, match=r"days/2025-11-21.seals.json: cannot be written"):
        store_day(fast_dir, DAY)
