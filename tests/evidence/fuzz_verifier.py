"""Gives the regulator's verifier changed evidence, as a whole program, until the time is over.

Changed are bytes, and what is around them: parts of a sealed shoe, rows and tables of the SQLite
files, leaves and heads, the list of a .zip. Each run must end with exit code 0, 1 or 2, print no
traceback, and stay within 10 s of processor time and 256 MB.

    python tests/evidence/fuzz_verifier.py --seconds 600 --seed 1
    python tests/evidence/fuzz_verifier.py --seed 1 --only 4711      # one case, its files kept
"""

import argparse
import io
import json
import os
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from controller.journal import verify as verifier
from hil.run_record import record_run

SECONDS_MAX, BYTES_MAX = 10, 256 << 20
# Such a run, or a longer one, is kept as a record.
RECORDED_S_MIN = 600.0
NUMBERS = (0, 1, 2, 31, 127, 128, 255, 256, 65_535, 1 << 20, (1 << 31) - 1, (1 << 32) - 1, 1 << 40)
BIG = (*NUMBERS, (1 << 63) - 1, (1 << 64) - 1)
Change = Callable[[random.Random, Path], None]


# --- bytes ----------------------------------------------------------------------------------------


def changed_bytes(chance: random.Random, data: bytes) -> bytes:
    """Some bytes changed, removed, doubled, exchanged or cut off."""
    plain = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 5, 20))):
        at, size = chance.randrange(len(plain) + 1), chance.choice((1, 1, 2, 4, 8, 64, 4096))
        kind = chance.randrange(7)
        if kind == 0 and plain:
            plain[at % len(plain)] ^= 1 << chance.randrange(8)
        elif kind == 1:
            plain[at : at + size] = chance.randbytes(size)
        elif kind == 2:
            del plain[at : at + size]
        elif kind == 3:
            plain[at:at] = plain[at : at + size] * chance.choice((1, 2, 50))
        elif kind == 4:
            width = chance.choice((1, 2, 4, 8))
            plain[at : at + width] = (chance.choice(BIG) % (1 << 8 * width)).to_bytes(width, "big")
        elif kind == 5:
            plain[at : at + size] = bytes((chance.choice((0, 0xFF, 0x80, 0xC6, 0xDF)),)) * size
        elif chance.random() < 0.2:
            del plain[at:]
    return bytes(plain)


def change_file(chance: random.Random, path: Path) -> None:
    path.write_bytes(changed_bytes(chance, path.read_bytes()))


# --- a sealed shoe --------------------------------------------------------------------------------


