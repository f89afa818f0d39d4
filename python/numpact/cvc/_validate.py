# SPDX-License-Identifier: Apache-2.0
"""Checks files, and converts old versions."""

from __future__ import annotations

import json
import os
import zlib
from typing import TYPE_CHECKING, Any

from .._errors import Error, UnsupportedVersionError
from ._frames import Payloads, write_file
from ._reader import Reader

if TYPE_CHECKING:
    Path = str | os.PathLike[str]

_LATEST = "v1.0"


def _name(version: tuple[int, int]) -> str:
    return f"v{version[0]}.{version[1]}"


def _sizes(path: Path) -> dict[str, Any]:
    size = os.path.getsize(path)
    return {"size_bytes": size, "size_mb": round(size / (1024 * 1024), 2)}


def detect_version(path: Path, *, max_memory: int | None = None) -> tuple[int, int]:
    """The version of a file, (major, minor).

    Raises:
        UnsupportedVersionError, CorruptError: Not a CVC file, or a newer version.
    """
    return Reader(path, max_memory=max_memory).info.version


def validate_cvc_version(path: Path, *, max_memory: int | None = None) -> dict[str, Any]:
    """A dictionary: valid, version, version_tuple, needs_upgrade; or valid and error."""
    try:
        version = detect_version(path, max_memory=max_memory)
    except Error as error:
        return {"valid": False, "error": str(error), "path": os.fspath(path)}
    return {
        "valid": True,
        "version": _name(version),
        "version_tuple": version,
        "needs_upgrade": version < (1, 0),
        "current_latest": _LATEST,
        "path": os.fspath(path),
    }


def validate_cvc(path: Path, *, max_memory: int | None = None) -> dict[str, Any]:
    """Checks the header and the positions of chunks; does not read payloads.

    Returns:
        A dictionary: valid, version, num_vectors, dimension, compression, num_chunks, size_bytes,
        size_mb, errors, warnings. For columnar files ``dimension`` is the sum of all columns, and
        ``compression`` has the compressions of all columns.
    """
    try:
        info = Reader(path, max_memory=max_memory).info
    except Error as error:
        return {
            "valid": False,
            "version": "unknown",
            **_sizes(path),
            "errors": [str(error)],
            "warnings": [],
        }
    compressions = list(dict.fromkeys(column.compression for column in info.columns))
    warnings = []
    if info.version < (1, 0):
        warnings.append("no checksums: upgrade_cvc adds them")
    return {
        "valid": True,
        "version": _name(info.version),
        "num_vectors": info.rows,
        "dimension": info.dimension,
        "compression": ", ".join(compressions),
        "num_chunks": len(info.chunks),
        **_sizes(path),
        "errors": [],
        "warnings": warnings,
    }


def validate_cvc_integrity(
    path: Path,
    verbose: bool = False,
    *,
    threads: int | None = None,
    max_output: int | None = None,
    max_memory: int | None = None,
) -> dict[str, Any]:
    """Checks all checksums, and decodes all chunks.

    Args:
        path: The file.
        verbose: Print a line for each chunk, and return ``checksum_details``.
        threads: As for ``numpact.decompress``.
        max_output, max_memory: As for ``Reader``.

    Returns:
        A dictionary: valid, total_chunks, corrupted_chunks, corrupted_ranges, checksum_details; or
        valid and error if the file cannot be checked.
    """
    nothing: dict[str, Any] = {"total_chunks": 0, "corrupted_chunks": [], "corrupted_ranges": []}
    try:
        payloads = Payloads(path, max_output, max_memory)
        info = payloads.info
        if info.version < (1, 0):
            error = "a file of version 0.x has no checksums: upgrade_cvc adds them"
            return {"valid": False, "error": error, **nothing, "total_chunks": len(info.chunks)}
        bad = {damage.chunk: damage for damage in payloads.reader.verify(threads=threads)}
    except Error as error:
        return {"valid": False, "error": str(error), **nothing}
    details = None
    if verbose:
        details = []
        print(f"{len(info.chunks)} chunks")
        for i, chunk in enumerate(info.chunks):
            details.append(
                {
                    "chunk_index": i,
                    "valid": i not in bad,
                    "expected_crc32": f"{payloads.stored_checksum(i):08x}",
                    "actual_crc32": f"{zlib.crc32(payloads[i]):08x}",
                    "vector_range": (chunk.first_row, chunk.first_row + chunk.rows),
                }
            )
            print(f"chunk {i}: {bad[i].reason if i in bad else 'sound'}")
    return {
        "valid": not bad,
        "total_chunks": len(info.chunks),
        "corrupted_chunks": sorted(bad),
        "corrupted_ranges": [
            (damage.first_row, damage.first_row + damage.rows) for _, damage in sorted(bad.items())
        ],
        "checksum_details": details,
    }


def upgrade_cvc(
    input_path: Path,
    output_path: Path,
    verbose: bool = False,
    *,
    max_memory: int | None = None,
) -> dict[str, Any]:
    """Converts a file of version 0.1 to version 1.0: the same chunks, with checksums.

    Args:
        input_path: The old file. A file of version 1.0 is copied.
        output_path: The new file, which must not exist.
        verbose: Print a summary.
        max_memory: As for ``Reader``.

    Raises:
        CorruptError: A chunk is damaged; new checksums would hide that.
        FileExistsError: ``output_path`` exists.
        UnsupportedVersionError: A columnar file.

    Returns:
        A dictionary: input_version, output_version, num_chunks, num_vectors, dimension,
        input_size_mb, output_size_mb.
    """
    if os.path.exists(output_path):
        raise FileExistsError(f"{os.fspath(output_path)} is there already")
    payloads = Payloads(input_path, None, max_memory)
    info = payloads.info
    if info.is_columnar:
        raise UnsupportedVersionError("a columnar file has nothing to upgrade")
    payloads.check()
    header = json.loads(info.header)
    header.pop("mmap_optimized", None)
    for chunk in header["chunks"]:
        chunk.pop("file_offset", None)
    write_file(output_path, (1, 0), header, (payloads[i] for i in range(len(info.chunks))))
    result = {
        "input_version": _name(info.version),
        "output_version": _LATEST,
        "num_chunks": len(info.chunks),
        "num_vectors": info.rows,
        "dimension": info.columns[0].dimension,
        "input_size_mb": _sizes(input_path)["size_mb"],
        "output_size_mb": _sizes(output_path)["size_mb"],
    }
    if verbose:
        print(f"{result['input_version']} -> {_LATEST}: {len(info.chunks)} chunks")
    return result
