"""What people and play tell of a whole batch: it goes in, is cut, loaded, dealt from, spent.

Responsible for: what these make of a batch. A batch that is dealt from though it may not be is
held: the record says that it is in play, its stage never does.
Not responsible for: what the shuffler tells (compartments, shuffles, device).
Source: NY-a-4-iv-c to NY-a-4-iv-e; S42-a-4-iv to S42-a-4-vi, S42-e-1, S42-e-6-load,
S42-e-8-ii-load, S42-k-4-restart; D-5, D-20, D-21.

Decisions. A shoe that ends before any coup leaves its batch to be shuffled anew, and it may come
again: cards of it were burned and shown. Alternation begins anew once both batches were replaced.
A hand shuffle helps a batch that lies outside the shuffler and lacks no card.
"""

from controller.custody.batch_life.change import (
    NOT_WHOLE,
    Followed,
    Measure,
    begin_anew,
    go,
    hold,
    may,
    put,
    remark,
)
from controller.custody.batch_life.facts import FirstCardOut, PutIntoShoe, ShoeOver
from controller.custody.batch_life.permissions import due_in_play, wrong_steps
from controller.custody.batch_life.stages import READY, SPOILT_BY_TOUCH, BatchStage, BatchTrigger
from controller.custody.batch_life.state import Bar, BatchLife, Lineage, WarningKind
from controller.custody.batch_life.warnings import harmless, warn
from firmware_bridge.values import replace


def goes_in(f: Followed, m: Measure, back: str) -> Followed:
    """A person says which batch goes into the shuffler next."""
    life = f.lineage.life(back)
    if life is None:
        return _no_such(f, back)
    if back == f.lineage.in_play:
        return remark(f, Bar.FOREIGN, back, f"{back} is in play: end its shoe before it goes in")
    if life.compartment and life.stage is not BatchStage.RELEASED:
        where = f"{back} lies in compartment {life.compartment} already"
        return remark(f, Bar.FOREIGN, back, f"{where}: say which batch goes in")
    f = replace(f, lineage=replace(f.lineage, into_shuffler=back))
    return begin_anew(f, m, replace(life, compartment=0), f"{back} is gathered for the shuffler")


def shuffled_by_hand(f: Followed, m: Measure, back: str) -> Followed:
    """A whole hand shuffle of that batch is on record: it is to be cut next."""
    life = f.lineage.life(back)
    if life is None:
        return _no_such(f, back)
    lacks = next((bar for bar in life.bars if bar in NOT_WHOLE), None)
    if lacks is not None:
        return remark(f, lacks, back, f"{back} is not whole: count it before it is shuffled")
    # A shuffler that is not heard cannot say that its cards were taken out.
    inside = life.compartment and life.stage is not BatchStage.RELEASED and f.lineage.trusted
    if inside or back == f.lineage.in_play or not may(m, life, BatchTrigger.SHUFFLED_BY_HAND):
        detail = f"{back} is {life.stage} and cannot have been shuffled by hand now"
        if life.compartment and not f.lineage.trusted:
            detail += ": record first that the shuffler was opened to take it out"
        return remark(f, Bar.UNPROVEN, back, detail)
    by_hand = replace(life, compartment=0, proof=None, by_hand=True, bars=(), cycle=0)
    f = go(f, m, by_hand, BatchTrigger.SHUFFLED_BY_HAND, f"{back} is shuffled by hand")
    done = replace(by_hand, stage=BatchStage.SHUFFLED)
    return go(f, m, done, BatchTrigger.RELEASED, f"{back} lies on the table to be cut")


def cut_made(f: Followed, m: Measure) -> Followed:
    """The batch that is out of the shuffler was cut."""
    released = [one for one in f.lineage.lives if one.stage is BatchStage.RELEASED]
    if len(released) != 1:
        many = "both batches are" if released else "no batch is"
        return remark(f, Bar.NOT_RELEASED, "", f"a cut is recorded, and {many} out to be cut")
    (life,) = released
    return go(f, m, replace(life, compartment=0), BatchTrigger.CUT, f"{life.back} is cut")


def put_into_shoe(f: Followed, m: Measure, event: PutIntoShoe) -> Followed:
    """A person recorded that this batch is in the dealing shoe; it is so only where it may be."""
    life = f.lineage.life(event.back or due_in_play(f.lineage))
    if life is None:
        return _no_such(f, event.back)
    wrong = wrong_steps(f.lineage, life)
    for step in wrong:
        f = remark(f, step.bar, life.back, step.detail)
    if wrong:
        return f
    away = replace(life, compartment=0)
    return go(f, m, away, BatchTrigger.LOADED, f"{life.back} is put into the dealing shoe")


