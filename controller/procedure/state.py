"""The state of the table: one frozen value with everything needed to judge the next event.

A restart or a replay therefore continues exactly where the last event left the table. Parts of it:
what is done before a shoe is opened, remedies in a shoe, staff, wagering.
Source: NY (a)(4)(iv), (b)(3), (c)(3)(ii), (c)(4)-(7), (d); S42 (a)(4), (b)(4), (c)(3)(ii)-(iv),
(d), (e), (j)(3), (k)(1)-(3); D-7, D-9 to D-14, D-20 to D-22 (what must survive a restart), D-27.
"""

from enum import StrEnum
from typing import Final

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from controller.custody.batch_life.state import NO_LINEAGE, Lineage
from controller.custody.findings import Finding
from controller.procedure.effects import CoupPayment, CoupRecord, Prompt
from controller.procedure.finished_coups import (
    EARLIER_SHOES_MAX,
    EarlierShoe,
    FinishedCoup,
    PaymentRules,
    coup_of_number,
)
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import ABANDONED_PHASES, BURNS_BEGUN, Phase
from controller.procedure.places import HAND_PLACES, phase_by_cards
from controller.rules.actions.choices import ActKind
from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.rules.outcome import Outcome
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.settlement.vigorish_ledger import EMPTY_LEDGER, VigorishLedger
from controller.rules.settlement.wagers import Wager
from foundation.message import Message, message


class StandingWagers(Struct, frozen=True):
    """Wagers of a coup that was begun and is not paid yet.

    `ghost`: the coup is a ghost hand, so they are returned.
    """

    coup: int
    wagers: tuple[Wager, ...]
    ghost: bool


class VerbalWager(Struct, frozen=True):
    """A verbal cash wager that still has to be changed into chips."""

    seat: int
    cents: int


class WageringState(Struct, frozen=True):
    """Wagers and vigorish: `wagers` as last stated for the next coup, `standing` of begun coups.

    More than one coup can wait: while the table is suspended none is paid. `late` is the last
    statement made after betting closed, None where there is none. `vacated` are seats that owe
    vigorish and whose patron left.
    """

    wagers: tuple[Wager, ...] = ()
    standing: tuple[StandingWagers, ...] = ()
    late: tuple[Wager, ...] | None = None
    verbal: tuple[VerbalWager, ...] = ()
    ledger: VigorishLedger = EMPTY_LEDGER
    vacated: tuple[int, ...] = ()
    last_payment: CoupPayment | None = None


NO_WAGERS: Final = WageringState()


class NoticeGiven(Struct, frozen=True):
    """Notice of a coming change: setting, new value, audience, person and time (UTC)."""

    setting: str
    value: str
    to: str
    person: str
    at_ns: int


class PitValue(Struct, frozen=True):
    """A value that the pit has by a person's word; `key` is that of [pit], `file_value` its value.

    Once the file has another value, the file has the last word.
    """

    key: str
    value: str
    file_value: str


class ChangedSetting(Struct, frozen=True):
    """A setting that has another value at this table than in the profile.

    `file_value` is the value in table.toml and its profile at that time: once they have another
    value, this change ends.
    """

    setting: str
    value: str
    file_value: str
    reason: str


class DecisionCount(Struct, frozen=True):
    """How often a person has made a decision of this kind in the shoe.

    `decision` is the decision of `resolve`, or the name of another action that decides a coup.
    """

    person: str
    decision: str
    count: int


class StaffState(Struct, frozen=True):
    """Persons are ids.

    `dealers` have signed on; `answerable` dealt when what is open, or was decided last, was raised;
    `decisions` were made in the newest shoe.
    """

    dealers: tuple[str, ...] = ()
    answerable: tuple[str, ...] = ()
    decisions: tuple[DecisionCount, ...] = ()

    def made(self, person: str, decision: str) -> int:
        """How many decisions of this kind the person has made in the shoe."""
        kinds = ((one.person, one.decision, one.count) for one in self.decisions)
        return next((count for by, kind, count in kinds if (by, kind) == (person, decision)), 0)


NOBODY_YET: Final = StaffState()


class ResultDeclaration(Struct, frozen=True):
    """The result as declared by the dealer."""

    outcome: Outcome
    player_pair: bool
    banker_pair: bool


