"""Catalogue rows for custody: cards that are not where, or not what, they must be.

Source: NY (a)(4)(i), (a)(4)(iv), (i)(5); S42 (a)(4), (f)(1), (j)(5); D-17 to D-20, D-32.
"""

from types import MappingProxyType
from typing import Final

from controller.procedure.irregularities.codes import (
    ANY,
    CHECK_TABLE,
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

_NOT_WITH_THESE: Final = "dealing on with a batch that is not whole"
_COUNT_BATCH: Final = if_closed("close the shoe and read the whole batch again")

CUSTODY_IRREGULARITIES: Final = MappingProxyType(
    {
        IrregularityCode.FOREIGN_CARD: IrregularityKind(
            title="a card of no known batch came out of the shoe",
            points=(RulePoint.BATCH_ONE_BACK, RulePoint.DECKS_COUNT),
            suspends=True,
            decisions=ANY,
            permitted=(if_void("set the card apart and void the coup"), _COUNT_BATCH),
            forbidden=("putting the card back among the others", NEVER_SILENT),
        ),
        IrregularityCode.DUPLICATE_CARD: IrregularityKind(
            title="one card's identity is in two places at once",
            points=(RulePoint.DECKS_COUNT, RulePoint.BATCH_ONE_BACK),
            suspends=True,
            decisions=ANY,
            permitted=(
                CHECK_TABLE,
                if_void("set both cards apart and void the coup"),
                _COUNT_BATCH,
            ),
            forbidden=(_NOT_WITH_THESE, NEVER_SILENT),
        ),
        IrregularityCode.CARD_RETURNED: IrregularityKind(
            title="a card that had left the shoe came out of it once more",
            points=(RulePoint.CARDS_UNTOUCHED, RulePoint.DISCARD_ORDER),
            suspends=True,
            decisions=ANY,
            permitted=(if_void("void the coup and count the discard rack"), _COUNT_BATCH),
            forbidden=("putting cards of the rack into the shoe", NEVER_SILENT),
        ),
        IrregularityCode.TOO_MANY_OF_A_CARD: IrregularityKind(
            title="more cards of one rank and suit were drawn than the decks hold",
            points=(RulePoint.DECKS_COUNT, RulePoint.SHOE_LOADED),
            suspends=True,
            decisions=ANY,
            permitted=(
                if_closed("close the shoe and check every deck for a missing and an extra card"),
            ),
            forbidden=(_NOT_WITH_THESE, NEVER_SILENT),
        ),
        IrregularityCode.CARD_NOT_DRAWN: IrregularityKind(
            title="a card lies on the table that never left the shoe by its exit",
            points=(RulePoint.SHOE_DEVICE, RulePoint.CARDS_UNTOUCHED),
            suspends=True,
            decisions=ANY,
            permitted=(CHECK_TABLE, always("set the card apart"), _COUNT_BATCH),
            forbidden=("counting a coup with a card that was not dealt", NEVER_SILENT),
        ),
        IrregularityCode.CARD_MISPLACED: IrregularityKind(
            title="a card lies with another hand than the order of drawing gives it",
            points=(RulePoint.FOUR_CARDS,),
            suspends=True,
            decisions=ANY,
            permitted=(if_continued("move the card to the hand it belongs to and go on"),),
            forbidden=("paying by the place where a card happens to lie", NEVER_SILENT),
        ),
        IrregularityCode.CARD_ABSENT: IrregularityKind(
            title="a card is not where it must be",
            points=(RulePoint.DISCARD_ORDER, RulePoint.CARDS_UNTOUCHED),
            suspends=True,
            decisions=GO_ON_OR_CLOSE,
            permitted=(
                always("look for the card on the table, in the rack and under it"),
                _COUNT_BATCH,
            ),
            forbidden=("dealing on before the card is accounted for",),
        ),
        IrregularityCode.CARD_EXTRA: IrregularityKind(
            title="there is one card too many",
            points=(RulePoint.DECKS_COUNT, RulePoint.DISCARD_ORDER),
            suspends=True,
            decisions=GO_ON_OR_CLOSE,
            permitted=(always("set the card apart and count the batch"), _COUNT_BATCH),
            forbidden=("dealing on before the cards are accounted for",),
        ),
        IrregularityCode.BATCH_BLOCKED: IrregularityKind(
            title="a shoe is dealt from a batch that is known to be damaged or not whole",
            points=(RulePoint.DECKS_COUNT, RulePoint.BATCH_EQUAL),
            suspends=True,
            decisions=GO_ON_OR_CLOSE,
            permitted=(if_closed("close the shoe and replace the batch"),),
            forbidden=(_NOT_WITH_THESE,),
        ),
    }
)
