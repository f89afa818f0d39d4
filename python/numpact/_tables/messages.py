# SPDX-License-Identifier: Apache-2.0
"""Messages to and from the command: a kind, a length, and that many bytes."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterator
from typing import Any

_HEAD = struct.Struct("<cQ")
JSON, BYTES, ERROR = b"J", b"D", b"E"
# Maximum bytes of a message of blocks, so that the other side needs no memory for all.
_BLOCK = 1 << 22


class Gone(Exception):
    """The other side has closed its end of a pipe."""


class Refused(Exception):
    """An error for the user.

    Args:
        message: What is wrong.
        code: "failure" or "corrupt".
        file: The inherited file that it is about; None: that of the request.
    """

    def __init__(self, message: str, code: str = "failure", file: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.file = file


class Messages:
    """Receives and sends messages over file descriptors. Not thread-safe."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self._incoming = open(incoming, "rb", closefd=False)  # noqa: SIM115
        self._outgoing = outgoing

    def _exactly(self, count: int) -> bytes:
        content = self._incoming.read(count)
        if len(content) < count:
            raise Gone
        return content

    def _receive(self, kind: bytes) -> bytes:
        got, length = _HEAD.unpack(self._exactly(_HEAD.size))
        if got != kind:
            raise RuntimeError(f"a message of kind {got!r} where {kind!r} was due")
        return self._exactly(length)

    def receive(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(self._receive(JSON))
        return content

    def receive_bytes(self) -> bytes:
        return self._receive(BYTES)

    def receive_blocks(self) -> Iterator[bytes]:
        """Receives blocks up to an empty one."""
        while block := self._receive(BYTES):
            yield block

    def _send(self, kind: bytes, content: bytes | memoryview) -> None:
        try:
            for part in (memoryview(_HEAD.pack(kind, len(content))), memoryview(content)):
                left = part
                while left:
                    left = left[os.write(self._outgoing, left) :]
        except BrokenPipeError:
            raise Gone from None

    def send(self, content: dict[str, Any]) -> None:
        self._send(JSON, json.dumps(content).encode())

    def send_bytes(self, content: bytes | memoryview) -> None:
        """One message; ``content`` is a view of bytes."""
        self._send(BYTES, content)

    def send_some(self, contents: list[bytes]) -> None:
        """Sends blocks that others follow."""
        for content in contents:
            for at in range(0, len(content), _BLOCK):
                self._send(BYTES, memoryview(content)[at : at + _BLOCK])

    def send_blocks(self, contents: list[bytes]) -> None:
        """Sends blocks and an empty one."""
        self.send_some(contents)
        self._send(BYTES, b"")

    def send_error(self, code: str, message: str, file: int | None = None) -> None:
        error = {"code": code, "message": message, "file": file}
        self._send(ERROR, json.dumps(error).encode())
