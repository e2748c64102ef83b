"""Takes one control out of the built program, so that a bench sees the incident that it stops.

For the bench alone: each replaces one attribute of one module, in a test or in a process by
`altered_program --patch`. No option of the program does this.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType, ModuleType
from typing import Any, Final

from controller.custody import shoe
from controller.custody.batch_life import compartments, lifecycle, permissions
from controller.custody.batch_life.state import BlockReason
from controller.custody.findings import FindingCode
from controller.custody.shoe import ExitRead
from controller.monitors import shoe_watch, take
from controller.procedure.shuffler import interlock
from controller.rules.advisory import AdvisoryKind
from drivers.shuffler_events import ModeChanged, ResidualCards
from firmware_bridge import attestation

# How an attribute is set: `setattr`, or what undoes it after a test.
Put = Callable[[object, str, object], None]
_Function = Callable[..., Any]
# What the life of a batch has against one that was not shuffled, or of which nothing proves it.
_NOT_SHUFFLED: Final = (BlockReason.UNSHUFFLED, BlockReason.UNPROVEN)


def _change(put: Put, module: ModuleType, name: str, made: Callable[[Any], object]) -> None:
    """Put what is made of a module's attribute in its place: the one that the module looks up."""
    put(module, name, made(getattr(module, name)))


def _never(answer: object) -> Callable[[_Function], _Function]:
    """A function that gives this answer, whatever it is asked."""
    return lambda _asked: lambda *_given: answer


def _no_alarm(kind: AdvisoryKind) -> Callable[[_Function], _Function]:
    """The alarms of a function, without those of a kind."""

    def made(alarms_of: _Function) -> _Function:
        return lambda *given: tuple(one for one in alarms_of(*given) if one.kind is not kind)

    return made


def _no_finding(code: FindingCode) -> Callable[[_Function], _Function]:
    """The batch in play as a function identifies it, without the findings of a code."""

    def made(identify: _Function) -> _Function:
        def others(*given: object) -> tuple[object, object]:
            state, findings = identify(*given)
            return state, tuple(one for one in findings if one.code is not code)

        return others

    return made


def _no_obstacle(*reasons: BlockReason) -> Callable[[_Function], _Function]:
    """The obstacles of a function, without those of these reasons."""

    def made(obstacles_of: _Function) -> _Function:
        return lambda *given: tuple(
            one for one in obstacles_of(*given) if one.reason not in reasons
        )

    return made


def _no_report(kind: type) -> Callable[[Mapping[type, _Function]], object]:
    """What a shuffler's reports change, where those of one kind change nothing."""
    return lambda handlers: {**handlers, kind: lambda update, *_: update}


def remove_order_monitor(put: Put = setattr) -> None:
    """Cards in a maker's order raise no advisory."""
    _change(put, shoe_watch, "order_alarms", _no_alarm(AdvisoryKind.ORDER))


def remove_shared_string_monitor(put: Put = setattr) -> None:
    """Cards that repeat a string of an earlier shoe raise no advisory."""
    _change(put, shoe_watch, "follow_alarms", _no_alarm(AdvisoryKind.SHARED))


def remove_stall_monitor(put: Put = setattr) -> None:
    """A pause after the cut raises no advisory."""
    _change(put, take, "stall", _never(None))


def remove_multiset_check(put: Put = setattr) -> None:
    """The faces drawn from a shoe are not counted."""
    _change(put, shoe, "count_face", lambda _: lambda state, *_: (state, ()))


def remove_batch_identity(put: Put = setattr) -> None:
    """A card of the other batch is taken for one of the batch in play."""
    _change(put, shoe, "identify_batch", _no_finding(FindingCode.WRONG_BATCH))


def remove_pack_identity(put: Put = setattr) -> None:
    """A card that was never received at the table is not noticed."""
    _change(put, shoe, "_foreign", lambda _: lambda state, *_: ExitRead(state))


def remove_alternation(put: Put = setattr) -> None:
    """The batch of the last shoe may come again."""
    _change(put, shoe, "identify_batch", _no_finding(FindingCode.BATCH_REPEATED))


def remove_batch_life_shuffled(put: Put = setattr) -> None:
    """A batch may be loaded whether it was shuffled or not."""
    _change(put, permissions, "batch_obstacles", _no_obstacle(*_NOT_SHUFFLED))


def remove_residual_count(put: Put = setattr) -> None:
    """Cards that stay in the shuffler are of no account."""
    _change(put, lifecycle, "_IF_TRUSTED", _no_report(ResidualCards))


def remove_mode_interlock(put: Put = setattr) -> None:
    """The mode of the shuffler is of no account."""
    _change(put, lifecycle, "_IF_TRUSTED", _no_report(ModeChanged))


def remove_warning_interlock(put: Put = setattr) -> None:
    """An open warning forbids no card."""
    _change(put, interlock, "is_interlocked", _never(False))


def remove_card_conservation(put: Put = setattr) -> None:
    """The count of a batch is taken for right, whatever it is."""
    _change(put, compartments, "check_count", _never(None))


def remove_device_attestation(put: Put = setattr) -> None:
    """Firmware need not be approved."""
    _change(put, attestation, "_check_approved_image", lambda _: lambda _approved, stated: stated)


REMOVALS: Final = MappingProxyType(
    {
        "order-monitor": remove_order_monitor,
        "batch-life-shuffled": remove_batch_life_shuffled,
        "residual-count": remove_residual_count,
        "mode-interlock": remove_mode_interlock,
        "warning-interlock": remove_warning_interlock,
        "batch-identity": remove_batch_identity,
        "multiset-check": remove_multiset_check,
        "card-conservation": remove_card_conservation,
        "shared-string-monitor": remove_shared_string_monitor,
        "pack-identity": remove_pack_identity,
        "alternation": remove_alternation,
        "stall-monitor": remove_stall_monitor,
        "device-attestation": remove_device_attestation,
    }
)


def patch_of(control: str) -> str:
    """The option of `altered_program` that takes this control out."""
    return f"{__name__}:{REMOVALS[control].__name__}"
