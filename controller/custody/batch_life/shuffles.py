"""Shuffles: begun, done with a receipt that is judged, or broken off.

Responsible for: that a shuffle counts only as a whole, once, by the device that is trusted, with
the right cards at its end.
Not responsible for: the signature of a receipt (firmware_bridge says whether it is genuine) and for
what the states of a compartment say (compartments).
Source: S42-e-1, NY-a-4-iv-c, S42-a-4-iv; D-19, D-20; field practice (Taj Mahal and Showboat:
batches dealt that were never shuffled).

Decisions. A receipt that says "not verified" counts only where the device cannot read faces, the
count is right and its sensor saw the right back: that is all such a device can verify. Numbers of
shuffles only grow; of each of the last devices the highest one heard of is kept, so that no receipt
counts twice. A shuffle that begins without a right count behind it, with a door open, or in another
mode than play does not count.
"""

from typing import Final, assert_never

from controller.custody.batch_life.change import (
    Followed,
    JudgedProof,
    Measure,
    go,
    hold,
    remark,
)
from controller.custody.batch_life.compartments import (
    COMPARTMENTS,
    Differs,
    broken,
    differs,
    entered,
)
from controller.custody.batch_life.stages import COUNT_STANDS, BatchStage, BatchTrigger
from controller.custody.batch_life.state import Bar, BatchLife, Lineage, WarningKind
from controller.custody.batch_life.warnings import warn
from drivers.shuffler_events import (
    AbortReason,
    ShuffleAborted,
    ShuffleBegan,
    ShuffleDone,
    ShuffleProof,
    ShuffleResult,
    ShufflerMode,
    ShufflerStarted,
)
from firmware_bridge.values import replace

DEVICES_KEPT_MAX: Final = 8
# A jam or a door may have been told before the shuffle that it broke off.
_IN_DOUBT: Final = (*COUNT_STANDS, BatchStage.SHUFFLING, BatchStage.HELD)


def shuffle_began(f: Followed, m: Measure, event: ShuffleBegan) -> Followed:
    """A shuffle begins; it will count if nothing stands against it from the start."""
    if event.compartment not in COMPARTMENTS or not f.lineage.lives:
        return f
    known = f.lineage.lying_in(event.compartment)
    if known is not None and known.stage is BatchStage.SHUFFLING and known.cycle == event.cycle:
        return f
    again = event.cycle <= _last_cycle(f.lineage)
    f = _heard(f, event.cycle)
    f, life = entered(f, m, event.compartment, "")
    if life is None:
        return f
    if life.stage is BatchStage.SHUFFLING:
        f = broken(f, m, life, f"another shuffle of {life.back} begins before the last is whole")
        life = f.lineage.life(life.back) or life
    refused = "its number was used before" if again else _against(f.lineage, life)
    if refused:
        return remark(f, Bar.UNPROVEN, life.back, f"this shuffle will not count: {refused}")
    begun = replace(life, proof=None, by_hand=False, cycle=event.cycle)
    return go(f, m, begun, BatchTrigger.SHUFFLE_BEGUN, f"shuffle {event.cycle} begins")


def shuffle_done(f: Followed, m: Measure, event: ShuffleDone) -> Followed:
    """A shuffle came to its end: its receipt counts, or is refused with the reason."""
    proof = event.proof
    if not f.lineage.lives:
        return f
    life = f.lineage.lying_in(proof.compartment)
    refused = _not_its_own(f.lineage, life, proof)
    if proof.device == f.lineage.device:
        f = _heard(f, proof.cycle)
    if life is None or refused:
        return _judged(f, life, proof, refused)
    wrong = _wrong(f.lineage, life, proof, m)
    if wrong is None:
        shuffled = replace(life, cards=proof.count, proof=proof, bars=(), cycle=0)
        why = f"shuffle {proof.cycle} is whole"
        return _judged(go(f, m, shuffled, BatchTrigger.SHUFFLE_PROVEN, why), life, proof, "")
    why = f"shuffle {proof.cycle} of {life.back} does not count: {wrong.detail}"
    f = hold(f, m, replace(life, cards=proof.count), wrong.bar, why)
    if wrong.bar is not Bar.UNPROVEN:
        f = warn(f, m, WarningKind.COUNT, why, active=False, compartment=proof.compartment)
    return _judged(f, life, proof, wrong.detail)


