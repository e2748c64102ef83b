"""Catalogue rows for people: opening, batches, touching and turning cards, wagers, vigorish.

Source: NY (a)(4)(iv), (b)(3)-(4), (c)(3)(ii), (i)(4)-(5); S42 (a)(4), (b), (e), (j)(4)-(5);
WA ghost hands; D-17, D-19.
"""

from types import MappingProxyType
from typing import Final

from controller.procedure.irregularities.codes import (
    ACKNOWLEDGE,
    ANY,
    GO_ON_OR_CLOSE,
    NEVER_SILENT,
    IrregularityCode,
    IrregularityKind,
    always,
    if_closed,
    if_continued,
    if_void,
)
from controller.profiles.rule_points import RulePoint

CONDUCT_IRREGULARITIES: Final = MappingProxyType(
    {
        IrregularityCode.WRONG_BATCH: IrregularityKind(
            title="a card of another batch came out of the shoe",
            points=(RulePoint.BATCH_ONE_BACK,),
            suspends=True,
            decisions=ANY,
            permitted=(
                if_void("set the card apart and void the coup"),
                if_closed("close the shoe and count both batches"),
                if_continued("go on if the card belongs to this batch after all"),
            ),
            forbidden=("dealing on with cards of two batches", NEVER_SILENT),
        ),
        IrregularityCode.OPENING_INCOMPLETE: IrregularityKind(
            title="the shoe was opened before everything due was recorded",
            points=(RulePoint.SHOE_LOADED,),
            suspends=True,
            decisions=GO_ON_OR_CLOSE,
            permitted=(
                if_continued("do and record what is missing, then go on"),
                if_closed("close the shoe and load it again"),
            ),
            forbidden=("beginning the first coup before a floorperson has decided",),
        ),
        IrregularityCode.BATCH_REPEATED: IrregularityKind(
            title="the same batch was loaded twice in a row",
            points=(RulePoint.BATCH_ALTERNATES,),
            suspends=True,
            decisions=GO_ON_OR_CLOSE,
            permitted=(
                if_closed("close the shoe and load the other batch"),
                if_continued("go on, with the reason in the record"),
            ),
            forbidden=("beginning the first coup before a floorperson has decided",),
        ),
        IrregularityCode.BATCH_SHORT: IrregularityKind(
            title="a batch does not hold the cards it should",
            points=(RulePoint.DECKS_COUNT, RulePoint.BATCH_EQUAL),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(
                always(
                    "find the missing or extra cards by rank and suit, count again and acknowledge"
                ),
            ),
            forbidden=("loading the batch before its count is right",),
        ),
        IrregularityCode.DISCARD_RACK_MIXED: IrregularityKind(
            title="cards of both batches are in the discard rack",
            points=(RulePoint.DISCARD_ONE_BATCH,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always("clear the rack of the other batch and acknowledge"),),
            forbidden=("loading a shoe before the rack holds one batch only",),
        ),
        IrregularityCode.DISCARD_DIFFERS: IrregularityKind(
            title="the discard rack does not hold the cards that went to it",
            points=(RulePoint.DISCARD_ORDER,),
            suspends=True,
            decisions=GO_ON_OR_CLOSE,
            permitted=(
                always("count the rack again against the cards listed here"),
                if_closed("close the shoe and count every deck"),
            ),
            forbidden=("dealing on before the cards are accounted for",),
        ),
        IrregularityCode.CUT_TOO_SHALLOW: IrregularityKind(
            title="the cards were cut too near an end",
            points=(RulePoint.CUT_DEPTH,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(
                always("have the cards cut again before any card leaves the shoe, and acknowledge"),
            ),
            forbidden=("loading the cards by this cut",),
        ),
        IrregularityCode.IDLE_BATCH_OUT: IrregularityKind(
            title="the batch that is not in play is not in the shuffler",
            points=(RulePoint.BATCH_IDLE_IN_SHUFFLER,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always("put the batch into the shuffler and acknowledge"),),
            forbidden=("leaving both batches out of the shuffler during play",),
        ),
        IrregularityCode.SHUFFLER_UNSECURE: IrregularityKind(
            title="the shuffler with a shuffled batch in it was not secured",
            points=(RulePoint.SHUFFLER_SECURE,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(
                always("have the batch shuffled again, secure the shuffler and acknowledge"),
            ),
            forbidden=("releasing the batch as it is",),
        ),
        IrregularityCode.CARDS_TOUCHED: IrregularityKind(
            title="cards were touched by someone who may not touch them",
            points=(RulePoint.CARDS_UNTOUCHED, RulePoint.CARDS_UNTOUCHED_STAFF),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(
                always(
                    "compare the cards on the layout with the cards listed here and acknowledge"
                ),
            ),
            forbidden=("letting anyone but the dealer handle, remove or alter the cards",),
        ),
        IrregularityCode.TURNED_OUT_OF_ORDER: IrregularityKind(
            title="the Banker's Hand was turned before the Player's",
            points=(RulePoint.TURN_PLAYER_FIRST,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always("turn the Player's Hand, let the coup go on and acknowledge"),),
            forbidden=("drawing a third card before both hands lie face up",),
        ),
        IrregularityCode.THIRD_CARD_BEFORE_TURNED: IrregularityKind(
            title="a third card was drawn before both hands were turned",
            points=(RulePoint.COUNTS_CALLED,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(
                always("turn both hands, announce the counts, let the coup go on and acknowledge"),
            ),
            forbidden=("drawing a further card before both hands lie face up",),
        ),
        IrregularityCode.GHOST_HAND_WITH_WAGERS: IrregularityKind(
            title="a ghost hand was dealt with wagers on the layout",
            points=(RulePoint.GHOST_NO_WAGER,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always("return every wager of the ghost hand and acknowledge"),),
            forbidden=("paying or taking a wager on a ghost hand",),
        ),
        IrregularityCode.GHOST_HANDS_EXCEEDED: IrregularityKind(
            title="more ghost hands were dealt than the house allows",
            points=(RulePoint.GHOST_MAX,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always("deal on with wagers, or close the shoe, and acknowledge"),),
            forbidden=("dealing another ghost hand from this shoe",),
        ),
        IrregularityCode.WAGER_CHANGED_LATE: IrregularityKind(
            title="a wager was placed, changed or taken back after betting was closed",
            points=(RulePoint.WAGER_LOCKED,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always("put the wagers back as they stood and acknowledge"),),
            forbidden=("paying a wager placed or changed after the call",),
        ),
        IrregularityCode.WAGER_TOUCHED: IrregularityKind(
            title="a wager was touched by someone who may not touch it",
            points=(RulePoint.WAGER_UNTOUCHED,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always("put the wager back as it stood and acknowledge"),),
            forbidden=("paying by a wager that was altered",),
        ),
        IrregularityCode.WAGER_REFUSED: IrregularityKind(
            title="a wager is on the layout that the rules do not offer",
            points=(RulePoint.WAGERS_LISTED, RulePoint.WAGER_COMBINATION),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always("return the wager before the first card and acknowledge"),),
            forbidden=("paying it, whatever the outcome",),
        ),
        IrregularityCode.VIGORISH_NOT_COLLECTED: IrregularityKind(
            title="the next coup was begun before vigorish that is owed was collected",
            points=(RulePoint.TIE25_TIME, RulePoint.VIGORISH_HELD),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always("collect the vigorish now and acknowledge"),),
            forbidden=("letting the debt pass without a record",),
        ),
    }
)
