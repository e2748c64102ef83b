"""Formats a number with its noun in singular or plural; cards with their coups."""


def counted(number: int, singular: str, plural: str = "") -> str:
    """A number and its noun: 1 deck, 2 decks. `plural` is for a noun that does not take an s."""
    return f"{number} {singular if number == 1 else plural or f'{singular}s'}"


def cards_in_coups(cards: int, coups: int) -> str:
    """5 cards in 2 coups; without the coups if the cards belong to none, such as burn cards."""
    words = counted(cards, "card") if cards else "no card"
    return f"{words} in {counted(coups, 'coup')}" if coups else words