def first_card_out(f: Followed, m: Measure, event: FirstCardOut) -> Followed:
    """The first card of a shoe was drawn: that batch is in play."""
    lineage = f.lineage
    if lineage.in_play and event.back in ("", lineage.in_play):
        return f
    if event.back and lineage.life(event.back) is None:
        return _no_such(f, event.back)
    life = _dealt_from(lineage, event.back)
    if life is None:
        return remark(f, Bar.UNPROVEN, "", "a shoe is dealt, and it is not known from which batch")
    if lineage.in_play:
        f = shoe_over(f, m, ShoeOver(played=True))
    wrong = wrong_steps(f.lineage, life)
    said = "" if lineage.into_shuffler == life.back else lineage.into_shuffler
    begun = replace(f.lineage, in_play=life.back, into_shuffler=said, may_repeat="")
    f = replace(f, lineage=begun)
    if not wrong:
        away = replace(life, compartment=0)
        return go(f, m, away, BatchTrigger.FIRST_CARD, f"the first card of {life.back} is drawn")
    for step in wrong:
        f = remark(f, step.bar, life.back, step.detail)
    if life.compartment and life.stage is not BatchStage.RELEASED:
        text = f"{life.back} is dealt from, and the shuffler holds it"
        f = warn(f, m, WarningKind.COUNT, text, active=False, compartment=life.compartment)
    why = f"{life.back} is dealt from and may not be: {wrong[0].detail}"
    return hold(f, m, life, wrong[0].bar, why)


def shoe_over(f: Followed, m: Measure, event: ShoeOver) -> Followed:
    """The shoe is over; if a coup was dealt from it, the other batch is next."""
    life = f.lineage.life(f.lineage.in_play)
    f = replace(f, lineage=replace(f.lineage, in_play=""))
    if not event.played:
        if life is None:
            return f
        fresh = replace(life, cards=None, proof=None, by_hand=False)
        why = f"the shoe of {life.back} ended before any coup: it is shuffled anew"
        return go(f, m, fresh, BatchTrigger.SHOE_UNPLAYED, why)
    played = life.back if life is not None else ""
    f = replace(f, lineage=replace(f.lineage, last_played=played, renewed=()))
    if life is None:
        return f
    spent = replace(life, cards=None, proof=None, by_hand=False)
    return go(f, m, spent, BatchTrigger.SHOE_OVER, f"the shoe of {life.back} is over")


def handled(f: Followed, m: Measure, back: str) -> Followed:
    """People were at this batch out of turn."""
    life = f.lineage.life(back)
    if life is None:
        return _no_such(f, back)
    if life.stage not in (*SPOILT_BY_TOUCH, BatchStage.HELD):
        return f
    return hold(f, m, life, Bar.TOUCHED, f"people handled {back} out of turn")


def new_cards(f: Followed, m: Measure, back: str) -> Followed:
    """This batch was replaced by new cards."""
    if f.lineage.life(back) is None:
        return _no_such(f, back)
    if back == f.lineage.in_play:
        return remark(f, Bar.FOREIGN, back, f"{back} is in play: end its shoe before new cards")
    before = f.lineage.life(back) or BatchLife(back)
    f = go(f, m, BatchLife(back, before.stage), BatchTrigger.NEW_CARDS, f"{back} has new cards")
    f = replace(f, lineage=put(f.lineage, BatchLife(back)))
    renewed = (*(each for each in f.lineage.renewed if each != back), back)
    both = all(one.back in renewed for one in f.lineage.lives)
    last = "" if both else f.lineage.last_played
    return replace(f, lineage=replace(f.lineage, renewed=renewed, last_played=last))


def alternation_suspended(f: Followed, back: str) -> Followed:
    """A supervisor lets this batch come again for one shoe."""
    if f.lineage.life(back) is None:
        return _no_such(f, back)
    return replace(f, lineage=replace(f.lineage, may_repeat=back))


def _dealt_from(lineage: Lineage, back: str) -> BatchLife | None:
    """The batch that a shoe is dealt from: as its back says, else the only one that it can be."""
    if back:
        return lineage.life(back)
    loaded = [one for one in lineage.lives if one.stage is BatchStage.IN_SHOE]
    ready = [one for one in lineage.lives if one.stage in READY]
    outside = [one for one in lineage.lives if not one.compartment]
    return next((some[0] for some in (loaded, ready, outside) if len(some) == 1), None)


def _no_such(f: Followed, back: str) -> Followed:
    backs = " and ".join(one.back for one in f.lineage.lives)
    seen = harmless(back) or "no"
    return remark(f, Bar.FOREIGN, "", f"{seen} backs are told; this table's batches are {backs}")
