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


@contextmanager
def reported(messages: Messages) -> Iterator[None]:
    """Sends exceptions of a ``with`` block to the command, and suppresses them."""
    try:
        yield
    except Gone:
        raise
    except Refused as refused:
        messages.send_error(refused.code, str(refused), refused.file)
    except Exception as error:
        code, text = _code(error), str(error) or type(error).__name__
        if code == "limit":
            # The command names the place itself, and has options of these names.
            text = text[max(0, text.find("limit exceeded")) :]
            for name in ("max_output", "max_memory"):
                text = text.replace(name, f"--{name.replace('_', '-')}")
        messages.send_error(code, text)
