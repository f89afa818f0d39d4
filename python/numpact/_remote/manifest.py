# SPDX-License-Identifier: Apache-2.0
"""Manifests of tables that ``numpact compress TABLE`` writes: folders of Pco files.

The library parses and writes them, for the command as well; a manifest is untrusted input.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any

from .. import _core
from .._errors import TypeMismatchError
from .._number_types import dtype_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .._types import Array

NAME = "manifest.json"
MAX_BYTES = _core.MAX_MANIFEST_BYTES
_LENGTH = struct.Struct("<I")  # before each text of packed metadata
_UNITS = ("s", "ms", "us", "ns")


@dataclass(frozen=True)
class LogicalType:
    """The logical type of a column."""

    #: "number", "bool", "date32", "date64", "time32", "time64", "timestamp", "duration", "text" or
    #: "decimal"
    kind: str
    number_type: str
    unit: str = ""  #: "s", "ms", "us", "ns", of times, timestamps and durations
    timezone: str = ""
    text_type: str = ""  #: of "text": "string", "large_string", "binary", "large_binary"
    precision: int = 0  #: of "decimal": digits, how many are behind the point, bits in Arrow
    scale: int = 0
    bits: int = 0

    def key(self) -> tuple[str, str, str, str, str, int, int, int]:
        """Its members, as the library takes them."""
        digits = (self.precision, self.scale, self.bits)
        return self.kind, self.number_type, self.unit, self.timezone, self.text_type, *digits

    def numpy_dtype(self) -> np.dtype[Any]:
        """The closest NumPy type: datetime64 for dates, timedelta64 since midnight for times."""
        import numpy as np

        if self.kind == "number":
            return dtype_of(self.number_type)
        if self.kind == "bool":
            return np.dtype(np.bool_)
        if self.kind in ("date32", "date64"):
            return np.dtype("datetime64[D]" if self.kind == "date32" else "datetime64[ms]")
        name = "datetime64" if self.kind == "timestamp" else "timedelta64"
        return np.dtype(f"{name}[{self.unit}]")

    def as_numpy(self, numbers: Array) -> Array:
        """Stored numbers in the closest NumPy type; copies 32-bit dates and times only."""
        import numpy as np

        dtype = self.numpy_dtype()
        if numbers.dtype == dtype:
            return numbers
        if numbers.dtype == np.int32:
            return numbers.astype(np.int64).view(dtype)
        return numbers.view(dtype)


@dataclass(frozen=True, slots=True)
class NumberPart:
    """Consecutive rows of a column of numbers, in files of their own."""

    file: str
    count: int  #: numbers in the file
    null_file: str
    null_count: int
    sum: tuple[int, int | None]  #: bytes of the file and their CRC-32
    null_sum: tuple[int, int | None]


@dataclass(frozen=True, slots=True)
class TextFile:
    """The texts of a column, of which its numbers are the places."""

    file: str
    count: int
    sum: tuple[int, int | None]  #: bytes of the file and their CRC-32


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a manifest."""

    name: str
    file: str  #: empty: there are several parts
    logical: LogicalType
    count: int  #: numbers in all files
    null_file: str = ""  #: file of the null runs; empty: there are no nulls, or several parts
    null_count: int = 0
    nulls_dropped: int = 0  #: rows of the source that are not in the file
    nullable: bool = True
    metadata: bytes = b""  #: of the field, packed: see ``unpack_metadata``
    parts: tuple[NumberPart, ...] = ()  #: none: the other members describe the only one
    texts: tuple[TextFile, ...] = ()  #: one, if the numbers are places of texts

    @property
    def rows(self) -> int:
        return self.count + self.null_count

    @property
    def first_file(self) -> str:
        return self.parts[0].file if self.parts else self.file

    def files(self) -> list[str]:
        """All files."""
        named = [file for part in self.parts or (self,) for file in (part.file, part.null_file)]
        return [file for file in (*named, *(texts.file for texts in self.texts)) if file]


@dataclass(frozen=True, slots=True)
class Part:
    """A file of Arrow IPC, or of vectors as CVC, with rows of an other column."""

    file: str
    rows: int
    # Checksums, which version 3 does not have: consecutive blocks that cover the file. The first is
    # before the record batches, the last behind them, and there is one for each batch. Of vectors:
    # the header, and one for each chunk.
    bytes: int = 0  #: size of the file
    ends: tuple[int, ...] = ()  #: of the blocks in the file, exclusive
    crc32: tuple[int, ...] = ()  #: CRC-32 of each block

    @property
    def has_vectors(self) -> bool:
        return self.file.endswith(".cvc")


