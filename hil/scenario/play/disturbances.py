"""What a scenario itself does to lines, cables, the host and power: then a card may be lost."""

from collections.abc import Hashable

from hil.scenario.language import statements as said

_FOR_A_MOMENT = (said.HostFault.KILL, said.HostFault.STOP, said.HostFault.CLOCK_STEP)


def missing_verdict(delivered: int, judged: int) -> str:
    """The shoe has sent so many cards, and fewer have a verdict."""
    cards = "1 card was" if delivered == 1 else f"{delivered} cards were"
    return f"{cards} delivered and {judged} have a verdict"


class Disturbances:
    """The disturbances that last, and whether a card was judged since the last one ended."""

    def __init__(self) -> None:
        self._lasting: set[Hashable] = set()
        self._recent = False

    @property
    def excuse(self) -> bool:
        """Whether a delivered card may have no verdict."""
        return bool(self._lasting) or self._recent

    def note(self, body: said.ScenarioBody) -> None:
        """This statement is done next."""
        match body:
            case said.MovePlug(part, plugged):
                self._change(("plug", part), lasts=not plugged)
            case said.SwitchPower(part, on):
                self._change(("power", part), lasts=not on)
            case said.Disturb(part, fault):
                self._change(("wire", part), lasts=fault is not said.WireFault.NONE)
            case said.Befall(fault) if fault in _FOR_A_MOMENT:
                self._recent = True
            case said.Befall(said.HostFault.SLOW_DISK, ns):
                self._change("slow disk", lasts=ns > 0)
            case said.Befall(fault):
                self._change("full disk", lasts=fault is said.HostFault.DISK_FULL)
            case _:
                pass

    def card_judged(self) -> None:
        """Cards reach the table again, unless something lasts."""
        self._recent = False

    def _change(self, what: Hashable, *, lasts: bool) -> None:
        self._recent = True
        (self._lasting.add if lasts else self._lasting.discard)(what)
