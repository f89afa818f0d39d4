# SPDX-License-Identifier: Apache-2.0
"""The command ``numpact``: starts the program in the package and passes it the path of Python.

The program reads and writes Parquet and Arrow through this Python's pyarrow.
"""

from __future__ import annotations

import json
import os
import site
import sys

# No import of pathlib and typing: these take longer than everything else in this module.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _package() -> str:
    """The folder of the package."""
    return os.path.dirname(os.path.realpath(__file__))


def program() -> str:
    """The path of the program."""
    name = "numpact.exe" if sys.platform == "win32" else "numpact"
    return os.path.join(_package(), "_bin", name)


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


def module_folders() -> dict[str, Any]:
    """The module search path: ``path``, and ``user``, the folder of the user's own packages.

    Entries that depend on the working folder are left out: a command that is run in a folder of
    untrusted data must not import modules from there.
    """
    unsafe = _from_working_folder()

    def is_safe(entry: object) -> bool:
        return (
            isinstance(entry, str)
            and os.path.isabs(entry)
            and entry not in unsafe
            and os.path.realpath(entry) not in unsafe
        )

    user = site.getusersitepackages() if site.ENABLE_USER_SITE else None
    if not is_safe(user) or not os.path.isabs(os.environ.get("PYTHONUSERBASE") or os.sep):
        unsafe |= {user} if user else set()
        user = None
    package = os.path.dirname(_package())  # not in sys.path if an import hook found it
    path = [entry for entry in [*sys.path, package] if is_safe(entry)]
    return {"path": list(dict.fromkeys(path)), "user": user}


def main() -> int:
    """Replaces this process by the program; returns only if that is missing or on Windows."""
    path = program()
    if not os.path.exists(path):
        print("numpact: this installation does not have the command", file=sys.stderr)
        return 1
    if sys.executable and os.path.isabs(sys.executable):
        os.environ["NUMPACT_PYTHON"] = sys.executable
    folders = module_folders()
    os.environ["NUMPACT_PYTHON_PATH"] = json.dumps(folders)
    if "--partition-by" in " ".join(sys.argv) or sys.argv[1:2] == ["index"]:
        from . import _dataset_command

        if _dataset_command.is_for_dataset(sys.argv[1:]):
            sys.path[:] = folders["path"]
            return _dataset_command.main(path, sys.argv[1:])
    if sys.platform != "win32":
        os.execv(path, ["numpact", *sys.argv[1:]])
    import subprocess

    return subprocess.run([path, *sys.argv[1:]], check=False).returncode