@dataclass(frozen=True, slots=True)
class Other:
    """A column that Pco cannot hold."""

    name: str
    position: int  #: among all columns of the table
    type: str  #: as Arrow prints it
    rows: int
    parts: tuple[Part, ...]  #: one after the other; those of a table are at least one
    vectors: str = ""  #: the lossy compression of its files of vectors; empty: they are exact

    @property
    def first_file(self) -> str:
        return self.parts[0].file

    def files(self) -> list[str]:
        """All files."""
        return [part.file for part in self.parts]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A column of the source that the folder does not have."""

    name: str
    type: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The description of a table."""

    columns: Sequence[Column]
    others: Sequence[Other] = ()
    skipped: Sequence[Skipped] = ()
    metadata: bytes = b""  #: of the table, packed

    def ordered(self) -> list[Column | Other]:
        """All columns in the order of the table."""
        made: list[Column | Other] = []
        columns = iter(self.columns)
        for other in self.others:
            made += itertools.islice(columns, other.position - len(made))
            made.append(other)
        return [*made, *columns]

    def files(self) -> list[str]:
        """The files that it names."""
        named = [file for column in self.columns for file in column.files()]
        return named + [file for other in self.others for file in other.files()]


def pack_metadata(pairs: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Pairs of keys and values in one object, which takes less memory than the pairs."""
    texts = [text for pair in pairs for text in pair]
    return b"".join(_LENGTH.pack(len(text)) + text for text in texts)


def unpack_metadata(packed: bytes) -> list[tuple[bytes, bytes]]:
    """The other way round."""
    texts: list[bytes] = []
    at = 0
    while at < len(packed):
        (size,) = _LENGTH.unpack_from(packed, at)
        at += _LENGTH.size
        texts.append(packed[at : at + size])
        at += size
    return list(zip(texts[::2], texts[1::2], strict=True))


def parse_manifest(text: bytes, name: str) -> Manifest:
    """Parses a manifest, which is untrusted.

    Args:
        text: The manifest, UTF-8.
        name: How messages call it.

    Raises:
        CorruptError: Not a manifest, or it names files outside of its folder.
        LimitExceededError: Its content needs more memory than that of a valid manifest.
        UnsupportedVersionError: Written by a newer version.
    """
    return manifest_of(_core.parse_manifest(text, name))


def manifest_of(parsed: tuple[Any, ...]) -> Manifest:
    """A manifest that the library has parsed."""
    _, columns, others, skipped, metadata = parsed
    logical: dict[tuple[Any, ...], LogicalType] = {}  # many columns share one

    def column(entry: tuple[Any, ...]) -> Column:
        key = entry[2]
        if key not in logical:
            logical[key] = LogicalType(*key)
        name, file, _, *counts, parts, texts = entry
        made: list[Any] = [logical[key], *counts, tuple(NumberPart(*part) for part in parts)]
        made.append(tuple(TextFile(*of) for of in texts))
        return Column(name, file, *made)

    def other(entry: tuple[Any, ...]) -> Other:
        name, position, type, rows, parts, vectors = entry
        return Other(name, position, type, rows, tuple(Part(*part) for part in parts), vectors)

    return Manifest(
        [column(entry) for entry in columns],
        [other(entry) for entry in others],
        [Skipped(*entry) for entry in skipped],
        metadata,
    )


def logical_type_of(dtype: npt.DTypeLike, number_type: str) -> LogicalType:
    """The logical type of stored numbers for a NumPy type."""
    import numpy as np

    requested: np.dtype[Any] = np.dtype(dtype)
    if requested.kind == "b":
        return LogicalType("bool", number_type)
    if requested.kind in "mM":
        unit = requested.name.partition("[")[2].rstrip("]")
        if unit in _UNITS:
            kind = "timestamp" if requested.kind == "M" else "duration"
            return LogicalType(kind, number_type, unit)
        raise TypeMismatchError(f"{requested}: a table has times in s, ms, us or ns")
    return LogicalType("number", number_type)


def manifest_text(manifest: Manifest) -> bytes:
    """The text of a manifest, which ``parse_manifest`` reads.

    Raises:
        LimitExceededError: It would be larger than readers accept.
        InvalidArgumentError: Readers would refuse it, such as names that are not Unicode.
    """
    return _core.manifest_text(astuple(manifest))
