"""Values of an action from texts, as people write them at a terminal or in a form."""

from typing import Final

YES: Final = "yes"
_YES_OR_NO: Final = {YES: True, "no": False}
_DIGITS_MAX: Final = 18


class ActionTextError(ValueError):
    """A text that is no value: where it stands, what is allowed, and how to write it."""

    def __init__(self, why: str, place: str, allowed: str, remedy: str) -> None:
        super().__init__(f"{place}: {why}. Allowed: {allowed}. Remedy: {remedy}")
        self.why, self.place, self.allowed, self.remedy = why, place, allowed, remedy


def value_from_text(key: str, kind: type, text: str) -> object:
    """A value of that type, as `ActionValue.kind` names it. Raises ActionTextError."""
    if kind is int:
        if not (text.isascii() and text.isdecimal() and len(text) <= _DIGITS_MAX):
            raise ActionTextError(f"{text!r} is not allowed", key, "a whole number", f"{key}=5")
        return int(text)
    if kind is bool:
        if text not in _YES_OR_NO:
            raise ActionTextError(f"{text!r} is not allowed", key, "yes, no", f"{key}=yes")
        return _YES_OR_NO[text]
    return _wagers(text) if kind is tuple else text


def _wagers(text: str) -> list[dict[str, object]]:
    """Wagers as `5:banker:100.00,3:tie:25:coupon`, or `none`."""
    if text == "none":
        return []
    from controller.core.script.tokens import parse_cents  # noqa: PLC0415 - only for wagers

    read: list[dict[str, object]] = []
    for number, part in enumerate(text.split(","), start=1):
        seat, _, rest = part.partition(":")
        wager, _, rest = rest.partition(":")
        amount, of_medium, medium = rest.partition(":")
        try:
            place = value_from_text("seat", int, seat)
            one = {"seat": place, "wager": wager, "cents": parse_cents(amount)}
            read.append({**one, "medium": medium} if of_medium else one)
        except ValueError as error:
            raise ActionTextError(
                f"wager {number}, {part!r}: {error}",
                "wagers",
                "seat:wager:amount, and :coupon where it is no chips",
                "write it as 5:banker:100.00",
            ) from error
    return read
