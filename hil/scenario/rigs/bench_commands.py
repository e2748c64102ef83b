"""Runs the commands of a bench: power switches and the card feeder."""

import shlex
import subprocess
from collections.abc import Mapping
from typing import Final

from hil.scenario.play.bench import RigBroken

COMMAND_S_MAX: Final = 60.0


def run_bench_command(what: str, command: str, words: Mapping[str, str]) -> None:
    """Run it with `words` in the place of their names in braces. Raises RigBroken.

    A word stays one argument, whatever it holds; there is no shell.
    """
    arguments = [one.format(**words) for one in shlex.split(command)]
    shown = shlex.join(arguments)
    try:
        done = subprocess.run(
            arguments,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=COMMAND_S_MAX,
            check=False,
        )
    except OSError as error:
        why = f"cannot be started: {error.strerror}"
    except subprocess.TimeoutExpired:
        why = f"did not end within {COMMAND_S_MAX:g} s"
    else:
        if done.returncode == 0:
            return
        said = (done.stderr or done.stdout).strip().splitlines()
        why = f"ended with {done.returncode}" + (f": {said[-1]}" if said else "")
    raise RigBroken(f"{what}: `{shown}` {why}. Remedy: run it by hand, and correct the rig")
