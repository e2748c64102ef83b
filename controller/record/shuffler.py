"""Snapshot part: the shuffler, its open warnings and the stage of each batch; device identities.

Counts, stages and results are shown. The shuffler's count of each face is not: it would reveal
which cards left the batch unseen. A card missing or extra in a batch that was counted whole is
named by its warning, because people must look for it (D-19).
Source: D-8, D-19.
"""

from controller.core.settings import ShufflerDeviceSettings
from controller.core.state import DeviceIdentity
from controller.custody.batch_life.state import BatchLife, Lineage, OpenWarning
from controller.record.snapshot_devices import (
    IdentityView,
    ShownShuffleView,
    ShufflerBatchView,
    ShufflerView,
    ShuffleView,
    WarningView,
)
from controller.system.messages.catalogue import to_words
from drivers.events import Stage

_US_PER_S = 1_000_000
_MS_PER_S = 1_000


def shuffler_view(
    settings: ShufflerDeviceSettings, stage: Stage, lineage: Lineage, *, interlocked: bool
) -> ShufflerView:
    """`interlocked`: no next card before a person clears the open warnings.

    `trusted`: the device has proven its identity since its port was opened. `since_ns` of a
    warning is UTC; `took_s` of a shuffle is measured by the device's own clock.
    """
    return ShufflerView(
        port=settings.port,
        model=settings.model,
        stage=stage,
        commands_allowed=settings.allow_commands,
        device=lineage.device,
        version=lineage.version,
        bare=lineage.bare,
        trusted=lineage.trusted and stage is Stage.ONLINE,
        mode=lineage.mode.value,
        door_open=lineage.door_open,
        residual=lineage.residual,
        interlocked=interlocked,
        warnings=tuple(_warning(one) for one in lineage.warnings),
        last_played=lineage.last_played,
        batches=tuple(_batch(one) for one in lineage.lives),
    )


def identity_view(identity: DeviceIdentity) -> IdentityView:
    """A device's proven identity, or why it is refused."""
    return IdentityView(
        device=identity.device,
        version=identity.version,
        bare=identity.bare,
        trusted=identity.trusted,
        refused="" if identity.refused is None else to_words(identity.refused),
    )


def _warning(one: OpenWarning) -> WarningView:
    return WarningView(
        number=one.number,
        kind=one.kind.value,
        code=one.code,
        compartment=one.compartment,
        text=to_words(one.text),
        since_ns=one.since_ns,
        active=one.active,
    )


def _batch(life: BatchLife) -> ShufflerBatchView:
    return ShufflerBatchView(
        back=life.back,
        stage=life.stage,
        compartment=life.compartment,
        cards=life.cards,
        by_hand=life.by_hand,
        bars=tuple(bar.value for bar in life.block_reasons),
        shuffle=_shuffle(life),
        shown=(
            None
            if life.shown is None
            else ShownShuffleView(life.shown.cycle, life.shown.ran_ms // _MS_PER_S)
        ),
    )


def _shuffle(life: BatchLife) -> ShuffleView | None:
    """The last complete shuffle, without its count of each face."""
    proof = life.proof
    if proof is None:
        return None
    return ShuffleView(
        device=proof.device,
        cycle=proof.cycle,
        count=proof.count,
        result=proof.result.value,
        took_s=max(0, proof.ended_us - proof.began_us) // _US_PER_S,
        signed=proof.signed,
        genuine=proof.genuine,
    )
