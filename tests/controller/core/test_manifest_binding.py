"""Binding batches by manifest, setting cards apart, and entries for USB devices.

Source: NY (a)(4)(iv)(a)-(b); S42 (a)(4)(i)-(iii); D-17, D-18.
"""

from hashlib import sha256

import pytest
from msgspec.structs import replace

from controller.core.core import usb_device_entry
from controller.core.manifest_binding import (
    MANIFESTS,
    bind_batch,
    is_batch_name,
    set_card_apart,
)
from controller.core.tape.entries import BatchBound, CardSetApart, UsbDeviceRecorded
from controller.core.tape.inputs import DevicePlugged, DeviceUnplugged, ManifestGiven, UsbDeviceFate
from controller.custody import shoe as shoes
from controller.custody.card_states import CardPlace
from controller.custody.manifest import Manifest, ManifestCard, build_manifest
from controller.custody.state import CustodyState
from controller.procedure.effects import Refusal
from controller.procedure.rulebook import RuleBook
from controller.rules.actions.actions import OperatorAction, SetCardApart
from controller.rules.actions.declaration import Role
from controller.rules.cards import Card, Rank, Suit
from controller.rules.profiles.load import load_profile
from controller.rules.setting_values import ShuffleMode
from controller.system.messages.catalogue import to_words
from foundation.message import message
from foundation.timestamp import Timestamp

KEYBOARD = message("usb_keyboard_refused")
AT = Timestamp(1, 1_795_000_000_000_000_000)
FACES = tuple(Card(rank, suit) for suit in Suit for rank in Rank)
DECKS = 8
PROFILE = load_profile("s42-mini")
NOTHING = CustodyState()
BY_SCANNER = message("the_scanner_at", port="bar")
KEYBOARD = message("as_typed", typed="it is a keyboard")


def book_of(mode: ShuffleMode = ShuffleMode.DUAL_BATCH, decks: int = DECKS) -> RuleBook:
    rules = replace(PROFILE.rules, shuffle_mode=mode)
    return RuleBook.of(replace(PROFILE, rules=rules), decks, ())


BOOK = book_of()


def batch(name: str, back: str, first: int, decks: int = DECKS) -> Manifest:
    cards = [
        ManifestCard(f"E00401{first + 52 * deck + at:06X}", face, deck + 1)
        for deck in range(decks)
        for at, face in enumerate(FACES)
    ]
    return build_manifest(name, back, decks, cards)


RED, BLUE = batch("red-1", "red", 0), batch("blue-1", "blue", 1000)


def given(manifest: Manifest, **others: str) -> ManifestGiven:
    content = MANIFESTS.encode(manifest)
    return ManifestGiven(AT, manifest.batch, BY_SCANNER, content, **others)


def with_bound(*manifests: Manifest) -> CustodyState:
    state = NOTHING
    for manifest in manifests:
        state, entry = bind_batch(state, BOOK, given(manifest))
        assert isinstance(entry, BatchBound)
    return state


BOTH = with_bound(RED, BLUE)
IN_PLAY = shoes.open_shoe(BOTH, "red", alternates=True)


def refusal(state: CustodyState, item: ManifestGiven, book: RuleBook = BOOK) -> Refusal:
    """The refusal of a manifest, which must leave custody unchanged."""
    after, entry = bind_batch(state, book, item)
    assert after is state
    assert isinstance(entry, Refusal)
    assert entry.what == "bind-batch"
    assert to_words(entry.why).startswith(f"batch {item.batch}, named by the scanner at bar: ")
    return entry


# --- bound ---------------------------------------------------------------------------------------


def test_a_batch_is_bound_with_the_data_of_its_receipt() -> None:
    item = given(RED, maker="Acme", operator="Ann Lee", signed_by="aa:bb")
    state, entry = bind_batch(NOTHING, BOOK, item)
    digest = sha256(item.content).digest()
    assert entry == BatchBound(
        "red-1", "red", DECKS, DECKS * 52, digest, "Acme", "Ann Lee", "aa:bb", changed=True
    )
    assert [one.manifest for one in state.batches] == [RED]


def test_a_batch_that_is_bound_already_changes_no_card() -> None:
    state, entry = bind_batch(IN_PLAY, BOOK, given(RED))
    assert isinstance(entry, BatchBound)
    assert (state, entry.changed) == (IN_PLAY, False)


def test_between_shoes_a_batch_replaces_one_with_the_same_back() -> None:
    newer = batch("red-2", "red", 5000)
    state, entry = bind_batch(BOTH, BOOK, given(newer))
    assert isinstance(entry, BatchBound)
    assert [one.manifest.batch for one in state.batches] == ["red-2", "blue-1"]
    assert state.batches[0].count(CardPlace.CARTON) == DECKS * 52


@pytest.mark.clause("S42-a-4-iii-diff")
def test_a_batch_with_an_unknown_back_is_refused() -> None:
    refused = refusal(NOTHING, given(batch("green-1", "green", 0)))
    assert to_words(refused.why).endswith(
        "its back is green; the batches of this table are red and blue"
    )
    assert "S42-a-4-iii-diff" in refused.clauses


def test_with_one_batch_any_back_is_accepted() -> None:
    book = book_of(ShuffleMode.HAND)
    state, entry = bind_batch(NOTHING, book, given(batch("green-1", "green", 0)))
    assert isinstance(entry, BatchBound)
    assert len(state.batches) == 1


