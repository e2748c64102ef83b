"""A child server that answers over HTTP on the loopback address."""

import http.client
from http import HTTPStatus
from typing import ClassVar

from hil.rig.loopback_server import LOOPBACK
from hil.rig.servers.child_server import ChildServer

ANSWER_S_MAX = 30.0


class HttpChildServer(ChildServer):
    """Ready once `ready_path` answers 200."""

    ready_path: ClassVar[str] = "/-/ready"

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"

    def get(self, path: str) -> tuple[int, bytes]:
        """Status and body of a GET. Raises OSError and http.client.HTTPException."""
        connection = http.client.HTTPConnection(LOOPBACK, self.port, timeout=ANSWER_S_MAX)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def answers(self) -> bool:
        try:
            status, _ = self.get(self.ready_path)
        except (OSError, http.client.HTTPException):
            return False
        return status == HTTPStatus.OK
