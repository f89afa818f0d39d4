# SPDX-License-Identifier: Apache-2.0
"""The Debian source package: built, looked at by lintian, installed, used and removed.

Packages are installed in a copy of this system that lasts as long as the test: an overlay, in name
spaces of its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, run

TOOLS = ("dpkg-buildpackage", "dh", "lintian", "fakeroot")
VERSION = (ROOT / "packaging/debian/changelog").read_text().split("(")[1].split(")")[0]
UPSTREAM = VERSION.split("-")[0]

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, TOOLS)), reason=f"needs {', '.join(TOOLS)}"
)
slow = pytest.mark.skipif("NUMPACT_FULL" not in os.environ, reason="slow: NUMPACT_FULL=1 runs it")

# Runs "$@" with the root folder that is this system's, below what it writes.
IN_A_COPY = """
set -eu
folder=$1
shift
mount -t tmpfs tmpfs "$folder"
mkdir "$folder/upper" "$folder/work" "$folder/root"
mount -t overlay overlay "$folder/root" \\
  -o "lowerdir=/,upperdir=$folder/upper,workdir=$folder/work"
mount --rbind /dev "$folder/root/dev"
mount -t proc proc "$folder/root/proc"
exec chroot "$folder/root" "$@"
"""

# apt-get may ask no server: what the packages depend on is installed.
INSTALL_USE_REMOVE = """
set -eu
cd "$1"
apt-get -qq -o Dpkg::Use-Pty=0 install "$1"/*.deb
dpkg -L libnumpact0.1 libnumpact-dev | sort -u | while read -r file; do
  [ -d "$file" ] || echo "$file"
done >files
for file in /usr/include/numpact/numpact.h; do grep -qx "$file" files; done
cd "$2"
sh debian/tests/column
cd "$1"
apt-get -qq -o Dpkg::Use-Pty=0 purge libnumpact0.1 libnumpact-dev
while read -r file; do [ ! -e "$file" ] || { echo "left: $file"; exit 1; }; done <files
echo "installed, used, removed"
"""


# The sources of the packages.
PARTS = ["CMakeLists.txt", "LICENSE", "cmake", "examples", "include", "samples", "src"]


def source_tree(folder: Path, *parts: str) -> Path:
    """Files of the tree, all of them if no part is named, their archive, and the folder debian."""
    tree = folder / f"numpact-{UPSTREAM}"
    listing = run("git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", *parts)
    for name in listing.stdout.splitlines():
        if (ROOT / name).exists():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tree / name)
    run("tar", "-czf", f"numpact_{UPSTREAM}.orig.tar.gz", tree.name, cwd=folder)
    shutil.copytree(ROOT / "packaging/debian", tree / "debian")
    return tree


def can_make_copies(folder: Path) -> bool:
    folder.mkdir()
    command = ["unshare", "-m", "-p", "-f", "bash", "-c", IN_A_COPY, "_", str(folder), "true"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def check_packages(folder: Path, tree: Path, *linted: str) -> None:
    """lintian finds neither errors nor warnings in these files, and the packages can be used."""
    packages = {path.name.split("_")[0] for path in folder.glob("*.deb")}
    assert packages - {"libnumpact0.1-dbgsym"} == {"libnumpact-dev", "libnumpact0.1"}
    files = [path for pattern in linted for path in folder.glob(pattern)]
    assert len(files) == len(linted)
    report = subprocess.run(
        ["lintian", "--allow-root", "--fail-on", "error,warning", *files],
        capture_output=True,
        text=True,
        check=False,
    )
    assert report.returncode == 0, report.stdout + report.stderr
    if not can_make_copies(folder / "try"):
        pytest.skip("built and clean, but not installed: this machine allows no overlay")
    (folder / "copy").mkdir()
    script = ["unshare", "-m", "-p", "-f", "bash", "-c", IN_A_COPY, "_", folder / "copy"]
    done = run(*script, "bash", "-c", INSTALL_USE_REMOVE, "_", folder, tree)
    assert done.stdout.endswith("installed, used, removed\n"), done.stdout


def test_builds_packages_that_can_be_installed(tmp_path: Path) -> None:
    """For one instruction set, not optimised, since compiling takes most of the time. Without
    libnumpact-dev for lintian, which looks at its static library for minutes."""
    tree = source_tree(tmp_path, *PARTS)
    environment = os.environ | {
        "NUMPACT_OPTIONS": "-DNUMPACT_SIMD_TARGETS=scalar",
        "DEB_BUILD_OPTIONS": "noopt noautodbgsym parallel=2",
        "DEB_CXXFLAGS_APPEND": "-g0",
    }
    # -F: the source package too.
    run("dpkg-buildpackage", "-us", "-uc", "-F", cwd=tree, env=environment, timeout=1500)
    check_packages(tmp_path, tree, "*.dsc", "libnumpact0.1_*.deb")


@slow
def test_builds_the_packages_of_a_release(tmp_path: Path) -> None:
    """From the source package alone, as another machine would. All is shown to lintian."""
    tree = source_tree(tmp_path)
    run("dpkg-buildpackage", "-us", "-uc", "-S", cwd=tree)
    [description] = tmp_path.glob("*.dsc")
    unpacked = tmp_path / "unpacked" / f"numpact-{UPSTREAM}"
    unpacked.parent.mkdir()
    run("dpkg-source", "-x", description, unpacked, cwd=unpacked.parent)
    environment = os.environ | {"DEB_BUILD_OPTIONS": "parallel=2"}
    run("dpkg-buildpackage", "-us", "-uc", "-F", cwd=unpacked, env=environment, timeout=3000)
    check_packages(unpacked.parent, unpacked, "*.changes")
