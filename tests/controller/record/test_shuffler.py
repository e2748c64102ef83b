"""The snapshot's shuffler part: stages, counts and results, never a face."""

import pytest
from msgspec.structs import replace

from controller.core.settings import ShufflerDeviceSettings
from controller.core.state import DeviceIdentity
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import (
    BatchLife,
    BlockReason,
    Lineage,
    OpenWarning,
    WarningKind,
)
from controller.record.shuffler import identity_view, shuffler_view
from controller.record.snapshot_devices import (
    IdentityView,
    ShufflerBatchView,
    ShufflerView,
    ShuffleView,
    WarningView,
)
from drivers.events import Stage
from drivers.shuffler_events import ShuffleProof, ShuffleResult
from foundation.message import message

SETTINGS = ShufflerDeviceSettings("usb://1209:5a01/7", "tablelink", allow_commands=True)
FACES = bytes([8] * 51 + [7])
PROOF = ShuffleProof(
    device="5A01",
    boot_id=77,
    boot_count=12,
    cycle=31,
    compartment=1,
    count=416,
    result=ShuffleResult.GOOD,
    back="red",
    faces=FACES,
    began_us=5_000_000,
    ended_us=318_900_000,
    image=bytes(32),
    version="1.4.0",
    sealed=b"as the device gave it",
    signed=True,
    genuine=True,
)
RED = BatchLife("red", BatchStage.STORED, compartment=1, cards=416, proof=PROOF)
BLUE = BatchLife(
    "blue", BatchStage.HELD, block_reasons=(BlockReason.SHORT, BlockReason.TOUCHED), by_hand=True
)
OPENED = message("door_opened_on_counted", batch="red")
DOOR = OpenWarning(3, WarningKind.DOOR, 0, OPENED, 1_763_715_600 * 10**9, True)
TRUSTED = Lineage(lives=(RED, BLUE), device="5A01", version="1.4.0", trusted=True)


def view_of(lineage: Lineage, stage: Stage = Stage.ONLINE) -> ShufflerView:
    return shuffler_view(SETTINGS, stage, lineage, interlocked=lineage.interlocked)


def test_the_view_of_the_device() -> None:
    assert replace(view_of(TRUSTED), batches=()) == ShufflerView(
        port="usb://1209:5a01/7",
        model="tablelink",
        stage=Stage.ONLINE,
        commands_allowed=True,
        device="5A01",
        version="1.4.0",
        bare=False,
        trusted=True,
        mode="play",
        door_open=False,
        residual=0,
        interlocked=False,
        warnings=(),
        last_played="",
        batches=(),
    )


@pytest.mark.parametrize("stage", [each for each in Stage if each is not Stage.ONLINE])
def test_a_device_that_is_not_online_is_not_trusted(stage) -> None:
    assert view_of(TRUSTED, stage).trusted is False


def test_a_bare_device_is_marked_bare() -> None:
    assert view_of(replace(TRUSTED, bare=True)).bare is True


def test_each_batch_has_a_stage_and_block_reasons() -> None:
    red, blue = view_of(TRUSTED).batches
    shuffle = ShuffleView("5A01", 31, 416, "good", took_s=313, signed=True, genuine=True)
    assert red == ShufflerBatchView("red", BatchStage.STORED, 1, 416, False, (), shuffle)
    assert (blue.stage, blue.bars, blue.by_hand) == ("held", ("short", "touched"), True)
    assert (blue.cards, blue.shuffle) == (None, None)


def test_a_shuffle_that_ended_before_it_began_took_0_s() -> None:
    life = replace(RED, proof=replace(PROOF, ended_us=0))
    assert view_of(Lineage(lives=(life,))).batches[0].shuffle.took_s == 0


def test_the_count_of_each_face_is_not_shown() -> None:
    other = replace(RED, proof=replace(PROOF, faces=bytes(52), sealed=b"other"))
    assert view_of(replace(TRUSTED, lives=(other, BLUE))) == view_of(TRUSTED)


def test_a_warning_has_its_number_and_its_time() -> None:
    view = view_of(replace(TRUSTED, warnings=(DOOR,)))
    assert view.interlocked is True
    text = "a door was opened on red: its count is over"
    since_ns = 1_763_715_600_000_000_000
    assert view.warnings == (WarningView(3, "door", 0, 0, text, since_ns, active=True),)


def test_the_identity_of_a_refused_shoe() -> None:
    refused = DeviceIdentity("5A02", refused=message("in_its_own_words", foreign="unknown key"))
    assert identity_view(refused) == IdentityView("5A02", "", False, False, "unknown key")
