"""The catalogue of irregularities: stable codes, what each means, permits and forbids.

Responsible for: one row per code, as data: the rule points it cites, whether it suspends the
table, which decisions a floorperson may take, and the words people read.
Not responsible for: finding irregularities (judging) and for clause ids (the profile gives them).
Source: S42 (e)(6), (h)(4), (h)(5), (k)(1)-(4); NY (e), (h); D-5, D-5a, D-6, D-7, D-16, D-23, D-32.
"""

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from controller.procedure.decisions import Decision
from controller.rules.rule_points import RulePoint


class IrregularityCode(StrEnum):
    """Stable names: they stand in journals, metrics and tests, and are never reused."""

    BURN_SKIPPED = "BURN_SKIPPED"
    BURN_SHORT = "BURN_SHORT"
    BURN_OVER = "BURN_OVER"
    CUT_CARD_IN_BURN = "CUT_CARD_IN_BURN"
    CUT_CARD_PLACEMENT = "CUT_CARD_PLACEMENT"
    CUT_CARD_EXTRA = "CUT_CARD_EXTRA"
    CARD_BEFORE_NO_MORE_BETS = "CARD_BEFORE_NO_MORE_BETS"
    OVERDRAW = "OVERDRAW"
    PLAYER_THIRD_UNAUTHORISED = "PLAYER_THIRD_UNAUTHORISED"
    MISSING_CARD = "MISSING_CARD"
    CLAIM_DIFFERS = "CLAIM_DIFFERS"
    CARD_OUTSIDE_PLAY = "CARD_OUTSIDE_PLAY"
    CARD_UNREADABLE = "CARD_UNREADABLE"
    CARD_AFTER_LAST_COUP = "CARD_AFTER_LAST_COUP"
    CARD_AFTER_SECOND_CUT_CARD = "CARD_AFTER_SECOND_CUT_CARD"
    CARDS_EXCEED_DECKS = "CARDS_EXCEED_DECKS"
    INSUFFICIENT_CARDS = "INSUFFICIENT_CARDS"
    RESULT_MISMATCH = "RESULT_MISMATCH"
    RESULT_WITHOUT_COUP = "RESULT_WITHOUT_COUP"
    RESULT_NOT_DECLARED = "RESULT_NOT_DECLARED"
    FORCED_EXIT = "FORCED_EXIT"
    RETRANSMISSION_CONFLICT = "RETRANSMISSION_CONFLICT"
    REPORTS_LOST = "REPORTS_LOST"
    CONTINUITY_UNPROVEN = "CONTINUITY_UNPROVEN"
    SHOE_JOINED = "SHOE_JOINED"
    COUP_JOINED = "COUP_JOINED"
    SHOE_RESTARTED = "SHOE_RESTARTED"
    SHOE_CHANGED_EARLY = "SHOE_CHANGED_EARLY"
    PROGRAM_REPLACED = "PROGRAM_REPLACED"
    DEALT_WHILE_SUSPENDED = "DEALT_WHILE_SUSPENDED"


@dataclass(frozen=True, slots=True)
class IrregularityKind:
    """What one code means. `permitted` and `forbidden` are sentences for the floorperson."""

    title: str
    points: tuple[RulePoint, ...]
    suspends: bool
    decisions: tuple[Decision, ...]
    permitted: tuple[str, ...]
    forbidden: tuple[str, ...]


_ANY: Final = (Decision.CONTINUE, Decision.VOID_COUP, Decision.CLOSE_SHOE)
_GO_ON_OR_CLOSE: Final = (Decision.CONTINUE, Decision.CLOSE_SHOE)
# Which of them a floorperson may take depends on whether a coup is partial.
_PARTIAL_OR_NONE: Final = tuple(Decision)
_CLOSE: Final = (Decision.CLOSE_SHOE,)
_ACKNOWLEDGE: Final = (Decision.CONTINUE,)

_NEVER_SILENT: Final = "paying or taking any wager of this coup before the decision"
_NEVER_INVENT: Final = "counting this coup from memory without a named person's statement"
_BURN_SET_RIGHT: Final = "compare the discard rack with the burn that was owed, then decide"

_CHECK_TABLE: Final = "compare the cards on the layout with the cards listed here, then decide"

