"""All that is masked in the texts of outlets, and why; a face, count or outcome never is.

Times come from the tapes, and stay. What hides something that a card decides fails in test_masks.
"""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Mask:
    """What stands for every match, of which group 1 stays; `why` it differs at each run.

    `measured`: a number of bytes or seconds of a metric that names them, and no count.
    """

    name: str
    pattern: re.Pattern[str]
    why: str
    measured: bool = False

    def put(self, text: str) -> str:
        return self.pattern.sub(lambda found: f"{found[1]}<{self.name}>", text)


def _mask(name: str, pattern: str, why: str) -> Mask:
    return Mask(name, re.compile(pattern), why)


def _measured(name: str, metric: str, why: str) -> Mask:
    """The value of a metric."""
    return Mask(name, re.compile(rf"({metric}[{{][^}}]*[}}] )[\d.e+-]+"), why, measured=True)


MASKS: Final = (
    _mask("folder", r"()(?:/[\w.-]+)+(?=/(?:key|journal)\b)", "the journal lies elsewhere"),
    _mask("digest", r"()\b(?:[0-9a-f]{64}|[0-9a-f]{128})\b", "hashes of states, records, heads"),
    _mask(
        "digest",
        r"(smartshoe_log_root48[{][^}]*[}] )\d\.\d+e\+\d\d",
        "of a head, as a number",
    ),
    _mask("code", r"()\b[A-Z2-7]{5}(?:-[A-Z2-7]{5}){3}\b", "the code of a head: its key is random"),
    _mask("history", r"(\b\d{10}\.\d{3}\.)[0-9a-f]{8}(?=\.\d{5}\b)", "a digest of the chain"),
    _mask(
        "build",
        r"(\b\d+\.\d+\.\d+\+|[{]build=\")[0-9a-f]{12}\b",
        "the build that wrote the tape or runs",
    ),
    _mask("version", r"(\bversion=\")\d+\.\d+\.\d+(?=\")", "the version that runs"),
    _measured("free", r"smartshoe_disk_free_bytes", "of the machine's disk"),
    _measured("size", r"smartshoe_(?:journal|log)_\w*bytes", "of files, compressed and signed"),
    _measured("took", r"smartshoe_(?:seal|scrape|scan)\w*seconds\w*", "measured by a real clock"),
    _mask("writer", r"(created by ).*", "the library that wrote a Parquet file"),
)


def masked(line: str) -> str:
    """The line with all that differs at each run left out."""
    for one in MASKS:
        line = one.put(line)
    return line


# --- what may not be hidden -----------------------------------------------------------------------

_WORD_ENDS: Final = (r"(?<![\w+/=.-])", r"(?![\w+/=-]|\.\d)")
_FACE: Final = r"(?:[2-9AJQKajqk]|10)(?:[cdhs]|[♣♦♥♠])"
_RANKS: Final = "(?:ace|two|three|four|five|six|seven|eight|nine|ten|jack|queen|king|\\d+)"
_SPELLED: Final = rf"{_RANKS}(?: of |_of_)(?:clubs|diamonds|hearts|spades)"
_OUTCOME: Final = r"(?i:player|banker|tie|natural|pair|void|counted|partial|dragon_7|panda_8)"
_COUNT: Final = r"-?\d{1,5}(?:\.0)?|[PB]\d|\d{1,5}/\d{1,5}"
_NUMBER: Final = re.compile(_COUNT)
TOLD: Final = re.compile(
    f"{_WORD_ENDS[0]}(?:{_FACE}|{_SPELLED}|{_OUTCOME}|{_COUNT}){_WORD_ENDS[1]}"
)


def told(text: str) -> Counter[str]:
    """The faces, outcomes and counts that a text tells, as words of their own."""
    return Counter(found[0] for found in TOLD.finditer(text))


def hidden_by(mask: Mask, text: str) -> Counter[str]:
    """What a text tells, and with the mask no longer does."""
    hidden = told(text) - told(mask.put(text))
    if mask.measured:
        hidden = Counter({one: n for one, n in hidden.items() if not _NUMBER.fullmatch(one)})
    return hidden
