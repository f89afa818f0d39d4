# SPDX-License-Identifier: Apache-2.0
"""The command ``numpact``: the program that the package carries, told where Python is.

The program reads and writes Parquet and Arrow through this Python's pyarrow.
"""

from __future__ import annotations

import json
import os
import site
import sys

# Neither pathlib nor typing: they take longer to import than all that this module does.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _package() -> str:
    """The folder of the package."""
    return os.path.dirname(os.path.realpath(__file__))


def program() -> str:
    """Where the program lies."""
    name = "numpact.exe" if sys.platform == "win32" else "numpact"
    return os.path.join(_package(), "_bin", name)


def _from_working_folder() -> set[str]:
    """The entries of ``sys.path`` that lead to the working folder, or were named from there.

    Python has made full paths of relative ones by now, those of PYTHONPATH among them.
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
    """Where modules are found: ``path``, and ``user``, the folder of the user's own packages.

    Nothing that a working folder decides is among them: who runs the command in a folder of
    somebody's data must not run the modules that lie there.
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
    package = os.path.dirname(_package())  # import hooks may have found it
    path = [entry for entry in [*sys.path, package] if is_safe(entry)]
    return {"path": list(dict.fromkeys(path)), "user": user}


def main() -> int:
    """Becomes the program; returns only where that is not there, or cannot be become."""
    path = program()
    if not os.path.exists(path):
        print("numpact: this installation does not have the command", file=sys.stderr)
        return 1
    if sys.executable and os.path.isabs(sys.executable):
        os.environ["NUMPACT_PYTHON"] = sys.executable
    os.environ["NUMPACT_PYTHON_PATH"] = json.dumps(module_folders())
    if sys.platform != "win32":
        os.execv(path, ["numpact", *sys.argv[1:]])
    import subprocess

    return subprocess.run([path, *sys.argv[1:]], check=False).returncode
