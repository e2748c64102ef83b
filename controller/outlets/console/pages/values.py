"""What the pages show, made of one snapshot: hands, prompts, duties, decisions, roads, devices.

Pure: nothing is read but the snapshot, and nothing is kept. What people may not see is not in it.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.outlets.console.pages.labels import LABELS, label
from controller.outlets.road_drawings import Boards, road_drawings
from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact
from controller.record.coup import road_coups
from controller.record.snapshot import (
    ClosedCoupView,
    CoupView,
    FinishedCoupView,
    HandView,
    Health,
    IrregularityView,
    ShownCard,
    Snapshot,
)
from controller.record.snapshot_devices import (
    AuxiliaryView,
    DeviceView,
    ShufflerBatchView,
    ShufflerView,
    advisory_words,
)
from controller.rules.actions.actions import (
    ACTIONS,
    CallNoMoreBets,
    ClearWarning,
    CollectVigorish,
    DeclareResult,
    RecordAct,
    ReportTurned,
)
from controller.rules.actions.choices import FloorDecision, Provisional
from controller.rules.actions.declaration import ActionValues, Role, name_of
from controller.rules.outcome import Outcome
from controller.rules.profiles.clauses import Clause
from controller.rules.roads import build_roads
from controller.system.messages.catalogue import to_words
from drivers.events import Stage
from foundation.message import message

LAST_COUPS: Final = 8
# More columns than a screen is wide: a board shows its newest end.
PAGE_BOARDS: Final = Boards(bead_columns=40, columns=60, derived_columns=60)
PATRON_BOARDS: Final = Boards(bead_columns=30, columns=60, derived_columns=60)
_SUITS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
_RED_SUITS: Final = "hd"
_BETWEEN_SHOES: Final = (Phase.CLOSED, Phase.OPENING, Phase.SHOE_OVER)


# --- hands ----------------------------------------------------------------------------------------


class CardImage(Struct, frozen=True):
    """A card as it is drawn: rank and suit, or none for its back; `words` for a screen reader."""

    rank: str
    suit: str
    red: bool
    words: str


class HandImage(Struct, frozen=True):
    """A hand: its cards, its point count as far as people may see it, and whether it won."""

    name: str
    cards: tuple[CardImage, ...]
    count: int | None
    natural: bool
    won: bool
    tied: bool


def card_face(card: ShownCard) -> CardImage:
    """A card that people have seen; any other as its back."""
    if card.value is None:
        assert card.withheld is not None, "a card has a face, or a reason why not"
        return CardImage("", "", red=False, words=label("withheld", card.withheld))
    rank, suit = card.value[:-1], card.value[-1]
    rank = "10" if rank == "T" else rank
    names = LABELS["rank"][rank], LABELS["suit"][suit]
    words = to_words(message("console_card", rank=names[0], suit=names[1]))
    return CardImage(rank, _SUITS[suit], suit in _RED_SUITS, words)


def shown_hands(snapshot: Snapshot) -> tuple[HandImage, HandImage]:
    """Player and Banker of the open coup, else of the last one."""
    coup = snapshot.coup or snapshot.last_coup
    if coup is None:
        return _empty("player"), _empty("banker")
    return _hand("player", coup.player, coup), _hand("banker", coup.banker, coup)


def _empty(name: str) -> HandImage:
    return HandImage(name, (), None, natural=False, won=False, tied=False)


def _hand(name: str, hand: HandView, coup: CoupView | ClosedCoupView) -> HandImage:
    counts = coup.corrected or coup.outcome if isinstance(coup, ClosedCoupView) else None
    count = hand.count.value if hand.cards else None
    two = len(hand.cards) == 2  # a natural is a count of two cards
    return HandImage(
        name=name,
        cards=tuple(map(card_face, hand.cards)),
        count=count,
        natural=two and count is not None and count >= 8,  # 8 or 9
        won=counts is not None and counts.value == name,
        tied=counts is Outcome.TIE,
    )


def beside_hands(snapshot: Snapshot) -> tuple[tuple[str, tuple[CardImage, ...]], ...]:
    """Cards that belong to no hand, by what they are: third cards, cards drawn in error, burn."""
    groups: list[tuple[str, Iterable[ShownCard]]] = []
    if snapshot.coup is not None:
        groups += [("third", snapshot.coup.third), ("aside", snapshot.coup.aside)]
    elif snapshot.last_coup is None and snapshot.shoe is not None:
        groups += [("burn", snapshot.shoe.burn)]
    faces = ((label("beside", name), tuple(map(card_face, cards))) for name, cards in groups)
    return tuple((name, cards) for name, cards in faces if cards)


def coup_words(snapshot: Snapshot) -> str:
    """Which coup lies on the layout, and how it ended."""
    if snapshot.coup is not None:
        state = "provisional" if snapshot.coup.provisional else "open"
        state = "partial" if snapshot.coup.partial else state
        return _coup_state(snapshot.coup.number, state)
    last = snapshot.last_coup
    if last is None:
        return to_words(message("console_no_coup"))
    if last.corrected is not None:
        return _coup_state(last.number, f"corrected_{last.corrected.value}")
    return _coup_state(last.number, last.fate if last.outcome is None else last.outcome.value)


def _coup_state(number: int, state: str) -> str:
    named = LABELS["coup"][state.replace("-", "_")]
    return to_words(message("console_coup", number=number, state=named))


# --- what people have to do -----------------------------------------------------------------------


class PromptButton(Struct, frozen=True):
    """A button: the action it takes, with these values. `main`: what is most likely due."""

    action: str
    values: Mapping[str, str]
    words: str
    main: bool = False
    style: str = ""


def is_stopped(snapshot: Snapshot) -> bool:
    """Whether an irregularity takes the screen."""
    return snapshot.suspension is not None or any(one.suspends for one in snapshot.irregularities)


def prompts(snapshot: Snapshot) -> tuple[PromptButton, ...]:
    """The dealer's buttons, by what is due and what people report at this table."""
    if is_stopped(snapshot):
        return ()
    return tuple(_prompts(snapshot))


