# SPDX-License-Identifier: Apache-2.0
"""The maximum memory that a command held.

What Linux reports of a process begins with what its parent held when it was started. So the parent
is this module, run as a small program of its own.
"""

from __future__ import annotations

import os
import sys


def main(report: str, *command: str) -> int:
    """Runs the command; its peak goes into the file, in KiB."""
    child = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)
    with open(report, "w", encoding="ascii") as file:
        file.write(str(usage.ru_maxrss))
    return os.waitstatus_to_exitcode(status)


def measured(report: str | os.PathLike[str], command: list[str]) -> list[str]:
    """The command line that runs another and leaves its peak in `report`."""
    return [sys.executable, "-I", "-S", __file__, os.fspath(report), *command]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
