"""Records which programs this Python starts, for the tests that started it.

A path file of the environment executes it in every Python that a test starts, where the variable
below names a file; it prints nothing, and changes nothing but that variable for its children.
"""

import os
import sys

VARIABLE = "SMARTSHOE_TESTS_STARTED"


def install(file: str) -> None:
    """Write a line for each program started, by this process and by Pythons that it starts."""

    def record(event: str, details: tuple[object, ...]) -> None:
        # A run inside of a test names a file of its own.
        target = os.environ.get(VARIABLE, file)
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
        try:
            descriptor = os.open(
                target, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666
            )
        except OSError:
            return
        os.write(descriptor, f"{name}\n".encode(errors="surrogateescape"))
        os.close(descriptor)

    sys.addaudithook(record)


if __name__ == "smartshoe_path_file" and VARIABLE in os.environ:
    install(os.environ[VARIABLE])
