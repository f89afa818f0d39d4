# SPDX-License-Identifier: Apache-2.0
"""Descriptions of a chunk, its latent variables and their bins."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class BinInfo:
    """A range of latents that share a code."""

    weight: int  #: slots in the tANS table, which has 2 ** ans_size_log
    lower: int  #: the smallest latent of the bin
    offset_bits: int  #: bits of the offset that follows the code of a latent


@dataclass(frozen=True)
class LatentVariableInfo:
    """One of the streams of latents that numbers are split into."""

    variable: str  #: "delta", "primary" or "secondary"
    latent_bits: int
    ans_size_log: int
    delta_encoded: bool
    bins: list[BinInfo] = field(repr=False)
    stored: int  #: latents that have a code; the others are part of the delta's state
    meta_bits: int  #: of the bins in the chunk's metadata
    state_bits: int  #: of the delta's state and the tANS states
    code_bits: int  #: of the tANS codes
    offset_bits: int  #: of the offsets

    @property
    def bits(self) -> int:
        """Bits of the variable in all."""
        return self.meta_bits + self.state_bits + self.code_bits + self.offset_bits


@dataclass(frozen=True)
class ChunkInfo:
    """A chunk: numbers that share a mode, a delta encoding and bins."""

    type: str  #: "f64", ...
    count: int
    offset: int  #: of the chunk in the file, in bytes
    meta_bytes: int
    page_bytes: int
    mode: str  #: as compress(mode=) takes it
    delta: str  #: as compress(delta=) takes it
    dict: list[int] = field(repr=False)  #: entries of mode "dict", as ordered latents
    variables: list[LatentVariableInfo]

    @property
    def bytes(self) -> int:
        """Bytes of the chunk, without its header."""
        return self.meta_bytes + self.page_bytes

    @property
    def bits_per_number(self) -> float:
        return self.bytes * 8 / self.count if self.count else 0.0

    def bins_text(self) -> str:
        """The number of bins of each latent variable."""
        return ", ".join(f"{v.variable} {len(v.bins)}" for v in self.variables)


CHUNK_TITLES = (
    ">chunk", ">numbers", "type", "mode", "delta", "bins", ">bytes", ">bits a number",
)  # fmt: skip


def chunk_cells(index: int, chunk: ChunkInfo) -> list[str]:
    """The cells of a chunk under these titles."""
    return [
        str(index),
        f"{chunk.count:,}",
        chunk.type,
        chunk.mode,
        chunk.delta,
        chunk.bins_text(),
        f"{chunk.bytes:,}",
        f"{chunk.bits_per_number:.2f}",
    ]


def _variable(raw: dict[str, Any]) -> LatentVariableInfo:
    bins = [BinInfo(*entry) for entry in raw.pop("bins")]
    return LatentVariableInfo(bins=bins, **raw)


def chunk_info(raw: dict[str, Any]) -> ChunkInfo:
    """A description of a chunk from ``_core``; removes entries of ``raw``."""
    variables = [_variable(variable) for variable in raw.pop("variables")]
    return ChunkInfo(variables=variables, **raw)
