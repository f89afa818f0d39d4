# SPDX-License-Identifier: Apache-2.0
"""Virtual environments to install the package into."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


class Environment:
    """A virtual environment."""

    def __init__(self, folder: Path) -> None:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        self.folder = folder
        self.python = folder / "bin/python"
        self.command = folder / "bin/numpact"

    def install(self, *packages: object) -> None:
        subprocess.run(
            [sys.executable, "-m", "pip", "--python", self.python, "install", "-q",
             "--disable-pip-version-check", "--no-compile", *map(str, packages)],
            check=True,
        )  # fmt: skip

    def link(self, *folders: str) -> None:
        """Modules of this process's environment, where that has them."""
        ours = Path(sysconfig.get_path("purelib"))
        theirs = self.run("-c", "import sysconfig; print(sysconfig.get_path('purelib'))").stdout
        for folder in folders:
            if (ours / folder).exists():
                (Path(theirs.strip()) / folder).symlink_to(ours / folder)

    def run(self, *words: object, **keywords: object) -> subprocess.CompletedProcess[str]:
        """Python with these arguments, away from the work tree; must succeed."""
        done = subprocess.run(
            [self.python, *map(str, words)], capture_output=True, text=True, cwd=self.folder,
            check=False, **keywords,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done