def _prompts(snapshot: Snapshot) -> Iterator[PromptButton]:
    observed, coup = snapshot.observed, snapshot.coup
    if ObservableFact.NO_MORE_BETS in observed and snapshot.phase.value is Phase.BETWEEN_COUPS:
        called = to_words(message("console_no_more_bets"))
        yield PromptButton(name_of(CallNoMoreBets), {}, called, main=True)
    if coup is not None and ObservableFact.TURNED in observed:
        for part in coup.turning.face_down:
            turned = label("turned", part)
            yield PromptButton(name_of(ReportTurned), {"what": part.value}, turned, main=True)
    if snapshot.phase.value is Phase.RESULT and ObservableFact.RESULT_BUTTON in observed:
        for outcome in Outcome:
            values = {"outcome": outcome.value}
            result = label("result", outcome)
            yield PromptButton(name_of(DeclareResult), values, result, style=outcome.value)
    for owed in snapshot.wagering.owed:
        words = message("console_collect_vigorish", seat=owed.seat, amount=owed.amount)
        yield PromptButton(name_of(CollectVigorish), {"seat": str(owed.seat)}, to_words(words))


class ShownDuty(Struct, frozen=True):
    """A duty of the opening, with the act that records it.

    `batches` are the backs to choose from, and their words, where it is not known which is next.
    """

    text: str
    clauses: tuple[str, ...]
    done: bool
    observed: bool
    prompt: PromptButton
    batches: tuple[tuple[str, str], ...]


def duties(snapshot: Snapshot) -> tuple[tuple[str, tuple[ShownDuty, ...]], ...]:
    """The duties of the next shoe by group, while no coup is dealt."""
    groups: dict[str, list[ShownDuty]] = {}
    if snapshot.phase.value not in _BETWEEN_SHOES or is_stopped(snapshot):
        return ()
    batch = snapshot.opening.batch
    open_to = () if batch else tuple((one, _back_words(one)) for one in snapshot.opening.batches)
    for duty in snapshot.opening.duties:
        values = {"act": duty.act, **({"batch": batch} if batch else {})}
        prompt = PromptButton(name_of(RecordAct), values, to_words(message("console_done")))
        shown = ShownDuty(duty.text, duty.clauses, duty.done, duty.observed, prompt, open_to)
        groups.setdefault(duty.group, []).append(shown)
    return tuple((name, tuple(shown)) for name, shown in groups.items())


def warning_prompt(number: int) -> PromptButton:
    """The button that clears a warning of the shuffler."""
    values = {"number": str(number)}
    return PromptButton(name_of(ClearWarning), values, to_words(message("console_clear_warning")))


class DecisionChoice(Struct, frozen=True):
    """A decision that is permitted now, in words, and when it applies."""

    decision: FloorDecision
    words: str
    when: str