class ErrorCard(Struct, frozen=True):
    """A card drawn in error, the `number`-th of its shoe; `coup`: drawn in it, 0 between coups.

    `third`: it was given to the Player's Hand without authority ((k)(1)). `sensed`: the table
    observes whether people saw the card; then `turned` says whether they did. `free`: the profile
    leaves the remedy to the floorperson. `in_error` False: it was drawn after such a card, for a
    hand or as a burn card, and is held with it; the decision places it by the order of drawing.
    `declared` is the result declared after such a card, before the next one.
    """

    card: Card | None
    claimed: Place
    coup: int
    number: int
    third: bool = False
    sensed: bool = False
    turned: bool = False
    free: bool = False
    in_error: bool = True
    declared: ResultDeclaration | None = None


class LastDrawn(StrEnum):
    """Where the card drawn last is, while it can still be reported as boxed."""

    NOTHING = "nothing"
    HAND = "hand"
    ERROR = "error"
    CARRIED = "carried"
    BURN = "burn"


class RemedyState(Struct, frozen=True):
    """Remedies of irregularities that are still to be carried out.

    `waiting` are cards drawn in error that a floorperson has not decided on; `carried` are held
    face down as the first cards of the next coup, in drawing order. `burn_return_phase` is the
    phase in which play resumes after a burn for an irregularity, None where none is in progress;
    `burn_taken` counts its cards. `burn_later` is owed before the next coup's first card;
    `unread_later`: so is an amount that could not be read. `burn_points` require these burns.
    """

    waiting: tuple[ErrorCard, ...] = ()
    carried: tuple[ErrorCard, ...] = ()
    burn_return_phase: Phase | None = None
    burn_taken: int = 0
    burn_later: int = 0
    unread_later: bool = False
    burn_points: tuple[RulePoint, ...] = ()

    @property
    def owes_burn(self) -> bool:
        return self.burn_later > 0 or self.unread_later

    @property
    def drawn_after(self) -> tuple[ErrorCard, ...]:
        """Cards held with the ones drawn in error, because they were drawn after them."""
        return tuple(one for one in self.waiting if not one.in_error)


NOTHING_TO_REMEDY: Final = RemedyState()


class RevealState(Struct, frozen=True):
    """What was turned up in a coup (`turned`, values of LayoutPart), and who may turn.

    `player_seat` and `banker_seat` have the right to turn that hand, 0 for the dealer or none yet;
    `player_given_up` and `banker_given_up` are seats that gave up the right for this coup.
    """

    turned: tuple[str, ...] = ()
    player_seat: int = 0
    banker_seat: int = 0
    player_given_up: tuple[int, ...] = ()
    banker_given_up: tuple[int, ...] = ()


UNTURNED: Final = RevealState()


# Who cut: a seat, or one of these.
NOBODY: Final = -1
THE_DEALER: Final = 0
SHORT_BATCH: Final = message("last_shoe_ran_out_before_count_cards")


class CompletedAct(Struct, frozen=True):
    """An act on record; `batch` is empty where it concerns no particular batch.

    `fresh` until a shoe was dealt from the cards it concerns.
    """

    kind: ActKind
    batch: str
    day: str
    person: str
    amount: int = 0
    fresh: bool = True


class OpeningDefect(Struct, frozen=True):
    """A defect of the cards, because of which an act was refused.

    It becomes an irregularity if dealing begins before the act was accepted.
    """

    act: ActKind
    code: IrregularityCode
    batch: str
    detail: Message


