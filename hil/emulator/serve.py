"""Serve an emulator: the kinds of line in one place.

Responsible for: naming them. Not responsible for: anything else.
Source: package README, "Serving an emulator".
"""

from hil.emulator.line import LineServer, LineSettings
from hil.emulator.pty_line import PtyServer
from hil.emulator.tcp_line import TcpServer

__all__ = ["LineServer", "LineSettings", "PtyServer", "TcpServer"]
