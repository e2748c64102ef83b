"""`smartshoe doctor` at a table that runs, and in the middle of a shoe."""

import json
import urllib.request
from collections.abc import Callable
from pathlib import Path

from controller.cli.main import main
from controller.system.command_line.errors import ExitCode
from hil.dealing.dealer import Dealer, DealerSettings
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.serve import TcpServer
from hil.rig.program import Program
from hil.rig.shoe_runner import ShoeRunner


def test_a_running_table_is_asked_and_an_open_shoe_is_said(
    fast_dir: Path, program_on: Callable[..., Program], capsys
) -> None:
    with TcpServer(AngelEye()) as server:
        with program_on(fast_dir, server.url) as program:
            program.start()
            assert main(["doctor", "--between-shoes", str(program.config)]) == ExitCode.DONE
            ShoeRunner(Dealer(DealerSettings(seed=3)), server, coups_max=2).run()
            next(one for one in program.client.subscribe(20) if one.last_coup is not None)
            capsys.readouterr()
            main(["doctor", str(program.config), "--json"])
            found = json.loads(capsys.readouterr().out)["findings"][str(program.config)]
            program.stop()
        words = {f"{one['area']}: {one['grade']}" for one in found}
        assert {"table: good", "devices: good", "journal: good"} <= words
        assert main(["doctor", "--between-shoes", str(program.config)]) == ExitCode.NO
        assert capsys.readouterr().out == "a shoe is open at BENCH-1\n"


METERED = """\
table = { name = "M-12" }
shoe = { port = "socket://127.0.0.1:1" }
metrics = { port = 0 }
"""


def prometheus(program: Program, capsys) -> str:
    main(["doctor", str(program.config), "--json"])
    found = json.loads(capsys.readouterr().out)["findings"][str(program.config)]
    ((grade, what),) = [(one["grade"], one["what"]) for one in found if one["area"] == "prometheus"]
    return f"{grade}: {what}"


def test_metrics_that_nobody_reads_are_remarked_until_somebody_does(fast_dir: Path, capsys) -> None:
    config = fast_dir / "table.toml"
    config.write_text(METERED)
    with Program(config, fast_dir / "program.log") as program:
        program.start()
        url = program.await_log(r"metrics (http://\S+?/metrics)")[1]
        capsys.readouterr()
        before = prometheus(program, capsys)
        with urllib.request.urlopen(url) as metrics:
            metrics.read()
        after = prometheus(program, capsys)
        program.stop()
    assert before == "remark: nobody has read the metrics since the table started"
    assert after.startswith("good: the metrics were read")
