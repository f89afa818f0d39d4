# SPDX-License-Identifier: Apache-2.0
"""Exceptions, one class for each kind of error."""

from __future__ import annotations

import errno
import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Error(RuntimeError):
    """Base class of all errors that numpact defines.

    Errors of the operating system keep Python's classes: a missing file is a
    ``FileNotFoundError``, a full disk an ``OSError``.

    Attributes:
        kind: The kind of error by its name in the C++ library, for example ``"corrupt"``.
        offset: Position in the input where the error was found, in bytes, or None.
        chunk: Index of the chunk that was being read, or None.
    """

    kind: str = "error"

    def __init__(
        self, message: str = "", offset: int | None = None, chunk: int | None = None
    ) -> None:
        super().__init__(message)
        self.offset = offset
        self.chunk = chunk

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.offset, self.chunk), self.__dict__


@contextmanager
def naming(path: str | os.PathLike[str] | None) -> Iterator[None]:
    """Prepends the name of a file to the messages of CorruptErrors; None: no name."""
    try:
        yield
    except CorruptError as error:
        if path is None:
            raise
        name = os.fsdecode(path)
        raise type(error)(f"{name}: {error}", error.offset, error.chunk) from error


class TrailingBytesWarning(UserWarning):
    """Bytes follow a Pco file that are not an intact trailer of it.

    Of files that were joined only the first one is read. If the trailer is damaged, checksums were
    not compared.
    """


def warn_of_end(
    warning: str, file_bytes: int, foreign_at: int | None, path: str | bytes | None = None
) -> None:
    """Warns of what follows a file that was read; where numpact was called."""
    frame: FrameType | None = sys._getframe(1)
    level = 2
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("numpact."):
        frame = frame.f_back
        level += 1
    place = "" if path is None else f"{os.fsdecode(path)}: "
    at = file_bytes if foreign_at is None else foreign_at
    warnings.warn(f"{place}at byte {at}: {warning}", TrailingBytesWarning, stacklevel=level)


class InvalidArgumentError(Error, ValueError):
    """An argument is out of range, or contradicts another one."""

    kind = "invalid argument"


class TypeMismatchError(Error, TypeError):
    """Numbers of another type than required, or of a type that cannot be compressed."""

    kind = "type mismatch"


class OutputTooSmallError(Error, ValueError):
    """The array for the result is too small."""

    kind = "output too small"


class CorruptError(Error, ValueError):
    """The bytes violate the format."""

    kind = "corrupt"


class OtherFormatError(CorruptError):
    """The file is of another format, which the message names; nothing is damaged.

    It is a ``CorruptError`` because the bytes are not those of the expected format.
    """

    kind = "another format"


class TruncatedError(CorruptError):
    """The bytes end too early."""

    kind = "truncated"


class UnsupportedVersionError(Error, ValueError):
    """The file has a format version that this library cannot read."""

    kind = "unsupported version"


class ChecksumError(CorruptError):
    """A stored checksum does not match."""

    kind = "checksum"


class LimitExceededError(Error):
    """Decoding would exceed a limit of the caller, for example ``max_output``."""

    kind = "limit exceeded"


class OutOfMemoryError(Error, MemoryError):
    """An allocation failed."""

    kind = "out of memory"


class InputOutputError(Error, OSError):
    """Reading or writing failed."""

    kind = "io"

    __init__ = Error.__init__


class LockTimeoutError(Error, TimeoutError):
    """Another process or thread has been writing the file for longer than ``lock_timeout``."""

    kind = "timed out"

    __init__ = Error.__init__


class CancelledError(Error):
    """The progress callback asked to stop."""

    kind = "cancelled"


class UnavailableError(Error):
    """The device does not exist, or the software to use it is not installed."""

    kind = "unavailable"


class DeviceError(Error):
    """A device reported an error."""

    kind = "device"


# The keys are the values of numpact::ErrorKind.
_CLASSES: dict[int, type[Error]] = {
    10: InvalidArgumentError,
    11: TypeMismatchError,
    12: OutputTooSmallError,
    20: CorruptError,
    21: TruncatedError,
    22: UnsupportedVersionError,
    23: ChecksumError,
    30: LimitExceededError,
    31: OutOfMemoryError,
    40: InputOutputError,
    41: LockTimeoutError,
    50: CancelledError,
    60: UnavailableError,
    61: DeviceError,
}


# How messages name options of the C++ interface, and the names that differ in Python. No other text
# is replaced, because messages may contain file names.
_CPP_MEMBER = re.compile(r"\b(?:Decode|Encode|Read|Write)(?:Limits|Config)::(\w+)")
_PYTHON_NAMES = {"max_output_bytes": "max_output", "chunk_rows": "chunk_size"}


def python_words(message: str) -> str:
    """A message of the library with the Python names of its options."""
    return _CPP_MEMBER.sub(lambda found: _PYTHON_NAMES.get(found[1], found[1]), message)


# The text of errors about files of another format begins with this, maybe after a name
# (src/signature/file_format.hpp).
_OTHER_FORMAT = "another format: "


def make_error(kind: int, message: str, offset: int | None, chunk: int | None) -> Error:
    """The exception for an error of the library; called by numpact._core."""
    made = _CLASSES.get(kind, Error)
    if made is CorruptError and _OTHER_FORMAT in message:
        made = OtherFormatError
    return made(python_words(message), offset, chunk)


# What the library says of files that are not opened, whatever the system might do with them: of
# pipes, and of links that lead back to themselves.
_NOT_OPENED = (errno.ENODEV, errno.ELOOP)


def make_table_error(
    kind: int,
    file: bytes,
    column: bytes,
    text: bytes,
    offset: int | None,
    chunk: int | None,
    code: int,
) -> Exception:
    """The exception for an error of a reader of tables; called by numpact._core.

    Args:
        kind: As for ``make_error``.
        file, column: Where it was found; b"": unknown.
        text: What is wrong.
        offset, chunk: Where in the file.
        code: The number of an error of the operating system; 0: none.
    """
    place, name = os.fsdecode(file), column.decode(errors="replace")
    if code and code not in _NOT_OPENED:
        missing = f"the file of column {name!r} is missing"
        is_missing = code == errno.ENOENT and name
        said = text.decode(errors="replace") if code == errno.EEXIST else os.strerror(code)
        return OSError(code, missing if is_missing else said, place)
    parts = [place] if place else []
    parts += [f"column {name!r}"] if name else []
    message = text.decode(errors="replace")
    if parts:
        message = f"{': '.join(parts)}: {message}"
    return make_error(kind, message, offset, chunk)
