"""Records a change of an account: which one, and by whom; never a PIN or its hash.

Source: controller/accounts/README.md.
"""

from controller.procedure.effects import ActRecord
from controller.tape.inputs import AccountChange, AccountChanged
from firmware_bridge.message import message


def account_record(item: AccountChanged) -> ActRecord:
    """The entry of the change."""
    if item.by:
        who = message("person_known_by", person=item.by, proof=item.proof.value)
    elif item.change is AccountChange.LOCKED:
        who = message("wrong_pins_from", identified_by=item.identified_by)
    else:
        who = message("machine_administrator", identified_by=item.identified_by)
    role = item.role.value if item.role is not None else "unknown"
    change = message("account_change", change=item.change.value, role=role, who=who)
    return ActRecord("account", item.person, change, ())
