# SPDX-License-Identifier: Apache-2.0
"""Reports exceptions to the command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .messages import Gone, Messages, Refused


def _code(error: Exception) -> str:
    """The code of an error: "failure" for errors of the system, else "corrupt" input."""
    from pyarrow import ArrowCancelled, ArrowException

    from .._errors import CorruptError

    if isinstance(error, CorruptError):
        return "corrupt"
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
        messages.send_error(refused.code, str(refused))
    except Exception as error:
        messages.send_error(_code(error), str(error) or type(error).__name__)
