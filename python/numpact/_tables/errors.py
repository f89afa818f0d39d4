# SPDX-License-Identifier: Apache-2.0
"""Exceptions as answers to the command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .messages import Gone, Messages, Refused


def _code(error: Exception) -> str:
    """The system's errors are failures; all else says that the input is not what it should be."""
    from pyarrow import ArrowCancelled, ArrowException

    system = isinstance(error, MemoryError | ArrowCancelled | NotImplementedError)
    if system or getattr(error, "errno", None) is not None:
        return "failure"
    expected = isinstance(error, ArrowException | OSError | ValueError)
    return "corrupt" if expected else "failure"


@contextmanager
def told(messages: Messages) -> Iterator[None]:
    """Whatever goes wrong inside is told to the command, and over with that."""
    try:
        yield
    except Gone:
        raise
    except Refused as refused:
        messages.send_error(refused.code, str(refused))
    except Exception as error:
        messages.send_error(_code(error), str(error) or type(error).__name__)