class OpeningState(Struct, frozen=True):
    """`acts` keeps the last act of each kind and batch.

    `offered` are the seats in the order in which the cut is offered, `cutter` who cut last (NOBODY,
    THE_DEALER or a seat), `recut_by` who may carry out an ordered re-cut. `dead`: the cards of a
    dead table were spread. `holder` is the seat that holds the shoe.
    """

    acts: tuple[CompletedAct, ...] = ()
    defects: tuple[OpeningDefect, ...] = ()
    offered: tuple[int, ...] = ()
    cutter: int = NOBODY
    recut_by: tuple[int, ...] = ()
    dead: bool = False
    respread_requested: bool = False
    holder: int = 0

    def find(self, kind: ActKind, batch: str) -> CompletedAct | None:
        """The last such act of that batch, if any."""
        return next((act for act in self.acts if (act.kind, act.batch) == (kind, batch)), None)

    def has(self, kind: ActKind, batch: str = "") -> bool:
        return self.find(kind, batch) is not None

    def with_act(self, act: CompletedAct) -> "OpeningState":
        """With this act in place of an earlier one; its defects are removed."""
        acts = tuple(one for one in self.acts if (one.kind, one.batch) != (act.kind, act.batch))
        defects = tuple(defect for defect in self.defects if defect.act is not act.kind)
        return replace(self, acts=(*acts, act), defects=defects)

    def with_defect(self, defect: OpeningDefect) -> "OpeningState":
        defects = tuple(one for one in self.defects if one.act is not defect.act)
        return replace(self, defects=(*defects, defect))

    def without(self, *kinds: ActKind, batch: str | None = None) -> "OpeningState":
        """Without these acts: those of `batch`, or of every batch where it is None."""
        acts = tuple(
            one for one in self.acts if one.kind not in kinds or batch not in (None, one.batch)
        )
        return replace(self, acts=acts)


NOTHING_RECORDED: Final = OpeningState()


class DealtCard(Struct, frozen=True):
    """A card of a coup: its place by the order of drawing, and the place the shoe claimed.

    `number`: it was the n-th card that left the shoe. `carried_from`: the coup in which a held card
    was drawn, 0 between coups; None for other cards.
    """

    place: Place
    card: Card | None
    claimed: Place
    carried_from: int | None = None
    number: int = 0


class CoupState(Struct, frozen=True):
    """The coup being dealt.

    `partial`: reports of it are missing, or it was joined in the middle; its cards cannot be
    judged. `forced_out`: the shoe's forced exit left it then.
    `aside`: cards drawn in error during it, in no hand. `suspended_cards`: cards of it were dealt
    while the table was suspended. `irregular`: numbers of its irregularities, the first ones.
    `missing`: reports proven to be missing since its last known card. `unjudged`: where one unread
    card alone makes it partial, that card and those drawn after it, to be judged once it is read.
    `carried`: so many of its first cards were drawn in error before it; the shoe's claims are off
    by as many.
    `shoe_cards`: the cards in the shoe's own count, once that is not the order of drawing: cards
    taken out, burned or void are among them.
    What waits for a decision that lets the coup go on: `remedies`, prompts of what is done with its
    cards; `calls_wait`, whether the calls after its last card do, too.
    """

    number: int
    cards: tuple[DealtCard, ...] = ()
    aside: tuple[DealtCard, ...] = ()
    declared: ResultDeclaration | None = None
    partial: bool = False
    forced_out: bool = False
    suspended_cards: bool = False
    irregular: tuple[int, ...] = ()
    missing: int = 0
    reveal: RevealState = UNTURNED
    ghost: bool = False
    carried: int = 0
    unjudged: tuple[DealtCard, ...] = ()
    shoe_cards: tuple[DealtCard, ...] | None = None
    remedies: tuple[Prompt, ...] = ()
    calls_wait: bool = False

    def can_continue_at(self, index: int) -> bool:
        """Whether a report of card `index` (0..5; 6 the result) can still belong to this coup.

        Between its last known card and that one only so many reports fit: the cards between, and
        a cut card. More missing ones than that reach into another coup.
        """
        passed = max((HAND_PLACES.index(dealt.place) for dealt in self.cards), default=-1)
        return index > passed and self.missing <= index - passed

    def has(self, place: Place) -> bool:
        """Whether a card lies at that place."""
        return any(dealt.place is place for dealt in self.cards)

    def faces(self) -> tuple[Card, ...]:
        """The cards in drawing order; only for a coup that is not partial."""
        assert not self.partial
        faces = tuple([dealt.card for dealt in self.cards if dealt.card is not None])
        assert len(faces) == len(self.cards)
        return faces


class CutState(Struct, frozen=True):
    """The cut cards of a shoe.

    `seen` counts them. `last_coup` is the number of the last coup, once it is known. `in_burn`: all
    of them came out during the burn. `exhausted`: the second one came; no more cards are drawn.
    """

    seen: int = 0
    last_coup: int | None = None
    in_burn: bool = False
    exhausted: bool = False


class ShoeTally(Struct, frozen=True):
    """Coups of this shoe by outcome."""

    player: int = 0
    banker: int = 0
    tie: int = 0
    void: int = 0


