"""Records which programs this Python starts, and what it forgets to close, for its tests.

A path file of the environment executes it in every Python that a test starts, where the variable
below names a file; it prints nothing, and changes nothing but that variable for its children, and
that resource warnings are made, and go to the record.
"""

import os
import sys
import warnings

VARIABLE = "SMARTSHOE_TESTS_STARTED"
# Begins the line of a warning; no program has such a name.
WARNING = "\t"


def install() -> None:
    """Write a line for each program started, by this process and by Pythons that it starts."""

    def record(event: str, details: tuple[object, ...]) -> None:
        # A run inside of a test names a file of its own; a test may take the variable away.
        target = os.environ.get(VARIABLE)
        if target is None:
            return
        if event in ("subprocess.Popen", "os.exec", "os.posix_spawn"):
            program, environment = details[0], details[-1]
            # Where a child gets an environment of its own, the record goes on in it.
            if isinstance(environment, dict) and isinstance(next(iter(environment), ""), str):
                environment.setdefault(VARIABLE, target)
        elif event == "os.system":
            program = "sh"
        else:
            return
        name = os.fsdecode(program) if isinstance(program, (str, bytes, os.PathLike)) else ""
        _write(target, name)

    sys.addaudithook(record)


def record_resource_warnings(file: str) -> None:
    """Write a line for each file, socket or connection that this process did not close."""
    show = warnings.showwarning

    def record(
        warning: Warning | str, category: type[Warning], place: str, line: int, *others: object
    ) -> None:
        if not issubclass(category, ResourceWarning):
            show(warning, category, place, line, *others)  # type: ignore[arg-type]
            return
        if str(warning).startswith("subprocess "):
            return  # A child that outlives its parent: the guard of the run ends it.
        words = " ".join(sys.orig_argv[1:6])
        _write(file, f"{WARNING}{place}:{line}: {warning} (python {words})".replace("\n", " "))

    warnings.showwarning = record  # type: ignore[assignment]
    warnings.simplefilter("always", ResourceWarning)


def _write(file: str, line: str) -> None:
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError:
        return
    os.write(descriptor, f"{line}\n".encode(errors="surrogateescape"))
    os.close(descriptor)


if __name__ == "smartshoe_path_file" and VARIABLE in os.environ:
    install()
    record_resource_warnings(os.environ[VARIABLE])
