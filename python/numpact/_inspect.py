# SPDX-License-Identifier: Apache-2.0
"""What is inside a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from . import _core
from ._file import contents
from ._specs import core_limit
from ._threads import resolve

if TYPE_CHECKING:
    from ._file import Source

TrailerState = Literal["none", "sound", "damaged", "unrecognised"]


@dataclass(frozen=True)
class BinInfo:
    """A range of latents that share a code."""

    weight: int  #: share of the tANS table, out of 2 ** ans_size_log
    lower: int  #: the smallest latent of the bin
    offset_bits: int  #: bits that each latent stores beside its code


@dataclass(frozen=True)
class LatentVariableInfo:
    """One of the streams of latents that numbers are split into."""

    variable: str  #: "delta", "primary" or "secondary"
    latent_bits: int
    ans_size_log: int
    delta_encoded: bool
    bins: list[BinInfo] = field(repr=False)
    stored: int  #: latents stored one by one, not in the delta's state
    meta_bits: int  #: of the bins in the chunk's metadata
    state_bits: int  #: of the delta's state and the tANS states
    code_bits: int  #: of the tANS codes
    offset_bits: int  #: of the offsets

    @property
    def bits(self) -> int:
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
        return self.meta_bytes + self.page_bytes

    @property
    def bits_per_number(self) -> float:
        return self.bytes * 8 / self.count if self.count else 0.0

    def bins_text(self) -> str:
        """How many bins each latent variable has."""
        return ", ".join(f"{v.variable} {len(v.bins)}" for v in self.variables)


@dataclass(frozen=True)
class FileInfo:
    """What ``numpact.inspect`` finds."""

    standalone_version: int
    format_version: tuple[int, int]
    type: str | None  #: None: an empty file that does not name one
    uniform_type: str | None  #: the type in the header, if it is there
    n_hint: int  #: the count that the writer claims
    chunk_count: int  #: of all chunks
    count: int  #: the count there is
    file_bytes: int
    trailing_bytes: int  #: after the end of the file: its trailer, or what is not part of it
    trailer: TrailerState  #: by its own checksums; whether it is true of the file, verify tells
    restart_every: int | None  #: numbers between restart points of the trailer
    #: The chunks, in order. The list ends early if a file has so very many tiny chunks that their
    #: descriptions would take much more memory than the file.
    chunks: list[ChunkInfo]

    @property
    def raw_bytes(self) -> int:
        """Bytes that the numbers take in memory."""
        return self.count * (int(self.type[1:]) // 8 if self.type else 0)

    @property
    def ratio(self) -> float:
        """How many times smaller the file is."""
        return self.raw_bytes / self.file_bytes if self.file_bytes else 0.0

    @property
    def bits_per_number(self) -> float:
        return self.file_bytes * 8 / self.count if self.count else 0.0

    def __str__(self) -> str:
        from ._inspect_text import as_text

        return as_text(self)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from ._inspect_html import as_html

        return as_html(self)


def _variable(raw: dict[str, Any]) -> LatentVariableInfo:
    bins = [BinInfo(*entry) for entry in raw.pop("bins")]
    return LatentVariableInfo(bins=bins, **raw)


def _chunk(raw: dict[str, Any]) -> ChunkInfo:
    variables = [_variable(variable) for variable in raw.pop("variables")]
    return ChunkInfo(variables=variables, **raw)


def file_info(raw: dict[str, Any]) -> FileInfo:
    """What _core found, as objects; ``raw`` is used up."""
    chunks = [_chunk(chunk) for chunk in raw.pop("chunks")]
    return FileInfo(chunks=chunks, **raw)


def inspect(
    source: Source, *, threads: int | None = None, max_output: int | None = None
) -> FileInfo:
    """Shows what is inside a standalone Pco file: chunks, modes, deltas, bins, sizes.

    Costs about half of decoding, since only the codes tell where a chunk ends.

    Args:
        source: The file: bytes, a path, or a file opened in binary mode.
        threads: As for ``decompress``.
        max_output: The most bytes of numbers that the file may hold in all.

    Returns:
        An object that prints as a summary, and shows as a table with a picture of the bins in a
        notebook.

    Raises:
        CorruptError and the others of ``decompress``, but for damage that only the numbers show.

    >>> import numpact
    >>> info = numpact.inspect(numpact.compress(range(0, 6000, 60)))
    >>> info.type, info.count, info.chunks[0].delta
    ('i64', 100, 'consecutive=1')
    """
    return file_info(_core.inspect(contents(source), resolve(threads), core_limit(max_output)))