class ShoeState(Struct, frozen=True):
    """One run of coups from one loading.

    `cards_drawn` counts every card seen to leave the shoe; cards before a shoe was `joined` in play
    are unknown. A shoe fed by a continuous shuffler is `endless`.
    `burn_owed` is how many more cards the burn needs, 0 where not `burn_proven`: reports of the
    burn are missing, or its first card could not be read. `remedy` holds cards drawn in error and
    the burns they require, `drawn_last` which card a person can still report as boxed.
    `finished` are the coups that ended on this gaming day: their outcome can still be corrected;
    those up to number `coups_of_earlier_days` ended before it. `reports_proven`: no report can be
    missing since the last coup or burn ended. `shoe_count`: cards in no hand that the shoe
    itself counts to the hand that comes next. `unread_coup`: the coup that ended last while the
    table is suspended, if it lacks nothing but cards that were not read.
    """

    gaming_day: str
    number: int
    cards_total: int
    cards_drawn: int = 0
    joined: bool = False
    endless: bool = False
    burn_cards: tuple[Card | None, ...] = ()
    burn_owed: int = 0
    burn_proven: bool = True
    remedy: RemedyState = NOTHING_TO_REMEDY
    aside: tuple[Card | None, ...] = ()
    drawn_last: LastDrawn = LastDrawn.NOTHING
    coups_begun: int = 0
    coup: CoupState | None = None
    cut: CutState = CutState()
    tally: ShoeTally = ShoeTally()
    last_coup: CoupRecord | None = None
    finished: tuple[FinishedCoup, ...] = ()
    coups_of_earlier_days: int = 0
    irregularities: int = 0
    ended: bool = False
    ghost_hands: int = 0
    reports_proven: bool = False
    shoe_count: tuple[DealtCard, ...] = ()
    unread_coup: CoupState | None = None

    def overdrawn(self) -> bool:
        """Whether more cards left it than its decks hold."""
        return not self.endless and self.cards_drawn > self.cards_total

    def cards_left(self) -> int:
        """Cards that should still be in the shoe, at least 0; an upper bound if it was joined."""
        return max(0, self.cards_total - self.cards_drawn)

    def cards_on_table(self) -> int:
        """Cards that left the shoe and are not in the discard rack: dealt, held or waiting."""
        coup = self.coup
        dealt = len(coup.cards) + len(coup.aside) if coup is not None else 0
        return dealt + len(self.remedy.waiting) + len(self.remedy.carried)

    def finished_coup(self, number: int) -> FinishedCoup | None:
        """The finished coup of that number, while its outcome can be corrected or it is void."""
        return coup_of_number(self.finished, number)

    def is_last(self, coup: int) -> bool:
        """Whether no further coup may be dealt from this shoe after that one."""
        reached = self.cut.last_coup is not None and coup >= self.cut.last_coup
        return reached or self.cut.exhausted

    def is_empty(self) -> bool:
        """Whether no further card can or may be drawn, as far as that is known."""
        return self.cut.exhausted or not (self.joined or self.endless or self.cards_left())


class OpenIrregularity(Struct, frozen=True):
    """An irregularity that waits for a person's decision.

    `finding` is what custody proved; the view decides whether people may see its card.
    """

    number: int
    code: IrregularityCode
    clauses: tuple[str, ...]
    coup: int
    suspends: bool
    provisional: bool
    finding: Finding | None = None


class NextShoe(StrEnum):
    """What is known of the next shoe while the table is suspended."""

    NONE = "none"
    ANNOUNCED = "announced"  # the device began it
    BEGUN = "begun"  # cards of it were dealt, or may have been; they are not followed


class Suspension(Struct, frozen=True):
    """No further card until a floorperson resolves.

    `resume_to` is the phase in which play would continue. Events meanwhile are judged by the same
    rules: `resume_to` and the shoe advance, `held` keeps the coups that ended; they are neither
    counted nor published before the resolution. `coup` is the coup that caused it, 0 for none.
    `cards_dealt`: cards that left the shoe meanwhile; `coups_dealt`: coups that received some of
    them, the last one `last_coup_dealt`.
    """

    resume_to: Phase
    coup: int
    held: tuple[CoupRecord, ...] = ()
    next_shoe: NextShoe = NextShoe.NONE
    cards_dealt: int = 0
    coups_dealt: int = 0
    last_coup_dealt: int = 0

    @property
    def dealt(self) -> bool:
        """Whether cards left the shoe while the table was suspended."""
        return self.cards_dealt > 0


