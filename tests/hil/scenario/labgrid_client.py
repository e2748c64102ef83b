"""A program in the place of labgrid's client: notes each call, and says what its files hold."""

import shlex
from pathlib import Path

from hil.scenario.benches.labgrid_place import LabgridPlace

# Answers of labgrid-client 26.0.1.
IDLE = """\
Place 'table-3':
  matches:
    bench/table-3/*
  acquired: None
  acquired resources:
  created: 2026-11-23 17:49:06.184855
  changed: 2026-11-23 17:49:06.945050
Matching resource 'shoe' (bench/table-3/NetworkSerialPort/shoe):
  {'acquired': None,
   'avail': True,
   'cls': 'NetworkSerialPort',
   'params': {'extra': {'path': '/dev/ttyUSB0',
                        'proxy': 'bench',
                        'proxy_required': False},
              'host': 'bench',
              'port': None,
              'speed': 4800}}
"""
HELD = """\
Place 'table-3':
  matches:
    bench/table-3/*
  acquired: desk/ann
  acquired resources:
    bench/table-3/NetworkPowerPort/shoe-power
    bench/table-3/NetworkSerialPort/shoe
  created: 2026-11-23 17:49:06.184855
  changed: 2026-11-23 17:49:08.828766
Acquired resource 'shoe' (bench/table-3/NetworkSerialPort/shoe):
  {'acquired': 'table-3',
   'avail': True,
   'cls': 'NetworkSerialPort',
   'params': {'extra': {'path': '/dev/ttyUSB0',
                        'proxy': 'bench',
                        'proxy_required': False},
              'host': 'bench',
              'port': 49719,
              'speed': 4800}}
Acquired resource 'shoe-power' (bench/table-3/NetworkPowerPort/shoe-power):
  {'acquired': 'table-3',
   'avail': True,
   'cls': 'NetworkPowerPort',
   'params': {'extra': {'proxy': 'bench', 'proxy_required': False},
              'host': 'http://pdu/{index}/{value}',
              'index': 1,
              'model': 'simplerest'}}
Acquired resource 'shuffler' (bench/table-3/NetworkSerialPort/shuffler):
  {'acquired': 'table-3',
   'avail': True,
   'cls': 'NetworkSerialPort',
   'params': {'extra': {'proxy': 'bench', 'proxy_required': False},
              'host': 'fd00::7',
              'port': 4711,
              'protocol': 'raw'}}
"""
# Says the content of WORD.says, on stderr and with exit code 1 if that is named WORD.refuses.
CLIENT = """\
#!/bin/sh
cd {folder}
[ "$1 $2 $3 $4" = "--coordinator bench:20408 --place table-3" ] || exit 9
shift 4
echo "$@" >>calls
env >environment
[ "$1" = acquire ] && [ -e held ] && mv held show.says
[ "$1" = release ] && [ -p released ] && echo "$PWD" >released
[ -e "$1.refuses" ] && cat "$1.refuses" >&2 && exit 1
[ ! -e "$1.says" ] || cat "$1.says"
"""
UNAVAILABLE = """\
ERROR              root: coordinator is unavailable: failed to connect to all addresses
Server error: Error: Could not connect to coordinator
"""


class FakeClient:
    """A folder with a program in the place of labgrid's client."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.place = LabgridPlace("bench:20408", "table-3", str(folder))
        program = folder / "bin/labgrid-client"
        program.parent.mkdir()
        program.write_text(CLIENT.format(folder=shlex.quote(str(folder))))
        program.chmod(0o755)
        self.says("show", IDLE)
        (folder / "held").write_text(HELD)

    def says(self, word: str, text: str) -> None:
        (self.folder / f"{word}.says").write_text(text)

    def refuses(self, word: str, text: str) -> None:
        (self.folder / f"{word}.refuses").write_text(text)

    @property
    def calls(self) -> list[str]:
        return (self.folder / "calls").read_text().splitlines()
