"""Makes the parts of docs/proof.md and README.md that are data: the runs, and the known limits.

As a script, with tests/docs in PYTHONPATH, it takes the records of build/runs first.

Source: docs/known_limits.toml, docs/runs.
"""

import tomllib
from pathlib import Path

import msgspec

from hil.run_record import RUNS, RunRecord, encoded, file_stem, read_record

ROOT = Path(__file__).resolve().parents[2]
KEPT = Path("docs", "runs")
LIMITS = Path("docs", "known_limits.toml")
PROOF, README = Path("docs", "proof.md"), Path("README.md")
RUNS_HEADING = "## What ran last"
CRASH_HEADING, CRASH = "## The crash and damage matrix", "python -m hil.crash"
CRASH_COLUMNS = ("tried", "lost", "doubled", "undetected")
LIMITS_HEADING, README_HEADING = "## Known limits", "## What it does not do yet"
ALL_LIMITS = "[All known limits](docs/proof.md#known-limits)."
COLUMNS = ("command", "version", "commit", "date", "gave", "took", "machine")
MINUTE_S = 60


class Limit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that the program does not do; exactly one probe holds while that is so.

    `readme` is its line in README.md; empty: it stands in docs/proof.md alone.
    """

    title: str
    text: str
    readme: str = ""
    command: tuple[str, ...] = ()
    says: str = ""
    file: str = ""
    text_absent: str = ""
    within: str = ""

    def __post_init__(self) -> None:
        probes = (bool(self.command), bool(self.file), bool(self.text_absent))
        whole = bool(self.command) == bool(self.says)
        if probes.count(True) != 1 or not whole or bool(self.text_absent) != bool(self.within):
            raise ValueError(
                f"{self.title}: it has no whole probe. Allowed: `command` with `says`, `file`, or"
                " `text_absent` with `within`. Remedy: give it one of these"
            )


def known_limits(root: Path = ROOT) -> tuple[Limit, ...]:
    """The one list."""
    tables = tomllib.loads((root / LIMITS).read_text(encoding="utf-8"))["limit"]
    return msgspec.convert(tables, tuple[Limit, ...])


def limits_of_proof(limits: tuple[Limit, ...]) -> str:
    return "".join(f"* **{one.title}.** {one.text}\n" for one in limits)


def limits_of_readme(limits: tuple[Limit, ...]) -> str:
    shown = "\n".join(f"* {one.readme}" for one in limits if one.readme)
    return f"{shown} {ALL_LIMITS}\n"


def kept_runs(root: Path = ROOT) -> tuple[RunRecord, ...]:
    """The records that are kept, the newest version first."""
    records = [read_record(path) for path in sorted((root / KEPT).glob("*.json"))]
    return tuple(sorted(records, key=lambda one: _release(one.version), reverse=True))


def table_of_runs(records: tuple[RunRecord, ...]) -> str:
    """The newest run of each command."""
    newest = {one.what: one for one in reversed(records)}
    shown = [one for one in records if newest[one.what] is one]
    rows = [COLUMNS, ("---",) * len(COLUMNS), *map(_row, shown)]
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


def _row(record: RunRecord) -> tuple[str, ...]:
    gave = ", ".join(f"{number:,} {what}" for what, number in record.figures.items())
    return (
        *(f"`{record.what}`", record.version, record.commit, record.date),
        gave or "to its end",
        "" if record.took_s is None else _duration(record.took_s),
        "" if record.machine is None else record.machine.in_short(),
    )


def table_of_crashes(records: tuple[RunRecord, ...]) -> str:
    """The newest matrix that was kept, kind by kind; the controls last, which must lose."""
    record = next(one for one in records if one.what.startswith(CRASH) and one.parts)
    heading = (f"kind of point, with {record.version.partition('+')[0]}", *CRASH_COLUMNS)
    rows = [heading, ("---",) * len(heading)]
    for what, counts in sorted(record.parts.items(), key=lambda one: "control" in one[0]):
        rows.append((what, *(f"{counts[one]:,}" for one in CRASH_COLUMNS)))
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


def _duration(seconds: int) -> str:
    minutes, rest = divmod(seconds, MINUTE_S)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _release(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.partition("+")[0].split("."))


def with_section(text: str, heading: str, body: str) -> str:
    """The page with this list or table at the end of the section."""
    before, rest = text.split(f"{heading}\n\n")
    section, mark, after = rest.partition("\n## ")
    words = section.splitlines(keepends=True)
    prose = "".join(words[: next((n for n, one in enumerate(words) if one[0] in "*|"), len(words))])
    return f"{before}{heading}\n\n{prose}{body}{mark}{after}"


def pages(root: Path = ROOT) -> dict[Path, str]:
    """Both pages as they have to be."""
    limits = known_limits(root)
    proof = (root / PROOF).read_text(encoding="utf-8")
    proof = with_section(proof, RUNS_HEADING, table_of_runs(kept_runs(root)))
    proof = with_section(proof, CRASH_HEADING, table_of_crashes(kept_runs(root)))
    readme = (root / README).read_text(encoding="utf-8")
    return {
        PROOF: with_section(proof, LIMITS_HEADING, limits_of_proof(limits)),
        README: with_section(readme, README_HEADING, limits_of_readme(limits)),
    }


def write_generated(root: Path = ROOT) -> None:
    for page, text in pages(root).items():
        (root / page).write_text(text, encoding="utf-8")


def keep_runs(root: Path = ROOT) -> tuple[Path, ...]:
    """Copy the records of build/runs to those that are kept, in the place of older ones."""
    kept = []
    for path in sorted((root / RUNS).glob("*.json")):
        record = read_record(path)
        version = record.version.partition("+")[0]
        kept.append(root / KEPT / f"{version}-{file_stem(record.what)}.json")
        kept[-1].write_bytes(encoded(record))
    return tuple(kept)


if __name__ == "__main__":
    for path in keep_runs():
        print(path.relative_to(ROOT))
    write_generated()