class DaysPutBack(Struct, frozen=True):
    """Persons put the gaming day back `times` times; days up to `used_until` may have had shoes."""

    times: int
    used_until: str


class TableState(Struct, frozen=True):
    """Everything the procedure knows. `phase` is the one place for the state of play.

    `opening` and `wagering` outlive a shoe; `settings` and `notices` are changes of the profile at
    this table. `ghost_hand_requested`: the next coup is a ghost hand. `lineage` is the life of the
    batches where a shuffler reports it, `dealt_under_warning` the newest warning under which a card
    was drawn since a floorperson last decided, `shuffler_event_ns` (UTC) the shuffler's last event.
    `earlier_shoes` are those with coups of this gaming day that can still be corrected, and
    `payment_rules` what the day's coups were settled by, each once. `staff`: who deals, and who
    decided what. `time_before_jump_ns`: the UTC before a jump of the clock, while the gaming day
    waits for a person's word. `pit_values`: what people said that the pit has from then on.
    `loading_unseen`: reports may be missing since the last shoe was over, and no loading is on
    record since. The last four are left out of stored states where they are unset.
    """

    phase: Phase = Phase.CLOSED
    today: str = ""
    shoe_day: str = ""
    shoe_number: int = 0
    shoe: ShoeState | None = None
    suspension: Suspension | None = None
    open_irregularities: tuple[OpenIrregularity, ...] = ()
    irregularities: int = 0
    opening: OpeningState = NOTHING_RECORDED
    wagering: WageringState = NO_WAGERS
    settings: tuple[ChangedSetting, ...] = ()
    notices: tuple[NoticeGiven, ...] = ()
    ghost_hand_requested: bool = False
    lineage: Lineage = NO_LINEAGE
    dealt_under_warning: int = 0
    shuffler_event_ns: int = 0
    earlier_shoes: tuple[EarlierShoe, ...] = ()
    payment_rules: tuple[PaymentRules, ...] = ()
    staff: StaffState = NOBODY_YET
    time_before_jump_ns: int | UnsetType = UNSET
    days_put_back: DaysPutBack | UnsetType = UNSET
    pit_values: tuple[PitValue, ...] | UnsetType = UNSET
    loading_unseen: bool | UnsetType = UNSET

    @property
    def play_phase(self) -> Phase:
        """The phase of play: the phase beneath, while the table is suspended."""
        return self.phase if self.suspension is None else self.suspension.resume_to

    @property
    def phase_after_burn(self) -> Phase:
        """The phase of play; during a burn for an irregularity, the one in which play resumes."""
        back = self.shoe.remedy.burn_return_phase if self.shoe is not None else None
        return self.play_phase if back is None else back

    @property
    def shoe_over(self) -> bool:
        """Whether the shoe at the table is over: what follows is another one."""
        return self.play_phase is Phase.SHOE_OVER

    @property
    def betting_open(self) -> bool:
        """Whether the next coup can begin and its wagers are not locked."""
        return self.play_phase is Phase.BETWEEN_COUPS

    @property
    def coup_left(self) -> bool:
        """Whether the coup on the table was left before its result."""
        return self.play_phase in ABANDONED_PHASES

    @property
    def burning(self) -> bool:
        """Whether cards were burned in the burn in progress."""
        return self.play_phase in BURNS_BEGUN

    @property
    def due_phase(self) -> Phase:
        """The phase of play; of a coup that was left, the one in which it would go on."""
        if not self.coup_left:
            return self.play_phase
        assert self.shoe is not None, "a coup was left"
        assert self.shoe.coup is not None, "a coup was left"
        return phase_by_cards(self.shoe.coup.faces())


def shoes_to_correct(state: TableState) -> tuple[EarlierShoe, ...]:
    """The earlier shoes and, as one of them, the shoe at the table: another one follows it."""
    shoe = state.shoe
    if shoe is None or not shoe.finished:
        return state.earlier_shoes
    left = EarlierShoe.of(shoe.gaming_day, shoe.number, shoe.finished)
    return (*state.earlier_shoes, left)[-EARLIER_SHOES_MAX:]
