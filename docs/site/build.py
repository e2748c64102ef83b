"""Builds the documentation's site, and ends with an error at the first dead link."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def build(to: Path) -> None:
    """Build the site into a folder; raises RuntimeError with every warning."""
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(to)],
        cwd=ROOT,
        # The theme would print news of its makers.
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        said = [line for line in done.stdout.splitlines() if not line.startswith("INFO")]
        raise RuntimeError("\n".join(["docs: the site has an error", *said]))


def main(arguments: list[str]) -> int:
    """Build into the named folder, or into build/docs."""
    to = Path(arguments[0] if arguments else "build/docs").absolute()
    try:
        build(to)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    pages = sum(1 for _ in to.rglob("*.html"))
    print(f"docs: {os.path.relpath(to)}/index.html, {pages} pages")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