def decision_choices(snapshot: Snapshot) -> tuple[DecisionChoice, ...]:
    return tuple(
        DecisionChoice(one.decision, label("decision", one.decision), one.when)
        for one in snapshot.remedy.decisions
    )


def grouped_irregularities(snapshot: Snapshot) -> tuple[tuple[IrregularityView, int], ...]:
    """What is open, each with how often; those first that suspend, and equal ones once."""
    groups: list[list[IrregularityView]] = []
    for one in sorted(snapshot.irregularities, key=lambda one: not one.suspends):
        group = next((group for group in groups if _is_shown_as(one, group[0])), None)
        if group is None:
            groups.append([one])
        else:
            group.append(one)
    return tuple((group[0], len(group)) for group in groups)


def _is_shown_as(one: IrregularityView, other: IrregularityView) -> bool:
    return replace(one, number=other.number, provisional=other.provisional) == other


def provisional_choices(snapshot: Snapshot) -> tuple[tuple[Provisional, str], ...]:
    """What may become of cards dealt while the table was suspended."""
    found = dict.fromkeys(kind for one in snapshot.remedy.decisions for kind in one.provisional)
    return tuple((kind, label("provisional", kind)) for kind in found)


def actions_for(role: Role | None) -> tuple[type[ActionValues], ...]:
    """The actions that this role may take; all of them where nobody has signed on."""
    return tuple(kind for kind in ACTIONS.values() if role is None or role in kind.roles)


def may_take(role: Role | None) -> frozenset[str]:
    """The names of the actions that this role may take."""
    return frozenset(map(name_of, actions_for(role)))


def asks_who(role: Role | None) -> bool:
    """Whether a floorperson decides here by name and PIN: at the screen, and at a dealer's."""
    return role is None or role is Role.DEALER


def coup_marks(coup: FinishedCoupView) -> list[str]:
    """What is said of a coup beside its outcome, as message names; of a void one nothing."""
    if coup.outcome is None and coup.corrected is None:
        return []
    facts = {
        "natural": coup.natural,
        "player_pair": coup.player_pair,
        "banker_pair": coup.banker_pair,
    }
    return [name for name, fact in facts.items() if fact]


# --- the shoe and its coups -----------------------------------------------------------------------


class ShoeProgress(Struct, frozen=True):
    """How far the shoe is; `percent` is None where its cards are not counted."""

    percent: int | None
    cut: str


