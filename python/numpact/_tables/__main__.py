# SPDX-License-Identifier: Apache-2.0
"""``read|write FORMAT [FILE]`` or ``others``, started by the command only."""

from __future__ import annotations

import os
import sys
import warnings

from .errors import reported
from .messages import Gone, Messages, Refused

_NEEDS = {"parquet": "Parquet"}


def _serve(messages: Messages, verb: str, format: str, path: str | None) -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        needs = _NEEDS.get(format, "Arrow IPC")
        raise Refused(f"{needs} needs pyarrow: pip install pyarrow") from None
    if verb == "read":
        from . import reading

        reading.serve(messages, format, path)
    elif verb == "others":
        from . import serving_others

        serving_others.serve(messages)
    else:
        from . import writing

        writing.serve(messages, format)


def main() -> None:
    # Standard output is reserved for messages: output of libraries goes to standard error.
    outgoing = os.dup(1)
    os.dup2(2, 1)
    # No warnings: they may contain names from a file with control characters for a terminal, which
    # the command escapes.
    warnings.simplefilter("ignore")
    messages = Messages(0, outgoing)
    verb, format, *path = sys.argv[1:]
    try:
        with reported(messages):
            _serve(messages, verb, format, path[0] if path else None)
    except Gone:
        pass  # the command has ended, so nobody reads an error


if __name__ == "__main__":
    main()
