# SPDX-License-Identifier: Apache-2.0
"""Errors whose messages contain the phrases of ``pcodec`` that programs may look for.

The classes, the positions in the file and the rest of the messages are numpact's.
"""

from __future__ import annotations

from .. import _core
from .._errors import (
    CorruptError,
    Error,
    InvalidArgumentError,
    TruncatedError,
    TypeMismatchError,
    UnsupportedVersionError,
)
from .._number_types import TYPES

# Kinds of error in the reference; the first class that matches counts.
_KINDS: tuple[tuple[type[Error], str], ...] = (
    (TruncatedError, "InsufficientData"),
    (CorruptError, "Corruption"),
    (UnsupportedVersionError, "Corruption"),
    (TypeMismatchError, "Corruption"),
    (InvalidArgumentError, "InvalidArgument"),
)
_MAGIC = b"pco!"
# The reference's message names it together with the version of the file.
_MAX_STANDALONE_VERSION = 3


def invalid(words: str) -> InvalidArgumentError:
    """The error for an argument of the right type and a value that cannot be used."""
    return InvalidArgumentError(f"pco error: pco InvalidArgument error: {words}")


def not_an_instance(what: str, value: object, kind: str) -> TypeMismatchError:
    """The error for the argument ``what``, which should have been a ``kind``."""
    named = "'None'" if value is None else f"'{type(value).__name__}' object"
    return TypeMismatchError(f"{what}: {named} is not an instance of '{kind}'")


def marked(error: Error, words: str = "") -> Error:
    """An error of the same class; its message starts with the phrase of the reference."""
    kind = next((kind for cls, kind in _KINDS if isinstance(error, cls)), None)
    if kind is None:
        return error
    said = f"{words}: {error}" if words else str(error)
    return type(error)(f"pco error: pco {kind} error: {said}", error.offset, error.chunk)


def decoding_error(
    error: Error, src: bytes | bytearray | memoryview, requested: str | None
) -> Error:
    """The error for a standalone file that could not be decoded.

    Args:
        error: What the library raised.
        src: The file.
        requested: The number type of the array to decode into; None: there is no array.
    """
    if isinstance(error, UnsupportedVersionError):
        return marked(error, _version_words(error, src))
    if isinstance(error, TruncatedError):
        return marked(error)
    if isinstance(error, TypeMismatchError):
        return marked(error, _other_type(requested, _first_type(src)))
    offset = error.offset
    if not isinstance(error, CorruptError) or offset is None:
        return marked(error)
    data = memoryview(src).cast("B")
    if offset == 0 and bytes(data[:4]) != _MAGIC:
        if len(data) < len(_MAGIC):
            # The reference reads the four bytes before it compares them.
            error = TruncatedError(str(error), offset, error.chunk)
        return marked(error, "magic header does not match")
    if "number type" not in str(error) or offset >= len(data):
        return marked(error)
    return marked(error, _chunk_type_words(src, data[offset], error.chunk, requested))


def _version_words(error: Error, src: bytes | bytearray | memoryview) -> str:
    if error.offset == len(_MAGIC):
        found = memoryview(src).cast("B")[len(_MAGIC)]
        return f"standalone version ({found}) exceeds max supported ({_MAX_STANDALONE_VERSION})"
    return version_words()


def version_words() -> str:
    """For a format that is newer than the library."""
    return "the format version cannot be decompressed by this library version"


def _chunk_type_words(
    src: bytes | bytearray | memoryview, found: int, chunk: int | None, requested: str | None
) -> str:
    """For a chunk whose byte for its number type is ``found``, where another one belongs."""
    try:
        header = _core.read_header(src)
    except Error:
        return f"unknown number type byte: {found}"
    if header["uniform_type"] is not None:
        uniform = header["uniform_type"].upper()
        return (
            f"chunk's number type of {found} does not match file's uniform number type of {uniform}"
        )
    if not chunk and requested is None:
        return f"unknown number type byte: {found}"
    return _other_type(requested or header["number_type"], found)


def _other_type(requested: str | None, found: int | str | None) -> str:
    asked = f"numbers of {requested}" if requested in TYPES else "what was asked for"
    return f"{asked} does not match chunk's number type of {found}"


def _first_type(src: bytes | bytearray | memoryview) -> str | None:
    name: str | None = _core.read_header(src)["number_type"]
    return name