def change_shoe(chance: random.Random, path: Path) -> None:
    """Change a part of a sealed shoe so that its digest holds again."""
    data = path.read_bytes()
    heading_end = 36 + int.from_bytes(data[12:16], "big")
    rows_end = heading_end + 64 * int.from_bytes(data[16:20], "big")
    heading, rows, packed = data[36:heading_end], data[heading_end:rows_end], data[rows_end:-97]
    plain = zlib.decompress(packed)
    size = len(plain)
    kind = chance.randrange(6)
    if kind == 0:
        heading = changed_bytes(chance, heading)
    elif kind == 1:
        rows = changed_bytes(chance, rows)
        rows = rows[: len(rows) // 64 * 64]
    elif kind == 2:
        plain = changed_bytes(chance, plain)
    elif kind == 3:
        plain = changed_parts(chance, plain)
    elif kind == 4:
        packed = changed_bytes(chance, packed)
    if kind in (2, 3):
        packed, size = zlib.compress(plain, 1), len(plain)
    count = len(rows) // 64
    if kind == 5:
        count, size = chance.choice((count, *NUMBERS)) % (1 << 32), chance.choice((size, *BIG))
    head = data[:12] + len(heading).to_bytes(4, "big") + count.to_bytes(4, "big")
    body = head + len(packed).to_bytes(8, "big") + size.to_bytes(8, "big") + heading + rows + packed
    path.write_bytes(body + sha256(body).digest() + data[-65:])


def changed_parts(chance: random.Random, plain: bytes) -> bytes:
    """Records removed, doubled, exchanged, emptied, or changed themselves."""
    parts, at = [], 0
    while at < len(plain):
        end = at + 4 + int.from_bytes(plain[at : at + 4], "big")
        parts.append(plain[at + 4 : end])
        at = end
    for _ in range(chance.choice((1, 2, 10))):
        one, other = chance.randrange(len(parts)), chance.randrange(len(parts))
        kind = chance.randrange(5)
        if kind == 0:
            del parts[one]
        elif kind == 1:
            parts[one:one] = [parts[other]] * chance.choice((1, 3, 300))
        elif kind == 2:
            parts[one], parts[other] = parts[other], parts[one]
        elif kind == 3:
            parts[one] = b""
        else:
            parts[one] = changed_bytes(chance, parts[one])
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


# --- SQLite files ---------------------------------------------------------------------------------

SCHEMAS = (
    "CREATE INDEX other_{n} ON {table}({column})",
    "CREATE VIEW other_{n} AS SELECT * FROM {table}",
    "ALTER TABLE {table} ADD COLUMN other_{n} BLOB",
    "ALTER TABLE {table} RENAME TO other_{n}",
    "DROP TABLE {table}",
    "CREATE TABLE other_{n}(a, b, c)",
    "CREATE TRIGGER other_{n} AFTER DELETE ON {table} BEGIN SELECT 1; END",
)


def change_database(chance: random.Random, path: Path) -> None:
    """Change rows, types of values, or the schema of an SQLite file, by SQL."""
    with closing(sqlite3.connect(path, isolation_level=None)) as ask:
        ask.execute("PRAGMA synchronous = OFF")
        tables = [name for (name,) in ask.execute("SELECT name FROM sqlite_schema")]
        for n in range(chance.choice((1, 1, 3))):
            table = chance.choice(tables)
            columns = [row[1] for row in ask.execute(f"PRAGMA table_info({table})")] or ["rowid"]
            try:
                change_table(chance, ask, table, chance.choice(columns), n)
            except (sqlite3.Error, OverflowError, TypeError):
                continue


def change_table(
    chance: random.Random, ask: sqlite3.Connection, table: str, column: str, n: int
) -> None:
    where = f"WHERE rowid = (SELECT rowid FROM {table} ORDER BY abs(random()) LIMIT 1)"
    kind = chance.randrange(7)
    if kind == 0:
        ask.execute(chance.choice(SCHEMAS).format(table=table, column=column, n=n))
    elif kind == 1:
        ask.execute(f"DELETE FROM {table} {where}")
    elif kind == 2:
        wrong = chance.choice((None, 1.5, "text", b"", chance.choice(NUMBERS), -(1 << 63)))
        ask.execute(f"UPDATE {table} SET {column} = ? {where}", (wrong,))
    elif kind == 3:
        ask.execute(f"UPDATE {table} SET rowid = rowid + ? {where}", (chance.choice(NUMBERS),))
    elif kind == 4:
        ask.execute(f"PRAGMA {chance.choice(('user_version', 'application_id'))} = {n}")
    else:
        (value,) = ask.execute(f"SELECT {column} FROM {table} ORDER BY random() LIMIT 1").fetchone()
        if isinstance(value, bytes):
            changed = changed_bytes(chance, value)
            ask.execute(f"UPDATE {table} SET {column} = ? {where}", (changed,))


# --- bundles --------------------------------------------------------------------------------------


def change_bundle(chance: random.Random, path: Path) -> None:
    """Change files of a bundle, with a manifest that agrees, or the list of its .zip."""
    with zipfile.ZipFile(path) as bundle:
        files = {name: bundle.read(name) for name in bundle.namelist()}
    name = chance.choice([*files])
    proofs = [one for one in files if one.startswith("log/")]
    kind = chance.randrange(5)
    if kind == 0:
        files[name] = changed_bytes(chance, files[name])
    elif kind == 1:
        name = chance.choice(proofs)
        files[name] = changed_lines(chance, files[name])
    elif kind == 2:
        del files[name]
    elif kind == 3:
        files[chance.choice(("../x", "shoes/x", name + "\x1b", "log/" + "y" * 300))] = b"x"
    if kind != 4 and "manifest.json" in files and chance.random() < 0.8:
        listed = json.loads(files["manifest.json"]) if name != "manifest.json" else {"form": ""}
        others = {one: data for one, data in files.items() if one != "manifest.json"}
        listed["files"] = {one: sha256(data).hexdigest() for one, data in others.items()}
        files["manifest.json"] = json.dumps(listed).encode()
    with io.BytesIO() as made:
        how = chance.choice((zipfile.ZIP_STORED,) * 8 + (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2))
        with zipfile.ZipFile(made, "w", how) as bundle:
            for one, data in files.items():
                bundle.writestr(one, data)
        data = made.getvalue()
    if kind == 4:
        at = data.rindex(b"PK\x05\x06") - chance.choice((0, 100, 400, 1200))
        data = data[:at] + changed_bytes(chance, data[at:])
    path.write_bytes(data)


def changed_lines(chance: random.Random, data: bytes) -> bytes:
    """A text with lines removed, doubled, exchanged or changed."""
    lines = data.split(b"\n")
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    kind = chance.randrange(4)
    if kind == 0:
        del lines[one]
    elif kind == 1:
        lines[one:one] = [lines[other]] * chance.choice((1, 70, 3000))
    elif kind == 2:
        lines[one], lines[other] = lines[other], lines[one]
    else:
        lines[one] = changed_bytes(chance, lines[one])
    return b"\n".join(lines)


# --- runs -----------------------------------------------------------------------------------------


def real_evidence(folder: Path) -> None:
    """A journal of a demonstration, and the bundle of one of its coups."""
    demo = "from hil.cli import main; import sys; sys.exit(main())"
    words = ["demo", "--speed", "max", "--seed", "7", "--journal", str(folder / "journal")]
    subprocess.run([sys.executable, "-c", demo, *words], check=True, stdout=subprocess.DEVNULL)
    made = "from controller.cli.main import main; import sys; sys.exit(main(sys.argv[1:]))"
    words = ["evidence", "1/6", "--journal", str(folder / "journal")]
    words += ["--out", str(folder / "bundle.zip")]
    subprocess.run([sys.executable, "-c", made, *words], check=True, stdout=subprocess.DEVNULL)
    for one in (*folder.glob("journal/*.db"), folder / "journal"):
        for end in ("-wal", "-shm"):
            one.with_name(one.name + end).unlink(missing_ok=True)


def make_case(chance: random.Random, real: Path, folder: Path) -> Path:
    """Changed evidence in an empty folder; returns the path to verify."""
    if chance.random() < 0.25:
        path = folder / "bundle.zip"
        shutil.copy(real / "bundle.zip", path)
        chance.choice((change_bundle, change_bundle, change_file))(chance, path)
        return path
    path = folder / "journal"
    (path / "shoes").parent.mkdir()
    shutil.copytree(real / "journal" / "shoes", path / "shoes")
    for name in ("live.db", "log.db", "table.key.pub"):
        shutil.copy(real / "journal" / name, path)
    shoe = next(path.rglob("*.shoe"))
    change, file = chance.choice(
        (
            (change_shoe, shoe),
            (change_shoe, shoe),
            (change_file, shoe),
            (change_database, path / "live.db"),
            (change_database, path / "log.db"),
            (change_file, path / "live.db"),
            (change_file, path / "log.db"),
        )
    )
    change(chance, file)
    if chance.random() < 0.05:
        shutil.copy(path / "live.db", path / "log.db")
    return chance.choice((path, path, path, file))


def run_case(path: Path, words: list[str], output: Path) -> tuple[int, float, int, str]:
    """Run the verifier's program in a process of its own: exit code, seconds, bytes, output."""
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (2 * SECONDS_MAX,) * 2)
        with output.open("wb") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        sys.argv = ["verify.py", str(path), *words]
        code = 99
        try:
            code = verifier.main()
            sys.stdout.flush()
        except SystemExit as ended:
            code = int(ended.code or 0)
        except BaseException:  # noqa: BLE001 - a crash is what is looked for
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(code)
    _, status, used = os.wait4(child, 0)
    seconds = used.ru_utime + used.ru_stime
    text = output.read_text(errors="replace")
    return os.waitstatus_to_exitcode(status), seconds, used.ru_maxrss * 1024, text