def test_a_third_batch_is_refused() -> None:
    book = book_of(ShuffleMode.HAND)
    refused = refusal(BOTH, given(batch("green-1", "green", 5000)), book)
    assert "red and blue backs are bound already" in to_words(refused.why)
    assert "bind one with the back of the batch that it replaces" in to_words(refused.why)


def test_another_number_of_decks_is_refused() -> None:
    refused = refusal(NOTHING, given(batch("red-1", "red", 0, decks=6)))
    assert to_words(refused.why).endswith("it has 6 decks; this table deals from 8")


def test_a_batch_in_play_is_not_replaced() -> None:
    refused = refusal(IN_PLAY, given(batch("red-2", "red", 5000)))
    assert "batch red-1 is in play: end the shoe before" in to_words(refused.why)


def test_a_tag_in_two_batches_is_refused() -> None:
    refused = refusal(BOTH, given(batch("blue-2", "blue", 0)))
    assert "batches red-1 and blue-2 share 416 tags" in to_words(refused.why)


@pytest.mark.parametrize("content", [b"", b"\x00", MANIFESTS.encode(RED)[:-1]])
def test_content_that_is_not_a_manifest_is_refused(content: bytes) -> None:
    item = replace(given(RED), content=content)
    assert "its manifest cannot be read: " in to_words(refusal(NOTHING, item).why)


def test_an_inconsistent_manifest_is_refused() -> None:
    cut = replace(RED, tags=RED.tags[:-8])
    assert "the manifest of batch red-1 is damaged" in to_words(refusal(NOTHING, given(cut)).why)


def test_a_problem_of_the_look_up_is_the_refusal() -> None:
    item = replace(given(RED), content=b"", problem=message("batch_needs_name_and_back"))
    words = to_words(refusal(NOTHING, item).why)
    assert words.endswith(": a batch needs a name and a back: enrol it with both")


@pytest.mark.parametrize("name", ["RED-0001", "a", "a.b_c-1", "x" * 64])
def test_a_valid_batch_name(name: str) -> None:
    assert is_batch_name(name)


@pytest.mark.parametrize(
    "name", ["", "../red", "red/1", ".red", "..", "x" * 65, "röd", "red 1", "red\n", "red\x00"]
)
def test_an_invalid_batch_name(name: str) -> None:
    assert not is_batch_name(name)


# --- set apart -----------------------------------------------------------------------------------


def apart(state: CustodyState, action: SetCardApart):
    item = OperatorAction(AT, "A. Floor", Role.FLOORPERSON, "test", action, "a corner is torn off")
    return set_card_apart(state, BOOK, item, action)


@pytest.mark.clause("S42-a-1-decks")
def test_a_batch_with_a_card_set_apart_is_blocked() -> None:
    tag = RED.at(0).tag
    state, entry = apart(IN_PLAY, SetCardApart("red", tag))
    assert isinstance(entry, CardSetApart)
    assert (entry.back, entry.tag, entry.person) == ("red", tag, "A. Floor")
    assert "S42-a-1-decks" in entry.clauses
    assert state.batches[0].count(CardPlace.QUARANTINE) == 1
    assert to_words(state.batches[0].block_reason()) == "a corner is torn off"


def test_a_whole_batch_is_set_apart() -> None:
    state, entry = apart(BOTH, SetCardApart("red"))
    assert isinstance(entry, CardSetApart)
    assert (entry.back, entry.tag) == ("red", "")
    assert state.batches[0].count(CardPlace.QUARANTINE) == DECKS * 52


@pytest.mark.parametrize(
    ("state", "action", "why"),
    [
        (IN_PLAY, SetCardApart("red"), "is in play: end the shoe first"),
        (BOTH, SetCardApart("green"), "no batch with green backs is bound to this table"),
        (BOTH, SetCardApart("red", BLUE.at(0).tag), "is not in the batch with red backs"),
        (BOTH, SetCardApart("red", "not hex"), "read the card again"),
        (NOTHING, SetCardApart("red"), "bind a batch first"),
    ],
)
def test_an_impossible_set_apart_is_refused_with_the_remedy(
    state: CustodyState, action: SetCardApart, why: str
) -> None:
    after, entry = apart(state, action)
    assert after is state
    assert isinstance(entry, Refusal)
    assert entry.what == "set-card-apart"
    assert why in to_words(entry.why)


# --- devices of the machine ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("item", "noted"),
    [
        (
            DevicePlugged(AT, 0x0AB1, 0x2, "12345", "1-1.2"),
            UsbDeviceRecorded(UsbDeviceFate.APPEARED, "0ab1:0002", "12345", "1-1.2", None),
        ),
        (
            DevicePlugged(AT, 0x46D, 0xC31C, "", "1-1.3", refused=KEYBOARD),
            UsbDeviceRecorded(UsbDeviceFate.REFUSED, "046d:c31c", "", "1-1.3", KEYBOARD),
        ),
        (
            DeviceUnplugged(AT, "1-1.2"),
            UsbDeviceRecorded(UsbDeviceFate.GONE, "", "", "1-1.2", None),
        ),
    ],
)
def test_usb_events_become_host_entries(
    item: DevicePlugged | DeviceUnplugged, noted: UsbDeviceRecorded
) -> None:
    assert usb_device_entry(item) == noted
