# SPDX-License-Identifier: Apache-2.0
"""The command ``numpact``, which runs in this process and reads and writes Parquet and Arrow with
its pyarrow.
"""

# No import of pathlib and typing: these take longer than everything else in this module.
from __future__ import annotations

import os
import site
import sys


def _package() -> str:
    """The folder of the package."""
    return os.path.dirname(os.path.realpath(__file__))


def _from_working_folder() -> set[str]:
    """The entries of ``sys.path`` that are the working folder or relative to it.

    Python has replaced relative paths, also those of PYTHONPATH, by absolute ones before.
    """
    try:
        here = os.getcwd()
    except OSError:  # it was removed
        return set()
    named = (
        [] if sys.flags.ignore_environment else os.environ.get("PYTHONPATH", "").split(os.pathsep)
    )
    relative = [name for name in named if not os.path.isabs(name)]
    return {here, os.path.realpath(here)} | {os.path.abspath(name) for name in relative}


def module_folders() -> list[str]:
    """The module search path without entries that depend on the working folder: a command that is
    run in a folder of untrusted data must not import modules from there.
    """
    unsafe = _from_working_folder()
    user = site.getusersitepackages() if site.ENABLE_USER_SITE else None
    if user and not os.path.isabs(os.environ.get("PYTHONUSERBASE") or os.sep):
        unsafe.add(user)

    def is_safe(entry: object) -> bool:
        return (
            isinstance(entry, str)
            and os.path.isabs(entry)
            and entry not in unsafe
            and os.path.realpath(entry) not in unsafe
        )

    package = os.path.dirname(_package())  # not in sys.path if an import hook found it
    return list(dict.fromkeys(entry for entry in [*sys.path, package] if is_safe(entry)))


def run(words: list[str]) -> int:
    """Runs the command with arguments; the exit code. The process is to end then: its signals and
    its memory are as the command wants them.
    """
    try:
        from ._cli import run
    except ImportError as error:
        if error.name != f"{__package__}._cli":
            raise
        print("numpact: this installation does not have the command", file=sys.stderr)
        return 1
    return run([b"numpact", *map(os.fsencode, words)])


def main() -> None:
    """Runs the command and ends the process, without the end of Python, which takes time."""
    sys.path[:] = module_folders()
    os._exit(run(sys.argv[1:]))
