"""What custody proves to be wrong with the cards, as an irregularity of play.

Responsible for: raising it with its clause, naming the step.
Not responsible for: proving it (controller.custody) and its words (custody_irregularities).
Source: NY (a)(4)(iv); S42 (a)(4); D-17 to D-20.

Decisions. What the procedure has raised of the shoe's batch already (an act that was refused and
dealt all the same) is not raised once more because the cards prove it.
"""

from controller.custody.findings import FindingCode
from controller.procedure.catalogue import IrregularityCode
from controller.procedure.events import CustodyFound
from controller.procedure.rulebook import RuleBook
from controller.procedure.steps import Step, accept, irregular

_OF_THE_LOADING = (FindingCode.BATCH_REPEATED, FindingCode.BATCH_BLOCKED)


def custody_found(book: RuleBook, step: Step, event: CustodyFound) -> Step:
    """Raise what custody found."""
    found = event.finding
    code = IrregularityCode(found.code.value)
    known = any(one.code is code for one in step.state.open_irregularities)
    if found.code in _OF_THE_LOADING and known:
        return accept(step, f"{found.detail}: raised already")
    return irregular(book, step, code, f"{found.step}: {found.detail}", finding=found)