def shuffle_aborted(f: Followed, m: Measure, event: ShuffleAborted) -> Followed:
    """A shuffle was broken off: the batch is not shuffled."""
    return _broken_off(_heard(f, event.cycle), m, event.compartment, event.reason)


def shuffler_started(f: Followed, m: Measure, event: ShufflerStarted) -> Followed:
    """The shuffler booted: what it shuffled is broken off, what it keeps was without power."""
    told = tuple(each for each in COMPARTMENTS if each in event.broken_off)
    running = [one.compartment for one in f.lineage.lives if one.stage is BatchStage.SHUFFLING]
    off = (*told, *(each for each in running if each not in told))
    for compartment in off:
        f = _broken_off(f, m, compartment, AbortReason.POWER)
    kept = [one.back for one in f.lineage.lives if one.compartment and one.compartment not in off]
    if kept:
        text = f"the shuffler started anew with {' and '.join(kept)} in it: look into it"
        f = warn(f, m, WarningKind.POWER, text, active=False)
    return f


def _broken_off(f: Followed, m: Measure, compartment: int, reason: AbortReason) -> Followed:
    life = f.lineage.lying_in(compartment)
    if life is not None and life.stage in _IN_DOUBT:
        return broken(f, m, life, f"the shuffle of {life.back} was broken off ({reason})")
    text = f"a shuffle in compartment {compartment} was broken off ({reason})"
    return warn(f, m, WarningKind.BROKEN_OFF, text, active=False, compartment=compartment)


def _against(lineage: Lineage, life: BatchLife) -> str:
    """Why a shuffle that begins now will not count; empty if nothing is against it."""
    if life.stage not in COUNT_STANDS:
        return f"{life.back} was not counted before it: count it, then shuffle it"
    if lineage.mode is not ShufflerMode.PLAY:
        return f"the shuffler is in {lineage.mode} mode: put it into play mode"
    if any(door in (0, life.compartment) for door in lineage.doors):
        return "a door is open: close it"
    return ""


def _not_its_own(lineage: Lineage, life: BatchLife | None, proof: ShuffleProof) -> str:
    """Why a receipt is not that of the shuffle under way in its compartment."""
    if proof.device != lineage.device:
        return "it is of another device than the one that is connected"
    if life is None:
        return "it is not known which batch was shuffled"
    if life.stage is not BatchStage.SHUFFLING or life.cycle != proof.cycle:
        return (
            f"no shuffle of {life.back} with its number is under way: it was not heard to begin,"
            " was broken off, or has its receipt already"
        )
    return ""


def _wrong(lineage: Lineage, life: BatchLife, proof: ShuffleProof, m: Measure) -> Differs | None:
    """What a receipt of the shuffle under way lacks."""
    if not (proof.genuine or lineage.bare):
        return Differs(Bar.UNPROVEN, "its receipt does not carry the signature of the device")
    if proof.ended_us < proof.began_us:
        return Differs(Bar.UNPROVEN, "it ends before it begins")
    off = differs(proof.count, proof.faces, m.cards, m.decks)
    if off is not None:
        return off
    if proof.back not in ("", life.back):
        return Differs(Bar.FOREIGN, f"another back than {life.back} was seen")
    match proof.result:
        case ShuffleResult.GOOD:
            return None
        case ShuffleResult.UNVERIFIED:
            if not proof.faces and proof.back == life.back:
                return None
            return Differs(Bar.UNPROVEN, "the shuffler could not verify it")
        case ShuffleResult.COUNT_DIFFERS:
            return Differs(Bar.SHORT, "the shuffler says that its count differs")
        case ShuffleResult.FACES_DIFFER:
            return Differs(Bar.FOREIGN, "the shuffler says that its faces differ")
        case _:
            assert_never(proof.result)


def _judged(f: Followed, life: BatchLife | None, proof: ShuffleProof, refused: str) -> Followed:
    back = life.back if life is not None else ""
    return replace(f, proofs=(*f.proofs, JudgedProof(back, proof, refused)))


def _last_cycle(lineage: Lineage) -> int:
    return next((last for device, last in lineage.cycles if device == lineage.device), -1)


def _heard(f: Followed, cycle: int) -> Followed:
    """Remember the highest number of a shuffle of the device that is connected."""
    device = f.lineage.device
    others = tuple(one for one in f.lineage.cycles if one[0] != device)
    highest = max(cycle, _last_cycle(f.lineage))
    cycles = (*others, (device, highest))[-DEVICES_KEPT_MAX:]
    return replace(f, lineage=replace(f.lineage, cycles=cycles))
