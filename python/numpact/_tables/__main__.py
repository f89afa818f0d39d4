# SPDX-License-Identifier: Apache-2.0
"""``read|write FORMAT [FILE]``, for the command alone."""

from __future__ import annotations

import os
import sys
import warnings

from .errors import told
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
    else:
        from . import writing

        writing.serve(messages, format)


def main() -> None:
    # Standard output is kept for messages: what libraries print goes to standard error.
    outgoing = os.dup(1)
    os.dup2(2, 1)
    # The command alone talks to the user: a warning may hold names of a file as they are, which a
    # terminal would obey.
    warnings.simplefilter("ignore")
    messages = Messages(0, outgoing)
    verb, format, *path = sys.argv[1:]
    try:
        with told(messages):
            _serve(messages, verb, format, path[0] if path else None)
    except Gone:
        pass  # for its own reasons; there is nobody to tell


if __name__ == "__main__":
    main()
