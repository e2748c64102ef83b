"""Every form of statement: how it begins, an example, and what it says.

Responsible for: the list that errors, help and documentation go by.
Not responsible for: reading a statement (cards, people) and its parts (reading).
Source: package README, "Statements".
"""

from typing import Final

from firmware_bridge.values import dataclass


@dataclass(frozen=True, slots=True)
class Form:
    """`words` begin the statement; the first of them chooses the form."""

    words: str
    example: str
    says: str

    @property
    def first(self) -> str:
        return self.words.split()[0]


FORMS: Final = (
    Form("burn", "burn 7h + 7", "the first burn card, and 7 more whose faces are not told"),
    Form("P", "P 7h", "a card the shoe believes to be the Player's; P1 to P3 give the number"),
    Form("B", "B 2c", "a card the shoe believes to be the Banker's; B1 to B3 give the number"),
    Form("card", "card 7h", "a card without a belief: it takes the place that is due"),
    Form("more", "more banker 7h", "a card the shoe believes to be beyond the third of a hand"),
    Form("out", "out 7h", "a card that left the shoe while the shoe held play to be stopped"),
    Form("extra", "extra 7h", "a card the shoe believes to be burned outside the count"),
    Form("burned", "burned 7h", "a single card the shoe believes to be a counted burn card"),
    Form("unclaimed", "unclaimed 7h of red", "a card of a shoe that claims nothing; its back"),
    Form(
        "custody",
        'custody FOREIGN_CARD 7h tag E00401 of red at "coup 3" because "in no manifest"',
        "custody proves that the cards are not as they must be",
    ),
    Form("again", "again P1 7h", "the shoe says again what it said of a card"),
    Form("cut", "cut", "a cut card left the shoe"),
    Form("result", "result player P-pair", "the dealer declared the result"),
    Form("forced exit", "forced exit", "the dealer left the coup by the shoe's forced exit"),
    Form("stand-by", "stand-by", "the shoe waits between coups"),
    Form("start", "start", "the shoe started, or was reset"),
    Form("lost", "lost 2", "reports are missing: how many at least, unproven or unreadable"),
    Form("no more bets", "no more bets", 'the dealer called "no more bets"'),
    Form("found face up", 'found face up by "Dee Dealer"', "the last card lay face up in the shoe"),
    Form("turn", "turn player third", "cards were turned up on the layout"),
    Form(
        "give up", 'give up player by order because "slow"', "a hand will not be turned by patron"
    ),
    Form("ghost hand", "ghost hand", "the next coup is asked for as a ghost hand"),
    Form("record", 'record inspected batch red second "Ann Lee"', "a named person's act"),
    Form("wagers", "wagers 5 banker 100.00, 3 tie 25", "every wager on the layout now, by seat"),
    Form("collect", "collect 5", "the vigorish marked for a seat was collected"),
    Form("document", 'document 5 form 1001 patron "Pat Chen"', "vigorish written down, not taken"),
    Form("leave", "leave 5", "the patron of a seat left"),
    Form("notice", "notice vig_rate 4 to players at +0", "notice of a coming change of a setting"),
    Form("set", 'set vig_rate 4 at +30min because "agreed"', "a setting is changed at this table"),
    Form("resolve", "resolve void-coup take-over", "a floorperson decides what is open"),
    Form("close shoe", 'close shoe because "dead table"', "a named person ends the shoe early"),
    Form("shuffler", "shuffler 1 counted 416 of red", "the shuffler tells something"),
    Form("clear warning", "clear warning 1", "a named person clears a warning of the shuffler"),
    Form("day", "day 2026-11-21", "the gaming day the next shoe belongs to"),
    Form("program", "program 2.0", "another software version takes over with a shoe open"),
)
