# SPDX-License-Identifier: Apache-2.0
"""The peers by name, and which of them are available here."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from numpact_ctypes import ROOT
from peer_codecs import Bzip2, Codec, Lz4, Memcpy, Ours, Pcodec, Setting, Zstd
from peer_formats import Blosc2, OpenZl, Parquet, Vortex

DEFAULT = "pcodec,zstd-3,memcpy"
REQUIREMENTS = ROOT / "bench" / "requirements.txt"

PEERS: dict[str, Callable[[Setting], Codec]] = {
    "pcodec": Pcodec,
    "memcpy": lambda setting: Memcpy(),
    "zstd-1": lambda setting: Zstd(1),
    "zstd-3": lambda setting: Zstd(3),
    "pcodec-12": lambda setting: Pcodec(setting, 12),
    "zstd-19": lambda setting: Zstd(19),
    "zstd-22": lambda setting: Zstd(22),
    "bzip2-shuffle": lambda setting: Bzip2(),
    "lz4": lambda setting: Lz4(),
    "blosc2-zstd": lambda setting: Blosc2("zstd", setting.threads),
    "blosc2-lz4": lambda setting: Blosc2("lz4", setting.threads),
    "blosc2-zstd-9": lambda setting: Blosc2("zstd", setting.threads, 9),
    "blosc2-zstd-9-bits": lambda setting: Blosc2("zstd", setting.threads, 9, "bits"),
    "blosc2-zstd-9-delta": lambda setting: Blosc2("zstd", setting.threads, 9, "delta"),
    "parquet-plain": lambda setting: Parquet("plain"),
    "parquet-dict": lambda setting: Parquet("dict"),
    "parquet-delta": lambda setting: Parquet("delta"),
    "parquet-split": lambda setting: Parquet("split"),
    "parquet-best": lambda setting: Parquet("best", 19),
    "vortex": lambda setting: Vortex("default", setting.threads),
    "vortex-compact": lambda setting: Vortex("compact", setting.threads),
    "openzl": lambda setting: OpenZl(),
    "openzl-7": lambda setting: OpenZl(7),
}
ALIASES = {"zstd": ["zstd-3"], "all": list(PEERS)}


def chosen_names(text: str) -> list[str]:
    """The peers that a list like "pcodec,parquet,zstd-19" means; ValueError names unknown ones. A
    word that several names begin with means all of them."""
    found: list[str] = []
    unknown = []
    for word in filter(None, text.split(",")):
        names = ALIASES.get(word) or ([word] if word in PEERS else
                                      [n for n in PEERS if n.startswith(word + "-")])
        if not names:
            unknown.append(word)
        found += [name for name in names if name not in found]
    if unknown:
        raise ValueError(f"unknown peers: {', '.join(unknown)}; there are {', '.join(PEERS)}")
    return found


def missing_packages(requirements: Path = REQUIREMENTS) -> list[str]:
    """The lines of a requirements file whose packages are not installed, in any version."""
    missing = []
    for line in requirements.read_text().splitlines():
        line = line.partition("#")[0].strip()
        if not line:
            continue
        try:
            version(re.split(r"[<>=~!\[ ]", line)[0])
        except PackageNotFoundError:
            missing.append(line)
    return missing


def install_missing() -> None:
    """Installs what is missing for all peers. Without a network they are left out later."""
    missing = missing_packages()
    if not missing:
        return
    print(f"installing {', '.join(missing)}", file=sys.stderr)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as constraints:
        # Installed packages stay as they are. Constraints may not name extras.
        constraints.write(re.sub(r"\[.*?\]", "", (ROOT / "requirements-dev.txt").read_text()))
        constraints.flush()
        command = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check",
                   "-c", constraints.name, *missing]
        if subprocess.run(command, check=False).returncode != 0:
            print("pip failed", file=sys.stderr)


def make_codecs(names: Iterable[str], setting: Setting) -> tuple[list[Codec], dict[str, str]]:
    """Ours first, then the peers that can be had; and why the others cannot."""
    codecs: list[Codec] = [Ours(setting)]
    skipped = {}
    for name in names:
        try:
            codecs.append(PEERS[name](setting))
        except (ImportError, OSError) as error:
            skipped[name] = str(error)
    return codecs, skipped
