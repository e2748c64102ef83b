"""What came of a batch that was named: bound or refused, a moment after the action.

Responsible for: waiting for the table's answer to `bind-batch`, and its words.
Not responsible for: the action itself (cli_table) and for looking the batch up (batch_desk).
Source: package README, "Batches at the table".
"""
# ruff: noqa: PLC0415 - the client is loaded only when a table is asked.

from typing import TYPE_CHECKING, Final

from controller.cli_errors import Exit, Unable
from controller.cli_output import remark, say
from controller.shown import Shown

if TYPE_CHECKING:
    from controller.control_client import ControlClient

# A batch is looked up in the time a small file takes to be read.
_SILENCE_S_MAX: Final = 3.0


def named_so_far(client: "ControlClient") -> int:
    """The number of the batch that was named before this one."""
    shown = Shown(client.request({"request": "status"})).part("snapshot") or Shown({})
    return max((one.number("number") for one in shown.parts("batches_named")), default=0)


def tell_bound(client: "ControlClient", batch: str, before: int, *, as_json: bool) -> None:
    """Wait for the answer to the batch that was just named. Raises Unable where it is refused."""
    from controller.control_client import ControlError

    tell = remark if as_json else say
    try:
        for shown in client.subscribe(_SILENCE_S_MAX):
            for named in Shown(shown).parts("batches_named"):
                if named.number("number") <= before or named.text("batch") != batch:
                    continue
                if named.text("refused"):
                    raise Unable(f"bind-batch: {named.text('refused')}", Exit.NO)
                tell(f"  batch {batch} is bound: its cards are followed")
                return
    except ControlError:
        pass
    tell("  its manifest is being looked up; `smartshoe status` tells what came of it")
