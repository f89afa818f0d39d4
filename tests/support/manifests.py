# SPDX-License-Identifier: Apache-2.0
"""The list of manifests that every reader of tables accepts or refuses."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote_to_bytes

PLACE = Path(__file__).resolve().parents[1] / "fixtures/manifests"


@dataclass(frozen=True)
class Manifest:
    name: str
    text: bytes
    # Accepted ones: rows (None: the columns must not be joined), and the columns as
    # NAME:KIND[UNIT, ZONE]:TYPE=VALUE,VALUE
    rows: int | None = None
    columns: tuple[str, ...] = ()
    # Refused ones: the kind of the error, and a part of its message.
    kind: str = ""
    why: str = ""

    def folder(self, path: Path) -> Path:
        """A folder with this manifest and the files that it names."""
        shutil.copytree(PLACE / "files", path)
        (path / "manifest.json").write_bytes(self.text)
        return path

    def names(self) -> list[str]:
        return [column.rsplit(":", 2)[0].replace("\\0", "\0") for column in self.columns]

    def values(self) -> list[list[str]]:
        cells = [column.rpartition("=")[2] for column in self.columns]
        return [text.split(",") if text else [] for text in cells]


def _read() -> list[Manifest]:
    made = []
    for line in (PLACE / "list.txt").read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        outcome, name, coded, *rest = line.split("\t")
        text = unquote_to_bytes(coded)
        if outcome == "accepted":
            rows = None if rest[0] == "apart" else int(rest[0])
            made.append(Manifest(name, text, rows, tuple(rest[1:])))
        else:
            made.append(Manifest(name, text, kind=rest[0], why=rest[1]))
    return made


ALL = _read()
ACCEPTED = [one for one in ALL if not one.kind]
REFUSED = [one for one in ALL if one.kind]
