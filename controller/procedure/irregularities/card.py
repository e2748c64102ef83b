"""Catalogue rows for cards: the burn, cut cards, cards of a coup and its result.

Source: S42 (e)(6), (h)(4), (h)(5), (k)(1)-(4); NY (e), (h); D-5, D-5a, D-6, D-7, D-16, D-23.
"""

from types import MappingProxyType
from typing import Final

from controller.procedure.irregularities.codes import (
    ACKNOWLEDGE,
    ANY,
    BURN_SEEN,
    CARD_IN_ERROR,
    CARRY_UNSEEN,
    CLOSE,
    GO_ON_OR_CLOSE,
    NEVER_SILENT,
    NO_FAVOURS,
    RACK_IT,
    IrregularityCode,
    IrregularityKind,
    always,
    if_closed,
    if_continued,
    if_void,
)
from controller.profiles.rule_points import RulePoint

CARD_IRREGULARITIES: Final = MappingProxyType(
    {
        IrregularityCode.BURN_SKIPPED: IrregularityKind(
            title="a coup was begun before any card was burned",
            points=(RulePoint.BURN_FIRST, RulePoint.BURN_BEFORE_PLAY),
            suspends=True,
            decisions=GO_ON_OR_CLOSE,
            permitted=(if_continued("take the card as the first burn card and complete the burn"),),
            forbidden=("dealing on before a floorperson has decided", NEVER_SILENT),
        ),
        IrregularityCode.BURN_SHORT: IrregularityKind(
            title="a coup was begun while burn cards were still owed",
            points=(RulePoint.BURN_COUNT, RulePoint.BURN_BEFORE_PLAY),
            suspends=True,
            decisions=GO_ON_OR_CLOSE,
            permitted=(
                if_continued("take the card as a burn card and complete the burn"),
                always("compare the discard rack with the burn that was owed, then decide"),
            ),
            forbidden=("dealing on before a floorperson has decided", NEVER_SILENT),
        ),
        IrregularityCode.BURN_OVER: IrregularityKind(
            title="a card was burned that was not owed",
            points=(RulePoint.BURN_COUNT, RulePoint.DRAWN_IN_ERROR),
            suspends=True,
            decisions=CARD_IN_ERROR,
            permitted=(CARRY_UNSEEN, BURN_SEEN, RACK_IT),
            forbidden=(
                "adding the card to either hand of this coup",
                "putting the card back into the shoe",
                NO_FAVOURS,
            ),
            prescribed=True,
        ),
        IrregularityCode.CUT_CARD_IN_BURN: IrregularityKind(
            title="the cut card came out during the burn: it was misplaced",
            points=(RulePoint.CUT_CARD_PLACEMENT, RulePoint.RECUT),
            suspends=True,
            decisions=GO_ON_OR_CLOSE,
            permitted=(
                if_continued("complete the burn; the cut card is not counted as a burn card"),
                if_closed("close the shoe and reload: all cards back, new shuffle, cut and burn"),
                if_continued("put the cut card back in its place and go on"),
            ),
            forbidden=(
                "a re-cut as such: cards have left the shoe",
                "beginning the first coup before a floorperson has decided",
            ),
        ),
        IrregularityCode.CUT_CARD_PLACEMENT: IrregularityKind(
            title="fewer cards than the rule requires were behind the cut card",
            points=(RulePoint.CUT_CARD_PLACEMENT,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(
                always("play on by the last-hand rule"),
                always("acknowledge and record the placement"),
            ),
            forbidden=("moving the cut card back",),
        ),
        IrregularityCode.CUT_CARD_EXTRA: IrregularityKind(
            title="a third cut card came out of the shoe",
            points=(RulePoint.CUT_CARDS_COUNT,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always("put it aside and acknowledge"),),
            forbidden=("counting it as a playing card",),
        ),
        IrregularityCode.CARD_BEFORE_NO_MORE_BETS: IrregularityKind(
            title='the first card was drawn before "no more bets" was called',
            points=(RulePoint.NO_MORE_BETS,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always("let the coup go on and acknowledge"),),
            forbidden=("accepting or changing wagers after the first card",),
        ),
        IrregularityCode.OVERDRAW: IrregularityKind(
            title="a card was drawn that no hand is due",
            points=(RulePoint.ONE_EXTRA_CARD, RulePoint.DRAWN_IN_ERROR),
            suspends=True,
            decisions=CARD_IN_ERROR,
            permitted=(
                CARRY_UNSEEN,
                BURN_SEEN,
                RACK_IT,
            ),
            forbidden=("adding the card to either hand", NO_FAVOURS, NEVER_SILENT),
            prescribed=True,
        ),
        IrregularityCode.PLAYER_THIRD_UNAUTHORISED: IrregularityKind(
            title="a third card was given to the Player's Hand that had to stand",
            points=(RulePoint.PLAYER_STANDS, RulePoint.THIRD_TO_BANKER),
            suspends=True,
            decisions=ANY,
            permitted=(if_continued("move the card to the Banker's Hand: it is due a third card"),),
            forbidden=("leaving the card with the Player's Hand", NO_FAVOURS, NEVER_SILENT),
            prescribed=True,
        ),
        IrregularityCode.FOUND_FACE_UP: IrregularityKind(
            title="a card was found face up in the shoe",
            points=(RulePoint.FOUND_FACE_UP, RulePoint.FOUND_FACE_UP_BURN),
            suspends=True,
            decisions=ANY,
            permitted=(
                if_continued(
                    "put the card into the discard rack, burn as many more as its amount, face up, "
                    "and go on with the deal where it stopped"
                ),
            ),
            forbidden=("using the card in a hand", "putting the card back into the shoe"),
            prescribed=True,
        ),
        IrregularityCode.MISSING_CARD: IrregularityKind(
            title="the result was declared while a card was still due",
            points=(RulePoint.RESULT_CALLED,),
            suspends=True,
            decisions=ANY,
            permitted=(if_continued("draw the missing card now, if nothing else left the shoe"),),
            forbidden=("paying by the hands as they lie", NEVER_SILENT),
        ),
        IrregularityCode.CLAIM_DIFFERS: IrregularityKind(
            title="the shoe reports another place for the card than the order of drawing gives",
            points=(RulePoint.PLAYER_CARDS, RulePoint.BANKER_CARDS, RulePoint.HAND_AREAS),
            suspends=True,
            decisions=ANY,
            permitted=(if_continued("move the card to the place the order of drawing gives"),),
            forbidden=("leaving the card in the other hand", NEVER_SILENT),
        ),
        IrregularityCode.CARD_OUTSIDE_PLAY: IrregularityKind(
            title="a card left the shoe while the shoe had stopped play",
            points=(RulePoint.DRAWN_IN_ERROR,),
            suspends=True,
            decisions=CARD_IN_ERROR,
            permitted=(CARRY_UNSEEN, BURN_SEEN, RACK_IT),
            forbidden=("adding the card to either hand of this coup", NO_FAVOURS),
            prescribed=True,
        ),
        IrregularityCode.CARD_AFTER_LAST_COUP: IrregularityKind(
            title="a card was drawn after the last hand",
            points=(RulePoint.LAST_HAND,),
            suspends=True,
            decisions=GO_ON_OR_CLOSE,
            permitted=(
                if_continued("put the card into the discard rack and go on with the reshuffle"),
                if_closed(
                    "close the shoe if the card belongs to another shoe: the table joins that one"
                ),
            ),
            forbidden=("dealing another coup from this shoe", "carrying the card to another shoe"),
        ),
        IrregularityCode.CARD_AFTER_SECOND_CUT_CARD: IrregularityKind(
            title="a card was drawn after the second cut card",
            points=(RulePoint.SECOND_CUT_CARD,),
            suspends=True,
            decisions=ANY,
            permitted=(if_void("void an open coup"), if_closed("close the shoe and reshuffle")),
            forbidden=("dealing on from this shoe",),
        ),
        IrregularityCode.CARDS_EXCEED_DECKS: IrregularityKind(
            title="more cards left the shoe than its decks hold",
            points=(RulePoint.SHOE_LOADED,),
            suspends=True,
            decisions=CLOSE,
            permitted=(if_closed("close the shoe, void an open coup and count every deck"),),
            forbidden=("using these decks before they are counted",),
        ),
        IrregularityCode.INSUFFICIENT_CARDS: IrregularityKind(
            title="too few cards remain to complete the coup",
            points=(RulePoint.INSUFFICIENT_CARDS,),
            suspends=True,
            decisions=CLOSE,
            permitted=(
                if_closed(
                    "close the shoe: an open coup is void, every wager is returned in full, "
                    "and every card is reshuffled"
                ),
            ),
            forbidden=("completing the coup with cards of another shoe", "charging vigorish"),
        ),
        IrregularityCode.RESULT_MISMATCH: IrregularityKind(
            title="the declared result is not the result of the cards",
            points=(RulePoint.WINNER_DECLARED, RulePoint.RESULT_CALLED),
            suspends=True,
            decisions=ANY,
            permitted=(if_continued("let the cards decide and correct the announcement"),),
            forbidden=("paying by the declared result", NEVER_SILENT),
        ),
        IrregularityCode.RESULT_WITHOUT_COUP: IrregularityKind(
            title="a result was declared with no coup on the table",
            points=(RulePoint.RESULT_CALLED,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always("set the declaration aside and acknowledge"),),
            forbidden=("paying on it",),
        ),
        IrregularityCode.RESULT_NOT_DECLARED: IrregularityKind(
            title="the next coup was begun before the result was declared",
            points=(RulePoint.RESULT_CALLED,),
            suspends=False,
            decisions=ACKNOWLEDGE,
            permitted=(always("count the coup by its cards and acknowledge"),),
            forbidden=("changing the coup afterwards",),
        ),
    }
)