CATALOGUE: Final = MappingProxyType(
    {
        IrregularityCode.BURN_SKIPPED: IrregularityKind(
            title="a coup was begun before any card was burned",
            points=(RulePoint.BURN_FIRST, RulePoint.BURN_BEFORE_PLAY),
            suspends=True,
            decisions=_GO_ON_OR_CLOSE,
            permitted=("take the card as the first burn card and complete the burn",),
            forbidden=("dealing on before a floorperson has decided", _NEVER_SILENT),
        ),
        IrregularityCode.BURN_SHORT: IrregularityKind(
            title="a coup was begun while burn cards were still owed",
            points=(RulePoint.BURN_COUNT, RulePoint.BURN_BEFORE_PLAY),
            suspends=True,
            decisions=_GO_ON_OR_CLOSE,
            permitted=("take the card as a burn card and complete the burn", _BURN_SET_RIGHT),
            forbidden=("dealing on before a floorperson has decided", _NEVER_SILENT),
        ),
        IrregularityCode.BURN_OVER: IrregularityKind(
            title="a card was burned that was not owed",
            points=(RulePoint.BURN_COUNT,),
            suspends=True,
            decisions=_GO_ON_OR_CLOSE,
            permitted=("leave the card in the discard rack and go on",),
            forbidden=("putting the card back into the shoe",),
        ),
        IrregularityCode.CUT_CARD_IN_BURN: IrregularityKind(
            title="the cut card came out during the burn: it was misplaced",
            points=(RulePoint.CUT_CARD_PLACEMENT, RulePoint.RECUT),
            suspends=True,
            decisions=_GO_ON_OR_CLOSE,
            permitted=(
                "complete the burn; the cut card is not counted as a burn card",
                "close the shoe and reload: all cards back, new shuffle, cut and burn",
                "put the cut card back in its place and go on",
            ),
            forbidden=(
                "a re-cut as such: cards have left the shoe",
                "beginning the first coup before a floorperson has decided",
            ),
        ),
        IrregularityCode.CUT_CARD_PLACEMENT: IrregularityKind(
            title="fewer cards than the rule asks stood behind the cut card",
            points=(RulePoint.CUT_CARD_PLACEMENT,),
            suspends=False,
            decisions=_ACKNOWLEDGE,
            permitted=("play on by the last-hand rule", "acknowledge and record the placement"),
            forbidden=("moving the cut card back",),
        ),
        IrregularityCode.CUT_CARD_EXTRA: IrregularityKind(
            title="a third cut card came out of the shoe",
            points=(RulePoint.CUT_CARDS_COUNT,),
            suspends=False,
            decisions=_ACKNOWLEDGE,
            permitted=("put it aside and acknowledge",),
            forbidden=("counting it as a playing card",),
        ),
        IrregularityCode.CARD_BEFORE_NO_MORE_BETS: IrregularityKind(
            title='the first card was drawn before "no more bets" was called',
            points=(RulePoint.NO_MORE_BETS,),
            suspends=False,
            decisions=_ACKNOWLEDGE,
            permitted=("let the coup go on and acknowledge",),
            forbidden=("accepting or changing wagers after the first card",),
        ),
        IrregularityCode.OVERDRAW: IrregularityKind(
            title="a card was drawn that no hand is due",
            points=(RulePoint.ONE_EXTRA_CARD, RulePoint.DRAWN_IN_ERROR),
            suspends=True,
            decisions=_ANY,
            permitted=(
                "let the coup end with the cards it is due",
                "if the card was seen: burn it and as many more as its amount before the next coup",
            ),
            forbidden=(
                "adding the card to either hand",
                "offering chips or favours in place of the rule",
                _NEVER_SILENT,
            ),
        ),
        IrregularityCode.PLAYER_THIRD_UNAUTHORISED: IrregularityKind(
            title="a third card was given to the Player's Hand that had to stand",
            points=(RulePoint.PLAYER_STANDS, RulePoint.PLAYER_THIRD_UNAUTHORISED),
            suspends=True,
            decisions=_ANY,
            permitted=("move the card to the Banker's Hand: it is due a third card",),
            forbidden=("leaving the card with the Player's Hand", _NEVER_SILENT),
        ),
        IrregularityCode.MISSING_CARD: IrregularityKind(
            title="the result was declared while a card was still due",
            points=(RulePoint.RESULT_CALLED,),
            suspends=True,
            decisions=_ANY,
            permitted=(
                "draw the missing card now, if nothing else left the shoe",
                "void the coup",
            ),
            forbidden=("paying by the hands as they lie", _NEVER_SILENT),
        ),
        IrregularityCode.CLAIM_DIFFERS: IrregularityKind(
            title="the shoe believes the card is for another place than the order of drawing gives",
            points=(RulePoint.PLAYER_CARDS, RulePoint.BANKER_CARDS),
            suspends=True,
            decisions=_ANY,
            permitted=("move the card to the place the order of drawing gives",),
            forbidden=("leaving the card in the other hand", _NEVER_SILENT),
        ),
        IrregularityCode.CARD_OUTSIDE_PLAY: IrregularityKind(
            title="a card left the shoe while the shoe held play to be stopped",
            points=(RulePoint.DRAWN_IN_ERROR,),
            suspends=True,
            decisions=_ANY,
            permitted=("set the card aside for the discard rack and go on", "void the coup"),
            forbidden=("adding the card to either hand",),
        ),
        IrregularityCode.CARD_UNREADABLE: IrregularityKind(
            title="a card left the shoe that the shoe could not read",
            points=(RulePoint.SHOE_DEVICE,),
            suspends=True,
            decisions=_PARTIAL_OR_NONE,
            permitted=(_CHECK_TABLE, "state the outcome from the cards on the layout"),
            forbidden=(_NEVER_INVENT,),
        ),
        IrregularityCode.CARD_AFTER_LAST_COUP: IrregularityKind(
            title="a card was drawn after the last hand",
            points=(RulePoint.LAST_HAND,),
            suspends=True,
            decisions=_GO_ON_OR_CLOSE,
            permitted=(
                "put the card into the discard rack and go on with the reshuffle",
                "close the shoe if the card is another shoe's: the table joins that one",
            ),
            forbidden=("dealing another coup from this shoe", "carrying the card to another shoe"),
        ),
        IrregularityCode.CARD_AFTER_SECOND_CUT_CARD: IrregularityKind(
            title="a card was drawn after the second cut card",
            points=(RulePoint.SECOND_CUT_CARD,),
            suspends=True,
            decisions=_ANY,
            permitted=("void an open coup", "close the shoe and reshuffle"),
            forbidden=("dealing on from this shoe",),
        ),
        IrregularityCode.CARDS_EXCEED_DECKS: IrregularityKind(
            title="more cards left the shoe than its decks hold",
            points=(RulePoint.SHOE_LOADED,),
            suspends=True,
            decisions=_CLOSE,
            permitted=("close the shoe, void an open coup and count every deck",),
            forbidden=("using these decks before they are counted",),
        ),
        IrregularityCode.INSUFFICIENT_CARDS: IrregularityKind(
            title="too few cards remain to complete the coup",
            points=(RulePoint.INSUFFICIENT_CARDS,),
            suspends=True,
            decisions=_CLOSE,
            permitted=("void the coup, return every wager, close the shoe and reshuffle",),
            forbidden=("completing the coup with cards of another shoe", "charging vigorish"),
        ),
        IrregularityCode.RESULT_MISMATCH: IrregularityKind(
            title="the declared result is not the result of the cards",
            points=(RulePoint.WINNER_DECLARED, RulePoint.RESULT_CALLED),
            suspends=True,
            decisions=_ANY,
            permitted=("let the cards decide and correct the announcement", "void the coup"),
            forbidden=("paying by the declared result", _NEVER_SILENT),
        ),
        IrregularityCode.RESULT_WITHOUT_COUP: IrregularityKind(
            title="a result was declared with no coup on the table",
            points=(RulePoint.RESULT_CALLED,),
            suspends=False,
            decisions=_ACKNOWLEDGE,
            permitted=("set the declaration aside and acknowledge",),
            forbidden=("paying on it",),
        ),
        IrregularityCode.RESULT_NOT_DECLARED: IrregularityKind(
            title="the next coup was begun before the result was declared",
            points=(RulePoint.RESULT_CALLED,),
            suspends=False,
            decisions=_ACKNOWLEDGE,
            permitted=("count the coup by its cards and acknowledge",),
            forbidden=("changing the coup afterwards",),
        ),
        IrregularityCode.FORCED_EXIT: IrregularityKind(
            title="the coup was left by the shoe's forced exit",
            points=(RulePoint.RESULT_CALLED,),
            suspends=True,
            decisions=_ANY,
            permitted=("void the coup", "let the coup go on where it stands"),
            forbidden=(_NEVER_SILENT,),
        ),
        IrregularityCode.RETRANSMISSION_CONFLICT: IrregularityKind(
            title="the shoe now gives another card for a place that is already known",
            points=(RulePoint.SHOE_DEVICE,),
            suspends=True,
            decisions=_ANY,
            permitted=(_CHECK_TABLE,),
            forbidden=("taking the second report for the first without looking at the layout",),
        ),
        IrregularityCode.REPORTS_LOST: IrregularityKind(
            title="reports of the shoe are missing",
            points=(RulePoint.SHOE_DEVICE,),
            suspends=True,
            decisions=_PARTIAL_OR_NONE,
            permitted=(_CHECK_TABLE, "void the coup, or state its outcome from the layout"),
            forbidden=(_NEVER_INVENT,),
        ),
        IrregularityCode.CONTINUITY_UNPROVEN: IrregularityKind(
            title="after an interruption nothing proves that no report of the shoe was missed",
            points=(RulePoint.SHOE_DEVICE,),
            suspends=True,
            decisions=_PARTIAL_OR_NONE,
            permitted=(_CHECK_TABLE, "void the coup, or state its outcome from the layout"),
            forbidden=(_NEVER_INVENT,),
        ),
        IrregularityCode.SHOE_JOINED: IrregularityKind(
            title="the program joined a shoe that was already in play",
            points=(RulePoint.SHOE_LOADED, RulePoint.BURN_BEFORE_PLAY),
            suspends=True,
            decisions=_PARTIAL_OR_NONE,
            permitted=(_CHECK_TABLE, "go on with this shoe; its counts stay unproven"),
            forbidden=(_NEVER_INVENT,),
        ),
        IrregularityCode.COUP_JOINED: IrregularityKind(
            title="the first card seen of a coup is not its first card",
            points=(RulePoint.FOUR_CARDS, RulePoint.SHOE_DEVICE),
            suspends=True,
            decisions=_PARTIAL_OR_NONE,
            permitted=(_CHECK_TABLE, "void the coup, or state its outcome from the layout"),
            forbidden=(_NEVER_INVENT,),
        ),
        IrregularityCode.SHOE_RESTARTED: IrregularityKind(
            title="the dealing shoe restarted in the middle of a coup or of the burn",
            points=(RulePoint.SHOE_DEVICE,),
            suspends=True,
            decisions=_PARTIAL_OR_NONE,
            permitted=(_CHECK_TABLE, "void the coup, or state its outcome from the layout"),
            forbidden=(_NEVER_INVENT,),
        ),
        IrregularityCode.SHOE_CHANGED_EARLY: IrregularityKind(
            title="the shoe was changed or restarted before its last hand was dealt",
            points=(RulePoint.LAST_HAND, RulePoint.RESHUFFLE),
            suspends=True,
            decisions=_PARTIAL_OR_NONE,
            permitted=(
                "close this shoe if the cards were changed",
                "go on with it if the device only restarted",
            ),
            forbidden=("dealing from the new cards under the old shoe's number",),
        ),
        IrregularityCode.PROGRAM_REPLACED: IrregularityKind(
            title="another software version took over while a shoe was open",
            points=(RulePoint.SHOE_DEVICE,),
            suspends=True,
            decisions=_PARTIAL_OR_NONE,
            permitted=(_CHECK_TABLE, "void the coup, or state its outcome from the layout"),
            forbidden=(_NEVER_INVENT,),
        ),
        IrregularityCode.DEALT_WHILE_SUSPENDED: IrregularityKind(
            title="cards were dealt while the table was suspended",
            points=(RulePoint.DRAWN_IN_ERROR,),
            suspends=True,
            decisions=_PARTIAL_OR_NONE,
            permitted=("take the cards over, or void every coup they belong to",),
            forbidden=("counting or paying them before the decision",),
        ),
    }
)
