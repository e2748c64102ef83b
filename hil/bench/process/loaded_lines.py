"""P23: the lines of the program that a running table has loaded.

Source: goal P23.
"""

import http.client
import json
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

from hil.bench.measure.checks import Bound, Check, check_goal
from hil.bench.measure.figures import Unit
from hil.bench.measure.fixtures import Plan, folder_on_disk
from hil.bench.process.page_streams import page_streams
from hil.dealing.dealer import Dealer, DealerSettings
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.line import LineServerSettings
from hil.emulator.lines.serve import PtyServer
from hil.rig.measured_program import CONFIG, MeasuredProgram
from hil.rig.program import Program
from hil.rig.shoe_runner import ShoeRunner

PACKAGES: Final = ("foundation", "firmware_bridge", "drivers", "controller", "office")
COUPS: Final = 3
LINES_MAX: Final = 60_000
_LARGEST: Final = 3
# The program ends by os._exit, past the handlers of atexit.
_PROGRAM: Final = """\
import json, os, sys
file, leave = sys.argv.pop(1), os._exit
def write_and_leave(code):
    loaded = {name: getattr(one, "__file__", None) or "" for name, one in sys.modules.items()}
    with open(file, "w", encoding="utf-8") as written:
        json.dump(loaded, written)
    leave(code)
os._exit = write_and_leave
from controller.cli.main import main
main()
"""


def measure_loaded_lines(plan: Plan) -> tuple[Check, ...]:
    """P23."""
    with folder_on_disk(plan) as folder:
        lines = loaded_lines(folder / "table")
    rooms: dict[str, int] = {}
    for name, count in lines.items():
        room = ".".join(name.split(".")[:2])
        rooms[room] = rooms.get(room, 0) + count
    largest = sorted(rooms, key=lambda one: -rooms[one])[:_LARGEST]
    beside = f"{len(lines)} modules; " + ", ".join(f"{one} {rooms[one]}" for one in largest)
    total = sum(lines.values())
    bound = Bound(LINES_MAX, 50_000)
    return (check_goal("P23", "lines that a table loads", total, Unit.COUNT, bound, beside),)


def loaded_lines(folder: Path, coups: int = COUPS) -> Mapping[str, int]:
    """The lines of each module of the program that a table with a shoe, page and metrics loads.

    It has dealt, a browser has followed its page, and its metrics were read. Raises CannotMeasure.
    """
    folder.mkdir()
    config, found = folder / "table.toml", folder / "modules.json"
    command = (sys.executable, "-P", "-c", _PROGRAM, str(found))
    with PtyServer(AngelEye(), LineServerSettings()) as server:
        text = CONFIG.format(port=server.path, shoe="reports_s_max = 0")
        config.write_text(text, encoding="utf-8")
        table = MeasuredProgram(Program(config, folder / "run.log", command=command))
        with table as program, page_streams(program.metrics_address, 1):
            ShoeRunner(Dealer(DealerSettings(seed=23)), server, coups_max=coups).run()
            with closing(http.client.HTTPConnection(*program.metrics_address)) as connection:
                connection.request("GET", "/metrics")
                connection.getresponse().read()
    modules: dict[str, str] = json.loads(found.read_text("utf-8"))
    return {
        name: len(Path(file).read_bytes().splitlines())
        for name, file in modules.items()
        if name.partition(".")[0] in PACKAGES and file.endswith(".py")
    }
