# SPDX-License-Identifier: Apache-2.0
"""Appends numbers to an existing file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import _core
from ._arrays import numbers_of
from ._errors import TypeMismatchError, naming
from ._file import contents
from ._lock import core_timeout
from ._number_types import dtype_of, stated_type, type_name
from ._specs import (
    DEFAULT_LEVEL,
    DEFAULT_PAGING,
    Delta,
    Mode,
    Paging,
    TrailerSpec,
    core_options,
    core_trailer,
)
from ._threads import resolve

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Path = str | os.PathLike[str]


def append(
    path: Path,
    x: object,
    level: int = DEFAULT_LEVEL,
    mode: Mode = "auto",
    delta: Delta = "auto",
    paging: Paging = DEFAULT_PAGING,
    threads: int | None = None,
    *,
    trailer: TrailerSpec = False,
    dtype: npt.DTypeLike | None = None,
    lock_timeout: float | None = None,
) -> None:
    """Appends chunks with the given numbers to a standalone Pco file of the same number type.

    The file is scanned first, and then replaced by a longer copy that is written to the same
    folder: after a crash there is either the old file or the new one. If the old file has a
    trailer, the new file gets a new one; this decodes the whole file. Other bytes after its end,
    such as a file that was joined to it, are refused.

    Several processes and threads may append to a file at the same time, from Python, C++ and the
    command: each waits for the others, and no numbers are lost.

    Args:
        path: A file of format version 4, as every release of numpact and the releases 1.x of the
            reference write it.
        x: Numbers, as for ``compress``.
        level, mode, delta, paging, threads: As for ``compress``. The file keeps its format version,
            which may not have every mode.
        trailer: As for ``compress``; a file with a trailer gets one of the same kind by default.
        dtype: The type of the numbers of the file, as for a ``Writer``; None: the type that is
            stored. Files do not store units, so datetime64 and timedelta64 must be given here.
        lock_timeout: Seconds to wait for other writers of the file; None: without limit (Ctrl-C
            interrupts it); 0: not at all.

    Raises:
        FileNotFoundError: The file does not exist; a ``Writer`` creates one.
        LockTimeoutError: Another process is writing the file. The file is not changed.
        TypeMismatchError: ``x`` is not convertible to the numbers of the file by the rule of
            ``Writer.write``, or ``dtype`` is stored as another type.
        CorruptError: The file is damaged according to its structure or its trailer, or the trailer
            is damaged (``ChecksumError``), or other bytes follow it at ``offset``, which ``numpact
            index --force`` drops. The file is not changed. ``salvage`` reads the intact
            chunks; the first ``verify(path).file_bytes`` bytes are the file without its trailer.
        UnsupportedVersionError: The file has an older or newer format version.

    >>> import numpact, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "counts.pco")
    >>> with numpact.Writer(path, "int64") as writer:
    ...     writer.write([1, 2, 3])
    >>> numpact.append(path, [4, 5])
    >>> numpact.open(path)[:]
    array([1, 2, 3, 4, 5])
    """
    name = os.fspath(path)
    timeout = core_timeout(lock_timeout)
    os.stat(name)  # raises Python's own errors for files that cannot be opened
    with naming(name):
        _core.append_to_file(
            name,
            numbers_of(x, _type_of(name, dtype)),
            **core_options(level, mode, delta, paging),
            threads=resolve(threads),
            trailer=core_trailer(trailer),
            timeout_ms=timeout,
        )


def _type_of(path: str, dtype: npt.DTypeLike | None) -> np.dtype[Any] | None:
    """The type to convert to; None for an empty file that does not name a type."""
    stored = _core.read_header(contents(path))["number_type"]
    if dtype is None:
        return None if stored is None else dtype_of(stored)
    stated = stated_type(dtype)
    if stored not in (None, type_name(stated)):
        raise TypeMismatchError(f"the file holds {dtype_of(stored)} numbers, not {stated}")
    return stated