def progress(snapshot: Snapshot) -> ShoeProgress | None:
    shoe = snapshot.shoe
    if shoe is None:
        return None
    counted = shoe.cards_left is not None and shoe.cards_total > 0
    percent = min(100, shoe.cards_drawn * 100 // shoe.cards_total) if counted else None
    if not shoe.cut_card_seen:
        return ShoeProgress(percent, to_words(message("console_cut_card_in_shoe")))
    if shoe.last_coup_number is None:
        return ShoeProgress(percent, to_words(message("console_cut_card_out")))
    last = message("console_cut_card_out_last", number=shoe.last_coup_number)
    return ShoeProgress(percent, to_words(last))


def last_coups(snapshot: Snapshot) -> tuple[FinishedCoupView, ...]:
    """The newest first."""
    return tuple(reversed(snapshot.coups[-LAST_COUPS:]))


def roads(snapshot: Snapshot, boards: Boards = PAGE_BOARDS) -> tuple[tuple[str, str], ...]:
    """Name and drawing of the five roads; the newest coup has a frame."""
    coups = road_coups(snapshot.coups)
    return road_drawings(build_roads(coups), coups[-1].coup if coups else 0, boards)


def meters(snapshot: Snapshot) -> tuple[tuple[str, int], ...]:
    """How many coups each side won, as they count now."""
    outcomes = [one.corrected or one.outcome for one in snapshot.coups]
    return tuple((outcome.value, outcomes.count(outcome)) for outcome in Outcome)


def counted_marks(snapshot: Snapshot) -> tuple[tuple[str, int], ...]:
    """The marks of coups, as message names, and how many coups have each."""
    marks = [mark for one in snapshot.coups for mark in coup_marks(one)]
    counted = [(name, marks.count(name)) for name in ("banker_pair", "player_pair", "natural")]
    corrected = sum(one.corrected is not None for one in snapshot.coups)
    return (*counted, *((("console_corrected", corrected),) if corrected else ()))


def notes(snapshot: Snapshot) -> tuple[tuple[str, str], ...]:
    """What people should know beside play: how grave it is, and the sentence."""
    found: list[tuple[str, str]] = []
    if snapshot.health is not Health.RUNNING:
        health = label("health", snapshot.health)
        found.append(("grave", f"{health} {snapshot.failure}".rstrip()))
    if snapshot.trial:
        found.append(("quiet", to_words(message("console_trial"))))
    lost = (
        message("console_device_lost", device=one.name) for one in devices(snapshot) if one.lost
    )
    found += [("grave", to_words(text)) for text in lost]
    host = snapshot.host
    found += [("grave", one.text) for one in (host.disk, host.clock) if one is not None]
    found += [("warn", advisory_words(one)) for one in snapshot.advisories]
    return tuple(found)


# --- clauses --------------------------------------------------------------------------------------


class ShownClause(Struct, frozen=True):
    """A clause by its id, and its text with its source; the rules are quoted, not translated."""

    id: str
    text: str
    source: str
    borrowed: str


def shown_clauses(
    ids: Iterable[str], borrowed: Mapping[str, str], catalogue: Mapping[str, Clause]
) -> tuple[ShownClause, ...]:
    return tuple(
        ShownClause(
            one,
            catalogue[one].text if one in catalogue else "",
            catalogue[one].source if one in catalogue else "",
            borrowed.get(one, ""),
        )
        for one in ids
    )


# --- batches and devices --------------------------------------------------------------------------


class ShownBatch(Struct, frozen=True):
    """A batch: its back, where it is, how many cards where that is counted, why it is barred."""

    back: str
    words: str
    place: str
    cards: int | None
    bars: tuple[str, ...]
    in_play: bool


def batches(snapshot: Snapshot) -> tuple[ShownBatch, ...]:
    """Both batches: by the shuffler's reports, else by the cards tracked, else by what is known."""
    opening = snapshot.opening
    by_shuffler: dict[str, ShufflerBatchView] = {}
    if snapshot.shuffler is not None:
        by_shuffler = {one.back: one for one in snapshot.shuffler.batches}
    tracked = {one.back: one for one in snapshot.custody.batches}
    found: list[ShownBatch] = []
    for back in dict.fromkeys((*opening.batches, *by_shuffler, *tracked)):
        shuffled, cards = by_shuffler.get(back), tracked.get(back)
        in_play = opening.in_play == back or (cards is not None and cards.in_play)
        if shuffled is not None:
            place, count, bars = label("batch", shuffled.stage), shuffled.cards, shuffled.bars
        else:
            place, count, bars = label("batch", _place(snapshot, back)), None, ()
        if cards is not None and cards.blocked:
            bars = (*bars, cards.blocked)
        if cards is not None and in_play:
            count = cards.cards.shoe
        found.append(ShownBatch(back, _back_words(back), place, count, bars, in_play))
    return tuple(found)


def _place(snapshot: Snapshot, back: str) -> str:
    opening = snapshot.opening
    places = (
        (opening.in_play, "in_play"),
        (opening.loaded, "in_shoe"),
        (opening.in_shuffler, "stored"),
        (opening.in_rack, "spent"),
    )
    return next((place for there, place in places if there == back), "unknown")


def _back_words(back: str) -> str:
    """The colour of a back; a house may have named its own."""
    return label("back", back) if back in ("red", "blue") else back


class ShownDevice(Struct, frozen=True):
    """A device: what it is, its model and port, and whether it is there. `remarks` say what of it
    people should know."""

    name: str
    model: str
    port: str
    stage: str
    good: bool
    lost: bool
    remarks: tuple[str, ...]


def devices(snapshot: Snapshot) -> tuple[ShownDevice, ...]:
    shoe, shuffler = snapshot.device, snapshot.shuffler
    found = [_device("shoe", shoe.model, shoe, {"locked": bool(shoe.locked)})]
    if shuffler is not None:
        remarks = {"interlocked": shuffler.interlocked, "door_open": shuffler.door_open}
        found.append(_device("shuffler", shuffler.model, shuffler, remarks))
    found += [_device(one.kind, one.model or one.seat, one, {}) for one in snapshot.beside]
    return tuple(found)


def _device(
    kind: str,
    model: str,
    device: DeviceView | ShufflerView | AuxiliaryView,
    remarks: Mapping[str, bool],
) -> ShownDevice:
    return ShownDevice(
        label("device", kind),
        model,
        device.port,
        label("stage", device.stage),
        good=device.stage is Stage.ONLINE,
        lost=device.stage is Stage.LOST,
        remarks=tuple(label("device", name) for name, holds in remarks.items() if holds),
    )
