"""The shuffler and the batches' lives, as people may know them.

Responsible for: plain values (JSON) of the device, its identity, what is open, and where each batch
stands; who a device says it is, for the dealing shoe too.
Not responsible for: words (cli_status_shuffler) and for cards by place (custody_view).
Source: package README, "Disclosure", "Snapshot", "The shuffler at the table"; D-8, D-19.

Decisions. Counts, stages and results are shown. What the shuffler counted of each face stays in the
record: which of them a batch has tells what left it unseen. What is missing or extra in a batch
that was counted whole is told by its warning, as people must look for it (D-19).
"""

from typing import TypeAlias

from controller.core.device_identity import DeviceIdentity
from controller.core.settings import ShufflerDeviceSettings
from controller.custody.batch_life.state import BatchLife, Lineage, OpenWarning
from drivers.events import Stage

Plain: TypeAlias = dict[str, object]
_US_PER_S = 1_000_000


def shuffler_view(
    settings: ShufflerDeviceSettings, stage: Stage, lineage: Lineage, *, interlocked: bool
) -> Plain:
    """Keys are stable. `interlocked`: no next card before a person clears what is open.

    `trusted`: it has proven who it is since its port was opened. `since_ns` of a warning is UTC;
    `took_s` of a shuffle is by the device's own clock.
    """
    return {
        "port": settings.port,
        "model": settings.model,
        "stage": stage.value,
        "commands_allowed": settings.allow_commands,
        "device": lineage.device,
        "version": lineage.version,
        "bare": lineage.bare,
        "trusted": lineage.trusted and stage is Stage.ONLINE,
        "mode": lineage.mode.value,
        "door_open": lineage.door_open,
        "residual": lineage.residual,
        "interlocked": interlocked,
        "warnings": [_warning(one) for one in lineage.warnings],
        "last_played": lineage.last_played,
        "batches": [_batch(one) for one in lineage.lives],
    }


def identity_view(identity: DeviceIdentity) -> Plain:
    """Of a device that has an identity: who it has proven to be, or why it is refused."""
    return {
        "device": identity.device,
        "version": identity.version,
        "bare": identity.bare,
        "trusted": identity.trusted,
        "refused": identity.refused,
    }


def _warning(one: OpenWarning) -> Plain:
    return {
        "number": one.number,
        "kind": one.kind.value,
        "code": one.code,
        "compartment": one.compartment,
        "text": one.text,
        "since_ns": one.since_ns,
        "active": one.active,
    }


def _batch(life: BatchLife) -> Plain:
    return {
        "back": life.back,
        "stage": life.stage.value,
        "compartment": life.compartment,
        "cards": life.cards,
        "by_hand": life.by_hand,
        "bars": [bar.value for bar in life.bars],
        "shuffle": _shuffle(life),
    }


def _shuffle(life: BatchLife) -> Plain | None:
    """The last whole shuffle, without what it says of faces."""
    proof = life.proof
    if proof is None:
        return None
    return {
        "device": proof.device,
        "cycle": proof.cycle,
        "count": proof.count,
        "result": proof.result.value,
        "took_s": max(0, proof.ended_us - proof.began_us) // _US_PER_S,
        "signed": proof.signed,
        "genuine": proof.genuine,
    }