def problem_of(code: int, seconds: float, most: int, text: str) -> str:
    """What is wrong with a run; empty if nothing."""
    if code not in (0, 1, 2) or "Traceback" in text:
        return f"exit code {code}"
    if seconds > SECONDS_MAX:
        return f"{seconds:.1f} s"
    return f"{most >> 20} MB" if most > BYTES_MAX else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--seed", type=int, default=time.time_ns())
    parser.add_argument("--seconds", type=float, default=RECORDED_S_MIN)
    parser.add_argument("--cases", type=int, default=1 << 40)
    parser.add_argument("--only", type=int, default=-1)
    args = parser.parse_args()
    codes, worst, began = Counter[int](), [0.0, 0.0], time.monotonic()
    with tempfile.TemporaryDirectory() as made:
        real = Path(made, "real")
        real.mkdir()
        real_evidence(real)
        number = max(args.only, 0)
        while number < args.cases and time.monotonic() - began < args.seconds:
            chance = random.Random(f"{args.seed}/{number}")
            folder = Path(made, "case")
            folder.mkdir()
            path = make_case(chance, real, folder)
            words = chance.choice(([], ["--json"], ["--key", str(real / "journal/table.key.pub")]))
            code, seconds, most, text = run_case(path, words, Path(made, "output"))
            worst = [max(worst[0], seconds), max(worst[1], most / (1 << 20))]
            codes[code] += 1
            if wrong := problem_of(code, seconds, most, text):
                kept = Path("build", f"fuzz-{args.seed}-{number}")
                shutil.copytree(folder, kept, dirs_exist_ok=True)
                print(text[-2000:])
                print(f"case {number} of seed {args.seed}: {wrong}; files: {kept}")
                return 1
            if args.only >= 0:
                print(text)
                break
            shutil.rmtree(folder)
            number += 1
    said = f"seed {args.seed}: {number} cases, exit codes {dict(sorted(codes.items()))}"
    print(f"{said}, at most {worst[0]:.1f} s and {worst[1]:.0f} MB")
    took_s = time.monotonic() - began
    if args.only < 0 and took_s >= RECORDED_S_MIN:
        record_run("tests/evidence/fuzz_verifier.py", {"cases": number, "wrong": 0}, took_s)
    return 0


if __name__ == "__main__":
    sys.exit(main())
