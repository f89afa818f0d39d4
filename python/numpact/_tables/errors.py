# SPDX-License-Identifier: Apache-2.0
"""Reports exceptions to the command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .messages import Gone, Messages, Refused


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


def _refused(error: Exception, file: int | None) -> Refused:
    """What the command is told; it names the place itself."""
    from .._errors import ChecksumError

    code, text = _code(error), str(error) or type(error).__name__
    if code == "limit":
        # The command has options of these names.
        text = text[max(0, text.find("limit exceeded")) :]
        for name in ("max_output", "max_memory"):
            text = text.replace(name, f"--{name.replace('_', '-')}")
    if isinstance(error, ChecksumError):
        text = text.replace("corrupt:", "checksum mismatch:", 1)
    return Refused(text, code, file)


@contextmanager
def about(file: int) -> Iterator[None]:
    """Exceptions of a ``with`` block concern the inherited file of this index."""
    try:
        yield
    except (Gone, Refused):
        raise
    except Exception as error:
        raise _refused(error, file) from error


@contextmanager
def reported(messages: Messages) -> Iterator[None]:
    """Sends exceptions of a ``with`` block to the command, and suppresses them."""
    try:
        yield
    except Gone:
        raise
    except Exception as error:
        refused = error if isinstance(error, Refused) else _refused(error, None)
        messages.send_error(refused.code, str(refused), refused.file)
