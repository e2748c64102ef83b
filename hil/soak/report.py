"""What a soak run gave: figures while it runs, and at its end."""

from collections import Counter
from dataclasses import dataclass, field

from hil.soak.soak import Played


@dataclass(slots=True)
class Tally:
    """Sums over the seeds that were played. `failed` are those that violated something."""

    seeds: int = 0
    shoes: int = 0
    coups: int = 0
    cards: int = 0
    statements: int = 0
    passed_over: int = 0
    first: int | None = None
    last: int | None = None
    faults: Counter[str] = field(default_factory=Counter)
    failed: list[Played] = field(default_factory=list)

    def add(self, played: Played) -> None:
        """Count one seed."""
        self.seeds += 1
        self.shoes += played.shoes
        self.coups += played.coups
        self.cards += played.cards
        self.statements += played.statements
        self.passed_over += played.passed_over
        self.first = played.seed if self.first is None else min(self.first, played.seed)
        self.last = played.seed if self.last is None else max(self.last, played.seed)
        self.faults.update(played.faults)
        if played.violated:
            self.failed.append(played)

    def line(self, took_s: float) -> str:
        """The figures so far in one line."""
        rate = self.shoes / took_s if took_s else 0.0
        return (
            f"{self.seeds} seeds, {self.shoes} shoes, {self.cards} cards, {rate:.1f} shoes/s,"
            f" {len(self.failed)} failed"
        )

    def as_json(self, took_s: float) -> dict[str, object]:
        """The figures as one JSON object."""
        return {
            "seeds": self.seeds,
            "first_seed": self.first,
            "last_seed": self.last,
            "shoes": self.shoes,
            "coups": self.coups,
            "cards": self.cards,
            "statements": self.statements,
            "passed_over": self.passed_over,
            "took_s": round(took_s, 1),
            "shoes_per_s": round(self.shoes / took_s, 2) if took_s else 0.0,
            "faults_on": dict(sorted(self.faults.items())),
            "failed": [
                {"seed": one.seed, "line": one.line, "checker": one.checker, "what": one.what}
                for one in self.failed
            ],
        }
