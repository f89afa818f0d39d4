# SPDX-License-Identifier: Apache-2.0
"""Exceptions for the command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class Refused(Exception):
    """An error for the user.

    Args:
        message: What is wrong.
        code: "failure", "corrupt" or "limit".
        place: The file and the column that it is about; None: those that the command works on.
    """

    def __init__(self, message: str, code: str = "failure", place: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.place = place


def _code(error: Exception) -> str:
    """The code of an error: "failure" for errors of the system, "limit", else "corrupt" input."""
    from pyarrow import ArrowCancelled, ArrowException

    from .._errors import CorruptError, LimitExceededError

    if isinstance(error, CorruptError):
        return "corrupt"
    if isinstance(error, LimitExceededError):
        return "limit"
    system = isinstance(error, MemoryError | ArrowCancelled | NotImplementedError)
    if system or getattr(error, "errno", None) is not None:
        return "failure"
    expected = isinstance(error, ArrowException | OSError | ValueError)
    return "corrupt" if expected else "failure"


def described(error: Exception, place: str | None = None) -> tuple[str, str, str | None]:
    """Code, message and place of an exception."""
    if isinstance(error, Refused):
        return error.code, str(error), error.place
    from .._errors import ChecksumError

    code, text = _code(error), str(error) or type(error).__name__
    if code == "limit":
        # The command has options of these names.
        text = text[max(0, text.find("limit exceeded")) :]
        for name in ("max_output", "max_memory"):
            text = text.replace(name, f"--{name.replace('_', '-')}")
    if isinstance(error, ChecksumError):
        text = text.replace("corrupt:", "checksum mismatch:", 1)
    return code, text, place


@contextmanager
def about(place: str) -> Iterator[None]:
    """Exceptions of a ``with`` block concern this file and column."""
    try:
        yield
    except Refused:
        raise
    except Exception as error:
        code, text, _ = described(error)
        raise Refused(text, code, place) from error
